#!/usr/bin/env python3
"""A stranger against a running sandbox: hostile_inputs.py BERTH [SECONDS [SEED]].

Every entry of hostile_requests, hostile_connections and hostile_files, in small sizes; with SECONDS all of them again and again in
random order and size until that time is over. After each case the server must live (a health check and the update of a Lease, from
another connection), must not have grown, must not have worked for long, and must have refused with a Status or done what was
asked: never 5xx. In the end SIGTERM stops it in spite of open connections. The last line is "N passed, M failed".
"""

import json
import os
import pathlib
import random
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

import hostile_connections
import hostile_files
import hostile_requests
from drill import finish, judge

TRIES = 3  # of a health check and of a Lease update after each case
ANSWER_SECONDS = 60  # until an answer counts as missing
CASE_COST = 20  # how many requests of a megabyte in good faith one case may cost the server
# What kube-apiserver itself answers with 5xx, by its text: malformed strategic patches, versions that are none or far away.
UPSTREAM_5XX = (b"declared merge key", b"unknown patch type", b"of retainKeys", b"order in patch list", b"strconv.ParseUint",
                b"Invalid value: \"-1\"", b"Too large resource version", b"etcdserver: request is too large")
GROWTH_MIB = 300  # beyond the start: 64 MiB of bodies under way, and the history of each resource
LARGER = 4  # under sanitizers
HONEST = "metadata: {name: honest}\ndata:\n" + "".join(f"  key-{number:06d}: a value of some words\n" for number in range(30000))
LEASE = "/apis/coordination.k8s.io/v1/namespaces/default/leases/probe"


class Answer:
    """What came back: status None when the server closed without a word."""

    def __init__(self, text):
        head, _, self.body = text.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        words = lines[0].split()
        self.status = int(words[1]) if len(words) > 1 and words[1].isdigit() else None
        self.headers = lines[1:]
        self.first_bytes = text[:300]

    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    def is_status(self):
        content = self.json()
        return isinstance(content, dict) and content.get("kind") == "Status" and content.get("code") == self.status

    def is_as(self, wanted):
        """refused: a 4xx Status; done: 2xx; either of them; http: as either, or refused without a Status, or cut off."""
        if self.status is None or self.status in (501, 505):
            return wanted == "http"
        if not 200 <= self.status < 500:
            return self.is_status() and any(text in self.body for text in UPSTREAM_5XX)
        is_done, is_refused = self.status < 300, self.status >= 400 and self.is_status()
        return {"refused": is_refused, "done": is_done, "either": is_done or is_refused, "http": True}[wanted]


def exchange(stream, data, is_half_closed, patience):
    """Sends and reads at the same time, until the other side closes or so many seconds are over."""
    stream.setblocking(False)
    at, parts, end = 0, [], time.monotonic() + patience
    ready = select.poll()
    ready.register(stream, select.POLLIN | select.POLLOUT)
    try:
        while time.monotonic() < end:
            events = sum(event for _, event in ready.poll(100))
            if events & ~select.POLLOUT:
                part = stream.recv(1 << 20)
                if not part:
                    break
                parts.append(part)
            elif events:
                at += stream.send(data[at:at + (1 << 20)])
                if at == len(data):
                    ready.modify(stream, select.POLLIN)
                if at == len(data) and is_half_closed:
                    stream.shutdown(socket.SHUT_WR)
    except OSError:
        pass
    return Answer(b"".join(parts))


