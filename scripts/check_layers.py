#!/usr/bin/env python3
"""Fails on an include that crosses the rooms in a direction layers.txt does not allow."""

import collections
import fnmatch
import re

from source_text import arguments, c_files, finish, line_of, read_list

CORE = ["base", "api", "cel", "config", "model", "devices", "rules", "plugin", "plugins/sched", "plugins/desched",
        "sched", "desched", "evict", "reboot"]
# An edge may include any header of the C library and the kernel; these patterns tell them from third-party ones.
SYSTEM = ["*.h", "sys/*.h", "netinet/*.h", "arpa/*.h", "linux/*.h", "net/*.h", "sanitizer/*.h"]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")', re.MULTILINE)
# The one header of base that may call into the kernel: see core-symbols.txt.
UNISTD_IN_CORE = {"src/base/util.c"}


def room_of(path):
    """The room of a path below src/: plugins have their rooms one level deeper."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "plugins" else parts[0]


class Table:
    def __init__(self, rows):
        self.rooms, self.libraries, self.core_headers = {}, [], []
        for row in rows:
            if row[0] == "room":
                self.rooms[row[1]] = set(row[2:]) | {row[1]}
            elif row[0] == "library":
                self.libraries.append((row[1], row[2], set(row[3:])))
            elif row[0] == "core":
                self.core_headers += row[1:]

    def library(self, header):
        for pattern, count, rooms in self.libraries:
            if fnmatch.fnmatch(header, pattern):
                return pattern, count, rooms
        return None


def system_include(table, room, name, header, users):
    """Why this <header> may not be here, or None."""
    library = table.library(header)
    if library:
        pattern, _, rooms = library
        users[pattern].add(name)
        return None if room in rooms else f"library {header} belongs to {', '.join(sorted(rooms))}"
    if not any(fnmatch.fnmatch(header, pattern) for pattern in SYSTEM) or (
            "/" in header and not any("/" in p and fnmatch.fnmatch(header, p) for p in SYSTEM)):
        return f"unknown library header {header}"
    allowed = any(fnmatch.fnmatch(header, pattern) for pattern in table.core_headers)
    if room in CORE and not allowed and not (header == "unistd.h" and name in UNISTD_IN_CORE):
        return f"the core does not include {header}"
    return None


def own_include(table, root, room, header):
    """Why this "header" may not be here, or None."""
    if not (root / "src" / header).is_file():
        return f'"{header}" is not a path below src/'
    target = room_of(header)
    if target not in table.rooms[room]:
        return f"{room} may not use {target} ({header})"
    if header.endswith("_priv.h") and target != room:
        return f"{header} is private to {target}"
    return None


def main():
    root = arguments(__doc__).parse_args().root
    table = Table(read_list(root / "scripts" / "layers.txt"))
    violations, users, files = [], collections.defaultdict(set), c_files(root, "src")
    for path in files:
        name = path.as_posix()
        room = room_of(path.relative_to("src").as_posix())
        if room not in table.rooms:
            violations.append(f"{name}: room {room} is not in scripts/layers.txt")
            continue
        text = (root / path).read_text()
        for match in INCLUDE.finditer(text):
            system, own = match.groups()
            reason = (system_include(table, room, name, system, users) if system else
                      own_include(table, root, room, own))
            if reason:
                violations.append(f"{name}:{line_of(text, match.start())}: {reason}")
    for pattern, count, _ in table.libraries:
        if count != "*" and len(users[pattern]) > int(count):
            violations.append(f"{pattern} is included by {len(users[pattern])} files, not {count}: "
                              + " ".join(sorted(users[pattern])))
    finish("layers", violations, f"{len(files)} files")


if __name__ == "__main__":
    main()
