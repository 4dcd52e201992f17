"""The scheduler under load, churn, preemption, lost nodes, API faults and kills.

scheduler_drill.py BERTH SANDBOX_PORT [--nodes N] [--pods N] [--kills N] [--replicas N] [--seed N]

Pods come in three ranks: low ones, protected ones (a budget that allows no disruption), high ones that preempt. The cluster
is asked for more than it has; pods are deleted and come back under the same name, nodes vanish and new ones come. The
schedulers reach the API through a proxy that answers 409, 410, 429 and 500, loses answers and cuts watches; they are killed
at random moments. A watch past the proxy checks at every event that no node is overcommitted, no pod moves, and no
protected pod is preempted. Once the faults stop, everything must be bound. The last line is "N passed, M failed".
"""

import argparse
import http.client
import json
import pathlib
import queue
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("berth")
parser.add_argument("port", type=int)
parser.add_argument("--nodes", type=int, default=40)
parser.add_argument("--pods", type=int, default=400)
parser.add_argument("--kills", type=int, default=3)
parser.add_argument("--replicas", type=int, default=1)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()

WORK = pathlib.Path(tempfile.mkdtemp())
HERE = pathlib.Path(__file__).parent
FAULTS = {"conflict": 2, "busy": 2, "broken": 2, "lost": 1, "expired": 10, "cut": 6}
CREATORS = 4
PATIENCE = 300  # seconds for anything that has to come
CPU_MILLI, PODS_PER_NODE = 8000, 110  # of a simulated node
RANKS = {"low": 0, "protected": 10, "high": 100}
dice = random.Random(options.seed)
counts = {True: 0, False: 0}
schedulers = None


def judge(name, is_good, found=""):
    counts[bool(is_good)] += 1
    if not is_good:
        print(f"FAIL {name}: {str(found)[:600]}")


def until(what, condition, patience=PATIENCE):
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        if schedulers:
            schedulers.revive()
        time.sleep(0.05)
    print(f"FAIL never came: {what}")
    return None


class Api:
    """Calls past the proxy, one connection per thread."""

    def __init__(self, port):
        self.port, self.local = port, threading.local()

    def ask(self, method, path, body=None, content_type="application/json"):
        headers = {"Authorization": "Bearer e2e", "Content-Type": content_type}
        for attempt in range(20):
            try:
                if not hasattr(self.local, "connection"):
                    self.local.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                self.local.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
                answer = self.local.connection.getresponse()
                content = answer.read()
                if answer.status != 429:
                    return answer.status, json.loads(content or b"{}")
            except (OSError, http.client.HTTPException):
                del self.local.connection
            time.sleep(0.2 * (attempt + 1))
        raise RuntimeError(f"{method} {path}")

    def need(self, method, path, body):
        status, answer = self.ask(method, path, body)
        if status not in (200, 201):
            raise RuntimeError(f"{method} {path}: {answer}")


api = Api(options.port)

# ---- the checker


def milli(text):
    return int(text[:-1]) if text.endswith("m") else int(text) * 1000


class Checker:
    """Follows pods and nodes as the API server tells them."""

    def __init__(self):
        self.nodes = set()
        self.pods = {}  # uid -> (name, node, cpu)
        self.pending = set()
        self.used = {}  # node -> [cpu, pods]
        self.broken = []
        self.bound = self.preempted = self.events = self.relists = 0
        self.marked = set()
        self.is_over = False
        for path, take in (("/api/v1/nodes", self.take_node), ("/api/v1/pods", self.take_pod)):
            threading.Thread(target=self.follow, args=(path, take), daemon=True).start()

    def follow(self, path, take):
        while not self.is_over:
            seen = set()
            connection = http.client.HTTPConnection("127.0.0.1", options.port, timeout=None)
            connection.request("GET", path + "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
                               "&resourceVersionMatch=NotOlderThan&resourceVersion=", headers={
                                   "Authorization": "Bearer e2e"})
            for line in connection.getresponse():
                event = json.loads(line)
                if event["type"] == "BOOKMARK":
                    if seen is not None:
                        self.forget_others(take, seen)
                    seen = None
                    continue
                if event["type"] == "ERROR":
                    break
                if seen is not None:
                    seen.add(event["object"]["metadata"]["uid"])
                take(event["type"], event["object"])
                self.events += 1
            self.relists += 1

    def is_full(self):
        return sum(cpu for cpu, _ in list(self.used.values())) > CPU_MILLI * len(self.nodes) * 9 // 10

    def forget_others(self, take, seen):
        if take == self.take_pod:
            for uid in set(self.pods) - seen:
                self.remove(uid)

    def take_node(self, kind, node):
        name = node["metadata"]["name"]
        if kind == "DELETED":
            self.nodes.discard(name)
        else:
            self.nodes.add(name)

    def remove(self, uid):
        _, node, cpu = self.pods.pop(uid)
        self.pending.discard(uid)
        if node:
            self.used[node][0] -= cpu
            self.used[node][1] -= 1

    def take_pod(self, kind, pod):
        meta, spec, status = pod["metadata"], pod["spec"], pod.get("status", {})
        uid, name, node = meta["uid"], meta["name"], spec.get("nodeName")
        self.check_marks(uid, meta, status)
        if kind == "DELETED" or status.get("phase") in ("Succeeded", "Failed"):
            if uid in self.pods:
                self.remove(uid)
            return
        before = self.pods.get(uid)
        if before and before[1]:
            if before[1] != node:
                self.broken.append(f"{name} moved from {before[1]} to {node}")
            return
        cpu = milli(spec["containers"][0]["resources"]["requests"]["cpu"])
        self.pods[uid] = (name, node, cpu)
        if not node:
            self.pending.add(uid)
            return
        self.pending.discard(uid)
        self.bound += 1
        used = self.used.setdefault(node, [0, 0])
        used[0] += cpu
        used[1] += 1
        if node in self.nodes and (used[0] > CPU_MILLI or used[1] > PODS_PER_NODE):
            self.broken.append(f"{node} overcommitted by {name}: {used}")

    def check_marks(self, uid, meta, status):
        for condition in status.get("conditions", []):
            if condition["type"] == "DisruptionTarget" and condition.get("reason") == "PreemptionByScheduler" and \
                    uid not in self.marked:
                self.marked.add(uid)
                self.preempted += 1
                if meta["labels"]["rank"] == "protected":
                    self.broken.append(f"{meta['name']} preempted against its budget")


