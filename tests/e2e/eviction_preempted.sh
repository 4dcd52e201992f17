#!/bin/sh
# A pod whose eviction is under way by an EvictionRequest is preempted: it is deleted once, and the eviction ends as one:
# eviction_preempted.sh BERTH
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
command -v python3 >/dev/null || skip "no python3"
command -v curl >/dev/null || skip "no curl"
berth=$1
start_sandbox "$berth" --nodes 1 --seed 1
python3 "$(dirname "$0")/api_proxy.py" "${url##*:}" 1 '{}' >"$work/proxy" &
children="$children $!"
cd "$work" || exit 1
until_true grep -q . proxy || judge bad "no proxy"
wire="http://127.0.0.1:$(cat proxy)"
plain_config "$wire" >counted
# calls NAME: how often the daemons made this call
calls() {
        curl -s "$wire/proxy/counts" | python3 -c 'import json, sys
print(sum(count for name, count in json.load(sys.stdin)["calls"].items() if name == sys.argv[1]))' "$1"
}
"$berth" evictions --kubeconfig counted --audit-file audit --no-audit-output 2>evictions.log &
children="$children $!"
"$berth" scheduler --kubeconfig counted 2>scheduler.log &
children="$children $!"
wait_for "the kinds are served" Ready cat evictions.log
kubectl apply -f - >applied 2>&1 <<'Y' || judge bad "$(cat applied)"
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
Y
waiting_policy slow | kubectl apply -f - >applied 2>&1 || judge bad "$(cat applied)"
# pod NAME LABEL GRACE [MORE]: one that fills the node
pod() {
        kubectl create -f - >applied 2>&1 <<Y || judge bad "$(cat applied)"
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {app: $2}, annotations: {sandbox.berth.dev/shutdown: "$3"}}
spec: {terminationGracePeriodSeconds: 60, $4 containers: [{name: c, image: i, resources: {requests: {cpu: 6}}}]}
Y
}
phase() {
        kubectl get pod "$1" -o 'jsonpath={.status.phase}'
}

# ---- in the middle of a stage ----
pod victim slow 100ms ""
wait_for "the victim runs" Running phase victim
uid=$(kubectl get pod victim -o 'jsonpath={.metadata.uid}')
"$berth" evict victim --wait=false >/dev/null || judge bad "not asked for"
eviction() {
        kubectl get evictions.lifecycle.berth.dev -o yaml
}
wait_for "the stage is under way" "stage=1/1 name=others" eviction
pod first high 100ms "priorityClassName: high,"
wait_for "the other one runs" Running phase first
request() {
        kubectl get evictionrequests.lifecycle.berth.dev -o 'jsonpath={.items[*].status.conditions[?(@.type=="TargetEvicted")].reason}'
}
wait_for "the request ends as evicted" PodDeleted request
wait_for "and so does the eviction" "reason: PodDeleted" eviction
is "deleted once" 1 "$(calls 'DELETE pods')"
is "not evicted besides" 0 "$(calls 'POST pods/eviction')"
is "the audit log has the end" 1 "$(grep -c "\"op\":\"evicted\".*\"podUID\":\"$uid\".*PodDeleted" audit)"
is "and no call of its own" 0 "$(grep -c '"op":"evict-call"' audit)"
"$berth" audit verify audit >/dev/null || judge bad "the audit log"
kubectl delete evictionrequests.lifecycle.berth.dev --all >/dev/null
kubectl delete pod first --grace-period=0 --force >/dev/null 2>&1

# ---- when the eviction has deleted it already, and it takes its time ----
is_empty() {
        [ -z "$(kubectl get pods -o name)" ]
}
until_true is_empty || judge bad "a pod is left"
pod victim plain 20s ""
wait_for "the victim runs" Running phase victim
deleted=$(calls 'DELETE pods')
"$berth" evict victim --wait=false >/dev/null || judge bad "not asked for"
deletion() {
        kubectl get pod victim -o 'jsonpath={.metadata.deletionTimestamp}'
}
wait_for "it is being deleted" Z deletion
pod second high 100ms "priorityClassName: high,"
wait_for "the other one waits for the room" Insufficient kubectl get events --field-selector involvedObject.name=second
wait_for "and runs in the end" Running phase second
is "evicted once" 1 "$(calls 'POST pods/eviction')"
is "and not deleted" "$deleted" "$(calls 'DELETE pods')"
finish
