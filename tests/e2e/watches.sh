#!/bin/sh
# One watch per kind and process, whatever roles it has: watches.sh BERTH DEPLOY [native]. The sandbox counts what is open, by
# User-Agent and resource. Skips (77) without kubectl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091,SC2154
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
kubectl() {
        "$kubectl_program" "$@"
}
berth=$1 deploy=$2 form=${3:-crd}
group=lifecycle.berth.dev
gates=EvictionRequestAPI=false
[ "$form" = crd ] || gates=EvictionRequestAPI=true group=lifecycle.k8s.io
cat >"$work/policy.yaml" <<END
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: cleaning
  pluginConfig:
  - {name: DefaultEvictor}
  - {name: RemoveFailedPods, args: {minPodLifetimeSeconds: 3600}}
  plugins:
    deschedule: {enabled: [RemoveFailedPods]}
END

# open_watches CLIENT: "resource count" of what it has open, sorted
open_watches() {
        kubectl get --raw /metrics | sed -n "s/^berth_open_watches{client=\"$1\",resource=\"\([^\"]*\)\"} /\1 /p" | sort
}
has_watch() { # has_watch CLIENT RESOURCE
        open_watches "$1" | grep -q "^$2 "
}
# counts NAME CLIENT WANTED ABSENT ARGUMENT...: a process with these arguments has each watch once, among them the wanted ones
counts() {
        name=$1 client=$2 wanted=$3 absent=$4
        shift 4
        # A sandbox of its own: the server notices only when it has something to say that a client is gone.
        start_sandbox "$berth" --nodes 1 --seed 1 --feature-gates "$gates"
        kubectl apply -f "$deploy/crds" >/dev/null
        kubectl annotate node node-0 berth.dev/reboot-hold=true >/dev/null
        "$berth" "$@" --kubeconfig "$KUBECONFIG" --leader-elect=false --secure-port 0 >"$work/$client.out" 2>&1 &
        process=$!
        children="$children $process"
        for resource in $wanted; do
                until_true has_watch "$client" "$resource" || judge bad "$name: no watch of $resource: $(cat "$work/$client.out")"
        done
        sleep 1
        open_watches "$client" >"$work/open"
        echo "$name: $(wc -l <"$work/open") kinds, $(awk '{ sum += $2 } END { print sum }' "$work/open") watches"
        is "$name: kinds with more than one watch" "" "$(awk '$2 > 1' "$work/open")"
        for resource in $absent; do
                is "$name: not of $resource" "" "$(grep "^$resource " "$work/open")"
        done
        kill "$process" "$server"
        wait "$process" "$server"
}
requests=evictionrequests.$group evictions=evictions.$group
policies=evictionpolicies.lifecycle.berth.dev
budgets=poddisruptionbudgets.policy
counts scheduler berth-scheduler "nodes pods $budgets" "$requests" scheduler
counts "scheduler with reservations" berth-scheduler "nodes pods $evictions" "$requests" scheduler --eviction-reservations
counts descheduler berth-descheduler "nodes pods $budgets resourceclaims.resource.k8s.io" "replicasets.apps" descheduler \
        --policy-config-file "$work/policy.yaml" --descheduling-interval 1h
counts evictions berth-evictions "pods $budgets $requests $evictions $policies" "nodes namespaces persistentvolumeclaims" \
        evictions --no-audit-output
counts run berth-run "nodes pods $budgets $requests $evictions $policies" "" run --roles scheduler,descheduler,evictions,reboot \
        --eviction-reservations --policy-config-file "$work/policy.yaml" --descheduling-interval 1h --no-audit-output \
        --node-id node-0 --reboot-sentinel "$work/policy.yaml" --period 1s --metrics-port 0
# The reboot agent of that process waited: for its node, which the model follows anyway.
if grep -q 'phase="Blocked" reason="held by annotation' "$work/berth-run.out"; then judge ok; else judge bad "it did not wait: $(cat "$work/berth-run.out")"; fi

"$berth" up --listen 127.0.0.1:0 --kubeconfig-out "$work/up.kubeconfig" --feature-gates "$gates" --nodes 2 --for 60s \
        --policy "$work/policy.yaml" >"$work/up.out" 2>&1 &
children="$children $!"
until_true test -s "$work/up.kubeconfig"
export KUBECONFIG="$work/up.kubeconfig"
until_true has_watch berth pods || judge bad "up: $(cat "$work/up.out")"
sleep 1
open_watches berth >"$work/open"
echo "up: $(wc -l <"$work/open") kinds, $(awk '{ sum += $2 } END { print sum }' "$work/open") watches"
is "up: kinds with more than one watch" "" "$(awk '$2 > 1' "$work/open")"
finish
