#!/bin/sh
# Pods in a long stage of their policy, and roles with default flags that want them gone: the descheduler and the reboot agent join the
# eviction, or with --eviction-requests never leave the pod alone until it is over; berth evict as well: eviction_respected.sh BERTH.
# The server itself lets calls of the subresource pass. Skips (77) without kubectl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
start_sandbox "$1" --nodes 2 --seed 1 --eviction-policy-waits=false
"$berth" evictions --leader-elect=false >"$work/trail" 2>"$work/evictions.log" &
children="$children $!"
wait_for "ready" Ready cat "$work/evictions.log"
kubectl create -f - >/dev/null <<END
apiVersion: lifecycle.berth.dev/v1alpha1
kind: EvictionPolicy
metadata: {name: db}
spec:
  selector: {matchLabels: {kind: db}}
  stages: [{name: hold, kind: wait, wait: {label: {key: may-go, value: "yes"}}}]
END
# pod NAME NODE: one that somebody asks to evict, and whose stage is under way
pod() {
        kubectl create -f - >/dev/null <<END
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {app: $1, kind: db}, annotations: {descheduler.alpha.kubernetes.io/evict: "true"}}
spec: {nodeName: $2, terminationGracePeriodSeconds: 1, containers: [{name: c, image: x}]}
END
        wait_for "pod $1 runs" Running kubectl get pod "$1"
        kubectl create -f - >/dev/null <<END
apiVersion: lifecycle.berth.dev/v1alpha1
kind: EvictionRequest
metadata: {name: want-$1}
spec:
  target: {pod: {name: $1, uid: $(kubectl get pod "$1" -o 'jsonpath={.metadata.uid}')}}
  requester: test.example.com/e2e
  intent: Eviction
END
        wait_for "the stage of $1 is under way" "name=hold" kubectl get evictions.lifecycle.berth.dev "pod-1-$1" -o yaml
}
left() {
        kubectl get pod "$1" --ignore-not-found -o 'jsonpath={.metadata.name} {.metadata.deletionTimestamp}'
}
# let_go NAME: the stage ends, and the pod goes
let_go() {
        is "$1 is left alone" "$1 " "$(left "$1")"
        kubectl label pod "$1" may-go=yes >/dev/null
        gone=$1
        is_gone() {
                [ -z "$(left "$gone")" ] && echo gone
        }
        wait_for "$1 goes when its stage is over" gone is_gone
}
requesters() {
        kubectl get evictionrequests.lifecycle.berth.dev -o 'jsonpath={range .items[*]}{.spec.requester} {.spec.target.pod.name}{"\n"}{end}'
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
    args: {maxPodLifeTimeSeconds: 0, labelSelector: {matchExpressions: [{key: app, operator: In, values: [a, b]}]}}
  plugins:
    deschedule: {enabled: [PodLifeTime]}
END

# A descheduler with default flags joins the eviction.
pod a node-0
"$berth" descheduler --descheduling-interval 1s --policy-config-file "$work/policy.yaml" --v 3 >"$work/descheduler.log" 2>&1 &
descheduler=$!
children="$children $descheduler"
wait_for "it asks by a request" "descheduler.berth.dev/evict a" requesters
sleep 3
let_go a
kill $descheduler
wait $descheduler 2>/dev/null

# One that only calls the subresource waits until that is over.
pod b node-0
"$berth" descheduler --eviction-requests never --descheduling-interval 1s --policy-config-file "$work/policy.yaml" --v 3 \
        >"$work/never.log" 2>&1 &
never=$!
children="$children $never"
until_true grep -qi pass "$work/never.log" || judge bad "no pass: $(cat "$work/never.log")"
sleep 3
contains "b is not asked for twice" "test.example.com/e2e b" requesters
let_go b
kill $never
wait $never 2>/dev/null

# So does berth evict; always is refused where the kinds are not served (below).
pod d node-0
exits "berth evict" 1 "was asked for, and is open" "$berth" evict --eviction-requests never --deadline 3s d
let_go d

# A drain before a reboot, by requests and by the subresource.
for mode in auto never; do
        node=node-1
        [ $mode = auto ] || node=node-0
        kubectl create -f - >/dev/null <<END
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: lock-$mode}
spec:
  selector: {matchLabels: {app: lock-$mode}}
  template:
    metadata: {labels: {app: lock-$mode}}
    spec: {nodeSelector: {none: such}, containers: [{name: c, image: x}]}
END
        pod "e-$mode" $node
        echo 1 >"$work/boot-$mode"
        touch "$work/sentinel"
        "$berth" reboot --eviction-requests "$mode" --node-id $node --reboot-sentinel "$work/sentinel" \
                --reboot-command "/bin/rm $work/sentinel" --nsenter=false --metrics-port 0 --boot-id-file "$work/boot-$mode" --period 1s \
                --ds-namespace default --ds-name "lock-$mode" >"$work/reboot-$mode.log" 2>&1 &
        reboot=$!
        children="$children $reboot"
        wait_for "the node is cordoned" SchedulingDisabled kubectl get node $node
        sleep 3
        let_go "e-$mode"
        until_true sh -c "! test -e $work/sentinel" || judge bad "no reboot: $(tail -n 5 "$work/reboot-$mode.log")"
        kill $reboot
        wait $reboot 2>/dev/null
        kubectl uncordon $node >/dev/null
done

# Where the kinds are not served.
kubectl delete crd evictionrequests.lifecycle.berth.dev evictions.lifecycle.berth.dev evictionpolicies.lifecycle.berth.dev >/dev/null 2>&1
kubectl create -f - >/dev/null <<END
apiVersion: v1
kind: Pod
metadata: {name: f}
spec: {nodeName: node-0, terminationGracePeriodSeconds: 0, containers: [{name: c, image: x}]}
END
wait_for "f runs" Running kubectl get pod f
exits "always is refused" 1 "the cluster has no EvictionRequests" "$berth" evict --eviction-requests always f
exits "auto calls the subresource" 0 "f evicted" "$berth" evict f
finish
