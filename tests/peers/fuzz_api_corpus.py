"""Objects of recorded creates as what fuzz_api.py starts from, for every kind that the recordings have."""

import json

from fuzz_api_seeds import KINDS

EACH = 12  # objects of one kind: the shortest, the longest and some between
OWN = ("Namespace", "Pod", "Deployment", "Node", "Job", "PodDisruptionBudget")  # have seeds of their own
NOT_STORED = ("Binding", "Eviction", "TokenRequest")
# What one of them says decides over all that follows, on one server a moment earlier than on the other.
DECIDING = ("limitranges", "resourcequotas", "priorityclasses", "validatingadmissionpolicies", "validatingadmissionpolicybindings",
            "servicecidrs", "selfsubjectaccessreviews", "subjectaccessreviews", "localsubjectaccessreviews")


def kinds_of(folder):
    """Adds to KINDS what the recordings have, and returns the names."""
    objects, places, states = {}, {}, {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            note(json.loads(line), objects, places, states)
    names = []
    for key, texts in objects.items():
        start, _, plural = places[key].rpartition("/")
        if plural in DECIDING:
            continue
        ordered = sorted(texts, key=len)
        step = max(1, (len(ordered) - 1) / (EACH - 1))
        chosen = dict.fromkeys(ordered[int(i * step)] for i in range(min(EACH, len(ordered))))
        KINDS[plural] = (start + "/", key[1], key[0], "", [json.loads(text) for text in chosen], states.get(key))
        names.append(plural)
    return names


def note(row, objects, places, states):
    request, answered = row.get("request", {}), row.get("response", {}).get("status")
    body, path = request.get("body"), request.get("path", "").split("?")[0].replace("${NS}", "default")
    if not isinstance(body, dict) or "kind" not in body or body["kind"] in OWN + NOT_STORED or "example" in body.get("apiVersion", ""):
        return
    text = json.dumps({name: value for name, value in body.items() if name not in ("kind", "apiVersion", "metadata")}, sort_keys=True)
    text, key = text.replace("${RUN}", "r").replace("${NS}", "default"), (body.get("apiVersion"), body["kind"])
    if "${" in text:
        return
    if request.get("method") == "PUT" and path.endswith("/status") and answered == 200 and body.get("status"):
        states.setdefault(key, json.loads(text)["status"])
    if request.get("method") == "POST" and answered == 201:
        places[key] = path
        objects.setdefault(key, {})[text] = True
