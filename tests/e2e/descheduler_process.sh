#!/bin/sh
# The descheduler as a process: exit codes (acceptance cases 1 to 15), one shot, dry run, events, metrics, traces:
# descheduler_process.sh BERTH
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
berth=$1
command -v curl >/dev/null || skip "no curl"
command -v python3 >/dev/null || skip "no python3"
ln -s "$berth" "$work/descheduler"
cat >"$work/policy.yaml" <<'Y'
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: p
  pluginConfig:
  - name: PodLifeTime
    args: {maxPodLifeTimeSeconds: 1}
  plugins: {deschedule: {enabled: [PodLifeTime]}}
Y
start_sandbox "$berth" --nodes 2 --seed 1
"$berth" scheduler --kubeconfig "$KUBECONFIG" >"$work/scheduler.log" 2>&1 &
children="$children $!"
call() {
        curl -sk -H "Authorization: Bearer e2e" -H "Content-Type: application/json" "$@"
}
call "$url/apis/apps/v1/namespaces/default/deployments" -o /dev/null -d '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":3,"selector":{"matchLabels":{"a":"w"}},"template":{"metadata":{"labels":{"a":"w"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}'
running() {
        [ "$(call "$url/api/v1/namespaces/default/pods?fieldSelector=status.phase%3DRunning" | grep -o '"nodeName"' | wc -l)" -ge 3 ]
}
until_true running || judge bad "web does not run"
sleep 2 # the pods must be older than a second

# exits NAME CODE PATTERN PROGRAM ARGUMENT...: it ends with the code and says so
exits() {
        name=$1 wanted=$2 pattern=$3
        shift 3
        timeout 120 "$@" >"$work/out" 2>&1
        code=$?
        if [ $code -eq "$wanted" ] && grep -Eq -- "$pattern" "$work/out"; then
                judge ok
        else
                judge bad "$name: $*: code $code instead of $wanted, $pattern in: $(cat "$work/out")"
        fi
}
stand_in() {
        name=$1 code=$2 pattern=$3
        shift 3
        exits "$name" "$code" "$pattern" "$work/descheduler" --kubeconfig "$KUBECONFIG" --secure-port 0 "$@"
}
# acceptance cases, started as descheduler
stand_in desched-001 1 policy-config-file
stand_in desched-010 1 interval --policy-config-file "$work/policy.yaml" --leader-elect
printf 'apiVersion: descheduler/v1alpha1\nkind: DeschedulerPolicy\n' >"$work/bad.yaml"
stand_in desched-002 1 v1alpha1 --policy-config-file "$work/bad.yaml"
printf 'apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\nmaxNoOfPodsToEvictTotal: -1\n' >"$work/bad.yaml"
stand_in desched-014 1 maxNoOfPodsToEvictTotal --policy-config-file "$work/bad.yaml"
sed 's/PodLifeTime$/Nope/' "$work/policy.yaml" >"$work/bad.yaml"
stand_in desched-008 1 Nope --policy-config-file "$work/bad.yaml"
sed 's/PodLifeTime\]/RemoveFailedPods]/' "$work/policy.yaml" >"$work/bad.yaml"
stand_in desched-006 1 pluginConfig --policy-config-file "$work/bad.yaml"
stand_in flag 1 flag --no-such-flag
stand_in D24-taken 1 policy-config-file --cert-dir /nowhere --disable-http2-serving --logging-format bogus
exits D24-refused 2 cert-dir "$berth" descheduler --cert-dir /nowhere
stand_in gate 1 EvictionsOnMonday --policy-config-file "$work/policy.yaml" --feature-gates EvictionsOnMonday=true
sed 's/args: .*/args: {maxPodLifeTimeSeconds: 1, labelSelector: {matchLabels: {a: none}}}/' "$work/policy.yaml" >"$work/quiet.yaml"
stand_in quiet 0 'evictions=0' --policy-config-file "$work/quiet.yaml" --v 4

# a start that fails after the Lease was won gives it up (12, D3)
sed 's/^  pluginConfig:/  pluginConfig:\n  - {name: DefaultEvictor, args: {priorityThreshold: {name: nope}}}/' "$work/policy.yaml" >"$work/bad.yaml"
stand_in desched-012 1 nope --policy-config-file "$work/bad.yaml" --leader-elect --descheduling-interval 1h --leader-elect-resource-name drill
check "the Lease is free" '"holderIdentity": ?""|^$' sh -c "curl -sk -H 'Authorization: Bearer e2e' '$url/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/drill' | grep -o '\"holderIdentity\": *\"[^\"]*\"'"

