#!/usr/bin/env python3
"""Makes one-line changes in rooms and tells which of them no quick test notices.

The changes are drawn by a seed (mutants.py) and made in a copy of the tree, build-mutate/, never in the sources. There
rooms are shared libraries, so that a change costs one compilation and one link. The tests of the room itself run first,
then those of others that link it, quickest first; the first failure ends it, and a test that takes far longer than
without the change has failed. What no test notices is compiled again with optimisation: when that gives the same code
as without the change, the change means nothing and is not counted. Neither is one that does not compile.

Ends with 0 whatever survives: this is a tool, not a gate.
"""

import argparse
import concurrent.futures
import filecmp
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import threading
import time

from mutants import mutants_of, sample

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOMS = ["sched", "plugins/sched", "plugins/desched", "desched", "evict", "reboot"]
LEFT_OUT_SUITES = {"e2e", "gates", "fuzz", "bench", "long"}
MEMORY_MAX = 4 << 30
TYPE_ERRORS = ["-Werror=int-conversion", "-Werror=incompatible-pointer-types", "-Werror=discarded-qualifiers",
               "-Werror=enum-conversion"]


def suite_of(room):
    return room.replace("/", "_")


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Test:
    """One test program of the scratch build, and what it takes without a change."""

    def __init__(self, row):
        self.name = row["name"]
        self.suite = row["suite"][0].split(":")[-1]
        self.command = row["cmd"]
        self.env = {**os.environ, **row["env"], "ASAN_OPTIONS": "detect_leaks=0"}
        self.libraries = set()
        self.cpu_s = self.wall_s = 0.0

    def run(self, folder):
        """Whether it passed."""
        longest = max(20.0, 15 * self.wall_s) if self.wall_s else 300.0
        before = time.monotonic()
        try:
            result = subprocess.run(self.command, env=self.env, cwd=folder, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=longest,
                                    preexec_fn=self.limit, check=False)
        except subprocess.TimeoutExpired:
            return False
        if not self.wall_s:
            self.wall_s = time.monotonic() - before
        return result.returncode == 0

    def limit(self):
        limit_memory()
        if self.cpu_s:
            most = int(3 + 6 * self.cpu_s)
            resource.setrlimit(resource.RLIMIT_CPU, (most, most))

    def find_libraries(self):
        listed = subprocess.run(["ldd", self.command[0]], capture_output=True, text=True, check=False).stdout
        self.libraries = set(re.findall(r"lib(\w+)\.so =>", listed))


class Copy:
    """A copy of the tree and its build; one per job."""

    def __init__(self, folder):
        self.tree, self.build, self.work = folder / "tree", folder / "build", folder / "work"
        self.work.mkdir(parents=True, exist_ok=True)

    def update(self):
        """Brings the copy to what the sources are, touching only files that differ."""
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                capture_output=True, text=True, check=True).stdout
        wanted = {pathlib.Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()}
        for path in sorted(wanted):
            self.put(path)
        for path in [p for p in self.tree.rglob("*") if p.is_file() and p.relative_to(self.tree) not in wanted]:
            path.unlink()

    def put(self, path):
        source, target = ROOT / path, self.tree / path
        if path.name == "meson.build":
            text = source.read_text().replace("static_library(", "shared_library(")
            if not target.exists() or target.read_text() != text:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)
        elif not target.exists() or not filecmp.cmp(source, target, shallow=False):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)

    def configure(self):
        if (self.build / "build.ninja").exists():
            return
        compiler = shlex.split(os.environ.get("CC", "gcc"))[-1]
        env = {**os.environ, "BERTH_SHARED": "/nonexistent", "CCACHE_NOHASHDIR": "1", "CCACHE_BASEDIR": str(self.tree),
               "CC": f"ccache {compiler}" if shutil.which("ccache") else compiler}
        run(["meson", "setup", str(self.build), str(self.tree), "-Doptimization=0", "-Ddebug=false",
             f"-Dc_args={TYPE_ERRORS}", "-Db_asneeded=false", "-Dc_link_args=-lm"], env)

    def make(self, *targets):
        """Whether the targets, or everything, could be built."""
        return subprocess.run(["ninja", "--quiet", "-C", str(self.build), *targets], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0

    def introspect(self, what):
        shown = subprocess.run(["meson", "introspect", str(self.build), f"--{what}"], capture_output=True, text=True,
                               check=True)
        return json.loads(shown.stdout)

    def library_of(self, room):
        name = f"lib{suite_of(room)}.so"
        return f"src/{room}/{name}"

    def optimised(self, path):
        """The object code of a file with optimisation; None when it cannot be had."""
        commands = json.loads((self.build / "compile_commands.json").read_text())
        source = self.tree / path
        for row in commands:
            if (pathlib.Path(row["directory"]) / row["file"]).resolve() != source.resolve():
                continue
            words = shlex.split(row["command"])
            out = self.work / "optimised.o"
            words[words.index("-o") + 1] = str(out)
            kept = [w for w in words if not w.startswith(("-O", "-MD", "-g")) and w not in ("-MQ", "-MF")
                    and not w.endswith(".o.d")]
            kept = [w for i, w in enumerate(kept) if not (w.endswith(".o") and kept[i - 1] != "-o")]
            done = subprocess.run(kept + ["-O2", "-g0"], cwd=row["directory"], capture_output=True, check=False)
            return hashlib.sha256(out.read_bytes()).hexdigest() if done.returncode == 0 else None
        return None


def run(command, env=None):
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"mutate: {shlex.join(command)} failed:\n{(done.stdout + done.stderr)[-3000:]}")


