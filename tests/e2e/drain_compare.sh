#!/bin/sh
# kubectl drain beside berth evict --node: drain_compare.sh BERTH [PODS MACHINES SECONDS [SLOTS_PER_NODE [OUTBOUND]]]. Skips (77)
# without kubectl, python3 or openssl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
command -v python3 >/dev/null || skip "no python3"
command -v openssl >/dev/null || skip "no openssl"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$work/key.pem" -out "$work/cert.pem" -days 2 \
        -subj /CN=hook -addext subjectAltName=IP:127.0.0.1 >"$work/openssl.log" 2>&1 || skip "openssl makes no certificate"
start_sandbox "$1" --nodes 3
python3 "$(dirname "$0")/drain_compare.py" "$1" "$url" "$work" "$kubectl_program" "${2:-12}" "${3:-2}" "${4:-3}" "${5:-5}" "${6:-0}"
