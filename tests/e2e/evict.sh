#!/bin/sh
# berth evict on a sandbox: by request and without, followed, cancelled, past a deadline: evict.sh BERTH. Skips (77)
# without kubectl.
berth=$1
[ -z "${BERTH_KUBECTL:-}" ] || PATH=$(dirname "$BERTH_KUBECTL"):$PATH
command -v kubectl >/dev/null || {
        echo "skipped: no kubectl"
        exit 77
}
work=$(mktemp -d) || exit 1
export KUBECONFIG="$work/kubeconfig"
"$berth" sandbox --listen 127.0.0.1:0 --kubeconfig-out "$KUBECONFIG" --nodes 2 --seed 1 >"$work/sandbox" 2>&1 &
sandbox=$!
evictions=
trap 'kill $evictions $sandbox 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT INT TERM
failures=0
# wait_for NAME PATTERN COMMAND...: the output must contain the pattern within a minute.
wait_for() {
        name=$1
        pattern=$2
        shift 2
        tries=0
        while [ $tries -lt 300 ]; do
                output=$("$@" 2>&1)
                case $output in
                *"$pattern"*)
                        echo "ok $name"
                        return
                        ;;
                esac
                tries=$((tries + 1))
                sleep 0.2
        done
        echo "FAIL $name: $output"
        failures=$((failures + 1))
}
# shows NAME CODE PATTERN COMMAND...: ends with the code, and the output contains the pattern.
shows() {
        name=$1
        expected=$2
        pattern=$3
        shift 3
        output=$(timeout 60 "$@" 2>&1)
        code=$?
        case $code/$output in
        "$expected"/*"$pattern"*) echo "ok $name" ;;
        *)
                echo "FAIL $name: $code, $output"
                failures=$((failures + 1))
                ;;
        esac
}
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
tries=0
while [ ! -s "$KUBECONFIG" ] && [ $tries -lt 300 ]; do
        tries=$((tries + 1))
        sleep 0.2
done

# Without the kinds: the subresource.
pods a b
guard b
shows "by the subresource" 0 "default/a evicted" "$berth" evict a
shows "a budget that never opens, until the deadline" 1 "default/b withdrawn: the deadline passed" \
        "$berth" evict --deadline 2s b
shows "nothing to cancel there" 1 "has no EvictionRequests" "$berth" evict --cancel b
shows "no such pod" 1 "nosuch" "$berth" evict nosuch
shows "neither pods nor node" 2 "expected names of pods" "$berth" evict

# With them.
"$berth" evictions --leader-elect=false --no-audit-output >"$work/evictions" 2>&1 &
evictions=$!
wait_for "ready" Ready cat "$work/evictions"
pods c
shows "by request" 0 "default/c evicted" "$berth" evict c
wait_for "nothing is left of it" "No resources" kubectl get evictionrequests.lifecycle.berth.dev
shows "a request, not waited for" 0 "default/b open" "$berth" evict --wait=false b
wait_for "it is worked on" "attempts=" kubectl get evictions.lifecycle.berth.dev pod-1-b -o 'jsonpath={.status.responders[0].message}'
shows "cancelled" 0 "default/b withdrawn" "$berth" evict --cancel b
shows "cancelled again" 0 "nothing was asked for" "$berth" evict --cancel b
shows "past its deadline" 1 "default/b withdrawn" "$berth" evict --deadline 2s b
shows "the deadline holds without the command" 0 "open" "$berth" evict --deadline 2s --wait=false b
wait_for "withdrawn by the controller" "Withdrawn" kubectl get evictionrequests.lifecycle.berth.dev -o 'jsonpath={.items[*].spec.intent}'
wait_for "the pod lives" Running kubectl get pod b
set=many pods d e f
shows "by labels" 0 "3 of 3: 3 evicted" "$berth" evict -l set=many
node=1 pods g h
shows "a node" 0 "2 of 2: 2 evicted" "$berth" evict --node node-1
wait_for "is cordoned" SchedulingDisabled kubectl get node node-1
[ $failures -eq 0 ]
