"""Policies of admission and costs of rules on the sandbox and on the real kube-apiserver: the same policies, the same writes.

policies.py BERTH PEERS        each policy holds in a namespace of its own; what the answers differ in is printed, 1 when there is anything
"""

import json
import pathlib
import sys
import tempfile
import time

from fuzz_api_wire import TOKEN, Server, start_berth, start_real, stop_real
from policy_cases import CASES, RULES, definition, prepare

GROUP = "/apis/admissionregistration.k8s.io/v1/"
PATHS = {"ConfigMap": "/api/v1/namespaces/%s/configmaps", "Pod": "/api/v1/namespaces/%s/pods",
         "Deployment": "/apis/apps/v1/namespaces/%s/deployments",
         "HorizontalPodAutoscaler": "/apis/autoscaling/v1/namespaces/%s/horizontalpodautoscalers"}
SETTLE_SECONDS = 6  # until kube-apiserver has heard of its policies
VOLATILE = ("uid", "resourceVersion", "creationTimestamp", "time")


def plain(value):
    """Without what no two servers have in common."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: plain(item) for name, item in value.items() if name not in VOLATILE and not (name == "name" and "generateName" in value)}


class Side:
    def __init__(self, url, name):
        self.admin, self.alice = Server(url, TOKEN, name), Server(url, TOKEN, name)
        self.alice.head += "Impersonate-User: alice\r\n"

    def put_policy(self, namespace, kind, spec, binding):
        """Holds in that namespace only; what is wrong with it, if anything."""
        plural, name = {"M": "mutating", "V": "validating"}[kind] + "admissionpolic", f"{namespace}-{kind.lower()}"
        status, _, answer = self.admin.ask("POST", GROUP + plural + "ies", "application/json", {"metadata": {"name": name}, "spec": spec})
        selector = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}}
        actions = {"validationActions": ["Deny"]} if kind == "V" else {}
        self.admin.ask("POST", GROUP + plural + "ybindings", "application/json",
                       {"metadata": {"name": name}, "spec": {"policyName": name, "matchResources": selector, **actions, **binding}})
        return None if status == 201 else answer.get("message")

    def write(self, namespace, write):
        method, path, body = write[:3]
        content = write[3] if len(write) > 3 else "application/json"
        server = self.alice if len(write) > 4 else self.admin
        status, warnings, answer = server.ask(method, path % namespace if "%s" in path else path, content, body)
        return [method, status, warnings, plain(answer)]


def writes_of(case):
    base = PATHS[case["object"]["kind"]]
    return [(write[0], write[1] if write[1].startswith("/api") else base + write[1], *write[2:]) for write in case["writes"]]


def compare_policies(sides):
    bad, complaints = 0, []
    for side in sides:
        complaints.append([])
        for index, case in enumerate(CASES):
            namespace = f"case-{index}"
            side.admin.ask("POST", "/api/v1/namespaces", "application/json", {"metadata": {"name": namespace}})
            prepare(side.admin, namespace)
            complaints[-1].append([side.put_policy(namespace, *policy) for policy in case["policies"]])
    time.sleep(SETTLE_SECONDS)
    for index, case in enumerate(CASES):
        answers = [[side.write(f"case-{index}", write) for write in writes_of(case)] for side in sides]
        if answers[0] == answers[1] and complaints[0][index] == complaints[1][index]:
            continue
        bad += 1
        print(f"## {case['name']}")
        for side, all_answers, said in zip(sides, answers, complaints):
            print(f"  {side.admin.name}: {said[index]} {json.dumps(all_answers)[:2000]}")
    return bad


def compare_costs(sides):
    bad = 0
    for index, (rule, bound) in enumerate((rule, bound) for rule in RULES for bound in (None, 31000, 1700000)):
        answers = [side.admin.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All", "application/json",
                                  definition(rule, bound, index)) for side in sides]
        texts = [[answer[0], (answer[2].get("details") or {}).get("causes")] for answer in answers]
        if texts[0] != texts[1]:
            bad += 1
            print(f"## {rule} ({bound})\n  real: {texts[0]}\n  ours: {texts[1]}")
    return bad


def main(berth, peers):
    with tempfile.TemporaryDirectory() as name:
        folder, process = pathlib.Path(name), None
        try:
            real = start_real(pathlib.Path(peers), folder)
            ours, process = start_berth(berth, folder)
            sides = [Side(real, "real"), Side(ours, "ours")]
            bad = compare_policies(sides) + compare_costs(sides)
        finally:
            if process:
                process.terminate()
                process.wait()
            stop_real(folder)
    print(f"{len(CASES)} policies, {3 * len(RULES)} rules, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
