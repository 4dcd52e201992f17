// What is shown beside the map: a node, a pod, or the pods that wait. All names are text.
import { POD } from "./cluster.js";
import { linesOf } from "./tiles.js";
import { age, amount, count, element, gaugeOf, many } from "./words.js";

const LIST_MAX = 200;

export class Panel {
  /** show(target): {node}, {pod} or {waiting}, or null; colour(row): of a pod; addressOf(row): of its view. */
  constructor(root, cluster, show, colour, addressOf) {
    Object.assign(this, { root, cluster, show, colour, addressOf, target: null });
    root.addEventListener("keydown", (event) => event.key === "Escape" && show(null));
  }

  open(target, bars) {
    this.target = target;
    this.bars = bars;
    this.root.hidden = !target;
    this.refresh();
  }

  refresh() {
    const { target } = this;
    const top = this.root.scrollTop;
    const focused = this.root.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    if (!target) return;
    const parts = target.node ? this.#node(this.cluster.nodes.get(target.node.id)) : target.pod ? this.#pod(this.cluster.pods.get(target.pod[POD.id])) : this.#waiting();
    this.root.replaceChildren(...parts);
    this.root.scrollTop = top;
    if (focused) [...this.root.querySelectorAll("[data-key]")].find((each) => each.dataset.key === focused)?.focus();
  }

  #heading(title, sub) {
    const close = element("button", { text: "×", className: "close", type: "button", ariaLabel: "Close", onclick: () => this.show(null) });
    close.dataset.key = "close";
    return [element("header", {}, element("h2", { text: title }), close), ...(sub ? [element("p", { text: sub, className: "sub" })] : [])];
  }

  #facts(facts) {
    const list = element("dl");
    for (const [name, value] of facts) if (value !== "") list.append(element("dt", { text: name }), element("dd", { text: value }));
    return list;
  }

  #pods(rows) {
    const list = element("ul", { className: "list" });
    const now = Date.now() / 1000;
    for (const row of rows.slice(0, LIST_MAX)) {
      const swatch = element("span", { className: "swatch" });
      swatch.style.background = this.colour(row);
      const name = element("span", { className: "name", text: row[POD.name], title: row[POD.name] }, element("small", { text: row[POD.namespace] }));
      const more = element("span", { className: "more", text: row[POD.state] === "running" ? age(row[POD.created], now) : row[POD.state] });
      const button = element("button", { type: "button", onclick: () => this.show({ pod: row }) }, swatch, name, more);
      button.dataset.key = `pod-${row[POD.id]}`;
      const why = element("a", { className: "why", href: this.addressOf(row), text: "why", ariaLabel: `Why ${row[POD.name]} waits` });
      why.dataset.key = `why-${row[POD.id]}`;
      list.append(element("li", {}, button, ...(row[POD.node] === null ? [why] : [])));
    }
    return rows.length > LIST_MAX ? [list, element("p", { className: "sub", text: `and ${many(rows.length - LIST_MAX, "more pod")}` })] : [list];
  }

  #node(node) {
    if (!node) return this.#heading("This node is gone");
    const state = [node.ready ? "ready" : "not ready", node.cordoned ? "cordoned" : "", node.zone].filter(Boolean).join(", ");
    const bars = element("ul", { className: "bars" });
    for (const line of linesOf(this.cluster, node, this.bars)) {
      bars.append(element("li", { className: line.share > 1 ? "over" : "" }, element("div", { className: "line" }, element("span", { text: line.name }), element("span", { text: line.text })), gaugeOf(line.share)));
    }
    const chips = (texts, kind = "") => element("ul", { className: "chips" }, ...texts.map((text) => element("li", { text, className: kind })));
    const parts = [...this.#heading(node.name, state), element("h3", { text: "Requested of allocatable" }), bars];
    if (node.taints.length)
      parts.push(element("h3", { text: "Taints" }), chips(node.taints.map(({ key, value, effect }) => `${key}${value ? `=${value}` : ""}:${effect}`), "bad"));
    parts.push(element("h3", { text: many(node.list.length, "pod") }), ...this.#pods(node.list));
    const labels = Object.entries(node.labels).sort().map(([key, value]) => (value ? `${key}=${value}` : key));
    if (labels.length) parts.push(element("h3", { text: "Labels" }), chips(labels));
    return parts;
  }

  #pod(row) {
    if (!row) return this.#heading("This pod is gone");
    const node = this.cluster.nodes.get(row[POD.node]);
    const facts = this.#facts([
      ["State", row[POD.state]],
      ["Node", node ? node.name : row[POD.node] === null ? "none yet" : "not known"],
      ["Owner", row[POD.owner]],
      ["Priority", count(row[POD.priority])],
      ["Age", age(row[POD.created], Date.now() / 1000)],
      ["CPU requested", amount(row[POD.cpu], "millicores")],
      ["Memory requested", amount(row[POD.memory], "bytes")],
    ]);
    const why = element("a", { className: "why", href: this.addressOf(row), text: row[POD.node] === null ? "Why it waits" : "Why it is there" });
    why.dataset.key = "why";
    const parts = [...this.#heading(row[POD.name], row[POD.namespace]), why, element("h3", { text: "Pod" }), facts];
    if (!node) return parts;
    const button = element("button", { type: "button", onclick: () => this.show({ node }) }, element("span", { className: "swatch" }), element("span", { className: "name", text: node.name }));
    button.dataset.key = "node";
    return [...parts, element("h3", { text: "Its node" }), element("ul", { className: "list" }, element("li", {}, button))];
  }

  #waiting() {
    const rows = this.cluster.waiting().sort((a, b) => b[POD.priority] - a[POD.priority] || a[POD.created] - b[POD.created]);
    const sub = rows.length ? "Highest priority first, then the oldest" : "Every pod has a node.";
    return [...this.#heading(`${many(rows.length, "pod")} waiting`, sub), ...this.#pods(rows)];
  }
}
