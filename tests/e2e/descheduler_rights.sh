#!/bin/sh
# The descheduler with exactly the rights and the arguments of deploy/descheduler: descheduler_rights.sh BERTH FOLDER. It leads by its
# Lease, evicts what the policy there says, writes events, and nothing is forbidden to it on the way. Skips (77) without kubectl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
kubectl() {
        "$kubectl_program" "$@"
}
berth=$1 manifests=$2
start_sandbox "$berth" --nodes 2 --seed 1
ln -s "$(realpath "$berth")" "$work/descheduler"

check "rights" "clusterrolebinding.rbac.authorization.k8s.io/berth-descheduler created" kubectl apply -f "$manifests/rbac.yaml"
check "manifest" "deployment.apps/descheduler created" kubectl apply -f "$manifests/deployment.yaml"
token=$(kubectl -n kube-system create token descheduler)
[ -n "$token" ] || judge bad "no token"
sed "s/^\( *token: \).*/\1$token/" "$KUBECONFIG" >"$work/descheduler.kubeconfig"
check "it may not delete" "^no$" kubectl --kubeconfig "$work/descheduler.kubeconfig" auth can-i delete pods
check "it may not read secrets" "^no$" kubectl --kubeconfig "$work/descheduler.kubeconfig" auth can-i get secrets

kubectl apply -f - >"$work/applied" 2>&1 <<Y || judge bad "$(cat "$work/applied")"
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {nodeName: node-0, terminationGracePeriodSeconds: 1, containers: [{name: c, image: x}]}
Y
web_pod() {
        kubectl get pods -l app=web -o 'jsonpath={.items[0].metadata.uid} {.items[0].status.phase}'
}
wait_for "a pod runs" Running web_pod
before=$(web_pod)
kubectl taint node node-0 maintenance=:NoSchedule >/dev/null
kubectl -n kube-system get configmap descheduler-policy -o 'jsonpath={.data.policy\.yaml}' >"$work/policy.yaml"
arguments=$(kubectl -n kube-system get deployment descheduler -o 'jsonpath={.spec.template.spec.containers[0].args[*]}' |
        sed "s|/etc/berth|$work|; s/interval=5m/interval=1s/")
# shellcheck disable=SC2086
"$work/descheduler" $arguments --kubeconfig "$work/descheduler.kubeconfig" --secure-port 0 --v 3 >"$work/log" 2>&1 &
children="$children $!"
wait_for "it leads by its Lease" "_" kubectl -n kube-system get lease descheduler -o 'jsonpath={.spec.holderIdentity}'
is_evicted() {
        [ "$(web_pod)" != "$before" ]
}
if until_true is_evicted; then judge ok; else judge bad "not evicted: $(cat "$work/log")"; fi
wait_for "the event of it" RemovePodsViolatingNodeTaints kubectl get events
is "nothing was forbidden to it" 0 "$(grep -ci "forbidden" "$work/log")"
[ $failures -eq 0 ] || cat "$work/log"
finish
