#!/usr/bin/env python3
"""Writes src/schema/schema_table.c: the fields of every API type the sandbox serves.

    scripts/gen_schema.py KUBERNETES_STAGING_DIR > src/schema/schema_table.c

KUBERNETES_STAGING_DIR is staging/src/k8s.io of a Kubernetes source tree. Only facts are taken from
it: field names, types, omitempty, protobuf numbers, patch keys and list types of the Go structs.
"""
import os
import re
import sys

PACKAGES = [  # directory, API group, version
    ('api/core/v1', '', 'v1'),
    ('api/apps/v1', 'apps', 'v1'),
    ('api/batch/v1', 'batch', 'v1'),
    ('api/autoscaling/v1', 'autoscaling', 'v1'),
    ('api/autoscaling/v2', 'autoscaling', 'v2'),
    ('api/policy/v1', 'policy', 'v1'),
    ('api/coordination/v1', 'coordination.k8s.io', 'v1'),
    ('api/events/v1', 'events.k8s.io', 'v1'),
    ('api/scheduling/v1', 'scheduling.k8s.io', 'v1'),
    ('api/rbac/v1', 'rbac.authorization.k8s.io', 'v1'),
    ('api/storage/v1', 'storage.k8s.io', 'v1'),
    ('api/node/v1', 'node.k8s.io', 'v1'),
    ('api/discovery/v1', 'discovery.k8s.io', 'v1'),
    ('api/networking/v1', 'networking.k8s.io', 'v1'),
    ('api/resource/v1', 'resource.k8s.io', 'v1'),
    ('api/authorization/v1', 'authorization.k8s.io', 'v1'),
    ('api/authentication/v1', 'authentication.k8s.io', 'v1'),
    ('api/certificates/v1', 'certificates.k8s.io', 'v1'),
    ('api/flowcontrol/v1', 'flowcontrol.apiserver.k8s.io', 'v1'),
    ('api/admissionregistration/v1', 'admissionregistration.k8s.io', 'v1'),
    ('apiextensions-apiserver/pkg/apis/apiextensions/v1', 'apiextensions.k8s.io', 'v1'),
    ('kube-aggregator/pkg/apis/apiregistration/v1', 'apiregistration.k8s.io', 'v1'),
    ('api/scheduling/v1alpha2', 'scheduling.k8s.io', 'v1alpha2'),
    ('apimachinery/pkg/apis/meta/v1', 'meta.k8s.io', 'v1'),
]
META = 'apimachinery/pkg/apis/meta/v1'
IMPORTS = {'metav1': META, 'v1': 'api/core/v1', 'corev1': 'api/core/v1', 'core': 'api/core/v1', 'apiv1': 'api/core/v1'}
SPECIAL = {
    (META, 'Time'): 'TIME', (META, 'MicroTime'): 'MICRO_TIME', (META, 'Duration'): 'DURATION',
    (META, 'FieldsV1'): 'RAW', (META, 'Verbs'): None,
    ('apiextensions-apiserver/pkg/apis/apiextensions/v1', 'JSON'): 'RAW',
    ('apiextensions-apiserver/pkg/apis/apiextensions/v1', 'JSONSchemaPropsOrBool'): 'RAW',
    ('apiextensions-apiserver/pkg/apis/apiextensions/v1', 'JSONSchemaPropsOrArray'): 'RAW',
    ('apiextensions-apiserver/pkg/apis/apiextensions/v1', 'JSONSchemaPropsOrStringArray'): 'RAW',
}
FOREIGN = {'resource.Quantity': 'QUANTITY', 'intstr.IntOrString': 'INT_OR_STRING',
           'runtime.RawExtension': 'RAW', 'runtime.Object': 'RAW', 'types.UID': 'STRING'}
BASIC = {'string': 'STRING', 'bool': 'BOOL', 'int32': 'INT32', 'int64': 'INT64', 'int': 'INT64',
         'float64': 'FLOAT', 'uint32': 'INT64', 'int8': 'INT32', 'uint8': 'INT32'}

