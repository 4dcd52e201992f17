"""The kustomizations of deploy/ on a sandbox: kustomize.py BERTH TREE URL WORK [ONLY...] (KUBECONFIG: its administrator's; kubectl on PATH).
ONLY names the folders to run, for a look at some.

Each folder is rendered and applied; what every workload must have is checked; then its role runs with the arguments of its container
and the token of its account until it did its first work, and nothing may be forbidden to it. Manifests named and built as upstream's are
(`THEIRS`) go through the from-... components. Then what Helm makes of the charts (tests/e2e/charts). The last line is "N passed, M failed".
"""

import base64
import hashlib
import http.client
import json
import pathlib
import re
import shutil
import subprocess
import sys

import drill
from drill import Sandbox, finish, free_port, judge, port_of, until, write_kubeconfig

BERTH, TREE, PORT, WORK = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), port_of(sys.argv[3]), pathlib.Path(sys.argv[4])
DEPLOY = WORK / "deploy"
IMAGE = "registry.example/apps/berth:test"
PODS, SYSTEM = "/api/v1/namespaces/default/pods", "/api/v1/namespaces/kube-system"
ONLY = sys.argv[5:]
ask = Sandbox(PORT)
LONG_RUNNING = ("Deployment", "DaemonSet", "Pod")
running = []


# ---- kubectl and processes

