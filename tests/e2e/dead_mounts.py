"""Daemons beside files on a mount that does not answer, and on a full disk: dead_mounts.py BERTH MODULE. The module
(dead_mount.c) holds up calls on paths with "dead-mount" in them. While one is held up health checks answer, Leases are
renewed and SIGTERM ends the process; no pod is ended without its line in the audit log."""

import base64
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request

from drill import PATIENCE, Sandbox, finish, free_port, judge, until

BERTH, MODULE = (os.path.abspath(argument) for argument in sys.argv[1:3])
GROUP = "/apis/lifecycle.berth.dev/v1alpha1/namespaces/default"
PODS = "/api/v1/namespaces/default/pods"
RENEWALS = 3
SCHEDULER = ("scheduler", "--authentication-skip-lookup", "--authorization-always-allow-paths=/*")
trust_all = ssl._create_unverified_context()


class Scene:
    """A sandbox, and a daemon with files below self.dead or self.full."""

    def __init__(self, name):
        self.name = name
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-dead-"))
        self.dead = self.folder / "dead-mount"
        self.full = self.folder / "full-disk"
        self.dead.mkdir()
        self.full.mkdir()
        self.switch, self.calls = self.folder / "switch", self.folder / "calls"
        self.part, self.stream = "dead-mount", None
        self.log, self.lease = self.folder / "log", f"dead-{name}"
        self.api_port, self.port = free_port(), free_port()
        self.config = self.folder / "kubeconfig"
        self.programs = [subprocess.Popen(
            [BERTH, "sandbox", "--listen", f"127.0.0.1:{self.api_port}", "--nodes", "1", "--token", "e2e",
             "--kubeconfig-out", str(self.config)],
            stdout=subprocess.DEVNULL, stderr=open(self.folder / "sandbox", "wb"))]
        until("the sandbox", lambda: self.config.exists() and "e2e" in self.config.read_text()) or print(
            (self.folder / "sandbox").read_text())
        self.sandbox = Sandbox(self.api_port)

    def api(self, *arguments):
        try:
            return self.sandbox(*arguments)
        except ValueError:  # a path that is not served
            return 404, {}

    def judge(self, what, is_good, found=""):
        judge(f"{self.name}: {what}", is_good, found or self.log.read_text())

    def until(self, what, condition):
        return until(f"{self.name}: {what}", condition)

    def kubeconfig(self, user, cluster=None):
        """One with another user, and other members of the cluster."""
        path = self.folder / "kubeconfig.json"
        cluster = {"server": f"http://127.0.0.1:{self.api_port}", **(cluster or {})}
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": cluster}], "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
        return path

    def start(self, *arguments, config=None):
        """self.part: what paths on the mount that does not answer have in them; self.stream: in place of the log."""
        log = self.stream or self.log.open("a")
        self.daemon = subprocess.Popen(
            [BERTH, *arguments, "--kubeconfig", str(config or self.config)], stdout=log, stderr=log,
            env={**os.environ, "LD_PRELOAD": MODULE, "DEAD_SWITCH": str(self.switch),
                 "DEAD_CALLS": str(self.calls), "DEAD_PART": self.part, "HOME": str(self.folder)})
        self.programs.append(self.daemon)

    def start_leader(self, *arguments, config=None):
        self.start(*arguments, "--bind-address", "127.0.0.1", "--secure-port", str(self.port),
                   "--leader-elect-resource-name", self.lease, config=config)
        self.until("leads", lambda: self.renewed() and self.page("/readyz")[0] == 200)

    def page(self, path, context=trust_all):
        try:
            with urllib.request.urlopen(f"https://127.0.0.1:{self.port}{path}", timeout=PATIENCE,
                                        context=context) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def renewed(self):
        status, lease = self.api("GET", f"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{self.lease}")
        return lease["spec"]["renewTime"] if status == 200 else None

    def hang(self, call=None):
        """From now on the mount does not answer; waits until the daemon has found that out."""
        self.switch.touch()
        if call:
            self.wait_for_hang(call)

    def wait_for_hang(self, call):
        self.until(f"{call} is held up", lambda: call in self.held_up())

    def held_up(self):
        return self.calls.read_text().split() if self.calls.exists() else []

    def answer(self):
        self.switch.unlink()
        self.calls.unlink(missing_ok=True)

    def lives(self, has_lease=True):
        """Health checks answer and the Lease is renewed, several times over."""
        for _ in range(RENEWALS if has_lease else 0):
            before = self.renewed()
            if not self.until("the Lease is renewed", lambda: self.renewed() != before):
                return
            status, text = self.page("/healthz")
            self.judge("healthz", status == 200, text)
            self.judge("livez", self.page("/livez")[0] == 200)

    def late(self):
        """The daemon says so, once for each hang, and counts it."""
        self.until("is logged", lambda: "FileDoesNotAnswer" in self.log.read_text())
        self.until("is counted", lambda: re.search(r"^berth_late_files [1-9]", self.page("/metrics")[1], re.M))

    def ends(self, code=0):
        """By SIGTERM, while the mount does not answer."""
        self.judge("is alive", self.daemon.poll() is None)
        self.daemon.send_signal(signal.SIGTERM)
        try:
            self.judge("ends", self.daemon.wait(timeout=PATIENCE) == code, self.daemon.returncode)
        except subprocess.TimeoutExpired:
            self.judge("ends", False, "SIGTERM without effect")

    def one_thread_a_file(self):
        held_up = self.held_up()
        self.judge("one call is held up", len(held_up) == 1, held_up)

    def pod(self, name):
        self.api("POST", PODS, {"metadata": {"name": name, "labels": {"app": name}}, "spec": {
            "nodeName": "node-0", "containers": [{"name": "c", "image": "x"}]}})
        self.until(f"pod {name} runs", lambda: self.api("GET", f"{PODS}/{name}")[1].get("status", {}).get("phase") ==
                   "Running")

    def request(self, name):
        uid = self.api("GET", f"{PODS}/{name}")[1]["metadata"]["uid"]
        self.api("POST", f"{GROUP}/evictionrequests", {
            "apiVersion": "lifecycle.berth.dev/v1alpha1", "kind": "EvictionRequest", "metadata": {"name": name},
            "spec": {"target": {"pod": {"name": name, "uid": uid}}, "requester": "test.example.com/e2e",
                     "intent": "Eviction"}})

    def has_pod(self, name):
        status, pod = self.api("GET", f"{PODS}/{name}")
        return status == 200 and "deletionTimestamp" not in pod["metadata"]

    def close(self):
        self.switch.unlink(missing_ok=True)
        for program in self.programs:
            if program.poll() is None:
                program.kill()
            program.wait()
        shutil.rmtree(self.folder)


