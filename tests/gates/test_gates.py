#!/usr/bin/env python3
"""Plants violations in a small tree, one at a time, and expects the gate in question to name it; and expects silence about
the tree without them."""

import contextlib
import io
import os
import pathlib
import re
import runpy
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
TABLES = ("layers.txt", "core-symbols.txt")
# A tree every gate is content with.
GOOD = {
    "src/base/plain.h": "/* A value. */\n#pragma once\n\nint plain_get(void);\n",
    "src/base/plain.c": '/* Gives the value. */\n#include "base/plain.h"\n\nint plain_get(void) {\n        return 1;\n}\n',
    "src/sched/queue.c": '/* A queue. */\n#include "base/plain.h"\n#include <string.h>\n\nint queue_len(void);\n'
                         "int queue_len(void) {\n        return plain_get();\n}\n",
    "tests/unit/base/test_plain.c": "/* A test. */\nint main(void) {\n        return 0;\n}\n",
}


def c(code, includes=""):
    return f"/* Planted. */\n{includes}\n{code}\n"


def function(body, head="int planted(int a)"):
    return c(head + " {\n" + body + "\n        return a;\n}")


# Two files that need each other.
CIRCLE = {
    "src/loop/a.c": c("int b_get(void);\nint a_get(void);\nint a_get(void) { return b_get(); }"),
    "src/loop/b.c": c("int a_get(void);\nint b_get(void) { return a_get(); }"),
}

WORDS = {"docs/glossary.md": "## Words not to use in the sources\n\n| Not | Write |\n|---|---|\n| shelf | table |\n"
                             "| whose turn | order |\n\n## Words not to use in names\n\n| Not | Write |\n|---|---|\n"
                             "| turn | order |\n"}

