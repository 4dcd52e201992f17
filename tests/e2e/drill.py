"""What drills in Python share: verdicts and their count, calls to an API server (a sandbox over plain HTTP with token "e2e", or
any over TLS), waiting for something, kubeconfigs."""

import http.client
import json
import random
import socket
import sys
import threading
import time

PATIENCE = 120  # seconds until something that must come is missed
counts = {True: 0, False: 0}


def judge(name, is_good, found=""):
    counts[bool(is_good)] += 1
    if is_good and name.startswith("sched-"):
        print(f"ok {name}")
    if not is_good:
        print(f"FAIL {name}: {str(found)[:3000]}")


def finish():
    """Tells the counts and ends the program."""
    print(f"{counts[True]} passed, {counts[False]} failed")
    sys.exit(counts[False] > 0)


def until(what, condition):
    """The first answer that is true; None, and judged, when there is none in time."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    judge("never came: " + what, False)
    return None


RESERVED = []  # a name for each port that this process was given, while it lives


def free_port():
    """One that no outgoing connection gets by chance, and no other test that runs now."""
    while True:
        port, name = random.randrange(20000, 32000), socket.socket(socket.AF_UNIX)
        with socket.socket() as probe:
            try:
                name.bind(f"\0berth-test-port-{port}")
                probe.bind(("127.0.0.1", port))
            except OSError:
                name.close()
                continue
        RESERVED.append(name)
        return port


def port_of(url):
    return int(url.rsplit(":", 1)[1])


class Sandbox:
    def __init__(self, port, token="e2e", patience=PATIENCE):
        self.port, self.token, self.patience = port, token, patience

    def __call__(self, method, path, body=None, content_type="application/json"):
        text = body if isinstance(body, str) else json.dumps(body, separators=(",", ":")) if body else None
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.patience)
        connection.request(method, path, text,
                           {"Authorization": f"Bearer {self.token}", "Content-Type": content_type})
        answer = connection.getresponse()
        content = json.loads(answer.read() or b"{}")
        connection.close()
        return answer.status, content


class Api:
    """Calls over one connection per thread, over TLS with a context. Refused connections and 429 are tried again."""

    def __init__(self, port, context=None, token=""):
        self.port, self.context, self.token, self.local = port, context, token, threading.local()

    def connect(self):
        if self.context:
            return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE, context=self.context)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def raw(self, method, path, body=None, content_type="application/json"):
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        text = None if body is None else body if isinstance(body, str) else json.dumps(body, separators=(",", ":"))
        end = time.monotonic() + PATIENCE
        while True:
            try:
                if not hasattr(self.local, "connection"):
                    self.local.connection = self.connect()
                self.local.connection.request(method, path, text, {**headers, "Content-Type": content_type})
                answer = self.local.connection.getresponse()
                content = answer.read()
                if answer.status != 429:
                    return answer.status, content
            except (OSError, http.client.HTTPException):
                del self.local.connection
                if time.monotonic() > end:
                    raise
            time.sleep(0.2)

    def __call__(self, method, path, body=None, content_type="application/json"):
        status, content = self.raw(method, path, body, content_type)
        return status, json.loads(content or b"{}")


def write_kubeconfig(path, port, token="e2e"):
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": "u", "user": {"token": token}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
    return str(path)
