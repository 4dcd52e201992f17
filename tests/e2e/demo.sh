#!/bin/sh
# The demo tells its story: demo.sh BERTH EXAMPLES. Every point of it is looked up in the report and
# in the lines a user sees. The last line is "N passed, M failed".
berth=$1
examples=$2
command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM

timeout 120 "$berth" up --input "$examples/demo" --settle --descheduling-interval 2s \
        --report "$work/report.json" >"$work/out" 2>"$work/err" || {
        cat "$work/out" "$work/err"
        exit 1
}
python3 - "$work/report.json" "$work/out" <<'P'
import json
import sys

report = json.load(open(sys.argv[1]))
out = open(sys.argv[2]).read()
rules = {(r['plugin'], r['result']): r['count'] for r in report['evictionsByRule']}
gone = [e for e in report['evictions'] if e['result'] == 'success']
passed = failed = 0


def check(name, good):
    global passed, failed
    passed, failed = passed + good, failed + (not good)
    if not good:
        print('FAIL', name)


check('settled', report['settled'])
check('only the killed pod is cleaned up', [e['pod'].startswith('default/import-killed')
                                            for e in gone if e['plugin'] == 'RemoveFailedPods'] == [True])
check('the broken one stays', report['podsByPhase']['Failed'] == 1)
check('all finished ones go', rules.get(('PodLifeTime', 'success')) == 8
      and report['podsByPhase']['Succeeded'] == 0)
check('the tainted node is emptied', rules.get(('RemovePodsViolatingNodeTaints', 'success'), 0) > 1
      and 'pods left on t4-04 (the one of its DaemonSet): 1\n' in out)
check('the reboot-due node is avoided', 'new pods placed: 60\n' in out and 'of them on cpu-05: 0\n' in out)
check('one pod waits', report['podsNotPlaced'] == 1 and report['podsByPhase']['Pending'] == 1)
check('with one write that says why', report['apiWrites']['podStatuses'] == 1
      and 'Insufficient cpu' in report['unschedulable'][0]['message'])
check('one binding per placed pod', report['apiWrites']['bindings'] == report['placed'])
check('nothing failed', report['apiWrites']['failed'] == 0)
check('no node is overcommitted', all(r['overcommittedNodes'] == 0
                                      for r in report['resources'].values()))
print('%d passed, %d failed' % (passed, failed))
sys.exit(1 if failed else 0)
P
