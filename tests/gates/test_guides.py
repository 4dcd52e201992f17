#!/usr/bin/env python3
"""Compares the guides with the program: test_guides.py BERTH. Every option of a command is in a guide of that command, every
option and command that a page names is there, and no help text has a word that the glossary replaces."""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from source_text import table_of_words  # noqa: E402

# Where the options of a command are described. Commands that are not here have no options of their own.
GUIDES = {
    "up": ["up.md"],
    "sandbox": ["sandbox.md"],
    "dashboard": ["dashboard.md"],
    "top": ["top.md"],
    "scheduler": ["scheduler.md", "serving.md"],
    "descheduler": ["descheduler.md", "serving.md"],
    "reboot": ["reboot.md", "serving.md"],
    "run": ["run.md", "serving.md"],
    "plan": ["plan.md", "explain.md"],
    "explain": ["explain.md"],
    "evictions": ["eviction.md", "serving.md"],
    "evict": ["eviction.md", "serving.md"],
    "audit": ["eviction.md", "serving.md"],
    "simulate": ["simulate.md"],
    "bench": ["bench.md"],
    "config": ["config.md"],
    "version": ["install.md"],
    "help": ["install.md"],
}
EVERYWHERE = {"help", "manual"}
NAMES = ("kube-scheduler", "descheduler", "kured")
# Options of other programs in examples, and one that is misspelt.
OTHERS = {
    "image", "replicas", "restart", "annotations", "suite", "buildtype", "terminated-pod-gc-threshold", "rm", "no-rebuild",
    "compare", "root", "settle", "kubeconfig", "current", "duration", "flatten", "minify", "raw", "user",
    "perod", "field-selector", "sort-by", "overrides", "ignore-daemonsets", "type",
}
OPTION = re.compile(r"(?<![\w-])--(?:(?:scheduler|descheduler|evictions|reboot)\.)?([a-z][a-z0-9-]*[a-z0-9])(?!\w)")
LISTED = re.compile(r"^  (?:-\w, )?--([a-z][a-z0-9-]*)", re.MULTILINE)
CALL = re.compile(r"(?:^|[\s`(])berth ([a-z]+)(?=[\s`.,)]|$)", re.MULTILINE)
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def helps_of(berth):
    """{command: its help}, and the same of the names of other programs"""
    commands = re.findall(r"^  ([a-z][a-z-]*)  ", output(berth, "help"), re.MULTILINE)
    helps = {name: output(berth, "help", name) for name in commands}
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            (pathlib.Path(folder) / name).symlink_to(berth)
            helps[f"as {name}"] = output(str(pathlib.Path(folder) / name), "--help")
    return helps


def check_options(helps):
    for command, text in helps.items():
        if command.startswith("as "):
            continue
        guides = GUIDES.get(command, [])
        described = "".join((ROOT / "docs" / name).read_text() for name in guides if (ROOT / "docs" / name).exists())
        described = set(OPTION.findall(described)) | set(re.findall(r"`-(\w)`", described))
        for option in set(LISTED.findall(text)) - described - EVERYWHERE:
            yield f"option --{option} of berth {command} is in none of its guides: {', '.join(guides) or 'see GUIDES in the test'}"


def check_pages(helps):
    known = {option for text in helps.values() for option in OPTION.findall(text)} | OTHERS
    for script in (ROOT / "scripts").glob("*.py"):
        known |= set(re.findall(r'"--([a-z][a-z0-9-]*)"', script.read_text()))
    pages = [path for path in ROOT.glob("*.md")] + sorted((ROOT / "docs").rglob("*.md"))
    for path in pages:
        name, code = path.relative_to(ROOT), "\n".join(CODE.findall(path.read_text()))
        for option in sorted(set(OPTION.findall(code)) - known):
            yield f"{name}: no program has the option --{option}"
        for command in sorted(set(CALL.findall(code)) - set(helps)):
            yield f"{name}: there is no berth {command}"


def check_words(helps):
    for command, text in helps.items():
        text = " ".join(text.split())
        for pattern, use in table_of_words(ROOT, "Words not to use"):
            match = pattern.search(text)
            if match:
                yield f'help of berth {command}: "{match.group(0)}": write {use}'


def main():
    helps = helps_of(str(pathlib.Path(sys.argv[1]).resolve()))
    wrong = [*check_options(helps), *check_pages(helps), *check_words(helps)]
    print("\n".join(wrong + [f"guides: {len(helps)} commands, {len(wrong)} wrong"]))
    sys.exit(1 if wrong or len(helps) < 10 else 0)


if __name__ == "__main__":
    main()
