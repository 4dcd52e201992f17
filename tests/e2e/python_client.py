"""The Python client of Debian against a sandbox: python_client.py BERTH WORK.

Lists, pages, watches that go on after the server was killed and started again on the same data folder, and the leader
election that comes with the client, with a leader that dies and a follower that takes over. The last line is
"N passed, M failed".
"""

import os
import pathlib
import subprocess
import sys
import threading
import time

from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock

counts = {True: 0, False: 0}


def judge(name, is_good, found=""):
    counts[bool(is_good)] += 1
    if not is_good:
        print(f"FAIL {name}: {found}")


def until(seconds, fact):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if fact():
            return True
        time.sleep(0.05)
    return False


class Sandbox:
    """A server that comes back at the same address with the same data."""

    def __init__(self, berth, folder):
        self.berth, self.folder, self.listen = berth, folder, "127.0.0.1:0"
        self.kubeconfig = folder / "kubeconfig"
        (folder / "data").mkdir(mode=0o700)
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.berth, "sandbox", "--listen", self.listen, "--data-dir", self.folder / "data", "--controllers", "none",
             "--kubeconfig-out", self.kubeconfig], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on https://"):
            sys.exit(f"the sandbox did not start: {line}")
        self.listen = line.split("//")[1].strip()

    def kill(self):
        self.process.kill()
        self.process.wait()


def pod(name, **labels):
    return {"metadata": {"name": name, "labels": labels}, "spec": {"containers": [{"name": "c", "image": "a"}]}}


class Follower(threading.Thread):
    """Lists once and then only watches, from the version last seen, whatever happens to the connection."""

    def __init__(self, core):
        super().__init__(daemon=True)
        self.core, self.seen, self.gone, self.restarts, self.is_done = core, {}, 0, 0, False

    def run(self):
        version = None
        while not self.is_done:
            try:
                if version is None:
                    pods = self.core.list_namespaced_pod("default")
                    self.seen = {item.metadata.name: item.metadata.resource_version for item in pods.items}
                    version = pods.metadata.resource_version
                for event in watch.Watch().stream(self.core.list_namespaced_pod, "default", resource_version=version,
                                                  timeout_seconds=20, allow_watch_bookmarks=True):
                    version = self.take(event)
            except ApiException as error:
                if error.status == 410:
                    version, self.gone = None, self.gone + 1
            except Exception:  # the connection broke: the server was killed
                self.restarts += 1
                time.sleep(0.1)

    def take(self, event):
        metadata = event["raw_object"]["metadata"]
        if event["type"] == "DELETED":
            self.seen.pop(metadata["name"], None)
        elif event["type"] != "BOOKMARK":
            self.seen[metadata["name"]] = metadata["resourceVersion"]
        return metadata["resourceVersion"]


def lists(core):
    for name in ("a", "b", "c"):
        core.create_namespaced_pod("default", pod(name, app=name))
    pods = core.list_namespaced_pod("default")
    judge("list", [item.metadata.name for item in pods.items] == ["a", "b", "c"], pods)
    judge("types", pods.items[0].spec.containers[0].image == "a" and pods.items[0].metadata.creation_timestamp.tzinfo)
    pods = core.list_namespaced_pod("default", label_selector="app in (a,c)")
    judge("selector", len(pods.items) == 2, pods)
    pods = core.list_namespaced_pod("default", field_selector="metadata.name=b")
    judge("field selector", [item.metadata.name for item in pods.items] == ["b"], pods)
    names, token = [], None
    while token != "":
        page = core.list_pod_for_all_namespaces(limit=2, _continue=token)
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue or ""
    judge("pages", names == ["a", "b", "c"], names)
    pods = core.patch_namespaced_pod("a", "default", {"metadata": {"labels": {"x": "y"}}})
    judge("patch", pods.metadata.labels == {"app": "a", "x": "y"}, pods)
    try:
        core.read_namespaced_pod("nothing", "default")
    except ApiException as error:
        judge("not found", error.status == 404 and error.reason == "Not Found", error)
    gone = core.delete_namespaced_pod("c", "default")
    judge("delete", gone.metadata.name == "c", gone)


