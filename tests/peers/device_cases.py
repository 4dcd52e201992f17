"""The same claims on the same real API server, allocated by the real kube-scheduler and by berth: devices, statuses, what waiting pods say.

Each scene has one node, so that the order of devices decides; its pods come one after the other. What differs from run to run
(times, share IDs, ends of generated names) is left out."""

import json
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


def hand_written(node):
    """Parameters that are not written as Go writes JSON: only bytes that nobody touched are the same for kube-apiserver."""
    def written(each):
        each["spec"]["devices"]["config"] = [{"opaque": {"driver": DRIVER, "parameters": {"z": "<&>", "a": [1, 2.50]}}}]
        return json.dumps(each, indent=1)
    return [slice_of(node, [model("a", "large"), model("b", "x")])], [
        written(claim("written-0", exactly(device_class="large"))), written(claim("written-1", exactly()))], [
        pod("written-0", "written-0", "written-1"), pod("written-1", "written-1")]


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


SCENES = (first_available, constraints, partitions, capacity, administrators, taints, configurations, hand_written, extended, refusals, conditions)


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
            wait_until(lambda: self.is_settled(name), 60)
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
                "allocation": status.get("allocation"), "reservedFor": sorted(status.get("reservedFor", []), key=lambda one: one["name"]),
                "finalizers": each["metadata"].get("finalizers"), "annotations": each["metadata"].get("annotations"),
                "spec": each["spec"] if "*" in name else None})

    def clear(self):
        self.plane.api("DELETE", PODS + "?gracePeriodSeconds=0")
        wait_until(lambda: not self.plane.items(PODS), 60)
        # No controller takes the finalizers off, and kube-apiserver refuses to change claims that are not written as Go writes JSON.
        self.plane.etcdctl("del", "--prefix", "/registry/resourceclaims/")
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
    # An error of one device ends the cycle there, and refuses the node here (docs/parity.md).
    reason = "class broken: selector #0: CEL runtime error: no such key: nothing"
    both = real.pop("pod broken"), ours.pop("pod broken")
    report.line("pod broken: named by both", reason, reason, all(reason in each["says"] for each in both))
    for key in sorted(real.keys() | ours.keys()):
        difference = first_difference(real.get(key), ours.get(key))
        if difference:
            report.line(key, "the same", difference)
    same = sum(first_difference(real.get(key), ours.get(key)) is None for key in real)
    report.line(f"pods and claims alike, of {len(real)}", len(real), same)
    report.note("pods placed by kube-scheduler", sum(bool(each["node"]) for key, each in real.items() if key.startswith("pod") and "before" not in key))
    plane.stop()


# ---- groups of pods (gates of Kubernetes 1.36 that are off by default)

GATES = "GenericWorkload=true,GangScheduling=true,DRAWorkloadResourceClaims=true"
GROUPS = "/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups"
TEMPLATES = GROUP + "/namespaces/default/resourceclaimtemplates"


def member(number):
    """Claims: the group's by name, the group's from a template, its own."""
    names = ["named", "made", "own"]
    return {"metadata": {"name": f"member-{number}"}, "spec": {
        "schedulingGroup": {"podGroupName": "team"},
        "containers": [{"name": "c", "image": "example.com/i", "resources": {"claims": [{"name": each} for each in names]}}],
        "resourceClaims": [{"name": "named", "resourceClaimName": "named"}, {"name": "made", "resourceClaimTemplateName": "t"},
                           {"name": "own", "resourceClaimTemplateName": "t"}]}}


def play_group(plane):
    """Two members that fit, and a third one when those run."""
    plane.need("POST", CLAIMS, claim("named", exactly()))
    plane.need("POST", GROUPS, {"metadata": {"name": "team"}, "spec": {
        "schedulingPolicy": {"gang": {"minCount": 2}},
        "resourceClaims": [{"name": "named", "resourceClaimName": "named"}, {"name": "made", "resourceClaimTemplateName": "t"}]}})
    # kube-scheduler may miss that the group's claim was made, and then looks at the members after five minutes.
    wait_until(lambda: plane.need("GET", GROUPS + "/team").get("status", {}).get("resourceClaimStatuses"), 30)
    for count in (2, 3):
        for number in range(count - 1 if count == 3 else 0, count):
            plane.need("POST", PODS, member(number))
        wait_until(lambda count=count: sum("nodeName" in each["spec"] for each in plane.items(PODS)) == count, 60)
    time.sleep(1)


