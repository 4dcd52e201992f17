"""Watches ResourceClaims and checks at every event that no device, counter or capacity is given away twice.

It knows nothing of berth: ResourceSlices say what there is, the claims' status what is taken. Events of claims come in the order
of their revisions, so what is taken after one of them was taken at that moment."""

import http.client
import json
import threading

UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
GROUP = "/apis/resource.k8s.io/v1"


def amount(text):
    for unit, factor in UNITS.items():
        if text.endswith(unit):
            return int(text[:-len(unit)]) * factor
    return int(text)


class Offer:
    """What the slices of a cluster offer."""

    def __init__(self, slices):
        self.devices, self.counters, newest = {}, {}, {}
        for each in slices:
            spec = each["spec"]
            key = spec["driver"], spec["pool"]["name"]
            newest[key] = max(newest.get(key, 0), spec["pool"].get("generation", 0))
        for each in slices:
            spec = each["spec"]
            key = spec["driver"], spec["pool"]["name"]
            if spec["pool"].get("generation", 0) != newest[key]:
                continue
            for device in spec.get("devices", []):
                self.devices[(*key, device["name"])] = {**device, "node": spec.get("nodeName")}
            for counters in spec.get("sharedCounters", []):
                for name, value in counters["counters"].items():
                    self.counters[(*key, counters["name"], name)] = amount(value["value"])


class Taken:
    """What allocated claims take, and what is wrong about it."""

    def __init__(self, offer):
        self.offer, self.claims, self.owners, self.shares, self.counters, self.capacity = offer, {}, {}, {}, {}, {}
        self.broken, self.allocations = [], 0

    def add(self, table, key, value, most, what):
        table[key] = table.get(key, 0) + value
        if table[key] > most:
            self.broken.append(f"{what}: {key} has {most}, {table[key]} are taken")

    def change(self, name, result, sign):
        """One device of an allocation comes (1) or goes (-1)."""
        key = result["driver"], result["pool"], result["device"]
        device = self.offer.devices.get(key)
        if device is None:
            self.broken.append(f"{name}: there is no device {key}")
            return
        if device.get("allowMultipleAllocations"):
            self.change_share(name, key, device, result, sign)
            return
        owners = self.owners.setdefault(key, set())
        if sign > 0 and owners and name not in owners:
            self.broken.append(f"{key} is given to {name} and to {sorted(owners)}")
        if sign > 0:
            owners.add(name)
        else:
            owners.discard(name)
        for use in device.get("consumesCounters", []):
            for counter, value in use["counters"].items():
                place = (key[0], key[1], use["counterSet"], counter)
                self.add(self.counters, place, sign * amount(value["value"]), self.offer.counters.get(place, 0), name)

    def change_share(self, name, key, device, result, sign):
        place = (*key, result.get("shareID"))
        if sign > 0 and (place in self.shares or not result.get("shareID")):
            self.broken.append(f"{name}: share {place} is given to {self.shares.get(place)}, too")
        self.shares[place] = name
        if sign < 0:
            del self.shares[place]
        for capacity, value in result.get("consumedCapacity", {}).items():
            self.add(self.capacity, (*key, capacity), sign * amount(value), amount(device["capacity"][capacity]["value"]), name)

    def take(self, kind, claim):
        meta = claim["metadata"]
        name, uid = meta["name"], meta["uid"]
        allocation = claim.get("status", {}).get("allocation") if kind != "DELETED" else None
        results = allocation["devices"]["results"] if allocation else []
        before = self.claims.get(uid, [])
        same = [key(each) for each in before] == [key(each) for each in results]
        if before and results and not same:
            self.broken.append(f"the allocation of {name} changed")
        if not same:
            for each in before:
                self.change(name, each, -1)
            for each in results:
                self.change(name, each, 1)
            self.allocations += bool(results)
        if results:
            self.claims[uid] = results
        else:
            self.claims.pop(uid, None)
        if len(claim.get("status", {}).get("reservedFor", [])) > 256:
            self.broken.append(f"{name} is reserved for more than 256")


def key(result):
    return result["driver"], result["pool"], result["device"], result.get("shareID")


class Checker:
    """connect: makes a connection to the API server; headers go with each request."""

    def __init__(self, slices, connect, headers=()):
        self.taken, self.connect, self.headers = Taken(Offer(slices)), connect, dict(headers)
        self.events, self.relists, self.is_over, self.problem = 0, 0, False, None
        threading.Thread(target=self.run, daemon=True).start()

    @property
    def broken(self):
        return self.taken.broken + ([self.problem] if self.problem else [])

    def run(self):
        try:
            version = self.list()
            while not self.is_over:
                version = self.watch(version) or self.list()
        except Exception as problem:  # a checker that ended must not look like one that found nothing
            if not self.is_over:
                self.problem = f"the checker ended: {type(problem).__name__} {problem}"

    def ask(self, path):
        connection = self.connect()
        connection.request("GET", path, headers=self.headers)
        return connection.getresponse()

    def list(self):
        """Also after a lost watch: what is gone meanwhile is given back first."""
        self.relists += 1
        content = json.loads(self.ask(GROUP + "/resourceclaims").read())
        there = {each["metadata"]["uid"] for each in content["items"]}
        for uid in [uid for uid in self.taken.claims if uid not in there]:
            self.taken.take("DELETED", {"metadata": {"name": "gone", "uid": uid}})
        for each in sorted(content["items"], key=lambda each: "allocation" in each.get("status", {})):
            self.taken.take("ADDED", each)
        return content["metadata"]["resourceVersion"]

    def watch(self, version):
        """The version to go on from; None when it is too old."""
        try:
            for line in self.ask(f"{GROUP}/resourceclaims?watch=true&allowWatchBookmarks=true&resourceVersion={version}"):
                event = json.loads(line)
                if event["type"] == "ERROR":
                    return None
                version = event["object"]["metadata"]["resourceVersion"]
                if event["type"] != "BOOKMARK":
                    self.taken.take(event["type"], event["object"])
                    self.events += 1
        except (OSError, http.client.HTTPException):
            pass
        return version
