// Any JSON value as something to read: lists of like records as tables, references to datasets as links.

import { h, table } from "./dom.js";
import { cut, plural } from "./format.js";

const LONG = 1200;
const ROWS = 12;
const REFERENCE = /ds:\/\/[a-z0-9][a-z0-9_-]{0,79}/g;

export function datasetId(ref) {
  return `dataset-${ref.replace("ds://", "")}`;
}

// Text with its references to datasets as buttons that lead to them.
export function withReferences(text) {
  const parts = [];
  let last = 0;
  for (const match of text.matchAll(REFERENCE)) {
    parts.push(text.slice(last, match.index), reference(match[0]));
    last = match.index + match[0].length;
  }
  return [...parts, text.slice(last)];
}

export function reference(ref) {
  return h("button", { type: "button", class: "link mono", onclick: () => goTo(datasetId(ref)) }, ref);
}

export function goTo(id) {
  const element = document.getElementById(id);
  if (!element) return;
  for (let up = element; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
  element.setAttribute("tabindex", "-1");
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "start" });
}

export function longText(text) {
  if (text.length <= LONG) return h("pre", { class: "text" }, withReferences(text));
  const box = h("pre", { class: "text" }, withReferences(cut(text, LONG)));
  const button = h("button", { type: "button", class: "more" }, `Show all ${text.length.toLocaleString("en")} characters`);
  button.addEventListener("click", () => {
    box.replaceChildren(...withReferences(text));
    button.remove();
  });
  return h("div", null, box, button);
}

export function scalar(value) {
  if (value === null || value === undefined) return h("span", { class: "quiet" }, "none");
  if (typeof value === "number") return h("span", { class: "figure" }, String(value));
  return h("span", { class: "string" }, withReferences(String(value)));
}

function simple(value) {
  return value === null || typeof value !== "object";
}

function flat(value) {
  return simple(value) || (Array.isArray(value) && value.length <= 12 && value.every(simple) && JSON.stringify(value).length < 120);
}

function inline(value) {
  return Array.isArray(value) ? h("span", null, value.map((v, n) => [n ? ", " : null, scalar(v)])) : scalar(value);
}

export function show(value, name = "value", depth = 0) {
  if (typeof value === "string" && (value.length > 200 || value.includes("\n"))) return longText(value);
  if (flat(value)) return inline(value);
  if (depth > 5) return longText(JSON.stringify(value, null, 1));
  if (Array.isArray(value)) return list(value, name, depth);
  const keys = Object.keys(value);
  if (!keys.length) return h("span", { class: "quiet" }, "nothing");
  return h("dl", { class: "pairs" }, keys.map((key) => h("div", { class: flat(value[key]) ? "pair" : "pair deep" }, h("dt", null, key), h("dd", null, show(value[key], key, depth + 1)))));
}

function list(value, name, depth) {
  const records = value.length > 0 && value.every((v) => v && typeof v === "object" && !Array.isArray(v) && Object.values(v).every(flat));
  const columns = records ? [...new Set(value.flatMap(Object.keys))] : [];
  const make = (items) =>
    records && columns.length <= 14
      ? table(name, columns.map((c) => h("th", { scope: "col", class: items.every((item) => simple(item[c] ?? null) && typeof (item[c] ?? 0) === "number") ? "num" : null }, c)), items.map((item) => columns.map((c) => cell(item[c]))), { class: "small" })
      : h("ol", { class: "items" }, items.map((item) => h("li", null, show(item, name, depth + 1))));
  if (value.length <= ROWS) return make(value);
  const box = h("div", null, make(value.slice(0, ROWS)));
  const button = h("button", { type: "button", class: "more" }, `Show all ${plural(value.length, "entry", "entries")}`);
  button.addEventListener("click", () => {
    box.replaceChildren(make(value));
    button.remove();
  });
  return h("div", null, box, button);
}

export function cell(value) {
  if (value === undefined) return h("td", null, "");
  return h("td", { class: typeof value === "number" ? "num" : null }, typeof value === "string" ? withReferences(cut(value, 300)) : inline(value));
}
