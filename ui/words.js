// Numbers, amounts and times as people write them.
const whole = new Intl.NumberFormat("en-GB");

export const count = (value) => whole.format(value);
export const many = (value, noun) => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

export function percent(part, all) {
  if (!all) return part ? "none allocatable" : "0 %";
  const share = (part / all) * 100;
  return `${share > 0 && share < 1 ? "<1" : Math.round(share)} %`;
}

function scaled(value, step, units) {
  let at = 0;
  while (Math.abs(value) >= step && at < units.length - 1) {
    value /= step;
    at++;
  }
  const digits = at === 0 || Math.abs(value) >= 100 ? 0 : 1;
  return `${Number(value.toFixed(digits))} ${units[at]}`;
}

/** An amount of a resource in its unit: "1.5 cores", "12.3 GiB", "3". */
export function amount(value, unit) {
  if (unit === "millicores") return Math.abs(value) < 1000 && value ? `${value} m` : `${count(Math.round(value / 100) / 10)} cores`;
  if (unit === "bytes") return scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]);
  return count(value);
}

/** A gauge of requested of allocatable: what is beyond 100 % is behind a mark. */
export function gaugeOf(share) {
  const made = element("span", { className: share > 1 ? "gauge over" : "gauge" }, element("i"));
  made.firstChild.style.width = `${100 * (share > 1 ? 1 / share : share)}%`;
  return made;
}

/** Time since a moment in seconds, in its largest unit. */
export function age(created, now) {
  const seconds = Math.max(0, now - created);
  if (!created) return "unknown";
  for (const [length, unit] of [[86400, "d"], [3600, "h"], [60, "min"]]) if (seconds >= length) return `${count(Math.floor(seconds / length))} ${unit}`;
  return `${Math.floor(seconds)} s`;
}

/** An element with text, never markup. */
export function element(tag, { text, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}
