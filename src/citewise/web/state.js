// What the page knows, and who wants to hear when it changes.

export const state = {
  library: null,
  systems: null,
  importing: false, // a first library is being made
  tab: "draft",
  view: "list",
  status: "empty", // empty, asking, refining (a first answer is shown), answered, failed
  problem: null,
  draft: emptyDraft(),
  read: null,
  like: null, // the paper of "more like this"
  settings: emptySettings(),
  k: 20,
  answer: null,
  took: 0,
  rejected: new Set(),
  basket: new Map(),
};

export function emptyDraft() {
  return { title: "", abstract: "", cited: [], hidden: [], authors: [], year: null };
}

export function emptySettings() {
  return { since: null, until: null, preferences: {}, system: "", withCited: false, venue: "" };
}

const listeners = new Map();

/** Call a function whenever one of these parts of the state changes. */
export function on(names, listener) {
  for (const name of names) {
    if (!listeners.has(name)) listeners.set(name, new Set());
    listeners.get(name).add(listener);
  }
}

/** Change parts of the state, then call each function that listens to one of them, once. */
export function change(values) {
  Object.assign(state, values);
  const called = new Set(Object.keys(values).flatMap((name) => [...(listeners.get(name) ?? [])]));
  for (const listener of called) listener(state);
}

/** Return the answer's papers that the filters leave, in their order. */
export function visible() {
  const { venue } = state.settings;
  return (state.answer?.recommendations ?? []).filter(
    ({ paper }) => !state.rejected.has(paper.id) && (!venue || paper.venue === venue),
  );
}

export function stored(name, fallback) {
  try {
    return JSON.parse(localStorage.getItem(`citewise:${name}`)) ?? fallback;
  } catch {
    return fallback;
  }
}

export function store(name, value) {
  try {
    localStorage.setItem(`citewise:${name}`, JSON.stringify(value));
  } catch {
    // storage is full or switched off: the page works, but forgets when it is closed
  }
}
