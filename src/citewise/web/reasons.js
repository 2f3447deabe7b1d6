// The reasons of a card: one line each, a bar for its weight, and the papers that it names.

import { button, h } from "./dom.js";
import { counted, cut } from "./words.js";

const TITLE = 64;

/** Return the list of a recommendation's reasons. */
export function reasonList({ reasons = [], score }) {
  if (!reasons.length) return null;
  const whole = Math.max(score, ...reasons.map((reason) => reason.share), 0) || 1;
  return h(
    "ul",
    { class: "why", "aria-label": "Why" },
    reasons.slice(0, 3).map((reason) => item(reason, whole)),
  );
}

function item(reason, whole) {
  const part = Math.round((100 * Math.max(0, reason.share)) / whole);
  const bar = h("span", {
    class: "bar",
    "aria-hidden": "true",
    title: `${part}% of its score`,
    vars: { "--part": `${part}%` },
  });
  const text = h(
    "div",
    {},
    brief(reason),
    h("span", { class: "unseen" }, ` (${part}% of its score)`),
  );
  if (reason.papers.length) text.append(" ", ...which(reason));
  return h("li", {}, bar, text);
}

/** Return a button "which?" and the list that it opens. */
function which(reason) {
  const items = reason.papers.map((paper) =>
    h("li", {}, `“${paper.title}”${paper.year ? ` (${paper.year})` : ""}`),
  );
  const others = (reason.numbers?.citers ?? reason.numbers?.papers ?? 0) - items.length;
  const list = h(
    "ul",
    { class: "which", hidden: true },
    items,
    others > 0 && h("li", {}, `and ${counted(others, "other")}`),
  );
  const toggle = button(
    "which?",
    () => {
      list.hidden = !list.hidden;
      toggle.setAttribute("aria-expanded", String(!list.hidden));
    },
    { class: "link", "aria-expanded": "false" },
  );
  return [toggle, list];
}

/** Return a reason in one line: its sentence without the papers, which "which?" shows. */
function brief(reason) {
  const words = BRIEF[reason.kind]?.(reason);
  if (words) return words;

  const [head, ...rest] = reason.sentence.replace(/\.$/, "").split(": ");
  if (!rest.length || !reason.papers.length) return reason.sentence.replace(/\.$/, "");
  return head.replace(" whose references are known", "");
}

const BRIEF = {
  shared_words: ({ sentence, words }) => [`${sentence.split(": ")[0]}: `, ...bold(words)],
  cited_with_cited: (reason) => together(reason, "which you cite"),
  cited_with_answers: (reason) => together(reason, "recommended here too"),
  linked_to_cited: (reason) => linked(reason, "that you cite", "which you cite"),
  linked_to_answers: (reason) => linked(reason, "recommended here too", "recommended here too"),
};

function bold(words) {
  return words.flatMap((word, at) => [at ? ", " : "", h("b", {}, word)]);
}

function together({ papers }, what) {
  return papers.length ? `Cited together with “${cut(papers[0].title, TITLE)}”, ${what}` : null;
}

function linked({ papers, sentence, numbers }, those, one) {
  const verb = sentence.startsWith("Cites") ? "Cites" : "Cited by";
  const count = numbers.papers ?? papers.length;
  return count === 1
    ? `${verb} “${cut(papers[0].title, TITLE)}”, ${one}`
    : `${verb} ${counted(count, "paper")} ${those}`;
}
