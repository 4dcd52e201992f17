#!/bin/sh
# Three agents against a sandbox with scheduler: reboot.sh BERTH. Every node asks for a reboot at once; the reboot command
# is a script that gives the node another boot id and kills its agent, as a real reboot would. One agent is also killed
# in the middle of things. All nodes must reboot once, one after another, and nothing may stay behind.
# Uses the kubectl BERTH_KUBECTL names, else the one on PATH; skips (77) without one.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
start_sandbox "$1" --nodes 3 --seed 1
export work berth
leave() {
        touch "$work/end"
        kill $(cat "$work"/*.pid) $children 2>/dev/null
        wait
        rm -rf "$work"
}
trap leave EXIT
"$berth" scheduler >"$work/scheduler" 2>&1 &
children="$children $!"
fail() {
        judge bad "$*"
}
reached() { # NAME COMMAND...
        name=$1
        shift
        if until_true "$@"; then judge ok; else fail "$name"; fi
}

kubectl apply -f - >/dev/null <<YAML || fail apply
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: kured, namespace: kube-system}
spec:
  selector: {matchLabels: {app: kured}}
  template:
    metadata: {labels: {app: kured}}
    spec: {containers: [{name: c, image: kured:1}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: web:1}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: default}
spec:
  maxUnavailable: 1
  selector: {matchLabels: {app: web}}
YAML
kubectl rollout status deployment/web --timeout=120s >/dev/null || fail rollout

# The host of a node: starts its agent again whenever it ends.
cat >"$work/host" <<'SH'
#!/bin/sh
node=$1
until [ -e "$work/end" ]; do
        "$berth" reboot --node-id "$node" --period 2s --reboot-sentinel "$work/$node.required" --nsenter=false \
                --reboot-command "$work/reboot $node" --boot-id-file "$work/$node.boot" --metrics-port 0 \
                --prefer-no-schedule-taint weave.works/kured-node-reboot --reboot-timeout 20s \
                --blocking-pod-selector app=batch --drain-delay 1s >>"$work/$node.log" 2>&1 &
        echo $! >"$work/$node.pid"
        wait $!
        sleep 0.3
done
SH
cat >"$work/reboot" <<'SH'
#!/bin/sh
node=$1
echo "$node" >>"$work/reboots"
kubectl get nodes -o 'jsonpath={range .items[?(@.spec.unschedulable==true)]}{.metadata.name} {end}' >>"$work/cordoned"
echo >>"$work/cordoned"
rm -f "$work/$node.required"
date +%N >"$work/$node.boot"
kill -9 "$(cat "$work/$node.pid")"
SH
chmod +x "$work/host" "$work/reboot"

for node in node-0 node-1 node-2; do
        echo first >"$work/$node.boot"
        : >"$work/$node.pid"
        touch "$work/$node.required"
        "$work/host" $node &
        children="$children $!"
done

tainted() {
        kubectl get node -o 'jsonpath={.items[*].spec.taints[*].effect}' | grep -q "PreferNoSchedule PreferNoSchedule"
}
cordoned() {
        kubectl get node "$1" -o 'jsonpath={.spec.unschedulable}' | grep -q true
}
any_cordoned() {
        kubectl get nodes | grep -q SchedulingDisabled
}
reboots() {
        [ "$(sort -u "$work/reboots" 2>/dev/null | wc -l)" -eq "$1" ]
}
clean() {
        [ -z "$(kubectl get nodes -o 'jsonpath={.items[*].spec.taints}{.items[*].spec.unschedulable}')" ] &&
                ! kubectl get nodes -o yaml | grep -q " berth.dev/reboot:" &&
                ! kubectl -n kube-system get daemonset kured -o yaml | grep -q kured-node-lock
}

reached "waiting nodes are tainted" tainted
reached "one node is cordoned" any_cordoned
victim=$(kubectl get nodes | awk '/SchedulingDisabled/ { print $1; exit }')
kill -9 "$(cat "$work/$victim.pid")"
"$berth" reboot status --kubeconfig "$KUBECONFIG" | grep -q "^NODE .*STATE" || fail status
reached "all nodes reboot" reboots 3
reached "nothing is left behind" clean
[ "$(wc -l <"$work/reboots")" -eq 3 ] || fail "each node reboots once: $(cat "$work/reboots")"
if grep -q " .* " "$work/cordoned" 2>/dev/null; then
        fail "one node at a time: $(cat "$work/cordoned")"
fi
kubectl rollout status deployment/web --timeout=120s >/dev/null || fail "workload is whole again"
[ $failures -eq 0 ] || tail -n 20 "$work"/*.log
finish
