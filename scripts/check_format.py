#!/usr/bin/env python3
"""Fails on C files clang-format would change. Only release 14 (Debian 12) is asked: other releases differ in details."""

import re
import shutil
import subprocess
import sys

from source_text import arguments, c_files, finish

RELEASE = 14
# Generated tables keep the shape their generator gives them.
GENERATED = {"src/schema/schema_table.c", "src/schema/internal_table.c"}


def tool():
    """The clang-format of the one release, or None."""
    for name in (f"clang-format-{RELEASE}", "clang-format"):
        if shutil.which(name):
            version = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
            found = re.search(r"version (\d+)", version)
            if found and int(found.group(1)) == RELEASE:
                return name
    return None


def main():
    parser = arguments(__doc__)
    parser.add_argument("--fix", action="store_true", help="rewrite the files instead")
    parsed = parser.parse_args()
    files = [path for path in c_files(parsed.root, "src", "tests") if path.as_posix() not in GENERATED]
    name = tool()
    if not name:
        print(f"format: skipped, no clang-format {RELEASE}")
        sys.exit(0)
    mode = ["-i"] if parsed.fix else ["--dry-run", "-Werror"]
    run = subprocess.run([name, *mode, *map(str, files)], cwd=parsed.root, capture_output=True, text=True)
    changed = sorted({line.split(":")[0] for line in run.stderr.splitlines() if "-Wclang-format-violations" in line})
    if run.returncode and not changed:
        changed = run.stderr.splitlines()[:5]
    finish("format", [f"{path}: clang-format would change it" for path in changed], f"{len(files)} files")


if __name__ == "__main__":
    main()
