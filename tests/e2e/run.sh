#!/bin/sh
# Several roles in one process, with exactly the rights of deploy/run: run.sh BERTH DEPLOY. Every role works; when the process that
# leads is killed, another one takes all of them over; nothing is forbidden on the way. Then the same with one Lease for all. Skips
# (77) without kubectl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091,SC2154
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
berth=$1 deploy=$2
start_sandbox "$berth" --nodes 3 --seed 1
kubectl apply -f "$deploy/crds" >/dev/null
check "rights" "rolebinding.rbac.authorization.k8s.io/berth-run created" kubectl apply -f "$deploy/run/rbac.yaml"
check "manifest" "deployment.apps/berth-run created" kubectl apply -f "$deploy/run/deployment.yaml"
kubectl -n kube-system scale deployment berth-run --replicas=0 >/dev/null
for file in scheduler policy; do
        kubectl -n kube-system get configmap berth-run -o "jsonpath={.data.$file\\.yaml}" >"$work/$file.yaml"
done
token=$(kubectl -n kube-system create token berth-run)
[ -n "$token" ] || judge bad "no token"
sed "s/^\( *token: \).*/\1$token/" "$KUBECONFIG" >"$work/run.kubeconfig"
may() { # may EXPECTED VERB RESOURCE...
        expected=$1
        shift
        check "$*" "^$expected$" kubectl --kubeconfig "$work/run.kubeconfig" auth can-i "$@"
}
may yes create pods --subresource=binding
may yes create pods --subresource=eviction
may yes patch evictions.lifecycle.berth.dev --subresource=status
may yes update leases.coordination.k8s.io/descheduler -n kube-system
may no update leases.coordination.k8s.io/another -n kube-system
may no create pods
may no get secrets
may yes create evictionrequests.lifecycle.berth.dev
may no patch nodes
may no create customresourcedefinitions.apiextensions.k8s.io

# The manifest's own arguments, with quicker passes and tries for a Lease; on a slow machine no Lease may be lost.
manifest_args() {
        sed -n 's/^        - \(--.*\)$/\1/p' "$deploy/run/deployment.yaml" | sed "s|/etc/berth|$work|; s/=5m/=2s/; s/port=10259/port=$1/"
}
start() { # start NAME PORT ARGUMENT...
        name=$1 port=$2
        shift 2
        # shellcheck disable=SC2046
        "$berth" run $(manifest_args "$port") --kubeconfig "$work/run.kubeconfig" --no-audit-output \
                --audit-file "$work/$name.audit" --authentication-skip-lookup --authorization-always-allow-paths='/*' --leader-elect-lease-duration 15s \
                --leader-elect-renew-deadline 12s --leader-elect-retry-period 300ms "$@" >"$work/$name.log" 2>&1 &
        process=$!
        children="$children $process"
}
leads() { # leads NAME LEASE
        grep -q "^info Leading .*lease=\"$2\"" "$work/$1.log"
}
takes_all() { # takes_all NAME
        for lease in berth-scheduler descheduler berth-evictions; do
                if until_true leads "$1" $lease; then judge ok; else judge bad "$1 has no $lease: $(cat "$work/$1.log")"; fi
        done
}
tainted_node_is_left() { # tainted_node_is_left POD: the descheduler takes it off
        kubectl taint node "$(kubectl get pod "$1" -o 'jsonpath={.spec.nodeName}')" "off-$1=:NoSchedule" >/dev/null
        until_true is_gone "$1" && judge ok && return
        judge bad "$1 is still there"
}
is_gone() {
        ! kubectl get pod "$1" || kubectl get pod "$1" -o 'jsonpath={.metadata.deletionTimestamp}' | grep -q .
}
everybody_works() { # everybody_works NAME: scheduler, descheduler, evictions
        pod "$1-a"
        pod "$1-b"
        exits "$1: an eviction in stages" 0 "default/$1-a evicted" "$berth" evict "$1-a"
        tainted_node_is_left "$1-b"
        kubectl taint nodes --all "off-$1-b-" >/dev/null 2>&1
}
pages=$(free_port)
# The controllers' garbage collector would take pods of an owner that is not there.
kubectl create -f - >/dev/null <<END
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: r, uid: r}
spec: {replicas: 0, selector: {matchLabels: {app: none}}, template: {metadata: {labels: {app: none}}, spec: {containers: [{name: c, image: x}]}}}
END
owner=$(kubectl get replicaset r -o 'jsonpath={.metadata.uid}')
pod() { # pod NAME
        kubectl create -f - >/dev/null <<END
apiVersion: v1
kind: Pod
metadata:
  name: $1
  labels: {app: $1}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: $owner}]
