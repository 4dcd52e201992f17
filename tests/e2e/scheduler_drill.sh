#!/bin/sh
# The scheduler under load, faults and kills: scheduler_drill.sh BERTH [NODES PODS KILLS REPLICAS SEED].
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
command -v python3 >/dev/null || skip "no python3"
start_sandbox "$1" --nodes "${2:-40}" --seed 1
python3 "$(dirname "$0")/scheduler_drill.py" "$1" "${url##*:}" --nodes "${2:-40}" --pods "${3:-400}" --kills "${4:-3}" \
        --replicas "${5:-1}" --seed "${6:-1}"
