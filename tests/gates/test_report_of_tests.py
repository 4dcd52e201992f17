#!/usr/bin/env python3
"""What scripts/test_report.py says of a run of tests: what counts, and what a failure looks like."""

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


def run(tests):
    """(exit code, output, the counts, what is said in short) of the program"""
    with tempfile.TemporaryDirectory() as build:
        logs = pathlib.Path(build) / "meson-logs"
        logs.mkdir()
        (logs / "testlog.json").write_text("".join(json.dumps(one) + "\n" for one in tests))
        found = subprocess.run([sys.executable, ROOT / "scripts/test_report.py", build], capture_output=True, text=True, check=False)
        return found.returncode, found.stdout + found.stderr, (logs / "counts").read_text(), (logs / "failures").read_text()


def main():
    whole, failing, empty = run([UNIT, GOOD]), run([UNIT, BAD, BROKEN]), run([])
    results = [
        ("all is well", whole[0] == 0 and whole[2] == "2 0 1\n" and whole[3] == ""),
        ("the slow are named", "slow berth:e2e / good: 30 s\n" in whole[1] and "slice" not in whole[1]),
        ("failures count, also without a failing case", failing[0] == 1 and failing[2] == "3 2 1\n"),
        ("a failure in short", "FAILED berth:e2e / bad (FAIL, exit 1, 2.0 s)\n    FAIL two: never came\n" in failing[3]),
        ("no test is a failure", empty[0] == 1 and empty[2] == "0 1 0\n"),
    ]
    for name, right in results:
        print(f"{'ok' if right else 'not ok'} - {name}")
    sys.exit(0 if all(right for _, right in results) else 1)


if __name__ == "__main__":
    main()
