"""Scenarios of fuzz_api.py about what users put into a namespace to judge others: limits, quotas, Pod Security, classes."""

from fuzz_api_reads import Reads
from fuzz_api_seeds import QUANTITIES
from fuzz_api_steps import JSON, MERGE, STRATEGIC

SMALL = ["100m", "50m", "1", "2", "500m", "200m", "1500m", "0"]
BYTES = ["64Mi", "128Mi", "1Gi", "32Mi", "1G", "256Mi", "0", "2Gi"]
STORED = ["1Gi", "2Gi", "5Gi", "500Mi", "10Gi"]
LEVELS = ["privileged", "baseline", "restricted", "restricted", "baseline", "x", ""]
VERSIONS = ["latest", "v1.24", "v1.36", "v1.0", "v1.99", "x", "v1.22", ""]
#: members of pods that Pod Security looks at: (place, value)
SECURITY = [
    ("spec", {"hostNetwork": True}), ("spec", {"hostPID": True}), ("spec", {"hostIPC": True}), ("spec", {"hostUsers": False}), ("spec", {"os": {"name": "windows"}}),
    ("spec", {"volumes": [{"name": "v", "hostPath": {"path": "/x"}}]}), ("spec", {"volumes": [{"name": "v", "nfs": {"server": "a", "path": "/"}}]}),
    ("spec", {"volumes": [{"name": "v", "emptyDir": {}}, {"name": "w", "configMap": {"name": "a"}}]}), ("spec", {"securityContext": {"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}}),
    ("spec", {"securityContext": {"sysctls": [{"name": "net.ipv4.tcp_rmem", "value": "1"}]}}), ("spec", {"securityContext": {"seccompProfile": {"type": "Unconfined"}}}),
    ("spec", {"securityContext": {"seccompProfile": {"type": "RuntimeDefault"}, "runAsNonRoot": True}}), ("spec", {"securityContext": {"runAsUser": 0}}),
    ("spec", {"securityContext": {"seLinuxOptions": {"type": "spc_t", "user": "u"}}}), ("spec", {"securityContext": {"appArmorProfile": {"type": "Unconfined"}}}),
    ("spec", {"securityContext": {"windowsOptions": {"hostProcess": True}}, "hostNetwork": True}), ("container", {"ports": [{"containerPort": 80, "hostPort": 80}]}),
    ("container", {"securityContext": {"privileged": True}}), ("container", {"securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}}),
    ("container", {"securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}}}),
    ("container", {"securityContext": {"capabilities": {"add": ["SYS_ADMIN", "CHOWN"]}}}), ("container", {"securityContext": {"procMount": "Unmasked"}}),
    ("container", {"securityContext": {"runAsUser": 0}}), ("container", {"securityContext": {"runAsNonRoot": False}}), ("container", {"securityContext": {"seccompProfile": {"type": "Localhost", "localhostProfile": "a"}}}),
    ("container", {"livenessProbe": {"httpGet": {"port": 80, "host": "10.0.0.1"}}}), ("container", {"lifecycle": {"preStop": {"tcpSocket": {"port": 80, "host": "a"}}}}),
    ("metadata", {"annotations": {"container.apparmor.security.beta.kubernetes.io/c0": "unconfined"}}),
    ("metadata", {"annotations": {"seccomp.security.alpha.kubernetes.io/pod": "unconfined"}})]
GOOD = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
HARD = {
    "pods": ["0", "1", "2"], "cpu": SMALL, "memory": BYTES, "requests.cpu": SMALL, "limits.cpu": SMALL, "requests.memory": BYTES, "limits.memory": BYTES,
    "requests.ephemeral-storage": BYTES, "limits.ephemeral-storage": BYTES, "ephemeral-storage": BYTES, "requests.example.com/gpu": ["0", "1"], "limits.example.com/gpu": ["1"],
    "example.com/gpu": ["1"], "hugepages-2Mi": BYTES, "requests.hugepages-2Mi": BYTES, "persistentvolumeclaims": ["0", "1"], "requests.storage": STORED,
    "fast.storageclass.storage.k8s.io/requests.storage": STORED, "fast.storageclass.storage.k8s.io/persistentvolumeclaims": ["0", "1"], "services": ["0", "1"],
    "services.nodeports": ["0", "1"], "services.loadbalancers": ["0", "1"], "configmaps": ["0", "1", "2"], "secrets": ["1"], "count/deployments.apps": ["0", "1"], "count/pods": ["0", "1", "2"],
    "count/configmaps": ["1"], "count/jobs.batch": ["0"], "count/services": ["1"], "replicationcontrollers": ["0"], "resourcequotas": ["1"], "count/leases.coordination.k8s.io": ["0", "1"],
    "count/resourceclaims.resource.k8s.io": ["0", "1"], "count/persistentvolumeclaims": ["1"], "gold.deviceclass.resource.k8s.io/devices": ["1"], "count/resourcequotas": ["2"]}
SCOPES = ["Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity", "VolumeAttributesClass", "x"]


class Judged(Reads):
    """A namespace with what judges, then objects that it judges."""

    def __init__(self, maker, plural):
        super().__init__(maker, plural)
        self.space, self.plural = "/api/v1/namespaces/fuzzed", "pods"
        self.serial = 0

    def named(self, kind, version, name, **parts):
        return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **parts}

    def quantity(self, name):
        if self.chance(0.03):
            return self.pick(QUANTITIES)
        return self.pick(BYTES if "memory" in name or "storage" in name else SMALL)

    def amounts(self, names, counts):
        return {name: self.quantity(name) for name in (self.pick(names) for _ in range(self.pick(counts)))}

    def limits(self):
        rows = []
        for _ in range(self.pick([1, 1, 2])):
            kind = self.pick(["Container", "Container", "Container", "Pod", "Pod", "PersistentVolumeClaim", "x", ""][:8 if self.chance(0.1) else 6])
            row = {"type": kind}
            names = ["storage"] if kind == "PersistentVolumeClaim" else ["cpu", "memory", "ephemeral-storage", "example.com/gpu"][:2 if self.chance(0.7) else 4]
            for member in ("min", "max", "default", "defaultRequest", "maxLimitRequestRatio"):
                if self.chance(0.4 if not member.startswith("default") or kind == "Container" else 0.05):
                    row[member] = {name: self.pick(STORED) for name in names} if kind == "PersistentVolumeClaim" and self.chance(0.9) else self.amounts(names, [1, 1, 2]) \
                        if member != "maxLimitRequestRatio" else {self.pick(names): self.pick(["2", "1", "1.5", "4", "0"])}
            rows.append(row)
        return ("POST", f"{self.space}/limitranges", JSON, self.named("LimitRange", "v1", self.pick(["l", "m"]), spec={"limits": rows}))

    def quota(self):
        hard = {}
        for _ in range(self.pick([1, 1, 2, 3])):
            name = self.pick(sorted(HARD))
            hard[name] = self.pick(HARD[name])
        spec, name = {"hard": hard}, self.pick(["q", "r"])
        if self.chance(0.35):
            spec["hard"] = {key: self.pick(HARD[key]) for key in self.pick([["pods"], ["cpu"], ["requests.cpu", "pods"], ["limits.memory"], ["count/pods"], ["persistentvolumeclaims"], ["requests.storage"]])}
            if self.chance(0.5):
                spec["scopes"] = [self.pick(SCOPES) for _ in range(self.pick([1, 1, 2]))]
            else:
                spec["scopeSelector"] = {"matchExpressions": [self.pick([
                    {"scopeName": "PriorityClass", "operator": self.pick(["In", "NotIn"]), "values": [self.pick(["fuzzed", "system-node-critical"])]}, {"scopeName": "PriorityClass", "operator": "Exists"},
                    {"scopeName": "PriorityClass", "operator": "DoesNotExist"}, {"scopeName": self.pick(SCOPES), "operator": "Exists"}, {"scopeName": "Terminating", "operator": "In", "values": ["a"]},
                    {"scopeName": "CrossNamespacePodAffinity", "operator": self.pick(["Exists", "In", "DoesNotExist"])}, {"scopeName": "VolumeAttributesClass", "operator": "In", "values": ["v"]},
                    {"scopeName": self.pick(SCOPES), "operator": self.pick(["In", "x", ""]), "values": []}]) for _ in range(self.pick([1, 1, 2]))]}
        steps = [("POST", f"{self.space}/resourcequotas", JSON, self.named("ResourceQuota", "v1", name, spec=spec))]
        status = {"hard": spec["hard"], "used": {key: "0" for key in spec["hard"]}}
        if self.chance(0.92):
            steps.append(("PATCH", f"{self.space}/resourcequotas/{name}/status", MERGE, {"status": status}))
        return steps

    def security_labels(self):
        labels = {}
        for mode in ("enforce", "warn", "audit"):
            if self.chance(0.6):
                labels[f"pod-security.kubernetes.io/{mode}"] = self.pick(LEVELS if self.chance(0.15) else LEVELS[:5])
            if self.chance(0.3):
                labels[f"pod-security.kubernetes.io/{mode}-version"] = self.pick(VERSIONS if self.chance(0.4) else VERSIONS[:3])
        return labels

    def pod(self):
        containers = []
        for index in range(self.pick([1, 1, 2])):
            names = ["cpu", "memory"] if self.chance(0.85) else ["cpu", "ephemeral-storage", "example.com/gpu", "hugepages-2Mi", "x"]
            resources = {}
            for member in ("requests", "limits"):
                if self.chance(0.6):
                    resources[member] = self.amounts(names, [1, 2])
            containers.append({"name": f"c{index}", "image": "a", **({"resources": resources} if resources or self.chance(0.3) else {})})
        spec, meta = {"containers": containers}, {"labels": {"app": "web"}}
        if self.chance(0.15):
            spec["initContainers"] = [{"name": "i", "image": "a", "resources": {"requests": self.amounts(["cpu", "memory"], [1, 2])}, **self.pick([{}, {"restartPolicy": "Always"}])}]
        if self.secure and self.chance(0.5):
            for container in containers:
                container["securityContext"] = dict(GOOD)
        for _ in range(self.pick([0, 1, 1, 2]) if self.secure else self.pick([0, 0, 0, 1])):
            where, value = self.pick(SECURITY)
            if where == "container":
                self.pick(containers)
                containers[self.maker.random.randrange(len(containers))].update(value)
            else:
                (spec if where == "spec" else meta).update(value)
        for share, value in [
                (0.12, {"activeDeadlineSeconds": 5}), (0.2, {"priorityClassName": self.pick(["fuzzed", "system-node-critical", "none", "system-cluster-critical"])}),
                (0.06, {"priority": self.pick([0, 7, 2000000000])}), (0.05, {"preemptionPolicy": self.pick(["Never", "PreemptLowerPriority"])}),
                (0.07, {"resources": {self.pick(["requests", "limits"]): self.amounts(["cpu", "memory"], [1, 2])}}),
                (0.06, {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "a", "labelSelector": {}, **self.pick([{"namespaces": ["x"]}, {"namespaceSelector": {}}, {}])}]}}}),
                (0.04, {"overhead": {"cpu": "10m"}}), (0.03, {"runtimeClassName": "x"})]:
            if self.chance(share):
                spec.update(value)
        return {"metadata": meta, "spec": spec}

    def name(self):
        self.serial += 1
        return f"n{self.serial}"

    def create_judged(self):
        kind = self.pick(["pod"] * 6 + ["claim"] * 2 + ["service", "configmap", "deployment", "job", "lease", "secret", "template", "quota", "resourceclaim"])
        name, version, place = self.name(), "v1", self.space
        if kind == "pod":
            body, plural = {**self.named("Pod", "v1", name), **self.pod()}, "pods"
            body["metadata"]["name"] = name
            self.made.append(name)
        elif kind == "claim":
            spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": self.pick(STORED)}, **self.pick([{}, {}, {"limits": {"storage": self.pick(STORED)}}])}}
            spec.update(self.pick([{}, {"storageClassName": "fast"}, {"storageClassName": ""}, {"volumeAttributesClassName": "v"}, {"storageClassName": "fuzzed"}]))
            body, plural = self.named("PersistentVolumeClaim", "v1", name, spec=spec), "persistentvolumeclaims"
            self.claims.append(name)
        elif kind == "service":
            body, plural = self.named("Service", "v1", name, spec={"type": self.pick(["ClusterIP", "NodePort", "LoadBalancer"]), "ports": [{"name": p, "port": n} for p, n in [("a", 80), ("b", 81)][:self.pick([1, 2])]],
                                                                   **self.pick([{}, {}, {"allocateLoadBalancerNodePorts": False}])}), "services"
            self.services.append(name)
        elif kind == "deployment":
            body, plural = self.named("Deployment", "apps/v1", name, spec={"selector": {"matchLabels": {"app": "web"}}, "template": self.pod()}), "deployments"
        elif kind == "job":
            template = self.pod()
            template["spec"]["restartPolicy"] = "Never"
            body, plural = self.named("Job", "batch/v1", name, spec={"template": template}), "jobs"
        elif kind == "template":
            body, plural = self.named("PodTemplate", "v1", name, template=self.pod()), "podtemplates"
        elif kind == "lease":
            body, plural = self.named("Lease", "coordination.k8s.io/v1", name), "leases"
        elif kind == "quota":
            body, plural = self.named("ResourceQuota", "v1", name, spec={"hard": {"pods": "5"}}), "resourcequotas"
        elif kind == "resourceclaim":
            body, plural = self.named("ResourceClaim", "resource.k8s.io/v1", name, spec={"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gold", **self.pick([{}, {"count": 2}, {"allocationMode": "All"}])}}]}}), "resourceclaims"
        else:
            body, plural = self.named({"configmap": "ConfigMap", "secret": "Secret"}[kind], "v1", name), kind + "s"
        version = body["apiVersion"]
        place = f"/apis/{version}/namespaces/fuzzed" if "/" in version else self.space
        return ("POST", f"{place}/{plural}" + self.options("one"), JSON, body)

    def update_judged(self):
        kind = self.pick(["resize", "labels", "claim", "service", "delete", "quota", "ephemeral", "look", "namespace", "limits", "deadline"])
        pod, claim, service = (self.pick(names or ["none"]) for names in (self.made, self.claims, self.services))
        if kind == "resize":
            return ("PATCH", f"{self.space}/pods/{pod}/resize", STRATEGIC, {"spec": {"containers": [{"name": "c0", "resources": {self.pick(["requests", "limits"]): self.amounts(["cpu", "memory"], [1, 2])}}]}})
        if kind == "ephemeral":
            return ("PATCH", f"{self.space}/pods/{pod}/ephemeralcontainers", STRATEGIC, {"spec": {"ephemeralContainers": [{"name": "e", "image": "a", **self.pick([{}, {"securityContext": {"privileged": True}}])}]}})
        if kind == "deadline":
            return ("PATCH", f"{self.space}/pods/{pod}", MERGE, {"spec": self.pick([{"activeDeadlineSeconds": 3}, {"containers": [{"name": "c0", "image": "b"}]}])})
        if kind == "labels":
            return ("PATCH", f"{self.space}/pods/{pod}", MERGE, {"metadata": {"labels": {"x": "y"}}})
        if kind == "claim":
            return ("PATCH", f"{self.space}/persistentvolumeclaims/{claim}", MERGE, {"spec": self.pick([{"resources": {"requests": {"storage": self.pick(STORED)}}}, {"volumeAttributesClassName": "w"}])})
        if kind == "service":
            return ("PATCH", f"{self.space}/services/{service}", MERGE, {"spec": {"type": self.pick(["ClusterIP", "NodePort", "LoadBalancer"])}})
        if kind == "delete":
            return ("DELETE", f"{self.space}/{self.pick([f'pods/{pod}', f'services/{service}', f'persistentvolumeclaims/{claim}', 'resourcequotas/q', 'limitranges/l'])}?gracePeriodSeconds=0", None, None)
        if kind == "quota":
            name = self.pick(sorted(HARD))
            return ("PATCH", f"{self.space}/resourcequotas/{self.pick('qr')}" + self.pick(["", "/status"]), MERGE, {self.pick(["spec", "status"]): {"hard": {name: self.pick(HARD[name])}}})
        if kind == "limits":
            return ("PUT", f"{self.space}/limitranges/l", JSON, {**self.limits()[3], "metadata": {"name": "l"}})
        if kind == "namespace":
            return ("PATCH", self.space, MERGE, {"metadata": {"labels": self.security_labels()}})
        return ("GET", f"{self.space}/{self.pick(['resourcequotas', 'limitranges'])}", None, None, self.accept(0.3))

    def steps(self):
        self.made, self.claims, self.services = [], [], []
        self.secure = self.chance(0.4)
        meta = {"name": "fuzzed", **({"labels": self.security_labels()} if self.secure else {})}
        steps = [("POST", "/api/v1/namespaces", JSON, {"apiVersion": "v1", "kind": "Namespace", "metadata": meta})]
        if self.chance(0.35):
            steps.append(("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", JSON, self.named("PriorityClass", "scheduling.k8s.io/v1", "fuzzed", value=self.pick([1, 1000, 0, -5, 1000000000, 1000000001]),
                                                                                                **self.pick([{}, {}, {"preemptionPolicy": "Never"}, {"description": "d"}, {"preemptionPolicy": "x"}]))))
        for _ in range(self.pick([0, 1, 2]) if self.secure else self.pick([1, 2, 2, 3])):
            made = self.pick([self.limits, self.quota])()
            steps += made if isinstance(made, list) else [made]
        steps.append(("SLEEP", "", None, 0.4))
        for _ in range(self.pick([3, 5, 7])):
            steps += self.judged()
        return steps + self.end()

    def judged(self):
        """A write, and a pause where it decides over what follows: upstream learns of it a moment later."""
        step = self.pick([self.create_judged] * 3 + [self.update_judged])()
        decides = step[0] in ("PUT", "PATCH", "DELETE") and any(word in step[1] for word in ("quota", "limitrange")) or step[1] == self.space
        return [step, ("SLEEP", "", None, 0.4)] if decides else [step]

    def end(self):
        """Nobody empties a namespace without controllers."""
        kinds = ["pods", "persistentvolumeclaims", "services", "configmaps", "limitranges", "resourcequotas"]
        return [("GET", f"{self.space}/resourcequotas", None, None), ("DELETE", "/apis/scheduling.k8s.io/v1/priorityclasses/fuzzed", None, None)] + \
            [("DELETE", f"{self.space}/{kind}?gracePeriodSeconds=0", None, None) for kind in kinds] + [
                ("DELETE", self.space, None, None), ("PUT", f"{self.space}/finalize", JSON, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "fuzzed"}, "spec": {"finalizers": []}})]


