"""Requests of a stranger who has a token: bodies, patches, queries. See hostile_inputs.py.

An entry is a generator of cases: name, answer, and what it should be ("refused", "done", "either", "http"). dice decides, size (0 to 1)
says how large the cases are.
"""

import base64
import json
import struct

PODS = "/api/v1/namespaces/default/pods"
MAPS = "/api/v1/namespaces/default/configmaps"
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
YAML, PROTOBUF = "application/yaml", "application/vnd.kubernetes.protobuf"
PATCHES = {"json": "application/json-patch+json", "merge": "application/merge-patch+json",
           "strategic": "application/strategic-merge-patch+json", "apply": "application/apply-patch+yaml"}
BODY = 3 << 20  # the largest there may be


def merge_bomb(levels, width):
    lines = ["a0: &a0 {x: 1}"]
    for level in range(1, levels):
        lines.append(f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * width)}]}}")
    return "\n".join(lines) + "\n"


def alias_bomb(levels, width):
    lines = ["a0: &a0 [x, x]"]
    for level in range(1, levels):
        lines.append(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * width)}]")
    return "\n".join(lines) + "\n"


def mapping_bomb(levels):
    """Aliases as values of mappings: two per level."""
    return "\n".join(["a0: &a0 {x: y}"] + [f"a{n}: &a{n} {{l: *a{n - 1}, r: *a{n - 1}}}" for n in range(1, levels)]) + "\n"


def self_reference():
    return "a: &a [*a, *a]\nb: &b {<<: *b}\n"


YAML_BOMBS = {
    "merge keys": lambda dice: merge_bomb(dice.randint(8, 40), 9),
    "aliases": lambda dice: alias_bomb(dice.randint(10, 40), 9),
    "mappings": lambda dice: mapping_bomb(dice.randint(24, 60)),
    "an alias of itself": lambda dice: self_reference(),
    "many anchors": lambda dice: "".join(f"k{n}: &n{n} [*n{max(n - 1, 0)}]\n" if n else "k0: &n0 [x]\n" for n in range(5000)),
}


def yaml_bombs(server, dice, size):
    for name, bomb in YAML_BOMBS.items():
        yield name, server.ask("POST", REVIEWS, bomb(dice), YAML), "refused"
        yield name + " applied", server.ask("PATCH", MAPS + "/bomb?fieldManager=m", bomb(dice), PATCHES["apply"]), "refused"


