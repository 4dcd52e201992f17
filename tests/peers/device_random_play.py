"""Plays scenes of claims (device_random_make.py): each once for every scheduler, all of them at once on one control plane, step by step;
what came of each, with @ for its name."""

import base64
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor

from device_checker import GROUP
from drill import Api
from objects import MERGE, PODS, node
from process import wait_until

CLAIMS, TEMPLATES = GROUP + "/namespaces/default/resourceclaims", GROUP + "/namespaces/default/resourceclaimtemplates"
KINDS = ("pods/default", "resourceclaims/default", "resourceclaimtemplates/default", "resourceslices", "deviceclasses", "minions")
WRITERS = 6
QUIET, PATIENCE = 1.6, 14  # seconds without news after a step (waiting pods back off for one); at most for it
LATE = 10  # seconds for what still differs at the end: berth writes changed texts of conditions at a pace


def settled(pod, claims):
    """Bound, refused, or waiting for its devices to become ready."""
    if "nodeName" in pod["spec"] or any(each["type"] == "PodScheduled" for each in pod.get("status", {}).get("conditions", [])):
        return True
    uid = pod["metadata"]["uid"]
    return any(one.get("uid") == uid for each in claims for one in each.get("status", {}).get("reservedFor", []))


def pod_object(each, prefix, scheduler):
    """From its short form."""
    labels = {"scene": prefix}
    spec = {"schedulerName": scheduler, "terminationGracePeriodSeconds": 0, "priorityClassName": each["priority"], "nodeSelector": dict(labels),
            "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}]}
    if "node" in each:
        spec["nodeSelector"]["kubernetes.io/hostname"] = each["node"]
    if "order" in each:
        spec["affinity"] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": weight, "preference": {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [name]}]}}
            for name, weight in zip(each["order"], (100, 61, 23, 3))]}}
    wants = {**each.get("resources", {}), **({"cpu": each["cpu"]} if "cpu" in each else {})}
    container = {"name": "c", "image": "example.com/i", "resources": {"requests": wants, "limits": wants}}
    if each["claims"]:
        container["resources"]["claims"] = [{"name": f"e{at}"} for at in range(len(each["claims"]))]
        spec["resourceClaims"] = [{"name": f"e{at}", **({"resourceClaimName": one["claim"]} if "claim" in one else
                                                       {"resourceClaimTemplateName": one["template"]})} for at, one in enumerate(each["claims"])]
    return {"metadata": {"name": each["name"], "labels": labels}, "spec": {**spec, "containers": [container]}}


def node_object(each, prefix):
    return node(each["name"], cpu=each["cpu"], labels={"scene": prefix, "zone": each["zone"]})


class Copy:
    """A scene for one scheduler."""

    def __init__(self, number, scene, prefix, scheduler):
        self.number, self.prefix, self.scheduler = number, prefix, scheduler
        self.scene = json.loads(json.dumps(scene).replace("@", prefix))
        self.alive, self.refused = set(), []

    def first(self):
        """What is there before the first pod."""
        scene = self.scene
        return [("/api/v1/nodes", node_object(each, self.prefix)) for each in scene["nodes"]] + [
            (path, each) for path, key in ((GROUP + "/deviceclasses", "classes"), (GROUP + "/resourceslices", "slices"), (TEMPLATES, "templates"),
                                           (CLAIMS, "claims")) for each in scene[key]]

    def plain(self, value):
        return json.loads(json.dumps(value).replace(self.prefix, "@"))


class Etcd:
    """Its gateway for JSON."""

    def __init__(self, port):
        self.api = Api(port)

    def ask(self, what, key, **more):
        return self.api("POST", f"/v3/kv/{what}", {"key": base64.b64encode(key).decode(), **more})[1]

    def keys(self, prefix):
        start = prefix.encode()
        end = base64.b64encode(start[:-1] + bytes([start[-1] + 1])).decode()
        return [base64.b64decode(each["key"]) for each in self.ask("range", start, range_end=end, keys_only=True).get("kvs", [])]

    def delete(self, key):
        self.ask("deleterange", key)


