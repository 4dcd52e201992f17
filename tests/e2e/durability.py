"""Kills a sandbox at random moments under load and compares what comes back with what was acknowledged:
durability.py BERTH WORK [KILLS] [SEED].

Four writers create, replace and delete config maps as fast as they can. After each kill the server starts on the same data:
every acknowledged write must be there, and a watch from an old version must go on or be told that it is expired. Then the
disk: none to write to, full, cut short, changed. The last line is "N passed, M failed".
"""

import hashlib
import http.client
import json
import pathlib
import random
import resource
import shutil
import socket
import subprocess
import sys
import threading
import time

BERTH, WORK = sys.argv[1], pathlib.Path(sys.argv[2])
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 30)
WRITERS, NAMES = 4, 200
MAPS = "/api/v1/namespaces/default/configmaps"
AUTH = {"Authorization": "Bearer secret", "Content-Type": "application/json"}
counts = {True: 0, False: 0}


def judge(name, is_good, found=""):
    counts[bool(is_good)] += 1
    if not is_good:
        print(f"FAIL {name}: {str(found)[:600]} (seed {SEED})")


class Sandbox:
    def __init__(self, data, *words):
        self.data, self.words, self.port = data, words, 0

    def start(self, limit=None):
        """The first line it prints, or its error."""
        def limited():
            if limit:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        self.process = subprocess.Popen(
            [BERTH, "sandbox", "--listen", f"127.0.0.1:{self.port}", "--data-dir", self.data, "--token", "secret",
             "--controllers", "none", *self.words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limited)
        line = self.process.stdout.readline()
        if not line.startswith("listening"):
            self.code = self.process.wait(20)
            return self.process.stderr.read()
        self.port = int(line.strip().rsplit(":", 1)[1])
        return line

    def kill(self):
        self.process.kill()
        self.process.wait()

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, json.dumps(body) if body else None, AUTH)
        answer = connection.getresponse()
        content = json.loads(answer.read() or b"{}")
        connection.close()
        return answer.status, content


class Writer(threading.Thread):
    """What was acknowledged, by name: the value, None when deleted; and the write nobody answered any more."""

    def __init__(self, number):
        super().__init__(daemon=True)
        self.number, self.rng = number, random.Random(SEED * 10 + number)
        self.acknowledged, self.open, self.count, self.revision = {}, None, 0, 0
        self.problem = None

    def prepare(self, sandbox):
        self.port, self.is_over = sandbox.port, False
        return self

    def request(self, method, path, body):
        text = json.dumps(body) if body else ""
        return (f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(text)}\r\n\r\n{text}").encode()

    def step(self, stream):
        name = f"w{self.number}-{self.rng.randrange(NAMES)}"
        self.count += 1
        value, method, path = str(self.count), "PUT", f"{MAPS}/{name}"
        if self.acknowledged.get(name) is None:
            method, path = "POST", MAPS
        elif self.rng.random() < 0.1:
            method, value = "DELETE", None
        self.open = (name, value)
        stream.write(self.request(method, path, {"metadata": {"name": name}, "data": {"n": value}} if value else None))
        stream.flush()
        status = int(stream.readline().split()[1])
        size = 0
        while (line := stream.readline()) != b"\r\n":
            if not line:
                raise OSError("cut")
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        content = stream.read(size)
        if len(content) < size:
            raise OSError("cut")
        if status not in (200, 201):
            self.problem = (status, content)
            raise OSError("refused")
        self.acknowledged[name] = value
        self.open = None
        if value:
            self.revision = int(json.loads(content)["metadata"]["resourceVersion"])

    def write(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port)) as connection, connection.makefile("rwb") as stream:
                while not self.is_over:
                    self.step(stream)
        except (OSError, IndexError, ValueError):
            pass

    def settle(self, found):
        """Takes over what became of the write that was under way; the names that are not as acknowledged."""
        if self.open:
            name, value = self.open
            if found.get(name) == value:
                self.acknowledged[name] = value
            self.open = None
        return {name: (value, found.get(name)) for name, value in self.acknowledged.items() if found.get(name) != value}


def contents(sandbox):
    status, maps = sandbox.ask("GET", MAPS)
    return ({item["metadata"]["name"]: item["data"]["n"] for item in maps["items"] if "data" in item and
             item["metadata"]["name"].startswith("w")}, int(maps["metadata"]["resourceVersion"]))


def watch_resumes(sandbox, revision):
    """From an old version: events or bookmarks of later ones, or Expired."""
    connection = http.client.HTTPConnection("127.0.0.1", sandbox.port, timeout=20)
    connection.request("GET", f"{MAPS}?watch=1&timeoutSeconds=1&resourceVersion={revision}", headers=AUTH)
    answer = connection.getresponse()
    lines = [json.loads(line) for line in answer.read().splitlines()]
    connection.close()
    if answer.status == 410 or (lines and lines[0]["type"] == "ERROR" and lines[0]["object"]["code"] == 410):
        return "expired"
    revisions = [int(line["object"]["metadata"]["resourceVersion"]) for line in lines]
    return "resumed" if answer.status == 200 and all(r > revision for r in revisions) else (answer.status, lines[:2])


