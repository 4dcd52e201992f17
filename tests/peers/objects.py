"""Objects that the rows create, and the way to them."""

NODES, PODS, PVCS = "/api/v1/nodes", "/api/v1/namespaces/default/pods", "/api/v1/namespaces/default/persistentvolumeclaims"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


def node(name, cpu="8", memory="32Gi", labels=None, pods="110"):
    capacity = {"cpu": cpu, "memory": memory, "pods": pods, "ephemeral-storage": "100Gi"}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
            "status": {"capacity": capacity, "allocatable": capacity, "nodeInfo": node_info("first"),
                       "conditions": [{"type": "Ready", "status": "True", "reason": "Test", "message": "ready"}]}}


def node_info(boot):
    return {"bootID": boot, "machineID": "m", "systemUUID": "u", "kernelVersion": "6.1", "osImage": "x", "containerRuntimeVersion": "x://1",
            "kubeletVersion": "v1.36.0", "kubeProxyVersion": "", "operatingSystem": "linux", "architecture": "amd64"}


def pod(name, cpu="100m", scheduler="default-scheduler", labels=None, **spec):
    """Ends at once when it is deleted, since nothing runs it."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": name, **(labels or {})}},
            "spec": {"schedulerName": scheduler, "terminationGracePeriodSeconds": 0,
                     "containers": [{"name": "c", "image": "x", "resources": {"requests": {"cpu": cpu}}}], **spec}}


def replica_set(name, node_name, replicas=1):
    template = pod(name, nodeName=node_name)
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": {"app": name}},
        "template": {"metadata": {"labels": {"app": name}}, "spec": template["spec"]}}}


def running(name_of_node="10.0.0.1"):
    """The status that a kubelet would write."""
    return {"status": {"phase": "Running", "podIP": name_of_node, "conditions": [{"type": "Ready", "status": "True"}],
                       "containerStatuses": [{"name": "c", "image": "x", "imageID": "x", "ready": True, "restartCount": 0,
                                              "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}]}}


def message(pod_object):
    """That of its condition PodScheduled."""
    for condition in pod_object.get("status", {}).get("conditions", []):
        if condition["type"] == "PodScheduled":
            return condition.get("message", "")
    return ""