# gate, name of the case, planted files, what the gate has to say
CASES = [
    ("layers", "upwards", {"src/base/up.c": c("", '#include "sched/queue.h"')}, "sched/queue.h"),
    ("layers", "deciders apart", {"src/desched/pass.h": c(""), "src/sched/x.c": c("", '#include "desched/pass.h"')},
     "sched may not use desched"),
    ("layers", "no plugins in sched", {"src/plugins/sched/registry.h": c(""),
                                       "src/sched/x.c": c("", '#include "plugins/sched/registry.h"')},
     "sched may not use plugins/sched"),
    ("layers", "foreign header", {"src/model/x.c": c("", "#include <yyjson.h>")}, "library yyjson.h belongs to api"),
    ("layers", "unknown header", {"src/loop/x.c": c("", "#include <boost/any.h>")}, "unknown library header"),
    ("layers", "socket in the core", {"src/rules/x.c": c("", "#include <sys/socket.h>")}, "the core does not include"),
    ("layers", "second file with a library", {"src/base/a.c": c("", "#include <pcre2.h>"),
                                              "src/base/b.c": c("", "#include <pcre2.h>")}, "included by 2 files, not 1"),
    ("layers", "private header", {"src/base/x_priv.h": c(""), "src/api/x.c": c("", '#include "base/x_priv.h"')},
     "private to base"),
    ("layers", "unlisted room", {"src/misc/x.c": c("")}, "room misc is not in"),
    ("banned", "sprintf", {"src/loop/x.c": function("        sprintf(0, 0);")}, "sprintf"),
    ("banned", "strcpy", {"tests/x.c": function("        strcpy(0, 0);")}, "strcpy"),
    ("banned", "strtok", {"src/loop/x.c": function("        strtok(0, 0);")}, "strtok"),
    ("banned", "atoi", {"src/loop/x.c": function("        a = atoi(0);")}, "atoi"),
    ("banned", "localtime", {"src/loop/x.c": function("        localtime(0);")}, "localtime"),
    ("banned", "rand", {"src/loop/x.c": function("        a = rand();")}, "rand"),
    ("banned", "alloca", {"src/loop/x.c": function("        alloca(3);")}, "alloca"),
    ("banned", "statement expression", {"src/loop/x.c": function("        a = ({ 1; });")}, "statement expression"),
    ("banned", "typedef", {"src/loop/x.h": c("#pragma once\ntypedef struct x x;")}, "typedef"),
    ("banned", "marker", {"src/loop/x.c": c("/* TODO later */")}, "unfinished"),
    ("banned", "word in a name", {"src/loop/x.c": c("int shelf_count;")} | WORDS, "x.c:3: shelf_count: write table"),
    ("banned", "word in a comment", {"src/loop/x.c": c("/* What was\n * whose turn. */")} | WORDS, "x.c:4: whose turn: write order"),
    ("banned", "word of names", {"src/loop/x.c": c("int next_turn; /* turn it on */")} | WORDS, "x.c:3: next_turn: write order"),
    ("banned", "word of names in a comment", {"src/loop/x.c": c("int next; /* turn it on */")} | WORDS, None),
    ("banned", "word as part of another", {"src/loop/x.c": c("int return_count; /* bookshelf */")} | WORDS, None),
    ("banned", "word in a test", {"tests/x.c": c("int shelf_count;")} | WORDS, None),
    ("banned", "no purpose", {"src/loop/x.c": "int x;\n"}, "does not open with its purpose"),
    ("banned", "no guard", {"src/loop/x.h": c("int x;")}, "no #pragma once"),
    ("banned", "not in comments and strings",
     {"src/loop/x.c": c('/* strcpy(a, b) */\nconst char *const s = "strcpy(a)"; // rand()')}, None),
    ("limits", "line", {"src/loop/x.c": c("/* " + "x" * 100 + " */")}, "line 106, limit 100"),
    ("limits", "file", {"src/loop/x.c": c("\n" * 1000)}, "limit 1000"),
    ("limits", "function", {"src/loop/x.c": function("        a++;\n" * 70)}, "planted: function 74, limit 70"),
    ("limits", "parameters", {"src/loop/x.c": c("int planted(int a, int b, int c, int d, int e, void (*f)(int, int), int g) {\n"
                                               "        return a;\n}")}, "planted: parameters 7, limit 6"),
    ("limits", "nesting", {"src/loop/x.c": function("if (a) { while (a) { do { if (a) { a++; } } while (a); } }")},
     "planted: nesting 4, limit 3"),
    ("limits", "initialisers do not nest",
     {"src/loop/x.c": function("struct s x[] = { { { { { 1 } } } } }; if (a) { if (a) { f((struct s){ { 0 } }); } }")}, None),
    ("limits", "complexity", {"src/loop/x.c": function("        if (a && a || a) a++;\n" * 5)}, "planted: complexity 16"),
    ("limits", "switch is one decision", {"src/loop/x.c": function(
        "switch (a) {" + "".join(f"\ncase {i}: a++;" for i in range(40)) + " }")}, None),
    ("limits", "exception", {"src/loop/x.c": function("        a++;\n" * 70),
                             "scripts/limits-exceptions.txt": "src/loop/x.c:planted function a table\n"}, None),
    ("limits", "stale exception", {"scripts/limits-exceptions.txt": "src/base/plain.c:plain_get function old\n"},
     "no longer exceeds"),
    ("limits", "exception without reason", {"scripts/limits-exceptions.txt": "src/base/plain.c function\n"}, "expected"),
    ("headers", "not self-contained", {"src/loop/x.h": c("#pragma once\nsize_t x(void);")}, "src/loop/x.h"),
    ("docs", "link", {"docs/a.md": "See [b](b.md).\n"}, "link to b.md: no such file"),
    ("docs", "anchor", {"docs/glossary.md": "# Words\n\n[x](#nothing)\n"}, "link to #nothing: no such heading"),
    ("docs", "file", {"CONTRIBUTING.md": "In `src/base/none.c`.\n"}, "`src/base/none.c`: no such file"),
    ("docs", "function", {"CONTRIBUTING.md": "Call `none_get()`.\n"}, "`none_get()`: no such function"),
    ("docs", "function of another file", {"CONTRIBUTING.md": "`sched/queue.c`: `plain_put()`.\n"}, "`plain_put()` is not in"),
    ("docs", "good names", {"CONTRIBUTING.md": "# A b\n\n`base/plain.c`: `plain_get()`, [a](#a-b).\n```\n[x](y)\n```\n"}, None),
    ("docs", "word", {"docs/glossary.md": "## Words not to use\n\n| Not | Write |\n|---|---|\n| the shelf, shelves | table |\n",
                      "NEWS.md": "* Two shelves.\n"}, 'NEWS.md:1: "shelves": write table'),
    ("docs", "room", {"docs/architecture.md": "| Room | Holds | May use |\n|---|---|---|\n| `base` | x | `api` |\n"},
     "room base may use, by scripts/layers.txt: nothing"),
    ("docs", "missing room", {"docs/architecture.md": "| Room | Holds | May use |\n|---|---|---|\n| `base` | x | nothing |\n"},
     "room api of scripts/layers.txt is not in the table"),
    ("docs", "guide without example", {"docs/guide.md": "# Guide\n"}, "docs/guide.md: no example that a test runs"),
    ("symbols", "clock", {"src/sched/x.c": c("int x(void) { return (int)time(0); }", "#include <time.h>")}, "takes time"),
    ("symbols", "environment", {"src/base/x.c": c("int x(void) { return !getenv(\"A\"); }", "#include <stdlib.h>")},
     "takes getenv"),
    ("symbols", "thread", {"src/model/x.c": c("int x(void) { return pthread_self() != 0; }", "#include <pthread.h>")},
     "takes pthread_self"),
    ("symbols", "other room", {"src/desched/pass.c": c("int pass_run(void);\nint pass_run(void) { return 0; }"),
                               "src/sched/x.c": c("int pass_run(void);\nint x(void) { return pass_run(); }")},
     "takes pass_run from desched"),
    ("symbols", "one name twice", {"src/desched/pass.c": c("int pass_run(void);\nint pass_run(void) { return 0; }"),
                                   "src/sched/x.c": c("int pass_run(void);\nint pass_run(void) { return 1; }")},
     "pass_run is defined in desched/pass.o and sched/x.o"),
    ("way_out", "action of another room", {"src/sched/x.c": c("struct action a = { .kind = ACTION_DELETE_POD };")},
     "src/sched/x.c:3: ACTION_DELETE_POD is made by the room evict alone"),
    ("way_out", "action assigned", {"src/roles/x.c": c("void x(struct action *a) { a->kind = ACTION_EVICT; }")},
     "ACTION_EVICT is made by the room evict alone"),
    ("way_out", "action of the room", {"src/evict/x.c": c("struct action a = { .kind = ACTION_EVICT };")}, None),
    ("way_out", "actions told apart",
     {"src/sched/x.c": c("int x(int k) { switch (k) { case ACTION_EVICT: return 1; } return k == ACTION_DELETE_POD; }\n"
                         "const char *y[] = { [ACTION_EVICT] = \"e\" };")}, None),
    ("way_out", "eviction written", {"src/roles/x.c": c("const char *x = \"/api/v1/namespaces/%s/pods/%s/eviction\";")},
     "an eviction is written as a call by src/loop/action_request.c alone"),
    ("way_out", "eviction by part", {"src/roles/x.c": c("const char *x = \"/eviction\";")}, "an eviction is written"),
    ("way_out", "name of the resource", {"src/roles/x.c": c("const char *x = \"pods/eviction\";")}, None),
    ("way_out", "deletion written",
     {"src/roles/x.c": c("void x(void) {\n        call(API_DELETE, \"/api/v1/namespaces/%s/pods/%s\");\n}")},
     "the deletion of a pod is written"),
    ("way_out", "deletion of something else",
     {"src/roles/x.c": c("void x(void) {\n        call(API_DELETE, \"/leases\");\n}\nvoid y(void) {\n"
                         "        call(API_GET, \"/pods\");\n}")}, None),
    ("way_out", "call of a controller", {"src/roles/x.c": c("void x(void) { object_delete(0); }")}, "controllers alone"),
    ("way_out", "excused", {"src/sim/x.c": c("const char *x = \"/eviction\";"),
                            "scripts/way-out-exceptions.txt": "src/sim/x.c plays somebody else\n"}, None),
    ("way_out", "stale excuse", {"scripts/way-out-exceptions.txt": "src/sim/y.c plays somebody else\n"},
     "src/sim/y.c excuses nothing"),
    ("way_out", "excuse without reason", {"scripts/way-out-exceptions.txt": "src/sim/y.c\n"}, "expected a pattern"),
    ("style", "tag twice", {"src/loop/x.c": c("struct here { int a; };\nunion other { int a; };"),
                            "src/api/x.h": c("#pragma once\nenum here { HERE };")}, "here is defined in src/api/x.h:4, too"),
    ("style", "tag used twice", {"src/loop/x.c": c("struct here { int a; };\nstruct here *f(struct here *here);\n"
                                                   "struct here g(void) { return (struct here){ 1 }; }")}, None),
    ("style", "NULL test", {"src/loop/x.c": function("        if (f() == NULL) a++;")}, "x.c:4: == NULL: write x or !x"),
    ("style", "NULL test reversed", {"src/loop/x.c": function("        if (NULL != f()) a++;")}, "NULL !=: write"),
    ("style", "NULL in a comment", {"src/loop/x.c": function("        a++; /* b == NULL */")}, None),
    ("style", "static of one word", {"src/loop/x.c": c("static int *run(int a) {\n        return a;\n}")},
     "static run: say whose it is"),
    ("style", "static that says whose", {"src/loop/x.c": c("static int list_run(int a) {\n        return a;\n}")}, None),
    ("style", "late value", {"src/loop/x.c": function("        int b, c = 1;\n        const char *d;\n\n        f(c);\n"
                                                     "        d = g(a);\n        h(d);")},
     "x.c:5: d: declare it with its first value"),
    ("style", "value in a branch", {"src/loop/x.c": function("        int b;\n\n        if (a)\n                b = 1;\n"
                                                            "        else\n                b = 2;\n        f(b);")}, None),
    ("style", "value in a block", {"src/loop/x.c": function("        int b;\n\n        {\n                b = 1;\n        }\n"
                                                           "        f(b);")}, None),
    ("style", "value in a loop's head", {"src/loop/x.c": function("        int b;\n\n        while ((b = f()))\n"
                                                                 "                g(b);")}, None),
    ("style", "filled by a call", {"src/loop/x.c": function("        int b;\n\n        f(&b);\n        b = 2;")}, None),
    ("style", "members have no value", {"src/loop/x.h": c("#pragma once\nstruct s {\n        int b;\n        int c;\n};")}, None),
    ("style", "metrics by hand", {"src/loop/x.c": c('const char *const s = "# HELP a Things.";')},
     "base/metric_text.h writes metrics"),
    ("style", "exception", {"src/loop/x.c": function("        if (f() == NULL) a++;"),
                            "scripts/style-exceptions.txt": "src/loop/x.c null told why\n"}, None),
    ("style", "stale exception", {"scripts/style-exceptions.txt": "src/base/plain.c null old\n"}, "excuses nothing"),
    ("style", "exception without reason", {"scripts/style-exceptions.txt": "src/base/plain.c null\n"}, "expected path"),
    ("circles", "two files", CIRCLE, "src/loop: a circle of 2 files, a,b: a takes b_get from b, b takes a_get from a"),
    ("circles", "through a table of functions",
     {"src/loop/a.c": c("int b_get(void);\nint a_get(void);\nint a_get(void) { return b_get(); }"),
      "src/loop/b.c": c("extern int (*const table[])(void);\nint b_get(void) { return table[0](); }"),
      "src/loop/t.c": c("int a_get(void);\nint (*const table[])(void) = { a_get };")},
     "src/loop: a circle of 3 files, a,b,t"),
    ("circles", "one way", {"src/loop/a.c": CIRCLE["src/loop/a.c"],
                            "src/loop/b.c": c("int b_get(void) { return 1; }")}, None),
    ("circles", "static names do not meet",
     {"src/loop/a.c": c("static int f(void) { return 1; }\nint b_get(void);\nint a_get(void) { return f() + b_get(); }"),
      "src/loop/b.c": c("static int f(void) { return 1; }\nint b_get(void) { return f(); }")}, None),
    ("circles", "exception", CIRCLE | {"scripts/circles-exceptions.txt": "loop a,b told why\n"}, None),
    ("circles", "exception of fewer files", CIRCLE | {"scripts/circles-exceptions.txt": "loop a,c told why\n"},
     "a circle of 2 files"),
    ("circles", "exception of more files", CIRCLE | {"scripts/circles-exceptions.txt": "loop a,b,c told why\n"},
     "c no longer in a circle"),
    ("circles", "stale exception", {"scripts/circles-exceptions.txt": "base plain,other told why\n"},
     "excuses no circle"),
    ("circles", "exception of a lost room", {"scripts/circles-exceptions.txt": "misc a,b told why\n"}, "no room misc"),
    ("circles", "exception without reason", CIRCLE | {"scripts/circles-exceptions.txt": "loop a,b\n"},
     "expected room, files, reason"),
]


