// Maps: MapLibre GL JS with country outlines of the boundaries source as its base. No tiles, no glyphs, no network.

import { announce, h, replace, s } from "./dom.js";
import { embedded, get, inFile } from "./source.js";
import { cell } from "./value.js";

let library = null;

function libraryOf() {
  library ??= inFile ? fromFile() : fromServer();
  return library;
}

function script(url) {
  return new Promise((done, failed) => {
    const element = h("script", { src: url, onload: () => done(window.maplibregl), onerror: () => failed(new Error("The map's library could not be loaded.")) });
    document.head.append(element);
  });
}

async function fromServer() {
  document.head.append(h("link", { rel: "stylesheet", href: "vendor/maplibre-gl.css" }));
  return script("vendor/maplibre-gl.js");
}

async function fromFile() {
  document.head.append(h("style", null, await embedded("vendor/maplibre-gl.css")));
  return script(URL.createObjectURL(new Blob([await embedded("vendor/maplibre-gl.js")], { type: "text/javascript" })));
}

export function mapOf(made, manifest) {
  const canvas = h("div", { class: "map", "data-map": "" });
  const details = h("div", { class: "feature", "aria-live": "polite" });
  const legend = h("div", { class: "legend" });
  const controls = h("div", { class: "controls" });
  const box = h("div", { class: "mapbox", role: "group", "aria-label": `Map of ${manifest.ref} with its controls` }, controls, canvas, legend, details);
  canvas.addEventListener("shown", () => start(made, manifest, { canvas, details, legend, controls }).catch((error) => replace(canvas, h("p", { class: "nomap", role: "alert" }, `No map: ${error.message} The table has the data.`))));
  return box;
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

async function start(made, manifest, parts) {
  const [maplibregl, base] = await Promise.all([libraryOf(), get("base").catch(() => ({}))]);
  if (!document.createElement("canvas").getContext("webgl2")) throw new Error("this browser has no WebGL.");
  const credits = [base.attribution, ...(manifest.lineage?.sources ?? []).map((use) => use.attribution)].filter(Boolean);
  const [west, south, east, north] = made.bounds;
  const map = new maplibregl.Map({
    container: parts.canvas,
    style: style(base),
    bounds: [[west, Math.max(south, -85)], [east, Math.min(north, 85)]],
    fitBoundsOptions: { padding: 30, maxZoom: 9, animate: false },
    attributionControl: false,
    cooperativeGestures: true,
    fadeDuration: 0,
    locale: { "Map.Title": `Map of ${manifest.ref}` },
  });
  map.addControl(new maplibregl.NavigationControl({ showCompass: false }), "top-right");
  await new Promise((done) => map.once("load", done));
  if (made.type === "raster") addRaster(map, made, parts);
  else addFeatures(map, made, parts);
  parts.legend.append(h("p", { class: "quiet" }, [...new Set(credits)].map(plain).join(" · ")));
  map.once("idle", () => {
    parts.canvas.dataset.ready = "true";
    announce("Map drawn");
  });
}

// Attributions may be HTML (some providers ask for it): shown as the text that they would read as.
function plain(credit) {
  return new DOMParser().parseFromString(credit, "text/html").body.textContent;
}

function style(base) {
  const layers = [{ id: "sea", type: "background", paint: { "background-color": colour("--sea") } }];
  const sources = {};
  for (const [name, data] of Object.entries(base.layers ?? {})) {
    sources[name] = { type: "geojson", data };
    if (name === "countries") layers.push({ id: "land", type: "fill", source: name, paint: { "fill-color": colour("--land"), "fill-antialias": false } });
    layers.push({ id: name, type: "line", source: name, minzoom: name === "states" ? 3 : 0, paint: { "line-color": colour("--outline"), "line-width": name === "states" ? 0.6 : 1 } });
  }
  return { version: 8, sources, layers };
}

function addRaster(map, made, parts) {
  const [west, south, east, north] = made.bounds;
  map.addSource("data", { type: "image", url: made.image, coordinates: [[west, north], [east, north], [east, south], [west, south]] });
  map.addLayer({ id: "data", type: "raster", source: "data", paint: { "raster-opacity": 0.85, "raster-resampling": "nearest", "raster-fade-duration": 0 } });
  for (const name of ["countries", "states"]) if (map.getLayer(name)) map.moveLayer(name);
  parts.legend.append(rasterLegend(made.legend));
}

function rasterLegend(legend) {
  if (legend.kind === "classes") return h("ul", { class: "key" }, legend.classes.map((one) => h("li", null, swatch(one.colour), String(one.value))));
  if (legend.kind !== "ramp") return h("p", { class: "quiet" }, "No cell has a value.");
  return ramp(legend.colours, legend.min, legend.max, legend.unit);
}

function swatch(fill) {
  return s("svg", { width: 14, height: 14, "aria-hidden": "true" }, s("rect", { width: 14, height: 14, fill }));
}

function ramp(colours, low, high, unit) {
  const width = 180 / colours.length;
  const bar = s("svg", { width: 180, height: 12, role: "img", "aria-label": `Colours from ${low} to ${high} ${unit}` }, colours.map((fill, n) => s("rect", { x: n * width, width: width + 0.5, height: 12, fill })));
  return h("p", { class: "ramp" }, h("span", null, String(low)), bar, h("span", null, `${high} ${unit}`));
}

const RAMP = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"];

function addFeatures(map, made, parts) {
  map.addSource("data", { type: "geojson", data: made.geojson, generateId: true });
  const fill = colour("--accent");
  const selected = ["boolean", ["feature-state", "selected"], false];
  const is = (...names) => ["in", ["geometry-type"], ["literal", names]];
  map.addLayer({ id: "areas", type: "fill", source: "data", filter: is("Polygon", "MultiPolygon"), paint: { "fill-color": fill, "fill-opacity": ["case", selected, 0.75, 0.4] } });
  map.addLayer({ id: "lines", type: "line", source: "data", filter: is("Polygon", "MultiPolygon", "LineString", "MultiLineString"), paint: { "line-color": fill, "line-width": ["case", selected, 3, 1.2] } });
  map.addLayer({ id: "points", type: "circle", source: "data", filter: is("Point", "MultiPoint"), paint: { "circle-color": fill, "circle-radius": ["case", selected, 8, 5], "circle-stroke-color": colour("--paper"), "circle-stroke-width": 1 } });
  const layers = ["points", "areas", "lines"];
  let last = null;
  const choose = (id, properties) => {
    if (last !== null) map.setFeatureState({ source: "data", id: last }, { selected: false });
    last = id;
    map.setFeatureState({ source: "data", id }, { selected: true });
    replace(parts.details, h("table", { class: "small" }, h("caption", null, "Chosen feature"), h("tbody", null, Object.entries(properties).map(([k, v]) => h("tr", null, h("th", { scope: "row" }, k), cell(v))))));
  };
  map.on("click", (event) => {
    const [found] = map.queryRenderedFeatures(event.point, { layers });
    if (found) choose(found.id, made.geojson.features[found.id].properties);
  });
  map.on("mousemove", (event) => {
    map.getCanvas().classList.toggle("over", map.queryRenderedFeatures(event.point, { layers }).length > 0);
  });
  featureControls(map, made, parts, choose, fill);
  if (made.total > made.shown) parts.legend.append(h("p", { class: "quiet" }, `${made.shown} of ${made.total} features are drawn.`));
}

// The same without a pointer: choose a feature by name, and colour by a number.
function featureControls(map, made, parts, choose, fill) {
  const features = made.geojson.features;
  const names = Object.keys(features[0]?.properties ?? {});
  const label = ["name", "region_name", "place_name", "title"].find((n) => names.includes(n)) ?? names[0];
  if (label && features.length <= 500) {
    const list = h("select", { id: `feature-${parts.canvas.id || Math.random().toString(36).slice(2)}` }, h("option", { value: "" }, "none"), features.map((f, n) => h("option", { value: n }, String(f.properties[label] ?? n + 1))));
    list.addEventListener("change", () => {
      if (list.value !== "") choose(Number(list.value), features[Number(list.value)].properties);
    });
    parts.controls.append(h("label", { for: list.id }, "Feature"), list);
  }
  const numeric = names.filter((n) => features.some((f) => typeof f.properties[n] === "number") && features.every((f) => f.properties[n] === null || typeof f.properties[n] === "number"));
  if (!numeric.length) return;
  const by = h("select", { id: `colour-${Math.random().toString(36).slice(2)}` }, h("option", { value: "" }, "one colour"), numeric.map((n) => h("option", null, n)));
  const key = h("div");
  parts.legend.append(key);
  by.addEventListener("change", () => {
    const values = features.map((f) => f.properties[by.value]).filter((v) => typeof v === "number");
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const paint = by.value && high > low ? ["case", ["==", ["typeof", ["get", by.value]], "number"], ["interpolate", ["linear"], ["get", by.value], ...RAMP.flatMap((c, n) => [low + ((high - low) * n) / (RAMP.length - 1), c])], "#8888"] : fill;
    map.setPaintProperty("areas", "fill-color", paint);
    map.setPaintProperty("points", "circle-color", paint);
    map.setPaintProperty("areas", "fill-opacity", by.value ? 0.8 : 0.4);
    replace(key, by.value && high > low ? ramp(RAMP, low, high, by.value) : null);
  });
  parts.controls.append(h("label", { for: by.id }, "Colour by"), by);
}
