"""Pods that are placed together or not at all: gang.py BERTH URL (plain HTTP, token "e2e", a sandbox without controllers).

PodGroups come as the CustomResourceDefinition of examples/groups. The last line is "N passed, M failed".
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from drill import Sandbox, finish, judge, port_of, until, write_kubeconfig

BERTH, PORT = sys.argv[1], port_of(sys.argv[2])
WORK = pathlib.Path(tempfile.mkdtemp())
PODS = "/api/v1/namespaces/default/pods"
DEFINITION = pathlib.Path(__file__).parents[2] / "examples/groups/10-podgroups.yaml"
GATES = ",".join(f"{gate}=true" for gate in (
    "GenericWorkload", "GangScheduling", "TopologyAwareWorkloadScheduling", "WorkloadAwarePreemption"))
GROUPS = "/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups"
ask = Sandbox(PORT)


def put_node(name, labels=None):
    resources = {"cpu": "1", "memory": "32Gi", "pods": "110"}
    ask("POST", "/api/v1/nodes", {"metadata": {"name": name, "labels": labels or {}},
                                  "status": {"allocatable": resources, "capacity": resources}})
    ask("PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": None}}, "application/merge-patch+json")


def put_group(name, spec):
    status, answer = ask("POST", GROUPS, {"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup",
                                          "metadata": {"name": name}, "spec": spec})
    judge(f"a group {name}", status == 201, answer)


def put_member(name, group="g", cpu="500m"):
    membership = {"schedulingGroup": {"podGroupName": group}} if group else {}
    status, answer = ask("POST", PODS, {"metadata": {"name": name}, "spec": {
        **membership, "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]}})
    assert status == 201, answer


def bound():
    return [pod["metadata"]["name"] for pod in ask("GET", PODS)[1]["items"] if "nodeName" in pod["spec"]]


def conditions(group="g"):
    return ask("GET", f"{GROUPS}/{group}")[1].get("status", {}).get("conditions", [])


def told(group, text):
    return any(text in condition["message"] for condition in conditions(group))


def nodes_of(prefix):
    return {pod["metadata"]["name"]: pod["spec"].get("nodeName") for pod in ask("GET", PODS)[1]["items"]
            if pod["metadata"]["name"].startswith(prefix)}


def refused():
    return [pod["metadata"]["name"] for pod in ask("GET", PODS)[1]["items"]
            if any(one["type"] == "PodScheduled" for one in pod.get("status", {}).get("conditions", []))]


status, answer = ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION.read_text(), "application/yaml")
judge("PodGroups are defined", status == 201, answer)
until("PodGroups", lambda: ask("GET", GROUPS)[0] == 200)
status, answer = ask("POST", GROUPS, {"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup", "metadata": {"name": "none"},
                                      "spec": {"schedulingPolicy": {"gang": {"minCount": 0}}}})
judge("a gang of none is refused", status == 422, answer)
put_node("n1")
kubeconfig = write_kubeconfig(WORK / "kubeconfig", PORT)
scheduler = subprocess.Popen([BERTH, "scheduler", "--kubeconfig", kubeconfig, "--leader-elect=false", "-v", "1",
                              "--feature-gates", GATES])
put_group("g", {"schedulingPolicy": {"gang": {"minCount": 3}}})
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

# Room for four in each of two domains and outside of them, but wholly only in one.
put_node("a1", {"rack": "a"})
put_group("t", {"schedulingPolicy": {"gang": {"minCount": 4}}, "schedulingConstraints": {"topology": [{"key": "rack"}]},
                "disruptionMode": "PodGroup"})
for number in range(4):
    put_member(f"t{number}", "t")
until("the word that no domain has the room", lambda: told("t", "0/1 placements are available, first placement status: "))
judge("none is bound", not any(nodes_of("t").values()), nodes_of("t"))
put_node("b1", {"rack": "b"})
put_node("b2", {"rack": "b"})
until("the gang in its domain", lambda: all(nodes_of("t").values()))
judge("all of it in one domain", set(nodes_of("t").values()) == {"b1", "b2"}, nodes_of("t"))
until("its condition turns", lambda: conditions("t")[0]["status"] == "True")

# A more important group makes room for itself, but not for nothing; a group that goes whole is more than pods are worth.
put_member("low", None, "1")
until("the last free node taken", lambda: nodes_of("low")["low"] == "a1")
put_group("p", {"schedulingPolicy": {"gang": {"minCount": 5}}, "priority": -1})
for number in range(5):
    put_member(f"p{number}", "p", "1")
until("the word that nobody goes for it", lambda: told("p", "No preemption victims found for incoming preemptor"))
judge("all are still there", all(nodes_of("").get(name) for name in ("low", "m0", "m1", "m2", "t0", "t1", "t2", "t3")), nodes_of(""))
put_group("q", {"schedulingPolicy": {"gang": {"minCount": 2}}, "priority": 100})
for number in range(2):
    put_member(f"q{number}", "q", "1")
until("room for the important", lambda: all(nodes_of("q").values()))
judge("the single pod had to go", "low" not in nodes_of("low"), nodes_of("low"))
judge("the whole group stays", all(nodes_of("t").values()) and len(nodes_of("t")) == 4, nodes_of("t"))
until("the condition of the important", lambda: conditions("q")[0]["status"] == "True")

scheduler.terminate()
judge("ends well", scheduler.wait(60) == 0)


def placed(gates, *inputs):
    """How many pods of the example are placed, and how many not, in a cluster of its own."""
    report = WORK / "report.json"
    arguments = [argument for name in inputs for argument in ("--input", str(DEFINITION.parent / name))]
    subprocess.run([BERTH, "up", *arguments, "--settle", "--listen", "127.0.0.1:0", "--report", str(report), *gates],
                   check=True, stdout=subprocess.DEVNULL)
    told_of = json.loads(report.read_text())
    return told_of["placed"], told_of["podsNotPlaced"]


gates = ("--feature-gates", GATES)
found = placed(gates, ".")
judge("the example's gang in its rack", found == (3, 0), found)
found = placed((*gates, "--nodes", "3"), "10-podgroups.yaml", "20-train.yaml")
judge("not without racks", found == (0, 3), found)
finish()
