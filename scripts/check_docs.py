#!/usr/bin/env python3
"""Fails on a page that is not true of the tree: a link, anchor, file or function that is not there, a word the glossary
replaces, a table of rooms that differs from layers.txt, a guide without an example that a test runs."""

import itertools
import re

from source_text import arguments, c_files, finish, read_list, table_of_words

LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
SPAN = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^ {0,3}```")
FUNCTION = re.compile(r"^([a-z][a-z0-9_]+)\(\)$")
# A path as pages write it: from the root of the tree, or below src/.
TREE = re.compile(r"^(?:docs|src|tests|scripts|examples|deploy)/[\w./*{},-]+$")
SOURCE = re.compile(r"^[\w/*-]+\.[ch]$")
BREAK = re.compile(r"\s*(?:$|\d+\. |[*#|-])")  # a paragraph, item or row begins
# Pages of docs/ that need no example: they are read, not followed.
NO_EXAMPLE = {"README.md", "architecture.md", "glossary.md", "benchmarks.md", "early-taint.md", "parity.md",
              "adding-a-plugin.md"}
EXAMPLE = re.compile(r"^<!-- test(?:: [^>]*)? -->$", re.MULTILINE)


class Page:
    """A page with its lines of prose: those of fenced blocks are blank, so that numbers stay."""

    def __init__(self, root, path):
        self.name, self.folder, self.text = path.as_posix(), path.parent, (root / path).read_text()
        self.prose, self.anchors, is_fenced = [], set(), False
        for line in self.text.splitlines():
            is_edge = bool(FENCE.match(line))
            self.prose.append("" if is_fenced or is_edge else line)
            is_fenced ^= is_edge
        for line in self.prose:
            if re.match(r"#+ ", line):
                self.anchors.add(anchor(line.lstrip("#").strip()))


def anchor(title):
    """The anchor of a heading, as GitHub makes it."""
    title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def pages_of(root):
    found = [p for p in root.rglob("*.md") if not any(part.startswith((".", "build")) for part in p.relative_to(root).parts)]
    return {path.resolve(): Page(root, path.relative_to(root)) for path in sorted(found)}


def check_links(root, page, pages):
    for number, line in enumerate(page.prose, 1):
        for target in LINK.findall(line):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, name = target.partition("#")
            there = (root / page.folder / path).resolve() if path else (root / page.name).resolve()
            if not there.exists():
                yield f"{page.name}:{number}: link to {target}: no such file"
            elif name and name not in getattr(pages.get(there), "anchors", ()):
                yield f"{page.name}:{number}: link to {target}: no such heading"


def expand(name):
    """a{b,c}d as [abd, acd]"""
    match = re.search(r"\{([^}]*)\}", name)
    return [x for part in match.group(1).split(",") for x in expand(name.replace(match.group(0), part, 1))] if match else [name]


def files_named(root, span):
    """The files that a span names; None when it names none, and an empty list when one is missing."""
    if "NAME" in span:  # stands for any
        return None
    if TREE.match(span):
        pattern = span
    elif SOURCE.match(span) and "/" in span:
        pattern = f"{{src,tests/unit,tests,scripts}}/{span}"
        found = [path for name in expand(pattern) for path in root.glob(name)]
        return found
    else:
        return None
    found = []
    for name in expand(pattern):
        matches = sorted(root.glob(name.rstrip("/"))) or sorted(root.glob(name + ".c"))  # a test's program
        if not matches:
            return []
        found += matches
    return found


def check_code(root, page, functions):
    """Files and functions in `code`. A function after a file, in the same paragraph or item, is in that file."""
    file, where = None, None
    for number, line in enumerate(page.prose, 1):
        if BREAK.match(line):
            file, where = None, None
        for span in SPAN.findall(line):
            found = files_named(root, span)
            if found is not None:
                if not found:
                    yield f"{page.name}:{number}: `{span}`: no such file"
                file, where = span, [f for f in found if f.suffix == ".c"]
                continue
            match = FUNCTION.match(span)
            if not match:
                continue
            name = match.group(1)
            if where and not any(re.search(rf"\b{name}\(", f.read_text()) for f in where):
                yield f"{page.name}:{number}: `{name}()` is not in `{file}`"
            elif not where and name not in functions:
                yield f"{page.name}:{number}: `{name}()`: no such function"


def check_words(page, words):
    if page.name == "docs/glossary.md":
        return
    for number, line in enumerate(page.prose, 1):
        text = SPAN.sub("", LINK.sub("", line))
        for pattern, use in words:
            match = pattern.search(text)
            if match:
                yield f'{page.name}:{number}: "{match.group(0)}": write {use}'


def rooms_allowed(cell, uses):
    """The rooms that a cell "May use" stands for."""
    cell = cell.strip().strip("`")
    if cell == "nothing":
        return set()
    if cell.startswith("all"):
        return set(uses) - set(re.findall(r"[\w/]+", cell[len("all but"):] if "all but" in cell else ""))
    part, _, left = cell.partition(", not ")
    named = set(re.findall(r"[\w/]+", part)) - {"and", "below"}
    found = named.union(*(uses.get(room, set()) for room in named)) if "and below" in part else named
    return found - set(re.findall(r"[\w/]+", left))


