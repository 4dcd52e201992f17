"""berth's roles as their manifests start them: their rights, their arguments, the token of their account."""

import re

from objects import PODS, pod
from process import wait_until

QUICK_LEASE = ["--leader-elect-lease-duration", "6s", "--leader-elect-renew-deadline", "4s", "--leader-elect-retry-period", "500ms"]


def container(plane, kind, name):
    found = plane.need("GET", f"/apis/apps/v1/namespaces/kube-system/{kind}/{name}")
    return found["spec"]["template"]["spec"]["containers"][0]


def config_files(plane, name, prefix):
    """The files of a manifest's ConfigMap; the folder that they are in."""
    folder = plane.folder / prefix
    folder.mkdir(exist_ok=True)
    for file, text in plane.need("GET", f"/api/v1/namespaces/kube-system/configmaps/{name}")["data"].items():
        (folder / file).write_text(text)
    return folder


def adapted(words, folder):
    """Arguments of a manifest with the folder of this run, quick passes and no fixed port."""
    changed = [re.sub(r"interval=5m", "interval=2s", word.replace("/etc/berth", str(folder))) for word in words]
    return [re.sub(r"--secure-port=\d+", "--secure-port=0", word) for word in changed]


def scheduler(stage, plane, kubeconfig=None):
    """As deploy/scheduler has it, for pods with schedulerName berth."""
    plane.apply(stage.deploy / "scheduler/second-scheduler.yaml")
    folder = config_files(plane, "berth-scheduler", "scheduler")
    kubeconfig = kubeconfig or plane.account("berth-scheduler")
    with (folder / "config.yaml").open("a") as config:
        config.write(f"clientConnection: {{kubeconfig: {kubeconfig}}}\n")
    words = adapted(container(plane, "deployments", "berth-scheduler")["args"], folder)
    return stage.start("scheduler", [stage.stand_in("kube-scheduler"), *words, "--authentication-kubeconfig", kubeconfig,
                                     "--authorization-kubeconfig", kubeconfig, "--secure-port=0", "-v", "2"], plane.folder)


def descheduler(stage, plane, kubeconfig=None):
    plane.apply(stage.deploy / "descheduler/rbac.yaml", stage.deploy / "descheduler/deployment.yaml")
    folder = config_files(plane, "descheduler-policy", "descheduler-policy")
    words = adapted(container(plane, "deployments", "descheduler")["args"], folder)
    return stage.start("descheduler", [stage.stand_in("descheduler"), *words, "--kubeconfig", kubeconfig or plane.account("descheduler"),
                                       "--secure-port=0", "--v=3"], plane.folder)


def evictions(stage, plane, kubeconfig=None):
    plane.apply(stage.deploy / "crds", stage.deploy / "evictions/rbac.yaml")
    return stage.start("evictions", [stage.berth, "evictions", "--kubeconfig", kubeconfig or plane.account("berth-evictions"),
                                     "--keep-definitions", "--no-audit-output"], plane.folder)


def several(stage, plane, kubeconfig=None, name="run", lease=()):
    """Scheduler, descheduler and evictions in one process, as deploy/run has it."""
    plane.apply(stage.deploy / "crds", stage.deploy / "evictions/rbac.yaml", stage.deploy / "run/rbac.yaml",
                stage.deploy / "run/deployment.yaml")
    folder = config_files(plane, "berth-run", "run-config")
    words = adapted(container(plane, "deployments", "berth-run")["args"], folder)
    return stage.start(name, [stage.berth, *words, "--kubeconfig", kubeconfig or plane.account("berth-run"), "--no-audit-output",
                              *lease], plane.folder)


def reboot(stage, plane, node_name, host, kubeconfig=None):
    """kured's DaemonSet, but for where the host of this test is."""
    words = container(plane, "daemonsets", "kured")["args"]
    return stage.start("reboot", [
        stage.stand_in("kured"), *words, "--reboot-sentinel", host / "required", "--kubeconfig", kubeconfig or plane.account("kured", right=("get", "apps", "daemonsets")),
        "--reboot-command", f"{host / 'reboot'} {host}", "--nsenter=false", "--boot-id-file", host / "boot", "--period", "1s",
        "--metrics-host", "127.0.0.1", "--metrics-port", "0"], plane.folder, {"KURED_NODE_ID": node_name})


def requester(stage, plane):
    """The kubeconfig of an account that may ask for evictions."""
    accounts = "/api/v1/namespaces/default/serviceaccounts"
    if plane.api("GET", f"{accounts}/asker")[0] == 404:
        plane.need("POST", accounts, {"metadata": {"name": "asker"}})
        plane.need("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", {
            "metadata": {"name": "asker"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "berth-eviction-requester"},
            "subjects": [{"kind": "ServiceAccount", "name": "asker", "namespace": "default"}]})
    return plane.account("asker", "default", None)


def evict(stage, plane, name, *more):
    """Exit code and output of `berth evict`."""
    done = stage.run([stage.berth, "evict", "--kubeconfig", requester(stage, plane), *more, name])
    return done.returncode, done.stdout + done.stderr


def is_evicted(stage, plane, name):
    code, said = evict(stage, plane, name)
    return code == 0 and f"default/{name} evicted" in said


def node_of(plane, name):
    status, found = plane.api("GET", f"{PODS}/{name}")
    return found["spec"].get("nodeName", "") if status == 200 else None


def place(plane, name, scheduler_name="berth", **spec):
    """Creates a pod; the node that it got, in time."""
    plane.need("POST", PODS, pod(name, scheduler=scheduler_name, **spec))
    return wait_until(lambda: node_of(plane, name))


def lease_holder(plane, name):
    status, found = plane.api("GET", f"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{name}")
    return found["spec"].get("holderIdentity", "") if status == 200 else ""
