"""Scenarios of fuzz_api.py about what is read (lists, watches, tables) and about the parts of objects (status, scale)."""

import copy
import urllib.parse

from fuzz_api_seeds import KINDS
from fuzz_api_steps import APPLY, CONTINUE, FIRST, JSON, MERGE, OPERATIONS, STRATEGIC, UID, VERSION, Scenario, paths_of

TABLE, PARTIAL, PARTIALS = (f"application/json;as={name};v=v1;g=meta.k8s.io" for name in (
    "Table", "PartialObjectMetadata", "PartialObjectMetadataList"))
PLAIN = "application/json"
ACCEPTS = [TABLE, TABLE, TABLE + "," + PLAIN, PARTIAL, PARTIALS, PARTIALS + "," + PLAIN, PARTIAL + "," + PLAIN]
ODD_ACCEPTS = [
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io", "application/json;as=Table;v=v2;g=meta.k8s.io", "application/json;as=Table",
    "application/json;as=Table;v=v1;g=x", "application/json;as=X;v=v1;g=meta.k8s.io", "application/json;as=X;v=v1;g=meta.k8s.io," + PLAIN,
    "*/*", "application/*", "text/html", "", "application/json;q=0.5", "application/json;q=x", "application/json;as=table;v=v1;g=meta.k8s.io",
    "application/xml", "application/json;stream=watch", "application/json;stream=x", "application/json;pretty=1", "x", "text/html,*/*;q=0.1",
    "application/json;charset=utf-8", "text/*", "application/xml,application/json", TABLE.replace("json", "xml"), TABLE + ";stream=watch"]
LABEL_SELECTORS = [
    "app=web", "app==web", "app!=web", "app in (web,api)", "app notin (web)", "app", "!app", "tier", "app=web,tier=x", "app=web,", ",", "a,,b",
    "app in web", "app in (", "app in ()", "app in (web", "app notin ()", "n>1", "n<2", "n>x", "n>1.5", "n>-1", "app=", "app=,tier=x", "app!=",
    "-a", "a b", "a/b/c=x", "app=" + "x" * 64, "x" * 64, "x.y/" + "a" * 64, "app===web", "app=web=x", "(app=web)", "app in (web, api),n>0",
    " app = web ", "app=-x", "app=a b", "app in (web,,api)", "app in (-x)", "!app=web", "!", "=", "=x", "in in (in)", "notin", "app=é",
    "app in (web) tier=x", "app!in (web)", "app,!app", "app=web|api", "app in (web),app notin (web)", "n>=1", "app=web;tier=x", "App=web"]
FIELD_SELECTORS = [
    "metadata.name=fuzzed-a", "metadata.name!=fuzzed-a", "metadata.name==fuzzed-b", "metadata.namespace=default", "metadata.namespace!=default",
    "metadata.namespace=x", "metadata.name=", "metadata.name", "=", "a", "spec.x=1", "status.phase=Pending", "status.phase!=Pending",
    "spec.nodeName=", "spec.nodeName!=", "spec.restartPolicy=Always", "spec.schedulerName=default-scheduler", "spec.hostNetwork=false",
    "status.podIP=", "spec.serviceAccountName=default", "status.nominatedNodeName=", "spec.unschedulable=false", "spec.unschedulable=true",
    "type=Opaque", "type!=Opaque", "metadata.labels.app=web", "metadata.uid=x", "metadata.name=fuzzed-a,metadata.name=fuzzed-b",
    "metadata.name=fuzzed-a,", ",metadata.name=fuzzed-a", "metadata.name in (fuzzed-a)", "metadata.name=a\\,b", "metadata.name=a\\", "metadata.name=a\\x",
    "metadata.name===x", "metadata.name>x", " metadata.name=fuzzed-a", "metadata.name=fuzzed-a ", "!metadata.name", "involvedObject.kind=Pod",
    "involvedObject.name!=x", "reason=x", "reportingComponent=", "source=x", "status.successful=0", "status.successful=1", "status.replicas=0",
    "status.replicas!=0", "spec.clusterIP=None", "spec.type=ClusterIP", "spec.podGroupName=", "spec.signerName=x", "status.phase=",
    "spec.nodeName=a,spec.nodeName=b", "spec.driver=x", "spec.nodeName=n", "metadata.generateName=", "metadata", "spec.hostNetwork=x"]
