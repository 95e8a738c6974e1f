// Elements. Text becomes text nodes, never markup: what trials hold is data.

const SVG = "http://www.w3.org/2000/svg";

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

export function h(tag, attributes, ...children) {
  return build(document.createElement(tag), attributes, children);
}

export function s(tag, attributes, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

export function replace(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
}

export function announce(text) {
  document.getElementById("live").textContent = text;
}

// A table with a caption for everybody; rows are arrays of cells (text or elements).
export function table(caption, heads, rows, attributes = {}) {
  const head = h("tr", null, heads.map((c) => (c instanceof Element ? c : c === "" ? h("td") : h("th", { scope: "col" }, c))));
  const body = rows.map((row) => (row instanceof Element ? row : h("tr", null, row.map((c) => (c instanceof Element && /^T[DH]$/.test(c.tagName) ? c : h("td", null, c))))));
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption }, h("table", attributes, h("caption", { class: "unseen" }, caption), h("thead", null, head), h("tbody", null, body)));
}

export function num(...children) {
  return h("td", { class: "num" }, ...children);
}
