"""kubectl drain beside berth evict --node, on the same cluster:
drain_compare.py BERTH SANDBOX WORK KUBECTL PODS MACHINES SECONDS SLOTS OUTBOUND.

PODS replicas of Deployments with budgets (at most one of each unavailable) and MACHINES virtual machines that take so many SECONDS to
migrate, OUTBOUND at a time (0 = any number), leave one node, once each way. Counts API calls, changes of budgets below what they
promise, and replicas that are missing at the end. Prints a table; fails when a budget was broken or a pod is missing."""

import concurrent.futures
import json
import os
import subprocess
import sys
import threading
import time
import urllib.request

from api_proxy import Proxy
from kubevirt import MERGE, PODS, Api, KubeVirt, until

BERTH, SANDBOX, WORK, KUBECTL = sys.argv[1:5]
COUNT, MACHINES, SECONDS, SLOTS, OUTBOUND = (int(word) for word in sys.argv[5:10])
REPLICAS = min(10, max(2, COUNT // 4))
PATIENCE = 900
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
EVICTIONS = "/apis/lifecycle.berth.dev/v1alpha1/namespaces/default/evictions"
api = Api(SANDBOX, "e2e")


class TokenProxy(Proxy):
    """kubectl sends no token over plain HTTP."""

    async def _exchange(self, head, *rest):
        if b"\r\nauthorization:" not in head.lower():
            head = head[:-2] + b"Authorization: Bearer e2e\r\n\r\n"
        return await super()._exchange(head, *rest)


def follow_budgets(broken):
    """Every change of a budget, as it happens."""
    request = urllib.request.Request(SANDBOX + BUDGETS + "?watch=1", headers={"Authorization": "Bearer e2e"})
    try:
        for line in urllib.request.urlopen(request, context=api.context, timeout=PATIENCE * 3):
            budget = json.loads(line)["object"]
            status = budget.get("status", {})
            if status.get("currentHealthy", 0) < status.get("desiredHealthy", 0) and broken["counts"]:
                broken["names"].append(budget["metadata"]["name"])
    except OSError:
        pass


def replicas_missing():
    return sum(item["spec"]["replicas"] - item.get("status", {}).get("availableReplicas", 0)
               for item in api("GET", DEPLOYMENTS)[1]["items"])


def on_node(node):
    return [pod["metadata"]["name"] for pod in api("GET", f"{PODS}?fieldSelector=spec.nodeName={node}")[1]["items"]
            if pod["status"].get("phase") not in ("Succeeded", "Failed")]


def cordon(node, is_cordoned):
    api("PATCH", f"/api/v1/nodes/{node}", {"spec": {"unschedulable": is_cordoned}}, MERGE)


def is_filled(nodes, used, count):
    """A scheduler may hear of a pod before it hears of a cordon: what went elsewhere has to come again."""
    for node in nodes:
        for pod in on_node(node) if node != used else ():
            api("DELETE", f"{PODS}/{pod}")
    return len(on_node(used)) == count and replicas_missing() == 0


def fill(kubevirt, nodes, used, machines):
    """Everything on the one node."""
    for node in nodes:
        cordon(node, node != used)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for index in range(COUNT // REPLICAS):
            name = f"web-{index}"
            labels = {"app": name}
            pool.submit(api, "POST", DEPLOYMENTS, {
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
                "spec": {"replicas": REPLICAS, "selector": {"matchLabels": labels}, "template": {
                    "metadata": {"labels": labels},
                    "spec": {"terminationGracePeriodSeconds": 1, "containers": [{"name": "c", "image": "x"}]}}}})
            pool.submit(api, "POST", BUDGETS, {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name},
                                               "spec": {"maxUnavailable": 1, "selector": {"matchLabels": labels}}})
    for machine in machines:
        kubevirt.make_machine(machine, used, seconds=SECONDS)
    if not until(lambda: is_filled(nodes, used, COUNT + len(machines)), 300):
        sys.exit(f"the cluster never filled: {replicas_missing()} missing")
    for node in nodes:
        cordon(node, False)


def kubeconfig(port):
    path = f"{WORK}/proxied"
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "x",
                   "clusters": [{"name": "x", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
                   "users": [{"name": "x", "user": {"token": "e2e"}}],
                   "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x"}}]}, file)
    return path


