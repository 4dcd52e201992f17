#!/bin/sh
# The scheduler with exactly kube-scheduler's rights, as deploy/scheduler gives them: scheduler_rights.sh BERTH FOLDER. It leads,
# places, binds volumes, preempts and reports; nothing is forbidden to it on the way. Skips (77) without kubectl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
kubectl() {
        "$kubectl_program" "$@"
}
berth=$1 manifests=$2
start_sandbox "$berth" --nodes 2 --seed 1
ln -s "$(realpath "$berth")" "$work/kube-scheduler"

check "manifest" "deployment.apps/berth-scheduler created" kubectl apply -f "$manifests/second-scheduler.yaml"
token=$(kubectl -n kube-system create token berth-scheduler)
[ -n "$token" ] || judge bad "no token"
sed "s/^\( *token: \).*/\1$token/" "$KUBECONFIG" >"$work/scheduler.kubeconfig"
may() { # may EXPECTED VERB RESOURCE...
        expected=$1
        shift
        check "$*" "^$expected$" kubectl --kubeconfig "$work/scheduler.kubeconfig" auth can-i "$@"
}
may yes create pods --subresource=binding
may no create pods
may no get secrets
may no list priorityclasses.scheduling.k8s.io
may no update leases.coordination.k8s.io/another -n kube-system

kubectl -n kube-system get configmap berth-scheduler -o 'jsonpath={.data.config\.yaml}' >"$work/config.yaml"
# In a cluster the pod's account counts; here, the same account's token.
echo "clientConnection: {kubeconfig: $work/scheduler.kubeconfig}" >>"$work/config.yaml"
"$work/kube-scheduler" --config "$work/config.yaml" \
        --authentication-kubeconfig "$work/scheduler.kubeconfig" --authorization-kubeconfig "$work/scheduler.kubeconfig" \
        --secure-port 0 -v 2 >"$work/log" 2>&1 &
children="$children $!"
wait_for "it leads by its Lease" "_" kubectl -n kube-system get lease berth-scheduler -o 'jsonpath={.spec.holderIdentity}'

wait_for "and says so as upstream does" "Lease default-scheduler LeaderElection became leader" sh -c "kubectl -n kube-system get events \
        -o 'jsonpath={range .items[*]}{.involvedObject.kind} {.reportingComponent} {.reason} {.message}' | sed 's/[^ ]*_[^ ]* //'"

kubectl apply -f - >"$work/applied" 2>&1 <<Y || judge bad "$(cat "$work/applied")"
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: local}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: local
  local: {path: /disk}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [node-1]}]}]}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {storageClassName: local, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: database}
spec:
  schedulerName: berth
  containers: [{name: c, image: x, volumeMounts: [{name: d, mountPath: /d}]}]
  volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
---
apiVersion: v1
kind: Pod
metadata: {name: low}
spec:
  schedulerName: berth
  nodeSelector: {kubernetes.io/hostname: node-0}
  terminationGracePeriodSeconds: 1
  containers: [{name: c, image: x, resources: {requests: {cpu: "6"}}}]
Y
wait_for "the volume's node" node-1 kubectl get pod database -o 'jsonpath={.spec.nodeName}'
wait_for "its volume is bound" Bound kubectl get pvc data -o 'jsonpath={.status.phase}'
wait_for "placed" node-0 kubectl get pod low -o 'jsonpath={.spec.nodeName}'
kubectl apply -f - >"$work/applied" 2>&1 <<Y || judge bad "$(cat "$work/applied")"
apiVersion: v1
kind: Pod
metadata: {name: important}
spec:
  schedulerName: berth
  priorityClassName: high
  nodeSelector: {kubernetes.io/hostname: node-0}
  containers: [{name: c, image: x, resources: {requests: {cpu: "7"}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: huge}
spec:
  schedulerName: berth
  containers: [{name: c, image: x, resources: {requests: {cpu: "700"}}}]
Y
wait_for "it takes the place of another" node-0 kubectl get pod important -o 'jsonpath={.spec.nodeName}'
check "which is gone" "NotFound" kubectl get pod low
wait_for "refused with a reason" "Insufficient cpu" kubectl get pod huge -o 'jsonpath={.status.conditions[*].message}'
wait_for "the event of it" FailedScheduling kubectl get events --field-selector involvedObject.name=huge
is "nothing was forbidden to it" 0 "$(grep -ci "forbidden" "$work/log")"
[ $failures -eq 0 ] || cat "$work/log"
finish