def token(scene):
    """The bearer token's file: read again each minute."""
    (scene.dead / "token").write_text("e2e")
    scene.start_leader(*SCHEDULER, config=scene.kubeconfig({"tokenFile": str(scene.dead / "token")}))
    scene.hang("open")
    scene.late()
    scene.lives()
    scene.one_thread_a_file()
    scene.answer()
    scene.until("goes on", lambda: "FileAnswersAgain" in scene.log.read_text())
    scene.lives()
    scene.hang()
    scene.ends()


def beginning(scene):
    """A process that waits for its files at the start ends by SIGTERM, too, and takes no Lease."""
    (scene.dead / "token").write_text("e2e")
    scene.switch.touch()
    scene.start(*SCHEDULER, "--leader-elect-resource-name", scene.lease,
                config=scene.kubeconfig({"tokenFile": str(scene.dead / "token")}))
    scene.wait_for_hang("open")
    scene.judge("takes no Lease", not scene.renewed())
    scene.ends(-signal.SIGTERM)


def authority(scene):
    """The cluster's certificate authority."""
    data = re.search(r'certificate-authority-data"?: "?([\w+/=]+)', scene.config.read_text()).group(1)
    (scene.dead / "ca.crt").write_bytes(base64.b64decode(data))
    scene.start_leader(*SCHEDULER, config=scene.kubeconfig(
        {"token": "e2e"}, {"server": f"https://127.0.0.1:{scene.api_port}",
                           "certificate-authority": str(scene.dead / "ca.crt")}))
    scene.hang("open")
    scene.late()
    scene.lives()
    scene.one_thread_a_file()
    scene.ends()


