"""The judge of chaos_drill.py. It knows only what the API server tells every client: it follows pods, nodes, the lock of reboots by
watches of its own, through restarts of the server, and counts for itself."""

import http.client
import json
import threading
import time

SILENCE = 90  # seconds until a watch without a word is opened again
JUST_NOW = 3  # seconds for which the server may not know yet that a pod was lost
CPU_MILLI, PODS_PER_NODE = 8000, 110  # of a simulated node
LOCK = "weave.works/kured-node-lock"


def milli(text):
    return int(text[:-1]) if text.endswith("m") else int(float(text) * 1000)


def condition(status, kind):
    return next((one for one in status.get("conditions", []) if one["type"] == kind), {})


class Follower(threading.Thread):
    """One collection as its watch tells it, from the last version on when the server was away."""

    def __init__(self, port, path, take):
        super().__init__(daemon=True)
        self.port, self.path, self.take = port, path, take
        self.version, self.objects, self.events, self.lists = None, {}, 0, 0
        self.start()

    def open(self, query):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SILENCE)
        connection.request("GET", f"{self.path}?{query}", headers={"Authorization": "Bearer e2e"})
        return connection.getresponse()

    def run(self):
        while True:
            try:
                if self.version is None:
                    self.list_all()
                self.follow()
            except (OSError, http.client.HTTPException, ValueError, KeyError):
                time.sleep(0.1)

    def list_all(self):
        content = json.loads(self.open("").read())
        found = {one["metadata"]["uid"]: one for one in content["items"]}
        for uid in set(self.objects) - set(found):
            self.put("DELETED", self.objects[uid])
        for one in found.values():
            self.put("LISTED", one)
        self.version = content["metadata"]["resourceVersion"]
        self.lists += 1

    def follow(self):
        for line in self.open(f"watch=1&allowWatchBookmarks=true&resourceVersion={self.version}"):
            event = json.loads(line)
            if event["type"] == "ERROR":
                self.version = None
                return
            self.version = event["object"]["metadata"]["resourceVersion"]
            if event["type"] != "BOOKMARK":
                self.put(event["type"], event["object"])

    def put(self, kind, found):
        uid = found["metadata"]["uid"]
        before = self.objects.get(uid)
        self.events += 1
        if kind == "DELETED":
            self.objects.pop(uid, None)
        else:
            self.objects[uid] = found
        self.take(kind, before, found)