def deep_nesting(server, dice, size):
    depth = int(1000000 * size)
    head = '{"metadata":{"name":"deep"},"data":'
    for name, text in {
            "arrays": head + "[" * depth + "]" * depth + "}", "never closed": head + "[" * depth,
            "objects": head + '{"a":' * (depth // 3) + "1" + "}" * (depth // 3) + "}",
            "mixed": head + '[{"a":' * (depth // 4) + "1" + "}]" * (depth // 4) + "}"}.items():
        yield name, server.ask("POST", MAPS, text), "refused"
        yield name + " in a merge patch", server.ask("PATCH", LEAST, text, PATCHES["merge"]), "refused"
    yield "YAML flow", server.ask("POST", MAPS, "data: " + "[" * depth, YAML), "refused"
    block = "".join(" " * n + "a:\n" for n in range(int(2000 * size)))
    yield "YAML block", server.ask("POST", MAPS, block, YAML), "refused"
    yield "YAML sequences in one line", server.ask("POST", MAPS, "data:\n" + "- " * (depth // 2) + "x\n", YAML), "refused"


LEAST = "/api/v1/namespaces/default"  # an object that is always there


NUMBERS = ["1e400", "-1e999999999", "9" * 400, "9223372036854775808", "-9223372036854775809", "1.5", "0.1e1", "1e-400", "-0", "00", "+1",
           "NaN", "Infinity", "0x10", "1" + "0" * 100000, "1." + "0" * 100000 + "1", '"1"', "[]", "true"]
QUANTITIES = ["9" * 20, "9" * 100000, "1e99999999999", "1e-99999999999", "-1", "1" + "0" * 400 + "Ei", "0." + "0" * 5000 + "1", "1Zi", "e3",
              "9223372036854775807", "99999999999999999999m", "1e18Ki", "\u0661", ""]


def numbers(server, dice, size):
    for number in NUMBERS:
        text = '{"metadata":{"name":"number"},"spec":{"replicas":%s,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":' \
               '{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}],"priority":%s}}}}' % (number, number)
        yield "replicas " + number[:20], server.ask("POST", DEPLOYMENTS + "?dryRun=All", text), "either"
    for quantity in QUANTITIES:
        pod = {"metadata": {"name": "quantity"}, "spec": {"nodeName": "node-0", "containers": [{"name": "c", "image": "i", "resources": {
            "requests": {"cpu": quantity, "memory": quantity}, "limits": {"memory": quantity}}}]}}
        yield "quantity " + quantity[:20], server.ask("POST", PODS, pod), "either"
        server.ask("DELETE", PODS + "/quantity?gracePeriodSeconds=0")
    for name in ("timeoutSeconds", "limit", "gracePeriodSeconds", "resourceVersion"):
        for value in ("9" * 30, "-1", "1e9", "x", "%00", "9223372036854775807"):
            yield f"{name} {value[:8]}", server.ask("GET", f"{MAPS}?{name}={value}"), "either"


def repeated(count, make):
    """As many of them as fit into a body, at most count."""
    items, left = [], BODY - 4096
    for number in range(count):
        item = make(number)
        left -= len(json.dumps(item)) + 2
        if left < 0:
            break
        items.append(item)
    return items


CONTAINER = {"name": "c", "image": "i"}
POD_LISTS = {
    "env": lambda items: {"containers": [{**CONTAINER, "env": items}]},
    "ports": lambda items: {"containers": [{**CONTAINER, "ports": items}]},
    "volumeMounts": lambda items: {"containers": [{**CONTAINER, "volumeMounts": items}]},
    "containers": lambda items: {"containers": items}, "initContainers": lambda items: {"containers": [CONTAINER], "initContainers": items},
    "tolerations": lambda items: {"containers": [CONTAINER], "tolerations": items},
    "volumes": lambda items: {"containers": [CONTAINER], "volumes": items},
    "hostAliases": lambda items: {"containers": [CONTAINER], "hostAliases": items},
    "imagePullSecrets": lambda items: {"containers": [CONTAINER], "imagePullSecrets": items},
    "topologySpreadConstraints": lambda items: {"containers": [CONTAINER], "topologySpreadConstraints": items},
    "readinessGates": lambda items: {"containers": [CONTAINER], "readinessGates": items},
    "resourceClaims": lambda items: {"containers": [CONTAINER], "resourceClaims": items},
}
ITEMS = {
    "env": lambda n: {"name": f"e{n}", "value": "v"}, "ports": lambda n: {"containerPort": n % 65535 + 1, "name": f"p{n}"},
    "volumeMounts": lambda n: {"name": f"v{n}", "mountPath": f"/m{n}"}, "containers": lambda n: {"name": f"c{n}", "image": "i"},
    "initContainers": lambda n: {"name": f"i{n}", "image": "i"}, "tolerations": lambda n: {"key": f"t{n}", "operator": "Exists"},
    "volumes": lambda n: {"name": f"v{n}", "emptyDir": {}}, "hostAliases": lambda n: {"ip": f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}"},
    "imagePullSecrets": lambda n: {"name": f"s{n}"}, "readinessGates": lambda n: {"conditionType": f"example.com/g{n}"},
    "topologySpreadConstraints": lambda n: {"maxSkew": 1, "topologyKey": f"k{n}", "whenUnsatisfiable": "ScheduleAnyway"},
    "resourceClaims": lambda n: {"name": f"r{n}", "resourceClaimName": "c"},
}


def repeated_lists(server, dice, size):
    """A full body of each list of a pod: created, replaced, patched in each way."""
    for name, spec_of in POD_LISTS.items():
        items = repeated(int(100000 * size), ITEMS[name])
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "much"}, "spec": spec_of(items)}
        yield f"{len(items)} {name}", server.ask("POST", PODS, pod), "either"
        yield f"{name} patched", server.ask("PATCH", PODS + "/much", {"spec": pod["spec"]}, PATCHES["strategic"]), "either"
        yield f"{name} merged", server.ask("PATCH", PODS + "/much", {"spec": pod["spec"]}, PATCHES["merge"]), "either"
        yield f"{name} applied", server.ask("PATCH", PODS + "/applied?fieldManager=m", {**pod, "metadata": {"name": "applied"}},
                                            PATCHES["apply"]), "either"
        for one in ("much", "applied"):
            server.ask("DELETE", f"{PODS}/{one}?gracePeriodSeconds=0")


def repeated_metadata(server, dice, size):
    count = int(60000 * size)
    for name, value in {
            "labels": {f"l{n}": "v" for n in range(count)}, "annotations": {f"a{n}": "v" * 20 for n in range(count)},
            "finalizers": [f"example.com/f{n}" for n in range(count)],
            "ownerReferences": repeated(count, lambda n: {"apiVersion": "v1", "kind": "Pod", "name": f"p{n}", "uid": f"u{n}"}),
            "managedFields": repeated(count, lambda n: {"manager": f"m{n}", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
                                                        "fieldsV1": {"f:data": {f"f:k{n}": {}}}})}.items():
        config_map = {"metadata": {"name": "meta", name: value}}
        yield name, server.ask("POST", MAPS, config_map), "either"
        yield name + " patched", server.ask("PATCH", MAPS + "/meta", {"metadata": {name: value}}, PATCHES["strategic"]), "either"
        yield name + " replaced", server.ask("PUT", MAPS + "/meta", config_map), "either"
        server.ask("PATCH", MAPS + "/meta", {"metadata": {"finalizers": None}}, PATCHES["merge"])
        server.ask("DELETE", MAPS + "/meta")


def unknown_fields(server, dice, size):
    """Warnings are cut, not the answer; a strict client is refused."""
    count = max(5000, int(60000 * size))
    fields = {f"unknown{n}": n for n in range(count)}
    for name, content_type, text in (
            ("JSON", "application/json", json.dumps({**fields, "metadata": {"name": "strange"}})),
            ("YAML", YAML, "metadata: {name: strange}\n" + "".join(f"unknown{n}: {n}\n" for n in range(count)))):
        answer = server.ask("POST", MAPS, text, content_type)
        warnings = sum(len(line) for line in answer.headers if line.lower().startswith(b"warning:"))
        yield name, answer, "done"
        yield f"{name}: {warnings} bytes of warnings", 0 < warnings < 16384, "a few"
        server.ask("DELETE", MAPS + "/strange")
        yield name + ", strict", server.ask("POST", MAPS + "?fieldValidation=Strict", text, content_type), "refused"
    yield "duplicates", server.ask("POST", MAPS, '{"metadata":{"name":"twice"},"data":{' + '"a":"b",' * count + '"a":"b"}}'), "either"
    server.ask("DELETE", MAPS + "/twice")


# ---- patches


def json_patches(size):
    doubling = [{"op": "add", "path": "/data", "value": {"a": "x" * 1000}}] + \
        [{"op": "copy", "from": "/data", "path": f"/data/n{n}"} for n in range(64)]
    many = int(30000 * size)
    return {
        "copies that double": doubling, "many tests": [{"op": "test", "path": "/metadata/name", "value": "default"}] * many,
        "many adds": [{"op": "add", "path": f"/metadata/annotations/a{n}", "value": "v"} for n in range(many)],
        "into itself": [{"op": "move", "from": "/metadata", "path": "/metadata/labels"}],
        "everything": [{"op": "replace", "path": "", "value": None}], "nothing": [{"op": "remove", "path": ""}],
        "a vast index": [{"op": "add", "path": "/metadata/finalizers/99999999999999999999", "value": "v"}],
        "a negative index": [{"op": "add", "path": "/spec/finalizers/-1", "value": "v"}],
        "a deep path": [{"op": "add", "path": "/a" * 100000, "value": 1}], "tildes": [{"op": "add", "path": "/~2/~", "value": 1}],
        "no list": {"op": "add"}, "null": None, "no such op": [{"op": "explode"}], "numbers": [1, 2, 3],
    }


def strategic_patches(size):
    many = int(50000 * size)
    return {
        "element order": {"spec": {"$setElementOrder/finalizers": [f"f{n}" for n in range(many)], "finalizers": ["x"]}},
        "element order of nothing": {"metadata": {"$setElementOrder/ownerReferences": [{"uid": f"u{n}"} for n in range(many)]}},
        "deletions": {"metadata": {"$deleteFromPrimitiveList/finalizers": [f"f{n}" for n in range(many)]}},
        "retained keys": {"metadata": {"$retainKeys": [f"k{n}" for n in range(many)], "labels": {"a": "b"}}},
        "directives": {"$patch": "replace", "metadata": {"$patch": "delete"}}, "an unknown directive": {"$patch": "explode"},
        "directives of wrong types": {"$patch": [], "$retainKeys": 1, "$setElementOrder/x": {}}, "owners without keys": {
            "metadata": {"ownerReferences": [{}] * 1000}}, "a list": [], "null": None, "a text": "x",
    }


def patches(server, dice, size):
    for name, patch in json_patches(size).items():
        yield "JSON: " + name, server.ask("PATCH", LEAST + "?dryRun=All", json.dumps(patch), PATCHES["json"]), "either"
    for name, patch in strategic_patches(size).items():
        for kind in ("strategic", "merge"):
            yield f"{kind}: {name}", server.ask("PATCH", LEAST + "?dryRun=All", json.dumps(patch), PATCHES[kind]), "either"
    for name, text in {"null": "null", "no object": "[]", "binary": b"\0\xff" * 1000, "empty": "", "documents": "---\n{}\n---\n{}\n" * 5000,
                       "tags": "!!python/object:os.system {}\n", "another kind": '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"}}',
                       "owned by hand": '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default","managedFields":[{}]}}'}.items():
        yield "apply: " + name, server.ask("PATCH", LEAST + "?fieldManager=m&dryRun=All", text, PATCHES["apply"]), "either"
    for number in range(int(100 * size) + 1):
        server.ask("PATCH", f"{MAPS}/managed?force=true&fieldManager=m{number}", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
            "name": "managed"}, "data": {f"k{number}{n}": "v" for n in range(50)}}, PATCHES["apply"])
    yield "many managers", server.ask("DELETE", MAPS + "/managed"), "done"
    for content_type in ("text/plain", "application/" + "x" * 100000, "", ";;;", "application/json; charset=" + "=" * 1000):
        yield "type " + content_type[:20], server.ask("PATCH", LEAST, "{}", content_type), "http"


# ---- queries


def continue_tokens(server, dice, size):
    tokens = ["x", "=" * 1000, "%00", "AAAA" * 2000] + [base64.urlsafe_b64encode(text.encode()).decode() for text in (
        "{}", "[]", "null", '{"v":"meta.k8s.io/v1","rv":-1,"start":"x"}', '{"v":"meta.k8s.io/v1","rv":9223372036854775807,"start":"x\\u0000"}',
        '{"v":"meta.k8s.io/v1","rv":99999999999999999999,"start":""}', '{"v":"meta.k8s.io/v9","rv":1,"start":"x"}',
        '{"v":"meta.k8s.io/v1","rv":1,"start":"../../secrets"}', '{"v":' + "[" * 3000)]
    tokens += [base64.urlsafe_b64encode(dice.randbytes(dice.randint(1, 200))).decode() for _ in range(int(20 * size) + 1)]
    for token in tokens:
        yield token[:20], server.ask("GET", f"{MAPS}?limit=1&continue={token}"), "either"


def selectors(server, dice, size):
    many = int(10000 * size)
    expressions = [{"key": f"k{n}", "operator": "NotIn", "values": ["a", "b"]} for n in range(many)]
    for name, query in {
            "many requirements": "labelSelector=" + ",".join(["a!=b"] * many), "a large set": f"labelSelector=a+in+({','.join(['v'] * many)})",
            "not closed": "labelSelector=a+in+(" + "(" * 2000, "commas": "labelSelector=" + "," * 5000, "fields": "fieldSelector=" + ",".join(
                ["metadata.name!=x"] * (many // 4)), "no such field": "fieldSelector=spec.secret=1", "binary": "labelSelector=%ff%00%fe",
            "a long key": "labelSelector=" + "k" * 20000, "operators": "labelSelector=a%3D%3D%3Db!in(c)notin"}.items():
        yield name, server.ask("GET", f"{PODS}?{query}"), "http" if len(query) > 8000 else "either"
        yield name + " deletes", server.ask("DELETE", f"{MAPS}?dryRun=All&{query}"), "http" if len(query) > 8000 else "either"
    deployment = {"metadata": {"name": "wide"}, "spec": {"replicas": 2, "selector": {"matchLabels": {"a": "b"}, "matchExpressions": expressions},
                  "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [CONTAINER]}}}}
    yield "of a Deployment", server.ask("POST", DEPLOYMENTS, deployment), "either"
    budget = {"metadata": {"name": "wide"}, "spec": {"minAvailable": 1, "selector": {"matchExpressions": expressions}}}
    yield "of a budget", server.ask("POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets", budget), "either"
    pod = {"metadata": {"name": "wide"}, "spec": {"containers": [CONTAINER], "affinity": {"podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone", "labelSelector": {"matchExpressions": expressions}}]}}}}
    yield "of affinity", server.ask("POST", PODS, pod), "either"
    for path in (DEPLOYMENTS, "/apis/policy/v1/namespaces/default/poddisruptionbudgets", PODS):
        server.ask("DELETE", path + "/wide?gracePeriodSeconds=0")


def paths(server, dice, size):
    for path in ("/" + "a/" * 3000, "/api/v1/namespaces/%00/pods", "/api/v1/namespaces/..%2f..%2fetc/pods", "//api//v1", "/api/v1/pods/%ff%fe",
                 "/api/v1/namespaces/default/pods/" + "x" * 5000, "/apis/" + "%41" * 2000, "/api/v1/pods?" + "a=b&" * 4000, "/api/v1/pods?limit=%",
                 "/%2e%2e/%2e%2e", "*", "/api/v1/pods?=&&&=;", "/openapi/v3/%0d%0aX:%20y"):
        yield path[:40], server.ask("GET", path, patience=1), "http"
    for count in (300, 500, 4000):
        answer = server.ask("GET", "/api/v1/pods?" + "&".join(f"a{n}=1" for n in range(count)), patience=5)
        yield f"{count} parameters", answer.status == 414, "414"
    for number in range(int(20 * size) + 1):
        path = "/" + "".join(dice.choice(["api", "apis", "v1", "pods", "%", "..", "?", "&", "=", "/", "%2f", "default"]) for _ in range(20))
        yield f"random {path}", server.ask("GET", path), "http"


def headers(server, dice, size):
    many = int(3000 * size)
    for name, lines in {
            "Accept": ["Accept: " + ",".join(["application/json;as=Table;v=v9;g=x"] * many)], "Accept-Encoding": [
                "Accept-Encoding: " + ",".join(["gzip;q=0.0001"] * many)], "groups": ["Impersonate-User: x"] + ["Impersonate-Group: g"] * 200,
            "extras": ["Impersonate-User: x"] + [f"Impersonate-Extra-{n}: v" for n in range(200)], "a long token": [
                "Authorization: Bearer " + "x" * 20000], "a token like one": ["Authorization: Bearer e30.e30.e30"],
            "traces": ["Traceparent: " + "0" * 5000], "content coding": ["Content-Encoding: gzip"] * 5}.items():
        yield name, server.ask("GET", PODS, headers=lines), "http" if sum(map(len, lines)) > 5000 else "either"
    bearer = ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in (
        b'{"alg":"none"}', b'{"sub":"system:masters","exp":' + b"9" * 400 + b',"aud":' + b"[" * 2000, b"x"))
    answer = server.talk(f"GET {PODS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {bearer}\r\nConnection: close\r\n\r\n".encode(),
                         patience=60)
    yield "a token that signs nothing", answer.status == 401, "401"


# ---- binary bodies, text


def varint(value):
    text = b""
    while value >= 0x80:
        text, value = text + bytes([value & 0x7F | 0x80]), value >> 7
    return text + bytes([value])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def envelope(raw, kind=b"ConfigMap"):
    return b"k8s\0" + field(1, field(1, b"v1") + field(2, kind)) + field(2, raw)


def nested(depth):
    """Innermost first: nothing is longer than its length says."""
    raw = b""
    for _ in range(depth):
        raw = field(1, raw)
    return raw


def protobuf(server, dice, size):
    meta = field(1, field(1, b"proto"))
    good = envelope(meta + field(2, field(1, b"k") + field(2, b"v")))
    cases = {
        "no magic": b"\0\0\0\0", "magic only": b"k8s\0", "a vast length": b"k8s\0\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
        "a long varint": b"k8s\0" + b"\xff" * 1000, "groups": envelope(b"\x0b" * 100000), "nested": envelope(nested(int(5000 * size) + 100)),
        "field zero": envelope(b"\x02\x01x"), "a wrong wire type": envelope(b"\x09" + b"x" * 8), "many entries": envelope(
            meta + field(2, field(1, b"k") + field(2, b"v")) * int(200000 * size)), "an unknown kind": envelope(meta, b"Wheel"),
        "no text": envelope(field(1, field(1, b"\xff\xfe\x00"))), "cut": good[:-3], "half": struct.pack(">4sI", b"k8s\0", 1 << 31)}
    for name, text in cases.items():
        yield name, server.ask("POST", MAPS + "?dryRun=All", text, PROTOBUF), "either"
    for number in range(int(60 * size) + 1):
        text = bytearray(good)
        for _ in range(dice.randint(1, 4)):
            text[dice.randrange(4, len(text))] = dice.randrange(256)
        yield f"changed {number}", server.ask("POST", MAPS + "?dryRun=All", bytes(text), PROTOBUF), "either"


def texts(server, dice, size):
    head = b'{"metadata":{"name":"text"},"data":{"a":"'
    for name, text in {
            "invalid UTF-8": b"\xff\xfe\x80", "lone surrogates": b"\\ud800\\udc00\\ud800", "NUL": b"\\u0000", "control": b"\x01\x02",
            "overlong": b"\xc0\xaf", "large": b"x" * (BODY - 200), "larger than allowed": b"x" * BODY, "escapes": b"\\u0041" * 100000,
            "quotes": b'\\"' * 500000}.items():
        yield name, server.ask("POST", MAPS + "?dryRun=All", head + text + b'"}}'), "either"
    for name, text in {"nothing": b"", "a byte": b"{", "noise": dice.randbytes(10000), "BOM": b"\xef\xbb\xbf{}", "UTF-16": '{"a":1}'.encode("utf-16"),
                       "spaces": b" " * BODY, "two objects": b"{}{}"}.items():
        for content_type in ("application/json", YAML):
            yield f"{name} as {content_type}", server.ask("POST", MAPS + "?dryRun=All", text, content_type), "refused"


def mutated(dice, text):
    text = bytearray(text)
    for _ in range(dice.randint(1, 6)):
        at, kind = dice.randrange(len(text)), dice.randrange(3)
        if kind == 0:
            text[at] = dice.randrange(256)
        elif kind == 1:
            del text[at:at + dice.randint(1, 20)]
        else:
            text[at:at] = dice.choice([b"[", b"{", b'"', b"null", b"-1", b"1e999", b"\\u0000", b",", b"&a ", b"*a", b"<<: "]) * dice.randint(1, 9)
        text = text or bytearray(b" ")
    return bytes(text)


def mutations(server, dice, size):
    """Good requests with a few bytes changed: anything but a crash and a 5xx."""
    pod = json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "m", "labels": {"a": "b"}}, "spec": {
        "nodeName": "node-1", "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}],
        "tolerations": [{"key": "k", "operator": "Exists", "tolerationSeconds": 1}]}}).encode()
    for number in range(int(100 * size) + 1):
        kind = dice.choice(["create", "merge", "strategic", "apply", "yaml"])
        text = mutated(dice, pod)
        if kind in ("create", "yaml"):
            answer = server.ask("POST", PODS + "?dryRun=All", text, YAML if kind == "yaml" else "application/json")
        else:
            answer = server.ask("PATCH", LEAST + "?dryRun=All&fieldManager=m", text, PATCHES[kind])
        yield f"{number} {kind} {text[:120]}", answer, "either"


