"""Every role on every Kubernetes version that the sandbox plays: versions.py BERTH MATRIX.

MATRIX is docs/versions.md: what its table says of a version must be what happens on it. The last line is "N passed, M failed".
"""

import atexit
import collections
import concurrent.futures
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from drill import Sandbox, finish, free_port, judge, until, write_kubeconfig

BERTH, MATRIX = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
TOGETHER = 3  # versions at a time
LINES_MAX = 3  # log lines that differ in nothing but time and numbers
NS = "/api/v1/namespaces/default"
CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
MERGE = "application/merge-patch+json"
POLICY = """
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: p
  pluginConfig: [{name: RemovePodsViolatingNodeTaints}, {name: DefaultEvictor}]
  plugins: {deschedule: {enabled: [RemovePodsViolatingNodeTaints]}}
"""


def matrix():
    """{minor: {column: cell}} of the first table whose head begins with Kubernetes."""
    lines = MATRIX.read_text(encoding="utf-8").splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("| Kubernetes |"))
    split = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:]]
    rows = {}
    for cells in split[2:]:
        if len(cells) != len(split[0]):
            break
        rows[int(cells[0].removeprefix("1."))] = dict(zip(split[0][1:], cells[1:]))
    return rows


def pod(name, cpu="100m", **spec):
    return {"metadata": {"name": name, "labels": {"app": name}}, "spec": {
        "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}], **spec}}


class Cluster:
    """A sandbox of one version, and the programs that work on it."""

    def __init__(self, minor, *words):
        self.minor, self.port, self.words = minor, free_port(), words
        self.work = pathlib.Path(tempfile.mkdtemp(prefix=f"berth-1.{minor}-"))
        self.config = write_kubeconfig(self.work / "kubeconfig", self.port)
        self.programs, self.logs = {}, []
        atexit.register(self.kill)
        (self.work / "policy.yaml").write_text(POLICY, encoding="utf-8")
        self.ask = Sandbox(self.port)
        self.serve()
        self.wait("the sandbox", self.is_up)
        self.wait("ready nodes", lambda: len([1 for node in self.items("/api/v1/nodes") if not node["spec"].get("taints")]) == 2)

    def serve(self):
        self.start("sandbox", "--listen", f"127.0.0.1:{self.port}", "--token", "e2e", "--nodes", "2", "--seed", "1",
                   "--kubernetes-version", f"1.{self.minor}", *self.words, kubeconfig=False)

    def move(self, minor):
        """The control plane ends, and comes back as another version, with what it had stored."""
        self.judge("the sandbox ends at SIGTERM", self.stop("sandbox") == 0)
        self.minor = minor
        self.serve()
        self.wait("the sandbox", self.is_up)

    def judge(self, name, is_good, found=""):
        judge(f"1.{self.minor}: {name}", is_good, found)
        return bool(is_good)

    def wait(self, what, condition):
        found = until(f"1.{self.minor}: {what}", condition)
        if not found:
            for log in self.logs:
                print(f"--- {log.name}\n" + "\n".join(log.read_text(encoding="utf-8").splitlines()[-8:]))
        return found

    def start(self, name, *words, kubeconfig=True):
        log = self.work / f"{name}-{len(self.logs)}"
        self.logs.append(log)
        with log.open("w", encoding="utf-8") as out:
            self.programs[name] = subprocess.Popen(
                [BERTH, name, *words, *(("--kubeconfig", self.config) if kubeconfig else ())], stdout=out, stderr=out, cwd=self.work,
                env={"HOME": str(self.work), "PATH": "/usr/bin:/bin"})
        return log

    def once(self, *words):
        done = subprocess.run([BERTH, *words, "--kubeconfig", self.config], capture_output=True, text=True, timeout=120, check=False,
                              cwd=self.work, env={"HOME": str(self.work), "PATH": "/usr/bin:/bin"})
        return done.returncode, done.stdout + done.stderr

    def stop(self, name, how=signal.SIGTERM):
        process = self.programs.pop(name)
        process.send_signal(how)
        return process.wait()

    def kill(self):
        """What is left when a test breaks off."""
        for process in self.programs.values():
            process.kill()
            process.wait()
        shutil.rmtree(self.work, ignore_errors=True)

    def is_up(self):
        try:
            return self.ask("GET", "/version")[0] == 200
        except OSError:
            return False

    def items(self, path):
        return self.ask("GET", path)[1].get("items", [])

    def create(self, path, body):
        status, answer = self.ask("POST", path, body)
        self.judge(f"create {body['metadata']['name']}", status == 201, answer)
        return answer

    def pod(self, name):
        status, found = self.ask("GET", f"{NS}/pods/{name}")
        return found if status == 200 else None

    def node_of(self, name):
        return (self.pod(name) or {"spec": {}})["spec"].get("nodeName")

    def is_unschedulable(self, name):
        conditions = (self.pod(name) or {}).get("status", {}).get("conditions", [])
        return any(each.get("reason") == "Unschedulable" for each in conditions)

    def remove(self, *names):
        for name in names:
            self.ask("DELETE", f"{NS}/pods/{name}")
        self.wait("deleted pods", lambda: not any(self.pod(name) for name in names))

    def is_quiet(self):
        """No program said the same thing again and again, or that it crashed."""
        for log in self.logs:
            lines = log.read_text(encoding="utf-8").splitlines()
            said = collections.Counter(re.sub(r"[0-9a-f-]*\d[0-9a-f-]*", "#", line) for line in lines
                                       if re.match(r"(warn|error) |berth", line))
            worst = said.most_common(1)
            self.judge(f"{log.name} floods no log", not worst or worst[0][1] <= LINES_MAX, worst)

    def end(self):
        self.is_quiet()
        for name in list(self.programs)[::-1]:
            self.judge(f"{name} ends at SIGTERM", self.stop(name) == 0)


# ---- columns of the matrix: what happens, in its words ----

def scheduler(cluster):
    cluster.create(f"{NS}/pods", pod("plain"))
    return "yes" if cluster.wait("a placed pod", lambda: cluster.node_of("plain")) else "no"


def preemption(cluster):
    cluster.create("/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": "high"}, "value": 1000})
    for name in ("low-a", "low-b"):
        cluster.create(f"{NS}/pods", pod(name, "5"))
    cluster.wait("low pods", lambda: cluster.node_of("low-a") and cluster.node_of("low-b"))
    cluster.create(f"{NS}/pods", pod("high", "5", priorityClassName="high"))
    is_placed = cluster.wait("a pod that preempts", lambda: cluster.node_of("high"))
    left = [name for name in ("low-a", "low-b") if cluster.pod(name)]
    cluster.judge("one victim", len(left) == 1, left)
    cluster.remove("high", *left)
    return "yes" if is_placed else "no"


