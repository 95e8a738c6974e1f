// From a number of the answer to the calls whose replies hold it, the datasets they made and the sources behind those.

import { h, table } from "./dom.js";
import { goTo, reference } from "./value.js";

export function callId(id) {
  return `call-${id}`;
}

function numbersOf(events) {
  const answered = events.filter((e) => e.kind === "answered").at(-1);
  return answered ? answered.data.numbers ?? [] : [];
}

// The answer with each traced number as a button that leads to its row.
export function tracedAnswer(answer, events) {
  const parts = [];
  let last = 0;
  numbersOf(events).forEach((entry, n) => {
    const at = answer.indexOf(entry.number, last);
    if (at < 0) return;
    const known = entry.calls.length > 0;
    parts.push(answer.slice(last, at));
    parts.push(h("button", { type: "button", class: known ? "number" : "number unknown", "aria-label": `${entry.number}: where it comes from`, onclick: () => goTo(`number-${n}`) }, entry.number));
    last = at + entry.number.length;
  });
  return h("div", { class: "answer-text" }, parts, answer.slice(last));
}

export function lineageTable(events, datasets) {
  const numbers = numbersOf(events);
  if (!numbers.length) return null;
  const calls = new Map(events.filter((e) => e.kind === "tool_called").map((e) => [e.data.id, e.data]));
  const rows = numbers.map((entry, n) => {
    const made = datasets.filter((d) => entry.calls.includes(d.lineage?.call_id));
    const chain = behind(made, entry.calls.map((id) => calls.get(id)), datasets);
    return h("tr", { id: `number-${n}` }, [
      h("th", { scope: "row", class: "num" }, entry.number),
      h("td", null, entry.calls.length ? h("ul", { class: "plain" }, entry.calls.map((id) => h("li", null, toCall(id, calls.get(id))))) : h("span", { class: "quiet" }, "No reply holds it: computed by the model, or remembered.")),
      h("td", null, chain.length ? h("ul", { class: "plain" }, chain.map((d) => h("li", null, reference(d.ref)))) : h("span", { class: "quiet" }, entry.calls.length ? "none" : "")),
      h("td", null, sources(chain)),
    ]);
  });
  return table("Where the numbers of the answer come from", ["Number", "Calls whose reply holds it", "Datasets behind it", "Sources"], rows, { class: "small" });
}

function toCall(id, call) {
  return h("button", { type: "button", class: "link", onclick: () => goTo(callId(id)) }, call ? call.name : id);
}

// Datasets that calls made, and everything those were made from.
function behind(made, calls, datasets) {
  const byRef = new Map(datasets.map((d) => [d.ref, d]));
  const found = new Map();
  const queue = made.map((d) => d.ref);
  for (const call of calls) if (call) queue.push(...(JSON.stringify(call.arguments).match(/ds:\/\/[a-z0-9][a-z0-9_-]*/g) ?? []));
  while (queue.length) {
    const ref = queue.shift();
    const dataset = byRef.get(ref);
    if (!dataset || found.has(ref)) continue;
    found.set(ref, dataset);
    queue.push(...(dataset.lineage?.inputs ?? []));
  }
  return [...found.values()];
}

function sources(chain) {
  const used = new Map();
  for (const dataset of chain) for (const use of dataset.lineage?.sources ?? []) used.set(`${use.kind} ${use.source} ${use.snapshot ?? ""}`, use);
  if (!used.size) return "";
  return h("ul", { class: "plain" }, [...used.values()].map((use) => h("li", null, sourceText(use))));
}

export function sourceText(use) {
  const parts = [`${use.source} (${use.kind}${use.snapshot ? `, ${use.snapshot}` : ""})`, use.retrieved_at ? `read ${use.retrieved_at.slice(0, 10)}` : null];
  return [parts.filter(Boolean).join(", "), use.licence || use.attribution ? h("details", { class: "tiny" }, h("summary", null, "Licence"), h("p", { class: "quiet" }, [use.licence, use.attribution].filter(Boolean).join(" · "))) : null];
}
