"""What a sandbox refuses, and what it cuts off: limits.py URL (plain HTTP, token "e2e") PID.

The last line is "N passed, M failed".
"""

import gzip
import http.client
import json
import pathlib
import resource
import socket
import sys
import time

from drill import finish, judge

HOST, PORT, PID = "127.0.0.1", int(sys.argv[1].rsplit(":", 1)[1]), sys.argv[2]
MAPS = "/api/v1/namespaces/default/configmaps"
AUTH = {"Authorization": "Bearer e2e"}


def ask(method, path, body=None, headers=None):
    connection = http.client.HTTPConnection(HOST, PORT, timeout=30)
    connection.request(method, path, body, {**AUTH, **(headers or {})})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer, content


def config_map(name, size):
    return json.dumps({"metadata": {"name": name}, "data": {"x": "y" * size}})


def resident():
    for line in pathlib.Path(f"/proc/{PID}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) // 1024


def compresses():
    for number in range(3):
        ask("POST", MAPS, config_map(f"large-{number}", 100000))
    answer, plain = ask("GET", MAPS)
    judge("plain unless asked", answer.getheader("Content-Encoding") is None and len(plain) > 300000, answer.headers)
    answer, packed = ask("GET", MAPS, headers={"Accept-Encoding": "deflate, gzip;q=0.8"})
    judge("gzip when asked", answer.getheader("Content-Encoding") == "gzip" and "Accept-Encoding" in
          answer.getheader("Vary", ""), answer.headers)
    judge("same content", gzip.decompress(packed) == plain and len(packed) < 10000, len(packed))
    answer, _ = ask("GET", MAPS, headers={"Accept-Encoding": "gzip;q=0, identity"})
    judge("not when refused", answer.getheader("Content-Encoding") is None, answer.headers)
    answer, _ = ask("GET", MAPS + "/large-0", headers={"Accept-Encoding": "gzip"})
    judge("not when small", answer.getheader("Content-Encoding") is None, answer.headers)


def warns():
    body = {**{f"unknown{number}": number for number in range(5000)}, "metadata": {"name": "strange"}}
    answer, content = ask("POST", MAPS, json.dumps(body))
    warnings = answer.getheader("Warning", "")
    judge("many warnings are cut, not the answer", answer.status == 201 and b"strange" in content and 4000 < len(warnings) < 13000
          and 'unknown field \\"unknown0\\"' in warnings, (answer.status, len(warnings), warnings[:100]))


def post_until(name, status):
    """Posts until that is the answer, for as long as a busy machine may need to get there."""
    for number in range(300):
        answer, content = ask("POST", MAPS, config_map(f"{name}-{number}", 400000))
        if answer.status == status:
            break
        time.sleep(0.1)
    return answer, content


def overload():
    """Bodies that never end fill the room there is for them; the next one is asked to come again."""
    held = []
    for _ in range(24):
        one = socket.create_connection((HOST, PORT))
        one.sendall(f"POST {MAPS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer e2e\r\nContent-Length: 3000001\r\n\r\n".encode()
                    + b" " * 3000000)
        held.append(one)
    answer, content = post_until("late", 429)
    judge("overload is 429", answer.status == 429 and int(answer.getheader("Retry-After", 0)) > 0 and
          json.loads(content)["reason"] == "TooManyRequests", (answer.status, answer.headers))
    judge("reads go on", ask("GET", "/version")[0].status == 200)
    judge("memory is bounded", resident() < 400, resident())
    for one in held:
        one.close()
    judge("and it is over", post_until("after", 201)[0].status == 201)


def slow_watch():
    """A watcher that does not read costs no memory, stops nobody, and is told that it is too late."""
    ask("POST", MAPS, config_map("slow", 1))
    _, content = ask("GET", MAPS)
    revision = json.loads(content)["metadata"]["resourceVersion"]
    slow = socket.create_connection((HOST, PORT))
    slow.sendall(f"GET {MAPS}?watch=1&resourceVersion={revision} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer e2e\r\n\r\n".encode())
    before = resident()
    connection = http.client.HTTPConnection(HOST, PORT, timeout=30)
    for number in range(300):
        text = json.dumps({"metadata": {"name": "slow"}, "data": {"x": str(number) + "y" * 500000}})
        connection.request("PUT", MAPS + "/slow", text, AUTH)
        status = connection.getresponse()
        status.read()
        if status.status != 200:
            judge("writes go on", False, status.status)
            break
    judge("a slow watch buffers nothing", resident() - before < 150, (before, resident()))
    slow.settimeout(10)
    read = b""
    try:
        while b'"type":"ERROR"' not in read[-4096:] and (part := slow.recv(1 << 20)):
            read = read[-4096:] + part
    except OSError as error:
        read += repr(error).encode()
    judge("and ends with 410", b'"code":410' in read[-4096:], read[-300:])


def requests():
    deep = "[" * 100000 + "]" * 100000
    cases = {
        "too large": ("POST", MAPS, config_map("big", 4 << 20), {}, (413,)),
        "too deep": ("POST", MAPS, '{"metadata":{"name":"deep"},"data":' + deep + "}", {}, (400, 422)),
        "long header": ("GET", MAPS, None, {"X-Long": "x" * 100000}, (400, 413, 431)),
        "long selector": ("GET", MAPS + "?labelSelector=" + "a%2C" * 5000, None, {}, (200, 400, 414, 431)),
        "no such method": ("BREW", MAPS, None, {}, (405, 501)),
        "bad length": ("POST", MAPS, None, {"Content-Length": "-5"}, (400, 413)),
    }
    for name, (method, path, body, headers, wanted) in cases.items():
        try:
            status = ask(method, path, body, headers)[0].status
        except (OSError, http.client.HTTPException) as error:
            status = repr(error)
        judge(name, status in wanted or "Reset" in str(status) or "BrokenPipe" in str(status) or "Disconnected" in str(status),
              status)
    judge("still alive", ask("GET", "/readyz")[1] == b"ok")


def descriptors():
    return len(list(pathlib.Path(f"/proc/{PID}/fd").iterdir()))


def half_closed():
    """Server's ends of connections whose other end is closed for sending."""
    lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
    return sum(line.split()[3] == "08" and int(line.split()[1].rsplit(":", 1)[1], 16) == PORT for line in lines)


def until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


HALVES = {
    "nothing": b"", "one byte": b"G", "one byte of TLS": b"\x16", "the head of a handshake": b"\x16\x03\x01\x02\x00\x01",
    "half a request": b"GET /version HTTP/1.1\r\nHo", "a request": b"GET /version HTTP/1.1\r\nHost: x\r\n\r\n",
    "half a body": b"POST /version HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc",
    "a watch": f"GET {MAPS}?watch=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer e2e\r\n\r\n".encode()}


def half_close():
    """Whoever sends something and closes his side leaves nothing behind, though he keeps his other side open."""
    before = descriptors()
    for name, text in HALVES.items():
        held = []
        for _ in range(100):
            one = socket.create_connection((HOST, PORT))
            one.sendall(text)
            one.shutdown(socket.SHUT_WR)
            held.append(one)
        judge(f"half closed after {name}", until(lambda: half_closed() == 0 and descriptors() <= before),
              (half_closed(), descriptors(), before))
        if name == "a request":
            judge("it is answered all the same", held[0].recv(100).startswith(b"HTTP/1.1 200"))
        for one in held:
            one.close()


def flood():
    """6,000 of them as fast as they go: others are served meanwhile and after."""
    slowest = 0.0
    for number in range(6000):
        one = socket.create_connection((HOST, PORT))
        one.sendall(b"\x16" if number % 2 else b"G")
        one.shutdown(socket.SHUT_WR)
        one.close()
        if number % 500 == 0:
            start = time.monotonic()
            judge(f"served after {number} half-closed connections", ask("GET", "/readyz")[1] == b"ok")
            slowest = max(slowest, time.monotonic() - start)
    judge("and at once", slowest < 3, slowest)
    judge("nothing is left of them", until(lambda: half_closed() == 0), half_closed())


def strangers():
    """Connections that say nothing make room for those that do."""
    before, held = descriptors(), []
    for number in range(3000):
        one = socket.create_connection((HOST, PORT))
        if number % 3:
            one.sendall((b"", b"G", b"\x16")[number % 3])
        held.append(one)
    judge("others are served beside 3,000 strangers", ask("GET", "/readyz")[1] == b"ok")
    judge("strangers are few", until(lambda: descriptors() - before < 1700), descriptors() - before)
    for one in held:
        one.close()
    judge("and gone with their peers", until(lambda: descriptors() <= before), (descriptors(), before))


def watches_end():
    """A watch ends with its client, though there is nothing to tell."""
    def open_watches():
        return sum(int(float(line.rsplit(" ", 1)[1])) for line in ask("GET", "/metrics")[1].decode().splitlines()
                   if line.startswith("berth_open_watches"))
    held = []
    for _ in range(200):
        one = socket.create_connection((HOST, PORT))
        one.sendall(HALVES["a watch"])
        held.append(one)
    judge("watches are open", until(lambda: open_watches() >= 200), open_watches())
    for one in held:
        one.close()
    judge("and end with their clients", until(lambda: open_watches() == 0), open_watches())


def processor_seconds():
    return sum(int(field) for field in pathlib.Path(f"/proc/{PID}/stat").read_text().rsplit(")", 1)[1].split()[11:13]) / 100


def no_descriptors():
    """Without a descriptor left, whoever is connected is served, nothing spins, and it is over when it is over."""
    connection = http.client.HTTPConnection(HOST, PORT, timeout=30)
    connection.request("GET", "/readyz", headers=AUTH)
    connection.getresponse().read()
    limits = resource.prlimit(int(PID), resource.RLIMIT_NOFILE)
    resource.prlimit(int(PID), resource.RLIMIT_NOFILE, (descriptors() + 4, limits[1]))
    held = [socket.create_connection((HOST, PORT)) for _ in range(200)]
    time.sleep(0.5)
    start = processor_seconds()
    time.sleep(2)
    judge("nothing spins", processor_seconds() - start < 0.5, processor_seconds() - start)
    connection.request("GET", "/readyz", headers=AUTH)
    judge("the connected are served", connection.getresponse().read() == b"ok")
    judge("so is who comes last", ask("GET", "/readyz")[1] == b"ok")
    for one in held:
        one.close()
    resource.prlimit(int(PID), resource.RLIMIT_NOFILE, limits)
    judge("and all is as before", ask("GET", "/readyz")[1] == b"ok")


if __name__ == "__main__":
    # As many sockets as the strangers take.
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),
                                                resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    compresses()
    warns()
    requests()
    slow_watch()
    overload()
    half_close()
    flood()
    strangers()
    watches_end()
    no_descriptors()
    finish()
