// Lets cards glide from their old places to their new ones, so that the eye can follow.

const GLIDE = { duration: 320, easing: "cubic-bezier(.2, .7, .2, 1)" };

export function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Return whether the answer stands below the draft, not beside it. */
export function isNarrow() {
  return matchMedia("(max-width: 820px)").matches;
}

/** Change the list by `update`; cards with the same `data-id` glide, new ones fade in. */
export function glide(list, update) {
  const before = places(list);
  const focused = focusIn(list);
  update();
  refocus(list, focused);
  if (isStill() || !before.size) return;

  for (const [id, [card, top]] of places(list)) {
    const old = before.get(id)?.[1];
    if (old === undefined) card.animate([{ opacity: 0 }, { opacity: 1 }], GLIDE);
    else if (old !== top)
      card.animate([{ transform: `translateY(${old - top}px)` }, { transform: "none" }], GLIDE);
  }
}

function places(list) {
  const cards = [...list.querySelectorAll("[data-id]")];
  return new Map(cards.map((card) => [card.dataset.id, [card, card.getBoundingClientRect().top]]));
}

/** Return the card and the action in it that have the focus. */
function focusIn(list) {
  const card = document.activeElement?.closest?.("[data-id]");
  if (!card || !list.contains(card)) return null;
  return { id: card.dataset.id, action: document.activeElement.dataset.action };
}

function refocus(list, focused) {
  if (!focused) return;
  const card = list.querySelector(`[data-id="${CSS.escape(focused.id)}"]`);
  const target =
    (focused.action && card?.querySelector(`[data-action="${focused.action}"]`)) || card;
  target?.focus({ preventScroll: true });
}
