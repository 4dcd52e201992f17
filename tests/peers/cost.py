"""What the roles besides the scheduler cost the API server: the descheduler beside the Descheduler, evictions and reboot agent by
themselves, as nothing else of that kind runs on a released cluster or is among the programs."""

import json
import pathlib
import time

from objects import MERGE, PODS
from plane import Plane
from process import wait_until
import roles
import start

NODES, COUNT, SECONDS = 100, 400, 45


def fill(plane):
    for number in range(COUNT):
        made = start.ordinary_pod(number)
        made["spec"]["nodeName"] = f"n-{number % NODES}"
        plane.need("POST", PODS, made)
        plane.need("PATCH", f"{PODS}/{made['metadata']['name']}/status", start.status(number), MERGE)


def reads_and_writes(before, after):
    """Requests by whether they change something; those of the API server itself are the same for all."""
    counts = {True: 0, False: 0}
    for key, count in after.items():
        counts[key[0] in ("POST", "PUT", "PATCH", "DELETE", "APPLY")] += count - before.get(key, 0)
    return counts[False], counts[True]


class Cost:
    def __init__(self, plane, process):
        """Counts for a fixed time, from the start of the process on."""
        server, before = plane.server.cpu(), plane.requests()
        self.process = process() if process else None
        time.sleep(SECONDS)
        self.server = plane.server.cpu() - server
        self.reads, self.writes = reads_and_writes(before, plane.requests())
        self.own = self.process.cpu() if process else 0.0
        if process:
            self.process.stop()


def descheduler(stage, plane, program):
    """Passes every ten seconds; the first one has something to do."""
    fill(plane)
    policy = plane.folder / "policy.json"
    policy.write_text(json.dumps(start.POLICY))
    cost = Cost(plane, lambda: stage.start(f"{program.name}-{len(stage.started)}", [
        program, "--kubeconfig", plane.kubeconfig, "--policy-config-file", policy, "--descheduling-interval=10s",
        "--secure-port=0"], plane.folder))
    cost.left = len(plane.items(PODS))
    plane.api("DELETE", PODS)
    wait_until(lambda: not plane.items(PODS), 120)
    return cost


def host(plane):
    """Of a node that needs no reboot."""
    folder = pathlib.Path(plane.folder / "host")
    folder.mkdir(exist_ok=True)
    (folder / "boot").write_text("first")
    (folder / "reboot").write_text("#!/bin/sh\n")
    (folder / "reboot").chmod(0o755)
    return folder


def cost(stage, report):
    plane = Plane(stage, "cost")
    for number in range(NODES):
        plane.add_node(f"n-{number}", cpu="64", memory="256Gi", pods="250")
    idle = Cost(plane, None)
    real, berth = [descheduler(stage, plane, each) for each in (stage.program("descheduler"), stage.stand_in("descheduler"))]
    report.note(f"{COUNT} pods on {NODES} nodes, {SECONDS} s", f"CPU of kube-apiserver with nobody: {idle.server:.1f} s")
    report.line("descheduler: pods that are left", f"about {real.left}", berth.left, abs(real.left - berth.left) <= COUNT // 50)
    report.line("same, CPU of kube-apiserver", f"at most {real.server:.1f} s", f"{berth.server:.1f} s", berth.server <= real.server)
    report.line("same, writes", f"at most {real.writes}", berth.writes, berth.writes <= real.writes)
    report.note("same, reads", f"{real.reads}, {berth.reads}")
    report.line("same, its own CPU", f"at most {real.own:.1f} s", f"{berth.own:.1f} s", berth.own <= real.own)
    plane.apply(*(stage.deploy / "kured-compatible" / name for name in ("rbac.yaml", "extras.yaml", "daemonset.yaml")))
    for name, begin in (("evictions", lambda: roles.evictions(stage, plane)),
                        ("reboot", lambda: roles.reboot(stage, plane, "n-0", host(plane)))):
        process = begin()
        time.sleep(5)  # what comes before it has begun
        one = Cost(plane, lambda started=process: started)
        report.note(f"{name}, nothing to do: kube-apiserver, own", f"{one.server:.1f} s, {one.own:.2f} s; {one.reads} reads, {one.writes} writes")
    plane.stop()