# Fields of later releases, which the sandbox serves behind a feature gate (EvictionRequestAPI).
LATER = {
    ('api/core/v1', 'EvictionResponder'): [('Name', 'string', 'json:"name"', {}), ('Priority', '*int32', 'json:"priority,omitempty"', {})],
    ('api/core/v1', 'PodSpec'): [('EvictionResponders', '[]EvictionResponder',
                                  'json:"evictionResponders,omitempty" patchStrategy:"merge" patchMergeKey:"name"',
                                  {'listType': ['map'], 'listMapKey': ['name']})],
}

structs, aliases = {}, {}   # (package, name) -> [(go name, type, tag, markers)] / type


def read_package(root, package):
    for name in sorted(os.listdir(os.path.join(root, package))):
        if not name.endswith('.go') or name.endswith('_test.go') or name.startswith(('zz_', 'generated')):
            continue
        lines = open(os.path.join(root, package, name), encoding='utf-8').read().split('\n')
        at = 0
        while at < len(lines):
            m = re.match(r'type (\w+) struct \{\s*$', lines[at])
            a = re.match(r'type (\w+) ([\w\.\[\]\*]+)\s*(//.*)?$', lines[at])
            e = re.match(r'type (\w+) struct ?\{\}', lines[at])
            if e:
                structs[package, e.group(1)] = []
            elif m:
                fields, marks = [], {}
                at += 1
                while not lines[at].startswith('}'):
                    line = lines[at].strip()
                    c = re.match(r'//\s*\+(?:k8s:)?(\w+)=(\S+)', line)
                    f = re.match(r'(?:(\w+)\s+)?([\w\.\[\]\*]+)\s+`([^`]*)`', line)
                    if c:
                        marks.setdefault(c.group(1), []).append(c.group(2))
                    elif f:
                        fields.append((f.group(1), f.group(2), f.group(3), marks))
                        marks = {}
                    elif not line:
                        marks = {}
                    at += 1
                structs[package, m.group(1)] = fields
            elif a:
                aliases[package, a.group(1)] = a.group(2)
            at += 1


def tag(text, key):
    m = re.search(r'(?:^|\s)' + key + r':"([^"]*)"', text)
    return m.group(1) if m else ''


def resolve(package, name):
    """(shape, type, object, pointer) of a Go type expression"""
    pointer = name.startswith('*')
    if pointer:
        shape, kind, obj, _ = resolve(package, name[1:])
        return shape, kind, obj, True
    if name == '[]byte':
        return 'ONE', 'BYTES', None, False
    if name.startswith('[]'):
        shape, kind, obj, _ = resolve(package, name[2:])
        return ('LIST' if shape == 'ONE' else shape + '_LIST'), kind, obj, False
    m = re.match(r'map\[[\w\.]+\](.*)', name)
    if m:
        shape, kind, obj, _ = resolve(package, m.group(1))
        return ('MAP' if shape == 'ONE' else 'MAP_OF_' + shape), kind, obj, False
    if name in FOREIGN:
        return 'ONE', FOREIGN[name], None, False
    if name in BASIC:
        return 'ONE', BASIC[name], None, False
    if '.' in name:
        prefix, rest = name.split('.')
        home = IMPORTS.get(prefix)
        if home is None:
            raise SystemExit('unknown import %s in %s' % (name, package))
        return resolve(home, rest)
    if SPECIAL.get((package, name)):
        return 'ONE', SPECIAL[package, name], None, False
    if (package, name) in aliases:
        return resolve(package, aliases[package, name])
    if (package, name) in structs:
        return 'ONE', 'OBJECT', (package, name), False
    raise SystemExit('unknown type %s in %s' % (name, package))


