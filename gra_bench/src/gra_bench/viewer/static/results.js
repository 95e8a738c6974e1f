// Results by benchmark, configuration and model, and what they cost.

import { h, num, replace, table } from "./dom.js";
import { count, dollars, plural, score, seconds, tokens } from "./format.js";
import { distinct, groupName, groups, scorerName, trials } from "./model.js";
import { get } from "./source.js";
import { intervalBar, mark, scatter } from "./chart.js";

export async function resultsView(about) {
  const title = about.runs.length > 1 ? `Results of ${about.runs.length} runs` : "Results";
  const breakdown = h("section", { "aria-labelledby": "breakdown" });
  const body = [
    h("h1", null, title),
    about.runs.map((run, number) => describe(run, number, about)),
    about.differ.length ? h("p", { class: "warning", role: "note" }, `The runs used different query sets of ${about.differ.join(", ")}: their scores are not comparable.`) : null,
    about.rows.length ? h("div", null, resultTable(about), legend()) : h("p", null, "No trial has finished yet."),
    about.rows.length ? await charts(about) : null,
    breakdown,
    about.rows.length ? h("section", { "aria-labelledby": "more" }, h("h2", { id: "more" }, "More tables"), about.runs.map((run, number) => moreTables(run, number))) : null,
  ];
  return { title, body, after: () => fillBreakdown(breakdown, about) };
}

function describe(run, number, about) {
  const finished = about.rows.filter((row) => row.run === number && sameView(row, run.views)).reduce((sum, row) => sum + row.n, 0);
  const options = run.options;
  const facts = [
    h("strong", null, run.name),
    `${count(finished)} of ${count(run.trials)} trials finished`,
    [...(options.benchmarks ?? []), options.split].filter(Boolean).join(" "),
    options.repeats > 1 ? plural(options.repeats, "repeat") : null,
    `seed ${options.seed ?? 0}`,
    options.judge ? `judge ${options.judge}` : null,
  ].filter(Boolean);
  return h("div", { class: "about" }, h("p", { class: "facts" }, facts.map((fact) => h("span", null, fact))), run.notes.map((note) => h("p", { class: "quiet" }, note)), plugins(run));
}

function sameView(row, views) {
  const first = views.find((view) => view.benchmark === row.benchmark);
  return !first || (first.scorer === row.scorer && first.judge === row.judge);
}

function plugins(run) {
  const names = Object.keys(run.configurations);
  if (!names.some((name) => run.configurations[name].plugins.length)) return null;
  const rows = names.map((name) => {
    const one = run.configurations[name];
    return [h("th", { scope: "row" }, name), one.title, one.plugins.map(([plugin, version]) => `${plugin} ${version}`).join(", "), Object.entries(one.sources).map(([kind, value]) => `${kind}: ${value}`).join(", ")];
  });
  return h("details", null, h("summary", null, "Configurations, plugins and sources"), table(`Configurations of ${run.name}`, ["Configuration", "What it is", "Active plugins", "Sources"], rows, { class: "small" }));
}

function resultTable(about) {
  const several = { run: about.runs.length > 1, benchmark: distinct(about.rows.map((r) => r.benchmark)).length > 1, model: distinct(about.rows.map((r) => r.model)).length > 1, scorer: distinct(about.rows.map(scorerName)).length > 1 };
  const heads = [
    several.run && "Run", "Benchmark", "Configuration", "Model", several.scorer && "Scorer",
    h("th", { scope: "col", class: "num" }, "Trials"), h("th", { scope: "col" }, "Score, 95 % interval"), h("th", { scope: "col", class: "num" }, "Cost"),
    h("th", { scope: "col", class: "num" }, "Model calls"), h("th", { scope: "col", class: "num" }, "Tool calls"), h("th", { scope: "col", class: "num" }, "Tool errors"), "Not answered",
  ].filter(Boolean);
  const rows = about.rows.map((row) => {
    const misses = ["abstained", "limit", "failed", "unscored"].filter((name) => row[name]).map((name) => `${row[name]} ${name === "limit" ? "at a limit" : name}`);
    const link = `#/trials?${new URLSearchParams({ run: row.run, benchmark: row.benchmark, configuration: row.configuration, model: row.model, ...(several.scorer ? { scorer: scorerName(row) } : {}) })}`;
    return h("tr", null, [
      several.run && h("td", null, about.runs[row.run].name),
      h("td", null, row.benchmark),
      h("th", { scope: "row" }, h("a", { href: link, "aria-label": `Trials of ${row.configuration} with ${row.model}` }, row.configuration)),
      h("td", null, row.model),
      several.scorer && h("td", null, scorerName(row)),
      num(count(row.n)),
      h("td", { class: "score" }, h("span", { class: "figure" }, score(row.mean), row.std !== null && row.std !== undefined ? h("span", { class: "quiet" }, ` ± ${(100 * row.std).toFixed(1)}`) : null), intervalBar(row)),
      num(dollars(row.cost_usd)),
      num(count(row.model_calls)),
      num(count(row.tool_calls)),
      num(count(row.tool_errors)),
      h("td", null, misses.join(", ") || "0"),
    ]);
  });
  return table("Results by benchmark, configuration and model", heads, rows, { class: "results" });
}

