#!/bin/sh
# Commands whose own clock is an hour or a day wrong judge by the API server's: wrong_clocks.sh BERTH FAULTS_LIBRARY
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
command -v python3 >/dev/null || skip "no python3"
berth=$1 library=$2
start_sandbox "$berth" --nodes 1 --seed 1
cd "$work" || exit 1
# Over TLS a clock that is too late fails at the certificate already.
cat >plain <<Y
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://${url#https://}"}}]
users: [{name: u, user: {token: e2e}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
Y
# ahead SECONDS COMMAND...: with a clock so far ahead
cat >ahead <<Y
#!/bin/sh
python3 -c 'import struct, sys
open("$work/page", "wb").write(struct.pack("qq", int(sys.argv[1]) * 10**9, -1))' "\$1"
shift
CHAOS_PAGE="$work/page" CHAOS_DISK="$work/none" LD_PRELOAD="$library" ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" exec "\$@"
Y
chmod +x ahead
"$berth" evictions --no-audit-output 2>evictions.log &
children="$children $!"
wait_for "the kinds are served" Ready cat evictions.log
# policy SECONDS: pods older than that go
policy() {
        cat >policy.yaml <<Y
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: old
  pluginConfig:
  - {name: DefaultEvictor, args: {evictFailedBarePods: true}}
  - {name: PodLifeTime, args: {maxPodLifeTimeSeconds: $1, labelSelector: {matchLabels: {app: web}}}}
  plugins: {deschedule: {enabled: [PodLifeTime]}}
Y
}
kubectl create -f - >applied 2>&1 <<'Y' || judge bad "$(cat applied)"
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {nodeName: node-0, containers: [{name: c, image: i}]}}
Y
wait_for "a pod runs" Running kubectl get pods
is "the library steps the clock" 1 "$([ "$(($(./ahead 90000 date +%s) - $(date +%s)))" -gt 80000 ] && echo 1)"
for by in 3700 90000 -3700 -90000; do
        policy 1800
        exits "a young pod, $by s" 0 "tooYoung=1" ./ahead $by "$berth" descheduler --kubeconfig plain --policy-config-file policy.yaml --dry-run
        policy 1
        wait_for "an old one, $by s" "wouldEvict=1" ./ahead $by "$berth" descheduler --kubeconfig plain --policy-config-file policy.yaml --dry-run
        pod=$(kubectl get pods --field-selector status.phase=Running -o 'jsonpath={.items[0].metadata.name}')
        exits "a deadline, $by s" 0 "default/$pod evicted" ./ahead $by "$berth" evict --kubeconfig plain "$pod" --deadline 5m --eviction-requests always
        wait_for "another pod runs" Running kubectl get pods
done
finish
