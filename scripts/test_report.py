#!/usr/bin/env python3
"""Sums up a run of `meson test`: test_report.py BUILD. See test.sh, which calls it.

A test that prints one `ok`/`not ok` (or FAIL) line per case counts as many cases; any other test counts as one. A test
that fails without a failing case (a crash, a leak, time over) counts as one more failure. What failed comes last, and in
short in BUILD/meson-logs/failures.
"""

import collections
import json
import pathlib
import re
import sys

OK = re.compile(r"^ok\b(?!.*# *skip)", re.MULTILINE | re.IGNORECASE)
SKIP = re.compile(r"^ok\b.*# *skip", re.MULTILINE | re.IGNORECASE)
NOT_OK = re.compile(r"^(not ok|FAIL)\b", re.MULTILINE)
TAIL_LINES = 25
SHORT_LINES = 4
SLOW_S = 20


def count(test):
    """(passed, failed, skipped) cases of one test."""
    output = test.get("stdout") or ""
    passed, failed, skipped = (len(pattern.findall(output)) for pattern in (OK, NOT_OK, SKIP))
    if test["result"] == "SKIP":
        return passed, failed, max(skipped, 1)
    if test["result"] not in ("OK", "EXPECTEDFAIL"):
        return passed, max(failed, 1), skipped
    return (passed, 0, skipped) if passed or skipped else (1, 0, 0)


def failure_line(test):
    return f"FAILED {test['name']} ({test['result']}, exit {test.get('returncode')}, {test['duration']:.1f} s)"


def in_short(test):
    """The failure in a few lines, for the end of a long output."""
    lines = ((test.get("stdout") or "") + (test.get("stderr") or "")).splitlines()
    telling = [line for line in lines if NOT_OK.match(line) or "ERROR" in line or "rror: " in line] or lines[-SHORT_LINES:]
    return "\n".join([failure_line(test)] + ["    " + line[:200] for line in telling[:SHORT_LINES]]) + "\n"


def show_failure(test):
    print(failure_line(test))
    lines = ((test.get("stdout") or "") + (test.get("stderr") or "")).splitlines()
    telling = [line for line in lines if not OK.match(line)]
    for line in telling[:TAIL_LINES // 2] + (["..."] if len(telling) > TAIL_LINES else []) + telling[-TAIL_LINES // 2:]:
        print("    " + line[:300])


def main():
    build = pathlib.Path(sys.argv[1])
    log = build / "meson-logs" / "testlog.json"
    tests = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    total = collections.Counter()
    failures = []
    for test in tests:
        passed, failed, skipped = count(test)
        total.update(passed=passed, failed=failed, skipped=skipped)
        if test["result"] not in ("OK", "EXPECTEDFAIL", "SKIP"):
            failures.append(test)
        elif test["result"] == "SKIP":
            reason = ((test.get("stdout") or "") + (test.get("stderr") or "")).strip().splitlines()
            print(f"skipped {test['name']}{': ' + reason[-1] if reason else ''}")
        elif test["duration"] > SLOW_S:
            print(f"slow {test['name']}: {test['duration']:.0f} s")
    for test in failures:
        show_failure(test)
    if not tests:
        total["failed"] = 1
        print(f"no test ran; see {build / 'test-output.log'}")
    counts = (total["passed"], total["failed"], total["skipped"])
    (build / "meson-logs").mkdir(exist_ok=True)
    (build / "meson-logs" / "counts").write_text("%d %d %d\n" % counts)
    (build / "meson-logs" / "failures").write_text("".join(in_short(test) for test in failures))
    print(f"{build.name}: {len(tests)} tests, " + "%d cases passed, %d failed, %d skipped" % counts)
    sys.exit(1 if total["failed"] else 0)


if __name__ == "__main__":
    main()
