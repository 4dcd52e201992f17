"""Devices under load, churn, kills and API faults.

device_drill.py BERTH SANDBOX_PORT [--nodes N] [--pods N] [--kills N] [--seed N]

Pods with claims of every kind come and go, some end by themselves. The scheduler reaches the API through a proxy that answers 409,
410, 429 and 500, loses answers and cuts watches; it is killed at random moments. A watch past the proxy checks at every event that
nothing is given away twice. Once the faults stop everything is bound, and when the pods are gone no claim is left. The last line is
"N passed, M failed".
"""

import argparse
import http.client
import json
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

from device_checker import GROUP, Checker
import device_load
from drill import Api, finish, judge, until, write_kubeconfig

parser = argparse.ArgumentParser()
parser.add_argument("berth")
parser.add_argument("port", type=int)
parser.add_argument("--nodes", type=int, default=20)
parser.add_argument("--pods", type=int, default=300)
parser.add_argument("--kills", type=int, default=2)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()

HERE = pathlib.Path(__file__).parent
WORK = pathlib.Path(tempfile.mkdtemp())
FAULTS = {"conflict": 2, "busy": 2, "broken": 2, "lost": 1, "expired": 10, "cut": 6}
ROUNDS = 10
api, dice = Api(options.port, token="e2e"), random.Random(options.seed)


def need(method, path, body=None):
    status, answer = api(method, path, body)
    if status not in (200, 201):
        raise RuntimeError(f"{method} {path}: {answer}")
    return answer


def items(path):
    return need("GET", path)["items"]


class Scheduler:
    def __init__(self, proxy_port):
        self.config, self.proxy = write_kubeconfig(WORK / "kubeconfig", proxy_port), Api(proxy_port, token="e2e")
        self.kills = 0
        self.start()

    def start(self):
        self.log = WORK / f"log-{self.kills}"
        self.process = subprocess.Popen([options.berth, "scheduler", "--kubeconfig", self.config, "--leader-elect=false"],
                                        stdout=subprocess.DEVNULL, stderr=open(self.log, "w"))

    def kill(self):
        judge("it lived until it was killed", self.process.poll() is None, self.log.read_text()[-500:])
        self.process.kill()
        self.process.wait()
        self.kills += 1
        # What the dead one had sent arrives before its successor asks for the state, also what the proxy has not read yet.
        until("its last requests", lambda: self.is_quiet() and not time.sleep(0.1) and self.is_quiet())
        self.start()

    def is_quiet(self):
        return self.proxy("GET", "/proxy/counts")[1]["open"] == 0


def churn(load, scheduler):
    """The rest of the pods comes while others go, and the scheduler is killed."""
    step = max(1, (options.pods - load.made) // ROUNDS)
    kills = dice.sample(range(ROUNDS), min(options.kills, ROUNDS))
    for turn in range(ROUNDS):
        load.create(step if turn + 1 < ROUNDS else options.pods)
        load.end_some(0.1)
        time.sleep(dice.uniform(0.1, 0.6))
        if turn in kills:
            scheduler.kill()


started, scheduler = time.monotonic(), None
proxy = subprocess.Popen([sys.executable, str(HERE / "api_proxy.py"), str(options.port), str(options.seed), json.dumps(FAULTS)],
                         stdout=subprocess.PIPE, text=True)
try:
    proxy_port = int(proxy.stdout.readline())
    for number in range(options.nodes):
        need("POST", "/api/v1/nodes", {"metadata": {"name": f"n-{number}", "annotations": {
            "sandbox.berth.dev/devices": device_load.SMALL if number % 2 else device_load.LARGE}}})
    device_load.set_up(need)
    pools = {f"n-{number}" for number in range(options.nodes)}
    until("the slices", lambda: {each["spec"]["pool"]["name"] for each in items(GROUP + "/resourceslices")} == pools)
    time.sleep(0.5)
    checker = Checker(items(GROUP + "/resourceslices"), lambda: http.client.HTTPConnection("127.0.0.1", options.port),
                      {"Authorization": "Bearer e2e"})
    scheduler = Scheduler(proxy_port)
    load = device_load.Load(api, dice, options.pods, True)
    load.create(options.pods // 2)
    churn(load, scheduler)
    report = scheduler.proxy("GET", "/proxy/calm")[1]
    calm = time.monotonic()
    until("the end of all waiting", lambda: not load.waiting())
    settled = time.monotonic()
    judge("everything is bound", not load.waiting(), load.waiting()[:5])
    claims = items(device_load.CLAIMS)
    found = device_load.problems(load.alive(), claims, checker.taken.offer)
    judge("pods have the devices of their nodes", not found, found[:5])
    need("DELETE", device_load.PODS)
    until("the end of all pods", lambda: not items(device_load.PODS))
    for number in device_load.unused(items(device_load.CLAIMS)):
        need("POST", device_load.PODS, device_load.pod(f"next-{number}", "common", number * device_load.USERS_PER_CLAIM))
    until("devices for the next pods", lambda: not load.waiting())
    judge("the next pods have them", not load.waiting(), load.waiting()[:5])
    need("DELETE", device_load.PODS)
    until("the end of the next pods", lambda: not items(device_load.PODS))
    until("devices that are given back", lambda: not device_load.leaks(items(device_load.CLAIMS)))
    judge("claims are given back", not device_load.leaks(items(device_load.CLAIMS)), device_load.leaks(items(device_load.CLAIMS))[:2])
    need("DELETE", device_load.CLAIMS)
    until("the end of all claims", lambda: not items(device_load.CLAIMS))
    left = [each["metadata"]["name"] for each in items(device_load.CLAIMS)]
    judge("no claim is left", not left, left[:5])
    time.sleep(0.5)
    judge("nothing is given away twice", not checker.broken, checker.broken[:5])
    judge("nothing is taken any more", not checker.taken.claims, list(checker.taken.claims)[:5])
    judge("claims were allocated", checker.taken.allocations > options.pods // 4, checker.taken.allocations)
    judge("there were faults", sum(report["faults"].values()) > options.pods // 50, report["faults"])
    judge("killed so often", scheduler.kills == options.kills, scheduler.kills)
    checker.is_over = True
    scheduler.process.terminate()
    scheduler.process.wait(60)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{options.nodes} nodes, {len(checker.taken.offer.devices)} devices, {load.made} pods: {checker.taken.allocations} allocations, "
          f"{scheduler.kills} kills, {checker.events} events of claims, faults {report['faults']}; calm after {calm - started:.1f} s, "
          f"all bound {settled - calm:.1f} s later; schedulers {used.ru_utime + used.ru_stime:.2f} s CPU, at most {used.ru_maxrss // 1024} MiB")
finally:
    proxy.kill()
    if scheduler and scheduler.process.poll() is None:
        scheduler.process.kill()
finish()
