"""Random scenes of claims, drawn with a seed: nodes, classes, slices, claims, templates, and steps (pods that come and go, slices
that change, devices that become ready). Everything that a scene has carries its name, written @ until it is played."""

import random

from device_checker import GROUP
from objects import NODES, PODS

CLASSES, SLICES, CLAIMS = GROUP + "/deviceclasses", GROUP + "/resourceslices", GROUP + "/namespaces/default/resourceclaims"
D, ELSE = "@.example.com", "@.else.example.com"
OF = f'device.attributes["{D}"]'
ROOT = "resource.kubernetes.io/pcieRoot"
GOOD = (f'{OF}.color == "r"', f"{OF}.size > 1", f"{OF}.size in [1, 3]", f'device.driver == "{D}"', f'{OF}.color.matches("^[rg]$")',
        f'!({OF}.color == "r") || {OF}.size == 2', f'"{D}" in device.attributes', f"cel.bind(a, {OF}, a.size < 3)", "true",
        f'has({OF}.ready) && {OF}.ready', f'{OF}.color.startsWith("g") ? {OF}.size == 1 : true')
RICH = (f'{OF}.version.isGreaterThan(semver("1.0.0"))', f'device.capacity["{D}"].memory.compareTo(quantity("6Gi")) >= 0',
        f"{OF}.version.major() == 1", "device.allowMultipleAllocations", f'device.capacity["{D}"].lanes == quantity("4")',
        "!device.allowMultipleAllocations")
BROKEN = (f"{OF}.nothing == 1", 'device.attributes["other.example.com"].color == "r"', f"{OF}.size == 1 || {OF}.nothing == 2",
          f'device.capacity["{D}"].nothing.isInteger()', "false", f"{OF}.size / ({OF}.size - 1) > 0")
BOTH = (f'device.driver == "{D}"', f'device.driver == "{ELSE}"', f'"{D}" in device.attributes && {OF}.size > 1',
        f'device.driver != "{D}" || {OF}.color == "r"', f'device.attributes["{ELSE}"].size == 2', "true",
        f'device.driver == "{ELSE}" ? device.attributes["{ELSE}"].color == "g" : {OF}.size < 3')
FEATURES = ("broken", "rich", "counts", "all", "choice", "admin", "match", "distinct", "counters", "shares", "policy", "taints", "conditions",
            "extended", "per device", "network", "slices", "stale", "incomplete", "invalid", "shared", "cpu", "preempt", "events", "templates",
            "config", "several", "late", "drivers", "held", "finish", "nodes", "plugin", "containers", "sub", "sets")
NEEDS = {"policy": "shares", "sets": "counters", "sub": "choice", "plugin": "extended", "containers": "extended", "nodes": "events", "finish": "events"}


def cel(expression):
    return {"cel": {"expression": expression}}


def write(method, path, name, body=None):
    """A step."""
    return {"do": method, "path": f"{path}/{name}" if name else path, "body": body}


