#!/bin/sh
# Virtual machines on a simulated KubeVirt: eviction_vms.sh BERTH. Skips (77) without python3 or openssl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
command -v python3 >/dev/null || skip "no python3"
command -v openssl >/dev/null || skip "no openssl"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$work/key.pem" -out "$work/cert.pem" -days 2 \
        -subj /CN=hook -addext subjectAltName=IP:127.0.0.1 >"$work/openssl.log" 2>&1 || skip "openssl makes no certificate"
start_sandbox "$1" --nodes 1
python3 "$(dirname "$0")/eviction_vms.py" "$1" "$url" "$work"
