"""Charts rendered by Helm's engine, their objects, and how two sets of them differ."""

import fnmatch
import json
import re
import subprocess
import tempfile

import yaml

IMAGE = {"repository": "registry.example/apps/berth", "tag": "test"}  # the image that `make charts` chooses
NO_OBJECT = "the whole object"


FIELDS = {"apiVersion", "kind", "metadata", "spec", "data", "rules", "roleRef", "subjects", "automountServiceAccountToken"}


class Refused(Exception):
    """The chart refused the values, or what it rendered is no YAML of objects, or the API server would refuse them."""


class Engine:
    def __init__(self, program):
        self.program = program

    def text(self, chart, values):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            json.dump(values, file)
            file.flush()
            done = subprocess.run([self.program, chart, file.name], capture_output=True, text=True, check=False, timeout=60)
        if done.returncode:
            raise Refused(done.stderr.strip())
        files = re.split(r"^---\n# Source: (\S+)\n", done.stdout, flags=re.M)[1:]
        texts = (text.strip().removeprefix("---\n") for name, text in zip(files[::2], files[1::2]) if name.endswith(".yaml"))
        return "".join(f"---\n{text}\n" for text in texts if text)

    def objects(self, chart, values):
        """By kind and name."""
        try:
            found = [o for o in yaml.safe_load_all(self.text(chart, values)) if o is not None]
            if any(set(o) - FIELDS for o in found):
                raise Refused("fields that no object has")
            for config in (o for o in found if o["kind"] == "ConfigMap"):
                config["data"] = {name: yaml.safe_load(text) for name, text in config["data"].items()}
            return {(o["kind"], o["metadata"]["name"]): o for o in found}
        except (yaml.YAMLError, KeyError, TypeError) as error:
            raise Refused(f"no objects: {error}") from error


# ---- one object as a flat table of fields

def rules_of(rules):
    """The single rights that rules give, so that it does not matter how they are grouped."""
    single = set()
    for rule in rules or []:
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                for name in rule.get("resourceNames", [""]):
                    single |= {f"{verb} {group}/{resource}/{name}" for verb in rule["verbs"]}
    return {right: True for right in single}


def flat(value, path=""):
    """{path: leaf}. Null is as good as absent; an empty list or map is a leaf."""
    if value is None:
        return {}
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not items:
        return {path: value}
    found = {}
    for key, inner in items:
        found.update(flat(inner, f"{path}.{key}" if path else str(key)))
    return found


def table_of(found):
    found = json.loads(json.dumps(found, default=str))
    if "rules" in found:
        found["rules"] = rules_of(found["rules"])
    spec = found.get("spec") if isinstance(found.get("spec"), dict) else {}
    inner = spec.get("jobTemplate", {}).get("spec", {}) if found["kind"] == "CronJob" else spec
    if "template" in inner:
        found["pod"] = inner.pop("template")
    return flat(found)


# ---- the differences that are meant

class Allowed:
    """The table of deploy/charts/README.md: chart, objects, field, how."""

    def __init__(self, page):
        rows = re.findall(r"^\| ([a-z, ]+) \| ([\w*, -]+) \| (`[^`]+`|the whole object) \| (other|added) \|", page.read_text(), re.M)
        self.rows = [(charts.split(", "), objects.split(", "), field.strip("`"), how) for charts, objects, field, how in rows]
        self.used = set()

    def has(self, chart, key, field, how):
        kind, name = key
        for row in self.rows:
            charts, objects, pattern, what = row
            is_object = any(fnmatch.fnmatchcase(f"{kind} {name}", o if " " in o else f"{o} *") for o in objects)
            if chart in charts and is_object and fnmatch.fnmatchcase(field, pattern) and how == what:
                self.used.add(self.rows.index(row))
                return True
        return False

    def unused(self):
        return [row for number, row in enumerate(self.rows) if number not in self.used]


def differences(chart, theirs, ours, allowed):
    """What differs and is not meant to, a line each."""
    found = [f"missing: {key}" for key in theirs if key not in ours]
    for key, value in ours.items():
        if key not in theirs:
            if not allowed.has(chart, key, NO_OBJECT, "added"):
                found.append(f"added: {key}")
            continue
        old, new = table_of(theirs[key]), table_of(value)
        for field in sorted(old.keys() | new.keys()):
            if field in old and field not in new and not old[field] and any(key.startswith(field + ".") for key in new):
                continue  # it was empty, and what was added to it is looked at for itself
            how = "added" if field not in old else "missing" if field not in new else "other" if old[field] != new[field] else ""
            if how and not allowed.has(chart, key, field, how):
                found.append(f"{how}: {key[0]} {field}: {old.get(field)!r}, ours {new.get(field)!r}")
    return found
