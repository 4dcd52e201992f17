#!/usr/bin/env python3
"""Writes src/schema/internal_table.c: the API server's own form of each API type, which it prints in refusals.

    scripts/gen_internal.py KUBERNETES_DIR > src/schema/internal_table.c

KUBERNETES_DIR is a Kubernetes source tree. Only facts are taken from it: the names and order of the members of its internal types, and
what each is when it is zero. The types and their places are those of scripts/gen_schema.py.
"""
import os
import re
import sys

import gen_schema

# Members of the internal type that the versioned object has one level above.
OF_PARENT = {('api/core/v1', 'PodSecurityContext'): ('api/core/v1', 'PodSpec')}
# Made by conversion where they are absent.
ALWAYS = {('api/core/v1', 'PodSpec'): ('SecurityContext',)}
ZEROS = {'STRING': 'TEXT', 'BYTES': 'NULL', 'BOOL': 'FALSE', 'INT32': 'NUMBER', 'INT64': 'NUMBER', 'FLOAT': 'NUMBER', 'TIME': 'NULL',
         'MICRO_TIME': 'NULL', 'DURATION': 'DURATION', 'QUANTITY': 'QUANTITY', 'INT_OR_STRING': 'NUMBER', 'RAW': 'NULL',
         'OBJECT': 'OBJECT'}
structs, aliases = {}, {}  # of the internal packages


def internal_package(package):
    """pkg/apis/core of api/core/v1; None for what has no form of its own."""
    words = package.split('/')
    return 'pkg/apis/' + words[1] if words[0] == 'api' else None


def read_internal(root, package):
    path = os.path.join(root, package, 'types.go')
    if not os.path.exists(path):
        return
    lines = open(path, encoding='utf-8').read().split('\n')
    at = 0
    while at < len(lines):
        m = re.match(r'type (\w+) struct \{\s*$', lines[at])
        a = re.match(r'type (\w+) ([\w\.\[\]\*]+)\s*(//.*)?$', lines[at])
        if m:
            fields = []
            at += 1
            while not lines[at].startswith('}'):
                line = re.sub(r'\s*//.*', '', lines[at]).strip()
                f = re.match(r'(?:(\w+(?:, \w+)*)\s+)?([\w\.\[\]\*]+)(\s+`[^`]*`)?$', line)
                if f:
                    for name in (f.group(1) or '').split(', '):
                        fields.append((name, f.group(2)))
                at += 1
            structs[package, m.group(1)] = fields
        elif a:
            aliases[package, a.group(1)] = a.group(2)
        at += 1


def members(package, name):
    """(Go name, Go type, package of it), embedded ones in their places"""
    for go_name, go_type in structs[package, name]:
        bare = go_type.lstrip('*')
        if go_name:
            yield go_name, go_type, package
        elif bare in ('metav1.TypeMeta', 'metav1.ObjectMeta', 'metav1.ListMeta'):
            yield bare.split('.')[1], go_type, package  # never printed by themselves
        else:
            home, rest = (internal_home(package, bare), bare.split('.')[-1])
            yield from members(home, rest)


def internal_home(package, name):
    if '.' not in name:
        return package
    prefix = name.split('.')[0]
    return {'core': 'pkg/apis/core', 'api': 'pkg/apis/core', 'v1': 'pkg/apis/core'}.get(prefix, package)


def zero_of(package, go_type):
    """How Go prints the member when nobody set it; OBJECT: by the members of its type."""
    if go_type.startswith(('*', '[]', 'map[')) or go_type in ('interface{}', 'runtime.Object', 'runtime.Unknown'):
        return 'NULL'
    if go_type in gen_schema.BASIC:
        return ZEROS[gen_schema.BASIC[go_type]]
    foreign = {'metav1.Time': 'TIME', 'metav1.MicroTime': 'MICRO_TIME', 'metav1.Duration': 'DURATION', 'metav1.ConditionStatus': 'STRING',
               'int': 'INT64', 'uint16': 'INT32', 'types.UID': 'STRING', **gen_schema.FOREIGN}.get(go_type)
    if foreign:
        return ZEROS[foreign]
    home, bare = internal_home(package, go_type), go_type.split('.')[-1]
    if (home, bare) in aliases:
        return zero_of(home, aliases[home, bare])
    return 'OBJECT'


def versioned(key):
    """{Go name: JSON name}, inlined ones too"""
    names = {}
    for go_name, go_type, text, _ in gen_schema.structs[key]:
        json = gen_schema.tag(text, 'json').split(',')
        if json[0] == '' and 'inline' in json and not go_type.endswith('TypeMeta'):
            names.update(versioned(gen_schema.resolve(key[0], go_type)[2]))
        elif json[0] and json != ['-']:
            names[go_name or go_type.split('.')[-1]] = json[0]
    return names


def rows_of(key, fields):
    """(Go name, place among the fields or -1, zero, is the parent's)"""
    places, names = {field[0]: at for at, field in enumerate(fields)}, versioned(key)
    parent = OF_PARENT.get(key)
    above = {name: at for at, name in enumerate(field[0] for field in gen_schema.fields_of(parent))} if parent else {}
    above_names = versioned(parent) if parent else {}
    folded = {name.lower(): json for name, json in names.items()}
    for go_name, go_type, package in members(internal_package(key[0]), key[1]):
        zero = zero_of(package, go_type)
        if go_name in ALWAYS.get(key, ()):
            zero = 'OBJECT'
        json = names.get(go_name) or folded.get(go_name.lower())
        if go_name == 'ObjectMeta':
            zero = 'INLINE'
        if json in places:
            yield go_name, places[json], zero, False
        elif go_name in above_names and above_names[go_name] in above:
            yield go_name, above[above_names[go_name]], zero, True
        else:
            yield go_name, -1, zero, False


def main():
    root = sys.argv[1]
    _, order = gen_schema.collect(os.path.join(root, 'staging/src/k8s.io'))
    for package in dict.fromkeys(internal_package(key[0]) for key in order):
        if package:
            read_internal(root, package)
    w = sys.stdout.write
    w('/* Written by scripts/gen_internal.py from the internal Go types of Kubernetes; do not edit. */\n')
    w('#include "schema/internal_priv.h"\n\n#include "base/util.h"\n\n/* clang-format off */\n')
    w('const struct internal_member internal_members[] = {\n')
    places, count = [], 0
    for at, key in enumerate(order):
        package = internal_package(key[0])
        if not package or (package, key[1]) not in structs:
            continue
        rows = list(rows_of(key, gen_schema.fields_of(key)))
        # Whole objects are never shown; a few types of old versions are not like the internal ones.
        if any(place < 0 and zero == 'OBJECT' for _, place, zero, _ in rows):
            continue
        w('        /* %s */\n' % gen_schema.object_name(key))
        for go_name, place, zero, is_parents in rows:
            w('        { "%s", %d, INTERNAL_%s, %d },\n' % (go_name, place, zero, is_parents))
        places.append((at, count, len(rows)))
        count += len(rows)
    w('};\n\nconst struct internal_type internal_types[] = {\n')
    for row in places:
        w('        { %d, %d, %d },\n' % row)
    w('};\nconst size_t internal_type_count = ARRAY_LEN(internal_types);\n')


if __name__ == '__main__':
    main()
