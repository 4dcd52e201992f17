"""A topic of fuzz_api.py: stories of writes for the rules of one kind. Where other topics change members at random, these are made of the
values that the kind's own rules tell apart: conditions that come and go, counters, times before others, annotations with a type, parts that
may change in some states only. A table for each kind says which members its writes have, how often, and with which values."""

import copy

from fuzz_api_seeds import KINDS
from fuzz_api_steps import APPLY, JSON, MERGE, OPERATIONS, STRATEGIC, Scenario

TIMES = ["2020-01-01T00:00:00Z", "2020-01-01T00:01:00Z", "2020-01-01T00:02:00Z"]
COUNTS = [0, 0, 1, 2, 3]


# ---- values that are made anew for each write: functions of the story ----

def some(values, most=2):
    """A list of different ones of the values."""
    return lambda story: story.maker.random.sample(values, story.maker.random.randint(0, min(most, len(values))))


def record(members):
    """An object: for each member how often it is there, and its values."""
    return lambda story: {name: story.make(values) for name, share, values in members if story.chance(share)}


def records(members, most=2):
    return lambda story: [record(members)(story) for _ in range(story.maker.random.randint(0, most))]


def table(keys, values, most=2):
    return lambda story: {key: story.make(values) for key in some(keys, most)(story)}


# ---- what kinds are about ----

AMOUNTS = ["0", "1", "2", "100m", "1.5", "64Mi", "1Gi", "-1"]
RESOURCES = record([("requests", .7, table(["cpu", "memory", "ephemeral-storage"], AMOUNTS[:6])), ("limits", .6, table(["cpu", "memory"], AMOUNTS[:7]))])
NODE_ROOM = table(["cpu", "memory", "pods", "hugepages-2Mi", "hugepages-1Gi", "example.com/x", "attachable-volumes-a"], AMOUNTS, 3)
ANNOTATED = ["", "x", "[]", "{}", "null", "[{}]", "[1]", '[{"key":"a","effect":"x"}]', '[{"key":"a","effect":"NoSchedule","value":"a b"}]',
             '{"preferAvoidPods":[{}]}', '{"preferAvoidPods":[{"podSignature":{"podController":{"controller":true}}}]}', "unconfined", "runtime/default", "1"]
CONTAINERS = [{"name": "c", "image": "a"}]
TEMPLATE = record([
    ("metadata", .4, record([("labels", .8, [{"app": "web"}, {"app": "web", "a": "b"}, {}]),
                             ("annotations", .3, table(["a", "scheduler.alpha.kubernetes.io/tolerations"], ANNOTATED))])),
    ("spec", 1, record([
        ("containers", 1, [CONTAINERS, CONTAINERS, [{"name": "c", "image": "b"}], [*CONTAINERS, {"name": "d", "image": "a"}]]),
        ("restartPolicy", 1, ["Never"] * 4 + ["OnFailure", "Always"]), ("nodeSelector", .3, [{"a": "b"}, {}]), ("schedulingGates", .2, [[], [{"name": "g"}]]),
        ("tolerations", .25, [[], [{"key": "a", "operator": "Exists"}]]), ("activeDeadlineSeconds", .1, [1, 5])]))])
CONTAINER = [("image", 1, ["a", "a", "b", " a"]), ("resources", .5, RESOURCES), ("env", .15, [[], [{"name": "A", "value": "1"}]]),
             ("resizePolicy", .2, records([("resourceName", 1, ["cpu", "memory"]), ("restartPolicy", 1, ["NotRequired", "RestartContainer"])])),
             ("restartPolicy", .1, ["Always", "Never"])]
CONTAINER_STATE = [{}, {"running": {}}, {"running": {"startedAt": TIMES[0]}}, {"waiting": {"reason": "R"}}, {"terminated": {"exitCode": 1}}]
CONTAINER_STATUS = [("name", 1, ["c", "d", "x"]), ("ready", 1, [True, False]), ("restartCount", 1, [0, 1, -1]), ("image", 1, ["a"]), ("imageID", 1, [""]),
                    ("state", .8, CONTAINER_STATE), ("lastState", .2, CONTAINER_STATE), ("started", .2, [True, False]), ("resources", .2, RESOURCES),
                    ("containerID", .1, ["x", "a://b", ""])]


def conditions(types, values=("True", "True", "False", "Unknown")):
    return records([("type", 1, types), ("status", 1, list(values)), ("lastTransitionTime", .5, TIMES), ("reason", .3, ["R", ""]), ("message", .2, ["m"])], 3)


