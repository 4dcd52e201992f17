#!/usr/bin/env python3
"""Makes the registry of a folder of plugins from what its files hold.

plugin_registry.py --sources DIRECTORY         prints its .c files, one a line, for meson's list of sources
plugin_registry.py OUTPUT.c ARRAY FILE...      writes ARRAY, the NULL-ended list of the plugins that the files define

A file is a plugin when it defines one: a line that starts with `const struct plugin plugin_NAME = {`. Other files are helpers
and need no listing.
"""

import pathlib
import re
import sys

DEFINITION = re.compile(r"^(static )?const struct plugin (\w+) =", re.MULTILINE)


def sources(folder):
    return sorted(path.name for path in pathlib.Path(folder).glob("*.c"))


def plugins_of(path):
    """The plugins a file defines; exits with a message where the registry could not name one."""
    found = []
    for match in DEFINITION.finditer(path.read_text()):
        is_static, symbol = match.groups()
        if is_static:
            sys.exit(f"{path}: {symbol} is static: the registry cannot name it")
        if not symbol.startswith("plugin_"):
            sys.exit(f"{path}: {symbol}: plugins are called plugin_NAME")
        found.append(symbol)
    return found


def registry(array, files):
    owner = {}
    for path in sorted(map(pathlib.Path, files), key=lambda path: path.name):
        for symbol in plugins_of(path):
            if symbol in owner:
                sys.exit(f"{path}: {symbol} is also defined in {owner[symbol]}")
            owner[symbol] = path
    if not owner:
        sys.exit(f"{array}: no file defines a plugin (const struct plugin plugin_NAME = ...)")
    lines = ["/* Made by plugin_registry.py from the files of the folder. */", '#include "plugin/plugin.h"', "",
             *(f"extern const struct plugin {symbol};" for symbol in owner),
             f"extern const struct plugin *const {array}[];", "",
             f"const struct plugin *const {array}[] = {{", *(f"        &{symbol}," for symbol in owner), "        NULL,", "};"]
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1] == "--sources":
        print("\n".join(sources(sys.argv[2])))
        return
    output, array, *files = sys.argv[1:]
    pathlib.Path(output).write_text(registry(array, files))


if __name__ == "__main__":
    main()
