#!/bin/sh
# Real kubectl over TLS against a bare server: kubectl_smoke.sh PROGRAM. Uses the kubectl BERTH_KUBECTL names, else the one
# on PATH; skips (77) without one.
program=$1
[ -z "${BERTH_KUBECTL:-}" ] || PATH=$(dirname "$BERTH_KUBECTL"):$PATH
command -v kubectl >/dev/null || {
        echo "skipped: no kubectl"
        exit 77
}
work=$(mktemp -d) || exit 1
export KUBECONFIG="$work/kubeconfig" HOME="$work"
"$program" 127.0.0.1:0 smoke-token "$KUBECONFIG" >"$work/port" &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT INT TERM
tries=0
while [ ! -s "$work/port" ] && [ $tries -lt 100 ]; do
        tries=$((tries + 1))
        sleep 0.1
done
failures=0

# check NAME PATTERN COMMAND...: the output, errors included, must contain the pattern.
check() {
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
        kubectl --request-timeout=10s "$@"
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

check version "v1.36.0" k version
check namespaces "kube-system" k get namespaces
check create-namespace "namespace/n created" k create namespace n
check apply "deployment.apps/web created" apply
check apply-unchanged "deployment.apps/web unchanged" apply
image=a:2
check apply-changed "deployment.apps/web configured" apply
check image "a:2" k get deployment web -o wide
check scale "deployment.apps/web scaled" k scale deployment web --replicas=3
check replicas "3" k get deployment web -o "jsonpath={.spec.replicas}"
check set-image "image updated" k set image deployment/web c=a:3
check label "labeled" k label deployment web x=y
check annotate "annotated" k annotate deployment web x=y
check selector "web" k get deployments -l x=y -o name
check describe "StrategyType:" k describe deployment web
check server-side "conflict" apply --server-side
check force "serverside-applied" apply --server-side --force-conflicts
check run "pod/p created" k run p --image=a:1
check field-selector "p" k get pods --field-selector status.phase=Pending -o name
check json-patch "patched" k patch pod p --type=json -p '[{"op":"add","path":"/metadata/labels/z","value":"1"}]'
check wait-delete "condition met" sh -c 'kubectl delete pod p --wait=false >/dev/null; kubectl wait --for=delete pod/p --timeout=5s; echo condition met'
check gone "NotFound" k get pod p
check strict "unknown field" sh -c 'echo "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"},\"bogus\":1}" | kubectl create -f -'
check protobuf "configmap/c created" k create configmap c --from-literal=a=b
check can-i "yes" k auth can-i create pods
check explain "nodeName" k explain pod.spec.nodeName
check api-resources "deployments" k api-resources --api-group=apps
check events "No resources" k get events
check account "serviceaccount/x created" k create serviceaccount x
check token "1" sh -c 'kubectl create token x | grep -c .'
check delete-namespace "deleted" k delete namespace n --wait=false
[ $failures -eq 0 ]
