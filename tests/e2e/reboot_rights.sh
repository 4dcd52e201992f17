#!/bin/sh
# The manifests of deploy/kured-compatible, and an agent with exactly kured's rights: reboot_rights.sh BERTH FOLDER. kubectl
# applies them to a sandbox, the agent acts with a token of their ServiceAccount and the arguments of their DaemonSet, and
# its node goes through a whole reboot; what it may not do costs one line each. Skips (77) without kubectl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
kubectl() {
        "$kubectl_program" "$@"
}
berth=$1 manifests=$2
start_sandbox "$berth" --nodes 2 --controllers kubelet --seed 1
ln -s "$(realpath "$berth")" "$work/kured"

check "rights" "rolebinding.rbac.authorization.k8s.io/kured created" kubectl apply -f "$manifests/rbac.yaml"
check "extra rights" "lease.coordination.k8s.io/kured created .server dry run." kubectl apply --dry-run=server -f "$manifests/extras.yaml"
check "signal" "daemonset.apps/kured created" kubectl apply -f "$manifests/daemonset-signal.yaml"
check "logind" "daemonset.apps/kured configured" kubectl apply -f "$manifests/daemonset-logind.yaml"
check "command" "daemonset.apps/kured configured" kubectl apply -f "$manifests/daemonset.yaml"
kubectl apply -f - >/dev/null <<Y
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec: {nodeName: node-0, terminationGracePeriodSeconds: 1, containers: [{name: c, image: web}]}
Y
token=$(kubectl -n kube-system create token kured)
[ -n "$token" ] || judge bad "no token"
sed "s/^\( *token: \).*/\1$token/" "$KUBECONFIG" >"$work/agent.kubeconfig"
arguments=$(kubectl -n kube-system get daemonset kured -o 'jsonpath={.spec.template.spec.containers[0].args[*]}')
check "not more than that" "^no$" kubectl --kubeconfig "$work/agent.kubeconfig" auth can-i list nodes

echo first >"$work/boot"
touch "$work/required"
cat >"$work/reboot" <<'SH'
#!/bin/sh
rm -f "$1/required"
echo second >"$1/boot"
SH
chmod +x "$work/reboot"
# Every start of the host: what the manifest says, but for where this test's host is.
start_agent() {
        # shellcheck disable=SC2086
        KURED_NODE_ID=node-0 "$work/kured" $arguments --reboot-sentinel "$work/required" --kubeconfig "$work/agent.kubeconfig" \
                --reboot-command "$work/reboot $work" --nsenter=false --boot-id-file "$work/boot" --period 1s \
                --metrics-host 127.0.0.1 --metrics-port 0 --taint-ahead 1 --blocking-pod-selector app=batch >>"$work/agent.log" 2>&1 &
        agent=$!
        children="$children $agent"
}
start_agent
until_true grep -q second "$work/boot" || judge bad "no reboot: $(cat "$work/agent.log")"
kill -9 $agent
kubectl annotate node node-0 sandbox.berth.dev/reboot=second >/dev/null
start_agent
node_is_clean() {
        ! kubectl get node node-0 -o yaml | grep -q " berth.dev/reboot:\|kured-node-reboot\|unschedulable" &&
                ! kubectl -n kube-system get daemonset kured -o yaml | grep -q kured-node-lock
}
if until_true node_is_clean; then judge ok; else judge bad "not clean: $(cat "$work/agent.log")"; fi
check "the pod was evicted" "NotFound" kubectl get pod web
check "budgets may not be read" "^1$" grep -c "BudgetsNotReadable" "$work/agent.log"
check "nodes may not be listed" "^1$" grep -c "NodesNotListed" "$work/agent.log"
finish
