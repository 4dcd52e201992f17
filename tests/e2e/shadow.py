"""A scheduler's shadow beside the scheduler: shadow.py BERTH URL (plain HTTP, token "e2e", a sandbox without controllers).

The shadow has no rights but those that docs/scheduler.md names. Three runs: beside a scheduler of the same mind, beside one that packs instead of spreading, and beside a hand that binds
where nothing fits. The shadow's requests go through a proxy that counts them. The last line is "N passed, M failed".
"""

import http.client
import json
import pathlib
import subprocess
import sys
import tempfile

from api_proxy import Proxy
from drill import Sandbox, finish, judge, port_of, until, write_kubeconfig

BERTH, PORT = sys.argv[1], port_of(sys.argv[2])
WORK = pathlib.Path(tempfile.mkdtemp())
PACKS = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
"""
ask = Sandbox(PORT)
DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "scheduler.md"


def documented_role():
    """The block of YAML that the page has for the shadow's account."""
    blocks = [block.split("```")[0] for block in DOCUMENT.read_text(encoding="utf-8").split("```yaml\n")[1:]]
    return next(block for block in blocks if "kind: ClusterRole" in block and "berth-shadow" in block)


def post_yaml(path, text):
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
    connection.request("POST", path, text, {"Authorization": "Bearer e2e", "Content-Type": "application/yaml"})
    status = connection.getresponse().status
    connection.close()
    return status


def make_account():
    """A service account with the documented rights; its token."""
    accounts = "/api/v1/namespaces/kube-system/serviceaccounts"
    judge("the role of the page", post_yaml("/apis/rbac.authorization.k8s.io/v1/clusterroles", documented_role()) == 201)
    ask("POST", accounts, {"metadata": {"name": "shadow"}})
    ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        "metadata": {"name": "berth-shadow"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "berth-shadow"},
        "subjects": [{"kind": "ServiceAccount", "namespace": "kube-system", "name": "shadow"}]})
    answer = ask("POST", f"{accounts}/shadow/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})[1]
    shadow = Sandbox(PORT, answer["status"]["token"])
    judge("it may read", shadow("GET", pods_path())[0] == 200)
    judge("it may not write", shadow("POST", pods_path(), {"metadata": {"name": "x"}})[0] == 403)
    judge("nor bind", shadow("POST", pods_path("/x/binding"), {})[0] == 403)
    judge("nor tell events", shadow("POST", "/apis/events.k8s.io/v1/namespaces/default/events", {})[0] == 403)
    judge("nor read other things", shadow("GET", "/api/v1/namespaces/default/secrets")[0] == 403)
    return answer["status"]["token"]


def start(port, *arguments):
    log = open(WORK / "log", "a")
    kubeconfig = write_kubeconfig(WORK / f"kubeconfig-{port}", port, TOKEN if "--shadow" in arguments else "e2e")
    return subprocess.Popen([BERTH, "scheduler", "--kubeconfig", kubeconfig, "-v", "1", *arguments],
                            stdout=subprocess.PIPE, stderr=log, text=True)


def pods_path(name=""):
    return "/api/v1/namespaces/default/pods" + name


def put_pod(name, cpu):
    status, answer = ask("POST", pods_path(), {"metadata": {"name": name}, "spec": {"containers": [
        {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu, "memory": "128Mi"}}}]}})
    assert status == 201, answer


def pod(name):
    return ask("GET", pods_path("/" + name))[1]


def is_refused(name):
    return any(one["type"] == "PodScheduled" and one["status"] == "False"
               for one in pod(name).get("status", {}).get("conditions", []))


def is_bound(name):
    return pod(name)["spec"].get("nodeName")


def watches_all(proxy):
    """Every kind was listed and is watched."""
    return len(proxy.calls) >= 16 and min(proxy.calls.values()) >= 2