READ = [
    ("limit", ["1", "2", "500", "0", "-1", "x", "", "1.5", "9223372036854775808"]),
    ("continue", ["x", "", CONTINUE, CONTINUE, "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJ4In0"]),
    ("resourceVersion", ["", "0", "1", FIRST, VERSION, "x", "-1", "999999999", "01", "1.5"]),
    ("resourceVersionMatch", ["Exact", "NotOlderThan", "x", "", "exact"]), ("timeoutSeconds", ["x", "1", "-1", "", "1.5"]),
    ("allowWatchBookmarks", ["true", "false", "1", "x", ""]), ("sendInitialEvents", ["true", "false", "x", "", "1"]), ("pretty", ["true", "x"]),
    ("includeObject", ["None", "Metadata", "Object", "x", "", "none"]), ("unknown", ["1"]), ("watch", ["false", "0"]),
    ("labelSelector", LABEL_SELECTORS), ("fieldSelector", FIELD_SELECTORS), ("labelSelector", LABEL_SELECTORS), ("fieldSelector", FIELD_SELECTORS)]
WATCH = [row for row in READ if row[0] not in ("pretty", "timeoutSeconds", "watch")]
DELETE = [
    ("gracePeriodSeconds", ["0", "1", "-1", "x", "", "1.5"]), ("propagationPolicy", ["Foreground", "Background", "Orphan", "x", "", "orphan"]),
    ("orphanDependents", ["true", "false", "x", "1"]), ("dryRun", ["All", "x", "", "all"]), ("pretty", ["x"]), ("unknown", ["1"]),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", ["false", "true", "x"])]
ODD_BODIES = [None, "", "{}", "null", "[]", "x", '{"kind":"DeleteOptions"}', '{"apiVersion":"v1"}', '{"kind":"Pod","apiVersion":"v1"}',
              '{"kind":"DeleteOptions","apiVersion":"apps/v1"}', '{"kind":"DeleteOptions","apiVersion":"x/v1"}', '{"kind":"Status","apiVersion":"v1"}',
              '{"kind":"DeleteOptions","apiVersion":"v1","apiVersion":"v1"}', '{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":"1"}',
              '{"gracePeriodSeconds":1,"gracePeriodSeconds":2}', '{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1"}', '"x"', "1",
              '{"kind":"DeleteOptions","apiVersion":"v1","unknown":1}', '{"preconditions":{"uid":1}}', '{"preconditions":{"x":1}}', '{"dryRun":"All"}']


class Reads(Scenario):
    """Two or three objects, their changes, and what is read and deleted of them."""

    def begin(self):
        steps = []
        for name, labels in [("a", {"app": "web", "n": "1"}), ("b", {"app": "api", "n": "2", "tier": "x"}), ("c", {"n": "3"})][:self.pick([1, 2, 3])]:
            body = self.maker.object(self.plural, 0, self.rich)
            body["metadata"] = {**body["metadata"], "name": f"fuzzed-{name}", "labels": {**labels, "fuzz": "fuzzed"}}
            steps.append(("POST", self.collection, JSON, body))
        self.item = f"{self.collection}/fuzzed-a"
        return steps

    def change(self):
        name = self.pick(["a", "b"])
        labels = self.pick([{"app": "other"}, {"app": None}, {"tier": "x"}, {"n": "5"}, {"app": "web"}])
        return ("PATCH", f"{self.collection}/fuzzed-{name}", MERGE, {"metadata": {"labels": labels}})

    def query(self, words, whose=(), odd=0.06):
        """As a client writes it, or in an odd way. What keeps others' objects away stays as it is."""
        text = urllib.parse.urlencode(words, safe="@")
        if self.chance(odd):
            text = self.pick([text.replace("+", "%20"), text + "&", "&" + text, text.replace("=", "%3D", 1), text + "&=", text + "&limit", text + ";a=b",
                              text + "&%zz=1", text + "&limit=%zz", text + "&labelSelector", text + "&limit=1&limit=x", text + "&limit=x&limit=1",
                              text.replace("Selector", "selector")])
        kept = urllib.parse.urlencode(whose)
        text = f"{kept}&{text}" if kept and text else kept or text
        return "?" + text if text else ""

    def some(self, table, counts):
        words = []
        for _ in range(self.pick(counts)):
            name, values = self.pick(table)
            words.append((name, self.pick(values)))
        return words

    def whose(self):
        """What keeps other scenarios' objects away."""
        return [self.pick([("labelSelector", "fuzz=fuzzed"), ("labelSelector", "fuzz=fuzzed"), ("fieldSelector", "metadata.name=fuzzed-a"),
                           ("labelSelector", f"fuzz=fuzzed,{self.pick(LABEL_SELECTORS)}"), ("labelSelector", f"{self.pick(LABEL_SELECTORS)},fuzz=fuzzed"),
                           ("fieldSelector", f"metadata.name=fuzzed-b,{self.pick(FIELD_SELECTORS)}")])]

    def accept(self, share=0.5):
        if self.chance(1 - share):
            return PLAIN
        return self.pick(ODD_ACCEPTS) if self.chance(0.2) else self.pick(ACCEPTS)

    def get(self):
        words = self.some([row for row in READ if row[0] in ("resourceVersion", "pretty", "includeObject", "unknown", "labelSelector")], [0, 0, 1, 1, 2])
        path = self.pick([self.item] * 5 + [f"{self.collection}/none", f"{self.item}/", f"{self.item}/x", f"{self.item}%20", f"{self.collection}/"])
        return ("GET", path + self.query(words), None, None, self.accept(0.6))

    def list(self):
        return ("GET", self.collection + self.query(self.some(READ, [0, 1, 1, 2, 3]), self.whose()), None, None, self.accept())

    def pages(self):
        words = [("labelSelector", "fuzz=fuzzed"), ("limit", self.pick(["1", "2"]))]
        more = self.some(READ, [0, 0, 0, 1])
        return [("GET", self.collection + self.query(words + more, odd=0), None, None),
                ("GET", self.collection + self.query(words + [("continue", CONTINUE)] + self.some(READ, [0, 0, 1]), odd=0), None, None, self.accept(0.3))]

    def watch(self):
        words = [("watch", self.pick(["1", "true", "1", "true", "yes"])), ("timeoutSeconds", "1")]
        if self.chance(0.5):
            words.append(("resourceVersion", self.pick([FIRST, FIRST, VERSION, "0"])))
        if self.chance(0.2):
            words += [("sendInitialEvents", "true"), ("allowWatchBookmarks", "true"), ("resourceVersionMatch", "NotOlderThan")]
        return ("GET", self.collection + self.query(words + self.some(WATCH, [0, 0, 1, 1, 2]), self.whose()), None, None, self.accept(0.3))

    def remove(self):
        whole = self.chance(0.5)
        words = self.some(DELETE, [0, 1, 1, 2]) + (self.some(READ, [0, 0, 1]) if whole else [])
        body = self.pick(ODD_BODIES) if self.chance(0.5) else self.delete_options("options").get("options")
        if isinstance(body, dict):
            body = {"kind": "DeleteOptions", "apiVersion": "v1", **body}
        kinds = [JSON, JSON, JSON, None, "application/yaml", "text/plain", "application/json;charset=utf-8", "application/vnd.kubernetes.protobuf"]
        return ("DELETE", (self.collection if whole else f"{self.collection}/fuzzed-{self.pick('ab')}") + self.query(words, self.whose() if whole else ()),
                None if body is None else self.pick(kinds) if self.chance(0.2) else JSON, body, self.accept(0.2))

    def steps(self):
        makers = [self.get, self.list, self.list, self.list, self.watch, self.change, self.change, self.pages, self.remove]
        steps = self.begin()
        for _ in range(self.pick([3, 4, 5, 6])):
            made = self.pick(makers)()
            steps += made if isinstance(made, list) else [made]
        return steps + [("DELETE", f"{self.collection}/fuzzed-{name}?gracePeriodSeconds=0&propagationPolicy=Background", None, None) for name in "abc"]


class Parts(Reads):
    """One object, and writes and reads of its status and scale in every form."""

    def __init__(self, maker, plural):
        super().__init__(maker, plural)
        self.parts = sorted(maker.schemas.parts.get(plural, ()) & {"status", "scale"}) or ["status"]

    def state(self, changes):
        """The recorded status, or one made by the schema, with changes."""
        schema = self.maker.schemas.resolve(self.maker.schemas.of_kind(self.plural))["properties"].get("status", {"type": "object"})
        if KINDS[self.plural][5] and self.chance(0.65):
            return self.maker.status(self.plural, changes)
        made = self.maker.value(schema, "")
        for _ in range(self.pick([1, 2, 4])):
            more = self.maker.value(schema, "")
            if isinstance(made, dict) and isinstance(more, dict):
                made.update(more)
        return made

    def whole(self):
        return copy.deepcopy(self.first) if self.chance(0.6) else self.object([0, 1, 1, 2])

    def write_status(self):
        path, status = f"{self.item}/status", self.state(self.pick([0, 0, 1, 1, 2]))
        how = self.pick(["put", "put", "put", MERGE, MERGE, STRATEGIC, STRATEGIC, APPLY, APPLY, OPERATIONS, "replace"])
        if how == "put":
            return ("PUT", path + self.options("four"), JSON, self.spare_meta({**self.whole(), "status": status}))
        if how == "replace":
            return ("PUT", self.item + self.options("four"), JSON, self.spare_meta({**self.whole(), "status": status}))
        if how == OPERATIONS:
            self.first_status = {"status": status}
            places = list(paths_of(self.first_status)) or ["/status"]
            step = {"op": self.pick(["add", "replace", "remove", "test"]), "path": self.pick(places), "value": self.pick([1, "x", None, {}, [], status])}
            return ("PATCH", path + self.options("four"), how, [step, {"op": "add", "path": "/status", "value": status}][::self.pick([1, -1])])
        extra = self.pick([{}, {}, {"metadata": {"labels": {"via": "status"}}}, {"metadata": {"annotations": {"via": "status"}, "finalizers": ["a.b/c"]}},
                           {"spec": self.whole().get("spec")}, {"spec": {}}, {"spec": None}, {"metadata": {"resourceVersion": VERSION, "uid": UID}},
                           {"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}]}}])
        if how == APPLY:
            meta = {"name": "fuzzed", **(extra.pop("metadata", None) or {})}
            body = {"apiVersion": KINDS[self.plural][2], "kind": KINDS[self.plural][1], "metadata": meta, "status": status, **extra}
            return ("PATCH", path + self.options(self.pick(["four", "five"]), [("force", "true")] if self.chance(0.5) else []), APPLY, self.text(body))
        return ("PATCH", path + self.options("four"), how, self.text({"status": status, **extra}))

    def write_spec(self):
        return self.pick([self.put, self.merge, self.apply])()

    def read_part(self):
        part = self.pick(self.parts)
        if self.chance(0.25):
            return (self.pick(["DELETE", "POST", "PUT", "PATCH"]), f"{self.item}/{part}", JSON, self.pick([{}, self.first]), self.accept(0.1))
        words = self.some([row for row in READ if row[0] in ("resourceVersion", "pretty", "includeObject", "unknown")], [0, 0, 1])
        return ("GET", self.pick([self.item, self.item, f"{self.collection}/none"]) + f"/{part}" + self.query(words), None, None, self.accept(0.4))

    def steps(self):
        makers = [self.read_part, self.write_spec] + [self.write_status] * 5 * ("status" in self.parts) + [self.scale] * 5 * ("scale" in self.parts)
        self.calm = True
        return [self.create()] + [self.pick(makers)() for _ in range(self.pick([3, 4, 5, 6, 8]))] + \
            [("GET", self.item, None, None), ("DELETE", f"{self.item}?gracePeriodSeconds=0&propagationPolicy=Background", None, None)]
