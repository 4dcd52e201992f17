"""The same mixed pods, placed by the real kube-scheduler and by berth on the same real API server: what was placed, preempted and
said, and what it cost the API server."""

import collections
import re
from concurrent.futures import ThreadPoolExecutor
import time

from objects import MERGE, PODS, message
from plane import Plane
from process import wait_until
import workload

WRITES = {"POST", "PUT", "PATCH", "DELETE", "APPLY"}
CREATORS = 4
OF_THE_SERVER = ("leases", "configmaps", "endpoints", "endpointslices")
QUIET = 15  # seconds without news: waiting pods have backed off by then


class Run:
    """One scheduler and what came of it."""

    def __init__(self, stage, plane, program):
        self.stage, self.plane, self.program = stage, plane, program
        self.writes, self.cpu_server, self.cpu, self.memory, self.seconds = collections.Counter(), 0.0, 0.0, 0.0, 0.0
        self.reads = collections.Counter()

    def wave(self, pods):
        """Created first, then the scheduler runs until nothing happens any more."""
        plane = self.plane
        with ThreadPoolExecutor(CREATORS) as pool:
            list(pool.map(lambda each: plane.need("POST", PODS, each), pods))
        time.sleep(2)  # until the API server's own work for the creates is done
        kubeconfig = plane.folder / "kube-scheduler.kubeconfig"
        before, cpu_before, start = plane.requests(), plane.server.cpu(), time.monotonic()
        process = self.stage.start(self.program.name + "-" + str(len(self.stage.started)), [
            self.program, "--kubeconfig", kubeconfig, "--leader-elect=false", "--secure-port=0", "--v=1"], plane.folder)
        self.settle()
        self.seconds += time.monotonic() - start - QUIET
        self.cpu_server += plane.server.cpu() - cpu_before
        self.cpu += process.cpu()
        self.memory = max(self.memory, process.resident("VmHWM"))
        process.stop()
        for (verb, resource, subresource, _), count in plane.requests().items():
            target = self.writes if verb in WRITES else self.reads
            target[(verb, resource, subresource)] += count
        for (verb, resource, subresource, _), count in before.items():
            target = self.writes if verb in WRITES else self.reads
            target[(verb, resource, subresource)] -= count

    def settle(self):
        """Until every pod has a node or a message, and neither changes for a while."""
        last, since, end = None, time.monotonic(), time.monotonic() + 900
        while time.monotonic() < end:
            items = self.plane.items(f"{PODS}?resourceVersion=0")
            state = sum("nodeName" in item["spec"] for item in items), len(items), all(
                "nodeName" in item["spec"] or message(item) for item in items)
            if state != last:
                last, since = state, time.monotonic()
            if last[2] and time.monotonic() - since > QUIET:
                return
            time.sleep(1)

    def outcome(self, created):
        items = {item["metadata"]["name"]: item for item in self.plane.items(PODS)}
        self.placed = sum("nodeName" in item["spec"] for item in items.values())
        self.preempted = len(created) - len(items)
        self.messages = {name: message(item) for name, item in items.items() if "nodeName" not in item["spec"]}

    def written(self):
        """Without what the API server writes for itself."""
        return {key: count for key, count in self.writes.items() if count > 0 and key[1] not in OF_THE_SERVER}


def start(stage, nodes):
    plane = Plane(stage, "agreement")
    plane.identity("kube-scheduler", user="system:kube-scheduler")
    plane.need("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": "important"}, "value": 1000})
    for each, taints in workload.nodes(nodes):
        plane.need("POST", "/api/v1/nodes", each)
        plane.need("PATCH", f"/api/v1/nodes/{each['metadata']['name']}", {"spec": {"taints": taints}}, MERGE)
    return plane


def measure(stage, plane, program, waves):
    run = Run(stage, plane, program)
    for wave in waves:
        run.wave(wave)
    run.outcome([each for wave in waves for each in wave])
    plane.api("DELETE", PODS)
    plane.api("DELETE", "/api/v1/namespaces/default/events")
    wait_until(lambda: not plane.items(PODS), 120)
    return run


def plain(text):
    """A message without its numbers."""
    return re.sub(r"\d+", "N", text)


def compare(report, real, berth, total):
    """kube-scheduler looks at a sample of the nodes, so that its own runs differ by twenty pods: more placed, or fewer preempted, is no fault."""
    fewest, most = real.placed - max(5, total // 500), real.preempted + max(3, real.preempted // 10)
    report.line(f"placed of {total}, kube-scheduler {real.placed}", f"at least {fewest}", berth.placed, berth.placed >= fewest)
    report.line(f"preempted, kube-scheduler {real.preempted}", f"at most {most}", berth.preempted, berth.preempted <= most)
    both = real.messages.keys() & berth.messages.keys()
    same = sum(real.messages[name] == berth.messages[name] for name in both)
    alike = sum(plain(real.messages[name]) == plain(berth.messages[name]) for name in both)
    report.line("refused by both: messages that name the same reasons", f"at least 9 of 10 of {len(both)}", alike, alike * 10 >= 9 * len(both))
    report.note("  of them equal to the number", same)
    differing = next((name for name in sorted(both) if plain(real.messages[name]) != plain(berth.messages[name])), None)
    if differing:
        report.note(f"  {differing}, kube-scheduler", real.messages[differing])
        report.note(f"  {differing}, berth", berth.messages[differing])


def costs(report, real, berth):
    theirs, ours = real.written(), berth.written()
    for key in sorted(theirs.keys() | ours.keys()):
        report.line("  writes: " + " ".join(filter(None, key)), theirs.get(key, 0), ours.get(key, 0), True)
    report.line("writes per bound pod", f"at most {sum(theirs.values()) / max(1, real.placed):.2f}",
                f"{sum(ours.values()) / max(1, berth.placed):.2f}",
                sum(ours.values()) * real.placed <= sum(theirs.values()) * berth.placed)
    report.line("CPU of kube-apiserver meanwhile", f"at most {real.cpu_server:.1f} s", f"{berth.cpu_server:.1f} s",
                berth.cpu_server <= real.cpu_server)
    report.line("CPU of the scheduler", f"at most {real.cpu:.1f} s", f"{berth.cpu:.2f} s", berth.cpu <= real.cpu)
    report.line("its memory at most", f"at most {real.memory:.0f} MiB", f"{berth.memory:.0f} MiB", berth.memory <= real.memory)
    report.note("seconds until settled, kube-scheduler and berth", f"{real.seconds:.0f}, {berth.seconds:.0f}")


def agreement(stage, report):
    total = stage.options.pods
    waves = workload.first_wave(total * 3 // 4), workload.second_wave(total - total * 3 // 4)
    plane = start(stage, stage.options.nodes)
    report.note(f"{stage.options.nodes} nodes, {total} pods", "expected: kube-scheduler; seen: berth")
    real = measure(stage, plane, stage.program("kube-scheduler"), waves)
    berth = measure(stage, plane, stage.stand_in("kube-scheduler"), waves)
    compare(report, real, berth, total)
    costs(report, real, berth)
    plane.stop()
