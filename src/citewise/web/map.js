// The map: papers in time, related ones near each other, the draft at the right.

import { api } from "./api.js";
import { moreLike } from "./asking.js";
import { isInBasket, toggleBasket } from "./basket.js";
import { button, h, replace, svg } from "./dom.js";
import { MapDrawing } from "./map_drawing.js";
import { handle } from "./map_handling.js";
import { copy, save } from "./notices.js";
import { state } from "./state.js";
import { counted, described, doiOf } from "./words.js";

let last = null; // the map before: what was kept there is kept in the next

/** Fetch the map of these recommendations and draw it into a place. */
export async function showMap(place, found) {
  replace(place, h("p", { class: "soft", role: "status" }, "Drawing the map …"));
  try {
    const ids = found.map(({ paper }) => paper.id);
    const data = await api.map({
      recommended: ids,
      basket: [...state.basket.keys()],
      cited: state.draft.cited,
    });
    draw(place, data, new Map(found.map((each) => [each.paper.id, each])));
  } catch (error) {
    replace(
      place,
      h(
        "p",
        { class: "state wrong", role: "alert" },
        `The map could not be drawn. ${error.message}`,
      ),
    );
  }
}

function draw(place, data, found) {
  if (!data.papers.length)
    return replace(
      place,
      h("p", { class: "state" }, "No paper of this answer has a year, so there is no map."),
    );
  const info = h("div", { class: "map-card", role: "status" });
  const frame = h("div", { class: "map" });
  const show = (paper) => replace(info, paper ? details(paper, found.get(paper.id)) : hint());
  replace(place, frame);
  const drawing = new MapDrawing(data, Math.max(320, frame.clientWidth), show, last?.pinned);
  last = drawing;
  handle(drawing);
  replace(frame, drawing.element, info);
  if (!drawing.pinned) show(null);
  place.prepend(tools(drawing));
}

function tools(drawing) {
  const key = (kind, label) => h("span", {}, h("i", { class: kind }), label);
  return h(
    "div",
    { class: "map-tools" },
    h(
      "div",
      { class: "map-legend" },
      key("recommended", "recommended"),
      key("basket", "in your basket"),
      key("cited", "cited already"),
      key("you", "your draft"),
    ),
    h(
      "div",
      { class: "segments", role: "group", "aria-label": "Map" },
      button("Zoom in", () => drawing.zoom(1.5)),
      button("Zoom out", () => drawing.zoom(1 / 1.5)),
      button("Whole", () => drawing.move(0, 0, 1)),
      button("Save as SVG", () =>
        save("citewise-map.svg", standalone(drawing.element), "image/svg+xml"),
      ),
    ),
  );
}

function hint() {
  return h(
    "p",
    { class: "soft" },
    "From left to right: time; crowded years have more room. Papers that are cited together stand near each other, and larger ones are cited more. Point at a paper to see it, click to keep it.",
  );
}

function details(paper, found) {
  const known = found ?? { paper, citation_key: paper.key };
  const toggle = button(
    isInBasket(paper.id) ? "Remove from basket" : "Add to basket",
    () => toggleBasket(known),
    { class: "add" },
  );
  const address = doiOf(known.paper);
  return [
    h("h3", {}, paper.title),
    h(
      "p",
      { class: "meta" },
      [...described(paper), `cited ${counted(paper.citations, "time")} here`].join(" · "),
    ),
    h(
      "div",
      { class: "actions" },
      toggle,
      button("Copy key", () => copy(paper.key, `Copied ${paper.key}`)),
      found && button("More like this", () => moreLike(found.paper)),
      address &&
        h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, "Open DOI"),
    ),
  ];
}

const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "paint-order",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
];

/** Return the drawing as a file of its own, with its colours written into it. */
function standalone(element) {
  const copied = element.cloneNode(true);
  const originals = [element, ...element.querySelectorAll("*")];
  [copied, ...copied.querySelectorAll("*")].forEach((each, at) => {
    const style = getComputedStyle(originals[at]);
    for (const name of STYLES) each.setAttribute(name, style.getPropertyValue(name));
    for (const name of ["tabindex", "role", "class", "style"]) each.removeAttribute(name);
  });
  const ground = getComputedStyle(element.closest(".map")).backgroundColor;
  copied.prepend(svg("rect", { width: "100%", height: "100%", fill: ground }));
  copied.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copied);
}
