// Sliders for years and preferences: each change ranks again at once.

import { adjust } from "./asking.js";
import { button, byId, h, replace } from "./dom.js";
import { isNarrow } from "./moving.js";
import { emptySettings, on, state } from "./state.js";

const WAIT = 90; // ms that a moving slider must rest

const NAMES = {
  prefer_recent: ["Recent papers", "older first", "younger first"],
  prefer_cited: ["Much cited", "little cited first", "much cited first"],
  diversify: ["Variety", "", "varied"],
};

export function startPreferences() {
  on(["library", "systems"], draw);
  on(["settings"], show);
  draw();
}

let controls = [];
let timer = 0;

function soon(settings) {
  clearTimeout(timer);
  timer = setTimeout(() => adjust(settings()), WAIT);
}

function draw() {
  const knobs = (state.systems?.preferences ?? []).filter((knob) => knob.range);
  const years = state.library?.years;
  controls = [years?.length && yearsKnob(years), ...knobs.map(weightKnob), systemKnob()].filter(
    Boolean,
  );
  if (!state.library?.open) return replace(byId("preferences"));

  const reset = button("Reset", () => adjust({ ...emptySettings(), venue: state.settings.venue }), {
    class: "link reset",
  });
  replace(
    byId("preferences"),
    h(
      "details",
      { class: "group", open: !isNarrow() },
      h("summary", {}, "Preferences"),
      controls.map((each) => each.element),
      reset,
    ),
  );
  show();
}

function show() {
  for (const control of controls) control.show();
}

/** Two thumbs on one line: the first and the last year. */
function yearsKnob([first, last]) {
  const thumb = (label) =>
    h("input", {
      type: "range",
      min: first,
      max: last,
      step: 1,
      "aria-label": label,
      oninput: moved,
    });
  const from = thumb("From year");
  const to = thumb("To year");
  const range = h("div", { class: "range two" }, from, to);
  const output = h("output", {});

  function moved(event) {
    if (+from.value > +to.value) event.target.value = event.target === from ? to.value : from.value;
    paint();
    soon(() => ({
      since: +from.value > first ? +from.value : null,
      until: +to.value < last ? +to.value : null,
    }));
  }
  function paint() {
    const part = (value) => (value - first) / Math.max(1, last - first);
    fillTrack(range, part(from.value), part(to.value));
    const isAny = +from.value === first && +to.value === last;
    output.textContent = isAny ? "any" : `${from.value}–${to.value}`;
  }
  function showIt() {
    from.value = state.settings.since ?? first;
    to.value = state.settings.until ?? last;
    paint();
  }
  return {
    element: h("div", { class: "knob" }, h("span", {}, "Years"), range, output),
    show: showIt,
  };
}

/** Colour a slider's track between two parts of its length. */
function fillTrack(range, from, to) {
  range.style.setProperty("--from", Math.min(from, to));
  range.style.setProperty("--to", Math.max(from, to));
}

function weightKnob(knob) {
  const [label, less, more] = NAMES[knob.name] ?? [knob.label ?? knob.name, "less", "more"];
  const [low, high] = knob.range;
  const id = `knob-${knob.name}`;
  const output = h("output", { for: id });
  const input = h("input", {
    id,
    type: "range",
    min: low,
    max: high,
    step: 0.1,
    title: knob.help,
    oninput: moved,
  });
  const range = h("div", { class: "range" }, input);
  const part = (value) => (value - low) / (high - low);

  function moved() {
    paint();
    soon(() => ({ preferences: withKnob(knob.name, +input.value) }));
  }
  function paint() {
    const value = +input.value;
    fillTrack(range, part(0), part(value));
    output.textContent = value === 0 ? "as ranked" : strength(value, less, more);
    input.setAttribute("aria-valuetext", output.textContent);
  }
  function showIt() {
    input.value = state.settings.preferences[knob.name] ?? knob.default ?? 0;
    paint();
  }
  return {
    element: h("div", { class: "knob" }, h("label", { for: id }, label), range, output),
    show: showIt,
  };
}

function strength(value, less, more) {
  const size = Math.abs(value);
  const words = size < 0.35 ? "a little" : size < 0.75 ? "more" : "most";
  return value < 0 ? less : words === "most" ? more : words;
}

/** Return the preferences with one of them changed; one that is 0 or false is left out. */
export function withKnob(name, value) {
  const preferences = { ...state.settings.preferences, [name]: value };
  if (!value) delete preferences[name];
  return preferences;
}

function systemKnob() {
  const { systems = [], default: usual } = state.systems ?? {};
  const needsSettings = ["compose"];
  const others = systems.filter((name) => name !== usual.drafts && !needsSettings.includes(name));
  if (!others.length) return null;

  const select = h(
    "select",
    { id: "system", onchange: () => adjust({ system: select.value }) },
    h("option", { value: "" }, `${usual.drafts} (usual)`),
    others.map((name) => h("option", { value: name }, name)),
  );
  const showIt = () => (select.value = state.settings.system);
  return {
    element: h("div", { class: "knob" }, h("label", { for: "system" }, "Ranked by"), select),
    show: showIt,
  };
}