def pod_resources(cluster):
    """Three pods of 5 CPUs each for themselves as pods, on two nodes of 8."""
    names = ["whole-0", "whole-1", "whole-2"]
    for name in names:
        cluster.create(f"{NS}/pods", pod(name, resources={"requests": {"cpu": "5"}}))
    cluster.wait("pods with resources of their own",
                 lambda: all(cluster.node_of(name) or cluster.is_unschedulable(name) for name in names))
    placed = len([name for name in names if cluster.node_of(name)])
    cluster.judge("two or all are placed", placed in (2, 3), placed)
    cluster.remove(*names)
    return "yes" if placed == 2 else "no"


def claims(cluster):
    """A pod whose claim is allocated on one node goes there, and the claim is reserved for it."""
    is_served = any(group["name"] == "resource.k8s.io" for group in cluster.ask("GET", "/apis")[1]["groups"])
    if is_served:
        cluster.create(CLAIMS, {"metadata": {"name": "card"}, "spec": {"devices": {"requests": [
            {"name": "r", "exactly": {"deviceClassName": "c"}}]}}})
        status, answer = cluster.ask("PATCH", f"{CLAIMS}/card/status", {"status": {"allocation": {
            "devices": {"results": [{"request": "r", "driver": "d", "pool": "p", "device": "0"}]},
            "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
                {"key": "metadata.name", "operator": "In", "values": ["node-1"]}]}]}}}}, MERGE)
        cluster.judge("an allocated claim", status == 200, answer)
    answer = cluster.create(f"{NS}/pods", pod("claims", resourceClaims=[{"name": "c", "resourceClaimName": "card"}]))
    cluster.wait("a pod with a claim", lambda: cluster.node_of("claims"))
    if not is_served:
        cluster.judge("the server dropped the claim", "resourceClaims" not in answer["spec"], answer["spec"])
        return "no"
    reserved = cluster.ask("GET", f"{CLAIMS}/card")[1]["status"].get("reservedFor", [])
    return "yes" if cluster.node_of("claims") == "node-1" and [each["name"] for each in reserved] == ["claims"] else "no"


