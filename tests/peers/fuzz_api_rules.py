"""The tables of fuzz_api_stories.py: which members writes of a kind have, how often, and with which values. They are the values that the
rules of the kind tell apart: conditions that come and go, counters, times before others, annotations with a type, parts that may change in
some states only."""

TIMES = ["2020-01-01T00:00:00Z", "2020-01-01T00:01:00Z", "2020-01-01T00:02:00Z"]
COUNTS = [0, 0, 1, 2, 3]


# ---- values that are made anew for each write: functions of the story ----

def some(values, most=2):
    """A list of different ones of the values."""
    return lambda story: story.maker.random.sample(values, story.maker.random.randint(0, min(most, len(values))))


def record(members):
    """An object: for each member how often it is there, and its values."""
    return lambda story: {name: story.make(values) for name, share, values in members if story.chance(share)}


def records(members, most=2):
    return lambda story: [record(members)(story) for _ in range(story.maker.random.randint(0, most))]


def table(keys, values, most=2):
    return lambda story: {key: story.make(values) for key in some(keys, most)(story)}


# ---- what kinds are about ----

AMOUNTS = ["0", "1", "2", "100m", "1.5", "64Mi", "1Gi", "-1"]
RESOURCES = record([("requests", .7, table(["cpu", "memory", "ephemeral-storage"], AMOUNTS[:6])), ("limits", .6, table(["cpu", "memory"], AMOUNTS[:7]))])
NODE_ROOM = table(["cpu", "memory", "pods", "hugepages-2Mi", "hugepages-1Gi", "example.com/x", "attachable-volumes-a"], AMOUNTS, 3)
ANNOTATED = ["", "x", "[]", "{}", "null", "[{}]", "[1]", '[{"key":"a","effect":"x"}]', '[{"key":"a","effect":"NoSchedule","value":"a b"}]',
             '{"preferAvoidPods":[{}]}', '{"preferAvoidPods":[{"podSignature":{"podController":{"controller":true}}}]}', "unconfined", "runtime/default", "localhost/a", "1"]
CONTAINERS = [{"name": "c", "image": "a"}]
TEMPLATE = record([
    ("metadata", .4, record([("labels", .8, [{"app": "web"}, {"app": "web", "a": "b"}, {}]),
                             ("annotations", .3, table(["a", "scheduler.alpha.kubernetes.io/tolerations"], ANNOTATED))])),
    ("spec", 1, record([
        ("containers", 1, [CONTAINERS, CONTAINERS, [{"name": "c", "image": "b"}], [*CONTAINERS, {"name": "d", "image": "a"}]]),
        ("restartPolicy", 1, ["Never"] * 4 + ["OnFailure", "Always"]), ("nodeSelector", .3, [{"a": "b"}, {}]), ("schedulingGates", .2, [[], [{"name": "g"}]]),
        ("tolerations", .25, [[], [{"key": "a", "operator": "Exists"}]]), ("activeDeadlineSeconds", .1, [1, 5])]))])
LASTING = record([("metadata", 1, record([("labels", 1, [{"app": "web"}] * 6 + [{"app": "x"}])])), ("spec", 1, record([
    ("containers", 1, [CONTAINERS, [{"name": "c", "image": "b"}]]), ("restartPolicy", .2, ["Always", "Never"]), ("activeDeadlineSeconds", .1, [1]),
    ("nodeSelector", .3, [{"a": "b"}, {}])]))])
EXACT = record([("deviceClassName", .95, ["c", "A b"]), ("count", .3, [1, 2, 0, -1]), ("allocationMode", .3, ["All", "ExactCount", "x"]), ("adminAccess", .1, [True, False]),
                ("selectors", .3, records([("cel", .95, [{"expression": "true"}, {"expression": "device.driver == 'a'"}, {"expression": "x"}, {"expression": ""}])], 1)),
                ("tolerations", .2, [[], [{"key": "a", "operator": "Exists", "effect": "NoExecute"}], [{"operator": "Equal", "value": "a b"}], [{"key": "a", "effect": "x"}]]),
                ("capacity", .1, [{}, {"requests": {"a": "1"}}, {"requests": {"A b": "1"}}])])
