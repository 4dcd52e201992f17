"""Two replicas of berth and the real kube-scheduler want one Lease: one leads at a time, and each takes over from the other."""

import ssl
import signal
import threading
import time
import urllib.request

from drill import free_port
from process import wait_until
import roles

TIMES = ["--leader-elect-lease-duration=4s", "--leader-elect-renew-deadline=3s", "--leader-elect-retry-period=500ms"]


def candidate(stage, plane, name, program):
    """Both take the same words."""
    port, kubeconfig = free_port(), plane.identity(name, user="system:kube-scheduler")
    process = stage.start(name, [
        program, "--kubeconfig", kubeconfig, "--authentication-kubeconfig", kubeconfig, "--authorization-kubeconfig", kubeconfig,
        "--bind-address=127.0.0.1", f"--secure-port={port}", "--authorization-always-allow-paths=/metrics,/healthz", "--v=2", *TIMES],
        plane.folder)
    process.port = port
    return process


def leads(process):
    """What its own metrics say."""
    anybody = ssl._create_unverified_context()
    try:
        with urllib.request.urlopen(f"https://127.0.0.1:{process.port}/metrics", timeout=2, context=anybody) as answer:
            text = answer.read().decode()
    except OSError:
        return False
    return any(line.startswith("leader_election_master_status") and line.endswith(" 1") for line in text.splitlines())


class Witness(threading.Thread):
    """Asks all of them again and again, and counts how often more than one says that it leads."""

    def __init__(self, candidates):
        super().__init__(daemon=True)
        self.candidates, self.asked, self.worst, self.is_over = candidates, 0, 0, False

    def run(self):
        while not self.is_over:
            leading = [each for each in self.candidates if leads(each)]
            # Asked one after the other: who led first must still lead for both to count.
            if len(leading) > 1:
                leading = [each for each in leading if leads(each)]
            self.worst = max(self.worst, len(leading))
            self.asked += 1
            time.sleep(0.1)


def taken_over(plane, among):
    def leader():
        return next((each for each in among if leads(each)), None)
    found = wait_until(leader, 60)
    return found.name if found else "nobody"


def one_lease(stage, report):
    plane = stage.plane()
    before = plane.refused()
    plane.add_node("node-0")
    first = candidate(stage, plane, "berth-one", stage.stand_in("kube-scheduler"))
    report.line("berth alone", "berth-one", taken_over(plane, [first]))
    second = candidate(stage, plane, "berth-two", stage.stand_in("kube-scheduler"))
    real = candidate(stage, plane, "real", stage.program("kube-scheduler"))
    everyone = [first, second, real]
    witness = Witness(everyone)
    witness.start()
    wait_until(lambda: real.lines("attempting to acquire|Attempting to acquire|leaderelection"), 60)
    pods = iter(range(100))

    def placed(what):
        report.line(f"{what}: a pod is placed", "node-0", roles.place(plane, f"p{next(pods)}", "default-scheduler"))
    placed("berth leads")
    first.stop(signal.SIGKILL)
    second.stop(signal.SIGKILL)
    report.line("both of berth killed", "real", taken_over(plane, everyone))
    placed("the real one leads")
    first.start()
    second.start()
    wait_until(lambda: len(first.lines("info Ready|Ready")) > 1, 20)
    report.line("both are back, and the real one still leads", "real", taken_over(plane, everyone))
    real.stop(signal.SIGKILL)
    leader = taken_over(plane, [first, second])
    report.line("the real one killed", "berth-one or berth-two", leader, leader.startswith("berth"))
    placed("berth leads again")
    {"berth-one": first, "berth-two": second}.get(leader, first).stop(signal.SIGTERM)
    other = taken_over(plane, [first, second])
    report.line("that one ended", "the other one", other, other.startswith("berth") and other != leader)
    placed("the other one leads")
    witness.is_over = True
    witness.join(20)
    report.line("leaders at a time, at most", 1, witness.worst)
    report.note("asked all three, times", witness.asked)
    new = {key: count for key, count in plane.refused().items() if count > before.get(key, 0)}
    report.line("requests that were forbidden", {}, new)
    events = [event for event in plane.items("/api/v1/namespaces/kube-system/events")
              if event["reason"] == "LeaderElection" and event["involvedObject"]["name"] == "kube-scheduler"]
    shapes = {(event["involvedObject"]["kind"], event["involvedObject"]["apiVersion"], event["reportingComponent"], event["type"],
               event["message"].split(" ", 1)[1]) for event in events}
    report.line("events of both on leadership, in how many forms", 1, len(shapes))
    report.note("  which", shapes)
