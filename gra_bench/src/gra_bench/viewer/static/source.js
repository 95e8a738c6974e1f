// Documents: from the server that serves this page, or from this file itself.

const kept = new Map();

export const inFile = document.querySelector("script[data-path]") !== null;

export class NotHere extends Error {}

export function get(path) {
  if (!kept.has(path)) {
    const found = load(path);
    kept.set(path, found);
    found.catch(() => kept.delete(path));
    // Single trials are read again when wanted; the lists are needed all the time.
    if (path.includes("/")) found.finally(() => setTimeout(() => kept.delete(path), 60000)).catch(() => {});
  }
  return kept.get(path);
}

async function load(path) {
  if (inFile) return JSON.parse(await embedded(path));
  const reply = await fetch(`api/${path.split("/").map(encodeURIComponent).join("/")}`);
  if (reply.status === 404) throw new NotHere("This is not in the run (any more).");
  const found = await reply.json();
  if (!reply.ok) throw new Error(found.error);
  return found;
}

// The text of a part of this file; parts below the script are there once the page is whole.
export async function embedded(path) {
  let element = part(path);
  if (!element && document.readyState === "loading") {
    await new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));
    element = part(path);
  }
  if (!element) throw new NotHere("This is left out of the file. gra-bench view RUN shows all of a run.");
  if (element.type === "application/json") return element.textContent;
  const bytes = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

function part(path) {
  return document.querySelector(`script[data-path="${CSS.escape(path)}"]`);
}
