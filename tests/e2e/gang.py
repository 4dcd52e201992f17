"""Pods that are placed together or not at all: gang.py BERTH URL (plain HTTP, token "e2e", a sandbox without controllers).

PodGroups come as a CustomResourceDefinition. The last line is "N passed, M failed".
"""

import pathlib
import subprocess
import sys
import tempfile

from drill import Sandbox, finish, judge, port_of, until, write_kubeconfig

BERTH, PORT = sys.argv[1], port_of(sys.argv[2])
WORK = pathlib.Path(tempfile.mkdtemp())
PODS = "/api/v1/namespaces/default/pods"
GROUPS = "/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups"
ask = Sandbox(PORT)


def put_node(name):
    resources = {"cpu": "1", "memory": "32Gi", "pods": "110"}
    ask("POST", "/api/v1/nodes", {"metadata": {"name": name}, "status": {"allocatable": resources, "capacity": resources}})
    ask("PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": None}}, "application/merge-patch+json")


def put_member(name):
    status, answer = ask("POST", PODS, {"metadata": {"name": name}, "spec": {
        "schedulingGroup": {"podGroupName": "g"},
        "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "500m"}}}]}})
    assert status == 201, answer


def bound():
    return [pod["metadata"]["name"] for pod in ask("GET", PODS)[1]["items"] if "nodeName" in pod["spec"]]


def conditions():
    return ask("GET", f"{GROUPS}/g")[1].get("status", {}).get("conditions", [])


def refused():
    return [pod["metadata"]["name"] for pod in ask("GET", PODS)[1]["items"]
            if any(one["type"] == "PodScheduled" for one in pod.get("status", {}).get("conditions", []))]


status, answer = ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    "metadata": {"name": "podgroups.scheduling.k8s.io", "annotations": {
        "api-approved.kubernetes.io": "https://github.com/kubernetes/enhancements/pull/1111"}},
    "spec": {"group": "scheduling.k8s.io", "scope": "Namespaced",
             "names": {"plural": "podgroups", "singular": "podgroup", "kind": "PodGroup", "listKind": "PodGroupList"},
             "versions": [{"name": "v1alpha2", "served": True, "storage": True, "subresources": {"status": {}}, "schema": {"openAPIV3Schema": {
                 "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}})
judge("PodGroups are defined", status == 201, answer)
until("PodGroups", lambda: ask("GET", GROUPS)[0] == 200)
put_node("n1")
kubeconfig = write_kubeconfig(WORK / "kubeconfig", PORT)
scheduler = subprocess.Popen([BERTH, "scheduler", "--kubeconfig", kubeconfig, "--leader-elect=false", "-v", "1",
                              "--feature-gates", "GangScheduling=true"])
status, answer = ask("POST", GROUPS, {"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup", "metadata": {"name": "g"},
                                      "spec": {"schedulingPolicy": {"gang": {"minCount": 3}}}})
judge("a group", status == 201, answer)
for number in range(3):
    put_member(f"m{number}")
until("the refusal of all", lambda: len(refused()) == 3)
judge("room for two binds none", bound() == [], bound())
said = until("the group's condition", lambda: conditions())
judge("the group is told", [said[0][key] for key in ("type", "status", "reason")] == ["PodGroupScheduled", "False", "Unschedulable"], said)
put_node("n2")
judge("room for three binds three", until("bindings", lambda: len(bound()) == 3), bound())
until("the condition turns", lambda: conditions()[0]["status"] == "True")
judge("and told again", conditions()[0]["reason"] == "Scheduled", conditions())
scheduler.terminate()
judge("ends well", scheduler.wait(60) == 0)
finish()
