"""Where many pods run already: from the start of a program to its first binding beside receiving the list alone, and one
dry run."""

import json
import multiprocessing
import os
import time

from drill import Api
from objects import PODS, node, pod
from plane import Plane
from process import wait_until

COUNT, NODES = int(os.environ.get("PEERS_START_PODS", 35000)), int(os.environ.get("PEERS_START_NODES", 5000))
WORKLOAD, CREATORS, ROUNDS = 50, 3, 2
PROTOBUF = "application/vnd.kubernetes.protobuf"
DESCHEDULE = {"RemovePodsHavingTooManyRestarts": {"podRestartThreshold": 5, "includingInitContainers": True},
              "RemovePodsViolatingNodeTaints": {}, "RemovePodsViolatingInterPodAntiAffinity": {}}
BALANCE = {"RemoveDuplicates": {}, "RemovePodsViolatingTopologySpreadConstraint": {}}
POLICY = {"apiVersion": "descheduler/v1alpha2", "kind": "DeschedulerPolicy", "profiles": [{
    "name": "p",
    "pluginConfig": [{"name": name, "args": args} for name, args in
                     [("DefaultEvictor", {"nodeFit": True}), *DESCHEDULE.items(), *BALANCE.items()]],
    "plugins": {"deschedule": {"enabled": list(DESCHEDULE)}, "balance": {"enabled": list(BALANCE)}}}]}