def plugin(scene):
    """A credential plugin, run again before its token ends."""
    path = scene.dead / "plugin"
    path.write_text("""#!/bin/sh
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"e2e",'
echo '"expirationTimestamp":"'$(date -u -d '+29 seconds' +%Y-%m-%dT%H:%M:%SZ)'"}}'
""")
    path.chmod(0o755)
    scene.start_leader(*SCHEDULER, config=scene.kubeconfig({"exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "command": str(path), "interactiveMode": "Never"}}))
    scene.hang("spawn")
    for _ in range(RENEWALS):
        scene.judge("healthz", scene.page("/livez")[0] == 200)
    scene.ends()


def hooks(scene):
    """The folder of the programs that stages run."""
    hook = scene.dead / "write-back"
    hook.write_text("#!/bin/sh\nexit 0\n")
    hook.chmod(0o755)
    scene.start_leader("evictions", "--hook-directory", str(scene.dead), "--no-audit-output")
    scene.until("definitions", lambda: scene.api("GET", "/apis/lifecycle.berth.dev/v1alpha1/evictionpolicies")[0] == 200)
    scene.api("POST", f"{GROUP}/evictionpolicies", {
        "apiVersion": "lifecycle.berth.dev/v1alpha1", "kind": "EvictionPolicy", "metadata": {"name": "p"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}, "stages": [
            {"name": "write-back", "kind": "exec", "timeout": "10m", "exec": {"command": "write-back"}},
            {"name": "evict", "kind": "evict"}]}})
    scene.pod("a")
    scene.hang()
    scene.request("a")
    scene.wait_for_hang("spawn")
    scene.late()
    scene.lives()
    scene.judge("the pod waits for its stage", scene.has_pod("a"))
    scene.answer()
    scene.until("the stage ran and the pod was evicted", lambda: not scene.has_pod("a"))
    scene.ends()


def make_certificate(folder):
    for name in ("tls.crt", "tls.key"):
        (folder / name).unlink(missing_ok=True)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "1", "-subj", "/CN=visitor", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                    str(folder / "tls.key"), "-out", str(folder / "tls.crt")], check=True, capture_output=True)


def webhook(scene):
    """The certificate of the admission webhook."""
    make_certificate(scene.dead)
    scene.start_leader("evictions", "--no-audit-output", "--webhook-listen", f"127.0.0.1:{free_port()}",
                       "--webhook-cert", str(scene.dead / "tls.crt"), "--webhook-key", str(scene.dead / "tls.key"))
    scene.hang("open")
    scene.late()
    scene.lives()
    scene.one_thread_a_file()
    scene.ends()


def visitors(scene):
    """The authorities of visitors of the pages."""
    make_certificate(scene.dead)
    visitor = ssl._create_unverified_context()
    visitor.load_cert_chain(scene.dead / "tls.crt", scene.dead / "tls.key")
    scene.start_leader(*SCHEDULER, "--client-ca-file", str(scene.dead / "tls.crt"))
    scene.hang()
    scene.judge("a visitor is known", scene.page("/healthz", visitor)[0] == 200)
    scene.wait_for_hang("open")
    scene.late()
    scene.lives()
    scene.judge("and stays so", scene.page("/healthz", visitor)[0] == 200)
    scene.one_thread_a_file()
    scene.ends()


def start_reboot_agent(scene, *arguments):
    """Returns what reads its metrics."""
    scene.api("POST", "/apis/apps/v1/namespaces/kube-system/daemonsets", {
        "metadata": {"name": "kured"}, "spec": {
            "selector": {"matchLabels": {"app": "kured"}},
            "template": {"metadata": {"labels": {"app": "kured"}},
                         "spec": {"containers": [{"name": "c", "image": "kured:1"}]}}}})
    (scene.folder / "boot").write_text("first")
    scene.start("reboot", "--node-id", "node-0", "--period", "1s", "--nsenter=false", "--boot-id-file",
                str(scene.folder / "boot"), "--metrics-host", "127.0.0.1", "--metrics-port", str(scene.port), *arguments)

    def metrics():
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{scene.port}/metrics", timeout=PATIENCE) as answer:
                return answer.read().decode()
        except OSError:
            return ""

    scene.until("metrics", metrics)
    return metrics


def sentinel(scene):
    """The file that asks for a reboot: what was seen last counts."""
    metrics = start_reboot_agent(scene, "--reboot-sentinel", str(scene.dead / "required"), "--reboot-command", "/bin/true")
    scene.hang("stat")
    scene.until("is logged", lambda: "FileDoesNotAnswer" in scene.log.read_text())
    for _ in range(RENEWALS):
        scene.judge("metrics answer", "kured_reboot_required" in metrics())
    node = scene.api("GET", "/api/v1/nodes/node-0")[1]
    scene.judge("nothing is rebooted", not node["spec"].get("unschedulable"))
    scene.one_thread_a_file()
    scene.ends()


