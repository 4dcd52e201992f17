// The cluster as the page knows it: nodes and pods by id, kept up to date by changes.
export const POD = { id: 0, namespace: 1, name: 2, node: 3, state: 4, priority: 5, owner: 6, created: 7, cpu: 8, memory: 9, text: 10 };
const FINISHED = new Set(["succeeded", "failed"]);

export class Cluster {
  constructor() {
    this.resources = [];
    this.nodes = new Map();
    this.pods = new Map();
    this.headline = null;
    this.evictions = null; // seen by the process, by rule; nothing of a dump
    this.lastEvent = 0; // number of the latest one
    this.lastDocument = 0; // of the latest change of evictions and reboots
    this.hasPods = false;
    this.shape = 0; // counts changes of which nodes there are, and of their labels
    this.content = 0; // counts all changes
  }

  loadNodes(document) {
    this.resources = document.resources;
    this.nodes = new Map();
    for (const node of document.nodes) this.#putNode(node);
    this.shape++;
    this.content++;
  }

  loadPods(document) {
    this.pods = new Map();
    for (const node of this.nodes.values()) node.list = [];
    for (const row of document.pods) this.#putPod(row);
    this.hasPods = true;
    this.content++;
  }

  apply(changes) {
    if (changes.resources) this.resources = changes.resources;
    for (const node of changes.nodes) this.#putNode(node);
    for (const id of changes.goneNodes) this.nodes.delete(id);
    for (const [id, ...requested] of changes.loads) {
      const node = this.nodes.get(id);
      if (node) node.requested = requested;
    }
    for (const id of changes.gonePods) this.#dropPod(id);
    for (const row of changes.pods) this.#putPod(row);
    if (changes.nodes.length || changes.goneNodes.length) this.shape++;
    this.content++;
  }

  #putNode(node) {
    const before = this.nodes.get(node.id);
    node.list = before ? before.list : [];
    node.sorted = null;
    node.text = node.name.toLowerCase();
    this.nodes.set(node.id, node);
  }

  #putPod(row) {
    this.#dropPod(row[POD.id]);
    row[POD.text] = `${row[POD.namespace]}/${row[POD.name]}`;
    this.pods.set(row[POD.id], row);
    const node = this.nodes.get(row[POD.node]);
    if (!node || FINISHED.has(row[POD.state])) return;
    node.list.push(row);
    node.sorted = null;
  }

  #dropPod(id) {
    const row = this.pods.get(id);
    if (!row) return;
    this.pods.delete(id);
    const node = this.nodes.get(row[POD.node]);
    const at = node ? node.list.indexOf(row) : -1;
    if (at < 0) return;
    node.list.splice(at, 1);
    node.sorted = null;
  }

  /** Requested of allocatable; Infinity where something is requested of nothing. */
  share(node, resource) {
    const requested = node.requested[resource] || 0;
    const allocatable = node.allocatable[resource] || 0;
    return allocatable ? requested / allocatable : requested ? Infinity : 0;
  }

  isOver(node) {
    return node.requested.some((requested, at) => requested > (node.allocatable[at] || 0));
  }

  /** Resources that some node has, as indexes; storage only where pods ask for it. */
  usedResources() {
    const found = new Set([0, 1]);
    const ephemeral = 2;
    for (const node of this.nodes.values())
      for (let at = 2; at < this.resources.length; at++) if (at === ephemeral ? node.requested[at] : node.allocatable[at]) found.add(at);
    return [...found].filter((at) => at < this.resources.length).sort((a, b) => rank(a) - rank(b));
  }

  waiting() {
    return [...this.pods.values()].filter((row) => row[POD.state] === "waiting" || row[POD.state] === "gated");
  }

  /** Keys of labels that make groups: more than one node to a value, or few values. */
  groupKeys() {
    const values = new Map();
    for (const node of this.nodes.values())
      for (const [key, value] of Object.entries(node.labels)) {
        if (!values.has(key)) values.set(key, new Set());
        values.get(key).add(value);
      }
    return [...values].filter(([, set]) => set.size <= Math.max(12, this.nodes.size / 3)).map(([key]) => key).sort();
  }
}

/** cpu, memory, pods, then devices, then storage. */
const rank = (at) => [0, 1, 1000, 2][at] ?? at;

/** What the words of a search mean: a test of nodes, and one of pods or null. */
export function filterOf(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return null;
  const tests = words.map(wordOf);
  return {
    isOfNodes: tests.some((test) => !test.pod),
    node: (node, cluster) => tests.every((test) => test.node(node, cluster)),
    pod: tests.some((test) => test.pod) ? (row, node) => tests.every((test) => !test.pod || test.pod(row, node)) : null,
  };
}

const CONDITIONS = {
  cordoned: (node) => node.cordoned,
  notready: (node) => !node.ready,
  tainted: (node) => node.taints.length > 0,
  over: (node, cluster) => cluster.isOver(node),
  empty: (node) => node.list.length === 0,
};

function ofPods(test) {
  return { pod: test, node: (node) => node.list.some(test) };
}

function wordOf(word) {
  const [, key, value] = /^([a-z]+):(.*)$/.exec(word) || [];
  if (key === "is" && CONDITIONS[value]) return { node: CONDITIONS[value] };
  if (key === "is" || key === "state") return ofPods((row) => row[POD.state] === value);
  if (key === "owner") return ofPods((row) => row[POD.owner].toLowerCase().includes(value));
  if (key === "ns" || key === "namespace") return ofPods((row) => row[POD.namespace] === value);
  const equals = word.indexOf("=");
  if (equals > 0) {
    const [name, wanted] = [word.slice(0, equals), word.slice(equals + 1)];
    return { node: (node) => Object.entries(node.labels).some(([label, found]) => label.toLowerCase() === name && found.toLowerCase().startsWith(wanted)) };
  }
  const hasName = (row) => row[POD.text].includes(word);
  return {
    node: (node) => node.text.includes(word) || node.list.some(hasName),
    pod: (row, node) => (node && node.text.includes(word)) || hasName(row),
  };
}