def tests_of(copy, options):
    """The quick unit tests that pass without a change, with what they take."""
    rows = [Test(row) for row in copy.introspect("tests")]
    tests = [test for test in rows if test.suite not in LEFT_OUT_SUITES and
             test.command[0].startswith(str(copy.build / "tests" / "unit")) and
             (not options.suites or test.suite in options.suites)]
    kept = []
    for test in tests:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        passed = test.run(copy.work)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        test.cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if not passed:
            print(f"mutate: {test.suite}/{test.name} does not pass without a change: left out", flush=True)
        elif test.cpu_s > options.longest:
            print(f"mutate: {test.suite}/{test.name} takes {test.cpu_s:.1f} s: left out", flush=True)
        else:
            test.find_libraries()
            kept.append(test)
    return kept


def in_order(tests, mutant, room):
    """The test named like the file, its room's, then the others that link it; quick ones first."""
    suite, noun = suite_of(room), pathlib.Path(mutant.path).stem
    linked = [test for test in tests if suite in test.libraries]
    return sorted(linked, key=lambda t: (t.suite != suite, t.name != noun, t.cpu_s))


def judge(copy, tests, room, mutant):
    """(verdict, by whom) of one change: killed, survived, not built, no change."""
    target = copy.tree / mutant.path
    original = target.read_text()
    try:
        target.write_text(mutant.text)
        if not copy.make(copy.library_of(room)):
            return "not built", ""
        for test in in_order(tests, mutant, room):
            if not test.run(copy.work):
                return "killed", f"{test.suite}/{test.name}"
        changed = copy.optimised(mutant.path)
        target.write_text(original)
        same = changed is not None and changed == copy.optimised(mutant.path)
        return ("no change" if same else "survived"), ""
    finally:
        target.write_text(original)


class Round:
    """The changes of one room, drawn in one order whatever the number of jobs."""

    def __init__(self, room, mutants, count):
        self.room, self.mutants, self.count = room, mutants, count
        self.verdicts = [None] * len(mutants)
        self.next, self.lock = 0, threading.Lock()

    def draw(self):
        """Index of the next change, None when enough were judged."""
        with self.lock:
            counted = sum(v is not None and v[0] in ("killed", "survived") for v in self.verdicts)
            under_way = sum(v is None for v in self.verdicts[:self.next])
            if self.next == len(self.mutants) or counted + under_way >= self.count:
                return None
            self.next += 1
            return self.next - 1

    def work(self, copy, tests):
        for test in tests:
            if test.suite == suite_of(self.room) and not test.run(copy.work):
                sys.exit(f"mutate: {test.suite}/{test.name} fails without a change")
        while (index := self.draw()) is not None:
            mutant = self.mutants[index]
            verdict = judge(copy, tests, self.room, mutant)
            self.verdicts[index] = verdict
            if verdict[0] == "survived":
                print(describe(mutant), flush=True)
        copy.make(copy.library_of(self.room))  # without the last change

    def tally(self):
        counts = {name: 0 for name in ("killed", "survived", "not built", "no change")}
        for verdict in self.verdicts:
            if verdict:
                counts[verdict[0]] += 1
        return counts


def describe(mutant):
    return f"{mutant.path}:{mutant.line}: {mutant.kind}\n  - {mutant.before}\n  + {mutant.after}"


