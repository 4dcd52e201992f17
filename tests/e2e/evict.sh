#!/bin/sh
# berth evict on a sandbox: by request (of berth's own kinds or those of Kubernetes) and without, followed, cancelled, past a
# deadline: evict.sh BERTH [native]. Skips (77) without kubectl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
requests=evictionrequests.lifecycle.berth.dev
evictions=evictions.lifecycle.berth.dev
mode=crd
if [ "${2:-}" = native ]; then
        requests=evictionrequests.lifecycle.k8s.io
        evictions=evictions.lifecycle.k8s.io
        mode=native-own
fi
start_sandbox "$1" --nodes 2 --seed 1 ${2:+--feature-gates EvictionRequestAPI=true}
pods() {
        for pod in "$@"; do
                cat <<END
---
apiVersion: v1
kind: Pod
metadata: {name: $pod, labels: {app: $pod, set: ${set:-none}}}
spec: {nodeName: node-${node:-0}, terminationGracePeriodSeconds: 0, containers: [{name: c, image: x}]}
END
        done | kubectl create -f - >/dev/null
        for pod in "$@"; do
                wait_for "pod $pod runs" Running kubectl get pod "$pod"
        done
}
guard() {
        kubectl create pdb "$1" --min-available=1 --selector="app=$1" >/dev/null
}

pods a b
guard b
# Without the kinds: the subresource.
if [ "$mode" = crd ]; then
        exits "by the subresource" 0 "default/a evicted" "$berth" evict a
        exits "a budget that never opens, until the deadline" 1 "default/b withdrawn: the deadline passed: Cannot evict pod" \
                "$berth" evict --deadline 2s b
        exits "it names the budget that can never let the pod go" 1 "(budget default/b can never let it go)" \
                "$berth" evict --deadline 2s --node node-0
        contains "and what stayed, with what to change" "not evicted:
  default/b withdrawn: the deadline passed" printf '%s' "$output"
        contains "what to change" "budget default/b asks for all the pods it covers: lower its minAvailable" printf '%s' "$output"
        kubectl uncordon node-0 >/dev/null
        exits "refused, and not waited for" 1 "default/b failed: Cannot evict pod" "$berth" evict --wait=false b
        "$berth" evict b >"$work/interrupted" 2>&1 &
        evict=$!
        wait_for "asked for" "Cannot evict pod" cat "$work/interrupted"
        kill -TERM $evict
        wait $evict
        is "interrupted is not done" 1 $?
        contains "interrupted it says what stayed" "not evicted:" cat "$work/interrupted"
        exits "nothing to cancel there" 1 "has no EvictionRequests" "$berth" evict --cancel b
fi
exits "no such pod" 1 "nosuch" "$berth" evict nosuch
exits "neither pods nor node" 2 "expected names of pods" "$berth" evict

# With them.
"$berth" evictions --mode "$mode" --leader-elect=false --no-audit-output >"$work/evictions" 2>&1 &
children="$children $!"
wait_for "ready" Ready cat "$work/evictions"
pods c
exits "by request" 0 "default/c evicted" "$berth" evict c
wait_for "nothing is left of it" "No resources" kubectl get "$requests"
exits "a request, not waited for" 0 "default/b open" "$berth" evict --wait=false b
wait_for "it is worked on" "attempts=" kubectl get "$evictions" pod-1-b -o 'jsonpath={.status.responders[0].message}'
exits "cancelled" 0 "default/b withdrawn" "$berth" evict --cancel b
exits "cancelled again" 0 "nothing was asked for" "$berth" evict --cancel b
exits "past its deadline" 1 "default/b withdrawn: the deadline passed" "$berth" evict --deadline 2s b
contains "the budget is named here, too" "budget default/b asks for all the pods it covers" printf '%s' "$output"
exits "the deadline holds without the command" 0 "open" "$berth" evict --deadline 2s --wait=false b
wait_for "withdrawn by the controller" "Withdrawn" kubectl get "$requests" -o 'jsonpath={.items[*].spec.intent}'
wait_for "the pod lives" Running kubectl get pod b

