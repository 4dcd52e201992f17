"""A topic of fuzz_api.py that leaves nothing to chance: each member of a kind takes each of a list of values, in objects that are
created, patched in each way, applied and updated, all as dry runs. A scenario is about one member; the number of the scenario says which."""

import copy

from fuzz_api_seeds import KINDS
from fuzz_api_steps import APPLY, JSON, MERGE, OPERATIONS, STRATEGIC, Scenario

DEPTH = 9
VALUES = [None, True, 1, -1, 0, 1.5, "", "a", "A_b", "a b", "-a", "1", "25%", "-1", "1e3", "1.2.3.4", "2020-01-01T00:00:00Z", "x" * 300, "../a",
          "/a", "a/b", "a.b/c", 2147483648, [], {}, [None], [{}], ["a"], ["a", "a"], {"a": "b"}, {"": "b"}, {"a": None}, "$(A)", "é", "\n"]
FORMS = 6  # ways in which a value is written


def members(schemas, schema, path=(), types=()):
    """Paths of all that a schema says, with 0 for elements and "a" for keys of maps; a type inside of itself is left out."""
    reference = schema.get("$ref") or next((part["$ref"] for part in schema.get("allOf", ()) if "$ref" in part), None)
    if reference in types:
        return
    types, schema = (*types, *([reference] if reference else [])), schemas.resolve(schema)
    if path:
        yield path
    if len(path) == DEPTH:
        return
    for name, inner in schema.get("properties", {}).items():
        if path or name not in ("kind", "apiVersion", "status"):
            yield from members(schemas, inner, (*path, name), types)
    if "items" in schema:
        yield from members(schemas, schema["items"], (*path, 0), types)
    elif isinstance(schema.get("additionalProperties"), dict):
        yield from members(schemas, schema["additionalProperties"], (*path, "a"), types)


def put(thing, path, value):
    """The value at its place; what is missing on the way there, or of another type, is made."""
    at = thing
    for key, below in zip(path, path[1:]):
        inner = [] if below == 0 else {}
        there = at.get(key) if isinstance(at, dict) else at[0] if at else None
        there = there if isinstance(there, type(inner)) else inner
        at[slice(1) if key == 0 else key] = [there] if key == 0 else there
        at = there
    at[slice(1) if path[-1] == 0 else path[-1]] = [value] if path[-1] == 0 else copy.deepcopy(value)
    return thing


class Each(Scenario):
    def steps(self):
        schemas, number = self.maker.schemas, self.maker.number
        if self.plural not in schemas.members:
            schemas.members[self.plural] = list(members(schemas, schemas.of_kind(self.plural)))
        path = schemas.members[self.plural][number // FORMS % len(schemas.members[self.plural])]
        return [*self.before(number % FORMS), *(self.write(number % FORMS, path, value) for value in VALUES)]

    def before(self, form):
        return [("POST", self.collection, JSON, self.maker.object(self.plural, 0, 0))] if form else []

    def write(self, form, path, value):
        if form == 0:
            return "POST", f"{self.collection}?dryRun=All", JSON, put(self.maker.object(self.plural, 0, 0), path, value)
        if form in (1, 2):
            return "PATCH", f"{self.item}?dryRun=All", (MERGE, STRATEGIC)[form - 1], put({}, path, value)
        if form == 3:
            return "PUT", f"{self.item}?dryRun=All", JSON, put(self.maker.object(self.plural, 0, 0), path, value)
        if form == 4:
            pointer = "/" + "/".join(str(key) for key in path)
            return "PATCH", f"{self.item}?dryRun=All", OPERATIONS, [{"op": "add", "path": pointer, "value": value}]
        _, kind, version, *_ = KINDS[self.plural]
        applied = put({"apiVersion": version, "kind": kind, "metadata": {"name": "fuzzed"}}, path, value)
        return "PATCH", f"{self.item}?dryRun=All&fieldManager=each&force=true", APPLY, applied
