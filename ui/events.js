// What happens: Events as they come, the newest first; all texts are text.
import { count, element } from "./words.js";

const PAGE = 200;
const SHOWN_MAX = 1000; // rows of the page
const TYPING_MS = 150;
const KINDS = { placed: "Placed", waiting: "Waiting", preempted: "Preempted", evicted: "Evicted", reboot: "Reboots", node: "Nodes", warning: "Warnings", other: "Other" };
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

const podAddress = ({ namespace, name }) => `#pod/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;

/** One event as an item of a list; withName: also what it is about. */
export function eventItem(event, withName) {
  const time = element("time", { dateTime: event.time, title: event.time, text: clock.format(new Date(event.time)) });
  const kind = element("span", { className: `kind ${event.kind}`, text: event.reason });
  const place = `${event.namespace ? `${event.namespace}/` : ""}${event.name}`;
  const about = event.about === "Pod" ? element("a", { href: podAddress(event), text: place }) : element("b", { text: `${event.about} ${place}` });
  const more = element("small", { text: [event.by, event.count > 1 && `${count(event.count)} times`].filter(Boolean).join(", ") });
  const note = element("p", {}, ...(withName ? [about, " "] : []), element("span", { text: event.note }), " ", more);
  const item = element("li", { className: "event" }, time, kind, note);
  item.dataset.number = event.number;
  return item;
}

export class EventsView {
  constructor(root, get) {
    Object.assign(this, { root, get, events: [], last: 0, oldest: 0, isPaused: false, isBusy: false, isMore: false, off: new Set(["other"]) });
    this.list = root.querySelector("#event-list");
    this.note = root.querySelector("#event-note");
    this.pause = root.querySelector("#event-pause");
    this.older = root.querySelector("#event-older");
    this.find = root.querySelector("#event-find");
    root.querySelector("#event-kinds").append(...Object.entries(KINDS).map(([kind, text]) => this.#choice(kind, text)));
    this.pause.addEventListener("click", () => this.#setPaused(!this.isPaused));
    this.older.addEventListener("click", () => this.#load("older"));
    this.find.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.#load("all"), TYPING_MS);
    });
  }

  #choice(kind, text) {
    const button = element("button", { type: "button", text, ariaPressed: String(!this.off.has(kind)) });
    button.dataset.kind = kind;
    button.addEventListener("click", () => {
      if (!this.off.delete(kind)) this.off.add(kind);
      button.ariaPressed = String(!this.off.has(kind));
      this.#load("all");
    });
    return button;
  }

  #setPaused(isPaused) {
    this.isPaused = isPaused;
    this.pause.ariaPressed = String(isPaused);
    this.pause.textContent = isPaused ? "Go on" : "Pause";
    if (!isPaused) this.#load("newer");
    this.#say();
  }

  open() {
    if (!this.events.length) this.#load("all");
    else this.refresh(this.known);
  }

  /** Shows this kind alone. */
  only(kind) {
    this.off = new Set(Object.keys(KINDS).filter((each) => each !== kind));
    for (const button of this.root.querySelectorAll("[data-kind]")) button.ariaPressed = String(!this.off.has(button.dataset.kind));
    this.#load("all");
  }

  /** There are events up to this number; a smaller one is of another process. */
  refresh(last) {
    this.known = last;
    if (last < this.last) return this.#load("all");
    if (last > this.last && !this.isPaused) this.#load("newer");
    this.#say();
  }

  #query(which) {
    const query = new URLSearchParams({ count: PAGE, kind: Object.keys(KINDS).filter((kind) => !this.off.has(kind)).join(",") });
    if (this.find.value.trim()) query.set("find", this.find.value.trim());
    if (which === "newer") query.set("after", this.last);
    if (which === "older") query.set("before", this.events.at(-1)?.number ?? this.last + 1);
    return query;
  }

  async #load(which) {
    if (this.isBusy && which !== "all") return;
    const serial = (this.serial = (this.serial ?? 0) + 1);
    this.isBusy = true;
    try {
      const answer = await this.get(`events?${this.#query(which)}`);
      if (serial !== this.serial) return;
      this.oldest = answer.oldest;
      if (which === "older") this.events = [...this.events, ...answer.events];
      else if (which === "newer" && answer.events.length < PAGE) this.events = [...answer.events, ...this.events].slice(0, SHOWN_MAX);
      else this.events = answer.events;
      if (which !== "older") this.last = answer.last;
      if (which !== "newer") this.isMore = answer.events.length === PAGE;
      this.#draw();
    } catch {
      // the feed says that the connection is lost, and comes back here
    } finally {
      if (serial === this.serial) this.isBusy = false;
    }
  }

  #draw() {
    const known = new Map([...this.list.children].map((item) => [item.dataset.number, item]));
    this.list.replaceChildren(...this.events.map((event) => known.get(String(event.number)) ?? eventItem(event, true)));
    this.older.hidden = !this.isMore;
    this.#say();
  }

  #say() {
    const waiting = this.isPaused && this.known > this.last ? `Paused; ${count(this.known - this.last)} more since then.` : this.isPaused ? "Paused." : "";
    this.note.textContent = waiting || (this.events.length ? "" : this.oldest ? "Nothing of this kind." : "No events are known.");
  }
}
