// Places labels on a map: each stands beside its paper, or is left out rather than collide.

const GAP = 4;
const HEIGHT = 14;

/** Return {x, y} of each label that has room, by id.

    `points` ({id, x, y, r, width}) come by importance: the first ones get a place first. */
export function placedLabels(points, bounds, taken = []) {
  const boxes = [...taken, ...points.map(circleBox)];
  const placed = new Map();
  for (const point of points) {
    const box = places(point).find(
      (each) =>
        isInside(each, bounds) &&
        !boxes.some((other) => other.id !== point.id && overlap(each, other)),
    );
    if (!box) continue;
    boxes.push({ ...box, id: `${point.id} label` });
    placed.set(point.id, { x: box.left, y: box.top + HEIGHT - 3 });
  }
  return placed;
}

function circleBox({ id, x, y, r }) {
  return { id, left: x - r, right: x + r, top: y - r, bottom: y + r };
}

/** Return the boxes in which a label could stand, the best first: above, below, right, left. */
function places({ x, y, r, width }) {
  const box = (left, top) => ({ left, top, right: left + width, bottom: top + HEIGHT });
  return [
    box(x - width / 2, y - r - GAP - HEIGHT),
    box(x - width / 2, y + r + GAP),
    box(x + r + GAP, y - HEIGHT / 2),
    box(x - r - GAP - width, y - HEIGHT / 2),
  ];
}

function isInside(box, bounds) {
  return (
    box.left >= bounds.left &&
    box.right <= bounds.right &&
    box.top >= bounds.top &&
    box.bottom <= bounds.bottom
  );
}

function overlap(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** Move points up or down until circles of neighbours no longer cover each other. */
export function spread(points, top, bottom) {
  for (let round = 0; round < 80; round++) {
    for (const a of points) for (const b of points) push(a, b);
    for (const point of points)
      point.y = Math.max(top + point.r, Math.min(bottom - point.r, point.y));
  }
  return points;
}

function push(a, b) {
  if (a === b || a.id > b.id) return;
  const distance = a.r + b.r + GAP;
  const across = Math.abs(a.x - b.x);
  if (across >= distance) return;
  const needed = Math.sqrt(distance ** 2 - across ** 2);
  const lacking = needed - Math.abs(a.y - b.y);
  if (lacking <= 0) return;
  const way = a.y < b.y || (a.y === b.y && a.id < b.id) ? -1 : 1;
  a.y += (way * lacking) / 2;
  b.y -= (way * lacking) / 2;
}
