#!/bin/sh
# The Python client of Debian against a sandbox: python_client.sh BERTH. Skips (77) without it.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
python3 -c 'import kubernetes' 2>/dev/null || skip "no python3-kubernetes (scripts/setup.sh check fetches it)"
python3 -W ignore "$(dirname "$0")/python_client.py" "$1" "$work"
