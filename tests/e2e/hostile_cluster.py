#!/usr/bin/env python3
"""Clusters full of extreme numbers: hostile_cluster.py BERTH [SEEDS [FIRST]].

Quantities, weights, times and counts at the ends of their ranges, as a hostile or broken client may write them, go through
`berth plan` and `berth explain`, in both modes. Every run must end with 0, print JSON, and say nothing of a
sanitizer, which is what finds an overflow in a build that has one.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

QUANTITIES = ["0", "1", "100m", "1Gi", "4", "9223372036854775807", "9223372036854775806", "4611686018427387904", "8Ei", "7.9Ei",
              "1n", "9223372036854775807m", "1e18", "9e18", "1e-9", "12345678901234567890", "999999P"]
MODEST = ["100m", "1", "1Mi", "0"]
VAST = ["9223372036854775807", "4611686018427387904", "8Ei", "1e18", "92233720368547758"]
SMALL = [0, 1, 2, 100, 2147483647, -1, -2147483648]
SECONDS = [0, 1, 3600, 2147483647, 9223372036854775807, -1, -9223372036854775808]
TIMES = ["0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1677-09-21T00:12:44Z", "2026-01-01T00:00:00Z", "2262-04-11T23:47:16Z",
         "9999-12-31T23:59:59Z"]
POLICY = """
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: all
  pluginConfig:
  - {name: DefaultEvictor, args: {nodeFit: true, evictLocalStoragePods: true, minPodAge: 1s}}
%s
  - {name: RemovePodsViolatingNodeTaints, args: {}}
  - {name: RemovePodsViolatingInterPodAntiAffinity, args: {}}
  - {name: RemoveDuplicates, args: {}}
  - {name: RemovePodsViolatingTopologySpreadConstraint, args: {constraints: [DoNotSchedule, ScheduleAnyway]}}
  - {name: PodLifeTime, args: {maxPodLifeTimeSeconds: 60}}
  - {name: RemoveFailedPods, args: {minPodLifetimeSeconds: 1}}
  - {name: RemovePodsHavingTooManyRestarts, args: {podRestartThreshold: 3, includingInitContainers: true}}
  - {name: RemovePodsViolatingNodeAffinity, args: {nodeAffinityType: [requiredDuringSchedulingIgnoredDuringExecution, preferredDuringSchedulingIgnoredDuringExecution]}}
  plugins:
    deschedule: {enabled: [PodLifeTime, RemoveFailedPods, RemovePodsHavingTooManyRestarts, RemovePodsViolatingNodeAffinity, RemovePodsViolatingNodeTaints, RemovePodsViolatingInterPodAntiAffinity]}
    balance: {enabled: [%s, RemovePodsViolatingTopologySpreadConstraint, RemoveDuplicates]}
