#!/bin/sh
# Gang scheduling behind its feature gate: gang.sh BERTH.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
command -v python3 >/dev/null || skip "no python3"
start_sandbox "$1" --controllers none
python3 "$(dirname "$0")/gang.py" "$1" "$url"