def logind(scene):
    """A bus that takes the order to reboot and is silent. An order ends by itself, so several are looked at: the metrics
    must answer while one of them is open."""
    bus = socket.socket(socket.AF_UNIX)
    bus.bind(str(scene.folder / "bus"))
    bus.listen()
    bus.settimeout(PATIENCE)
    (scene.folder / "required").touch()
    metrics = start_reboot_agent(scene, "--reboot-sentinel", str(scene.folder / "required"), "--reboot-method", "logind",
                                 "--bus-socket", str(scene.folder / "bus"))

    def answers_meanwhile():
        order = bus.accept()[0]
        found = "kured_reboot_required" in metrics() and "RebootNotOrdered" not in scene.log.read_text()
        scene.log.write_text("")
        return found and order

    order = answers_meanwhile() or answers_meanwhile() or answers_meanwhile()
    scene.judge("metrics answer while logind does not", order)
    scene.ends()
    bus.close()


POLICY = """
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
%sprofiles:
- name: p
  pluginConfig:
  - name: LowNodeUtilization
    args: {%sthresholds: %s, targetThresholds: %s}
  plugins: {balance: {enabled: [LowNodeUtilization]}}
"""


def start_descheduler(scene, policy):
    (scene.folder / "policy").write_text(policy)
    scene.start_leader("descheduler", "--policy-config-file", str(scene.folder / "policy"), "--descheduling-interval", "1s",
                       "--authentication-skip-lookup", "--authorization-always-allow-paths=/*", "--leader-elect",
                       "--leader-elect-retry-period", "1s", "--leader-elect-renew-deadline", "10s",
                       "--leader-elect-lease-duration", "15s")


def profiles(scene):
    """The configuration of a scheduler of this node, which the descheduler looks for: it goes on without."""
    scene.api("POST", "/api/v1/namespaces/kube-system/pods", {
        "metadata": {"name": "kube-scheduler-node-0", "labels": {"component": "kube-scheduler"}},
        "spec": {"containers": [{"name": "c", "image": "x", "command": ["kube-scheduler", "--config=/etc/k/config"],
                                 "volumeMounts": [{"name": "k", "mountPath": "/etc/k"}]}],
                 "volumes": [{"name": "k", "hostPath": {"path": str(scene.dead)}}]}})
    scene.switch.touch()
    start_descheduler(scene, POLICY % ("", "", "{cpu: 10}", "{cpu: 50}"))
    scene.wait_for_hang("open")
    scene.lives()
    scene.late()
    scene.until("goes on", lambda: "SchedulerConfigurationNotRead" in scene.log.read_text())
    scene.until("passes", lambda: re.search(r"^descheduler_descheduler_loop_duration_seconds_count [1-9]",
                                            scene.page("/metrics")[1], re.M))
    scene.one_thread_a_file()
    scene.ends()


def prometheus(scene):
    """Token and authority of the mounted service account, for Prometheus: passes go on without its values."""
    scene.part = "kubernetes.io/serviceaccount"
    scene.switch.touch()
    provider = ("metricsProviders: [{source: Prometheus, prometheus: {url: \"https://127.0.0.1:1\"}}]\n",
                "metricsUtilization: {source: Prometheus, prometheus: {query: up}}, ")
    start_descheduler(scene, POLICY % (*provider, "{MetricResource: 10}", "{MetricResource: 50}"))
    scene.wait_for_hang("open")
    scene.lives()
    scene.late()
    scene.until("passes", lambda: re.search(r"^descheduler_descheduler_loop_duration_seconds_count [1-9]",
                                            scene.page("/metrics")[1], re.M))
    scene.one_thread_a_file()
    scene.answer()
    scene.until("goes on", lambda: "FileAnswersAgain" in scene.log.read_text())
    scene.lives()
    scene.ends()