# Somebody else wants it, too: the command says who, and ends.
kubectl create -f - >/dev/null <<END
apiVersion: ${requests#evictionrequests.}/v1alpha1
kind: EvictionRequest
metadata: {name: other}
spec: {target: {pod: {name: b, uid: $(kubectl get pod b -o 'jsonpath={.metadata.uid}')}}, requester: other.example.com/x, intent: Eviction}
END
exits "asked for by both" 0 "default/b open" "$berth" evict --wait=false b
both() {
        kubectl get "$evictions" -o 'jsonpath={.items[*].status.requesters[*].name}'
}
wait_for "both are known" evict.berth.dev/cli both
exits "cancelled, and wanted still" 0 "default/b withdrawn: still wanted by other.example.com/x" "$berth" evict --cancel b
kubectl delete "$requests" other >/dev/null
wait_for "events of the pod" EvictionCanceled kubectl get events --field-selector involvedObject.name=b
kubectl create -f - >/dev/null <<END
apiVersion: ${requests#evictionrequests.}/v1alpha1
kind: EvictionRequest
metadata: {name: wrong}
spec: {target: {pod: {name: b, uid: 00000000-0000-4000-8000-000000000000}}, requester: other.example.com/x, intent: Eviction}
END
wait_for "an invalid request says why" "the pod has another uid" kubectl get "$requests" wrong -o yaml
wait_for "and in an event" EvictionInvalid kubectl get events --field-selector involvedObject.name=wrong
kubectl delete "$requests" wrong >/dev/null
# kubectl's own ways to change things, on the built-in kinds: it patches strategically, merging lists by name.
if [ "$mode" = native-own ]; then
        want() { # want INTENT: a manifest
                cat <<END
apiVersion: lifecycle.k8s.io/v1alpha1
kind: EvictionRequest
metadata: {name: by-hand, labels: {team: a}}
spec: {target: {pod: {name: b, uid: $uid}}, requester: e2e.example.com/kubectl, intent: $1}
END
        }
        outcome() {
                kubectl get "$requests" by-hand -o 'jsonpath={.status.conditions[?(@.type=="Failed")].reason}'
        }
        patched() {
                kubectl get "$evictions" "$1" -o 'jsonpath={.status.requesters[*].name} {.status.targetResponders[*].state}'
        }
        uid=$(kubectl get pod b -o 'jsonpath={.metadata.uid}')
        want Eviction >"$work/want.yaml"
        exits "applied" 0 created kubectl apply -f "$work/want.yaml"
        wait_for "taken up" AwaitingEviction outcome
        exits "patched strategically" 0 patched kubectl patch "$requests" by-hand -p '{"metadata":{"labels":{"kept":"yes"}}}'
        want Withdrawn >"$work/want.yaml"
        exits "applied again" 0 configured kubectl apply -f "$work/want.yaml"
        wait_for "withdrawn by hand" CanceledDueToNoRequesters outcome
        is "both labels" "a yes" "$(kubectl get "$requests" by-hand -o 'jsonpath={.metadata.labels.team} {.metadata.labels.kept}')"
        exits "server-side" 0 "serverside-applied" kubectl apply --server-side --force-conflicts -f "$work/want.yaml"
        one=$(kubectl get "$evictions" -l e2e.example.com/kubectl=requester -o 'jsonpath={.items[0].metadata.name}')
        before=$(patched "$one")
        exits "one entry of a list" 0 patched kubectl patch "$evictions" "$one" --subresource=status \
                -p '{"status":{"requesters":[{"name":"e2e.example.com/kubectl","intent":"Withdrawn"}]}}'
        is "and no other" "$before" "$(patched "$one")"
        kubectl delete "$requests" by-hand >/dev/null
fi
set=many pods d e f
exits "by labels" 0 "3 of 3: 3 evicted" "$berth" evict -l set=many
node=1 pods g h
exits "a node" 0 "2 of 2: 2 evicted" "$berth" evict --node node-1
wait_for "is cordoned" SchedulingDisabled kubectl get node node-1
finish
