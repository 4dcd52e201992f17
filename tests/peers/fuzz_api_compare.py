"""How fuzz_api.py compares two answers, and what it calls a difference."""

import collections
import itertools
import json
import re

#: what no two servers have alike, in the text of an answer
VOLATILE = [
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "UID"),
    (re.compile(r'(resourceVersion\\*"?:\s?\\*"?|remainingItemCount":)\d+'), r"\1VERSION"),
    (re.compile(r"\b202[5-9]-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( [+-]\d+ UTC( m=\S+)?|Z)?"), "NOW"),
    (re.compile(r'(continue":)"[^"]+"'), r'\1"TOKEN"'),
    (re.compile(r"Key: (/registry)?/"), "Key: /"),  # upstream's depends on whether its cache answers
    (re.compile(r'in scheme \\"[^"]*pkg/api/legacyscheme'), 'in scheme \\"legacyscheme'),  # where it was built
    (re.compile(r"in record \(\d+\)"), "in record (VERSION)"),
    (re.compile(r"(Too large resource version: \d+, current: )\d+"), r"\1VERSION"),  # upstream's is that of a cache for each kind
    (re.compile(r"in (the )?precondition(: | \()\d+\b"), r"in \1precondition\2VERSION"),
    (re.compile(r"\\\\u003c"), "<"), (re.compile(r"\\\\u003e"), ">"), (re.compile(r"\\\\u0026"), "&"),  # of named strings only
    (re.compile(r'(?<=[\[,\s])"\d+s"(?=[\],\s])'), '"AGE"'),  # of rows
    (re.compile(r"selfType\d+(\.[@A-Za-z_]\w*)*"), "object"),  # a name from the clock, for each compilation
    (re.compile(r"\b0x[0-9a-f]{6,}\b"), "ADDRESS"), (re.compile(r"\b10\.96\.\d+\.\d+\b"), "ADDRESS"),
    (re.compile(r'"(nodePort|healthCheckNodePort)":3\d{4}'), r'"\1":30000'),
]
#: differences that are meant to be: (pattern of a class, reason)
KNOWN = [
    (r"^(body|WRONG \w+|answer|message) GET .*\bcached\b", "version 0 is answered from a cache, which may be behind"),
    (r"schedulingGroup", "groups of pods are kept, which take a gate upstream: berth's roles know them"),
    (r"^message failed to create typed patch", "which errors come before an undeclared field is left to the order of a Go map"),
    (r"^WRONG REFUSAL PATCH apply \d+/400 .*YAML|^wrong code PATCH apply \d+/400 .*YAML|^message .* \| error decoding YAML",
     "another YAML library reads broken documents in another way"),
    (r"/columnDefinitions/\[\]/description", "columns of Tables have no descriptions"),
    (r"^\w+ body GET collection /metadata/continue", "a page that is full tells of another, of which a selector may leave nothing"),
]
KNOWN_PATTERNS = [(re.compile(pattern), reason) for pattern, reason in KNOWN]


def known(name, plural):
    return next((reason for pattern, reason in KNOWN_PATTERNS if pattern.search(name) or pattern.search(f"{plural} {name}")), None)


def normal(text, generated):
    for pattern, replacement in VOLATILE:
        text = pattern.sub(replacement, text)
    return generated.sub(r"\1GENERATED", text) if generated else text


def shape(text):
    """A message without what it was said of: texts, numbers, values."""
    text = re.sub(r"Go struct field \S+", "Go struct field F", text)
    text = re.sub(r"of type \S+", "of type T", text)
    text = re.sub(r"^\w+ in version|as a \w+:|Kind=\w+|object \([^)]*\)", "KIND", text)
    text = re.sub(r'^(\S+ "(?:[^"\\]|\\.)*" is (?:invalid|forbidden))|on [a-z.]+ "|^[a-z.]+ "(?:[^"\\]|\\.)*"', "THING", text)
    text = re.sub(r"\{.*\}", "{…}", text, flags=re.S)
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '"…"', text)
    text = re.sub(r'("…"(, | ))+"…"', '"…"', text)
    text = re.sub(r"\[[^\[\]]*\]", "[…]", text)
    return re.sub(r"-?\d+", "N", text)[:150]


def place(field):
    """A path without indices and keys, from the pod spec on if there is one."""
    field = re.sub(r"\[[^]]*\]", "[]", field)
    field = re.sub(r"(k|v):[{\"][^/]*", "K", field)
    return re.sub(r"((f:)?spec[./])?((f:)?(jobT|t)emplate[./](f:)?spec[./])+", "POD.", field)


