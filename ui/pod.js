// One pod: why it is where it is, or why it waits. The answer is that of berth explain; all names are text.
import { POD } from "./cluster.js";
import { eventItem } from "./events.js";
import { evictionCard } from "./leaving.js";
import { count, element, many } from "./words.js";

const ROWS = 50; // of nodes, asked for at a time
const FOUND_MAX = 30;
const HISTORY = 12; // events of the pod
const TYPING_MS = 150;

const RULES = {
  onlyOne: () => "It is the only node that fits.",
  nominated: () => "It was nominated there and still fits.",
  nothingScores: () => "No plugin scores: any node that fits is right.",
  tie: ({ best }) => `${best.length} nodes are equally good; a random one is taken.`,
  highestTotal: () => "It has the highest total score.",
};

/** The answer in one sentence. */
function verdictOf(explanation, fitting) {
  const { decision, node, chosen, nodeCount } = explanation;
  if (decision === "finished") return ["", "It has finished and occupies nothing."];
  if (decision === "noProfile") return ["bad", "No scheduler profile has its schedulerName."];
  if (decision === "gated") return ["warn", "It is held back before scheduling."];
  if (chosen && node) return ["", chosen === node ? `It is on ${node}, and would go there again.` : `It is on ${node}. Placed anew it would go to ${chosen}.`];
  if (chosen) return ["good", `It would go to ${chosen}.`];
  const none = fitting ? `It waits, though ${many(fitting, "node")} would take it.` : `It fits on none of ${many(nodeCount, "node")}.`;
  return ["bad", node ? `It is on ${node}. Placed anew it would wait: ${none.toLowerCase()}` : none];
}

const cell = (text, properties = {}) => element("td", { text, ...properties });
const head = (text, properties = {}, ...more) => element("th", { text, scope: "col", ...properties }, ...more);

function scroller(label, ...children) {
  return element("div", { className: "scroller", tabIndex: 0, role: "region", ariaLabel: label }, ...children);
}

const freeOf = ({ resources = [] }) => resources.map(({ resource, free, allocatable }) => `${resource} ${free} of ${allocatable}`).join(", ");

/** Nodes that fit: a column for each plugin that scores, weighted score above the raw one. */
function fittingTable(nodes, { chosen, node: home }) {
  const scored = nodes[0].scores.map(({ plugin, weight }) => head(plugin, { className: "plugin" }, element("small", { text: `weight ${weight}` })));
  const rows = nodes.map((node) => {
    const scores = node.scores.map(({ score, raw }) => element("td", { className: "score" }, element("b", { text: count(score) }), element("small", { text: ` raw ${count(raw)}` })));
    const name = element("th", { scope: "row", text: node.node });
    const row = element("tr", { className: node.node === chosen ? "chosen" : "" }, name, cell(node.total === undefined ? "" : count(node.total), { className: "total" }), ...scores, cell(freeOf(node), { className: "free" }));
    const marks = [node.node === chosen && "chosen", node.node === home && "here"].filter(Boolean);
    if (marks.length) name.append(element("small", { text: ` ${marks.join(", ")}` }));
    return row;
  });
  return scroller("Nodes that fit", element("table", {}, element("thead", {}, element("tr", {}, head("Node that fits"), head("Total", { className: "total" }), ...scored, head("Free"))), element("tbody", {}, ...rows)));
}

/** What would make a node fit: each change of it, or of the pod. */
function changesOf(obstacles) {
  const texts = new Set();
  for (const { changes } of obstacles) for (const { onNode, onPod } of changes) texts.add([onNode, onPod && `pod: ${onPod}`].filter(Boolean).join(", or "));
  return [...texts].join("; ");
}

