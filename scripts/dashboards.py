"""Grafana's JSON for the dashboards of dashboards_table.py; monitoring.py writes it."""

import json
import re

from dashboards_table import DASHBOARDS

RUNBOOKS = "file:///usr/share/doc/berth/docs/runbooks"
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
CLUSTER = 'cluster=~"$cluster",namespace=~"$namespace"'
SELECTED = CLUSTER + ',job=~"$job",instance=~"$instance"'
# Metrics whose own label `namespace` is that of a pod: job and instance select.
OF_PODS = {"descheduler_pods_evicted_total"}
WIDTH, FIGURE_HEIGHT, GRAPH_HEIGHT = 24, 4, 8
BAD_WORDS = "/(^|[^a-z])(error|failed|fails|unschedulable|misfit|given up)/"


def expand(expression):
    """With the selectors of the variables."""
    def selector(match):
        own = SELECTED.replace(',namespace=~"$namespace"', "") if match[1] in OF_PODS else SELECTED
        return match[1] + match[2].replace("SELECTED", own).replace("CLUSTER", CLUSTER)
    return re.sub(r"(\w+)(\{(?:SELECTED|CLUSTER)[^}]*\})", selector, expression)


# ---- panels

def target(number, legend, expression, **more):
    return {"refId": chr(ord("A") + number), "datasource": SOURCE, "expr": expand(expression), "legendFormat": legend, "editorMode": "code", **more}


def links(alerts):
    return [{"title": f"Runbook: {name}", "url": f"${{runbooks}}/{name}.md", "targetBlank": True} for name in alerts.split()]


def steps(levels):
    return {"mode": "absolute", "steps": [{"value": value, "color": color} for value, color in levels or [(None, "text")]]}


def texts(names):
    return [{"type": "value", "options": {str(number): {"text": text, "color": color, "index": number} for number, (text, color) in enumerate(names)}}]


def stat(panel):
    asks_range = "__range" in panel.targets[0][1]
    defaults = {"unit": panel.unit, "thresholds": steps(panel.levels), "color": {"mode": "thresholds"}, "noValue": "-", "min": 0, "mappings": []}
    if panel.unit == "short":
        defaults["decimals"] = 0
    return {"type": "stat", "targets": [target(0, *panel.targets[0], instant=asks_range, range=not asks_range)],
            "fieldConfig": {"defaults": defaults, "overrides": []},
            "options": {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}, "colorMode": "value", "justifyMode": "auto",
                        "graphMode": "none" if asks_range else "area", "textMode": "value", "orientation": "auto"}}


def graph(panel):
    is_stacked, is_bars = "stacked" in panel.options, "bars" in panel.options
    custom = {"drawStyle": "bars" if is_bars else "line", "lineInterpolation": "linear", "lineWidth": 1,
              "fillOpacity": 80 if is_bars else 40 if is_stacked else 8, "showPoints": "never" if is_bars else "auto",
              "pointSize": 4, "spanNulls": False, "gradientMode": "none", "axisPlacement": "auto",
              "stacking": {"mode": "normal" if is_stacked else "none", "group": "A"}}
    red = {"matcher": {"id": "byRegexp", "options": BAD_WORDS}, "properties": [{"id": "color", "value": {"mode": "fixed", "fixedColor": "red"}}]}
    return {"type": "timeseries", "targets": [target(number, *one, range=True, instant=False) for number, one in enumerate(panel.targets)],
            "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0, "color": {"mode": "palette-classic"}, "custom": custom, "mappings": [],
                                         "thresholds": steps(None)}, "overrides": [red]},
            "options": {"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
                        "tooltip": {"mode": "multi", "sort": "desc"}}}


def states(panel):
    return {"type": "state-timeline", "targets": [target(0, *panel.targets[0], range=True, instant=False)],
            "fieldConfig": {"defaults": {"color": {"mode": "thresholds"}, "thresholds": steps(None), "mappings": texts(panel.names),
                                         "custom": {"fillOpacity": 70, "lineWidth": 0, "spanNulls": False}}, "overrides": []},
            "options": {"mergeValues": True, "showValue": "auto", "alignValue": "left", "rowHeight": 0.8,
                        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True}, "tooltip": {"mode": "single", "sort": "none"}}}


def column(name, **properties):
    return {"matcher": {"id": "byName", "options": name}, "properties": [{"id": key, "value": value} for key, value in properties.items()]}


def table(panel):
    """The value of a query that is only there for its labels, which have no unit, is left out."""
    targets = [target(number, "", expression, format="table", range=False, instant=True) for number, (_, _, expression) in enumerate(panel.targets)]
    values = ["Value"] if len(targets) == 1 else [f"Value #{one['refId']}" for one in targets]
    shown = [(value, name, unit) for value, (name, unit, _) in zip(values, panel.targets) if unit != "none"]
    hidden = {"Time": True, **{value: True for value in values if value not in [one[0] for one in shown]}}
    runbook = [{"title": "Runbook", "url": "${runbooks}/${__data.fields.alertname}.md", "targetBlank": True}]
    return {"type": "table", "targets": targets,
            "fieldConfig": {"defaults": {"custom": {"align": "auto", "filterable": True}, "mappings": [], "thresholds": steps(None)},
                            "overrides": [column("alertname", links=runbook)] + [column(name, unit=unit) for _, name, unit in shown]},
            "options": {"showHeader": True, "cellHeight": "sm", "footer": {"show": False, "reducer": ["sum"], "countRows": False, "fields": ""}},
            "transformations": [{"id": "merge", "options": {}},
                                {"id": "organize", "options": {"excludeByName": hidden, "indexByName": {}, "renameByName": {value: name for value, name, _ in shown}}}]}