function legend() {
  return h("p", { class: "quiet" }, "Scores are means over all trials on a scale of 0 to 100; trials without an answer count as 0. ± is the standard deviation over repeats. The interval is 1.96 standard errors wide to both sides, with queries of one template taken as dependent; there is none for fewer than two templates. A cost is unknown when a model has no price.");
}

const MEASURES = {
  "Cost per trial": (row) => (row.cost_usd === null ? null : row.cost_usd / row.n),
  "Tokens per trial": (row) => tokens(row.usage).reduce((a, b) => a + b, 0) / row.n,
  "Model calls per trial": (row) => row.model_calls / row.n,
  "Seconds per trial": (row) => row.seconds / row.n,
};
const UNITS = { "Cost per trial": dollars, "Tokens per trial": count, "Model calls per trial": (v) => v.toFixed(1), "Seconds per trial": seconds };

async function charts(about) {
  const benchmarks = distinct(about.rows.map((row) => row.benchmark));
  const named = Object.keys(MEASURES).filter((name) => about.rows.some((row) => MEASURES[name](row)));
  if (!named.length) return null;
  const choice = h("select", { id: "measure" }, named.map((name) => h("option", null, name)));
  const place = h("div", { class: "charts" });
  const draw = () => {
    replace(place, benchmarks.map((benchmark) => chartOf(about, benchmark, choice.value)));
  };
  choice.addEventListener("change", draw);
  draw();
  return h("section", { "aria-labelledby": "cost" }, h("h2", { id: "cost" }, "Cost against score"), h("p", { class: "controls" }, h("label", { for: "measure" }, "Across"), choice), place);
}

function chartOf(about, benchmark, measure) {
  const all = groups(about);
  const seen = new Set();
  const points = [];
  let unknown = 0;
  for (const row of about.rows) {
    const place = all.findIndex((group) => group.run === row.run && group.model === row.model && group.configuration === row.configuration);
    if (row.benchmark !== benchmark || row.mean === null || seen.has(place)) continue;
    seen.add(place); // the first scorer's
    const x = MEASURES[measure](row);
    if (x === null) unknown += 1;
    else points.push({ x, y: row.mean, interval: row.interval, name: groupName(all[place], about), look: place });
  }
  const label = `${benchmark}: score against ${measure.toLowerCase()}`;
  return h(
    "figure",
    null,
    h("figcaption", null, benchmark, unknown ? h("span", { class: "quiet" }, ` (${plural(unknown, "configuration")} without a known cost)`) : null),
    scatter(points, { x: measure, y: "Score", format: UNITS[measure], label: `${label}. ${points.map((p) => `${p.name}: ${score(p.y)} at ${UNITS[measure](p.x)}`).join("; ")}` }),
    h("ul", { class: "key" }, points.map((p) => h("li", null, mark(p.look), p.name))),
  );
}

const BY = { template: "template", K: "K (distinct tool types)", domain: "domain", tier: "tier", split: "split" };

