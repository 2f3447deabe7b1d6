// Draws the map as SVG: where each paper, line, year and label stands, and which are dimmed.

import { svg } from "./dom.js";
import { placedLabels, spread } from "./labels.js";
import { family } from "./words.js";

const MARGIN = { left: 36, right: 76, top: 28, bottom: 40 };
const ROLES = ["basket", "recommended", "cited"];
const CLOSEST = 8; // times the whole map

/** The drawing of a map; `element` is its SVG. */
export class MapDrawing {
  /** `show` is called with the paper that is meant, null for none; `pinned` is an id. */
  constructor({ papers, edges, years }, width, show, pinned) {
    this.width = width;
    this.height = Math.round(Math.min(560, Math.max(380, width * 0.62)));
    this.view = { k: 1, x: 0, y: 0 };
    this.show = show;
    this.points = pointsOf(papers, this.width, this.height);
    this.byId = new Map(this.points.map((point) => [point.id, point]));
    this.you = { x: width - 30, y: (this.height - MARGIN.bottom) / 2, r: 7 };
    this.pinned = this.byId.has(pinned) ? pinned : null;
    this.makeLines(edges, years);
    this.element = this.makeElement();
    this.place();
    this.markPinned();
    if (this.pinned) this.mean(this.pinned);
  }

  makeLines(edges, years) {
    const isDrawn = ([from, to]) => this.byId.has(from) && this.byId.has(to);
    this.edges = edges.filter(isDrawn).map(([from, to]) => ({
      from: this.byId.get(from),
      to: this.byId.get(to),
      line: svg("path", { class: "edge" }),
    }));
    this.wishes = this.points
      .filter((point) => point.role !== "cited")
      .map((point) => ({ point, line: svg("path", { class: "wish" }) }));
    this.ticks = years.map(({ year, x }) => ({
      x: across(x, this.width),
      line: svg("line", { y1: MARGIN.top - 8, y2: this.height - MARGIN.bottom + 4 }),
      text: svg("text", { y: this.height - 14 }, year),
    }));
  }

  makeElement() {
    const dot = svg("circle", { class: "dot", r: this.you.r });
    const name = svg("text", { x: this.you.r, y: -this.you.r - 6 }, "your draft");
    this.draft = svg("g", { class: "you" }, dot, name);
    this.plot = svg(
      "g",
      {},
      this.ticks.map(({ line, text }) => svg("g", { class: "tick" }, line, text)),
      this.wishes.map(({ line }) => line),
      this.edges.map(({ line }) => line),
      this.points.map(({ node }) => node),
      this.draft,
    );
    const label = `Map of ${this.points.length} papers by year`;
    const viewBox = `0 0 ${this.width} ${this.height}`;
    return svg("svg", { viewBox, role: "group", "aria-label": label }, this.plot);
  }

  /** Put everything where the view has it now. */
  place() {
    const { k, x: left, y: top } = this.view;
    const at = ({ x, y }) => ({ x: x * k + left, y: y * k + top });
    const end = at(this.you);
    for (const point of this.points) point.at = at(point);
    for (const { from, to, line } of this.edges) line.setAttribute("d", curve(from.at, to.at));
    for (const { point, line } of this.wishes) line.setAttribute("d", curve(end, point.at));
    for (const point of this.points) moveTo(point.node, point.at);
    moveTo(this.draft, end);
    this.placeTicks();
    this.placeLabels(end);
  }

  placeTicks() {
    let free = -Infinity;
    for (const { x, line, text } of this.ticks) {
      const at = x * this.view.k + this.view.x;
      for (const name of ["x1", "x2"]) line.setAttribute(name, at);
      text.setAttribute("x", at);
      const hasRoom = at - 17 >= free && at > 16 && at < this.width - 16;
      text.setAttribute("visibility", hasRoom ? "visible" : "hidden");
      if (hasRoom) free = at + 21;
    }
  }

  placeLabels(end) {
    const isPinned = ({ id }) => id === this.pinned;
    const sorted = [...this.points].sort((a, b) => isPinned(b) - isPinned(a));
    const wanted = sorted.map(({ id, r, label, at }) => ({
      id,
      ...at,
      r,
      width: textWidth(label),
    }));
    const draft = { left: end.x - 64, right: end.x + 12, top: end.y - 28, bottom: end.y + 10 };
    const bottom = this.height - MARGIN.bottom + 10;
    const placed = placedLabels(wanted, { left: 4, right: this.width - 4, top: 4, bottom }, [
      draft,
    ]);

    for (const { id, node, at } of this.points) {
      const spot = placed.get(id);
      node.lastChild.setAttribute("visibility", spot ? "visible" : "hidden");
      if (!spot) continue;
      node.lastChild.setAttribute("x", spot.x - at.x);
      node.lastChild.setAttribute("y", spot.y - at.y);
    }
  }

