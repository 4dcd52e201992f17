#!/usr/bin/env python3
"""What holds of deploy/monitoring without a Prometheus: generated files are current, every alert has a severity, texts and a page that
the index of runbooks lists, and PodMonitors find the pods of the manifests."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "deploy" / "monitoring"
RUNBOOKS = ROOT / "docs" / "runbooks"
SECTIONS = ["## What it means", "## What to look at", "## What to do"]


def alerts():
    text = (FOLDER / "rules" / "berth.yaml").read_text()
    return re.findall(r"^  - alert: (\w+)\n((?:    .*\n?)+)", text, re.M)


def check_alerts():
    index = (RUNBOOKS / "README.md").read_text()
    names = [name for name, _ in alerts()]
    for name, body in alerts():
        page = RUNBOOKS / f"{name}.md"
        severity = re.search(r"labels: \{severity: (\w+)\}", body)
        text = page.read_text() if page.exists() else ""
        if not re.search(rf"runbook_url: file:///usr/share/doc/berth/docs/runbooks/{name}\.md\n", body):
            yield f"{name}: its runbook_url is not that of its page"
        if not (severity and f"Severity: {severity[1]}." in text and f"| [{name}]({name}.md) | {severity[1]} |" in index):
            yield f"{name}: rule, page and index do not name one severity"
        for word in ["summary:", "description:"]:
            if word not in body:
                yield f"{name}: no {word}"
        for section in SECTIONS:
            if len(text.partition(section + "\n")[2].strip()) < 80:
                yield f"{page.name}: nothing under {section}"
    for page in RUNBOOKS.glob("*.md"):
        if page.stem not in [*names, "README"]:
            yield f"{page.name}: there is no such alert"


def check_pod_monitors():
    """The labels of each are those of pods in a manifest."""
    manifests = "".join(path.read_text() for path in (ROOT / "deploy").glob("*/*.yaml") if path.parent != FOLDER)
    pods = set(re.findall(r"(app|component|name): ([\w-]+)", " ".join(re.findall(r"labels: \{(.*)\}", manifests))))
    for key, values in re.findall(r"key: (\w+), operator: In, values: \[(.*?)\]", (FOLDER / "podmonitors.yaml").read_text()):
        if not any((key, value) in pods for value in values.split(", ")):
            yield f"podmonitors.yaml: no manifest has pods with {key} {values}"


def check_generated():
    done = subprocess.run([sys.executable, ROOT / "scripts" / "monitoring.py", "--check"], capture_output=True, text=True, check=False)
    if done.returncode:
        yield done.stdout.strip()


def main():
    checks = [check_generated, check_alerts, check_pod_monitors]
    wrong = [line for check in checks for line in check()]
    print("\n".join(wrong + [f"monitoring: {len(alerts())} alerts, {len(wrong)} wrong"]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
