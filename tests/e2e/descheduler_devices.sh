#!/bin/sh
# A descheduler alone knows the devices that its nodes have, and the rules that taint them: descheduler_devices.sh BERTH
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
berth=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$work" || exit 1
start_sandbox "$berth" --nodes 0 --seed 1
kubectl apply -f "$root/examples/devices/05-taint-rules.yaml" >applied.log || judge bad "$(cat applied.log)"
for node in a b; do
        cat <<Y
---
apiVersion: v1
kind: Node
metadata: {name: $node, annotations: {sandbox.berth.dev/devices: gpu.example.com 2 memory:8Gi}}
status: {capacity: {cpu: "8", memory: 8Gi, pods: "20"}}
Y
done >nodes.yaml
cat >claims.yaml <<'Y'
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu}
spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms: [{matchExpressions: [{key: now, operator: Exists}]}]
      resourceClaims: [{name: g, resourceClaimTemplateName: gpu}]
      containers: [{name: c, image: example.com/i, resources: {claims: [{name: g}], requests: {cpu: 100m}}}]
Y
cat >policy.yaml <<'Y'
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: p
  pluginConfig:
  - {name: DefaultEvictor, args: {nodeFit: true, evictLocalStoragePods: true}}
  - {name: RemovePodsViolatingNodeAffinity, args: {nodeAffinityType: [requiredDuringSchedulingIgnoredDuringExecution]}}
  plugins:
    deschedule: {enabled: [RemovePodsViolatingNodeAffinity]}
Y
cat >rule.yaml <<'Y'
apiVersion: resource.k8s.io/v1beta2
kind: DeviceTaintRule
metadata: {name: maintenance}
spec:
  deviceSelector: {driver: gpu.example.com}
  taint: {key: maintenance, value: "yes", effect: NoSchedule}
Y
kubectl create -f nodes.yaml >applied.log || judge bad "$(cat applied.log)"
kubectl label node a now=yes >applied.log
kubectl create -f claims.yaml >applied.log || judge bad "$(cat applied.log)"
"$berth" scheduler 2>scheduler.log &
scheduler=$!
children="$children $scheduler"
kubectl wait --for=condition=Available deployment/web --timeout=60s >wait.log 2>&1 || judge bad "$(cat wait.log scheduler.log)"
kill $scheduler
kubectl label node a now- >applied.log
kubectl label node b now=yes >applied.log

pass="$berth descheduler --policy-config-file policy.yaml --dry-run"
# shellcheck disable=SC2086
exits "the other node has devices" 0 'wouldEvict=1 ' $pass
kubectl create -f rule.yaml >applied.log || judge bad "$(cat applied.log)"
exits "a rule taints them" 0 'wouldEvict=0 ' $pass
exits "which upstream does not look at" 0 'wouldEvict=1 ' $pass --parity
# Beside a scheduler in one process: the first pass says what that one's gate makes of it.
in_one() {
        what=$1 expected=$2
        shift 2
        rm -f run.log
        "$berth" run --roles scheduler,descheduler --policy-config-file policy.yaml --descheduling-interval 10m \
                --dry-run --leader-elect=false --secure-port 0 "$@" 2>run.log &
        both=$!
        children="$children $both"
        for _ in $(seq 100); do
                grep -qs "DeschedulingPass " run.log && break
                sleep 0.2
        done
        kill $both
        grep -q "DeschedulingPass .*evictions=$expected " run.log && judge ok "$what" || judge bad "$what: $(tail -n 5 run.log)"
}
in_one "a scheduler beside it does not look at rules" 1
in_one "a scheduler beside it looks at rules" 0 --scheduler.feature-gates DRADeviceTaintRules=true
kubectl delete devicetaintrule maintenance >applied.log
exits "the rule is gone" 0 'wouldEvict=1 ' $pass
finish