# subject of a commit, what the gate has to say
COMMITS = [
    ("base, model: count " + "x" * 53, None),  # 72 columns
    ("base, model: count " + "x" * 54, "subject of 73 columns"),
    ("base: count", None),
    ("plugins/sched: count", None),
    ("Base: count", "not `room: summary`"),
    ("base: count.", "not `room: summary`"),
    ("count", "not `room: summary`"),
]


class Archives:
    """Builds each room of a tree the way meson names its archive; what was built before is copied."""

    def __init__(self, root):
        self.root, self.built = root, {}

    def compiled(self, source):
        text = source.read_text()
        if text not in self.built:
            target = source.with_suffix(".o")
            subprocess.run(["gcc", "-w", f"-I{self.root / 'src'}", "-c", source, "-o", target], check=True)
            self.built[text] = target.read_bytes()
            target.unlink()
        return self.built[text]

    def archive(self, room, target):
        sources = sorted(room.glob("*.c"))
        key = (target.name, *((source.name, source.read_text()) for source in sources))
        if key not in self.built:
            for source in sources:
                (target.parent / (source.stem + ".o")).write_bytes(self.compiled(source))
            subprocess.run(["ar", "rcs", target, *(target.parent / (source.stem + ".o") for source in sources)], check=True)
            self.built[key] = target.read_bytes()
        target.write_bytes(self.built[key])

    def build(self):
        shutil.rmtree(self.root / "build", ignore_errors=True)
        for room in {path.parent for path in (self.root / "src").rglob("*.c")}:
            target = self.root / "build" / room.relative_to(self.root)
            target.mkdir(parents=True, exist_ok=True)
            name = room.relative_to(self.root / "src").as_posix().replace("/", "_")
            self.archive(room, target / f"lib{name}.a")