def kubectl(*words, text=None):
    done = subprocess.run(["kubectl", *map(str, words)], input=text, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stdout, done.stderr


def apply(folder, *more):
    """The objects of a kustomization as the API server has them then."""
    code, out, error = kubectl("apply", "-k", folder, "-o", "json", *more)
    judge(f"{folder.name}: applied", code == 0, error)
    if code:
        return []
    found = json.loads(out)
    return found["items"] if found["kind"] == "List" else [found]


def start(name, words, environment=None):
    """A role as a process; its log is WORK/NAME.log."""
    with (WORK / f"{name}.log").open("w") as log:
        process = subprocess.Popen([str(word) for word in words], stdout=log, stderr=log, env=environment, cwd=WORK)
    running.append(process)
    return process


def log_of(name):
    return (WORK / f"{name}.log").read_text()


def end(process):
    if process.poll() is None:
        process.terminate()
    return process.wait(timeout=60)


def account(name):
    """A kubeconfig with a token of this account of kube-system."""
    status, answer = ask("POST", f"{SYSTEM}/serviceaccounts/{name}/token",
                         {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    judge(f"token of {name}", status == 201, answer)
    return write_kubeconfig(WORK / f"{name}.kubeconfig", PORT, answer["status"]["token"])


def command(container, folder, kubeconfig):
    """What the container runs, with this run's files, quick passes and no fixed port."""
    words = container.get("command", ["berth"]) + container.get("args", [])
    program = WORK / "bin" / pathlib.Path(words[0]).name
    if not program.exists():
        program.symlink_to(BERTH)
    words = [re.sub("^(--[a-z-]+=)?(/etc/berth|/policy-dir)/", rf"\g<1>{folder}/", word) for word in words[1:]]
    words = [re.sub("--secure-port=.*", "--secure-port=0", word).replace("/etc/kubernetes/scheduler.conf", kubeconfig) for word in words]
    return [str(program)] + [re.sub("^(--descheduling-interval=)?5m$", r"\g<1>1s", word) for word in words]


def files_of(objects):
    """The files of the ConfigMap, in a folder."""
    folder = WORK / "files"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for found in objects:
        if found["kind"] == "ConfigMap":
            for name, text in found["data"].items():
                (folder / name).write_text(text)
    return folder


# ---- what every workload has

def template_of(workload):
    if workload["kind"] == "Pod":
        return workload
    spec = workload["spec"]
    return (spec["jobTemplate"]["spec"] if workload["kind"] == "CronJob" else spec)["template"]


def workload_of(objects):
    found = [o for o in objects if o["kind"] in LONG_RUNNING + ("CronJob", "Job")]
    judge("one workload", len(found) == 1, [o["kind"] for o in found])
    return found[0]


def selecting(objects, kind, labels, field):
    return [o for o in objects if o["kind"] == kind and (o["spec"].get(field) or {}).get("matchLabels", {"": ""}).items() <= labels.items()]


def look_at(name, objects):
    workload = workload_of(objects)
    kind, template = workload["kind"], template_of(workload)
    pod, labels = template["spec"], template["metadata"].get("labels", {})
    container = pod["containers"][0]
    rules = {**(pod.get("securityContext") or {}), **(container.get("securityContext") or {})}
    is_reboot, is_shadow = kind == "DaemonSet", name == "shadow"
    critical = "system-node-critical" if kind in ("DaemonSet", "Pod") else "system-cluster-critical"
    expected = {
        "image": (container["image"], IMAGE),
        "priority class": (pod.get("priorityClassName"), None if is_shadow else critical),
        "no escalation": (rules.get("allowPrivilegeEscalation"), False),
        "read-only root": (rules.get("readOnlyRootFilesystem"), True),
        "capabilities": (rules.get("capabilities"), {"drop": ["*"] if is_reboot else ["ALL"]}),
        "seccomp": (rules.get("seccompProfile"), {"type": "RuntimeDefault"}),
        # root: logind and the kubeconfig of a static pod are for root alone
        "not root": (rules.get("runAsNonRoot"), None if kind in ("DaemonSet", "Pod") else True),
        "user": (rules.get("runAsUser"), 0 if kind in ("DaemonSet", "Pod") else 65532),
        "requests": (sorted(container["resources"]["requests"]), ["cpu", "memory"]),
        "liveness": ("httpGet" in container.get("livenessProbe", {}), True),
        "readiness": ("readinessProbe" in container, kind in LONG_RUNNING),
        "network policy": (len(selecting(objects, "NetworkPolicy", labels, "podSelector")), 0 if kind == "Pod" else 1),
        "budget": (len(selecting(objects, "PodDisruptionBudget", labels, "selector")), int(workload["spec"].get("replicas", 1) > 1)),
        "spread": (sorted(c["topologyKey"] for c in pod.get("topologySpreadConstraints", []) if
                          c["labelSelector"]["matchLabels"].items() <= labels.items()),
                   ["kubernetes.io/hostname", "topology.kubernetes.io/zone"] if workload["spec"].get("replicas", 1) > 1 else [])}
    for what, (found, wanted) in expected.items():
        judge(f"{name}: {what}", found == wanted, f"{found}, not {wanted}")
    mounts = {mount["name"] for mount in container.get("volumeMounts", [])}
    judge(f"{name}: volumes", mounts == {volume["name"] for volume in pod.get("volumes", [])}, pod.get("volumes"))
    return workload


# ---- first works

def put_pod(name, scheduler="default-scheduler", **spec):
    body = {"metadata": {"name": name, "labels": {"app": name}}, "spec": {
        "schedulerName": scheduler, "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "x"}], **spec}}
    status, answer = ask("POST", PODS, body)
    judge(f"pod {name}", status == 201, answer)


def node_of(name):
    return ask("GET", f"{PODS}/{name}")[1].get("spec", {}).get("nodeName")


def drop_pods():
    ask("DELETE", PODS)
    until("no pods", lambda: not ask("GET", PODS)[1]["items"])


def places(scheduler, kubeconfig_options=True):
    def work(name, words, kubeconfig):
        if kubeconfig_options:
            with (WORK / "files/config.yaml").open("a") as config:
                config.write(f"\nclientConnection: {{kubeconfig: {kubeconfig}}}\n")
            words += ["--authentication-kubeconfig", kubeconfig, "--authorization-kubeconfig", kubeconfig]
        start(name, words + ["--secure-port=0"])
        put_pod("waits", scheduler)
        judge(f"{name}: places a pod", until("a node for the pod", lambda: node_of("waits")))
    return work


def is_ready(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def compares(name, words, kubeconfig):
    port = free_port()
    process = start(name, words + ["--kubeconfig", kubeconfig, "--secure-port", port, "--bind-address", "127.0.0.1"])
    until("the shadow is ready", lambda: is_ready(port))
    put_pod("waits")
    ask("POST", f"{PODS}/waits/binding", {"metadata": {"name": "waits"}, "target": {"kind": "Node", "name": "node-0"}})
    until("it saw the placement", lambda: node_of("waits"))
    wrote = [m for m in ask("GET", f"{PODS}/waits")[1]["metadata"].get("managedFields", []) if "shadow" in m.get("manager", "")]
    judge(f"{name}: wrote nothing", not wrote, wrote)
    judge(f"{name}: ends well", end(process) == 0, log_of(name))
    judge(f"{name}: compares", re.search(r"^\d+ placed by the other scheduler", log_of(name), re.M), log_of(name))


def uid_of_web():
    items = ask("GET", f"{PODS}?labelSelector=app%3Dweb")[1]["items"]
    return next((pod["metadata"]["uid"] for pod in items if pod["status"].get("phase") == "Running"), None)


def put_violating_pod():
    """One of a ReplicaSet on node-0, whose taint it does not tolerate, and which another node would take."""
    template = {"metadata": {"labels": {"app": "web"}},
                "spec": {"nodeName": "node-0", "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "x"}]}}
    ask("POST", "/apis/apps/v1/namespaces/default/replicasets", {
        "metadata": {"name": "web"}, "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}})
    uid = until("the pod runs", uid_of_web)
    kubectl("taint", "node", "node-0", "maintenance=:NoSchedule")
    return uid


def drop_violating_pod():
    ask("DELETE", "/apis/apps/v1/namespaces/default/replicasets/web")
    kubectl("taint", "node", "node-0", "maintenance-")
    drop_pods()


def descheds(name, words, kubeconfig):
    uid = put_violating_pod()
    process = start(name, words + ["--kubeconfig", kubeconfig, "--secure-port=0"])
    judge(f"{name}: evicts", until("the pod is evicted", lambda: ask("GET", PODS)[1]["items"] and uid_of_web() != uid))
    if "interval" not in str(words):
        judge(f"{name}: ends well", process.wait(timeout=60) == 0, log_of(name))
    drop_violating_pod()


def lead_to(port):
    """What cert-manager and the Service do in a cluster: the webhook is this process with this certificate."""
    bundle = base64.b64encode((WORK / "tls.crt").read_bytes()).decode()
    for kind in ("validatingwebhookconfigurations", "mutatingwebhookconfigurations"):
        ask("PATCH", f"/apis/admissionregistration.k8s.io/v1/{kind}/berth-evictions",
            [{"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": bundle},
             {"op": "add", "path": "/webhooks/0/clientConfig/service/port", "value": port}], "application/json-patch+json")
    ask("DELETE", f"{SYSTEM}/services/berth-evictions-webhook")
    status, answer = ask("POST", f"{SYSTEM}/services", {"metadata": {"name": "berth-evictions-webhook"}, "spec": {
        "type": "ExternalName", "externalName": "localhost"}})
    judge("the webhook's Service", status == 201, answer)


def evicts(name, words, kubeconfig):
    port, folder = free_port(), str(WORK)
    words = [word.replace("/etc/webhook", folder).replace("listen=:9443", f"listen=127.0.0.1:{port}") for word in words]
    start(name, words + ["--kubeconfig", kubeconfig, "--no-audit-output"])
    until("it is ready", lambda: "Ready" in log_of(name))
    if name == "evictions":
        lead_to(port)
    put_pod("leaves", nodeName="node-0")
    done = subprocess.run([BERTH, "evict", "leaves"], capture_output=True, text=True, check=False, timeout=120)
    judge(f"{name}: evicts", done.returncode == 0 and "default/leaves evicted" in done.stdout, done.stdout + done.stderr)


def does_all(name, words, kubeconfig):
    start(name, words + ["--kubeconfig", kubeconfig, "--no-audit-output", "--authentication-skip-lookup"])
    put_pod("waits", "berth")
    judge(f"{name}: places a pod", until("a node for the pod", lambda: node_of("waits")))
    done = subprocess.run([BERTH, "evict", "waits"], capture_output=True, text=True, check=False, timeout=120)
    judge(f"{name}: evicts", done.returncode == 0, done.stdout + done.stderr)
    uid = put_violating_pod()
    judge(f"{name}: deschedules", until("the pod is evicted", lambda: uid_of_web() != uid), log_of(name))
    drop_violating_pod()


def reboots(name, words, kubeconfig):
    host, node = WORK / name, "node-0" if name.startswith("from-") else "node-1"
    # An agent of an earlier row may have ended between its reboot and the last it writes of it.
    kubectl("annotate", "node", node, "berth.dev/reboot-", "berth.dev/reboot-took-")
    host.mkdir()
    (host / "boot").write_text(f"first of {name}\n")  # what another row left on the node is not about this boot
    (host / "required").touch()
    (host / "reboot").write_text(f"#!/bin/sh\nrm -f {host}/required\necho second >{host}/boot\n")
    (host / "reboot").chmod(0o755)
    start(name, words + ["--reboot-sentinel", host / "required", "--reboot-method", "command", "--reboot-command", host / "reboot",
                         "--kubeconfig", kubeconfig, "--nsenter=false", "--boot-id-file", host / "boot", "--period", "1s",
                         "--metrics-host", "127.0.0.1", "--metrics-port", "0"], {"KURED_NODE_ID": node})
    judge(f"{name}: reboots its node", until("a reboot", lambda: "second" in (host / "boot").read_text()), log_of(name))
    kubectl("uncordon", node)


# ---- manifests as upstream's are, for the from-... components

def theirs_of_descheduler(kind):
    container = {"name": "descheduler", "image": "registry.k8s.io/descheduler/descheduler:v0.36.0", "command": ["/bin/descheduler"],
                 "args": ["--policy-config-file", "/policy-dir/policy.yaml"] + (["--descheduling-interval", "5m"] if kind == "Deployment" else []),
                 "livenessProbe": {"httpGet": {"path": "/healthz", "port": 10258, "scheme": "HTTPS"}},
                 "resources": {"requests": {"cpu": "500m", "memory": "256Mi"}},
                 "securityContext": {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "runAsNonRoot": True,
                                     "capabilities": {"drop": ["ALL"]}},
                 "volumeMounts": [{"name": "policy-volume", "mountPath": "/policy-dir"}]}
    template = {"metadata": {"labels": {"app": "descheduler"}},
                "spec": {"serviceAccountName": "descheduler-sa", "containers": [container], "volumes": [
                    {"name": "policy-volume", "configMap": {"name": "descheduler-policy-configmap"}}]}}
    name = {"Deployment": "descheduler"}.get(kind, f"descheduler-{kind.lower()}")
    if kind != "Deployment":
        template["spec"]["restartPolicy"] = "Never"
    spec = {"template": template}
    if kind == "Deployment":
        spec["selector"] = {"matchLabels": {"app": "descheduler"}}
    if kind == "CronJob":
        spec = {"schedule": "*/2 * * * *", "jobTemplate": {"spec": spec}}
    policy = {"apiVersion": "descheduler/v1alpha2", "kind": "DeschedulerPolicy", "profiles": [
        {"name": "x", "pluginConfig": [{"name": "DefaultEvictor"}, {"name": "RemovePodsViolatingNodeTaints"}],
         "plugins": {"deschedule": {"enabled": ["RemovePodsViolatingNodeTaints"]}}}]}
    reads = ["get", "watch", "list"]
    rules = [("events.k8s.io", ["events"], ["create", "update"]), ("", ["nodes", "namespaces", "pods", "persistentvolumeclaims"], reads),
             ("", ["pods/eviction"], ["create"]), ("scheduling.k8s.io", ["priorityclasses"], reads),
             ("policy", ["poddisruptionbudgets"], reads), ("coordination.k8s.io", ["leases"], ["create", "update"])]
    return [{"apiVersion": {"Deployment": "apps/v1"}.get(kind, "batch/v1"), "kind": kind,
             "metadata": {"name": name, "namespace": "kube-system"}, "spec": spec},
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "descheduler-policy-configmap", "namespace": "kube-system"},
             "data": {"policy.yaml": json.dumps(policy)}}, *rights("descheduler-sa", "descheduler-cluster-role", rules)]


def rights(name, role, rules):
    api = "rbac.authorization.k8s.io"
    return [{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": "kube-system"}},
            {"apiVersion": f"{api}/v1", "kind": "ClusterRole", "metadata": {"name": role},
             "rules": [{"apiGroups": [group], "resources": resources, "verbs": verbs} for group, resources, verbs in rules]},
            {"apiVersion": f"{api}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": f"{role}-binding"},
             "roleRef": {"apiGroup": api, "kind": "ClusterRole", "name": role},
             "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": "kube-system"}]}]


def theirs_of_kured(_):
    container = {"name": "kured", "image": "mirror.example/kured:1.23.0", "securityContext": {"privileged": True, "readOnlyRootFilesystem": True},
                 "command": ["/usr/bin/kured", "--reboot-sentinel=/sentinel/reboot-required"]}
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "kured", "namespace": "kube-system"},
            "rules": [{"apiGroups": ["apps"], "resources": ["daemonsets"], "resourceNames": ["kured"], "verbs": ["update"]}]}
    binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": role["metadata"],
               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "kured"},
               "subjects": [{"kind": "ServiceAccount", "name": "kured", "namespace": "kube-system"}]}
    return [{"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "kured", "namespace": "kube-system"}, "spec": {
        "selector": {"matchLabels": {"name": "kured"}},
        "template": {"metadata": {"labels": {"name": "kured"}}, "spec": {"serviceAccountName": "kured", "containers": [container]}}}},
        role, binding, *rights("kured", "kured", [("", ["nodes"], ["get", "patch"]), ("", ["pods"], ["list", "delete", "get"]),
                                                  ("apps", ["daemonsets"], ["get"]), ("", ["pods/eviction"], ["create"])])]


def theirs_of_kubeadm(_):
    conf = "/etc/kubernetes/scheduler.conf"
    return [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "kube-scheduler", "namespace": "kube-system"}, "spec": {
        "hostNetwork": True, "containers": [{"name": "kube-scheduler", "image": "mirror.example/kube-scheduler:v1.36.0", "command": [
            "kube-scheduler", f"--authentication-kubeconfig={conf}", f"--authorization-kubeconfig={conf}", "--bind-address=127.0.0.1",
            f"--kubeconfig={conf}", "--leader-elect=true"]}]}}]


