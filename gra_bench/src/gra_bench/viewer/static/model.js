// Trials as objects, and what they have in common.

import { get } from "./source.js";

let kept = null;

export async function summary() {
  return get("summary");
}

export async function trials() {
  if (kept) return kept;
  const [document_, about] = await Promise.all([get("trials"), get("summary")]);
  const all = [];
  document_.runs.forEach((rows, run) => {
    for (const row of rows) {
      const trial = { run };
      document_.columns.forEach((name, place) => {
        trial[name] = row[place];
      });
      trial.views = about.runs[run].views;
      trial.score = trial.scores.length ? trial.scores[0][1] : null;
      trial.text = document_.queries[trial.query_hash] ?? "";
      all.push(trial);
    }
  });
  kept = all;
  return all;
}

export function scorerName(view) {
  const name = view.scorer ?? "none";
  return view.judge ? `${name} (${view.judge}, ${view.judge_passes}×)` : name;
}

// The score by the scorer of this name, or the default one.
export function scoreBy(trial, name) {
  if (!name) return trial.score;
  const found = trial.scores.find(([view]) => scorerName(trial.views[view]) === name);
  return found ? found[1] : undefined;
}

export function distinct(values) {
  return [...new Set(values)].sort((a, b) => String(a).localeCompare(String(b), "en", { numeric: true }));
}

export function linkTo(trial) {
  return `#/trial/${trial.run}/${trial.trial}`;
}

// Columns of comparisons: run, model and configuration, in the order of the summary.
export function groups(about, benchmark) {
  const found = new Map();
  for (const row of about.rows) {
    if (benchmark && row.benchmark !== benchmark) continue;
    const key = JSON.stringify([row.run, row.model, row.configuration]);
    if (!found.has(key)) found.set(key, { key, run: row.run, model: row.model, configuration: row.configuration });
  }
  return [...found.values()];
}

export function groupName(group, about) {
  const several = (name) => new Set(about.rows.map((row) => row[name])).size > 1;
  return [group.configuration, several("model") && group.model, about.runs.length > 1 && about.runs[group.run].name].filter(Boolean).join(" · ");
}
