"""Random scenes of claims, drawn with a seed: nodes, classes, slices, claims, templates, and steps (pods that come and go, slices
that change, devices that become ready). Everything that a scene has carries its name, written @ until it is played."""

import random

D = "@.example.com"
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
FEATURES = ("broken", "rich", "counts", "all", "choice", "admin", "match", "distinct", "counters", "shares", "policy", "taints", "conditions",
            "extended", "per device", "network", "slices", "stale", "incomplete", "invalid", "shared", "cpu", "preempt", "events", "templates",
            "config", "several", "late")


def cel(expression):
    return {"cel": {"expression": expression}}


def agree(slices):
    """Of one pool and generation about how many there are: else it is chance whom kube-scheduler believes."""
    counts = {}
    for each in slices:
        pool = each["spec"]["pool"]
        pool["resourceSliceCount"] = counts.setdefault((pool["name"], pool["generation"]), pool["resourceSliceCount"])


class Draw:
    """One scene and its dice."""

    def __init__(self, seed, number):
        self.dice = random.Random(f"{seed}-{number}")
        self.has = set(self.dice.sample(FEATURES, self.dice.choice((1, 2, 2, 3, 3, 4, 5, 6))))
        if "policy" in self.has:
            self.has.add("shares")
        # Pools with counters are looked at for all nodes, those of other scenes too, which matters to whom wants all devices or
        # names invalid pools: such scenes are not played at the same time.
        self.has -= {"all", "invalid"} if number // 300 % 2 else {"counters"}
        self.number = 0

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
        return {"memory": memory, **({"lanes": {"value": "4"}} if self.chance(0.6) else {})}

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
            each["consumesCounters"] = [{"counterSet": one, "counters": {"parts": {"value": str(self.one(1, 1, 2, 3, 4))}}}
                                        for one in self.dice.sample(sets, self.one(1, 1, len(sets)))]
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

    def slices(self, node):
        pool, place, made = self.one(node, node, "@-pool-" + self.next("x")), self.place(node), []
        sets = ["s0", "s1"][:self.one(1, 1, 2)] if "counters" in self.has else []
        contents = [{"sharedCounters": [{"name": one, "counters": {"parts": {"value": str(self.one(3, 4, 6))}}} for one in sets]}] if sets else []
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
            where = place
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
            "driver": D, "pool": {"name": pool, "generation": generation, "resourceSliceCount": int(count)}, **where, **content}}

    # ---- what is asked for

    def selectors(self, share):
        if not self.chance(share):
            return {}
        pool = GOOD + (RICH if "rich" in self.has else ()) + (BROKEN if "broken" in self.has else ())
        return {"selectors": [cel(self.one(*pool)) for _ in range(self.one(1, 1, 2))]}

    def config(self, requests=()):
        return {**({"requests": list(requests)} if requests else {}), "opaque": {"driver": self.one(D, "else.example.com"), "parameters": {
            "is": self.next("p")}}}

    def classes(self):
        made = [{"metadata": {"name": "@-any"}, "spec": {}},
                {"metadata": {"name": "@-some"}, "spec": self.selectors(0.9)}]
        if "config" in self.has:
            made[1]["spec"]["config"] = [self.config() for _ in range(self.one(1, 2))]
        if "extended" in self.has:
            made.append({"metadata": {"name": "@-sold"}, "spec": {**self.selectors(0.6), "extendedResourceName": f"{D}/gpu"}})
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
                {"key": "age", "operator": "Exists", "effect": "NoSchedule"})]
        if "shares" in self.has and self.chance(0.6):
            each["capacity"] = {"requests": {"memory": self.one("1Gi", "2Gi", "3Gi", "4Gi", "5Gi", "12Gi"),
                                             **({"lanes": self.one("1", "2")} if self.chance(0.3) else {})}}
        return each

    def request(self, name):
        if "choice" in self.has and self.chance(0.6):
            return {"name": name, "firstAvailable": [{"name": f"s{at}", **self.wants(False)} for at in range(self.one(1, 2, 3))]}
        return {"name": name, "exactly": self.wants()}

    def claim_spec(self):
        names = ["r0", "r1", "r2"][:self.one(1, 1, 2, 3) if "several" in self.has or self.has & {"match", "distinct"} else 1]
        devices = {"requests": [self.request(name) for name in names]}
        constraints = []
        for feature in ("match", "distinct"):
            if feature in self.has and self.chance(0.7):
                constraints.append({f"{feature}Attribute": self.one(ROOT, ROOT, f"{D}/size", f"{D}/color"),
                                    **({"requests": self.dice.sample(names, self.one(1, len(names)))} if self.chance(0.4) else {})})
        if constraints:
            devices["constraints"] = constraints
        if "config" in self.has and self.chance(0.7):
            devices["config"] = [self.config(self.one((), names[:1], names)) for _ in range(self.one(1, 2))]
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
        if "cpu" in self.has:
            each["cpu"] = self.one("1", "2", "3", "500m")
        if "preempt" in self.has:
            each["priority"], each["cpu"] = self.one("low", "low", "high"), self.one("2", "3", "4")
        if self.chance(0.6):
            each["node"] = self.one(*nodes)
        else:
            each["order"] = self.dice.sample(nodes, len(nodes))
        return each

    def event(self, scene, pods):
        kind = self.one("delete", "delete", "slice", "class")
        if kind == "delete" and pods:
            return {"delete": self.one(*pods)}
        if kind == "slice" and scene["slices"]:
            old = self.one(*scene["slices"])
            spec = {**old["spec"], "pool": {**old["spec"]["pool"], "generation": old["spec"]["pool"]["generation"] + self.one(0, 1)}}
            if "devices" in spec and "perDeviceNodeSelection" not in spec:
                spec["devices"] = [self.device(one["name"], []) for one in spec["devices"]] + [self.device(self.next("d"), [])]
            return {"slice": old["metadata"]["name"], "spec": spec}
        return {"class": "@-some", "spec": self.selectors(0.6)}

    def scene(self):
        nodes = ["@-n0", "@-n1", "@-n2", "@-n3"][:self.one(1, 1, 2, 2, 3, 4)]
        scene = {"nodes": [{"name": name, "zone": self.one("@a", "@b"), "cpu": self.one("4", "8")} for name in nodes],
                 "classes": self.classes(), "slices": [], "claims": [], "templates": [], "steps": []}
        for node in nodes:
            for _ in range(self.one(0, 1, 1, 1, 2)):
                scene["slices"] += self.slices(node)
        agree(scene["slices"])
        count = self.one(1, 2, 3, 4, 5, 6)
        scene["claims"] = [{"metadata": {"name": f"@-c{at}"}, "spec": self.claim_spec()} for at in range(count)]
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
                scene["steps"].append(self.event(scene, pods))
        if late:
            scene["steps"].append({"claim": late})
        return scene


def scene(seed, number):
    return Draw(seed, number).scene()