class Server:
    """The sandbox under attack, and what can be seen of it from outside."""

    def __init__(self, berth, work):
        self.berth, self.work = berth, work
        self.is_sanitized = b"__asan_init" in pathlib.Path(berth).read_bytes()
        self.errors = open(work / "errors", "w+", encoding="utf-8", errors="replace")
        options = os.environ.get("ASAN_OPTIONS", "")
        self.process = subprocess.Popen(
            [berth, "sandbox", "--listen", "127.0.0.1:0", "--token", "e2e", "--nodes", "2", "--seed", "1"],
            stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env={**os.environ, "ASAN_OPTIONS": options + ":quarantine_size_mb=8", "HOME": str(work)})
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        self.revision = 0
        self.ask("POST", LEASE.rsplit("/", 1)[0], {"metadata": {"name": "probe"}, "spec": {"holderIdentity": "probe"}})
        self.first_resident = self.resident()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=ANSWER_SECONDS)

    def talk(self, data, is_half_closed=False, patience=0.2):
        """One connection, these bytes, whatever comes back; few seconds are enough where no answer is as good as one."""
        try:
            with self.connect() as stream:
                return exchange(stream, data, is_half_closed, patience)
        except OSError:
            return Answer(b"")

    def ask(self, method, path, body=None, content_type="application/json", headers=(), patience=ANSWER_SECONDS):
        """One request with the administrator's token; the body is bytes, a text, or becomes JSON."""
        text = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else \
            json.dumps(body).encode() if body is not None else b""
        lines = [f"{method} {path} HTTP/1.1", "Host: x", "Authorization: Bearer e2e", "Connection: close",
                 f"Content-Type: {content_type}", f"Content-Length: {len(text)}", *headers]
        return self.talk("\r\n".join(lines).encode() + b"\r\n\r\n" + text, patience=patience)

    def cpu_seconds(self):
        words = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def honest_cpu_seconds(self):
        """What a megabyte costs that means no harm; the more, the slower the machine."""
        costs = []
        for _ in range(TRIES):
            before = self.cpu_seconds()
            answer = self.ask("POST", hostile_requests.MAPS + "?dryRun=All", HONEST, hostile_requests.YAML)
            costs.append(self.cpu_seconds() - before)
            judge("a large object is made", answer.status == 201, answer.first_bytes)
        return sum(costs) / TRIES

    def resident(self):
        """MiB."""
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20

    def renew(self):
        self.revision += 1
        now = f"2026-01-01T00:00:{self.revision % 60:02d}.000000Z"
        return self.ask("PATCH", LEASE, {"spec": {"renewTime": now}}, "application/merge-patch+json").status

    def lives(self):
        """Whether a health check and a Lease update succeed within the tries, and what they answered."""
        seen = []
        for _ in range(TRIES):
            if self.process.poll() is not None:
                return False, f"ended with {self.process.returncode}"
            seen.append((self.ask("GET", "/livez").status, self.renew()))
            if seen[-1] == (200, 200):
                return True, seen
        return False, seen

    def ends(self):
        """SIGTERM is obeyed, and nothing was said by a sanitizer."""
        if self.process.poll() is None:
            self.obeys()
        self.errors.seek(0)
        said = self.errors.read()
        places = [said.find(word) for word in ("runtime error", "Sanitizer") if word in said]
        judge("no sanitizer says anything", not places, said[max(min(places) - 200, 0):][:6000] if places else "")
        judge("it ends when told to", self.process.returncode == 0, (self.process.returncode, said[-3000:]))

    def obeys(self):
        held = [self.connect() for _ in range(40)]
        for number, one in enumerate(held):
            one.sendall([b"GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer e2e\r\n\r\n", b"GET /", b"\x16\x03\x01",
                         b"POST /api/v1/pods HTTP/1.1\r\nContent-Length: 10\r\n\r\n{"][number % 4])
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(ANSWER_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for one in held:
            one.close()


class Suite:
    def __init__(self, server):
        self.server, self.cases, self.costly, self.seconds = server, 0, [], {}
        self.honest = server.honest_cpu_seconds()
        self.cpu_limit = CASE_COST * self.honest
        self.growth_limit = GROWTH_MIB * (LARGER if server.is_sanitized else 1)

    def play(self, entry, dice, size):
        """All cases of one entry, each judged; false when the server is gone."""
        name = entry.__name__.replace("_", " ")
        before, started = self.server.cpu_seconds(), time.monotonic()
        for case, answer, wanted in entry(self.server, dice, size):
            self.cases += 1
            is_fair = answer if isinstance(answer, bool) else answer.is_as(wanted)
            judge(f"{name}: {case}", is_fair, f"wanted {wanted}, found {getattr(answer, 'first_bytes', answer)}")
            is_alive, seen = self.server.lives()
            judge(f"{name}: {case}: alive", is_alive, seen)
            if not is_alive:
                return False
            now, grown = self.server.cpu_seconds(), self.server.resident() - self.server.first_resident
            judge(f"{name}: {case}: CPU", now - before <= self.cpu_limit, f"{now - before:.1f} s, limit {self.cpu_limit:.1f} s")
            judge(f"{name}: {case}: memory", grown <= self.growth_limit, f"{grown} MiB more than at the start")
            self.costly.append((now - before, grown, f"{name}: {case}"))
            before = now
        self.seconds[name] = self.seconds.get(name, 0) + time.monotonic() - started
        return True

    def report(self, seed, rounds):
        if not self.costly:
            return
        worst = "; ".join(f"{cpu:.2f} s {case}" for cpu, _, case in sorted(self.costly, reverse=True)[:4])
        slowest = ", ".join(f"{spent:.1f} s {name}" for name, spent in sorted(self.seconds.items(), key=lambda one: -one[1])[:5])
        print(f"{self.cases} cases in {rounds} rounds, seed {seed}; at most {max(grown for _, grown, _ in self.costly)} MiB more than at the "
              f"start; a megabyte in good faith: {self.honest:.2f} s; most CPU: {worst}; slowest: {slowest}")


def main():
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 0
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30) if seconds else 1
    entries = hostile_requests.ENTRIES + hostile_connections.ENTRIES + hostile_files.ENTRIES
    wanted = os.environ.get("HOSTILE_ENTRY", "")
    entries = [entry for entry in entries if wanted in entry.__name__]
    dice, end, rounds = random.Random(seed), time.monotonic() + seconds, 0
    with tempfile.TemporaryDirectory() as folder:
        server = Server(sys.argv[1], pathlib.Path(folder))
        suite = Suite(server)
        try:
            is_alive = True
            while is_alive and (rounds == 0 or time.monotonic() < end):
                rounds += 1
                for entry in dice.sample(entries, len(entries)) if seconds else entries:
                    is_alive = is_alive and (rounds == 1 or time.monotonic() < end or not seconds) and \
                        suite.play(entry, dice, dice.uniform(0.1, 1) if seconds else 0.2) or \
                        (is_alive and rounds > 1 and time.monotonic() >= end)
            suite.report(seed, rounds)
            server.ends()
        finally:
            server.process.kill()
    finish()


if __name__ == "__main__":
    main()