def cell_of(room, uses):
    """The shortest cell for a room."""
    wanted = uses[room]
    if not wanted:
        return "nothing"
    if len(set(uses) - wanted - {room}) <= 3:
        left = sorted(set(uses) - wanted - {room})
        return "all" if not left else "all but " + ", ".join(f"`{name}`" for name in left)
    best = sorted(wanted), [], ""
    for count in range(1, 5):
        for first in itertools.combinations(sorted(wanted), count):
            found = set(first).union(*(uses[name] for name in first))
            left = sorted(found - wanted)
            if wanted <= found and count + len(left) < len(best[0]) + len(best[1]):
                best = first, left, " and below" if found != set(first) else ""
    text = ", ".join(f"`{name}`" for name in best[0]) + best[2]
    return text + (", not " + ", ".join(f"`{name}`" for name in best[1]) if best[1] else "")


def check_rooms(root, pages):
    """The table of rooms in docs/architecture.md against layers.txt."""
    page = pages.get((root / "docs" / "architecture.md").resolve())
    if not page:
        return
    uses = {row[1]: set(row[2:]) for row in read_list(root / "scripts" / "layers.txt") if row[0] == "room"}
    seen, is_table = set(), False
    for number, line in enumerate(page.prose, 1):
        is_table = line.startswith("| Room |") or (is_table and line.startswith("|"))
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not is_table or len(cells) != 3 or cells[0] == "Room" or cells[0].startswith("-"):
            continue
        for room in SPAN.findall(cells[0]):
            seen.add(room)
            if room not in uses:
                yield f"{page.name}:{number}: room {room} is not in scripts/layers.txt"
            elif rooms_allowed(cells[2], uses) - {room} != uses[room]:
                yield f"{page.name}:{number}: room {room} may use, by scripts/layers.txt: {cell_of(room, uses)}"
    for room in sorted(set(uses) - seen):
        yield f"{page.name}: room {room} of scripts/layers.txt is not in the table of rooms"


def check_examples(pages):
    for page in pages.values():
        parts = page.name.split("/")
        if len(parts) == 2 and parts[0] == "docs" and parts[1] not in NO_EXAMPLE and not EXAMPLE.search(page.text):
            yield f"{page.name}: no example that a test runs (<!-- test --> before a block)"


def main():
    root = arguments(__doc__).parse_args().root.resolve()
    pages, words, violations = pages_of(root), table_of_words(root, "Words not to use"), []
    sources = "\n".join((root / path).read_text() for path in c_files(root, "src", "tests"))
    functions = set(re.findall(r"\b([a-z][a-z0-9_]+)\(", sources))
    for page in pages.values():
        violations += check_links(root, page, pages)
        violations += check_code(root, page, functions)
        violations += check_words(page, words)
    violations += check_rooms(root, pages)
    violations += check_examples(pages)
    finish("docs", violations, f"{len(pages)} pages, {len(words)} words")


if __name__ == "__main__":
    main()