PROFILE = record([("type", 1, ["Unconfined", "RuntimeDefault", "Localhost", "Localhost", "x"]), ("localhostProfile", .4, ["a", "b", ""])])
PROFILES = record([("seccompProfile", .6, PROFILE), ("appArmorProfile", .6, PROFILE)])
CONTAINER = [("image", 1, ["a", "a", "b", " a"]), ("securityContext", .2, PROFILES), ("resources", .5, RESOURCES), ("env", .15, [[], [{"name": "A", "value": "1"}]]),
             ("resizePolicy", .2, records([("resourceName", 1, ["cpu", "memory"]), ("restartPolicy", 1, ["NotRequired", "RestartContainer"])])),
             ("restartPolicy", .1, ["Always", "Never"])]
CONTAINER_STATE = [{}, {"running": {}}, {"running": {"startedAt": TIMES[0]}}, {"waiting": {"reason": "R"}}, {"terminated": {"exitCode": 1}}]
CONTAINER_STATUS = [("name", 1, ["c", "d", "x"]), ("ready", 1, [True, False]), ("restartCount", 1, [0, 1, -1]), ("image", 1, ["a"]), ("imageID", 1, [""]),
                    ("state", .8, CONTAINER_STATE), ("lastState", .2, CONTAINER_STATE), ("started", .2, [True, False]), ("resources", .2, RESOURCES),
                    ("containerID", .1, ["x", "a://b", ""]), ("allocatedResourcesStatus", .15, records([("name", 1, ["cpu", "claim:a", "claim:a/b", "x"]), ("resources", .9, records([
                        ("resourceID", 1, ["a", "b"]), ("health", 1, ["Healthy", "Unhealthy", "Unknown", "x", ""]), ("message", .5, ["", "m", "m" * 1025])]))])),
                    ("user", .15, record([("linux", .9, record([("uid", .9, [0, -1, 1]), ("gid", .9, [0, -1]), ("supplementalGroups", .4, some([0, 5, -1]))]))])),
                    ("volumeMounts", .15, records([("name", .9, ["v", ""]), ("mountPath", .9, ["/a", "/b"]), ("readOnly", .3, [True, False]),
                                                   ("recursiveReadOnly", .3, ["Disabled", "Enabled", "x"])])),
                    ("allocatedResources", .15, table(["cpu", "memory"], AMOUNTS[:7])), ("stopSignal", .1, ["SIGTERM", "x"])]


def conditions(types, values=("True", "True", "False", "Unknown")):
    return records([("type", 1, types), ("status", 1, list(values)), ("lastTransitionTime", .5, TIMES), ("reason", .3, ["R", ""]), ("message", .2, ["m"])], 3)


def containers(story):
    return [{"name": name, **record(CONTAINER)(story)} for name in ("c", "d")[:story.pick([1, 1, 1, 2])]]


