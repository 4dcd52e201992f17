#!/bin/sh
# Two controllers of evictions and one Lease: eviction_leaders.sh BERTH. The leader is stopped for longer than its lease lasts;
# continued, it writes nothing more. Skips (77) without kubectl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
k() {
        "$kubectl_program" "$@"
}
start_sandbox "$1" --nodes 1
start() { # start NAME
        "$berth" evictions --leader-elect-lease-duration 15s --leader-elect-renew-deadline 12s --leader-elect-retry-period 500ms \
                >"$work/$1.trail" 2>"$work/$1.log" &
        children="$children $!"
}
want() { # want POD: evicted, though a budget forbids it
        k create -f - >/dev/null <<END
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {app: guarded}}
spec: {nodeName: node-0, containers: [{name: c, image: x}]}
END
        until_true is_ready "$1" || judge bad "pod $1 is not ready" # its budget guards ready pods only
        uid=$(k get pod "$1" -o 'jsonpath={.metadata.uid}')
        k create -f - >/dev/null <<END
apiVersion: lifecycle.berth.dev/v1alpha1
kind: EvictionRequest
metadata: {name: want-$1}
spec: {target: {pod: {name: $1, uid: $uid}}, requester: test.example.com/e2e, intent: Eviction}
END
}
is_ready() {
        k get pod "$1" -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}' | grep -q True
}
is_active() {
        k get evictions.lifecycle.berth.dev "pod-1-$1" -o yaml | grep -q "state: Active"
}
k create -f - >/dev/null <<END
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: guarded}
spec: {maxUnavailable: 0, selector: {matchLabels: {app: guarded}}}
END
start first
first=$!
until_true grep -q Ready "$work/first.log" || judge bad "the first was never ready: $(cat "$work/first.log")"
start second
until_true k get evictionrequests.lifecycle.berth.dev || judge bad "no kinds"
want a
if until_true is_active a; then judge ok; else judge bad "the first does nothing: $(cat "$work/first.log")"; fi
judge "$([ ! -s "$work/second.trail" ] && echo ok)" "the second acts without a lease: $(cat "$work/second.trail")"
kill -STOP $first
want b
if until_true is_active b; then judge ok; else judge bad "the second never took over: $(cat "$work/second.log")"; fi
want c # known to the first once it goes on
until_true is_active c || judge bad "the second stopped"
lines=$(wc -l <"$work/first.trail")
kill -CONT $first
wait $first
judge "$([ $? -ne 0 ] && echo ok)" "evict-H14: the first ended as if all were well"
judge "$([ "$(wc -l <"$work/first.trail")" -eq "$lines" ] && echo ok)" \
        "evict-H14: it wrote without its lease: $(tail -n +$((lines + 1)) "$work/first.trail")"
want d
if until_true is_active d; then judge ok; else judge bad "the second stopped: $(cat "$work/second.log")"; fi
finish