def output(scene):
    """A pipe that is full, and that nobody reads: the log waits for its reader, and nothing else does."""
    scene.log.touch()
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, b"." * 65536)
    except BlockingIOError:
        os.set_blocking(writer, True)
    scene.stream = writer
    scene.start_leader("evictions")
    scene.pod("a")
    scene.until("definitions", lambda: scene.api("GET", f"{GROUP}/evictionrequests")[0] == 200)
    scene.request("a")
    scene.until("the pod is evicted", lambda: not scene.has_pod("a"))
    scene.lives()
    scene.judge("the writing end is as it was", os.get_blocking(writer))
    scene.ends()
    scene.stream = None
    scene.start_leader("evictions", "--no-audit-output")
    scene.until("the log is written", lambda: "Leading" in scene.log.read_text())
    scene.ends()
    os.close(reader)
    os.close(writer)


def operations(path):
    return [(line["op"], line.get("pod")) for line in map(json.loads, path.read_text().splitlines())]


def audit(scene):
    """The audit file: nothing is done before its line is on disk, and nothing of it is lost."""
    path = scene.dead / "audit"
    scene.start_leader("evictions", "--audit-file", str(path), "--no-audit-output")
    scene.until("definitions", lambda: scene.api("GET", f"{GROUP}/evictionrequests")[0] == 200)
    scene.pod("a")
    scene.pod("b")
    scene.hang()
    scene.request("a")
    scene.until("a line is held up", lambda: scene.held_up())
    scene.late()
    scene.lives()
    scene.judge("the pod lives", scene.has_pod("a"))
    scene.judge("nothing was called", ("evict-call", "a") not in operations(path))
    scene.judge("readyz says why", "audit file does not answer" in scene.page("/readyz")[1])
    scene.one_thread_a_file()
    scene.answer()
    scene.until("the pod is evicted when it answers", lambda: not scene.has_pod("a"))
    scene.until("its line is there", lambda: ("evict-call", "a") in operations(path))
    scene.until("ready again", lambda: scene.page("/readyz")[0] == 200)
    scene.hang()
    scene.request("b")
    scene.until("another line is held up", lambda: scene.held_up())
    scene.ends()
    scene.judge("pod b lives", scene.has_pod("b"))
    scene.judge("its line is in the log", "AuditLineNotWritten" in scene.log.read_text())
    verify(scene, path)


def verify(scene, path):
    found = subprocess.run([BERTH, "audit", "verify", str(path)], capture_output=True, text=True)
    scene.judge("the chain is intact", found.returncode == 0, found.stdout + found.stderr)


def full(scene):
    """A full disk below the audit file: the process ends and says why, and no line is lost."""
    path = scene.full / "audit"
    arguments = ("evictions", "--audit-file", str(path), "--no-audit-output")
    scene.start_leader(*arguments)
    scene.until("definitions", lambda: scene.api("GET", f"{GROUP}/evictionrequests")[0] == 200)
    scene.pod("a")
    scene.hang()
    scene.request("a")
    try:
        scene.judge("ends with 1", scene.daemon.wait(timeout=PATIENCE) == 1, scene.daemon.returncode)
    except subprocess.TimeoutExpired:
        scene.judge("ends with 1", False, "goes on")
    log = scene.log.read_text()
    scene.judge("says which file, and why", f"audit file {path}: cannot be written: No space left on device" in log)
    scene.judge("the pod lives", scene.has_pod("a"))
    verify(scene, path)
    lines = [json.loads(line)["seq"] for line in path.read_text().splitlines()]
    logged = [json.loads(json.loads(text))["seq"]
              for text in re.findall(r'AuditLineNotWritten line=("(?:[^"\\]|\\.)*")', log)]
    scene.judge("every line is in the file or in the log", lines + logged == list(range(1, len(lines + logged) + 1)) and
                logged, (lines, logged))
    scene.answer()
    scene.start_leader(*arguments)
    scene.until("evicted with space left", lambda: not scene.has_pod("a"))
    scene.ends()
    verify(scene, path)


def play(act):
    scene = Scene(act.__name__)
    try:
        act(scene)
    except Exception as error:  # a scene that breaks fails, and the others go on
        judge(f"{act.__name__}: {error!r}", False, scene.log.read_text() if scene.log.exists() else "")
    finally:
        scene.close()


if not shutil.which("openssl"):
    print("skipped: no openssl")
    sys.exit(77)
acts = [beginning, token, authority, plugin, hooks, webhook, visitors, sentinel, logind, profiles, prometheus, output,
        audit, full]
if len(sys.argv) > 3:
    acts = [act for act in acts if act.__name__ in sys.argv[3:]]
threads = [threading.Thread(target=play, args=(act,)) for act in acts]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
finish()
