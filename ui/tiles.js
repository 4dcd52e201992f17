// Draws nodes and pods on a canvas.
import { POD } from "./cluster.js";
import { eachVisible } from "./layout.js";
import { amount, count, percent } from "./words.js";

const LIGHT = ["#3b6fd8", "#d9822b", "#2c8f6b", "#9657c7", "#c2476d", "#5f7f1e", "#1f8fa8", "#a5672c", "#6a6fd0", "#7b8597"];
const DARK = ["#6d9cff", "#f0a75b", "#58c79d", "#c08ef0", "#ef7fa3", "#a5c85a", "#5cc3da", "#d39a62", "#9ea3f5", "#8e9bb0"];
const OTHERS = LIGHT.length - 1;
const STATES = ["running", "starting", "leaving", "unknown", "binding"];
const AGES = [
  [300, "under 5 minutes"],
  [3600, "under an hour"],
  [86400, "under a day"],
  [7 * 86400, "under a week"],
  [Infinity, "older"],
];
const HATCH = 4;
const FITS_MAX = 20000; // texts whose width is remembered

export function themeOf() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["more", "less", "surface", "text", "quiet", "line", "accent", "fill", "fill-high", "over", "bad", "warn", "track", "tile", "tile-line", "dim"];
  const theme = Object.fromEntries(names.map((name) => [name.replace(/-./g, (part) => part[1].toUpperCase()), value(name)]));
  theme.dim = Number(theme.dim);
  theme.palette = matchMedia("(prefers-color-scheme: dark)").matches ? DARK : LIGHT;
  theme.font = style.fontFamily || getComputedStyle(document.body).fontFamily;
  return theme;
}

/** Gives pods a number of the palette, and the legend its words. The most frequent values get colours of their own. */
export function colouringOf(cluster, by, now) {
  if (by === "age") {
    const number = (row) => AGES.findIndex(([limit]) => now - row[POD.created] < limit);
    return { number, words: AGES.map(([, text]) => text) };
  }
  const column = POD[by];
  const counts = new Map();
  for (const row of cluster.pods.values()) if (row[POD.node] !== null) counts.set(row[column], (counts.get(row[column]) || 0) + 1);
  const values = by === "state" ? STATES.filter((state) => counts.has(state)) : [...counts].sort((a, b) => b[1] - a[1]).map(([value]) => value);
  const numbers = new Map(values.slice(0, OTHERS).map((value, at) => [value, at]));
  const words = values.slice(0, OTHERS).map((value) => (value === "" ? "none" : String(value)));
  if (values.length > OTHERS) words.push(`${count(values.length - OTHERS)} others`);
  return { number: (row) => numbers.get(row[column]) ?? OTHERS, words };
}

/** Requested of allocatable after a plan; as before where it changes nothing. */
function afterOf(scene, node, resource) {
  const requested = scene.after?.get(node.id);
  return requested ? scene.cluster.share({ requested, allocatable: node.allocatable }, resource) : scene.cluster.share(node, resource);
}