def measure(command, node, broken, proxy, kubevirt, machines):
    broken["names"].clear()
    broken["counts"] = True
    proxy.calls.clear()
    peak, stop = [0], threading.Event()

    def watch_peak():
        while not stop.wait(0.5):
            peak[0] = max(peak[0], replicas_missing())

    watcher = threading.Thread(target=watch_peak)
    watcher.start()
    begin = time.monotonic()
    done = subprocess.run(command, env={**os.environ, "KUBECONFIG": kubeconfig(proxy.port)}, capture_output=True, text=True,
                          timeout=PATIENCE)
    seconds = time.monotonic() - begin
    stop.set()
    watcher.join()
    until(lambda: replicas_missing() == 0, 60)
    broken["counts"] = False
    until(lambda: not any(machine["moving"] for machine in kubevirt.machines.values()), 10)
    killed = [name for name in machines if not kubevirt.machines["virt-launcher-" + name]["moved"]]
    with open(f"{WORK}/{os.path.basename(command[0])}.log", "w", encoding="utf-8") as log:
        log.write(done.stdout + done.stderr)
    return {"seconds": seconds, "code": done.returncode, "calls": sum(proxy.calls.values()), "broken": len(broken["names"]),
            "peak": peak[0], "missing": replicas_missing(), "stayed": len(on_node(node)), "killed": len(killed),
            "evict": proxy.calls.get("POST pods/eviction", 0), "tail": (done.stdout + done.stderr)[-300:]}


def start(*words):
    log = open(f"{WORK}/{words[0]}.log", "w", encoding="utf-8")
    return subprocess.Popen([BERTH, *words], stdout=log, stderr=subprocess.STDOUT)


def main():
    kubevirt = KubeVirt(api, WORK, OUTBOUND)
    nodes = [item["metadata"]["name"] for item in api("GET", "/api/v1/nodes")[1]["items"]]
    for node in nodes:
        room = {"pods": str(4 * COUNT + 100), "cpu": "1000", "memory": "1000Gi"}
        api("PATCH", f"/api/v1/nodes/{node}/status", {"status": {"capacity": room, "allocatable": room}}, MERGE)
    proxy = TokenProxy(int(SANDBOX.rsplit(":", 1)[1])).start()
    broken = {"names": [], "counts": False}
    threading.Thread(target=follow_budgets, args=(broken,), daemon=True).start()
    programs = [start("scheduler")]
    results = {}
    try:
        machines = [f"k{index}" for index in range(MACHINES)]
        fill(kubevirt, nodes, nodes[0], machines)
        results["kubectl drain"] = measure([KUBECTL, "drain", nodes[0], "--force", "--ignore-daemonsets", "--delete-emptydir-data",
                                            f"--timeout={PATIENCE}s"], nodes[0], broken, proxy, kubevirt, machines)
        for item in api("GET", DEPLOYMENTS)[1]["items"]:
            api("DELETE", f'{DEPLOYMENTS}/{item["metadata"]["name"]}')
        for item in api("GET", BUDGETS)[1]["items"]:
            api("DELETE", f'{BUDGETS}/{item["metadata"]["name"]}')
        for machine in machines:
            api("DELETE", f"{PODS}/virt-launcher-{machine}")
        until(lambda: not any(on_node(node) for node in nodes), 120)

        os.environ["KUBECONFIG"], direct = kubeconfig(proxy.port), os.environ["KUBECONFIG"]
        programs.append(start("evictions", "--leader-elect=false", "--no-audit-output", f"--slots-per-node={SLOTS}"))
        os.environ["KUBECONFIG"] = direct
        until(lambda: api("GET", EVICTIONS)[0] == 200)
        machines = [f"b{index}" for index in range(MACHINES)]
        fill(kubevirt, nodes, nodes[1], machines)
        results["berth evict --node"] = measure([BERTH, "evict", "--node", nodes[1]], nodes[1], broken, proxy, kubevirt, machines)
    finally:
        for program in programs:
            program.kill()
            program.wait()
    print(f"{COUNT} pods with budgets, {MACHINES} machines of {SECONDS} s each")
    rows = (("seconds", "time, s"), ("calls", "API calls"), ("evict", "of these, evictions asked for"), ("broken", "budgets broken"),
            ("peak", "replicas missing at most"), ("missing", "replicas missing at the end"), ("stayed", "pods left on the node"),
            ("killed", "machines that did not end by migrating"), ("code", "exit code"))
    print(f'{"":40}' + "".join(f"{name:>22}" for name in results))
    for key, title in rows:
        print(f"{title:40}" + "".join(f"{round(result[key], 1):>22}" for result in results.values()))
    bad = [name for name, r in results.items() if r["broken"] or r["missing"] or r["stayed"] or r["killed"] or r["code"]]
    for name in bad:
        print(f"FAIL {name}: {results[name]['tail']}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
