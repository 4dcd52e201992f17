#!/bin/sh
# berth explain on files and on a live sandbox: explain.sh BERTH. What it says must hold: a pod goes where it says, and the
# smallest change it names makes the pod fit.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
berth=$1
command -v curl >/dev/null || skip "no curl"

cat >"$work/cluster.yaml" <<'Y'
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {capacity: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
spec: {taints: [{key: dedicated, value: ml, effect: NoSchedule}]}
status: {capacity: {cpu: "8", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata: {name: busy}
spec: {nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: big}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: small}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 500m}}}]}
Y
# expect CODE ARGUMENT...: the exit code of berth explain
expect() {
        wanted=$1
        shift
        "$berth" explain "$@" >"$work/out" 2>"$work/err"
        code=$?
        if [ $code -eq "$wanted" ]; then
                judge ok
        else
                judge bad "explain $*: code $code instead of $wanted: $(cat "$work/out" "$work/err")"
        fi
}
expect 0 --objects "$work/cluster.yaml" --pod small --expect n1
expect 3 --objects "$work/cluster.yaml" --pod small --expect n2
expect 3 --objects "$work/cluster.yaml" --pod small --expect pending
expect 0 --objects "$work/cluster.yaml" --pod default/big --expect pending
expect 0 --objects "$work/cluster.yaml" --pod big --pod small
expect 1 --objects "$work/cluster.yaml" --pod nobody
expect 1 --objects "$work/cluster.yaml" --pod big --node nowhere
expect 1 --objects "$work/nothing.yaml"
expect 2 --objects "$work/cluster.yaml" --now yesterday
expect 2 --objects "$work/cluster.yaml" -o xml
expect 2 --objects "$work/cluster.yaml" --kubeconfig "$work/cluster.yaml"
printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {nodeName: [1]}\n' >"$work/bad.yaml"
check "position of a mistake" 'bad.yaml:4:.*spec.nodeName' "$berth" explain --objects "$work/bad.yaml"
check "pending pods by default" 'Pod default/big.*' "$berth" explain --objects "$work/cluster.yaml"
check "standard input" 'Goes to n1' sh -c "'$berth' explain --objects - --pod small <'$work/cluster.yaml'"
check "one node" 'NodeResourcesFit: Insufficient cpu' "$berth" explain --objects "$work/cluster.yaml" --pod big --node n1
check "smallest change" 'on node n2: remove taint dedicated=ml:NoSchedule; or the pod: tolerate dedicated=ml:NoSchedule' \
        "$berth" explain --objects "$work/cluster.yaml" --pod big
check "yaml" '^- pod: default/big$' "$berth" explain --objects "$work/cluster.yaml" --pod big -o yaml
check "message" '0/2 nodes are available: 1 Insufficient cpu, 1 node\(s\) had untolerated taint' \
        "$berth" explain --objects "$work/cluster.yaml" --pod big

# Each of the changes makes it fit.
grep -v '^spec: {taints' "$work/cluster.yaml" >"$work/untainted.yaml"
expect 0 --objects "$work/untainted.yaml" --pod big --expect n2
sed '0,/cpu: "4"/s//cpu: "6"/' "$work/cluster.yaml" >"$work/larger.yaml"
check "second near miss" 'on node n1: [+]2 cpu; or the pod: request 1 cpu instead of 3' \
        "$berth" explain --objects "$work/cluster.yaml" --pod big
expect 0 --objects "$work/larger.yaml" --pod big --expect n1

# A workload that is not there yet.
cat >"$work/web.yaml" <<'Y'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}}
Y
expect 0 --objects "$work/cluster.yaml" --expect n1 "$work/web.yaml"

# The same from a live cluster, before and after the scheduler has acted.
start_sandbox "$berth" --nodes 3
post() {
        curl -skf -H "Authorization: Bearer e2e" -H "Content-Type: application/json" -d "$2" "$url$1" >/dev/null
}
post /api/v1/namespaces/default/pods '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"live"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}}'
post /api/v1/namespaces/default/pods '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"huge"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1000"}}}]}}'
check "live pending" 'Equally good|Goes to' "$berth" explain --kubeconfig "$KUBECONFIG" --pod live
"$berth" scheduler --kubeconfig "$KUBECONFIG" --seed 1 >"$work/scheduler.log" 2>&1 &
children="$children $!"
read_pod() {
        curl -sk -H "Authorization: Bearer e2e" "$url/api/v1/namespaces/default/pods/$1"
}
until_true sh -c "curl -sk -H 'Authorization: Bearer e2e' '$url/api/v1/namespaces/default/pods/huge' | grep -q Insufficient"
node=$(read_pod live | tr , '\n' | sed -n 's/.*"nodeName": *"\([^"]*\)".*/\1/p' | head -n 1)
expect 0 --kubeconfig "$KUBECONFIG" --pod live --expect "$node"
expect 0 --kubeconfig "$KUBECONFIG" --pod huge --expect pending
# A word that is no file is a pod, and no file is expected where a name looks like one.
expect 0 --kubeconfig "$KUBECONFIG" default/huge --expect pending
expect 0 --kubeconfig "$KUBECONFIG" huge --expect pending
check "no such pod" 'no pod default/nobody' "$berth" explain --kubeconfig "$KUBECONFIG" nobody
check "no such file" 'nobody.yaml: No such file' "$berth" explain --kubeconfig "$KUBECONFIG" nobody.yaml
# The condition the daemon wrote carries the very message.
message=$("$berth" explain --kubeconfig "$KUBECONFIG" --pod huge -o json | sed -n 's/^ *"message": "\(.*\)",*$/\1/p' | head -n 1)
if [ -n "$message" ] && read_pod huge | grep -Fq "$message"; then
        judge ok
else
        judge bad "message of the condition: $message"
fi
finish