export class Tiles {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.theme = themeOf();
    this.fits = new Map();
    this.font = "";
  }

  resize(width, height) {
    const scale = devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.height = `${height}px`;
    this.canvas.style.marginBottom = `-${height}px`;
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.font = ""; // a canvas forgets it with its size
  }

  /** scene: cluster, layout, resource, bars, colouring, filter, selected, top. */
  draw(scene) {
    const { context, theme } = this;
    context.fillStyle = theme.surface;
    context.fillRect(0, 0, this.width, this.height);
    const paint = this[scene.layout.zoom.name].bind(this);
    eachVisible(
      scene.layout,
      scene.top,
      scene.top + this.height,
      (node, x, y) => {
        context.globalAlpha = scene.filter && !node.isFound ? theme.dim : 1;
        paint(scene, node, x, y - scene.top);
        context.globalAlpha = 1;
        if (scene.taken?.has(node.name)) this.#cross(x, y - scene.top, scene.layout.tileWidth, scene.layout.zoom.height);
        if (node === scene.selected) this.#frame(scene.layout, x, y - scene.top);
      },
      (group) => this.#heading(scene, group, group.y - scene.top),
    );
  }

  #frame({ zoom, tileWidth }, x, y) {
    this.context.strokeStyle = this.theme.accent;
    this.context.lineWidth = 2;
    this.context.strokeRect(x - 1, y - 1, tileWidth + 2, zoom.height + 2);
  }

  /** As much of a text as fits, and its width; measuring is slow, so it is done once. */
  #fitted(text, width) {
    const key = `${this.font}|${Math.round(width)}|${text}`;
    const known = this.fits.get(key);
    if (known) return known;
    const measure = (part) => this.context.measureText(part).width;
    let shown = text;
    if (measure(text) > width) {
      let [low, high] = [0, text.length];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (measure(`${text.slice(0, middle)}…`) <= width) low = middle;
        else high = middle - 1;
      }
      shown = `${text.slice(0, low)}…`;
    }
    if (this.fits.size > FITS_MAX) this.fits.clear();
    const made = { shown, width: measure(shown) };
    this.fits.set(key, made);
    return made;
  }

  #text(text, x, y, width, colour, weight = 400, size = 12) {
    const { context } = this;
    const font = `${weight} ${size}px ${this.theme.font}`;
    if (font !== this.font) context.font = this.font = font;
    const fitted = this.#fitted(text, width);
    context.fillStyle = colour;
    context.fillText(fitted.shown, x, y);
    return fitted.width;
  }

  #heading(scene, group, y) {
    const nodes = group.nodes.length;
    const total = (list) => group.nodes.reduce((sum, node) => sum + (node[list][scene.resource] || 0), 0);
    const used = `${scene.cluster.resources[scene.resource]?.name ?? ""} ${percent(total("requested"), total("allocatable"))}`;
    const width = this.#text(group.label, scene.layout.left, y + 20, this.width * 0.55, this.theme.text, 600, 13);
    this.#text(`${count(nodes)} ${nodes === 1 ? "node" : "nodes"} · ${used}`, scene.layout.left + width + 10, y + 20, this.width, this.theme.quiet);
  }

  #hatch(x, y, width, height, colour) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    for (let at = x - height; at < x + width; at += HATCH) {
      context.moveTo(at, y + height);
      context.lineTo(at + height, y);
    }
    context.stroke();
    context.restore();
  }

  /** A bar of requested of allocatable; what is beyond has its own colour, and a mark where 100 % is. */
  #bar(share, x, y, width, height) {
    const { context, theme } = this;
    context.fillStyle = theme.track;
    context.fillRect(x, y, width, height);
    if (share > 1) {
      const limit = share === Infinity ? 0 : width / share;
      context.fillStyle = theme.fillHigh;
      context.fillRect(x, y, limit, height);
      context.fillStyle = theme.over;
      context.fillRect(x + limit, y, width - limit, height);
      context.fillStyle = theme.surface;
      context.fillRect(x + limit - 1, y, 2, height);
      return;
    }
    context.fillStyle = share >= 0.9 ? theme.fillHigh : theme.fill;
    context.fillRect(x, y, share > 0 ? Math.max(1, width * share) : 0, height);
  }

  /** The bar of a resource; of a node that a plan changes, before and after overlaid: what comes, and what goes. */
  #load(scene, node, resource, x, y, width, height) {
    const before = scene.cluster.share(node, resource);
    const after = afterOf(scene, node, resource);
    this.#bar(before, x, y, width, height);
    if (after === before || after === Infinity || before === Infinity) return;
    const whole = Math.max(1, before, after);
    if (whole > 1) this.#bar(after, x, y, width, height);
    const [low, high] = [Math.min(before, after) / whole, Math.max(before, after) / whole].map((share) => share * width);
    this.context.fillStyle = after > before ? this.theme.more : this.theme.less;
    this.context.fillRect(x + low, y, Math.max(1, high - low), height);
  }

  /** A node that is taken away. */
  #cross(x, y, width, height) {
    const { context, theme } = this;
    context.strokeStyle = theme.bad;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + width, y + height);
    context.moveTo(x + width, y);
    context.lineTo(x, y + height);
    context.stroke();
    context.strokeRect(x + 1, y + 1, width - 2, height - 2);
  }

  /** The smallest tiles: a cell that fills from below. */
  dots(scene, node, x, y) {
    const { context, theme } = this;
    const { width, height } = scene.layout.zoom;
    const share = scene.cluster.share(node, scene.resource);
    const after = afterOf(scene, node, scene.resource);
    const full = Math.min(share, 1) * height;
    context.fillStyle = theme.track;
    context.fillRect(x, y, width, height);
    context.fillStyle = share > 1 || scene.cluster.isOver(node) ? theme.over : share >= 0.9 ? theme.fillHigh : theme.fill;
    context.fillRect(x, y + height - full, width, full);
    if (after !== share) {
      const then = Math.min(after, 1) * height;
      context.fillStyle = after > share ? theme.more : theme.less;
      context.fillRect(x, y + height - Math.max(then, full), width, Math.max(1, Math.abs(then - full)));
    }
    if (!node.ready) {
      context.fillStyle = theme.bad;
      context.fillRect(x, y, width, 2);
    } else if (node.cordoned) {
      context.fillStyle = theme.warn;
      context.fillRect(x, y, width, 2);
    }
  }

  small(scene, node, x, y) {
    const { context, theme } = this;
    const { width, height } = scene.layout.zoom;
    this.dots(scene, node, x, y);
    if (node.cordoned || !node.ready) {
      this.#hatch(x, y, width, height, theme.surface);
      context.strokeStyle = node.ready ? theme.warn : theme.bad;
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
    }
  }

  #ground(scene, node, x, y) {
    const { context, theme } = this;
    const { tileWidth, zoom } = scene.layout;
    context.fillStyle = theme.tile;
    context.fillRect(x, y, tileWidth, zoom.height);
    if (node.cordoned || !node.ready) this.#hatch(x, y, tileWidth, zoom.height, theme.track);
    context.strokeStyle = !node.ready ? theme.bad : node.cordoned ? theme.warn : theme.tileLine;
    context.lineWidth = 1;
    context.setLineDash(node.cordoned ? [4, 3] : []);
    context.strokeRect(x + 0.5, y + 0.5, tileWidth - 1, zoom.height - 1);
    context.setLineDash([]);
  }

  /** Pods as cells, those of one colour together. */
  #pods(scene, node, x, y, width, height, most) {
    const { context, theme } = this;
    const cells = scene.colouring && cellsOf(node.list.length, width, height, most);
    if (!cells) return;
    if (node.sorted !== scene.colouring) {
      node.list.sort((a, b) => scene.colouring.number(a) - scene.colouring.number(b) || a[POD.id] - b[POD.id]);
      node.sorted = scene.colouring;
    }
    const before = context.globalAlpha;
    node.list.forEach((row, at) => {
      if (at >= cells.columns * cells.rows) return;
      context.globalAlpha = scene.filter?.pod && before === 1 && !scene.filter.pod(row, node) ? theme.dim : before;
      context.fillStyle = theme.palette[scene.colouring.number(row)];
      context.fillRect(x + (at % cells.columns) * cells.step, y + Math.floor(at / cells.columns) * cells.step, cells.size, cells.size);
    });
    context.globalAlpha = before;
  }

  medium(scene, node, x, y) {
    const width = scene.layout.tileWidth - 14;
    this.#ground(scene, node, x, y);
    this.#text(node.name, x + 7, y + 15, width, this.theme.text, 500, 11);
    scene.bars.slice(0, 3).forEach((resource, at) => this.#load(scene, node, resource, x + 7, y + 21 + at * 7, width, 5));
    this.#pods(scene, node, x + 7, y + 45, width, 23, 6);
  }

  large(scene, node, x, y) {
    const { theme } = this;
    const width = scene.layout.tileWidth - 20;
    const state = !node.ready ? "not ready" : node.cordoned ? "cordoned" : node.taints.length ? "tainted" : "";
    this.#ground(scene, node, x, y);
    const room = state ? 66 : 0;
    this.#text(node.name, x + 10, y + 20, width - room, theme.text, 600, 12);
    if (state) {
      this.context.textAlign = "right";
      this.#text(state, x + 10 + width, y + 20, room, node.ready ? (node.cordoned ? theme.warn : theme.quiet) : theme.bad, 500, 11);
      this.context.textAlign = "left";
    }
    const bars = scene.bars.filter((resource) => node.allocatable[resource] || node.requested[resource]);
    bars.slice(0, 4).forEach((resource, at) => {
      const share = scene.cluster.share(node, resource);
      const top = y + 30 + at * 17;
      const name = scene.cluster.resources[resource].name.replace(/^.*\//, "");
      this.#text(name, x + 10, top + 10, 62, theme.quiet, 400, 11);
      this.#load(scene, node, resource, x + 76, top + 2, width - 66 - 46, 8);
      this.context.textAlign = "right";
      const before = percent(node.requested[resource] || 0, node.allocatable[resource]);
      const then = scene.after?.get(node.id);
      const shown = then && then[resource] !== node.requested[resource] ? percent(then[resource] || 0, node.allocatable[resource]) : before;
      this.#text(share === Infinity ? "over" : shown, x + 10 + width, top + 10, 44, share > 1 ? theme.over : theme.text, share > 1 ? 600 : 400, 11);
      this.context.textAlign = "left";
    });
    this.#pods(scene, node, ...podArea(scene.layout, x, y));
  }
}

/** Where the pods of a large tile are: x, y, width, height, largest cell. */
const podArea = (layout, x, y) => [x + 10, y + 104, layout.tileWidth - 20, layout.zoom.height - 112, 10];

function cellsOf(pods, width, height, most) {
  if (!pods) return null;
  for (let step = most + 2; step >= 2; step--) {
    const columns = Math.floor((width + 1) / step);
    const rows = Math.floor((height + 1) / step);
    if (columns * rows >= pods || step === 2) return { columns, rows, step, size: step > 4 ? step - 2 : step - (step > 2) };
  }
  return null;
}

/** The pod below a point of a large tile at x, y. */
export function podAt(layout, node, x, y, pointX, pointY) {
  if (layout.zoom.name !== "large") return null;
  const [left, top, width, height, most] = podArea(layout, x, y);
  const cells = cellsOf(node.list.length, width, height, most);
  const [column, row] = [Math.floor((pointX - left) / (cells?.step || 1)), Math.floor((pointY - top) / (cells?.step || 1))];
  if (!cells || column < 0 || column >= cells.columns || row < 0 || row >= cells.rows) return null;
  return node.list[row * cells.columns + column] || null;
}

/** Resource lines of a node for people: name, text, share. */
export function linesOf(cluster, node, bars) {
  const has = (resource) => resource < 2 || node.allocatable[resource] || node.requested[resource];
  return bars.filter(has).map((resource) => {
    const { name, unit } = cluster.resources[resource];
    const [requested, allocatable] = [node.requested[resource] || 0, node.allocatable[resource] || 0];
    return { name, share: cluster.share(node, resource), text: `${amount(requested, unit)} of ${amount(allocatable, unit)}, ${percent(requested, allocatable)}` };
  });
}
