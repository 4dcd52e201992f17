#!/bin/sh
# LowNodeUtilization by measured usage: the metrics API, served from plain objects, and a Prometheus of Debian, with and without a
# token from a Secret: descheduler_metrics.sh BERTH. The part with Prometheus is left out, with a line, where there is none.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
berth=$1
command -v curl >/dev/null || skip "no curl"
command -v python3 >/dev/null || skip "no python3"
start_sandbox "$berth" --nodes 3 --seed 1 --controllers "*,-garbage-collector-controller" # no garbage collector: the owner of the pods is made up
call() {
        curl -sk -H "Authorization: Bearer e2e" -H "Content-Type: application/json" "$@"
}
# definition PLURAL KIND SCOPE
definition() {
        call "$url/apis/apiextensions.k8s.io/v1/customresourcedefinitions" -o /dev/null -d '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"'"$1"'.metrics.k8s.io","annotations":{"api-approved.kubernetes.io":"unapproved, test"}},"spec":{"group":"metrics.k8s.io","scope":"'"$3"'","names":{"plural":"'"$1"'","kind":"'"$2"'"},"versions":[{"name":"v1beta1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}'
}
definition nodes NodeMetrics Cluster
definition pods PodMetrics Namespaced
metrics=$url/apis/metrics.k8s.io/v1beta1
until_true sh -c "curl -skf -H 'Authorization: Bearer e2e' '$metrics/nodes' && curl -skf -H 'Authorization: Bearer e2e' '$metrics/pods'" ||
        judge bad "the metrics API is not served"
# node NUMBER CPU: its measured usage
node() {
        call "$metrics/nodes" -o /dev/null -d '{"apiVersion":"metrics.k8s.io/v1beta1","kind":"NodeMetrics","metadata":{"name":"node-'"$1"'"},"usage":{"cpu":"'"$2"'","memory":"1Gi"}}'
}
node 0 7
node 1 1
node 2 1
for number in 1 2 3 4; do
        call "$url/api/v1/namespaces/default/pods" -o /dev/null -d '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p-'$number'","ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","uid":"r"}],"finalizers":["example.com/stay"]},"spec":{"nodeName":"node-0","containers":[{"name":"c","image":"i"}]}}'
        call "$metrics/namespaces/default/pods" -o /dev/null -d '{"apiVersion":"metrics.k8s.io/v1beta1","kind":"PodMetrics","metadata":{"name":"p-'$number'"},"containers":[{"name":"c","usage":{"cpu":"1500m","memory":"10Mi"}}]}'
done
running() {
        [ "$(call "$url/api/v1/namespaces/default/pods?fieldSelector=status.phase%3DRunning" | grep -o '"nodeName"' | wc -l)" -eq 4 ]
}
until_true running || judge bad "pods do not run"

# policy PROVIDERS THRESHOLDS TARGETS METRICS
policy() {
        cat <<Y
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
moveOnlyIfBetter: false
metricsProviders: [$1]
profiles:
- name: p
  pluginConfig:
  - name: LowNodeUtilization
    args: {thresholds: $2, targetThresholds: $3, metricsUtilization: $4}
  plugins: {balance: {enabled: [LowNodeUtilization]}}
Y
}
# once NAME EVICTIONS: a dry run with the policy in a file must want so many
once() {
        "$berth" descheduler --dry-run --kubeconfig "$KUBECONFIG" --policy-config-file "$work/policy.yaml" >"$work/log" 2>&1
        found=$(grep -c WouldEvict "$work/log")
        if [ "$found" -eq "$2" ]; then judge ok; else judge bad "$1: $found evictions instead of $2: $(cat "$work/log")"; fi
}
by_api='{source: KubernetesMetrics}'
policy "$by_api" '{cpu: 30}' '{cpu: 50}' "$by_api" >"$work/policy.yaml"
once "metrics API: from 7 cores to below 4" 2
check "the plan says so, too" '^2 eviction' "$berth" plan --kubeconfig "$KUBECONFIG" --policy "$work/policy.yaml"
policy "" '{cpu: 30}' '{cpu: 50}' "$by_api" >"$work/policy.yaml"
once "provider that is not configured" 0
check "is told" 'PluginFailed.*KubernetesMetrics' cat "$work/log"
call -X DELETE "$metrics/nodes/node-2" -o /dev/null
policy "$by_api" '{cpu: 30}' '{cpu: 50}' "$by_api" >"$work/policy.yaml"
once "a node without metrics" 0
check "is told, too" 'PluginFailed.*node-2' cat "$work/log"