# ---- the schedulers


class Schedulers:
    def __init__(self, proxy_port):
        self.config = WORK / "kubeconfig"
        self.config.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{proxy_port}"}}],
            "users": [{"name": "u", "user": {"token": "e2e"}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
        self.proxy = Api(proxy_port)
        self.running = {}  # process -> log
        self.started = self.kills = 0
        for _ in range(options.replicas):
            self.start()

    def start(self):
        log = WORK / f"log-{self.started}"
        election = ["--leader-elect=true", "--leader-elect-lease-duration=4s", "--leader-elect-renew-deadline=3s",
                    "--leader-elect-retry-period=500ms"] if options.replicas > 1 else ["--leader-elect=false"]
        process = subprocess.Popen([options.berth, "scheduler", "--kubeconfig", str(self.config), "-v", "2", *election],
                                   stdout=subprocess.DEVNULL, stderr=open(log, "w"))
        self.started += 1
        self.running[process] = log

    def leader(self):
        """The process whose log names the holder of the lease."""
        status, lease = api.ask("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler")
        holder = lease.get("spec", {}).get("holderIdentity") if status == 200 else None
        for process, log in self.running.items():
            if holder and f'Leading identity="{holder}"' in log.read_text():
                return process
        return None

    def kill(self):
        victim = until("a leader", self.leader) if options.replicas > 1 else next(iter(self.running))
        if victim is None:
            judge("somebody leads", False)
            return
        victim.kill()
        victim.wait()
        del self.running[victim]
        self.kills += 1
        # What the dead one had sent arrives before its successor asks for the state: no supervisor is faster than that.
        until("its last requests", lambda: options.replicas > 1 or self.proxy.ask("GET", "/proxy/counts")[1]["open"] == 0)
        self.start()

    def revive(self):
        """A replica that lost its lease has ended, as upstream's does: its supervisor starts it again."""
        for process in [one for one in self.running if one.poll() is not None]:
            judge("ends only for its lease", "leadership lost" in self.running[process].read_text(), self.running[process])
            del self.running[process]
            self.start()

    def stop(self):
        for process in self.running:
            process.terminate()
        for process in self.running:
            process.wait(60)


# ---- the load


def pod_of(name, rank, cpu):
    spec = {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": f"{cpu}m"}}}],
            "priorityClassName": rank, "terminationGracePeriodSeconds": 1}
    group = int(name.rsplit("-", 1)[1]) % 40
    labels = {"rank": rank, "group": f"g{group}"}
    selector = {"labelSelector": {"matchLabels": {"group": f"g{group}"}}, "topologyKey": "kubernetes.io/hostname"}
    if group == 0:
        spec["topologySpreadConstraints"] = [{**selector, "maxSkew": 5, "whenUnsatisfiable": "DoNotSchedule"}]
    if group == 1:
        spec["affinity"] = {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 10, "podAffinityTerm": selector}]}}
    return {"metadata": {"name": name, "labels": labels}, "spec": spec}


