"""Scenarios of fuzz_api.py: requests about one object, as (method, path, content type, body); a body is a value, or a text as it is."""

import json
import re
import urllib.parse

from fuzz_api_seeds import KINDS, SCALED, TEXTS

JSON, YAML, APPLY = "application/json", "application/yaml", "application/apply-patch+yaml"
MERGE, STRATEGIC, OPERATIONS = "application/merge-patch+json", "application/strategic-merge-patch+json", "application/json-patch+json"
#: what each server knows of the object, put in when the request is sent
VERSION, UID, FIRST, CONTINUE = "@VERSION@", "@UID@", "@FIRST@", "@CONTINUE@"
MARKS = {VERSION: "1", UID: "x", FIRST: "1", CONTINUE: "x"}  # and what stands there where nothing is known
PAUSES = ("SLEEP", "WAIT")  # steps that are no requests: so many seconds, or until both servers serve a path


def paths_of(value, path=""):
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        here = f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"
        yield here
        yield from paths_of(value[key], here)


class Scenario:
    def __init__(self, maker, plural):
        self.maker, self.plural, self.pick, self.chance = maker, plural, maker.pick, maker.chance
        self.collection = KINDS[plural][0] + plural
        self.item, self.rich = f"{self.collection}/fuzzed", maker.random.randrange(12)
        self.calm = self.chance(0.3)  # a story of nearly valid writes, whose later steps are reached

    def object(self, changes):
        """A valid object with one of so many changes."""
        return self.maker.object(self.plural, self.pick([0, 0, 1]) if self.calm else self.pick(changes), self.rich)

    def options(self, manager, more=()):
        """Query parameters of a write."""
        words = [("fieldManager", manager), *more]
        if self.chance(0.05):
            words.append(("dryRun", self.pick(["All", "All", "x", ""])))
        if self.chance(0.3):
            words.append(("fieldValidation", self.pick(["Strict", "Strict", "Warn", "Ignore", "x", ""])))
        if self.chance(0.03):
            words[0] = ("fieldManager", self.pick(["", "y" * 129, "a\nb", "é"]))
        return "?" + urllib.parse.urlencode(words)

    def text(self, body):
        """The body, now and then with a member twice or broken off."""
        if self.calm or self.chance(0.96):
            return body
        text = json.dumps(body)
        members = list(re.finditer(r'"[^"]+": (?:"[^"]*"|\d+|true|null)', text))
        if self.chance(0.2) or not members:
            return self.pick([text[:-1], text + "}", "", "[]", "null", '"x"', text.replace('"', "'", 1), "{}"])
        found = self.pick([match.span() for match in members])
        return text[:found[1]] + ", " + text[found[0]:found[1]] + text[found[1]:]

    def create(self):
        first = self.object([0, 0, 1, 1, 1, 2, 3])
        if self.chance(0.05) and isinstance(first.get("metadata"), dict):
            first["metadata"]["generateName"] = first["metadata"].pop("name", "a-")
        body = self.text(first)
        self.first = first
        return ("POST", self.collection + self.options("one"), JSON, body)

    def spare_meta(self, body):
        """Preconditions in the body of an update."""
        if isinstance(body.get("metadata"), dict) and self.chance(0.3):
            name, values = self.pick([("resourceVersion", [VERSION, VERSION, "1", "0", "x", ""]), ("uid", [UID, "x", ""])])
            body["metadata"][name] = self.pick(values)
        return body

    def patch_of(self, changed):
        names = [name for name in changed if name not in ("kind", "apiVersion", "metadata")]
        patch = {name: changed[name] for name in names}
        if self.chance(0.3):
            patch["metadata"] = changed.get("metadata")
        return patch

    def merge(self):
        return ("PATCH", self.item + self.options("two"), MERGE, self.text(self.patch_of(self.object([1, 1, 2, 3]))))

    def strategic(self):
        patch = self.patch_of(self.object([1, 1, 2, 3]))
        if self.chance(0.4):
            inner = [value for value in walk(patch) if isinstance(value, dict)]
            target = self.pick(range(len(inner)))
            name, values = self.pick([
                ("$patch", ["delete", "replace", "merge", "x", 1]), ("$retainKeys", [["name"], [], "x", ["type", "rollingUpdate"]]),
                ("$setElementOrder/containers", [[{"name": "c"}], [{"name": "x"}, {"name": "c"}], ["c"], "x"]),
                ("$deleteFromPrimitiveList/finalizers", [["a.b/c"], ["x"], "x"]), ("$setElementOrder/finalizers", [["a"], [1]])])
            inner[target][name] = self.pick(values)
        return ("PATCH", self.item + self.options("two"), STRATEGIC, self.text(patch))

    def operations(self, path=None):
        base = self.first if isinstance(self.first, dict) else {}
        places = list(paths_of(base)) + ["/metadata/annotations", "/spec/x", "/metadata/labels/a~1b", "", "x", "/spec/containers/-"]
        patch = []
        for _ in range(self.pick([1, 1, 2, 3])):
            step = {"op": self.pick(["add", "replace", "remove", "test", "copy", "move", "x"][:6 if self.chance(0.97) else 7]),
                    "path": self.pick(places)}
            if step["op"] in ("copy", "move"):
                step["from"] = self.pick(places)
            if step["op"] in ("add", "replace", "test"):
                step["value"] = self.pick([1, "x", None, {}, [], {"a": "b"}, True, "10", self.pick(TEXTS)])
            if self.chance(0.03):
                step.pop(self.pick(sorted(step)))
            patch.append(step)
        return ("PATCH", (path or self.item) + self.options("two"), OPERATIONS, patch)

    def put(self):
        body = self.spare_meta(self.object([0, 1, 1, 1, 2, 3]))
        return ("PUT", self.item + self.options("two"), JSON, self.text(body))

    def apply(self):
        body = self.spare_meta(self.object([0, 1, 1, 1, 2, 3]))
        more = [("force", self.pick(["true", "true", "false", "x"]))] if self.chance(0.55) else []
        return ("PATCH", self.item + self.options(self.pick(["three", "three", "one", "two", "four"]), more), APPLY, self.text(body))

    def status(self):
        if not KINDS[self.plural][5]:
            return self.put()
        status, path = self.maker.status(self.plural, self.pick([0, 0, 1] if self.calm else [0, 1, 1, 2, 3])), self.item + "/status"
        how = self.pick(["put", MERGE, MERGE, STRATEGIC, APPLY, OPERATIONS])
        if how == OPERATIONS:
            return self.operations(path)
        whole = {**self.object([0, 0, 1]), "status": status}
        if how == "put":
            return ("PUT", path + self.options("four"), JSON, self.spare_meta(whole))
        if how == APPLY:
            return ("PATCH", path + self.options("four", [("force", "true")] if self.chance(0.5) else []), APPLY,
                    {**whole, "status": status} if self.chance(0.3) else
                    {"apiVersion": whole.get("apiVersion"), "kind": whole.get("kind"), "metadata": {"name": "fuzzed"}, "status": status})
        return ("PATCH", path + self.options("four"), how, {"status": status})

    def scale(self):
        path, replicas = self.item + "/scale", self.pick([0, 1, 3, -1, 2147483648, "1", None, 1.5, {}])
        whole = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "fuzzed"}, "spec": {"replicas": replicas}}
        if self.chance(0.3):
            whole["metadata"][self.pick(["namespace", "resourceVersion", "uid", "labels"])] = self.pick(["default", "x", VERSION, UID, {"a": "b"}])
        how = self.pick(["get", "put", "put", MERGE, STRATEGIC, OPERATIONS, APPLY])
        if how == "get":
            return ("GET", path, None, None)
        if how == "put":
            return ("PUT", path + self.options("five"), JSON, self.text(whole))
        if how == OPERATIONS:
            return ("PATCH", path + self.options("five"), how, [{"op": self.pick(["add", "replace", "test"]), "path": "/spec/replicas",
                                                                 "value": replicas}])
        return ("PATCH", path + self.options("five"), how, whole if how == APPLY or self.chance(0.3) else {"spec": {"replicas": replicas}})

    def subresource(self):
        """What only pods have; scales; status of the rest."""
        if self.plural in SCALED:
            return self.scale()
        if self.plural != "pods":
            return self.status()
        name = self.pick(["ephemeralcontainers", "resize", "binding", "eviction"])
        if name in ("ephemeralcontainers", "resize"):
            body = self.object([0, 1, 2])
            if name == "ephemeralcontainers" and isinstance(body.get("spec"), dict):
                body["spec"]["ephemeralContainers"] = [self.maker.value(
                    {"$ref": "x/io.k8s.api.core.v1.EphemeralContainer"}), {"name": "z", "image": "a", "targetContainerName": "c"}]
            return self.pick([("PUT", f"{self.item}/{name}" + self.options("six"), JSON, body),
                              ("PATCH", f"{self.item}/{name}" + self.options("six"), STRATEGIC, {"spec": body.get("spec")})])
        if name == "binding":
            return ("POST", f"{self.item}/binding" + self.options("six"), JSON, {
                "apiVersion": "v1", "kind": "Binding", "metadata": {"name": self.pick(["fuzzed", "x", ""]), **self.pick(
                    [{}, {}, {"uid": UID}, {"uid": "x"}, {"resourceVersion": VERSION}, {"labels": {"b": "c"}}])},
                "target": self.pick([{"kind": "Node", "name": "n"}, {"name": "n"}, {"kind": "Node"}, {"kind": "X", "name": "n"}, None])})
        return ("POST", f"{self.item}/eviction" + self.options("six"), JSON, {
            "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": self.pick(["fuzzed", "x"])}, **self.delete_options("deleteOptions")})

    def delete_options(self, name):
        if self.chance(0.5):
            return {}
        options = {}
        for _ in range(self.pick([1, 2])):
            key, values = self.pick([
                ("gracePeriodSeconds", [0, 1, 30, -1, "x", 1.5]), ("propagationPolicy", ["Foreground", "Background", "Orphan", "x", ""]),
                ("orphanDependents", [True, False]), ("preconditions", [{"uid": UID}, {"uid": "x"}, {"resourceVersion": VERSION},
                                                                       {"resourceVersion": "1"}, {}]),
                ("dryRun", [["All"], ["x"], [], ["All", "All"]]), ("unknown", [1]), ("kind", ["DeleteOptions", "x"]),
                ("apiVersion", ["v1", "x/v1"])])
            options[key] = self.pick(values)
        return {name: options}

    def delete(self):
        words = []
        if self.chance(0.5):
            words.append(self.pick([("gracePeriodSeconds", "0"), ("gracePeriodSeconds", "-1"), ("gracePeriodSeconds", "x"),
                                    ("propagationPolicy", "Foreground"), ("propagationPolicy", "x"), ("dryRun", "All"), ("dryRun", "x"),
                                    ("orphanDependents", "true"), ("propagationPolicy", "Orphan")]))
        body = self.delete_options("options").get("options")
        if body is not None and self.chance(0.7):
            body = {"kind": "DeleteOptions", "apiVersion": "v1", **body}
        whole = self.chance(0.1)
        words += [("labelSelector", "fuzz=fuzzed")] if whole else []
        return ("DELETE", (self.collection if whole else self.item) + ("?" + urllib.parse.urlencode(words) if words else ""),
                JSON if body is not None else None, body)

    def read(self):
        if self.chance(0.4):
            return ("GET", self.item + self.pick(["", "", "?resourceVersion=0", "?resourceVersion=x", "?pretty=x", "?unknown=1", "x", "/x",
                                                  "/status" if KINDS[self.plural][5] else ""]), None, None)
        words = [("labelSelector", "fuzz=fuzzed")]
        for _ in range(self.pick([0, 1, 2])):
            words.append(self.pick([
                ("limit", "1"), ("limit", "x"), ("limit", "-1"), ("resourceVersion", "x"), ("resourceVersion", "0"), ("continue", "x"),
                ("resourceVersionMatch", "Exact"), ("resourceVersionMatch", "NotOlderThan"), ("resourceVersionMatch", "x"),
                ("fieldSelector", "metadata.name=fuzzed"), ("fieldSelector", "metadata.name!=fuzzed"), ("fieldSelector", "spec.x=1"),
                ("fieldSelector", "a"), ("fieldSelector", "status.phase=Pending"), ("fieldSelector", "spec.nodeName="),
                ("fieldSelector", "metadata.namespace=default"), ("timeoutSeconds", "x"), ("allowWatchBookmarks", "true"),
                ("labelSelector", "a=b=c"), ("labelSelector", "a in (b,c)"), ("labelSelector", "!a"), ("labelSelector", "a>1"),
                ("labelSelector", "a in b"), ("labelSelector", "-a"), ("labelSelector", "a=" + "x" * 64), ("labelSelector", ","),
                ("labelSelector", "a,,b"), ("labelSelector", "a notin ()"), ("sendInitialEvents", "true")]))
        return ("GET", self.collection + "?" + urllib.parse.urlencode(words), None, None)

    def steps(self):
        makers = [self.merge, self.strategic, self.operations, self.put, self.put, self.apply, self.apply, self.status, self.status,
                  self.subresource, self.delete, self.read]
        counts = [0, 1, 2, 2, 3]
        if self.calm:
            makers, counts = makers[:-2] * 3 + [self.apply, self.subresource, *makers[-2:]], [3, 4, 5, 6, 8]
        first = self.create() if self.chance(0.7 if self.calm else 0.95) else self.fresh_apply()
        if isinstance(first[3], dict) and isinstance(first[3].get("metadata"), dict) and isinstance(first[3]["metadata"].get("labels"), dict):
            first[3]["metadata"]["labels"]["fuzz"] = "fuzzed"
        return [first] + [self.pick(makers)() for _ in range(self.pick(counts))] + \
            [("DELETE", self.item + "?gracePeriodSeconds=0&propagationPolicy=Background", None, None)]

    def fresh_apply(self):
        self.first = self.object([0, 1, 2])
        return ("PATCH", self.item + self.options("one"), APPLY, self.first)


def walk(value):
    yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from walk(inner)
