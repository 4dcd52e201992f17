#!/bin/sh
# Kills and bad disks under a sandbox with a data folder: durability.sh BERTH [KILLS]. Skips (77) without python3.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
command -v python3 >/dev/null || skip "no python3"
python3 "$(dirname "$0")/durability.py" "$1" "$work" "${2:-20}"
