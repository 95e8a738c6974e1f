// A dataset of a trial: what it is, where it comes from, its first rows and a map.

import { h, replace, table } from "./dom.js";
import { count, plural } from "./format.js";
import { goTo, cell, datasetId, longText, reference, show } from "./value.js";
import { callId, sourceText } from "./lineage.js";
import { mapOf } from "./map.js";
import { get } from "./source.js";

export function datasetCard(manifest, run, trial) {
  const name = String(manifest.ref ?? "").replace("ds://", "");
  const summary = manifest.summary ?? {};
  const place = h("div", { class: "preview" });
  const button = h("button", { type: "button", "aria-expanded": "false" }, "Show data");
  button.addEventListener("click", async () => {
    if (button.getAttribute("aria-expanded") === "true") {
      replace(place);
      button.setAttribute("aria-expanded", "false");
      button.textContent = "Show data";
      return;
    }
    button.disabled = true;
    try {
      const found = await get(`dataset/${run}/${trial}/${name}`);
      replace(place, preview(found));
      place.querySelectorAll("[data-map]").forEach((element) => element.dispatchEvent(new Event("shown")));
    } catch (error) {
      replace(place, h("p", { role: "alert" }, error.message));
    }
    button.disabled = false;
    button.setAttribute("aria-expanded", "true");
    button.textContent = "Hide data";
  });
  return h(
    "article", { class: "card", id: datasetId(name), "aria-labelledby": `${datasetId(name)}-name` },
    h("h3", { id: `${datasetId(name)}-name`, class: "mono" }, manifest.ref),
    h("p", { class: "facts" }, facts(manifest, summary).map((fact) => h("span", null, fact))),
    (manifest.notes ?? []).map((note) => h("p", { class: "quiet" }, note)),
    lineage(manifest.lineage ?? {}),
    button,
    place,
  );
}

function facts(manifest, summary) {
  const size = summary.rows !== undefined ? `${plural(summary.rows, "row")} × ${plural(Object.keys(summary.columns ?? {}).length, "column")}` : summary.width ? `${count(summary.width)} × ${count(summary.height)} cells` : null;
  return [manifest.format, size, summary.crs, summary.geometry_types ? Object.entries(summary.geometry_types).map(([k, v]) => `${count(v)} ${k}`).join(", ") : null, manifest.time_basis, manifest.time_zone].filter(Boolean);
}

function lineage(made) {
  if (!made.tool) return null;
  return h(
    "div", { class: "made" },
    h("p", null, "Made by ", h("button", { type: "button", class: "link", onclick: () => goTo(callId(made.call_id)) }, made.tool), made.inputs?.length ? [" from ", made.inputs.map((ref, n) => [n ? ", " : null, reference(ref)])] : null),
    made.sources?.length ? h("ul", { class: "plain" }, unique(made.sources).map((use) => h("li", null, sourceText(use)))) : null,
    h("details", { class: "tiny" }, h("summary", null, "Arguments"), show(made.arguments ?? {}, "arguments")),
  );
}

function unique(uses) {
  return [...new Map(uses.map((use) => [`${use.kind} ${use.source} ${use.snapshot}`, use])).values()];
}

function preview(found) {
  const made = found.preview;
  if (made.text !== undefined) return longText(made.text);
  const units = found.manifest.columns ?? {};
  const numeric = (n) => (made.rows ?? []).every((row) => row[n] === null || typeof row[n] === "number");
  const heads = (made.columns ?? []).map((c, n) => h("th", { scope: "col", class: numeric(n) ? "num" : null }, c, units[c]?.unit ? h("span", { class: "quiet" }, ` ${units[c].unit}`) : null));
  const rows = (made.rows ?? []).map((row) => row.map((value) => cell(value)));
  return [
    made.note ? h("p", { class: "quiet" }, made.note) : null,
    made.map ? mapOf(made.map, found.manifest) : null,
    rows.length ? table(`First rows of ${found.manifest.ref}`, heads, rows, { class: "small" }) : null,
    rows.length && made.total > rows.length ? h("p", { class: "quiet" }, `${count(rows.length)} of ${plural(made.total, "row")}`) : null,
  ];
}
