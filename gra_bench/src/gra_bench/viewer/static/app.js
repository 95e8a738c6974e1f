// Which view is shown: the part of the address after "#/" says so.

import { announce, h, replace } from "./dom.js";
import { summary } from "./model.js";
import { compareView } from "./compare.js";
import { queriesView } from "./queries.js";
import { resultsView } from "./results.js";
import { trialView } from "./trial.js";
import { trialsView } from "./trials.js";

const main = document.getElementById("main");
const VIEWS = { "": resultsView, queries: queriesView, trials: trialsView, trial: trialView, compare: compareView };
const MENU = { "": "results", queries: "queries", trials: "trials", trial: "trials", compare: "trials" };
let shown = 0;

async function show(first) {
  const address = location.hash.startsWith("#/") ? location.hash.slice(2) : "";
  const [path, query] = address.split("?");
  const [view, ...parts] = path.split("/").map(decodeURIComponent);
  const turn = ++shown;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === MENU[view]) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  main.setAttribute("aria-busy", "true");
  let made;
  try {
    const about = await summary();
    document.getElementById("where").textContent = about.runs.map((run) => run.name).join(" · ");
    made = await (VIEWS[view] ?? nothing)(about, parts, new URLSearchParams(query));
  } catch (error) {
    made = { title: "Not shown", body: [h("h1", null, "Not shown"), h("p", { role: "alert" }, error.message)] };
  }
  if (turn !== shown) return; // somebody has gone on meanwhile
  replace(main, made.body);
  main.removeAttribute("aria-busy");
  document.title = `${made.title} – gra-bench`;
  performance.mark("gra-shown");
  if (!first) {
    const heading = main.querySelector("h1");
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: true });
    scrollTo(0, 0);
    announce(made.title);
  }
  made.after?.();
}

async function nothing() {
  return { title: "Unknown page", body: [h("h1", null, "Unknown page"), h("p", null, h("a", { href: "#/" }, "Results"))] };
}

addEventListener("hashchange", () => {
  if (location.hash === "" || location.hash.startsWith("#/")) show(false);
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
show(true);