"""
UTILIZATION = [
    ("  - {name: LowNodeUtilization, args: {thresholds: {cpu: 20, memory: 20, pods: 20}, "
     "targetThresholds: {cpu: 50, memory: 50, pods: 50}}}", "LowNodeUtilization"),
    ("  - {name: HighNodeUtilization, args: {thresholds: {cpu: 50, memory: 50}}}", "HighNodeUtilization")]


def resources(rng, names, common):
    """Amounts of these resources: all from the common ones half of the time, so that pods fit somewhere and get scores."""
    choice = common if rng.random() < 0.5 else QUANTITIES
    return {name: rng.choice(choice) for name in names if rng.random() < 0.8}


def node(rng, number):
    amounts = resources(rng, ["cpu", "memory", "ephemeral-storage", "example.com/gpu"], VAST)
    amounts["pods"] = str(rng.choice([0, 1, 10, 110, 2147483647, 9223372036854775807]))
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": f"node-{number}", "creationTimestamp": rng.choice(TIMES),
                         "labels": {"zone": f"z{number % 3}", "size": str(rng.choice(SECONDS))}},
            "spec": {"taints": [{"key": "t", "effect": "NoSchedule"}]} if rng.random() < 0.2 else {},
            "status": {"capacity": amounts, "allocatable": dict(amounts, **resources(rng, ["cpu", "memory"], VAST)),
                       "images": [{"names": ["i:1"], "sizeBytes": rng.choice([v for v in SECONDS if v >= 0])}],
                       "conditions": [{"type": "Ready", "status": "True"}]}}


def affinity(rng):
    weight = rng.choice([1, 100])
    term = {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": "zone"}
    rules = {}
    if rng.random() < 0.5:
        rules["nodeAffinity"] = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": weight, "preference": {
            "matchExpressions": [{"key": "size", "operator": rng.choice(["Gt", "Lt"]), "values": [str(rng.choice(SECONDS))]}]}}]}
    if rng.random() < 0.5:
        rules["podAffinity"] = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": weight, "podAffinityTerm": term}]}
    if rng.random() < 0.5:
        rules["podAntiAffinity"] = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": term}]}
    return rules


def container(rng, number):
    return {"name": f"c{number}", "image": "i:1", "resources": {
        "requests": resources(rng, ["cpu", "memory", "ephemeral-storage", "example.com/gpu"], MODEST),
        "limits": resources(rng, ["cpu", "memory"], MODEST)},
        "ports": [{"containerPort": 80, "hostPort": rng.choice([0, 80, 65535])}] if rng.random() < 0.2 else []}


def pod(rng, number, nodes):
    spec = {"containers": [container(rng, i) for i in range(rng.randint(1, 3))], "affinity": affinity(rng),
            "priority": rng.choice(SMALL), "terminationGracePeriodSeconds": rng.choice([v for v in SECONDS if v >= 0]),
            "tolerations": [{"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": rng.choice(SECONDS)}],
            "topologySpreadConstraints": [{"maxSkew": rng.choice([1, 2147483647]), "topologyKey": "zone",
                                           "whenUnsatisfiable": rng.choice(["DoNotSchedule", "ScheduleAnyway"]),
                                           "labelSelector": {"matchLabels": {"app": "a"}}}]}
    if rng.random() < 0.4:
        spec["initContainers"] = [dict(container(rng, 9), restartPolicy=rng.choice(["Always", None]))]
        spec["initContainers"] = [{k: v for k, v in c.items() if v is not None} for c in spec["initContainers"]]
    if rng.random() < 0.3:
        spec["overhead"] = resources(rng, ["cpu", "memory"], MODEST)
    if rng.random() < 0.7:
        spec["nodeName"] = f"node-{rng.randrange(nodes)}"
    status = {"phase": rng.choice(["Pending", "Running", "Failed", "Succeeded"]), "startTime": rng.choice(TIMES),
              "containerStatuses": [{"name": "c0", "restartCount": rng.choice([0, 5, 2147483647]), "ready": True,
                                     "state": {"terminated": {"exitCode": rng.choice([0, 137, 2147483647, -2147483648]),
                                                              "finishedAt": rng.choice(TIMES)}}}]}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"pod-{number}", "namespace": "default", "uid": f"u{number}", "labels": {"app": rng.choice("ab")},
                         "creationTimestamp": rng.choice(TIMES),
                         "annotations": {"controller.kubernetes.io/pod-deletion-cost": str(rng.choice(SMALL))},
                         "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "r",
                                              "controller": True}]},
            "spec": spec, "status": status}


def cluster(seed):
    rng = random.Random(seed)
    nodes = rng.randint(2, 6)
    items = [node(rng, i) for i in range(nodes)] + [pod(rng, i, nodes) for i in range(rng.randint(3, 24))]
    items.append({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b", "namespace": "default"},
                  "spec": {"selector": {"matchLabels": {"app": "a"}}, "minAvailable": rng.choice([0, 1, 2147483647])},
                  "status": {"disruptionsAllowed": rng.choice(SMALL), "currentHealthy": rng.choice(SMALL),
                             "desiredHealthy": rng.choice(SMALL), "expectedPods": rng.choice(SMALL), "observedGeneration": 1}})
    return {"apiVersion": "v1", "kind": "List", "items": items}


def problem_of(command):
    """What is wrong with a run, or None."""
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if run.returncode != 0 or "runtime error" in run.stderr or "Sanitizer" in run.stderr:
        return f"exit code {run.returncode}: {run.stderr[-2000:]}"
    try:
        json.loads(run.stdout)
    except ValueError as error:
        return f"no JSON: {error}: {run.stdout[:200]}"
    return None


def main():
    berth, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 25
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        objects, policy = pathlib.Path(folder, "cluster.json"), pathlib.Path(folder, "policy.yaml")
        for seed in range(first, first + count):
            objects.write_text(json.dumps(cluster(seed)))
            policy.write_text(POLICY % UTILIZATION[seed % 2])
            now = random.Random(seed).choice(TIMES[1:])
            for mode in [], ["--parity"]:
                for command in ["plan", "--spared"], ["explain", "--all"]:
                    problem = problem_of([berth, *command, "--objects", objects, "--policy", policy, "--now", now, "-o", "json", *mode])
                    passed, failed = passed + (not problem), failed + bool(problem)
                    if problem:
                        print(f"not ok - seed {seed}: berth {' '.join(command + mode)}: {problem}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
