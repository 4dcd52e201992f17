"""Random requests to the sandbox and to a real kube-apiserver, whose answers must agree.

fuzz_api.py BERTH PEERS [--seconds N] [--seed N] [--kinds a,b]: starts both, sends each scenario to both, compares the answers after
taking out what differs by nature, groups differences into classes and prints the smallest example of each. Objects are made from the
real server's OpenAPI schemas, out of which a valid seed of each kind is changed: fields set to odd values, removed, added, repeated.
"""

import argparse
import copy
import itertools
import json
import pathlib
import random
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from fuzz_api_wire import Server, start_berth, start_real, stop_real  # noqa: E402

TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "registry.example/app:1"}]}}
ONCE = {"metadata": {"labels": {"app": "web"}}, "spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
SELECTOR = {"matchLabels": {"app": "web"}}
#: plural: collection, kind, apiVersion, name of its schema, a valid spec
KINDS = {
    "pods": ("/api/v1/namespaces/default/pods", "Pod", "v1", "io.k8s.api.core.v1.Pod", {"spec": TEMPLATE["spec"]}),
    "nodes": ("/api/v1/nodes", "Node", "v1", "io.k8s.api.core.v1.Node", {"spec": {}}),
    "configmaps": ("/api/v1/namespaces/default/configmaps", "ConfigMap", "v1", "io.k8s.api.core.v1.ConfigMap", {"data": {"a": "1"}}),
    "deployments": ("/apis/apps/v1/namespaces/default/deployments", "Deployment", "apps/v1", "io.k8s.api.apps.v1.Deployment",
                    {"spec": {"selector": SELECTOR, "template": TEMPLATE}}),
    "statefulsets": ("/apis/apps/v1/namespaces/default/statefulsets", "StatefulSet", "apps/v1", "io.k8s.api.apps.v1.StatefulSet",
                     {"spec": {"serviceName": "s", "selector": SELECTOR, "template": TEMPLATE}}),
    "daemonsets": ("/apis/apps/v1/namespaces/default/daemonsets", "DaemonSet", "apps/v1", "io.k8s.api.apps.v1.DaemonSet",
                   {"spec": {"selector": SELECTOR, "template": TEMPLATE}}),
    "jobs": ("/apis/batch/v1/namespaces/default/jobs", "Job", "batch/v1", "io.k8s.api.batch.v1.Job", {"spec": {"template": ONCE}}),
    "poddisruptionbudgets": ("/apis/policy/v1/namespaces/default/poddisruptionbudgets", "PodDisruptionBudget", "policy/v1",
                             "io.k8s.api.policy.v1.PodDisruptionBudget", {"spec": {"minAvailable": 1, "selector": SELECTOR}}),
    "services": ("/api/v1/namespaces/default/services", "Service", "v1", "io.k8s.api.core.v1.Service",
                 {"spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}}),
}
TEXTS = ["", "a", "A_B", "x" * 64, "a.b/c", "-a", "Always", "None", "10", "1Gi", "-1", "50%", "101%", "..", "a b", "a\nb", "0.5", "é"]
NUMBERS = [0, 1, -1, 2, 65535, 65536, 2147483647, 2147483648, 1.5]
NUMBERS_OF_RUNS = itertools.count()
VOLATILE = {"uid", "batch.kubernetes.io/controller-uid", "controller-uid", "resourceVersion", "creationTimestamp", "time", "continue", "startTime", "lastTransitionTime", "selfLink"}


class Schemas:
    """What the real server says of its types."""

    def __init__(self, server):
        self.types = {}
        for path in ("api/v1", "apis/apps/v1", "apis/batch/v1", "apis/policy/v1"):
            _, body = server.ask("GET", f"/openapi/v3/{path}")
            self.types.update(body["components"]["schemas"])

    def resolve(self, schema):
        while "allOf" in schema or "$ref" in schema:
            reference = schema.get("$ref") or schema["allOf"][0]["$ref"]
            schema = self.types[reference.rsplit("/", 1)[1]]
        return schema


class Maker:
    """Values that fit a schema, or nearly."""

    def __init__(self, schemas, seed):
        self.schemas, self.random = schemas, random.Random(seed)

    def value(self, schema, depth=0):
        schema = self.schemas.resolve(schema)
        kind = schema.get("type")
        if "enum" in schema and self.random.random() < 0.8:
            return self.random.choice(schema["enum"])
        if kind == "string":
            return self.random.choice(TEXTS)
        if kind in ("integer", "number"):
            return self.random.choice(NUMBERS)
        if kind == "boolean":
            return self.random.random() < 0.5
        if kind == "array":
            return [self.value(schema["items"], depth + 1) for _ in range(self.random.choice([0, 1, 1, 2]))] if depth < 6 else []
        if "properties" in schema and depth < 6:
            names = sorted(schema["properties"])
            chosen = set(schema.get("required", [])) | set(self.random.sample(names, min(len(names), self.random.choice([0, 1, 2]))))
            return {name: self.value(schema["properties"][name], depth + 1) for name in sorted(chosen)}
        if isinstance(schema.get("additionalProperties"), dict) and depth < 6:
            return {self.random.choice(["a", "b.c/d", "A", ""]): self.value(schema["additionalProperties"], depth + 1)}
        return self.random.choice([1, "1", "50%"]) if "oneOf" in schema else {}

    def place(self, value, schema):
        """A random place below a value: (container, key, schema of what is there)."""
        here = None
        while True:
            schema = self.schemas.resolve(schema)
            if isinstance(value, list) and value and "items" in schema:
                key = self.random.randrange(len(value))
                inner = schema["items"]
            elif isinstance(value, dict) and "properties" in schema:
                known = [name for name in schema["properties"] if name not in ("status", "kind", "apiVersion", "managedFields")]
                present = [name for name in known if name in value]
                key = self.random.choice(present if present and self.random.random() < 0.6 else known)
                inner = schema["properties"][key]
            elif isinstance(value, dict) and isinstance(schema.get("additionalProperties"), dict):
                key, inner = self.random.choice(sorted(value) + ["new"]), schema["additionalProperties"]
            else:
                return here
            here = (value, key, inner)
            present = value[key] if isinstance(value, list) or key in value else None
            if present is None or self.random.random() < 0.25:
                return here
            value, schema = present, inner

    def change(self, thing, schema):
        container, key, inner = self.place(thing, schema)
        choice = self.random.random()
        if choice < 0.2 and (isinstance(container, list) or key in container):
            del container[key]
        elif choice < 0.3:
            container[key] = None
        elif choice < 0.4 and isinstance(container, list):
            container.append(copy.deepcopy(container[key]))
        elif choice < 0.45:
            container[key] = self.random.choice([{}, [], "x", 1, True])
        else:
            container[key] = self.value(inner)


def scenario(maker, plural):
    """Requests about one object, as (method, path, content type, body)."""
    collection, kind, version, type_name, seed = KINDS[plural]
    schema = {"$ref": f"x/{type_name}"}
    base = {"apiVersion": version, "kind": kind, "metadata": {"name": "fuzzed", "labels": {"app": "web"}}, **copy.deepcopy(seed)}
    first = copy.deepcopy(base)
    if maker.random.random() < 0.5:
        for _ in range(maker.random.choice([1, 1, 2])):
            maker.change(first, schema)
    steps = [("POST", f"{collection}?fieldManager=one", "application/json", first)]
    for _ in range(maker.random.choice([0, 1, 2])):
        changed = copy.deepcopy(base)
        maker.change(changed, schema)
        how = maker.random.choice(["put", "merge", "strategic", "apply", "status"])
        path = f"{collection}/fuzzed"
        if how == "put":
            steps.append(("PUT", f"{path}?fieldManager=two", "application/json", changed))
        elif how == "apply":
            force = "&force=true" if maker.random.random() < 0.5 else ""
            steps.append(("PATCH", f"{path}?fieldManager=three{force}", "application/apply-patch+yaml", changed))
        elif how == "status" and plural != "configmaps":
            status = {"status": maker.value(maker.schemas.resolve(schema)["properties"].get("status", {}))}
            steps.append(("PATCH", f"{path}/status?fieldManager=four", "application/merge-patch+json", status))
        else:
            patch = {name: changed[name] for name in changed if name not in ("kind", "apiVersion", "metadata")}
            kind_of_patch = "merge-patch" if how != "strategic" else "strategic-merge-patch"
            steps.append(("PATCH", f"{path}?fieldManager=two", f"application/{kind_of_patch}+json", patch))
    limit = maker.random.choice(["?limit=x", "?resourceVersion=x", "?labelSelector=a%3Db%3Dc", "?fieldSelector=metadata.name%3Dfuzzed"])
    return steps + ([("GET", collection + limit, None, None)] if maker.random.random() < 0.2 else []) + \
        [("DELETE", f"{collection}/fuzzed?gracePeriodSeconds=0&propagationPolicy=Background", None, None)]


def normal(value, name=None):
    """Without what no two servers have alike."""
    if name in VOLATILE:
        return "..."
    if isinstance(value, dict):
        return {key: normal(inner, key) for key, inner in value.items() if key not in ("clusterIP", "clusterIPs", "nodePort")}
    if isinstance(value, list):
        return [normal(inner) for inner in value]
    return re.sub(r"0x[0-9a-f]+|\b10\.\d+\.\d+\.\d+\b", "...", value) if isinstance(value, str) else value


def difference(real, ours, path=""):
    """The first place where they differ, with both values; None when they do not."""
    if type(real) is not type(ours):
        return path, real, ours
    if isinstance(real, dict):
        for key in sorted(set(real) | set(ours)):
            if key not in real or key not in ours:
                return f"{path}/{key}", real.get(key, "<absent>"), ours.get(key, "<absent>")
            found = difference(real[key], ours[key], f"{path}/{key}")
            if found:
                return found
        return None
    if isinstance(real, list):
        if len(real) != len(ours):
            return f"{path}/#", len(real), len(ours)
        return next((found for found in (difference(a, b, f"{path}/*") for a, b in zip(real, ours)) if found), None)
    return None if real == ours else (path, real, ours)


def compare(servers, steps):
    """Sends the steps to both, about an object of a new name; (number of the step, what differs, both answers) or None."""
    found, name = None, f"fuzzed-{next(NUMBERS_OF_RUNS)}"
    steps = json.loads(json.dumps(steps).replace("fuzzed", name))
    for number, (method, path, content, body) in enumerate(steps):
        answers = [server.ask(method, path, content, body) for server in servers]
        if found:
            continue
        (status, real), (code, ours) = answers
        if status != code:
            found = number, ("status", status, code), real, ours
        elif not (method == "GET" and status == 200) and method != "DELETE":
            what = difference(normal(real), normal(ours))
            found = (number, what, real, ours) if what else None
    return found


def class_of(plural, steps, found):
    number, (path, expected, got), real, ours = found
    method = steps[number][0]
    if path == "status":
        told = real if expected >= 400 else ours
        causes = (told.get("details") or {}).get("causes") or [{}]
        place = re.sub(r"\[[^]]*\]", "[*]", causes[0].get("field", ""))
        name = "wrong acceptance" if got < 300 <= expected else "wrong rejection" if expected < 300 <= got else "wrong code"
        return f"{plural} {method} {name} {expected}/{got} {place} {causes[0].get('reason', told.get('reason', ''))}"
    return f"{plural} {method} differs at {path}"


def shrink(servers, plural, steps, wanted):
    """Fewer steps and fewer members as long as the class stays."""
    def still(candidate):
        found = compare(servers, candidate)
        return bool(found) and class_of(plural, candidate, found) == wanted

    for index in range(len(steps) - 2, 0, -1):
        candidate = steps[:index] + steps[index + 1:]
        if still(candidate):
            steps = candidate
    for index, (method, path, content, body) in enumerate(steps):
        tries = 0
        for container, key in list(places(body)):
            if tries > 40 or not isinstance(container, dict) or key not in container or key in ("kind", "apiVersion", "name"):
                continue
            tries, removed = tries + 1, container.pop(key)
            if not still(steps):
                container[key] = removed
    return steps


def places(value):
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        try:
            yield from places(value[key])
        except (KeyError, IndexError):
            continue


def fuzz(options, folder):
    real_server, berth_server = None, None
    try:
        real_server = start_real(options.peers, folder)
        berth_server, process = start_berth(options.berth, folder)
        servers = (real_server, berth_server)
        maker, end, runs, classes = Maker(Schemas(real_server), options.seed), time.monotonic() + options.seconds, 0, {}
        names = options.kinds.split(",") if options.kinds else list(KINDS)
        while time.monotonic() < end:
            plural, runs = maker.random.choice(names), runs + 1
            steps = scenario(maker, plural)
            found = compare(servers, copy.deepcopy(steps))
            if not found:
                continue
            name = class_of(plural, steps, found)
            if name not in classes:
                classes[name] = [0, shrink(servers, plural, copy.deepcopy(steps), name), found[1], found[2]]
            classes[name][0] += 1
            if process.poll() is not None:
                print(f"berth ended with {process.returncode}: {json.dumps(steps)[:3000]}\n{(folder / 'berth.log').read_text()[-2000:]}")
                break
        report(classes, runs)
        return 1 if classes else 0
    finally:
        if berth_server:
            process.terminate()
            process.wait()
        stop_real(folder)


def report(classes, runs):
    for name, (count, steps, what, real) in sorted(classes.items(), key=lambda item: -item[1][0]):
        print(f"== {count} × {name}")
        print(f"   real: {json.dumps(what[1])[:300]}\n   ours: {json.dumps(what[2])[:300]}")
        if real.get("status") == "Failure":
            print(f"   says: {real.get('message', '')[:300]}")
        for method, path, content, body in steps[:-1]:
            print(f"   {method} {path} {content or ''} {json.dumps(body)[:600] if body else ''}")
    print(f"{runs} scenarios, {len(classes)} classes of difference")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("berth", type=pathlib.Path)
    parser.add_argument("peers", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return fuzz(options, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
