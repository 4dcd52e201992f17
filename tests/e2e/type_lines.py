#!/usr/bin/env python3
"""Types lines into an interactive shell, as somebody at a terminal does, and prints all that the shell prints:
type_lines.py SHELL ARGUMENT... <LINES. The shell's prompt must be "READY> ". A line may have \\t for the tabulator and \\u for
the key that empties the line."""

import os
import pty
import select
import sys
import time

PATIENCE_S = 60
PROMPT = b"READY> "


def read_until(terminal, wanted, seen):
    """What the shell prints up to and with wanted, and what it printed after that; ends the program when it does not come."""
    end = time.monotonic() + PATIENCE_S
    while wanted not in seen:
        if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
            sys.exit(f"no {wanted!r} in {seen!r}")
        try:
            seen += os.read(terminal, 65536)
        except OSError:
            sys.exit(f"the shell ended: {seen!r}")
    head, _, rest = seen.partition(wanted)
    return head, rest


def main():
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="dumb", COLUMNS="300")
        os.execvp(sys.argv[1], sys.argv[1:])
    rest = b""
    for number, line in enumerate(sys.stdin.read().splitlines()):
        _, rest = read_until(terminal, PROMPT, rest)
        line = line.replace("\\t", "\t").replace("\\u", "\x15")
        # The end of what the shell prints is a mark that the echo of what is typed does not have.
        os.write(terminal, line.encode() + f"\necho 'DONE'-{number}\n".encode())
        head, rest = read_until(terminal, f"DONE-{number}".encode(), rest)
        print(head.decode(errors="replace").replace("\r", ""))
    os.close(terminal)
    os.waitpid(child, 0)


if __name__ == "__main__":
    main()
