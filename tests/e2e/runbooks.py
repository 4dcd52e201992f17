"""The commands of the runbooks, played: runbooks.py BERTH TREE. Every command that a page of docs/runbooks names runs on a sandbox with what it is
about (a pod that runs, one that waits, a Lease, an agent's account, daemons that serve pages), and does not end with an error. Every word in
CamelCase that a page names is in the sources or the manifests. The last line is "N passed, M failed". Skips (77) without kubectl."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from drill import finish, free_port, judge, until

BERTH, TREE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
KUBECTL = os.environ.get("BERTH_KUBECTL") or shutil.which("kubectl")
COMMAND = re.compile(r"`((?:berth|kubectl|curl) [^`]*)`")
NAME = re.compile(r"`([A-Z][a-z]+(?:[A-Z][a-z]+)+)`")
# Where a page leaves out what its reader knows; those with None are names of commands, and of something that another test does.
WHOLE = {
    "kubectl describe": "kubectl describe pod POD", "kubectl describe pod": "kubectl describe pod POD",
    "kubectl rollout status": "kubectl rollout status deployment/web --timeout=20s", "kubectl rollout undo": "kubectl rollout undo deployment/web",
    "kubectl get pods -A -l app": "kubectl get pods -A -l app", "berth evict": "berth evict NAMESPACE/POD --wait=false",
    "berth plan": "berth plan --policy FILE", "berth scheduler --shadow": None, "berth scheduler: ...": None,
    "kubectl top nodes": None,  # the sandbox measures nothing
}
POLICY = {"apiVersion": "descheduler/v1alpha2", "kind": "DeschedulerPolicy", "profiles": [{
    "name": "p", "pluginConfig": [{"name": "RemoveDuplicates", "args": {}}], "plugins": {"balance": {"enabled": ["RemoveDuplicates"]}}}]}
SCHEDULER = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {
    "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}}}


class Scene:
    """A sandbox with a scheduler, one in shadow and the controller of evictions, and what the pages are about."""

    def __init__(self, folder):
        self.folder, self.running = folder, []
        (folder / "bin").mkdir()
        (folder / "bin/berth").symlink_to(BERTH)
        (folder / "bin/kubectl").symlink_to(KUBECTL)
        self.environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}", KUBECONFIG=str(folder / "kubeconfig"), HOME=str(folder))
        (folder / "policy.yaml").write_text(json.dumps(POLICY))
        (folder / "scheduler.yaml").write_text(json.dumps(SCHEDULER))
        self.start("sandbox", "--listen", "127.0.0.1:0", "--nodes", "2", "--seed", "1", "--kubeconfig-out", folder / "kubeconfig", "--token", "e2e", ready="kubeconfig")
        self.port, self.shadow = free_port(), free_port()
        self.start("scheduler", "--secure-port", self.port, "--bind-address", "127.0.0.1", ready="Leading")
        self.start("scheduler", "--shadow", "--secure-port", self.shadow, "--bind-address", "127.0.0.1")
        self.start("evictions", "--mode", "crd", "--no-audit-output", ready="Ready")
        for name in ("web", "descheduler"):
            where = "default" if name == "web" else "kube-system"
            self.apply({**DEPLOYMENT, "metadata": {"name": name, "namespace": where}})
            self.run(f"kubectl rollout status -n {where} deployment/{name} --timeout=60s")
        self.run(f"kubectl apply -f {TREE}/deploy/kured-compatible/rbac.yaml")
        self.run("kubectl set env deployment/web A=1; kubectl rollout status deployment/web --timeout=60s")

    def start(self, *words, ready=None):
        log = self.folder / f"log-{len(self.running)}"
        with log.open("w") as out:
            self.running.append(subprocess.Popen([BERTH, *map(str, words)], stdout=out, stderr=out, env=self.environment, cwd=self.folder))
        if ready:
            until(f"{words[0]}: {ready}", lambda: ready in log.read_text())

    def end(self):
        for process in reversed(self.running):
            process.terminate()
            process.wait(30)

    def run(self, command, text=None):
        """(exit code, what it printed)"""
        done = subprocess.run(["bash", "-c", "set -o pipefail; " + command], capture_output=True, text=True, check=False, timeout=90, input=text, cwd=self.folder,
                              env=self.environment)
        return done.returncode, done.stdout + done.stderr

    def apply(self, found):
        code, said = self.run("kubectl apply -f -", json.dumps(found))
        judge(f"applied {found['metadata']['name']}", code == 0, said)

    def staying(self):
        """A pod of web that runs and that no command before has sent away; None while both replicas are not there."""
        pods = json.loads(self.run("kubectl get pods -l app=web -o json")[1])["items"]
        names = [pod["metadata"]["name"] for pod in pods if pod["status"].get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]]
        asked = self.run("kubectl get evictionrequests.lifecycle.berth.dev -A -o 'jsonpath={.items[*].spec.target.pod.name}'")[1].split()
        return next(iter(sorted(set(names) - set(asked))), None) if len(names) == 2 else None

    def whole(self, command):
        """A page's command with the names of this scene."""
        pod = until("a pod that stays", self.staying)
        port = self.shadow if "debug/shadow" in command else self.port
        if "debug/" in command:  # the page says: with a token
            command = command.replace("curl ", 'curl -H "Authorization: Bearer e2e" ')
        for word, value in (("config check FILE", "config check policy.yaml"), ("--policy FILE", "--policy policy.yaml"),
                            ("--config FILE", "--config scheduler.yaml"), ("NAMESPACE/POD", f"default/{pod}"), ("NAMESPACE:NAME", "kube-system:kured"),
                            ("VERB RESOURCE", "get nodes"), ("KIND NAME", f"pod {pod}"), ("ADDRESS", f"127.0.0.1:{port}"), ("POD", pod),
                            ("NODE", "node-0"), ("STRATEGY", "RemoveDuplicates"), ("NAME", "kube-scheduler")):
            command = re.sub(rf"(?<![\w-]){word}(?!\w)" if word[0] != "-" else word, value, command)
        if command.startswith("curl "):
            command = command.replace("curl ", "curl -sS --fail ")
        return command


