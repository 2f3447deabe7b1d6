// The answer beside the draft: its head, filters, the list or the map, and every state without one.

import { api, Offline } from "./api.js";
import { adjust, ask, backToDraft, moreLike, requestBody, startAgain } from "./asking.js";
import { card } from "./card.js";
import { button, byId, h, replace } from "./dom.js";
import { judge } from "./judging.js";
import { showMap } from "./map.js";
import { glide } from "./moving.js";
import { copy } from "./notices.js";
import { withKnob } from "./preferences.js";
import { change, on, state, visible } from "./state.js";
import { counted, cut, listed, number } from "./words.js";

const PATIENCE = 150; // ms before a skeleton is shown

let patience = 0;

export function startAnswer() {
  on(["answer", "status"], say);
  on(["answer", "status", "rejected", "basket", "view", "settings", "library", "tab"], show);
}

function show() {
  const place = byId("answer");
  clearTimeout(patience);
  if (state.tab !== "draft" || !state.library?.open) return;

  const isBusy = state.status === "asking" || state.status === "refining";
  place.setAttribute("aria-busy", String(isBusy));
  place.classList.toggle("asking", state.status === "asking");
  if (state.status === "failed") return replace(place, failed(state.problem));
  if (state.answer) return glide(place, () => replace(place, answered()));
  if (state.status === "asking") patience = setTimeout(() => replace(place, skeleton()), PATIENCE);
  else replace(place, empty());
}

/** Tell screen readers that an answer has come. */
function say() {
  if (state.status === "asking") byId("said").textContent = "Looking for papers";
  else if (state.status === "answered")
    byId("said").textContent = counted(visible().length, "paper");
}

function answered() {
  const all = state.answer.recommendations;
  const papers = visible();
  if (!all.length) return [head(papers), filters(all), nothing()];
  const body = state.view === "map" ? mapPlace(papers) : list(papers, all);
  return [head(papers), filters(all), notes(), body];
}

function head(papers) {
  const what = state.like ? `like “${cut(state.like.title, 60)}”` : "for your draft";
  const view = (name, label) =>
    button(label, () => change({ view: name }), { "aria-pressed": String(state.view === name) });
  return h(
    "div",
    { class: "answer-head" },
    h("h2", { id: "answer-title" }, `${counted(papers.length, "paper")} ${what}`),
    h("p", { class: "took" }, state.status === "refining" ? "by their words; ranking …" : took()),
    button("Copy link", copyLink, {
      class: "button",
      title: "A link that brings this answer back; the draft is in the link itself",
    }),
    h(
      "div",
      { class: "segments", role: "group", "aria-label": "Show as" },
      view("list", "List"),
      view("map", "Map"),
    ),
  );
}

function took() {
  return `in ${number(Math.max(1, Math.round(state.took)))} ms, by ${state.answer.system}`;
}

function copyLink() {
  copy(location.href, "Copied a link to this answer. It has your draft in it.");
}

function filters(all) {
  const { settings, draft, rejected } = state;
  const chip = (label, isOn, act) =>
    button(label, act, { class: "chip", "aria-pressed": String(isOn) });
  const own = settings.preferences.no_self_citations === true;
  return h(
    "div",
    { class: "filters", role: "group", "aria-label": "Filters" },
    state.like && button("Back to your draft", backToDraft, { class: "chip" }),
    draft.cited.length > 0 &&
      chip("Not yet cited", !settings.withCited, () => adjust({ withCited: !settings.withCited })),
    venues(all),
    draft.authors.length > 0 &&
      chip("Hide own work", own, () =>
        adjust({ preferences: withKnob("no_self_citations", !own) }),
      ),
    rejected.size > 0 &&
      button(
        `Bring back ${number(rejected.size)} not relevant`,
        bringBack,
        { class: "chip" },
      ),
    hasYears() &&
      button(
        `${settings.since ?? "…"}–${settings.until ?? "…"} ✕`,
        () => adjust({ since: null, until: null }),
        { class: "chip chosen", "aria-label": "Any year" },
      ),
  );
}

/** Show the papers again that were taken out, and take the verdicts back. */
function bringBack() {
  const found = state.answer.recommendations.filter(({ paper }) => state.rejected.has(paper.id));
  for (const each of found) judge(each, "cleared");
  change({ rejected: new Set() });
}

function hasYears() {
  return state.settings.since !== null || state.settings.until !== null;
}

