// The basket: papers to leave with, kept in this browser for each library, exported as a file.

import { api } from "./api.js";
import { button, byId, h, replace } from "./dom.js";
import { drawer } from "./dialogs.js";
import { judge } from "./judging.js";
import { copy, notice, save } from "./notices.js";
import { change, on, state, store, stored } from "./state.js";
import { counted, described } from "./words.js";

const FORMATS = {
  bibtex: ["BibTeX", "bib", "application/x-bibtex"],
  ris: ["RIS", "ris", "application/x-research-info-systems"],
  csl: ["CSL-JSON", "json", "application/vnd.citationstyles.csl+json"],
  list: ["List, APA", "txt", "text/plain"],
  ieee: ["List, IEEE", "txt", "text/plain"],
  vancouver: ["List, Vancouver", "txt", "text/plain"],
};

let chosen = "bibtex";

export function startBasket() {
  on(["library"], load);
  on(["basket"], showPill);
}

export function isInBasket(id) {
  return state.basket.has(id);
}

function load() {
  const papers = state.library?.open ? stored(name(), []) : [];
  change({ basket: new Map(papers.map((paper) => [paper.id, paper])) });
}

function name() {
  return `basket:${state.library.name}`;
}

function keep(basket) {
  change({ basket });
  store(name(), [...basket.values()]);
}

/** Put a recommended paper into the basket, or take it out. */
export function toggleBasket(found) {
  const { id, title, authors, year, venue } = found.paper;
  if (isInBasket(id)) return remove(id, found);

  const key = found.citation_key ?? found.paper.key ?? id;
  keep(new Map([...state.basket, [id, { id, title, authors, year, venue, key }]]));
  judge(found, "accepted");
  notice(`${counted(state.basket.size, "paper")} in your basket.`);
}

function remove(id, found = { paper: { id } }) {
  keep(new Map([...state.basket].filter(([each]) => each !== id)));
  judge(found, "cleared");
}

function showPill() {
  const { size } = state.basket;
  const pill = button(
    [h("b", {}, counted(size, "paper")), " in your basket · Export"],
    openBasket,
    { class: "basket-pill" },
  );
  replace(byId("basket"), size > 0 && pill);
}

function openBasket() {
  const content = h("div");
  const show = () =>
    replace(
      content,
      state.basket.size
        ? [list(show), exporter()]
        : h(
            "p",
            { class: "soft" },
            "Your basket is empty. Add papers with “Add to basket”, or the key a.",
          ),
    );
  show();
  drawer("Basket", content);
}

function list(show) {
  const line = (paper) =>
    h(
      "li",
      {},
      h("b", {}, paper.title),
      h("p", { class: "meta" }, described(paper).join(" · ")),
      h(
        "div",
        { class: "actions" },
        button("Copy key", () => copy(paper.key, `Copied ${paper.key}`), { title: paper.key }),
        button(
          "Remove",
          () => {
            remove(paper.id);
            show();
          },
          { "aria-label": `Remove ${paper.title}` },
        ),
      ),
    );
  return h("ul", { class: "basket-list" }, [...state.basket.values()].map(line));
}

function exporter() {
  const preview = h("pre", {
    class: "preview",
    tabindex: "0",
    "aria-label": "Preview of the file",
  });
  const choice = ([id, [label]]) =>
    h(
      "label",
      {},
      h("input", {
        type: "radio",
        name: "format",
        value: id,
        checked: id === chosen,
        onchange: () => {
          chosen = id;
          load();
        },
      }),
      label,
    );
  let text = "";

  async function load() {
    preview.textContent = "Writing …";
    try {
      text = await api.bibliography([...state.basket.keys()], chosen);
      preview.textContent = text;
    } catch (error) {
      preview.textContent = error.message;
    }
  }
  const saveIt = () => {
    const [, extension, type] = FORMATS[chosen];
    save(`citewise.${extension}`, text, type);
  };

  load();
  return h(
    "div",
    { class: "export" },
    h("fieldset", {}, h("legend", {}, "Export as"), Object.entries(FORMATS).map(choice)),
    preview,
    h(
      "div",
      { class: "row" },
      button("Save file", saveIt, { class: "primary" }),
      button("Copy", () => copy(text, "Copied"), { class: "button" }),
    ),
  );
}