def fields_of(key, via=0, inlined=()):
    package = key[0]
    out = []
    for go_name, go_type, text, marks in structs[key]:
        json = tag(text, 'json').split(',')
        proto = tag(text, 'protobuf').split(',')
        number = int(proto[1]) if len(proto) > 1 and proto[1].isdigit() else 0
        if json == ['-']:
            continue
        if json[0] == '' and 'inline' in json:
            if go_type.endswith('TypeMeta'):
                continue
            _, kind, obj, _ = resolve(package, go_type)
            assert kind == 'OBJECT', (key, go_type)
            deeper = [f[:5] + (0, 0) + f[7:] for f in fields_of(obj, number)]
            out += deeper if via else fields_of(obj, number)
            continue
        if json[0] == '':
            continue
        shape, kind, obj, pointer = resolve(package, go_type)
        flags = []
        if 'omitempty' in json:
            flags.append('OMIT_EMPTY')
        if 'omitzero' in json:
            flags.append('OMIT_ZERO')
        if pointer:
            flags.append('POINTER')
        strategy = tag(text, 'patchStrategy').split(',')
        if 'retainKeys' in strategy:
            flags.append('RETAIN_KEYS')
        if 'replace' in strategy:
            flags.append('PATCH_REPLACE')
        list_type = marks.get('listType', [''])[0]
        if list_type == 'set':
            flags.append('LIST_SET')
        if list_type == 'map':
            flags.append('LIST_MAP')
        if 'atomic' in marks.get('mapType', []) or 'atomic' in marks.get('structType', []) or (
                obj and 'atomic' in STRUCT_ATOMIC.get(obj, '') and 'granular' not in marks.get('structType', [])):
            flags.append('ATOMIC')
        if json[0] in UNREAD.get(key[1], ()):
            flags.append('UNREAD')
        merge = tag(text, 'patchMergeKey') if 'merge' in strategy and shape == 'LIST' else None
        if 'merge' in strategy and shape == 'LIST' and merge == '' and kind == 'OBJECT':
            merge = None
        out.append((json[0], shape, kind, obj, flags, number, via, merge,
                    ','.join(dict.fromkeys(marks.get('listMapKey', [])))))
    return out


STRUCT_ATOMIC = {}
# Types that no kind has a member of: of annotations, and inlined ones that refusals show. Behind all others, so that these keep their places.
APART = (('api/autoscaling/v1', 'MetricSpec'), ('api/autoscaling/v1', 'MetricStatus'), ('api/core/v1', 'PersistentVolumeSource'))
UNREAD_OF_CONTAINERS = ('command', 'args', 'workingDir', 'envFrom', 'env', 'volumeMounts', 'volumeDevices', 'livenessProbe',
                        'readinessProbe', 'startupProbe', 'lifecycle', 'terminationMessagePath', 'terminationMessagePolicy',
                        'imagePullPolicy', 'securityContext', 'stdin', 'stdinOnce', 'tty')
UNREAD = {  # members of pods that take time to decode and that no role reads
    'ObjectMeta': ('managedFields',),
    'Container': UNREAD_OF_CONTAINERS,
    'EphemeralContainerCommon': UNREAD_OF_CONTAINERS,
    'ProjectedVolumeSource': ('sources', 'defaultMode'),
    'PodSpec': ('dnsPolicy', 'dnsConfig', 'hostAliases', 'imagePullSecrets', 'enableServiceLinks', 'securityContext',
                'serviceAccount'),
    'PodStatus': ('hostIP', 'hostIPs', 'podIPs'),
    'ContainerStatus': ('imageID', 'containerID', 'image', 'volumeMounts', 'allocatedResourcesStatus', 'user'),
}


def find_atomic(root, package):
    """structs whose own declaration says +structType=atomic"""
    for name in sorted(os.listdir(os.path.join(root, package))):
        if name.endswith('.go') and not name.startswith(('zz_', 'generated')):
            text = open(os.path.join(root, package, name), encoding='utf-8').read()
            for m in re.finditer(r'// \+structType=atomic\s*\n(?:\s*//[^\n]*\n)*\s*type (\w+) struct', text):
                STRUCT_ATOMIC[package, m.group(1)] = 'atomic'


