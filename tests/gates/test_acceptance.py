#!/usr/bin/env python3
"""Every acceptance case of a part has a test that runs and carries its number: as the name of a registered test
(r01_... to r77_...) or in a name that a test prints ("sched-034 ...", "desched-108 ...", "evict-C12 ..."). A number in a
comment does not count."""
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
COMMENT = {
    ".c": re.compile(r"/\*.*?\*/", re.S),
    ".h": re.compile(r"/\*.*?\*/", re.S),
    ".py": re.compile(r"(?m)^\s*#.*$"),
    ".sh": re.compile(r"(?m)^\s*#.*$"),
}
REGISTERED = re.compile(r"cmocka_unit_test\(((?:r\d\d_)+\w*)\)")
LABEL = re.compile(r"\b(sched|desched|evict)-([A-I]?)0*(\d+)\b")

# Part, how many cases by letter ("" where the reference numbers them through).
PARTS = {
    "reboot": {"": 77},
    "desched": {"": 110},
    "sched": {"": 103},
    "evict": {"A": 15, "B": 3, "C": 14, "D": 9, "E": 5, "F": 5, "G": 4, "H": 18, "I": 4},
}


def found_cases():
    found = {"reboot": set(), "sched": set(), "desched": set(), "evict": set()}
    for path in sorted(TESTS.glob("unit/*/*")) + sorted(TESTS.glob("e2e/*")):
        if path.suffix not in (".c", ".h", ".py", ".sh", ".jsonl"):
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix in COMMENT:
            text = COMMENT[path.suffix].sub("", text)
        for name in REGISTERED.findall(text):
            found["reboot"].update(("", int(n)) for n in re.findall(r"(?:^|_)r(\d\d)(?=_)", name))
        for part, letter, number in LABEL.findall(text):
            found[part].add((letter, int(number)))
    return found


def main():
    found, status = found_cases(), 0
    for part, letters in PARTS.items():
        wanted = [(letter, n) for letter, count in letters.items() for n in range(1, count + 1)]
        missing = ["%s-%s%d" % (part, *case) for case in wanted if case not in found[part]]
        print("%s: %d of %d cases" % (part, len(wanted) - len(missing), len(wanted)), *("missing: " + name for name in missing))
        status |= bool(missing)
    return status


sys.exit(main())
