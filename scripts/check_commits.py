#!/usr/bin/env python3
"""Fails on commit subjects that are not `room: imperative summary` within 72 columns (the whole history, or a range)."""

import re
import subprocess
import sys

from source_text import arguments, finish

SUBJECT = re.compile(r"^[a-z][\w./-]*(, [a-z][\w./-]*)*: \S.*[^.\s]$")


def main():
    parser = arguments(__doc__)
    parser.add_argument("range", nargs="?", default="HEAD", help="commits to look at, as git log takes them")
    parsed = parser.parse_args()
    log = subprocess.run(["git", "-C", str(parsed.root), "log", "--no-merges", "--format=%h %s", parsed.range],
                         capture_output=True, text=True)
    if log.returncode:
        print("commits: skipped, not a git checkout")
        sys.exit(0)
    commits = [line.split(" ", 1) for line in log.stdout.splitlines()]
    violations = []
    for commit, subject in commits:
        if len(subject) > 72:
            violations.append(f"{commit}: subject of {len(subject)} columns: {subject}")
        elif not SUBJECT.match(subject):
            violations.append(f"{commit}: not `room: summary`: {subject}")
    finish("commits", violations, f"{len(commits)} commits")


if __name__ == "__main__":
    main()
