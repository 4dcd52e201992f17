"""Scenarios of fuzz_api.py about CustomResourceDefinitions: random schemas, structural or nearly, and instances of them with all verbs."""

import copy
import urllib.parse

from fuzz_api_reads import ACCEPTS, READ, Reads
from fuzz_api_steps import APPLY, JSON, MERGE, OPERATIONS, STRATEGIC, UID, VERSION, paths_of

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
FORMATS = {  # of texts: values that fit and values that do not
    "date-time": ["2020-01-01T00:00:00Z", "2020-01-01", "x"], "date": ["2020-01-01", "2020-13-01"], "uuid": ["123e4567-e89b-12d3-a456-426614174000", "x"],
    "ipv4": ["10.0.0.1", "::1"], "ipv6": ["::1", "10.0.0.1"], "email": ["a@b.c", "a"], "hostname": ["a.b", "-"], "uri": ["http://a/b", "a b"],
    "byte": ["YQ==", "?"], "duration": ["1h", "x"], "cidr": ["10.0.0.0/8", "10.0.0.1"], "mac": ["01:23:45:67:89:ab", "x"], "password": ["x"],
    "bsonobjectid": ["507f1f77bcf86cd799439011", "x"], "hexcolor": ["#fff", "x"], "isbn": ["0321751043", "x"], "creditcard": ["4111111111111111", "1"],
    "rgbcolor": ["rgb(1,2,3)", "x"], "ssn": ["111-11-1111", "x"], "isbn10": ["0321751043", "x"], "isbn13": ["978-0321751041", "x"],
    "uuid4": ["123e4567-e89b-42d3-a456-426614174000", "x"], "datetime": ["2020-01-01T00:00:00Z", "x"], "unknown-format": ["x"],
    "k8s-short-name": ["a", "A"], "k8s-long-name": ["a.b", "A"], "int-or-string": ["1"]}
TEXTS = ["", "a", "b", "abc", "A", "a b", "longer text", "10", "é"]
NUMBERS = [0, 1, -1, 2, 3, 10, 100, 1.5, 2147483648, 1e30]
NAMES = ["a", "b", "c", "name", "size", "mode", "items", "x-y", "Kind", "0"]
RULES = {  # by type of the value: most compile
    "string": ["self != ''", "self.size() < 5", "self.startsWith('a')", "self == oldSelf", "self.matches('^[a-z]+$')", "self in ['a', 'b']", "oldSelf == '' || self != ''",
               "self > 'a'", "self.lowerAscii() == self", "size(self) > 1"],
    "integer": ["self > 0", "self >= oldSelf", "self % 2 == 0", "self < 10 || self == 100", "self == oldSelf", "self != 1"],
    "number": ["self > 0.5", "self == oldSelf", "self < 10.0"], "boolean": ["self", "!self", "self == oldSelf || self"],
    "array": ["self.size() < 2", "self.all(x, x == x)", "size(self) == size(oldSelf)", "self == oldSelf", "self.exists(x, true)", "self.filter(x, true).size() > 0",
              "self.map(x, x).size() > 0", "oldSelf.all(x, x in self)", "self.exists_one(x, true)"],
    "object": ["true", "false", "self == oldSelf", "has(self.a)", "!has(self.b) || has(self.a)", "has(self.a) == has(oldSelf.a)", "self.size() > 0", "self.all(k, k != 'b')",
               "self.a == self.b", "'a' in self", "self.name == oldSelf.name", "has(self.size) && self.size > 1"]}
BAD_RULES = ["", "x", "self.", "self +", "1", "'a'", "self.none", "oldSelf.x == 1", "self.all(x, y)", "size(self) > 'a'", "undefined(self)", "self == 1 && self == 'a'", "  ",
             "!has(oldSelf.a)", "self.metadata.name == 'a'", "self.metadata.labels.size() > 0", "has(self.metadata)", "self.apiVersion == 'v1'", "dyn(self) == dyn(1)"]
