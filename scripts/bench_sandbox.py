#!/usr/bin/env python3
"""The sandbox over HTTP beside etcd over its JSON gateway: bench_sandbox.py BERTH [ETCD [SECONDS]].

Prints rows `what  figure unit` for berth in memory, berth with a data folder, and etcd with and without fsync. etcd alone is
the yardstick for the store: a kube-apiserver adds its own work to each of its writes, and makes JSON of each answer. The load
comes from this script, four connections with one request under way each, the same for both; it is the same bodies, a pod of
about 350 bytes. Fan-out: so many writes to as many connections that watch everything.
"""

import base64
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

CONNECTIONS = 4
WATCHERS = 100
AUTHORIZATION = "Authorization: Bearer bench\r\n"
FAN_OUT_WRITES = 400
POD = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{
    "name": "c", "image": "registry.example/app:1", "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}}}]}}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def row(who, what, figure, unit):
    print(f"{who + ', ' + what:44} {figure:12.1f} {unit}", flush=True)


def resident(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0


def cpu_seconds(process):
    """What the server has used of all cores up to now."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load_row(who, what, process, port, seconds, request, headers):
    """Two rows: writes per second, and what each cost the server, which other work on the machine changes little."""
    before, begin = cpu_seconds(process), time.monotonic()
    rate = load(port, seconds, request, headers=headers)
    count = rate * (time.monotonic() - begin)
    row(who, what, rate, "writes/s")
    row(who, f"CPU of {what}", (cpu_seconds(process) - before) / max(count, 1) * 1e6, "us")


def load(port, seconds, request, count=None, headers=AUTHORIZATION):
    """Answers per second to request(connection, number), for some seconds or so many per connection."""
    counts = [0] * CONNECTIONS
    begin = time.monotonic()

    def is_over(index):
        return counts[index] >= count if count else time.monotonic() >= begin + seconds

    def work(index):
        with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile("rwb") as stream:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while not is_over(index):
                method, path, body = request(index, counts[index])
                text = json.dumps(body)
                stream.write((f"{method} {path} HTTP/1.1\r\nHost: x\r\n{headers}"
                              f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n{text}").encode())
                stream.flush()
                status, size = int(stream.readline().split()[1]), 0
                while (line := stream.readline()) != b"\r\n":
                    if line.lower().startswith(b"content-length:"):
                        size = int(line.split(b":")[1])
                stream.read(size)
                if status not in (200, 201):
                    raise OSError(f"{method} {path}: {status}")
                counts[index] += 1
    threads = [threading.Thread(target=work, args=(index,)) for index in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - begin)


def wait_for(port, path, started):
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", path)
            if connection.getresponse().status == 200:
                return (time.monotonic() - started) * 1000
        except OSError:
            time.sleep(0.001)


def timed_read(port, method, path, body=None, headers=None):
    """Megabytes per second of one large answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    begin = time.monotonic()
    connection.request(method, path, json.dumps(body) if body else None, headers or {})
    size = len(connection.getresponse().read())
    return size / 1e6 / (time.monotonic() - begin)


def fan_out(port, open_watch, mark, write, headers=AUTHORIZATION):
    """Events per second that WATCHERS connections get; open_watch is the request, mark what each event has once."""
    seen, watches = [0] * WATCHERS, []

    def read(index):
        rest = b""
        while (part := watches[index].recv(1 << 18)):
            seen[index] += (rest + part).count(mark)
            rest = (rest + part)[1 - len(mark):]
    for index in range(WATCHERS):
        watches.append(socket.create_connection(("127.0.0.1", port)))
        watches[index].sendall(open_watch)
        threading.Thread(target=read, args=(index,), daemon=True).start()
    time.sleep(2)
    before, begin = sum(seen), time.monotonic()
    load(port, None, write, FAN_OUT_WRITES // CONNECTIONS, headers)
    while sum(seen) - before < FAN_OUT_WRITES * WATCHERS and time.monotonic() - begin < 60:
        time.sleep(0.005)
    rate = (sum(seen) - before) / (time.monotonic() - begin)
    for watch in watches:
        watch.close()
    return rate


def berth(program, seconds, data):
    who = "berth with data folder" if data else "berth in memory"
    port = free_port()
    started = time.monotonic()
    process = subprocess.Popen([program, "sandbox", "--listen", f"127.0.0.1:{port}", "--token", "bench", "--controllers",
                                "none"] + (["--data-dir", data] if data else []), stdout=subprocess.DEVNULL)
    pods = "/api/v1/namespaces/default/pods"
    row(who, "start to first answer", wait_for(port, "/readyz", started), "ms")
    load_row(who, "creates", process, port, seconds, lambda index, number: ("POST", pods, {
        **POD, "metadata": {"name": f"p-{index}-{number}", **POD["metadata"]}}), AUTHORIZATION)
    load_row(who, "updates", process, port, seconds, lambda index, number: ("PUT", f"{pods}/p-{index}-{number % 500}/status", {
        **POD, "metadata": {"name": f"p-{index}-{number % 500}"}, "status": {"message": str(number)}}), AUTHORIZATION)
    mine = {"Authorization": "Bearer bench"}
    row(who, "list", max(timed_read(port, "GET", "/api/v1/pods", headers=mine) for _ in range(3)), "MB/s")
    row(who, "resident", resident(process), "MiB")
    revision = json_of(port, f"{pods}?limit=1")["metadata"]["resourceVersion"]
    row(who, f"events to {WATCHERS} watches", fan_out(
        port, f"GET /api/v1/pods?watch=1&resourceVersion={revision} HTTP/1.1\r\nHost: x\r\n"
        "Authorization: Bearer bench\r\n\r\n".encode(), b'{"type":"',
        lambda index, number: ("POST", pods, {**POD, "metadata": {"name": f"f-{index}-{number}"}})), "events/s")
    process.kill()
    process.wait()


def json_of(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", path, headers={"Authorization": "Bearer bench"})
    return json.load(connection.getresponse())


def etcd(program, seconds, folder, is_synced):
    who = "etcd" if is_synced else "etcd without fsync"
    port, peer = free_port(), free_port()
    started = time.monotonic()
    process = subprocess.Popen(
        [program, "--data-dir", folder, "--listen-client-urls", f"http://127.0.0.1:{port}", "--advertise-client-urls",
         f"http://127.0.0.1:{port}", "--listen-peer-urls", f"http://127.0.0.1:{peer}", "--initial-advertise-peer-urls",
         f"http://127.0.0.1:{peer}", "--initial-cluster", f"default=http://127.0.0.1:{peer}", "--log-level", "error"]
        + ([] if is_synced else ["--unsafe-no-fsync"]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    row(who, "start to first answer", wait_for(port, "/health", started), "ms")
    value = base64.b64encode(json.dumps(POD).encode()).decode()

    def put(index, number):
        return "POST", "/v3/kv/put", {"key": base64.b64encode(f"/pods/p-{index}-{number}".encode()).decode(), "value": value}
    load_row(who, "creates", process, port, seconds, put, "")
    load_row(who, "updates", process, port, seconds, lambda index, number: put(index, number % 500), "")
    everything = {"key": base64.b64encode(b"/pods/").decode(), "range_end": base64.b64encode(b"/pods0").decode()}
    row(who, "list", max(timed_read(port, "POST", "/v3/kv/range", everything) for _ in range(3)), "MB/s")
    row(who, "resident", resident(process), "MiB")
    text = json.dumps({"create_request": everything})
    row(who, f"events to {WATCHERS} watches", fan_out(
        port, f"POST /v3/watch HTTP/1.1\r\nHost: x\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode(), b'"kv":',
        lambda index, number: put(index, f"f{number}"), ""), "events/s")
    process.kill()
    process.wait()


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 3
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder, "berth")
        data.mkdir()
        berth(sys.argv[1], seconds, None)
        berth(sys.argv[1], seconds, str(data))
        if len(sys.argv) > 2:
            etcd(sys.argv[2], seconds, f"{folder}/etcd-1", True)
            try:
                etcd(sys.argv[2], seconds, f"{folder}/etcd-2", False)
            except (OSError, ValueError):
                print("etcd: this release has no --unsafe-no-fsync")


if __name__ == "__main__":
    main()