def descheduler(cluster):
    labels = {"app": "web"}
    cluster.create("/apis/apps/v1/namespaces/default/deployments", {"metadata": {"name": "web"}, "spec": {
        "replicas": 1, "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod("x")["spec"]}}})
    pods = f"{NS}/pods?labelSelector=app%3Dweb"
    first = cluster.wait("a pod of a Deployment", lambda: [
        each for each in cluster.items(pods) if each["status"]["phase"] == "Running"])[0]
    node = f"/api/v1/nodes/{first['spec']['nodeName']}"
    cluster.ask("PATCH", node, {"spec": {"taints": [{"key": "off", "effect": "NoSchedule"}]}}, MERGE)
    code, said = cluster.once("descheduler", "--policy-config-file", "policy.yaml", "--deadline", "60s")
    cluster.judge("a pass", code == 0, said)
    other = cluster.wait("its successor", lambda: [
        each for each in cluster.items(pods)
        if each["metadata"]["uid"] != first["metadata"]["uid"] and each["spec"].get("nodeName")])
    cluster.ask("PATCH", node, {"spec": {"taints": None}}, MERGE)
    return "yes" if other and other[0]["spec"]["nodeName"] != first["spec"]["nodeName"] else "no"


def evicts(cluster, name, *words):
    """berth evict asks a controller of these arguments, which does it."""
    log = cluster.start("evictions", "--leader-elect=false", "--no-audit-output", *words)
    cluster.wait("the controller", lambda: "Ready" in log.read_text(encoding="utf-8"))
    cluster.create(f"{NS}/pods", pod(name, nodeName="node-0"))
    cluster.wait("a running pod", lambda: cluster.pod(name)["status"]["phase"] == "Running")
    code, said = cluster.once("evict", name, "--eviction-requests", "always")
    cluster.judge("evict", code == 0 and "1 evicted" in said, said)
    cluster.judge("evictions ends at SIGTERM", cluster.stop("evictions") == 0)
    return "yes" if not cluster.pod(name) else "no"


def evictions(cluster):
    return evicts(cluster, "asked", "--mode", "crd")


def eviction_requests(cluster):
    """The kinds of Kubernetes, in a cluster of their own."""
    words = ("--feature-gates", "EvictionRequestAPI=true")
    if cluster.minor < 36:
        done = subprocess.run([BERTH, "sandbox", "--listen", "127.0.0.1:0", "--kubernetes-version", f"1.{cluster.minor}", *words],
                              capture_output=True, text=True, timeout=60, check=False)
        cluster.judge("no such gate", done.returncode == 2 and f"not known in Kubernetes 1.{cluster.minor}" in done.stderr, done)
        return "no"
    native = Cluster(cluster.minor, *words)
    found = evicts(native, "asked", "--mode", "native-own")
    native.end()
    return "by gate" if found == "yes" else "no"


def reboot(cluster):
    """The node is cordoned under the lock, reboots, and is given back."""
    work, node, lock = cluster.work, "/api/v1/nodes/node-1", "/apis/apps/v1/namespaces/kube-system/daemonsets/kured"
    cluster.create("/apis/apps/v1/namespaces/kube-system/daemonsets", {"metadata": {"name": "kured"}, "spec": {
        "selector": {"matchLabels": {"app": "kured"}},
        "template": {"metadata": {"labels": {"app": "kured"}}, "spec": pod("x")["spec"]}}})
    (work / "boot").write_text("first", encoding="utf-8")
    (work / "required").touch()
    words = ("--node-id", "node-1", "--period", "500ms", "--reboot-sentinel", str(work / "required"), "--nsenter=false",
             "--reboot-command", f"/usr/bin/touch {work / 'order'}", "--boot-id-file", str(work / "boot"), "--metrics-port", "0")
    cluster.start("reboot", *words)
    cluster.wait("the reboot", (work / "order").exists)
    held = cluster.ask("GET", lock)[1]["metadata"].get("annotations", {})
    cluster.judge("the lock is held", any("node-lock" in key and "node-1" in text for key, text in held.items()), held)
    is_cordoned = cluster.ask("GET", node)[1]["spec"].get("unschedulable")
    cluster.stop("reboot", signal.SIGKILL)
    (work / "required").unlink()
    (work / "boot").write_text("second", encoding="utf-8")
    cluster.start("reboot", *words)
    is_back = cluster.wait("the node is back", lambda: not cluster.ask("GET", node)[1]["spec"].get("unschedulable"))
    cluster.wait("the lock is free", lambda: not any(
        "node-lock" in key for key in cluster.ask("GET", lock)[1]["metadata"].get("annotations", {})))
    cluster.judge("reboot ends at SIGTERM", cluster.stop("reboot") == 0)
    return "yes" if is_cordoned and is_back else "no"


def run(cluster):
    """Scheduler, descheduler and evictions in one process."""
    cluster.judge("scheduler ends at SIGTERM", cluster.stop("scheduler") == 0)
    cluster.start("run", "--roles", "scheduler,descheduler,evictions", "--policy-config-file", "policy.yaml",
                  "--descheduling-interval", "1h", "--no-audit-output", "--secure-port", "0")
    cluster.create(f"{NS}/pods", pod("by-run"))
    cluster.wait("a pod placed by run", lambda: (cluster.pod("by-run") or {}).get("status", {}).get("phase") == "Running")
    code, said = cluster.once("evict", "by-run", "--eviction-requests", "always")
    return "yes" if cluster.judge("evict by run", code == 0 and "1 evicted" in said, said) else "no"


COLUMNS = {"scheduler": scheduler, "preemption": preemption, "pod-level resources": pod_resources, "resource claims": claims,
           "descheduler": descheduler, "reboot": reboot, "evictions": evictions, "EvictionRequest API": eviction_requests,
           "run": run}


def places(cluster, name):
    cluster.create(f"{NS}/pods", pod(name))
    cluster.wait(f"{name} is placed", lambda: (cluster.pod(name) or {}).get("status", {}).get("phase") == "Running")


def moves():
    """A control plane goes from 1.28 by 1.33 to 1.37 and back to 1.33, under a scheduler and an evictions controller that stay."""
    began = time.monotonic()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-moves-"))
    atexit.register(shutil.rmtree, folder, True)
    cluster = Cluster(28, "--data-dir", str(folder))
    scheduler_log = cluster.start("scheduler", "--leader-elect=false", "--secure-port", "0")
    cluster.start("evictions", "--leader-elect=false", "--no-audit-output", "--mode", "crd", "--secure-port", "0")
    places(cluster, "from-28")
    cluster.move(33)
    places(cluster, "from-33")
    cluster.move(37)
    places(cluster, "from-37")
    cluster.judge("claims by a scheduler that was there before them", claims(cluster) == "yes")
    cluster.move(33)
    places(cluster, "from-33-again")
    names = {each["metadata"]["name"] for each in cluster.items(f"{NS}/pods") if each["status"]["phase"] == "Running"}
    cluster.judge("all pods run on", names >= {"from-28", "from-33", "from-37", "from-33-again"}, names)
    code, said = cluster.once("evict", "from-28", "--eviction-requests", "always")
    cluster.judge("evict after the moves", code == 0 and "1 evicted" in said, said)
    said = scheduler_log.read_text(encoding="utf-8")
    cluster.judge("the scheduler says what is not served, once", said.count("KindNotServed") == 1 and "resourceclaims" in said, said)
    for name in ("evictions", "scheduler"):
        cluster.judge(f"{name} ends at SIGTERM", cluster.stop(name) == 0)
    return f"moves: {time.monotonic() - began:.1f} s"


def check(minor, expected):
    began = time.monotonic()
    cluster = Cluster(minor)
    version = cluster.ask("GET", "/version")[1]
    cluster.judge("version", version["gitVersion"] == f"v1.{minor}.0", version)
    kubelets = {node["status"]["nodeInfo"]["kubeletVersion"] for node in cluster.items("/api/v1/nodes")}
    cluster.judge("kubelets", kubelets == {f"v1.{minor}.0"}, kubelets)
    log = cluster.start("scheduler", "--leader-elect=false", "--secure-port", "0")
    for name, column in COLUMNS.items():
        found = column(cluster)
        cluster.judge(f"{name} is \"{expected.get(name)}\" in the matrix", found == expected.get(name), f"it is \"{found}\"")
    said = log.read_text(encoding="utf-8").count("KindNotServed")
    cluster.judge("the scheduler says whether claims are served", said == (minor < 34), said)
    cluster.end()
    return f"1.{minor}: {time.monotonic() - began:.1f} s"


rows = matrix()
judge("the matrix has each version", list(rows) == list(range(28, 38)), json.dumps(list(rows)))
judge("the matrix has each column", all(list(row) == list(COLUMNS) for row in rows.values()), rows)
with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
    first = pool.submit(moves)
    for told in pool.map(lambda row: check(*row), rows.items()):
        print(told)
    print(first.result())
finish()
