"""The same claims on the same real API server, allocated by the real kube-scheduler and by berth: devices, statuses, what waiting pods say.

Each scene has one node, so that the order of devices decides; its pods come one after the other. What differs from run to run
(times, share IDs, ends of generated names) is left out."""

import re
import signal
import time

from device_checker import GROUP
from objects import MERGE, PODS, message
from plane import Plane
from process import wait_until

CLAIMS = GROUP + "/namespaces/default/resourceclaims"
DRIVER = "d.example.com"


def slice_of(node, devices, number=0, count=1, **more):
    return {"metadata": {"name": f"{node}-{number}"}, "spec": {
        "driver": DRIVER, "nodeName": node, "pool": {"name": node, "generation": 1, "resourceSliceCount": count},
        **({"devices": devices} if devices else {}), **more}}


def model(name, kind, **more):
    return {"name": name, "attributes": {"model": {"string": kind}}, **more}


def exactly(name="r", device_class="any", **more):
    return {"name": name, "exactly": {"deviceClassName": device_class, **more}}


def only(expression):
    return {"selectors": [{"cel": {"expression": expression}}]}


def is_model(kind):
    return only(f'device.attributes["{DRIVER}"].model == "{kind}"')


def claim(name, *requests, constraints=(), config=()):
    devices = {"requests": list(requests)}
    if constraints:
        devices["constraints"] = list(constraints)
    if config:
        devices["config"] = list(config)
    return {"metadata": {"name": name}, "spec": {"devices": devices}}


def pod(name, *claims, resources=None):
    container = {"name": "c", "image": "example.com/i"}
    if claims:
        container["resources"] = {"claims": [{"name": f"c{number}"} for number in range(len(claims))]}
    if resources:
        container["resources"] = {"requests": resources, "limits": resources}
    return {"metadata": {"name": name}, "spec": {"containers": [container], "resourceClaims": [
        {"name": f"c{number}", "resourceClaimName": each} for number, each in enumerate(claims)]}}


def parameters(text):
    return {"opaque": {"driver": DRIVER, "parameters": {"is": text}}}


CLASSES = [
    {"metadata": {"name": "any"}, "spec": {}},
    {"metadata": {"name": "large"}, "spec": {**is_model("large"), "config": [parameters("class")]}},
    {"metadata": {"name": "broken"}, "spec": only(f'device.attributes["{DRIVER}"].nothing == 1')},
    {"metadata": {"name": "sold"}, "spec": {**is_model("sold"), "extendedResourceName": "example.com/gpu"}},
]


def first_available(node):
    choices = {"name": "r", "firstAvailable": [
        {"name": "best", "deviceClassName": "any", "count": 2, **is_model("large")},
        {"name": "good", "deviceClassName": "any", **is_model("large")},
        {"name": "fair", "deviceClassName": "any", **is_model("small")}]}
    devices = [model("s-0", "small"), model("l-0", "large"), model("l-1", "large"), model("l-2", "large")]
    return [slice_of(node, devices)], [claim(f"choice-{at}", choices) for at in range(4)], [
        pod(f"choice-{at}", f"choice-{at}") for at in range(4)]


def constraints(node):
    roots = "resource.kubernetes.io/pcieRoot"

    def device(name, kind, root):
        return {"name": name, "attributes": {"model": {"string": kind}, roots: {"string": root}}}
    devices = [device("gpu-0", "gpu", "a"), device("gpu-1", "gpu", "b"), device("nic-0", "nic", "b"), device("nic-1", "nic", "a"),
               device("gpu-2", "gpu", "c"), device("gpu-3", "gpu", "c")]
    near = [{"matchAttribute": roots}]
    apart = [{"distinctAttribute": roots, "requests": ["gpu"]}]
    return [slice_of(node, devices)], [
        claim("near-0", exactly("nic", **is_model("nic")), exactly("gpu", **is_model("gpu")), constraints=near),
        claim("near-1", exactly("gpu", **is_model("gpu"), count=2), constraints=near),
        claim("near-2", exactly("nic", **is_model("nic"), count=2), constraints=near),
        claim("apart-0", exactly("gpu", **is_model("gpu")), exactly("nic", **is_model("nic")), constraints=apart)], [
        pod(name, name) for name in ("near-0", "near-1", "near-2", "apart-0")]


def partitions(node):
    def part(name, amount):
        return {"name": name, "attributes": {"parts": {"int": amount}}, "consumesCounters": [
            {"counterSet": "gpu", "counters": {"parts": {"value": str(amount)}}}]}
    devices = [part("whole", 7), part("three-0", 3), part("three-1", 3), part("one-0", 1), part("one-1", 1)]
    sets = [{"name": "gpu", "counters": {"parts": {"value": "7"}}}]

    def of(amount):
        return only(f'device.attributes["{DRIVER}"].parts == {amount}')
    return [slice_of(node, None, 0, 2, sharedCounters=sets), slice_of(node, devices, 1, 2)], [
        claim("part-0", exactly(**of(3))), claim("part-1", exactly(**of(7))), claim("part-2", exactly(**of(3))),
        claim("part-3", exactly(**of(1), count=2)), claim("part-4", exactly(**of(1)))], [
        pod(f"part-{at}", f"part-{at}") for at in range(5)]


