// The sentence view: a paragraph in which sentences that want a citation are underlined.

import { api } from "./api.js";
import { chance } from "./card.js";
import { button, byId, h, replace } from "./dom.js";
import { failed } from "./answer.js";
import { copy, notice } from "./notices.js";
import { quotes } from "./quotes.js";
import { reasonList } from "./reasons.js";
import { on, state } from "./state.js";
import { counted, cut, described } from "./words.js";

const K = 6;
const WAIT = 700; // ms without a key before a changed paragraph is read again

const view = { text: "", sentences: [], chosen: null, isStale: true };
let timer = 0;
let reading = null;
let asking = null;

export function startSentences() {
  replace(
    byId("panel-sentences"),
    h(
      "form",
      { id: "passage-form", onsubmit: submit },
      h(
        "div",
        { class: "passage" },
        h("div", { id: "marks", class: "marks", "aria-hidden": "true" }),
        h("label", { class: "unseen", for: "passage" }, "A paragraph of your draft"),
        h("textarea", {
          id: "passage",
          rows: 8,
          spellcheck: "false",
          placeholder:
            "Paste a paragraph. Sentences that want a citation are underlined; click one to see what to cite.",
          oninput: typed,
          onclick: pointed,
          onkeyup: pointed,
        }),
      ),
      h(
        "div",
        { class: "legend" },
        h("span", { class: "wants" }, "wants a citation"),
        h("span", { class: "has" }, "has one"),
      ),
      h(
        "div",
        { class: "row" },
        h(
          "button",
          { type: "submit", class: "primary" },
          "Check paragraph ",
          h("kbd", {}, "Ctrl ↵"),
        ),
        button("Copy paragraph", () => copy(view.text, "Copied the paragraph with its keys."), {
          class: "button",
        }),
      ),
    ),
  );
  on(["tab", "library"], () => state.tab === "sentences" && state.library?.open && show());
}

function submit(event) {
  event.preventDefault();
  if (view.text.trim()) return check();
  byId("passage").focus();
  notice("Paste a paragraph first.");
}

function typed() {
  setText(byId("passage").value);
  view.isStale = true;
  mark();
  clearTimeout(timer);
  timer = setTimeout(check, WAIT);
}

