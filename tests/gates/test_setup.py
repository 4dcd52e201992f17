#!/usr/bin/env python3
"""scripts/setup.sh takes every package from where this machine's apt takes its own: run in a copy, with an apt-get that says
what it is asked for."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KEYRING = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")
FAKES = ("meson ninja gcc pkg-config ar clang clang-format clang-tidy gcovr shellcheck curl git openssl python3 buildah strip dpkg "
         "sudo").split()
APT = """#!/bin/sh
echo "$*" >>"$FOLDER/calls"
case "$*" in
indextargets*) cat "$FOLDER/targets" ;;
--print-uris*) cat "$FOLDER/uris" ;;
*sourcelist=*update*) cat "$(echo "$*" | sed 's/.*Dir::Etc::sourcelist=\\([^ ]*\\).*/\\1/')" >>"$FOLDER/sources" ;;
*) exit 1 ;;
esac
"""


def codename():
    found = re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(), re.MULTILINE)
    return found.group(1) if found else ""


def run_setup(targets, uris):
    """(exit code, what it says, the sources it asks apt-get to use)"""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "tree" / "scripts").mkdir(parents=True)
        (folder / "tree" / "scripts" / "setup.sh").write_text((ROOT / "scripts" / "setup.sh").read_text())
        (folder / "bin").mkdir()
        for fake in FAKES:
            (folder / "bin" / fake).write_text("#!/bin/sh\nexit 0\n")
        (folder / "bin" / "apt-get").write_text(APT)
        for program in (folder / "bin").iterdir():
            program.chmod(0o755)
        (folder / "targets").write_text(targets)
        (folder / "uris").write_text(uris)
        (folder / "sources").write_text("")
        environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}", FOLDER=name)
        done = subprocess.run(["sh", str(folder / "tree" / "scripts" / "setup.sh"), "check"], env=environment, text=True,
                              capture_output=True, timeout=60)
        return done.returncode, done.stdout + done.stderr, (folder / "sources").read_text()


def main():
    wrong, release = [], codename()
    text = (ROOT / "scripts" / "setup.sh").read_text()
    for host in re.findall(r"\b(?:https?|ftp)://\S+|\b[\w-]+\.(?:debian|ubuntu)\.(?:org|com|net)\b", text):
        wrong.append(f"setup.sh names a host: {host}")
    if KEYRING.exists() and release and pathlib.Path("/usr/include/uthash.h").exists():
        other = "'http://other.test/tools/dists/all/InRelease' x 0\n"
        cases = {
            "known by its origin": (f"http://other.test/debian|{release}|Other\nhttp://mirror.test/d|{release}|Debian\n", other),
            "without package lists": ("", other + f"'http://mirror.test/d/dists/{release}/InRelease' x 0\n"),
        }
        for name, (targets, uris) in cases.items():
            code, said, sources = run_setup(targets, uris)
            hosts = set(re.findall(r"https?://\S+", sources))
            if code != 0 or hosts != {"http://mirror.test/d"}:
                wrong.append(f"{name}: code {code}, sources {hosts}: {said[-300:]}")
        code, said, sources = run_setup("", other)
        if code != 0 or "no source of Debian" not in said or sources:
            wrong.append(f"without a mirror: code {code}, sources {sources!r}: {said[-300:]}")
    print("\n".join(wrong + [f"setup: {len(wrong)} wrong"]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
