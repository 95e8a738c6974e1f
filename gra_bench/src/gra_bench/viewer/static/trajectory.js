// The steps of a trial in order: stages, model calls, tool calls, and what happened between them.

import { h } from "./dom.js";
import { count, plural, seconds, tokens } from "./format.js";
import { callId } from "./lineage.js";
import { longText, show } from "./value.js";

const NOTES = {
  skills_loaded: (d) => ["Skills loaded: ", d.names.join(", ") || "none new"],
  plan_submitted: (d) => [`Plan submitted: ${plural(d.plan.steps.length, "step")}`],
  plan_updated: (d) => [`Plan step ${d.step} is ${d.status}`, d.note ? `: ${d.note}` : ""],
  proxy_recorded: (d) => [`Substitute: ${d.used} for ${d.wanted}. ${d.effect}`],
  abstained: (d) => [`Abstained: ${d.reason}`],
  guidance_applied: (d) => [`Rule ${d.rule} applied`, d.tool ? ` to ${d.tool}` : "", d.detail ? `: ${d.detail}` : ""],
  limit_struck: (d) => [`Limit ${d.limit} struck: ${d.used} of ${d.allowed}`],
};

export function steps(events) {
  const returned = new Map(events.filter((e) => e.kind === "tool_returned").map((e) => [e.data.id, e]));
  const made = [];
  let model = null;
  for (const event of events) {
    const data = event.data;
    if (event.kind === "stage_started") made.push({ kind: "stage", event });
    else if (event.kind === "model_called") made.push((model = { kind: "model", event, reply: null }));
    else if (event.kind === "model_replied" || event.kind === "model_failed") {
      if (model) model.reply = event;
      else made.push({ kind: "model", event, reply: event });
      model = null;
    } else if (event.kind === "tool_called") made.push({ kind: "tool", event, reply: returned.get(data.id) ?? null });
    else if (NOTES[event.kind]) made.push({ kind: "note", event });
  }
  return made;
}

export function trajectory(events) {
  if (!events.length) return h("p", { class: "quiet" }, "No events of this trial are in the log.");
  const list = h("ol", { class: "steps" }, steps(events).map(step));
  const all = (open) => () => {
    for (const details of list.querySelectorAll(":scope > li > details")) details.open = open;
  };
  return [h("p", { class: "controls" }, h("button", { type: "button", onclick: all(true) }, "Open all"), h("button", { type: "button", onclick: all(false) }, "Close all")), list];
}

function step(one) {
  const data = one.event.data;
  if (one.kind === "stage") return h("li", { class: "stage" }, h("h3", null, `${data.stage === "planning" ? "Planning" : "Execution"}`, h("span", { class: "quiet" }, ` ${data.strategy}`)));
  if (one.kind === "note") return h("li", { class: `note ${one.event.kind}` }, NOTES[one.event.kind](data));
  return one.kind === "model" ? modelStep(one) : toolStep(one);
}

function modelStep({ event, reply }) {
  const data = reply?.data ?? {};
  const failed = reply?.kind === "model_failed";
  const [inward, outward] = (data.requests ?? []).map(tokens).reduce((a, b) => [a[0] + b[0], a[1] + b[1]], [0, 0]);
  const asked = (data.tool_calls ?? []).map((c) => c.name);
  const gist = failed ? `failed: ${data.error}` : asked.length ? `calls ${asked.join(", ")}` : data.text ? "answers" : reply ? data.stop : "no reply";
  const odd = reply && !failed && !["stop", "tool_calls"].includes(data.stop);
  const facts = [inward + outward ? `${count(inward)} → ${count(outward)} tokens` : null, event.data.declared_tools !== undefined ? plural(event.data.declared_tools, "tool") + " declared" : null, (data.requests ?? []).length > 1 ? plural(data.requests.length, "request") : null, data.waited_s ? `waited ${seconds(data.waited_s)}` : null, odd ? `stop: ${data.stop}` : null];
  const body = [
    failed ? h("p", null, data.message) : null,
    data.text ? longText(data.text) : null,
    data.thoughts ? h("details", null, h("summary", null, "Thoughts"), longText(data.thoughts)) : null,
    h("p", { class: "facts" }, facts.filter(Boolean).map((fact) => h("span", null, fact))),
  ];
  return h("li", { class: failed || odd ? "model bad" : "model" }, h("details", { open: Boolean(data.text) || failed }, h("summary", null, h("span", { class: "what" }, `Model ${event.data.call ?? ""}`), ` ${gist}`, time(event)), body));
}

function toolStep({ event, reply }) {
  const data = event.data;
  const status = reply?.data.status ?? "no reply";
  const output = reply?.data.output ?? null;
  return h(
    "li", { class: `tool ${status}`, id: callId(data.id) },
    h("details", { open: status === "error" }, h("summary", null, h("code", null, data.name), h("span", { class: `badge ${status}` }, status), h("span", { class: "gist" }, gist(data.arguments)), time(event, reply?.data.seconds)), h("p", { class: "label" }, "Arguments"), show(data.arguments, `Arguments of ${data.name}`), h("p", { class: "label" }, "Reply"), output ? show(without(output), `Reply of ${data.name}`) : h("p", { class: "quiet" }, "The trial ended first.")),
  );
}

function without(output) {
  const { status: _, ...rest } = output;
  return rest;
}

function gist(arguments_) {
  const text = Object.entries(arguments_ ?? {})
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
  return text.length > 110 ? `${text.slice(0, 110)}…` : text;
}

function time(event, took) {
  return h("span", { class: "time" }, took !== undefined && took !== null ? `${seconds(took)} ` : "", h("span", { class: "quiet" }, `at ${event.elapsed_s.toFixed(1)} s`));
}
