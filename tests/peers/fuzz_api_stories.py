"""A topic of fuzz_api.py: stories of writes for the rules of one kind. Where other topics change members at random, these are made of the
values that the kind's own rules tell apart (fuzz_api_rules.py)."""

import copy

from fuzz_api_rules import ANNOTATED, CONTAINERS, RULES, record, some, table
from fuzz_api_seeds import KINDS
from fuzz_api_steps import APPLY, JSON, MERGE, OPERATIONS, STRATEGIC, Scenario

NODE_FEATURES = [[], ["InPlacePodLevelResourcesVerticalScaling"], ["InPlacePodLevelResourcesVerticalScaling", "InPlacePodVerticalScalingInitContainers"]]
PODS, NODES, CLASSES = "/api/v1/namespaces/default/pods", "/api/v1/nodes", "/apis/storage.k8s.io/v1/storageclasses"


class Story(Scenario):
    def __init__(self, maker, plural):
        super().__init__(maker, plural if plural in RULES else maker.pick(sorted(RULES)))
        self.base, self.of_spec, self.of_status, self.annotations = RULES[self.plural]

    def make(self, values):
        return values(self) if callable(values) else self.pick(values)

    def whole(self):
        _, kind, version, *_ = KINDS[self.plural]
        meta = {"name": "fuzzed", "labels": {"fuzz": "fuzzed"}}
        if self.annotations and self.chance(0.25):
            meta["annotations"] = table(self.annotations, ANNOTATED)(self)
        return {"apiVersion": version, "kind": kind, "metadata": meta, "spec": {**copy.deepcopy(self.base), **record(self.of_spec)(self)}}

    def changed(self, thing):
        """A copy with one or two members of the spec anew, or without them."""
        thing, fresh = copy.deepcopy(thing), self.whole()
        names = sorted(set(fresh["spec"]) | set(thing["spec"]))
        for name in some(names)(self):
            thing["spec"].pop(name, None)
            thing["spec"].update({name: fresh["spec"][name]} if name in fresh["spec"] else {})
        if self.chance(0.15):
            thing["metadata"] = fresh["metadata"]
        return thing

    def write(self, thing, part, suffix):
        """A part of the object, by one of the ways to write it."""
        path = self.item + suffix + self.options(self.pick("abc"), [("force", "true")])
        how = self.pick(["put", "put", "put", MERGE, STRATEGIC, STRATEGIC, APPLY, OPERATIONS])
        if how == "put":
            return "PUT", path.replace("&force=true", ""), JSON, thing
        if how == OPERATIONS:
            return "PATCH", path.replace("&force=true", ""), how, [{"op": "add", "path": f"/{part}/{name}", "value": value}
                                                                 for name, value in thing[part].items()] or [{"op": "add", "path": f"/{part}", "value": {}}]
        own = {name: thing[name] for name in ("apiVersion", "kind") if how == APPLY}
        return "PATCH", path if how == APPLY else path.replace("&force=true", ""), how, {**own, part: thing[part], **({"metadata": {"name": "fuzzed"}} if own else {})}

    def before(self):
        """What the rules look at beside the object."""
        if self.plural == "pods" and self.chance(0.8):
            return [("POST", NODES, JSON, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "fuzzed-n", "labels": {"kubernetes.io/os": self.pick(["linux", "linux", "windows"])}},
                                           "status": {"capacity": {"cpu": self.pick(["1", "4"]), "memory": self.pick(["100Mi", "4Gi"])}, "declaredFeatures": self.pick(NODE_FEATURES)}}),
                    ("SLEEP", "", None, 0.1)]
        if self.plural == "poddisruptionbudgets":
            return [("POST", PODS, JSON, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "fuzzed-p", "labels": {"fuzz": "fuzzed"}}, "spec": {"containers": CONTAINERS}}),
                    ("PATCH", f"{PODS}/fuzzed-p/status", MERGE, {"status": {"phase": self.pick(["Running", "Running", "Pending"]), "conditions": [{"type": "Ready", "status": self.pick(["True", "False"])}]}})]
        if self.plural == "persistentvolumeclaims":
            return [("POST", CLASSES, JSON, {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fuzzed-s"}, "provisioner": "a.b/c",
                                             "allowVolumeExpansion": self.pick([True, True, False])}), ("SLEEP", "", None, 0.1)]
        return []

    def beside(self, thing):
        """Other requests that the rules are about."""
        if self.plural == "pods":
            return self.pick([self.write(self.changed(thing), "spec", "/resize"), self.write(self.changed(thing), "spec", "/resize"),
                              ("POST", f"{self.item}/binding", JSON, {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "fuzzed"}, "target": {"kind": "Node", "name": "n"}}),
                              ("DELETE", self.item + "?gracePeriodSeconds=5", None, None)])
        if self.plural == "poddisruptionbudgets":
            return ("POST", f"{PODS}/fuzzed-p/eviction", JSON, {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "fuzzed-p"}})
        return self.scale() if self.plural == "deployments" else ("GET", self.item, None, None)

    def steps(self):
        thing = self.first = self.whole()
        steps = [*self.before(), ("POST", self.collection, JSON, thing)]
        for _ in range(self.pick([1, 2, 2, 3, 4])):
            way = self.maker.random.random()
            if way < 0.45:
                steps.append(self.write({**thing, "status": record(self.of_status)(self)}, "status", "/status"))
            elif way < 0.8:
                fresh = self.changed(thing)
                steps.append(self.write(fresh, "spec", ""))
                thing = fresh if self.chance(0.5) else thing
            else:
                steps.append(self.beside(thing))
        gone = [self.item, *{"pods": [f"{NODES}/fuzzed-n"], "poddisruptionbudgets": [f"{PODS}/fuzzed-p"], "persistentvolumeclaims": [f"{CLASSES}/fuzzed-s"]}.get(self.plural, [])]
        return [*steps, ("GET", self.item, None, None), *(("PATCH", path, MERGE, {"metadata": {"finalizers": None}}) for path in gone[:1]),
                *(("DELETE", path + "?gracePeriodSeconds=0&propagationPolicy=Background", None, None) for path in gone)]
