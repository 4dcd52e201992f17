"""The real kube-scheduler, kube-controller-manager and Descheduler on berth's sandbox: they work, and log no error that is not
their own."""

import json
import re
import time

from drill import Api, free_port
from objects import pod
from process import wait_until

# Error lines that say nothing about the API server. A program, a pattern, why.
ALLOWED = (
    ("", r"options.go:\d+\] The manifest file is empty", "reads a file of another product, which is not there"),
    ("manager", r"read version: \d+ is not as new as written version", "waits for the watch to show what it wrote, as on every API server"),
    ("manager", r"EndpointSlice informer cache is out of date", "the same: it compares generations that it wrote with those of its cache"),
    ("manager", r"Job.batch \S+ is invalid: status.ready: \S+ \S+ \d+: cannot set more ready pods than active",
     "counts no active pods of a Job while it puts off a new one after an eviction; kube-apiserver refuses that too"),
    ("manager", r"(resourcequotas|poddisruptionbudgets\S*) \S+: the object has been modified", "lost a race with admission or an eviction, tries again"),
)
ERROR = re.compile(r"^[EF]\d{4} |^panic|level=error")
DEPLOYMENTS, JOBS = "/apis/apps/v1/namespaces/default/deployments", "/apis/batch/v1/namespaces/default/jobs"
POLICY = """apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: default
  pluginConfig:
  - name: DefaultEvictor
    args: {nodeFit: true}
  - name: RemovePodsViolatingNodeTaints
    args: {}
  - name: PodLifeTime
    args: {maxPodLifeTimeSeconds: 20, labelSelector: {matchLabels: {app: short}}}
  plugins:
    deschedule: {enabled: [RemovePodsViolatingNodeTaints, PodLifeTime]}
"""


def template(name, labels=None):
    """Pods that end a while after their deletion: the Descheduler evicts a pod once for each strategy that finds it in its cache, and
    logs an error when it is gone by then."""
    made = pod(name, cpu="50m")
    made["spec"]["terminationGracePeriodSeconds"] = 30
    return {"metadata": {"labels": {"app": name, **(labels or {})}, "annotations": {"sandbox.berth.dev/shutdown": "2s"}}, "spec": made["spec"]}


def workload(kind, name, replicas):
    spec = {"selector": {"matchLabels": {"app": name}}, "template": template(name)}
    if kind != "DaemonSet":
        spec["replicas"] = replicas
    if kind == "StatefulSet":
        spec["serviceName"] = name
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def job(name, **more):
    spec = template(name)
    spec["spec"]["restartPolicy"] = "Never"
    spec["metadata"]["annotations"]["sandbox.berth.dev/run"] = "2s exit 0"
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {
        "template": spec, "completions": 2, "parallelism": 2, "ttlSecondsAfterFinished": 5, **more}}


