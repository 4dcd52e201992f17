#!/usr/bin/env python3
"""Builds and runs the benchmarks of a build directory: bench.py BUILD [--compare | --store] [NAME...].

A benchmark is an executable tests/bench/bench_<name> that prints rows `what  figure unit`. --compare puts the figures beside
tests/bench/baseline.txt and ends with 1 when one is worse by more than a quarter; --store makes them the baseline. Rates (units
ending in /s) are better when higher, everything else when lower.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BASELINE = ROOT / "tests" / "bench" / "baseline.txt"
ROW = re.compile(r"^(\S.*?)\s{2,}(-?[\d.]+(?:e[+-]?\d+)?) (\S+)$")
TOLERANCE = 1.25


def figures(text):
    """{(benchmark, what, unit): figure} of lines `benchmark: what  figure unit`."""
    rows = {}
    for line in text.splitlines():
        name, _, rest = line.partition(": ")
        row = ROW.match(rest)
        if row:
            rows[name, row.group(1), row.group(3)] = float(row.group(2))
    return rows


def run(build, names):
    """Runs the benchmarks, or those named, and gives back their rows as text, each after its benchmark's name."""
    listing = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True)
    targets = sorted(set(re.findall(r"^(tests/bench/bench_\w+):", listing.stdout, re.MULTILINE)))
    text = ""
    for target in targets:
        name = target.rsplit("bench_", 1)[1]
        if names and name not in names:
            continue
        subprocess.run(["ninja", "--quiet", "-C", build, target], check=True)
        output = subprocess.run([build / target], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        rows = "".join(f"{name}: {line}\n" for line in output.splitlines() if line.strip())
        print(rows, end="", flush=True)
        text += rows
    return text


def compare(now, before):
    """Prints each figure beside the stored one; whether none got worse."""
    is_fine = True
    for key, figure in now.items():
        if key not in before or not before[key] or not figure:
            continue
        ratio = figure / before[key] if key[2].endswith("/s") else before[key] / figure
        is_worse = ratio < 1 / TOLERANCE
        is_fine = is_fine and not is_worse
        print(f"{'WORSE' if is_worse else '     '} {ratio:6.2f}x  {key[0]}: {key[1]}  {before[key]:g} -> {figure:g} {key[2]}")
    return is_fine


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    text = run(options.build.resolve(), options.names)
    if options.store:
        BASELINE.write_text(text)
    if options.compare:
        if not BASELINE.exists():
            sys.exit(f"no baseline yet: scripts/bench.py {options.build} --store")
        print()
        sys.exit(0 if compare(figures(text), figures(BASELINE.read_text())) else 1)


if __name__ == "__main__":
    main()
