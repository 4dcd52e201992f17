#!/usr/bin/env python3
"""A release is one version everywhere, with its notes: scripts/release.py on copies of this tree, each with one place spoilt; and a folder of a
release of which one byte is another: scripts/release_check.py."""

import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import release  # noqa: E402
import release_check  # noqa: E402

VERSION = re.search(release.PLACES[0][1], (ROOT / "meson.build").read_text(), re.M).group(1)
failed = []


def judge(name, is_good, found=""):
    if not is_good:
        failed.append(name)
        print(f"FAIL {name}: {found}")


def copy_to(folder):
    """What a release looks at, with a dated section in NEWS.md."""
    for name in {name for name, _ in release.PLACES} | {"NEWS.md", "debian/control"}:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    day = release.maintainer(folder)[2].isoformat()
    news = folder / "NEWS.md"
    text = re.sub(rf"^## {re.escape(VERSION)} \([^)]*\)$", f"## {VERSION} ({day})", news.read_text(), count=1, flags=re.M)
    news.write_text(text + "\n## 0.0.1 (2020-01-01)\n\nThe one before.\n")


def spoil(name, pattern, new):
    """What is said when the first match of the pattern in a file is another text."""
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        copy_to(tree)
        text = (tree / name).read_text()
        spoilt = re.sub(pattern, new, text, count=1, flags=re.M)
        judge(f"{name}: the test finds {pattern}", spoilt != text)
        (tree / name).write_text(spoilt)
        return list(release.disagreements(tree, VERSION))


def check_places():
    judge("this tree agrees", not list(release.disagreements(ROOT, VERSION, True)), list(release.disagreements(ROOT, VERSION, True)))
    judge("another version", len(list(release.disagreements(ROOT, "99.0.0", True))) > len(release.PLACES))
    judge("no version", "three numbers" in "".join(release.disagreements(ROOT, "1.0")))
    for name, pattern in release.PLACES:
        said = spoil(name, pattern, lambda match: match.group(0).replace(VERSION, "9.9.9"))
        judge(f"{name}: 9.9.9 is found", said == [f"{name}: 9.9.9, not {VERSION}"], said)
    said = spoil("debian/control", "^Maintainer: .*$", "Maintainer: Ann <ann@example.org>")
    judge("another maintainer", len(said) == 1 and "debian/changelog" in said[0], said)
    said = spoil("NEWS.md", rf"^## {re.escape(VERSION)} \(.*\)$", f"## {VERSION} (unreleased)")
    judge("no date", said == [f"NEWS.md: {VERSION} (unreleased): expected a date, such as 2026-11-24"], said)
    said = spoil("NEWS.md", rf"^## {re.escape(VERSION)} \(.*\)$", f"## {VERSION} (2020-02-02)")
    judge("another date", len(said) == 1 and "2020-02-02 in NEWS.md" in said[0], said)


def check_notes():
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        copy_to(tree)
        notes, before = (release.section_of(tree, version)[1] for version in (VERSION, "0.0.1"))
        judge("notes are those of the version", notes and "The one before" not in notes and "\n## " not in notes and notes in (tree / "NEWS.md").read_text())
        judge("and of an older one", before == "The one before.\n", before)
    for words, code in ((("notes", VERSION), 0), (("notes", "9.9.9"), 1), (("other", VERSION), 1), (("version", VERSION, "--unreleased"), 0)):
        done = subprocess.run([ROOT / "scripts/release.py", *words], capture_output=True, text=True, check=False)
        judge(f"{words}: exit code", done.returncode == code, done.stderr)


def failures_of(folder):
    release_check.counts.update({True: 0, False: 0})
    release_check.check_sums(folder)
    return release_check.counts[False]


def check_folder():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in ("a.deb", "b.tgz"):
            (folder / file).write_text(file)
        sums = "".join(f"{hashlib.sha256(file.encode()).hexdigest()}  {file}\n" for file in ("a.deb", "b.tgz"))
        (folder / "SHA256SUMS").write_text(sums)
        judge("a good folder", failures_of(folder) == 0)
        (folder / "a.deb").write_text("a.dex")
        judge("another byte", failures_of(folder) == 1)
        (folder / "a.deb").write_text("a.deb")
        (folder / "c").write_text("c")
        judge("one more file", failures_of(folder) == 1)
        (folder / "c").unlink()
        (folder / "b.tgz").unlink()
        judge("one less", failures_of(folder) == 1)


def main():
    check_places()
    check_notes()
    check_folder()
    print(f"release: {len(failed)} wrong")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
