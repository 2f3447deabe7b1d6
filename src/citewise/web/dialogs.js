// Dialogs: the browser's own element keeps the focus inside and gives it back.

import { button, h } from "./dom.js";

/** Open a dialog over the page; it closes by its button, Escape or a click beside it. */
export function dialog(title, content, className = "") {
  const close = () => element.close();
  const head = h(
    "div",
    { class: "dialog-head" },
    h("h2", { id: "dialog-title" }, title),
    button("Close", close, { class: "button" }),
  );
  const notices = h("div", { class: "notices", role: "status" });
  const body = h("div", { class: "dialog-body" }, head, content, notices);
  const element = h("dialog", { class: className, "aria-labelledby": "dialog-title" }, body);
  element.addEventListener("close", () => element.remove());
  element.addEventListener("click", (event) => event.target === element && close());
  document.body.append(element);
  element.showModal();
  return element;
}

export function drawer(title, content) {
  return dialog(title, content, "drawer");
}