def kills(sandbox):
    writers = [Writer(number) for number in range(WRITERS)]
    rng = random.Random(SEED)
    written, seconds, watches = 0, 0.0, {}
    for number in range(KILLS):
        before = sum(writer.count for writer in writers)
        threads = [threading.Thread(target=writer.prepare(sandbox).write) for writer in writers]
        started = time.monotonic()
        for thread in threads:
            thread.start()
        time.sleep(rng.uniform(0.1, 0.8))
        sandbox.kill()
        seconds += time.monotonic() - started
        for writer in writers:
            writer.is_over = True
        for thread in threads:
            thread.join()
        written += sum(writer.count for writer in writers) - before
        line = sandbox.start()
        judge(f"starts after kill {number}", line.startswith("listening"), line)
        found, revision = contents(sandbox)
        wrong = {}
        for writer in writers:
            wrong.update(writer.settle(found))
        judge(f"all there after kill {number}", not wrong, wrong)
        known = set().union(*(writer.acknowledged for writer in writers))
        judge(f"nothing else after kill {number}", set(found) <= known, set(found) - known)
        judge(f"no step back after kill {number}", revision >= max(w.revision for w in writers), revision)
        judge(f"nothing refused before kill {number}", not any(w.problem for w in writers), [w.problem for w in writers])
        old = revision if number % 2 else max(1, revision - 50)
        outcome = watch_resumes(sandbox, old)
        watches[str(outcome)] = watches.get(str(outcome), 0) + 1
        judge(f"watch after kill {number}", outcome in ("resumed", "expired"), outcome)
    print(f"kills: {KILLS}, {written} writes at {written / seconds:.0f}/s, watches {watches}, seed {SEED}")
    return found


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def refuses(name, data, wanted, place="berth.db"):
    """It does not start, says why, and leaves the file as it is."""
    file = data / place
    before = digest(file) if file.is_file() else None
    sandbox = Sandbox(data)
    text = sandbox.start()
    if text.startswith("listening"):
        sandbox.kill()
    judge(name, not text.startswith("listening") and sandbox.code == 1 and wanted in text, text)
    judge(f"{name}: untouched", before is None or digest(file) == before)


def full_disk(data):
    """Writes fail with a clear answer when no more fits; reads go on, and nothing acknowledged is lost."""
    sandbox = Sandbox(data)
    sandbox.start(limit=3 << 20)
    acknowledged, failures = {}, []
    for number in range(4000):
        name = f"w-{number}"
        status, content = sandbox.ask("POST", MAPS, {"metadata": {"name": name}, "data": {"n": "x" * 4000}})
        if status == 201:
            acknowledged[name] = "x" * 4000
            continue
        if not failures:
            judge("full disk leaves reads", sandbox.ask("GET", MAPS)[0] == 200)
        failures.append((status, content))
        if len(failures) == 3:  # between them one may fit: what others wrote with the first took more
            break
    judge("full disk is said", len(failures) == 3 and all(
        status in (500, 507) and "cannot write" in content["message"] for status, content in failures), failures)
    sandbox.kill()
    sandbox.start()
    found, _ = contents(sandbox)
    judge("full disk loses nothing", found == acknowledged, len(found))
    print(f"full disk: {len(acknowledged)} writes before it was full: {failures[0][1].get('message') if failures else ''}")
    sandbox.kill()


def damage(source):
    """Cut short and changed files are refused with their name; the whole one still works."""
    size = (source / "berth.db").stat().st_size
    for name, change in {
            "cut short": lambda text: text[:size // 2],
            "cut within a page": lambda text: text[:-1000],
            # In every page: a single place might be one that holds nothing any more.
            "changed in the middle": lambda text: text[:4096] + b"".join(
                text[at:at + 2048] + bytes(64) + text[at + 2112:at + 4096] for at in range(4096, size, 4096)),
            "no database": lambda text: b"something else entirely " * 100,
    }.items():
        folder = WORK / "damaged"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder)
        for extra in ("berth.db-wal", "berth.db-shm"):
            (folder / extra).unlink(missing_ok=True)
        (folder / "berth.db").write_bytes(change((folder / "berth.db").read_bytes()))
        refuses(name, folder, "berth.db")