def theirs(component, make, kind=None):
    """A kustomization of the user's: their objects, and the component of deploy/."""
    folder = WORK / f"user-{component}-{kind}".lower()
    folder.mkdir()
    objects = make(kind)
    (folder / "theirs.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    (folder / "kustomization.yaml").write_text(f"resources: [theirs.json]\ncomponents: [../deploy/{component}]\n")
    return folder, objects


def look_at_theirs(name, before, after):
    """Besides the image and added fields of the security context nothing of theirs changed."""
    old, new = template_of(workload_of(before))["spec"], template_of(workload_of(after))["spec"]
    judge(f"{name}: image", new["containers"][0]["image"] == IMAGE, new["containers"][0]["image"])
    for field, value in old["containers"][0].items():
        found = new["containers"][0].get(field)
        is_same = value.items() <= found.items() if field == "securityContext" else found == value
        judge(f"{name}: {field}", is_same or field in ("image", "livenessProbe"), found)
    judge(f"{name}: objects", {(o["kind"], o["metadata"]["name"]) for o in before} <= {(o["kind"], o["metadata"]["name"]) for o in after})


# ---- what Helm makes of the charts

def rendered(name):
    """A kustomization of what `make charts` rendered; the chart must not have changed since."""
    folder, text = WORK / f"rendered-{name}", (TREE / f"tests/e2e/charts/{name}.yaml").read_text()
    chart, digest = re.match(r"# Made by .* from deploy/charts/(\w+), (\w+)\n", text).groups()
    files = sorted(file for file in (TREE / "deploy/charts" / chart).rglob("*") if file.is_file() and file.suffix != ".md")
    judge(f"{name}: of this chart", hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest() == digest, "make charts UPDATE=1")
    version = re.search(r"version: '([^']+)'", (TREE / "meson.build").read_text()).group(1)
    lines = (TREE / "deploy/charts" / chart / "Chart.yaml").read_text().splitlines()
    judge(f"{name}: version", {f"version: {version}", f"appVersion: {version}"} <= set(lines), lines)
    folder.mkdir()
    (folder / "rendered.yaml").write_text(text)
    (folder / "kustomization.yaml").write_text("resources: [rendered.yaml]\n")
    return folder


def look_at_rendered(name, objects):
    workload = workload_of(objects)
    template, is_reboot = template_of(workload), workload["kind"] == "DaemonSet"
    labels, pod = template["metadata"]["labels"], template["spec"]
    container = pod["containers"][0]
    context, is_several = container["securityContext"], workload["spec"].get("replicas", 1) > 1
    expected = {
        "image": (container["image"], IMAGE),
        "priority class": (pod["priorityClassName"], "system-node-critical" if is_reboot else "system-cluster-critical"),
        "read-only root": (context["readOnlyRootFilesystem"], True),
        "user": (context["runAsUser"], 0 if is_reboot else 1000),
        "seccomp": (context.get("seccompProfile"), None if context.get("privileged") else {"type": "RuntimeDefault"}),
        "readiness": ("readinessProbe" in container, workload["kind"] in LONG_RUNNING),
        "network policy": (len(selecting(objects, "NetworkPolicy", labels, "podSelector")), 1),
        "budget": (len(selecting(objects, "PodDisruptionBudget", labels, "selector")), int(is_several)),
        "spread": (len(pod.get("topologySpreadConstraints", [])), 2 if is_several else 0)}
    for what, (found, wanted) in expected.items():
        judge(f"{name}: {what}", found == wanted, f"{found}, not {wanted}")


# ---- the rows

def scheduler_kubeconfig():
    """The user kube-scheduler, as a kubeconfig of kubeadm has it."""
    path = WORK / "system-scheduler.kubeconfig"
    write_kubeconfig(path, PORT)
    found = json.loads(path.read_text())
    found["users"][0]["user"]["as"] = "system:kube-scheduler"
    path.write_text(json.dumps(found))
    return str(path)


ROWS = [  # folder, account, first work
    ("scheduler", "berth-scheduler", places("berth")),
    ("scheduler-main", "berth-scheduler", places("default-scheduler")),
    ("scheduler-static", None, places("default-scheduler", False)),
    ("shadow", "berth-shadow", compares),
    ("descheduler", "descheduler", descheds),
    ("descheduler-cronjob", "descheduler", descheds),
    ("descheduler-job", "descheduler", descheds),
    ("evictions", "berth-evictions", evicts),
    ("evictions-plain", "berth-evictions", evicts),
    ("kured-compatible", "kured", reboots),
    ("run", "berth-run", does_all),
]
THEIRS = [  # component, their objects, kind, account, first work
    ("from-descheduler", theirs_of_descheduler, "Deployment", "descheduler-sa", descheds),
    ("from-descheduler", theirs_of_descheduler, "CronJob", "descheduler-sa", descheds),
    ("from-descheduler", theirs_of_descheduler, "Job", "descheduler-sa", descheds),
    ("from-kured", theirs_of_kured, "DaemonSet", "kured", reboots),
    ("from-kubeadm", theirs_of_kubeadm, "Pod", None, places("default-scheduler", False)),
]
CHARTS = [  # file of tests/e2e/charts, account, first work
    ("descheduler-cronjob", "release-descheduler", descheds),
    ("descheduler-deployment", "release-descheduler", descheds),
    ("kured", "release-kured", reboots),
    ("kured-signal", "release-kured", reboots),
]


def run_row(name, folder, user, work, look):
    failures = drill.counts[False]
    objects = apply(folder, *([] if user else ["--dry-run=client"]))
    if not objects:
        return
    look(objects)
    container = template_of(workload_of(objects))["spec"]["containers"][0]
    kubeconfig = account(user) if user else scheduler_kubeconfig()
    work(name, command(container, files_of(objects), kubeconfig), kubeconfig)
    while running:
        end(running.pop())
    if drill.counts[False] > failures:
        print(log_of(name)[-3000:])
    refused = re.findall("^.*(?:forbidden|Forbidden).*$", log_of(name), re.M)
    if name in ("from-kured-DaemonSet", "chart-kured"):  # which may not read budgets, and is told so once
        refused = [line for line in refused if "poddisruptionbudgets" not in line]
    judge(f"{name}: nothing is forbidden to it", not refused, refused)
    drop_pods()
    if user:
        code, _, error = kubectl("delete", "-k", folder, "--wait=true")
        judge(f"{name}: deleted", code == 0, error)


def make_definitions():
    """berth's, and as much of cert-manager's as the certificate needs."""
    kubectl("apply", "-f", DEPLOY / "crds")
    for kind, plural in (("Issuer", "issuers"), ("Certificate", "certificates")):
        schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
        ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {"metadata": {"name": f"{plural}.cert-manager.io"}, "spec": {
            "group": "cert-manager.io", "scope": "Namespaced", "names": {"kind": kind, "plural": plural},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}]}})
    kubectl("wait", "crd", "--all", "--for=condition=Established")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", "/CN=x",
                    "-addext", "subjectAltName=DNS:berth-evictions-webhook.kube-system.svc", "-keyout", WORK / "tls.key", "-out", WORK / "tls.crt"], check=True, capture_output=True)


