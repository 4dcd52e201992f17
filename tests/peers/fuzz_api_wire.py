"""Both servers of the API fuzzer: starting, asking, ending."""

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import time
from urllib.parse import urlsplit

TOKEN = "fuzzing"


class Server:
    def __init__(self, url, token):
        self.url, self.token, self.link = urlsplit(url), token, None

    def connect(self):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.link = http.client.HTTPSConnection(self.url.hostname, self.url.port, timeout=30, context=context)

    def ask(self, method, path, content=None, body=None):
        """(status, body as JSON)."""
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json", "User-Agent": "fuzz/1"}
        if content:
            headers["Content-Type"] = content
        for attempt in (1, 2):
            if not self.link:
                self.connect()
            try:
                self.link.request(method, path, json.dumps(body) if body is not None else None, headers)
                answer = self.link.getresponse()
                text = answer.read()
                return answer.status, json.loads(text or b"{}") if text[:1] in (b"{", b"") else {"text": text.decode(errors="replace")}
            except (http.client.HTTPException, OSError):
                self.link = None
        return 0, {"text": f"no answer after {attempt} tries"}


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


def start_real(peers, folder):
    """etcd and kube-apiserver without controllers, on this machine only; their process ids are left in the folder."""
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
        "--disable-admission-plugins=ServiceAccount", "--enable-priority-and-fairness=false"], folder / "api.log"))
    (folder / "children").write_text(" ".join(str(child.pid) for child in reversed(children)))
    server = Server(f"https://127.0.0.1:{port}", TOKEN)
    wait_until(lambda: server.ask("GET", "/readyz")[0] == 200)
    wait_until(lambda: server.ask("GET", "/api/v1/namespaces/default")[0] == 200)
    return server


def stop_real(folder):
    children = folder / "children"
    for child in children.read_text().split() if children.exists() else ():
        try:
            os.kill(int(child), signal.SIGTERM)
            os.waitpid(int(child), 0)
        except (ProcessLookupError, ChildProcessError):
            continue


def start_berth(berth, folder):
    log = folder / "berth.log"
    process = start([berth, "sandbox", "--listen", "127.0.0.1:0", "--controllers", "none", "--nodes", "0", "--kubeconfig-out",
                     folder / "kubeconfig", "--token", TOKEN], log)
    wait_until(lambda: b"kubeconfig " in log.read_bytes(), 10)
    url = next(line.split()[-1] for line in log.read_text().splitlines() if line.startswith("listening on"))
    return Server(url, TOKEN), process