# dry run: everything is said, nothing is done (107), twice the same
pods() {
        call "$url/api/v1/namespaces/default/pods" | python3 -c 'import json, sys
print(*sorted(p["metadata"]["name"] for p in json.load(sys.stdin)["items"] if "deletionTimestamp" not in p["metadata"]), sep="\n")'
}
pods >"$work/before"
for _ in 1 2; do
        exits desched-107 0 'evictions=3' "$berth" descheduler --kubeconfig "$KUBECONFIG" --policy-config-file "$work/policy.yaml" --dry-run
done
pods >"$work/after"
if cmp -s "$work/before" "$work/after"; then judge ok; else judge bad "a dry run changed pods"; fi
events() {
        call "$url/apis/events.k8s.io/v1/events" | python3 -c 'import json, sys
for e in json.load(sys.stdin)["items"]:
    if e.get("reportingController") == "sigs.k8s.io.descheduler":
        print(e["type"], e["reason"], e.get("action"), e["note"])'
}
events >"$work/events"
if [ -s "$work/events" ]; then judge bad "a dry run left events: $(cat "$work/events")"; else judge ok; fi

# one shot with a limit: events of it are not lost (102 to 104, 110), and neither are its traces
sed 's/^profiles/maxNoOfPodsToEvictTotal: 2\nevictionFailureEventNotification: true\nprofiles/' "$work/policy.yaml" >"$work/limited.yaml"
python3 "$(dirname "$0")/collector.py" "$work/port" "$work/traces" &
children="$children $!"
until_true grep -q . "$work/port" || judge bad "no collector"
exits desched-102 0 'evictions=2' "$berth" descheduler --kubeconfig "$KUBECONFIG" --policy-config-file "$work/limited.yaml" \
        --otel-collector-endpoint "127.0.0.1:$(cat "$work/port")" --otel-service-name cleaner
event_check() {
        events >"$work/events"
        [ "$(grep -c '^Normal PodLifeTime Descheduled pod eviction from node-[01] node by sigs.k8s.io/descheduler' "$work/events")" -eq 2 ] &&
                grep -q '^Warning EvictionFailed Descheduled .*total eviction limit exceeded (2)' "$work/events"
}
if event_check; then judge ok; else judge bad "desched-110 D16 events: $(cat "$work/events")"; fi
check "spans" '^cleaner: EvictPod<PodLifeTime EvictPod<PodLifeTime EvictPod<PodLifeTime PodLifeTime<runProfiles runDeschedulerLoop<- runProfiles<runDeschedulerLoop$' \
        python3 -c 'import json, sys
spans, service = [], set()
for line in open(sys.argv[1]):
    call = json.loads(line)
    assert call["path"] == "/v1/traces" and call["type"] == "application/json", call
    for resource in call["body"]["resourceSpans"]:
        service |= {a["value"]["stringValue"] for a in resource["resource"]["attributes"] if a["key"] == "service.name"}
        spans += resource["scopeSpans"][0]["spans"]
names = {s["spanId"]: s["name"] for s in spans}
assert len({s["traceId"] for s in spans}) == 1 and len(names) == len(spans)
assert all(int(s["startTimeUnixNano"]) <= int(s["endTimeUnixNano"]) for s in spans)
parents = sorted(s["name"] + "<" + names.get(s.get("parentSpanId"), "-") for s in spans)
print(*service, end=": ")
print(*parents)' "$work/traces"
exits traces 0 'TracesRefused' "$berth" descheduler --kubeconfig "$KUBECONFIG" --policy-config-file "$work/quiet.yaml" \
        --otel-collector-endpoint 127.0.0.1:1

# metrics of a running one
port=$(free_port)
"$work/descheduler" --client-connection-kubeconfig "$KUBECONFIG" --policy-config-file "$work/quiet.yaml" \
        --descheduling-interval 1h --bind-address 127.0.0.1 --secure-port "$port" >"$work/running.log" 2>&1 &
children="$children $!"
until_true sh -c "curl -sk https://127.0.0.1:$port/metrics | grep -q '_strategy_duration_seconds_count'" ||
        judge bad "does not run: $(cat "$work/running.log")"
check "time of each strategy" 'descheduler_strategy_duration_seconds_count\{strategy="PodLifeTime",profile="p"\} 1$' \
        curl -sk "https://127.0.0.1:$port/metrics"
check "build_info is 1" '^descheduler_build_info\{.*\} 1$' curl -sk "https://127.0.0.1:$port/metrics"
check "D22 parity, and under the name descheduler: pages are for everybody" '^descheduler_build_info' curl -sk "https://127.0.0.1:$port/metrics"
check "D22 health" '^ok' curl -sk "https://127.0.0.1:$port/healthz"
finish
