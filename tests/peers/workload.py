"""A cluster and mixed pods for it, drawn with a seed: the same numbers give the same objects.

Nodes of three sizes in three zones, every tenth for one team (a taint), every eighth with a fast disk. The first wave fills most of
the cluster with pods of low priority; the second brings pods of every kind, some that fit nowhere, and important ones that preempt."""

import random

from objects import node, pod

SIZES = ((4, "16Gi"), (8, "32Gi"), (16, "64Gi"))
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
CPUS, MEMORIES = (250, 500, 1000, 2000, 4000), (256, 512, 1024, 2048, 4096)


def nodes(count, seed=1):
    dice, made = random.Random(seed), []
    for number in range(count):
        cpu, memory = dice.choice(SIZES)
        labels = {ZONE: f"zone-{number % 3}"}
        if number % 8 == 0:
            labels["disk"] = "fast"
        each = node(f"node-{number}", cpu=str(cpu), memory=memory, labels=labels)
        taints = [{"key": "team", "value": "a", "effect": "NoSchedule"}] if number % 10 == 0 else None
        made.append((each, taints))
    return made


def selector(app):
    return {"matchLabels": {"app": app}}


def spread(app, key, when):
    return {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": selector(app)}]}


def apart(app, key):
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": key, "labelSelector": selector(app)}]}}}


def preferring_apart(app, key):
    return {"affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 10, "podAffinityTerm": {"topologyKey": key, "labelSelector": selector(app)}}]}}}


def together(app, key):
    return {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": key, "labelSelector": selector(app)}]}}}


def on_fast_disks(app):
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["fast"]}]}]}}}}


# What a workload of a kind asks for besides its requests.
KINDS = (
    lambda app: {},
    lambda app: {},
    lambda app: spread(app, ZONE, "DoNotSchedule"),
    lambda app: spread(app, HOST, "ScheduleAnyway"),
    lambda app: apart(app, HOST),
    lambda app: preferring_apart(app, ZONE),
    lambda app: together(app, ZONE),
    on_fast_disks,
    lambda app: {"nodeSelector": {"disk": "fast"}},
    lambda app: {"tolerations": [{"key": "team", "operator": "Exists"}]},
)
# And what fits nowhere.
IMPOSSIBLE = (
    {"nodeSelector": {"disk": "none"}},
    {"nodeSelector": {ZONE: "zone-9"}},
    {"huge": True},
)


def sized(made, cpu, memory):
    made["spec"]["containers"][0]["resources"] = {"requests": {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}}
    return made


def workload(dice, app, count, **spec):
    extra, cpu, memory = dice.choice(KINDS)(app), dice.choice(CPUS), dice.choice(MEMORIES)
    for number in range(count):
        yield sized(pod(f"{app}-{number}", labels={"app": app}, **extra, **spec), cpu, memory)


def first_wave(count, seed=1):
    """Pods of priority 0, in workloads of up to 40."""
    dice, made, number = random.Random(f"first {seed}"), [], 0
    while len(made) < count:
        made += workload(dice, f"low-{number}", min(dice.randint(5, 40), count - len(made)))
        number += 1
    return made


def second_wave(count, seed=1):
    """A fifth important ones for the team's nodes and fast disks, which the first wave filled; a tenth that fits nowhere; the rest mixed."""
    dice, made, number = random.Random(f"second {seed}"), [], 0
    for each in range(count // 5):
        made.append(sized(pod(f"important-{each}", labels={"app": "important"}, priorityClassName="important",
                              nodeSelector={"disk": "fast"}), 1500, 1024))
    for each in range(count // 10):
        extra = dict(dice.choice(IMPOSSIBLE))
        cpu = 64000 if extra.pop("huge", False) else 100
        made.append(sized(pod(f"impossible-{each}", labels={"app": "impossible"}, **extra), cpu, 64))
    while len(made) < count:
        made += workload(dice, f"mixed-{number}", min(dice.randint(5, 40), count - len(made)))
        number += 1
    return made
