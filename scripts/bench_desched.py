#!/usr/bin/env python3
"""One dry run of berth's descheduler beside the real one: bench_desched.py BERTH DESCHEDULER [NODES PODS].

The sandbox serves both the same cluster, 5,000 nodes and 35,000 running pods unless given: ReplicaSets of ten pods, unevenly spread,
some with rules that their nodes break. Prints Markdown rows for docs/benchmarks.md: seconds, CPU, memory, and the evictions of each
strategy. Ends with 1 when berth --parity names another number for a strategy.
"""

import collections
import http.client
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

BERTH, REAL = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
NODES, PODS = (int(word) for word in (sys.argv[3:5] if len(sys.argv) > 4 else (5000, 35000)))
WORK = pathlib.Path(tempfile.mkdtemp())
ZONES, PODS_EACH, WRITERS = 3, 10, 4
ZONE = "topology.kubernetes.io/zone"
POLICY = """apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: default
  pluginConfig:
  - name: DefaultEvictor
    args: {}
  - name: PodLifeTime
    args: {maxPodLifeTimeSeconds: 86400, states: [Pending]}
  - name: RemovePodsHavingTooManyRestarts
    args: {podRestartThreshold: 100}
  - name: RemovePodsViolatingNodeAffinity
    args: {nodeAffinityType: [requiredDuringSchedulingIgnoredDuringExecution]}
  - name: RemovePodsViolatingTopologySpreadConstraint
    args: {constraints: [DoNotSchedule]}
  - name: RemovePodsViolatingNodeTaints
    args: {}
  - name: RemovePodsViolatingInterPodAntiAffinity
    args: {}
  - name: RemoveDuplicates
    args: {}
  plugins:
    deschedule: {enabled: [PodLifeTime, RemovePodsHavingTooManyRestarts, RemovePodsViolatingNodeTaints, RemovePodsViolatingNodeAffinity,
      RemovePodsViolatingInterPodAntiAffinity]}
    balance: {enabled: [RemoveDuplicates, RemovePodsViolatingTopologySpreadConstraint]}
"""


class Sandbox:
    def __init__(self):
        self.kubeconfig, self.local = WORK / "kubeconfig", threading.local()
        self.process = subprocess.Popen([BERTH, "sandbox", "--listen", "127.0.0.1:0", "--kubeconfig-out", self.kubeconfig, "--token", "bench",
                                         "--nodes", str(NODES), "--controllers", "none"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True)
        self.port = int(next(line for line in self.process.stdout if "listening" in line).rsplit(":", 1)[1])

    def ask(self, method, path, body=None, kind="application/json"):
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.local.connection.request(method, path, json.dumps(body) if body else None,
                                      {"Authorization": "Bearer bench", "Content-Type": kind})
        answer = self.local.connection.getresponse()
        text = answer.read()
        if answer.status not in (200, 201):
            sys.exit(f"{method} {path}: {answer.status} {text[:300]}")
        return json.loads(text)


def rules_of(app, dice):
    """What a workload asks for besides its requests, which the nodes that it is put on may break."""
    labels = {"matchLabels": {"app": app}}
    return dice.choices((
        {},
        {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["zone-0", "zone-1"]}]}]}}}},
        {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": labels}]}}},
        {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": labels}]},
    ), (90, 3, 2, 5))[0]


def pod(app, number, owner, rules, node):
    return {"metadata": {"name": f"{app}-{number}", "labels": {"app": app}, "ownerReferences": [owner]}, "spec": {
        "nodeName": node, "containers": [{"name": "c", "image": "registry.example/app:1", "resources": {
            "requests": {"cpu": "100m", "memory": "200Mi"}}}], **rules}}


def fill_one(sandbox, names, number):
    """A ReplicaSet and its pods; every fiftieth has two of them on one node."""
    dice, app = random.Random(number), f"app-{number}"
    rules = rules_of(app, dice)
    template = {"metadata": {"labels": {"app": app}}, "spec": pod(app, 0, {}, rules, None)["spec"]}
    del template["spec"]["nodeName"]
    made = sandbox.ask("POST", "/apis/apps/v1/namespaces/default/replicasets", {"metadata": {"name": app}, "spec": {
        "replicas": PODS_EACH, "selector": {"matchLabels": {"app": app}}, "template": template}})
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": app, "uid": made["metadata"]["uid"], "controller": True}
    nodes = dice.sample(names, PODS_EACH)
    if number % 50 == 0:
        nodes[1] = nodes[0]
    for each, node in enumerate(nodes):
        path = "/api/v1/namespaces/default/pods"
        sandbox.ask("POST", path, pod(app, each, owner, rules, node))
        sandbox.ask("PATCH", f"{path}/{app}-{each}/status", {"status": {
            "phase": "Running", "conditions": [{"type": "Ready", "status": "True"}], "containerStatuses": [
                {"name": "c", "image": "i", "imageID": "i", "ready": True, "restartCount": 200 if (number, each) == (7, 0) else 0}]}},
                    "application/merge-patch+json")