def body_differences(real, ours, path=""):
    if type(real) is not type(ours):
        yield path, real, ours
    elif isinstance(real, dict):
        for key in sorted(set(real) | set(ours)):
            if key not in real or key not in ours:
                yield f"{path}/{key}", real.get(key, "<absent>"), ours.get(key, "<absent>")
            elif real[key] != ours[key]:
                yield from body_differences(real[key], ours[key], f"{path}/{key}")
    elif isinstance(real, list):
        if len(real) != len(ours):
            yield f"{path}/#", real, ours
        for a, b in zip(real, ours) if len(real) == len(ours) else ():
            yield from body_differences(a, b, f"{path}/[]")
    elif real != ours:
        yield path, real, ours


def causes_of(answer):
    return [(c.get("field", ""), c.get("reason", ""), c.get("message", "")) for c in (answer.get("details") or {}).get("causes") or []]


def unnamed(message):
    """Without the names of Go's string types, which no table has."""
    return re.sub(r"(of type |cannot convert int64 to )(\[\]|map\[string\])*(\w+\.\w+|string)$", r"\1T", message)


def rest_of(causes):
    """Their places, without those of metadata. Properties of a schema, and resources by name, come in the order of a Go map."""
    rest = [place(cause[0]) for cause in causes if not cause[0].startswith("metadata")]
    groups = itertools.groupby(rest, lambda field: (re.search(r"openAPIV3Schema(?=\.)|.*\.resources(?=\.)", field) or [""])[0])
    return [field for what, fields in groups for field in (sorted(fields) if what else fields)]


def failure_differences(real, ours):
    """Of two answers that both refuse."""
    wanted, got = causes_of(real), causes_of(ours)
    missing, extra = list((collections.Counter(wanted) - collections.Counter(got)).elements()), \
        list((collections.Counter(got) - collections.Counter(wanted)).elements())
    for field, reason, message in missing:
        other = next((cause for cause in extra if cause[:2] == (field, reason)), None)
        if other:
            extra.remove(other)
            if unnamed(message) == unnamed(other[2]):
                continue
            yield f"text of {place(field)} {reason}: {shape(message)} | {shape(other[2])}", message, other[2]
        else:
            yield f"missing {place(field)} {reason} {shape(message)}", [field, message], got
    for field, reason, message in extra:
        yield f"extra {place(field)} {reason} {shape(message)}", wanted, [field, message]
    # Causes about metadata come first; those about members of a map in no order upstream.
    # Conflicts with several managers come in no order either.
    ordered = not any(cause[1] == "FieldManagerConflict" for cause in wanted)
    if ordered and rest_of(wanted) != rest_of(got) and not missing and not extra:
        yield f"order of {next(a for a, b in zip(rest_of(wanted), rest_of(got)) if a != b)}", [w[0] for w in wanted], [g[0] for g in got]
    if not missing and not extra and wanted == got and unnamed(str(real.get("message"))) != unnamed(str(ours.get("message"))):
        a, b = shape(str(real.get("message"))), shape(str(ours.get("message")))
        yield (f"message {a}" if a == b else f"message {a} | {b}"), real.get("message"), ours.get("message")
    for name in ("reason", "details", "metadata", "code", "kind"):
        if name == "details" and wanted != got:
            continue
        for where, a, b in body_differences(real.get(name), ours.get(name), f"/{name}"):
            yield f"answer {place(where)} {a!s:.40} | {b!s:.40}", a, b


def differences(form, real, ours):
    """Yields (class, value of the real one, value of ours) for answers (status, warnings, text)."""
    if real == ours:
        return
    (status, warned, text), (code, hinted, other) = real, ours
    a, b = as_value(text), as_value(other)
    if status != code:
        told = a if status >= 400 else b
        field, reason, message = (causes_of(told) or [("", told.get("reason", ""), told.get("message", ""))])[0]
        name = "WRONG ACCEPTANCE" if code < 300 <= status else "WRONG REFUSAL" if status < 300 <= code else "wrong code"
        yield f"{name} {form} {status}/{code} {place(field)} {reason} {shape(message)}", a.get("message", status), b.get("message", code)
        return
    if status >= 400 and isinstance(a, dict) and isinstance(b, dict):
        found = failure_differences(a, b)
    else:
        found = ((f"body {form} {place(re.sub(r'/(labels|annotations|f:labels|f:annotations)/.*', r'/*', where))}", x, y)
                 for where, x, y in body_differences(a, b))
    yield from found
    if status == 404:  # the real server may read a patch for what its cache still has, and warn of it
        return
    if sorted(warned) != sorted(hinted):  # unknown fields come in the order of members, which the stored object may have otherwise
        x = next((text for text in warned if text not in hinted), None)
        y = next((text for text in hinted if text not in warned), None)
        yield f"warning {shape(x or '')} | {shape(y or '')}", warned, hinted


def as_value(text):
    """Of a watch, its events, without bookmarks that come with time."""
    try:
        return json.loads(text or "{}")
    except ValueError:
        pass
    try:
        events = [json.loads(line) for line in text.splitlines()]
        return {"events": [event for event in events if event.get("type") != "BOOKMARK" or "initial-events-end" in json.dumps(event)]}
    except (ValueError, AttributeError):
        return {"text": text}
