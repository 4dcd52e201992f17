#!/usr/bin/env python3
"""Fails on commit subjects that are not `room: imperative summary` within 72 columns (those since SINCE, or a range)."""

import re
import subprocess
import sys

from source_text import arguments, finish

# Some subjects up to this commit are longer; history is not rewritten for them.
SINCE = "0505e631e47e34ddc711a9229e846b1fb4de7534"
SUBJECT = re.compile(r"^[a-z][\w./-]*(, [a-z][\w./-]*)*: \S.*[^.\s]$")


def main():
    parser = arguments(__doc__)
    parser.add_argument("range", nargs="?", help="commits to look at, as git log takes them")
    parsed = parser.parse_args()
    if not parsed.range:
        known = subprocess.run(["git", "-C", str(parsed.root), "cat-file", "-e", SINCE + "^{commit}"],
                               capture_output=True, check=False)
        parsed.range = "HEAD" if known.returncode else f"{SINCE}..HEAD"
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
