"""Each role with exactly the rights of its manifest: it does its work, and nothing is forbidden to it."""

import signal

from objects import MERGE, PODS, PVCS, message, node_info, pod, replica_set, running
from process import wait_until
import roles

STORAGE = "/apis/storage.k8s.io/v1/storageclasses"
CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"


def nothing_forbidden(report, plane, process, before):
    """Neither in its log, nor answered with 403 by the API server since the row began."""
    now = plane.refused()
    new = {" ".join(filter(None, key)): count - before.get(key, 0) for key, count in now.items() if count > before.get(key, 0)}
    report.line("requests that were forbidden", {}, new)
    report.line("lines of its log with 403 or forbidden", 0, len(process.forbidden()))


def events_of(plane, name):
    found = plane.items(f"/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3D{name}")
    return {event["reason"] for event in found}


def put_volume(plane):
    plane.api("POST", STORAGE, {"metadata": {"name": "local"}, "provisioner": "kubernetes.io/no-provisioner",
                                "volumeBindingMode": "WaitForFirstConsumer"})
    on_second = {"required": {"nodeSelectorTerms": [{"matchExpressions": [
        {"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-1"]}]}]}}
    plane.need("POST", "/api/v1/persistentvolumes", {"metadata": {"name": "disk"}, "spec": {
        "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local", "local": {"path": "/disk"},
        "nodeAffinity": on_second}})
    plane.need("POST", PVCS, {"metadata": {"name": "data"}, "spec": {
        "storageClassName": "local", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})


def scheduler(stage, report):
    plane = stage.plane()
    before = plane.refused()
    plane.add_node("node-0")
    plane.add_node("node-1")
    process = roles.scheduler(stage, plane)
    report.line("leads by its Lease", True, bool(wait_until(lambda: roles.lease_holder(plane, "berth-scheduler"))))
    put_volume(plane)
    report.line("a pod with a volume of node-1", "node-1", roles.place(
        plane, "database", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]))
    wait_until(lambda: plane.need("GET", f"{PVCS}/data")["status"].get("phase") == "Bound")
    report.line("its volume", "Bound", plane.need("GET", f"{PVCS}/data")["status"].get("phase"))
    first = {"nodeSelector": {"kubernetes.io/hostname": "node-0"}}
    roles.place(plane, "low", cpu="6", **first)
    plane.api("POST", CLASSES, {"metadata": {"name": "high"}, "value": 1000})
    plane.need("POST", PODS, pod("huge", cpu="700", scheduler="berth"))
    report.line("an important pod takes the place of another", "node-0", roles.place(
        plane, "important", cpu="7", priorityClassName="high", **first))
    report.line("which is gone", None, roles.node_of(plane, "low"))
    said = wait_until(lambda: message(plane.need("GET", f"{PODS}/huge")))
    begins = "0/2 nodes are available: 2 Insufficient cpu."
    report.line("a pod too large: its condition", begins, str(said)[:len(begins)])
    report.line("the event of it", True, bool(wait_until(lambda: "FailedScheduling" in events_of(plane, "huge"))))
    nothing_forbidden(report, plane, process, before)


def run_pods(plane, name, count):
    """Pods of a ReplicaSet, as if kubelets ran them; their names."""
    def found():
        items = plane.items(f"{PODS}?labelSelector=app%3D{name}")
        return items if len(items) == count else None
    names = [item["metadata"]["name"] for item in wait_until(found)]
    for each in names:
        plane.need("PATCH", f"{PODS}/{each}/status", running(), MERGE)
    return names


def taint(plane, name, key="maintenance"):
    plane.need("PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": [{"key": key, "effect": "NoSchedule"}]}}, MERGE)


def descheduler(stage, report):
    plane = stage.plane()
    before = plane.refused()
    plane.add_node("node-0")
    plane.add_node("node-1")
    plane.need("POST", "/apis/apps/v1/namespaces/default/replicasets", replica_set("web", "node-0"))
    pod_name = run_pods(plane, "web", 1)[0]
    process = roles.descheduler(stage, plane)
    report.line("leads by its Lease", True, bool(wait_until(lambda: roles.lease_holder(plane, "descheduler"))))
    report.line("a pod that may stay", "node-0", roles.node_of(plane, pod_name))
    taint(plane, "node-0")
    report.line("evicted once its node has a taint", True, bool(wait_until(lambda: roles.node_of(plane, pod_name) is None)))
    report.line("the event of it", True, bool(wait_until(lambda: "RemovePodsViolatingNodeTaints" in events_of(plane, pod_name))))
    nothing_forbidden(report, plane, process, before)