KINDS = {"stat": (stat, FIGURE_HEIGHT), "graph": (graph, GRAPH_HEIGHT), "states": (states, GRAPH_HEIGHT), "table": (table, GRAPH_HEIGHT)}


def line_of(panels, top):
    """Panels side by side, as wide as the page."""
    height = max(KINDS[panel.kind][1] for panel in panels)
    for number, panel in enumerate(panels):
        left, right = WIDTH * number // len(panels), WIDTH * (number + 1) // len(panels)
        yield {"title": panel.title, "description": panel.about, "datasource": SOURCE, "links": links(panel.alerts),
               "gridPos": {"x": left, "y": top, "w": right - left, "h": height}, **KINDS[panel.kind][0](panel)}, height


def panels_of(dashboard):
    panels, top = [], 0
    for title, lines in dashboard.rows:
        panels.append({"type": "row", "title": title, "collapsed": False, "panels": [], "gridPos": {"x": 0, "y": top, "w": WIDTH, "h": 1}})
        top += 1
        for line in lines:
            for panel, height in line_of(line, top):
                panels.append(panel)
            top += height
    return [{"id": number, **panel} for number, panel in enumerate(panels, 1)]


# ---- what is round about them

def variable(name, label, metric, selector):
    query = f"label_values({metric}{{{selector}}}, {name})" if selector else f"label_values({metric}, {name})"
    return {"name": name, "label": label, "type": "query", "datasource": SOURCE, "definition": query,
            "query": {"query": query, "refId": "StandardVariableQuery"}, "refresh": 2, "sort": 1, "regex": "", "hide": 0, "skipUrlSync": False,
            "multi": True, "includeAll": True, "allValue": ".*", "current": {"selected": True, "text": ["All"], "value": ["$__all"]}, "options": []}


def variables(dashboard):
    metric = dashboard.jobs
    found = [{"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus", "regex": "", "refresh": 1, "hide": 0,
              "multi": False, "includeAll": False, "current": {}, "options": [], "skipUrlSync": False},
             {"name": "runbooks", "label": "Runbooks", "type": "constant", "query": RUNBOOKS, "hide": 2, "skipUrlSync": True,
              "current": {"text": RUNBOOKS, "value": RUNBOOKS}, "options": [{"selected": True, "text": RUNBOOKS, "value": RUNBOOKS}]},
             variable("cluster", "Cluster", metric, ""), variable("namespace", "Namespace", metric, 'cluster=~"$cluster"'),
             variable("job", "Job", metric, CLUSTER), variable("instance", "Instance", metric, CLUSTER + ',job=~"$job"')]
    return found + ([variable("node", "Node", metric, SELECTED)] if dashboard.by_node else [])


def annotation(name, color, expression, title, text):
    return {"name": name, "datasource": SOURCE, "enable": True, "hide": False, "iconColor": color, "expr": expand(expression), "step": "60s",
            "titleFormat": title, "textFormat": text, "tagKeys": "", "useValueForTime": False}


def dashboard_of(dashboard):
    notes = [annotation("Alerts", "red", 'ALERTS{alertname=~"Berth.*",alertstate="firing",cluster=~"$cluster"}', "{{alertname}}", "{{severity}}: {{job}} {{instance}}"),
             annotation("Starts", "blue", "time() - process_start_time_seconds{SELECTED} < 60 and on (cluster, job, instance) berth_build_info", "Start", "{{job}} {{instance}}")]
    return {"uid": f"berth-{dashboard.key}", "title": dashboard.title, "description": dashboard.about, "tags": ["berth"], "schemaVersion": 39, "version": 1,
            "editable": True, "graphTooltip": 1, "refresh": "30s", "time": {"from": "now-6h", "to": "now"}, "timepicker": {}, "timezone": "", "weekStart": "",
            "fiscalYearStartMonth": 0, "liveNow": False, "annotations": {"list": notes}, "templating": {"list": variables(dashboard)},
            "links": [{"title": "berth", "type": "dashboards", "tags": ["berth"], "asDropdown": True, "includeVars": False, "keepTime": True, "targetBlank": False,
                       "icon": "external link", "tooltip": "", "url": ""},
                      {"title": "Runbooks", "type": "link", "tags": [], "url": "${runbooks}/README.md", "icon": "doc", "tooltip": "A page for each alert", "targetBlank": True,
                       "asDropdown": False, "includeVars": False, "keepTime": False}],
            "panels": panels_of(dashboard)}


KUSTOMIZATION = """# Dashboards for Grafana's sidecar, a ConfigMap each: kubectl apply -k deploy/monitoring/dashboards (docs/monitoring.md).
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: kube-system
generatorOptions:
  disableNameSuffixHash: true
  labels: {grafana_dashboard: "1"}
  annotations: {grafana_folder: berth}
configMapGenerator:
"""


def files():
    """{path below deploy/monitoring: text}"""
    made = {f"dashboards/berth-{one.key}.json": json.dumps(dashboard_of(one), indent=1) + "\n" for one in DASHBOARDS}
    entries = "".join(f"- {{name: berth-dashboard-{one.key}, files: [berth-{one.key}.json]}}\n" for one in DASHBOARDS)
    return {**made, "dashboards/kustomization.yaml": KUSTOMIZATION + entries}
