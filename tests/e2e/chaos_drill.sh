#!/bin/sh
# All roles and a sandbox under kills, stops, lost nodes, clock steps and full disks: chaos_drill.sh BERTH FAULTS_LIBRARY [SEED [SECONDS]].
# The default is the size for every check; `chaos_drill.sh build/berth build/tests/e2e/chaos_faults.so 7 120` waits out what takes
# minutes, too. Skips (77) without Python.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
command -v python3 >/dev/null || skip "no python3"
exec python3 "$(dirname "$0")/chaos_drill.py" "$@"