class Cluster:
    """A sandbox whose only controllers are its kubelets, and the real programs."""

    def __init__(self, stage, name, has_accounts):
        self.stage, self.folder = stage, stage.folder / name
        self.folder.mkdir()
        self.kubeconfig = self.folder / "kubeconfig"
        server = stage.start("sandbox", [stage.berth, "sandbox", "--listen", "127.0.0.1:0", "--kubeconfig-out", self.kubeconfig, "--token",
                                         "peers", "--nodes", "10", "--controllers", "kubelet"], self.folder)
        wait_until(lambda: "listening on" in server.text())
        self.api = Api(int(re.search(r"listening on \S+:(\d+)", server.text())[1]), token="peers")
        self.server = server
        self.programs = {"manager": self.manager(has_accounts), "kube-scheduler": self.scheduler(), "descheduler": self.descheduler()}

    def acting_as(self, user):
        """The administrator's kubeconfig, impersonating another user."""
        changed = self.stage.run([self.stage.kubectl, "config", "view", "--raw", "-o", "json", "--kubeconfig", self.kubeconfig])
        config = json.loads(changed.stdout)
        config["users"][0]["user"]["as"] = user
        path = self.folder / f"{user.replace(':', '-')}.kubeconfig"
        path.write_text(json.dumps(config))
        return path

    def secured(self, kubeconfig):
        return ["--kubeconfig", kubeconfig, "--authentication-kubeconfig", kubeconfig, "--authorization-kubeconfig", kubeconfig,
                "--bind-address=127.0.0.1", f"--secure-port={free_port()}", "--v=1"]

    def manager(self, has_accounts):
        kubeconfig = self.acting_as("system:kube-controller-manager") if has_accounts else self.kubeconfig
        return self.stage.start("manager", [
            self.stage.program("kube-controller-manager"), *self.secured(kubeconfig), "--node-monitor-grace-period=60s",
            f"--use-service-account-credentials={str(has_accounts).lower()}"], self.folder)

    def scheduler(self):
        return self.stage.start("kube-scheduler", [
            self.stage.program("kube-scheduler"), *self.secured(self.acting_as("system:kube-scheduler"))], self.folder)

    def descheduler(self):
        policy = self.folder / "policy.yaml"
        policy.write_text(POLICY)
        return self.stage.start("descheduler", [
            self.stage.program("descheduler"), "--kubeconfig", self.kubeconfig, "--policy-config-file", policy,
            "--descheduling-interval", "10s", f"--secure-port={free_port()}", "--bind-address=127.0.0.1", "--v=1"], self.folder)

    def put(self, path, body):
        status, answer = self.api("POST", path, body)
        if status not in (200, 201, 409):
            raise RuntimeError(f"POST {path}: {status} {answer.get('message')}")

    def get(self, path):
        return self.api("GET", path)[1]

    def begin(self):
        for name in ("web", "short", "guarded"):
            self.put(DEPLOYMENTS, workload("Deployment", name, 4))
        self.put("/apis/apps/v1/namespaces/default/statefulsets", workload("StatefulSet", "store", 2))
        self.put("/apis/apps/v1/namespaces/default/daemonsets", workload("DaemonSet", "agent", 0))
        self.put("/api/v1/namespaces/default/services", {"metadata": {"name": "web"}, "spec": {
            "selector": {"app": "web"}, "ports": [{"port": 80}]}})
        self.put("/apis/policy/v1/namespaces/default/poddisruptionbudgets", {"metadata": {"name": "guarded"}, "spec": {
            "minAvailable": 3, "selector": {"matchLabels": {"app": "guarded"}}}})
        self.put("/api/v1/namespaces/default/resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": {"pods": "500"}}})
        self.put("/apis/batch/v1/namespaces/default/cronjobs", {"metadata": {"name": "often"}, "spec": {
            "schedule": "* * * * *", "jobTemplate": {"spec": job("often")["spec"]}}})

    def churn(self, step):
        """Something of each kind comes and goes."""
        self.api("PATCH", f"{DEPLOYMENTS}/web", {"spec": {"replicas": 2 + step % 7}}, "application/merge-patch+json")
        self.put(JOBS, job(f"job-{step}"))
        if step % 3 == 0:
            self.put("/api/v1/namespaces", {"metadata": {"name": f"n-{step}"}})
            self.put(f"/api/v1/namespaces/n-{step}/configmaps", {"metadata": {"name": "c"}})
        if step % 3 == 2:
            self.api("DELETE", f"/api/v1/namespaces/n-{step - 2}")
        if step % 5 == 0:
            taints = [{"key": "maintenance", "effect": "NoSchedule"}] if step % 10 else None
            self.api("PATCH", "/api/v1/nodes/node-0", {"spec": {"taints": taints}}, "application/merge-patch+json")

    def errors(self, name):
        found = [line for line in self.programs[name].text().splitlines() if ERROR.search(line)]
        return [line for line in found if not any(program in ("", name) and re.search(pattern, line) for program, pattern, _ in ALLOWED)]

    def facts(self):
        """What must have come true when the churn is over."""
        deployment = self.get(f"{DEPLOYMENTS}/web")
        slices = self.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices").get("items", [])
        accounts = self.get("/api/v1/namespaces/default/serviceaccounts").get("items", [])
        return {
            "a Deployment has its replicas": deployment["spec"]["replicas"] == deployment["status"].get("readyReplicas"),
            "a StatefulSet has its replicas": self.get("/apis/apps/v1/namespaces/default/statefulsets/store")["status"].get("readyReplicas") == 2,
            "a DaemonSet is everywhere": self.get("/apis/apps/v1/namespaces/default/daemonsets/agent")["status"].get("numberReady", 0) >= 9,
            "a budget has its status": self.get("/apis/policy/v1/namespaces/default/poddisruptionbudgets/guarded")[
                "status"].get("currentHealthy") == 4,
            "a Service has endpoints": any(each.get("endpoints") for each in slices),
            "finished Jobs are gone": len(self.get(JOBS).get("items", [])) < 8,
            "a deleted namespace is gone": self.api("GET", "/api/v1/namespaces/n-0")[0] == 404,
            "a quota has its status": "used" in self.get("/api/v1/namespaces/default/resourcequotas/q").get("status", {}),
            "a namespace has its account": any(each["metadata"]["name"] == "default" for each in accounts),
            "the Descheduler evicted": bool(self.programs["descheduler"].lines("Evicted pod")),
        }


def run(stage, report, name, has_accounts):
    cluster = Cluster(stage, name, has_accounts)
    wait_until(lambda: is_started(cluster), 60)
    cluster.begin()
    end, step = time.monotonic() + 60 * stage.options.minutes, 0
    while time.monotonic() < end or step < 6:
        cluster.churn(step)
        step += 1
        time.sleep(5)
    wait_until(lambda: all(cluster.facts().values()), 90)
    for what, is_true in cluster.facts().items():
        report.line(what, True, is_true)
    for program, process in cluster.programs.items():
        errors = cluster.errors(program)
        report.line(f"{program}: error lines after {stage.options.minutes:g} min", 0, len(errors))
        for line in dict.fromkeys(re.sub(r"^\S+ \S+ +\d+ ", "", each)[:300] for each in errors[:20]):
            report.note(f"  {program}", line)
        report.line(f"{program} is still there", True, process.is_alive())
    report.line("warnings of the sandbox", 0, len(cluster.server.lines("^(warn|error)")))


def is_started(cluster):
    return cluster.programs["manager"].lines("serviceaccount|Started|started")


def accounts(stage, report):
    """As kubeadm starts it: each controller with an account of its own."""
    run(stage, report, "sandbox-accounts", True)


def one_account(stage, report):
    run(stage, report, "sandbox-one-account", False)
