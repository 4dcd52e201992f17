"""What all rows use: the programs, a folder, the processes under way, the control plane that is started when it is needed."""

import os
import pathlib
import shutil
import subprocess

from plane import CONTROLLERS, Plane
from process import Process


class Stage:
    def __init__(self, options, folder):
        self.berth, self.peers, self.folder = options.berth.resolve(), options.peers.resolve(), folder
        self.options, self.root = options, pathlib.Path(__file__).resolve().parents[2]
        self.deploy = self.root / "deploy"
        self.kubectl = os.environ.get("BERTH_KUBECTL") or shutil.which("kubectl")
        self.started, self.shared = [], None

    def program(self, name):
        return self.peers / name

    def stand_in(self, name):
        """The program under another name."""
        link = self.folder / name
        if not link.exists():
            link.symlink_to(self.berth)
        return link

    def start(self, name, words, folder=None, environment=None):
        self.started.append(Process(name, words, folder or self.folder, environment))
        return self.started[-1]

    def run(self, words, text=None, patience=120):
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, input=text, timeout=patience)

    def plane(self):
        """One with nothing in it, shared by the rows; with the controllers that its rows need."""
        if not self.shared:
            self.shared = Plane(self, "plane")
            self.controllers(self.shared)
        self.shared.clear()
        return self.shared

    def controllers(self, plane):
        return self.start("controllers", [
            self.program("kube-controller-manager"), f"--kubeconfig={plane.kubeconfig}", f"--controllers={CONTROLLERS}",
            "--leader-elect=false", "--secure-port=0", "--v=1"], plane.folder)

    def end_row(self, first):
        """Ends what a row started; the control plane stays."""
        lasting = {"etcd", "kube-apiserver", "controllers"}
        for process in self.started[first:]:
            if process.name not in lasting:
                process.stop()
        self.started = [process for process in self.started if process.is_alive()]

    def end(self):
        for process in reversed(self.started):
            process.stop(patience=10)
