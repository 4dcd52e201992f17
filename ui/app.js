// The page: puts data, map, controls and panel together.
import { Cluster, filterOf, POD } from "./cluster.js";
import { EventsView } from "./events.js";
import { ask, Feed, get } from "./feed.js";
import { fittingZoom, groupsOf, layoutOf, neighbour, nodeAt, placeOf, ZOOMS } from "./layout.js";
import { LeavingView } from "./leaving.js";
import { Panel } from "./panel.js";
import { PodView } from "./pod.js";
import { colouringOf, linesOf, podAt, themeOf, Tiles } from "./tiles.js";
import { WhatIfView } from "./whatif.js";
import { count, element, gaugeOf, many, percent } from "./words.js";

const ZONE = "topology.kubernetes.io/zone";
const TYPING_MS = 80; // a search follows when there is no further letter for so long
const COLOURING_MS = 5000; // colours follow the most frequent values, not every change

const byId = (id) => document.getElementById(id);
const [map, canvas, spacer, tip] = ["map", "canvas", "spacer", "tip"].map(byId);
const cluster = new Cluster();
const tiles = new Tiles(canvas);
const view = { key: null, order: "name", resource: 0, by: "namespace", filter: null, zoom: null, selected: null, bars: [0, 1], layout: null, colouring: null };
const addressOf = (row) => `#pod/${encodeURIComponent(row[POD.namespace])}/${encodeURIComponent(row[POD.name])}`;
const podView = new PodView(byId("pod"), cluster, get, addressOf);
const eventsView = new EventsView(byId("events"), get);
const whatIf = new WhatIfView(byId("whatif"), { cluster, get, ask, link: addressOf, theme: () => tiles.theme });
const leaving = new LeavingView(byId("leaving"), get);
const panel = new Panel(byId("panel"), cluster, show, (row) => tiles.theme.palette[view.colouring?.number(row) ?? 0], addressOf);

// ---- drawing ----

let isPlanned = false;

function redraw() {
  if (isPlanned) return;
  isPlanned = true;
  requestAnimationFrame(() => {
    isPlanned = false;
    if (!view.layout) return;
    tiles.draw({ ...view, cluster, top: map.scrollTop });
  });
}

function arrange() {
  const [width, height] = [map.clientWidth, map.clientHeight];
  const groups = groupsOf(cluster, view);
  if (view.zoom === null && cluster.nodes.size) view.zoom = fittingZoom(groups, width, height);
  view.layout = layoutOf(groups, ZOOMS[view.zoom ?? 1], width);
  spacer.style.height = `${view.layout.height}px`;
  if (tiles.width !== width || tiles.height !== height) tiles.resize(width, height);
  byId("out").disabled = view.zoom === 0;
  byId("in").disabled = view.zoom === ZOOMS.length - 1;
  byId("empty").hidden = cluster.nodes.size > 0;
  redraw();
}

function zoomBy(step) {
  const before = view.layout.height;
  view.zoom = Math.min(ZOOMS.length - 1, Math.max(0, (view.zoom ?? 1) + step));
  const middle = (map.scrollTop + map.clientHeight / 2) / before;
  arrange();
  map.scrollTop = view.selected ? (placeOf(view.layout, view.selected)?.y ?? 0) - map.clientHeight / 2 : middle * view.layout.height - map.clientHeight / 2;
}

// ---- figures and legend ----

function figure({ value, unit = "", text, note = "", kind = "", share, onclick }) {
  const number = element("b", { text: value }, ...(unit ? [element("small", { text: ` ${unit}` })] : []));
  const made = element(onclick ? "button" : "div", { className: "figure" }, element("span", { text }), number);
  if (onclick) Object.assign(made, { type: "button", onclick });
  made.append(element("span", { text: note || " ", className: `note ${kind}`, title: note }));
  if (share !== undefined) made.append(gaugeOf(share));
  return made;
}

