"""The charts of deploy/charts beside upstream's: charts.py HELM_TEMPLATE CHARTS TREE [PART...]. For `make charts`.
PART: only values whose case has it in its name.

Both are rendered by Helm's own engine with the same values: upstream's own examples, and every value by itself, in several scenes. The
objects must be the same but for the rows of the table in deploy/charts/README.md, and each row must be needed. Then the rendered charts of
tests/e2e/charts, which `make check` runs, must be up to date (UPDATE=1 writes them). The last line is "N passed, M failed".
"""

import hashlib
import os
import pathlib
import re
import sys
from multiprocessing.pool import ThreadPool

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))

import drill  # noqa: E402 pylint: disable=wrong-import-position
from objects import IMAGE, Allowed, Engine, Refused, differences  # noqa: E402 pylint: disable=wrong-import-position
from values import at, examples, merged, paths_of, read, samples  # noqa: E402 pylint: disable=wrong-import-position
import yaml  # noqa: E402 pylint: disable=wrong-import-position

PROGRAM, CHARTS, TREE = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
OURS, GOLDEN = TREE / "deploy/charts", TREE / "tests/e2e/charts"
PARTS = sys.argv[4:]
engine, allowed = Engine(PROGRAM), Allowed(OURS / "README.md")
counts = {"compared": 0, "refused by upstream": 0}

ALL_OF_DESCHEDULER = {"kind": "Deployment", "replicas": 3, "leaderElection": {"enabled": True}, "service": {"enabled": True},
                      "serviceMonitor": {"enabled": True}, "podDisruptionBudget": {"enabled": True}, "commonLabels": {"team": "a"},
                      "deschedulerPolicy": {"metricsProviders": [{"source": "KubernetesMetrics"}]}}
ALL_OF_KURED = {"metrics": {"create": True}, "service": {"create": True, "type": "NodePort", "nodePort": 30001, "annotations": {"a": 1}},
                "podSecurityPolicy": {"create": True}, "podLabels": {"team": "a"}, "volumes": [{"name": "x", "emptyDir": {}}],
                "volumeMounts": [{"name": "x", "mountPath": "/x"}], "tolerations": [{"operator": "Exists"}], "hostNetwork": True,
                "containerSecurityContext": {"privileged": False}, "configuration": {"blockingPodSelector": ["a=b", "c in (d,e)"]}}
SCENES = {
    "descheduler": {"CronJob": {}, "Deployment": {"kind": "Deployment"}, "all": ALL_OF_DESCHEDULER},
    "kured": {"plain": {}, "command": {"configuration": {"useRebootSentinelHostPath": False}}, "all": ALL_OF_KURED}}
REFUSED = [("descheduler", {"kind": "Deployment", "replicas": 2}), ("descheduler", {"kind": "Deployment", "deschedulingInterval": ""})]
RENDERED = [  # file, chart, values: what the test of `make check` applies
    ("descheduler-cronjob", "descheduler", {}),
    ("descheduler-deployment", "descheduler", {"kind": "Deployment", "replicas": 2, "leaderElection": {"enabled": True}}),
    ("kured", "kured", {}),
    ("kured-signal", "kured", {"rbac": {"extras": True}, "configuration": {"rebootMethod": "signal"}, "containerSecurityContext": {
        "privileged": False, "allowPrivilegeEscalation": False, "capabilities": {"add": ["CAP_KILL"], "drop": ["*"]}}})]


def charts_of(folder):
    """The charts below it, by name."""
    return {yaml.safe_load(file.read_text())["name"]: file.parent for file in sorted(folder.rglob("Chart.yaml"))}


def with_image(values):
    """What a user changes besides the chart: the image, where these values are not about it."""
    return values if "image" in values else merged(values, {"image": IMAGE})


def image_of(values):
    image = values.get("image") or {}
    version = yaml.safe_load((OURS / "kured/Chart.yaml").read_text())["appVersion"]
    return f"{image.get('repository')}:{image.get('tag') or version}"


