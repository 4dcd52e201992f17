"""The descheduler with the gate EvictionsInBackground against a simulated KubeVirt, whose webhook answers evictions with 429:
descheduler_background.py BERTH SANDBOX WORK."""

import os
import re
import ssl
import subprocess
import sys
import urllib.error
import urllib.request

from drill import free_port
from kubevirt import MERGE, MOVING, PODS, VMS, Api, KubeVirt, Verdicts, until

BERTH, SANDBOX, WORK = sys.argv[1:4]
GATE = "--feature-gates=EvictionsInBackground=true"
api = Api(SANDBOX, "e2e")
judge = Verdicts()


def pod(name):
    return api("GET", f"{PODS}/virt-launcher-{name}")[1]


def is_moving(name):
    return MOVING in pod(name)["metadata"].get("annotations", {})


def make(kubevirt, node, name, seconds):
    kubevirt.make_machine(name, node, seconds=seconds)
    judge(f"machine {name} runs", until(lambda: pod(name).get("status", {}).get("phase") == "Running"))


def counted(port, result):
    """Sum of pods_evicted_total with this result; -1 when nothing is served."""
    request = urllib.request.Request(f"https://127.0.0.1:{port}/metrics", headers={"Authorization": "Bearer e2e"})
    try:
        with urllib.request.urlopen(request, timeout=60, context=ssl._create_unverified_context()) as answer:
            text = answer.read().decode()
    except (urllib.error.URLError, OSError):
        return -1
    return sum(float(value) for value in re.findall(r'pods_evicted_total\{result="%s"[^}]*\} (\S+)' % result, text))


def once(*words):
    done = subprocess.run([BERTH, "descheduler", "--policy-config-file", f"{WORK}/policy.yaml", *words], capture_output=True,
                          text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def main():
    kubevirt = KubeVirt(api, WORK)
    node = api("GET", "/api/v1/nodes")[1]["items"][0]["metadata"]["name"]
    make(kubevirt, node, "a", 3000)
    judge("a is old enough", until(lambda: "evictions=1" in once("--dry-run")[1]))

    code, text = once(GATE)
    judge("desched-108 one shot: begun, in the background", code == 0 and "EvictionBegan" in text and "background" in text, text)
    judge("evict-F1 it moves", until(lambda: is_moving("a")) and kubevirt.moves == 1, kubevirt.moves)
    make(kubevirt, node, "d", 6)
    done = subprocess.run([BERTH, "evict", "virt-launcher-d"], capture_output=True, text=True, timeout=120)
    judge("berth evict waits for whoever moves it", done.returncode == 0 and "1 evicted" in done.stdout, done)
    judge("evict-E5 asked once, nobody killed it", kubevirt.moves == 2 and kubevirt.refusals == 2 and
          pod("d")["status"]["phase"] == "Succeeded", (kubevirt.moves, kubevirt.refusals))
    code, text = once(GATE)
    judge("desched-108 the next run does not ask again", code == 0 and "EvictionBegan" not in text and "evictions=0" in text and
          kubevirt.moves == 2, text)

    make(kubevirt, node, "b", 10)
    make(kubevirt, node, "c", 3000)
    port = free_port()
    with open(f"{WORK}/descheduler.log", "w", encoding="utf-8") as log:
        descheduler = subprocess.Popen([BERTH, "descheduler", "--policy-config-file", f"{WORK}/policy.yaml", GATE, "--watch",
                                        "--descheduling-interval=1s", "--bind-address=127.0.0.1", f"--secure-port={port}"],
                                       stdout=log, stderr=subprocess.STDOUT, env=os.environ)
    try:
        judge("evict-F5 a restart counts what moves: one more of two", until(lambda: is_moving("b")))
        judge("desched-109 the limit holds", not is_moving("c") and kubevirt.moves == 3, kubevirt.moves)
        judge("desched-108 success when it is over", until(lambda: counted(port, "success") == 1), counted(port, "success"))
        judge("b was not killed", pod("b")["status"]["phase"] == "Succeeded" and "deletionTimestamp" not in pod("b")["metadata"])
        judge("then c moves", until(lambda: is_moving("c")) and kubevirt.moves == 4, kubevirt.moves)
        judge("begun are counted apart", until(lambda: counted(port, "background") == 2), counted(port, "background"))
        api("PATCH", f"{VMS}/a", {"status": {"evacuationNodeName": None}}, MERGE)
        judge("evict-F4 aborted: asked again", until(lambda: kubevirt.moves == 5), kubevirt.moves)
        judge("nothing failed", counted(port, "error") == 0, counted(port, "error"))
    finally:
        descheduler.kill()
        descheduler.wait()
        if judge.failures:
            with open(f"{WORK}/descheduler.log", encoding="utf-8") as log:
                print(log.read()[-4000:])
    judge.exit()


if __name__ == "__main__":
    main()
