#!/usr/bin/env python3
"""What scripts/test_report.py says of a run of tests: what is run once more alone, what counts, and what a failure looks like."""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
UNIT = {"name": "berth:base / slice", "result": "OK", "duration": 0.1, "stdout": "ok 1 - a\nok 2 - b # SKIP no file\n"}
GOOD = {"name": "berth:e2e / good", "result": "OK", "duration": 30, "stdout": "3 passed, 0 failed\n"}
BAD = {"name": "berth:e2e / bad", "result": "FAIL", "returncode": 1, "duration": 2, "stdout": "ok one\nFAIL two: never came\n"}
BROKEN = {"name": "berth:base / broken", "result": "FAIL", "returncode": 139, "duration": 2, "stdout": "ok 1 - a\n"}


def run(tests, alone=None, *options):
    """(exit code, output, the counts, what is said in short) of the program"""
    with tempfile.TemporaryDirectory() as build:
        logs = pathlib.Path(build) / "meson-logs"
        logs.mkdir()
        for name, results in (("testlog", tests), ("testlog-alone", alone)):
            if results is not None:
                (logs / f"{name}.json").write_text("".join(json.dumps(one) + "\n" for one in results))
        found = subprocess.run([sys.executable, ROOT / "scripts/test_report.py", *options, build], capture_output=True, text=True, check=False)
        texts = [(logs / name).read_text() if (logs / name).exists() else "" for name in ("counts", "failures")]
        return found.returncode, found.stdout + found.stderr, *texts


def alone_of(*tests):
    return run(tests, None, "--alone")[1].split()


def bad(name):
    return {**BAD, "name": f"berth:e2e / {name}"}


def main():
    whole, failing, empty = run([UNIT, GOOD]), run([UNIT, BAD, BROKEN]), run([])
    better, worse = run([GOOD, BAD], [{**GOOD, "name": BAD["name"]}]), run([GOOD, BAD], [{**BAD, "stdout": "FAIL two: again\n"}])
    results = [
        ("all is well", whole[0] == 0 and whole[2] == "2 0 1\n" and whole[3] == ""),
        ("the slow are named", "slow berth:e2e / good: 30 s\n" in whole[1] and "slice" not in whole[1]),
        ("failures count", failing[0] == 1 and failing[2] == "3 2 1\n"),
        ("a failure in short", "FAILED berth:e2e / bad (FAIL, exit 1, 2.0 s)\n    FAIL two: never came\n" in failing[3]),
        ("no test is a failure", empty[0] == 1 and empty[2] == "0 1 0\n"),
        ("end-to-end tests run again", alone_of(UNIT, GOOD, BAD, BROKEN) == ["bad"]),
        ("four of them", alone_of(*(bad(name) for name in "abcd")) == list("abcd")),
        ("whatever else they are", alone_of({**BAD, "name": "berth:e2e+browser / page"}) == ["page"]),
        ("but not many", alone_of(*(bad(name) for name in "abcde")) == []),
        ("what passes alone passes", better[0] == 0 and better[2] == "2 0 0\n"),
        ("and says how it failed", "passed only alone: FAILED berth:e2e / bad (FAIL, exit 1, 2.0 s) | FAIL two: never came\n" in better[1]),
        ("what fails alone failed", worse[0] == 1 and worse[2] == "1 1 0\n" and "two: again" in worse[3]),
    ]
    for name, right in results:
        print(f"{'ok' if right else 'not ok'} - {name}")
    sys.exit(0 if all(right for _, right in results) else 1)


if __name__ == "__main__":
    main()
