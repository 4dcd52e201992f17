#!/bin/sh
# The descheduler and the reboot agent as requesters of graceful evictions, by berth's own kinds or those of Kubernetes:
# eviction_requesters.sh BERTH [native]. Skips (77) without kubectl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
k() {
        "$kubectl_program" "$@"
}
kinds=lifecycle.berth.dev
mode=crd
if [ "${2:-}" = native ]; then
        kinds=lifecycle.k8s.io
        mode=native-own
fi
start_sandbox "$1" --nodes 2 ${2:+--feature-gates EvictionRequestAPI=true}
finish_early() {
        judge bad "$@"
        finish
}
pod() { # pod NAME NODE: the descheduler may take it before anybody sees it run
        k create -f - >/dev/null <<END
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {app: $1}, annotations: {descheduler.alpha.kubernetes.io/evict: "true"}}
spec: {nodeName: $2, terminationGracePeriodSeconds: 1, containers: [{name: c, image: x}]}
END
}
runs() {
        [ "$(k get pod "$1" -o 'jsonpath={.status.phase}')" = Running ]
}
no_requests() {
        [ "$(k get "evictionrequests.$kinds" -o name | wc -l)" -eq 0 ]
}
gone() {
        ! k get pod "$1"
}
trail() { # trail WORD...: a line of the trail has them all
        found=$(cat "$work/trail")
        for word in "$@"; do
                found=$(printf '%s\n' "$found" | grep -F "$word")
        done
        [ -n "$found" ]
}
cat >"$work/policy.yaml" <<'END'
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: p
  pluginConfig:
  - name: DefaultEvictor
    args: {}
  - name: PodLifeTime
    args: {maxPodLifeTimeSeconds: 0, labelSelector: {matchExpressions: [{key: app, operator: In, values: [a, c]}]}}
  plugins:
    deschedule: {enabled: [PodLifeTime]}
END
# Without the kinds the flag changes nothing.
if [ $mode = crd ]; then
        "$berth" descheduler --eviction-requests --descheduling-interval 1s --policy-config-file "$work/policy.yaml" \
                >"$work/descheduler.log" 2>&1 &
        descheduler=$!
        pod a node-0
        until_true gone a || finish_early "a was not evicted directly: $(tail -n 5 "$work/descheduler.log")"
        kill $descheduler # it would look for the kinds again after ten minutes only
fi

"$berth" evictions --mode $mode --leader-elect=false >"$work/trail" 2>"$work/evictions.log" &
children="$children $!"
until_true grep -q Ready "$work/evictions.log" || finish_early "berth evictions was never ready"
"$berth" descheduler --eviction-requests --descheduling-interval 1s --policy-config-file "$work/policy.yaml" \
        >"$work/descheduler.log" 2>&1 &
children="$children $!"
pod c node-0
until_true gone c || finish_early "c was not evicted: $(cat "$work/trail")"
until_true trail '"op":"request"' '"pod":"c"' descheduler.berth.dev/evict '"to":"PodDeleted"' ||
        judge bad "the trail does not tell of c: $(cat "$work/trail")"

# What stages took before is part of the reason; it is read before each pass, so policy and history come first.
k create -f - >/dev/null <<END
apiVersion: lifecycle.berth.dev/v1alpha1
kind: EvictionPolicy
metadata: {name: slow, namespace: default}
spec: {selector: {matchLabels: {kind: slow}}, stages: [{name: go, kind: evict}]}
END
now=$(date +%s)
k -n kube-system create configmap berth-eviction-history \
        --from-literal="durations.json={\"default/slow  go\": [[95000,$now],[95000,$now],[95000,$now],[95000,$now],[95000,$now]]}" >/dev/null
k create -f - >/dev/null <<END
apiVersion: v1
kind: Pod
metadata: {name: s, labels: {app: a, kind: slow}, annotations: {descheduler.alpha.kubernetes.io/evict: "true"}}
spec: {nodeName: node-0, terminationGracePeriodSeconds: 1, containers: [{name: c, image: x}]}
END
until_true gone s || finish_early "s was not evicted: $(cat "$work/trail")"
until_true grep -q 'expected to take 1m35s' "$work/descheduler.log" ||
        judge bad "the cost of s is not told: $(tail -n 5 "$work/descheduler.log")"

k create -f - >/dev/null <<END
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: lock}
spec:
  selector: {matchLabels: {app: lock}}
  template:
    metadata: {labels: {app: lock}}
    spec: {nodeSelector: {none: such}, containers: [{name: c, image: x}]}
END
pod d node-1
until_true runs d || finish_early "d never ran"
echo 1 >"$work/boot"
touch "$work/sentinel"
"$berth" reboot --eviction-requests --node-id node-1 --reboot-sentinel "$work/sentinel" --reboot-command "/bin/rm $work/sentinel" \
        --nsenter=false --metrics-port 0 --boot-id-file "$work/boot" --period 1s --ds-namespace default --ds-name lock >"$work/reboot.log" 2>&1 &
children="$children $!"
until_true gone d || finish_early "d was not drained: $(cat "$work/reboot.log")"
until_true trail '"pod":"d"' reboot.berth.dev/drain '"to":"PodDeleted"' ||
        judge bad "the trail does not tell of d: $(cat "$work/trail")"

# A drain that is given up takes its requests back: the policy's stage has not asked for the eviction yet.
k create -f - >/dev/null <<END
apiVersion: lifecycle.berth.dev/v1alpha1
kind: EvictionPolicy
metadata: {name: never, namespace: default}
spec: {selector: {matchLabels: {app: w}}, stages: [{name: hold, kind: wait, timeout: 1h, wait: {label: {key: done, value: "yes"}}}, {name: go, kind: evict}]}
END
pod w node-0
until_true runs w || finish_early "w never ran"
echo 2 >"$work/boot2"
touch "$work/sentinel2"
"$berth" reboot --eviction-requests --node-id node-0 --reboot-sentinel "$work/sentinel2" --reboot-command /bin/true --drain-timeout 5s --concurrency 2 \
        --nsenter=false --metrics-port 0 --boot-id-file "$work/boot2" --period 1s --ds-namespace default --ds-name lock >"$work/rollback.log" 2>&1 &
children="$children $!"
until_true trail '"pod":"w"' reboot.berth.dev/drain || judge bad "w was not asked for: $(cat "$work/rollback.log")"
until_true grep -q 'phase="Rollback"' "$work/rollback.log" || judge bad "no rollback: $(cat "$work/rollback.log")"
until_true no_requests || judge bad "the requests of a drain that was given up are left"
judge "$(runs w && echo ok)" "w was evicted"
judge "$([ "$(k get "evictionrequests.$kinds" -o name | wc -l)" -eq 0 ] && echo ok)" "requests are left"
finish
