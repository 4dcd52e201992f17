#!/usr/bin/env python3
"""Turns src/schema/descriptions.txt into a C table: embed_descriptions.py INPUT OUTPUT.c. Rows are sorted by type and field."""

import pathlib
import sys


def rows_of(path):
    types = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        names, colon, text = line.partition(":")
        fields = [""] if not line.startswith(" ") else [names.strip()]
        if fields == [""]:
            types = [name.strip() for name in names.split(",")]
        if not colon or not types:
            sys.exit(f"{path}:{number}: expected TYPE: TEXT, or FIELD: TEXT below a type")
        yield from ((name, field, text.strip()) for name in types for field in fields if text.strip())


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main():
    source, output = map(pathlib.Path, sys.argv[1:])
    rows = sorted(rows_of(source))
    twice = [row[:2] for row, after in zip(rows, rows[1:]) if row[:2] == after[:2]]
    if twice:
        sys.exit(f"{source}: more than one text for {' '.join(twice[0])}")
    lines = [f"/* Made from {source.name}. */", '#include "schema/description.h"', "",
             "const struct schema_description schema_descriptions[] = {"]
    lines += [f"        {{ {', '.join(map(quoted, row))} }}," for row in rows]
    lines += ["};", f"const size_t schema_description_count = {len(rows)};", ""]
    output.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
