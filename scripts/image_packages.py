#!/usr/bin/env python3
"""Completes the files of an image with what they need of Debian: image_packages.py SYSTEM BUILD ROOT ARCHITECTURE VERSION.

SYSTEM is what image_system.sh made, BUILD the folder in which the program was built, ROOT the files of the image so far. Adds the
shared libraries, and for each package of Debian that is in the image, linked into the program or beside it, its copyright file, its
entry for scanners (/var/lib/dpkg/status.d) and its place in the list of packages (SPDX 2.3).
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

TRIPLETS = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}


def needed(triplet, path):
    """names of the shared libraries that a program or library asks for, and of its loader"""
    dump = subprocess.run([f"{triplet}-objdump", "-p", path], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^\s+NEEDED\s+(\S+)", dump, re.MULTILINE)
    loader = subprocess.run([f"{triplet}-readelf", "-lW", path], capture_output=True, text=True, check=True).stdout
    return names + [pathlib.Path(found).name for found in re.findall(r"program interpreter: ([^]]+)\]", loader)]


def add_libraries(system, root, triplet):
    """adds what the programs in root need, under the names they ask for; the files of Debian that this took"""
    folders = [system / "root/usr/lib" / triplet, system / "root/usr/lib64", system / "root/usr/lib"]
    waiting = [root / "usr/bin/berth", root / "usr/bin/nsenter"]
    taken, done = set(), set()
    while waiting:
        for name in needed(triplet, waiting.pop()):
            if name in done:
                continue
            done.add(name)
            found = next((folder / name for folder in folders if (folder / name).exists()), None)
            if found is None:
                sys.exit(f"image: no {name} in {system}/root")
            is_loader = name.startswith("ld-linux")
            # The loader's place is part of the programs; the libraries' is the loader's own.
            target = root / ("usr/lib64" if is_loader and triplet.startswith("x86") else "usr/lib" if is_loader else f"usr/lib/{triplet}") / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(found, target)
            os.chmod(target, 0o755)
            taken.add("/" + str(found.resolve().relative_to((system / "root").resolve())))
            waiting.append(target)
    return taken


def linked_in(system, build):
    """the static libraries that the program was linked with"""
    command = subprocess.run(["ninja", "-C", str(build), "-t", "commands", "-s", "berth"], capture_output=True, text=True, check=True).stdout
    base = (system / "root").resolve()
    found = {pathlib.Path(path).resolve() for path in re.findall(r"(/\S+\.a)\b", command)}
    return {"/" + str(path.relative_to(base)) for path in found if path.is_relative_to(base)}


def packages_of(system, files):
    """names of the packages with these files"""
    owner = dict(line.split() for line in (system / "files").read_text().splitlines() if len(line.split()) == 2)
    missing = [name for name in files if name not in owner and "libcurl" not in name]
    if missing:
        sys.exit(f"image: of no package: {' '.join(sorted(missing))}")
    return {owner.get(name, "libcurl4") for name in files}


def add_papers(system, root, names):
    """copyright and the entry for scanners of each package"""
    for name in names:
        folder = root / "usr/share/doc" / name
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(system / "root/usr/share/doc" / name / "copyright", folder / "copyright")
        entry = system / "status.d" / name
        if entry.exists():
            target = root / "var/lib/dpkg/status.d" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            text = entry.read_text().rstrip("\n").split("\n", 1)
            target.write_text(f"{text[0]}\nStatus: install ok installed\n{text[1]}\n")


def package_entry(name, version, source, arch):
    return {
        "SPDXID": f"SPDXRef-{re.sub('[^a-zA-Z0-9.-]', '-', name)}",
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "sourceInfo": f"built from the source package {source}",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": f"pkg:deb/debian/{name}@{version}?arch={arch}"}],
    }


def spdx(known, static, shared, arch, version, epoch):
    entries = [package_entry(name, *known[name], arch) for name in sorted(static | shared)]
    berth = {"SPDXID": "SPDXRef-berth-program", "name": "berth", "versionInfo": version, "downloadLocation": "NOASSERTION",
             "filesAnalyzed": False, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
             "primaryPackagePurpose": "CONTAINER"}
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": berth["SPDXID"]}]
    for entry in entries:
        kinds = (["STATIC_LINK"] if entry["name"] in static else []) + (["CONTAINS"] if entry["name"] in shared else [])
        relations += [{"spdxElementId": berth["SPDXID"], "relationshipType": kind, "relatedSpdxElement": entry["SPDXID"]} for kind in kinds]
    digest = hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"berth-{version}-{arch}",
            "documentNamespace": f"urn:berth:image:{version}:{arch}:{digest}",
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)), "creators": [f"Tool: berth-image-{version}"]},
            "packages": [berth] + entries, "relationships": relations}


def main():
    system, build, root = (pathlib.Path(name) for name in sys.argv[1:4])
    arch, version = sys.argv[4:6]
    known = {name: (number, source) for name, number, source in map(str.split, (system / "packages").read_text().splitlines())}
    shared_files = add_libraries(system, root, TRIPLETS[arch]) | {"/usr/bin/nsenter"}
    shared = packages_of(system, shared_files) | {"ca-certificates", "base-files"}
    static = packages_of(system, linked_in(system, build))
    add_papers(system, root, shared | static)
    listed = root / "usr/share/sbom/berth.spdx.json"
    listed.parent.mkdir(parents=True)
    listed.write_text(json.dumps(spdx(known, static, shared, arch, version, int(os.environ["SOURCE_DATE_EPOCH"])), indent=1) + "\n")


if __name__ == "__main__":
    main()
