"""Asks a Prometheus what the dashboards of deploy/monitoring ask: every variable finds values, every query of every panel and annotation
gives data, with "All" chosen and with values, or stands in EMPTY."""

import json
import math
import pathlib
import re
import time

import drill

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "deploy/monitoring/dashboards"
PATIENCE = 60
LOOKED_BACK = 90  # seconds of the scene that graphs show
# (dashboard, panel): the event without which its queries give nothing. None of them is one that a healthy scene has.
EMPTY = {("scheduler", "Volumes"): "a write to a claim or volume that fails"}


def dashboards():
    return {path.stem.removeprefix("berth-"): json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}


def fill(text, values):
    """As Grafana does before it asks."""
    values = {**values, "__rate_interval": "15s", "__range": "10m", "__range_s": "600", "__interval": "5s", "__interval_ms": "5000"}
    return re.sub(r"\$\{?(\w+)\}?", lambda match: values[match[1]], text)


def values_of(scene, variable, chosen):
    """Of a query `label_values(SERIES, LABEL)`."""
    series, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"]).groups()
    data, wrong = scene.ask("series", **{"match[]": fill(series, chosen)})
    drill.judge(f"variable {variable['name']}", data is not None, wrong)
    return sorted({one[label] for one in data or [] if label in one})


def choices_of(scene, name, board):
    """Two ways to choose: All, and each value by its name."""
    queries = [variable for variable in board["templating"]["list"] if variable["type"] == "query"]
    everything, each = {one["name"]: one["allValue"] for one in queries}, {}
    for variable in queries:
        found = values_of(scene, variable, each)
        drill.judge(f"{name}: the variable {variable['name']} has values", found)
        each[variable["name"]] = "|".join(re.sub(r"([.*+?^${}()|\[\]\\])", r"\\\\\1", value) for value in found)
    return [("All", everything), ("chosen", each)]


def has_data(scene, target, values):
    """(whether there is a number, the error, the query)"""
    text = fill(target["expr"], values)
    if target.get("instant"):
        found, wrong = scene.query(text)
        samples = [series["value"] for series in found or []]
    else:
        now = time.time()
        data, wrong = scene.ask("query_range", query=text, start=now - LOOKED_BACK, end=now, step=1)
        samples = [sample for series in (data or {}).get("result", []) for sample in series["values"]]
    return any(not math.isnan(float(value)) for _, value in samples), wrong, text


def has_data_soon(scene, target, values):
    """What happened last is on its way into Prometheus."""
    end = time.monotonic() + PATIENCE
    while True:
        found = has_data(scene, target, values)
        if found[0] or found[1] or time.monotonic() > end:
            return found
        time.sleep(1)


def check_panel(scene, name, panel, choices):
    may_be_empty = (name, panel["title"]) in EMPTY
    for target in panel.get("targets", []):
        for way, values in choices:
            good, wrong, text = (has_data if may_be_empty else has_data_soon)(scene, target, values)
            if may_be_empty:
                drill.judge(f"{name}: {panel['title']} {target['refId']} ({way}) is a query", not wrong, wrong)
            else:
                drill.judge(f"{name}: {panel['title']} {target['refId']} ({way}) gives data", good, f"{wrong} {text}")
    return len(panel.get("targets", []))


def check_dashboards(scene):
    """Returns the number of dashboards and of queries."""
    boards, queries = dashboards(), 0
    titles = {(name, panel["title"]) for name, board in boards.items() for panel in board["panels"]}
    drill.judge("EMPTY names panels", set(EMPTY) <= titles, set(EMPTY) - titles)
    for name, board in boards.items():
        choices = choices_of(scene, name, board)
        for panel in board["panels"]:
            queries += check_panel(scene, name, panel, choices)
        for note in board["annotations"]["list"]:
            for way, values in choices:
                found, wrong = scene.query(fill(note["expr"], values))
                drill.judge(f"{name}: the annotation {note['name']} ({way}) is a query", found is not None, wrong)
    return len(boards), queries
