#!/bin/sh
# Slots without EvictionRequests: slow evictions of several processes wait for each other, plain ones do not:
# eviction_slots.sh BERTH. Skips (77) without kubectl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
start_sandbox "$1" --nodes 2 --seed 1
moving=descheduler.alpha.kubernetes.io/eviction-in-progress
machine() { # machine NAME: a launcher pod as KubeVirt makes them
        kubectl create -f - >/dev/null <<END
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {kubevirt.io: virt-launcher, vm: $1}, annotations: {descheduler.alpha.kubernetes.io/evict: "true"}}
spec: {nodeName: node-0, terminationGracePeriodSeconds: 0, containers: [{name: c, image: x}]}
END
        wait_for "$1 runs" Running kubectl get pod "$1"
}
machine first
kubectl annotate pod first "$moving=" >/dev/null # somebody has it migrated
machine second
kubectl run plain --image=x --overrides='{"spec": {"nodeName": "node-0", "terminationGracePeriodSeconds": 0}}' >/dev/null
wait_for "plain runs" Running kubectl get pod plain

"$berth" evict --slots-per-node 1 second >"$work/evict" 2>&1 &
waiting=$!
wait_for "one machine at a time" "waiting for a slot of its node" cat "$work/evict"
kill $waiting
exits "plain pods need no slot" 0 "default/plain evicted" "$berth" evict --slots-per-node 1 plain
cat >"$work/policy.yaml" <<'END'
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: all
  pluginConfig:
  - name: DefaultEvictor
    args: {evictLocalStoragePods: true}
  - name: PodLifeTime
    args: {maxPodLifeTimeSeconds: 1, labelSelector: {matchLabels: {vm: second}}}
  plugins:
    deschedule: {enabled: [PodLifeTime]}
END
"$berth" descheduler -v 2 --slots-per-node 1 --descheduling-interval 1s --policy-config-file "$work/policy.yaml" \
        >"$work/descheduler.log" 2>&1 &
children="$children $!"
wait_for "the descheduler waits, too" "of its node" grep WaitsForSlot "$work/descheduler.log"
wait_for "second lives" Running kubectl get pod second
kubectl annotate pod first "$moving-" >/dev/null
wait_for "then it is evicted" "not found" sh -c "kubectl get pod second 2>&1"
finish