function used(headline, resource, text) {
  const [requested, allocatable] = [headline.requested[resource] || 0, headline.allocatable[resource] || 0];
  const over = headline.overcommitted;
  return { value: percent(requested, allocatable), text, share: allocatable ? requested / allocatable : 0, note: resource === 0 && over ? `${count(over)} over-committed` : "of allocatable", kind: resource === 0 && over ? "bad" : "" };
}

/** Evictions seen, with the rules that asked for most of them; a click shows them. */
function evicted({ count: sum, rules }) {
  const note = sum ? rules.slice(0, 2).map(({ rule, count: times }) => `${count(times)} ${rule}`).join(", ") : "none seen";
  const onclick = () => {
    eventsView.only("evicted");
    location.hash = "#events";
  };
  return { value: count(sum), text: "Evictions seen", note, onclick };
}

function showWaiting() {
  if (view.open !== "cluster") location.hash = "#pod";
  else show({ waiting: true });
}

function drawFigures() {
  const headline = cluster.headline;
  if (!headline) return;
  const { states } = headline;
  const waiting = states.waiting + states.gated;
  const troubled = [headline.notReady && `${count(headline.notReady)} not ready`, headline.cordoned && `${count(headline.cordoned)} cordoned`].filter(Boolean).join(", ");
  const focused = document.activeElement?.id;
  const cards = [
    { value: count(headline.nodes), text: "Nodes", note: troubled || "all ready", kind: headline.notReady ? "bad" : headline.cordoned ? "warn" : "" },
    { value: count(headline.placed), text: "Pods placed", note: states.leaving ? `${count(states.leaving)} leaving` : `${count(states.running)} running` },
    { value: count(waiting), text: "Pods waiting", note: headline.unplaceable ? `${count(headline.unplaceable)} fit nowhere now` : states.gated ? `${count(states.gated)} gated` : waiting ? "not tried yet" : "none", kind: headline.unplaceable ? "bad" : "", onclick: showWaiting },
    used(headline, 0, "CPU requested"),
    used(headline, 1, "Memory requested"),
    { value: percent(headline.strandedCpu, headline.freeCpu), text: "Free CPU stranded", note: "fits no average pod" },
    { value: count(headline.guarded), text: "Kept by budgets", note: headline.guarded ? "none may go now" : "none", kind: headline.guarded ? "warn" : "" },
    ...(cluster.evictions ? [evicted(cluster.evictions)] : []),
  ].map(figure);
  cards[2].id = "waiting";
  byId("figures").replaceChildren(...cards);
  if (cards[7]) cards[7].id = "evictions";
  if (focused === "waiting" || focused === "evictions") byId(focused)?.focus();
}

function drawLegend() {
  const { palette } = tiles.theme;
  const entries = view.colouring.words.map((text, at) => [palette[at], text]);
  const items = [...entries, [tiles.theme.over, "over-committed"]].map(([colour, text]) => {
    const swatch = element("span", { className: "swatch" });
    swatch.style.background = colour;
    return element("li", {}, swatch, element("span", { text, title: text }));
  });
  byId("legend").replaceChildren(...items);
}

function recolour() {
  view.colouring = colouringOf(cluster, view.by, Date.now() / 1000);
  drawLegend();
  redraw();
}

// ---- search ----

/** Pods without a node count too, unless a word is about nodes. */
function hasFound(row, node) {
  const { pod, isOfNodes } = view.filter;
  if (node ? !node.isFound : isOfNodes) return false;
  return !pod || pod(row, node);
}

let typing = 0;

function search() {
  view.filter = filterOf(byId("find").value);
  let nodes = 0;
  let pods = 0;
  for (const node of cluster.nodes.values()) {
    node.isFound = !view.filter || view.filter.node(node, cluster);
    nodes += node.isFound;
  }
  if (view.filter) for (const row of cluster.pods.values()) pods += hasFound(row, cluster.nodes.get(row[POD.node]));
  const total = many(cluster.nodes.size, "node");
  byId("found").textContent = view.filter ? `${count(nodes)} of ${total}, ${many(pods, "pod")}` : `${total}, ${many(cluster.pods.size, "pod")}`;
  redraw();
}

