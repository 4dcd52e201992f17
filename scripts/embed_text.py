#!/usr/bin/env python3
"""Turns text files into C arrays: embed_text.py OUTPUT.c HEADER SYMBOL FILE...; SYMBOL is an array of struct embedded_text."""

import pathlib
import sys


def main():
    output, header, symbol, *files = sys.argv[1:]
    rows, lines = [], [f"/* Made from {', '.join(pathlib.Path(f).name for f in files)}. */", f'#include "{header}"', ""]
    for number, name in enumerate(files):
        data = pathlib.Path(name).read_bytes()
        lines.append(f"static const char text_{number}[] = {{")
        lines += ["        " + " ".join(f"{byte if byte < 128 else byte - 256}," for byte in data[at:at + 20]) for at in range(0, len(data), 20)]
        lines += ["        0", "};", ""]
        rows.append(f"        {{ text_{number}, {len(data)} }},")
    lines += [f"const struct embedded_text {symbol}[] = {{", *rows, "        { 0, 0 },", "};", ""]
    pathlib.Path(output).write_text("\n".join(lines))


if __name__ == "__main__":
    main()
