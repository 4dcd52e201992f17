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
plain_config "http://${url#https://}" >plain
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
make_web
is "the library steps the clock" 1 "$([ "$(($(./ahead 90000 date +%s) - $(date +%s)))" -gt 80000 ] && echo 1)"
for by in 3700 90000 -3700 -90000; do
        old_web_policy 1800 'evictFailedBarePods: true' >policy.yaml
        exits "a young pod, $by s" 0 "tooYoung=1" ./ahead $by "$berth" descheduler --kubeconfig plain --policy-config-file policy.yaml --dry-run
        old_web_policy 1 'evictFailedBarePods: true' >policy.yaml
        wait_for "an old one, $by s" "wouldEvict=1" ./ahead $by "$berth" descheduler --kubeconfig plain --policy-config-file policy.yaml --dry-run
        pod=$(kubectl get pods --field-selector status.phase=Running -o 'jsonpath={.items[0].metadata.name}')
        exits "a deadline, $by s" 0 "default/$pod evicted" ./ahead $by "$berth" evict --kubeconfig plain "$pod" --deadline 5m --eviction-requests always
        wait_for "another pod runs" Running kubectl get pods
done
finish
