"""Everything the Descheduler and kured show their users, run with berth: upstream.py BERTH SOURCES. For `make upstream`; by hand.

SOURCES holds checkouts of the two projects. Each policy is checked and makes a dry pass on a sandbox; each manifest is applied, and what its
container runs is run under that name, with the rights of its account, until its first pass or first look at the sentinel; each option is
given. Prints a table, one line for each, and "N passed, M failed". docs/internals/upstream.md says what may differ.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "e2e")]

import drill  # noqa: E402 pylint: disable=wrong-import-position
import sources  # noqa: E402 pylint: disable=wrong-import-position

PATIENCE_S = 30
SYSTEM = "kube-system"
NODE = "node-1"
# Options that nobody has any more, in command lines of pages: the Descheduler refuses them as berth does.
GONE = {"--evict-local-storage-pods"}
# Values of options that name no default in the page.
VALUES = {"bind-address": "127.0.0.1", "client-connection-burst": "50", "client-connection-qps": "20", "feature-gates": "EvictionsInBackground=true",
          "descheduling-interval": "0s", "log-json-info-buffer-size": "0", "log-text-info-buffer-size": "0", "logging-format": "text",
          "secure-port": "0", "http2-max-streams-per-connection": "100", "v": "3", "vmodule": "a=1", "tls-min-version": "VersionTLS12",
          "tls-cipher-suites": "TLS_AES_128_GCM_SHA256", "tls-curve-preferences": "29", "otel-trace-namespace": "default",
          "leader-elect-resource-namespace": SYSTEM}
FILES = {"kubeconfig": "kubeconfig", "client-connection-kubeconfig": "kubeconfig", "policy-config-file": "policy.yaml", "cert-dir": "certificates",
         "tls-cert-file": "tls.crt", "tls-private-key-file": "tls.key", "otel-transport-ca-cert": "tls.crt"}
OLD = "descheduler/v1alpha1"
POLICY = {"apiVersion": "descheduler/v1alpha2", "kind": "DeschedulerPolicy", "profiles": [{
    "name": "p", "pluginConfig": [{"name": "RemoveFailedPods", "args": {}}], "plugins": {"deschedule": {"enabled": ["RemoveFailedPods"]}}}]}


# Names of objects that stand for the user's own.
NAMES = r"\bpriority(?:ClassName|class)1\b"
# Policies of pages that the Descheduler itself refuses, by what is in them.
MISTAKES = {r"enabled: *\n *- name:": "an object where a plugin's name belongs", r"- name: \"?Example\b": "the sample plugin of that page, which is in no program",
            r"nodeResourceUtilizationThresholds:\n(?: {8}.*\n)* {8}nodeFit": "a field of strategies among the thresholds"}


class Stage:
    """A sandbox with pods to look at, and programs of other names."""

    def __init__(self, berth, folder):
        self.berth, self.folder, self.count = berth, folder, 0
        for name in ("descheduler", "kured"):
            (folder / name).symlink_to(berth)
        (folder / "certificates").mkdir()
        (folder / "policy.yaml").write_text(json.dumps(POLICY))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", "/CN=x",
                        "-keyout", folder / "tls.key", "-out", folder / "tls.crt"], check=True, capture_output=True)
        self.kubeconfig = folder / "kubeconfig"
        self.environment = dict(os.environ, KUBECONFIG=str(self.kubeconfig))
        with (folder / "sandbox.log").open("w") as log:
            self.sandbox = subprocess.Popen([berth, "sandbox", "--listen", "127.0.0.1:0", "--nodes", "4", "--seed", "1", "--kubeconfig-out", self.kubeconfig],
                                            stdout=log, stderr=log)
        self.wait(lambda: "kubeconfig" in (folder / "sandbox.log").read_text())
        self.kubectl("apply", "-f", "-", text=json.dumps({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
            "replicas": 6, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {
                "nodeName": "node-0", "containers": [{"name": "c", "image": "x", "resources": {"requests": {"cpu": "100m"}}}]}}}}))
        self.kubectl("rollout", "status", "deployment/web", "--timeout=60s")

    def end(self):
        self.sandbox.terminate()
        self.sandbox.wait(30)

    @staticmethod
    def wait(is_done):
        until = time.monotonic() + PATIENCE_S
        while not is_done() and time.monotonic() < until:
            time.sleep(0.1)
        return bool(is_done())

    def kubectl(self, *words, text=None):
        return subprocess.run([os.environ.get("BERTH_KUBECTL", "kubectl"), *map(str, words)], input=text, capture_output=True, text=True, check=False,
                              timeout=120, env=self.environment)

    def account(self, name):
        """A kubeconfig of this account of kube-system."""
        self.count += 1
        path, token = self.folder / f"account-{self.count}", self.kubectl("-n", SYSTEM, "create", "token", name).stdout.strip()
        path.write_text(self.kubectl("config", "view", "--raw", "--minify", "--flatten").stdout)
        words = ("--kubeconfig", path, "config")
        self.kubectl(*words, "set-credentials", "account", "--token", token)
        self.kubectl(*words, "set-context", "--current", "--user", "account")
        return path

    def run(self, words):
        done = subprocess.run([self.folder / "descheduler", *map(str, words)], capture_output=True, text=True, check=False, timeout=120,
                              cwd=self.folder, env={**self.environment, "KUBECONFIG": ""})
        return done.returncode, done.stdout + done.stderr


def wrong_lines(log):
    return re.findall(r"^(?:error .*|.*[Ff]orbidden.*|berth [a-z]+: (?!.*: deprecated, use).*)$", log, re.MULTILINE)


class Table:
    def __init__(self):
        self.counts = {True: 0, False: 0}

    def row(self, kind, where, is_good, said):
        self.counts[bool(is_good)] += 1
        print(f"{'ok' if is_good else 'FAILED':7}{kind:10}{where:72} {' '.join(str(said).split())[-300:]}", flush=True)


def pass_of(stage, *words):
    """(is well, what to say) of one dry pass with these options."""
    code, log = stage.run(["--client-connection-kubeconfig", stage.kubeconfig, "--secure-port", "0", "--dry-run", *words])
    wrong = wrong_lines(log)
    passed = re.search(r"DeschedulingPass nodes=(\d+) evictions=(\d+)", log)
    if code or wrong or not passed:
        return False, f"exit code {code}: {wrong[:2] or log[-300:]}"
    return True, f"a pass over {passed.group(1)} nodes, {passed.group(2)} evictions"


def migrated(stage, table, where, file):
    """A policy of an older API version is lifted, as its user has to."""
    if OLD not in file.read_text():
        return
    done = subprocess.run([stage.berth, "config", "migrate", file], capture_output=True, text=True, check=False)
    table.row("migrate", where, done.returncode == 0, done.stderr if done.returncode else f"{done.stderr.count(': now ')} fields moved")
    if done.returncode == 0:
        file.write_text(done.stdout)


def check_policy(stage, table, where, text):
    file, (rest, hole) = stage.folder / "checked.yaml", sources.outline(text)
    file.write_text(text)
    if hole:  # as YAML has it: a list where a key belongs
        done = subprocess.run([stage.berth, "config", "check", file], capture_output=True, text=True, check=False)
        table.row("outline", f"{where}", f"checked.yaml:{hole}:" in done.stdout + done.stderr, f'line {hole} is "[...]", refused; without such lines:')
    file.write_text(re.sub(NAMES, "system-cluster-critical", rest))
    mistake = next((why for pattern, why in MISTAKES.items() if re.search(pattern, rest)), None)
    if mistake:
        done = subprocess.run([stage.berth, "config", "migrate" if OLD in rest else "check", file], capture_output=True, text=True, check=False)
        line = re.search(r"checked\.yaml:(\d+):\d+: (?!apiVersion)", done.stdout + done.stderr)
        table.row("mistake", where, done.returncode and line, f"{mistake}: refused, line {line.group(1) if line else '?'}")
        return
    migrated(stage, table, where, file)
    done = subprocess.run([stage.berth, "config", "check", file], capture_output=True, text=True, check=False)
    if done.returncode:
        table.row("policy", where, False, done.stdout + done.stderr)
    else:
        table.row("policy", where, *pass_of(stage, "--policy-config-file", file))


def check_commands(stage, table, folder):
    for where, words in sources.commands(folder):
        if "--help" in words:
            code, said = stage.run(words)
            table.row("command", where, code == 0 and said.startswith("berth descheduler"), "prints the help")
            continue
        gone = [word for word in words if word in GONE]
        words = [re.sub(r"(policy-config-file[= ]).*", rf"\1{stage.folder}/policy.yaml", word) for word in words if word not in GONE]
        is_good, said = pass_of(stage, *words)
        refused = not gone or stage.run(gone)[0] != 0
        table.row("command", where, is_good and refused, said + (f"; without {' '.join(gone)}, which the Descheduler has no more" if gone else ""))


def check_options(stage, table, folder):
    for name, kind, default in sources.descheduler_options(folder):
        value = stage.folder / FILES[name] if name in FILES else VALUES.get(name, default)
        words = [f"--{name}"] if kind == "bool" else [f"--{name}={value if value is not None else ''}"]
        if name in ("tls-cert-file", "tls-private-key-file"):
            words = [f"--{other}={stage.folder / FILES[other]}" for other in ("tls-cert-file", "tls-private-key-file")]
        if name == "help":
            code, out = stage.run(words)
            table.row("option", " ".join(words), code == 0 and out.startswith("berth descheduler"), "prints the help")
            continue
        if name == "leader-elect":  # not with a dry pass, nor with a single one
            line = ["descheduler", "--policy-config-file", str(stage.folder / "policy.yaml"), "--leader-elect", "--descheduling-interval=1h", "--secure-port=0"]
            table.row("option", "--leader-elect", *run_container(stage, line, stage.kubeconfig))
            continue
        policy = [] if name == "policy-config-file" else ["--policy-config-file", stage.folder / "policy.yaml"]
        table.row("option", " ".join(words).replace(str(stage.folder), "."), *pass_of(stage, *policy, *words))


# ---- manifests

def applied(stage, words):
    """(objects as the API server has them, what kubectl says)"""
    done = stage.kubectl("apply", "-o", "json", *words)
    if done.returncode:
        return [], done.stderr
    found = json.loads(done.stdout)
    return found["items"] if found["kind"] == "List" else [found], ""


def check_descheduler(stage, table, where, words):
    objects, said = applied(stage, words)
    if not objects:
        table.row("manifest", where, False, said)
        return
    pod = sources.pod_of(sources.workload_of(objects))
    container = pod["containers"][0]
    (stage.folder / "policy-dir").mkdir(exist_ok=True)
    for found in objects:
        for name, text in found.get("data", {}).items() if found["kind"] == "ConfigMap" else ():
            (stage.folder / "policy-dir" / name).write_text(text)
            migrated(stage, table, f"{where} {name}", stage.folder / "policy-dir" / name)
    line = [*container["command"], *container.get("args", [])]
    table.row("manifest", where, *run_container(stage, line, stage.account(pod["serviceAccountName"])))
    stage.kubectl("delete", *words, "--wait=true")


def run_container(stage, line, kubeconfig):
    """What a container runs, until it ended or, with an interval, until its first pass."""
    line = [word.replace("/policy-dir", str(stage.folder / "policy-dir")) for word in line]
    program, log = stage.folder / pathlib.Path(line[0]).name, stage.folder / "container.log"
    is_daemon = any("--descheduling-interval" in word for word in line)
    with log.open("w") as out:
        process = subprocess.Popen([program, *line[1:], "--client-connection-kubeconfig", kubeconfig, "--bind-address", "127.0.0.1"], stdout=out,
                                   stderr=out, cwd=stage.folder, env={**os.environ, "KUBECONFIG": ""})
    try:
        stage.wait(lambda: is_daemon and "DeschedulingPass" in log.read_text() or process.poll() is not None)
        code = process.poll()
    finally:
        process.terminate()
        process.wait(30)
    text = log.read_text()
    wrong = wrong_lines(text)
    if code != (None if is_daemon else 0) or wrong or "DeschedulingPass" not in text:
        return False, f"exit code {code}: {wrong[:2] or text[-300:]}"
    return True, "a pass, and goes on" if is_daemon else "a pass, and ends with 0"


def check_chart(stage, table, folder):
    """The chart's default command line with the chart's default policy."""
    values = sources.chart_values(folder)
    (stage.folder / "chart.yaml").write_text(sources.chart_policy(folder))
    migrated(stage, table, "charts/descheduler", stage.folder / "chart.yaml")
    options = [f"--{name}={value}" if value else f"--{name}" for name, value in values["cmdOptions"].items()]
    line = [*values.get("command", ["/bin/descheduler"]), "--policy-config-file=" + str(stage.folder / "chart.yaml"), *options]
    table.row("chart", "charts/descheduler", *run_container(stage, line, stage.kubeconfig))


def look_of(stage, line, kubeconfig, *more):
    """(is well, what to say) of an agent until it has looked at its sentinel once. The sentinel's file must not be there."""
    port, log = drill.free_port(), stage.folder / "agent.log"
    words = [stage.folder / pathlib.Path(line[0]).name, *line[1:], "--kubeconfig", kubeconfig, "--metrics-host", "127.0.0.1", "--metrics-port", str(port),
             *more]
    with log.open("w") as out:
        process = subprocess.Popen([str(word) for word in words], stdout=out, stderr=out, cwd=stage.folder,
                                   env={**os.environ, "KUBECONFIG": "", "KURED_NODE_ID": NODE})

    def metric():
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
                return re.search(rf'^kured_reboot_required{{node="{NODE}"}} 0$', answer.read().decode(), re.MULTILINE)
        except OSError:
            return None
    try:
        came = stage.wait(lambda: metric() or process.poll() is not None)
        code = process.poll()
    finally:
        process.terminate()
        process.wait(30)
    wrong = [line for line in wrong_lines(log.read_text()) if "poddisruptionbudgets" not in line]  # which upstream's role may not read
    if not came or code is not None or wrong:
        return False, f"exit code {code}: {wrong[:2] or log.read_text()[-300:]}"
    return True, "looked at its sentinel, no reboot required"


