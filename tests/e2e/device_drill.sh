#!/bin/sh
# Devices under load, faults and kills: device_drill.sh BERTH [NODES PODS KILLS SEED].
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
command -v python3 >/dev/null || skip "no python3"
start_sandbox "$1" --seed 1
python3 "$(dirname "$0")/device_drill.py" "$1" "${url##*:}" --nodes "${2:-20}" --pods "${3:-300}" --kills "${4:-2}" --seed "${5:-1}"
