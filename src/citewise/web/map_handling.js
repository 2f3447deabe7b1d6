// Lets a map answer to pointer, wheel, fingers and keyboard.

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** Let papers be pointed at, kept and walked over, and the map be zoomed and moved. */
export function handle(drawing) {
  const ordered = [...drawing.points].sort((a, b) => a.x - b.x || a.y - b.y);
  ordered.forEach(({ id, node }, index) => {
    node.addEventListener("pointerenter", () => drawing.mean(id));
    node.addEventListener("pointerleave", () => drawing.mean(drawing.pinned));
    node.addEventListener("focus", () => drawing.mean(id));
    node.addEventListener("click", () => drawing.pin(id));
    node.addEventListener("keydown", (event) =>
      keyed(event, ordered, index, () => drawing.pin(id)),
    );
  });
  ordered[0]?.node.setAttribute("tabindex", "0");
  zoomByWheel(drawing);
  moveByPointers(drawing);
}

function keyed(event, ordered, index, pin) {
  const step = STEPS[event.key];
  if (!step && event.key !== "Enter" && event.key !== " ") return;

  event.preventDefault();
  if (!step) return pin();
  const next = ordered[Math.max(0, Math.min(ordered.length - 1, index + step))].node;
  ordered[index].node.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
}

/** Return where in the drawing an event happened. */
function placeOf(event, { element, width }) {
  const box = element.getBoundingClientRect();
  const scale = width / box.width;
  return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
}

/** Zoom by the wheel with Ctrl, so that the page still scrolls, and by a double click. */
function zoomByWheel(drawing) {
  const { element } = drawing;
  const turned = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    drawing.zoom(Math.exp(-event.deltaY / 300), placeOf(event, drawing));
  };
  element.addEventListener("wheel", turned, { passive: false });
  element.addEventListener("dblclick", (event) => drawing.zoom(1.5, placeOf(event, drawing)));
}

/** Move by dragging, zoom by two fingers. */
function moveByPointers(drawing) {
  const { element } = drawing;
  const pointers = new Map();
  const span = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };

  element.addEventListener("pointerdown", (event) =>
    pointers.set(event.pointerId, placeOf(event, drawing)),
  );
  element.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = placeOf(event, drawing);
    const wide = pointers.size === 2 ? span() : 0;
    pointers.set(event.pointerId, now);
    if (wide) return drawing.zoom(span() / wide, now);
    element.classList.add("moving");
    drawing.move(drawing.view.x + now.x - before.x, drawing.view.y + now.y - before.y);
  });
  for (const kind of ["pointerup", "pointercancel", "pointerleave"]) {
    element.addEventListener(kind, (event) => {
      pointers.delete(event.pointerId);
      element.classList.remove("moving");
    });
  }
}
