// The draft: its two fields, files that are dropped or pasted, and what was read from them.

import { api } from "./api.js";
import { ask, startAgain } from "./asking.js";
import { button, byId, h, replace } from "./dom.js";
import { notice } from "./notices.js";
import { change, emptyDraft, on, state } from "./state.js";
import { counted, wordCount } from "./words.js";

const PASTED = 60; // words from which a pasted text is read as a whole draft
const LOOKS_LIKE_DRAFT = /\\documentclass|\\begin\{abstract\}|\\title\{|^---\s*$|^#+ \S/m;

export function startDraft() {
  const form = byId("draft");
  form.addEventListener("submit", submit);
  form.addEventListener("input", typed);
  byId("abstract").addEventListener("paste", pasted);
  byId("title").addEventListener("paste", pasted);
  showDropLine();
  on(["draft"], fill);
  on(["draft", "read", "library"], showRead);
}

function showDropLine() {
  const picker = h("input", {
    type: "file",
    multiple: true,
    class: "unseen",
    tabindex: "-1",
    "aria-label": "Files of the draft",
    onchange: () => readFiles([...picker.files]),
  });
  const line = byId("drop-line");
  replace(
    line,
    "Drop a .tex, .md, .docx or .txt with its .bib, or a .pdf, here or anywhere; or ",
    button("choose files", () => picker.click(), { class: "link" }),
    picker,
  );
  line.hidden = false;
}

/** Put the state's draft into the fields, unless they have it already. */
function fill() {
  const { title, abstract } = state.draft;
  if (byId("title").value !== title) byId("title").value = title;
  if (byId("abstract").value !== abstract) byId("abstract").value = abstract;
}

function typed() {
  const title = byId("title").value;
  const abstract = byId("abstract").value;
  const isNew = !title && !abstract;
  const draft = isNew ? emptyDraft() : { ...state.draft, title, abstract };
  change({ draft, like: null, ...(isNew && { read: null }) });
}

function submit(event) {
  event.preventDefault();
  const { title, abstract } = state.draft;
  if (!title.trim() && !abstract.trim()) {
    byId("abstract").focus();
    return notice("Give a title or an abstract first.");
  }
  ask({ anew: true, like: null });
}

/** Read a pasted text as a whole draft where it looks like one and nothing would be overwritten. */
function pasted(event) {
  const files = [...(event.clipboardData?.files ?? [])];
  const text = event.clipboardData?.getData("text/plain") ?? "";
  const isDraft = LOOKS_LIKE_DRAFT.test(text) || (text.includes("\n") && wordCount(text) > PASTED);
  const isFree = !state.draft.title.trim() && !state.draft.abstract.trim();
  if (!files.length && !(isDraft && isFree)) return;

  event.preventDefault();
  if (files.length) readFiles(files);
  else read(() => api.readText(text), "the pasted text");
}

/** Read a draft's files, with the bibliographies that came with them. */
export function readFiles(files) {
  if (files.length) read(() => api.readFiles(files), files.map((file) => file.name).join(", "));
}

async function read(load, name) {
  replace(byId("read"), `Reading ${name} …`);
  try {
    const { query, read: found } = await load();
    change({ draft: { ...emptyDraft(), ...known(query) }, read: found, like: null, tab: "draft" });
    byId("ask").focus();
  } catch (error) {
    replace(byId("read"), h("span", { class: "lost" }, `${name} was not read. ${error.message}`));
  }
}

function known({ title = "", abstract = "", cited = [], hidden = [], authors = [], year = null }) {
  return { title, abstract, cited, hidden, authors, year };
}

function showRead() {
  const { draft, read: found } = state;
  const hasText = draft.title.trim() || draft.abstract.trim();
  replace(byId("read"), hasText ? sentence(draft, found) : "");
}

/** Return what was understood, as a line of text with lists that can be opened. */
function sentence(draft, found) {
  const words = wordCount(draft.abstract);
  const from = found?.abstract_from ? ` (${found.abstract_from})` : " of abstract";
  const parts = [
    draft.title.trim() ? "title" : h("em", {}, "no title"),
    words ? `${counted(words, "word")}${from}` : h("em", {}, "no abstract"),
    citations(draft, found),
    draft.authors.length ? counted(draft.authors.length, "author") : null,
  ].filter(Boolean);

  const line = [
    h("strong", {}, "Read "),
    ...parts.flatMap((part, at) => (at ? [", ", part] : [part])),
  ];
  return [...line, ...details(found), " · ", button("clear", startAgain, { class: "link" })];
}

function citations(draft, found) {
  if (found?.citations)
    return h("em", {}, `${found.in_library} of ${counted(found.citations, "citation")}`);
  return draft.cited.length ? h("em", {}, counted(draft.cited.length, "citation")) : null;
}

function details(found) {
  if (!found) return [];
  const missing = [
    ...found.not_in_library,
    ...found.without_entry.map((key) => `${key} (no entry)`),
  ];
  return [
    missing.length && unfolding(`${missing.length} not in this library`, missing),
    found.lost.length && unfolding(`${found.lost.length} not read`, found.lost),
    found.left_out.length &&
      unfolding(
        "this draft itself is left out",
        found.left_out.map((paper) => paper.title),
      ),
    found.notes.length && unfolding(counted(found.notes.length, "note"), found.notes),
  ].filter(Boolean);
}

/** Return " (words: show)" whose button opens a list. */
function unfolding(words, items) {
  const list = h(
    "ul",
    { hidden: true },
    items.map((item) => h("li", {}, item)),
  );
  const toggle = button(
    "show",
    () => {
      list.hidden = !list.hidden;
      toggle.textContent = list.hidden ? "show" : "hide";
      toggle.setAttribute("aria-expanded", String(!list.hidden));
    },
    { class: "link", "aria-expanded": "false", "aria-label": `Show ${words}` },
  );
  return h("span", {}, ` (${words}: `, toggle, ")", list);
}
