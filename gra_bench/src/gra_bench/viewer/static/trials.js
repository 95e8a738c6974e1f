// All trials: filter, search, sort, page by page.

import { announce, h, num, replace, table } from "./dom.js";
import { count, cut, dollars, plural, score, seconds, verdict } from "./format.js";
import { distinct, linkTo, scoreBy, scorerName, trials } from "./model.js";

const PAGE = 100;
const FILTERS = { run: "Run", benchmark: "Benchmark", configuration: "Configuration", model: "Model", template: "Template", split: "Split", domain: "Domain", tier: "Tier", K: "K", status: "Status", verdict: "Score", scorer: "Scorer" };
const SORTS = {
  query: (t) => t.query, configuration: (t) => t.configuration, model: (t) => t.model, score: (t) => t.shownScore ?? -1, status: (t) => t.status,
  cost: (t) => t.cost_usd ?? -1, calls: (t) => t.model_calls, tools: (t) => t.tool_calls, errors: (t) => t.tool_errors, time: (t) => t.seconds,
};

export async function trialsView(about, _parts, params) {
  const all = await trials();
  const names = distinct(all.flatMap((t) => t.views.map(scorerName)));
  const state = Object.fromEntries(params);
  const several = new Set(all.map((t) => t.model)).size > 1;
  const place = h("div");
  const found = h("p", { class: "found", id: "found" });
  const search = h("input", { type: "search", id: "q", value: state.q ?? "", autocomplete: "off", spellcheck: "false" });
  const selects = Object.keys(FILTERS)
    .map((name) => [name, choices(name, all, names, about)])
    .filter(([name, options]) => options.length > 1 || state[name])
    .map(([name, options]) => filter(name, options, state));
  const form = h(
    "form", { class: "filters", role: "search", "aria-label": "Trials" },
    h("div", { class: "field wide" }, h("label", { for: "q" }, "Search in questions, answers, tools and ids"), search),
    selects,
    h("div", { class: "field" }, h("button", { type: "reset" }, "Clear")),
  );
  const update = (page = 1) => {
    for (const name of Object.keys(FILTERS)) {
      const select = form.elements[name];
      if (select) state[name] = select.value;
    }
    state.q = search.value.trim();
    state.page = String(page);
    draw();
    const kept = new URLSearchParams(Object.entries(state).filter(([name, value]) => value && !(name === "page" && value === "1")));
    history.replaceState(null, "", `#/trials${kept.size ? `?${kept}` : ""}`);
  };
  const draw = () => {
    const chosen = select(all, state, about);
    const page = Math.min(Number(state.page ?? 1) || 1, Math.max(1, Math.ceil(chosen.length / PAGE)));
    found.textContent = `${plural(chosen.length, "trial")}${chosen.length < all.length ? ` of ${count(all.length)}` : ""}`;
    replace(place, trialTable(chosen.slice((page - 1) * PAGE, page * PAGE), about, { ...state, models: several }, (key) => sortBy(state, key, update)), pager(chosen.length, page, update));
  };
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      update();
      announce(found.textContent);
    }, 150);
  });
  form.addEventListener("change", (event) => {
    if (event.target !== search) {
      update();
      announce(found.textContent);
    }
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    search.value = "";
    for (const element of form.querySelectorAll("select")) element.value = "";
    update();
    announce(found.textContent);
  });
  draw();
  return { title: "Trials", body: [h("h1", null, "Trials"), form, found, place] };
}

function choices(name, all, names, about) {
  if (name === "run") return about.runs.length > 1 ? about.runs.map((run, n) => [String(n), run.name]) : [];
  if (name === "scorer") return names.length > 1 ? names.map((n) => [n, n]) : [];
  if (name === "verdict") return ["right", "partly", "wrong", "unscored"].map((v) => [v, v]);
  return distinct(all.map((t) => t[name]).filter((v) => v !== null && v !== "")).map((v) => [String(v), String(v)]);
}

function filter(name, options, state) {
  const select_ = h("select", { id: `f-${name}`, name }, h("option", { value: "" }, "all"), options.map(([value, text]) => h("option", { value }, text)));
  select_.value = state[name] ?? "";
  return h("div", { class: "field" }, h("label", { for: `f-${name}` }, FILTERS[name]), select_);
}

