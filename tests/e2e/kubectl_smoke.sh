#!/bin/sh
# Real kubectl over TLS against a bare server: kubectl_smoke.sh PROGRAM. Uses the kubectl BERTH_KUBECTL names, else the one
# on PATH; skips (77) without one.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
export KUBECONFIG="$work/kubeconfig" HOME="$work"
"$1" 127.0.0.1:0 smoke-token "$KUBECONFIG" >"$work/port" &
children="$children $!"
until_true test -s "$work/port"
k() {
        name=$1
        pattern=$2
        shift 2
        output=$("$@" 2>&1)
        case $output in
        *"$pattern"*) echo "ok $name" ;;
        *)
                echo "FAIL $name: $output"
                failures=$((failures + 1))
                ;;
        esac
}
k() {
        kubectl --request-timeout=60s "$@"
}
apply() {
        k apply "$@" -f - <<YAML
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "${image:-a:1}"}]}
YAML
}

contains version "v1.36.0" k version
contains namespaces "kube-system" k get namespaces
contains create-namespace "namespace/n created" k create namespace n
contains apply "deployment.apps/web created" apply
contains apply-unchanged "deployment.apps/web unchanged" apply
image=a:2
contains apply-changed "deployment.apps/web configured" apply
contains image "a:2" k get deployment web -o wide
contains scale "deployment.apps/web scaled" k scale deployment web --replicas=3
contains replicas "3" k get deployment web -o "jsonpath={.spec.replicas}"
contains set-image "image updated" k set image deployment/web c=a:3
contains label "labeled" k label deployment web x=y
contains annotate "annotated" k annotate deployment web x=y
contains selector "web" k get deployments -l x=y -o name
contains describe "StrategyType:" k describe deployment web
contains server-side "conflict" apply --server-side
contains force "serverside-applied" apply --server-side --force-conflicts
contains run "pod/p created" k run p --image=a:1
contains field-selector "p" k get pods --field-selector status.phase=Pending -o name
contains json-patch "patched" k patch pod p --type=json -p '[{"op":"add","path":"/metadata/labels/z","value":"1"}]'
contains wait-delete "condition met" sh -c 'kubectl delete pod p --wait=false >/dev/null; kubectl wait --for=delete pod/p --timeout=60s; echo condition met'
contains gone "NotFound" k get pod p
contains strict "unknown field" sh -c 'echo "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"},\"bogus\":1}" | kubectl create -f -'
contains protobuf "configmap/c created" k create configmap c --from-literal=a=b
contains can-i "yes" k auth can-i create pods
contains explain "nodeName" k explain pod.spec.nodeName
contains api-resources "deployments" k api-resources --api-group=apps
contains events "No resources" k get events
contains account "serviceaccount/x created" k create serviceaccount x
contains token "1" sh -c 'kubectl create token x | grep -c .'
contains delete-namespace "deleted" k delete namespace n --wait=false
finish
