#!/bin/sh
# A three-stage eviction followed with kubectl, killed in each stage, cancelled, and past its deadline:
# eviction_stages.sh BERTH HOOK_SERVER. Skips (77) without kubectl or Python.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
hook_server=$2
[ -n "$kubectl_program" ] || skip "no kubectl"
command -v python3 >/dev/null || skip "no python3"
start_sandbox "$1" --nodes 1 --seed 1
python3 "$hook_server" "$work" >"$work/hook" 2>&1 &
children="$children $!"
start() {
        "$berth" evictions --leader-elect=false --audit-file "$work/audit" --no-audit-output >"$work/evictions" 2>&1 &
        evictions=$!
        children="$children $evictions"
}
kill_hard() {
        kill -9 $evictions
        wait $evictions 2>/dev/null
        start
        wait_for "ready again" Ready cat "$work/evictions"
}
message() {
        kubectl get evictions.lifecycle.berth.dev "$1" -o 'jsonpath={.status.responders[?(@.startTime)].message}'
}
outcome() {
        kubectl get evictions.lifecycle.berth.dev "$1" -o 'jsonpath={.status.conditions[*].reason}'
}
count() {
        grep -c "^$1 $2 [0-9]* $3" "$work/log"
}
uid_of() {
        kubectl get evictions.lifecycle.berth.dev "$1" -o 'jsonpath={.metadata.uid}'
}
pod() {
        kubectl create -f - >/dev/null <<END
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {app: db}}
spec: {nodeName: node-0, containers: [{name: c, image: x}]}
END
        wait_for "pod $1 runs" Running kubectl get pod "$1"
}
request() {
        kubectl create -f - >/dev/null <<END
apiVersion: lifecycle.berth.dev/v1alpha1
kind: EvictionRequest
metadata: {name: want-$1}
spec:
  target: {pod: {name: $1, uid: $(kubectl get pod "$1" -o 'jsonpath={.metadata.uid}')}}
  requester: test.example.com/e2e
  intent: Eviction
END
}
until_true test -s "$work/hook"
url=$(cat "$work/hook")
touch "$work/log"
start
wait_for "ready" Ready cat "$work/evictions"
kubectl create -f - >/dev/null <<END
apiVersion: lifecycle.berth.dev/v1alpha1
kind: EvictionPolicy
metadata: {name: db}
spec:
  selector: {matchLabels: {app: db}}
  stages:
  - {name: prepare, kind: http, http: {url: "$url"}}
  - {name: migrate, kind: http, http: {url: "$url"}}
  - {name: finish, kind: http, http: {url: "$url"}}
  rollback:
  - {stage: prepare, http: {url: "$url"}}
  - {stage: migrate, http: {url: "$url"}}
END

# Killed in each stage, and after each: no hook is run twice.
pod a
request a
number=0
for stage in prepare migrate finish; do
        number=$((number + 1))
        wait_for "$stage is shown" "stage=$number/3 name=$stage" message pod-1-a
        wait_for "$stage runs" "run $stage 1" cat "$work/log"
        kill_hard
        wait_for "$stage is polled by the next process" "poll $stage 1" cat "$work/log"
        touch "$work/done-$stage"
done
wait_for "evicted after the last stage" PodDeleted outcome pod-1-a
for stage in prepare migrate finish; do
        is "$stage was run once" 1 "$(count run $stage)"
done
finalizers() {
        kubectl get evictions.lifecycle.berth.dev "$1" -o 'jsonpath=[{.metadata.finalizers}]'
}
wait_for "nothing holds the Eviction" "[]" finalizers pod-1-a

# Cancelled in the middle: the open stage is cancelled, the finished one rolled back.
rm "$work/done-migrate"
pod b
request b
wait_for "the second stage is shown" "stage=2/3 name=migrate" message pod-1-b
wait_for "its progress too" "half way" message pod-1-b
id=$(uid_of pod-1-b)
kubectl patch evictionrequests.lifecycle.berth.dev want-b --type=merge -p '{"spec":{"intent":"Withdrawn"}}' >/dev/null
wait_for "cancelled" CanceledDueToNoRequesters outcome pod-1-b
wait_for "rolled back" "rollback prepare 1 $id" cat "$work/log"
is "cancelled once" 1 "$(count cancel migrate "$id")"
is "rolled back once" 1 "$(count rollback prepare "$id")"
is "never finished, never rolled back" 0 "$(count rollback migrate "$id")"
is "the pod lives" Running "$(kubectl get pod b -o 'jsonpath={.status.phase}')"

# A deadline that passes: rolled back, then the next responder's turn.
pod c
request c
wait_for "the second stage is open" "stage=2/3 name=migrate" message pod-1-c
id=$(uid_of pod-1-c)
wait_for "it runs" "run migrate 1 $id" cat "$work/log"
kubectl patch evictionpolicies.lifecycle.berth.dev db --type=merge -p '{"spec":{"deadline":"1s"}}' >/dev/null
wait_for "declined at the deadline" "declined=" message pod-1-c
wait_for "then evicted as usual" PodDeleted outcome pod-1-c
id=$(uid_of pod-1-c)
is "the open stage was cancelled" 1 "$(count cancel migrate "$id")"
is "the finished one was rolled back" 1 "$(count rollback prepare "$id")"

kill $evictions
wait $evictions 2>/dev/null
evictions=
wait_for "the trail is intact" intact "$berth" audit verify "$work/audit"
[ $failures -eq 0 ] || cat "$work/log"
finish