function select(all, state, about) {
  const words = (state.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const exact = Object.keys(FILTERS).filter((name) => state[name] && !["verdict", "scorer"].includes(name));
  const kept = [];
  for (const trial of all) {
    if (!exact.every((name) => String(trial[name]) === state[name])) continue;
    trial.shownScore = scoreBy(trial, state.scorer);
    if (trial.shownScore === undefined) continue;
    if (state.verdict && verdict(trial.shownScore)[0] !== state.verdict) continue;
    if (words.length) {
      trial.haystack ??= [trial.query, trial.trial, trial.text, trial.answer, trial.reason, trial.status, trial.configuration, trial.model, about.runs[trial.run].name, ...trial.tools].join("\n").toLowerCase();
      if (!words.every((word) => trial.haystack.includes(word))) continue;
    }
    kept.push(trial);
  }
  const key = SORTS[state.sort];
  if (key) {
    const sign = state.order === "down" ? -1 : 1;
    kept.sort((a, b) => sign * (typeof key(a) === "string" ? key(a).localeCompare(key(b), "en", { numeric: true }) : key(a) - key(b)));
  }
  return kept;
}

function sortBy(state, key, update) {
  state.order = state.sort === key && state.order !== "down" ? "down" : "up";
  state.sort = key;
  update();
  document.querySelector(`button[data-sort="${key}"]`)?.focus();
}

function trialTable(shown, about, state, onSort) {
  const head = (key, text, numeric) => {
    const on = state.sort === key;
    const arrow = on ? (state.order === "down" ? " ▼" : " ▲") : "";
    return h("th", { scope: "col", class: numeric ? "num" : null, "aria-sort": on ? (state.order === "down" ? "descending" : "ascending") : null }, h("button", { type: "button", class: "sort", "data-sort": key, onclick: () => onSort(key) }, text, h("span", { "aria-hidden": "true" }, arrow)));
  };
  const heads = [
    head("query", "Query"), about.runs.length > 1 && "Run", head("configuration", "Configuration"), state.models && head("model", "Model"), head("score", "Score"), head("status", "Status"), "Answer",
    head("cost", "Cost", true), head("calls", "Model calls", true), head("tools", "Tool calls", true), head("errors", "Errors", true), head("time", "Time", true),
  ].filter(Boolean);
  const rows = shown.map((t) =>
    h("tr", null, [
      h("th", { scope: "row", class: "query" }, h("a", { href: linkTo(t), title: t.text || null }, t.query, t.repeat ? h("span", { class: "quiet" }, ` #${t.repeat + 1}`) : null), t.text ? h("span", { class: "question" }, cut(t.text, 90)) : null),
      about.runs.length > 1 && h("td", null, about.runs[t.run].name),
      h("td", null, t.configuration),
      state.models && h("td", null, t.model),
      h("td", null, scoreMark(t.shownScore)),
      h("td", null, statusMark(t.status, t.reason)),
      h("td", { class: "answer" }, cut(t.answer.replace(/\s+/g, " "), 80)),
      num(dollars(t.cost_usd)), num(count(t.model_calls)), num(count(t.tool_calls)), num(count(t.tool_errors)), num(seconds(t.seconds)),
    ]),
  );
  return table("Trials", heads, rows, { class: "trials" });
}

export function scoreMark(value) {
  const [name, sign] = verdict(value);
  return h("span", { class: `mark ${name}` }, h("span", { "aria-hidden": "true" }, sign), ` ${score(value)}`, h("span", { class: "unseen" }, ` ${name}`));
}

export function statusMark(status, reason) {
  return h("span", { class: `status ${status}` }, status, reason && status !== "abstained" ? h("span", { class: "quiet" }, ` ${reason}`) : null);
}

function pager(total, page, update) {
  const pages = Math.ceil(total / PAGE);
  if (pages <= 1) return null;
  const turn = (to) => {
    update(to);
    announce(`Page ${to} of ${pages}`);
    document.getElementById("found")?.scrollIntoView({ block: "start" });
  };
  return h(
    "nav", { class: "pager", "aria-label": "Pages of trials" },
    h("button", { type: "button", disabled: page <= 1, onclick: () => turn(page - 1) }, "Previous"),
    h("span", null, `Page ${page} of ${pages}`),
    h("button", { type: "button", disabled: page >= pages, onclick: () => turn(page + 1) }, "Next"),
  );
}
