#!/bin/sh
# Evictions in the background on a simulated KubeVirt: descheduler_background.sh BERTH. Skips (77) without python3 or openssl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
command -v python3 >/dev/null || skip "no python3"
command -v openssl >/dev/null || skip "no openssl"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$work/key.pem" -out "$work/cert.pem" -days 2 \
        -subj /CN=hook -addext subjectAltName=IP:127.0.0.1 >"$work/openssl.log" 2>&1 || skip "openssl makes no certificate"
cat >"$work/policy.yaml" <<'Y'
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
maxNoOfPodsToEvictTotal: 2
profiles:
- name: p
  pluginConfig:
  - name: PodLifeTime
    args: {maxPodLifeTimeSeconds: 1, labelSelector: {matchLabels: {kubevirt.io: virt-launcher}}}
  plugins: {deschedule: {enabled: [PodLifeTime]}}
Y
start_sandbox "$1" --nodes 1
python3 "$(dirname "$0")/descheduler_background.py" "$1" "$url" "$work"
