// One trial: question, answer, score, plan, trajectory, datasets.

import { h, num, replace, table } from "./dom.js";
import { count, dollars, plural, score, seconds, tokens } from "./format.js";
import { get } from "./source.js";
import { linkTo, trials } from "./model.js";
import { datasetCard } from "./dataset.js";
import { lineageTable, tracedAnswer } from "./lineage.js";
import { scoreMark, statusMark } from "./trials.js";
import { trajectory } from "./trajectory.js";
import { goTo, longText, show } from "./value.js";

export async function trialView(about, [run, id]) {
  const found = await get(`trial/${run}/${id}`);
  const { result, events, datasets, query } = found;
  const outcome = result.outcome;
  const title = `${result.query}, ${result.configuration}`;
  const started = events.find((e) => e.kind === "trial_started");
  const question = query?.text ?? started?.data.query ?? "";
  const others = h("div", { class: "others" });
  const main = h(
    "div", { class: "story" },
    section("question", "Question", longText(question || "not kept in this run")),
    section("answer", "Answer", [outcome.answer ? tracedAnswer(outcome.answer, events) : h("p", null, statusMark(outcome.status, outcome.reason)), outcome.message ? longText(outcome.message) : null, outcome.status === "abstained" && outcome.reason ? h("p", null, `Abstained: ${outcome.reason}`) : null]),
    section("scoring", "Score", scoring(result, query, found.scores)),
    optional("numbers", "Where the numbers come from", lineageTable(events, datasets)),
    optional("plan", "Plan", plan(events, outcome)),
    optional("proxies", "Substitutes", outcome.proxies.length ? table("Substitutes for what was not available", ["Wanted", "Used", "Effect"], outcome.proxies.map((p) => [p.wanted, p.used, p.effect]), { class: "small" }) : null),
    section("trajectory", "Trajectory", trajectory(events)),
    optional("datasets", plural(datasets.length, "dataset"), datasets.length ? datasets.map((d) => datasetCard(d, run, id)) : null),
  );
  const side = h("aside", { class: "side", "aria-label": "About the trial" }, facts(result, about.runs[Number(run)]), others, contents(main));
  return {
    title,
    body: [h("p", { class: "crumbs" }, h("a", { href: "#/trials" }, "Trials"), " / ", result.benchmark), h("h1", null, result.query, h("span", { class: "quiet" }, ` ${result.configuration} · ${result.model}${result.repeat ? ` · repeat ${result.repeat + 1}` : ""}`)), h("div", { class: "trial" }, main, side)],
    after: () => fillOthers(others, about, Number(run), result),
  };
}

function section(id, title, ...children) {
  return h("section", { id, "aria-labelledby": `${id}-h` }, h("h2", { id: `${id}-h` }, title), children);
}

function optional(id, title, child) {
  return child ? section(id, title, child) : null;
}

function contents(main) {
  const titles = [...main.querySelectorAll("section[id] > h2")].map((h2) => [h2.parentElement.id, h2.textContent]);
  return h("nav", { class: "contents", "aria-label": "On this page" }, h("ul", { class: "plain" }, titles.map(([id, text]) => h("li", null, h("button", { type: "button", class: "link", onclick: () => goTo(id) }, text)))));
}

