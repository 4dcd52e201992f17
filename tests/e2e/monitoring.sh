#!/bin/sh
# Alerts and recording rules of deploy/monitoring on metrics of roles at work: monitoring.sh BERTH. Skips (77) without
# Prometheus and its promtool.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$prometheus_program" ] && [ -n "$promtool_program" ] || skip "no prometheus with promtool (scripts/setup.sh check fetches them)"
command -v python3 >/dev/null || skip "no python3"
python3 "$(dirname "$0")/monitoring.py" "$1" "$prometheus_program" "$promtool_program" "$work" || exit 1