def run(name, pod_count, scheduler_arguments):
    """Pods one by one, so that both see the same cluster; one that fits nowhere at the end. The shadow's report."""
    proxy = Proxy(PORT).start()
    shadow = start(proxy.port, "--shadow", "--shadow-pods", str(pod_count + 1), "-o", "json", "--shadow-report", str(WORK / f"{name}.html"))
    until("shadow's watches", lambda: watches_all(proxy))
    scheduler = start(PORT, "--leader-elect=false", *scheduler_arguments)
    for number in range(pod_count):
        put_pod(f"{name}-{number}", f"{100 + 50 * (number % 3)}m")
        until("binding", lambda: is_bound(f"{name}-{number}"))
    put_pod(name + "-huge", "64")
    until("refusal", lambda: is_refused(name + "-huge"))
    output, _ = shadow.communicate(timeout=60)
    scheduler.terminate()
    scheduler.wait(60)
    judge(name + ": writes nothing", not proxy.writes() and not any(
        not call.startswith("GET ") for call in proxy.calls), proxy.calls)
    judge(name + ": nothing is refused to it", "WatchFailed" not in (WORK / "log").read_text(encoding="utf-8"), WORK / "log")
    judge(name + ": ends well", shadow.returncode == 0, shadow.returncode)
    page = (WORK / f"{name}.html").read_text(encoding="utf-8")
    judge(name + ": its page has the answer first, and names the cluster", "% of the other scheduler&#39;s placements are on a best node</h1>" in page
          and "<dt>Cluster</dt>" in page and "<dt>Time</dt>" in page and f"Of {pod_count} pods that it placed" in page, page[-4000:])
    return json.loads(output)


def of_one_mind():
    report = run("same", 12, [])
    judge("agrees", report["agreement"] == 1 and report["same"] == 12, report)
    judge("agrees on refusals", report["alsoRefused"] == 1 and report["differences"] == [], report)


def packs():
    config = WORK / "packs.yaml"
    config.write_text(PACKS)
    report = run("packs", 12, ["--config", str(config)])
    judge("differs", report["less"] > 0 and report["agreement"] < 1, report)
    judge("adds up", report["same"] + report["less"] + report["misfit"] == report["placed"] == 12, report)
    judge("names every difference", len(report["differences"]) == report["less"], report)
    for one in report["differences"]:
        judge("has scores", one["bestTotal"] > one["total"] and one["node"] != one["best"] and any(
            plugin["plugin"] == "NodeResourcesFit" for plugin in one["plugins"]), one)
    judge("sums up", report["scoreGap"] == sum(one["bestTotal"] - one["total"] for one in report["differences"]), report)


def binds_anywhere():
    """By hand: onto a tainted node. The text report."""
    proxy = Proxy(PORT).start()
    ask("PATCH", "/api/v1/nodes/n0", {"spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}},
        "application/merge-patch+json")
    shadow = start(proxy.port, "--shadow", "--shadow-pods", "1")
    until("shadow's watches", lambda: watches_all(proxy))
    put_pod("by-hand", "100m")
    status, answer = ask("POST", pods_path("/by-hand/binding"), {
        "metadata": {"name": "by-hand"}, "target": {"kind": "Node", "name": "n0"}})
    judge("bound by hand", status == 201, answer)
    output, _ = shadow.communicate(timeout=60)
    judge("names the misfit", "default/by-hand: its node does not fit; it chose n0" in output and
          "TaintToleration: node(s) had untolerated taint(s)" in output, output)
    judge("share of nothing", "1 placed by the other scheduler, 0.00 %" in output, output)


def put_node(name):
    node = {"metadata": {"name": name}, "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
                                                   "capacity": {"cpu": "8", "memory": "32Gi", "pods": "110"}}}
    assert ask("POST", "/api/v1/nodes", node)[0] == 201
    ask("PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": None}}, "application/merge-patch+json")


TOKEN = make_account()
for number in range(4):
    put_node(f"n{number}")
of_one_mind()
packs()
binds_anywhere()
finish()
