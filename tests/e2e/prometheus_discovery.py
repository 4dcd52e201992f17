"""Compares what Prometheus discovered with what the sandbox holds, during churn: prometheus_discovery.py SANDBOX PROMETHEUS.

Each round creates, relabels and deletes pods and nodes; every tenth round waits until the targets Prometheus shows are the
objects there are. The last line is "N passed, M failed".
"""

import json
import random
import ssl
import sys
import time
import urllib.error
import urllib.request

SANDBOX, PROMETHEUS = sys.argv[1:3]
ROUNDS = 60
counts = {True: 0, False: 0}
context = ssl._create_unverified_context()


def api(method, path, body=None, content="application/json"):
    request = urllib.request.Request(SANDBOX + path, method=method, data=json.dumps(body).encode() if body else None,
                                     headers={"Authorization": "Bearer e2e", "Content-Type": content})
    try:
        with urllib.request.urlopen(request, context=context, timeout=20) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise


def discovered(job):
    """{name: labels} of a job's targets, scraped or not."""
    with urllib.request.urlopen(f"{PROMETHEUS}/api/v1/targets?state=active", timeout=20) as answer:
        targets = json.load(answer)["data"]["activeTargets"]
    found = {}
    for target in targets:
        labels = target["discoveredLabels"]
        if labels["job"] == job:
            kind = "node" if job == "nodes" else "pod"
            found[labels[f"__meta_kubernetes_{kind}_name"]] = labels
    return found


def expected(path):
    return {item["metadata"]["name"]: item for item in api("GET", path)["items"]}


def agree():
    pods, nodes = expected("/api/v1/pods"), expected("/api/v1/nodes")
    running = {name: pod for name, pod in pods.items() if pod["status"].get("podIP")}
    web = {name for name, pod in running.items() if pod["metadata"].get("labels", {}).get("app") == "web"}
    seen = discovered("pods")
    wrong = {"nodes": set(nodes) ^ set(discovered("nodes")), "web": web ^ set(discovered("web")),
             "pods": set(running) ^ set(seen)}
    wrong["where"] = [name for name in running if not wrong["pods"] and
                      seen[name]["__meta_kubernetes_pod_node_name"] != running[name]["spec"].get("nodeName")]
    return not any(wrong.values()), wrong


def settle(name):
    deadline = time.monotonic() + 120
    is_good, wrong = False, None
    while not is_good and time.monotonic() < deadline:
        time.sleep(0.5)
        is_good, wrong = agree()
    counts[is_good] += 1
    if not is_good:
        print(f"FAIL {name}: {wrong}")


def churn(number, rng, names):
    for i in range(4):
        name = f"pod-{number}-{i}"
        names.append(name)
        api("POST", "/api/v1/namespaces/default/pods", {
            "metadata": {"name": name, "labels": {"app": rng.choice(["web", "db"])}},
            "spec": {"terminationGracePeriodSeconds": 0,
                     "containers": [{"name": "c", "image": "a", "ports": [{"containerPort": 80}]}]}})
    rng.shuffle(names)
    for _ in range(3):
        api("DELETE", f"/api/v1/namespaces/default/pods/{names.pop()}")
    api("PATCH", f"/api/v1/namespaces/default/pods/{names[0]}", {"metadata": {"labels": {"app": rng.choice(["web", "db"])}}},
        "application/merge-patch+json")
    if number % 6 == 0:
        api("POST", "/api/v1/nodes", {"metadata": {"name": f"extra-{number}"}, "status": {
            "addresses": [{"type": "InternalIP", "address": f"10.9.0.{number + 1}"}]}})
    if number % 12 == 6:
        api("DELETE", f"/api/v1/nodes/extra-{number - 6}")


def main():
    rng = random.Random(1)
    names = []
    for _ in range(100):
        try:
            discovered("nodes")
            break
        except OSError:
            time.sleep(0.1)
    settle("start")
    for number in range(ROUNDS):
        churn(number, rng, names)
        time.sleep(0.2)
        if number % 10 == 9:
            settle(f"round {number}")
    print(f"targets: {len(discovered('pods'))} pods, {len(discovered('web'))} web, {len(discovered('nodes'))} nodes")
    print(f"{counts[True]} passed, {counts[False]} failed")
    sys.exit(1 if counts[False] else 0)


if __name__ == "__main__":
    main()