def resumes(sandbox, core):
    follower = Follower(core)
    follower.start()
    judge("watch starts", until(60, lambda: len(follower.seen) == 2), follower.seen)
    for i in range(3):
        core.create_namespaced_pod("default", pod(f"before-{i}"))
        judge(f"watch sees before-{i}", until(60, lambda: f"before-{i}" in follower.seen), follower.seen)
        sandbox.kill()
        sandbox.start()
        core.create_namespaced_pod("default", pod(f"after-{i}"))
        judge(f"watch goes on after restart {i}", until(60, lambda: f"after-{i}" in follower.seen), follower.seen)
    core.delete_namespaced_pod("after-0", "default")
    judge("watch sees a removal", until(60, lambda: "after-0" not in follower.seen), follower.seen)
    listed = {item.metadata.name: item.metadata.resource_version for item in core.list_namespaced_pod("default").items}
    judge("watch and list agree", follower.seen == listed, (follower.seen, listed))
    print(f"watch: {follower.restarts} broken connections, {follower.gone} times 410")
    follower.is_done = True


class Candidate(threading.Thread):
    def __init__(self, name, log):
        super().__init__(daemon=True)
        self.name_, self.log = name, log

    def run(self):
        lock = ConfigMapLock("leader", "default", self.name_)
        leaderelection.LeaderElection(electionconfig.Config(
            lock, lease_duration=3, renew_deadline=2, retry_period=1, onstarted_leading=lambda: self.log.append(self.name_),
            onstopped_leading=None)).run()


def holder(core):
    try:
        return core.read_namespaced_config_map("leader", "default").metadata.annotations[
            "control-plane.alpha.kubernetes.io/leader"].split('"holderIdentity": "')[1].split('"')[0]
    except (ApiException, IndexError):
        return None


def leases():
    """Two writers of one Lease: the second write from the same version is a conflict."""
    api = client.CoordinationV1Api()
    lease = api.create_namespaced_lease("default", {"metadata": {"name": "l"}, "spec": {"holderIdentity": "a"}})
    lease.spec.holder_identity = "b"
    api.replace_namespaced_lease("l", "default", lease)
    lease.spec.holder_identity = "c"
    try:
        api.replace_namespaced_lease("l", "default", lease)
        judge("lease conflict", False, "the second write was taken")
    except ApiException as error:
        judge("lease conflict", error.status == 409, error)


def elections(core):
    """One process leads and is killed; the other takes over, not before."""
    log = []
    first = subprocess.Popen([sys.executable, __file__, "--candidate", "first"])
    judge("first leads", until(60, lambda: holder(core) == "first"), holder(core))
    Candidate("second", log).start()
    time.sleep(2)
    judge("second waits while the first renews", not log and holder(core) == "first", (log, holder(core)))
    first.kill()
    first.wait()
    judge("second takes over", until(60, lambda: log == ["second"] and holder(core) == "second"), (log, holder(core)))


def main():
    if sys.argv[1] == "--candidate":
        config.load_kube_config()
        Candidate(sys.argv[2], []).run()
        return
    sandbox = Sandbox(sys.argv[1], pathlib.Path(sys.argv[2]))
    os.environ["KUBECONFIG"] = str(sandbox.kubeconfig)
    config.load_kube_config(str(sandbox.kubeconfig))
    core = client.CoreV1Api()
    try:
        lists(core)
        leases()
        resumes(sandbox, core)
        elections(core)
    finally:
        sandbox.kill()
    print(f"{counts[True]} passed, {counts[False]} failed")
    sys.stdout.flush()
    os._exit(1 if counts[False] else 0)


if __name__ == "__main__":
    main()
