"""A fleet of real agents over a sandbox while they are killed: reboot_drill.py BERTH KUBECTL NODES KILLS LIMIT.

Every node asks for a reboot at once. The reboot command makes this script take the simulated node down, kill its agent
with SIGKILL and bring both up again with another boot id; agents are also killed at random. kubectl watches the nodes:
what it sees is checked against the limit at every change, and in the end nothing may be left behind.
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE = 240  # seconds without an end before something is taken to be stuck
KEY = "weave.works/kured-node-reboot"
OBJECTS = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: kured, namespace: kube-system}
spec:
  selector: {matchLabels: {app: kured}}
  template:
    metadata: {labels: {app: kured}}
    spec: {containers: [{name: c, image: kured}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: web}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: default}
spec:
  maxUnavailable: 2
  selector: {matchLabels: {app: web}}
"""


class Drill:
    def __init__(self, berth, kubectl, nodes, kills, limit):
        self.berth, self.kubectl_program, self.limit, self.kills_left = berth, kubectl, limit, kills
        self.random = random.Random(7)
        self.work = tempfile.mkdtemp(prefix="berth-drill-")
        self.config = os.path.join(self.work, "kubeconfig")
        self.env = dict(os.environ, KUBECONFIG=self.config, HOME=self.work)
        self.nodes = ["node-%d" % i for i in range(nodes)]
        self.agents, self.up_at, self.reboots = {}, {}, dict.fromkeys(self.nodes, 0)
        self.others, self.problems = [], []
        self.seen = {}  # node -> (tainted, cordoned, phase, boot id)
        self.down = {}  # node -> boot id it went down with
        self.counts = dict.fromkeys(["taints", "cordons", "uncordons", "boots"], 0)
        self.most, self.kills, self.is_started = 0, 0, False

    def path(self, name):
        return os.path.join(self.work, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def spawn(self, log, *words):
        with open(self.path(log), "ab") as out:
            process = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT, env=self.env)
        self.others.append(process)
        return process

    def kubectl(self, *words, text=None):
        return subprocess.run([self.kubectl_program, *words], input=text, env=self.env, capture_output=True,
                              text=True, timeout=60, check=False).stdout

    def until(self, what, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                self.problems.append("never: " + what)
                return False
            self.iterate()
            time.sleep(0.05)
        return True

    # ---- the watch

    def watch(self):
        with open(self.path("watch.log"), "ab") as errors:
            process = subprocess.Popen([self.kubectl_program, "get", "nodes", "--watch", "-o", "json"], env=self.env,
                                       stdout=subprocess.PIPE, stderr=errors, text=True)
        self.others.append(process)
        threading.Thread(target=self.read_watch, args=(process.stdout,), daemon=True).start()

    def read_watch(self, stream):
        decoder, text = json.JSONDecoder(), ""
        for line in stream:
            text += line
            if line != "}\n":
                continue
            node, _ = decoder.raw_decode(text)
            text = ""
            self.see(node)

    def see(self, node):
        meta, spec = node["metadata"], node.get("spec", {})
        record = json.loads(meta.get("annotations", {}).get("berth.dev/reboot", "{}"))
        now = (any(t["key"] == KEY for t in spec.get("taints", [])), bool(spec.get("unschedulable")),
               record.get("phase", "Idle"), node["status"].get("nodeInfo", {}).get("bootID"))
        before = self.seen.get(meta["name"], (False, False, "Idle", now[3]))
        self.seen[meta["name"]] = now
        self.counts["taints"] += now[0] and not before[0]
        self.counts["cordons"] += now[1] and not before[1]
        self.counts["uncordons"] += before[1] and not now[1]
        self.counts["boots"] += now[3] != before[3]
        away = [name for name, state in self.seen.items() if state[1]]
        self.most = max(self.most, len(away))
        if len(away) > self.limit:
            self.problems.append("more than %d cordoned: %s" % (self.limit, away))

    # ---- hosts and agents

    def start_agent(self, node):
        self.agents[node] = self.spawn(
            node + ".log", self.berth, "reboot", "--node-id", node, "--period", "1s", "--reboot-sentinel",
            self.path(node + ".required"), "--nsenter=false", "--reboot-command",
            "/usr/bin/touch " + self.path(node + ".order"), "--boot-id-file", self.path(node + ".boot"),
            "--metrics-port", "0", "--prefer-no-schedule-taint", KEY, "--reboot-timeout", "20s",
            "--concurrency", str(self.limit), "--lock-ttl", "10m", "--annotate-nodes")

    def kill_agent(self, node, seconds):
        process = self.agents.pop(node, None)
        if process:
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.others.remove(process)
        self.up_at[node] = time.monotonic() + seconds

    def boot(self, node):
        """The host goes down; it is up again when its kubelet says so, with the boot id the agent will read."""
        os.unlink(self.path(node + ".order"))
        self.kill_agent(node, 0)
        self.reboots[node] += 1
        os.unlink(self.path(node + ".required"))
        self.down[node] = self.seen[node][3]
        self.kubectl("annotate", "node", node, "--overwrite", "sandbox.berth.dev/reboot=%d" % self.reboots[node],
                     "sandbox.berth.dev/reboot-time=1s")

    def iterate(self):
        now = time.monotonic()
        for node in self.nodes if self.is_started else []:
            if node in self.agents and os.path.exists(self.path(node + ".order")):
                self.boot(node)
            elif node in self.down:
                if self.seen[node][3] != self.down[node]:
                    self.write(node + ".boot", self.seen[node][3])
                    del self.down[node]
            elif node not in self.agents and now >= self.up_at.get(node, 0):
                self.start_agent(node)
        if self.kills_left > 0 and self.agents and self.random.random() < 0.15:
            self.kills_left -= 1
            self.kills += 1
            self.kill_agent(self.random.choice(sorted(self.agents)), 0.2)

    # ---- the drill

    def set_up(self):
        self.spawn("sandbox.log", self.berth, "sandbox", "--listen", "127.0.0.1:0", "--kubeconfig-out", self.config,
                   "--nodes", str(len(self.nodes)), "--seed", "1")
        for _ in range(600):
            if os.path.exists(self.config) and os.path.getsize(self.config) > 0:
                break
            time.sleep(0.1)
        self.spawn("scheduler.log", self.berth, "scheduler", "--kubeconfig", self.config)
        self.kubectl("apply", "-f", "-", text=OBJECTS % len(self.nodes))
        self.kubectl("rollout", "status", "deployment/web", "--timeout=50s")
        self.watch()
        self.until("kubectl lists the nodes", lambda: len(self.seen) == len(self.nodes))
        for node in self.nodes:
            self.write(node + ".boot", self.seen[node][3])
            self.write(node + ".required", "")

    def is_clean(self):
        if len(self.seen) < len(self.nodes):
            return False
        if any(state[0] or state[1] or state[2] != "Idle" for state in self.seen.values()):
            return False
        return "nodeID" not in self.kubectl("-n", "kube-system", "get", "daemonset", "kured", "-o", "yaml")

    def run(self):
        began = time.monotonic()
        self.set_up()
        self.is_started = True
        if self.until("all nodes reboot", lambda: all(self.reboots.values())):
            self.until("nothing is left behind", self.is_clean)
        if any(count != 1 for count in self.reboots.values()):
            self.problems.append("each node once: %s" % self.reboots)
        ready = self.kubectl("get", "deployment", "web", "-o", "jsonpath={.status.readyReplicas}")
        if not self.problems and ready != str(len(self.nodes)):
            self.until("the workload is whole again",
                       lambda: self.kubectl("get", "deployment", "web", "-o", "jsonpath={.status.readyReplicas}") ==
                       str(len(self.nodes)))
        print("%d nodes, limit %d, %d agents killed: %d reboots, at most %d away at once, seen by kubectl: %s; %.0f s" %
              (len(self.nodes), self.limit, self.kills, sum(self.reboots.values()), self.most,
               ", ".join("%d %s" % (count, what) for what, count in self.counts.items()), time.monotonic() - began))

    def end(self):
        for process in self.others:
            process.kill()
            process.wait()
        for problem in self.problems:
            print("FAIL", problem)
        if self.problems:
            for name in sorted(os.listdir(self.work)):
                if name.endswith(".log"):
                    with open(self.path(name), encoding="utf-8", errors="replace") as file:
                        print("---", name, *file.readlines()[-12:], sep="\n")
        subprocess.run(["rm", "-rf", self.work], check=False)
        return 1 if self.problems else 0


def main():
    drill = Drill(sys.argv[1], sys.argv[2], *(int(word) for word in sys.argv[3:6]))
    try:
        drill.run()
    finally:
        code = drill.end()
    return code


sys.exit(main())
