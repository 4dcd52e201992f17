"""What fuzz_api.py starts from: valid objects of each kind, and values that members of a name usually have."""

LABELS = {"app": "web"}
SELECTOR = {"matchLabels": LABELS}
PLAIN = {"containers": [{"name": "c", "image": "registry.example/app:1"}]}
PROBE = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 5, "timeoutSeconds": 2, "failureThreshold": 3}
RICH = {
    "containers": [
        {"name": "c", "image": "registry.example/app:1", "command": ["run"], "args": ["a"], "workingDir": "/w",
         "ports": [{"name": "web", "containerPort": 80, "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP", "hostPort": 53}],
         "env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                 {"name": "C", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": True}}},
                 {"name": "D", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1m"}}}],
         "envFrom": [{"prefix": "P_", "configMapRef": {"name": "m"}}],
         "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": "200m", "memory": "128Mi"}},
         "volumeMounts": [{"name": "v", "mountPath": "/v", "readOnly": True}, {"name": "e", "mountPath": "/e", "subPath": "x"}],
         "livenessProbe": PROBE, "readinessProbe": {"tcpSocket": {"port": "web"}}, "startupProbe": {"exec": {"command": ["t"]}},
         "lifecycle": {"preStop": {"exec": {"command": ["s"]}}, "postStart": {"sleep": {"seconds": 1}}},
         "securityContext": {"runAsUser": 1, "runAsNonRoot": True, "allowPrivilegeEscalation": False,
                             "capabilities": {"drop": ["ALL"], "add": ["NET_ADMIN"]}, "seccompProfile": {"type": "RuntimeDefault"}},
         "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]},
        {"name": "d", "image": "registry.example/side", "imagePullPolicy": "Never"}],
    "initContainers": [{"name": "i", "image": "registry.example/init:1"},
                       {"name": "j", "image": "registry.example/side:1", "restartPolicy": "Always"}],
    "volumes": [{"name": "v", "configMap": {"name": "m", "items": [{"key": "k", "path": "p", "mode": 256}]}},
                {"name": "e", "emptyDir": {"sizeLimit": "1Gi"}}, {"name": "h", "hostPath": {"path": "/h", "type": "Directory"}},
                {"name": "s", "secret": {"secretName": "s", "defaultMode": 420}},
                {"name": "q", "persistentVolumeClaim": {"claimName": "c"}},
                {"name": "p", "projected": {"sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 3600}},
                                                        {"downwardAPI": {"items": [{"path": "l", "fieldRef": {
                                                            "fieldPath": "metadata.labels"}}]}}]}},
                {"name": "g", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {
                    "requests": {"storage": "1Gi"}}}}}}],
    "affinity": {"nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "zone", "operator": "In", "values": ["a"]}]}]},
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {"matchExpressions": [
            {"key": "n", "operator": "Gt", "values": ["1"]}]}}]},
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": SELECTOR, "topologyKey": "zone"}],
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 5, "podAffinityTerm": {
                "labelSelector": SELECTOR, "topologyKey": "zone", "namespaces": ["a"]}}]}},
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
                                   "labelSelector": SELECTOR}],
    "tolerations": [{"key": "k", "operator": "Equal", "value": "v", "effect": "NoExecute", "tolerationSeconds": 5},
                    {"operator": "Exists"}],
    "nodeSelector": {"a": "b"}, "hostAliases": [{"ip": "10.0.0.1", "hostnames": ["a.b"]}], "priorityClassName": "system-node-critical",
    "dnsPolicy": "ClusterFirst", "dnsConfig": {"nameservers": ["10.0.0.2"], "searches": ["a.b"], "options": [{"name": "o"}]},
    "securityContext": {"fsGroup": 1, "supplementalGroups": [1], "sysctls": [{"name": "kernel.shm_rmid_forced", "value": "0"}]},
    "imagePullSecrets": [{"name": "s"}], "hostname": "h", "subdomain": "s", "serviceAccountName": "x",
    "readinessGates": [{"conditionType": "a.b/c"}], "schedulingGates": [{"name": "a.b/g"}], "activeDeadlineSeconds": 60,
    "terminationGracePeriodSeconds": 30, "overhead": {}, "enableServiceLinks": False, "os": {"name": "linux"}}
del RICH["overhead"]


def template(spec, **more):
    return {"metadata": {"labels": LABELS}, "spec": {**spec, **more}}


def ongoing(spec):
    """A template of pods that run for ever: without a deadline."""
    return template({name: value for name, value in spec.items() if name != "activeDeadlineSeconds"})


CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "fast"}
POD_STATUS = {
    "phase": "Running", "podIP": "10.1.1.1", "podIPs": [{"ip": "10.1.1.1"}], "hostIP": "10.1.1.2", "hostIPs": [{"ip": "10.1.1.2"}],
    "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2020-01-01T00:00:00Z"}], "qosClass": "BestEffort",
    "containerStatuses": [{"name": "c", "image": "i", "imageID": "x", "ready": True, "restartCount": 1, "started": True,
                           "state": {"running": {"startedAt": "2020-01-01T00:00:00Z"}},
                           "lastState": {"terminated": {"exitCode": 1, "reason": "Error"}}}]}
NODE_STATUS = {
    "capacity": {"cpu": "4", "memory": "8Gi", "pods": "110", "example.com/gpu": "2"}, "allocatable": {"cpu": "4", "memory": "8Gi"},
    "conditions": [{"type": "Ready", "status": "True"}], "addresses": [{"type": "InternalIP", "address": "10.1.1.1"}],
    "nodeInfo": {"machineID": "m", "systemUUID": "s", "bootID": "b", "kernelVersion": "k", "osImage": "o",
                 "containerRuntimeVersion": "c", "kubeletVersion": "v1.36.0", "kubeProxyVersion": "", "operatingSystem": "linux",
                 "architecture": "amd64"},
    "images": [{"names": ["a"], "sizeBytes": 1}], "volumesInUse": ["v"]}
CONDITION = {"type": "Available", "status": "True", "reason": "R", "message": "m", "lastTransitionTime": "2020-01-01T00:00:00Z",
             "lastUpdateTime": "2020-01-01T00:00:00Z"}
GROUP_CONDITION = {name: value for name, value in CONDITION.items() if name != "lastUpdateTime"}
COUNTS = {"replicas": 2, "readyReplicas": 1, "availableReplicas": 1, "observedGeneration": 1}
INDEXED = {
    "completionMode": "Indexed", "completions": 4, "parallelism": 2, "backoffLimitPerIndex": 1, "maxFailedIndexes": 1,
    "podReplacementPolicy": "Failed", "ttlSecondsAfterFinished": 5, "activeDeadlineSeconds": 60,
    "successPolicy": {"rules": [{"succeededIndexes": "0-2", "succeededCount": 1}]},
    "podFailurePolicy": {"rules": [
        {"action": "FailIndex", "onExitCodes": {"containerName": "c", "operator": "In", "values": [1, 2]}},
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]},
    "template": template(PLAIN, restartPolicy="Never")}
GROUP = {
    "schedulingPolicy": {"gang": {"minCount": 2}}, "schedulingConstraints": {"topology": [{"key": "example.com/rack"}]},
    "resourceClaims": [{"name": "a", "resourceClaimName": "x"}, {"name": "c", "resourceClaimTemplateName": "t"}],
    "disruptionMode": "PodGroup"}
