"""The processes of chaos_drill.py: each on a host of its own, whose clock and disk the drill can spoil (chaos_faults.c), and started
again when it ends. An end nobody asked for is a finding unless it is one that berth promises: for a lost Lease, for a full disk."""

import http.server
import json
import mmap
import os
import random
import signal
import struct
import subprocess
import threading
import time

from drill import judge

# What a program may end for by itself, as its log says it.
FAIR_ENDS = ("leadership lost", "No space left on device", "database or disk is full")


class Host:
    """One process, its clock, its disk."""

    def __init__(self, drill, name, words, disk=None):
        self.drill, self.name, self.words = drill, name, words
        self.log = drill.work / (name + ".log")
        page = drill.work / (name + ".page")
        page.write_bytes(struct.pack("qq", 0, -1))
        with open(page, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), 16)
        options = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        self.env = {**os.environ, "LD_PRELOAD": drill.library, "CHAOS_PAGE": str(page), "CHAOS_DISK": str(disk or drill.work / "none"),
                    "ASAN_OPTIONS": options, "HOME": str(drill.work)}
        self.process, self.starts, self.up_at, self.is_paused, self.ends = None, 0, 0, False, 0
        self.is_wanted = True

    def start(self):
        with open(self.log, "ab") as out:
            self.said_before = out.tell()
            self.process = subprocess.Popen(self.words, stdout=out, stderr=subprocess.STDOUT, env=self.env, cwd=self.drill.work)
        self.starts += 1

    def said(self):
        """The log of the present process."""
        with open(self.log, "rb") as file:
            file.seek(self.said_before)
            return file.read().decode(errors="replace")

    def ended_fairly(self):
        return self.process.returncode > 0 and any(text in self.said() for text in FAIR_ENDS)

    def supervise(self):
        """As a supervisor does: what ended comes back a second later."""
        if self.process and self.process.poll() is not None:
            self.ends += 1
            judge(f"{self.name} ends only for a reason", self.ended_fairly(), f"{self.process.returncode}: {self.said()[-1500:]}")
            self.process, self.up_at = None, time.monotonic() + 1
        if not self.process and self.is_wanted and time.monotonic() >= self.up_at:
            self.start()

    def kill(self, seconds=0.3):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process, self.is_paused, self.up_at = None, False, time.monotonic() + seconds

    def pause(self, is_paused):
        if self.process and self.process.poll() is None and is_paused != self.is_paused:
            self.process.send_signal(signal.SIGSTOP if is_paused else signal.SIGCONT)
        self.is_paused = is_paused

    def step_clock(self, seconds):
        """Not read and written at once by anybody else."""
        self.page[:8] = struct.pack("q", int((struct.unpack("q", self.page[:8])[0] / 1e9 + seconds) * 1e9))

    def set_clock(self, seconds):
        self.page[:8] = struct.pack("q", int(seconds * 1e9))

    def set_room(self, size):
        """Bytes that still fit on its disk; -1 = any number."""
        self.page[8:16] = struct.pack("q", size)

    def stop(self):
        """The exit code of SIGTERM."""
        self.is_wanted = False
        if not self.process:
            return 0
        self.pause(False)
        self.process.terminate()
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "none: still running"


class Hooks:
    """The hook of the stages: it takes its time, fails now and then, and remembers what it said was done."""

    def __init__(self, seed):
        self.dice, self.begun, self.done, self.is_calm = random.Random(seed), {}, set(), False
        hooks = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, body = hooks.answer(order)
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"

    def answer(self, order):
        uid, key = order["pod"]["uid"], (order["id"], order["stage"])
        if not self.is_calm and self.dice.random() < 0.1:
            return 503, {"message": "not now"}
        if order["op"] in ("cancel", "rollback"):
            self.done.discard(uid)
            return 200, {"result": "Done"}
        if order["op"] == "poll" and key not in self.begun:
            return 404, {}
        begun = self.begun.setdefault(key, time.monotonic() + self.dice.uniform(0, 2))
        if time.monotonic() < begun:
            return 200, {"result": "InProgress", "retryAfterSeconds": 1, "message": "half way"}
        self.done.add(uid)
        return 200, {"result": "Done"}
