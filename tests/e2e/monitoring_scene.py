"""A cluster in which every role of berth works, and a Prometheus that scrapes them, for tests of dashboards and rules: bindings, a
pod that fits nowhere, a preemption, passes of a descheduler, evictions with and without an end, reboots."""

import json
import os
import pathlib
import re
import signal
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import drill

POLICY = """apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
maxNoOfPodsToEvictTotal: 1
moveOnlyIfBetter: false
profiles:
- name: old
  pluginConfig:
  - {name: PodLifeTime, args: {maxPodLifeTimeSeconds: 1, labelSelector: {matchLabels: {app: old}}}}
  - name: LowNodeUtilization
    args: {thresholds: {cpu: 20}, targetThresholds: {cpu: 50}, metricsUtilization: {source: KubernetesMetrics}}
  plugins: {deschedule: {enabled: [PodLifeTime]}, balance: {enabled: [LowNodeUtilization]}}
- name: doubles
  pluginConfig: [{name: RemoveDuplicates, args: {}}]
  plugins: {balance: {enabled: [RemoveDuplicates]}}
"""
WAITING = {"apiVersion": "lifecycle.berth.dev/v1alpha1", "kind": "EvictionPolicy", "metadata": {"name": "slow"},
           "spec": {"selector": {"matchLabels": {"app": "slow"}},
                    "stages": [{"name": "others", "kind": "wait", "timeout": "2h",
                                "wait": {"ready": {"selector": {"matchLabels": {"app": "other"}}, "count": 5}}}]}}