// ---- choosing ----

function show(target) {
  const wasOpen = !byId("panel").hidden;
  view.selected = target?.node ?? (target?.pod ? cluster.nodes.get(target.pod[POD.node]) ?? null : target ? view.selected : null);
  panel.open(target, view.bars);
  if (wasOpen !== !byId("panel").hidden) arrange();
  if (target) byId("panel").querySelector(".close")?.focus();
  else map.focus();
  redraw();
}

function speak(node) {
  const state = [!node.ready && "not ready", node.cordoned && "cordoned", cluster.isOver(node) && "over-committed"].filter(Boolean).join(", ");
  const lines = linesOf(cluster, node, view.bars).map(({ name, text }) => `${name} ${text}`);
  byId("spoken").textContent = `${node.name}${state ? `, ${state}` : ""}: ${lines.join("; ")}; ${many(node.list.length, "pod")}`;
}

function reveal(node) {
  const place = placeOf(view.layout, node);
  if (!place) return;
  const below = place.y + ZOOMS[view.zoom].height + 8;
  if (place.y - 40 < map.scrollTop) map.scrollTop = place.y - 40;
  else if (below > map.scrollTop + map.clientHeight) map.scrollTop = below - map.clientHeight;
}

function pointed(event) {
  const box = map.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left - map.clientLeft, event.clientY - box.top - map.clientTop + map.scrollTop];
  const node = view.layout && nodeAt(view.layout, x, y);
  const place = node && placeOf(view.layout, node);
  return { node, pod: place && podAt(view.layout, node, place.x, place.y, x, y) };
}

function point(event) {
  const { node, pod } = pointed(event);
  tip.hidden = !node;
  map.style.cursor = node ? "pointer" : "";
  if (!node) return;
  const lines = pod
    ? [element("span", { text: `${pod[POD.namespace]}, ${pod[POD.state]}` }), element("span", { text: pod[POD.owner] })]
    : [...linesOf(cluster, node, view.bars).map(({ name, text, share }) => element("span", { text: `${name} ${text}`, className: share > 1 ? "over" : "" })), element("span", { text: many(node.list.length, "pod") })];
  tip.replaceChildren(element("b", { text: pod ? pod[POD.name] : node.name }), ...lines);
  tip.style.left = `${Math.max(8, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${Math.max(8, Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8))}px`;
}

// ---- controls ----

/** A list that is open stays open unless there is something new in it. */
function options(select, entries, chosen) {
  const content = JSON.stringify([entries, chosen]);
  if (select.dataset.content === content) return;
  select.dataset.content = content;
  select.replaceChildren(...entries.map(([value, text]) => element("option", { value, text, selected: value === chosen })));
}

function drawControls() {
  const keys = cluster.groupKeys();
  if (view.key === null) view.key = keys.includes(ZONE) ? ZONE : "";
  options(byId("group"), [["", "nothing"], ...keys.map((key) => [key, key === ZONE ? "zone" : key])], view.key);
  view.bars = cluster.usedResources();
  options(byId("resource"), view.bars.map((at) => [String(at), cluster.resources[at].name]), String(view.resource));
}

