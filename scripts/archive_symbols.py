"""What nm says of static libraries; one call for all of them, since its start takes longer than its work."""

import pathlib
import subprocess

UNDEFINED = set("Uwv")


def archive_symbols(archives):
    """{archive: [(object file, symbol, type)]} of the external symbols of each archive."""
    found = {pathlib.Path(archive): [] for archive in archives}
    if not found:
        return found
    run = subprocess.run(["nm", "-A", "-P", "-g", *found], check=True, capture_output=True, text=True)
    for line in run.stdout.splitlines():
        where, _, rest = line.partition("]: ")
        archive, _, member = where.partition("[")
        symbol, kind = rest.split()[:2]
        found[pathlib.Path(archive)].append((member.rsplit("/", 1)[-1], symbol.split("@")[0], kind))
    return found
