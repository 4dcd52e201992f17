// What if: the answer of berth plan on the cluster as it is now. Nothing here acts; all names are text.
import { POD } from "./cluster.js";
import { Refused } from "./feed.js";
import { PlanMap } from "./planmap.js";
import { count, element, many } from "./words.js";

const ROWS = 50; // of a list, shown at a time

/** What a question may change: a row of the form for each. */
const CHANGES = [
  { key: "policy", field: textField, text: "DeschedulerPolicy", hint: "YAML or JSON. Empty: no policy, only nodes that are taken away." },
  { key: "config", field: textField, text: "KubeSchedulerConfiguration", hint: "Where pods would land. Empty: as pods are scheduled now." },
  { key: "drain", field: nodesField, text: "Nodes taken away", hint: "Cordoned and drained, as far as budgets let it. Click a node on the map, or name one." },
  { key: "spared", field: flagField, text: "List the pods that filters spare, too" },
];

/** In which forms an answer can be saved. */
const EXPORTS = [
  { text: "JSON", name: "plan.json", type: "application/json" },
  { text: "HTML", as: "html", name: "plan.html", type: "text/html" },
  { text: "berth commands", as: "berth", name: "plan-berth.sh", type: "text/x-shellscript" },
  { text: "kubectl commands", as: "kubectl", name: "plan-kubectl.sh", type: "text/x-shellscript" },
];

// ---- rows of the form ----

const placeOf = ({ line, column, path }) => [line ? `line ${line}${column ? `, column ${column}` : ""}` : "", path].filter(Boolean).join(": ");

function problemList(key, go) {
  const list = element("ul", { className: "problems", id: `what-${key}-problems` });
  const show = (problems) =>
    list.replaceChildren(
      ...problems.map((problem) => {
        const place = placeOf(problem);
        const text = element("span", { text: `${place ? " " : ""}${problem.text}` });
        const where = !place ? [] : go && problem.line ? [element("button", { type: "button", text: place, onclick: () => go(problem) })] : [element("b", { text: place })];
        return element("li", {}, ...where, text);
      }),
    );
  list.setAttribute("role", "alert");
  return { list, show };
}

/** A text that is pasted, or read from a file of this machine. */
function textField({ key, text, hint }) {
  const area = element("textarea", { id: `what-${key}`, rows: 6, spellcheck: false, autocomplete: "off" });
  const file = element("input", { type: "file", id: `what-${key}-file`, accept: ".yaml,.yml,.json", ariaLabel: `File with the ${text}` });
  const { list, show } = problemList(key, ({ line, column }) => {
    const lines = area.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    area.focus();
    area.setSelectionRange(start + Math.max(0, column - 1), start + (lines[line - 1]?.length ?? 0));
    area.scrollTop = (line - 3) * parseFloat(getComputedStyle(area).lineHeight);
  });
  area.setAttribute("aria-describedby", `what-${key}-hint what-${key}-problems`);
  file.addEventListener("change", async () => {
    if (file.files[0]) area.value = await file.files[0].text();
    file.value = "";
  });
  const row = element(
    "div",
    { className: "change" },
    element("label", { htmlFor: area.id, text }),
    element("p", { className: "sub", id: `what-${key}-hint`, text: hint }),
    area,
    element("label", { className: "file", text: "Choose a file " }, file),
    list,
  );
  return {
    row,
    show: (problems) => {
      area.ariaInvalid = String(problems.length > 0);
      show(problems);
    },
    value: () => area.value,
    fill: (value) => {
      if (!area.value) area.value = value;
    },
  };
}

