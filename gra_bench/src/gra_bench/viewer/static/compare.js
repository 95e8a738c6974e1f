// Two trials of one query, side by side.

import { h, table } from "./dom.js";
import { count, dollars, seconds, tokens } from "./format.js";
import { get } from "./source.js";
import { tracedAnswer } from "./lineage.js";
import { plan } from "./trial.js";
import { scoreMark, statusMark } from "./trials.js";
import { steps } from "./trajectory.js";
import { longText, show } from "./value.js";

export async function compareView(about, [run, trial, otherRun, otherTrial]) {
  const both = await Promise.all([get(`trial/${run}/${trial}`), get(`trial/${otherRun}/${otherTrial}`)]);
  const names = both.map((found, n) => title(found.result, about.runs[Number(n ? otherRun : run)], about));
  const links = [`#/trial/${run}/${trial}`, `#/trial/${otherRun}/${otherTrial}`];
  const query = both[0].result.query;
  const same = both[0].result.query === both[1].result.query && both[0].result.query_hash === both[1].result.query_hash;
  const heads = ["", ...names.map((name, n) => h("th", { scope: "col" }, h("a", { href: links[n] }, name)))];
  const columns = (make) => h("div", { class: "two" }, both.map((found, n) => h("div", { role: "group", "aria-label": names[n] }, h("h3", null, names[n]), make(found) ?? h("p", { class: "quiet" }, "none"))));
  return {
    title: `${query}, side by side`,
    body: [
      h("p", { class: "crumbs" }, h("a", { href: "#/trials" }, "Trials"), " / ", both[0].result.benchmark),
      h("h1", null, query, h("span", { class: "quiet" }, " side by side")),
      same ? null : h("p", { class: "warning", role: "note" }, "These are trials of different queries."),
      both[0].query ? longText(both[0].query.text) : null,
      h("section", { "aria-labelledby": "facts" }, h("h2", { id: "facts" }, "Outcome"), table("Outcomes side by side", heads, facts(both), { class: "compare" })),
      h("section", { "aria-labelledby": "answers" }, h("h2", { id: "answers" }, "Answers"), columns((found) => (found.result.outcome.answer ? tracedAnswer(found.result.outcome.answer, []) : statusMark(found.result.outcome.status, found.result.outcome.reason)))),
      both.some((found) => found.result.outcome.plan) ? h("section", { "aria-labelledby": "plans" }, h("h2", { id: "plans" }, "Plans"), columns((found) => plan(found.events, found.result.outcome))) : null,
      h("section", { "aria-labelledby": "calls" }, h("h2", { id: "calls" }, "Tool calls"), calls(both, names)),
    ],
  };
}

function title(result, run, about) {
  return [result.configuration, result.model, result.repeat ? `#${result.repeat + 1}` : null, about.runs.length > 1 ? run.name : null].filter(Boolean).join(" · ");
}

function facts(both) {
  const of = (make) => both.map(({ result }) => make(result, result.outcome));
  const sum = (counts) => Object.values(counts).reduce((a, b) => a + b, 0);
  const rows = [
    ["Score", of((r) => scoreMark(r.score))],
    ["Scoring", of((r) => r.scoring?.explanation ?? "")],
    ["Status", of((_, o) => statusMark(o.status, o.reason))],
    ["Cost", of((_, o) => dollars(o.cost_usd))],
    ["Tokens in, out", of((_, o) => tokens(o.usage).map(count).join(", "))],
    ["Model calls", of((_, o) => count(o.model_calls))],
    ["Tool calls", of((_, o) => count(sum(o.tools)))],
    ["Tool errors", of((_, o) => count(o.tool_errors))],
    ["Time", of((_, o) => seconds(o.seconds))],
    ["Skills", of((_, o) => o.skills.join(", ") || "none")],
    ["Substitutes", of((_, o) => o.proxies.map((p) => p.used).join("; ") || "none")],
  ];
  return rows.map(([name, values]) => {
    const [left, right] = values.map((v) => (v instanceof Element ? v.textContent : v));
    return h("tr", { class: left === right ? null : "differs" }, h("th", { scope: "row" }, name, left === right ? null : h("span", { class: "unseen" }, " (differs)")), values.map((v) => h("td", null, v)));
  });
}

// Calls aligned by the longest common sequence of tool names.
function calls(both, names) {
  const [left, right] = both.map((found) => steps(found.events).filter((one) => one.kind === "tool"));
  if (!left.length && !right.length) return h("p", { class: "quiet" }, "Neither trial has called a tool.");
  const rows = align(left, right).map(([a, b]) => h("tr", { class: same(a, b) ? null : "differs" }, [a, b].map((one) => h("td", null, one ? call(one) : null))));
  return table("Tool calls side by side", names, rows, { class: "compare calls" });
}

function same(a, b) {
  return Boolean(a && b) && a.event.data.name === b.event.data.name && JSON.stringify(a.event.data.arguments) === JSON.stringify(b.event.data.arguments);
}

function align(left, right) {
  const best = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  const match = (i, j) => left[i].event.data.name === right[j].event.data.name;
  for (let i = left.length - 1; i >= 0; i -= 1) for (let j = right.length - 1; j >= 0; j -= 1) best[i][j] = match(i, j) ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
  const rows = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && match(i, j)) rows.push([left[i++], right[j++]]);
    else if (j >= right.length || (i < left.length && best[i + 1][j] >= best[i][j + 1])) rows.push([left[i++], null]);
    else rows.push([null, right[j++]]);
  }
  return rows;
}

function call({ event, reply }) {
  const status = reply?.data.status ?? "no reply";
  return h("details", null, h("summary", null, h("code", null, event.data.name), h("span", { class: `badge ${status}` }, status)), h("p", { class: "label" }, "Arguments"), show(event.data.arguments, "arguments"), h("p", { class: "label" }, "Reply"), show(reply?.data.output ?? null, "reply"));
}