  /** Show a paper and its neighbours, and dim the rest; null shows all. */
  mean(id) {
    const touching = this.edges.filter(({ from, to }) => from.id === id || to.id === id);
    const near = new Set([id, ...touching.flatMap(({ from, to }) => [from.id, to.id])]);
    const mark = (element, isNear) => element.classList.toggle("near", Boolean(id) && isNear);
    this.plot.classList.toggle("dim", Boolean(id));
    for (const { id: each, node } of this.points) mark(node, near.has(each));
    for (const edge of this.edges) mark(edge.line, touching.includes(edge));
    for (const { point, line } of this.wishes) mark(line, point.id === id);
    this.show(this.byId.get(id) ?? null);
  }

  /** Keep a paper shown, or let it go where it is kept already. */
  pin(id) {
    this.pinned = this.pinned === id ? null : id;
    this.markPinned();
    this.place();
    this.mean(this.pinned ?? id);
  }

  markPinned() {
    for (const { id, node } of this.points) {
      node.classList.toggle("pinned", id === this.pinned);
      node.setAttribute("aria-pressed", String(id === this.pinned));
    }
  }

  /** Zoom by a factor; the point at `centre` stays where it is. */
  zoom(factor, centre = { x: this.width / 2, y: this.height / 2 }) {
    const { view } = this;
    const k = Math.max(1, Math.min(CLOSEST, view.k * factor));
    const kept = (from, offset) => from - ((from - offset) * k) / view.k;
    this.move(kept(centre.x, view.x), kept(centre.y, view.y), k);
  }

  /** Move the view; no side of the map leaves the frame. */
  move(x, y, k = this.view.k) {
    const within = (value, size) => Math.min(0, Math.max(size * (1 - k), value));
    this.view = { k, x: within(x, this.width), y: within(y, this.height) };
    this.element.style.touchAction = k > 1 ? "none" : "pan-y";
    this.place();
  }
}

function across(x, width) {
  return MARGIN.left + x * (width - MARGIN.left - MARGIN.right);
}

/** Return the papers with their places, sizes and elements, the most important first. */
function pointsOf(papers, width, height) {
  const points = papers.map((paper) => ({
    ...paper,
    x: across(paper.x, width),
    y: MARGIN.top + paper.y * (height - MARGIN.top - MARGIN.bottom),
    r: Math.min(16, 4.5 + 1.5 * Math.sqrt(paper.citations ?? 0)),
    label:
      `${family(paper.authors?.[0] ?? "") || paper.title.split(" ")[0]} ${paper.year ?? ""}`.trim(),
  }));
  spread(points, MARGIN.top, height - MARGIN.bottom);
  for (const point of points) point.node = nodeOf(point);
  return points.sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
}

function nodeOf({ role, r, title, year, label, citations }) {
  const status = role === "cited" ? "cited already" : role;
  return svg(
    "g",
    {
      class: `paper ${role}`,
      role: "button",
      tabindex: "-1",
      "aria-label": `${title}, ${year}, ${status}, cited ${citations} times`,
    },
    svg("circle", { class: "dot", r }),
    svg("text", { "aria-hidden": "true" }, label),
  );
}

function moveTo(element, { x, y }) {
  element.setAttribute("transform", `translate(${x} ${y})`);
}

/** Return a line that leaves and arrives level; papers of one year are joined by a bow. */
function curve(a, b) {
  const isUpright = Math.abs(a.x - b.x) < 24;
  const bow = Math.max(a.x, b.x) + 12 + Math.abs(a.y - b.y) / 6;
  const middle = isUpright ? bow : (a.x + b.x) / 2;
  return `M${a.x},${a.y} C${middle},${a.y} ${middle},${b.y} ${b.x},${b.y}`;
}

let measure = null;

function textWidth(text) {
  measure ??= document.createElement("canvas").getContext("2d");
  measure.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return measure.measureText(text).width + 2;
}
