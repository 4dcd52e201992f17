#!/usr/bin/env python3
"""Every one of the reboot agent's 77 acceptance cases has a test that runs, named by its number: r01_... to r77_..."""
import pathlib
import re
import sys

CASES = 77
REGISTERED = re.compile(r"cmocka_unit_test\(((?:r\d\d_)+\w*)\)")


def main():
    tests = pathlib.Path(__file__).resolve().parent.parent / "unit"
    found = set()
    for path in sorted(tests.glob("*/test_*.c")):
        for name in REGISTERED.findall(path.read_text(encoding="utf-8")):
            found.update(int(number) for number in re.findall(r"(?:^|_)r(\d\d)(?=_)", name))
    missing = [number for number in range(1, CASES + 1) if number not in found]
    print("%d of %d cases" % (CASES - len(missing), CASES), *("missing: r%02d" % number for number in missing))
    return 1 if missing else 0


sys.exit(main())
