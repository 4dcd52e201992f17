#!/bin/sh
# Metrics and health of the daemons, under the names and command lines of the programs they stand in for: serving.sh BERTH.
# promtool judges the metrics where there is one.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
berth=$1
command -v curl >/dev/null || skip "no curl"
promtool_program=$(find_client "${BERTH_PROMTOOL:-}" prometheus/usr/bin/promtool promtool)
free_port() {
        python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
command -v python3 >/dev/null || skip "no python3"
start_sandbox "$berth" --nodes 3
ln -s "$berth" "$work/kube-scheduler"
ln -s "$berth" "$work/descheduler"
port=$(free_port)
"$work/kube-scheduler" --kubeconfig="$KUBECONFIG" --secure-port="$port" --bind-address=127.0.0.1 --leader-elect=true \
        --authentication-skip-lookup=true --profiling=false -v=2 >"$work/scheduler.log" 2>&1 &
scheduler=$!
children="$children $scheduler"
page() {
        curl -sk "https://127.0.0.1:$port$1"
}
until_true 100 sh -c "curl -skf https://127.0.0.1:$port/readyz"
for name in one two; do
        curl -sk -o /dev/null -H "Authorization: Bearer e2e" -H "Content-Type: application/json" "$url/api/v1/namespaces/default/pods" -d '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"'$name'"},"spec":{"containers":[{"name":"c","image":"i"}]}}'
done
curl -sk -o /dev/null -H "Authorization: Bearer e2e" -H "Content-Type: application/json" "$url/api/v1/namespaces/default/pods" -d '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"huge"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1k"}}}]}}'
until_true 100 sh -c "curl -sk https://127.0.0.1:$port/metrics | grep -q 'attempts_total{result=\"unschedulable\"'"
check "bound" 'scheduler_schedule_attempts_total\{result="scheduled",profile="default-scheduler"\} 2$' curl -sk "https://127.0.0.1:$port"/metrics
check "refused" 'scheduler_schedule_attempts_total\{result="unschedulable",profile="default-scheduler"\} [1-9]' curl -sk "https://127.0.0.1:$port"/metrics
check "pending" 'scheduler_pending_pods\{queue="unschedulable"\} 1$' curl -sk "https://127.0.0.1:$port"/metrics
check "plugin that refuses" 'scheduler_unschedulable_pods\{plugin="NodeResourcesFit",profile="default-scheduler"\} 1$' curl -sk "https://127.0.0.1:$port"/metrics
check "cache" 'scheduler_cache_size\{type="nodes"\} 3$' curl -sk "https://127.0.0.1:$port"/metrics
check "leader" 'leader_election_master_status\{name="kube-scheduler"\} 1$' curl -sk "https://127.0.0.1:$port"/metrics
check "writes" 'berth_writes_total\{kind="bind",result="asked"\} 2$' curl -sk "https://127.0.0.1:$port"/metrics
check "attempts" 'scheduler_pod_scheduling_attempts_count 2$' curl -sk "https://127.0.0.1:$port"/metrics
check "health" '^ok$' curl -sk "https://127.0.0.1:$port"/healthz
check "readiness" 'sched-handler-sync ok' curl -sk "https://127.0.0.1:$port"'/readyz?verbose'
check "configuration" '"kind":"KubeSchedulerConfiguration"' curl -sk "https://127.0.0.1:$port"/configz
check "decisions" '"pod":"default/huge"' curl -sk "https://127.0.0.1:$port"/debug/decisions
check "reset is not for everybody" 405 curl -sk -o /dev/null -w '%{http_code}' -X DELETE "https://127.0.0.1:$port/metrics"
[ -z "$promtool_program" ] || {
        page /metrics >"$work/scheduler.prom"
        check "promtool, scheduler" '^0$' sh -c "'$promtool_program' check metrics <'$work/scheduler.prom' >/dev/null 2>'$work/lint'; echo \$?"
}
kill "$scheduler"
wait "$scheduler"
[ $? -eq 0 ] && judge ok || judge bad "end of kube-scheduler"

port=$(free_port)
cat >"$work/policy.yaml" <<'Y'
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: tidy
  pluginConfig: [{name: DefaultEvictor, args: {}}, {name: RemovePodsViolatingNodeTaints, args: {}}]
  plugins: {deschedule: {enabled: [RemovePodsViolatingNodeTaints]}}
Y
"$work/descheduler" --client-connection-kubeconfig="$KUBECONFIG" --policy-config-file="$work/policy.yaml" \
        --descheduling-interval=1s --secure-port="$port" --bind-address=127.0.0.1 --v=1 >"$work/descheduler.log" 2>&1 &
descheduler=$!
children="$children $descheduler"
until_true 100 sh -c "curl -sk https://127.0.0.1:$port/metrics | grep -q 'loop_duration_seconds_count [1-9]'"
check "passes" '^descheduler_loop_duration_seconds_count [1-9]' curl -sk "https://127.0.0.1:$port"/metrics
check "health of the descheduler" 'Descheduler ok' curl -sk "https://127.0.0.1:$port"'/healthz?verbose'
check "its own check" '^ok$' curl -sk "https://127.0.0.1:$port"/healthz/Descheduler
check "reset" 200 curl -sk -o /dev/null -w '%{http_code}' -X DELETE "https://127.0.0.1:$port/metrics"
[ -z "$promtool_program" ] || {
        page /metrics >"$work/descheduler.prom"
        check "promtool, descheduler" '^[03]$' sh -c "'$promtool_program' check metrics <'$work/descheduler.prom' >/dev/null 2>'$work/lint'; echo \$?"
}
kill "$descheduler"
wait "$descheduler"
[ $? -eq 0 ] && judge ok || judge bad "end of descheduler"

# Exit codes: 1 for whatever is wrong, as upstream.
check "unknown flag" '^1$' sh -c "'$work/kube-scheduler' --nothing 2>/dev/null; echo \$?"
check "unknown gate" '^1$' sh -c "'$work/descheduler' --feature-gates=X=true --policy-config-file='$work/policy.yaml' 2>/dev/null; echo \$?"
check "no policy" '^1$' sh -c "'$work/descheduler' 2>/dev/null; echo \$?"
check "version" 'Kubernetes v1.36' "$work/kube-scheduler" --version
check "written configuration" '^kind: KubeSchedulerConfiguration$' sh -c "'$work/kube-scheduler' --write-config-to='$work/c.yaml' && cat '$work/c.yaml'"
finish