def set_up_cluster():
    for rank, value in RANKS.items():
        api.need("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": rank}, "value": value})
    api.need("POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets", {
        "metadata": {"name": "b"}, "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"rank": "protected"}}}})


PODS = "/api/v1/namespaces/default/pods"


class Load:
    """Creates pods from a few threads; whatever it is told to create exists afterwards."""

    def __init__(self):
        self.todo = queue.Queue()
        self.specs = {}
        for _ in range(CREATORS):
            threading.Thread(target=self.work, daemon=True).start()

    def work(self):
        while True:
            name = self.todo.get()
            while not self.exists(name):
                time.sleep(0.1)
            self.todo.task_done()

    def exists(self, name):
        """Creates the pod unless it is there to stay; one on its way out has to be waited for."""
        if api.ask("POST", PODS, self.specs[name])[0] == 201:
            return True
        status, pod = api.ask("GET", f"{PODS}/{name}")
        return status == 200 and "deletionTimestamp" not in pod["metadata"]

    def create(self, name, rank, cpu):
        self.specs[name] = pod_of(name, rank, cpu)
        self.todo.put(name)

    def renew(self, name):
        """At once: a pod of a lost node would stay for long."""
        api.ask("DELETE", f"{PODS}/{name}", {"gracePeriodSeconds": 0})
        self.todo.put(name)


def wave(load, first, count, ranks):
    for number in range(first, first + count):
        load.create(f"p-{number}", dice.choice(ranks), dice.choice([500, 700, 900, 1200, 1600, 2000]))


def lose_nodes(share):
    names = sorted(checker.nodes)
    for name in dice.sample(names, max(1, int(len(names) * share))):
        api.ask("DELETE", f"/api/v1/nodes/{name}")
        api.need("POST", "/api/v1/nodes", {"metadata": {"name": f"new-{name}", "labels": {
            "kubernetes.io/hostname": f"new-{name}"}}})


def churn(load, schedulers):
    """Kills, lost nodes and renewed pods while the load comes in."""
    names = sorted(load.specs)
    for kill in range(options.kills):
        time.sleep(dice.uniform(0.2, 1.5))
        schedulers.kill()
        for name in dice.sample(names, max(1, len(names) // 200)):
            load.renew(name)
        if kill % 3 == 1:
            lose_nodes(0.01)


def existing():
    """Pods that are there and stay: name -> cpu."""
    return {pod["metadata"]["name"]: pod for pod in api.ask("GET", PODS)[1]["items"]
            if "deletionTimestamp" not in pod["metadata"]}


def make_room():
    """Low pods go until all that is left fits well."""
    pods = existing()
    room = CPU_MILLI * len(checker.nodes) * 7 // 10
    demand = sum(milli(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"]) for pod in pods.values())
    for name in sorted(pods):
        if demand <= room:
            return
        if pods[name]["metadata"]["labels"]["rank"] == "low":
            demand -= milli(pods[name]["spec"]["containers"][0]["resources"]["requests"]["cpu"])
            api.ask("DELETE", f"{PODS}/{name}")


def is_settled():
    return not checker.pending and load.todo.unfinished_tasks == 0


started = time.monotonic()
proxy = subprocess.Popen([sys.executable, str(HERE / "api_proxy.py"), str(options.port), str(options.seed), json.dumps(FAULTS)],
                         stdout=subprocess.PIPE, text=True)
try:
    proxy_port = int(proxy.stdout.readline())
    set_up_cluster()
    checker = Checker()
    until("the nodes", lambda: len(checker.nodes) == options.nodes)
    schedulers = Schedulers(proxy_port)
    load = Load()
    # Low and protected ones fill the cluster; then come the high ones.
    wave(load, 0, options.pods * 4 // 5, ["low", "low", "low", "protected"])
    until("a full cluster", checker.is_full)
    wave(load, options.pods * 4 // 5, options.pods - options.pods * 4 // 5, ["high", "high", "low"])
    churn(load, schedulers)
    load.todo.join()
    judge("there were preemptions", until("preemptions", lambda: checker.preempted > options.pods // 100), checker.preempted)
    report = Api(proxy_port).ask("GET", "/proxy/calm")[1]
    make_room()
    calm = time.monotonic()
    until("the end of all waiting", is_settled)
    time.sleep(1)
    judge("everything is bound", is_settled(), sorted(checker.pods[uid][0] for uid in list(checker.pending))[:5])
    judge("nothing is broken", not checker.broken, checker.broken[:5])
    judge("there were faults", sum(report["faults"].values()) > options.pods // 50, report["faults"])
    judge("killed so often", schedulers.kills == options.kills, schedulers.kills)
    schedulers.stop()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{options.nodes} nodes, {options.pods} pods, {options.replicas} replicas: {checker.bound} bindings, "
          f"{checker.preempted} preempted, {schedulers.kills} kills, {checker.events} events, {checker.relists} watches lost, faults {report['faults']}; "
          f"calm after {calm - started:.1f} s, all bound {time.monotonic() - calm - 1:.1f} s later; "
          f"schedulers {used.ru_utime + used.ru_stime:.2f} s CPU, at most {used.ru_maxrss // 1024} MiB")
finally:
    proxy.kill()
    for process in schedulers.running if schedulers else []:
        process.kill()
print(f"{counts[True]} passed, {counts[False]} failed")
sys.exit(counts[False] > 0)