def fill(sandbox):
    names = sorted(item["metadata"]["name"] for item in sandbox.ask("GET", "/api/v1/nodes")["items"])
    for number, name in enumerate(names):
        taints = [{"key": "team", "value": "a", "effect": "NoSchedule"}] if number % 500 == 1 else None
        sandbox.ask("PATCH", f"/api/v1/nodes/{name}", {"metadata": {"labels": {ZONE: f"zone-{number % ZONES}"}}, "spec": {"taints": taints}},
                    "application/merge-patch+json")
    numbers = iter(range(PODS // PODS_EACH))
    lock = threading.Lock()

    def write():
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            fill_one(sandbox, names, number)
    threads = [threading.Thread(target=write) for _ in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def strategies_of(lines):
    found = (re.search(r'strategy="(\w+)"', line) for line in lines if "dry run mode" in line or "WouldEvict" in line)
    return collections.Counter(each[1] for each in found if each)


def one_pass(name, words):
    """A program that makes one pass and ends: seconds, CPU seconds, MiB at most, evictions by strategy."""
    log, started = WORK / f"{name}.log", time.monotonic()
    with log.open("w") as file:
        process = subprocess.Popen([str(word) for word in words], stdout=file, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{name} ended with {status}; its log is {log}")
    return (time.monotonic() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024,
            strategies_of(log.read_text().splitlines()))


def used(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    peak = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(peak[1]) / 1024


def wait_for_pass(process, log, count):
    """The lines of each pass that has ended, once there are so many."""
    while True:
        ended = log.read_text().split('"Number of evictions/requests"')
        if len(ended) > count:
            return ended
        if process.poll() is not None:
            sys.exit(f"the Descheduler ended with {process.returncode}; its log is {log}")
        time.sleep(0.05)


def two_passes(words):
    """The real one. Its first dry pass may begin before its copy of the cluster is complete: that one is measured, and the
    evictions are those of the second."""
    log, started = WORK / "descheduler.log", time.monotonic()
    with log.open("w") as file:
        process = subprocess.Popen([str(word) for word in words], stdout=file, stderr=subprocess.STDOUT)
    first = wait_for_pass(process, log, 1)[0]
    seconds, (cpu, memory) = time.monotonic() - started, used(process)
    second = wait_for_pass(process, log, 2)[1]
    process.kill()
    process.wait()
    return seconds, cpu, memory, strategies_of(second.splitlines()), strategies_of(first.splitlines())


def main():
    sandbox, policy = Sandbox(), WORK / "policy.yaml"
    policy.write_text(POLICY)
    fill(sandbox)
    common = ["--kubeconfig", sandbox.kubeconfig, "--policy-config-file", policy, "--dry-run"]
    runs = {"berth": one_pass("berth", [BERTH, "descheduler", *common, "--v=2"]),
            "berth --parity": one_pass("parity", [BERTH, "descheduler", *common, "--parity", "--v=2"]),
            "Descheduler": two_passes([REAL, *common, "--v=1", "--secure-port=0", "--descheduling-interval=1s"])}
    print(f"| dry run, {NODES} nodes, {PODS} pods | {' | '.join(runs)} |")
    print("|---|" + "---|" * len(runs))
    for row, (what, form) in enumerate((("seconds", ".2f"), ("CPU seconds", ".2f"), ("MiB at most", ".0f"))):
        print(f"| {what} | {' | '.join(format(run[row], form) for run in runs.values())} |")
    for strategy in sorted(set().union(*(run[3] for run in runs.values()))):
        print(f"| {strategy} | {' | '.join(str(run[3][strategy]) for run in runs.values())} |")
    print(f"The Descheduler's first pass, whose copy of the cluster may be incomplete: {sum(runs['Descheduler'][4].values())} evictions.")
    sandbox.process.terminate()
    sandbox.process.wait(60)
    same = runs["Descheduler"][3] == runs["berth --parity"][3]
    print("" if same else f"berth --parity and the Descheduler differ; logs: {WORK}")
    sys.exit(not same)


if __name__ == "__main__":
    main()
