"""Asks a Prometheus that scrapes roles at work what deploy/monitoring asks: monitoring.py BERTH PROMETHEUS PROMTOOL FOLDER. Every
metric and label of the rules and of their tests is one that berth shows, every alert fires and clears in a test and
has its page, every rule is evaluated, every query of a dashboard gives data. The last line is "N passed, M failed"."""

import pathlib
import re
import subprocess
import sys
import time

import drill
from monitoring_dashboards import check_dashboards
from monitoring_scene import Scene

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy/monitoring/rules/berth.yaml"
TESTS = [ROOT / "tests/e2e/alerts.test.yaml", ROOT / "tests/e2e/alerts_slow.test.yaml"]
SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$", re.M)
LABEL = re.compile(r'([a-zA-Z_]\w*)="(?:[^"\\]|\\.)*"')
# A metric in an expression: no word of PromQL, no label, no recorded series.
METRIC = re.compile(r"(?<![:\w\"])((?:berth|descheduler|scheduler|kured|kubernetes|leader_election|process|imperative_eviction|evictionrequest)"
                    r"_\w+|up)\b(?!\s*=)(\{[^}]*\})?")
MATCHER = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"")
TARGET_LABELS = {"job", "instance", "metrics_path", "cluster", "namespace"}


def shown(pages):
    """{metric: names of its labels}, as processes show them."""
    found = {"up": set()}
    for name, labels in SAMPLE.findall(pages):
        found.setdefault(name, set()).update(LABEL.sub(r"\1 ", labels or "").replace(",", "").split())
    return found


def check_names(where, text, metrics):
    """Every metric is shown, and has the labels it is asked for."""
    for name, matchers in METRIC.findall(text):
        labels = set(MATCHER.findall(matchers)) - TARGET_LABELS
        drill.judge(f"{where}: {name}", name in metrics, "no role shows this metric")
        drill.judge(f"{where}: {name}", labels <= metrics.get(name, labels), f"has no labels {labels - metrics.get(name, set())}")


def expressions(text):
    """Of a rules file: the lines of expr, joined."""
    return [" ".join(found.split()) for found in re.findall(r"^    expr: (?:>-\n)?(.*(?:\n      .*)*)$", text, re.M)]


def check_tests(promtool):
    """promtool judges; here only that no alert is left out."""
    alerts = re.findall(r"^  - alert: (\w+)$", RULES.read_text(), re.M)
    text = "".join(path.read_text() for path in TESTS)
    blocks = re.split(r"^- name: ", text, flags=re.M)
    for alert in alerts:
        own = [block for block in blocks if f'alertname="{alert}",alertstate="firing"' in block]
        drill.judge(f"{alert} fires in a test", len(own) > 0)
        last = own[-1].split("promql_expr_test:")[1].rstrip().splitlines() if own else [""]
        drill.judge(f"{alert} clears in a test", "exp_samples: []" in [line for line in last if "expr" in line][-1] if own else False)
    for words in [["check", "rules", RULES], *[["test", "rules", path] for path in TESTS]]:
        done = subprocess.run([promtool, *map(str, words)], capture_output=True, text=True, check=False)
        drill.judge(f"promtool {words[0]} {words[2].name}", done.returncode == 0, done.stdout + done.stderr)
    return len(alerts)


def check_evaluation(scene):
    """Prometheus evaluated each rule on real series, and none failed."""
    def evaluated():
        groups = (scene.ask("rules")[0] or {}).get("groups", [])
        rules = [rule for group in groups for rule in group["rules"]]
        return rules if rules and all(rule["health"] != "unknown" for rule in rules) else None
    for rule in drill.until("rules are evaluated", evaluated) or []:
        drill.judge(f"{rule['name']} is evaluated", rule["health"] == "ok", rule.get("lastError"))
    for name in re.findall(r"^  - record: (\S+)$", RULES.read_text(), re.M):
        drill.until(f"{name} has series", lambda name=name: scene.query(name)[0])


def main():
    berth, prometheus, promtool, folder = sys.argv[1:5]
    drill.PATIENCE = 60
    scene = Scene(berth, prometheus, folder)
    started = time.monotonic()
    try:
        scene.play([str(RULES)])
        metrics = shown(scene.pages())
        for rule in expressions(RULES.read_text()):
            check_names("rules", rule, metrics)
        for path in TESTS:
            for series in re.findall(r"series: '([^']*)'", path.read_text()):
                check_names(path.name, series, metrics)
        check_evaluation(scene)
        boards, queries = check_dashboards(scene)
        if drill.counts[False]:
            print("\n".join(f"== {name}\n{scene.log(name)[-600:]}" for name in scene.children))
    finally:
        scene.close()
    alerts = check_tests(promtool)
    print(f"{alerts} alerts, {boards} dashboards with {queries} queries, {len(metrics)} metrics, {time.monotonic() - started:.0f} s")
    drill.finish()


if __name__ == "__main__":
    main()
