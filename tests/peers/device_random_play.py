"""Plays scenes of claims (device_random_make.py): each once for every scheduler, many of them at once on one control plane, step by step;
what came of each, with @ for its name."""

import base64
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor

from device_checker import GROUP
from drill import Api
from objects import MERGE, PODS, node

CLAIMS, TEMPLATES = GROUP + "/namespaces/default/resourceclaims", GROUP + "/namespaces/default/resourceclaimtemplates"
KINDS = ("pods/default", "resourceclaims/default", "resourceclaimtemplates/default", "resourceslices", "deviceclasses", "minions")
WRITERS = 6
QUIET, PATIENCE = 1.7, 8  # seconds without news after a step (waiting pods back off for one); at most for it
POLL = 5  # seconds after which kube-scheduler looks again whether devices are ready
PAUSE = 0.5
LOST = 30  # seconds after which a pod is left that no scheduler looked at
LATE = 10  # seconds for what still differs at the end: berth writes changed texts of conditions at a pace


def settled(pod, claims):
    """Bound, refused, or waiting for its devices to become ready."""
    if "nodeName" in pod["spec"] or any(each["type"] == "PodScheduled" for each in pod.get("status", {}).get("conditions", [])):
        return True
    uid = pod["metadata"]["uid"]
    return any(one.get("uid") == uid for each in claims for one in each.get("status", {}).get("reservedFor", []))


def has_claims(pod, claims):
    """Else a scheduler does not look at it."""
    there = {one["metadata"]["name"] for one in claims}
    made = {one["name"]: one.get("resourceClaimName") for one in pod.get("status", {}).get("resourceClaimStatuses", [])}
    return all(one.get("resourceClaimName", made.get(one["name"])) in there for one in pod["spec"].get("resourceClaims", []))


def containers(letter, wants):
    """With a name each, the first one without a number."""
    return [{"name": f"{letter}{at or ''}", "image": "example.com/i", "resources": {"requests": one, "limits": one}} for at, one in enumerate(wants)]


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
    container, *others = containers("c", [wants, *each.get("more", [])])
    if each.get("init"):
        spec["initContainers"] = containers("i", each["init"])
    if each["claims"]:
        container["resources"]["claims"] = [{"name": f"e{at}"} for at in range(len(each["claims"]))]
        spec["resourceClaims"] = [{"name": f"e{at}", **({"resourceClaimName": one["claim"]} if "claim" in one else
                                                       {"resourceClaimTemplateName": one["template"]})} for at, one in enumerate(each["claims"])]
    return {"metadata": {"name": each["name"], "labels": labels}, "spec": {**spec, "containers": [container, *others]}}


def node_object(each, prefix):
    made = node(each["name"], cpu=each["cpu"], labels={"scene": prefix, "zone": each["zone"]})
    made["status"]["capacity"] |= each.get("plugin", {})  # and allocatable, which is the same
    return made


FILTER_ERROR = 'running "DynamicResources" filter plugin: '


class Copy:
    """A scene for one scheduler."""

    def __init__(self, scene, prefix, scheduler):
        self.prefix, self.scheduler = prefix, scheduler
        self.scene = json.loads(json.dumps(scene).replace("@", prefix))
        self.todo, self.refused, self.pods, self.claims = [None, *self.scene["steps"]], [], [], []
        self.state, self.since, self.began = None, time.monotonic(), time.monotonic()
        self.poll, self.said = 0, set()

    def first(self):
        """What is there before the first pod."""
        scene = self.scene
        return [("/api/v1/nodes", node_object(each, self.prefix)) for each in scene["nodes"]] + [
            (path, each) for path, key in ((GROUP + "/deviceclasses", "classes"), (GROUP + "/resourceslices", "slices"), (TEMPLATES, "templates"),
                                           (CLAIMS, "claims")) for each in scene[key]]

    def plain(self, value):
        return json.loads(json.dumps(value).replace(self.prefix, "@"))

    def is_calm(self):
        """Every pod is settled and nothing changes any more, or it never ends."""
        now = time.monotonic()
        state = sorted((each["metadata"]["name"], each["metadata"]["resourceVersion"]) for each in (*self.pods, *self.claims))
        if state != self.state:
            self.state, self.since = state, now
        waiting = [pod for pod in self.pods if not settled(pod, self.claims)]
        if any(has_claims(pod, self.claims) for pod in waiting):
            return now - self.began > LOST
        return now - self.since > (2 * QUIET if waiting else QUIET) + self.poll or now - self.began > PATIENCE + self.poll

    def next(self):
        """The writes of the next step, when the last one is over."""
        if not self.todo or not self.is_calm():
            return []
        self.todo.pop(0)
        self.since = self.began = time.monotonic()
        writes = self.writes(self.todo[0]) if self.todo else []
        self.poll = POLL if writes and "ready" in self.todo[0] else 0
        return writes

    def writes(self, step):
        if "pod" in step:
            return [(self, "POST", PODS, pod_object(step["pod"], self.prefix, self.scheduler))]
        if "do" in step:
            return [(self, step["do"], step["path"], step["body"])]
        return self.make_ready(step)

    def make_ready(self, step):
        """What drivers would say of the devices of a pod."""
        pod = next((each for each in self.pods if each["metadata"]["name"] == step["ready"]), None)
        todo = []
        for claim in self.claims if pod else ():
            status = claim.get("status", {})
            results = [one for one in status.get("allocation", {}).get("devices", {}).get("results", []) if one.get("bindingConditions")]
            if not results or not any(one["uid"] == pod["metadata"]["uid"] for one in status.get("reservedFor", [])):
                continue
            condition = {"type": step["type"], "status": "True", "reason": "Done", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}
            devices = [{key: one[key] for key in ("driver", "pool", "device", "shareID") if key in one} | {"conditions": [condition]} for one in results]
            todo.append((self, "PATCH", f"{CLAIMS}/{claim['metadata']['name']}/status", {"status": {"devices": devices}}))
        return todo

    def hear(self):
        """What is said of pods now."""
        self.said |= {pod_outcome(each)["says"] for each in self.pods}

    def outcome(self):
        found = {"refused": sorted(self.refused)}
        for each in self.pods:
            found["pod " + self.plain(each["metadata"]["name"])] = self.plain(pod_outcome(each))
        there = {each["metadata"]["uid"] for each in self.pods}
        for each in self.claims:
            owners = [one["uid"] for one in each["metadata"].get("ownerReferences", [])]
            if owners and not there & set(owners):
                continue  # there is no garbage collector
            found["claim " + self.plain(claim_name(each))] = self.plain(claim_outcome(each))
        return found


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


