#!/usr/bin/env python3
"""Fails on what reads in two ways across the tree.

One tag names one struct, union or enum; pointers are tested without NULL; names of static functions say whose they are;
a variable is declared where it gets its first value. Rows of style-exceptions.txt excuse files: path, rule, reason.
With --fix, declarations move to their first value.
"""

import collections
import re

from source_text import arguments, blank, c_files, finish, line_of, read_list, without_directives

TABLE = "style-exceptions.txt"
TAG = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*\{")
NULL_TEST = re.compile(r"[!=]=\s*NULL\b|\bNULL\s*[!=]=")
STATIC = re.compile(r"^static\s[^;={}()]*?\b(\w+)\(", re.MULTILINE)
# A declaration without values: its type, then names that may be pointers or arrays.
DECLARATION = re.compile(
    r"(?<=[;{}])(\s*)((?:const\s+)?(?:(?:struct|union|enum)\s+\w+|(?:unsigned|signed|long|short)(?:\s+(?:long|int|char))*"
    r"|bool|char|double|float|int|size_t|ssize_t|time_t|u?int(?:8|16|32|64)_t|intptr_t|uintptr_t))\s+"
    r"((?:\*\s*)*\w+(?:\[[^\];]*\])*(?:\s*,\s*(?:\*\s*)*\w+(?:\[[^\];]*\])*)*)\s*;")


def block_end(text, at):
    """Where the block that holds this position ends."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, at):
        depth += 1 if match.group() == "{" else -1
        if depth < 0:
            return match.start()
    return len(text)


def first_value(text, name, start):
    """Where the name first stands again, if that is a plain assignment of the same block; else None."""
    end = block_end(text, start)
    found = re.compile(rf"(?<![\w.>])\b{name}\b").search(text, start, end)
    if not found or not re.match(r"\s*=(?!=)", text[found.end():]):
        return None
    before = text[start:found.start()]
    is_statement = re.search(r"[;{}]\s*$", text[:found.start()]) and not re.search(r"\bdo\s*\{\s*$", before)
    if not is_statement or before.count("{") != before.count("}"):
        return None
    # A case label's statements may be jumped over, and "else" binds what follows.
    if re.search(r"\b(?:case\b[^;{}]*|default\s*):", before):
        return None
    statement = text[found.start():text.index(";", found.end())]
    if re.match(rf"{name}\s*=\s*\w+\s*=(?!=)", statement) or re.search(rf"=\s*.*\b{name}\b", statement, re.DOTALL):
        return None
    return found.start()


def late_values(text):
    """Yields (match of the declaration, declarator, position of its first value)."""
    for match in DECLARATION.finditer(text):
        if not text.rfind("\n}", 0, match.start()) < text.rfind("{", 0, match.start()):
            continue
        inside = text[:match.start()].count("{") - text[:match.start()].count("}")
        if inside <= 0:
            continue
        for declarator in match.group(3).split(","):
            declarator = declarator.strip()
            if "[" in declarator:
                continue
            at = first_value(text, declarator.lstrip("* "), match.end())
            if at is not None:
                yield match, declarator, at


def moved(original, text):
    """The text with each late declaration at its first value; and how many stayed because of a comment."""
    edits, stayed = [], 0
    by_declaration = collections.defaultdict(list)
    for match, declarator, at in late_values(text):
        by_declaration[match.span(), match.group(2), match.group(3), match.end(1)].append((declarator, at))
    for (span, kind, names, begin), late in by_declaration.items():
        line_end = original.index("\n", span[1])
        if original[span[1]:line_end].strip():
            stayed += len(late)
            continue
        left = [name.strip() for name in names.split(",") if name.strip() not in dict(late)]
        start = original.rindex("\n", 0, begin) + 1
        if left:
            edits.append((begin, span[1], f"{kind} {', '.join(left)};"))
        else:
            opens = original[:start].rstrip().endswith("{")
            blank_line = re.match(r"[ \t]*\n", original[line_end + 1:]) if opens else None
            edits.append((start, line_end + 1 + (blank_line.end() if blank_line else 0), ""))
        for declarator, at in late:
            name = declarator.lstrip("* ")
            edits.append((at, at, f"{kind} {declarator[:-len(name)]}"))
    for start, end, new in sorted(edits, reverse=True):
        original = original[:start] + new + original[end:]
    return original, stayed


def judge_file(name, original, text):
    """Yields (rule, line, what is wrong) for one file."""
    for match in NULL_TEST.finditer(text):
        yield "null", line_of(text, match.start()), f"{match.group()}: write x or !x"
    for match in STATIC.finditer(text):
        if "_" not in match.group(1):
            yield "static", line_of(text, match.start()), f"static {match.group(1)}: say whose it is"
    for match, declarator, _ in late_values(text):
        yield "declaration", line_of(text, match.end(1)), f"{declarator.lstrip('* ')}: declare it with its first value"
    for match in re.finditer(r"# (?:HELP|TYPE) ", original):
        if name != "src/base/metric_text.c":
            yield "metrics", line_of(original, match.start()), "base/metric_text.h writes metrics"


def main():
    parser = arguments(__doc__)
    parser.add_argument("--fix", nargs="*", metavar="FILE", help="move declarations in these files; none: in all of src")
    parsed = parser.parse_args()
    root = parsed.root
    violations, used, tags, files = [], set(), {}, c_files(root, "src")
    excused = {}
    for row in read_list(root / "scripts" / TABLE):
        if len(row) < 3:
            violations.append(f"{TABLE}: {' '.join(row)}: expected path, rule, reason")
        else:
            excused[row[0], row[1]] = row
    for path in files:
        name, original = path.as_posix(), (root / path).read_text()
        text = without_directives(blank(original))
        if parsed.fix is not None and (not parsed.fix or name in parsed.fix):
            fixed, _ = moved(original, text)
            if fixed != original:
                (root / path).write_text(fixed)
                original, text = fixed, without_directives(blank(fixed))
        for match in TAG.finditer(text):
            where = f"{name}:{line_of(text, match.start())}"
            if match.group(1) in tags:
                violations.append(f"{where}: {match.group(1)} is defined in {tags[match.group(1)]}, too")
            tags.setdefault(match.group(1), where)
        for rule, line, what in judge_file(name, original, text):
            if (name, rule) in excused:
                used.add((name, rule))
            else:
                violations.append(f"{name}:{line}: {what}")
    violations += [f"{TABLE}: {name} {rule} excuses nothing; remove the row" for name, rule in excused.keys() - used]
    finish("style", violations, f"{len(files)} files")


if __name__ == "__main__":
    main()
