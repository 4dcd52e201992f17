#!/usr/bin/env python3
"""Checks a folder that release.sh made: release_check.py FOLDER [PUBLIC]. For `make release-check`. PUBLIC is the key for SHA256SUMS.sig (PEM).

Digests, signature, lintian, the version inside each file, and that the sources build. Ends by printing `N passed, M failed`."""

import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

counts = {True: 0, False: 0}


def judge(name, is_good, found=""):
    counts[bool(is_good)] += 1
    if not is_good:
        print(f"FAILED {name}: {str(found).strip()[-1500:]}")


def run(*words, **more):
    """(exit code, what it printed)"""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
    return done.returncode, done.stdout + done.stderr


def check_sums(folder):
    """Every file is the one of SHA256SUMS, and none is left out."""
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    listed = {line[66:]: line[:64] for line in lines}
    there = {path.name for path in folder.iterdir() if not path.name.startswith("SHA256SUMS")}
    judge("files are those of SHA256SUMS", there == set(listed), sorted(there ^ set(listed)))
    for name in sorted(there & set(listed)):
        judge(f"{name}: digest", hashlib.sha256((folder / name).read_bytes()).hexdigest() == listed[name], "not that of SHA256SUMS")


def check_signature(folder, public):
    signature = folder / "SHA256SUMS.sig"
    if not public:
        print("release-check: the signature was not looked at: PUBLIC names no key" if signature.exists() else "release-check: there is no signature")
        return
    if not signature.exists():
        judge("signature", False, "there is none")
        return
    code, said = run("openssl", "dgst", "-sha256", "-verify", public, "-signature", signature, folder / "SHA256SUMS")
    judge("signature", code == 0, said)


def check_package(path, version):
    name, found = (run("dpkg-deb", "-f", path, field)[1].strip() for field in ("Package", "Version"))
    judge(f"{path.name}: version", found.startswith(f"{version}+deb"), found)
    if name != "berth":
        return
    with tempfile.TemporaryDirectory() as work:
        run("dpkg-deb", "-x", path, work)
        code, said = run("zgrep", "-c", f"berth {version}", f"{work}/usr/share/man/man1/berth.1.gz")
        judge(f"{path.name}: manual page", code == 0, said)
        judge(f"{path.name}: program", version.encode() in pathlib.Path(work, "usr/bin/berth").read_bytes(), f"no {version} in it")


def check_chart(path, version):
    with tarfile.open(path) as archive:
        text = archive.extractfile(f"{path.name.rsplit('-', 1)[0]}/Chart.yaml").read().decode()
    judge(f"{path.name}: version", re.findall(r"^(?:appV|v)ersion: (\S+)$", text, re.M) == [version, version], text)


def check_image(path, version):
    digests = {line.split()[0] for line in path.with_suffix(".digests").read_text().splitlines()}
    with tarfile.open(path) as archive:
        index = json.load(archive.extractfile("oci/index.json"))
        names = set(archive.getnames())
    tags = {entry["annotations"]["org.opencontainers.image.ref.name"]: entry["digest"] for entry in index["manifests"] if "annotations" in entry}
    judge(f"{path.name}: tags", {version, f"{version}-root"} <= set(tags), tags)
    for tag, digest in tags.items():
        judge(f"{path.name}: {tag}", f"oci/blobs/{digest.replace(':', '/')}" in names and digest in digests, digest)


def check_sources(path, version):
    with tempfile.TemporaryDirectory() as work:
        with tarfile.open(path) as archive:
            archive.extractall(work)
        tree = pathlib.Path(work, f"berth-{version}")
        code, said = run(tree / "scripts/release.py", "version", version)
        judge(f"{path.name}: agrees", code == 0, said)
        code, said = run("meson", "setup", "build", "-Dtests=false", "-Doptimization=1", cwd=tree)
        if code == 0:
            code, said = run("ninja", "-C", "build", "berth", cwd=tree)
        judge(f"{path.name}: builds", code == 0, said)
        if code == 0:
            judge(f"{path.name}: program", run(tree / "build/berth", "version")[1] == f"berth {version}\n")


def check_all(folder, version):
    for path in sorted(folder.iterdir()):
        if path.suffix == ".deb":
            check_package(path, version)
        elif path.suffix == ".tgz":
            check_chart(path, version)
        elif path.name.endswith("-image.tar"):
            check_image(path, version)
        elif path.suffix == ".changes" and shutil.which("lintian"):
            code, said = run("lintian", "--allow-root", "--fail-on", "error", "--tag-display-limit", "0", path)
            judge(f"{path.name}: lintian", code == 0, said)
    if not shutil.which("lintian"):
        print("release-check: no lintian: it did not look at the packages")
    judge("release notes", (folder / "release-notes.md").stat().st_size > 0)
    check_sources(folder / f"berth-{version}.tar.xz", version)


def main():
    folder, public = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    found = [match.group(1) for match in (re.fullmatch(r"berth-(\d+\.\d+\.\d+)\.tar\.xz", path.name) for path in folder.iterdir()) if match]
    if len(found) != 1 or not (folder / "SHA256SUMS").exists():
        sys.exit(f"release-check: {folder} is no folder of a release: expected berth-VERSION.tar.xz and SHA256SUMS in it")
    check_sums(folder)
    check_signature(folder, public)
    check_all(folder, found[0])
    print(f"{counts[True]} passed, {counts[False]} failed")
    sys.exit(1 if counts[False] else 0)


if __name__ == "__main__":
    main()
