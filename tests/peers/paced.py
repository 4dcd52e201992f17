"""Pods that come one after another, fifty a second: what each costs kube-scheduler, berth, and the API server meanwhile."""

import time

from objects import PODS, pod
from plane import Plane
from process import wait_until

NODES, WARM, COUNTED, RATE = 100, 100, 500, 50.0


class Cost:
    def __init__(self, scheduler, server):
        self.scheduler, self.server = scheduler, server


def create(plane, prefix, count):
    due = time.monotonic()
    for number in range(count):
        plane.need("POST", PODS, pod(f"{prefix}-{number}", cpu="10m"))
        due += 1 / RATE
        time.sleep(max(0.0, due - time.monotonic()))


def all_bound(plane):
    return all("nodeName" in item["spec"] for item in plane.items(f"{PODS}?resourceVersion=0"))


def measure(stage, plane, program):
    """Milliseconds of CPU per pod."""
    words = [program, "--kubeconfig", plane.folder / "kube-scheduler.kubeconfig", "--leader-elect=false", "--secure-port=0", "--v=1"]
    if program == stage.program("kube-scheduler"):  # its own limit would keep it below the rate
        words += ["--kube-api-qps=1000", "--kube-api-burst=1000"]
    process = stage.start(f"{program.name}-{len(stage.started)}", words, plane.folder)
    time.sleep(5)
    create(plane, f"{process.name}-warm", WARM)
    wait_until(lambda: all_bound(plane), 60)
    before = process.cpu(), plane.server.cpu()
    create(plane, process.name, COUNTED)
    time.sleep(1)
    cost = Cost((process.cpu() - before[0]) * 1000 / COUNTED, (plane.server.cpu() - before[1]) * 1000 / COUNTED)
    if not wait_until(lambda: all_bound(plane), 60):
        raise RuntimeError(f"{process.name} left pods without a node")
    process.stop()
    plane.api("DELETE", PODS)
    wait_until(lambda: not plane.items(PODS), 120)
    return cost


def paced(stage, report):
    plane = Plane(stage, "paced")
    plane.identity("kube-scheduler", user="system:kube-scheduler")
    for number in range(NODES):
        plane.add_node(f"n-{number}", cpu="64", memory="256Gi", pods="1000")
    real = measure(stage, plane, stage.program("kube-scheduler"))
    berth = measure(stage, plane, stage.stand_in("kube-scheduler"))
    report.note(f"{COUNTED} pods, {RATE:.0f} a second, {NODES} nodes", "expected: kube-scheduler; seen: berth")
    report.line("CPU of the scheduler per pod", f"at most {real.scheduler:.2f} ms", f"{berth.scheduler:.2f} ms",
                berth.scheduler <= real.scheduler)
    report.line("CPU of kube-apiserver per pod, creates included", f"at most 1.1 x {real.server:.1f} ms", f"{berth.server:.1f} ms",
                berth.server <= real.server * 1.1)
    plane.stop()