/** Return a menu of the answer's venues, those with most papers first. */
function venues(all) {
  const counts = new Map();
  for (const { paper } of all)
    if (paper.venue) counts.set(paper.venue, (counts.get(paper.venue) ?? 0) + 1);
  const chosen = state.settings.venue;
  if (chosen && !counts.has(chosen)) counts.set(chosen, 0);
  const sorted = [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  const option = ([venue, count]) =>
    h("option", { value: venue, selected: venue === chosen }, `${cut(venue, 40)} (${count})`);
  const select = h(
    "select",
    {
      class: chosen ? "chip chosen" : "chip",
      "aria-label": "Venue",
      onchange: () => adjust({ venue: select.value }),
    },
    h("option", { value: "" }, "Any venue"),
    sorted.map(option),
  );
  return select;
}

function notes() {
  const { note, advice } = state.answer.served_by ?? {};
  const weak =
    state.answer.match && state.answer.match !== "good"
      ? "This library may have little about your draft."
      : "";
  const text = [weak, note, advice].filter(Boolean).join(" ");
  return text ? h("p", { class: "note" }, text) : null;
}

function list(papers, all) {
  if (!papers.length)
    return h("div", { class: "state" }, h("p", {}, "The filters leave nothing of this answer."));
  const isFull = all.length >= requestBody().k && state.k < 100;
  const more = button("Show 20 more", () => ask({ k: state.k + 20 }), { class: "button" });
  return [
    h("ol", { class: "cards", "aria-label": "Recommended papers" }, papers.map(card)),
    isFull && more,
  ];
}

function mapPlace(papers) {
  const place = h("div", { class: "map-place" });
  showMap(place, papers);
  return place;
}

function skeleton() {
  const lines = () =>
    h(
      "div",
      { class: "body" },
      Array.from({ length: 5 }, () => h("i")),
    );
  const one = () =>
    h("li", { class: "card skeleton" }, h("span", { class: "rank" }), lines(), h("span"));
  return [
    h(
      "div",
      { class: "answer-head" },
      h("h2", {}, "Looking for papers …"),
      h("p", { class: "took" }, `among ${number(state.library.papers)}`),
    ),
    h("div", { class: "filters" }),
    h("ol", { class: "cards", "aria-hidden": "true" }, Array.from({ length: 4 }, one)),
  ];
}

function empty() {
  const step = (at, title, text) =>
    h("li", {}, h("span", {}, at), h("span", {}, h("b", {}, title), ` ${text}`));
  return h(
    "div",
    { class: "state" },
    h("h2", {}, "What should your draft cite?"),
    h(
      "ol",
      { class: "steps" },
      step(
        "1",
        "Give a draft.",
        "Type a title and an abstract, paste a text, or drop its files anywhere on this page.",
      ),
      step(
        "2",
        "Read from the top.",
        "Each paper says why it is here and how likely papers like it are to be cited.",
      ),
      step(
        "3",
        "Leave with a file.",
        "Put papers into the basket; it exports BibTeX, RIS, CSL-JSON or a list.",
      ),
    ),
    h("p", { class: "soft small" }, about()),
    h(
      "div",
      { class: "row" },
      button("Try it with a paper of this library", example, { class: "button" }),
      h(
        "span",
        { class: "soft small" },
        "Press ",
        h("kbd", { class: "key" }, "?"),
        " for the keys.",
      ),
    ),
  );
}

/** Return what the library is about, in a sentence or two. */
function about() {
  const { papers, topics = [], years = [] } = state.library;
  const span = years.length ? ` of ${years[0]} to ${years[1]}` : "";
  const about = topics.length ? `, most about ${listed(topics.slice(0, 3))}` : "";
  return `This library has ${counted(papers, "paper")}${span}${about}.`;
}

/** Ask for papers like one that is typical of the library. */
async function example() {
  try {
    const { papers } = await api.search(state.library.topics.slice(0, 2).join(" "), 1);
    if (papers.length) await moreLike(papers[0]);
  } catch (error) {
    change({ problem: error, status: "failed" });
  }
}

function nothing() {
  return h(
    "div",
    { class: "state" },
    h("h2", {}, "Nothing here seems close to your draft."),
    h("p", {}, about()),
    h(
      "p",
      { class: "soft" },
      hasYears()
        ? "Try any year, or a longer abstract."
        : "Try a longer abstract, or add papers to the library.",
    ),
    h(
      "div",
      { class: "row" },
      hasYears() &&
        button("Any year", () => adjust({ since: null, until: null }), { class: "button" }),
      button("Start again", startAgain, { class: "button" }),
    ),
  );
}

export function failed(error, again = () => ask()) {
  const isOffline = error instanceof Offline;
  const title = isOffline
    ? "The server does not answer."
    : (error.title ?? "Something went wrong.");
  const advice = isOffline
    ? ["Start it again with ", h("code", {}, "citewise serve"), ". Your draft and basket are kept."]
    : [error.message];
  return h(
    "div",
    { class: "state wrong", role: "alert" },
    h("h2", {}, title),
    h("p", {}, advice),
    error.code && h("p", { class: "soft small" }, `Code: ${error.code}`),
    h("div", { class: "row" }, button("Try again", again, { class: "button" })),
  );
}