async function fillBreakdown(place, about) {
  const all = await trials();
  const usable = Object.keys(BY).filter((name) => distinct(all.map((t) => t[name])).length > 1);
  if (!usable.length || !place.isConnected) return;
  const choice = h("select", { id: "by" }, usable.map((name) => h("option", { value: name }, BY[name])));
  const target = h("div");
  const benchmarks = distinct(all.map((t) => t.benchmark));
  const draw = () => replace(target, benchmarks.map((benchmark) => [benchmarks.length > 1 ? h("h3", null, benchmark) : null, breakdownTable(about, all.filter((t) => t.benchmark === benchmark), choice.value, benchmark)]));
  choice.addEventListener("change", draw);
  draw();
  replace(place, h("h2", { id: "breakdown" }, "Breakdown"), h("p", { class: "controls" }, h("label", { for: "by" }, "By"), choice), target);
  performance.mark("gra-breakdown");
}

function breakdownTable(about, all, by, benchmark) {
  const columns = groups(about, benchmark);
  const cells = new Map();
  for (const trial of all) {
    if (trial.score === null) continue;
    const key = JSON.stringify([trial[by] ?? "", trial.run, trial.model, trial.configuration]);
    const sum = cells.get(key) ?? [0, 0];
    cells.set(key, [sum[0] + trial.score, sum[1] + 1]);
  }
  const rows = distinct(all.map((t) => t[by] ?? "")).map((value) => [
    h("th", { scope: "row" }, String(value) || "none"),
    ...columns.map((group) => {
      const sum = cells.get(JSON.stringify([value, group.run, group.model, group.configuration]));
      if (!sum) return num("");
      const link = new URLSearchParams({ run: group.run, model: group.model, configuration: group.configuration, [by]: value });
      return h("td", { class: `num heat h${Math.round((5 * sum[0]) / sum[1])}` }, h("a", { href: `#/trials?${link}` }, score(sum[0] / sum[1])));
    }),
  ]);
  const heads = [BY[by], ...columns.map((group) => h("th", { scope: "col", class: "num" }, groupName(group, about)))];
  return table(`Mean score in ${benchmark} by ${BY[by]}`, heads, rows, { class: "breakdown" });
}

// What `gra-bench report` prints after its summary; read when it is opened.
function moreTables(run, number) {
  const place = h("div", null, h("p", { class: "quiet" }, "Loading…"));
  const details = h("details", null, h("summary", null, `${run.name}: by K, domain and tier, cost, capabilities, saturation, published numbers`), place);
  details.addEventListener("toggle", async () => {
    if (!details.open || place.dataset.done) return;
    place.dataset.done = "true";
    try {
      const found = await get(`tables/${number}`);
      replace(place, found.tables.map(reportTable), found.ablation.length ? records("Effect of taking a part out (second less first)", found.ablation) : null);
    } catch (error) {
      replace(place, h("p", { role: "alert" }, error.message));
    }
  });
  return details;
}

function reportTable(made) {
  const title = `${made.title} (${made.unit})`;
  const digits = made.unit === "USD" ? 4 : 1;
  const figure = (value) => num(value === null || value === undefined ? "" : value.toFixed(digits));
  const rows = (list, columns, n) => list.map((row) => [h("th", { scope: "row" }, row.label), n ? num(count(row.n)) : null, ...columns.map((c) => figure(row[c]))].filter(Boolean));
  const heads = (columns, n) => ["", n ? h("th", { scope: "col", class: "num" }, "n") : null, ...columns.map((c) => h("th", { scope: "col", class: "num" }, c))].filter((c) => c !== null);
  return [
    h("h3", null, made.title, h("span", { class: "quiet" }, ` ${made.unit}`)),
    table(title, heads(made.columns, true), rows(made.rows, made.columns, true), { class: "small" }),
    made.published.length ? [h("p", { class: "quiet" }, "Published:"), table(`Published: ${title}`, heads(made.published_columns, false), rows(made.published, made.published_columns, false), { class: "small" })] : null,
  ];
}

function records(title, list) {
  const columns = Object.keys(list[0]);
  return [h("h3", null, title), table(title, columns, list.map((row) => columns.map((c) => String(row[c] ?? ""))), { class: "small" })];
}
