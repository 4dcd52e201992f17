"""A cluster and all roles of berth under chaos: chaos_drill.py BERTH FAULTS_LIBRARY [SEED [SECONDS]].

A sandbox that keeps its data, scheduler, descheduler, evictions and two reboot agents as processes of their own, and `berth run` with
all four roles, which takes over what the others lose. For SECONDS a plan drawn from the seed kills and stops them all, the sandbox
too, silences nodes, steps clocks of one host or of all, fills disks, and spoils what goes over the wire (api_proxy.py), while clients
evict pods, ask for evictions in stages, withdraw some, start waves of high priority, and nodes ask for reboots. The checker
(chaos_checker.py) judges what a client can see; then all becomes calm, and nothing may be left. The last line is "N passed, M failed".
"""

import http.client
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from chaos_checker import Checker
from chaos_hosts import Hooks, Host
from drill import Sandbox, counts, finish, free_port, judge, write_kubeconfig

HERE = pathlib.Path(__file__).parent
NODES, LIMIT = 6, 1
REPLICAS = {"web": 10, "db": 3, "low": 12, "short": 4}
BUDGETS = {"web": 8, "db": 2}  # least healthy
RECORDED = ("evictions", "run")  # have an audit file
PATIENCE = 240  # seconds from calm to a cluster in which nothing is left
SHORT = 30  # plans of so many seconds do not wait for what takes long: silence of nodes, deletion of ended requests, many reboots
WIRE = {"conflict": 1, "busy": 1, "broken": 1, "lost": 1, "expired": 5, "cut": 10}
LEASES = ["--leader-elect=true", "--leader-elect-lease-duration=4s", "--leader-elect-renew-deadline=3s", "--leader-elect-retry-period=500ms"]
DEFAULT = "/api/v1/namespaces/default"
POLICY = """
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: chaos
  pluginConfig:
  - {name: DefaultEvictor, args: {nodeFit: true}}
  - {name: PodLifeTime, args: {maxPodLifeTimeSeconds: 15, labelSelector: {matchLabels: {app: short}}}}
  - {name: RemovePodsViolatingNodeTaints, args: {}}
  - name: PodLifecycle
    args:
      rules:
      - {name: finished, action: Delete, allowTerminal: true, select: {labelSelector: {matchLabels: {app: once}}}, retention: {ttl: 1s}}
  plugins:
    deschedule: {enabled: [PodLifeTime, RemovePodsViolatingNodeTaints, PodLifecycle]}
"""


def template(app, cpu, **spec):
    return {"metadata": {"labels": {"app": app}},
            "spec": {"terminationGracePeriodSeconds": 1, **spec,
                     "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": f"{cpu}m"}}}]}}


def deployment(app, replicas, cpu, **spec):
    return {"metadata": {"name": app}, "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": app}},
                                                "template": template(app, cpu, **spec)}}