class Checker:
    def __init__(self, port, budgets, limit, stages_of):
        self.budgets, self.limit, self.stages_of = budgets, limit, stages_of  # app -> least healthy pods; uid -> bool
        self.broken, self.evicted, self.finished, self.preempted = [], {}, set(), set()
        self.nodes_of, self.losses = {}, {app: [] for app in budgets}
        self.most_away = self.boots = self.not_ready = self.bound = 0
        self.guard = threading.Lock()
        with self.guard:
            self.pods = Follower(port, "/api/v1/pods", self.guarded(self.see_pod))
            self.nodes = Follower(port, "/api/v1/nodes", self.guarded(self.see_node))
            self.sets = Follower(port, "/apis/apps/v1/daemonsets", self.guarded(self.see_lock))

    def guarded(self, take):
        def call(*arguments):
            with self.guard:
                take(*arguments)
        return call

    # ---- pods

    def is_healthy(self, pod):
        return pod["metadata"]["uid"] not in self.evicted and "deletionTimestamp" not in pod["metadata"] and \
            condition(pod.get("status", {}), "Ready").get("status") == "True"

    def see_pod(self, kind, before, pod):
        app = pod["metadata"].get("labels", {}).get("app")
        was_healthy = bool(before) and self.is_healthy(before)
        self.see_mark(before, pod, app)
        if app in self.budgets and was_healthy and pod["metadata"]["uid"] not in self.evicted and \
                (kind == "DELETED" or not self.is_healthy(pod)):
            self.losses[app].append(time.monotonic())
        if kind != "DELETED":
            self.see_binding(pod)

    def see_mark(self, before, pod, app):
        uid, name, was_healthy = pod["metadata"]["uid"], pod["metadata"]["name"], bool(before) and self.is_healthy(before)
        reason = condition(pod.get("status", {}), "DisruptionTarget").get("reason")
        if reason == "PreemptionByScheduler":
            self.preempted.add(uid)
        if reason != "EvictionByEvictionAPI" or uid in self.evicted:
            return
        self.evicted[uid] = name
        self.finished |= {uid} if pod["status"].get("phase") in ("Succeeded", "Failed") else set()
        phase = pod["status"].get("phase")
        was_ending = uid in self.preempted or "deletionTimestamp" in (before or {"metadata": {}})["metadata"]
        if app == "db" and phase not in ("Pending", "Succeeded", "Failed") and not was_ending and not self.stages_of(uid):
            self.broken.append(f"{name} was evicted before its stages were over: {phase} on {pod['spec'].get('nodeName')}")
        if app not in self.budgets or not was_healthy:
            return
        healthy = sum(self.is_healthy(one) for one in self.pods.objects.values() if one["metadata"].get("labels", {}).get("app") == app)
        lost = sum(time.monotonic() - at < JUST_NOW for at in self.losses[app])
        if healthy + lost < self.budgets[app]:
            self.broken.append(f"{name} was evicted against its budget: {healthy} healthy, {lost} just lost")

    def see_binding(self, pod):
        uid, name, node = pod["metadata"]["uid"], pod["metadata"]["name"], pod["spec"].get("nodeName")
        if self.nodes_of.setdefault(uid, node) not in (None, node):
            self.broken.append(f"{name} moved from {self.nodes_of[uid]} to {node}")
        if node and self.nodes_of[uid] is None:
            self.bound += 1
            self.check_room(name, node)
        self.nodes_of[uid] = node

    def check_room(self, name, node):
        there = [one["spec"] for one in self.pods.objects.values()
                 if one["spec"].get("nodeName") == node and one.get("status", {}).get("phase") not in ("Succeeded", "Failed")]
        cpu = sum(milli(c.get("resources", {}).get("requests", {}).get("cpu", "0")) for spec in there for c in spec["containers"])
        if cpu > CPU_MILLI or len(there) > PODS_PER_NODE:
            self.broken.append(f"{node} has no room for {name}: {cpu}m, {len(there)} pods")

    # ---- nodes and the lock

    def see_node(self, kind, before, node):
        away = [one["metadata"]["name"] for one in self.nodes.objects.values() if one["spec"].get("unschedulable")]
        self.most_away = max(self.most_away, len(away))
        if len(away) > self.limit:
            self.broken.append(f"more than {self.limit} cordoned: {away}")
        if not before:
            return
        self.not_ready += self.is_ready(before) and not self.is_ready(node)
        boot, now = ((one["status"].get("nodeInfo") or {}).get("bootID") for one in (before, node))
        if boot and now and boot != now:
            self.boots += 1
            if not node["spec"].get("unschedulable"):
                self.broken.append(f"{node['metadata']['name']} rebooted without a cordon")

    @staticmethod
    def is_ready(node):
        return condition(node.get("status", {}), "Ready").get("status") == "True"

    def see_lock(self, kind, before, found):
        lock = json.loads(found["metadata"].get("annotations", {}).get(LOCK) or "{}")
        holders = [one["nodeID"] for one in lock.get("locks") or ([lock] if lock.get("nodeID") else [])]
        if len(set(holders)) > self.limit:
            self.broken.append(f"more than {self.limit} hold the lock: {holders}")

    # ---- the end

    def is_caught_up(self, ask):
        """Whether the watches have seen what a list says now."""
        for follower in (self.pods, self.nodes):
            found = {(one["metadata"]["uid"], one["metadata"]["resourceVersion"]) for one in ask("GET", follower.path)[1]["items"]}
            if found != {(uid, one["metadata"]["resourceVersion"]) for uid, one in list(follower.objects.items())}:
                return False
        return True

    def left(self, ask, group, is_all=True):
        """What is not as it was before the faults, as a list of sentences; Evictions that have ended and wait to be deleted if all."""
        found = [f"node {one['metadata']['name']}: {what}" for one in ask("GET", "/api/v1/nodes")[1]["items"] for what in self.left_of_node(one)]
        for pod in ask("GET", "/api/v1/pods")[1]["items"]:
            found += [f"pod {pod['metadata']['name']}: {what}" for what in self.left_of_pod(pod)]
        for one in ask("GET", "/apis/apps/v1/deployments")[1]["items"]:
            wanted, ready = one["spec"]["replicas"], one["status"].get("readyReplicas", 0)
            if (wanted, wanted) != (ready, one["status"].get("replicas", 0)):
                found.append(f"deployment {one['metadata']['name']}: {ready} of {wanted} ready")
        for one in ask("GET", "/apis/apps/v1/daemonsets")[1]["items"]:
            if "nodeID" in one["metadata"].get("annotations", {}).get(LOCK, ""):
                found.append("the lock is held: " + one["metadata"]["annotations"][LOCK])
        for plural in ("evictions", "evictionrequests"):
            found += [f"{plural} {one['metadata']['name']}" for one in ask("GET", f"/apis/{group}/v1alpha1/{plural}")[1]["items"]
                      if not self.has_ended(one) or is_all and not self.stays_with_pod(one)]
        return found

    @staticmethod
    def has_ended(one):
        return any(condition(one.get("status", {}), kind).get("status") == "True" for kind in ("TargetEvicted", "Failed"))

    def stays_with_pod(self, one):
        """A client that stopped asking: its request was withdrawn, and is deleted with the pod, as is the Eviction."""
        owners = [owner["name"] for owner in one["metadata"].get("ownerReferences", []) if owner["kind"] == "EvictionRequest"]
        return all(name.startswith("client-") for name in owners or [one["metadata"]["name"]]) and \
            one["spec"]["target"]["pod"]["uid"] in self.pods.objects

    def left_of_node(self, node):
        record = json.loads(node["metadata"].get("annotations", {}).get("berth.dev/reboot", "{}"))
        yield from (["not Ready"] if not self.is_ready(node) else [])
        yield from (["cordoned"] if node["spec"].get("unschedulable") else [])
        yield from ([f"taints {node['spec']['taints']}"] if node["spec"].get("taints") else [])
        yield from ([f"reboot {record}"] if record.get("phase", "Idle") != "Idle" else [])

    def left_of_pod(self, pod):
        status = pod.get("status", {})
        if "deletionTimestamp" in pod["metadata"]:
            yield "on its way out"
        elif not pod["spec"].get("nodeName"):
            yield f"not placed, nominated to {status.get('nominatedNodeName')}"
        elif status.get("phase") not in ("Succeeded", "Failed") and condition(status, "Ready").get("status") != "True":
            yield "not ready"
