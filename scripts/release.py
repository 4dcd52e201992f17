#!/usr/bin/env python3
"""What a release says of itself: release.py version VERSION [--unreleased] | notes VERSION [TREE].

version: every place that names the version agrees, and says where one does not; --unreleased allows NEWS.md to have no date yet.
notes: the section of NEWS.md, as release notes."""

import datetime
import email.utils
import pathlib
import re
import sys

CHARTS = ("descheduler", "kured")
SECTION = r"^## {} \(([^)]*)\)\n(.*?)(?=^## |\Z)"
# File, pattern of the places in it (the version is its group), which must be there at least once.
PLACES = [
    ("meson.build", r"^  version: '([^']*)',"),
    ("debian/changelog", r"\Aberth \(([^)+]*)"),
    ("deploy/image/kustomization.yaml", r"^ *newTag: (\S+)"),
    *((f"deploy/charts/{chart}/Chart.yaml", rf"^{field}: (\S+)") for chart in CHARTS for field in ("version", "appVersion")),
    *((f"tests/e2e/charts/{name}.yaml", r"^ *helm\.sh/chart: \"?[a-z]+-([0-9.]+)\"?$")
      for name in ("descheduler-cronjob", "descheduler-deployment", "kured", "kured-signal")),
    *((page, r"\bberth:(\d+\.\d+\.\d+)\b") for page in ("README.md", "deploy/README.md", "docs/install.md", "docs/run.md", "scripts/manifests.sh")),
    ("docs/install.md", r"^\| `(\d+\.\d+\.\d+)(?:-root)?`"),
    ("docs/reboot.md", r"`(\d+\.\d+\.\d+)-root`"),
]


class Wrong(Exception):
    """The tree is not fit for this release."""


def section_of(tree, version):
    """(date or "unreleased", text) of the version in NEWS.md."""
    found = re.search(SECTION.format(re.escape(version)), (tree / "NEWS.md").read_text(), re.MULTILINE | re.DOTALL)
    if not found:
        raise Wrong(f"NEWS.md: no section \"## {version} (YYYY-MM-DD)\"")
    return found.group(1), found.group(2).strip() + "\n"


def date_of(tree, version, is_open):
    """The date of NEWS.md, or None while there is none and there need not be."""
    text, _ = section_of(tree, version)
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        if is_open and text == "unreleased":
            return None
        raise Wrong(f'NEWS.md: {version} ({text}): expected a date, such as 2026-11-24') from None


def maintainer(tree):
    """(of debian/control, of the newest entry of debian/changelog, the date there)"""
    control = re.search(r"^Maintainer: (.*)$", (tree / "debian/control").read_text(), re.MULTILINE).group(1)
    entry = re.search(r"^ -- (.*>)  (.*)$", (tree / "debian/changelog").read_text(), re.MULTILINE)
    return control, entry.group(1), email.utils.parsedate_to_datetime(entry.group(2)).date()


def disagreements(tree, version, is_open=False):
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        yield f"VERSION={version}: expected three numbers, such as 0.1.0"
        return
    for name, pattern in PLACES:
        found = re.findall(pattern, (tree / name).read_text(), re.MULTILINE)
        if not found:
            yield f"{name}: names no version ({pattern})"
        for other in sorted(set(found) - {version}):
            yield f"{name}: {other}, not {version}"
    control, entry, day = maintainer(tree)
    if control != entry:
        yield f"debian/changelog: {entry}, but {control} in debian/control"
    try:
        date = date_of(tree, version, is_open)
        if date and date != day:
            yield f"debian/changelog: {day}, but {date} in NEWS.md"
    except Wrong as wrong:
        yield str(wrong)


def main():
    words = [word for word in sys.argv[1:] if word != "--unreleased"]
    if len(words) not in (2, 3) or words[0] not in ("version", "notes"):
        sys.exit(__doc__)
    tree = pathlib.Path(words[2]) if len(words) == 3 else pathlib.Path(__file__).resolve().parent.parent
    try:
        if words[0] == "notes":
            print(section_of(tree, words[1])[1], end="")
            return
        wrong = list(disagreements(tree, words[1], "--unreleased" in sys.argv))
    except Wrong as problem:
        wrong = [str(problem)]
    for line in wrong:
        print(f"release: {line}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