def sources(room):
    """(path, text) of the files of a room."""
    files = [(str(path.relative_to(ROOT)), path.read_text()) for path in sorted((ROOT / "src" / room).glob("*.c"))]
    if not files:
        sys.exit(f"mutate: src/{room}: no such room")
    return files


def drawn(room, seed, count):
    """The changes of a room in the order they are tried; more than count, for those that do not build."""
    return sample(sources(room), 3 * count, random.Random(f"{seed} {room}"))


def once_more(room, rows):
    """Survivors of an earlier run, found again in today's sources by their text, in another file if need be."""
    today = [m for path, text in sources(room) for m in mutants_of(path, text)]
    found = []
    for row in rows:
        same = [m for m in today if (m.before, m.after) == (row["before"], row["after"])]
        if same:
            found.append(min(same, key=lambda m: (m.path != row["path"], abs(m.line - row["line"]))))
        else:
            print(f"mutate: {row['path']}:{row['line']}: no longer there: {row['before']}")
    return found


def report_path(scratch, room, seed):
    return scratch / f"report-{suite_of(room)}-{seed}.json"


def plan(room, options):
    """(round, report of the earlier run or None) of a room."""
    if not options.again:
        return Round(room, drawn(room, options.seed, options.count), options.count), None
    path = report_path(options.scratch, room, options.seed)
    if not path.exists():
        sys.exit(f"mutate: {path}: no earlier run of {room} with seed {options.seed}")
    earlier = json.loads(path.read_text())
    return Round(room, once_more(room, earlier["survivors"]), len(earlier["survivors"])), earlier


def mutate_room(work, earlier, options, copies, tests):
    room, mutants = work.room, work.mutants
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(len(copies)) as pool:
        for job in [pool.submit(work.work, copy, own) for copy, own in zip(copies, tests)]:
            job.result()
    counts = work.tally()
    if earlier:
        counts["killed"] += earlier["counts"]["killed"]
        for name in ("not built", "no change"):
            counts[name] += earlier["counts"][name]
    survivors = [m for m, v in zip(mutants, work.verdicts) if v and v[0] == "survived"]
    rows = [{"path": m.path, "line": m.line, "kind": m.kind, "before": m.before, "after": m.after} for m in survivors]
    if not earlier:
        report_path(options.scratch, room, options.seed).write_text(json.dumps({"counts": counts, "survivors": rows}, indent=1))
    judged = counts["killed"] + counts["survived"]
    rate = 100 * counts["killed"] / judged if judged else 0
    line = (f"{room:16} {judged:4} changes, {counts['killed']:4} killed, {counts['survived']:3} survived: {rate:3.0f} %"
            f"  ({counts['not built']} did not build, {counts['no change']} changed nothing; "
            f"{time.monotonic() - began:.0f} s)")
    print(line, flush=True)
    return line


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", default=ROOMS, help=f"folders of src (default: {' '.join(ROOMS)})")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50, help="changes per room (default 50)")
    parser.add_argument("--jobs", type=int, default=1, help="copies of the tree that work side by side")
    parser.add_argument("--longest", type=float, default=3.0, metavar="S",
                        help="tests that take more processor seconds are left out (default 3)")
    parser.add_argument("--suites", nargs="+", metavar="SUITE",
                        help="only tests of these suites (default: of all that link the room)")
    parser.add_argument("--again", action="store_true",
                        help="only what survived the earlier run of this room and seed, with today's tests")
    parser.add_argument("--list", action="store_true", help="print the changes, build nothing")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build-mutate", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    options = parse()
    if options.list:
        for room in options.rooms:
            for mutant in drawn(room, options.seed, options.count)[:options.count]:
                print(describe(mutant))
        return
    os.nice(10)
    options.scratch.mkdir(exist_ok=True)
    options.scratch = options.scratch.resolve()
    plans = [plan(room, options) for room in options.rooms]  # of the sources as they are now
    copies = [Copy(options.scratch / str(job)) for job in range(options.jobs)]
    tests = []
    for copy in copies:
        copy.update()
        copy.configure()
        if not copy.make():
            sys.exit(f"mutate: the tree does not build: ninja -C {copy.build}")
        tests.append(tests_of(copy, options))
    lines = [mutate_room(work, earlier, options, copies, tests) for work, earlier in plans]
    print("\n" + "\n".join(lines))


if __name__ == "__main__":
    main()
