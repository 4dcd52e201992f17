#!/bin/sh
# A three-stage eviction followed with kubectl, its controller killed on the way, cancelled, and past its deadline, by berth's own
# kinds or those of Kubernetes: eviction_stages.sh BERTH HOOK_SERVER [crd|native [STAGE...]]. The controller is killed in these stages:
# in all when none is named. Skips (77) without kubectl or Python.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
hook_server=$2
[ -n "$kubectl_program" ] || skip "no kubectl"
command -v python3 >/dev/null || skip "no python3"
kinds=lifecycle.berth.dev
mode=crd
gates=false
if [ "${3:-crd}" = native ]; then
        kinds=lifecycle.k8s.io
        mode=native-own
        gates=true
fi
start_sandbox "$1" --nodes 1 --seed 1 --feature-gates EvictionRequestAPI=$gates
shift $(($# < 3 ? $# : 3))
deadly=" ${*:-prepare migrate finish} "
python3 "$hook_server" "$work" >"$work/hook" 2>&1 &
children="$children $!"
start() {
        "$berth" evictions --mode $mode --leader-elect=false --audit-file "$work/audit" --no-audit-output >"$work/evictions" 2>&1 &
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
        kubectl get "evictions.$kinds" "$1" -o 'jsonpath={.status.responders[?(@.startTime)].message}'
}
outcome() {
        kubectl get "evictions.$kinds" "$1" -o 'jsonpath={.status.conditions[*].reason}'
}
count() {
        grep -c "^$1 $2 [0-9]* $3" "$work/log"
}
uid_of() {
        kubectl get "evictions.$kinds" "$1" -o 'jsonpath={.metadata.uid}'
}
pod() {
        kubectl create -f - >/dev/null <<END
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {app: $2}}
spec: {nodeName: node-0, terminationGracePeriodSeconds: 1, containers: [{name: c, image: x}]}
END
}
request() {
        wait_for "pod $1 runs" Running kubectl get pod "$1"
        kubectl create -f - >/dev/null <<END
apiVersion: $kinds/v1alpha1
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
for policy in db late; do
        kubectl create -f - >/dev/null <<END
apiVersion: lifecycle.berth.dev/v1alpha1
kind: EvictionPolicy
metadata: {name: $policy}
spec:
  selector: {matchLabels: {app: $policy}}
  stages:
  - {name: prepare, kind: http, http: {url: "$url"}}
  - {name: migrate, kind: http, http: {url: "$url"}}
  - {name: finish, kind: http, http: {url: "$url"}}
  rollback:
  - {stage: prepare, http: {url: "$url"}}
  - {stage: migrate, http: {url: "$url"}}
END
done
pod a db
pod b db
pod c late
touch "$work/done-prepare-b" "$work/done-prepare-c"
request a
request b
request c

# Killed in its stages, and after each: no hook is run twice.
number=0
for stage in prepare migrate finish; do
        number=$((number + 1))
        wait_for "$stage is shown" "stage=$number/3 name=$stage" message pod-1-a
        wait_for "$stage runs" "run $stage 1 $(uid_of pod-1-a)" cat "$work/log"
        case $deadly in
        *" $stage "*) kill_hard ;;
        esac
        wait_for "$stage is polled, by whoever is there" "poll $stage 1 $(uid_of pod-1-a)" cat "$work/log"
        touch "$work/done-$stage-a"
done
id=$(uid_of pod-1-a)
wait_for "evicted after the last stage" PodDeleted outcome pod-1-a
for stage in prepare migrate finish; do
        is "$stage was run once" 1 "$(count run $stage "$id")"
done
finalizers() {
        kubectl get "evictions.$kinds" "$1" -o 'jsonpath=[{.metadata.finalizers}]'
}
wait_for "nothing holds the Eviction" "[]" finalizers pod-1-a

# A deadline that passes: rolled back, then the next responder is Active.
wait_for "the second stage is open" "stage=2/3 name=migrate" message pod-1-c
id=$(uid_of pod-1-c)
wait_for "it runs" "run migrate 1 $id" cat "$work/log"
kubectl patch evictionpolicies.lifecycle.berth.dev late --type=merge -p '{"spec":{"deadline":"1s"}}' >/dev/null
wait_for "declined at the deadline" "declined=" message pod-1-c
wait_for "then evicted as usual" PodDeleted outcome pod-1-c
is "the open stage was cancelled" 1 "$(count cancel migrate "$id")"
is "the finished one was rolled back" 1 "$(count rollback prepare "$id")"

# Cancelled in the middle, after all that: the open stage is cancelled, the finished one rolled back.
wait_for "the second stage is shown" "stage=2/3 name=migrate" message pod-1-b
wait_for "its progress too" "half way" message pod-1-b
id=$(uid_of pod-1-b)
kubectl patch "evictionrequests.$kinds" want-b --type=merge -p '{"spec":{"intent":"Withdrawn"}}' >/dev/null
wait_for "cancelled" CanceledDueToNoRequesters outcome pod-1-b
wait_for "rolled back" "rollback prepare 1 $id" cat "$work/log"
is "cancelled once" 1 "$(count cancel migrate "$id")"
is "rolled back once" 1 "$(count rollback prepare "$id")"
is "run once" 1 "$(count run migrate "$id")"
is "never finished, never rolled back" 0 "$(count rollback migrate "$id")"
is "the pod lives" Running "$(kubectl get pod b -o 'jsonpath={.status.phase}')"

kill $evictions
wait $evictions 2>/dev/null
evictions=
wait_for "the trail is intact" intact "$berth" audit verify "$work/audit"
[ $failures -eq 0 ] || cat "$work/log"
finish