MESSAGES = ["must be so", "", " ", "two\nlines", "x" * 20]
EXPRESSIONS = ["'wrong: ' + string(self)", "'wrong'", "1", "self", "''", "' '", "'a\\nb'", "string(oldSelf)", "self.a", "x", "'size ' + string(size(self))", "oldSelf"]
ODD = [  # members that a schema cannot have, or not there
    ("$ref", "#/x"), ("definitions", {}), ("patternProperties", {}), ("dependencies", {"a": ["b"]}), ("id", "x"), ("$schema", "x"), ("additionalItems", True), ("uniqueItems", True),
    ("nullable", True), ("default", None), ("default", 1), ("default", "x"), ("default", {}), ("default", {"a": 1}), ("default", []), ("type", "x"), ("type", ""), ("type", "null"), ("title", "t"),
    ("x-kubernetes-preserve-unknown-fields", True), ("x-kubernetes-preserve-unknown-fields", False), ("x-kubernetes-embedded-resource", True), ("x-kubernetes-int-or-string", True),
    ("x-kubernetes-list-type", "set"), ("x-kubernetes-list-type", "map"), ("x-kubernetes-list-type", "x"), ("x-kubernetes-list-map-keys", ["name"]), ("x-kubernetes-list-map-keys", ["a", "a"]),
    ("x-kubernetes-list-map-keys", []), ("x-kubernetes-map-type", "granular"), ("x-kubernetes-map-type", "atomic"), ("x-kubernetes-map-type", "x"), ("properties", {"a": {}}),
    ("properties", {"a": {"type": "string"}}), ("additionalProperties", False), ("additionalProperties", True), ("additionalProperties", {"type": "string"}), ("items", {"type": "string"}),
    ("items", [{"type": "string"}]), ("pattern", "("), ("pattern", "^a"), ("enum", []), ("enum", [1, 1]), ("enum", ["a", None]), ("enum", [{}]), ("format", "int32"), ("format", "x"),
    ("minLength", -1), ("maxLength", 0), ("minimum", 1), ("maximum", -1), ("exclusiveMinimum", True), ("multipleOf", 0), ("multipleOf", -1), ("multipleOf", 0.5), ("minItems", 2),
    ("maxItems", -1), ("maxItems", 1), ("required", ["a"]), ("required", []), ("required", ["a", "a"]), ("maxProperties", 1), ("minProperties", 1), ("allOf", []), ("allOf", [{"type": "string"}]),
    ("anyOf", [{"required": ["a"]}, {"required": ["b"]}]), ("oneOf", [{"properties": {"a": {"enum": ["a"]}}}, {"required": ["b"]}]), ("not", {"required": ["a"]}), ("not", {"enum": ["a"]}),
    ("allOf", [{"description": "d"}]), ("anyOf", [{"default": 1}]), ("anyOf", [{"type": "integer"}, {"type": "string"}]), ("not", {"properties": {"z": {}}}), ("allOf", [{"nullable": True}]),
    ("not", {"items": {"pattern": "a"}}), ("allOf", [{"maxLength": 2}]), ("externalDocs", {"url": "x"}), ("example", 1), ("x-kubernetes-validations", [{}]), ("x-kubernetes-group-version-kind", []),
    ("unknown", 1), ("x-kubernetes-validations", [{"rule": "true"}, {"rule": "true"}])]