def evictions(stage, report):
    plane = stage.plane()
    before = plane.refused()
    plane.add_node("node-0")
    process = roles.evictions(stage, plane)
    report.line("leads by its Lease", True, bool(wait_until(lambda: roles.lease_holder(plane, "berth-evictions"))))
    plane.need("POST", PODS, pod("a", nodeName="node-0"))
    report.line("berth evict ends a pod", True, roles.is_evicted(stage, plane, "a"))
    plane.need("POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets", {
        "metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "b"}}}})
    plane.need("POST", PODS, pod("b", nodeName="node-0"))
    plane.need("PATCH", f"{PODS}/b/status", running(), MERGE)
    budget = "/apis/policy/v1/namespaces/default/poddisruptionbudgets/b"
    wait_until(lambda: plane.need("GET", budget).get("status", {}).get("currentHealthy") == 1)
    code, said = roles.evict(stage, plane, "b", "--deadline", "4s")
    report.line("with a budget that forbids it, for 4 s: withdrawn", True, code == 1 and "default/b withdrawn" in said)
    report.line("the pod is still there", "node-0", roles.node_of(plane, "b"))
    nothing_forbidden(report, plane, process, before)


def reboot(stage, report):
    plane = stage.plane()
    plane.apply(*(stage.deploy / "kured-compatible" / name for name in ("rbac.yaml", "extras.yaml", "daemonset.yaml")))
    plane.apply(stage.deploy / "crds")
    before = plane.refused()
    plane.add_node("node-0")
    plane.add_node("node-1")
    plane.need("POST", PODS, pod("web", nodeName="node-0"))
    plane.need("PATCH", f"{PODS}/web/status", running(), MERGE)
    host = plane.folder / "host"
    host.mkdir()
    (host / "boot").write_text("first\n")
    (host / "required").touch()
    (host / "reboot").write_text('#!/bin/sh\nrm -f "$1/required"\necho second >"$1/boot"\n')
    (host / "reboot").chmod(0o755)
    process = roles.reboot(stage, plane, "node-0", host)
    report.line("reboots", "second", wait_until(lambda: "second" in (host / "boot").read_text()) and "second")
    report.line("the pod was evicted", None, roles.node_of(plane, "web"))
    process.stop(signal.SIGKILL)
    plane.need("PATCH", "/api/v1/nodes/node-0/status", {"status": {"nodeInfo": node_info("second")}}, MERGE)
    process.start()

    def traces():
        found = plane.need("GET", "/api/v1/nodes/node-0")
        lock = plane.need("GET", "/apis/apps/v1/namespaces/kube-system/daemonsets/kured")["metadata"].get("annotations", {})
        return [name for name, is_there in (
            ("cordon", found["spec"].get("unschedulable")), ("taint", found["spec"].get("taints")),
            ("lock", lock.get("weave.works/kured-node-lock"))) if is_there]
    wait_until(lambda: not traces())
    report.line("cordon, taint and lock afterwards", [], traces())
    nothing_forbidden(report, plane, process, before)


def several(stage, report):
    plane = stage.plane()
    before = plane.refused()
    for number in range(2):
        plane.add_node(f"node-{number}")
    process = roles.several(stage, plane)
    names = ("berth-scheduler", "descheduler", "berth-evictions")
    wait_until(lambda: all(roles.lease_holder(plane, name) for name in names))
    report.line("Leases of its roles", 3, sum(bool(roles.lease_holder(plane, name)) for name in names))
    report.line("places a pod", True, bool(roles.place(plane, "a")))
    report.line("berth evict ends a pod", True, roles.is_evicted(stage, plane, "a"))
    plane.need("POST", "/apis/apps/v1/namespaces/default/replicasets", replica_set("web", "node-0"))
    pod_name = run_pods(plane, "web", 1)[0]
    taint(plane, "node-0")
    report.line("evicts once a node has a taint", True, bool(wait_until(lambda: roles.node_of(plane, pod_name) is None)))
    nothing_forbidden(report, plane, process, before)
