#!/usr/bin/env python3
"""Judges a placement from the outside: check_placement.py OBJECTS.json [--naive]

OBJECTS.json is what `kubectl get nodes,pods -A -o json` printed. Reports every node whose pods ask
for more than it has in any resource, and every waiting pod that would fit somewhere. With --naive
it also places the same pods, in order of creation, by a plain scan of all nodes, and compares how
many each placed. Knows nothing of berth: requests, labels and affinities are read from the objects.
The last line is "N passed, M failed".
"""
import json
import re
import sys
from decimal import Decimal

UNITS = {'m': Decimal('0.001'), '': 1, 'k': 10**3, 'M': 10**6, 'G': 10**9, 'T': 10**12,
         'Ki': 2**10, 'Mi': 2**20, 'Gi': 2**30, 'Ti': 2**40}


def amount(text):
    number, unit = re.fullmatch(r'([0-9.]+)([a-zA-Z]*)', text).groups()
    return Decimal(number) * UNITS[unit]


def requests(pod):
    total = {'pods': Decimal(1)}
    for container in pod['spec']['containers']:
        for name, value in container.get('resources', {}).get('requests', {}).items():
            total[name] = total.get(name, 0) + amount(value)
    return total


def term_matches(term, labels):
    for rule in term.get('matchExpressions', []):
        if rule['operator'] != 'In':
            raise SystemExit('operator %s is beyond this check' % rule['operator'])
        if labels.get(rule['key']) not in rule['values']:
            return False
    return True


def may_run(pod, node):
    labels = node['metadata'].get('labels', {})
    if node['spec'].get('unschedulable'):
        return False
    for taint in node['spec'].get('taints', []):
        if taint['effect'] == 'NoSchedule' or taint['effect'] == 'NoExecute':
            return False
    terms = (pod['spec'].get('affinity', {}).get('nodeAffinity', {})
             .get('requiredDuringSchedulingIgnoredDuringExecution', {}).get('nodeSelectorTerms'))
    return terms is None or any(term_matches(term, labels) for term in terms)


def fits(need, free):
    return all(free.get(name, 0) >= value for name, value in need.items())


def naive_count(nodes, pods):
    """Places pods one by one on the emptiest node that fits: every node looked at every time."""
    free = [{k: amount(v) for k, v in n['status']['allocatable'].items()} for n in nodes]
    free = [{k: float(v) for k, v in f.items()} for f in free]
    total = [dict(f) for f in free]
    placed = 0
    for pod in pods:
        need = {k: float(v) for k, v in requests(pod).items()}
        best, best_score = None, -1.0
        for i, room in enumerate(free):
            for name, value in need.items():
                if room.get(name, 0.0) < value:
                    break
            else:
                size = total[i]
                score = ((room['cpu'] - need['cpu']) / size['cpu'] +
                         (room['memory'] - need['memory']) / size['memory'])
                if score > best_score and may_run(pod, nodes[i]):
                    best, best_score = i, score
        if best is not None:
            placed += 1
            for name, value in need.items():
                free[best][name] -= value
    return placed


def main():
    with open(sys.argv[1]) as file:
        items = json.load(file)['items']
    nodes = [i for i in items if i['kind'] == 'Node']
    pods = [i for i in items if i['kind'] == 'Pod'
            and i.get('status', {}).get('phase') not in ('Succeeded', 'Failed')]
    used = {n['metadata']['name']: {} for n in nodes}
    passed = failed = 0
    for pod in pods:
        node = pod['spec'].get('nodeName')
        if node:
            for name, value in requests(pod).items():
                used[node][name] = used[node].get(name, 0) + value
    free = {}
    for node in nodes:
        name = node['metadata']['name']
        has = {k: amount(v) for k, v in node['status']['allocatable'].items()}
        over = [r for r, v in used[name].items() if v > has.get(r, 0)]
        free[name] = {r: v - used[name].get(r, 0) for r, v in has.items()}
        if over:
            print('FAIL node %s is above its allocatable in %s' % (name, ', '.join(over)))
            failed += 1
        else:
            passed += 1
    waiting = [p for p in pods if not p['spec'].get('nodeName')]
    for pod in waiting:
        need = requests(pod)
        room = [n['metadata']['name'] for n in nodes
                if fits(need, free[n['metadata']['name']]) and may_run(pod, n)]
        if room:
            print('FAIL pod %s waits but fits on %s' % (pod['metadata']['name'], room[0]))
            failed += 1
        else:
            passed += 1
    placed = len(pods) - len(waiting)
    print('%d nodes, %d pods placed, %d waiting' % (len(nodes), placed, len(waiting)))
    if '--naive' in sys.argv:
        pods.sort(key=lambda p: (p['metadata']['creationTimestamp'], p['metadata']['name']))
        naive = naive_count(nodes, pods)
        print('a naive full scan places %d' % naive)
        if placed < naive:
            print('FAIL fewer than the naive full scan')
            failed += 1
        else:
            passed += 1
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


sys.exit(main())
