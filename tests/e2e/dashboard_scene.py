"""Clusters as files for tests of the page and for its pictures: evictions and reboots under way, plans, many nodes."""

import json
import time

HOSTILE = '"><img src=x onerror=alert(1)>\u202e' + "x" * 253
GROUP = "lifecycle.berth.dev/v1alpha1"
STAGER = "stages.lifecycle.berth.dev/responder"
EVICTOR = "imperative-eviction.k8s.io/evictor"


def at(seconds):
    """A time so many seconds from now."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


def node(name, zone, record=None, **spec):
    annotations = {"berth.dev/reboot": json.dumps(record)} if record else {}
    if record and record["phase"] == "Rebooting":
        annotations["berth.dev/reboot-took"] = "4m10s"
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"topology.kubernetes.io/zone": zone}, "annotations": annotations},
            "spec": spec, "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "40"}, "conditions": [{"type": "Ready", "status": "True"}]}}


def pod(name, on, cpu="500m", owner="ReplicaSet", **meta):
    owners = [{"apiVersion": "apps/v1", "kind": owner, "name": "set", "uid": "u", "controller": True}] if owner else []
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "shop", "name": name, "uid": "uid-" + name, "ownerReferences": owners, **meta},
            "spec": {"nodeName": on, "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}]},
            "status": {"phase": "Running"}}


def budget(name, app, allowed):
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"namespace": "shop", "name": name},
            "spec": {"selector": {"matchLabels": {"app": app}}},
            "status": {"disruptionsAllowed": allowed, "currentHealthy": 3, "desiredHealthy": 2, "expectedPods": 3}}


def request(name, target, requester, created, deadline=None):
    return {"apiVersion": GROUP, "kind": "EvictionRequest",
            "metadata": {"namespace": "shop", "name": name, "uid": "r-" + name, "creationTimestamp": at(created),
                         "annotations": {"lifecycle.berth.dev/deadline": at(deadline)} if deadline else {}},
            "spec": {"target": {"pod": {"name": target, "uid": "uid-" + target}}, "requester": requester, "intent": "Eviction"}}


def eviction(target, created, responders, outcome=None):
    """responders: name, state, message, in their order."""
    conditions = [{"type": "TargetEvicted", "status": "True" if outcome else "False", "reason": outcome or "AwaitingEviction", "lastTransitionTime": at(-5)},
                  {"type": "Failed", "status": "False", "reason": outcome or "AwaitingEviction", "lastTransitionTime": at(-5)}]
    return {"apiVersion": GROUP, "kind": "Eviction",
            "metadata": {"namespace": "shop", "name": "uid-" + target, "uid": "e-" + target, "creationTimestamp": at(created)},
            "spec": {"target": {"pod": {"name": target, "uid": "uid-" + target}}},
            "status": {"observedGeneration": 1, "conditions": conditions, "requesters": [],
                       "targetResponders": [{"name": name, "priority": 5000 if name == STAGER else 100, "state": state} for name, state, _ in responders],
                       "responders": [{"name": name, "startTime": at(created + 5), "heartbeatTime": at(-3), "message": message,
                                       **({"expectedCompletionTime": at(90)} if state == "Active" else {"completionTime": at(-4)})}
                                      for name, state, message in responders if state != "Inactive"]}}


def policy():
    stages = [{"name": "hand-over", "kind": "http", "http": {"url": "https://db.shop.svc/hand-over"}, "timeout": "2m", "onFailure": "Hold"},
              {"name": "peers-ready", "kind": "wait", "wait": {"ready": {"selector": {"matchLabels": {"app": "db"}}, "count": 2}}, "timeout": "5m"},
              {"name": "evict", "kind": "evict", "timeout": "10m"}]
    return {"apiVersion": GROUP, "kind": "EvictionPolicy", "metadata": {"namespace": "shop", "name": "db", "uid": "p"},
            "spec": {"selector": {"matchLabels": {"app": "db"}}, "stages": stages}}


def history():
    now = int(time.time())
    samples = {"hand-over": [20, 25, 31, 44, 95], "evict": [11, 12, 12, 14, 30]}
    data = {f"shop/db  {stage}": [[took * 1000, now - 60] for took in times] for stage, times in samples.items()}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "kube-system", "name": "berth-eviction-history"},
            "data": {"durations.json": json.dumps(data)}}


def lock(*owners):
    """The nodes that hold the lock of reboots."""
    locks = [{"nodeID": name, "metadata": {"unschedulable": False}, "created": at(-200), "TTL": 0} for name in owners]
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"namespace": "kube-system", "name": "kured", "annotations": {
        "weave.works/kured-node-lock": json.dumps({"maxOwners": 2, "locks": locks})}}, "spec": {}}


def leaving(text=HOSTILE):
    """Evictions and reboots of all kinds, this text in each."""
    db = {"labels": {"app": "db"}}
    nodes = [node("node-1", "a", {"phase": "Rebooting", "needSince": at(-4000), "taintSince": at(-3900), "claimedAt": at(-200)}, unschedulable=True),
             node("node-2", "a", {"phase": "Draining", "needSince": at(-3000), "taintSince": at(-2900), "claimedAt": at(-90),
                                  "reason": "2 pods are left, shop/db-0: its eviction is not over"}, unschedulable=True),
             node("node-3", "b", {"phase": "Blocked", "needSince": at(-2000), "taintSince": at(-1900), "reason": text}),
             node("node-4", "b", {"phase": "Queued", "needSince": at(-1000), "taintSince": at(-900), "reason": "node-1, node-2 hold the lock"}),
             node("node-5", "b", {"phase": "Wanted", "needSince": at(-100), "attempt": 2, "failure": "the drain took longer than 30m"})] + [
                 node(f"node-{i}", "c") for i in range(6, 9)]
    pods = [pod("db-0", "node-2", **db), pod("db-1", "node-6", **db), pod("db-2", "node-7", **db), pod("web-1", "node-2"), pod("web-2", "node-8")]
    stage = "stage=2/3 name=peers-ready policy=db attempt=2 done=1 open=0 since=" + at(-40) + "; 1 of 2 other pods ready"
    evictions = [eviction("db-0", -90, [(STAGER, "Active", stage), (EVICTOR, "Inactive", "")]),
                 eviction("web-1", -60, [(EVICTOR, "Active", text)]),
                 eviction("gone-1", -900, [(EVICTOR, "Completed", "the pod is being deleted")], "PodDeleted")]
    requests = [request("a", "db-0", "reboot.berth.dev/drain", -90, 1700), request("b", "db-0", "descheduler.berth.dev/evict", -50),
                request("c", "web-1", "example.com/me", -60), request("d", "gone-1", "reboot.berth.dev/drain", -900),
                request("e", "web-2", "example.com/nobody", -5)]
    return nodes + pods + [policy(), history(), lock("node-1", "node-2")] + evictions + requests


POLICY = """apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: move
  pluginConfig:
  - name: DefaultEvictor
  - name: RemovePodsViolatingNodeTaints
  - name: HighNodeUtilization
    args: {thresholds: {cpu: 30, memory: 90, pods: 90}}
  plugins:
    deschedule: {enabled: [RemovePodsViolatingNodeTaints]}
    balance: {enabled: [HighNodeUtilization]}
"""


def planning(nodes=12):
    """Pods that a policy moves, some kept by budgets, and owners that say so."""
    objects = [budget("web-budget", "web", 2), budget("strict", "strict", 0)]
    for i in range(nodes):
        taints = {"taints": [{"key": "maintenance", "effect": "NoSchedule"}]} if i % 6 == 5 else {}
        objects.append(node(f"node-{i:04}", "abc"[i % 3], **taints))
        for p in range(1 + (i * 7) % 11):
            app = ["web", "strict", "free"][p % 3]
            owner = None if p == 4 else "DaemonSet" if p == 6 else "ReplicaSet"
            objects.append(pod(f"{app}-{i}-{p}", f"node-{i:04}", owner=owner, labels={"app": app}))
    return objects


def write(path, objects):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": objects}, file)
    return path
