// The map of a plan: before and after overlaid, moves as arrows, nodes taken away crossed out.
import { fittingZoom, groupsOf, layoutOf, neighbour, nodeAt, ZOOMS } from "./layout.js";
import { Tiles } from "./tiles.js";
import { many } from "./words.js";

const ZONE = "topology.kubernetes.io/zone";
const ARROWS_MAX = 400; // more hide each other
const HEAD = 5;

export class PlanMap {
  /** pick(node): a node was chosen. */
  constructor(root, cluster, theme, pick) {
    Object.assign(this, { root, cluster, pick, zoom: null, selected: null, layout: null, after: new Map(), moves: [], taken: new Set(), isPlanned: false });
    this.map = root.querySelector("#what-map");
    this.spacer = root.querySelector("#what-spacer");
    this.spoken = document.getElementById("spoken");
    this.changedOnly = root.querySelector("#what-changed");
    this.tiles = new Tiles(root.querySelector("#what-canvas"));
    this.theme = theme;
    this.map.addEventListener("scroll", () => this.#redraw(), { passive: true });
    this.map.addEventListener("click", (event) => this.#click(event));
    this.map.addEventListener("keydown", (event) => this.#press(event));
    this.changedOnly.addEventListener("change", () => this.#arrange());
    root.querySelector("#what-in").addEventListener("click", () => this.#zoomBy(1));
    root.querySelector("#what-out").addEventListener("click", () => this.#zoomBy(-1));
    new ResizeObserver(() => this.isOpen() && this.#arrange()).observe(this.map);
  }

  isOpen() {
    return !this.root.hidden;
  }

  open() {
    this.#arrange();
  }

  refresh(isNewShape) {
    if (isNewShape || !this.layout) this.#arrange();
    else this.#redraw();
  }

  /** Shows which nodes are taken away, and an answer or none. */
  show(taken, answer) {
    this.taken = taken;
    this.after = new Map((answer?.loads ?? []).map(([id, ...requested]) => [id, requested]));
    const byName = new Map([...this.cluster.nodes.values()].map((node) => [node.name, node]));
    const pairs = new Map();
    for (const { node, landing } of answer?.plan.evictions ?? []) {
      const [from, to] = [byName.get(node), landing ? byName.get(landing) : null];
      if (!from || !to) continue;
      const key = `${from.id} ${to.id}`;
      const pair = pairs.get(key) ?? { from, to, pods: 0 };
      pair.pods++;
      pairs.set(key, pair);
    }
    this.moves = [...pairs.values()].sort((a, b) => b.pods - a.pods);
    this.changedOnly.closest("label").hidden = !answer;
    this.#arrange();
  }

  /** How many nodes have no pods, and how many are over-committed, before and after. */
  emptied() {
    const pods = this.cluster.resources.findIndex(({ name }) => name === "pods");
    const found = { before: 0, after: 0, overBefore: 0, overAfter: 0 };
    const isOver = (node, requested) => requested.some((amount, at) => amount > (node.allocatable[at] || 0));
    for (const node of this.cluster.nodes.values()) {
      const after = this.after.get(node.id) ?? node.requested;
      found.before += !node.requested[pods];
      found.after += !after[pods];
      found.overBefore += isOver(node, node.requested);
      found.overAfter += isOver(node, after);
    }
    return found;
  }

  #arrange() {
    const [width, height] = [this.map.clientWidth, this.map.clientHeight];
    if (!width) return;
    const isShown = (node) => !this.changedOnly.checked || this.changedOnly.closest("label").hidden || this.after.has(node.id) || this.taken.has(node.name);
    const nodes = new Map([...this.cluster.nodes].filter(([, node]) => isShown(node)));
    const key = this.cluster.groupKeys().includes(ZONE) ? ZONE : "";
    const groups = groupsOf({ nodes, share: this.cluster.share }, { key, order: "name", resource: 0 });
    if (this.zoom === null && nodes.size) this.zoom = fittingZoom(groups, width, height, 2);
    this.layout = layoutOf(groups, ZOOMS[this.zoom ?? 1], width);
    this.spacer.style.height = `${this.layout.height}px`;
    if (this.tiles.width !== width || this.tiles.height !== height) this.tiles.resize(width, height);
    this.places = new Map();
    const { zoom, columns, tileWidth, left } = this.layout;
    for (const group of this.layout.groups)
      group.nodes.forEach((node, at) => this.places.set(node.id, { x: left + (at % columns) * (tileWidth + zoom.gap), y: group.top + Math.floor(at / columns) * (zoom.height + zoom.gap) }));
    this.root.querySelector("#what-out").disabled = this.zoom === 0;
    this.root.querySelector("#what-in").disabled = this.zoom === ZOOMS.length - 1;
    this.#redraw();
  }

  #zoomBy(step) {
    this.zoom = Math.min(ZOOMS.length - 1, Math.max(0, (this.zoom ?? 1) + step));
    this.#arrange();
  }

  #redraw() {
    if (this.isPlanned || !this.layout) return;
    this.isPlanned = true;
    requestAnimationFrame(() => {
      this.isPlanned = false;
      const { cluster, layout, after, taken, selected } = this;
      this.tiles.theme = this.theme();
      const bars = cluster.usedResources();
      this.tiles.draw({ cluster, layout, after, taken, selected, bars, resource: 0, filter: null, colouring: null, top: this.map.scrollTop });
      this.#drawMoves();
    });
  }

  #centre({ id }) {
    const place = this.places.get(id);
    return place && { x: place.x + this.layout.tileWidth / 2, y: place.y + this.layout.zoom.height / 2 - this.map.scrollTop };
  }

  #drawMoves() {
    const { context, theme } = this.tiles;
    const bottom = this.tiles.height;
    context.strokeStyle = context.fillStyle = theme.accent;
    for (const { from, to, pods } of this.moves.slice(0, ARROWS_MAX)) {
      const [a, b] = [this.#centre(from), this.#centre(to)];
      if (!a || !b || (a.y < 0 && b.y < 0) || (a.y > bottom && b.y > bottom)) continue;
      const bend = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 - Math.min(40, Math.abs(a.x - b.x) / 4) };
      const angle = Math.atan2(b.y - bend.y, b.x - bend.x);
      context.globalAlpha = 0.75;
      context.lineWidth = Math.min(4, 1 + Math.log2(pods));
      context.beginPath();
      context.moveTo(a.x, a.y);
      context.quadraticCurveTo(bend.x, bend.y, b.x, b.y);
      context.stroke();
      context.beginPath();
      context.moveTo(b.x, b.y);
      for (const turn of [-0.5, 0.5]) context.lineTo(b.x - (HEAD + context.lineWidth) * Math.cos(angle + turn), b.y - (HEAD + context.lineWidth) * Math.sin(angle + turn));
      context.fill();
    }
    context.globalAlpha = 1;
  }

  // ---- choosing ----

  #click(event) {
    if (!this.layout) return;
    const box = this.map.getBoundingClientRect();
    const node = nodeAt(this.layout, event.clientX - box.left - this.map.clientLeft, event.clientY - box.top - this.map.clientTop + this.map.scrollTop);
    if (!node) return;
    this.selected = node;
    this.pick(node);
  }

  #press(event) {
    if (!this.layout) return;
    if (event.key === "Enter" || event.key === " ") {
      if (this.selected) this.pick(this.selected);
      this.#speak();
    } else if (event.key === "+" || event.key === "=") this.#zoomBy(1);
    else if (event.key === "-") this.#zoomBy(-1);
    else if (event.key.startsWith("Arrow")) {
      this.selected = neighbour(this.layout, this.selected, event.key);
      this.#reveal();
      this.#speak();
      this.#redraw();
    } else return;
    event.preventDefault();
  }

  #reveal() {
    const place = this.selected && this.places.get(this.selected.id);
    if (!place) return;
    const below = place.y + this.layout.zoom.height + 8;
    if (place.y - 40 < this.map.scrollTop) this.map.scrollTop = place.y - 40;
    else if (below > this.map.scrollTop + this.map.clientHeight) this.map.scrollTop = below - this.map.clientHeight;
  }

  #speak() {
    const node = this.selected;
    if (node) this.spoken.textContent = `${node.name}: ${this.taken.has(node.name) ? "taken away" : "in place"}; ${many(node.list.length, "pod")}`;
  }
}
