#!/usr/bin/env python3
"""Fails on functions and constructs the house rules ban, and on files that do not open with their purpose."""

import re

from source_text import arguments, blank, c_files, finish, line_of, table_of_words

# pattern, reason[, the only folder or file suffix it holds for]
BANNED = [
    (r"\b(v?sprintf|strcpy|strcat|stpcpy|gets|strncpy|strncat|scanf|sscanf)\s*\(", "unbounded or misread string call"),
    (r"\bstrtok(_r)?\s*\(", "strtok"),
    (r"\b(atoi|atol|atoll|atof)\s*\(", "conversion without an error"),
    (r"\b(localtime|gmtime|ctime|asctime)(_r)?\s*\(", "calendar of the C library; use base/time.h", "src/"),
    (r"\b(rand|srand|random|srandom|drand48|rand_r)\s*\(", "unseeded randomness; use base/rng.h"),
    (r"\balloca\s*\(", "alloca"),
    (r"\(\s*\{", "statement expression"),
    (r"\btypedef\s+(struct|union|enum)\b", "typedef of a struct, union or enum"),
    (r"\btypedef\b[^;]*\b\w+_t\s*;", "type named with _t"),
    (r"\bextern\s+\w", "extern outside a header", ".c"),
]
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
WORDS, NAMES = "Words not to use in the sources", "Words not to use in names"  # sections of the glossary
MARKERS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")


def check_words(text, code, words, names):
    """Yields (position, complaint) for words of the glossary in names and comments, and for those banned in names only."""
    for match in IDENTIFIER.finditer(code):
        parts = match.group(0).lower().split("_")
        for pattern, use in words + names:
            if any(pattern.fullmatch(part) for part in parts):
                yield match.start(), f"{match.group(0)}: write {use}"
    for comment in COMMENT.finditer(text):
        plain = re.sub(r"\n[ \t]*\*", lambda gap: gap.group(0)[:-1] + " ", comment.group(0))
        for pattern, use in words:
            match = pattern.search(re.sub(r"\s", " ", plain))
            if match:
                yield comment.start() + match.start(), f"{' '.join(match.group(0).split())}: write {use}"


def main():
    root = arguments(__doc__).parse_args().root
    violations, files = [], c_files(root, "src", "tests")
    words, names = table_of_words(root, WORDS), table_of_words(root, NAMES)
    for path in files:
        text = (root / path).read_text()
        code = blank(text)
        for pattern, reason, *only in BANNED:
            if only and not (path.as_posix().startswith(only[0]) or path.suffix == only[0]):
                continue
            for match in re.finditer(pattern, code):
                violations.append(f"{path}:{line_of(code, match.start())}: {reason}: "
                                  + " ".join(match.group(0).split()))
        if path.as_posix().startswith("src/"):
            violations += [f"{path}:{line_of(text, at)}: {why}" for at, why in check_words(text, code, words, names)]
        for match in MARKERS.finditer(text):
            violations.append(f"{path}:{line_of(text, match.start())}: unfinished: {match.group(0)}")
        if not text.startswith("/*"):
            violations.append(f"{path}:1: does not open with its purpose")
        if path.suffix == ".h" and "#pragma once" not in text:
            violations.append(f"{path}:1: no #pragma once")
    finish("banned", violations, f"{len(files)} files")


if __name__ == "__main__":
    main()