def ordinary_pod(number):
    """As a Deployment's controller and its node's kubelet would have made it."""
    app = f"app-{number // WORKLOAD}"
    made = pod(f"{app}-{number}", nodeName=f"n-{number % NODES}", priority=0, serviceAccountName="default")
    made["metadata"].update(labels={"app": app, "pod-template-hash": "6b9f7c5d4"}, annotations={"prometheus.io/scrape": "true"})
    made["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": app, "controller": True,
                                            "uid": f"0b6c5c2e-5b1c-4f0a-9d3e-{number // WORKLOAD:012d}"}]
    container = made["spec"]["containers"][0]
    container.update(image=f"registry.example/{app}:1.2.3", args=["--port=8080", "--log=info"],
                     ports=[{"name": "http", "containerPort": 8080}],
                     env=[{"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}, {"name": "MODE", "value": "production"}],
                     readinessProbe={"httpGet": {"path": "/ready", "port": "http"}, "periodSeconds": 10})
    container["resources"] = {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}}
    return made


def status(number):
    at, ready = "2026-03-04T05:06:07Z", ("Initialized", "Ready", "ContainersReady", "PodScheduled")
    return {"status": {
        "phase": "Running", "podIP": "10.5.107.1", "podIPs": [{"ip": "10.5.107.1"}], "hostIP": "172.16.5.118", "startTime": at,
        "conditions": [{"type": kind, "status": "True", "lastTransitionTime": at} for kind in ready],
        "containerStatuses": [{"name": "c", "ready": True, "started": True, "restartCount": number % 7, "image": "x", "imageID": "x",
                               "containerID": f"containerd://{number:064x}", "state": {"running": {"startedAt": at}}}]}}


def create_part(port, context, part):
    api = Api(port, context)
    for number in range(part, COUNT, CREATORS):
        made = ordinary_pod(number)
        name = made["metadata"]["name"]
        answers = api("POST", PODS, made), api("PATCH", f"{PODS}/{name}/status", status(number), "application/merge-patch+json")
        if [answer[0] for answer in answers] != [201, 200]:
            raise RuntimeError(f"{name}: {answers}")


def fill(plane):
    for number in range(NODES):
        plane.add_node(f"n-{number}", cpu="64", memory="256Gi", pods="250", labels={"topology.kubernetes.io/zone": f"z-{number % 3}"})
    parts = [multiprocessing.Process(target=create_part, args=(plane.port, plane.api.context, part)) for part in range(CREATORS)]
    for part in parts:
        part.start()
    for part in parts:
        part.join()
    if any(part.exitcode for part in parts):
        raise RuntimeError("not all pods could be created")


def receive(plane):
    """Seconds and bytes of the whole list, asked for as berth does; nothing is read of it."""
    connection, size = plane.api.connect(), 0
    connection.connect()
    begin = time.monotonic()
    connection.request("GET", "/api/v1/pods?resourceVersion=0", headers={"Accept": PROTOBUF})
    answer = connection.getresponse()
    while content := answer.read(1 << 20):
        size += len(content)
    return time.monotonic() - begin, size


def to_first_binding(stage, plane, program):
    """Wall time until a pod that waits has its node, the program's CPU until then, that of kube-apiserver, the program's memory."""
    name = f"waits-{len(stage.started)}"
    plane.need("POST", PODS, pod(name))
    begin, server = time.monotonic(), plane.server.cpu()
    process = stage.start(f"{program.name}-{len(stage.started)}", [
        program, "--kubeconfig", plane.folder / "kube-scheduler.kubeconfig", "--leader-elect=false", "--secure-port=0", "--v=1"], plane.folder)
    found = wait_until(lambda: plane.need("GET", f"{PODS}/{name}")["spec"].get("nodeName"), 300, 0.02)
    cost = time.monotonic() - begin, process.cpu(), plane.server.cpu() - server, process.resident("VmHWM")
    process.stop()
    if not found:
        raise RuntimeError(f"{process.name} did not place {name}")
    return cost


def dry_run(stage, plane, program):
    (plane.folder / "policy.json").write_text(json.dumps(POLICY))
    before = os.times()
    begin = time.monotonic()
    done = stage.run([program, "--kubeconfig", plane.kubeconfig, "--policy-config-file", plane.folder / "policy.json", "--dry-run",
                      "--descheduling-interval=0s", "--secure-port=0"], patience=1200)
    took, after = time.monotonic() - begin, os.times()
    if done.returncode:
        raise RuntimeError(f"{program.name}: {done.stderr[-300:]}")
    return took, after.children_user + after.children_system - before.children_user - before.children_system


def filled(stage):
    """The control plane with the pods, one for both rows."""
    if not hasattr(stage, "filled"):
        stage.filled = Plane(stage, "start")
        stage.filled.identity("kube-scheduler", user="system:kube-scheduler")
        fill(stage.filled)
    return stage.filled


def start(stage, report):
    plane = filled(stage)
    lists = [receive(plane) for _ in range(ROUNDS + 1)][1:]
    least = min(seconds for seconds, _ in lists)
    real, berth = [min(to_first_binding(stage, plane, each) for _ in range(ROUNDS))
                   for each in (stage.program("kube-scheduler"), stage.stand_in("kube-scheduler"))]
    report.note(f"{COUNT} pods on {NODES} nodes: receiving the list", f"{least:.2f} s, {lists[0][1] >> 20} MiB")
    report.line("scheduler, start to first binding", f"at most 1.2 x {least:.2f} s", f"{berth[0]:.2f} s = {berth[0] / least:.2f} x",
                berth[0] <= 1.2 * least)
    report.line("same, beside kube-scheduler", f"at most {real[0]:.2f} s", f"{berth[0]:.2f} s", berth[0] <= real[0])
    report.line("same, CPU and peak memory", f"at most {real[1]:.2f} s, {real[3]:.0f} MiB", f"{berth[1]:.2f} s, {berth[3]:.0f} MiB",
                berth[1] <= real[1] and berth[3] <= real[3])
    report.line("same, CPU of kube-apiserver meanwhile", f"at most {real[2]:.2f} s", f"{berth[2]:.2f} s", berth[2] <= real[2])


def one_dry_run(stage, report):
    plane = filled(stage)
    real, berth = [min(dry_run(stage, plane, each) for _ in range(ROUNDS))
                   for each in (stage.program("descheduler"), stage.stand_in("descheduler"))]
    report.line(f"{COUNT} pods on {NODES} nodes: beside the Descheduler", f"at most {real[0]:.2f} s, CPU {real[1]:.2f} s",
                f"{berth[0]:.2f} s, CPU {berth[1]:.2f} s", berth[0] <= real[0] and berth[1] <= real[1])
