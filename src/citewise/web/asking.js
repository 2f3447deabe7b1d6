// Asks for recommendations: makes the request from the state, and puts the answer into it.

import { api } from "./api.js";
import { byId } from "./dom.js";
import { fragmentOf, queryOf } from "./link.js";
import { isNarrow, isStill } from "./moving.js";
import { change, emptyDraft, state } from "./state.js";

const EVIDENCE = 2; // sentences a paper
const FILTERED_K = 100; // papers among which a venue is looked for
const BY_WORDS = "bm25"; // the system of the fast answer

let running = null;

/** Return the body of the request for the state's query. */
export function requestBody({ draft, like, settings, k } = state) {
  const { since, until, preferences, system, withCited, venue } = settings;
  const year = until ?? draft.year;
  return {
    ...texts(draft, like),
    cited: withCited ? [] : draft.cited,
    hidden: like ? [...draft.hidden, like.id] : draft.hidden,
    authors: draft.authors,
    k: venue ? FILTERED_K : k,
    explain: true,
    evidence: EVIDENCE,
    ...(year && { year }),
    ...(since && { since }),
    ...(system && { system }),
    ...(Object.keys(preferences).length && { preferences }),
  };
}

function texts(draft, like) {
  const { title, abstract } = like ?? draft;
  return { title, abstract };
}

/** Ask the server, with changes to the state that belong to the question.

    `anew` makes a new entry in the browser's history and forgets the old answer. */
export async function ask({ anew = false, ...values } = {}) {
  running?.abort();
  const mine = (running = new AbortController());
  const began = performance.now();
  change({
    status: "asking",
    problem: null,
    ...(anew && { answer: null, k: 20, rejected: new Set() }),
    ...values,
  });
  remember(anew);

  const show = (status) => (answer) => {
    if (mine.signal.aborted) return;
    const isFirst = !state.answer;
    change({ answer, took: performance.now() - began, status });
    if (isFirst && anew && isNarrow())
      byId("answer").scrollIntoView({ behavior: isStill() ? "auto" : "smooth" });
  };
  try {
    show("answered")(await answered(mine.signal, show("refining")));
  } catch (error) {
    if (error.name !== "AbortError") change({ problem: error, status: "failed" });
  }
}

/** Return the answer; `first` gets a fast one by words before, where no answer is on the screen.

    Where there is one, its cards go to their new places at once, not by way of others. */
function answered(signal, first) {
  const inTwo = !state.answer && state.settings.system !== BY_WORDS;
  return inTwo
    ? api.recommendInTwo(requestBody(), signal, first)
    : api.recommend(requestBody(), signal);
}

/** Change settings of the query, then ask again; cards move to their new places. */
export function adjust(settings) {
  const changed = { ...state.settings, ...settings };
  if (state.status === "empty") return change({ settings: changed });
  return ask({ settings: changed });
}

/** Recommend for a paper of the library as if it were a draft. */
export function moreLike(paper) {
  const like = { id: paper.id, title: paper.title, abstract: paper.abstract ?? "" };
  return ask({ anew: true, like, view: "list" });
}

export function backToDraft() {
  if (state.draft.title || state.draft.abstract) return ask({ anew: true, like: null });
  change({ like: null, answer: null, status: "empty" });
}

export function startAgain() {
  running?.abort();
  change({
    draft: emptyDraft(),
    read: null,
    like: null,
    answer: null,
    status: "empty",
    problem: null,
  });
  history.pushState(null, "", location.pathname);
}

async function remember(anew) {
  const fragment = await fragmentOf(state);
  if (fragment === location.hash) return;
  history[anew ? "pushState" : "replaceState"](null, "", fragment || location.pathname);
}

/** Ask the query of the address, where there is one; return whether there was. */
export async function restore() {
  const query = await queryOf(location.hash);
  if (!query) return false;
  await ask({ ...query, read: null, answer: null, rejected: new Set() });
  return true;
}