class Classes(Judged):
    """Default classes of the whole cluster: one scenario at a time (--workers 1)."""

    def steps(self):
        self.made, self.claims, self.services, self.secure = [], [], [], False
        steps = [("POST", "/api/v1/namespaces", JSON, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "fuzzed"}})]
        ends = []
        for name in ("fuzzed", "fuzzed-b")[:self.pick([1, 2])]:
            if self.chance(0.5):
                body = self.named("StorageClass", "storage.k8s.io/v1", name, provisioner="a.b/c", **self.pick([{}, {"allowVolumeExpansion": True}]))
                body["metadata"]["annotations"] = {self.pick(["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"]): self.pick(["true", "true", "false", "True"])}
                plural, group = "storageclasses", "storage.k8s.io"
            else:
                body = self.named("PriorityClass", "scheduling.k8s.io/v1", name, value=self.pick([5, 10]), globalDefault=self.chance(0.8), **self.pick([{}, {"preemptionPolicy": "Never"}]))
                plural, group = "priorityclasses", "scheduling.k8s.io"
            steps += [("POST", f"/apis/{group}/v1/{plural}", JSON, body), ("SLEEP", "", None, 0.3)]
            ends.append(("DELETE", f"/apis/{group}/v1/{plural}/{name}", None, None))
            if self.chance(0.3):
                steps.append(("PATCH", f"/apis/{group}/v1/{plural}/{name}", MERGE, self.pick([{"globalDefault": True}, {"value": 7}, {"metadata": {"labels": {"a": "b"}}}, {"allowVolumeExpansion": True}, {"provisioner": "x"}])))
        steps.append(("SLEEP", "", None, 0.5))
        for _ in range(5):
            steps += self.judged()
        return steps + ends + self.end() + [("SLEEP", "", None, 0.3)]
