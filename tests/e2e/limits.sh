#!/bin/sh
# Compression, overload, slow watchers and oversized requests: limits.sh BERTH. Skips (77) without python3.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
command -v python3 >/dev/null || skip "no python3"
# A sanitizer keeps what was freed for a while; it must not hide what is held.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=8"
start_sandbox "$1" --controllers none
python3 "$(dirname "$0")/limits.py" "$url" "$server"
