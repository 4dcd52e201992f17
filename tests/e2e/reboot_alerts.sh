#!/bin/sh
# Alerts of a real Prometheus, made by its own rules, hold a reboot up: reboot_alerts.sh BERTH. One alert fires, one is
# pending for an hour; the agent is blocked by what its options let count, and reboots once nothing does. Skips (77) without
# kubectl or Prometheus.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
[ -n "$prometheus_program" ] || skip "no prometheus (scripts/setup.sh check fetches it)"
command -v python3 >/dev/null || skip "no python3"
kubectl() {
        "$kubectl_program" "$@"
}
berth=$1
start_sandbox "$berth" --nodes 1 --controllers kubelet --seed 1
kubectl apply -f - >/dev/null <<Y
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: kured, namespace: kube-system}
spec:
  selector: {matchLabels: {app: kured}}
  template:
    metadata: {labels: {app: kured}}
    spec: {containers: [{name: c, image: kured}]}
Y
cat >"$work/rules.yml" <<Y
groups:
- name: test
  interval: 1s
  rules:
  - {alert: DiskFull, expr: vector(1)}
  - {alert: SlowDisk, expr: vector(1), for: 1h}
Y
cat >"$work/prometheus.yml" <<Y
global: {evaluation_interval: 1s}
rule_files: [$work/rules.yml]
Y
port=$(free_port)
"$prometheus_program" --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" \
        --web.listen-address="127.0.0.1:$port" >"$work/prometheus.log" 2>&1 &
children="$children $!"
alerts_are_there() {
        python3 - "$port" <<'P'
import sys, urllib.request
text = urllib.request.urlopen("http://127.0.0.1:%s/api/v1/query?query=ALERTS" % sys.argv[1], timeout=5).read()
sys.exit(0 if b"firing" in text and b"pending" in text else 1)
P
}
until_true alerts_are_there || skip "Prometheus does not start here: $(tail -n 1 "$work/prometheus.log")"
echo one >"$work/boot"
touch "$work/required"

reason_is() {
        kubectl get node node-0 -o 'jsonpath={.metadata.annotations.berth\.dev/reboot}' | grep -q "$1"
}
# start_agent OPTION...
start_agent() {
        "$berth" reboot --node-id node-0 --period 1s --reboot-sentinel "$work/required" --nsenter=false \
                --reboot-command "/usr/bin/touch $work/ordered" --boot-id-file "$work/boot" --metrics-port 0 \
                --prometheus-url "http://127.0.0.1:$port" "$@" >"$work/agent.log" 2>&1 &
        agent=$!
        children="$children $agent"
}
# blocked NAME REASON OPTION...: an agent with these options writes the reason on its node
blocked() {
        name=$1 reason=$2
        shift 2
        start_agent "$@"
        if until_true reason_is "$reason"; then judge ok; else judge bad "$name: $(cat "$work/agent.log")"; fi
        kill $agent
        wait $agent
}
blocked "both count" "alert DiskFull, SlowDisk\|alert SlowDisk, DiskFull"
blocked "firing only" "alert DiskFull\"" --alert-firing-only
blocked "one is ignored" "alert SlowDisk\"" --alert-filter-regexp '^Disk'
blocked "only one counts" "alert DiskFull\"" --alert-filter-regexp '^Disk' --alert-filter-match-only
[ ! -e "$work/ordered" ] || judge bad "rebooted in spite of alerts"
start_agent --alert-firing-only --alert-filter-regexp Disk
if until_true test -e "$work/ordered"; then judge ok; else judge bad "none counts: $(cat "$work/agent.log")"; fi
finish