class Schemas:
    """Random schemas, and values of them."""

    def __init__(self, pick, chance, valid):
        self.pick, self.chance, self.valid = pick, chance, valid

    def schema(self, depth=0, kind=None):
        kind = kind or self.pick(["string", "string", "integer", "object", "object", "array", "array", "number", "boolean", "either", "any", "map"])
        if depth > 3 and kind in ("object", "array", "map"):
            kind = "string"
        made = getattr(self, f"of_{kind}")(depth)
        if self.chance(0.12):
            made["nullable"] = True
        if self.chance(0.18):
            made["default"] = self.value(made, 0.1 if self.valid else 0.3)
        if self.chance(0.18) and "type" in made:
            made["x-kubernetes-validations"] = [self.rule(made["type"]) for _ in range(self.pick([1, 1, 2]))]
        if self.chance(0.08):
            made["description"] = "d"
        if self.chance(0.01 if self.valid else 0.07):
            name, value = self.pick(ODD)
            made[name] = value
        if self.chance(0.01 if self.valid else 0.03):
            made.pop(self.pick(sorted(made)))
        return made

    def rule(self, kind):
        rule = {"rule": self.pick(BAD_RULES if self.chance(0.03 if self.valid else 0.2) else RULES[kind])}
        if self.chance(0.4):
            rule["message"] = self.pick(MESSAGES[:1] if self.valid else MESSAGES)
        if self.chance(0.25):
            rule["messageExpression"] = self.pick(EXPRESSIONS[:2] if self.valid else EXPRESSIONS)
        if self.chance(0.2):
            rule["reason"] = self.pick(["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"] + [] if self.valid else ["FieldValueRequired", "x", ""])
        if self.chance(0.15):
            rule["fieldPath"] = self.pick([".a", ".b", ".name"] if self.valid else [".a", "a", ".x.y", ".items[0]", "['a']", ".", "", ".a.b"])
        if self.chance(0.1):
            rule["optionalOldSelf"] = self.chance(0.6)
        return rule

    def of_string(self, depth):
        made = {"type": "string"}
        if self.chance(0.25):
            made["format"] = self.pick(sorted(FORMATS))
        for name, values in [("enum", [["a", "b"], ["a"], ["a", "b", "c"]]), ("pattern", ["^[a-z]+$", "a", "^.{2,3}$"]), ("maxLength", [3, 1, 8]), ("minLength", [1, 2])]:
            if self.chance(0.18):
                made[name] = self.pick(values)
        return made

    def of_integer(self, depth, kind="integer"):
        made = {"type": kind}
        for name, values in [("minimum", [0, 1, -1]), ("maximum", [10, 2, 100]), ("multipleOf", [2, 5]), ("exclusiveMinimum", [True, False]), ("exclusiveMaximum", [True]),
                             ("format", ["int32", "int64", "float", "double"]), ("enum", [[1, 2], [1]])]:
            if self.chance(0.15):
                made[name] = self.pick(values)
        return made

    def of_number(self, depth):
        return self.of_integer(depth, "number")

    def of_boolean(self, depth):
        return {"type": "boolean"}

    def of_either(self, depth):
        made = {"x-kubernetes-int-or-string": True}
        if self.chance(0.3):
            made.update(self.pick([{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}]}, {"pattern": "^a"}, {"maximum": 3},
                                   {"anyOf": [{"type": "string"}, {"type": "integer"}]}, {"format": "x"}, {"type": "string"}, {"enum": [1, "a"]}]))
        return made

    def of_any(self, depth):
        return self.pick([{"x-kubernetes-preserve-unknown-fields": True}, {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                          {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
                          {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": {"type": "object"}}}])

    def of_map(self, depth):
        made = {"type": "object", "additionalProperties": self.schema(depth + 1)}
        for name, values in [("maxProperties", [1, 2]), ("minProperties", [1]), ("x-kubernetes-map-type", ["granular", "atomic"])]:
            if self.chance(0.15):
                made[name] = self.pick(values)
        return made

    def of_object(self, depth):
        names = {self.pick(NAMES[:7] if self.valid else NAMES) for _ in range(self.pick([1, 2, 3, 4]))}
        made = {"type": "object", "properties": {name: self.schema(depth + 1) for name in sorted(names)}}
        if self.chance(0.3):
            made["required"] = [self.pick(sorted(names))]
        for name, values in [("x-kubernetes-preserve-unknown-fields", [True]), ("x-kubernetes-map-type", ["atomic", "granular"]), ("maxProperties", [2]), ("minProperties", [1]),
                             ("oneOf", [[{"required": ["a"]}, {"required": ["b"]}]]), ("anyOf", [[{"required": [name]} for name in sorted(names)]]),
                             ("not", [{"required": ["a", "b"]}]), ("allOf", [[{"required": ["a"]}, {"properties": {"a": {"enum": ["a"]}}}]])]:
            if self.chance(0.07):
                made[name] = self.pick(values)
        return made

    def of_array(self, depth):
        kind, made = self.pick(["", "", "atomic", "set", "map", "map"]), {"type": "array"}
        if kind == "map":
            keys = self.pick([["name"], ["name"], ["name", "mode"]])
            items = self.schema(depth + 1, "object") if depth < 3 else {"type": "object", "properties": {}}
            items.setdefault("properties", {}).update({key: {"type": self.pick(["string", "string", "integer"])} for key in keys})
            if self.chance(0.8):
                items["required"] = keys
            elif self.chance(0.7):
                items["properties"]["name"]["default"] = 1 if items["properties"]["name"]["type"] == "integer" else "n"
            items.pop("nullable", None)
            made.update({"items": items, "x-kubernetes-list-map-keys": keys})
        elif kind == "set":
            made["items"] = self.schema(depth + 1, self.pick(["string", "integer", "either"] + [] if self.valid else ["string", "object", "array", "map"]))
        else:
            made["items"] = self.schema(depth + 1)
        if kind:
            made["x-kubernetes-list-type"] = kind
        for name, values in [("maxItems", [1, 2, 10]), ("minItems", [1])]:
            if self.chance(0.2):
                made[name] = self.pick(values)
        return made

    def value(self, schema, wrong=0.1):
        """A value of a schema, or now and then something else."""
        if not isinstance(schema, dict) or self.chance(wrong * 0.5):
            return self.pick([1, "x", None, {}, [], True, 1.5, {"a": None}, [None], {"unknown": 1}])
        if schema.get("nullable") and self.chance(0.2):
            return None
        if isinstance(schema.get("enum"), list) and schema["enum"] and not self.chance(wrong):
            return self.pick(schema["enum"])
        kind = schema.get("type")
        if kind == "string":
            return self.pick(FORMATS.get(schema.get("format"), TEXTS)) if self.chance(0.8) else self.pick(TEXTS)
        if kind in ("integer", "number"):
            return self.pick(NUMBERS[:7] if kind == "integer" and not self.chance(wrong) else NUMBERS)
        if kind == "boolean":
            return self.chance(0.5)
        if kind == "array":
            made = [self.value(schema.get("items"), wrong) for _ in range(self.pick([0, 1, 1, 2, 3]))]
            return made + copy.deepcopy(made[:1]) if self.chance(wrong) else made
        if schema.get("x-kubernetes-int-or-string"):
            return self.pick([1, "a", "50%", 3, 1.5][:4 if not self.chance(wrong) else 5])
        return self.members(schema, wrong)

    def members(self, schema, wrong):
        made, properties = {}, schema.get("properties")
        for name, inner in properties.items() if isinstance(properties, dict) else ():
            if name in (schema.get("required") or ()) and not self.chance(wrong) or self.chance(0.55):
                made[name] = self.value(inner, wrong)
        if isinstance(schema.get("additionalProperties"), dict):
            made.update({self.pick(NAMES): self.value(schema["additionalProperties"], wrong) for _ in range(self.pick([0, 1, 2]))})
        if schema.get("x-kubernetes-embedded-resource") and not self.chance(wrong):
            made.update(self.pick([{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}, {"apiVersion": "v1", "kind": "Pod"}, {"apiVersion": "a/b/c", "kind": "x y"},
                                   {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "A", "labels": {"-": "x"}, "unknown": 1, "creationTimestamp": None}}]))
        if self.chance(wrong) or schema.get("x-kubernetes-preserve-unknown-fields") and self.chance(0.4):
            made[self.pick(["unknown", "other", ""])] = self.pick([1, None, {"a": None}, "x"])
        return made


class Definitions(Reads):
    """A definition alone (dry runs and updates of it), or with instances."""

    def __init__(self, maker, plural):
        super().__init__(maker, plural)
        self.plural = "customresourcedefinitions"
        self.alone = self.chance(0.45)
        self.schemas = Schemas(self.pick, self.chance, not self.alone)
        self.namespaced = self.chance(0.7)
        self.group = "fuzzed.example.com"
        self.definition = f"{DEFINITIONS}/widgets.{self.group}"

    def version(self, name, storage):
        schema = self.schemas.schema(0, "object")
        schema = {"type": "object", "properties": {"spec": self.schemas.schema(0, self.pick(["object"] * 4 + ["array", "map", "any", "string"])),
                                                   "status": {"type": "object", "properties": {"replicas": {"type": "integer"}, "selector": {"type": "string"}, **schema["properties"]}}}} \
            if self.chance(0.85) else schema
        if schema["properties"].get("spec", {}).get("type") == "object" and self.chance(0.7):
            schema["properties"]["spec"].setdefault("properties", {})["replicas"] = self.pick([{"type": "integer"}, {"type": "integer", "default": 2}, {"type": "integer", "maximum": 3}])
        for key, inner in [("apiVersion", {"type": "string"}), ("kind", {"type": "string"}), ("metadata", {"type": "object"})]:
            if self.chance(0.2):
                schema["properties"][key] = inner
        if self.chance(0.06):
            schema["properties"]["metadata"] = self.pick([{"type": "object", "properties": {"name": {"type": "string", "pattern": "^f", "maxLength": 12}}}, {"type": "string"},
                                                          {"type": "object", "properties": {"labels": {"type": "object"}}}, {"type": "object", "maxProperties": 3}])
        if self.chance(0.15):
            schema["required"] = self.pick([["spec"], ["status"], ["none"]])
        if self.chance(0.15):
            schema["x-kubernetes-validations"] = [self.schemas.rule("object")] + ([{"rule": self.pick([
                "self.metadata.name.startsWith('f')", "has(self.spec)", "!has(self.status) || has(self.spec)", "oldSelf.spec == self.spec"])}] if self.chance(0.5) else [])
        made = {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}}
        if self.chance(0.7):
            made["subresources"] = self.pick([{"status": {}}, {"status": {}}, {"status": {}, "scale": self.scale_paths()}, {"status": {}, "scale": self.scale_paths()}, {"scale": self.scale_paths()}])
        if self.chance(0.4):
            made["additionalPrinterColumns"] = [self.column(schema) for _ in range(self.pick([1, 2, 3]))]
        if self.chance(0.3):
            places = self.places(schema)
            made["selectableFields"] = [{"jsonPath": self.pick(places + [".spec.none", "spec.a", ".metadata.name", ".spec", "", ".spec.a[0]", ".status.replicas"][:1 if self.schemas.valid else 7])}
                                        for _ in range(self.pick([1, 1, 2]))]
        if self.chance(0.08):
            made.update(self.pick([{"deprecated": True}, {"deprecated": True, "deprecationWarning": "do not"}, {"deprecationWarning": "x"}, {"served": False}]))
        return made

    def places(self, schema, path=""):
        """JSON paths of what is a single value."""
        found = []
        for name, inner in (schema.get("properties") or {}).items() if isinstance(schema.get("properties"), dict) else ():
            here = f"{path}.{name}" if name.isalnum() else f"{path}['{name}']"
            if isinstance(inner, dict) and not here.startswith((".metadata", ".kind", ".apiVersion")):
                found += self.places(inner, here) if inner.get("type") == "object" else [here]
        return found or [".spec.a"]

    def scale_paths(self):
        made = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
        if self.chance(0.5):
            made["labelSelectorPath"] = ".status.selector"
        if self.chance(0.02 if self.schemas.valid else 0.3):
            made[self.pick(sorted(made))] = self.pick(["", ".spec", ".status.x", "spec.replicas", ".spec.a[0]", ".metadata.name", ".spec['a']", ".spec.none"])
        return made

    def column(self, schema):
        made = {"name": self.pick(["A", "B", "Size of it", "Age"]), "type": self.pick(["string", "integer", "number", "boolean", "date"]),
                "jsonPath": self.pick(self.places(schema) + [".metadata.creationTimestamp", ".metadata.name", ".spec", ".spec.items[*].name", ".spec.items[0]", ".metadata.labels.app", ".status"])}
        for name, values in [("priority", [0, 1, -1]), ("format", ["int32", "int64", "float", "double", "byte", "date", "date-time", "password", "x"]), ("description", ["d"])]:
            if self.chance(0.15):
                made[name] = self.pick(values)
        if self.chance(0.0 if self.schemas.valid else 0.2):
            made[self.pick(["name", "type", "jsonPath"])] = self.pick(["", "x", ".spec[", "spec.a", "{.spec}", ".spec['a']", ".spec.items[?(@.a=='b')].c", "..a"])
        return made

    def made_definition(self):
        versions = [self.version("v1", True)]
        if self.chance(0.2):
            other = self.version("v2", False) if self.chance(0.5) else {**copy.deepcopy(versions[0]), "name": self.pick(["v1beta1", "v2"]), "storage": False}
            versions.append(other)
        names = {"plural": "widgets", "kind": "Widget"}
        for name, values in [("singular", ["widget"]), ("listKind", ["WidgetList"]), ("shortNames", [["wd"], ["w", "wd"]]), ("categories", [["all"], ["a"]])]:
            if self.chance(0.5):
                names[name] = self.pick(values)
        body = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"widgets.{self.group}"},
                "spec": {"group": self.group, "scope": "Namespaced" if self.namespaced else "Cluster", "names": names, "versions": versions}}
        if not self.schemas.valid and self.chance(0.25):
            self.spoil(body["spec"])
        return body

    def spoil(self, spec):
        """What is around the schemas."""
        name, value = self.pick([
            ("group", ""), ("group", "A"), ("group", "x"), ("group", "x.k8s.io"), ("scope", "x"), ("scope", ""), ("preserveUnknownFields", True), ("preserveUnknownFields", False),
            ("conversion", {"strategy": "None"}), ("conversion", {"strategy": "x"}), ("conversion", {"strategy": "Webhook"}), ("conversion", {"strategy": "None", "webhook": {"conversionReviewVersions": ["v1"]}}),
            ("conversion", {"strategy": "Webhook", "webhook": {"conversionReviewVersions": [], "clientConfig": {"url": "http://x"}}}), ("versions", []), ("names", {}), ("versions", None),
            ("conversion", {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1", "v1"], "clientConfig": {"url": "https://x", "service": {"name": "a", "namespace": "b"}}}})])
        inner, member, values = self.pick([
            (spec["names"], "plural", ["", "A", "other", "a b"]), (spec["names"], "kind", ["", "widget", "a b", "WidgetList"]), (spec["names"], "listKind", ["Widget", "", "x y"]),
            (spec["names"], "singular", ["A", "", "widgets"]), (spec["names"], "shortNames", [["A"], ["a b"], ["wd", "wd"], [""]]), (spec["names"], "categories", [["A"], [""], ["a b"]]),
            (spec["versions"][0], "name", ["", "V1", "x", "v1 ", "1"]), (spec["versions"][0], "storage", [False]), (spec["versions"][0], "served", [False]), (spec["versions"][0], "schema", [None, {}, {"openAPIV3Schema": {}}]),
            (spec["versions"][-1], "name", ["v1"]), (spec["versions"][-1], "storage", [True]), (spec, name, [value])])
        inner[member] = self.pick(values)

    def change_definition(self):
        """An update: another schema, or one member of it otherwise."""
        spec, how = copy.deepcopy(self.body["spec"]), self.pick(["version", "schema", "member", "member", "member", "spoil"])
        if how == "version":
            spec["versions"][0] = self.version("v1", True)
        elif how == "schema" and isinstance(spec.get("versions"), list) and spec["versions"]:
            spec["versions"][0]["schema"] = {"openAPIV3Schema": self.schemas.schema(0, "object")}
        elif how == "spoil":
            self.spoil(spec)
        else:
            inner = [value for value in self.schemas_in(spec["versions"][0]["schema"])]
            name, value = self.pick(ODD) if self.chance(0.4) else self.pick([("maxLength", 1), ("minimum", 5), ("enum", ["z"]), ("required", ["c"]), ("maxItems", 0), ("pattern", "^z"),
                                                                              ("x-kubernetes-validations", [{"rule": "self == oldSelf"}]), ("x-kubernetes-validations", [{"rule": "false"}]), ("nullable", False)])
            if inner:
                self.pick(range(1))
                inner[self.maker.random.randrange(len(inner))][name] = value
        if self.alone and self.chance(0.3):
            self.body = {**self.body, "spec": spec}
        if self.chance(0.4):
            return [("PATCH", self.definition + self.options("two"), MERGE, {"spec": spec})]
        if self.chance(0.4):
            return [("PATCH", self.definition + self.options("three", [("force", "true")]), APPLY, {**self.body, "spec": spec})]
        return [("PUT", self.definition + self.options("two"), JSON, {**self.body, "metadata": {**self.body["metadata"], "resourceVersion": VERSION}, "spec": spec})]

    def schemas_in(self, value):
        if isinstance(value, dict):
            if "type" in value and isinstance(value["type"], str):
                yield value
            for inner in value.values():
                yield from self.schemas_in(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from self.schemas_in(inner)

    def instance(self, wrong=0.05):
        schema = self.pick(self.body["spec"]["versions"])["schema"]["openAPIV3Schema"] if self.chance(0.1) else self.body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        made = self.schemas.value({**schema, "required": [name for name in ("spec",) if name in schema.get("properties", {})]}, wrong)
        made = made if isinstance(made, dict) else {}
        meta = {"name": "fuzzed-a", "labels": {"app": "web", "fuzz": "fuzzed"}}
        if self.chance(0.06):
            meta.update(self.pick([{"unknown": 1}, {"labels": {"-": "x"}}, {"labels": {"a": 1}}, {"annotations": None}, {"finalizers": ["x"]}, {"generateName": "g-"}, {"name": "A"}, {"name": ""}, {"namespace": "x"},
                                   {"ownerReferences": [{"kind": "Pod"}]}, {"creationTimestamp": "x"}, {"generation": 5}]))
        return {**made, "apiVersion": f"{self.group}/v1", "kind": "Widget", "metadata": meta}

    def write(self):
        part = self.pick(["", "", "", "/status"])
        body, path = self.instance(self.pick([0, 0.04, 0.15])), self.item + part
        how = self.pick(["post", "put", "put", MERGE, MERGE, OPERATIONS, APPLY, APPLY, STRATEGIC, "one"])
        if how == "post":
            return ("POST", self.collection + self.options("one"), JSON, self.text(body))
        if how == "put":
            return ("PUT", path + self.options("two"), JSON, self.text(self.spare_meta({**body, "metadata": {**body["metadata"], "resourceVersion": VERSION}} if self.chance(0.8) else body)))
        if how == APPLY:
            more = [("force", "true")] if self.chance(0.5) else []
            return ("PATCH", path + self.options(self.pick(["three", "four", "one"]), more), APPLY, self.text(body))
        if how == OPERATIONS:
            self.first = body
            return self.operations(path)
        if how == "one":
            return ("PATCH", path + self.options("two"), MERGE, {"metadata": {"labels": {"x": self.pick(["1", "2"])}}})
        return ("PATCH", path + self.options("two"), how, self.text({name: value for name, value in body.items() if name in ("spec", "status") or self.chance(0.1)}))

    def look(self):
        if self.chance(0.4):
            return ("GET", self.item + self.pick(["", "/status", "/scale", ""]), None, None, self.pick(ACCEPTS + ["application/json"] * 4))
        fields = [part["jsonPath"][1:] for version in self.body["spec"]["versions"] for part in version.get("selectableFields", [])]
        words = [("fieldSelector", f"{self.pick(fields)}{self.pick(['=', '!='])}{self.pick(['a', '1', 'true', ''])}")] if fields and self.chance(0.6) else self.some(READ, [0, 1])
        return ("GET", self.collection + "?" + urllib.parse.urlencode([*words, ("labelSelector", "fuzz=fuzzed")], safe="@"), None, None, self.pick(ACCEPTS + ["application/json"] * 4))

    def steps(self):
        self.body = self.made_definition()
        if self.alone:
            options = [("dryRun", "All")] if self.chance(0.6) else []
            first = ("POST", DEFINITIONS + self.options("one", options), JSON, self.body)
            return [first] if options else [first, ("SLEEP", "", None, 0.6)] + [step for _ in range(self.pick([1, 2, 3])) for step in self.change_definition()] + self.end()
        where = "/namespaces/default" if self.namespaced else ""
        self.collection = f"/apis/{self.group}/v1{where}/widgets"
        self.item, self.calm = f"{self.collection}/fuzzed-a", True
        steps = [("POST", DEFINITIONS, JSON, self.body), ("WAIT", self.collection, None, None), ("SLEEP", "", None, 0.2)]
        steps += [self.pick([("POST", self.collection + self.options("one"), JSON, self.instance(0.02)), ("PATCH", self.item + self.options("one"), APPLY, self.instance(0.02))])]
        makers = [self.write] * 6 + [self.look] * 2 + [self.scale]
        for round_ in range(self.pick([1, 1, 2])):
            steps += [self.pick(makers)() for _ in range(self.pick([4, 6, 9]))]
            if round_ == 0 and self.chance(0.35):
                steps += [("GET", self.definition, None, None), *self.change_definition(), ("SLEEP", "", None, 1.2)] + [self.pick(makers)() for _ in range(4)]
        return steps + self.end()

    def end(self):
        return [("PATCH", self.definition, MERGE, {"metadata": {"finalizers": None}}), ("DELETE", self.definition, None, None)]