def check_kured(stage, table, folder):
    for where, words in sources.manifests("kured", folder):
        objects, said = applied(stage, words)
        if not objects:
            table.row("manifest", where, False, said)
            continue
        pod = sources.pod_of(sources.workload_of(objects))
        line = [*pod["containers"][0]["command"], *pod["containers"][0].get("args", [])]
        kubeconfig = stage.account(pod["serviceAccountName"])
        table.row("manifest", where, *look_of(stage, line, kubeconfig))
        for option in sources.kured_options((folder / where).read_text()):
            table.row("option", f"{where} {option}", *look_of(stage, [*line, option], kubeconfig))
        stage.kubectl("delete", *words, "--wait=true")


def check_all(stage, table, project, folder):
    if project == "kured":
        check_kured(stage, table, folder)
        return
    for where, text in sources.policies(folder):
        check_policy(stage, table, where, text)
    if OLD in sources.chart_policy(folder):
        print("of a release before v1alpha2: its policies only, as its role lacks rights that the Descheduler needs since")
        return
    check_commands(stage, table, folder)
    check_options(stage, table, folder)
    check_chart(stage, table, folder)
    for where, words in sources.manifests("descheduler", folder):
        check_descheduler(stage, table, where, words)


def main():
    berth, found = pathlib.Path(sys.argv[1]).resolve(), sources.checkouts(pathlib.Path(sys.argv[2]).resolve())
    if not found:
        sys.exit(f"{sys.argv[2]} has no checkout of the Descheduler or of kured")
    for file in ("/sentinel/reboot-required", "/var/run/reboot-required"):
        if pathlib.Path(file).exists():
            sys.exit(f"{file} is there: an agent of this test would reboot this machine")
    folder, table = pathlib.Path(tempfile.mkdtemp(prefix="upstream-")), Table()
    stage = Stage(berth, folder)
    try:
        for project, checkout in found:
            print(f"---- {checkout.name}: {project}")
            check_all(stage, table, project, checkout)
    finally:
        stage.end()
    shutil.rmtree(folder, ignore_errors=True)
    absent = {"descheduler", "kured"} - {project for project, _ in found}
    if absent:
        print(f"not looked at, as there is no checkout: {', '.join(absent)}")
    print(f"{table.counts[True]} passed, {table.counts[False]} failed")
    sys.exit(1 if table.counts[False] else 0)


if __name__ == "__main__":
    main()
