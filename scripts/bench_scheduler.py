#!/usr/bin/env python3
"""What the scheduler's daemon costs against a sandbox: bench_scheduler.py BERTH [NODES PODS].

CPU seconds of the whole process (watches, decisions, bindings, events) for PODS pods on NODES nodes, and its memory when idle
with 50 nodes and 2,000 pods. Prints Markdown rows for docs/benchmarks.md.
"""

import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

BERTH = sys.argv[1]
NODES, PODS = int((sys.argv + ["1000"])[2]), int((sys.argv + ["", "10000"])[3] if len(sys.argv) > 3 else 10000)
WORK = pathlib.Path(tempfile.mkdtemp())
TICKS = os.sysconf("SC_CLK_TCK")


def used(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(process, line):
    for text in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if text.startswith(line + ":"):
            return int(text.split()[1]) / 1024
    return 0.0


class Cluster:
    def __init__(self, nodes):
        config = WORK / f"kubeconfig-{nodes}"
        self.sandbox = subprocess.Popen([BERTH, "sandbox", "--listen", "127.0.0.1:0", "--kubeconfig-out", str(config), "--token",
                                         "bench", "--nodes", str(nodes)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True)
        self.port = int(next(line for line in self.sandbox.stdout if "listening" in line).rsplit(":", 1)[1])
        self.local = threading.local()
        self.scheduler = subprocess.Popen([BERTH, "scheduler", "--kubeconfig", str(config), "--leader-elect=false", "-v", "1"],
                                          stderr=subprocess.DEVNULL)

    def ask(self, method, path, body=None):
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.local.connection.request(method, path, body, {"Authorization": "Bearer bench", "Content-Type": "application/json"})
        answer = self.local.connection.getresponse()
        return answer.status, answer.read()

    def create(self, numbers):
        for number in numbers:
            body = json.dumps({"metadata": {"name": f"p-{number}", "labels": {"app": f"a{number % 50}"}}, "spec": {
                "containers": [{"name": "c", "image": "registry.example/app:1", "resources": {
                    "requests": {"cpu": "100m", "memory": "200Mi"}}}]}})
            while self.ask("POST", "/api/v1/namespaces/default/pods", body)[0] != 201:
                time.sleep(0.1)

    def pending(self):
        _, body = self.ask("GET", "/api/v1/pods?fieldSelector=spec.nodeName%3D&limit=1")
        return len(json.loads(body)["items"])

    def fill(self, pods):
        started = time.monotonic()
        threads = [threading.Thread(target=self.create, args=(range(first, pods, 4),)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        while self.pending():
            time.sleep(0.05)
        return time.monotonic() - started

    def end(self):
        for process in (self.scheduler, self.sandbox):
            process.terminate()
            process.wait(60)


cluster = Cluster(NODES)
time.sleep(3)
before = used(cluster.scheduler)
seconds = cluster.fill(PODS)
time.sleep(2)
cpu = (used(cluster.scheduler) - before) * 10000 / PODS
print(f"| CPU of the daemon per 10,000 pods, {NODES} nodes | {cpu:.2f} s |")
print(f"| of which the pods were all bound within | {seconds:.1f} s ({PODS / seconds:.0f} pods/s, creates included) |")
print(f"| resident then | {memory(cluster.scheduler, 'VmRSS'):.1f} MiB |")
cluster.end()
cluster = Cluster(50)
cluster.fill(2000)
time.sleep(20)
before = used(cluster.scheduler)
time.sleep(20)
print(f"| idle with 50 nodes and 2,000 pods: resident | {memory(cluster.scheduler, 'VmRSS'):.1f} MiB, of it anonymous "
      f"{memory(cluster.scheduler, 'RssAnon'):.1f} MiB (budget 10 MiB) |")
print(f"| the same: CPU per minute | {(used(cluster.scheduler) - before) * 3:.2f} s |")
cluster.end()