# The roles, as the manifests name their jobs.
AGENTS = ["node-0", "node-1"]
JOBS = ["scheduler", "shadow", "descheduler", "evictions", "reboot"]
# What Prometheus has seen in the end.
EFFECTS = [
    ("a preemption", "scheduler_preemption_attempts_total > 0"),
    ("an eviction of the descheduler", 'descheduler_pods_evicted_total{result="success"} > 0'),
    ("an eviction with an end", "berth_evictions_ended_total > 0"),
    ("an eviction under way", "berth_eviction_targets > 0"),
    ("a cordon after a taint", "max_over_time(kured_taint_lead_time_seconds_count[10m]) > 0"),
    ("a return from a reboot", "berth_reboot_completed_total > 0"),
    ("health checks of each role", f"count(group by (job) (kubernetes_healthcheck)) == {len(JOBS) - 1}"),
]
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
PODS = "/api/v1/namespaces/default/pods"
LOCK = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "kured"},
        "spec": {"selector": {"matchLabels": {"app": "kured"}},
                 "template": {"metadata": {"labels": {"app": "kured"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}


def on_node(name):
    return {"nodeSelector": {"kubernetes.io/hostname": name}}


def deployment(name, replicas, more=None):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name}}, "spec": {
                         "terminationGracePeriodSeconds": 0, **(more or {}),
                         "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "10m"}}}]}}}}


def plain_pod(name, cpu, more=None, labels=None):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels or {}},
            "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}], **(more or {})}}


class Scene:
    def __init__(self, berth, prometheus, folder):
        self.berth, self.prometheus, self.folder = berth, prometheus, pathlib.Path(folder)
        self.children, self.ports = {}, {}
        self.home = {**os.environ, "HOME": str(folder)}

    def spawn(self, name, *words):
        with open(self.folder / f"{name}.log", "a", encoding="utf-8") as log:
            self.children[name] = subprocess.Popen([str(word) for word in words], stdout=log, stderr=log, env=self.home)

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")[-2000:]

    def end(self, name):
        child = self.children.pop(name, None)
        if child:
            child.terminate()
            child.wait()

    def close(self):
        for name in reversed(list(self.children)):
            self.end(name)

    # ---- the cluster and its roles

    def start_cluster(self):
        port = drill.free_port()
        self.api = drill.Sandbox(port)
        self.kubeconfig = drill.write_kubeconfig(self.folder / "kubeconfig", port)
        self.spawn("sandbox", self.berth, "sandbox", "--listen", f"127.0.0.1:{port}", "--token", "e2e", "--nodes", 4, "--seed", 1)
        drill.until("the sandbox", self.answers)
        self.api("POST", "/apis/apps/v1/namespaces/kube-system/daemonsets", LOCK)

    def answers(self):
        try:
            return len(self.api("GET", "/api/v1/nodes")[1].get("items", [])) == 4
        except OSError:
            return False

    def start_role(self, role, name, *words):
        """On a port of its own."""
        self.ports.setdefault((role, name), drill.free_port())
        port = self.ports[role, name]
        if role == "reboot":
            words = [*words, "--metrics-host", "127.0.0.1", "--metrics-port", port]
        else:
            words = [*words, "--secure-port", port, "--bind-address", "127.0.0.1", "--leader-elect-retry-period", "300ms"]
        command = ["scheduler", "--shadow"] if role == "shadow" else [role]
        self.spawn(name, self.berth, *command, "--kubeconfig", self.kubeconfig, *words)

    def start_roles(self):
        open_pages = ["--authentication-skip-lookup", "--authorization-always-allow-paths=/*"]
        (self.folder / "policy.yaml").write_text(POLICY)
        self.api("POST", PODS, plain_pod("blocker", "10m", {"nodeName": "node-1"}, {"app": "blocker"}))
        self.start_role("evictions", "evictions", "--no-audit-output")
        self.start_role("scheduler", "scheduler", *open_pages)
        drill.until("a scheduler that leads", lambda: self.value("scheduler", "scheduler", "leader_election_master_status") == 1)
        self.start_role("scheduler", "scheduler-standby", *open_pages)
        self.start_role("shadow", "shadow", *open_pages)
        self.start_role("descheduler", "descheduler", *open_pages, "--leader-elect", "--policy-config-file", self.folder / "policy.yaml",
                        "--descheduling-interval", "1s")
        for node in AGENTS:
            self.ports["reboot", node] = drill.free_port()

    def start_agent(self, node):
        """node-0 reboots; node-1 waits for the pod "blocker"."""
        if not (self.folder / f"{node}.boot").exists():
            (self.folder / f"{node}.boot").write_text("one")
            (self.folder / f"{node}.required").touch()
        script = self.folder / f"{node}.sh"
        script.write_text(f"#!/bin/sh\nrm {self.folder}/{node}.required\necho two >{self.folder}/{node}.boot\ntouch {self.folder}/{node}.down\n")
        script.chmod(0o755)
        blocked = ["--blocking-pod-selector", "app=blocker"] if node == "node-1" else []
        self.start_role("reboot", node, "--node-id", node, "--period", "1s", "--reboot-sentinel", self.folder / f"{node}.required",
                        "--nsenter=false", "--reboot-command", script, "--boot-id-file", self.folder / f"{node}.boot", *blocked,
                        "--prefer-no-schedule-taint", "berth.dev/reboot", "--drain-delay", "2s", "--reboot-delay", "4s")

    # ---- work

    def work(self):
        for item in [deployment("web", 12), deployment("old", 3), deployment("slow", 1, on_node("node-2"))]:
            self.api("POST", DEPLOYMENTS, item)
        self.api("POST", "/apis/scheduling.k8s.io/v1/priorityclasses",
                 {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000})
        self.api("POST", PODS, plain_pod("nowhere", "1000"))
        drill.until("pods run", lambda: self.running("web") == 12 and self.running("slow") == 1)
        _, node = self.api("GET", "/api/v1/nodes/node-3")
        cores = node["status"]["allocatable"]["cpu"]
        half = f"{int(int(cores) * 600)}m" if cores.isdigit() else "600m"
        self.api("POST", PODS, plain_pod("victim", half, on_node("node-3")))
        drill.until("the victim runs", lambda: self.phase("victim") == "Running")
        self.api("POST", PODS, plain_pod("urgent", half, {**on_node("node-3"), "priorityClassName": "high"}))

    def evictions(self):
        drill.until("policies", lambda: self.api("POST", "/apis/lifecycle.berth.dev/v1alpha1/namespaces/default/evictionpolicies", WAITING)[0] in (201, 409))
        web = [pod for pod in self.pods("web") if pod["spec"].get("nodeName") != "node-0"]
        for pod in [web[0], self.pods("slow")[0]]:
            subprocess.Popen([self.berth, "evict", "--kubeconfig", self.kubeconfig, "--wait=false", pod["metadata"]["name"]],
                             env=self.home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).wait()

    def pods(self, app):
        return [pod for pod in self.api("GET", f"{PODS}?labelSelector=app%3D{app}")[1].get("items", [])
                if not pod["metadata"].get("deletionTimestamp")]

    def running(self, app):
        return sum(pod["status"].get("phase") == "Running" for pod in self.pods(app))

    def phase(self, name):
        return self.api("GET", f"{PODS}/{name}")[1].get("status", {}).get("phase")

    # ---- what they say of themselves

    def page(self, role, name, path="/metrics"):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[role, name]}{path}", timeout=10) as answer:
                return answer.read().decode()
        except OSError:
            return ""

    def pages(self):
        """Of every process, as a scraper reads them; before that its health is looked at, as a kubelet does."""
        for role, name in self.ports:
            for path in ["/healthz", "/livez", "/readyz"]:
                self.page(role, name, path)
        return "".join(self.page(role, name, path) for role, name in self.ports for path in ["/metrics", "/metrics/slis"])

    def value(self, role, name, pattern):
        """The sum of the samples that match."""
        found = re.findall(rf"^{pattern}[^ ]* (\S+)$", self.page(role, name), re.M)
        return sum(map(float, found))

    # ---- Prometheus

    def start_prometheus(self, rules):
        targets = {role: [f"127.0.0.1:{port}" for (of, _), port in self.ports.items() if of == role] for role in JOBS}
        static = {role: [{"targets": targets[role], "labels": {"cluster": "test", "namespace": "kube-system"}}] for role in JOBS}
        jobs = [{"job_name": f"berth-{role}", "honor_labels": True, "static_configs": static[role]} for role in JOBS]
        jobs += [{"job_name": f"berth-{role}-slis", "metrics_path": "/metrics/slis", "honor_labels": True,
                  "static_configs": static[role], "relabel_configs": [
                      {"target_label": "job", "replacement": f"berth-{role}"},
                      {"target_label": "metrics_path", "replacement": "/metrics/slis"}]} for role in JOBS if role != "reboot"]
        (self.folder / "prometheus.json").write_text(json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": rules, "scrape_configs": jobs}))
        self.port = drill.free_port()
        self.spawn("prometheus", self.prometheus, f"--config.file={self.folder}/prometheus.json",
                   f"--storage.tsdb.path={self.folder}/tsdb", f"--web.listen-address=127.0.0.1:{self.port}")

    def ask(self, path, **parameters):
        """(answer, "") or (None, what is wrong)."""
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                return json.load(answer)["data"], ""
        except urllib.error.HTTPError as error:
            return None, error.read().decode(errors="replace")
        except OSError as error:
            return None, str(error)

    def query(self, text):
        data, wrong = self.ask("query", query=text)
        return (data["result"] if data else None), wrong

    def until_read(self, count):
        drill.until("Prometheus reads them", lambda: len(self.query("berth_build_info")[0] or []) == count)

    # ---- the whole

    def play(self, rules=()):
        """All of it; returns once Prometheus has seen the effects."""
        self.start_cluster()
        self.start_roles()
        self.pages()
        self.start_prometheus(list(rules))
        self.until_read(len(self.ports) - len(AGENTS))
        for node in AGENTS:
            self.start_agent(node)
        self.until_read(len(self.ports))
        self.work()
        self.evictions()
        drill.until("node-0 goes down", lambda: (self.folder / "node-0.down").exists())
        self.end("node-0")
        self.start_agent("node-0")
        self.api("POST", DEPLOYMENTS, deployment("late", 30))
        drill.until("more pods run", lambda: self.running("late") == 30)
        self.pages()
        for what, text in EFFECTS:
            drill.until(what, lambda text=text: self.query(text)[0])
