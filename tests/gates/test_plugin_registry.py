#!/usr/bin/env python3
"""The registry of plugins comes from the files of their folder."""

import contextlib
import io
import pathlib
import runpy
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts/plugin_registry.py"
PLUGIN = 'const struct plugin plugin_%s = {\n        .name = "%s",\n};\n'
CASES = [
    ("two plugins and a helper", {"b.c": PLUGIN % ("b", "B"), "a.c": PLUGIN % ("a", "A"), "helper.c": "int help;\n"},
     "&plugin_a, &plugin_b, NULL,"),
    ("two in one file", {"a.c": PLUGIN % ("x", "X") + PLUGIN % ("y", "Y")}, "&plugin_x, &plugin_y, NULL,"),
    ("a declaration is no plugin", {"a.c": "const struct plugin plugin_a;\n" + PLUGIN % ("a", "A")}, "&plugin_a, NULL,"),
    ("no plugin at all", {"helper.c": "int help;\n"}, "no file defines a plugin"),
    ("a static one", {"a.c": "static " + PLUGIN % ("a", "A")}, "plugin_a is static"),
    ("another name", {"a.c": "const struct plugin mine = {\n};\n"}, "mine: plugins are called plugin_NAME"),
    ("one twice", {"a.c": PLUGIN % ("a", "A"), "b.c": PLUGIN % ("a", "A")}, "plugin_a is also defined in"),
]


def run(*args):
    """What the script prints, or the message it ends with."""
    out, old = io.StringIO(), sys.argv
    sys.argv = [str(SCRIPT), *map(str, args)]
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path(str(SCRIPT), run_name="__main__")
    except SystemExit as end:
        return str(end.code)
    finally:
        sys.argv = old
    return out.getvalue()


def main():
    failures = []
    for name, files, expected in CASES:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for file, text in files.items():
                (folder / file).write_text(text)
            listed = run("--sources", folder).split()
            if listed != sorted(files):
                failures.append(f"{name}: sources {listed}")
            output = folder / "registry.out"
            said = run(output, "test_registry", *(folder / file for file in files))
            made = output.read_text() if output.exists() else said
            if expected not in " ".join(made.split()):
                failures.append(f"{name}: {made}")
    for failure in failures:
        print(failure)
    print(f"plugin_registry: {len(CASES)} cases, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
