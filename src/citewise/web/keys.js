// The keyboard: moving between cards and acting on them.

import { dialog } from "./dialogs.js";
import { byId, h } from "./dom.js";
import { state } from "./state.js";

const KEYS = [
  ["j", "next paper"],
  ["k", "previous paper"],
  ["a", "add to the basket, or take out"],
  ["x", "not relevant"],
  ["c", "copy the citation key"],
  ["/", "go to the draft"],
  ["Ctrl ↵", "recommend"],
  ["?", "these keys"],
];

const ACTIONS = { a: "add", x: "reject", c: "copy" };

export function startKeys() {
  document.addEventListener("keydown", pressed);
}

function pressed(event) {
  const { key } = event;
  if (key === "Enter" && (event.ctrlKey || event.metaKey)) return submit(event);
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    isTyping(event.target) ||
    document.querySelector("dialog[open]")
  )
    return;

  if (key === "j" || key === "k") move(event, key === "j" ? 1 : -1);
  else if (key in ACTIONS) act(event, ACTIONS[key]);
  else if (key === "/") focusDraft(event);
  else if (key === "?") showKeys();
}

function isTyping(target) {
  return (
    target.closest(
      "textarea, select, [contenteditable], input:not([type=range]):not([type=radio])",
    ) !== null
  );
}

function submit(event) {
  event.preventDefault();
  const form = byId(state.tab === "draft" ? "draft" : "passage-form");
  form?.requestSubmit();
}

function cards() {
  return [...document.querySelectorAll(".cards > .card[data-id]")];
}

function current() {
  return document.activeElement?.closest(".card[data-id]");
}

function move(event, step) {
  const all = cards();
  if (!all.length) return;
  event.preventDefault();
  const at = all.indexOf(current());
  const next = all[Math.max(0, Math.min(all.length - 1, at + step))];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

/** Press the card's own button, so that keys and clicks do the same. */
function act(event, action) {
  const card = current();
  if (!card) return;
  event.preventDefault();
  const next =
    action === "reject" ? (card.nextElementSibling ?? card.previousElementSibling) : null;
  const id = next?.dataset.id;
  card.querySelector(`[data-action="${action}"]`).click();
  if (id) document.querySelector(`.card[data-id="${CSS.escape(id)}"]`)?.focus();
}

function focusDraft(event) {
  event.preventDefault();
  byId(state.tab === "draft" ? "abstract" : "passage")?.focus();
}

function showKeys() {
  const line = ([key, what]) => [h("dt", {}, h("kbd", { class: "key" }, key)), h("dd", {}, what)];
  dialog("Keys", h("dl", { class: "keys" }, KEYS.flatMap(line)));
}