class Drill:
    def __init__(self, berth, library, seed, seconds):
        self.berth, self.library, self.seconds = berth, str(pathlib.Path(library).resolve()), seconds
        self.dice = random.Random(seed)
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="berth-chaos-")).resolve()
        self.group = "lifecycle.k8s.io" if seed % 2 else "lifecycle.berth.dev"
        self.hooks = Hooks(seed)
        self.port = free_port()
        self.api = Sandbox(self.port, patience=2)  # it may be stopped, and only the drill lets it go on
        self.own, self.requests, self.asked, self.boots, self.going_down = set(), [], 0, {}, {}
        self.undo, self.counts = [], {}
        (self.work / "data").mkdir(mode=0o700)
        (self.work / "policy.yaml").write_text(POLICY)
        self.proxy = subprocess.Popen([sys.executable, str(HERE / "api_proxy.py"), str(self.port), str(seed), json.dumps(WIRE)],
                                      stdout=subprocess.PIPE, text=True)
        self.proxy_port = int(self.proxy.stdout.readline())
        self.config = write_kubeconfig(self.work / "kubeconfig", self.proxy_port)
        self.make_hosts()

    # ---- processes

    def make_hosts(self):
        run, add = self.work, self.add_host
        self.hosts = {}
        add("sandbox", ["sandbox", "--listen", f"127.0.0.1:{self.port}", "--data-dir", str(run / "data"), "--token", "e2e", "--nodes", str(NODES),
                        "--feature-gates", f"EvictionRequestAPI={'true' if self.group.endswith('k8s.io') else 'false'}"], run / "data")
        self.pages = {name: free_port() for name in ("scheduler", "descheduler", "evictions", "run")}
        served = {name: ["--kubeconfig", self.config, "--secure-port", str(port), "--bind-address", "127.0.0.1", *LEASES]
                  for name, port in self.pages.items()}
        cleans = ["--policy-config-file", str(run / "policy.yaml"), "--descheduling-interval", "2s", "--eviction-requests", "always"]
        for name in RECORDED:
            (run / name).mkdir()
        mode = "native-own" if self.group.endswith("k8s.io") else "crd"
        records = {name: ["--mode", mode, "--no-audit-output", "--audit-file", str(run / name / "audit")] for name in RECORDED}
        add("scheduler", ["scheduler", *served["scheduler"]])
        add("descheduler", ["descheduler", *served["descheduler"], *cleans])
        add("evictions", ["evictions", *served["evictions"], *records["evictions"]], run / "evictions")
        add("run", ["run", "--roles", "scheduler,descheduler,evictions,reboot", *served["run"], *cleans, *records["run"], *self.reboots("node-0")],
            run / "run")
        for node in ("node-1", "node-2"):
            add(node, ["reboot", "--kubeconfig", self.config, "--metrics-port", "0", "--eviction-requests", "always", *self.reboots(node)])
        self.agents = {"node-0": self.hosts["run"], "node-1": self.hosts["node-1"], "node-2": self.hosts["node-2"]}
        for agent in self.agents.values():
            agent.is_wanted = False  # until it has a boot id to read

    def add_host(self, name, words, disk=None):
        self.hosts[name] = Host(self, name, [str(pathlib.Path(self.berth).resolve()), *words], disk)

    def reboots(self, node):
        return ["--node-id", node, "--period", "1s", "--reboot-sentinel", str(self.work / f"{node}.required"), "--nsenter=false",
                "--reboot-command", f"/usr/bin/touch {self.work / node}.order", "--boot-id-file", str(self.work / f"{node}.boot"),
                "--reboot-timeout", "20s", "--concurrency", str(LIMIT)]

    def ask(self, method, path, body=None, content_type="application/json"):
        """Past the proxy; (None, {}) while the sandbox is away."""
        try:
            return self.api(method, path, body, content_type)
        except (OSError, http.client.HTTPException, ValueError):
            return None, {}

    def need(self, method, path, body=None, content_type="application/json"):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            status, content = self.ask(method, path, body, content_type)
            if status in (200, 201, 409):
                return content
            self.tick()
        raise RuntimeError(f"{method} {path}: {status} {content}")

    def tick(self):
        """What a supervisor and the hosts do all the time."""
        for host in self.hosts.values():
            host.supervise()
        for node, agent in self.agents.items():
            order = self.work / f"{node}.order"
            if order.exists() and node not in self.going_down:
                agent.kill(0)
                agent.is_wanted = False
                self.going_down[node] = self.boot_id(node)
            elif node in self.going_down:
                self.go_down(node, agent, order)
        time.sleep(0.05)

    def go_down(self, node, agent, order):
        """The host is down until its kubelet reports another boot id, which the agent will read."""
        if order.exists():
            self.boots[node] = self.boots.get(node, 0) + 1
            annotations = {"sandbox.berth.dev/reboot": str(self.boots[node]), "sandbox.berth.dev/reboot-time": "1s"}
            if self.ask("PATCH", f"/api/v1/nodes/{node}", {"metadata": {"annotations": annotations}}, "application/merge-patch+json")[0] != 200:
                self.boots[node] -= 1
                return
            order.unlink()
            (self.work / f"{node}.required").unlink(missing_ok=True)
        elif self.boot_id(node) not in ("", self.going_down[node]):
            (self.work / f"{node}.boot").write_text(self.boot_id(node))
            del self.going_down[node]
            agent.is_wanted = True

    def boot_id(self, node):
        found = [one for one in list(self.checker.nodes.objects.values()) if one["metadata"]["name"] == node]
        return found[0]["status"].get("nodeInfo", {}).get("bootID", "") if found else ""

    # ---- the cluster

    def set_up(self):
        self.hosts["sandbox"].start()
        for path in sorted((HERE.parent.parent / "deploy/crds").glob("*.yaml")):
            self.need("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", path.read_text(), "application/yaml")
        for name, value in (("low", -10), ("high", 1000)):
            self.need("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": name}, "value": value})
        self.checker = Checker(self.port, BUDGETS, LIMIT, lambda uid: uid in self.hooks.done)
        self.need("POST", "/apis/apps/v1/namespaces/kube-system/daemonsets", {
            "metadata": {"name": "kured"}, "spec": {"selector": {"matchLabels": {"app": "kured"}}, "template": template("kured", 0)}})
        for app, least in BUDGETS.items():
            self.need("POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets", {
                "metadata": {"name": app}, "spec": {"minAvailable": least, "selector": {"matchLabels": {"app": app}}}})
        while not self.is_placed(self.need("POST", "/apis/lifecycle.berth.dev/v1alpha1/namespaces/default/evictionpolicies", {
                "apiVersion": "lifecycle.berth.dev/v1alpha1", "kind": "EvictionPolicy", "metadata": {"name": "db"},
                "spec": {"selector": {"matchLabels": {"app": "db"}}, "stages": [
                    {"name": "hand-over", "kind": "http", "timeout": "200h", "retries": 100, "onFailure": "Hold", "http": {"url": self.hooks.url}}]}})):
            self.tick()
        patience = [{"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 2}
                    for key in ("not-ready", "unreachable")]
        specs = {"web": (500, {"tolerations": patience}), "db": (500, {}), "short": (100, {}),
                 "low": (1500, {"priorityClassName": "low", "tolerations": patience})}
        for app, (cpu, spec) in specs.items():
            self.need("POST", "/apis/apps/v1/namespaces/default/deployments", deployment(app, REPLICAS[app], cpu, **spec))
        self.need("POST", "/apis/apps/v1/namespaces/default/deployments", deployment("high", 0, 3000, priorityClassName="high"))
        self.until("the nodes", lambda: all(self.boot_id(node) for node in self.agents))
        for node in self.agents:
            (self.work / f"{node}.boot").write_text(self.boot_id(node))
            self.agents[node].is_wanted = True
        self.until("a whole cluster", lambda: not self.left())

    @staticmethod
    def is_placed(content):
        return content.get("kind") != "Status" or content.get("code") == 409

    def left(self):
        try:
            return self.checker.left(self.api, self.group, self.seconds > SHORT)
        except (OSError, http.client.HTTPException, KeyError, ValueError) as error:
            return [f"no answer: {error!r}"]

    def until(self, what, condition, patience=PATIENCE):
        end = time.monotonic() + patience
        while not condition():
            if time.monotonic() > end:
                judge("never came: " + what, False, self.left())
                return False
            for _ in range(8):
                self.tick()
            if os.environ.get("TRACE"):
                print(f"{time.monotonic():.1f} {what}: {self.left()[:6]}", flush=True)
        return True

    # ---- what clients do

    def pod_of(self, *apps):
        pods = [one for one in list(self.checker.pods.objects.values()) if one["metadata"].get("labels", {}).get("app") in apps]
        return self.dice.choice(sorted(pods, key=lambda one: one["metadata"]["name"]))["metadata"] if pods else None

    def client_evicts(self):
        pod = self.pod_of("web", "short", "db")
        if pod:
            self.own.add(pod["uid"])
            self.ask("POST", f"{DEFAULT}/pods/{pod['name']}/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {
                "name": pod["name"]}, "deleteOptions": {"preconditions": {"uid": pod["uid"]}}})

    def client_asks(self):
        pod = self.pod_of("web", "db", "db")
        name = f"want-{self.asked}"
        self.asked += 1
        if pod:
            self.ask("POST", f"/apis/{self.group}/v1alpha1/namespaces/default/evictionrequests", {
                "apiVersion": f"{self.group}/v1alpha1", "kind": "EvictionRequest", "metadata": {"name": name}, "spec": {
                    "target": {"pod": {"name": pod["name"], "uid": pod["uid"]}}, "requester": "test.example.com/chaos",
                    "intent": "Eviction"}})
            self.requests.append(name)  # also without an answer: it may be stored

    def client_withdraws(self):
        if self.requests:
            self.ask("PATCH", self.request_path(self.dice.choice(self.requests)), {"spec": {"intent": "Withdrawn"}}, "application/merge-patch+json")

    def request_path(self, name):
        return f"/apis/{self.group}/v1alpha1/namespaces/default/evictionrequests/{name}"

    def client_scales_high(self, replicas=None):
        replicas = self.dice.choice([0, 2, 4]) if replicas is None else replicas
        self.ask("PATCH", "/apis/apps/v1/namespaces/default/deployments/high", {"spec": {"replicas": replicas}}, "application/merge-patch+json")

    def client_deletes(self):
        pod = self.pod_of("low", "short")
        if pod:
            self.ask("DELETE", f"{DEFAULT}/pods/{pod['name']}")

    def client_runs_once(self):
        self.ask("POST", f"{DEFAULT}/pods", {"metadata": {"generateName": "once-", "labels": {"app": "once"}, "annotations": {
            "sandbox.berth.dev/run": "300ms"}}, "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}})

    def client_wants_reboot(self):
        (self.work / f"{self.dice.choice(sorted(self.agents)[:1 if self.seconds <= SHORT else None])}.required").write_text("")

    # ---- faults; each may leave something to undo after so many seconds

    def later(self, seconds, call):
        self.undo.append((time.monotonic() + seconds, call))

    def any_host(self):
        return self.hosts[self.dice.choice(sorted(self.hosts))]

    def fault_kill(self):
        self.any_host().kill(self.dice.uniform(0, 2))

    def fault_pause(self):
        host = self.any_host()
        host.pause(True)
        self.later(self.dice.uniform(1, 8), lambda: host.pause(False))

    def fault_node_lost(self):
        """A kubelet goes silent, and the node is taken for lost at once, not after the 50 s of its grace; long plans wait them out."""
        node, seconds = f"node-{self.dice.randrange(NODES)}", self.dice.choice([6, 10] if self.seconds <= SHORT else [6, 10, 58, 75])
        self.beat(node, "stop")
        if seconds < 50:
            self.ask("PATCH", f"/api/v1/nodes/{node}/status", {"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}},
                     "application/strategic-merge-patch+json")
        self.later(seconds, lambda: self.beat(node, None))

    def beat(self, node, value):
        self.ask("PATCH", f"/api/v1/nodes/{node}", {"metadata": {"annotations": {"sandbox.berth.dev/heartbeat": value}}},
                 "application/merge-patch+json")

    def drawn_step(self):
        return self.dice.choice([-1, 1]) * self.dice.choice([3, 20, 45, 100, 400, 3700, 90000])

    def fault_clock_of_one(self):
        host, seconds = self.any_host(), self.drawn_step()
        host.step_clock(seconds)
        self.later(self.dice.uniform(2, 8), lambda: host.step_clock(-seconds))

    def fault_clock_of_all(self):
        seconds = self.drawn_step()
        for host in self.hosts.values():
            host.step_clock(seconds)

    def fault_disk(self):
        host = self.hosts[self.dice.choice(["sandbox", "evictions", "run"])]
        host.set_room(self.dice.choice([0, 100, 3000]))
        self.later(self.dice.uniform(1, 5), lambda: host.set_room(-1))

    # ---- the drill

    def do(self, prefix, names):
        name = names.pop()
        getattr(self, f"{prefix}_{name}")()
        self.counts[name] = self.counts.get(name, 0) + 1

    def names(self, prefix):
        """All of them in random order, then again."""
        found = [name[len(prefix) + 1:] for name in dir(self) if name.startswith(prefix + "_")]
        return self.dice.sample(found, len(found))

    def chaos(self):
        end, next_fault, next_client = time.monotonic() + self.seconds, 0, 0
        faults, clients = [], []
        while time.monotonic() < end:
            now = time.monotonic()
            if now >= next_fault:
                faults = faults or self.names("fault")
                self.do("fault", faults)
                next_fault = now + self.dice.uniform(0.5, 3)
            if now >= next_client:
                clients = clients or self.names("client")
                self.do("client", clients)
                next_client = now + self.dice.uniform(0.1, 0.8)
            self.undo_due(now)
            self.tick()

    def undo_due(self, now):
        for one in [one for one in self.undo if one[0] <= now]:
            self.undo.remove(one)
            one[1]()

    def calm(self):
        """All hosts are well and have the right time; what clients wanted is over."""
        self.undo_due(float("inf"))
        self.hooks.is_calm = True
        for host in self.hosts.values():
            host.pause(False)
            host.set_clock(0)
            host.set_room(-1)
        self.until("the wire is calm", self.calms_wire)
        for node in range(NODES):
            self.need("PATCH", f"/api/v1/nodes/node-{node}", {"metadata": {"annotations": {"sandbox.berth.dev/heartbeat": None}}},
                      "application/merge-patch+json")
        self.client_scales_high(0)

    def calms_wire(self):
        """The proxy opens its connection to the sandbox first, which may be away."""
        try:
            return Sandbox(self.proxy_port)("GET", "/proxy/calm")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def is_over(self):
        self.client_scales_high(0)
        for name in list(self.requests):
            status, found = self.ask("GET", self.request_path(name))
            if status == 404:
                self.requests.remove(name)
            elif status == 200 and (found["spec"].get("intent") == "Withdrawn" or
                                    found["spec"]["target"]["pod"]["uid"] not in self.checker.pods.objects):
                self.ask("DELETE", self.request_path(name))
        return not any((self.work / f"{node}.required").exists() for node in self.agents) and not self.going_down and not self.requests and \
            not [one for one in self.left() if "pod short" not in one and "deployment short" not in one and "evict" not in one]

    def is_untouched(self):
        """No pod is cleaned any more: what the descheduler asked for is over."""
        return not self.left()

    def says_health(self, name):
        """What its /healthz answers: one that has just lost its Lease is away until its supervisor starts it again."""
        connection = http.client.HTTPConnection("127.0.0.1", self.pages[name], timeout=20)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().read().decode().strip()
        except (OSError, http.client.HTTPException) as error:
            return repr(error)
        finally:
            connection.close()

    def judge_end(self):
        for name in self.pages:
            if self.until(f"{name} is healthy", lambda name=name: self.says_health(name) == "ok", 60):
                judge(f"{name} is healthy", True)
        self.until("the checker has seen everything", lambda: self.checker.is_caught_up(self.api), 30)
        direct = write_kubeconfig(self.work / "direct", self.port)
        for name in RECORDED:
            self.until(f"the end of the audit file of {name} is anchored", lambda: self.verifies(name, "--anchored", "--kubeconfig", direct), 30)
        for one in sorted(set(self.checker.broken)):
            judge(one, False)
        judge("nothing is broken", not self.checker.broken, len(self.checker.broken))
        for host in reversed(self.hosts.values()):
            if host.name != "sandbox":
                code = host.stop()
                judge(f"{host.name} ends well", code == 0 or host.ended_fairly(), f"{code}: {host.said()[-1500:]}")
        lines = self.judge_audits()
        unwritten = {uid: name for uid, name in self.checker.evicted.items() if uid not in lines | self.own | self.checker.finished}
        judge("every eviction is in an audit file", not unwritten, unwritten)
        judge("sandbox ends well", (code := self.hosts["sandbox"].stop()) == 0, code)
        for name in self.hosts:
            said = (self.work / f"{name}.log").read_text(errors="replace")
            judge(f"no sanitizer in {name}", "Sanitizer" not in said and "runtime error" not in said, said[-3000:])

    def verifies(self, name, *options):
        path = self.work / name / "audit"
        found = subprocess.run([self.berth, "audit", "verify", *options, str(path)], capture_output=True, text=True, check=False)
        self.verified = found.stdout + found.stderr
        return found.returncode == 0 or not path.read_bytes()

    def judge_audits(self):
        """The uids of all pods that the audit files name as ended; each goes as far as its process said last."""
        uids = set()
        for name in RECORDED:
            heads = re.findall(r'AuditHead seq=(\d+) hash="(\w+)"', self.hosts[name].log.read_text(errors="replace"))
            judge(f"the audit file of {name} is whole", self.verifies(name, *(["--head", " ".join(heads[-1])] if heads else [])), self.verified)
            for line in (self.work / name / "audit").read_text().splitlines():
                record = json.loads(line)
                if record["op"] in ("evict-call", "delete-call", "pod-end"):
                    uids.add(record.get("podUID"))
        return uids

    def run(self):
        began = time.monotonic()
        self.set_up()
        self.chaos()
        calm = time.monotonic()
        self.calm()
        self.until("calm", self.is_over)
        self.need("PATCH", "/apis/apps/v1/namespaces/default/deployments/short", {"spec": {"replicas": 0}}, "application/merge-patch+json")
        self.until("nothing is left", self.is_untouched)
        ended = time.monotonic()
        self.judge_end()
        checker = self.checker
        print(f"{self.group}: faults and clients {self.counts}; {checker.bound} bindings, {len(checker.evicted)} evictions, "
              f"{len(checker.preempted)} preempted, {checker.boots} reboots, {checker.not_ready} times a node was not Ready, at most "
              f"{checker.most_away} cordoned, {sum(host.starts for host in self.hosts.values())} starts, "
              f"{sum(host.ends for host in self.hosts.values())} ends by themselves, {checker.pods.events} events of pods in "
              f"{checker.pods.lists} lists; calm after {calm - began:.0f} s, nothing left {ended - calm:.0f} s later")

    def end(self):
        for host in self.hosts.values():
            host.pause(False)
            host.kill()
        self.proxy.kill()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"{used.ru_utime + used.ru_stime:.0f} s of CPU")
        if counts[False]:
            print("logs and data:", self.work)
        else:
            shutil.rmtree(self.work)


def main():
    seed, seconds = (int(word) for word in (sys.argv[3:] + ["3", "12"][len(sys.argv) - 3:])[:2])
    print(f"seed {seed}, {seconds} s", flush=True)
    drill = Drill(sys.argv[1], sys.argv[2], seed, seconds)
    try:
        drill.run()
    finally:
        drill.end()
    finish()


main()