def pages():
    return sorted((TREE / "docs/runbooks").glob("Berth*.md"))


def play(scene):
    commands = {}
    for page in pages():
        for command in COMMAND.findall(page.read_text()):
            commands.setdefault(command, []).append(page.stem)
    for command, where in sorted(commands.items(), key=lambda item: ("scale" in item[0], item[0])):
        if WHOLE.get(command, command) is None:
            continue
        line = scene.whole(WHOLE.get(command, command))
        started = time.monotonic()
        code, said = scene.run(line)
        judge(f"{', '.join(where)}: {command}", code == 0, f"{line}: exit code {code}: {said}")
        if time.monotonic() - started > 10:
            print(f"slow: {line}")
    judge("commands were found", len(commands) > 40, len(commands))


def look_at_names():
    """Lines of logs, reasons of events, fields, plugins: nobody can search for one that is misspelt."""
    files = [path for folder in ("src", "deploy") for path in (TREE / folder).rglob("*") if path.suffix in (".c", ".h", ".yaml", ".json")]
    known = set(re.findall(r"[A-Z][A-Za-z]+", " ".join(path.read_text() for path in files)))
    for page in pages():
        wrong = sorted(set(NAME.findall(page.read_text())) - known)
        judge(f"{page.stem}: names", not wrong, wrong)


def main():
    look_at_names()
    with tempfile.TemporaryDirectory() as folder:
        scene = None
        try:
            scene = Scene(pathlib.Path(folder))
            play(scene)
        finally:
            if scene:
                scene.end()
    finish()


if not KUBECTL:
    print("skipped: no kubectl")
    sys.exit(77)
main()
