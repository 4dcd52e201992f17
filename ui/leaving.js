// Evictions and reboots: who asked, by which stages pods leave, what nodes wait for. All names are text.
import { age, count, element, many } from "./words.js";

const AGAIN_MS = 1000; // between two looks, however much changes
const TYPING_MS = 150;
const ZONE = "topology.kubernetes.io/zone";
/** In the order in which a node goes through them; the last one is the most urgent. */
const PHASES = ["Idle", "Wanted", "Blocked", "Queued", "Claimed", "Draining", "Ready", "Rebooting", "Releasing", "Rollback"];
const BUSY = PHASES.indexOf("Claimed");

const words = (name) => name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
const seconds = (text) => Date.parse(text) / 1000;
const since = (text) => (text ? age(seconds(text), Date.now() / 1000) : "");
const podAddress = ({ namespace, name }) => `#pod/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;

export function duration(time) {
  if (time >= 7200) return `${Math.round(time / 360) / 10} h`;
  return time >= 90 ? `${Math.round(time / 60)} min` : `${Math.round(time)} s`;
}

/** "in 5 min", "3 min ago". */
function until(text) {
  const left = seconds(text) - Date.now() / 1000;
  return left >= 0 ? `in ${duration(left)}` : `${duration(-left)} ago`;
}

/** What the responder of stages says of itself: where it stands, and a text. */
function stageOf({ message = "" }) {
  const match = /^(stage|skip|undo|completed|declined|held)=(\d+)\/(\d+)([^;]*)(?:; (.*))?$/s.exec(message);
  if (!match) return null;
  const [, mode, at, all, rest, text] = match;
  const member = (key) => new RegExp(`(?:^| )${key}=(\\S+)`).exec(rest)?.[1];
  return { mode, at: Number(at), count: Number(all), name: member("name"), attempt: Number(member("attempt") ?? 1), since: member("since"), text: text ?? "" };
}

const MODES = { stage: "now", skip: "skipped", undo: "being undone", completed: "done", declined: "declined", held: "failed, holds the pod" };

function stageState(at, place) {
  if (!place) return "";
  if (place.mode === "completed" || at < place.at) return "done";
  return at === place.at ? MODES[place.mode] : "";
}

const expectedOf = ({ p50Seconds, p95Seconds, samples }) => (samples ? `${duration(p50Seconds)}, p95 ${duration(p95Seconds)}` : `at most ${duration(p95Seconds)}, never seen`);

/** The stages of a policy, with what they took before, and where the eviction stands. */
export function stagesOf(pod) {
  const stager = (pod.responders ?? []).find((responder) => stageOf(responder));
  const place = stager ? stageOf(stager) : stageOf({ message: pod.stagesAtEnd });
  const stages = pod.policy?.stages ?? Array.from({ length: place?.count ?? 0 }, (_, at) => ({ name: at + 1 === place.at ? place.name ?? `stage ${at + 1}` : `stage ${at + 1}` }));
  if (!stages.length) return [];
  const items = stages.map((stage, index) => {
    const state = stageState(index + 1, place);
    const facts = [stage.kind, stage.p95Seconds !== undefined && expectedOf(stage)].filter(Boolean).join(", ");
    const now = index + 1 === place?.at && place.mode !== "completed";
    const text = now ? [place.text, place.attempt > 1 && `attempt ${place.attempt}`, place.since && `for ${since(place.since)}`].filter(Boolean).join(", ") : "";
    const item = element("li", { className: `stage ${state.split(",")[0].replace(/ /g, "-")}` }, element("b", { text: stage.name }), element("span", { className: "state", text: state }), element("small", { text: facts }), ...(text ? [element("span", { className: "news", text })] : []));
    if (now) item.ariaCurrent = "step";
    return item;
  });
  return [element("ol", { className: "stages", ariaLabel: "Stages" }, ...items)];
}

function askedBy({ asked }) {
  return asked.map(({ by, user, intent, deadline, since: from }) => {
    const facts = [user && `user ${user}`, intent === "Withdrawn" && "withdrawn", from && `${since(from)} ago`, deadline && `deadline ${until(deadline)}`].filter(Boolean).join(", ");
    return element("li", {}, element("b", { text: by }), element("span", { text: facts ? ` ${facts}` : "" }));
  });
}

/** What a responder says; the line of stages is shown as stages. */
function responderItem(responder) {
  const facts = [responder.state.toLowerCase(), responder.state === "Active" && responder.heartbeat && `last sign of life ${since(responder.heartbeat)} ago`, responder.expected && !responder.completion && `expected ${until(responder.expected)}`].filter(Boolean).join(", ");
  const message = stageOf(responder) ? "" : responder.message ?? "";
  return element("li", { className: responder.state.toLowerCase() }, element("b", { text: responder.name }), element("span", { text: ` ${facts}${message ? `: ${message}` : ""}` }));
}

/** An eviction in full. withName: also whose it is. */
export function evictionCard(pod, withName) {
  const outcome = pod.outcome ?? (pod.asked.length ? "not answered yet" : "");
  const facts = [pod.node && `on ${pod.node}`, pod.since && `asked for ${since(pod.since)} ago`, pod.reservedNode && `a place on ${pod.reservedNode} is reserved`, pod.notReserved && `no place is reserved: ${pod.notReserved}`, pod.policy && `EvictionPolicy ${pod.policy.name}: ${expectedOf(pod.policy)}`].filter(Boolean).join("; ");
  const title = withName ? [element("h3", {}, element("a", { href: podAddress(pod), text: `${pod.namespace}/${pod.name}` }))] : [];
  const part = (text, items) => (items.length ? [element("p", { className: "sub", text }), element("ul", {}, ...items)] : []);
  return element(
    "article",
    { className: `card eviction ${pod.open ? "open" : "over"}` },
    element("header", { className: "line" }, ...title, ...(outcome ? [element("span", { className: `badge ${pod.open ? "accent" : ""}`, text: words(outcome) })] : []), ...(pod.held ? [element("span", { className: "badge bad", text: "held" })] : [])),
    element("p", { className: "sub", text: facts }),
    ...(pod.held ? [element("p", { className: "bad", text: pod.held })] : []),
    ...stagesOf(pod),
    ...part("Asked for by", askedBy(pod)),
    ...part("Carried out by", (pod.responders ?? []).map(responderItem)),
    ...(pod.message ? [element("p", { className: "sub", text: pod.message })] : []),
  );
}

export class LeavingView {
  constructor(root, get) {
    Object.assign(this, { root, get, group: null, serial: 0, timer: 0, last: -1 });
    this.list = root.querySelector("#leaving-evictions");
    this.note = root.querySelector("#leaving-note");
    this.find = root.querySelector("#leaving-find");
    this.lock = root.querySelector("#reboot-lock");
    this.phases = root.querySelector("#reboot-phases");
    this.nodes = root.querySelector("#reboot-nodes");
    this.select = root.querySelector("#reboot-group");
    this.find.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.#load(), TYPING_MS);
    });
    this.select.addEventListener("change", () => {
      this.group = this.select.value;
      this.#drawReboots();
    });
  }

  open() {
    this.#load();
  }

  /** The documents have this version now. */
  refresh(version) {
    if (version === this.last || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.last = version;
      this.#load();
    }, AGAIN_MS);
  }

  async #load() {
    const serial = ++this.serial;
    const query = new URLSearchParams(this.find.value.trim() ? { find: this.find.value.trim() } : {});
    try {
      const [evictions, reboots] = await Promise.all([this.get(`evictions?${query}`), this.get("reboots")]);
      if (serial !== this.serial) return;
      Object.assign(this, { evictions, reboots });
      this.#drawEvictions();
      this.#drawReboots();
    } catch {
      // the feed says that the connection is lost, and comes back here
    }
  }

  #drawEvictions() {
    const { pods, found, open } = this.evictions;
    const over = found - open;
    const text = !found ? "No evictions are under way by EvictionRequests." : `${count(open)} under way${over > 0 ? `, ${count(over)} over` : ""}${pods.length < found ? `; the first ${count(pods.length)} are shown` : ""}.`;
    this.note.textContent = this.find.value.trim() ? `${many(found, "pod")} found.` : text;
    this.list.replaceChildren(...pods.map((pod) => evictionCard(pod, true)));
  }

  #drawReboots() {
    const { lock, nodes } = this.reboots;
    const holders = lock.holders.map(({ node, since: from, expired }) => `${node}${from ? ` for ${since(from)}` : " by hand"}${expired ? ", expired" : ""}`);
    this.lock.textContent = !nodes.length && !lock.holders.length ? "No node wants to reboot." : holders.length ? `The lock is held by ${holders.join("; ")}.` : lock.known ? "The lock is free." : "No lock is known here.";
    const sums = new Map();
    for (const { phase } of nodes) sums.set(phase, (sums.get(phase) ?? 0) + 1);
    this.phases.replaceChildren(...PHASES.filter((phase) => sums.has(phase)).map((phase) => element("li", { className: PHASES.indexOf(phase) >= BUSY ? "busy" : "" }, element("b", { text: count(sums.get(phase)) }), element("span", { text: ` ${phase.toLowerCase()}` }))));
    this.#drawGroups(nodes);
  }

  /** Keys by which waves may be told apart. */
  #drawGroups(nodes) {
    const keys = [...new Set(nodes.flatMap(({ labels }) => Object.keys(labels)))].filter((key) => key !== "kubernetes.io/hostname").sort();
    if (this.group === null && nodes.length) this.group = keys.includes(ZONE) ? ZONE : "";
    const content = JSON.stringify([keys, this.group]);
    if (this.select.dataset.content !== content) {
      this.select.dataset.content = content;
      this.select.replaceChildren(...[["", "nothing"], ...keys.map((key) => [key, key === ZONE ? "zone" : key])].map(([value, text]) => element("option", { value, text, selected: value === this.group })));
    }
    const groups = new Map();
    for (const node of nodes) {
      const label = this.group ? node.labels[this.group] ?? `no ${this.group}` : "";
      groups.set(label, [...(groups.get(label) ?? []), node]);
    }
    this.nodes.replaceChildren(...[...groups].sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true })).map(([label, list]) => this.#table(label, list)));
  }

  #table(label, list) {
    const order = (a, b) => PHASES.indexOf(b.phase) - PHASES.indexOf(a.phase) || a.name.localeCompare(b.name, "en", { numeric: true });
    const rows = [...list].sort(order).map((node) => {
      const marks = [node.holdsLock && "holds the lock", node.cordoned && "cordoned", node.held && "held back", node.ignored && "left out", node.forced && "forced"].filter(Boolean);
      const waits = [node.reason, node.failure && `failed: ${node.failure}`, node.failures > 0 && `${many(node.failures, "failure")} in a row`].filter(Boolean).join("; ");
      const cells = [since(node.wantedSince), since(node.taintedSince), node.expectedSeconds === undefined ? "" : `in ${duration(node.expectedSeconds)}`, node.took];
      return element("tr", {}, element("th", { scope: "row", text: node.name }, ...(marks.length ? [element("small", { text: ` ${marks.join(", ")}` })] : [])), element("td", {}, element("span", { className: `badge ${PHASES.indexOf(node.phase) >= BUSY ? "accent" : node.phase === "Blocked" ? "warn" : ""}`, text: node.phase.toLowerCase() })), element("td", { className: "why", text: waits }), ...cells.map((text) => element("td", { text })));
    });
    const heads = ["Node", "Phase", "Waits for", "Wanted for", "Lead time", "Expected back", "Last one took"].map((text) => element("th", { text, scope: "col" }));
    const made = element("div", { className: "scroller", tabIndex: 0, role: "region", ariaLabel: `Reboots${label ? ` of ${label}` : ""}` }, element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)));
    return element("section", {}, ...(label ? [element("h4", { text: `${label}, ${many(list.length, "node")}` })] : []), made);
  }
}