#: by kind: what a valid spec has at least, members of spec, of status, keys of annotations whose values have a type
RULES = {
    "jobs": ({"template": {"spec": {"containers": CONTAINERS, "restartPolicy": "Never"}}}, [
        ("template", .5, TEMPLATE), ("suspend", .4, [True, True, False]), ("completionMode", .5, ["Indexed", "Indexed", "NonIndexed"]),
        ("completions", .5, [0, 1, 4, 4]), ("parallelism", .4, [0, 2, 4, -1]), ("backoffLimitPerIndex", .3, [0, 1]), ("maxFailedIndexes", .15, [0, 5]),
        ("successPolicy", .2, [{"rules": [{"succeededCount": 1}]}, {"rules": [{"succeededIndexes": "0-1"}]}, {"rules": []}]), ("backoffLimit", .2, [0, 3]),
        ("activeDeadlineSeconds", .2, [0, 5, 10]), ("podReplacementPolicy", .15, ["Failed", "TerminatingOrFailed"]), ("managedBy", .1, ["a.b/c", "x"]),
        ("podFailurePolicy", .15, [{"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}]}, {"rules": []}])], [
        ("conditions", .7, conditions(["Suspended", "Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"])), ("active", .3, COUNTS),
        ("ready", .3, COUNTS), ("terminating", .3, COUNTS), ("succeeded", .35, COUNTS), ("failed", .35, COUNTS), ("startTime", .6, TIMES),
        ("completionTime", .4, TIMES), ("completedIndexes", .25, ["", "0", "0-1", "0-2", "2,1", "5", "a", "1,"]),
        ("failedIndexes", .25, ["", "1", "1-2", "3", "2-1", "+1"]), ("uncountedTerminatedPods", .25, table(["succeeded", "failed"], some(["a", "b", ""])))],
        []),
    "nodes": ({}, [
        ("podCIDR", .4, ["10.0.0.0/24", "10.0.1.0/24", "", "x"]), ("podCIDRs", .4, some(["10.0.0.0/24", "10.0.1.0/24", "fd00::/64", "x"])),
        ("providerID", .3, ["a://b", "c", ""]), ("unschedulable", .3, [True, False]), ("externalID", .15, ["", "x"]),
        ("taints", .4, records([("key", 1, ["a", "b"]), ("effect", 1, ["NoSchedule", "NoExecute", "x"]), ("value", .4, ["", "v"]), ("timeAdded", .2, TIMES)]))], [
        ("capacity", .5, NODE_ROOM), ("allocatable", .5, NODE_ROOM), ("conditions", .4, conditions(["Ready", "MemoryPressure", "X"])),
        ("addresses", .3, records([("type", 1, ["InternalIP", "Hostname"]), ("address", 1, ["10.0.0.1", "n"])])), ("phase", .15, ["Running", "x"]),
        ("images", .2, records([("names", 1, some(["a", "b"])), ("sizeBytes", 1, COUNTS)])), ("volumesInUse", .2, some(["v", "w"])),
        ("config", .15, [{}, {"error": "x"}, {"assigned": {}}]), ("features", .15, [{}, {"supplementalGroupsPolicy": True}]),
        ("declaredFeatures", .15, some(["A", "B", "a", ""], 3))],
        ["scheduler.alpha.kubernetes.io/taints", "scheduler.alpha.kubernetes.io/preferAvoidPods", "a"]),
    "pods": ({"containers": CONTAINERS}, [
        ("containers", .6, containers), ("schedulingGates", .3, records([("name", 1, ["g", "h"])])), ("nodeSelector", .4, table(["a", "b"], ["x", "y"])),
        ("tolerations", .4, records([("key", 1, ["a", "b"]), ("operator", 1, ["Exists"]), ("effect", .5, ["NoSchedule", "NoExecute"]), ("tolerationSeconds", .3, [1, 5])])),
        ("activeDeadlineSeconds", .3, [0, 1, 5, 10]), ("terminationGracePeriodSeconds", .25, [1, 30, -1]), ("nodeName", .35, ["fuzzed-n", "m"]),
        ("securityContext", .2, PROFILES), ("resources", .2, RESOURCES), ("os", .15, [{"name": "linux"}, {"name": "windows"}]), ("restartPolicy", .2, ["Never", "OnFailure"]),
        ("initContainers", .2, [[{"name": "i", "image": "a"}], [{"name": "i", "image": "a", "restartPolicy": "Always"}]])], [
        ("phase", .6, ["Running", "Running", "Succeeded", "Failed", "Pending", "x"]), ("containerStatuses", .5, records(CONTAINER_STATUS)),
        ("initContainerStatuses", .15, records(CONTAINER_STATUS, 1)), ("conditions", .5, conditions(["Ready", "PodScheduled", "DisruptionTarget", "a/b", "a b"])),
        ("podIP", .15, ["10.0.0.1", "fd00::1", "x"]), ("podIPs", .25, records([("ip", .9, ["10.0.0.1", "10.0.0.2", "fd00::1", "x"])])),
        ("hostIPs", .15, records([("ip", .9, ["10.0.0.1", "fd00::1", "x"])])), ("hostIP", .15, ["10.0.0.1", ""]), ("nominatedNodeName", .15, ["n", "", "A b"]),
        ("qosClass", .15, ["Guaranteed", "Burstable", "BestEffort", ""]), ("observedGeneration", .15, [0, 1, -1]), ("startTime", .15, TIMES)],
        ["kubernetes.io/config.mirror", "container.apparmor.security.beta.kubernetes.io/c", "scheduler.alpha.kubernetes.io/tolerations",
         "seccomp.security.alpha.kubernetes.io/pod", "container.seccomp.security.alpha.kubernetes.io/c", "controller.kubernetes.io/pod-deletion-cost", "a"]),
    "deployments": ({"selector": {"matchLabels": {"app": "web"}},
                     "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": CONTAINERS}}}, [
        ("replicas", .4, [0, 1, 3, -1]), ("minReadySeconds", .3, [0, 5, 700]), ("progressDeadlineSeconds", .3, [600, 5, 10]),
        ("revisionHistoryLimit", .3, [0, 3, -1]), ("paused", .3, [True, False]), ("selector", .1, [{"matchLabels": {"app": "x"}}, {}]),
        ("strategy", .5, [{"type": "Recreate"}, {}, {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}, {"type": "x"},
                          {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "101%"}}, {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}])], [
        *((name, .4, COUNTS) for name in ("replicas", "readyReplicas", "availableReplicas", "updatedReplicas", "unavailableReplicas", "terminatingReplicas",
                                          "collisionCount", "observedGeneration")),
        ("conditions", .4, conditions(["Available", "Progressing", "x"]))], ["deployment.kubernetes.io/revision", "deprecated.deployment.rollback.to"]),
    "poddisruptionbudgets": ({}, [
        ("selector", .8, [{"matchLabels": {"fuzz": "fuzzed"}}, {}, {"matchExpressions": [{"key": "a", "operator": "x"}]}]),
        ("minAvailable", .4, [0, 1, "50%", "101%", -1]), ("maxUnavailable", .3, [0, 1, "50%", "x"]),
        ("unhealthyPodEvictionPolicy", .3, ["AlwaysAllow", "IfHealthyBudget", "x"])], [
        ("disruptionsAllowed", .9, COUNTS), ("currentHealthy", .9, COUNTS), ("desiredHealthy", .9, COUNTS), ("expectedPods", .9, COUNTS),
        ("observedGeneration", .8, [1, 1, 1, 2, 0]), ("disruptedPods", .3, table(["a", "fuzzed-p"], TIMES)),
        ("conditions", .4, conditions(["DisruptionAllowed", "x y"]))], []),
    "persistentvolumeclaims": ({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}, [
        ("resources", .7, [{"requests": {"storage": size}} for size in ("1Gi", "2Gi", "2Gi", "1Mi", "-1")]), ("volumeName", .3, ["v", "w", ""]),
        ("storageClassName", .5, ["fuzzed-s", "b", ""]), ("volumeMode", .2, ["Block", "Filesystem"]), ("volumeAttributesClassName", .25, ["a", "b", ""]),
        ("selector", .15, [{}, {"matchLabels": {"a": "b"}}])], [
        ("phase", .8, ["Bound", "Bound", "Pending", "Lost"]), ("capacity", .6, [{"storage": "1Gi"}, {"storage": "2Gi"}, {"storage": "-1"}]),
        ("allocatedResources", .3, [{"storage": "2Gi"}, {"x": "1"}, {}]), ("accessModes", .3, [["ReadWriteOnce"], ["x"], []]),
        ("allocatedResourceStatuses", .3, [{"storage": "ControllerResizeInProgress"}, {"storage": "x"}, {}]),
        ("modifyVolumeStatus", .2, [{"status": "Pending"}, {"status": "x"}]), ("conditions", .2, conditions(["Resizing", "x y"]))],
        ["volume.beta.kubernetes.io/storage-class"]),
    "statefulsets": ({"selector": {"matchLabels": {"app": "web"}}, "serviceName": "s", "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": CONTAINERS}}}, [
        ("replicas", .4, [0, 1, 3, -1]), ("minReadySeconds", .3, [0, 5, -1]), ("revisionHistoryLimit", .25, [0, 3, -1]), ("serviceName", .2, ["s", "t", "", "A b"]),
        ("podManagementPolicy", .3, ["OrderedReady", "Parallel", "x", ""]), ("ordinals", .3, [{}, {"start": 0}, {"start": 3}, {"start": -1}]),
        ("selector", .1, [{"matchLabels": {"app": "x"}}, {}]), ("template", .15, LASTING),
        ("updateStrategy", .4, [{"type": "OnDelete"}, {}, {"type": "RollingUpdate", "rollingUpdate": {"partition": -1}}, {"type": "OnDelete", "rollingUpdate": {"partition": 1}},
                                {"type": "RollingUpdate", "rollingUpdate": {}}, {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0}},
                                {"type": "RollingUpdate", "rollingUpdate": {"partition": 2, "maxUnavailable": "50%"}}, {"type": "x"}]),
        ("persistentVolumeClaimRetentionPolicy", .3, [{}, {"whenDeleted": "Delete"}, {"whenScaled": "x"}, {"whenDeleted": "Retain", "whenScaled": "Delete"}]),
        ("volumeClaimTemplates", .25, [[], [{"metadata": {"name": "v"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}],
                                       [{"metadata": {"name": "v"}, "spec": {"accessModes": ["ReadWriteOnce"]}}], [{"metadata": {"name": "A b"}}]])], [
        *((name, .5, COUNTS) for name in ("replicas", "readyReplicas", "availableReplicas", "currentReplicas", "updatedReplicas")),
        *((name, .4, COUNTS + [-1]) for name in ("collisionCount", "observedGeneration")), ("currentRevision", .2, ["", "a"]),
        ("conditions", .4, conditions(["Available", "x"]))], []),
    "daemonsets": ({"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": CONTAINERS}}}, [
        ("minReadySeconds", .3, [0, 5, -1]), ("revisionHistoryLimit", .3, [0, 3, -1]), ("selector", .1, [{"matchLabels": {"app": "x"}}, {}]), ("template", .3, LASTING),
        ("updateStrategy", .6, [{"type": "OnDelete"}, {}, {"type": "x"}, {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}},
                                {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "50%", "maxUnavailable": 0}}, {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "101%"}},
                                {"type": "OnDelete", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}}, {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0}}])], [
        *((name, .6, COUNTS + [-1]) for name in ("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady", "updatedNumberScheduled",
                                                 "numberAvailable", "numberUnavailable", "collisionCount", "observedGeneration")),
        ("conditions", .4, conditions(["x"]))], ["deprecated.daemonset.template.generation", "a"]),
    "replicasets": ({"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": CONTAINERS}}}, [
        ("replicas", .5, [0, 1, 3, -1]), ("minReadySeconds", .4, [0, 5, -1]), ("selector", .1, [{"matchLabels": {"app": "x"}}, {}]), ("template", .3, LASTING)], [
        *((name, .6, COUNTS + [-1]) for name in ("replicas", "readyReplicas", "availableReplicas", "fullyLabeledReplicas", "terminatingReplicas", "observedGeneration")),
        ("conditions", .4, conditions(["ReplicaFailure", "x"]))], []),
    "cronjobs": ({"schedule": "0 * * * *", "jobTemplate": {"spec": {"template": {"spec": {"containers": CONTAINERS, "restartPolicy": "Never"}}}}}, [
        ("schedule", .5, ["* * * * *", "@hourly", "60 * * * *", "TZ=UTC 0 * * * *", "CRON_TZ=UTC 0 * * * *", "@every 1m", "*/0 * * * *", "0 0 31 2 *", "", "0 0 * * 7", "0 0 * * MON-FRI"]),
        ("timeZone", .3, ["UTC", "Europe/Berlin", "", "Local", "x/y", "utc"]), ("suspend", .3, [True, False]), ("concurrencyPolicy", .3, ["Allow", "Replace", "x", ""]),
        ("startingDeadlineSeconds", .3, [0, 5, -1]), ("successfulJobsHistoryLimit", .3, [0, 3, -1]), ("failedJobsHistoryLimit", .3, [0, -1]),
        ("jobTemplate", .5, record([("metadata", .3, [{"labels": {"a": "b"}}, {"annotations": {"a": "b"}}]), ("spec", 1, record([
            ("template", 1, TEMPLATE), ("selector", .1, [{"matchLabels": {"a": "b"}}]), ("manualSelector", .1, [True, False]), ("suspend", .1, [True]),
            ("completionMode", .2, ["Indexed"]), ("completions", .2, [1, 2]), ("parallelism", .2, [0, -1])]))]))], [
        ("active", .6, records([("name", 1, ["a", "b"]), ("uid", .3, ["u"]), ("namespace", .3, ["default", "x"])])), ("lastScheduleTime", .5, TIMES),
        ("lastSuccessfulTime", .5, TIMES)], ["batch.kubernetes.io/cronjob-scheduled-timestamp", "a"]),
    "resourcequotas": ({"hard": {"pods": "10"}}, [
        ("hard", .8, table(["pods", "cpu", "requests.cpu", "limits.memory", "count/pods", "count/x.y", "requests.storage", "services.nodeports", "requests.example.com/x", "x",
                            "a.storageclass.storage.k8s.io/requests.storage", "hugepages-2Mi", "requests.hugepages-2Mi"], AMOUNTS + ["1500m"], 3)),
        ("scopes", .35, some(["Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity", "VolumeAttributesClass", "x"])),
        ("scopeSelector", .3, record([("matchExpressions", .9, records([
            ("scopeName", 1, ["PriorityClass", "Terminating", "BestEffort", "VolumeAttributesClass", "x"]), ("operator", 1, ["In", "In", "NotIn", "Exists", "DoesNotExist", "x"]),
            ("values", .6, [[], ["a"], ["a", "b"], ["a b"], [""]])]))]))], [
        ("hard", .7, table(["pods", "cpu", "x", "count/pods"], AMOUNTS)), ("used", .7, table(["pods", "cpu", "x", "count/pods"], AMOUNTS))], []),
    "services": ({"ports": [{"port": 80}]}, [
        ("type", .6, ["ClusterIP", "NodePort", "LoadBalancer", "ExternalName", "x"]),
        ("ports", .7, records([("port", 1, [80, 443, 0]), ("name", .8, ["a", "b", "c"]), ("protocol", .4, ["TCP", "UDP", "SCTP", "x"]), ("targetPort", .3, [8080, "web", "A B", 0]),
                               ("nodePort", .15, [30080, 80, -1]), ("appProtocol", .15, ["http", "kubernetes.io/h2c", "kubernetes.io/x", "A B"])])),
        ("clusterIP", .3, ["None", "None", "", "x"]), ("clusterIPs", .15, [["None"], [], ["None", "None"]]), ("externalName", .4, ["a.b", "", "A B", "a.b."]),
        ("selector", .3, [{"a": "b"}, {}]), ("sessionAffinity", .3, ["ClientIP", "None", "x"]), ("sessionAffinityConfig", .2, [{}, {"clientIP": {"timeoutSeconds": 5}}, {"clientIP": {"timeoutSeconds": 0}}]),
        ("externalTrafficPolicy", .25, ["Local", "Cluster", "x", ""]), ("internalTrafficPolicy", .25, ["Local", "x"]), ("healthCheckNodePort", .1, [31999, 0, -1]),
        ("loadBalancerClass", .2, ["a.b/c", "x", "A B"]), ("allocateLoadBalancerNodePorts", .2, [True, False]), ("loadBalancerIP", .15, ["10.1.1.1", "x"]),
        ("loadBalancerSourceRanges", .2, some(["10.0.0.0/8", "x", " 10.0.0.0/8"])), ("ipFamilyPolicy", .2, ["SingleStack", "PreferDualStack", "RequireDualStack", "x"]),
        ("ipFamilies", .2, [["IPv4"], ["IPv6"], ["IPv4", "IPv6"], [], ["x"]]), ("externalIPs", .15, some(["10.1.1.1", "127.0.0.1", "x"])),
        ("trafficDistribution", .2, ["PreferClose", "PreferSameNode", "x"]), ("publishNotReadyAddresses", .1, [True])], [
        ("loadBalancer", .9, record([("ingress", .9, records([("ip", .7, ["10.1.1.1", "x"]), ("hostname", .4, ["a.b", "A B", "10.1.1.1"]), ("ipMode", .3, ["VIP", "Proxy", "x"]),
                                                              ("ports", .2, records([("port", 1, [80]), ("protocol", 1, ["TCP", "x"]), ("error", .3, ["a", "a b"])]))]))])),
        ("conditions", .3, records([("type", 1, ["A", "a b"]), ("status", 1, ["True", "x"]), ("reason", .8, ["R", "a b", ""]), ("message", .8, ["m"]), ("lastTransitionTime", .8, TIMES)]))],
        ["service.beta.kubernetes.io/load-balancer-source-ranges", "service.kubernetes.io/topology-mode", "a"]),
    "resourceclaims": ({}, [
        ("devices", .7, record([
            ("requests", .9, records([("name", 1, ["r", "q", "r/s", ""]), ("exactly", .75, EXACT),
                                      ("firstAvailable", .25, records([("name", 1, ["s", "t"]), ("deviceClassName", 1, ["c", "A b"]), ("count", .2, [1, 0]), ("allocationMode", .2, ["All", "x"])]))])),
            ("constraints", .25, records([("requests", .5, some(["r", "q", "r/s", "x"])), ("matchAttribute", .8, ["a.b/c", "c", "a.b/"]), ("distinctAttribute", .2, ["a.b/c"])])),
            ("config", .25, records([("requests", .4, some(["r", "x"])), ("opaque", .9, record([("driver", 1, ["a.b", "A b"]), ("parameters", .9, [{}, {"a": 1}, [], "x"])]))]))]))], [
        ("allocation", .6, record([
            ("devices", 1, record([
                ("results", .9, records([("request", 1, ["r", "q", "r/s", "x"]), ("driver", 1, ["a.b", "A b"]), ("pool", 1, ["p", "p/q", "/"]), ("device", 1, ["d", "e", "D"]),
                                         ("adminAccess", .15, [True, False]), ("tolerations", .15, [[], [{"key": "a", "operator": "Exists"}], [{"operator": "x"}]]),
                                         ("shareID", .1, ["00000000-0000-0000-0000-000000000001", "x"]), ("bindingConditions", .1, some(["A", "a b"]))])),
                ("config", .2, records([("source", .8, ["FromClass", "FromClaim", "x"]), ("opaque", .9, [{"driver": "a.b", "parameters": {}}, {}])]))])),
            ("nodeSelector", .3, [{"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}]}, {"nodeSelectorTerms": []}, {}]),
            ("allocationTimestamp", .15, TIMES)])),
        ("reservedFor", .5, records([("resource", 1, ["pods", "A b", ""]), ("name", 1, ["p", "q"]), ("uid", 1, ["u", "v", ""]), ("apiGroup", .2, ["", "a.b"])])),
        ("devices", .35, records([("driver", 1, ["a.b"]), ("pool", 1, ["p"]), ("device", 1, ["d", "e"]), ("conditions", .3, conditions(["Ready", "a b"])), ("data", .2, [{}, {"a": 1}, "x"]),
                                  ("networkData", .3, [{"interfaceName": "eth0"}, {"ips": ["10.0.0.1/24", "x"]}, {"ips": ["10.0.0.1/24", "10.0.0.1/24"]}, {"hardwareAddress": "a" * 200}])]))], []),
}