class Scene:
    """One that is played: its copies, each at its own pace."""

    def __init__(self, key, scene, prefix, schedulers):
        """schedulers: names of profiles, by letter. Names are as long as each other, so that they sort alike."""
        self.key, self.prefix = key, prefix
        self.copies = [Copy(scene, prefix + letter, name) for letter, name in schedulers.items()]
        self.late_until = 0.0

    def is_over(self):
        """Where schedulers differ, it is looked at once more after a while."""
        if any(copy.todo for copy in self.copies):
            return False
        outcomes = self.outcomes()
        if len({json.dumps(one, sort_keys=True) for one in outcomes.values()}) == 1:
            return True
        now = time.monotonic()
        self.late_until = self.late_until or now + LATE
        return now > self.late_until

    def outcomes(self):
        return {copy.scheduler: copy.outcome() for copy in self.copies}

    def said(self, scheduler):
        return sorted({one for copy in self.copies if copy.scheduler == scheduler for one in copy.said})


class Player:
    """Plays many scenes at once."""

    def __init__(self, plane, schedulers, at_once, heard):
        """heard: the scheduler of which everything that it said is kept."""
        self.plane, self.schedulers, self.at_once, self.heard, self.etcd = plane, schedulers, at_once, heard, Etcd(plane.etcd_port)
        self.pool, self.serial, self.active, self.copies = ThreadPoolExecutor(WRITERS), 0, [], {}

    def write(self, todo):
        """todo: (copy, method, path, object)."""
        def one(item):
            copy, method, path, body = item
            status, answer = self.plane.api(method, path, body, MERGE if method == "PATCH" else "application/json")
            if status not in (200, 201):
                copy.refused.append(copy.plain(f"{method} {path}: {status} {answer.get('message')}"))
        list(self.pool.map(one, todo))

    def begin(self, key, scene, names):
        self.serial += 1
        new = Scene(key, scene, f"k{self.serial:05}", {letter: name for letter, name in self.schedulers.items() if name in names})
        self.active.append(new)
        self.copies |= {copy.prefix: copy for copy in new.copies}
        return [(copy, "POST", path, each) for copy in new.copies for path, each in copy.first()]

    def look(self):
        for copy in self.copies.values():
            copy.pods, copy.claims = [], []
        for field, path in (("pods", PODS), ("claims", CLAIMS)):
            for each in self.plane.items(path + "?resourceVersion=0"):
                copy = self.copies.get(each["metadata"]["name"].split("-", 1)[0])
                if copy:
                    getattr(copy, field).append(each)
        for copy in self.copies.values():
            copy.hear()

    def end(self, scene):
        """Past finalizers, and one by one: what etcd deletes in one step has one version, and who watches may then miss some."""
        for kind in KINDS:
            list(self.pool.map(self.etcd.delete, self.etcd.keys(f"/registry/{kind}/{scene.prefix}")))
        for copy in scene.copies:
            del self.copies[copy.prefix]
        self.active.remove(scene)

    def play(self, source):
        """source: (key, scene, schedulers); yields (key, outcome by scheduler and what was said) as they end."""
        source, is_done = iter(source), False
        while not is_done or self.active:
            while not is_done and len(self.active) < self.at_once:
                each = next(source, None)
                is_done = each is None
                if each:
                    self.write(self.begin(*each))
            self.look()
            for scene in [each for each in self.active if each.is_over()]:
                outcomes = {**scene.outcomes(), "said": scene.said(self.heard)}
                self.end(scene)
                yield scene.key, outcomes
            self.write([item for copy in self.copies.values() for item in copy.next()])
            time.sleep(PAUSE)


NOT_MINE = "(?:didn't match Pod's node affinity/selector|were unschedulable)"  # nodes of other scenes, mostly


def plain_text(text):
    """Without the nodes of other scenes, and ends of generated names."""
    text = re.sub(r", (?=\.)", "", re.sub(rf"\d+ node\(s\) {NOT_MINE}(, )?", "", text or ""))
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "*", text)
    text = re.sub(r"0/\d+ nodes|\d+ (?=Preemption is not helpful)", "* ", text)
    return re.sub(r"(-e\d|-extended-resources)-\w+", r"\1-*", text)


def pod_outcome(pod):
    status = pod.get("status", {})
    scheduled = next((each for each in status.get("conditions", []) if each["type"] == "PodScheduled"), {})
    special = status.get("extendedResourceClaimStatus")
    if special:
        special = {**special, "resourceClaimName": "*" if special.get("resourceClaimName") else None}
    return {"node": pod["spec"].get("nodeName"), "says": plain_text(scheduled.get("message")), "reason": scheduled.get("reason"), "special": special,
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
