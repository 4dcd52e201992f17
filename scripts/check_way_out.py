#!/usr/bin/env python3
"""Fails when a pod is ended, or its end asked for, past the eviction service.

Only the room evict makes the actions that end a pod, and only loop/action_request.c writes them as calls of the API.
Rows of way-out-exceptions.txt excuse files: a pattern, the reason. They are for simulated parts of a cluster, which do
what the real ones do.
"""

import fnmatch
import re

from source_text import arguments, blank, c_files, finish, line_of, read_list

TABLE = "way-out-exceptions.txt"
SERVICE = "src/evict/"
WRITER = "src/loop/action_request.c"
LISTS = ("src/model/action.h", "src/model/action_list.c", WRITER)
ENDINGS = re.compile(r"\bACTION_(?:EVICT|DELETE_POD)\b")
# What may be done with such an action's kind elsewhere: telling it from others, and tables by kind.
READS = re.compile(r"(?:\bcase\s+|[!=]=\s*|\[)$")
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"')
DELETES = re.compile(r'\bAPI_DELETE\b|"DELETE"')
CONTROLLERS = re.compile(r"\b(?:object_delete|pod_owner_delete)\s*\(")


def functions(text):
    """(start, text) of each part of a file that ends with a brace in the first column."""
    start = 0
    for end in re.finditer(r"^\};?\n", text, re.MULTILINE):
        yield start, text[start:end.end()]
        start = end.end()
    yield start, text[start:]


def made_actions(name, text, hidden):
    if name.startswith(SERVICE) or name in LISTS:
        return
    for match in ENDINGS.finditer(hidden):
        if not READS.search(hidden[:match.start()]):
            yield match.start(), f"{match.group(0)} is made by the room evict alone"


def written_calls(name, text, hidden):
    if name == WRITER:
        return
    for match in LITERAL.finditer(text):
        is_path = match.group(0).endswith('/eviction"') and match.group(0) != '"pods/eviction"'
        if is_path and hidden[match.start()] == '"':
            yield match.start(), f"an eviction is written as a call by {WRITER} alone"
    for start, part in functions(text):
        found = DELETES.search(part)
        if found and any(re.search(r"\bpods\b", literal) for literal in LITERAL.findall(part)):
            yield start + found.start(), f"the deletion of a pod is written as a call by {WRITER} alone"


def controllers_calls(name, text, hidden):
    for match in CONTROLLERS.finditer(hidden):
        yield match.start(), "objects are deleted like this by the embedded cluster's controllers alone"


def main():
    root = arguments(__doc__).parse_args().root
    rows = read_list(root / "scripts" / TABLE)
    violations = [f"scripts/{TABLE}: expected a pattern and a reason: {' '.join(row)}" for row in rows if len(row) < 2]
    used, names = set(), [path.as_posix() for path in c_files(root, "src")]
    for name in names:
        text = (root / name).read_text()
        hidden = blank(text)
        found = [hit for rule in (made_actions, written_calls, controllers_calls) for hit in rule(name, text, hidden)]
        excuses = [row[0] for row in rows if fnmatch.fnmatch(name, row[0])]
        if found and excuses:
            used.update(excuses)
            continue
        violations += [f"{name}:{line_of(text, position)}: {what}" for position, what in found]
    violations += [f"scripts/{TABLE}: {row[0]} excuses nothing" for row in rows if row[0] not in used]
    finish("way-out", violations, f"{len(names)} files")


if __name__ == "__main__":
    main()
