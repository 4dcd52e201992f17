"""Random objects for fuzz_api.py: valid ones whose members are changed, by the schemas of the real server."""

import copy
import json
import random

from fuzz_api_seeds import HINTS, KINDS, LABEL_KEYS, NUMBERS, QUANTITIES, RESOURCES, TEXTS, TIMES

NEVER = ("kind", "apiVersion")


class Schemas:
    """What the real server says of its types."""

    def __init__(self, server):
        self.types, self.names, self.parts, self.members = {}, {}, {}, {}  # members: of Each, by kind
        for path in server.ask("GET", "/openapi/v3")[2]["paths"]:
            if path == "api/v1" or path.count("/") == 2:
                self.types.update(server.ask("GET", f"/openapi/v3/{path}")[2].get("components", {}).get("schemas", {}))
                for row in server.ask("GET", f"/{path}")[2].get("resources", []):
                    plural, _, part = row["name"].partition("/")
                    self.parts.setdefault(plural, set()).add(part)
        for name, schema in self.types.items():
            for known in schema.get("x-kubernetes-group-version-kind", []):
                version = f"{known['group']}/{known['version']}" if known["group"] else known["version"]
                self.names[(version, known["kind"])] = name

    def resolve(self, schema):
        while "allOf" in schema or "$ref" in schema:
            reference = schema.get("$ref") or schema["allOf"][0]["$ref"]
            name = reference.rsplit("/", 1)[1]
            schema = {"type": "quantity"} if name.endswith("resource.Quantity") else self.types[name]
        return schema

    def of_kind(self, plural):
        _, kind, version, _, _, _ = KINDS[plural]
        return {"$ref": f"x/{self.names[(version, kind)]}"}


class Maker:
    """Values that fit a schema, or nearly. The same seed and number make the same."""

    def __init__(self, schemas, seed, number):
        self.schemas, self.number, self.random = schemas, number, random.Random(f"{seed}/{number}")

    def chance(self, share):
        return self.random.random() < share

    def pick(self, values):
        chosen = self.random.choice(values)
        return chosen if callable(chosen) else copy.deepcopy(chosen)

    def value(self, schema, name="", depth=0):
        schema = self.schemas.resolve(schema)
        kind = schema.get("type")
        if kind == "quantity":
            return self.pick(QUANTITIES)
        if HINTS.get(name) and kind != "array" and "properties" not in schema and self.chance(0.7):
            return self.pick(HINTS[name])
        if "enum" in schema and self.chance(0.8):
            return self.pick(schema["enum"])
        if kind == "string":
            return self.pick(TIMES if schema.get("format") == "date-time" else TEXTS)
        if kind in ("integer", "number"):
            return self.pick(NUMBERS)
        if kind == "boolean":
            return self.chance(0.5)
        if kind == "array":
            return [self.value(schema["items"], name, depth + 1) for _ in range(self.random.choice([0, 1, 1, 2]))] if depth < 7 else []
        return self.members(schema, name, depth)

    def members(self, schema, name, depth):
        if "properties" in schema and depth < 7:
            names = sorted(schema["properties"])
            chosen = set(schema.get("required", [])) | set(self.random.sample(names, min(len(names), self.random.choice([0, 1, 1, 2, 3]))))
            if self.chance(0.1) and chosen:
                chosen.discard(self.pick(sorted(chosen)))
            return {key: self.value(schema["properties"][key], key, depth + 1) for key in sorted(chosen)}
        if isinstance(schema.get("additionalProperties"), dict) and depth < 7:
            inner = schema["additionalProperties"]
            keys = RESOURCES if self.schemas.resolve(inner).get("type") == "quantity" else LABEL_KEYS
            return {self.pick(keys): self.value(inner, name, depth + 1) for _ in range(self.random.choice([1, 1, 2]))}
        return self.pick([1, "1", "50%", "-1%", ""]) if "oneOf" in schema else {}

    def place(self, value, schema):
        """A random place below a value: (container, key, schema of what is there), or None."""
        here = None
        while True:
            schema = self.schemas.resolve(schema)
            if isinstance(value, list) and value and "items" in schema:
                key, inner = self.random.randrange(len(value)), schema["items"]
            elif isinstance(value, dict) and "properties" in schema:
                known = [name for name in schema["properties"] if name not in NEVER and (name != "status" or self.chance(0.2))] or ["metadata"]
                present = [name for name in known if name in value]
                key = self.pick(present if present and self.chance(0.7) else known)
                inner = schema["properties"].get(key, {})
            elif isinstance(value, dict) and isinstance(schema.get("additionalProperties"), dict):
                key, inner = self.pick(sorted(value) + ["new"]), schema["additionalProperties"]
            else:
                return here
            here = (value, key, inner)
            present = value[key] if isinstance(value, list) or key in value else None
            if present is None or self.chance(0.15):
                return here
            value, schema = present, inner

    def change(self, thing, schema):
        found = self.place(thing, schema)
        if not found:
            return
        container, key, inner = found
        choice, there = self.random.random(), isinstance(container, list) or key in container
        if choice < 0.2 and there:
            del container[key]
        elif choice < 0.27:
            container[key] = None
        elif choice < 0.35 and isinstance(container, list):
            container.append(copy.deepcopy(container[key]))
        elif choice < 0.4:
            container[key] = self.pick([{}, [], "x", "", 1, True, 1.5, [None], {"a": None}, {"a": 1}, ["a"], [1]])
        elif choice < 0.44 and isinstance(container, dict):
            container[self.pick(["unknown", key.upper() or "x", key + "s", ""])] = self.pick([1, "x", None, {"a": {"b": 1}}])
        elif choice < 0.5 and there and isinstance(container[key], dict) and "properties" in self.schemas.resolve(inner):
            self.add_member(container[key], self.schemas.resolve(inner))
        else:
            container[key] = self.value(inner, key if isinstance(key, str) else "")

    def add_member(self, value, schema):
        """A second member of a union, often."""
        name = self.pick(sorted(schema["properties"]))
        value.setdefault(name, self.value(schema["properties"][name], name))

    def object(self, plural, changes, rich=None):
        """A valid object with so many changes."""
        _, kind, version, _, seeds, _ = KINDS[plural]
        thing = {"apiVersion": version, "kind": kind, "metadata": {"name": "fuzzed", "labels": {"app": "web"}},
                 **json.loads(json.dumps(seeds[rich % len(seeds)] if rich is not None else self.pick(seeds)))}  # no part of it is shared
        for _ in range(changes):
            self.change(thing, self.schemas.of_kind(plural))
        return thing

    def status(self, plural, changes):
        whole = {"status": copy.deepcopy(KINDS[plural][5])}
        schema = {"properties": {"status": self.schemas.resolve(self.schemas.of_kind(plural))["properties"]["status"]}}
        for _ in range(changes):
            found = self.place(whole, schema)
            if found and found[0] is not whole:
                self.change(whole["status"], schema["properties"]["status"])
        return whole["status"]