spec: {schedulerName: berth, terminationGracePeriodSeconds: 0, containers: [{name: c, image: x}]}
END
        wait_for "$1 is placed" "1/1" kubectl get pod "$1"
}
start first "$pages"
first=$process
takes_all first
start second 0
everybody_works one
metrics() {
        curl -sk "https://127.0.0.1:$pages/metrics"
}
for family in scheduler_schedule_attempts_total descheduler_pods_evicted_total berth_evictions_waiting \
        'leader_election_master_status{name="descheduler"} 1'; do
        wait_for "metrics of every role" "$family" metrics
done
# Who ended which pod, by which way: the audit log has a line for what another role of the process did, the metric counts it.
ended() { # ended POD: its line
        grep '"op":"pod-end"' "$work/first.audit" | grep "\"pod\":\"$1\""
}
contains "the descheduler's pod has a line" '"requester":"sigs.k8s.io/descheduler"' ended one-b
contains "with the way" '"reason":"request"' ended one-b
contains "and the result" '"to":"success"' ended one-b
is "one line, no more" 1 "$(ended one-b | wc -l)"
is "none for what evictions did itself" 0 "$(ended one-a | wc -l)"
counted() {
        metrics | grep '^berth_evictions_total'
}
wait_for "counted for who wanted it" 'berth_evictions_total{requester="descheduler",way="request",result="success"} 1' counted
wait_for "and for who did it" 'berth_evictions_total{requester="evictions",way="subresource",result="success"} 2' counted
contains "the audit log is whole" intact "$berth" audit verify "$work/first.audit"
is "the second waits" 0 "$(grep -c Leading "$work/second.log")"
kill -9 "$first"
takes_all second
everybody_works two
kill "$process"
wait "$process"
is "it ends well" 0 $?
is "nothing was forbidden" "" "$(grep -i forbidden "$work/first.log" "$work/second.log" | head -n 3)"

# One Lease for all; its name is not among the rights of the manifest.
KUBECONFIG_RUN=$work/run.kubeconfig
cp "$KUBECONFIG" "$KUBECONFIG_RUN"
start third 0 --leases one
third=$process
if until_true leads third berth-run; then judge ok; else judge bad "no Lease: $(cat "$work/third.log")"; fi
start fourth 0 --leases one
everybody_works three
kill "$third"
if until_true leads fourth berth-run; then judge ok; else judge bad "no second Lease: $(cat "$work/fourth.log")"; fi
everybody_works four
is "one Lease" "1" "$(grep -c Leading "$work/fourth.log")"

exits "no roles" 2 "expected --roles" "$berth" run
exits "no such role" 2 'found "kubelet"' "$berth" run --roles scheduler,kubelet
exits "a role twice" 2 'found "scheduler"' "$berth" run --roles scheduler,scheduler
exits "an option of another role" 2 "does not name" "$berth" run --roles scheduler --mode crd
exits "an option of no role" 2 "unknown option --nodes" "$berth" run --roles scheduler --nodes 3
exits "a value of a role" 2 "role evictions" "$berth" run --roles scheduler,evictions --evictions.mode x
finish
