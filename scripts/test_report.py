#!/usr/bin/env python3
"""Sums up a run of `meson test`: test_report.py [--alone] BUILD. See test.sh, which calls it; --alone only prints the names of the
tests to run once more, with nothing beside them.

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
ALONE_MAX = 4  # where more fail, it is not the load
GOOD = ("OK", "EXPECTEDFAIL")


def count(test):
    """(passed, failed, skipped) cases of one test."""
    output = test.get("stdout") or ""
    passed, failed, skipped = (len(pattern.findall(output)) for pattern in (OK, NOT_OK, SKIP))
    if test["result"] == "SKIP":
        return passed, failed, max(skipped, 1)
    if test["result"] not in GOOD:
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


def read_log(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def failed(test):
    return test["result"] not in (*GOOD, "SKIP")


def is_end_to_end(test):
    return "e2e" in re.split("[:+ ]", test["name"])  # berth:e2e+browser / reports


def to_run_alone(tests):
    """Names of end-to-end tests that failed."""
    names = [test["name"].split(" / ")[1] for test in tests if failed(test) and is_end_to_end(test)]
    return names if len(names) <= ALONE_MAX else []


def with_second_runs(tests, alone):
    """Each test as it ended last; prints how those had failed that passed alone."""
    second = {test["name"]: test for test in alone}
    for test in tests:
        again = second.get(test["name"])
        if again and not failed(again):
            print("passed only alone:", " | ".join(in_short(test).split("\n    ")).strip())
        yield again or test


def report(build, tests):
    total = collections.Counter()
    for test in tests:
        passed, failures, skipped = count(test)
        total.update(passed=passed, failed=failures, skipped=skipped)
        if test["result"] == "SKIP":
            reason = ((test.get("stdout") or "") + (test.get("stderr") or "")).strip().splitlines()
            print(f"skipped {test['name']}{': ' + reason[-1] if reason else ''}")
        elif test["duration"] > SLOW_S and not failed(test):
            print(f"slow {test['name']}: {test['duration']:.0f} s")
    for test in filter(failed, tests):
        show_failure(test)
    if not tests:
        total["failed"] = 1
        print(f"no test ran; see {build / 'test-output.log'}")
    counts = (total["passed"], total["failed"], total["skipped"])
    (build / "meson-logs").mkdir(exist_ok=True)
    (build / "meson-logs" / "counts").write_text("%d %d %d\n" % counts)
    (build / "meson-logs" / "failures").write_text("".join(in_short(test) for test in filter(failed, tests)))
    print(f"{build.name}: {len(tests)} tests, " + "%d cases passed, %d failed, %d skipped" % counts)
    return total["failed"] == 0


def main():
    build = pathlib.Path(sys.argv[-1])
    logs = build / "meson-logs"
    tests = read_log(logs / "testlog.json")
    if "--alone" in sys.argv:
        print(" ".join(to_run_alone(tests)))
        return
    tests = list(with_second_runs(tests, read_log(logs / "testlog-alone.json")))
    sys.exit(0 if report(build, tests) else 1)


if __name__ == "__main__":
    main()
