#!/usr/bin/env python3
"""The sandbox over HTTP beside etcd over its JSON gateway: bench_sandbox.py BERTH [ETCD [SECONDS]].

Prints rows `what  figure unit` for berth in memory, berth with a data folder, and etcd with and without fsync. etcd alone is
the yardstick for the store: a kube-apiserver adds its own work to each of its writes. The load comes from this script, four
connections with one request under way each, the same for both; it is the same bodies, a pod of about 350 bytes.
"""

import base64
import http.client
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

CONNECTIONS = 4
WATCHERS = 100
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


def load(port, seconds, request, headers="Authorization: Bearer bench\r\n"):
    """Answers per second to request(connection, number)."""
    counts = [0] * CONNECTIONS
    end = time.monotonic() + seconds

    def work(index):
        with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile("rwb") as stream:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while time.monotonic() < end:
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
    return sum(counts) / seconds


def wait_for(port, path, started):
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", path)
            if connection.getresponse().status == 200:
                return (time.monotonic() - started) * 1000
        except OSError:
            time.sleep(0.001)


def watch_pods(port, seen):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(b"GET /api/v1/pods?watch=1&resourceVersion=0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer bench\r\n\r\n")

    def read():
        while (part := connection.recv(1 << 18)):
            seen[0] += part.count(b'{"type":"')
    threading.Thread(target=read, daemon=True).start()
    return connection


def berth(program, seconds, data):
    who = "berth with data folder" if data else "berth in memory"
    port = free_port()
    started = time.monotonic()
    process = subprocess.Popen([program, "sandbox", "--listen", f"127.0.0.1:{port}", "--token", "bench", "--controllers",
                                "none"] + (["--data-dir", data] if data else []), stdout=subprocess.DEVNULL)
    pods = "/api/v1/namespaces/default/pods"
    row(who, "start to first answer", wait_for(port, "/readyz", started), "ms")
    row(who, "creates", load(port, seconds, lambda index, number: ("POST", pods, {
        **POD, "metadata": {"name": f"p-{index}-{number}", **POD["metadata"]}})), "writes/s")
    row(who, "updates", load(port, seconds, lambda index, number: ("PUT", f"{pods}/p-{index}-{number % 500}/status", {
        **POD, "metadata": {"name": f"p-{index}-{number % 500}"}, "status": {"message": str(number)}})), "writes/s")
    connection = http.client.HTTPConnection("127.0.0.1", port)
    begin = time.monotonic()
    connection.request("GET", "/api/v1/pods", headers={"Authorization": "Bearer bench"})
    size = len(connection.getresponse().read())
    row(who, "list", size / 1e6 / (time.monotonic() - begin), "MB/s")
    row(who, "resident", resident(process), "MiB")
    if not data:
        seen = [0]
        watches = [watch_pods(port, seen) for _ in range(WATCHERS)]
        time.sleep(3)
        before, begin = seen[0], time.monotonic()
        for number in range(200):
            load_one(port, pods, f"f-{number}")
        while seen[0] - before < 200 * WATCHERS and time.monotonic() - begin < 30:
            time.sleep(0.01)
        row(who, f"events to {WATCHERS} watches", (seen[0] - before) / (time.monotonic() - begin), "events/s")
        for watch in watches:
            watch.close()
    process.kill()
    process.wait()


def load_one(port, pods, name):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", pods, json.dumps({**POD, "metadata": {"name": name}}),
                       {"Authorization": "Bearer bench", "Content-Type": "application/json"})
    connection.getresponse().read()
    connection.close()


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
    row(who, "creates", load(port, seconds, put, ""), "writes/s")
    row(who, "updates", load(port, seconds, lambda index, number: put(index, number % 500), ""), "writes/s")
    row(who, "resident", resident(process), "MiB")
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
