#!/usr/bin/env python3
"""Fails when an archive of the core takes a symbol from where it may not.

From outside the tree core-symbols.txt says what may be taken, from other rooms layers.txt says whose.
"""

import fnmatch
import subprocess

from check_layers import CORE, Table
from source_text import arguments, finish, read_list


def symbols(archive, *options):
    """Yields (object file, symbol) as nm prints them."""
    listing = subprocess.run(["nm", "-A", "-P", *options, archive], check=True, capture_output=True, text=True)
    for line in listing.stdout.splitlines():
        where, _, rest = line.partition(": ")
        name = rest.split()[0]
        yield where[where.find("[") + 1:-1].rsplit("/", 1)[-1], name.split("@")[0]


def main():
    parser = arguments(__doc__)
    parser.add_argument("--build", default="build", help="build directory, relative to --root")
    parsed = parser.parse_args()
    src = parsed.root / parsed.build / "src"
    archives = {room: src / room / f"lib{room.replace('/', '_')}.a" for room in CORE}
    archives = {room: path for room, path in archives.items() if path.exists()}
    rows = read_list(parsed.root / "scripts" / "core-symbols.txt")
    rooms = Table(read_list(parsed.root / "scripts" / "layers.txt")).rooms
    owner = {name: room for room, path in archives.items() for _, name in symbols(path, "--defined-only", "-g")}
    violations, used = [], set()
    for room, path in archives.items():
        allowed = [pattern for row in rows if row[0] in ("*", room) for pattern in row[1:]]
        for member, name in symbols(path, "-u"):
            used.add((room, name))
            if name in owner and owner[name] not in rooms[room]:
                violations.append(f"src/{room}: {member} takes {name} from {owner[name]}")
            elif name not in owner and not any(fnmatch.fnmatchcase(name, pattern) for pattern in allowed):
                violations.append(f"src/{room}: {member} takes {name}")
    for row in rows:
        if row[0] in archives and not any(
                room == row[0] and fnmatch.fnmatchcase(name, pattern)
                for room, name in used for pattern in row[1:]):
            violations.append(f"core-symbols.txt: {row[0]} no longer takes {' '.join(row[1:])}; remove the row")
    if not archives:
        violations.append(f"no archives below {src}: build first")
    finish("symbols", sorted(set(violations)), f"{len(archives)} archives")


if __name__ == "__main__":
    main()