def compare(theirs, chart, name, values):
    """(name, what is wrong); None where upstream's chart refuses the values."""
    try:
        old = engine.objects(theirs, values)
    except Refused:
        return None
    values = with_image(values)
    if "repository" not in values["image"]:
        values = merged(values, {"image": {"repository": IMAGE["repository"]}})
    try:
        new = engine.objects(OURS / chart, values)
    except Refused as error:
        return name, [f"ours refuses: {error}"]
    wrong = differences(chart, old, new, allowed)
    images = {container["image"] for found in new.values() for container in containers_of(found)}
    if images - {image_of(values)}:
        wrong.append(f"image {images}, not {image_of(values)}")
    return name, wrong


def containers_of(found):
    spec = found["spec"] if found["kind"] in ("CronJob", "Deployment", "DaemonSet") else {}
    spec = spec.get("jobTemplate", {}).get("spec", spec)
    return spec["template"]["spec"]["containers"] if spec else []


def cases_of(chart, folder):
    """(name, values) of everything that is compared."""
    yield from ((f"{chart} {name}", values) for name, values in examples(folder))
    defaults = yaml.safe_load((folder / "values.yaml").read_text())
    for scene, base in SCENES[chart].items():
        yield f"{chart} {scene}", base
        current = merged(defaults, base)
        for path in paths_of(folder):
            for sample in samples(current, path):
                if path == ("image", "repository") and not sample:
                    continue  # ours asks for one
                if path == ("image",):
                    continue
                yield f"{chart} {scene}, {'.'.join(path)}: {sample!r}", merged(base, at(path, sample))


def look_at_values(charts):
    for chart in SCENES:
        cases = [case for case in cases_of(chart, charts[chart]) if not PARTS or any(part in case[0] for part in PARTS)]
        covered = set()
        with ThreadPool(os.cpu_count()) as pool:
            for case, found in zip(cases, pool.imap(lambda case, chart=chart: compare(charts[chart], chart, *case), cases)):
                if found is None:
                    counts["refused by upstream"] += 1
                    continue
                counts["compared"] += 1
                covered.add(re.sub(r"^\S+ \S+, |: .*", "", case[0]))
                drill.judge(found[0], not found[1], "; ".join(found[1]))
        missed = {".".join(path) for path in paths_of(charts[chart])} - covered - {"image"}
        drill.judge(f"{chart}: every value was compared", not missed or PARTS, missed)
    drill.judge("each row of the table is needed", not allowed.unused() or PARTS, allowed.unused())


def is_refused(folder, values):
    try:
        engine.objects(folder, values)
    except Refused:
        return True
    return False


def look_at_refusals(charts):
    for chart, values in REFUSED:
        drill.judge(f"{values}: both refuse", is_refused(charts[chart], values) and is_refused(OURS / chart, with_image(values)))
    for chart in SCENES:
        drill.judge(f"{chart}: refused without an image", is_refused(OURS / chart, {}))


def digest_of(chart):
    """Of all files that make the chart's objects; tests/e2e/kustomize.py computes the same."""
    files = sorted(file for file in (OURS / chart).rglob("*") if file.is_file() and file.suffix != ".md")
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def look_at_rendered():
    for name, chart, values in RENDERED:
        text = f"# Made by `make charts UPDATE=1` from deploy/charts/{chart}, {digest_of(chart)}\n{engine.text(OURS / chart, with_image(values))}"
        file = GOLDEN / f"{name}.yaml"
        if os.environ.get("UPDATE"):
            file.write_text(text)
        drill.judge(f"{file.name} is up to date", file.exists() and file.read_text() == text, "make charts UPDATE=1 writes it")


def main():
    charts = charts_of(CHARTS)
    missing = [name for name in SCENES if name not in charts]
    if missing:
        sys.exit(f"charts: no chart {' and no chart '.join(missing)} below {CHARTS}")
    look_at_rendered()
    look_at_refusals(charts)
    look_at_values(charts)
    print(", ".join(f"{count} sets of values {what}" for what, count in counts.items()))
    drill.finish()


main()
