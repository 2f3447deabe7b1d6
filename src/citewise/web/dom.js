// Builds elements. Data only ever becomes text or attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** Return a new element with properties and children; null and false children are left out. */
export function h(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/** Return a new SVG element. */
export function svg(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

/** Put children in the place of what an element has now. */
export function replace(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(shown));
  return element;
}

export function byId(id) {
  return document.getElementById(id);
}

/** Return a button; `properties` may hold anything that `h` takes. */
export function button(text, onclick, properties = {}) {
  return h("button", { type: "button", onclick, ...properties }, text);
}

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) set(element, name, value);
  element.append(...children.flat(Infinity).filter(shown));
  return element;
}

function shown(child) {
  return child !== null && child !== undefined && child !== false && child !== "";
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "vars")
    for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
  else if (name === "value" || name === "checked") element[name] = value;
  else element.setAttribute(name, value === true ? "" : value);
}

/** Return a text with a part in the middle of a list of pieces marked by `wrap`.

    Offsets count code points, as the server does; JavaScript's strings count UTF-16 units. */
export function pieces(text, ranges) {
  const points = Array.from(text);
  const found = [];
  let position = 0;
  for (const { start, end, wrap } of [...ranges].sort((a, b) => a.start - b.start)) {
    if (start < position) continue;
    found.push(points.slice(position, start).join(""), wrap(points.slice(start, end).join("")));
    position = end;
  }
  return [...found, points.slice(position).join("")];
}