# ---- definitions


def schema_of(properties, rules=()):
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "wheels.example.com"}, "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"plural": "wheels", "singular": "wheel", "kind": "Wheel"}, "versions": [{
            "name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {
                "type": "object", "properties": properties, **({"x-kubernetes-validations": [{"rule": r} for r in rules]} if rules else {})}}}}}]}}


def definitions(server, dice, size):
    deep = {"type": "string"}
    for _ in range(200):
        deep = {"type": "object", "properties": {"a": deep}}
    wheels = "/apis/example.com/v1/namespaces/default/wheels"
    for name, definition, spec in (
            ("a deep schema", schema_of({"a": deep}), {"a": {"a": {}}}),
            ("a pattern that backtracks", schema_of({"a": {"type": "string", "pattern": "^(a+)+$"}}), {"a": "a" * 5000 + "!"}),
            ("a pattern that repeats", schema_of({"a": {"type": "string", "pattern": "((a{1,999}){1,999}){1,999}"}}), {"a": "a" * 5000}),
            ("a broken pattern", schema_of({"a": {"type": "string", "pattern": "(" * 5000}}), {"a": "a"}),
            ("a rule that costs", schema_of({"a": {"type": "array", "items": {"type": "integer"}}}, [
                "self.a.all(x, self.a.all(y, self.a.all(z, x + y + z >= 0)))"]), {"a": list(range(int(5000 * size)))}),
            ("a rule that nests", schema_of({"a": {"type": "string"}}, ["(" * 5000 + "true" + ")" * 5000]), {"a": "a"}),
            ("a rule that grows", schema_of({"a": {"type": "string"}}, ["self.a.matches('" + "(a*)*" * 500 + "b')"]), {"a": "a" * 5000}),
            ("many properties", schema_of({f"p{n}": {"type": "integer", "default": n} for n in range(int(20000 * size))}), {}),
            ("a wild default", schema_of({"a": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "string", "default": "x" * 100}}}}}),
             {"a": [{}] * int(200000 * size)})):
        yield name, server.ask("POST", DEFINITIONS, definition), "either"
        for attempt in range(3):
            answer = server.ask("POST", wheels, {"apiVersion": "example.com/v1", "kind": "Wheel", "metadata": {"name": "w"}, "spec": spec})
            yield f"{name}: an object, try {attempt}", answer, "either" if answer.is_status() or answer.status in (200, 201) else "http"
            if answer.status != 404:
                break
        server.ask("DELETE", wheels + "/w")
        server.ask("DELETE", DEFINITIONS + "/wheels.example.com")


ENTRIES = [yaml_bombs, deep_nesting, numbers, repeated_lists, repeated_metadata, unknown_fields, patches, continue_tokens, selectors, paths, headers,
           protobuf, texts, mutations, definitions]
