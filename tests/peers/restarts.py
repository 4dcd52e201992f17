"""What a control plane goes through: kube-apiserver and etcd start again, history is compacted, an outage lasts longer than the
Lease. Scheduler, descheduler and evictions run in one process, which is started again when it ends, as a kubelet does."""

import signal
import threading
import time

from objects import PODS, pod
from process import wait_until
import roles

LONG_LEASE = ["--leader-elect-lease-duration", "900s", "--leader-elect-renew-deadline", "800s", "--leader-elect-retry-period", "2s"]


class Kubelet(threading.Thread):
    """Starts a process again a second after its end."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.codes, self.is_over = process, [], False
        self.start()

    def run(self):
        while not self.is_over:
            if not self.process.is_alive():
                self.codes.append(self.process.child.returncode)
                time.sleep(1)
                if not self.is_over:
                    self.process.start()
            time.sleep(0.1)

    def stop(self):
        self.is_over = True
        self.join()


def works(stage, plane, report, what, name):
    """All three roles do something."""
    report.line(f"{what}: a pod is placed", True, bool(roles.place(plane, name)))
    report.line(f"{what}: a pod is evicted in stages", True, roles.is_evicted(stage, plane, name))


def begin(stage, lease=None, kubeconfig=None):
    plane = stage.plane()
    for number in range(2):
        plane.add_node(f"node-{number}")
    return plane, roles.several(stage, plane, kubeconfig(plane) if kubeconfig else None, lease=lease or roles.QUICK_LEASE)


def outages(stage, report):
    plane, process = begin(stage)
    kubelet = Kubelet(process)
    works(stage, plane, report, "at first", "a")
    plane.restart_server()
    works(stage, plane, report, "kube-apiserver restarted", "b")
    plane.restart_etcd()
    works(stage, plane, report, "etcd killed and started again", "c")
    before = len(kubelet.codes)
    plane.need("POST", PODS, pod("waits", scheduler="berth"))
    plane.restart_server(pause=12)
    report.line("no API server for twice the Lease: the pod of before", True, bool(wait_until(lambda: roles.node_of(plane, "waits"))))
    works(stage, plane, report, "and then", "d")
    lost = kubelet.codes[before:]
    report.line("a leader that could not renew its Lease ended", "with an error", lost, lost and all(code != 0 for code in lost))
    report.note("ends of the process in all, exit codes", kubelet.codes)
    report.line("killed by a signal", 0, sum(code < 0 for code in kubelet.codes))
    kubelet.stop()


def watch_error(plane, revision):
    """The code that a watch from this revision is answered with."""
    status, answer = plane.api("GET", f"{PODS}?watch=true&timeoutSeconds=2&resourceVersion={revision}")
    return answer.get("object", {}).get("code", status)


def compaction(stage, report):
    """Stopped while objects change, the API server forgets its history and etcd drops its own: the watches are answered with 410."""
    plane, process = begin(stage, LONG_LEASE)
    works(stage, plane, report, "at first", "a")
    plane.need("POST", PODS, pod("goes", scheduler="berth"))
    wait_until(lambda: roles.node_of(plane, "goes"))
    process.send(signal.SIGSTOP)
    before = plane.need("GET", PODS)["metadata"]["resourceVersion"]
    plane.need("DELETE", f"{PODS}/goes")
    for number in range(50):
        plane.need("POST", PODS, pod(f"more-{number}", scheduler="berth"))
    revision = plane.need("GET", PODS)["metadata"]["resourceVersion"]
    plane.restart_server()
    done = plane.etcdctl("compact", revision)
    report.line("etcdctl compact", f"compacted revision {revision}", (done.stdout + done.stderr).strip())
    plane.restart_server()
    report.line("a watch from before", 410, watch_error(plane, before))
    lists = plane.lists("pods")
    process.send(signal.SIGCONT)
    placed = wait_until(lambda: all(item["spec"].get("nodeName") for item in plane.items(PODS)))
    report.line("the pods created meanwhile are placed", True, bool(placed))
    works(stage, plane, report, "and then", "b")
    report.line("the process is the same one", True, process.is_alive())
    report.line("it listed the pods again", True, plane.lists("pods") > lists)


def certificates(stage, report):
    plane, process = begin(stage, kubeconfig=lambda plane: plane.identity("run-by-certificate", user="system:serviceaccount:kube-system:berth-run"))
    before = plane.refused()
    works(stage, plane, report, "with a client certificate", "a")
    new = {key: count for key, count in plane.refused().items() if count > before.get(key, 0)}
    report.line("requests that were forbidden", {}, new)
    report.line("lines of its log with 403 or forbidden", 0, len(process.forbidden()))