def capacity(node):
    policy = {"default": "1Gi", "validRange": {"min": "1Gi", "step": "2Gi", "max": "9Gi"}}
    devices = [{"name": f"shared-{at}", "allowMultipleAllocations": True, "capacity": {
        "memory": {"value": "10Gi", "requestPolicy": policy}, "lanes": {"value": "4"}}} for at in range(2)]

    def wants(**amounts):
        return {"capacity": {"requests": amounts}}
    return [slice_of(node, devices)], [
        claim("share-0", exactly(**wants(memory="4Gi"))), claim("share-1", exactly()),
        claim("share-2", exactly(**wants(memory="5Gi", lanes="4"))), claim("share-3", exactly(**wants(memory="20Gi"))),
        claim("share-4", exactly(**wants(memory="2Gi"), count=2)), claim("share-5", exactly(**wants(memory="9Gi")))], [
        pod(f"share-{at}", f"share-{at}") for at in range(6)]


def administrators(node):
    return [slice_of(node, [model("a", "x"), model("b", "x")])], [
        claim("user", exactly(allocationMode="All")), claim("watcher", exactly(allocationMode="All", adminAccess=True)),
        claim("user-2", exactly())], [pod(name, name) for name in ("user", "watcher", "user-2")]


def taints(node):
    def tainted(name, effect):
        return model(name, "x", taints=[{"key": "health", "value": "bad", "effect": effect}])
    tolerated = [{"key": "health", "operator": "Exists", "effect": "NoSchedule"}]
    return [slice_of(node, [tainted("a", "NoSchedule"), tainted("b", "NoExecute"), model("c", "x"), tainted("d", "None")])], [
        claim("sound-0", exactly()), claim("sound-1", exactly()), claim("sound-2", exactly()),
        claim("bold-0", exactly(tolerations=tolerated)), claim("bold-1", exactly(tolerations=tolerated))], [
        pod(name, name) for name in ("sound-0", "sound-1", "sound-2", "bold-0", "bold-1")]


def configurations(node):
    of_claim = [{"requests": ["b"], **parameters("b")}, parameters("all")]
    return [slice_of(node, [model("a", "large"), model("b", "large"), model("c", "small")])], [
        claim("configured", exactly("a", "large"), exactly("b", "large"), config=of_claim),
        claim("mixed", exactly("a", "any"), config=of_claim[1:])], [
        pod("configured", "configured", "mixed"), pod("shared", "mixed")]


def extended(node):
    devices = [model("s-0", "sold"), model("s-1", "sold"), model("o-0", "other")]
    return [slice_of(node, devices)], [], [
        pod("buyer-0", resources={"example.com/gpu": "1"}), pod("buyer-1", resources={"example.com/gpu": "2"}),
        pod("by-class", resources={"deviceclass.resource.kubernetes.io/sold": "1"})]


def refusals(node):
    return [slice_of(node, [model("a", "small")])], [
        claim("no-class", exactly(device_class="missing")), claim("broken", exactly(device_class="broken")),
        claim("too-many", exactly(count=2)), claim("not-there", exactly(**is_model("huge")))], [
        pod("no-class", "no-class"), pod("broken", "broken"), pod("too-many", "too-many"), pod("not-there", "not-there"),
        pod("no-claim", "nobody-made-it")]


def conditions(node):
    devices = [model("slow", "x", bindsToNode=True, bindingConditions=["Attached"], bindingFailureConditions=["Failed"])]
    return [slice_of(node, devices)], [claim("slow", exactly())], [pod("slow", "slow")]


SCENES = (first_available, constraints, partitions, capacity, administrators, taints, configurations, extended, refusals, conditions)


def stripped(value):
    """Without what differs from run to run."""
    if isinstance(value, dict):
        return {key: "*" if key in ("allocationTimestamp", "shareID", "uid", "lastTransitionTime") else stripped(item)
                for key, item in value.items()}
    if isinstance(value, list):
        return [stripped(item) for item in value]
    return value


def plain_name(name):
    return re.sub(r"-extended-resources-\w+$", "-extended-resources-*", name)


