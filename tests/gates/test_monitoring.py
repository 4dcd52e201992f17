#!/usr/bin/env python3
"""What holds of deploy/monitoring without a Prometheus: generated files are current, every alert has a severity, texts and a page that
the index of runbooks lists, PodMonitors find the pods of the manifests, and dashboards are what Grafana takes."""

import json
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


# ---- dashboards

FIELDS = {"uid", "title", "description", "tags", "schemaVersion", "version", "refresh", "time", "templating", "annotations", "links", "panels"}
PANEL_FIELDS = {"id", "type", "title", "gridPos", "description", "datasource", "targets", "fieldConfig", "options"}
TYPES = {"stat", "timeseries", "state-timeline", "table"}
UNITS = re.compile(r"none|short|s|bytes|percentunit|ops|wps|suffix:/[sh]")
BUILT_IN = {"__rate_interval", "__range", "__range_s", "__interval", "__interval_ms", "__data"}
LARGEST = 200_000  # of a ConfigMap: kubectl apply keeps a second copy of it in an annotation of 256 KiB at most
UPPER_LEFT = ("x", "y", "w", "h")


def boards():
    return {path.name: json.loads(path.read_text()) for path in sorted((FOLDER / "dashboards").glob("*.json"))}


def check_grid(name, panels):
    """Nothing overlaps, nothing is beyond the page."""
    taken = {}
    for panel in panels:
        left, top, width, height = (panel["gridPos"][key] for key in UPPER_LEFT)
        if left < 0 or width < 1 or height < 1 or left + width > 24:
            yield f"{name}: {panel['title']} is beyond the page"
        for cell in [(x, y) for x in range(left, left + width) for y in range(top, top + height)]:
            if taken.setdefault(cell, panel["id"]) != panel["id"]:
                yield f"{name}: {panel['title']} is over another panel"
                break


def check_panel(name, panel, names):
    """`names`: of variables"""
    where = f"{name}: {panel['title']}"
    if not PANEL_FIELDS <= set(panel) or panel["type"] not in TYPES or not panel["targets"] or len(panel["description"]) < 10:
        yield f"{where}: fields are missing, or its type is unknown: {PANEL_FIELDS - set(panel)}"
    refs = [target["refId"] for target in panel["targets"]]
    if len(refs) != len(set(refs)) or any(target["datasource"]["uid"] != "${datasource}" or not target["expr"] for target in panel["targets"]):
        yield f"{where}: targets need a refId of their own, the variable's data source and a query"
    if not UNITS.fullmatch(panel["fieldConfig"]["defaults"].get("unit", "none")):
        yield f"{where}: unknown unit"
    text = json.dumps(panel)
    unknown = set(re.findall(r"\$\{?(\w+)", text)) - names - BUILT_IN
    if unknown or re.search(r"SELECTED|CLUSTER", text):
        yield f"{where}: no variables {unknown}"
    for link in panel.get("links", []):
        page = re.fullmatch(r"\$\{runbooks\}/(\w+\.md)", link["url"])
        if not page or not (RUNBOOKS / page[1]).exists():
            yield f"{where}: its link leads nowhere: {link['url']}"


def check_board(name, board):
    panels = board["panels"]
    if not FIELDS <= set(board) or board["schemaVersion"] < 36 or board["uid"] != name.removesuffix(".json"):
        yield f"{name}: fields are missing: {FIELDS - set(board)}"
    if len({panel["id"] for panel in panels}) != len(panels) or panels[0]["type"] != "row":
        yield f"{name}: ids are not unique, or the first panel is no row"
    names = {variable["name"] for variable in board["templating"]["list"]}
    if not {"datasource", "cluster", "namespace", "job", "instance", "runbooks"} <= names:
        yield f"{name}: variables are missing"
    yield from check_grid(name, panels)
    for panel in panels:
        if panel["type"] != "row":
            yield from check_panel(name, panel, names)


def check_dashboards():
    found, pages = boards(), {page.name: page.read_text() for page in RUNBOOKS.glob("*.md")}
    for name, board in found.items():
        yield from check_board(name, board)
        if (FOLDER / "dashboards" / name).stat().st_size > LARGEST:
            yield f"{name}: larger than {LARGEST} bytes"
        if f"files: [{name}]" not in (FOLDER / "dashboards" / "kustomization.yaml").read_text():
            yield f"{name}: is in no ConfigMap"
    linked = {link["title"].removeprefix("Runbook: ") for board in found.values() for panel in board["panels"] for link in panel.get("links", [])}
    for alert in {name for name, _ in alerts()} - linked:
        yield f"{alert}: no panel links its runbook"
    titles = {board["title"]: {panel["title"] for panel in board["panels"]} for board in found.values()}
    for page, text in pages.items():
        for title, rest in re.findall(r"ashboard \*(berth: [\w ]+)\*([^.;\n]*)", text):
            for panel in re.findall(r"\*([^*]+)\*", rest):
                if panel not in titles.get(title, ()):
                    yield f"{page}: the dashboard {title} has no panel {panel}"
            if title not in titles:
                yield f"{page}: there is no dashboard {title}"


def check_generated():
    done = subprocess.run([sys.executable, ROOT / "scripts" / "monitoring.py", "--check"], capture_output=True, text=True, check=False)
    if done.returncode:
        yield done.stdout.strip()


def main():
    checks = [check_generated, check_alerts, check_pod_monitors, check_dashboards]
    wrong = [line for check in checks for line in check()]
    print("\n".join(wrong + [f"monitoring: {len(alerts())} alerts, {len(boards())} dashboards, {len(wrong)} wrong"]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
