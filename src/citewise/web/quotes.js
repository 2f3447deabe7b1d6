// Evidence: a sentence of the literature that cites a paper, with the query's words marked.

import { button, h, pieces } from "./dom.js";
import { cut } from "./words.js";

/** Return the first quotation, and a button for the others. */
export function quotes(evidence = []) {
  if (!evidence.length) return [];
  const others = evidence.slice(1).map(quote);
  if (!others.length) return [quote(evidence[0])];

  const more = button(
    others.length === 1 ? "One more sentence" : `${others.length} more sentences`,
    () => more.replaceWith(...others),
    { class: "link small soft" },
  );
  return [quote(evidence[0]), more];
}

export function quote(span) {
  const words = span.words.map(([start, end]) => ({
    start,
    end,
    wrap: (text) => h("mark", {}, text),
  }));
  const marks = span.marks.map(([start, end]) => ({
    start,
    end,
    wrap: () => h("span", { class: "ref", title: "here it is cited" }, "[·]"),
  }));
  return h(
    "blockquote",
    { class: "quote" },
    h("p", {}, "“", pieces(span.text, [...words, ...marks]), "”"),
    h("footer", {}, source(span)),
  );
}

function source({ citing, support, section }) {
  const [first] = citing;
  const name = first
    ? `“${cut(first.title, 70)}”${first.year ? ` (${first.year})` : ""}`
    : "a paper outside this library";
  const where = section ? `, ${section}` : "";
  return support > 1 ? `${name}${where}; cited ${support} times for this` : `${name}${where}`;
}