if [ -z "$prometheus_program" ]; then
        echo "left out: no prometheus (scripts/setup.sh check fetches it)"
        finish
fi
printf 'global: {scrape_interval: 1h}\n' >"$work/prometheus.yml"
port=$(free_port)
"$prometheus_program" --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" \
        --web.listen-address="127.0.0.1:$port" >"$work/prometheus.log" 2>&1 &
children="$children $!"
until_true curl -sf "http://127.0.0.1:$port/-/ready" || judge bad "Prometheus is not ready: $(tail -n 5 "$work/prometheus.log")"
# sample NODE VALUE
sample() {
        printf 'label_replace(vector(%s), \\"instance\\", \\"%s\\", \\"\\", \\"\\")' "$2" "$1"
}
by_query() {
        printf '{source: Prometheus, prometheus: {query: "%s"}}' "$1"
}
provider="{source: Prometheus, prometheus: {url: 'http://127.0.0.1:$port'}}"
three="$(sample node-0 0.57) or $(sample node-1 0.42) or $(sample node-2 0.20)"
policy "$provider" '{MetricResource: 30}' '{MetricResource: 50}' "$(by_query "$three")" >"$work/policy.yaml"
once "a query" 1
"$berth" descheduler --parity --dry-run --kubeconfig "$KUBECONFIG" --policy-config-file "$work/policy.yaml" >"$work/log" 2>&1
check "D26 parity: plain HTTP needs the authority, too" 'PluginFailed.*ca\.crt' cat "$work/log"
KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT=1 once "D2 a token that cannot be read fails nothing" 1
KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT=1 "$berth" descheduler --parity --dry-run --kubeconfig "$KUBECONFIG" \
        --policy-config-file "$work/policy.yaml" >"$work/log" 2>&1 &
forever=$!
until_true sh -c "[ \"\$(grep -c CycleFailed '$work/log')\" -ge 3 ]" || judge bad "D2 parity: the cycle does not start over: $(cat "$work/log")"
if kill $forever; then judge ok; else judge bad "D2 parity: it ended: $(cat "$work/log")"; fi
check "the plan asks Prometheus, too" '^1 eviction' "$berth" plan --kubeconfig "$KUBECONFIG" --policy "$work/policy.yaml"
policy "$provider" '{MetricResource: 30}' '{MetricResource: 50}' "$(by_query "$(sample node-0 0.57)")" >"$work/policy.yaml"
once "nodes without a sample" 0
check "nodes without a sample are told" 'PluginFailed.*no sample' cat "$work/log"
policy "$provider" '{MetricResource: 30}' '{MetricResource: 50}' "$(by_query 'sum(')" >"$work/policy.yaml"
once "a query that is none" 0
check "Prometheus is quoted" 'PluginFailed.*parse error' cat "$work/log"
policy "{source: Prometheus, prometheus: {url: 'http://127.0.0.1:1'}}" '{MetricResource: 30}' '{MetricResource: 50}' \
        "$(by_query "$three")" >"$work/policy.yaml"
once "nobody listens" 0
check "the plan tells, too" 'LowNodeUtilization.*(onnect|refused)' "$berth" plan --kubeconfig "$KUBECONFIG" --policy "$work/policy.yaml"
secret="{source: Prometheus, prometheus: {url: 'http://127.0.0.1:$port', authToken: {secretReference: {namespace: default, name: prom}}}}"
policy "$secret" '{MetricResource: 30}' '{MetricResource: 50}' "$(by_query "$three")" >"$work/policy.yaml"
once "a Secret that is not there" 0
call "$url/api/v1/namespaces/default/secrets" -o /dev/null -d '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"prom"},"stringData":{"prometheusAuthToken":"abc"}}'
once "a token of a Secret" 1
check "the plan reads the token, too" '^1 eviction' "$berth" plan --kubeconfig "$KUBECONFIG" --policy "$work/policy.yaml"
finish