def containers(story):
    return [{"name": name, **record(CONTAINER)(story)} for name in ("c", "d")[:story.pick([1, 1, 1, 2])]]


#: by kind: what a valid spec has at least, members of spec, of status, keys of annotations whose values have a type
RULES = {
    "jobs": ({"template": {"spec": {"containers": CONTAINERS, "restartPolicy": "Never"}}}, [
        ("template", .5, TEMPLATE), ("suspend", .4, [True, True, False]), ("completionMode", .5, ["Indexed", "Indexed", "NonIndexed"]),
        ("completions", .5, [0, 1, 4, 4]), ("parallelism", .4, [0, 2, 4, -1]), ("backoffLimitPerIndex", .3, [0, 1]), ("maxFailedIndexes", .15, [0, 5]),
        ("successPolicy", .2, [{"rules": [{"succeededCount": 1}]}, {"rules": [{"succeededIndexes": "0-1"}]}, {"rules": []}]), ("backoffLimit", .2, [0, 3]),
        ("activeDeadlineSeconds", .2, [0, 5, 10]), ("podReplacementPolicy", .15, ["Failed", "TerminatingOrFailed"]), ("managedBy", .1, ["a.b/c", "x"]),
        ("podFailurePolicy", .15, [{"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}]}, {"rules": []}])], [
        ("conditions", .7, conditions(["Suspended", "Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"])), ("active", .3, COUNTS),
        ("ready", .3, COUNTS), ("terminating", .3, COUNTS), ("succeeded", .35, COUNTS), ("failed", .35, COUNTS), ("startTime", .6, TIMES),
        ("completionTime", .4, TIMES), ("completedIndexes", .25, ["", "0", "0-1", "0-2", "2,1", "5", "a", "1,"]),
        ("failedIndexes", .25, ["", "1", "1-2", "3", "2-1", "+1"]), ("uncountedTerminatedPods", .25, table(["succeeded", "failed"], some(["a", "b", ""])))],
        []),
    "nodes": ({}, [
        ("podCIDR", .4, ["10.0.0.0/24", "10.0.1.0/24", "", "x"]), ("podCIDRs", .4, some(["10.0.0.0/24", "10.0.1.0/24", "fd00::/64", "x"])),
        ("providerID", .3, ["a://b", "c", ""]), ("unschedulable", .3, [True, False]), ("externalID", .15, ["", "x"]),
        ("taints", .4, records([("key", 1, ["a", "b"]), ("effect", 1, ["NoSchedule", "NoExecute", "x"]), ("value", .4, ["", "v"]), ("timeAdded", .2, TIMES)]))], [
        ("capacity", .5, NODE_ROOM), ("allocatable", .5, NODE_ROOM), ("conditions", .4, conditions(["Ready", "MemoryPressure", "X"])),
        ("addresses", .3, records([("type", 1, ["InternalIP", "Hostname"]), ("address", 1, ["10.0.0.1", "n"])])), ("phase", .15, ["Running", "x"]),
        ("images", .2, records([("names", 1, some(["a", "b"])), ("sizeBytes", 1, COUNTS)])), ("volumesInUse", .2, some(["v", "w"])),
        ("config", .15, [{}, {"error": "x"}, {"assigned": {}}]), ("features", .15, [{}, {"supplementalGroupsPolicy": True}]),
        ("declaredFeatures", .15, some(["A", "B", "a", ""], 3))],
        ["scheduler.alpha.kubernetes.io/taints", "scheduler.alpha.kubernetes.io/preferAvoidPods", "a"]),
    "pods": ({"containers": CONTAINERS}, [
        ("containers", .6, containers), ("schedulingGates", .3, records([("name", 1, ["g", "h"])])), ("nodeSelector", .4, table(["a", "b"], ["x", "y"])),
        ("tolerations", .4, records([("key", 1, ["a", "b"]), ("operator", 1, ["Exists"]), ("effect", .5, ["NoSchedule", "NoExecute"]), ("tolerationSeconds", .3, [1, 5])])),
        ("activeDeadlineSeconds", .3, [0, 1, 5, 10]), ("terminationGracePeriodSeconds", .25, [1, 30, -1]), ("nodeName", .35, ["fuzzed-n", "m"]),
        ("resources", .2, RESOURCES), ("os", .15, [{"name": "linux"}, {"name": "windows"}]), ("restartPolicy", .2, ["Never", "OnFailure"]),
        ("initContainers", .2, [[{"name": "i", "image": "a"}], [{"name": "i", "image": "a", "restartPolicy": "Always"}]])], [
        ("phase", .6, ["Running", "Running", "Succeeded", "Failed", "Pending", "x"]), ("containerStatuses", .5, records(CONTAINER_STATUS)),
        ("initContainerStatuses", .15, records(CONTAINER_STATUS, 1)), ("conditions", .5, conditions(["Ready", "PodScheduled", "DisruptionTarget", "a/b", "a b"])),
        ("podIP", .15, ["10.0.0.1", "fd00::1", "x"]), ("podIPs", .25, records([("ip", .9, ["10.0.0.1", "10.0.0.2", "fd00::1", "x"])])),
        ("hostIPs", .15, records([("ip", .9, ["10.0.0.1", "fd00::1", "x"])])), ("hostIP", .15, ["10.0.0.1", ""]), ("nominatedNodeName", .15, ["n", "", "A b"]),
        ("qosClass", .15, ["Guaranteed", "Burstable", "BestEffort", ""]), ("observedGeneration", .15, [0, 1, -1]), ("startTime", .15, TIMES)],
        ["kubernetes.io/config.mirror", "container.apparmor.security.beta.kubernetes.io/c", "scheduler.alpha.kubernetes.io/tolerations",
         "seccomp.security.alpha.kubernetes.io/pod", "controller.kubernetes.io/pod-deletion-cost", "a"]),
    "deployments": ({"selector": {"matchLabels": {"app": "web"}},
                     "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": CONTAINERS}}}, [
        ("replicas", .4, [0, 1, 3, -1]), ("minReadySeconds", .3, [0, 5, 700]), ("progressDeadlineSeconds", .3, [600, 5, 10]),
        ("revisionHistoryLimit", .3, [0, 3, -1]), ("paused", .3, [True, False]), ("selector", .1, [{"matchLabels": {"app": "x"}}, {}]),
        ("strategy", .5, [{"type": "Recreate"}, {}, {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}, {"type": "x"},
                          {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "101%"}}, {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}])], [
        *((name, .4, COUNTS) for name in ("replicas", "readyReplicas", "availableReplicas", "updatedReplicas", "unavailableReplicas", "terminatingReplicas",
                                          "collisionCount", "observedGeneration")),
        ("conditions", .4, conditions(["Available", "Progressing", "x"]))], ["deployment.kubernetes.io/revision"]),
    "poddisruptionbudgets": ({}, [
        ("selector", .8, [{"matchLabels": {"fuzz": "fuzzed"}}, {}, {"matchExpressions": [{"key": "a", "operator": "x"}]}]),
        ("minAvailable", .4, [0, 1, "50%", "101%", -1]), ("maxUnavailable", .3, [0, 1, "50%", "x"]),
        ("unhealthyPodEvictionPolicy", .3, ["AlwaysAllow", "IfHealthyBudget", "x"])], [
        ("disruptionsAllowed", .9, COUNTS), ("currentHealthy", .9, COUNTS), ("desiredHealthy", .9, COUNTS), ("expectedPods", .9, COUNTS),
        ("observedGeneration", .8, [1, 1, 1, 2, 0]), ("disruptedPods", .3, table(["a", "fuzzed-p"], TIMES)),
        ("conditions", .4, conditions(["DisruptionAllowed", "x y"]))], []),
    "persistentvolumeclaims": ({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}, [
        ("resources", .7, [{"requests": {"storage": size}} for size in ("1Gi", "2Gi", "2Gi", "1Mi", "-1")]), ("volumeName", .3, ["v", "w", ""]),
        ("storageClassName", .5, ["fuzzed-s", "b", ""]), ("volumeMode", .2, ["Block", "Filesystem"]), ("volumeAttributesClassName", .25, ["a", "b", ""]),
        ("selector", .15, [{}, {"matchLabels": {"a": "b"}}])], [
        ("phase", .8, ["Bound", "Bound", "Pending", "Lost"]), ("capacity", .6, [{"storage": "1Gi"}, {"storage": "2Gi"}, {"storage": "-1"}]),
        ("allocatedResources", .3, [{"storage": "2Gi"}, {"x": "1"}, {}]), ("accessModes", .3, [["ReadWriteOnce"], ["x"], []]),
        ("allocatedResourceStatuses", .3, [{"storage": "ControllerResizeInProgress"}, {"storage": "x"}, {}]),
        ("modifyVolumeStatus", .2, [{"status": "Pending"}, {"status": "x"}]), ("conditions", .2, conditions(["Resizing", "x y"]))],
        ["volume.beta.kubernetes.io/storage-class"]),
}

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