def crashed_log(source):
    """What a killed process left, and what a disk then made of it: only an end that was being written may go."""
    frame = 24 + 4096
    log = (source / "berth.db-wal").read_bytes()
    salt = log[16:24]  # frames of an earlier round of the log have another one, and say nothing
    starts = range(32, len(log) - frame + 1, frame)
    frames = next((i for i, at in enumerate(starts) if log[at + 8:at + 16] != salt), len(starts))
    judge("the log has something to lose", frames > 0, frames)
    middle = 32 + frames // 2 * frame
    for name, file, change, wanted in (
            ("header changed", "berth.db-wal", lambda text: text[:9] + b"X" + text[10:], "berth.db-wal"),
            ("first page changed", "berth.db-wal", lambda text: text[:1000] + bytes([text[1000] ^ 1]) + text[1001:], "berth.db-wal"),
            ("log zeroed", "berth.db-wal", lambda text: bytes(len(text)), "berth.db-wal"),
            ("log emptied", "berth.db-wal", lambda text: b"", "berth.db-wal"),
            ("log removed", "berth.db-wal", lambda text: None, "berth.db-wal"),
            ("frame header changed", "berth.db-wal", lambda text: text[:middle + 8] + b"XX" + text[middle + 10:], "berth.db-wal"),
            ("database emptied", "berth.db", lambda text: b"", "berth.db"),
            ("authority rubbish", "authority.pem", lambda text: b"rubbish", "authority.pem"),
            ("authority cut short", "authority.pem", lambda text: text[:-40], "authority.pem")):
        if name.startswith("frame") and frames < 4:
            continue  # a new round of the log had just begun: nothing finished lies behind it
        folder = WORK / "crashed"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder)
        if (text := change((folder / file).read_bytes())) is None:
            (folder / file).unlink()
        else:
            (folder / file).write_bytes(text)
        refuses(f"after a crash, {name}", folder, wanted, file)


def torn_end(data, sandbox):
    """Cut within its last frame, the log is repaired: that is said, and all but the last write is there."""
    for number in range(20):
        sandbox.ask("POST", MAPS, {"metadata": {"name": f"w9-{number}"}, "data": {"n": str(number)}})
    before, _ = contents(sandbox)
    sandbox.kill()
    with open(data / "berth.db-wal", "r+b") as file:
        # Behind the frames in use lie those of the log before: the end is where the last write's text is.
        text = file.read()
        last = text.rindex(b"w9-19")
        end = 32 + ((last - 32) // 4120) * 4120
        file.truncate(end + 2000)
    line = sandbox.start()
    judge("torn end is repaired", line.startswith("listening"), line)
    found, _ = contents(sandbox)
    judge("torn end loses what was under way only", all(found.get(f"w9-{n}") == str(n) for n in range(19)) and
          len(before) - len(found) <= 1, (len(before), len(found)))
    sandbox.process.terminate()
    sandbox.process.wait(20)
    judge("torn end is said", "LogEndCutOff" in sandbox.process.stderr.read())


def modes(data):
    """Files and folder are for their owner only, and refused when they are not."""
    for file in ("berth.db", "berth.db-wal", "authority.pem"):
        judge(f"{file} is private", (data / file).stat().st_mode & 0o777 == 0o600, oct((data / file).stat().st_mode))
    for place, mode in (("berth.db", 0o644), ("berth.db-wal", 0o640), ("authority.pem", 0o604), (".", 0o755), (".", 0o710)):
        folder = WORK / "open"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(data, folder)
        (folder / place).chmod(mode)
        refuses(f"{place} with mode {mode:o}", folder, f"{mode:04o}", place)


def same_nodes(data):
    """A start with the same command adds no nodes."""
    data.mkdir(mode=0o700)
    for nodes, expected in (2, 2), (2, 2), (3, 3), (1, 3):
        sandbox = Sandbox(data, "--nodes", str(nodes))
        sandbox.start()
        found = [one["metadata"]["name"] for one in sandbox.ask("GET", "/api/v1/nodes")[1]["items"]]
        judge(f"--nodes {nodes}", found == [f"node-{i}" for i in range(expected)], found)
        sandbox.kill()


def main():
    data = WORK / "data"
    data.mkdir(mode=0o700)
    sandbox = Sandbox(data)
    sandbox.start()
    expected = kills(sandbox)
    # Answered writes, so that a round of the log that had just begun holds finished frames.
    judge("writes more", all(sandbox.ask("POST", MAPS, {"metadata": {"name": f"finished-{n}"}})[0] == 201 for n in range(5)))
    sandbox.kill()
    crashed_log(data)
    modes(data)
    line = sandbox.start()
    judge("starts after all that", line.startswith("listening") and contents(sandbox)[0] == expected, line)
    torn_end(data, sandbox)
    sandbox.start()
    expected, _ = contents(sandbox)
    sandbox.process.terminate()
    judge("ends cleanly", sandbox.process.wait(20) == 0)
    damage(data)
    line = sandbox.start()
    judge("the whole file still works", line.startswith("listening") and contents(sandbox)[0] == expected, line)
    sandbox.kill()
    refuses("no folder", WORK / "nowhere", "nowhere")
    refuses("folder nobody can write to", pathlib.Path("/proc/self"), "/proc/self")
    (WORK / "full").mkdir(mode=0o700)
    full_disk(WORK / "full")
    same_nodes(WORK / "nodes")
    print(f"{counts[True]} passed, {counts[False]} failed")
    sys.exit(1 if counts[False] else 0)


if __name__ == "__main__":
    main()
