#!/usr/bin/env python3
"""How long others wait while the sandbox is busy with one large request: bench_waits.py BERTH BENCH_REQUESTS [LIST [PATH]].

For each list and path of tests/bench/bench_requests (those whose names contain LIST and PATH) a sandbox is started, gets what
the request needs, and then the request, a body of 3 MiB where the object is new and of 1.4 MiB where one is stored that it
changes (less where defaults make it too large to be stored). Meanwhile two clients ask without a pause: GET /livez, and PUT of one Lease. A row is the list, the path, the body,
the answer, the processor time of the server from the request to its answer, and for either client the longest time it waited
and how much of that the server worked (processor time, of /proc/PID/schedstat): other work on the machine makes the first
longer, not the second. Last come the largest of all rows. The exit code is 1 when a request stopped the server.
"""

import http.client
import json
import pathlib
import subprocess
import sys
import threading
import time

import bench_sandbox

CREATED_BYTES = 3 << 20
STORED_BYTES = 1_400_000, 700_000, 350_000  # the first that is stored with all its defaults
LEASE = "/apis/coordination.k8s.io/v1/namespaces/default/leases/waits"
HEADERS = {"Authorization": "Bearer bench"}
JSON = {**HEADERS, "Content-Type": "application/json"}
ROUNDS_BEFORE = 20  # of either client, before the request is sent


def work_ms(process):
    """Processor time of the server's main thread."""
    return int(pathlib.Path(f"/proc/{process.pid}/schedstat").read_text().split()[0]) / 1e6


class Prober(threading.Thread):
    """Asks again and again, and remembers the longest wait since the last reset. A Lease is renewed as leaders do, from what
    the last answer said."""

    def __init__(self, port, process, method, path):
        super().__init__(daemon=True)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.process, self.method, self.path = process, method, path
        self.rounds, self.is_over, self.wait_ms, self.work_ms, self.failure = 0, False, 0.0, 0.0, None

    def reset(self):
        self.wait_ms = self.work_ms = 0.0

    def ask(self, body):
        begin, worked = time.monotonic(), work_ms(self.process)
        self.connection.request(self.method, self.path, body, JSON)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status not in (200, 201):  # the first PUT creates
            raise OSError(f"{self.method} {self.path}: {answer.status}")
        self.wait_ms = max(self.wait_ms, (time.monotonic() - begin) * 1000)
        self.work_ms = max(self.work_ms, work_ms(self.process) - worked)
        self.rounds += 1
        return text

    def run(self):
        body = None
        try:
            while not self.is_over:
                if self.method == "PUT":
                    lease = json.loads(text) if self.rounds else {"metadata": {"name": "waits"}, "spec": {}}
                    lease["spec"]["leaseTransitions"] = self.rounds
                    body = json.dumps(lease)
                text = self.ask(body)
        except (OSError, http.client.HTTPException) as failure:
            self.failure = failure


def messages(bench, size, name, path):
    """(method, target, headers, body) of each request of a pair."""
    rest = subprocess.run([bench, "--send", str(size), name, path], check=True, stdout=subprocess.PIPE).stdout
    while rest:
        line, rest = rest.split(b"\n", 1)
        method, target, kind, accept, length = line.decode().split(" ")
        headers = dict(HEADERS, **{"Content-Type": "application/json" if kind == "-" else kind})
        if accept != "-":
            headers["Accept"] = accept
        yield method, target, headers, rest[:int(length)]
        rest = rest[int(length):]


def send(port, message):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    method, target, headers, body = message
    connection.request(method, target, body or None, headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def measure(port, process, requests):
    probers = [Prober(port, process, "GET", "/livez"), Prober(port, process, "PUT", LEASE)]
    for prober in probers:
        prober.start()
    while any(prober.rounds < ROUNDS_BEFORE and not prober.failure for prober in probers):
        time.sleep(0.001)
    for prober in probers:
        prober.reset()
    worked = work_ms(process)
    status = send(port, requests[-1])
    worked = work_ms(process) - worked
    for prober in probers:
        prober.is_over = True
    for prober in probers:
        prober.join()
        if prober.failure:
            raise prober.failure
    return status, worked, probers


def attempt(program, bench, size, name, path):
    """The body's size, the answer and the figures; None when what the request needs is not stored."""
    requests = list(messages(bench, size, name, path))
    port = bench_sandbox.free_port()
    with subprocess.Popen([program, "sandbox", "--listen", f"127.0.0.1:{port}", "--token", "bench", "--controllers", "none"],
                          stdout=subprocess.DEVNULL) as process:
        try:
            bench_sandbox.wait_for(port, "/readyz", time.monotonic())
            if any(send(port, message) >= 400 for message in requests[:-1]):
                return None
            status, worked, (health, lease) = measure(port, process, requests)
        finally:
            process.terminate()
    return len(requests[-1][3]), status, (worked, health.wait_ms, health.work_ms, lease.wait_ms, lease.work_ms)


def pair(program, bench, name, path):
    is_new = path.startswith("create") or path == "apply"
    for size in (CREATED_BYTES,) if is_new else STORED_BYTES:
        if result := attempt(program, bench, size, name, path):
            break
    else:
        return (0.0,) * 5
    size, status, figures = result
    print(f"{name:32} {path:16} {size:9} B {status:4} " + " ".join(f"{figure:8.1f}" for figure in figures), flush=True)
    return figures


def main():
    program, bench, *wanted = sys.argv[1:]
    name, path = (wanted + ["", ""])[:2]
    pairs = [line.split() for line in subprocess.run([bench, "--pairs"], check=True, stdout=subprocess.PIPE,
                                                     text=True).stdout.splitlines()]
    print(f"{'list':32} {'path':16} {'body':>11} code  request   health (of it)    Lease (of it), ms")
    worst, failed = (0.0,) * 5, 0
    for each in (each for each in pairs if name in each[0] and path in each[1]):
        try:
            worst = tuple(map(max, worst, pair(program, bench, *each)))
        except (OSError, http.client.HTTPException) as failure:
            print(f"{each[0]:32} {each[1]:16} FAILED: {failure}", flush=True)
            failed += 1
    print(f"{'longest':68} " + " ".join(f"{figure:8.1f}" for figure in worst))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
