// Where the data comes from: two documents at the start, then changes as they come.
const BASE = "/api/berth/v1/";
const RETRY_FIRST_MS = 1000;
const RETRY_LAST_MS = 15000;

export class Refused extends Error {}

/** A document, by its name under the address of all data. */
export async function get(name) {
  const answer = await fetch(BASE + name);
  if (answer.status === 401) throw new Refused("This visit has ended. Open the address that berth prints, with its token.");
  if (!answer.ok) throw Object.assign(new Error(`${name}: ${answer.status}`), { status: answer.status });
  return answer.json();
}

/** A question, answered with a Response; an error has problems where the question has mistakes. */
export async function ask(name, body) {
  const answer = await fetch(BASE + name, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  if (answer.status === 401) throw new Refused("This visit has ended. Open the address that berth prints, with its token.");
  if (answer.ok) return answer;
  const problems = answer.status === 422 ? (await answer.json()).problems : undefined;
  throw Object.assign(new Error((problems ? "" : await answer.text()).trim() || `${name}: ${answer.status}`), { status: answer.status, problems });
}

export class Feed {
  /** report(state, text): loading, live, still or lost; changed(): after every update. */
  constructor(cluster, report, changed) {
    Object.assign(this, { cluster, report, changed, retry: RETRY_FIRST_MS, events: null });
  }

  async start() {
    try {
      this.about = await get("cluster");
      this.cluster.evictions = this.about.evictions;
      this.cluster.headline = this.about.headline;
      const nodes = await get("nodes");
      this.cluster.loadNodes(nodes);
      this.changed();
      this.cluster.loadPods(await get("pods"));
      this.changed();
      this.retry = RETRY_FIRST_MS;
      if (this.about.live) this.#follow(`${nodes.instance}-${nodes.generation}`);
      else this.report("still", "From a file");
    } catch (failure) {
      if (failure instanceof Refused) this.report("lost", failure.message);
      else this.#again("No connection, trying again");
    }
  }

  #again(text) {
    this.report("lost", text);
    setTimeout(() => this.start(), this.retry);
    this.retry = Math.min(this.retry * 2, RETRY_LAST_MS);
  }

  #follow(since) {
    this.events?.close();
    this.events = new EventSource(`${BASE}changes?since=${since}`);
    this.events.addEventListener("changes", (event) => {
      const changes = JSON.parse(event.data);
      this.cluster.headline = changes.headline;
      this.cluster.lastEvent = changes.lastEvent;
      this.cluster.lastDocument = changes.lastDocument;
      this.cluster.evictions = changes.evictions;
      this.cluster.apply(changes);
      this.report(changes.ready ? "live" : "loading", changes.ready ? "Live" : "Listing the cluster");
      this.changed();
    });
    this.events.addEventListener("reset", () => {
      this.events.close();
      setTimeout(() => this.start(), RETRY_FIRST_MS);
    });
    this.events.onerror = () => {
      if (this.events.readyState === EventSource.CLOSED) this.#again("No connection, trying again");
      else this.report("lost", "No connection, trying again");
    };
  }
}
