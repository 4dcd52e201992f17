#!/usr/bin/env python3
"""berth top in a pseudo-terminal: what is drawn, keys, sizes, and that the terminal is as it was whatever ends it; and as a table.

usage: top.py BERTH"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios

import drill
from drill import judge, until

HOSTILE = "evil\x1b]0;x\x07\x1b[31m\u202ename\u65e5"
LEAVE = b"\x1b[?25h\x1b[?1049l"


class Terminal:
    """A process with a terminal of its own; what it draws is read as frames."""

    def __init__(self, command, rows=30, columns=100, environment=None):
        self.master, slave = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        base = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "LC_ALL", "LC_CTYPE")}
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
                                        env={**base, "TERM": "xterm-256color", "LANG": "C.UTF-8", **(environment or {})})
        self.raw = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        while select.select([self.master], [], [], 0.05)[0]:
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return
            if not data:
                return
            self.raw += data

    def rows(self):
        """Of the last frame that is complete."""
        self.read()
        frames = self.raw.split(b"\x1b[H")
        if len(frames) < 2:
            return []
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", frames[-1].decode(errors="replace"))
        return [row.rstrip("\r") for row in text.split("\n")]

    def shows(self, pattern):
        return until(f"{pattern!r} on the screen", lambda: any(re.search(pattern, row) for row in self.rows()))

    def type(self, keys):
        os.write(self.master, keys if isinstance(keys, bytes) else keys.encode())

    def is_restored(self):
        self.read()
        return self.raw.rstrip().endswith(LEAVE) and termios.tcgetattr(self.slave) == self.before

    def is_taken(self):
        return not termios.tcgetattr(self.slave)[3] & termios.ICANON

    def ended(self):
        code = self.process.wait(timeout=drill.PATIENCE)
        self.read()
        return code

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


def pod(name, cpu, node=None):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "shop", "name": name},
            "spec": {"containers": [{"name": "c", "image": "x", "resources": {"requests": {"cpu": cpu}}}], **({"nodeName": node} if node else {})},
            "status": {"phase": "Running" if node else "Pending"}}


def node(name, **labels):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}


def dump(folder):
    path = os.path.join(folder, "cluster.json")
    items = [node("small", pool="a"), node("full", pool="b"), pod("web", "6", "full"), pod("db", "1", "small"), pod("big", "64"), pod(HOSTILE, "64")]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": items}, file)
    return path


def check_printed(berth, path):
    table = subprocess.run([berth, "top", "-f", path], capture_output=True, check=True)
    text = table.stdout.decode()
    judge("a table where output is no terminal", re.search(r"^full +ready +6 of 4 cores \(150 %\)", text, re.MULTILINE), text)
    judge("waiting pods with reasons", re.search(r"shop/big .*2 Insufficient cpu", text), text)
    judge("nothing in it controls a terminal", not re.search("[\x00-\x09\x0b-\x1f\u202e]", text) and not table.stderr, text)
    value = json.loads(subprocess.run([berth, "top", "-f", path, "-o", "json"], capture_output=True, check=True).stdout)
    judge("JSON", [one["name"] for one in value["nodes"]] == ["full", "small"] and value["overcommitted"] == 1 and value["waitingCount"] == 2, value)
    judge("JSON has names as they are", any(one["name"] == HOSTILE for one in value["waiting"]), value["waiting"])
    value = json.loads(subprocess.run([berth, "top", "-f", path, "-o", "json", "--sort", "name", "--filter", "pool=a"], capture_output=True, check=True).stdout)
    judge("filter and order by options", [one["name"] for one in value["nodes"]] == ["small"], value)
    unknown = subprocess.run([berth, "top", "-f", path, "--resources", "cpu,gpus"], capture_output=True, check=True, text=True)
    judge("a resource that nothing has is named", unknown.stderr == "berth top: no column gpus\n" and "gpus" not in unknown.stdout, unknown)
    unsorted = subprocess.run([berth, "top", "-f", path, "--sort", "disk"], capture_output=True, check=True, text=True)
    judge("and a column to sort by that is not there", unsorted.stderr == "berth top: no column disk\n", unsorted)
    yaml = subprocess.run([berth, "top", "-f", path, "-o", "yaml"], capture_output=True, check=True).stdout.decode()
    judge("YAML", "nodeCount: 2" in yaml, yaml)
    both = subprocess.run([berth, "top", "-f", path, "--context", "x"], capture_output=True)
    judge("files and a cluster are refused", both.returncode == 2, both.stderr)


def check_drawn(berth, path):
    view = Terminal([berth, "top", "-f", path])
    view.shows(r"^  full +█+▓+ +150%")
    rows = view.rows()
    judge("title, totals and keys", "2 nodes, 4 pods, 2 waiting" in rows[0] and re.match("cpu +█+", rows[1]) and "q end" in rows[-1], rows)
    judge("as many rows as the terminal", len(rows) == 30, len(rows))
    judge("the fullest first", [row[2:7] for row in rows if re.match("  (full|small)", row)] == ["full ", "small"], rows)
    judge("its own mode", view.is_taken(), "")
    view.read()
    judge("colours, and no name that controls", b"\x1b[1;35m" in view.raw and b"\x1b]0" not in view.raw and "\u202e".encode() not in view.raw
          and b"\x1b[31m" + "\u202e".encode() not in view.raw and b"evil?]0;x??[31m?name" in view.raw, view.raw[-2000:])
    view.type("?")
    view.shows("turn the order round")
    view.type("\x1b")
    view.shows("^WAITING 2")
    view.type("/pool=a\r")
    until("only one node", lambda: not any(re.match("  full", row) for row in view.rows()))
    view.shows("filter: pool=a")
    view.type("\x1b")
    view.shows("^  full")
    view.type("r")
    until("the other order", lambda: [row[2:7] for row in view.rows() if re.match("  (full|small)", row)] == ["small", "full "])
    view.type("\t\t")
    view.shows("^WAITING 2")
    judge("a view of waiting pods alone", not any(re.match("  small", row) for row in view.rows()), view.rows())
    view.type("\t\t")
    view.resize(12, 40)
    until("the new size", lambda: len(view.rows()) == 12)
    judge("no row beyond 40 columns", all(len(row) <= 40 for row in view.rows()) and any(re.match("  full .*150%", row) for row in view.rows()), view.rows())
    view.type("q")
    judge("q ends it, and the terminal is as it was", view.ended() == 0 and view.is_restored(), view.raw[-200:])
    view.close()


def check_signs(berth, path):
    view = Terminal([berth, "top", "-f", path], environment={"NO_COLOR": "1", "LANG": "C"})
    view.shows(r"^  full +#+!+ +150%")
    view.type("q")
    view.ended()
    drawn = view.raw.split(b"\x1b[H", 1)[1].split(b"\x1b[0m\x1b[?7h")[0]
    judge("NO_COLOR and a locale without UTF-8", not re.search(rb"\x1b\[[1-9][0-9;]*m", drawn) and all(byte < 128 for byte in drawn), drawn)
    view.close()
    view = Terminal([berth, "top", "-f", path], environment={"TERM": "dumb"})
    judge("a table on a terminal that cannot draw", view.ended() == 0 and b"NODE" in view.raw and b"\x1b" not in view.raw, view.raw)
    view.close()
    view = Terminal([berth, "top", "-f", path, "--once"])
    judge("--once on a terminal", view.ended() == 0 and b"NODE" in view.raw and b"\x1b" not in view.raw, view.raw)
    view.close()


def check_ends(berth, path):
    for name, end, code in [("SIGINT", lambda view: view.type("\x03"), 0), ("SIGTERM", lambda view: view.process.send_signal(signal.SIGTERM), 0),
                            ("a crash", lambda view: view.process.send_signal(signal.SIGABRT), -signal.SIGABRT),
                            ("a lost terminal", lambda view: view.process.send_signal(signal.SIGHUP), -signal.SIGHUP)]:
        view = Terminal([berth, "top", "-f", path])
        view.shows("^  full")
        end(view)
        judge(f"{name} ends it, and the terminal is as it was", view.ended() == code and view.is_restored(), (view.process.returncode, view.raw[-200:]))
        view.close()


def check_stop(berth, path):
    view = Terminal([berth, "top", "-f", path])
    view.shows("^  full")
    view.type("\x1a")
    _, status = os.waitpid(view.process.pid, os.WUNTRACED)
    judge("Ctrl-Z stops it", os.WIFSTOPPED(status), status)
    judge("the terminal is as it was while it is stopped", view.is_restored(), view.raw[-200:])
    view.raw = b""
    view.process.send_signal(signal.SIGCONT)
    view.shows("^  full")
    judge("it goes on", view.is_taken() and b"\x1b[?1049h" in view.raw, view.raw[:200])
    view.type("q")
    judge("and ends", view.ended() == 0 and view.is_restored(), view.raw[-200:])
    view.close()


def check_live(berth, folder):
    config = os.path.join(folder, "kubeconfig")
    server = subprocess.Popen([berth, "sandbox", "--listen", "127.0.0.1:0", "--kubeconfig-out", config, "--nodes", "3"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    until("kubeconfig", lambda: os.path.exists(config) and os.path.getsize(config))
    table = until("three nodes", lambda: (lambda out: out if out.count("ready") == 3 else None)(
        subprocess.run([berth, "top", "--kubeconfig", config, "--once"], capture_output=True, text=True).stdout))
    judge("a live cluster as a table", re.search("^node-0 +ready", table, re.MULTILINE), table)
    view = Terminal([berth, "top", "--kubeconfig", config])
    view.shows("3 nodes")
    view.shows("^  node-2")
    server.kill()
    server.wait()
    view.shows("not up to date: .*")
    judge("the nodes are still there", any(re.match("  node-2", row) for row in view.rows()), view.rows())
    judge("no line of the log in the screen", not any("WatchFailed" in row for row in view.rows()), view.rows())
    view.type("q")
    judge("it ends with the server gone", view.ended() == 0 and view.is_restored(), view.raw[-300:])
    view.close()
    nobody = subprocess.run([berth, "top", "--kubeconfig", os.path.join(folder, "none"), "--once"], capture_output=True, text=True)
    judge("no such kubeconfig", nobody.returncode == 1 and "berth top:" in nobody.stderr, nobody)


def check_up(berth):
    view = Terminal([berth, "up", "--nodes", "3", "--for", "2s"])
    code = view.ended()
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", view.raw.decode())
    judge("berth up draws nodes as bars below its lines", code == 0 and re.search(r"^cpu +\S+ +0%", text, re.MULTILINE)
          and re.search(r"^  node-2 ", text, re.MULTILINE), text)
    judge("and the report comes behind them", text.rfind("Pods 0 on 3 nodes") > text.rfind("  node-2 "), text)
    judge("the terminal is as it was", view.raw.count(b"\x1b[?7l") == view.raw.count(b"\x1b[?7h") and termios.tcgetattr(view.slave) == view.before, "")
    view.close()
    plain = subprocess.run([berth, "up", "--nodes", "3", "--for", "1s"], capture_output=True, check=True).stdout
    judge("and lines where output is no terminal", b"\x1b" not in plain and b"nodes 3  pods 0" in plain, plain)


WEB = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: default}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: v1
kind: Pod
metadata: {name: giant, namespace: default}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "500"}}}]}
"""


