"""Pods that come and go for a long time: what the scheduler's process holds must not grow with what has been."""

import collections
import time

from objects import PODS, pod
from plane import Plane
from process import wait_until

NODES, RATE, LIVING, NOWHERE = 100, 50.0, 1000, 50  # every NOWHERE-th pod asks for a node that is not there
SETTLED = 0.25  # of the time; the processes' tables have their size then
GROWTH = 1.05


class Churn:
    def __init__(self, plane, process):
        self.plane, self.process = plane, process
        self.names, self.created, self.unbound, self.samples = collections.deque(), 0, 0, []

    def replace_one(self):
        """A new pod for the oldest, which has a node by now unless there is none for it."""
        self.created += 1
        has_node = self.created % NOWHERE != 0
        name = f"churn-{self.created}-{'a' if has_node else 'nowhere'}"
        more = {} if has_node else {"nodeSelector": {"generation": name}}
        self.plane.need("POST", PODS, pod(name, cpu="10m", labels={"generation": name}, **more))
        self.names.append((name, has_node))
        if len(self.names) > LIVING:
            oldest, had_node = self.names.popleft()
            gone = self.plane.need("DELETE", f"{PODS}/{oldest}?gracePeriodSeconds=0")
            self.unbound += had_node and "nodeName" not in gone.get("spec", {})

    def go_on(self, seconds):
        begin = due = time.monotonic()
        sampled = begin
        while due < begin + seconds:
            self.replace_one()
            due += 1 / RATE
            time.sleep(max(0.0, due - time.monotonic()))
            if time.monotonic() >= sampled + seconds / 60:
                sampled = time.monotonic()
                self.samples.append(((sampled - begin) / seconds, self.process.resident()))

    def settled(self):
        """The most that it held in the time that counts as settling."""
        return max(size for moment, size in self.samples if moment <= SETTLED)


def churn(stage, report):
    plane, minutes = Plane(stage, "churn"), stage.options.minutes
    plane.identity("kube-scheduler", user="system:kube-scheduler")
    for number in range(NODES):
        plane.add_node(f"n-{number}", cpu="64", memory="256Gi", pods="1000")
    words = [stage.stand_in("kube-scheduler"), "--kubeconfig", plane.folder / "kube-scheduler.kubeconfig", "--leader-elect=false",
             "--secure-port=0"]
    process = stage.start("berth", words, plane.folder)
    work = Churn(plane, process)
    used = process.cpu()
    work.go_on(minutes * 60)
    used = process.cpu() - used
    report.note(f"{work.created} pods in {minutes:g} minutes, {LIVING} at a time", f"CPU per pod {used * 1000 / work.created:.2f} ms")
    report.note("MiB in the course of it", " ".join(f"{size:.1f}" for _, size in work.samples[::10]))
    report.line("pods without a node when they were deleted", 0, work.unbound)
    report.line("MiB at the end", f"at most {GROWTH} x {work.settled():.1f}", f"{process.resident():.1f}",
                process.resident() <= work.settled() * GROWTH)
    is_bound = wait_until(lambda: all("nodeName" in item["spec"] for item in plane.items(PODS) if "nodeSelector" not in item["spec"]), 60)
    report.line("the last pods have nodes", True, bool(is_bound))
    report.line("it runs", True, process.is_alive())
    plane.stop()