function listen() {
  const rearrange = (id, change) =>
    byId(id).addEventListener("change", (event) => {
      delete event.target.dataset.content;
      change(event.target.value);
      arrange();
    });
  rearrange("group", (value) => (view.key = value));
  rearrange("order", (value) => (view.order = value));
  rearrange("resource", (value) => (view.resource = Number(value)));
  byId("colour").addEventListener("change", (event) => {
    view.by = event.target.value;
    recolour();
  });
  byId("find").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(search, TYPING_MS);
  });
  byId("in").addEventListener("click", () => zoomBy(1));
  byId("out").addEventListener("click", () => zoomBy(-1));
  map.addEventListener("scroll", redraw, { passive: true });
  map.addEventListener("pointermove", point);
  map.addEventListener("pointerleave", () => (tip.hidden = true));
  map.addEventListener("click", (event) => {
    const { node, pod } = pointed(event);
    tip.hidden = true;
    if (node) show(pod ? { pod } : { node });
  });
  map.addEventListener("keydown", press);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, select")) return;
    event.preventDefault();
    byId("find").focus();
  });
  new ResizeObserver(() => view.layout && view.open === "cluster" && arrange()).observe(map);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    tiles.theme = themeOf();
    if (view.colouring) recolour();
  });
}

/** The address says which view is open: #cluster, #events, #pod/NAMESPACE/NAME, #whatif, #leaving. */
function route() {
  const [name, ...parts] = location.hash.slice(1).split("/");
  const views = [...byId("views").children];
  const open = views.find((each) => each.hash === `#${name}`)?.hash.slice(1) ?? "cluster";
  for (const each of views) each.ariaCurrent = each.hash === `#${open}` ? "page" : null;
  const link = views.find((each) => each.ariaCurrent);
  byId("views").scrollLeft = link.offsetLeft - byId("views").offsetLeft - 16;
  for (const each of document.querySelectorAll("[data-of]")) each.hidden = each.dataset.of !== open;
  document.body.dataset.view = open;
  view.open = open;
  const [namespace, pod] = parts.map(decodeURIComponent);
  if (open === "pod") podView.open(pod ? { namespace, name: pod } : null);
  else if (open === "events") eventsView.open();
  else if (open === "whatif") whatIf.open();
  else if (open === "leaving") leaving.open();
  else if (view.layout) arrange();
}

function press(event) {
  if (!view.layout) return;
  if (event.key === "Enter" && view.selected) show({ node: view.selected });
  else if (event.key === "+" || event.key === "=") zoomBy(1);
  else if (event.key === "-") zoomBy(-1);
  else if (event.key.startsWith("Arrow")) {
    view.selected = neighbour(view.layout, view.selected, event.key);
    if (!view.selected) return;
    speak(view.selected);
    reveal(view.selected);
    redraw();
  } else return;
  event.preventDefault();
}

// ---- data ----

const seen = { shape: -1, resources: 0, coloured: 0, hasPods: false };

function changed() {
  const isNewShape = seen.shape !== cluster.shape || seen.resources !== cluster.resources.length;
  const isStale = Date.now() - seen.coloured > COLOURING_MS || seen.hasPods !== cluster.hasPods;
  if (view.selected) view.selected = cluster.nodes.get(view.selected.id) ?? null;
  if (isNewShape) {
    drawControls();
    if (view.open === "cluster") arrange();
  }
  if (isStale || !view.colouring) {
    view.bars = cluster.usedResources();
    recolour();
    seen.coloured = Date.now();
  }
  Object.assign(seen, { shape: cluster.shape, resources: cluster.resources.length, hasPods: cluster.hasPods });
  drawFigures();
  search();
  panel.refresh();
  if (view.open === "pod") podView.refresh(cluster);
  if (view.open === "events") eventsView.refresh(cluster.lastEvent);
  if (view.open === "whatif") whatIf.refresh(isNewShape);
  if (view.open === "leaving") leaving.refresh(cluster.lastDocument);
}

const feed = new Feed(
  cluster,
  (state, text) => {
    byId("status").dataset.state = state;
    byId("status").textContent = text;
    if (feed.about) byId("source").textContent = feed.about.source;
    byId("empty").textContent = state === "lost" ? text : "This cluster has no nodes yet.";
  },
  changed,
);
listen();
addEventListener("hashchange", route);
route();
feed.start();
