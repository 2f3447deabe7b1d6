// A card of the answer: what it is, why it is here, how sure that is; and what can be done with it.

import { api } from "./api.js";
import { moreLike } from "./asking.js";
import { isInBasket, toggleBasket } from "./basket.js";
import { button, h, replace } from "./dom.js";
import { copy } from "./notices.js";
import { quotes } from "./quotes.js";
import { reasonList } from "./reasons.js";
import { reject } from "./judging.js";
import { state } from "./state.js";
import { counted, cut, described, doiOf } from "./words.js";

const NAMED = 5; // papers of each relation that are listed

export function card(found) {
  const { paper, rank } = found;
  const more = h("div", { hidden: true });
  const body = h(
    "div",
    { class: "body" },
    head(found, more),
    more,
    reasonList(found),
    quotes(found.evidence),
    actions(found),
  );
  return h(
    "li",
    { class: "card", tabindex: "-1", "data-id": paper.id, "aria-label": `${rank}. ${paper.title}` },
    h("span", { class: "rank", "aria-hidden": "true" }, rank),
    body,
    chance(found.confidence),
  );
}

function head({ paper, signals }, more) {
  const title = button(paper.title || paper.id, () => unfold(paper, title, more), {
    "aria-expanded": "false",
  });
  const cited = signals?.citations;
  const facts = [...described(paper), cited ? `cited ${cited}× here` : ""].filter(Boolean);
  const tag = state.draft.cited.includes(paper.id)
    ? h("span", { class: "tag" }, "cited already")
    : null;
  return h(
    "header",
    {},
    h("h3", {}, title),
    h("p", { class: "meta" }, facts.join(" · "), tag && " ", tag),
  );
}

/** Show or hide the abstract and the papers beside this one. */
async function unfold(paper, title, more) {
  more.hidden = !more.hidden;
  title.setAttribute("aria-expanded", String(!more.hidden));
  if (more.hidden || more.firstChild) return;

  const relations = h("p", { class: "relations soft" }, "Looking up its neighbours …");
  replace(
    more,
    h("p", { class: "abstract" }, paper.abstract || "No abstract is known."),
    relations,
  );
  try {
    const [references, citers] = await Promise.all([
      api.references(paper.id, NAMED),
      api.citers(paper.id, NAMED),
    ]);
    replace(relations, relation("Cites", references), relation("Cited by", citers));
  } catch (error) {
    relations.textContent = error.message;
  }
}

function relation(verb, { papers, total = papers.length }) {
  if (!total) return null;
  const names = papers.map(
    (paper) => `“${cut(paper.title, 60)}”${paper.year ? ` (${paper.year})` : ""}`,
  );
  const others = total - papers.length;
  const rest = others > 0 ? ` and ${counted(others, "other")}` : "";
  return h("span", {}, h("b", {}, `${verb} ${total} here: `), `${names.join(", ")}${rest}. `);
}

/** Return the calibrated chance that drafts like this one cite the paper, as number and bar. */
export function chance(confidence) {
  if (confidence === null || confidence === undefined) return h("span", { class: "chance" });
  const percent = Math.round(100 * confidence);
  const said = `About ${percent} in 100 papers that fit a draft as well as this one are cited by it`;
  return h(
    "span",
    { class: "chance", title: said },
    h("b", {}, percent, h("small", {}, "%"), h("span", { class: "unseen" }, " likely to be cited")),
    h("span", { class: "gauge", "aria-hidden": "true", vars: { "--part": `${percent}%` } }),
  );
}

function actions(found) {
  const { paper } = found;
  const key = found.citation_key ?? paper.key ?? paper.id;
  const isIn = isInBasket(paper.id);
  const address = doiOf(paper);
  return h(
    "div",
    { class: "actions", role: "group", "aria-label": "Actions" },
    button(isIn ? "Remove from basket" : "Add to basket", () => toggleBasket(found), {
      class: "add",
      "data-action": "add",
      "aria-pressed": String(isIn),
    }),
    button("Copy key", () => copy(key, `Copied ${key}`), { "data-action": "copy", title: key }),
    button("More like this", () => moreLike(paper), { "data-action": "more" }),
    button("Not relevant", () => reject(found), { "data-action": "reject" }),
    address && h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, "Open DOI"),
  );
}