class Run:
    def __init__(self, plane, process):
        self.plane, self.process, self.outcome = plane, process, {}

    def is_settled(self, name):
        each = self.plane.need("GET", f"{PODS}/{name}")
        return "nodeName" in each["spec"] or message(each)

    def attach(self, name):
        """What a driver would say of a device that has to become ready."""
        def is_allocated():
            return self.plane.need("GET", f"{CLAIMS}/{name}").get("status", {}).get("reservedFor")
        if not wait_until(is_allocated, 30):
            return
        time.sleep(1)
        self.outcome[f"pod {name} before it is attached"] = self.pod(name)
        result = self.plane.need("GET", f"{CLAIMS}/{name}")["status"]["allocation"]["devices"]["results"][0]
        attached = {"type": "Attached", "status": "True", "reason": "Done", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}
        self.plane.need("PATCH", f"{CLAIMS}/{name}/status", {"status": {"devices": [
            {key: result[key] for key in ("driver", "pool", "device")} | {"conditions": [attached]}]}}, MERGE)

    def play(self, scene):
        node = scene.__name__.replace("_", "-")
        slices, claims, pods = scene(node)
        for each in claims:
            self.plane.need("POST", CLAIMS, each)
        for each in pods:
            name = each["metadata"]["name"]
            each["spec"]["nodeSelector"] = {"kubernetes.io/hostname": node}
            self.plane.need("POST", PODS, each)
            if scene is conditions:
                self.attach(name)
            if not wait_until(lambda: self.is_settled(name), 60):
                self.outcome[f"pod {name}"] = "nothing after a minute"
        time.sleep(0.5)
        for each in pods:
            self.outcome.setdefault(f"pod {each['metadata']['name']}", self.pod(each["metadata"]["name"]))
        return len(slices)

    def pod(self, name):
        each = self.plane.need("GET", f"{PODS}/{name}")
        special = each["status"].get("extendedResourceClaimStatus")
        if special:
            special = {**special, "resourceClaimName": plain_name(special["resourceClaimName"])}
        return {"node": each["spec"].get("nodeName"), "says": message(each), "special claim": special}

    def collect(self):
        for each in self.plane.items(CLAIMS):
            name, status = plain_name(each["metadata"]["name"]), each.get("status", {})
            self.outcome[f"claim {name}" + (f" of {each['metadata']['ownerReferences'][0]['name']}" if "*" in name else "")] = stripped({
                "allocation": status.get("allocation"), "reservedFor": status.get("reservedFor"),
                "finalizers": each["metadata"].get("finalizers"), "annotations": each["metadata"].get("annotations"),
                "spec": each["spec"] if "*" in name else None})

    def clear(self):
        self.plane.api("DELETE", PODS + "?gracePeriodSeconds=0")
        wait_until(lambda: not self.plane.items(PODS), 60)
        for each in self.plane.items(CLAIMS):
            path = f"{CLAIMS}/{each['metadata']['name']}"
            self.plane.need("PATCH", path + "/status", {"status": {"reservedFor": None, "allocation": None, "devices": None}}, MERGE)
            # A patch of a claim with parameters is refused: the API server finds its spec changed.
            now = self.plane.need("GET", path)
            now["metadata"]["finalizers"] = None
            self.plane.need("PUT", path, now)
            self.plane.need("DELETE", path)
        if not wait_until(lambda: not self.plane.items(CLAIMS), 60):
            raise RuntimeError(f"claims stay: {self.plane.items(CLAIMS)[:2]}")


def run(plane, process):
    played = Run(plane, process)
    for scene in SCENES:
        played.play(scene)
    played.collect()
    process.stop(signal.SIGKILL)
    played.clear()
    return played.outcome


def first_difference(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        return next((found for key in sorted(a.keys() | b.keys()) if (found := first_difference(a.get(key), b.get(key), f"{path}.{key}"))), None)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return next((found for at, pair in enumerate(zip(a, b)) if (found := first_difference(*pair, f"{path}[{at}]"))), None)
    return None if a == b else f"{path}: kube-scheduler {a!r}, berth {b!r}"


def device_cases(stage, report):
    plane = Plane(stage, "device-cases")
    plane.need("PATCH", "/api/v1/namespaces/default", {"metadata": {"labels": {"resource.kubernetes.io/admin-access": "true"}}}, MERGE)
    for each in CLASSES:
        plane.need("POST", GROUP + "/deviceclasses", each)
    for scene in SCENES:
        node = scene.__name__.replace("_", "-")
        plane.add_node(node)
        for each in scene(node)[0]:
            plane.need("POST", GROUP + "/resourceslices", each)
    kubeconfig = plane.identity("scheduler", user="system:kube-scheduler")
    outcomes = []
    for program in (stage.program("kube-scheduler"), stage.stand_in("kube-scheduler")):
        outcomes.append(run(plane, stage.start(f"scheduler-{len(outcomes)}", [
            program, "--kubeconfig", kubeconfig, "--leader-elect=false", "--secure-port=0"], plane.folder)))
    real, ours = outcomes
    for key in sorted(real.keys() | ours.keys()):
        difference = first_difference(real.get(key), ours.get(key))
        if difference:
            report.line(key, "the same", difference)
    same = sum(first_difference(real.get(key), ours.get(key)) is None for key in real)
    report.line(f"pods and claims alike, of {len(real)}", len(real), same)
    report.note("pods placed by kube-scheduler", sum(bool(each["node"]) for key, each in real.items() if key.startswith("pod") and "before" not in key))
    plane.stop()
