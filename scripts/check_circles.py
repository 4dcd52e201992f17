#!/usr/bin/env python3
"""Fails when files of one room depend on each other in a circle.

File A depends on file B when A's object takes a symbol that B's object defines. Rows of circles-exceptions.txt excuse
circles: the room, its files, the reason.
"""

import collections

from archive_symbols import archive_symbols
from source_text import arguments, finish, read_list

TABLE = "circles-exceptions.txt"
DEFINING = set("TDRBVWCGSu")


def file_names(folder):
    """What each object file of a room may be called, and the path of its source within the room, without its end."""
    names = {}
    for path in sorted(folder.rglob("*.c")):
        name = path.relative_to(folder).as_posix()[:-2]
        names[name.replace("/", "_") + ".c.o"] = names[path.stem + ".o"] = name
    return names


def dependencies(symbols, names):
    """{file: {file it takes symbols from: one of the symbols}} of an archive with those symbols."""
    owner, taken = {}, []
    for member, symbol, kind in symbols:
        name = names.get(member, member)
        if kind in DEFINING:
            owner[symbol] = name
        elif kind == "U":
            taken.append((name, symbol))
    graph = collections.defaultdict(dict)
    for name, symbol in taken:
        if symbol in owner and owner[symbol] != name:
            graph[name].setdefault(owner[symbol], symbol)
    return graph


def reachable(graph, start):
    """The files that start depends on, directly or through others."""
    found, waiting = set(), [start]
    while waiting:
        for name in graph.get(waiting.pop(), ()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def circles(graph):
    """The sets of files that all depend on each other, smallest first."""
    reach = {name: reachable(graph, name) for name in graph}
    found = {frozenset(other for other in reach[name] if name in reach.get(other, ())) for name in graph}
    return sorted((circle for circle in found if circle), key=lambda circle: (len(circle), sorted(circle)))


def shortest_round(graph, circle):
    """One of the shortest ways from a file of the circle back to itself: "a takes x from b, b takes y from a"."""
    best = None
    for start in sorted(circle):
        ways, seen = [[start]], set()
        while ways and (best is None or len(ways[0]) < len(best)):
            way = ways.pop(0)
            for name in graph.get(way[-1], ()):
                if name == start:
                    best = way if best is None or len(way) < len(best) else best
                elif name in circle and name not in seen:
                    seen.add(name)
                    ways.append(way + [name])
    return ", ".join(f"{name} takes {graph[name][other]} from {other}"
                     for name, other in zip(best, best[1:] + best[:1]))


def judge(room, graph, rows):
    """Yields what is wrong in one room; rows are the sets of files excused there."""
    found = circles(graph)
    for circle in found:
        if not any(circle <= row for row in rows):
            files = ",".join(sorted(circle))
            yield f"src/{room}: a circle of {len(circle)} files, {files}: {shortest_round(graph, circle)}"
    for row in rows:
        within = set().union(*(circle for circle in found if circle <= row))
        if not within:
            yield f"{TABLE}: {room} {','.join(sorted(row))} excuses no circle; remove the row"
        elif within != row:
            yield f"{TABLE}: {room}: {','.join(sorted(row - within))} no longer in a circle; remove from the row"


def main():
    parser = arguments(__doc__)
    parser.add_argument("--build", default="build", help="build directory, relative to --root")
    parsed = parser.parse_args()
    src, violations, rows = parsed.root / parsed.build / "src", [], collections.defaultdict(list)
    for row in read_list(parsed.root / "scripts" / TABLE):
        if len(row) < 3:
            violations.append(f"{TABLE}: {' '.join(row)}: expected room, files, reason")
        else:
            rows[row[0]].append(frozenset(row[1].split(",")))
    archives = {path.parent.relative_to(src).as_posix(): path for path in sorted(src.rglob("lib*.a"))}
    archives = {room: path for room, path in archives.items() if (parsed.root / "src" / room).is_dir()}
    symbols = archive_symbols(archives.values())
    for room, path in archives.items():
        graph = dependencies(symbols[path], file_names(parsed.root / "src" / room))
        violations += judge(room, graph, rows.pop(room, []))
    if not archives:
        violations.append(f"no archives below {src}: build first")
    violations += [f"{TABLE}: no room {room}" for room in rows]
    finish("circles", violations, f"{len(archives)} rooms")


if __name__ == "__main__":
    main()