function nodesField({ key, text, hint }, view) {
  const find = element("input", { id: `what-${key}`, type: "search", autocomplete: "off", spellcheck: false, placeholder: "name of a node" });
  const add = element("button", { type: "button", id: "what-take", text: "Take away" });
  const chosen = element("ul", { className: "chips", id: "what-taken", ariaLabel: text });
  const { list, show } = problemList(key, null);
  find.setAttribute("aria-describedby", `what-${key}-hint what-${key}-problems`);
  const draw = () =>
    chosen.replaceChildren(
      ...[...view.taken].map((name) => element("li", {}, element("span", { text: name }), element("button", { type: "button", text: "×", ariaLabel: `Leave ${name} in place`, onclick: () => view.toggle(name) }))),
    );
  const take = () => {
    const name = find.value.trim();
    if (!name) return;
    const isKnown = [...view.cluster.nodes.values()].some((node) => node.name === name);
    show(isKnown ? [] : [{ text: `There is no node "${name}".` }]);
    if (!isKnown) return;
    if (!view.taken.has(name)) view.toggle(name);
    find.value = "";
  };
  add.addEventListener("click", take);
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    take();
  });
  const row = element("div", { className: "change" }, element("label", { htmlFor: find.id, text }), element("p", { className: "sub", id: `what-${key}-hint`, text: hint }), element("div", { className: "line" }, find, add), chosen, list);
  return { row, show, value: () => [...view.taken], fill: () => {}, draw };
}

function flagField({ key, text }) {
  const box = element("input", { type: "checkbox", id: `what-${key}` });
  const { list, show } = problemList(key, null);
  return { row: element("div", { className: "change flag" }, element("label", {}, box, element("span", { text })), list), show, value: () => box.checked, fill: () => {} };
}

// ---- the answer ----

const cell = (text, className = "") => element("td", { text, className });
const head = (text, className = "") => element("th", { text, className, scope: "col" });

function table(label, heads, rows) {
  return element("div", { className: "scroller", tabIndex: 0, role: "region", ariaLabel: label }, element("table", {}, element("thead", {}, element("tr", {}, ...heads.map(([text, kind]) => head(text, kind)))), element("tbody", {}, ...rows)));
}

const groupBy = (items, key) => {
  const groups = new Map();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return [...groups].sort((a, b) => b[1].length - a[1].length);
};

/** A folded list, whose rows are made when it is opened, some at a time. */
function folded(summary, items, open, heads, rowOf) {
  const details = element("details", { open: false }, element("summary", {}, element("b", { text: summary }), element("span", { text: ` ${count(items.length)}` })));
  const body = element("tbody");
  const more = element("button", { type: "button", text: "" });
  const next = () => {
    const from = body.childElementCount;
    body.append(...items.slice(from, from + ROWS).map(rowOf));
    const left = items.length - body.childElementCount;
    more.hidden = left === 0;
    more.textContent = `Show ${count(Math.min(ROWS, left))} more of ${count(left)}`;
  };
  details.append(element("div", { className: "scroller", tabIndex: 0, role: "region", ariaLabel: summary }, element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((text) => head(text)))), body)), more);
  more.addEventListener("click", next);
  details.addEventListener("toggle", () => details.open && !body.childElementCount && next());
  details.open = open;
  return details;
}

const signed = (value) => (value === undefined ? "" : value > 0 ? `+${count(value)}` : count(value));
const tenth = (value) => `${Math.round(value * 10) / 10}`;
const duration = (seconds) => (seconds >= 90 ? `${Math.round(seconds / 60)} min` : `${seconds} s`);
const landingOf = ({ landing }) => (landing === undefined ? "does not come back" : landing ?? "nowhere: it would wait");

/** The object that keeps a pod: by its name, where there is one. */
const keeperOf = ({ keptBy, budget }) => (budget ? `${keptBy}: ${budget}` : keptBy);

export class WhatIfView {
  /** get(name), ask(name, body): documents; link(row): address of a pod's view. */
  constructor(root, { cluster, get, ask, link, theme }) {
    Object.assign(this, { root, cluster, get, ask, link, taken: new Set(), answer: null, isStarted: false, serial: 0 });
    this.body = root.querySelector("#what-body");
    this.button = root.querySelector("#what-ask");
    this.note = root.querySelector("#what-note");
    this.fields = new Map(CHANGES.map((change) => [change.key, change.field(change, this)]));
    root.querySelector("#what-changes").append(...[...this.fields.values()].map(({ row }) => row));
    this.map = new PlanMap(root, cluster, theme, (node) => this.toggle(node.name));
    root.querySelector("#what-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#ask();
    });
    root.querySelector("#what-clear").addEventListener("click", () => this.#clear());
  }

