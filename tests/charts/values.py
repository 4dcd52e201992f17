"""What values a chart has, and what to set each to: found in its own values.yaml, templates, page and tests."""

import copy
import re

import yaml

TEXTS = ["sample", "sh -c \"test 'a' = 'b'\" && x", "{{ .Release.Name }}-x"]
LISTS = [["sample", "other"], [{"name": "sample"}, {"name": "other", "value": "x"}], []]
MAPS = [{"example.com/one": "1", "two": "yes"}, {"enabled": True}, {}]
TYPES = {("imagePullSecrets",): [list], ("extraEnvVars",): [list], ("serviceAccount", "name"): [str]}  # where the chart's default is null and not every type makes sense
SAMPLES = {bool: [True, False], int: [0, 7], float: [0.5], str: TEXTS + [""], list: LISTS, dict: MAPS}


def merged(values, more):
    """As Helm does: maps are merged, all else is replaced."""
    result = copy.deepcopy(values)
    for key, value in more.items():
        is_inner = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = merged(result[key], value) if is_inner else copy.deepcopy(value)
    return result


def at(path, value):
    """The values that say this alone."""
    for key in reversed(path):
        value = {key: value}
    return value


def read(values, path):
    for key in path:
        values = values.get(key) if isinstance(values, dict) else None
    return values


def paths_below(values, path=()):
    for key, value in values.items():
        yield path + (key,)
        if isinstance(value, dict):
            yield from paths_below(value, path + (key,))


def paths_of(folder):
    """Every value of the chart, also those that are only in templates, comments, or rows of its page."""
    found = set(paths_below(yaml.safe_load((folder / "values.yaml").read_text())))
    for file in (folder / "templates").iterdir():
        for path in re.findall(r"\.Values((?:\.\w+)+)", file.read_text()):
            found.add(tuple(path[1:].split(".")))
    for path in re.findall(r"^\| `([\w.]+)`", (folder / "README.md").read_text(), re.M):
        found.add(tuple(path.split(".")))
    return sorted(found)


def samples(values, path):
    """What to set it to: null, and values of its type; of every type where the chart does not say one."""
    default = read(values, path)
    kinds = TYPES.get(path, list(SAMPLES)) if default is None else [type(default)]
    if default == "":
        kinds = [str, int]
    return [None] + [sample for kind in kinds for sample in SAMPLES.get(kind, []) if sample != default]


def examples(folder):
    """(name, values) of its own examples: files of values, blocks of its page, settings of its tests."""
    for file in sorted([*folder.glob("ci/*.yaml"), *folder.glob("values*.yaml")]):
        yield file.relative_to(folder).as_posix(), yaml.safe_load(file.read_text()) or {}
    known = {path[0] for path in paths_of(folder)}
    for number, block in enumerate(re.findall(r"^```(?:yaml)?\n(.*?)^```", (folder / "README.md").read_text(), re.M | re.S)):
        try:
            values = yaml.safe_load(block)
        except yaml.YAMLError:
            continue
        if isinstance(values, dict) and set(values) <= known:
            yield f"README.md block {number}", values
    for file in sorted(folder.glob("tests/*_test.yaml")):
        suite = yaml.safe_load(file.read_text())
        for test in suite["tests"]:
            yield f"tests/{file.name}: {test['it']}", merged(suite.get("set") or {}, test.get("set") or {})
