#!/bin/sh
# Prometheus of Debian discovers pods and nodes of a sandbox while they come and go: prometheus_discovery.sh BERTH. An hour's
# worth of churn, 60 rounds, in under a minute. Skips (77) without Prometheus.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$prometheus_program" ] || skip "no prometheus (scripts/setup.sh check fetches it)"
command -v python3 >/dev/null || skip "no python3"
start_sandbox "$1" --nodes 5
"$1" scheduler --kubeconfig "$KUBECONFIG" >"$work/scheduler.log" 2>&1 &
children="$children $!"
cat >"$work/prometheus.yml" <<Y
global: {scrape_interval: 1h}
scrape_configs:
- job_name: pods
  kubernetes_sd_configs: [{role: pod, kubeconfig_file: $KUBECONFIG}]
- job_name: web
  kubernetes_sd_configs:
  - role: pod
    kubeconfig_file: $KUBECONFIG
    namespaces: {names: [default]}
    selectors: [{role: pod, label: app=web}]
- job_name: nodes
  kubernetes_sd_configs: [{role: node, kubeconfig_file: $KUBECONFIG}]
Y
port=$(free_port)
"$prometheus_program" --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" \
        --web.listen-address="127.0.0.1:$port" >"$work/prometheus.log" 2>&1 &
children="$children $!"
python3 "$(dirname "$0")/prometheus_discovery.py" "$url" "http://127.0.0.1:$port" || {
        tail -n 5 "$work/prometheus.log"
        exit 1
}