def object_name(key):
    """core.v1.PodSpec"""
    package = key[0].replace('apimachinery/pkg/apis/', 'api/').split('api/')[-1].replace('/', '.')
    return '%s.%s' % (package.split('pkg.apis.')[-1], key[1])


STRUCTS = ('OBJECT', 'TIME', 'MICRO_TIME', 'DURATION', 'QUANTITY', 'INT_OR_STRING', 'RAW')


def is_always_printed(field):
    """Go prints structs even when omitempty asks otherwise; only omitzero drops them."""
    _, shape, kind, _, flags = field[:5]
    if 'OMIT_ZERO' in flags or 'OMIT_EMPTY' not in flags:
        return 'OMIT_ZERO' not in flags
    return shape == 'ONE' and kind in STRUCTS and 'POINTER' not in flags


def collect(root):
    """(roots, types in the order of the table)"""
    for package, _, _ in PACKAGES:
        read_package(root, package)
        find_atomic(root, package)
    for key, fields in LATER.items():
        structs.setdefault(key, []).extend(fields)
    roots = []
    for package, group, version in PACKAGES:
        for (home, name), fields in structs.items():
            if home == package and not name.endswith('List') and any(
                    t.endswith('TypeMeta') and 'inline' in g for _, t, g, _ in fields):
                if package == META and name not in ('DeleteOptions', 'Status'):
                    continue
                roots.append((package, group, version, name))
    order, seen = [], {}

    def visit(key):
        if key in seen:
            return
        seen[key] = True
        for field in fields_of(key):
            if field[3]:
                visit(field[3])
        order.append(key)
    for package, _, _, name in roots:
        visit((package, name))
    for key in APART:
        visit(key)
    return roots, order


def main():
    roots, order = collect(sys.argv[1])
    ident = {}
    used = {}
    for package, name in order:
        base = re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '_', name).lower()
        part = package.split('/')[-2]
        ident[package, name] = (part + '_' + base) if package != 'api/core/v1' else base
        if package == 'api/autoscaling/v2':
            ident[package, name] = 'autoscaling2_' + base
        assert ident[package, name] not in used, ident[package, name]
        used[ident[package, name]] = 1
    index = {key: i for i, key in enumerate(order)}
    w = sys.stdout.write
    w('/* Written by scripts/gen_schema.py from the Go types of k8s.io/api; do not edit. */\n')
    w('#include "schema/schema.h"\n\n#include "base/util.h"\n\n/* clang-format off */\n')
    for key in order:
        fields = fields_of(key)
        if not fields:
            continue
        w('static const struct schema_field %s_fields[] = {\n' % ident[key])
        for name, shape, kind, obj, flags, number, via, merge, keys in fields:
            w('        { "%s", %s, %s, SCHEMA_%s, SHAPE_%s, %s, %d, %d, %d },\n' % (
                name, 'NULL' if merge is None else '"%s"' % merge, '"%s"' % keys if keys else 'NULL',
                kind, shape, ' | '.join('FIELD_' + f for f in flags) or '0', number, via,
                index[obj] if obj else 0))
        w('};\n')
    w('\nconst struct schema_object schema_objects[] = {\n')
    for key in order:
        fields = fields_of(key)
        assert len(fields) <= 128, key
        printed = [sum(1 << i % 64 for i, f in enumerate(fields) if i // 64 == word and is_always_printed(f)) for word in (0, 1)]
        w('        { "%s", %s, %d, { 0x%xU, 0x%xU } },\n' % (
            object_name(key), ident[key] + '_fields' if fields else 'NULL', len(fields), *printed))
    w('};\nconst size_t schema_object_count = ARRAY_LEN(schema_objects);\n')
    w('\nconst struct schema_root schema_roots[] = {\n')
    for package, group, version, name in sorted(roots, key=lambda r: (r[1], r[2], r[3])):
        w('        { "%s", "%s", "%s", %d },\n' % (group, version, name, index[package, name]))
    w('};\nconst size_t schema_root_count = ARRAY_LEN(schema_roots);\n')


if __name__ == '__main__':
    main()
