// Drawings in SVG. Each has its values as text too.

import { s } from "./dom.js";
import { score } from "./format.js";

const SHAPES = [
  (x, y) => s("circle", { cx: x, cy: y, r: 5 }),
  (x, y) => s("rect", { x: x - 4.5, y: y - 4.5, width: 9, height: 9 }),
  (x, y) => s("path", { d: `M${x} ${y - 6}l5.5 10h-11z` }),
  (x, y) => s("path", { d: `M${x} ${y - 6.5}l6.5 6.5-6.5 6.5-6.5-6.5z` }),
];

function shape(look, x, y) {
  const made = SHAPES[look % SHAPES.length](x, y);
  made.setAttribute("class", `series s${look % 8}`);
  return made;
}

export function mark(look) {
  return s("svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" }, shape(look, 7, 7));
}

export function intervalBar(row) {
  const at = (value) => 6 + 108 * value;
  const parts = [s("line", { class: "track", x1: 6, x2: 114, y1: 8, y2: 8 })];
  let text = "no interval";
  if (row.interval) {
    parts.push(s("line", { class: "reach", x1: at(row.interval[0]), x2: Math.max(at(row.interval[1]), at(row.interval[0]) + 0.5), y1: 8, y2: 8 }));
    text = `95 % interval ${score(row.interval[0])} to ${score(row.interval[1])}`;
  }
  if (row.mean !== null) parts.push(s("circle", { class: "dot", cx: at(row.mean), cy: 8, r: 4 }));
  return s("svg", { class: "interval", width: 120, height: 16, viewBox: "0 0 120 16", role: "img", "aria-label": text }, s("title", null, text), parts);
}

function ticks(high) {
  if (!(high > 0)) return [0, 1];
  const step = [1, 2, 2.5, 5, 10].map((m) => m * 10 ** Math.floor(Math.log10(high / 4))).find((candidate) => high / candidate <= 5);
  const made = [];
  for (let n = 0; n * step < high * 1.0001 + step; n += 1) made.push(n * step);
  return made;
}

// Points of {x, y, interval, name, look}; y from 0 to 1.
export function scatter(points, { x, y, format, label }) {
  const box = { left: 52, right: 24, top: 16, bottom: 44, width: 620, height: 300 };
  const marks = ticks(Math.max(0, ...points.map((p) => p.x)));
  const high = marks[marks.length - 1];
  const atX = (value) => box.left + (value / high) * (box.width - box.left - box.right);
  const atY = (value) => box.height - box.bottom - value * (box.height - box.top - box.bottom);
  const lines = [0, 0.25, 0.5, 0.75, 1].map((value) => [
    s("line", { class: "grid", x1: box.left, x2: box.width - box.right, y1: atY(value), y2: atY(value) }),
    s("text", { class: "tick", x: box.left - 8, y: atY(value) + 4, "text-anchor": "end" }, String(100 * value)),
  ]);
  const steps = marks.map((value) => [
    s("line", { class: "grid", x1: atX(value), x2: atX(value), y1: atY(0), y2: atY(0) + 5 }),
    s("text", { class: "tick", x: atX(value), y: atY(0) + 19, "text-anchor": "middle" }, format(value)),
  ]);
  const drawn = points.map((p) => [
    p.interval ? s("line", { class: `whisker s${p.look % 8}`, x1: atX(p.x), x2: atX(p.x), y1: atY(p.interval[0]), y2: atY(p.interval[1]) }) : null,
    s("g", null, s("title", null, `${p.name}: ${score(p.y)} at ${format(p.x)}`), shape(p.look, atX(p.x), atY(p.y))),
  ]);
  return s(
    "svg",
    { class: "scatter", viewBox: `0 0 ${box.width} ${box.height}`, role: "img", "aria-label": label },
    lines, steps, drawn, points.length <= 8 ? labels(points, atX, atY, box) : null,
    s("text", { class: "axis", x: (box.left + box.width - box.right) / 2, y: box.height - 6, "text-anchor": "middle" }, x),
    s("text", { class: "axis", x: 14, y: (box.top + box.height - box.bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(box.top + box.height - box.bottom) / 2})` }, y),
  );
}

// Names beside points, moved down where they would cover each other.
function labels(points, atX, atY, box) {
  const placed = [];
  return [...points]
    .sort((a, b) => b.y - a.y || a.x - b.x)
    .map((p) => {
      const left = atX(p.x) > box.width * 0.7;
      const [from, to] = left ? [atX(p.x) - 10 - 7 * p.name.length, atX(p.x)] : [atX(p.x), atX(p.x) + 10 + 7 * p.name.length];
      let y = atY(p.y) + 4;
      while (placed.some((other) => Math.abs(other.y - y) < 13 && from < other.to && to > other.from)) y += 13;
      placed.push({ y, from, to });
      return s("text", { class: "name", x: atX(p.x) + (left ? -10 : 10), y, "text-anchor": left ? "end" : "start" }, p.name);
    });
}
