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


def compare(report, first, second, berth, total):
    """kube-scheduler looks at a sample of the nodes, so that its own runs differ: berth has to be as near to them as they are to each
    other. More placed, or fewer preempted, is no fault."""
    placed, preempted = sorted((first.placed, second.placed)), sorted((first.preempted, second.preempted))
    fewest = placed[0] - max(5, total // 500, placed[1] - placed[0])
    most = preempted[1] + max(3, preempted[1] // 10, preempted[1] - preempted[0])
    report.line(f"placed of {total}, kube-scheduler {first.placed} and {second.placed}", f"at least {fewest}", berth.placed,
                berth.placed >= fewest)
    report.line(f"preempted, kube-scheduler {first.preempted} and {second.preempted}", f"at most {most}", berth.preempted,
                berth.preempted <= most)


def compare_messages(report, real, berth):
    both = real.messages.keys() & berth.messages.keys()
    same = sum(real.messages[name] == berth.messages[name] for name in both)
    alike = sum(plain(real.messages[name]) == plain(berth.messages[name]) for name in both)
    report.line("refused by both: messages that name the same reasons", f"at least 9 of 10 of {len(both)}", alike, alike * 10 >= 9 * len(both))
    report.note("  of them equal to the number", same)
    differing = next((name for name in sorted(both) if plain(real.messages[name]) != plain(berth.messages[name])), None)
    if differing:
        report.note(f"  {differing}, kube-scheduler", real.messages[differing])
        report.note(f"  {differing}, berth", berth.messages[differing])


def costs(report, first, second, berth):
    """At most what the dearer run of kube-scheduler took."""
    runs = [run.written() for run in (first, second, berth)]
    for key in sorted(set().union(*runs)):
        report.note("  writes: " + " ".join(filter(None, key)), ", ".join(str(run.get(key, 0)) for run in runs))
    rates = [sum(run.values()) / max(1, placed) for run, placed in zip(runs, (first.placed, second.placed, berth.placed))]
    report.line("writes per bound pod", f"at most {max(rates[:2]):.3f}", f"{rates[2]:.3f}", rates[2] <= max(rates[:2]))
    for what, field, unit in (("CPU of kube-apiserver meanwhile", "cpu_server", "s"), ("CPU of the scheduler", "cpu", "s"),
                              ("its memory at most", "memory", "MiB")):
        limit, seen = max(getattr(first, field), getattr(second, field)), getattr(berth, field)
        report.line(what, f"at most {limit:.2f} {unit}", f"{seen:.2f} {unit}", seen <= limit)
    report.note("seconds until settled", f"{first.seconds:.0f}, {second.seconds:.0f}, {berth.seconds:.0f}")


def agreement(stage, report):
    total = stage.options.pods
    waves = workload.first_wave(total * 3 // 4), workload.second_wave(total - total * 3 // 4)
    plane = start(stage, stage.options.nodes)
    report.note(f"{stage.options.nodes} nodes, {total} pods", "kube-scheduler twice, berth between")
    first = measure(stage, plane, stage.program("kube-scheduler"), waves)
    berth = measure(stage, plane, stage.stand_in("kube-scheduler"), waves)
    second = measure(stage, plane, stage.program("kube-scheduler"), waves)
    compare(report, first, second, berth, total)
    compare_messages(report, first, berth)
    costs(report, first, second, berth)
    plane.stop()