def check_evict(berth, folder):
    """A budget lets one pod go after the other."""
    objects, config = os.path.join(folder, "web.yaml"), os.path.join(folder, "up")
    with open(objects, "w", encoding="utf-8") as file:
        file.write(WEB)
    up = subprocess.Popen([berth, "up", "--nodes", "1", "--input", objects, "--kubeconfig-out", config], stdout=subprocess.DEVNULL)
    until("kubeconfig", lambda: os.path.exists(config) and os.path.getsize(config))
    until("six pods", lambda: " 6 of 110 " in subprocess.run([berth, "top", "--kubeconfig", config, "--once"], capture_output=True, text=True).stdout)
    judge("top: a live cluster's waiting pod with the scheduler's word, and events", until("the reason", lambda: re.search(
        r"default/giant .*Insufficient cpu(.|\n)*placed +default/web-", subprocess.run([berth, "top", "--kubeconfig", config, "--once"],
                                                                                      capture_output=True, text=True).stdout)))
    view = Terminal([berth, "evict", "--kubeconfig", config, "--node", "node-0"], columns=110)
    until("time left", lambda: view.read() or re.search(rb"\] [1-5] of 6: .* left, [0-9.]+ a second", view.raw))
    judge("evict: no line is wider than the terminal", all(len(line) <= 110 for line in re.sub(r"\x1b\[[0-9]*[AJ]", "", view.raw.decode()).split("\r\n")), view.raw[-800:])
    view.process.kill()
    view.ended()
    view.close()
    up.terminate()
    up.wait()


def check_progress(berth):
    study = [berth, "simulate", "reboot", "--vary", "none"]
    view = Terminal([*study, "--seeds", "1000"], rows=24, columns=60)
    until("progress", lambda: view.read() or re.search(rb"berth simulate: [0-9,]+ of 6,000 rollouts, [0-9.,]+ a second", view.raw))
    lines = view.raw.replace(b"\x1b[2K", b"").split(b"\r")
    judge("progress in one line that fits, again in place", b"\n" not in view.raw and all(len(line) < 60 for line in lines), view.raw[:500])
    view.process.kill()
    view.ended()
    view.close()
    quiet = subprocess.run([*study, "--seeds", "30"], capture_output=True, check=True)
    judge("and none where standard error is no terminal", quiet.stderr == b"", quiet.stderr)


def main():
    berth = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        path = dump(folder)
        check_printed(berth, path)
        check_drawn(berth, path)
        check_signs(berth, path)
        check_ends(berth, path)
        check_stop(berth, path)
        check_live(berth, folder)
        check_up(berth)
        check_evict(berth, folder)
    check_progress(berth)
    drill.finish()


main()
