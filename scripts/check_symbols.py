#!/usr/bin/env python3
"""Fails when an archive of the core takes a symbol from where it may not, or two archives have a symbol of one name.

From outside the tree core-symbols.txt says what may be taken, from other rooms layers.txt says whose. Of two functions of one name the
linker takes either without a word.
"""

import fnmatch

from archive_symbols import UNDEFINED, archive_symbols
from check_layers import CORE, Table
from source_text import arguments, finish, read_list


def defined_twice(symbols):
    places = {}
    for archive, rows in symbols.items():
        for member, name, kind in rows:
            if kind in "TDRB":
                places.setdefault(name, []).append(f"{archive.parent.name}/{member}")
    return [f"{name} is defined in {' and '.join(sorted(where))}" for name, where in places.items() if len(where) > 1]


def main():
    parser = arguments(__doc__)
    parser.add_argument("--build", default="build", help="build directory, relative to --root")
    parsed = parser.parse_args()
    src = parsed.root / parsed.build / "src"
    archives = {room: src / room / f"lib{room.replace('/', '_')}.a" for room in CORE}
    archives = {room: path for room, path in archives.items() if path.exists()}
    rows = read_list(parsed.root / "scripts" / "core-symbols.txt")
    rooms = Table(read_list(parsed.root / "scripts" / "layers.txt")).rooms
    everything = sorted(src.rglob("lib*.a"))
    symbols = archive_symbols(everything)
    owner = {name: room for room, path in archives.items() for _, name, kind in symbols[path] if kind not in UNDEFINED}
    violations, used = [], set()
    for room, path in archives.items():
        allowed = [pattern for row in rows if row[0] in ("*", room) for pattern in row[1:]]
        for member, name, kind in symbols[path]:
            if kind not in UNDEFINED:
                continue
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
    violations.extend(defined_twice(symbols))
    if not archives:
        violations.append(f"no archives below {src}: build first")
    finish("symbols", sorted(set(violations)), f"{len(archives)} archives")


if __name__ == "__main__":
    main()
