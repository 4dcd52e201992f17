#!/bin/sh
# Finished pods are cleaned through the eviction service: one whose eviction somebody asked for is left until that is over:
# eviction_cleanup.sh BERTH. Skips (77) without kubectl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
k() {
        "$kubectl_program" "$@"
}
start_sandbox "$1" --nodes 1
finish_early() {
        judge bad "$@"
        finish
}
cat >"$work/policy.yaml" <<'END'
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: p
  pluginConfig:
  - name: PodLifecycle
    args:
      rules:
      - {name: finished, action: Delete, allowTerminal: true, select: {labelSelector: {matchLabels: {by: delete}}}}
  - name: RemoveFailedPods
    args: {minPodLifetimeSeconds: 0}
  plugins:
    deschedule: {enabled: [PodLifecycle, RemoveFailedPods]}
END
# The kinds are there, nobody reconciles: what is asked for stays open.
"$berth" evictions --leader-elect=false >/dev/null 2>"$work/evictions.log" &
evictions=$!
until_true grep -q Ready "$work/evictions.log" || finish_early "berth evictions was never ready"
kill $evictions
wait $evictions

finished_pod() { # finished_pod NAME PHASE
        k create -f - >/dev/null <<END
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {by: ${3:-delete}}, annotations: {descheduler.alpha.kubernetes.io/evict: "true"}}
spec: {nodeName: node-0, containers: [{name: c, image: x}]}
END
        until_true runs "$1" || finish_early "$1 never ran"
        k patch pod "$1" --subresource=status --type=merge -p "{\"status\":{\"phase\":\"$2\"}}" >/dev/null ||
                finish_early "$1 cannot be finished"
}
runs() {
        [ "$(k get pod "$1" -o 'jsonpath={.status.phase}')" = Running ]
}
gone() {
        ! k get pod "$1"
}
finished_pod asked Succeeded
k create -f - >/dev/null <<END || finish_early "no request"
apiVersion: lifecycle.berth.dev/v1alpha1
kind: EvictionRequest
metadata: {name: want}
spec:
  requester: example.com/anna
  intent: Eviction
  target: {pod: {name: asked, uid: "$(k get pod asked -o 'jsonpath={.metadata.uid}')"}}
END
finished_pod free Succeeded
finished_pod failed Failed eviction
"$berth" descheduler --eviction-requests --descheduling-interval 1s --policy-config-file "$work/policy.yaml" \
        >"$work/descheduler.log" 2>&1 &
children="$children $!"
until_true gone free || finish_early "free was not deleted: $(cat "$work/descheduler.log")"
judge ok
if until_true gone failed; then judge ok; else judge bad "failed was not evicted: $(tail -n 20 "$work/descheduler.log")"; fi
until_true grep -q 'NotEvicted.*pod="asked".*is open' "$work/descheduler.log" ||
        finish_early "nothing is told of asked: $(cat "$work/descheduler.log")"
if gone asked >/dev/null 2>&1; then judge bad "deleted under an open request"; else judge ok; fi
k delete evictionrequests.lifecycle.berth.dev want >/dev/null
if until_true gone asked; then judge ok; else judge bad "asked stays: $(tail -n 20 "$work/descheduler.log")"; fi
finish
