// Short messages at the bottom of the page, read aloud by screen readers.

import { button, byId, h } from "./dom.js";

const SECONDS = 6;

/** Show a message for some seconds; `undo` adds a button that calls it. */
export function notice(text, undo = null, label = "Undo") {
  const close = () => element.remove();
  const act = () => {
    close();
    undo();
  };
  const element = h("div", { class: "notice" }, h("span", {}, text), undo && button(label, act));
  const host = document.querySelector("dialog[open] .notices") ?? byId("notices");
  host.replaceChildren(element);
  setTimeout(close, (undo ? 2 : 1) * SECONDS * 1000);
}

/** Put a text into the clipboard, and say so. */
export async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyBySelection(text); // without https only the old way is open
  }
  notice(said);
}

function copyBySelection(text) {
  const field = h("textarea", { class: "unseen", value: text, "aria-hidden": "true" });
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

/** Let the browser save a text as a file. */
export function save(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
