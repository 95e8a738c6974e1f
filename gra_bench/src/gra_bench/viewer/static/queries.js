// Queries against configurations: where they differ.

import { announce, h, num, replace, table } from "./dom.js";
import { count, cut, plural, score, verdict } from "./format.js";
import { distinct, groupName, groups, trials } from "./model.js";

const PAGE = 100;
const SHOW = {
  all: ["All queries", () => true],
  differ: ["Where scores differ", (cells) => new Set(cells.map((c) => c.mean)).size > 1],
  none: ["That no configuration gets right", (cells) => cells.every((c) => c.mean < 1)],
  some: ["That some get right", (cells) => cells.some((c) => c.mean >= 1) && cells.some((c) => c.mean < 1)],
};

export async function queriesView(about, _parts, params) {
  const all = await trials();
  const columns = groups(about);
  const rows = byQuery(all, columns);
  const state = { show: params.get("show") ?? "all", q: params.get("q") ?? "", page: Number(params.get("page") ?? 1) };
  const show = h("select", { id: "show" }, Object.entries(SHOW).map(([key, [text]]) => h("option", { value: key }, text)));
  show.value = state.show in SHOW ? state.show : "all";
  const search = h("input", { type: "search", id: "q", value: state.q, autocomplete: "off", spellcheck: "false" });
  const found = h("p", { class: "found", id: "found" });
  const place = h("div");
  const draw = (page) => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = rows.filter((row) => SHOW[show.value][1](row.cells.filter(Boolean)) && words.every((word) => row.haystack.includes(word)));
    const pages = Math.max(1, Math.ceil(kept.length / PAGE));
    const at = Math.min(Math.max(1, page), pages);
    found.textContent = `${plural(kept.length, "query", "queries")}${kept.length < rows.length ? ` of ${count(rows.length)}` : ""}`;
    replace(place, matrix(kept.slice((at - 1) * PAGE, at * PAGE), columns, about), pages > 1 ? pager(at, pages, turn) : null);
    const params_ = new URLSearchParams({ ...(show.value === "all" ? {} : { show: show.value }), ...(search.value ? { q: search.value } : {}), ...(at > 1 ? { page: at } : {}) });
    history.replaceState(null, "", `#/queries${params_.size ? `?${params_}` : ""}`);
  };
  const turn = (page) => {
    draw(page);
    found.scrollIntoView({ block: "start" });
  };
  const change = () => {
    draw(1);
    announce(found.textContent);
  };
  show.addEventListener("change", change);
  search.addEventListener("input", change);
  const form = h("form", { class: "filters", role: "search", "aria-label": "Queries" }, h("div", { class: "field wide" }, h("label", { for: "q" }, "Search in questions and ids"), search), h("div", { class: "field" }, h("label", { for: "show" }, "Show"), show));
  form.addEventListener("submit", (event) => event.preventDefault());
  draw(state.page);
  return { title: "Queries", body: [h("h1", null, "Queries"), h("p", { class: "quiet" }, "Mean scores over repeats. A score leads to its trial, or to the list of them."), form, found, place] };
}

function byQuery(all, columns) {
  const places = new Map(columns.map((group, n) => [group.key, n]));
  const rows = new Map();
  for (const trial of all) {
    const key = `${trial.benchmark}\n${trial.query}`;
    if (!rows.has(key)) rows.set(key, { benchmark: trial.benchmark, query: trial.query, text: trial.text, cells: columns.map(() => null), haystack: `${trial.query}\n${trial.text}`.toLowerCase() });
    const row = rows.get(key);
    const place = places.get(JSON.stringify([trial.run, trial.model, trial.configuration]));
    if (place === undefined) continue;
    const cell = (row.cells[place] ??= { trials: [], sum: 0, scored: 0 });
    cell.trials.push(trial);
    if (trial.score !== null) {
      cell.sum += trial.score;
      cell.scored += 1;
    }
    cell.mean = cell.scored ? cell.sum / cell.scored : null;
  }
  return [...rows.values()].sort((a, b) => a.benchmark.localeCompare(b.benchmark) || a.query.localeCompare(b.query, "en", { numeric: true }));
}

function matrix(rows, columns, about) {
  const several = distinct(about.rows.map((row) => row.benchmark)).length > 1;
  const heads = ["Query", several && "Benchmark", ...columns.map((group) => h("th", { scope: "col", class: "num" }, groupName(group, about)))].filter(Boolean);
  const lines = rows.map((row) =>
    h("tr", null, [
      h("th", { scope: "row", class: "query" }, row.query, row.text ? h("span", { class: "question" }, cut(row.text, 140)) : null),
      several && h("td", null, row.benchmark),
      row.cells.map((cell, n) => (cell ? scoreCell(cell, row, columns[n]) : num(""))),
    ]),
  );
  return table("Scores by query and configuration", heads, lines, { class: "matrix" });
}

function scoreCell(cell, row, group) {
  const [name, sign] = verdict(cell.mean);
  const params = new URLSearchParams({ run: group.run, benchmark: row.benchmark, configuration: group.configuration, model: group.model, q: row.query });
  const link = cell.trials.length === 1 ? `#/trial/${group.run}/${cell.trials[0].trial}` : `#/trials?${params}`;
  return num(h("a", { href: link, class: `mark ${name}` }, h("span", { "aria-hidden": "true" }, sign), ` ${score(cell.mean)}`, h("span", { class: "unseen" }, ` ${name}, ${group.configuration}, ${row.query}`)));
}

function pager(page, pages, turn) {
  return h(
    "nav", { class: "pager", "aria-label": "Pages of queries" },
    h("button", { type: "button", disabled: page <= 1, onclick: () => turn(page - 1) }, "Previous"),
    h("span", null, `Page ${page} of ${pages}`),
    h("button", { type: "button", disabled: page >= pages, onclick: () => turn(page + 1) }, "Next"),
  );
}