class Batch:
    def __init__(self, plane, number, scenes, schedulers):
        """schedulers: names of profiles, by letter."""
        self.plane, self.prefix, self.etcd = plane, f"k{number:04}", Etcd(plane.etcd_port)
        self.copies = [Copy(at, scene, f"{self.prefix}{letter}{at:03}", name) for at, scene in enumerate(scenes)
                       for letter, name in schedulers.items()]
        self.by_prefix = {copy.prefix: copy for copy in self.copies}
        self.pods, self.claims = {}, {}

    def write(self, pool, todo):
        """todo: (copy, method, path, object). A refusal is one for all schedulers."""
        def one(item):
            copy, method, path, body = item
            status, answer = self.plane.api(method, path, body, MERGE if method == "PATCH" else "application/json")
            if status not in (200, 201):
                copy.refused.append(copy.plain(f"{method} {path}: {status} {answer.get('message')}"))
        list(pool.map(one, todo))

    def look(self):
        """Pods and claims by copy."""
        self.pods, self.claims = ({prefix: [] for prefix in self.by_prefix} for _ in range(2))
        for target, path in ((self.pods, PODS), (self.claims, CLAIMS)):
            for each in self.plane.items(path + "?resourceVersion=0"):
                prefix = each["metadata"]["name"].split("-", 1)[0]
                if prefix in target:
                    target[prefix].append(each)

    def wait(self):
        """Until every pod is settled and nothing changes any more."""
        last, since, end = None, time.monotonic(), time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.look()
            state = [sorted((each["metadata"]["name"], each["metadata"]["resourceVersion"]) for each in items)
                     for kind in (self.pods, self.claims) for items in kind.values()]
            calm = all(settled(pod, self.claims[prefix]) for prefix, pods in self.pods.items() for pod in pods)
            if state != last:
                last, since = state, time.monotonic()
            if time.monotonic() - since > (QUIET if calm else 3 * QUIET):
                return
            time.sleep(0.4)

    def step(self, copy, step):
        if "pod" in step:
            return [(copy, "POST", PODS, pod_object(step["pod"], copy.prefix, copy.scheduler))]
        if "claim" in step:
            return [(copy, "POST", CLAIMS, step["claim"])]
        if "delete" in step:
            return [(copy, "DELETE", f"{PODS}/{step['delete']}?gracePeriodSeconds=0", None)]
        if "slice" in step:
            return [(copy, "PATCH", f"{GROUP}/resourceslices/{step['slice']}", {"spec": step["spec"]})]
        if "class" in step:
            return [(copy, "PATCH", f"{GROUP}/deviceclasses/{step['class']}", {"spec": {"selectors": None, **step["spec"]}})]
        return self.make_ready(copy, step)

    def make_ready(self, copy, step):
        """What drivers would say of the devices of a pod."""
        pod = next((each for each in self.pods[copy.prefix] if each["metadata"]["name"] == step["ready"]), None)
        todo = []
        for claim in self.claims[copy.prefix] if pod else ():
            status = claim.get("status", {})
            results = [one for one in status.get("allocation", {}).get("devices", {}).get("results", []) if one.get("bindingConditions")]
            if not results or not any(one["uid"] == pod["metadata"]["uid"] for one in status.get("reservedFor", [])):
                continue
            condition = {"type": step["type"], "status": "True", "reason": "Done", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}
            devices = [{key: one[key] for key in ("driver", "pool", "device", "shareID") if key in one} | {"conditions": [condition]} for one in results]
            todo.append((copy, "PATCH", f"{CLAIMS}/{claim['metadata']['name']}/status", {"status": {"devices": devices}}))
        return todo

    def play(self):
        with ThreadPoolExecutor(WRITERS) as pool:
            self.write(pool, [(copy, "POST", path, each) for copy in self.copies for path, each in copy.first()])
            time.sleep(0.5)
            for at in range(max(len(copy.scene["steps"]) for copy in self.copies)):
                self.write(pool, [item for copy in self.copies if at < len(copy.scene["steps"]) for item in self.step(copy, copy.scene["steps"][at])])
                self.wait()
        self.look()
        return self

    def clear(self):
        """Past finalizers, and one by one: what etcd deletes in one step has one version, and who watches may then miss some."""
        with ThreadPoolExecutor(WRITERS) as pool:
            for kind in KINDS:
                list(pool.map(self.etcd.delete, self.etcd.keys(f"/registry/{kind}/{self.prefix}")))
        wait_until(lambda: not any(each["metadata"]["name"].startswith(self.prefix) for path in ("/api/v1/nodes", GROUP + "/deviceclasses")
                                   for each in self.plane.items(path + "?resourceVersion=0")), 60)
        time.sleep(2)  # schedulers see it a moment later

    def outcome(self, copy):
        found = {"refused": sorted(copy.refused)}
        for each in self.pods[copy.prefix]:
            found["pod " + copy.plain(each["metadata"]["name"])] = copy.plain(pod_outcome(each))
        for each in self.claims[copy.prefix]:
            name = claim_name(each)
            found["claim " + copy.plain(name)] = copy.plain(claim_outcome(each))
        return found

    def outcomes(self):
        """By scene, by scheduler."""
        found = {}
        for copy in self.copies:
            found.setdefault(copy.number, {})[copy.scheduler] = self.outcome(copy)
        return found


def pod_outcome(pod):
    status = pod.get("status", {})
    scheduled = next((each for each in status.get("conditions", []) if each["type"] == "PodScheduled"), {})
    special = status.get("extendedResourceClaimStatus")
    if special:
        special = {**special, "resourceClaimName": "*" if special.get("resourceClaimName") else None}
    return {"node": pod["spec"].get("nodeName"), "says": scheduled.get("message"), "reason": scheduled.get("reason"), "special": special,
            "nominated": status.get("nominatedNodeName")}


def claim_name(claim):
    name = claim["metadata"]["name"]
    return re.sub(r"-[a-z0-9]{5,10}$", "-*", name) if claim["metadata"].get("ownerReferences") else name


def starred(value):
    """Without what differs from run to run."""
    if isinstance(value, dict):
        return {key: "*" if key in ("allocationTimestamp", "shareID", "uid", "lastTransitionTime", "timeAdded") else starred(item) for key, item in value.items()}
    return [starred(item) for item in value] if isinstance(value, list) else value


def claim_outcome(claim):
    status = claim.get("status", {})
    return starred({"allocation": status.get("allocation"), "reservedFor": sorted(status.get("reservedFor", []), key=lambda one: one["name"]),
                    "finalizers": claim["metadata"].get("finalizers"), "annotations": claim["metadata"].get("annotations"),
                    "devices": status.get("devices"), "spec": claim["spec"] if claim["metadata"].get("ownerReferences") else None,
                    "deleted": bool(claim["metadata"].get("deletionTimestamp"))})


def play(plane, number, scenes, schedulers):
    """What came of each scene, by scheduler. Where schedulers differ, it is looked at once more after a while."""
    batch = Batch(plane, number, scenes, schedulers).play()
    found = batch.outcomes()
    if any(one != next(iter(each.values())) for each in found.values() for one in each.values()):
        time.sleep(LATE)
        batch.look()
        later = batch.outcomes()
        found = {at: later[at] if len({json.dumps(one, sort_keys=True) for one in each.values()}) > 1 else each for at, each in found.items()}
    batch.clear()
    return found