NAMESPACED = "/namespaces/default/"
#: plural: path of the group, kind, apiVersion, name of its schema, valid objects without kind and metadata, a status
KINDS = {
    "pods": ("/api/v1" + NAMESPACED, "Pod", "v1", "core", [{"spec": PLAIN}, {"spec": RICH}], POD_STATUS),
    "nodes": ("/api/v1/", "Node", "v1", "core", [
        {"spec": {}}, {"spec": {"podCIDR": "10.2.0.0/24", "podCIDRs": ["10.2.0.0/24"], "providerID": "p://a", "unschedulable": True,
                                "taints": [{"key": "a.b/c", "value": "v", "effect": "NoSchedule"}]}, "status": NODE_STATUS}], NODE_STATUS),
    "deployments": ("/apis/apps/v1" + NAMESPACED, "Deployment", "apps/v1", "apps", [
        {"spec": {"selector": SELECTOR, "template": template(PLAIN)}},
        {"spec": {"replicas": 3, "selector": SELECTOR, "template": ongoing(RICH), "minReadySeconds": 5, "progressDeadlineSeconds": 60,
                  "revisionHistoryLimit": 3, "paused": True,
                  "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": "25%"}}}}],
        {**COUNTS, "updatedReplicas": 1, "conditions": [CONDITION]}),
    "jobs": ("/apis/batch/v1" + NAMESPACED, "Job", "batch/v1", "batch", [
        {"spec": {"template": template(PLAIN, restartPolicy="Never")}}, {"spec": INDEXED},
        {"spec": {"suspend": True, "template": template(RICH, restartPolicy="OnFailure"), "backoffLimit": 3,
                  "manualSelector": True, "selector": SELECTOR}}],
        {"active": 1, "ready": 1, "succeeded": 1, "failed": 1, "startTime": "2020-01-01T00:00:00Z",
         "conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": "2020-01-01T00:00:00Z"}],
         "completionTime": "2020-01-02T00:00:00Z", "uncountedTerminatedPods": {"succeeded": ["a"]}}),
    "poddisruptionbudgets": ("/apis/policy/v1" + NAMESPACED, "PodDisruptionBudget", "policy/v1", "policy", [
        {"spec": {"minAvailable": 1, "selector": SELECTOR}},
        {"spec": {"maxUnavailable": "50%", "unhealthyPodEvictionPolicy": "AlwaysAllow", "selector": {
            "matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}}}],
        {"disruptionsAllowed": 1, "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2, "observedGeneration": 1,
         "disruptedPods": {"p": "2020-01-01T00:00:00Z"}, "conditions": [CONDITION]}),
    "statefulsets": ("/apis/apps/v1" + NAMESPACED, "StatefulSet", "apps/v1", "apps", [
        {"spec": {"serviceName": "s", "selector": SELECTOR, "template": template(PLAIN)}},
        {"spec": {"serviceName": "s", "replicas": 2, "selector": SELECTOR, "template": ongoing(RICH), "podManagementPolicy": "Parallel",
                  "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}, "minReadySeconds": 1,
                  "ordinals": {"start": 1}, "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete", "whenScaled": "Retain"},
                  "volumeClaimTemplates": [{"metadata": {"name": "v"}, "spec": CLAIM}]}}],
        {**COUNTS, "currentReplicas": 1, "updatedReplicas": 1, "collisionCount": 1, "conditions": [CONDITION]}),
    "daemonsets": ("/apis/apps/v1" + NAMESPACED, "DaemonSet", "apps/v1", "apps", [
        {"spec": {"selector": SELECTOR, "template": template(PLAIN)}},
        {"spec": {"selector": SELECTOR, "template": ongoing(RICH), "minReadySeconds": 1,
                  "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "10%", "maxUnavailable": 0}}}}],
        {"currentNumberScheduled": 1, "numberMisscheduled": 0, "desiredNumberScheduled": 1, "numberReady": 1, "collisionCount": 1,
         "conditions": [CONDITION]}),
    "replicasets": ("/apis/apps/v1" + NAMESPACED, "ReplicaSet", "apps/v1", "apps", [
        {"spec": {"replicas": 1, "minReadySeconds": 1, "selector": SELECTOR, "template": template(PLAIN)}}],
        {**COUNTS, "fullyLabeledReplicas": 1, "conditions": [CONDITION]}),
    "cronjobs": ("/apis/batch/v1" + NAMESPACED, "CronJob", "batch/v1", "batch", [
        {"spec": {"schedule": "*/5 * * * *", "timeZone": "Etc/UTC", "concurrencyPolicy": "Forbid", "startingDeadlineSeconds": 5,
                  "jobTemplate": {"metadata": {"labels": LABELS}, "spec": {"template": template(PLAIN, restartPolicy="Never")}}}}],
        {"active": [{"name": "a"}], "lastScheduleTime": "2020-01-01T00:00:00Z"}),
    "persistentvolumeclaims": ("/api/v1" + NAMESPACED, "PersistentVolumeClaim", "v1", "core", [
        {"spec": CLAIM}, {"spec": {**CLAIM, "volumeMode": "Block", "selector": SELECTOR, "volumeName": "v",
                                   "dataSource": {"kind": "PersistentVolumeClaim", "name": "o"}}}],
        {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
         "conditions": [{"type": "Resizing", "status": "True"}]}),
    "resourcequotas": ("/api/v1" + NAMESPACED, "ResourceQuota", "v1", "core", [
        {"spec": {"hard": {"pods": "100000", "requests.storage": "1Pi", "count/deployments.apps": "100000"}}},
        {"spec": {"hard": {"pods": "100000"}, "scopes": ["NotTerminating"], "scopeSelector": {"matchExpressions": [
            {"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]}}}],
        {"hard": {"pods": "100000"}, "used": {"pods": "1"}}),
    "configmaps": ("/api/v1" + NAMESPACED, "ConfigMap", "v1", "core", [{"data": {"a": "1"}}, {"data": {"b": "2"}, "immutable": True}], None),
    "resourceclaims": ("/apis/resource.k8s.io/v1" + NAMESPACED, "ResourceClaim", "resource.k8s.io/v1", "resource", [
        {"spec": {}},
        {"spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c", "count": 2}}]}}}],
        {"reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}]}),
    "services": ("/api/v1" + NAMESPACED, "Service", "v1", "core", [
        {"spec": {"selector": LABELS, "ports": [{"port": 80}]}}], {"loadBalancer": {"ingress": [{"ip": "10.1.1.1"}]}}),
    "workloads": ("/apis/scheduling.k8s.io/v1alpha2" + NAMESPACED, "Workload", "scheduling.k8s.io/v1alpha2", "scheduling", [
        {"spec": {"podGroupTemplates": [{"name": "a", "schedulingPolicy": {"basic": {}}}]}},
        {"spec": {"controllerRef": {"apiGroup": "batch", "kind": "Job", "name": "a"}, "podGroupTemplates": [
            {"name": "a", **GROUP, "priority": 5}, {"name": "c", "schedulingPolicy": {"basic": {}}, "priorityClassName": "high"}]}}], None),
    "podgroups": ("/apis/scheduling.k8s.io/v1alpha2" + NAMESPACED, "PodGroup", "scheduling.k8s.io/v1alpha2", "scheduling", [
        {"spec": {"schedulingPolicy": {"basic": {}}}}, {"spec": GROUP}, {"spec": {
            **GROUP, "podGroupTemplateRef": {"workload": {"workloadName": "team", "podGroupTemplateName": "a"}}}}],
        {"conditions": [{**GROUP_CONDITION, "type": "PodGroupScheduled"}],
         "resourceClaimStatuses": [{"name": "a", "resourceClaimName": "x"}, {"name": "c"}]}),
}
#: kinds that are served with gates, and the gates
GATED = {"workloads", "podgroups"}
GATES = "GenericWorkload=true,GangScheduling=true,TopologyAwareWorkloadScheduling=true,DRAWorkloadResourceClaims=true,WorkloadAwarePreemption=true"
#: what both servers have before: the Workload and the class that objects of these kinds name
PRESENT = [
    ("/apis/scheduling.k8s.io/v1alpha2" + NAMESPACED + "workloads", {
        "metadata": {"name": "team"}, "spec": {"podGroupTemplates": [{"name": "a", "schedulingPolicy": {"basic": {}}}]}}),
    ("/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": "high"}, "value": 5})]
#: what is looked at when nothing else is asked for
MAIN = ["pods", "nodes", "deployments", "jobs", "poddisruptionbudgets"]
SCALED = ("deployments", "statefulsets", "replicasets")

LONG = "x" * 64
TEXTS = ["", "a", "A_B", LONG, "y" * 254, "a.b/c", "-a", "Always", "None", "10", "1Gi", "-1", "50%", "101%", "..", "a b", "a\nb", "0.5",
         "é", "/", "a/b/c", "kubernetes.io/a", "true", "null", "a" * 63, "<&>"]
NUMBERS = [0, 1, -1, 2, 100, 101, 65535, 65536, 2147483647, 2147483648, -2147483648, 9223372036854775807, 9223372036854775808, 1.5, 1e3]
QUANTITIES = ["0", "1", "-1", "100m", "1Gi", "1.5", "0.0001", "1e3", "1E", "1n", "9223372036854775807", "1e30", "1Ki", "abc", "", "1 Gi",
              "+1", ".5", "5.", "1mi", 1, 2.5, 10000000000]
TIMES = ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.5Z", "2020-01-01T00:00:00+01:00", "", "x", "2020-13-01T00:00:00Z", "2020-01-01", 1]
PORTS = [80, "web", 0, 65536, "", "A", "80", -1, "a-very-long-name-of-port"]
LABEL_KEYS = ["a", "b.c/d", "A", "", "-a", "a/b/c", "é", LONG, "kubernetes.io/os", "a b", "x.y/", "/x"]
OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Equal", "in", ""]
IPS = ["10.0.0.1", "fd00::1", "10.0.0.01", "10.0.0.0/24", "fd00::/64", "10.0.0.1/24", "", "x", "::ffff:1.2.3.4", "127.0.0.1", "0.0.0.0"]
RESOURCES = ["cpu", "memory", "ephemeral-storage", "storage", "example.com/gpu", "hugepages-2Mi", "pods", "x", "requests.cpu", "limits.cpu",
             "count/pods", "requests.example.com/gpu", "a/b/c", "", "kubernetes.io/x", "attachable-volumes-a", "hugepages-x"]
PATHS = ["/", "/a", "a", "../a", "a/../b", "", "/a:b", "a/b", "..a", "/proc", "."]
#: values that members of this name usually have, valid or nearly
HINTS = {
    "operator": OPERATORS, "ip": IPS, "podIP": IPS, "hostIP": IPS, "podCIDR": IPS, "nameservers": IPS, "address": IPS,
    "topologyKey": LABEL_KEYS + ["kubernetes.io/hostname"], "key": LABEL_KEYS, "mountPath": PATHS, "path": PATHS, "subPath": PATHS,
    "subPathExpr": PATHS, "devicePath": PATHS, "workingDir": PATHS, "terminationMessagePath": PATHS,
    "fieldPath": ["metadata.name", "metadata.labels", "metadata.labels['a']", "spec.nodeName", "status.podIP", "status.hostIPs", "x",
                  "metadata.annotations['']", "spec.x", "", "metadata.uid"],
    "resource": ["limits.cpu", "requests.memory", "limits.ephemeral-storage", "cpu", "limits.hugepages-2Mi", "", "requests.example.com/gpu"],
    "port": PORTS, "targetPort": PORTS, "effect": ["NoSchedule", "PreferNoSchedule", "NoExecute", "", "x"],
    "restartPolicy": ["Always", "OnFailure", "Never", "", "NotRequired", "RestartContainer", "x"],
    "action": ["FailJob", "FailIndex", "Ignore", "Count", "Restart", "RestartAllContainers", "x"],
    "schedule": ["* * * * *", "@hourly", "x", "", "TZ=UTC * * * * *", "*/0 * * * *", "@every 5m", "61 * * * *"],
    "timeZone": ["UTC", "Local", "", "Europe/Berlin", "x", "../etc", "local"], "image": ["a", "", " a", "a:latest", "a@sha256:x", "A", "a "],
    "phase": ["Running", "Pending", "Bound", "x", ""], "status": ["True", "False", "Unknown", "", "x"],
    "succeededIndexes": ["0", "0-3", "0,2-3", "3-1", "", "a", "0-0", "1,1", "9"], "completedIndexes": ["0", "0-3", "0,2-3", "3-1", "a", "1,"],
    "failedIndexes": ["0", "1-2", "", "x"], "names": ["a", ""], "scopeName": [
        "Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity", "x",
        "VolumeAttributesClass"],
    "scopes": ["Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "x"],
    "hostname": ["h", "H", "a.b", LONG, ""], "generateName": ["", "a-", "A", LONG], "namespace": ["default", "", "other", "A"],
    "finalizers": ["a.b/c", "foregroundDeletion", "orphan", "kubernetes", "x", ""], "uid": ["", "u"], "resourceVersion": ["", "1", "x", "0"],
    "accessModes": ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod", "x", ""],
    "priorityClassName": ["", "system-node-critical", "system-cluster-critical", "high", "A"], "name": ["a", "", "A", "a.b", "c", "d", "v", LONG],
    "annotations": None, "nodeName": ["", "a", "A", "a.b"], "signal": ["SIGTERM", "x"], "add": ["NET_ADMIN", "CAP_X", "ALL", ""],
    "storageClassName": ["", "fast", "A"], "containerName": ["c", "x", ""], "type": [
        "RuntimeDefault", "Localhost", "Unconfined", "Ready", "Complete", "Failed", "RollingUpdate", "Recreate", "OnDelete", "Suspended",
        "FailureTarget", "SuccessCriteriaMet", "a/b/c", "", "ClusterIP", "NodePort", "LoadBalancer", "ExternalName", "InternalIP", "File"],
    "conditionType": LABEL_KEYS, "minAvailable": [0, 1, "50%", "0%", "101%", "1", -1, "", "-1%"],
    "maxUnavailable": [0, 1, "50%", "0%", "101%", "1", -1, "", "-1%"], "maxSurge": [0, 1, "50%", "0%", "101%", "1", -1, "", "-1%"],
    "mode": [0, 420, 511, 512, -1], "defaultMode": [0, 420, 511, 512, -1], "weight": [1, 100, 0, 101], "values": ["a", "1", "", "-1", LONG, "a b"],
    "expirationSeconds": [600, 599, 3600, 4294967297], "replicas": [0, 1, -1, 3, 2147483648], "partition": [0, 1, -1],
}
