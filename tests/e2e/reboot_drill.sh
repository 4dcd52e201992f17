#!/bin/sh
# Agents as processes, killed at random, reboot a fleet: reboot_drill.sh BERTH [NODES [KILLS [LIMIT]]]. The default is the
# size for every check; `reboot_drill.sh build/berth 10 60 3` is the whole drill. Skips (77) without kubectl or Python.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
command -v python3 >/dev/null || skip "no python3"
exec python3 "$(dirname "$0")/reboot_drill.py" "$1" "$kubectl_program" "${2:-4}" "${3:-5}" "${4:-2}"