function setText(text) {
  view.text = text;
  const field = byId("passage");
  if (field.value !== text) field.value = text;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

/** Ask which sentences want a citation. */
async function check() {
  clearTimeout(timer);
  reading?.abort();
  const mine = (reading = new AbortController());
  if (!view.text.trim()) return reset();
  byId("answer").setAttribute("aria-busy", "true");

  try {
    const { title, abstract } = state.draft;
    const { sentences } = await api.passage(
      { text: view.text, title, abstract, k: 0 },
      mine.signal,
    );
    Object.assign(view, { sentences: sentences.map(unitsOf(view.text)), isStale: false });
    view.chosen = view.sentences.find(({ text }) => text === view.chosen?.text) ?? null;
    mark();
    show();
  } catch (error) {
    if (error.name !== "AbortError") replace(byId("answer"), failed(error, check));
  }
}

function reset() {
  Object.assign(view, { sentences: [], chosen: null });
  mark();
  show();
}

/** Return a function that turns a sentence's offsets from code points into UTF-16 units. */
function unitsOf(text) {
  const units = [0];
  for (const point of text) units.push(units.at(-1) + point.length);
  return (sentence) => ({ ...sentence, start: units[sentence.start], end: units[sentence.end] });
}

/** Draw the lines and grounds behind the text. */
function mark() {
  if (view.isStale) return replace(byId("marks"), view.text);
  const parts = [];
  let position = 0;
  for (const sentence of view.sentences) {
    parts.push(
      view.text.slice(position, sentence.start),
      h("span", { class: kind(sentence) }, view.text.slice(sentence.start, sentence.end)),
    );
    position = sentence.end;
  }
  replace(byId("marks"), parts, view.text.slice(position), "\u200b");
}

function kind(sentence) {
  const base = sentence.has_citation ? "has" : sentence.wants_citation ? "wants" : "";
  return view.chosen === sentence ? `${base} chosen` : base;
}

/** Choose the sentence in which the cursor stands. */
function pointed() {
  if (view.isStale) return;
  const at = byId("passage").selectionStart;
  const sentence = view.sentences.find(({ start, end }) => start <= at && at <= end);
  if (sentence && sentence !== view.chosen) choose(sentence);
}

async function choose(sentence) {
  asking?.abort();
  const mine = (asking = new AbortController());
  view.chosen = sentence;
  mark();
  show(h("p", { class: "soft" }, "Looking for papers …"));

  try {
    const { title, abstract, cited } = state.draft;
    const answer = await api.cite(
      { sentence: sentence.text, title, abstract, cited, k: K, explain: true, evidence: 2 },
      mine.signal,
    );
    show(suggestions(answer.sentences?.[0] ?? answer));
  } catch (error) {
    if (error.name !== "AbortError") show(failed(error, () => choose(sentence)));
  }
}

function show(found = null) {
  const place = byId("answer");
  place.setAttribute("aria-busy", "false");
  if (!view.sentences.length) return replace(place, empty());
  replace(
    place,
    summary(),
    view.chosen && h("p", { class: "chosen-sentence" }, view.chosen.text),
    found ?? [withoutEvidence(), list()],
  );
}

/** Say why nothing is underlined where the library has no sentences to compare with. */
function withoutEvidence() {
  if (state.library.sentences) return null;
  return h(
    "p",
    { class: "note" },
    "This library has no citing sentences, so it cannot tell which of yours want a citation; any of them can be asked about.",
  );
}

function empty() {
  return h(
    "div",
    { class: "state" },
    h("h2", {}, "Which sentences want a citation?"),
    h(
      "p",
      { class: "soft" },
      "Paste a paragraph on the left. A click on a sentence shows papers to cite for it, each with the sentence of the literature that speaks for it; a button puts the key where your cursor is.",
    ),
  );
}

function summary() {
  const wanting = view.sentences.filter((each) => each.wants_citation && !each.has_citation).length;
  const title = wanting
    ? `${counted(wanting, "sentence")} ${wanting === 1 ? "wants" : "want"} a citation`
    : state.library.sentences
      ? "No sentence asks for a citation"
      : "Click a sentence to see what to cite";
  const back =
    view.chosen &&
    button(
      "All sentences",
      () => {
        view.chosen = null;
        mark();
        show();
      },
      { class: "button" },
    );
  return h(
    "div",
    { class: "answer-head" },
    h("h2", {}, title),
    h("p", { class: "took" }, `of ${counted(view.sentences.length, "sentence")}`),
    back,
  );
}

function list() {
  const status = (sentence) =>
    sentence.has_citation ? "has a citation" : sentence.wants_citation ? "wants a citation" : "";
  const line = (sentence) =>
    h(
      "li",
      {},
      button(
        [
          cut(sentence.text, 140),
          status(sentence) && h("span", { class: "soft" }, ` · ${status(sentence)}`),
        ],
        () => pick(sentence),
      ),
    );
  return h("ul", { class: "sentence-list", "aria-label": "Sentences" }, view.sentences.map(line));
}

function pick(sentence) {
  byId("passage").setSelectionRange(insertionPoint(sentence), insertionPoint(sentence));
  choose(sentence);
}

/** Return the place before a sentence's full stop. */
function insertionPoint({ start, end }) {
  const text = view.text.slice(start, end);
  return start + text.replace(/[.!?\s]+$/, "").length;
}

function suggestions({ recommendations = [], served_by: servedBy }) {
  if (!recommendations.length)
    return h("p", { class: "state" }, "No paper of this library shares a word with this sentence.");
  return [
    servedBy?.note && h("p", { class: "note" }, `Ranked ${servedBy.note}.`),
    h("ol", { "aria-label": "Papers to cite" }, recommendations.map(suggestion)),
  ];
}

function suggestion(found) {
  const { paper } = found;
  const key = found.citation_key ?? paper.key ?? paper.id;
  return h(
    "li",
    { class: "suggestion" },
    h(
      "div",
      { class: "suggestion-head" },
      h(
        "div",
        {},
        h("h3", {}, paper.title),
        h("p", { class: "meta" }, described(paper).join(" · ")),
      ),
      chance(found.confidence),
    ),
    found.evidence?.length ? quotes(found.evidence) : reasonList(found),
    h(
      "div",
      { class: "actions" },
      button(`Insert \\cite{${key}}`, () => insert(key), {
        class: "add",
        "aria-label": `Insert \\cite{${key}} at the cursor`,
      }),
      button("Copy key", () => copy(key, `Copied ${key}`)),
    ),
  );
}

/** Put a citation where the cursor is; undoing it works as for typed text. */
function insert(key) {
  const field = byId("passage");
  const { start, end } = view.chosen;
  const cursor = field.selectionStart;
  const at = cursor > start && cursor < end ? cursor : insertionPoint(view.chosen);
  const before = view.text[at - 1];
  const cite = `${before && !/\s/.test(before) ? " " : ""}\\cite{${key}}`;

  field.focus();
  field.setSelectionRange(at, at);
  if (!document.execCommand("insertText", false, cite)) field.setRangeText(cite, at, at, "end");
  typed();
  notice(`Put \\cite{${key}} into the paragraph.`);
}
