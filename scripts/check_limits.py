#!/usr/bin/env python3
"""Fails on lines, files and functions over the limits of the house rules.

Limits: line 100 columns, file 1,000 lines, function 70 lines, 6 parameters, 3 nested braced levels, complexity 15
(decisions + 1; a switch is one decision however many cases it has). limits-exceptions.txt lists what may exceed one,
each with its reason; an exception that is no longer needed fails as well.
"""

import re

from source_text import arguments, blank, c_files, finish, line_of, read_list, without_directives

LIMITS = {"line": 100, "file": 1000, "function": 70, "parameters": 6, "nesting": 3, "complexity": 15}
NAME = re.compile(r"([A-Za-z_]\w*)\s*$")
DECISION = re.compile(r"\b(if|for|while|switch)\b|&&|\|\||\?")
KEYWORDS = {"if", "for", "while", "switch", "else", "do", "return", "sizeof"}


def matching(text, opening):
    """The position after the bracket that closes the one at opening."""
    depth, pairs = 0, {"(": ")", "{": "}"}
    closing = pairs[text[opening]]
    for position in range(opening, len(text)):
        if text[position] == text[opening]:
            depth += 1
        elif text[position] == closing:
            depth -= 1
            if depth == 0:
                return position + 1
    return len(text)


def functions(code):
    """Yields (name, start of the definition, parameters, body start, body end) for each function of the file."""
    position, start = 0, 0
    while position < len(code):
        char = code[position]
        if char == ";":
            start = position + 1
        elif char == "{":
            head, end = code[start:position], matching(code, position)
            function = head_of_function(head)
            if function:
                yield function[0], start + len(head) - len(head.lstrip()), function[1], position, end
                start = end
            elif "=" not in head and not re.search(r"\b(struct|union|enum)\b[^()]*$", head):
                start = end
            position = end - 1
        position += 1


def head_of_function(head):
    """(name, parameters) when the text before a brace ends like a function's head."""
    head = head.rstrip()
    if not head.endswith(")") or re.search(r"=\s*[^=]", re.sub(r"\([^()]*\)", "", head)):
        return None
    depth = 0
    for position in range(len(head) - 1, -1, -1):
        depth += (head[position] == ")") - (head[position] == "(")
        if depth == 0:
            break
    name = NAME.search(head[:position])
    if not name or name.group(1) in KEYWORDS:
        return None
    return name.group(1), head[position + 1:-1]


def count_parameters(text):
    depth, count = 0, 1
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        count += char == "," and depth == 0
    return 0 if text.strip() in ("", "void") else count


def nesting(body):
    """Depth of braced statements inside the outermost braces; initialisers do not count."""
    deepest, stack, previous = 0, [], ""
    for match in re.finditer(r"[A-Za-z_]\w*|[^\s\w]", body[1:-1]):
        token = match.group(0)
        if token == "{":
            is_statement = previous in ("", ")", "else", "do", ";", "{", "}", ":") and not (
                stack and not stack[-1])
            if previous == ")" and is_compound_literal(body[1:-1], match.start()):
                is_statement = False
            stack.append(is_statement)
            deepest = max(deepest, sum(stack))
        elif token == "}" and stack:
            stack.pop()
        previous = token
    return deepest


def is_compound_literal(body, brace):
    """Whether the brace follows a parenthesis that is a cast and not the head of a statement."""
    depth = 0
    for position in range(brace - 1, -1, -1):
        depth += (body[position] == ")") - (body[position] == "(")
        if depth == 0 and body[position] == "(":
            word = NAME.search(body[:position])
            return not word or word.group(1) in ("return", "sizeof")
    return False


def measure(path, text):
    """Yields (limit, what, line, value) for everything measurable in one file."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        yield "line", f"{path}", number, len(line)
    yield "file", f"{path}", 1, len(lines) - 1
    code = without_directives(blank(text))
    for name, start, parameters, body, end in functions(code):
        what, line = f"{path}:{name}", line_of(code, start)
        inside = code[body:end]
        yield "function", what, line, line_of(code, end) - line + 1
        yield "parameters", what, line, count_parameters(parameters)
        yield "nesting", what, line, nesting(inside)
        yield "complexity", what, line, len(DECISION.findall(inside)) + 1


def main():
    root = arguments(__doc__).parse_args().root
    listed = {}
    violations = []
    for row in read_list(root / "scripts" / "limits-exceptions.txt"):
        if len(row) < 3 or row[1] not in LIMITS:
            violations.append(f"limits-exceptions.txt: expected 'path[:function] limit reason', got: {' '.join(row)}")
        else:
            listed[row[0], row[1]] = False
    files = c_files(root, "src", "tests")
    for path in files:
        for limit, what, line, value in measure(path.as_posix(), (root / path).read_text()):
            if value <= LIMITS[limit]:
                continue
            if (what, limit) in listed:
                listed[what, limit] = True
                continue
            where = what if ":" not in what else f"{path}:{line}: {what.split(':')[1]}"
            where = f"{path}:{line}" if limit in ("line", "file") else where
            violations.append(f"{where}: {limit} {value}, limit {LIMITS[limit]}")
    for (what, limit), used in listed.items():
        if not used:
            violations.append(f"limits-exceptions.txt: {what} no longer exceeds {limit}; remove the row")
    finish("limits", violations, f"{len(files)} files")


if __name__ == "__main__":
    main()