function refusedTable(nodes) {
  const rows = nodes.map((node) => {
    const why = element("ul");
    const all = node.obstacles?.length ? node.obstacles : [node];
    for (const { plugin, verdict, reasons } of all) why.append(element("li", {}, element("b", { text: plugin ?? verdict }), element("span", { text: ` ${reasons.join(", ")}` })));
    return element("tr", {}, element("th", { scope: "row", text: node.node }), element("td", { className: "why" }, why), cell(changesOf(node.obstacles ?? []), { className: "change" }), cell(freeOf(node), { className: "free" }));
  });
  return scroller("Nodes that refuse it", element("table", {}, element("thead", {}, element("tr", {}, head("Node that refuses it"), head("Plugins and their reasons"), head("What would help"), head("Free"))), element("tbody", {}, ...rows)));
}

export class PodView {
  /** get(name): a document; link(row): address of a pod's view. */
  constructor(root, cluster, get, link) {
    Object.assign(this, { root, cluster, get, link, asked: null, answer: null, filter: "", find: "", nodes: [], serial: 0 });
    this.search = root.querySelector("#pod-find");
    this.found = root.querySelector("#pod-found");
    this.body = root.querySelector("#pod-body");
    this.search.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.#suggest(), TYPING_MS);
    });
    root.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      const first = this.found.querySelector("a");
      if (first) location.hash = first.hash;
    });
  }

  /** Shows a pod by namespace and name, or the pods that wait. */
  open(target) {
    this.search.value = "";
    this.filter = this.find = "";
    this.asked = target;
    this.answer = null;
    this.events = [];
    this.eviction = null;
    this.lastEvent = this.lastDocument = 0;
    this.state = null;
    this.body.replaceChildren();
    if (target) {
      this.#ask(0);
      this.#askHistory();
      this.#askEviction();
    }
    this.#suggest();
  }

  /** After changes of the cluster: asks again when it is another matter for this pod. */
  refresh({ lastEvent, lastDocument }) {
    if (!this.asked) return this.#suggest();
    if (lastEvent !== this.lastEvent) this.#askHistory();
    if (lastDocument !== this.lastDocument) this.#askEviction();
    Object.assign(this, { lastEvent, lastDocument });
    const row = this.#row();
    const state = row ? `${row[POD.node]} ${row[POD.state]}` : "gone";
    if (this.state !== null && state !== this.state && state !== "gone") this.#ask(0);
    this.state = state;
  }

  #row() {
    const { namespace, name } = this.asked;
    for (const row of this.cluster.pods.values()) if (row[POD.name] === name && row[POD.namespace] === namespace) return row;
    return null;
  }

  #suggest() {
    const words = this.search.value.trim().toLowerCase();
    if (!words && this.asked) return this.found.replaceChildren();
    const rows = [];
    const all = words ? this.cluster.pods.values() : this.cluster.waiting();
    for (const row of all) if (row[POD.text].toLowerCase().includes(words) && rows.push(row) === FOUND_MAX) break;
    const items = rows.map((row) => element("li", {}, element("a", { href: this.link(row) }, element("span", { text: row[POD.name] }), element("small", { text: `${row[POD.namespace]}, ${row[POD.state]}` }))));
    const title = words ? (rows.length ? "Pods found" : "No pod has this in its name.") : rows.length ? "Pods that wait" : "No pod waits. Find one by its name.";
    const list = element("ul", { className: "found-pods" }, ...items);
    const content = items.map((item) => item.textContent).join("\n") + title;
    if (this.found.dataset.content === content && this.found.firstChild) return;
    this.found.dataset.content = content;
    this.found.replaceChildren(element("h2", { text: title }), list);
  }

  async #ask(from) {
    const { namespace, name } = this.asked;
    const query = new URLSearchParams({ namespace, name, from, count: ROWS });
    if (this.find) query.set("find", this.find);
    if (this.filter === "fits") query.set("fits", "true");
    else if (this.filter) query.set("reason", this.filter);
    const serial = ++this.serial;
    this.body.ariaBusy = "true";
    try {
      const answer = await this.get(`pod?${query}`);
      if (serial !== this.serial) return;
      this.nodes = from ? [...this.nodes, ...answer.explanation.nodes ?? []] : answer.explanation.nodes ?? [];
      this.answer = answer;
      this.#draw();
    } catch (failure) {
      if (serial === this.serial) this.body.replaceChildren(element("p", { className: "bad", text: failure.status === 404 ? "There is no such pod any more." : `No answer: ${failure.message}` }));
    }
    this.body.ariaBusy = "false";
  }

  async #askHistory() {
    const { asked } = this;
    try {
      const answer = await this.get(`events?${new URLSearchParams({ ...asked, count: HISTORY })}`);
      if (asked !== this.asked || answer.events.map(({ number }) => number).join() === this.events.map(({ number }) => number).join()) return;
      this.events = answer.events;
      if (this.answer) this.#draw();
    } catch {
      // the feed says that the connection is lost
    }
  }

  async #askEviction() {
    const { asked } = this;
    try {
      const { pods } = await this.get(`evictions?${new URLSearchParams(asked)}`);
      if (asked !== this.asked || JSON.stringify(pods) === JSON.stringify(this.eviction)) return;
      this.eviction = pods;
      if (this.answer) this.#draw();
    } catch {
      // likewise
    }
  }

  /** How it leaves, or would leave: where an eviction is under way, or a policy has stages for it. */
  #leaving() {
    const known = (this.eviction ?? []).filter((pod) => pod.asked.length || pod.outcome || pod.policy || pod.held);
    if (!known.length) return [];
    const title = known.some((pod) => pod.open) ? "Its eviction" : known.some((pod) => pod.asked.length) ? "Its last eviction" : "How it would be evicted";
    return [element("section", { id: "pod-eviction" }, element("h3", { text: title }), ...known.map((pod) => evictionCard(pod, false)))];
  }

  #history() {
    if (!this.events.length) return [];
    const list = element("ol", { className: "events" }, ...this.events.map((event) => eventItem(event, false)));
    return [element("section", { className: "card", id: "pod-history" }, element("h3", { text: "What happened to it" }), list)];
  }

  #draw() {
    const focused = this.body.contains(document.activeElement) ? document.activeElement.id : "";
    const selection = focused === "node-find" ? document.activeElement.selectionStart : 0;
    const parts = [this.#heading(), ...this.#nearest(), ...this.#preemption(), ...this.#before(), ...this.#leaving(), ...this.#history(), this.#filters(), this.#tables()];
    this.body.replaceChildren(...parts);
    const again = focused ? document.getElementById(focused) : null;
    again?.focus();
    if (focused === "node-find") again?.setSelectionRange(selection, selection);
  }

  #heading() {
    const { explanation, fitting } = this.answer;
    const { namespace, name } = this.asked;
    const [kind, text] = verdictOf(explanation, fitting);
    const { why, best } = explanation;
    const reasons = why ? [RULES[why.rule]?.({ best }) ?? ""] : explanation.message ? [explanation.message] : [];
    if (why?.next) reasons.push(`Total ${count(why.total)}; next best ${why.next} with ${count(why.nextTotal)} (${why.plugins.map(({ plugin, by }) => `${plugin} ${by > 0 ? "+" : ""}${by}`).join(", ")}).`);
    const again = element("button", { type: "button", id: "pod-again", text: "Ask again", onclick: () => this.#ask(0) });
    return element(
      "header",
      { className: "verdict" },
      element("div", {}, element("h2", { text: name }), element("p", { className: "sub", text: `${namespace}, ${explanation.phase}, priority ${count(explanation.priority)}, ${explanation.schedulerName}` })),
      again,
      element("p", { className: `answer ${kind}`, text }),
      ...reasons.map((reason) => element("p", { className: "reason", text: reason })),
    );
  }

  #nearest() {
    const { nearest = [] } = this.answer.explanation;
    if (!nearest.length) return [];
    const items = nearest.map(({ node, onNode, onPod }, at) => {
      const changes = [onNode && `the node: ${onNode}`, onPod && `the pod: ${onPod}`].filter(Boolean).join("; or ");
      return element("li", { className: at ? "" : "smallest" }, element("b", { text: node }), element("span", { text: ` ${changes}` }));
    });
    return [element("section", { className: "card", id: "nearest" }, element("h3", { text: "Smallest change that would fit it" }), element("ol", {}, ...items))];
  }

  #preemption() {
    const { preemption } = this.answer.explanation;
    if (!preemption) return [];
    const victims = preemption.victims ?? [];
    if (!victims.length && (this.answer.explanation.message ?? "").includes(preemption.message)) return []; // said above
    const text = victims.length ? `On ${preemption.node} it would end ${many(victims.length, "pod")} of lower priority, chosen among ${many(preemption.candidates, "node")} by ${preemption.decidedBy}.` : preemption.message || "No pods of lower priority would make room.";
    const items = victims.map(({ pod, priority }) => element("li", { text: `${pod}, priority ${count(priority)}` }));
    return [element("section", { className: "card" }, element("h3", { text: "Preemption" }), element("p", { text }), ...(items.length ? [element("ul", {}, ...items)] : []))];
  }

  #before() {
    const { beforeNodes = [] } = this.answer.explanation;
    if (!beforeNodes.length) return [];
    const items = beforeNodes.map(({ plugin, reasons, restrictsTo }) => element("li", {}, element("b", { text: plugin }), element("span", { text: ` ${reasons.join(", ")}${restrictsTo === undefined ? "" : `only ${many(restrictsTo, "node")} come into question`}` })));
    return [element("section", { className: "card" }, element("h3", { text: "Before any node is looked at" }), element("ul", {}, ...items))];
  }

  /** Which nodes are shown: those that fit, those of a reason, all. */
  #filters() {
    const { fitting, refused, groups } = this.answer;
    const choices = [["", `All ${count(fitting + refused)}`], ["fits", `Fit ${count(fitting)}`], ...groups.map(({ reason, nodes }) => [reason, `${reason} ${count(nodes)}`])];
    const buttons = choices.map(([value, text], at) =>
      element("button", {
        type: "button",
        id: `choice-${at}`,
        text,
        ariaPressed: String(value === this.filter),
        onclick: () => {
          this.filter = value;
          this.#ask(0);
        },
      }),
    );
    const find = element("input", { id: "node-find", type: "search", value: this.find, placeholder: "part of a node's name", autocomplete: "off", spellcheck: false });
    find.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => {
        this.find = find.value.trim();
        this.#ask(0);
      }, TYPING_MS);
    });
    return element("section", { className: "choices", ariaLabel: "Which nodes" }, element("div", { className: "pills", role: "group", ariaLabel: "Nodes by reason" }, ...buttons), element("label", {}, element("span", { text: "Find node" }), find));
  }

  #tables() {
    const { explanation, found } = this.answer;
    const fits = this.nodes.filter((node) => node.fits);
    const refuses = this.nodes.filter((node) => !node.fits);
    const parts = [];
    if (fits.length) parts.push(fittingTable(fits, explanation));
    if (refuses.length) parts.push(refusedTable(refuses));
    if (!this.nodes.length) parts.push(element("p", { className: "sub", text: explanation.nodeCount ? "No node to show." : "There are no nodes." }));
    const shown = this.nodes.length;
    if (shown < found) parts.push(element("p", { className: "more" }, element("button", { type: "button", id: "more-nodes", text: `Show ${count(Math.min(ROWS, found - shown))} more`, onclick: () => this.#ask(shown) }), element("span", { text: ` ${count(shown)} of ${count(found)} shown` })));
    return element("section", { id: "nodes", ariaLabel: "Nodes" }, ...parts);
  }
}