def make_manifests(image, folder):
    return subprocess.run([TREE / "scripts/manifests.sh", image, folder], capture_output=True, text=True, check=False)


def check_image():
    """No name that nobody chose, and one place for the chosen one."""
    for image in ("", "berth", "berth:1", "someone/berth:1", "registry.example/berth", "localhost:5000/berth", "registry.example/berth:1 x"):
        done = make_manifests(image, WORK / "refused")
        judge(f"IMAGE={image} is refused", done.returncode == 2 and "registry.example/berth:0.1.0" in done.stderr, done.stderr)
    judge("nothing is written then", not (WORK / "refused").exists())
    (WORK / "other").mkdir()
    judge("another folder is not overwritten", make_manifests(IMAGE, WORK / "other").returncode == 2)
    done = make_manifests(IMAGE, DEPLOY)
    judge("manifests are made", done.returncode == 0, done.stderr)
    version = re.search(r"version: '([^']+)'", (TREE / "meson.build").read_text()).group(1)
    for folder, name in ((TREE / "deploy", f"berth.invalid/berth:{version}"), (DEPLOY, IMAGE)):
        for row in ROWS:
            _, out, error = kubectl("kustomize", folder / row[0])
            judge(f"{row[0]}: {name}", set(re.findall(r"^ +image: (.*)$", out, re.M)) == {name}, error)
    plain = {line for path in DEPLOY.rglob("*.yaml") for line in re.findall(r"^\s*image: (\S+)$", path.read_text(), re.M)}
    judge("plain files, too", plain == {IMAGE}, plain)
    values = {file.parent.name: file.read_text() for file in DEPLOY.glob("charts/*/values.yaml")}
    told = [name for name, text in values.items() if f"repository: {IMAGE.split(':')[0]}\n  tag: \"{IMAGE.split(':')[1]}\"" in text]
    judge("charts, too", sorted(told) == ["descheduler", "kured"], values)
    folders = {path.parent.name for path in (TREE / "deploy").glob("*/kustomization.yaml")} - {"image", "monitoring"}  # those run nothing
    judge("each folder has a row", folders == {row[0] for row in ROWS} | {row[0] for row in THEIRS}, folders)


