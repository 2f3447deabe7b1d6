// The top line: which library is open, what it has, and the dialog that tells more about it.

import { api } from "./api.js";
import { dialog } from "./dialogs.js";
import { button, byId, h, replace } from "./dom.js";
import { importContent } from "./imports.js";
import { notice } from "./notices.js";
import { on, state } from "./state.js";
import { counted, listed, number } from "./words.js";

export function startTop() {
  on(["library"], showLine);
  const theme = button("", () => switchTheme(theme), { class: "button" });
  nameTheme(theme);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => nameTheme(theme));
  replace(byId("top-buttons"), button("Library", openLibrary, { class: "button" }), theme);
}

function showLine() {
  const { library } = state;
  if (!library?.open) return replace(byId("library-line"), "No library yet");
  const facts = [
    counted(library.papers, "paper"),
    counted(library.citations, "citation"),
    library.sentences > 0 ? counted(library.sentences, "citing sentence") : "no citing sentences",
  ];
  document.title = `${library.name} · citewise`;
  replace(byId("library-line"), h("b", {}, library.name), ` · ${facts.join(" · ")}`);
}

function openLibrary() {
  const { library } = state;
  if (!library?.open)
    return dialog(
      "Library",
      h("p", {}, "There is no library yet. Drop a bibliography anywhere on the page."),
    );
  dialog(
    library.name,
    h(
      "div",
      {},
      figures(library),
      facts(library),
      h("h3", { class: "part" }, "Add papers"),
      importContent(),
      feedback(),
    ),
  );
}

function figures(library) {
  const figure = (value, label) =>
    h("div", {}, h("dt", {}, label), h("dd", {}, number(value ?? 0)));
  return h(
    "dl",
    { class: "counts" },
    figure(library.papers, "papers"),
    figure(library.citations, "citations"),
    figure(library.sentences, "citing sentences"),
  );
}

function facts({ years, topics = [], path, generation }) {
  const lines = [
    years?.length && `Papers of ${years[0]} to ${years[1]}.`,
    topics.length && `Most about ${listed(topics.slice(0, 6))}.`,
    path && `In ${path}${generation ? `, generation ${generation}` : ""}.`,
  ].filter(Boolean);
  return h("p", { class: "soft small" }, lines.join(" "));
}

/** Return what is kept of the user's verdicts, with a button that deletes it. */
function feedback() {
  const place = h("p", { class: "soft small row" });
  const forget = async () => {
    await api.forgetFeedback();
    notice("Your verdicts are deleted.");
    place.remove();
  };
  api
    .feedback()
    .then(({ entries, file }) => {
      if (entries.length)
        replace(
          place,
          h("span", {}, `${counted(entries.length, "verdict")} of yours in ${file}`),
          button("Delete", forget, { class: "link" }),
        );
    })
    .catch(() => {});
  return place;
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function nameTheme(control) {
  control.textContent = isDark() ? "Light" : "Dark";
  control.setAttribute("aria-label", `${control.textContent} theme`);
}

function switchTheme(control) {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("citewise:theme", theme);
  } catch {
    // storage is switched off: the choice lasts until the page is closed
  }
  nameTheme(control);
}
