// Where each tile stands: groups one below the other, tiles in rows.
export const ZOOMS = [
  { name: "dots", width: 7, height: 7, gap: 1 },
  { name: "small", width: 15, height: 15, gap: 2 },
  { name: "medium", width: 108, height: 74, gap: 6 },
  { name: "large", width: 236, height: 168, gap: 8 },
];
const PADDING = 12;
const HEADING = 30;
const GROUP_GAP = 10;

const byName = new Intl.Collator("en", { numeric: true });

export function groupsOf(cluster, { key, order, resource }) {
  const groups = new Map();
  for (const node of cluster.nodes.values()) {
    const label = key ? node.labels[key] ?? "" : "All nodes";
    if (!groups.has(label)) groups.set(label, []);
    groups.get(label).push(node);
  }
  const compare =
    order === "full"
      ? (a, b) => cluster.share(b, resource) - cluster.share(a, resource) || byName.compare(a.name, b.name)
      : (a, b) => byName.compare(a.name, b.name);
  for (const nodes of groups.values()) nodes.sort(compare);
  return [...groups].sort(([a], [b]) => (a === "") - (b === "") || byName.compare(a, b)).map(([label, nodes]) => ({ label: label || `no ${key}`, nodes }));
}

export function layoutOf(groups, zoom, width) {
  const inner = Math.max(width - 2 * PADDING, 40);
  const wide = zoom.name === "large" && inner < 2 * zoom.width ? inner : zoom.width;
  const columns = Math.max(1, Math.floor((inner + zoom.gap) / (wide + zoom.gap)));
  let y = PADDING / 2;
  for (const group of groups) {
    group.y = y;
    group.top = y + HEADING;
    group.rows = Math.ceil(group.nodes.length / columns);
    y = group.top + group.rows * (zoom.height + zoom.gap) + GROUP_GAP;
  }
  return { groups, zoom, columns, tileWidth: wide, height: y, left: PADDING, width };
}

/** The most detailed zoom at which everything takes at most a few screens. */
export function fittingZoom(groups, width, height, screens = 3) {
  for (let at = ZOOMS.length - 1; at > 0; at--) if (layoutOf(groups, ZOOMS[at], width).height <= height * screens) return at;
  return 0;
}

/** Calls visit(node, x, y, index, group) for the tiles between two heights, begin(group) before those of a group. */
export function eachVisible(layout, from, to, visit, begin) {
  const { zoom, columns, tileWidth, left } = layout;
  const step = zoom.height + zoom.gap;
  for (const group of layout.groups) {
    if (group.top + group.rows * step < from || group.y > to) continue;
    begin(group);
    const first = Math.max(0, Math.floor((from - group.top) / step)) * columns;
    const last = Math.min(group.nodes.length, (Math.floor((to - group.top) / step) + 1) * columns);
    for (let at = first; at < last; at++)
      visit(group.nodes[at], left + (at % columns) * (tileWidth + zoom.gap), group.top + Math.floor(at / columns) * step, at, group);
  }
}

export function placeOf(layout, node) {
  const { zoom, columns, tileWidth, left } = layout;
  for (const group of layout.groups) {
    const at = group.nodes.indexOf(node);
    if (at >= 0) return { x: left + (at % columns) * (tileWidth + zoom.gap), y: group.top + Math.floor(at / columns) * (zoom.height + zoom.gap), at, group };
  }
  return null;
}

export function nodeAt(layout, x, y) {
  const { zoom, columns, tileWidth, left } = layout;
  const column = Math.floor((x - left) / (tileWidth + zoom.gap));
  if (column < 0 || column >= columns) return null;
  for (const group of layout.groups) {
    const row = Math.floor((y - group.top) / (zoom.height + zoom.gap));
    if (row >= 0 && row < group.rows) return group.nodes[row * columns + column] || null;
  }
  return null;
}

/** The node that an arrow key leads to. */
export function neighbour(layout, node, key) {
  const place = node && placeOf(layout, node);
  if (!place) return layout.groups.find((group) => group.nodes.length)?.nodes[0] || null;
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -layout.columns, ArrowDown: layout.columns }[key];
  const all = layout.groups.indexOf(place.group);
  const to = place.at + step;
  if (to >= 0 && to < place.group.nodes.length) return place.group.nodes[to];
  const next = layout.groups[all + Math.sign(step)];
  if (!next?.nodes.length) return node;
  return step > 0 ? next.nodes[0] : next.nodes[next.nodes.length - 1];
}
