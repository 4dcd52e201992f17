#!/usr/bin/env python3
"""Writes src/schema/field_release_table.c: since which Kubernetes version an API server takes a field.

    scripts/gen_field_releases.py 28=DIR 29=DIR ... > src/schema/field_release_table.c

Each DIR is a folder with the packages of k8s.io of that version (api, apimachinery, apiserver, kubernetes, ...). Only facts
are taken: which fields the Go structs have, the feature gates that their comments name, and the defaults of the gates.
"""
import glob
import os
import re
import sys

import gen_schema

# Gates of fields whose comments do not name them.
GATES = {
    ('api/core/v1', 'PodAffinityTerm'): {'matchLabelKeys': 'MatchLabelKeysInPodAffinity',
                                         'mismatchLabelKeys': 'MatchLabelKeysInPodAffinity'},
    ('api/core/v1', 'LoadBalancerIngress'): {'ipMode': 'LoadBalancerIPMode'},
    ('api/core/v1', 'Lifecycle'): {'stopSignal': 'ContainerStopSignals'},
    ('api/core/v1', 'PodStatus'): {'hostIPs': 'PodHostIPs'},
    ('api/apps/v1', 'DeploymentStatus'): {'terminatingReplicas': 'DeploymentReplicaSetTerminatingReplicas'},
    ('api/apps/v1', 'ReplicaSetStatus'): {'terminatingReplicas': 'DeploymentReplicaSetTerminatingReplicas'},
    ('api/batch/v1', 'JobSpec'): {'successPolicy': 'JobSuccessPolicy', 'managedBy': 'JobManagedBy',
                                  'backoffLimitPerIndex': 'JobBackoffLimitPerIndex',
                                  'maxFailedIndexes': 'JobBackoffLimitPerIndex',
                                  'podReplacementPolicy': 'JobPodReplacementPolicy'},
    ('api/batch/v1', 'JobStatus'): {'failedIndexes': 'JobBackoffLimitPerIndex', 'terminating': 'JobPodReplacementPolicy'},
    ('api/discovery/v1', 'EndpointHints'): {'forNodes': 'PreferSameTrafficDistribution'},
    ('api/authorization/v1', 'ResourceAttributes'): {'fieldSelector': 'AuthorizeWithSelectors',
                                                     'labelSelector': 'AuthorizeWithSelectors'},
}


def read_structs(root):
    """(package, type) -> {field: gates}, of one version"""
    gen_schema.structs.clear()
    gen_schema.aliases.clear()
    for package, _, _ in gen_schema.PACKAGES:
        if os.path.isdir(os.path.join(root, package)):
            gen_schema.read_package(root, package)
    structs = dict(gen_schema.structs)

    def fields(key):
        out = {}
        for _, go_type, tag, marks in structs.get(key, ()):
            name = gen_schema.tag(tag, 'json').split(',')
            if name[0] in ('', '-'):
                if 'inline' in name and not go_type.endswith('TypeMeta'):
                    out.update(fields((key[0], go_type.split('.')[-1])))
                continue
            out[name[0]] = marks.get('featureGate', [])
        for name, gate in GATES.get(key, {}).items():
            if name in out:
                out[name] = [gate]
        return out
    return {key: fields(key) for key in structs}


def read_gates(root, minor):
    """gate -> is it on by default"""
    out = {}
    for path in glob.glob(os.path.join(root, '*/pkg/features/*kube_features.go')):
        text = open(path, encoding='utf-8').read()
        for m in re.finditer(r'^\t(?:\w+\.)?(\w+):\s*\{Default: (true|false)', text, re.M):
            out[m.group(1)] = m.group(2) == 'true'
        for m in re.finditer(r'^\t(?:\w+\.)?(\w+):\s*\{\n((?:\t\t[^\n]*\n)+)\t\}', text, re.M):
            for v in re.finditer(r'MustParse\("1\.(\d+)"\), Default: (true|false)', m.group(2)):
                if int(v.group(1)) <= minor:
                    out[m.group(1)] = v.group(2) == 'true'
    return out


def served_since(known, newest, gates, defaults):
    """The first version that has one of the gates on; known when none does, as the sandbox takes the field then."""
    for minor in range(known, newest + 1):
        for gate in gates:
            # A gate that was there and is not any more is on for good.
            state = defaults[minor].get(gate, any(gate in defaults[m] for m in range(known, minor)))
            if state and all(defaults[minor].get(g, True) for g in gate.split(',')):
                return minor
    return known


def main():
    roots = {int(minor): root for minor, root in (word.split('=') for word in sys.argv[1:])}
    oldest, newest = min(roots), max(roots)
    structs = {minor: read_structs(root) for minor, root in roots.items()}
    defaults = {minor: read_gates(root, minor) for minor, root in roots.items()}
    table = open(os.path.join(os.path.dirname(__file__), '../src/schema/schema_table.c'), encoding='utf-8').read()
    rows = []
    for key, fields in structs[newest].items():
        name = gen_schema.object_name(key)
        if '{ "%s", ' % name not in table:
            continue
        born = min(minor for minor in structs if key in structs[minor])
        for field in fields:
            has = [minor for minor in structs if field in structs[minor].get(key, {})]
            gates = {gate for minor in has for gate in structs[minor][key][field]}
            served = served_since(min(has), newest, sorted(gates), defaults)
            if max(min(has), served) > born:
                rows.append((name, field, min(has) if min(has) > oldest else 0, served))
    w = sys.stdout.write
    w('/* Written by scripts/gen_field_releases.py from k8s.io of 1.%d to 1.%d; do not edit. */\n' % (oldest, newest))
    w('#include "schema/field_release.h"\n\n#include "base/util.h"\n\n/* clang-format off */\n')
    w('const struct field_release field_releases[] = {\n')
    for row in sorted(rows):
        w('        { "%s", "%s", %d, %d },\n' % row)
    w('};\nconst size_t field_release_count = ARRAY_LEN(field_releases);\n')


if __name__ == '__main__':
    main()
