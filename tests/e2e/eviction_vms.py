"""Virtual machines evicted gracefully on a simulated KubeVirt (cases G1 to G4): eviction_vms.py BERTH SANDBOX WORK."""

import json
import os
import subprocess
import sys

from kubevirt import MOVING, PODS, VMS, Api, KubeVirt, Verdicts, until

BERTH, SANDBOX, WORK = sys.argv[1:4]
GROUP = "/apis/lifecycle.berth.dev/v1alpha1/namespaces/default"
api = Api(SANDBOX, "e2e")
judge = Verdicts()


def eviction(pod):
    status, answer = api("GET", f"{GROUP}/evictions/pod-1-{pod}")
    return answer if status == 200 else {}


def responder(pod):
    """Name and message of the Active one."""
    status = eviction(pod).get("status", {})
    active = [r["name"] for r in status.get("targetResponders", []) if r["state"] == "Active"]
    return [(r["name"], r.get("message", "")) for r in status.get("responders", []) if r["name"] in active]


def runs(pod):
    return until(lambda: api("GET", f"{PODS}/{pod}")[1].get("status", {}).get("phase") == "Running")


def evict(*words):
    return subprocess.run([BERTH, "evict", *words], capture_output=True, text=True, timeout=120)


def main():
    kubevirt = KubeVirt(api, WORK)
    node = api("GET", "/api/v1/nodes")[1]["items"][0]["metadata"]["name"]
    with open(f"{WORK}/evictions", "w", encoding="utf-8") as log:
        evictions = subprocess.Popen([BERTH, "evictions", "--leader-elect=false", "--no-audit-output"], stdout=log,
                                     stderr=subprocess.STDOUT, env=os.environ)
    try:
        judge("kinds are served", until(lambda: api("GET", f"{GROUP}/evictions")[0] == 200))
        for name, more in (("a", {"seconds": 3}), ("b", {"migratable": False}), ("c", {"seconds": 300}),
                           ("d", {"seconds": 0, "failures": 2})):
            kubevirt.make_machine(name, node, **more)
            judge(f"machine {name} runs", runs("virt-launcher-" + name))

        evict("--wait=false", "virt-launcher-d")
        done = evict("virt-launcher-a")
        judge("evict-G1 evicted after migrating", done.returncode == 0 and "1 evicted" in done.stdout, done)
        judge("evict-G1 by its responder", "live-migrate" in done.stdout and "Eviction triggered evacuation" in done.stdout, done)
        judge("evict-G1 the launcher ended, nobody killed it",
              api("GET", f"{PODS}/virt-launcher-a")[1].get("status", {}).get("phase") == "Succeeded")
        judge("evict-G1 evict-E5 asked once, and no attempt failed", kubevirt.machines["virt-launcher-a"]["migrations"] == 1 and
              "attempts=" not in done.stdout, done)

        api("POST", PODS, {"metadata": {"name": "plain"}, "spec": {
            "nodeName": node, "terminationGracePeriodSeconds": 1, "containers": [{"name": "c", "image": "x"}]}})
        judge("a plain pod runs", runs("plain"))
        evict("--wait=false", "virt-launcher-b")
        judge("evict-G2 not migratable: refused", until(lambda: "not live-migratable" in str(responder("virt-launcher-b"))))
        done = evict("plain")
        judge("evict-G2 others leave meanwhile", done.returncode == 0 and "plain evicted" in done.stdout, done)
        done = evict("--deadline", "3s", "virt-launcher-b")
        judge("evict-G2 refused until the deadline", done.returncode == 1 and "not live-migratable" in done.stdout and
              "withdrawn" in done.stdout, done)
        judge("evict-G2 the machine lives", runs("virt-launcher-b"))

        for name in ("kubevirt-evacuation-d", "kubevirt-evacuation-d-1"):
            judge(f"evict-G3 {name} failed, and it stays Active",
                  until(lambda: any(f"{name}: Failed" in message for _, message in responder("virt-launcher-d"))),
                  responder("virt-launcher-d"))
            kubevirt.machines["virt-launcher-d"]["retry"].set()
        judge("evict-G3 evicted by the third", until(lambda: "PodTerminal" in json.dumps(eviction("virt-launcher-d"))),
              eviction("virt-launcher-d"))
        judge("evict-G3 three migrations, one order", (kubevirt.machines["virt-launcher-d"]["migrations"], kubevirt.moves)
              == (3, 2), kubevirt.machines)

        evict("--wait=false", "virt-launcher-c")
        judge("evict-G4 under way", until(lambda: MOVING in api("GET", f"{PODS}/virt-launcher-c")[1]["metadata"]["annotations"]))
        judge("evict-G4 its migration is told", until(lambda: any("migration kubevirt-evacuation-c: Running" in message
                                                            for _, message in responder("virt-launcher-c"))),
              responder("virt-launcher-c"))
        done = evict("--cancel", "virt-launcher-c")
        judge("evict-G4 withdrawn", done.returncode == 0, done)
        judge("evict-G4 the mark is taken off", until(lambda: "evacuationNodeName" not in
                                                api("GET", f"{VMS}/c")[1].get("status", {})))
        judge("evict-G4 the pod is not moving any more", until(lambda: MOVING not in
                                                         api("GET", f"{PODS}/virt-launcher-c")[1]["metadata"]["annotations"]))
        judge("evict-G4 the machine lives", runs("virt-launcher-c"))
    finally:
        evictions.kill()
        evictions.wait()
    judge.exit()


if __name__ == "__main__":
    main()
