"""Connections of a stranger without a token. See hostile_inputs.py and hostile_requests.py for what entries are."""

import json
import resource
import socket
import ssl
import time

MAPS = "/api/v1/namespaces/default/configmaps"
AUTH = b"Host: x\r\nAuthorization: Bearer e2e\r\n"
POST = f"POST {MAPS} HTTP/1.1\r\n".encode() + AUTH


def open_many(server, count, data=b"", is_half_closed=False):
    """So many connections; those the server does not want are missing."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count + 200 <= hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count + 200, hard))
    held = []
    for _ in range(min(count, max(resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200, 100))):
        try:
            one = server.connect()
            held.append(one)
            if data:
                one.sendall(data)
            if is_half_closed:
                one.shutdown(socket.SHUT_WR)
        except OSError:
            pass
    return held


def crowd(server, name, *arguments):
    """While they are open, and once they have gone."""
    held = open_many(server, *arguments)
    yield f"{name}, {len(held)} open", True, ""
    for one in held:
        one.close()
    yield f"{name}, gone", True, ""


def idle(server, dice, size):
    yield from crowd(server, "silent", int(3500 * size))
    yield from crowd(server, "one byte", int(3500 * size), b"G")
    yield from crowd(server, "half a request", int(2000 * size), b"GET /livez HTTP/1.1\r\nHost: x\r\n")
    yield from crowd(server, "TLS byte", int(2000 * size), b"\x16")


def half_closed(server, dice, size):
    for name, data in {"silent": b"", "one byte": b"G", "half a request": b"GET /livez HTTP/1.1\r\nHost: x\r\n",
                       "half a body": b"POST /api HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", "TLS": b"\x16\x03\x01\x02\x00",
                       "a whole one": b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"}.items():
        yield from crowd(server, name, int(6000 * size), data, True)
    yield "and an answer", server.talk(b"GET /livez HTTP/1.1\r\n" + AUTH + b"\r\n", True, 60), "done"


def slow(server, dice, size):
    """Byte by byte on many connections at once."""
    held = open_many(server, int(400 * size))
    text = POST + b"Content-Length: 40\r\nX-Slow: " + b"y" * 100
    for at in range(0, len(text), 7):
        for one in held:
            try:
                one.sendall(text[at:at + 7])
            except OSError:
                pass
    yield f"{len(held)} requests of a few bytes each", True, ""
    for one in held:
        one.close()
    yield "gone", True, ""


def chunks(server, dice, size):
    head = POST + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    for name, body in {
            "not a number": b"zz\r\n{}\r\n0\r\n\r\n", "negative": b"-1\r\n{}\r\n", "vast": b"ffffffffffffffff\r\n{}", "vaster": b"f" * 1000 + b"\r\n{}",
            "no line end": b"2{}0", "shorter than said": b"5\r\n{}\r\n0\r\n\r\n", "never ending": b"1\r\n \r\n" * int(200000 * size),
            "a long extension": b"2;" + b"x" * int(1000000 * size) + b"\r\n{}\r\n0\r\n\r\n", "trailers": b"2\r\n{}\r\n0\r\n" + b"X: y\r\n" * 20000 + b"\r\n",
            "NUL": b"\0\r\n\r\n", "a large one": b"400000\r\n" + b" " * 0x400000 + b"\r\n0\r\n\r\n"}.items():
        yield name, server.talk(head + body, is_half_closed=True), "http"
    both = POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n"
    yield "a length as well", server.talk(both, is_half_closed=True), "http"
    for name, length in (("negative", b"-1"), ("vast", b"99999999999999999999"), ("text", b"x"), ("two", b"1\r\nContent-Length: 2"), ("hex", b"0x10"),
                         ("more than comes", b"1000")):
        yield f"length {name}", server.talk(POST + b"Content-Length: " + length + b"\r\n\r\n{}", is_half_closed=True), "http"


def unfinished(server, dice, size):
    """Requests that stop anywhere keep nobody busy."""
    whole = POST + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\n{}\r\n0\r\nX: y\r\n\r\n"
    body = whole.index(b"\r\n\r\n") + 4
    for name, cuts in {"heads": range(1, body, 9), "bodies": range(body, len(whole)), "an extension": [0]}.items():
        held = []
        for cut in cuts:
            one = server.connect()
            held.append(one)
            one.sendall(whole[:cut] if cut else whole[:body] + b"2;" + b"x" * 100000)
        time.sleep(0.3)
        before = server.cpu_seconds()
        time.sleep(1)
        spent = server.cpu_seconds() - before
        yield f"{name}, {len(held)} open: {spent:.2f} s of CPU in a second", spent < 0.1, "none"
        for one in held:
            one.close()


def heads(server, dice, size):
    many = int(20000 * size)
    get = b"GET /livez HTTP/1.1\r\n"
    for name, data in {
            "a vast header": get + b"X: " + b"x" * (1 << 20) + b"\r\n\r\n", "many headers": get + b"X: y\r\n" * many + b"\r\n",
            "no colon": get + b"nonsense " * 5000 + b"\r\n\r\n", "a vast line": b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\n\r\n",
            "folded": get + b"X: y\r\n" + b" z\r\n" * many + b"\r\n", "a vast method": b"G" * 100000 + b" / HTTP/1.1\r\n\r\n",
            "no end": get + b"X" * 100000, "NULs": b"\0" * 100000, "noise": b"G" + dice.randbytes(50000), "another protocol": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "version 9": b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", "line ends": b"\n" * 100000 + b"x\r\n\r\n"}.items():
        yield name, server.talk(data, is_half_closed=True), "http"
    # Requests that nobody waits for: as many answers as fit, and no others harmed.
    with server.connect() as stream:
        stream.setblocking(False)
        try:
            for _ in range(int(5000 * size)):
                stream.send(b"GET /api/v1/namespaces HTTP/1.1\r\n" + AUTH + b"\r\n")
        except OSError:
            pass
        yield "many in one connection, no answer read", True, ""


def tls(server, dice, size):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
    for name, data in {"cut": hello, "noise": hello + dice.randbytes(2000), "a vast record": b"\x16\x03\x01\xff\xff" + b"x" * 70000,
                       "alerts": b"\x16\x03\x01\x00\x02" + b"\x15\x03\x01\x00\x02\x01\x00" * 5000, "SSL 2": b"\x80\x2e\x01\x03\x01" + b"\0" * 40,
                       "zeros": b"\x16" + b"\0" * 100000}.items():
        for _ in range(int(20 * size) + 1):
            answer = server.talk(data, is_half_closed=True)
        yield name, answer.status is None or answer.status == 400, "cut off"
    for name, data in {"garbage inside": b"\0\xff" * 5000, "half a request": b"GET /livez HTTP/1.1\r\nHost: x\r\n"}.items():
        with server.connect() as stream, context.wrap_socket(stream) as secure:
            secure.sendall(data)
        yield name, True, ""
    # The record layer is broken behind the handshake.
    with server.connect() as stream:
        secure = context.wrap_socket(stream)
        socket.socket(fileno=secure.detach()).sendall(b"\x17\x03\x03\x40\x00" + dice.randbytes(0x4000))
    yield "a forged record", True, ""
    with server.connect() as stream, context.wrap_socket(stream) as secure:
        secure.sendall(b"GET /livez HTTP/1.1\r\n" + AUTH + b"Connection: close\r\n\r\n")
        yield "and a good one", secure.recv(100).startswith(b"HTTP/1.1 200"), "200"


def watches(server, dice, size):
    """Watches that nobody reads, with selectors, while objects change."""
    held = []
    for number in range(int(1500 * size)):
        query = dice.choice(["", f"&labelSelector=a{number}=b", "&fieldSelector=metadata.name=x", "&allowWatchBookmarks=true&sendInitialEvents=true&"
                             "resourceVersionMatch=NotOlderThan", "&resourceVersion=1", "&resourceVersion=0&timeoutSeconds=999999999"])
        one = server.connect()
        held.append(one)
        one.sendall(f"GET {MAPS}?watch=1{query} HTTP/1.1\r\n".encode() + AUTH + b"\r\n")
    yield f"{len(held)} open", True, ""
    for number in range(int(100 * size)):
        answer = server.ask("POST", MAPS, json.dumps({"metadata": {"name": f"flood-{number}"}, "data": {"x": "y" * 100000}}))
    yield "objects change", answer, "done"
    yield "all deleted", server.ask("DELETE", MAPS), "done"
    for one in held:
        one.close()
    yield "gone", True, ""
    for query in ("resourceVersion=99999999999999999999", "resourceVersion=-1", "resourceVersion=x", "timeoutSeconds=-9", "sendInitialEvents=true",
                  "sendInitialEvents=maybe", "resourceVersionMatch=Exact&resourceVersion=1"):
        yield query, server.ask("GET", f"{MAPS}?watch=1&timeoutSeconds=1&{query}"), "either"


ENTRIES = [idle, half_closed, slow, chunks, unfinished, heads, tls, watches]