class Draw:
    """One scene and its dice."""

    def __init__(self, seed, number):
        self.dice = random.Random(f"{seed}-{number}")
        self.has = set(self.dice.sample(FEATURES, self.dice.choice((1, 2, 3, 3, 4, 5, 6, 8))))
        self.has |= {needed for feature, needed in NEEDS.items() if feature in self.has}
        # Pools with counters are looked at for all nodes, those of other scenes too, which matters to whom wants all devices or
        # names invalid pools: such scenes are not played at the same time, but with even seeds and with odd ones.
        self.has -= {"counters", "sets"} if int(seed) % 2 else {"all", "invalid"}
        self.driver, self.number, self.counts, self.given = D, 0, {}, set()

    def chance(self, share):
        return self.dice.random() < share

    def one(self, *items):
        return self.dice.choice(items)

    def next(self, letter):
        self.number += 1
        return f"{letter}{self.number}"

    # ---- what is offered

    def capacity(self, is_shared):
        memory = {"value": self.one("4Gi", "8Gi", "10Gi")}
        if is_shared and "policy" in self.has:
            memory["requestPolicy"] = self.one(
                {"default": "1Gi", "validRange": {"min": "1Gi", "step": "2Gi", "max": "9Gi"}},
                {"default": "2Gi", "validValues": ["2Gi", "4Gi"]}, {"default": "1Gi"}, {"default": "1Gi", "validRange": {"min": "1Gi"}},
                {"default": "2Gi", "validRange": {"min": "1Gi", "max": "4Gi"}})
        lanes = {"value": "4"}
        if is_shared and "policy" in self.has and self.chance(0.4):
            lanes["requestPolicy"] = self.one({"default": "0"}, {"default": "1", "validValues": ["1", "2", "4"]},
                                              {"default": "1", "validRange": {"min": "1", "step": "1"}})
        return {"memory": memory, **({"lanes": lanes} if self.chance(0.6) else {})}

    def consumption(self, name):
        counters = {"parts": {"value": str(self.one(1, 1, 2, 3, 4))}}
        if "sets" in self.has and self.chance(0.5):
            counters["memory"] = {"value": self.one("1Gi", "1536Mi", "2Gi", "4Gi")}
        return {"counterSet": name, "counters": counters}

    def device(self, name, sets):
        attributes = {"color": {"string": self.one("r", "g")}, "size": {"int": self.one(1, 2, 3)}}
        if self.has & {"match", "distinct"} or self.chance(0.2):
            attributes[ROOT] = {"string": self.one("a", "b", "c")}
        if "rich" in self.has:
            attributes |= {"version": {"version": self.one("1.0.0", "1.2.3", "2.0.0-rc.1")}, "ready": {"bool": self.chance(0.7)}}
        if "broken" in self.has and self.chance(0.2):
            del attributes[self.one(*attributes)]
        each = {"name": name, "attributes": attributes}
        is_shared = "shares" in self.has and self.chance(0.6)
        if is_shared:
            each["allowMultipleAllocations"] = True
        if self.has & {"shares", "rich"} and self.chance(0.9):
            each["capacity"] = self.capacity(is_shared)
        if sets and self.chance(0.85):
            each["consumesCounters"] = [self.consumption(one) for one in self.dice.sample(sets, self.one(1, 1, len(sets)))]
        if "taints" in self.has and self.chance(0.5):
            each["taints"] = [{"key": self.one("health", "age"), "value": self.one("bad", "worse"),
                               "effect": self.one("NoSchedule", "NoSchedule", "NoExecute", "None")} for _ in range(self.one(1, 1, 2))]
        if "conditions" in self.has and self.chance(0.5):
            each |= {"bindingConditions": ["Ready"], "bindingFailureConditions": ["Failed"], "bindsToNode": self.chance(0.5)}
        return each

    def place(self, node):
        if "network" in self.has and self.chance(0.4):
            key, value = self.one(("scene", "@"), ("zone", "@a"))
            return {"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}]}}
        return {"nodeName": node}

    def counter_sets(self, names):
        """In one slice, or each in one of its own."""
        sets = [{"name": one, "counters": {"parts": {"value": str(self.one(3, 4, 6))}}} for one in names]
        if "sets" not in self.has:
            return [{"sharedCounters": sets}] if sets else []
        for each in sets:
            if self.chance(0.95):
                each["counters"]["memory"] = {"value": self.one("4Gi", "6Gi")}
        return [{"sharedCounters": [each]} for each in sets] if self.chance(0.6) else [{"sharedCounters": sets}]

    def slices(self, node):
        pool, place, made = self.one(node, node, "@-pool-" + self.next("x")), self.place(node), []
        self.driver = self.one(D, D, ELSE) if "drivers" in self.has else D
        sets = ["s0", "s1", "s2"][:self.one(1, 1, 2, 3 if "sets" in self.has else 2)] if "counters" in self.has else []
        contents = self.counter_sets(sets)
        if "invalid" in self.has and self.chance(0.2):
            sets = [*sets, "absent"]
        for _ in range(self.one(1, 2, 3) if "slices" in self.has else 1):
            devices = [self.device(self.next("d"), sets) for _ in range(self.one(0, 1, 2, 3, 4, 5))]
            contents.append({"devices": devices} if devices else {})
        filled = [each["devices"] for each in contents if each.get("devices")]
        if "invalid" in self.has and self.chance(0.4) and len(filled) > 1:
            filled[1][0]["name"] = filled[0][0]["name"]
        count, generation = len(contents) + ("incomplete" in self.has and self.chance(0.5)), self.one(1, 1, 2)
        for content in contents:
            where = self.place(self.one(node, "@-n0")) if "sets" in self.has and "sharedCounters" in content and self.chance(0.5) else place
            if "per device" in self.has and content.get("devices") and place.get("nodeName") and self.chance(0.7):
                where = {"perDeviceNodeSelection": True}
                for each in content["devices"]:
                    each |= self.place(self.one("@-n0", node))
            made.append(self.slice(pool, generation, count, where, content))
        if "stale" in self.has and self.chance(0.6):
            old = [self.device(self.next("d"), []) for _ in range(2)]
            made.append(self.slice(pool, self.one(generation - 1, generation + 1), self.one(1, 2), self.place(self.one("@-n0", node)), {"devices": old}))
        return made

    def slice(self, pool, generation, count, where, content):
        return {"metadata": {"name": "@-" + self.next("s")}, "spec": {
            "driver": self.driver, "pool": {"name": pool, "generation": generation, "resourceSliceCount": int(count)}, **where, **content}}

    # ---- what is asked for

    def selectors(self, share):
        if not self.chance(share):
            return {}
        pool = (BOTH if "drivers" in self.has else GOOD) + (RICH if "rich" in self.has else ()) + (BROKEN if "broken" in self.has else ())
        return {"selectors": [cel(self.one(*pool)) for _ in range(self.one(1, 1, 2))]}

    def config(self, requests=()):
        return {**({"requests": list(requests)} if requests else {}), "opaque": {"driver": self.one(D, ELSE), "parameters": {
            "is": self.next("p")}}}

    def classes(self):
        made = [{"metadata": {"name": "@-any"}, "spec": {}},
                {"metadata": {"name": "@-some"}, "spec": self.selectors(0.9)}]
        if "config" in self.has:
            made[1]["spec"]["config"] = [self.config() for _ in range(self.one(1, 2))]
        if "extended" in self.has:
            made.append({"metadata": {"name": "@-sold"}, "spec": {**self.selectors(0.6), "extendedResourceName": f"{D}/gpu"}})
            if self.chance(0.3):
                made.append({"metadata": {"name": "@-net"}, "spec": {**self.selectors(0.6), "extendedResourceName": f"{D}/net"}})
        return made

    def wants(self, may_be_admin=True):
        each = {"deviceClassName": self.one("@-any", "@-some", "@-any", "@-some", "@-missing" if self.chance(0.1) else "@-any"), **self.selectors(0.5)}
        if "all" in self.has and self.chance(0.4):
            each["allocationMode"] = "All"
        elif "counts" in self.has:
            each["count"] = self.one(1, 1, 2, 3, 4)
        if may_be_admin and "admin" in self.has and self.chance(0.4):
            each["adminAccess"] = True
        if "taints" in self.has and self.chance(0.5):
            each["tolerations"] = [self.one(
                {"operator": "Exists"}, {"key": "health", "operator": "Exists"}, {"key": "health", "operator": "Equal", "value": "bad"},
                {"key": "age", "operator": "Exists", "effect": "NoSchedule"},
                {"key": "health", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 3600})]
        if "shares" in self.has and self.chance(0.6):
            each["capacity"] = {"requests": {"memory": self.one("1Gi", "2Gi", "3Gi", "4Gi", "5Gi", "12Gi"),
                                             **({"lanes": self.one("1", "2", "0", "3")} if self.chance(0.3) else {})}}
        return each

    def request(self, name):
        if "choice" in self.has and self.chance(0.6):
            return {"name": name, "firstAvailable": [{"name": f"s{at}", **self.wants(False)} for at in range(self.one(1, 2, 3))]}
        return {"name": name, "exactly": self.wants()}

    def claim_spec(self):
        names = ["r0", "r1", "r2"][:self.one(1, 1, 2, 3) if "several" in self.has or self.has & {"match", "distinct"} else 1]
        devices = {"requests": [self.request(name) for name in names]}
        parts = [*names, *(f"{each['name']}/{one['name']}" for each in devices["requests"] for one in each.get("firstAvailable", []))]
        parts, constraints = parts if "sub" in self.has else names, []
        for feature in ("match", "distinct"):
            if feature in self.has and self.chance(0.7):
                attributes = (ROOT, ROOT, f"{D}/size", f"{D}/color", *((f"{D}/version", f"{D}/ready") if "rich" in self.has else ()))
                constraints.append({f"{feature}Attribute": self.one(*attributes),
                                    **({"requests": self.dice.sample(parts, self.one(1, len(parts)))} if self.chance(0.4) else {})})
        if constraints:
            devices["constraints"] = constraints
        if "config" in self.has and self.chance(0.7):
            devices["config"] = [self.config(self.one((), names[:1], parts, parts[-1:])) for _ in range(self.one(1, 2))]
        return {"devices": devices}

    # ---- pods and what happens

    def pod(self, number, nodes, claims, templates):
        each = {"name": f"@-p{number}", "claims": [], "priority": "low"}
        mine = self.dice.sample(claims, min(len(claims), self.one(1, 1, 1, 2))) if "shared" in self.has else claims[number:number + 1]
        each["claims"] = [{"claim": one["metadata"]["name"]} for one in mine]
        if templates and self.chance(0.7):
            each["claims"] = [*each["claims"][:self.one(0, 1)], {"template": self.one(*templates)["metadata"]["name"]}]
        if "extended" in self.has and self.chance(0.7):
            each["resources"] = {self.one(f"{D}/gpu", f"{D}/gpu", "deviceclass.resource.kubernetes.io/@-sold"): str(self.one(1, 1, 2))}
            if self.chance(0.7):
                each["claims"] = []
        if "containers" in self.has and "resources" in each:
            names = (f"{D}/gpu", f"{D}/net", "deviceclass.resource.kubernetes.io/@-sold", "deviceclass.resource.kubernetes.io/@-any")
            for kind in ("more", "init"):
                each[kind] = [{self.one(*names): str(self.one(1, 1, 2))} for _ in range(self.one(0, 1, 1, 2))]
        if "cpu" in self.has:
            each["cpu"] = self.one("1", "2", "3", "500m")
        if "preempt" in self.has:
            each["priority"], each["cpu"] = self.one("low", "low", "high"), self.one("2", "3", "4")
        if self.chance(0.6):
            each["node"] = self.one(*nodes)
        else:
            each["order"] = self.dice.sample(nodes, len(nodes))
        return each

    def node(self, name):
        each = {"name": name, "zone": self.one("@a", "@b"), "cpu": self.one("4", "8")}
        return {**each, "plugin": {f"{D}/gpu": self.one("0", "1", "2")}} if "plugin" in self.has and self.chance(0.5) else each

    def agree(self, made):
        """Of one pool and generation about how many slices there are: else it is chance whom kube-scheduler believes."""
        for each in made:
            pool = each["spec"]["pool"]
            pool["resourceSliceCount"] = self.counts.setdefault((each["spec"]["driver"], pool["name"], pool["generation"]), pool["resourceSliceCount"])
        return made

    def result(self, request, scene):
        """Of an allocation by another scheduler, of a device that nobody has yet, or that there is none of."""
        offers = [(each["spec"], one) for each in scene["slices"] for one in each["spec"].get("devices", []) if one["name"] not in self.given]
        spec, device = self.one(*offers) if offers and self.chance(0.9) else ({"driver": D, "pool": {"name": "@-gone"}}, {"name": self.next("gone")})
        self.given.add(device["name"])
        each = {"request": request, "driver": spec["driver"], "pool": spec["pool"]["name"], "device": device["name"]}
        if device.get("allowMultipleAllocations") and self.chance(0.9):
            each |= {"shareID": f"5f0c6c1e-0000-4000-8000-{int(self.next('')):012}", "consumedCapacity": {"memory": self.one("1Gi", "3Gi", "4Gi")}}
        if "admin" in self.has and self.chance(0.3):
            each["adminAccess"] = True
        return each

    def held(self, scene):
        """A claim that another scheduler allocated, as a step."""
        name, nodes = "@-h" + self.next(""), [each["name"] for each in scene["nodes"]]
        names = ["r0", "r1"][:self.one(1, 1, 2)]
        claim = {"metadata": {"name": name}, "spec": {"devices": {"requests": [
            {"name": each, "exactly": {"deviceClassName": "@-any", **({"adminAccess": True} if "admin" in self.has else {})}} for each in names]}}}
        # Without the time kube-scheduler tries its pods for ever (docs/parity.md), which leaves to chance what others find.
        allocation = {"devices": {"results": [self.result(each, scene) for each in names]}, "allocationTimestamp": "2026-01-01T00:00:00Z"}
        if self.chance(0.7):
            allocation["nodeSelector"] = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [self.one(*nodes)]}]}]}
        scene["claims"].insert(self.dice.randrange(len(scene["claims"]) + 1), claim)
        return write("PATCH", CLAIMS, f"{name}/status", {"status": {"allocation": allocation}})

    def changed_slice(self, scene):
        old = self.one(*scene["slices"])
        spec = {**old["spec"], "pool": {**old["spec"]["pool"], "generation": old["spec"]["pool"]["generation"] + self.one(0, 1)}}
        if "devices" in spec and "perDeviceNodeSelection" not in spec:
            spec["devices"] = [self.device(one["name"], []) for one in spec["devices"]] + [self.device(self.next("d"), [])]
        self.agree([{"spec": spec}])
        return [write("PATCH", SLICES, old["metadata"]["name"], {"spec": spec})]

    def changed_node(self, scene):
        name, kind = self.one(*scene["nodes"])["name"], self.one("zone", "schedulable", "cpu", "plugin")
        if kind == "zone":
            return [write("PATCH", NODES, name, {"metadata": {"labels": {"zone": self.one("@a", "@b")}}})]
        if kind == "schedulable":
            return [write("PATCH", NODES, name, {"spec": {"unschedulable": self.one(True, None)}})]
        value = {"cpu": self.one("2", "16")} if kind == "cpu" else {f"{D}/gpu": self.one("0", "1", None)}
        return [write("PATCH", NODES, f"{name}/status", {"status": {"capacity": value, "allocatable": value}})]

    def event(self, scene, pods):
        """Steps, mostly one."""
        kind = self.one("delete", "delete", "slice", "class", *(("less", "more", "claim", "changed", "changed") if "nodes" in self.has else ()),
                        *(("finish", "finish", "finish") if "finish" in self.has else ()))
        if kind == "delete":
            return [write("DELETE", PODS, self.one(*pods) + "?gracePeriodSeconds=0")]
        if kind == "finish":
            return [write("PATCH", PODS, self.one(*pods) + "/status", {"status": {"phase": self.one("Succeeded", "Failed")}})]
        if kind == "claim" and scene["claims"]:
            return [write("DELETE", CLAIMS, self.one(*scene["claims"])["metadata"]["name"])]
        if kind == "more":
            return [write("POST", SLICES, "", each) for each in self.agree(self.slices(self.one(*scene["nodes"])["name"]))]
        if kind == "changed":
            return self.changed_node(scene)
        if kind == "slice" and scene["slices"]:
            return self.changed_slice(scene)
        if kind == "less" and scene["slices"]:
            return [write("DELETE", SLICES, self.one(*scene["slices"])["metadata"]["name"])]
        return [write("PATCH", CLASSES, "@-some", {"spec": {"selectors": None, **self.selectors(0.6)}})]

    def scene(self):
        nodes = ["@-n0", "@-n1", "@-n2", "@-n3"][:self.one(1, 1, 2, 2, 3, 4)]
        scene = {"nodes": [self.node(name) for name in nodes],
                 "classes": self.classes(), "slices": [], "claims": [], "templates": [], "steps": []}
        for node in nodes:
            for _ in range(self.one(0, 1, 1, 1, 2)):
                scene["slices"] += self.slices(node)
        self.agree(scene["slices"])
        count = self.one(1, 2, 3, 4, 5, 6)
        scene["claims"] = [{"metadata": {"name": f"@-c{at}"}, "spec": self.claim_spec()} for at in range(count)]
        if "held" in self.has:
            scene["steps"] += [self.held(scene) for _ in range(self.one(1, 1, 2, 3))]
        if "templates" in self.has:
            scene["templates"] = [{"metadata": {"name": "@-t"}, "spec": {"spec": self.claim_spec()}}]
        late = scene["claims"].pop() if "late" in self.has and self.chance(0.7) else None
        pods = []
        for number in range(count):
            claims = scene["claims"] + ([late] if late else [])
            scene["steps"].append({"pod": self.pod(number, nodes, claims, scene["templates"])})
            pods.append(f"@-p{number}")
            if "conditions" in self.has:
                scene["steps"].append({"ready": pods[-1], "type": self.one("Ready", "Ready", "Ready", "Failed")})
            if "events" in self.has and self.chance(0.5):
                scene["steps"] += self.event(scene, pods)
        if late:
            scene["steps"].append(write("POST", CLAIMS, "", late))
        return scene


def scene(seed, number):
    return Draw(seed, number).scene()
