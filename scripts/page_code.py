#!/usr/bin/env python3
"""Writes the files whose code a page holds: page_code.py PAGE.md DIRECTORY NAME...

A block that begins with ```c PATH is the file of that path; it is written to DIRECTORY under its last name. The page has to
hold exactly the files named.
"""

import pathlib
import re
import sys

BLOCK = re.compile(r"^```c (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main():
    page, folder, *names = sys.argv[1:]
    blocks = {path.rsplit("/", 1)[-1]: code for path, code in BLOCK.findall(pathlib.Path(page).read_text())}
    if sorted(blocks) != sorted(names):
        sys.exit(f"{page}: holds {', '.join(sorted(blocks)) or 'no files'}, not {', '.join(sorted(names))}")
    for name, code in blocks.items():
        (pathlib.Path(folder) / name).write_text(code)


if __name__ == "__main__":
    main()
