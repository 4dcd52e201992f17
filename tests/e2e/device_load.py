"""Pods that want devices of every kind, for drills: whole ones, parts, shares, pairs on one PCIe root, one claim for several."""

GROUP = "/apis/resource.k8s.io/v1"
CLAIMS, TEMPLATES = f"{GROUP}/namespaces/default/resourceclaims", f"{GROUP}/namespaces/default/resourceclaimtemplates"
PODS = "/api/v1/namespaces/default/pods"
# Half of the nodes have large devices, half small ones.
LARGE = "gpu.example.com 8 memory:80Gi roots=4 parts=7:1,2,3; nic.example.com 4 roots=4"
SMALL = "gpu.example.com 2 memory:24Gi/1Gi"
USERS_PER_CLAIM = 5


def cel(expression):
    return [{"cel": {"expression": expression}}]


def kind_of_gpu(word):
    return cel(f'device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].type == "{word}"')


CLASSES = {"gpu": kind_of_gpu("whole"), "gpu-part": kind_of_gpu("part"), "gpu-share": kind_of_gpu("shared"),
           "nic": cel('device.driver == "nic.example.com"')}


def exactly(name, device_class, **more):
    return {"name": name, "exactly": {"deviceClassName": device_class, **more}}


def parts(size):
    return cel(f'device.attributes["gpu.example.com"].parts == {size}')


WANTS = {
    "whole": {"requests": [exactly("r", "gpu")]},
    "pair": {"requests": [exactly("gpus", "gpu", count=2), exactly("nic", "nic")],
             "constraints": [{"requests": ["gpus", "nic"], "matchAttribute": "resource.kubernetes.io/pcieRoot"}]},
    "part": {"requests": [exactly("r", "gpu-part", selectors=parts(1))]},
    "choice": {"requests": [{"name": "r", "firstAvailable": [
        {"name": "three", "deviceClassName": "gpu-part", "selectors": parts(3)},
        {"name": "two", "deviceClassName": "gpu-part", "selectors": parts(2)}]}]},
    "share": {"requests": [exactly("r", "gpu-share", capacity={"requests": {"memory": "6Gi"}})]},
}
# How often of 20; the rest of it shares claims.
MIX = ["whole"] * 3 + ["pair"] + ["part"] * 4 + ["choice"] * 3 + ["share"] * 6 + ["common"] * 3


def set_up(need):
    for name, selectors in CLASSES.items():
        need("POST", GROUP + "/deviceclasses", {"metadata": {"name": name}, "spec": {"selectors": selectors}})
    for name, devices in WANTS.items():
        need("POST", TEMPLATES, {"metadata": {"name": name}, "spec": {"spec": {"devices": devices}}})


def common_claim(number):
    return f"common-{number // USERS_PER_CLAIM}"


def pod(name, want, number, seconds=None):
    """seconds: after which it ends by itself, where kubelets are simulated."""
    claim = {"resourceClaimName": common_claim(number)} if want == "common" else {"resourceClaimTemplateName": want}
    meta = {"name": name, "labels": {"want": want}}
    if seconds:
        meta["annotations"] = {"sandbox.berth.dev/run": f"{seconds}s exit 0"}
    return {"metadata": meta, "spec": {
        "restartPolicy": "Never", "terminationGracePeriodSeconds": 1, "resourceClaims": [{"name": "d", **claim}],
        "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "100m"}, "claims": [{"name": "d"}]}}]}}


class Load:
    """Creates pods until there were so many, and ends some all the time."""

    def __init__(self, api, dice, size, ends_by_itself):
        self.api, self.dice, self.size, self.ends_by_itself = api, dice, size, ends_by_itself
        self.made, self.commons, self.common_claims = 0, 0, set()

    def create(self, count):
        for _ in range(min(count, self.size - self.made)):
            want, seconds = self.dice.choice(MIX), None
            if want == "common":
                claim = common_claim(self.commons)
                if claim not in self.common_claims:
                    self.common_claims.add(claim)
                    self.api("POST", CLAIMS, {"metadata": {"name": claim}, "spec": {"devices": WANTS["whole"]}})
                self.commons += 1
            if self.ends_by_itself and self.dice.random() < 0.2:
                seconds = self.dice.randrange(1, 5)
            status, answer = self.api("POST", PODS, pod(f"d-{self.made}", want, self.commons - 1, seconds))
            if status != 201:
                raise RuntimeError(f"POST pod: {status} {answer}")
            self.made += 1

    def alive(self):
        return [each for each in self.api("GET", PODS)[1]["items"]
                if "deletionTimestamp" not in each["metadata"] and each.get("status", {}).get("phase") not in ("Succeeded", "Failed")]

    def end_some(self, share):
        pods = self.alive()
        for each in self.dice.sample(pods, int(len(pods) * share)):
            body = {"gracePeriodSeconds": 0} if self.dice.random() < 0.5 or not self.ends_by_itself else None
            self.api("DELETE", f"{PODS}/{each['metadata']['name']}", body)

    def waiting(self):
        return [each["metadata"]["name"] for each in self.alive() if "nodeName" not in each["spec"]]


def claims_of(pods, claims):
    """For each pod its claim, when it has one that is there."""
    named = {each["metadata"]["name"]: each for each in claims}
    for each in pods:
        for entry in each["spec"].get("resourceClaims", []):
            name = entry.get("resourceClaimName") or next(
                (status.get("resourceClaimName") for status in each.get("status", {}).get("resourceClaimStatuses", [])
                 if status["name"] == entry["name"]), None)
            yield each, named.get(name)


def problems(pods, claims, offer):
    """Of pods that are bound: a claim that is not theirs, or on another node; constraints that do not hold."""
    found = []
    for each, claim in claims_of([each for each in pods if "nodeName" in each["spec"]], claims):
        name, status = each["metadata"]["name"], (claim or {}).get("status", {})
        results = status.get("allocation", {}).get("devices", {}).get("results", [])
        devices = [offer.devices[(result["driver"], result["pool"], result["device"])] for result in results]
        if not results:
            found.append(f"{name} ({each['metadata']['labels']['want']}, {each['status'].get('phase')}) is bound without devices: {claim}")
        if all(consumer["uid"] != each["metadata"]["uid"] for consumer in status.get("reservedFor", [])):
            found.append(f"{name} is bound, but its claim is not reserved for it")
        if any(device["node"] != each["spec"]["nodeName"] for device in devices):
            found.append(f"{name} is on {each['spec']['nodeName']}, its devices are on {[device['node'] for device in devices]}")
        roots = {device["attributes"]["resource.kubernetes.io/pcieRoot"]["string"] for device in devices
                 if each["metadata"]["labels"]["want"] == "pair"}
        if len(roots) > 1:
            found.append(f"{name} has devices on {sorted(roots)}")
    return found


def unused(claims):
    """Numbers of common claims with devices and without a pod. When a pod cannot be bound, kube-scheduler takes back what reserves the
    claim and leaves its devices allocated; when the pod then goes away, they stay until the next pod asks for the claim."""
    return [int(each["metadata"]["name"].removeprefix("common-")) for each in claims if each["metadata"]["name"].startswith("common-")
            and each.get("status", {}).get("allocation") and not each["status"].get("reservedFor")]


def leaks(claims):
    """Once no pod is left: claims of pods, and devices that nobody uses."""
    return [each for each in claims if not each["metadata"]["name"].startswith("common-") or
            each.get("status", {}).get("allocation") or each.get("status", {}).get("reservedFor")]