  async open() {
    this.map.open();
    if (this.isStarted) return;
    this.isStarted = true;
    try {
      const start = await this.get("plan");
      for (const [key, field] of this.fields) if (start[key]) field.fill(start[key]);
    } catch {
      this.isStarted = false;
    }
  }

  /** The cluster changed: the map follows, the answer stays what it was. */
  refresh(isNewShape) {
    this.map.refresh(isNewShape);
  }

  /** Takes a node away, or puts it back. */
  toggle(name) {
    if (!this.taken.delete(name)) this.taken.add(name);
    this.fields.get("drain").draw();
    this.map.show(this.taken, this.answer);
  }

  #clear() {
    this.taken.clear();
    this.fields.get("drain").draw();
    this.answer = null;
    this.body.replaceChildren();
    this.note.textContent = "";
    this.map.show(this.taken, null);
  }

  #question() {
    return JSON.stringify(Object.fromEntries([...this.fields].map(([key, field]) => [key, field.value()])));
  }

  #showProblems(problems) {
    const known = [...this.fields.keys()];
    for (const [key, field] of this.fields) field.show(problems.filter((problem) => problem.in === key));
    const others = problems.filter((problem) => !known.includes(problem.in)).map(({ text }) => text);
    this.note.textContent = others.join(" ") || (problems.length ? `${many(problems.length, "problem")}; nothing was planned.` : "");
    this.note.className = problems.length ? "bad" : "sub";
    if (problems.length) this.root.querySelector("[aria-invalid=true]")?.focus();
  }

  async #ask() {
    const serial = ++this.serial;
    this.button.disabled = true;
    this.note.className = "sub";
    this.note.textContent = "Planning";
    try {
      const question = this.#question();
      const answer = await this.ask("plan", question);
      if (serial !== this.serial) return;
      this.#showProblems([]);
      Object.assign(this, { answer: await answer.json(), question });
      this.note.textContent = `As of ${new Date().toLocaleTimeString("en-GB")}. Nothing was done.`;
      this.#draw();
    } catch (failure) {
      this.#fail(failure);
    } finally {
      this.button.disabled = false;
    }
  }

  #fail(failure) {
    if (failure.problems) return this.#showProblems(failure.problems);
    this.note.className = "bad";
    this.note.textContent = failure instanceof Refused ? failure.message : `No answer: ${failure.message}`;
  }

  async #save({ as, name, type }) {
    try {
      const text = as ? await (await this.ask(`plan?as=${as}`, this.question)).text() : JSON.stringify(this.answer.plan, null, 2);
      const url = URL.createObjectURL(new Blob([text], { type }));
      element("a", { href: url, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10000);
    } catch (failure) {
      this.#fail(failure);
    }
  }

  // ---- drawing ----

  #draw() {
    const { plan } = this.answer;
    this.places = new Map();
    for (const row of this.cluster.pods.values()) this.places.set(`${row[POD.namespace]}/${row[POD.name]}`, row);
    this.map.show(this.taken, this.answer);
    this.body.replaceChildren(...this.#headline(plan), this.#exports(), ...this.#moves(plan), ...this.#stays(plan), ...this.#rules(plan), ...this.#spared(plan));
  }

  #headline(plan) {
    const { evictions, kept, before, after } = plan;
    const waits = evictions.filter(({ landing }) => landing === null).length;
    const leaves = evictions.filter(({ landing }) => landing === undefined).length;
    const parts = [many(evictions.length, "pod") + (evictions.length === 1 ? " goes" : " go"), waits && `${count(waits)} of them would wait`, leaves && `${count(leaves)} would not come back`, kept.length && `${many(kept.length, "pod")} ${kept.length === 1 ? "is" : "are"} kept where they are`].filter(Boolean);
    const empty = this.map.emptied();
    const rows = [
      ["Pods waiting", count(before.pending), count(after.pending)],
      ["Pods that rules select", count(before.wanted), count(after.wanted)],
      ["Nodes without pods", count(empty.before), count(empty.after)],
      ["Nodes over-committed", count(empty.overBefore), count(empty.overAfter)],
      ...["cpu", "memory", "pods"].map((name) => {
        const spread = ({ utilisation }) => `${tenth(utilisation[name].least)} to ${tenth(utilisation[name].most)} %, deviation ${tenth(utilisation[name].deviation)}`;
        return [`${name} requested, by node`, spread(before), spread(after)];
      }),
    ];
    const lines = rows.map(([text, was, is]) => element("tr", { className: was === is ? "" : "changed" }, element("th", { scope: "row", text }), cell(was), cell(is)));
    return [element("h2", { id: "what-headline", text: plan.isSkipped ? "Too few nodes: nothing would be evicted." : `${parts.join(", ")}.` }), table("Before and after", [["Cluster"], ["Before"], ["After"]], lines)];
  }

  #exports() {
    const buttons = EXPORTS.map((form) => {
      const button = element("button", { type: "button", text: form.text, onclick: () => this.#save(form) });
      button.dataset.as = form.as ?? "json";
      return button;
    });
    return element("div", { className: "line exports", role: "group", ariaLabel: "Save the answer as" }, element("span", { className: "sub", text: "Save as" }), ...buttons);
  }

  #pod({ namespace, name }) {
    const text = `${namespace}/${name}`;
    const row = this.places?.get(text);
    return element("th", { scope: "row" }, row ? element("a", { href: this.link(row), text }) : element("span", { text }));
  }

  #moves({ evictions }) {
    if (!evictions.length) return [];
    const withCost = evictions.some(({ cost }) => cost);
    const groups = groupBy(evictions, ({ plugin }) => plugin);
    const rowOf = (move) => {
      const cost = move.cost ? `${duration(move.cost.p50Seconds)} (p95 ${duration(move.cost.p95Seconds)})` : "";
      return element("tr", {}, this.#pod(move), cell(move.node), cell(landingOf(move), move.landing ? "" : "warn"), cell(signed(move.gain), "total"), ...(withCost ? [cell(cost)] : []), cell(move.reason ?? "", "why"));
    };
    const heads = ["Pod", "From", "To", "Gain", ...(withCost ? ["Takes"] : []), "Reason"];
    return [element("section", { id: "what-moves" }, element("h3", { text: "Pods that go, by rule" }), ...groups.map(([rule, items], at) => folded(rule, items, at === 0, heads, rowOf)))];
  }

  #stays({ kept }) {
    if (!kept.length) return [];
    const rowOf = (pod) => {
      return element("tr", {}, this.#pod(pod), cell(pod.node), cell(pod.plugin), cell(pod.reason ?? "", "why"));
    };
    const groups = groupBy(kept, keeperOf).map(([keeper, items]) => folded(keeper, items, false, ["Pod", "Node", "Rule", "Reason"], rowOf));
    return [element("section", { id: "what-kept" }, element("h3", { text: "Pods that are kept, by what keeps them" }), ...groups)];
  }

  #rules({ rules }) {
    if (!rules.length) return [];
    const rows = rules.map(({ plugin, profile, evicted, limited, refused, sparedBy, wantedBefore, wantedAfter, error, idle }) => {
      const why = [error, idle, ...sparedBy.map(({ cause, pods }) => `${count(pods)} ${cause}`)].filter(Boolean).join("; ");
      return element("tr", {}, element("th", { scope: "row", text: plugin }, element("small", { text: ` ${profile}` })), cell(count(evicted), "total"), cell(count(limited + refused), "total"), cell(`${count(wantedBefore ?? 0)} → ${count(wantedAfter ?? 0)}`, "total"), cell(why, error ? "why bad" : "why"));
    });
    return [element("section", { id: "what-rules" }, element("h3", { text: "Rules" }), table("Rules", [["Rule"], ["Evicts", "total"], ["Kept by limits and budgets", "total"], ["Selects", "total"], ["Why not more"]], rows))];
  }

  #spared({ spared }) {
    if (!spared?.length) return [];
    const rowOf = (pod) => {
      return element("tr", {}, this.#pod(pod), cell(pod.plugin));
    };
    const groups = groupBy(spared, ({ reasons }) => reasons).map(([reason, items]) => folded(reason, items, false, ["Pod", "Rule"], rowOf));
    return [element("section", { id: "what-spared" }, element("h3", { text: "Pods that filters spare, by reason" }), ...groups)];
  }
}
