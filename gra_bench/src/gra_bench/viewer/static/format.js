// Numbers and names as people read them.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function score(value) {
  return value === null || value === undefined ? "unscored" : (100 * value).toFixed(1);
}

export function dollars(value) {
  if (value === null || value === undefined) return "unknown";
  const amount = Number(value);
  return amount >= 1 || amount === 0 ? `$${amount.toFixed(2)}` : `$${amount.toFixed(4)}`;
}

export function count(value) {
  return value === null || value === undefined ? "" : whole.format(value);
}

export function seconds(value) {
  if (value === null || value === undefined) return "";
  if (value < 10) return `${value.toFixed(value < 0.1 ? 3 : 1)} s`;
  if (value < 120) return `${value.toFixed(0)} s`;
  return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

export function plural(number, one, many = `${one}s`) {
  return `${whole.format(number)} ${number === 1 ? one : many}`;
}

export function cut(text, length) {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

// How a score is called, apart from its colour.
export function verdict(value) {
  if (value === null || value === undefined) return ["unscored", "–"];
  if (value >= 1) return ["right", "✓"];
  if (value <= 0) return ["wrong", "✗"];
  return ["partly", "◐"];
}

export function tokens(usage) {
  if (!usage) return [0, 0];
  const get = (name) => usage[name] ?? 0;
  return [get("input") + get("cached") + get("tool_use"), get("output") + get("thinking")];
}
