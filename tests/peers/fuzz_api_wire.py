"""Connections of fuzz_api.py, and the two servers it talks to."""

import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import time
import urllib.parse

TOKEN = "fuzz-fuzz-fuzz-fuzz-fuzz-fuzz-fuzz-fuzz-fuzz"


class Server:
    """One kept connection. A request is sent and its answer read apart, so that two servers can work at once."""

    def __init__(self, url, token, name):
        self.url, self.name, self.link, self.sent = urllib.parse.urlsplit(url), name, None, None
        self.head = f"Host: {self.url.netloc}\r\nAuthorization: Bearer {token}\r\nUser-Agent: fuzz/1\r\n"

    def connect(self):
        link = socket.create_connection((self.url.hostname, self.url.port), 15)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.url.scheme == "https":
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            link = context.wrap_socket(link, server_hostname=self.url.hostname)
        self.link, self.rest = link, b""

    def send(self, method, path, content=None, text=None, accept="application/json"):
        kind = (f"Content-Type: {content}\r\n" if content else "") + f"Accept: {accept}\r\n"
        body = (text or "").encode()
        self.sent = f"{method} {path} HTTP/1.1\r\n{self.head}{kind}Content-Length: {len(body)}\r\n\r\n".encode() + body
        if not self.link:
            self.connect()
        try:
            self.link.sendall(self.sent)
        except OSError:
            self.link = None

    def read(self):
        """(status, texts of warnings, text of the body). A connection that went away is tried once more."""
        for _ in (1, 2):
            try:
                if not self.link:
                    self.connect()
                    self.link.sendall(self.sent)
                return self.read_answer()
            except (OSError, EOFError, ValueError):
                self.link = None
        return 0, [], "no answer"

    def more(self):
        data = self.link.recv(65536)
        if not data:
            raise EOFError
        self.rest += data

    def until(self, mark):
        while mark not in self.rest:
            self.more()
        part, self.rest = self.rest.split(mark, 1)
        return part

    def exactly(self, count):
        while len(self.rest) < count:
            self.more()
        part, self.rest = self.rest[:count], self.rest[count:]
        return part

    def read_answer(self):
        head = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        status, fields = int(head[0].split()[1]), [line.partition(":")[::2] for line in head[1:]]
        known = {name.lower(): value.strip() for name, value in fields}
        if known.get("transfer-encoding") == "chunked":
            text = b""
            while size := int(self.until(b"\r\n"), 16):
                text += self.exactly(size)
                self.exactly(2)
            self.exactly(2)
        else:
            text = self.exactly(int(known.get("content-length", 0)))
        if known.get("connection") == "close":
            self.link = None
        warnings = [text for name, value in fields if name.lower() == "warning"  # several may share a header
                    for text in re.findall(r'299 \S+ "((?:[^"\\]|\\.)*)"', value)]
        return status, warnings, text.decode(errors="replace")

    def ask(self, method, path, content=None, body=None):
        self.send(method, path, content, None if body is None else json.dumps(body))
        status, warnings, text = self.read()
        return status, warnings, json.loads(text) if text[:1] == "{" else {}


def free_port():
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


def wait_until(is_true, patience=90):
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            if is_true():
                return
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.2)
    raise TimeoutError("a server did not start")


def start(words, log):
    with log.open("wb") as out:
        return subprocess.Popen([str(word) for word in words], stdout=out, stderr=out, stdin=subprocess.DEVNULL)


def start_real(peers, folder, gates=""):
    """etcd and kube-apiserver without controllers, on this machine only; their process ids are left in the folder. Its address."""
    etcd, peer, port = free_port(), free_port(), free_port()
    subprocess.run(["openssl", "genrsa", "-out", str(folder / "sa.key"), "2048"], check=True, capture_output=True)
    (folder / "tokens.csv").write_text(f'{TOKEN},admin,admin-uid,"system:masters"\n')
    children = [start([
        peers / "etcd", "--data-dir", folder / "etcd", "--listen-client-urls", f"http://127.0.0.1:{etcd}", "--advertise-client-urls",
        f"http://127.0.0.1:{etcd}", "--listen-peer-urls", f"http://127.0.0.1:{peer}", "--initial-advertise-peer-urls",
        f"http://127.0.0.1:{peer}", "--initial-cluster", f"default=http://127.0.0.1:{peer}", "--unsafe-no-fsync"], folder / "etcd.log")]
    children.append(start([
        peers / "kube-apiserver", f"--etcd-servers=http://127.0.0.1:{etcd}", "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
        f"--secure-port={port}", f"--cert-dir={folder / 'certs'}", "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={folder / 'sa.key'}", f"--service-account-signing-key-file={folder / 'sa.key'}",
        f"--token-auth-file={folder / 'tokens.csv'}", "--authorization-mode=RBAC", "--service-cluster-ip-range=10.96.0.0/16",
        "--disable-admission-plugins=ServiceAccount", "--enable-priority-and-fairness=false", "--allow-privileged=true",
        *([f"--feature-gates={gates}", "--runtime-config=scheduling.k8s.io/v1alpha2=true"] if gates else [])],
        folder / "api.log"))
    (folder / "children").write_text(" ".join(str(child.pid) for child in reversed(children)))
    server = Server(f"https://127.0.0.1:{port}", TOKEN, "real")
    wait_until(lambda: server.ask("GET", "/readyz")[0] == 200)
    wait_until(lambda: server.ask("GET", "/api/v1/namespaces/default")[0] == 200)
    return f"https://127.0.0.1:{port}"


def stop_real(folder):
    children = folder / "children"
    for child in children.read_text().split() if children.exists() else ():
        try:
            os.kill(int(child), signal.SIGTERM)
            os.waitpid(int(child), 0)
        except (ProcessLookupError, ChildProcessError):
            continue


def start_berth(berth, folder, gates=""):
    """Its address, and the process."""
    log = folder / "berth.log"
    process = start([berth, "sandbox", "--listen", "127.0.0.1:0", "--controllers", "none", "--nodes", "0", "--kubeconfig-out",
                     folder / "kubeconfig", "--token", TOKEN, *(["--feature-gates", gates] if gates else [])], log)
    wait_until(lambda: b"kubeconfig " in log.read_bytes(), 10)
    return next(line.split()[-1] for line in log.read_text().splitlines() if line.startswith("listening on")), process