class Tree:
    """The good tree; each case plants its files in it and takes them out again."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        self.archives = Archives(self.root)
        self.write(GOOD | {f"scripts/{table}": (ROOT / "scripts" / table).read_text() for table in TABLES})

    def write(self, files):
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def remove(self, files):
        for name in files:
            (self.root / name).unlink()
            for folder in (self.root / name).parents:
                if folder == self.root or any(folder.iterdir()):
                    break
                folder.rmdir()

    @contextlib.contextmanager
    def planted(self, files):
        before = {name: (self.root / name).read_text() for name in files if (self.root / name).exists()}
        self.write(files)
        try:
            yield
        finally:
            self.remove(files)
            self.write(before)


def run_gate(tree, gate, planted):
    """(exit code, output) of the gate on the good tree with the planted files."""
    if gate == "symbols":  # the exceptions of single rooms are about the real tree
        rows = (tree.root / "scripts" / "core-symbols.txt").read_text()
        planted = {"scripts/core-symbols.txt": re.sub(r"^[a-z].*$", "", rows, flags=re.MULTILINE)} | planted
    with tree.planted(planted):
        if gate in ("symbols", "circles"):
            tree.archives.build()
        return call(gate, "--root", str(tree.root))


def call(gate, *arguments):
    """(exit code, output) of a gate, run in this process: starting a Python for each case takes longer than the gate."""
    script, output = str(ROOT / "scripts" / f"check_{gate}.py"), io.StringIO()
    before, sys.argv = sys.argv, [script, *arguments]
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            runpy.run_path(script, run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        sys.argv = before
    return code, output.getvalue()


def commit(root, subject, *options):
    names = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", "-C", root, "commit", "-q", "--allow-empty", *options, "-m", subject], check=True,
                   env={**os.environ, **names, "GIT_CONFIG_GLOBAL": "/dev/null"})


def check_commits(folder):
    """How many cases fail, each the subject of the second commit of a history."""
    subprocess.run(["git", "init", "-q", folder], check=True)
    commit(folder, "base: add a value")
    commit(folder, "base: add another")
    failures = 0
    for subject, expected in COMMITS:
        commit(folder, subject, "--amend")
        code, output = call("commits", "--root", folder)
        is_right = code == 0 if expected is None else code == 1 and expected in output
        print(f"{'ok' if is_right else 'not ok'} - commits: {subject}")
        if not is_right:
            failures += 1
            print(f"# expected {expected!r}, exit {code}:\n# " + output.strip().replace("\n", "\n# "))
    return failures


# What check_style.py --fix makes of a function's body.
FIXES = [
    ("moves a declaration", "        int b;\n\n        f();\n        b = g(a);\n        h(b);",
     "        f();\n        int b = g(a);\n        h(b);"),
    ("leaves the others", "        char *b, c;\n\n        f(&c);\n        b = g(c);", "        char c;\n\n        f(&c);\n        char *b = g(c);"),
    ("leaves those with comments", "        int b; /* why */\n\n        b = 1;", "        int b; /* why */\n\n        b = 1;"),
]


def fixed(body):
    """The body after --fix."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "src" / "x.c"
        path.parent.mkdir()
        path.write_text(function(body))
        call("style", "--root", folder, "--fix")
        return path.read_text()


def check_fixes():
    """How many bodies --fix makes something else of."""
    failures = 0
    for name, body, expected in FIXES:
        found = fixed(body)
        print(f"{'ok' if found == function(expected) else 'not ok'} - style --fix: {name}")
        if found != function(expected):
            failures += 1
            print("# found:\n# " + found.replace("\n", "\n# "))
    return failures


def main():
    cases = [(gate, "clean tree", {}, None) for gate in ("layers", "banned", "limits", "headers", "symbols", "circles",
                                                       "way_out", "style")] + CASES
    failures = check_fixes()
    with tempfile.TemporaryDirectory() as folder:
        failures += check_commits(folder)
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(folder)
        for gate, name, planted, expected in cases:
            code, output = run_gate(tree, gate, planted)
            is_right = code == 0 if expected is None else code == 1 and expected in output
            print(f"{'ok' if is_right else 'not ok'} - {gate}: {name}")
            if not is_right:
                failures += 1
                print(f"# expected {expected!r}, exit {code}:\n# " + output.strip().replace("\n", "\n# "))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
