#!/bin/sh
# Real kubectl against a whole cluster: sandbox with nodes and controllers, and our scheduler: kubectl_workloads.sh BERTH.
# Uses the kubectl BERTH_KUBECTL names, else the one on PATH; skips (77) without one.
berth=$1
[ -z "${BERTH_KUBECTL:-}" ] || PATH=$(dirname "$BERTH_KUBECTL"):$PATH
command -v kubectl >/dev/null || {
        echo "skipped: no kubectl"
        exit 77
}
work=$(mktemp -d) || exit 1
export KUBECONFIG="$work/kubeconfig" HOME="$work"
"$berth" sandbox --listen 127.0.0.1:0 --kubeconfig-out "$KUBECONFIG" --nodes 3 --seed 1 >"$work/sandbox" 2>&1 &
sandbox=$!
trap 'kill $scheduler $sandbox 2>/dev/null; wait $scheduler $sandbox 2>/dev/null; rm -rf "$work"' EXIT INT TERM
tries=0
while [ ! -s "$KUBECONFIG" ] && [ $tries -lt 100 ]; do
        tries=$((tries + 1))
        sleep 0.1
done
"$berth" scheduler --kubeconfig "$KUBECONFIG" >"$work/scheduler" 2>&1 &
scheduler=$!
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
        kubectl "$@"
}
apply() {
        k apply -f - <<YAML
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 2
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: db:1}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: c, image: agent:1}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: work}
spec:
  completions: 2
  parallelism: 2
  template:
    metadata: {annotations: {sandbox.berth.dev/run: 1s}}
    spec: {restartPolicy: Never, containers: [{name: c, image: work:1}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  maxUnavailable: 1
  selector: {matchLabels: {app: web}}
YAML
}
rollout() {
        k rollout status "$1" --timeout=30s
}

check nodes "node-2" k wait --for=condition=Ready node --all --timeout=20s
check create "created" k create deployment web --image=web:1 --replicas=3
check rollout "successfully rolled out" rollout deployment/web
check set-image "image updated" k set image deployment/web web=web:2
check rollout-2 "successfully rolled out" rollout deployment/web
check history "2 " k rollout history deployment/web
check undo "rolled back" k rollout undo deployment/web
check rollout-3 "successfully rolled out" rollout deployment/web
check image "web:1 web:1 web:1" k get pods -l app=web -o "jsonpath={.items[*].spec.containers[0].image}"
check scale "scaled" k scale deployment web --replicas=4
check ready "4/4" sh -c 'kubectl rollout status deployment/web --timeout=30s >/dev/null; kubectl get deployment web'
check apply "poddisruptionbudget.policy/web created" apply
check stateful "2 new pods" rollout statefulset/db
check daemon "successfully rolled out" rollout daemonset/agent
check job "condition met" k wait --for=condition=complete job/work --timeout=30s
check describe "Started container" k describe pod db-0
check drain "node/node-1 drained" k drain node-1 --ignore-daemonsets --timeout=60s
check empty "agent-" k get pods --field-selector spec.nodeName=node-1 --no-headers
check cordoned "SchedulingDisabled" k get node node-1
check uncordon "uncordoned" k uncordon node-1
check taint "tainted" k taint node node-2 maintenance=now:NoExecute
# All of them may be gone before kubectl begins to wait, which it takes for an error.
gone() {
        tries=0
        while [ -n "$(kubectl get pods --field-selector spec.nodeName=node-2 -l app=web -o name)" ] && [ $tries -lt 100 ]; do
                tries=$((tries + 1))
                sleep 0.3
        done
        [ $tries -lt 100 ] && echo gone
}
check evicted "gone" gone
check untaint "untainted" k taint node node-2 maintenance-
check restart "restarted" k rollout restart daemonset/agent
check restarted "successfully rolled out" rollout daemonset/agent
check namespace "created" k create namespace t
check content "created" k -n t create deployment x --image=x --replicas=2
check delete-namespace '"t" deleted' k delete namespace t --timeout=30s
check foreground '"web" deleted' k delete deployment web --cascade=foreground --timeout=30s
check collected "No resources" k get replicasets
check orphan '"db" deleted' k delete statefulset db --cascade=orphan --timeout=30s
check left "db-0" k get pods -l app=db
[ $failures -eq 0 ] || {
        tail -n 5 "$work/sandbox"
        tail -n 5 "$work/scheduler"
        exit 1
}