function facts(result, run) {
  const outcome = result.outcome;
  const [inward, outward] = tokens(outcome.usage);
  const pairs = [
    ["Score", scoreMark(result.score)],
    ["Status", statusMark(outcome.status, outcome.reason)],
    ["Cost", dollars(outcome.cost_usd)],
    ["Tokens in, out", `${count(inward)}, ${count(outward)}${outcome.usage.estimated ? " (estimated)" : ""}`],
    ["Model calls", count(outcome.model_calls)],
    ["Tool calls", `${count(Object.values(outcome.tools).reduce((a, b) => a + b, 0))}${outcome.tool_errors ? `, ${plural(outcome.tool_errors, "error")}` : ""}`],
    ["Time", `${seconds(outcome.seconds)}${outcome.waited_s ? `, waited ${seconds(outcome.waited_s)}` : ""}`],
    ["Skills loaded", outcome.skills.join(", ") || "none"],
    ["Run", run.name],
    ["Template", result.template],
    ["Trial", h("span", { class: "mono" }, result.trial)],
  ];
  return h("dl", { class: "sheet" }, pairs.filter(([, value]) => value !== null && value !== "").map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
}

export function scoring(result, query, scores) {
  const parts = [h("p", null, scoreMark(result.score), ` by ${result.scorer ?? "no scorer"}: `, result.scoring?.explanation ?? "")];
  const blanks = query?.blanks ?? [];
  const given = result.scoring?.extra?.values;
  if (blanks.length && Array.isArray(query.answer) && Array.isArray(given)) {
    const points = result.scoring.parts ?? [];
    const remarks = result.scoring.extra.remarks ?? [];
    parts.push(table("Blanks of the answer", ["Blank", "Given", "Right answer", "Score", "Remark"], blanks.map((b, n) => [h("th", { scope: "row" }, b.label, b.unit ? h("span", { class: "quiet" }, ` ${b.unit}`) : null), text(given[n]), text(query.answer[n]), num(score(points[n] ?? null)), remarks[n] ?? ""]), { class: "small" }));
  } else if (query && query.answer !== null && query.answer !== undefined) {
    parts.push(h("div", { class: "pair" }, h("strong", null, "Right answer "), show(query.answer, "answer")));
  }
  if (result.scoring?.extra && !blanks.length && Object.keys(result.scoring.extra).length) parts.push(h("details", null, h("summary", null, "Details of the scoring"), show(result.scoring.extra, "details")));
  for (const one of scores ?? []) {
    parts.push(h("div", { class: "pair deep" }, h("p", null, scoreMark(one.score), ` by ${one.scorer}${one.judge ? `, judge ${one.judge}` : ""}: `, one.scoring?.explanation ?? ""), one.scoring?.extra && Object.keys(one.scoring.extra).length ? h("details", null, h("summary", null, "Details of the scoring"), show(one.scoring.extra, "details")) : null));
  }
  return parts;
}

function text(value) {
  return value === null || value === undefined ? "none" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function plan(events, outcome) {
  const made = outcome.plan ?? events.filter((e) => e.kind === "plan_submitted").at(-1)?.data.plan;
  if (!made) return null;
  const steps = made.steps.map((step) =>
    h("li", { class: `step ${step.status}` }, h("span", { class: "status" }, step.status.replace("_", " ")), " ", step.goal, step.skills?.length ? h("span", { class: "quiet" }, ` (${step.skills.join(", ")})`) : null, [["data", step.data], ["fallback", step.fallback], ["note", step.note]].filter(([, value]) => value).map(([name, value]) => h("p", { class: "quiet" }, `${name}: ${value}`))),
  );
  return [h("ol", { class: "plan" }, steps), made.gaps?.length ? h("div", null, h("strong", null, "Gaps"), h("ul", null, made.gaps.map((gap) => h("li", null, gap)))) : null];
}

async function fillOthers(place, about, run, result) {
  const same = (await trials()).filter((t) => t.query === result.query && t.benchmark === result.benchmark && !(t.run === run && t.trial === result.trial));
  if (!same.length || !place.isConnected) return;
  const several = about.runs.length > 1;
  const models = new Set(same.map((t) => t.model)).size > 1;
  const rows = same.slice(0, 60).map((t) => {
    const name = [t.configuration, models && t.model, t.repeat ? `#${t.repeat + 1}` : null, several && about.runs[t.run].name].filter(Boolean).join(" · ");
    return [h("td", null, h("a", { href: linkTo(t) }, name)), h("td", null, scoreMark(t.score)), h("td", null, h("a", { href: `#/compare/${run}/${result.trial}/${t.run}/${t.trial}`, "aria-label": `Compare with ${name}` }, "compare"))];
  });
  replace(place, h("h2", null, "Other trials of this query"), table("Other trials of this query", ["Trial", "Score", "Side by side"], rows, { class: "small" }));
}
