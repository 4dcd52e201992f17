"""Owners of fields in the answers that fuzz_api.py compares. They are sorted by the second in which they wrote: where seconds went by for one
server only, their order says nothing. Refusals quote objects, with their owners, in their messages."""

import json
import re

from fuzz_api_compare import as_value

QUOTED = re.compile(r'"(\{(?:[^"\\]|\\.)*\\"managedFields\\":(?:[^"\\]|\\.)*\})"')
PARTS = "parts of a text"


def opened(value):
    """With the objects that texts quote as objects."""
    if isinstance(value, dict):
        return {key: opened(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [opened(inner) for inner in value]
    if not isinstance(value, str) or not QUOTED.search(value):
        return value
    parts = QUOTED.split(value)
    try:
        return {PARTS: [json.loads(json.loads(f'"{part}"')) if number % 2 else part for number, part in enumerate(parts)]}
    except ValueError:  # quoted as Go does, and JSON does not
        return value


def closed(value):
    """What was opened, as texts again."""
    if isinstance(value, list):
        return [closed(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    if PARTS in value:
        return "".join(part if isinstance(part, str) else written(written(part)) for part in value[PARTS])
    return {key: closed(inner) for key, inner in value.items()}


def written(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def owner_lists(value):
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key == "managedFields" and isinstance(inner, list) and all(isinstance(entry, dict) for entry in inner):
            yield inner
        else:
            yield from owner_lists(inner)


def ranks(entries):
    """Which entries have the same time, and which come before others."""
    times = sorted({str(entry.get("time", "")) for entry in entries})
    return sorted((json.dumps({**entry, "time": None}, sort_keys=True), times.index(str(entry.get("time", "")))) for entry in entries)


def in_one_order(answers):
    """Both answers, (status, warnings, text), with owners in one order if their times differ."""
    if any("managedFields" not in text for _, _, text in answers):
        return answers
    values = [opened(as_value(text)) for _, _, text in answers]
    lists = [list(owner_lists(value)) for value in values]
    if len(lists[0]) != len(lists[1]) or all(ranks(a) == ranks(b) for a, b in zip(*lists)):
        return answers
    for entries in lists[0] + lists[1]:
        entries.sort(key=lambda entry: json.dumps({**entry, "time": None}, sort_keys=True))
    return [(status, warned, written(closed(value))) for (status, warned, _), value in zip(answers, values)]


def without_owner_order(log):
    """Of both servers, the answers as text: a second that ends between two writes gives their owners another order."""
    return [[json.dumps((status, warned, with_sorted_owners(text))) for status, warned, text in answers] for answers in log]


def with_sorted_owners(text):
    if "managedFields" not in text:
        return text
    value = opened(as_value(text))
    for entries in owner_lists(value):
        entries.sort(key=lambda entry: json.dumps(entry, sort_keys=True))
    return json.dumps(value, sort_keys=True)
