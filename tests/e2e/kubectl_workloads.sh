#!/bin/sh
# Real kubectl against a whole cluster: sandbox with nodes and controllers, and our scheduler: kubectl_workloads.sh BERTH.
# Uses the kubectl BERTH_KUBECTL names, else the one on PATH; skips (77) without one.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
start_sandbox "$1" --nodes 3 --seed 1
"$berth" scheduler >"$work/scheduler" 2>&1 &
children="$children $!"
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
        k rollout status "$1" --timeout=120s
}

contains nodes "node-2" k wait --for=condition=Ready node --all --timeout=120s
contains create "created" k create deployment web --image=web:1 --replicas=3
contains rollout "successfully rolled out" rollout deployment/web
contains set-image "image updated" k set image deployment/web web=web:2
contains rollout-2 "successfully rolled out" rollout deployment/web
contains history "2 " k rollout history deployment/web
contains undo "rolled back" k rollout undo deployment/web
contains rollout-3 "successfully rolled out" rollout deployment/web
contains image "web:1 web:1 web:1" k get pods -l app=web -o "jsonpath={.items[*].spec.containers[0].image}"
contains scale "scaled" k scale deployment web --replicas=4
contains ready "4/4" sh -c 'kubectl rollout status deployment/web --timeout=120s >/dev/null; kubectl get deployment web'
contains apply "poddisruptionbudget.policy/web created" apply
contains stateful "2 new pods" rollout statefulset/db
contains daemon "successfully rolled out" rollout daemonset/agent
contains job "condition met" k wait --for=condition=complete job/work --timeout=120s
contains describe "Started container" k describe pod db-0
contains drain "node/node-1 drained" k drain node-1 --ignore-daemonsets --timeout=120s
contains empty "agent-" k get pods --field-selector spec.nodeName=node-1 --no-headers
contains cordoned "SchedulingDisabled" k get node node-1
contains uncordon "uncordoned" k uncordon node-1
contains taint "tainted" k taint node node-2 maintenance=now:NoExecute
# All of them may be gone before kubectl begins to wait, which it takes for an error.
gone() {
        until_true sh -c '[ -z "$(kubectl get pods --field-selector spec.nodeName=node-2 -l app=web -o name)" ]' && echo gone
}
contains evicted "gone" gone
contains untaint "untainted" k taint node node-2 maintenance-
contains restart "restarted" k rollout restart daemonset/agent
contains restarted "successfully rolled out" rollout daemonset/agent
contains namespace "created" k create namespace t
contains content "created" k -n t create deployment x --image=x --replicas=2
contains delete-namespace '"t" deleted' k delete namespace t --timeout=120s
contains foreground '"web" deleted' k delete deployment web --cascade=foreground --timeout=120s
contains collected "No resources" k get replicasets
contains orphan '"db" deleted' k delete statefulset db --cascade=orphan --timeout=120s
contains left "db-0" k get pods -l app=db
[ $failures -eq 0 ] || tail -n 5 "$work/sandbox.err" "$work/scheduler"
finish