def check_monitoring():
    """Dashboards arrive whole, also when they are applied again; the rest needs the Prometheus Operator and is rendered only."""
    folder = DEPLOY / "monitoring"
    code, _, error = kubectl("kustomize", folder)
    judge("monitoring: rendered", code == 0, error)
    maps = apply(folder / "dashboards") and apply(folder / "dashboards")
    found = {name: text for one in maps for name, text in one["data"].items()}
    judge("dashboards: files", found == {path.name: path.read_text() for path in folder.glob("dashboards/*.json")}, list(found))
    judge("dashboards: found by the sidecar", all(one["metadata"]["labels"].get("grafana_dashboard") == "1" for one in maps))


def main():
    (WORK / "bin").mkdir(exist_ok=True)
    check_image()
    check_monitoring()
    make_definitions()
    for name, user, work in ROWS:
        if not ONLY or name in ONLY:
            run_row(name, DEPLOY / name, user, work, lambda objects, name=name: look_at(name, objects))
    for component, make, kind, user, work in THEIRS:
        if ONLY and component not in ONLY:
            continue
        folder, before = theirs(component, make, kind)
        name = f"{component}-{kind}"
        run_row(name, folder, user, work, lambda objects, name=name, before=before: look_at_theirs(name, before, objects))
    for name, user, work in CHARTS:
        if not ONLY or "charts" in ONLY:
            run_row(f"chart-{name}", rendered(name), user, work, lambda objects, name=name: look_at_rendered(f"chart-{name}", objects))
    finish()


try:
    main()
finally:
    for left in running:
        left.kill()
