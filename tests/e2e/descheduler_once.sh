#!/bin/sh
# A single pass of the descheduler ends, and says what became of what it asked for: descheduler_once.sh BERTH
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
berth=$1
cd "$work" || exit 1
start_sandbox "$berth" --nodes 2 --seed 1
old_web_policy 1 'evictLocalStoragePods: true' >policy.yaml
make_web
pod=$(kubectl get pods -o 'jsonpath={.items[0].metadata.name}')

# ---- no right to list ----
kubectl create serviceaccount nobody >/dev/null
token=$(kubectl create token nobody)
[ -n "$token" ] || judge bad "no token"
sed "s/^\( *token: \).*/\1$token/" "$KUBECONFIG" >nobody.kubeconfig
exits "no right to list" 1 'cannot list resource ' "$berth" descheduler --kubeconfig nobody.kubeconfig --policy-config-file policy.yaml
contains "and what was refused" 'berth descheduler: cannot read /api' echo "$output"
contains "and where the rights are" 'the rights it needs are in deploy/descheduler/rbac.yaml' echo "$output"
exits "and no longer than its deadline" 1 'cannot list resource ' "$berth" descheduler --kubeconfig nobody.kubeconfig \
        --policy-config-file policy.yaml --deadline 1s
printf 'apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]\ncontexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n' \
        >away.kubeconfig
exits "a server that is away" 1 'cannot read /api' "$berth" descheduler --kubeconfig away.kubeconfig --policy-config-file policy.yaml \
        --deadline 2s
exits "a deadline of a daemon" 2 'option --deadline: is for a single pass' "$berth" descheduler --policy-config-file policy.yaml \
        --deadline 1s --descheduling-interval 1m

# ---- a controller that is dead: before it looked at the request, and after ----
requests() {
        kubectl get evictionrequests.lifecycle.berth.dev -o name
}
"$berth" evictions --no-audit-output 2>evictions.log &
controller=$!
children="$children $controller"
wait_for "the kinds are served" Ready cat evictions.log
kill -9 $controller
exits "no controller" 1 'berth descheduler: the deadline of 3s passed: 1 evictions were not over, and are withdrawn' \
        "$berth" descheduler --policy-config-file policy.yaml --eviction-requests always --deadline 3s
contains "the summary" "info PassEnded evicted=0 byRequest=0 inBackground=0 gone=0 wouldEvict=0 stayed=1 why=\"default/$pod: not over at the deadline, withdrawn\"" \
        echo "$output"
is "it is taken back" "" "$(requests)"

waiting_policy web | kubectl apply -f - >applied 2>&1 || judge bad "$(cat applied)"
"$berth" evictions --no-audit-output 2>evictions.log &
controller=$!
children="$children $controller"
wait_for "it leads" Ready cat evictions.log
"$berth" descheduler --policy-config-file policy.yaml --eviction-requests always --deadline 20s >once.log 2>&1 &
once=$!
children="$children $once"
stage() {
        kubectl get evictions.lifecycle.berth.dev -o 'jsonpath={.items[*].status.responders[*].message}'
}
wait_for "the stage is under way" "stage=1/1 name=others" stage
kill -9 $controller
wait $once
is "it ends all the same" 1 $?
contains "and says so" 'the deadline of 20s passed: 1 evictions were not over, and are withdrawn' cat once.log
is "and takes it back" "" "$(requests)"
is "the pod is there" "$pod" "$(kubectl get pods -o 'jsonpath={.items[*].metadata.name}')"

# ---- all is over ----
kubectl delete evictionpolicies.lifecycle.berth.dev --all >/dev/null
exits "a dry run" 0 'info PassEnded evicted=0 byRequest=0 inBackground=0 gone=0 wouldEvict=1 stayed=0 why=""' \
        "$berth" descheduler --policy-config-file policy.yaml --dry-run
kubectl create pdb web --min-available=1 --selector=app=web >/dev/null
wait_for "the budget counts" '"disruptionsAllowed":0,"currentHealthy":1' kubectl get --raw /apis/policy/v1/namespaces/default/poddisruptionbudgets/web
exits "a budget" 0 "stayed=1 why=\"default/$pod: " "$berth" descheduler --policy-config-file policy.yaml --eviction-requests never
kubectl delete pdb web >/dev/null
exits "evicted" 0 'info PassEnded evicted=1 byRequest=0 inBackground=0 gone=0 wouldEvict=0 stayed=0 why=""' \
        "$berth" descheduler --policy-config-file policy.yaml --eviction-requests never
finish
