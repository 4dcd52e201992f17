#!/usr/bin/env python3
"""What changes `make mutate` finds in a small file, and which it leaves alone."""

import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from mutants import mutants_of, sample  # noqa: E402

SOURCE = '''/* A file with if (a < b) in a comment. */
#include "base/plain.h"
#include <stdio.h>

#define RATE_PER_NODE 23
#define NAME_MAX_BYTES 64

static bool is_in(const struct span *span, int at, int from) {
        assert(at >= 0);
        if (at < from)
                return false;
        log_note("a < b, %d", at + 1);
        return at <= span->end && !span->is_closed;
}

void plain_free(struct plain *plain) {
        free(plain->text);
        plain->text = NULL;
        list_release(&plain->list);
}

int plain_count(struct plain *plain, int more) {
        char text[64];
        int count = 0;
        for (int i = 0; i < plain->count; i++)
                count += plain->items[i];
        if (count == plain->cap)
                grow(plain, 2 * plain->cap);
        plain_move(plain, count, more);
        snprintf(text, sizeof(text), "x == %d", count);
        return count;
}

const struct plugin plugin_plain = { .name = "Plain", .is_mover = true };
'''

# kind, part of the line before, part of it after; None: nothing of the kind on a line with the first text
CASES = [
    ("comparison", "if (at < from)", "if (at <= from)"),
    ("comparison", "return at <= span->end", "return at < span->end"),
    ("comparison", "i < plain->count", "i <= plain->count"),
    ("negation", "if (at < from)", "if (!(at < from))"),
    ("negation", "return at <= span->end && !span->is_closed;", "return !(at <= span->end && !span->is_closed);"),
    ("operator", "at <= span->end && !span", "at <= span->end || !span"),
    ("operator", "count += plain->items[i];", "count -= plain->items[i];"),
    ("constant", "return false;", "return true;"),
    ("constant", "int count = 0;", "int count = 1;"),
    ("constant", "#define RATE_PER_NODE 23", "#define RATE_PER_NODE 24"),
    ("constant", ".is_mover = true", ".is_mover = false"),
    ("dropped", "plain->text = NULL;", ";"),
    ("dropped", "count += plain->items[i];", ";"),
    ("dropped", "plain_move(plain, count, more);", ";"),
    ("swapped", "plain_move(plain, count, more);", "plain_move(plain, more, count);"),
    (None, "in a comment", None),
    (None, "assert(at >= 0)", None),
    (None, "log_note", None),
    (None, "NAME_MAX_BYTES", None),
    (None, "char text[64]", None),
    (None, "free(plain->text)", None),
    (None, "list_release", None),
    (None, "plain->cap", None),
    ("comparison", "x == %d", None),
]


def is_right(found, kind, before, after):
    rows = [m for m in found if before in m.before and (kind is None or m.kind == kind)]
    return not rows if after is None else any(after in m.after for m in rows)


def main():
    found = mutants_of("src/base/plain.c", SOURCE)
    results = [(f"{kind or 'nothing'}: {before}", is_right(found, kind, before, after)) for kind, before, after in CASES]
    for mutant in found:
        lines = mutant.text.split("\n")
        changed = sum(a != b for a, b in zip(lines, SOURCE.split("\n")))
        if len(lines) != SOURCE.count("\n") + 1 or changed != 1:
            results.append((f"one line, no line more or less: {mutant.before}", False))
    files = [("src/base/plain.c", SOURCE)]
    first, second = (sample(files, 6, random.Random("1 base")) for _ in range(2))
    results.append(("the same seed draws the same", first == second))
    results.append(("one change a line at most", len({m.line for m in first}) == 6))
    for name, right in results:
        print(f"{'ok' if right else 'not ok'} - {name}")
    sys.exit(0 if all(right for _, right in results) else 1)


if __name__ == "__main__":
    main()
