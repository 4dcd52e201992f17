"""What policies.py compares: policies, writes, and rules of custom resources with every kind of cost."""

RBAC = "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/"


def rules(group, resources, operations=("CREATE", "UPDATE"), version="v1", **more):
    return {"resourceRules": [{"apiGroups": [group], "apiVersions": [version], "resources": resources, "operations": list(operations)}], **more}


MAPS, PODS, DEPLOYMENTS = rules("", ["configmaps"]), rules("", ["pods"]), rules("apps", ["deployments"])
SCALES = rules("apps", ["deployments/scale"], ["*"])
MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "labels": {"a": "1"}}, "data": {"k": "v"}}
GENERATED = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "g-"}}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {
    "replicas": 1, "selector": {"matchLabels": {"a": "b"}},
    "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}
SCALER = {"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h"}, "spec": {
    "maxReplicas": 3, "targetCPUUtilizationPercentage": 50, "scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}}}
CASES = []


def prepare(server, namespace):
    """A user who may do a few things, and an object of parameters."""
    rule = {"apiGroups": [""], "resources": ["configmaps", "pods/log"], "verbs": ["*"]}
    server.ask("POST", RBAC % namespace + "roles", "application/json", {"metadata": {"name": "r"}, "rules": [rule]})
    server.ask("POST", RBAC % namespace + "rolebindings", "application/json", {
        "metadata": {"name": "r"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
        "subjects": [{"kind": "User", "name": "alice", "apiGroup": "rbac.authorization.k8s.io"},
                     {"kind": "ServiceAccount", "name": "sa", "namespace": "default"}]})
    server.ask("POST", f"/api/v1/namespaces/{namespace}/secrets", "application/json",
               {"metadata": {"name": "par", "labels": {"p": "1"}}, "data": {"a": "Yg=="}})


def add(name, policies, thing, writes=None):
    CASES.append({"name": name, "policies": policies, "object": thing, "writes": writes or [("POST", "", thing)]})


def changes(expression, match=MAPS, thing=MAP, writes=None, binding=None, **spec):
    """One mutation: a list is a JSON patch."""
    is_patch = expression.startswith("[")
    mutation = {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}} if is_patch else {
        "patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}
    add(expression, [("M", {"matchConstraints": match, "reinvocationPolicy": "Never", "mutations": [mutation], **spec}, binding or {})],
        thing, writes)


def judges(expression, match=MAPS, thing=MAP, writes=None, binding=None, message=None, **spec):
    validation = {"expression": expression, **({"messageExpression": message} if message else {})}
    add(expression, [("V", {"matchConstraints": match, "validations": [validation], **spec}, binding or {})], thing, writes)


def as_alice(thing=MAP):
    return [("POST", "", thing, "application/json", "alice")]


for one in (
        "Object{data: {'x': 'y'}}", "Object{foo: 1}", "Object{data: {'k': 1}}", "Object{data: ['k']}", "Object{data: {'k': object.data.none}}",
        "Object{metadata: Object.meta{labels: {'x': 'y'}}}", "Object{data: {'k': 'w', 'n': object.metadata.name}}",
        "Object{data: {?'k': optional.none(), 'o': 'p'}}", "Object{?data: optional.none()}", "Object{metadata: Object.metadata{name: 'other'}}",
        "Object{metadata: Object.metadata{namespace: 'other'}}", "Object{metadata: Object.metadata{labels: {'x y': 'y'}}}",
        "Object{data: {'a': string(Object{x: 1}.x), 'b': string(has(Object{x: 1}.y)), 'c': string(Object{} == Object{})}}",
        "Object{data: {'a': string(has(object.metadata.uid)), 'b': request.operation}}", "Object{data: {'n': string(oldObject.data.x)}}",
        "Object{data: {'n': string(object.data.k.z)}}", "Object{data: {'n': string(object.metadata.managedFields.z)}}",
        "Object{data: {'n': string([1, object.data].size())}}", "Object{immutable: 1.0}", "Object{data: {'k': dyn(null)}}",
        "[JSONPatch{op: 'add', path: '/data/z', value: 'q'}]", "[JSONPatch{op: 'remove', path: '/data/none'}]",
        "[JSONPatch{op: 'remove', path: '/none/none'}]", "[JSONPatch{op: 'replace', path: '/none/none', value: 'q'}]",
        "[JSONPatch{op: 'test', path: '/data/k', value: 'w'}, JSONPatch{op: 'remove', path: '/data/k'}]",
        "[JSONPatch{op: 'test', path: '/none/k', value: 'w'}]", "[JSONPatch{op: 'move', from: '/data/none', path: '/data/l'}]",
        "[JSONPatch{op: 'move', from: '/data/k', path: '/none/l'}]", "[JSONPatch{op: 'copy', from: '/none/none', path: '/data/l'}]",
        "[JSONPatch{op: 'foo', path: '/data/k'}]", "[JSONPatch{op: 'add', path: 'data', value: 1}]", "[JSONPatch{op: 'move', path: '/a'}]",
        "[JSONPatch{op: 'add', path: '/foo', value: 1}, JSONPatch{op: 'add', path: '/bar', value: 1}]", "[]",
        "[JSONPatch{op: 'add', path: '/data', value: 'a'}]", "[JSONPatch{op: 'add', path: '/data/k', value: 1}]",
        "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a.b/cd'), value: 'q'}]",
        "[JSONPatch{op: 'add', path: '/metadata', value: Object.metadata{name: 'm', labels: {'a': 'c'}}}]",
        "[JSONPatch{op: 'add', path: '/metadata', value: Object.metadata{name: 'm', labels: Object.foo{a: 'c'}}}]"):
    changes(one)
    changes(one, failurePolicy="Ignore")
    if "x y" not in one:  # its answer has the name
        changes(one, thing=GENERATED)
CONTAINERS = "Object{spec: Object.spec{containers: [Object.spec.containers{%s}]}}"
for one in ("name: 's', image: 'i2'", "name: 'c', env: [Object.spec.containers.env{name: 'A', value: 'b'}]", "name: 'c', command: ['a']",
            "image: 'i2'", "name: 'c', resources: Object.spec.containers.resources{requests: {'cpu': '1000m'}}",
            "name: 'c', resources: Object.spec.containers.resources{requests: {'cpu': 'x'}}"):
    changes(CONTAINERS % one, PODS, POD)
for one in ("Object{spec: Object.spec{nodeSelector: {'a': 'b'}}}", "Object{spec: Object.spec{terminationGracePeriodSeconds: 1.5}}",
            "Object{spec: Object.spec{priorityClassName: 'system-node-critical'}}", "Object{status: Object.status{phase: 'Running'}}",
            "Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, tty: true})}}",
            "[JSONPatch{op: 'add', path: '/spec/containers/-', value: Object.spec.containers{name: 'x', image: 'y'}}]",
            "[JSONPatch{op: 'add', path: '/spec/containers/5', value: {'name': 'x'}}]", "[JSONPatch{op: 'remove', path: '/spec/containers/5'}]",
            "[JSONPatch{op: 'replace', path: '/spec/containers/-', value: {'name': 'x'}}]",
            "[JSONPatch{op: 'add', path: '/spec/containers/x', value: {'name': 'x'}}]",
            "[JSONPatch{op: 'add', path: '/spec/containers/0/foo', value: 1}]",
            "[JSONPatch{op: 'add', path: '/spec/terminationGracePeriodSeconds', value: 9007199254740993}]"):
    changes(one, PODS, POD)
for one in ("Object{data: {'n': object.data.k + '+'}}", "Object{data: {'k': object.data.k + '+'}}"):
    for policy in ("Never", "IfNeeded"):
        changes(one, reinvocationPolicy=policy)
for condition in ("object.data.k == 'v'", "object.data.k == 'w'", "object.data.z == 'v'", "namespaceObject.metadata.name != ''",
                  "authorizer.requestResource.check('create').allowed()"):
    for policy in ("Fail", "Ignore"):
        changes("Object{data: {'x': 'y'}}", matchConditions=[{"name": "c", "expression": condition}], failurePolicy=policy)
        judges("false", matchConditions=[{"name": "c", "expression": condition}], failurePolicy=policy)
for one in (".resource('configmaps').namespace(request.namespace).check('create').allowed()", ".resource('secrets').check('get').allowed()",
            ".resource('').check('get').allowed()", ".resource('pods').subresource('log').namespace(request.namespace).check('get').allowed()",
            ".resource('configmaps').check('get').reason() == ''", ".check('get').allowed()", ".resource('x').foo"):
    judges(f"authorizer.group(''){one}", writes=as_alice())
    judges(f"authorizer.serviceAccount('default', 'sa').group(''){one}", writes=as_alice())
for one in ("authorizer.requestResource.check('create').allowed()", "authorizer.requestResource.check('foo').allowed()",
            "authorizer.path('/healthz').check('get').allowed()", "authorizer.path(' ').check('get').allowed()", "authorizer",
            "authorizer.serviceAccount('x_', 'x').group('').resource('a').check('get').allowed()",
            " || ".join(f"authorizer.requestResource.check('{verb}').allowed()" for verb in ("a", "b", "c", "create"))):
    judges(one, writes=as_alice())
SECRET = {"apiVersion": "v1", "kind": "Secret"}
for reference in ({"name": "par"}, {"name": "none"}, {"selector": {"matchLabels": {"p": "1"}}}, {"selector": {"matchLabels": {"p": "2"}}}):
    for action in ("Deny", "Allow"):
        changes("Object{data: {'p': string(params.data.a)}}", paramKind=SECRET, binding={"paramRef": {
            **reference, "parameterNotFoundAction": action}})
        judges("params.data.a == 'x'", paramKind=SECRET, binding={"paramRef": {**reference, "parameterNotFoundAction": action}})
SCALING = [("POST", "", DEPLOYMENT), ("PATCH", "/d/scale", {"spec": {"replicas": 7}}, "application/merge-patch+json"), ("GET", "/d", None)]
changes("Object{spec: Object.spec{replicas: 2}}", SCALES, DEPLOYMENT, SCALING)
changes("[JSONPatch{op: 'replace', path: '/spec/replicas', value: 2}]", SCALES, DEPLOYMENT, SCALING)
judges("object.spec.replicas < 3", SCALES, DEPLOYMENT, SCALING, message="object.kind + request.subResource + request.operation")
changes("Object{spec: Object.spec{replicas: object.spec.replicas + 1}, status: Object.status{replicas: 3}}", DEPLOYMENTS, DEPLOYMENT,
        [("POST", "", DEPLOYMENT), ("PUT", "/d", DEPLOYMENT), ("GET", "/d", None)])
for version in ("v1", "v2"):
    for policy in ("Exact", "Equivalent"):
        match = rules("autoscaling", ["horizontalpodautoscalers"], ["CREATE"], version, matchPolicy=policy)
        judges("request.kind.version == 'x'", match, SCALER, message="object.apiVersion + request.requestKind.version")
        changes("Object{spec: Object.spec{minReplicas: 2}}", match, SCALER)

TEXT, SHORT, NUMBER = {"type": "string"}, {"type": "string", "maxLength": 10}, {"type": "integer"}
SPEC = {"type": "object", "properties": {
    "s": TEXT, "sm": SHORT, "e": {"type": "string", "enum": ["a", "bcd"]}, "i": NUMBER, "b": {"type": "boolean"},
    "d": {"type": "string", "format": "date-time"}, "x": {"x-kubernetes-int-or-string": True}, "l": {"type": "array", "items": TEXT},
    "lm": {"type": "array", "maxItems": 30, "items": SHORT}, "m": {"type": "object", "additionalProperties": TEXT},
    "o": {"type": "object", "properties": {"s": TEXT}},
    "lo": {"type": "array", "items": {"type": "object", "required": ["a"], "properties": {"a": TEXT, "b": NUMBER}}}}}
RULES = """self.s == self.sm|self.e == self.s|self.i + 1 > 3|self.d > self.d|self.x == 'x'|type(self.x) == int|self.l.all(x, x == self.s)
self.lm.exists(x, x.startsWith('ab'))|self.lm.exists_one(x, x == 'a')|self.lo.all(x, x.a == 'b')|self.lm.map(x, x + 'a').all(y, y == 'zz')
self.lm.filter(x, x == 'a').size() > 2|self.m.all(k, self.m[k] == 'a')|'a' in self.l|self.sm in ['a', 'b']|has(self.o.s) && self.o.s == 'a'
self.s.matches('^[a-z]+$')|self.s.contains('abc')|self.s.replace('a', 'bb') == 'c'|self.sm.split(',').all(x, x == 'a')|self.lm.join(',') == 'a'
self.s.lowerAscii() == 'a'|self.s.find('[a-z]+') == 'a'|self.l.isSorted()|self.lm.indexOf('a') > 1|url(self.s).getHost() == 'a'
quantity(self.s).isGreaterThan(quantity('1'))|cidr(self.s).containsIP('1.2.3.4')|!format.dns1123Label().validate(self.s).hasValue()
semver(self.s).major() > 1|string(self.x) == 'a'|dyn(self.s) == 'a'|'%s'.format([self.s]) == 'a'|self.s + self.sm == 'a'
(self.l + self.lm).all(x, x == 'a')|(self.b ? self.s : self.sm) == 'abc'|self.?s.orValue('x') == 'a'|self.o.?s.optMap(v, v + 'a').hasValue()
sets.contains(self.lm, ['a'])|self.l == self.lm|self.lm.transformList(i, v, v + 'a').size() > 1|self.lm.distinct().size() > 1
self.lm.sortBy(x, x).size() > 1|self.lm.first().hasValue()|lists.range(5).all(x, x < 6)|cel.bind(x, self.s, x == x)|oldSelf.s == self.s"""
RULES = [rule for line in RULES.split("\n") for rule in line.split("|")]


def definition(rule, bound, index):
    """A rule on the object itself, or on each element of a list with so many at most."""
    spec = {**SPEC, "x-kubernetes-validations": [{"rule": rule}]}
    if bound:
        spec = {"type": "object", "properties": {"list": {"type": "array", "maxItems": bound, "items": spec}}}
    group = f"x{index}.example.com"
    schema = {"type": "object", "properties": {"spec": spec}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"cs.{group}"}, "spec": {
        "group": group, "scope": "Namespaced", "names": {"plural": "cs", "kind": "C"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]}}