def group_outcome(plane):
    found = {}
    for each in plane.items(CLAIMS):
        owner = (each["metadata"].get("ownerReferences") or [{"kind": "nobody", "name": ""}])[0]
        name = re.sub(r"-\w{5}$", "-*", each["metadata"]["name"])
        found[f"claim {name}"] = {
            "owner": f"{owner['kind']} {owner['name']}", "finalizers": each["metadata"].get("finalizers"),
            "allocated": bool(each.get("status", {}).get("allocation")),
            "reserved for": sorted(f"{each.get('apiGroup', '')} {each['resource']} {each['name']}" for each in each.get("status", {}).get("reservedFor", []))}
    devices = [result["device"] for each in plane.items(CLAIMS) for result in each.get("status", {}).get("allocation", {}).get("devices", {}).get("results", [])]
    found["devices"] = sorted(devices)
    found["pods"] = sorted(f"{each['metadata']['name']} on {each['spec'].get('nodeName')}: {message(each)}" for each in plane.items(PODS))
    return found


def clear_group(plane):
    """The controllers give back what the members and the group had."""
    plane.api("DELETE", PODS + "?gracePeriodSeconds=0")
    wait_until(lambda: not plane.items(PODS), 60)
    left = {each["metadata"]["name"]: [item["resource"] for item in each.get("status", {}).get("reservedFor", [])] for each in plane.items(CLAIMS)}
    plane.api("PATCH", GROUPS + "/team", {"metadata": {"finalizers": None}}, MERGE)
    plane.api("DELETE", GROUPS + "/team")
    plane.api("DELETE", CLAIMS + "/named")
    wait_until(lambda: not plane.items(CLAIMS), 60)
    return left, [each["metadata"]["name"] for each in plane.items(CLAIMS)]


def device_groups(stage, report):
    plane = Plane(stage, "device-groups", [f"--feature-gates={GATES}", "--runtime-config=scheduling.k8s.io/v1alpha2=true"])
    stage.start("claim-controllers", [
        stage.program("kube-controller-manager"), f"--kubeconfig={plane.kubeconfig}", f"--feature-gates={GATES}",
        "--controllers=resourceclaim-controller,garbage-collector-controller,serviceaccount-controller",
        "--leader-elect=false", "--secure-port=0", "--v=1"], plane.folder)
    plane.need("POST", GROUP + "/deviceclasses", CLASSES[0])
    plane.need("POST", TEMPLATES, {"metadata": {"name": "t"}, "spec": {"spec": claim("", exactly())["spec"]}})
    plane.add_node("n")
    plane.need("POST", GROUP + "/resourceslices", slice_of("n", [model(f"d-{number}", "x") for number in range(5)]))
    kubeconfig = plane.identity("scheduler", "system:masters")
    outcomes = []
    for program in (stage.program("kube-scheduler"), stage.stand_in("kube-scheduler")):
        process = stage.start(f"scheduler-{len(outcomes)}", [
            program, "--kubeconfig", kubeconfig, f"--feature-gates={GATES}", "--leader-elect=false", "--secure-port=0"], plane.folder)
        play_group(plane)
        outcomes.append(group_outcome(plane))
        process.stop(signal.SIGKILL)
        left, stay = clear_group(plane)
        report.line(f"{program.parent.name}/{program.name}: claims that stay when the group is gone", [], stay)
        report.note("  reserved when the members are gone", left)
    real, ours = outcomes
    for key in sorted(real.keys() | ours.keys()):
        report.line(key, "the same", first_difference(real.get(key), ours.get(key)) or "the same")
    report.note("pods", ours["pods"])
    plane.stop()
