"""What the gates share: finding C files and looking at their text without comments and strings."""

import argparse
import pathlib
import re
import sys

TOKENS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)


def arguments(purpose):
    """Parses --root, the tree to look at; a gate's own test points it at a planted one."""
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    return parser


def c_files(root, *folders):
    """Every .c and .h file below the folders, as paths relative to root, in order."""
    found = []
    for folder in folders:
        for pattern in ("*.c", "*.h"):
            found += [path.relative_to(root) for path in (root / folder).rglob(pattern)]
    return sorted(found)


def blank(text):
    """The same text, line for line and column for column, with the insides of comments and literals blanked."""
    def hide(match):
        token = match.group(0)
        inside = re.sub(r"[^\n]", " ", token)
        return token[0] + inside[1:-1] + token[-1] if token[0] in "\"'" else inside
    return TOKENS.sub(hide, text)


def without_directives(blanked):
    """Blanked text with preprocessor lines blanked as well."""
    return DIRECTIVE.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), blanked)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def read_list(path):
    """The rows of a data file as lists of words; '#' starts a comment line."""
    if not path.exists():
        return []
    rows = []
    for line in path.read_text().splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            rows.append(line.split())
    return rows


def finish(gate, violations, looked_at):
    """Prints the violations and a last line, and ends with 1 when there are any."""
    for violation in violations:
        print(violation)
    print(f"{gate}: {looked_at}, {len(violations)} violation{'' if len(violations) == 1 else 's'}")
    sys.exit(1 if violations else 0)


def table_of_words(root, section):
    """[(pattern, what to write)] of the table in a section of the glossary; patterns know no case."""
    path = root / "docs" / "glossary.md"
    if not path.exists():
        return []
    part = ("\n" + path.read_text()).partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", part, re.MULTILINE)
    return [(re.compile(rf"\b(?:{row[0].strip().replace(', ', '|')})\b", re.IGNORECASE), row[1].strip())
            for row in rows[1:] if not row[0].startswith("-")]
