#!/usr/bin/env python3
"""Records what a real API server makes of validation rules of custom resources: record_rules.py PEERS FILE.

PEERS is the folder of kube-apiserver and etcd. FILE (tests/unit/cel/recorded_rules.json) is a list of [rule, value, outcome]: `value` is
the text that `self` is, `outcome` is written anew: "true", "false", "!" and the error of running the rule, or "?" and why it is refused.
"""
import json
import pathlib
import re
import sys
import tempfile

import fuzz_api_wire as wire

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
JSON = "application/json"
RULES_OF_ONE_KIND = 15  # more would pass the limit for the cost of one definition


def definition(group, rules):
    fields = {f"p{number}": {"type": "string", "maxLength": 64, "x-kubernetes-validations": [{"rule": rule}]} for number, rule in rules.items()}
    schema = {"type": "object", "properties": fields}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"things.{group}"},
            "spec": {"group": group, "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"},
                     "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]}}


def refusal(body):
    text = body["details"]["causes"][0]["message"]
    return "?" + re.sub(r"^(Invalid value: \{.*?\"OptionalOldSelf\":null\}: )?(compilation failed: )?", "", text, flags=re.DOTALL)


def outcome(status, body, rule):
    if status == 201:
        return "true"
    text = body["details"]["causes"][0]["message"]
    if f": failed rule: {rule}" in text:
        return "false"
    text = re.sub(r'^Invalid value: "string": ', "", text)
    return "!" + re.sub(r"^'(.*)': call arguments did not match .*$", r"\1", text.split(" evaluating rule: ")[0], flags=re.DOTALL)


def refusals(server, rules):
    """number -> why the rule is refused, of those that are; None when the server did not answer."""
    found = {}
    for number, rule in rules.items():
        status, _, body = server.ask("POST", DEFINITIONS + "?dryRun=All", JSON, definition("refused.example", {number: rule}))
        if status == 422 and "cost" not in body["message"]:
            found[number] = refusal(body)
        elif status != 201:
            found[number] = None
    return found


def outcomes(server, rules, rows):
    """(rule, value) -> outcome, of the rules that are taken."""
    found = {}
    numbers = list(rules)
    for first in range(0, len(numbers), RULES_OF_ONE_KIND):
        some = {number: rules[number] for number in numbers[first:first + RULES_OF_ONE_KIND]}
        group = f"recorded{first}.example"
        things = f"/apis/{group}/v1/namespaces/default/things"
        status, _, body = server.ask("POST", DEFINITIONS, JSON, definition(group, some))
        assert status == 201, body
        wire.wait_until(lambda: server.ask("GET", things)[0] == 200)
        for rule, value in rows:
            for number in [number for number in some if some[number] == rule]:
                thing = {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": "x"}, f"p{number}": value}
                status, _, body = server.ask("POST", things + "?dryRun=All", JSON, thing)
                found[rule, value] = outcome(status, body, rule)
        server.ask("DELETE", f"{DEFINITIONS}/things.{group}")
    return found


def main():
    peers, path = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    rows = [(row[0], row[1]) for row in json.loads(path.read_text())]
    rules = dict(enumerate(dict.fromkeys(rule for rule, _ in rows)))
    with tempfile.TemporaryDirectory() as folder:
        try:
            server = wire.Server(wire.start_real(peers, pathlib.Path(folder)), wire.TOKEN, "recorder")
            refused = refusals(server, rules)
            found = outcomes(server, {number: rule for number, rule in rules.items() if number not in refused}, rows)
        finally:
            wire.stop_real(pathlib.Path(folder))
    why = {rules[number]: text for number, text in refused.items()}
    recorded = [[rule, value, found.get((rule, value), why.get(rule))] for rule, value in rows]
    lines = [json.dumps(row, ensure_ascii=True) for row in recorded if row[2]]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{len(lines)} of {len(rows)} recorded")


if __name__ == "__main__":
    main()
