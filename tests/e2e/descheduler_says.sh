#!/bin/sh
# What the descheduler says of a pass: every victim of a large one, and why nothing happens: descheduler_says.sh BERTH
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
berth=$1
command -v curl >/dev/null || skip "no curl"
port=$(free_port)
cd "$work" || exit 1
cat >web.yaml <<'Y'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1400
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: alone}
spec: {containers: [{name: c, image: i}]}
Y
# policy SECONDS [MORE]: pods older than that go
policy() {
        cat >policy.yaml <<Y
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: old
  pluginConfig:
  - name: PodLifeTime
    args: {maxPodLifeTimeSeconds: $1}
  - name: LowNodeUtilization
    args: {thresholds: {pods: 1}, targetThresholds: {pods: 99}}
  plugins: {deschedule: {enabled: [PodLifeTime]}, balance: {enabled: [LowNodeUtilization]}}
Y
}
"$berth" up --nodes 20 -f web.yaml --for 10m --kubeconfig-out kubeconfig >up.log 2>&1 &
children="$children $!"
export KUBECONFIG="$work/kubeconfig"
until_true grep -q 'Running 1401' up.log || judge bad "the pods do not run: $(tail -3 up.log)"
run() {
        "$berth" descheduler --policy-config-file policy.yaml "$@" >log 2>&1
}
sleep 3
policy 1
run --dry-run
is "every victim is listed" 1400 "$(grep -c '^info WouldEvict ' log)"
is "and once" 1400 "$(grep '^info WouldEvict ' log | sort -u | wc -l)"
contains "the pass in numbers" 'info DeschedulingPass nodes=20 evictions=1400 limited=0 refused=0 spared=1 tooYoung=0 why=""' cat log
policy 3600
run
is "nobody goes" 0 "$(grep -c 'Evicted ' log)"
contains "why" 'evictions=0 limited=0 refused=0 spared=0 tooYoung=1401 why="PodLifeTime of old: 1401: too young, the first is due in ' cat log
contains "why of the nodes" '| LowNodeUtilization of old: of 20 nodes 0 are below all thresholds, 0 above a target"' cat log

# ---- the same in metrics ----
"$berth" descheduler --policy-config-file policy.yaml --descheduling-interval 1h --secure-port "$port" --bind-address 127.0.0.1 >log 2>&1 &
children="$children $!"
wait_for "metrics" 'berth_descheduler_pods{strategy="PodLifeTime",profile="old",verdict="young"} 1401' \
        curl -sk -H "Authorization: Bearer $(sed -n 's/^ *token: *//p' kubeconfig)" "https://127.0.0.1:$port/metrics"
finish
