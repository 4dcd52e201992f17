#!/bin/sh
# The cleaning rules on a sandbox, with kubectl: what the plan says beforehand goes, to the pod; the rest stays; then the watch.
# descheduler_drill.sh BERTH
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
berth=$1
[ -n "$kubectl_program" ] || skip "no kubectl"
command -v python3 >/dev/null || skip "no python3"
k() {
        "$kubectl_program" "$@"
}

cat >"$work/policy.yaml" <<'Y'
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
maxNoOfPodsToEvictPerNamespace: 4
profiles:
- name: drill
  pluginConfig:
  - name: DefaultEvictor
    args: {}
  - name: PodLifecycle
    args:
      rules:
      - name: production
        action: Keep
        allowTerminal: true
        select: {namespaces: {include: [prod]}}
      - name: input-is-invalid
        action: Delete
        allowTerminal: true
        select: {namespaces: {include: [jobs]}}
        when: {phases: [Failed], initExitCodes: [42]}
      - name: machine-learning
        action: Delete
        allowTerminal: true
        select: {namespaces: {include: [ml]}}
        retention: {ttl: 1s, keepNewest: 3, per: Namespace}
      - name: asked-to-go-within-a-budget
        action: Evict
        select: {labelSelector: {matchLabels: {go: "yes", app: web}}}
      - name: asked-to-go
        action: Evict
        select: {labelSelector: {matchLabels: {go: "yes", app: api}}}
  plugins:
    deschedule: {enabled: [PodLifecycle]}
Y
start_sandbox "$berth" --nodes 3 --seed 1
"$berth" scheduler --kubeconfig "$KUBECONFIG" >"$work/scheduler.log" 2>&1 &
children="$children $!"

# finished NAMESPACE NAME: a pod that ends well at once
finished() {
        printf 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: %s\n  namespace: %s\n  annotations: {sandbox.berth.dev/run: 100ms}\nspec:\n  restartPolicy: Never\n  containers: [{name: c, image: i}]\n---\n' "$2" "$1"
}
# job NAME CODE [MORE]: its only pod fails in its init container
job() {
        printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s, namespace: jobs}\nspec:\n  backoffLimit: 0\n'"${3:-}"'  template:\n    metadata: {annotations: {sandbox.berth.dev/run.check: 100ms exit %s}}\n    spec:\n      restartPolicy: Never\n      initContainers: [{name: check, image: i}]\n      containers: [{name: c, image: i}]\n---\n' "$1" "$2"
}
# deployment NAME: six pods
deployment() {
        printf 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %s}\nspec:\n  replicas: 6\n  selector: {matchLabels: {app: %s}}\n  template:\n    metadata: {labels: {app: %s}}\n    spec: {containers: [{name: c, image: i}]}\n---\n' "$1" "$1" "$1"
}
budget() {
        printf 'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: %s}\nspec: {maxUnavailable: 1, selector: {matchLabels: {app: %s}}}\n---\n' "$1" "$1"
}
count() { # count NUMBER NAMESPACE SELECTOR: so many pods
        [ "$(k get pods -n "$2" --field-selector "$3" -o name | wc -l)" -eq "$1" ]
}
is_counted() { # no pod of the Jobs waits to be counted by the controller
        ! k get pods -n jobs -o jsonpath='{.items[*].metadata.finalizers}' | grep -q tracking
}
{
        printf 'apiVersion: v1\nkind: Namespace\nmetadata: {name: ml}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: prod}\n---\n'
        printf 'apiVersion: v1\nkind: Namespace\nmetadata: {name: jobs}\n---\n'
        finished ml run-1
        finished ml run-2
        finished prod run-1
        finished prod run-2
        job invalid 42
        job broken 1
        job tidy 42 '  ttlSecondsAfterFinished: 86400\n'
        deployment web
        deployment api
        budget web
} | k apply -f - >"$work/apply.log" 2>&1 || judge bad "apply: $(cat "$work/apply.log")"
until_true count 2 ml status.phase=Succeeded || judge bad "ml-1 and ml-2 did not finish"
sleep 2 # times of finishing are whole seconds: the newest three are clearly newer
{
        finished ml run-3
        finished ml run-4
        finished ml run-5
} | k apply -f - >/dev/null
until_true count 5 ml status.phase=Succeeded || judge bad "not all of ml finished"
until_true count 2 prod status.phase=Succeeded || judge bad "not all of prod finished"
until_true count 3 jobs status.phase=Failed || judge bad "the Jobs did not fail"
until_true is_counted || judge bad "the Job controller did not count its pods"
until_true count 12 default status.phase=Running || judge bad "web and api do not run"
k label pods -l 'app in (web, api)' go=yes >/dev/null
until_true sh -c "[ \"\$('$kubectl_program' get pdb web -o jsonpath='{.status.disruptionsAllowed}')\" = 1 ]" ||
        judge bad "the budget does not open"

# ---- what is planned, and what one pass then does
list() {
        k get pods -A --no-headers -o custom-columns=A:.metadata.namespace,B:.metadata.name,C:.metadata.deletionTimestamp |
                awk '$3 == "<none>" {print $1 "/" $2}' | sort
}
list >"$work/before"
"$berth" plan --policy "$work/policy.yaml" --kubeconfig "$KUBECONFIG" -o json >"$work/plan.json" || judge bad "plan failed"
python3 - "$work/plan.json" >"$work/planned" <<'P'
import json, sys
print(*sorted(f"{e['namespace']}/{e['name']}" for e in json.load(open(sys.argv[1]))["evictions"]), sep="\n")
P
check "limits and budget are told" 'limit per namespace' cat "$work/plan.json"
check "and the budget" 'disruption budget' cat "$work/plan.json"
"$berth" descheduler --kubeconfig "$KUBECONFIG" --policy-config-file "$work/policy.yaml" >"$work/once.log" 2>&1
list >"$work/after"
comm -23 "$work/before" "$work/after" >"$work/gone"
if cmp -s "$work/planned" "$work/gone"; then judge ok; else judge bad "planned: $(cat "$work/planned"), gone: $(cat "$work/gone")"; fi
# gone NUMBER PATTERN: so many of those that went match
gone() {
        if [ "$(grep -c "$2" "$work/gone")" -eq "$1" ]; then judge ok; else judge bad "$2: not $1 of $(cat "$work/gone")"; fi
}
gone 1 '^jobs/invalid-'
gone 0 '^jobs/broken-'
gone 0 '^jobs/tidy-' # its Job cleans up by itself
gone 2 '^ml/run-[12]$'
gone 0 '^ml/run-[345]$'
gone 0 '^prod/'
gone 1 '^default/web-'
gone 3 '^default/api-'

# ---- the watch: the regular pass is an hour away
"$berth" descheduler --kubeconfig "$KUBECONFIG" --policy-config-file "$work/policy.yaml" --descheduling-interval 1h --watch \
        --secure-port 0 >"$work/watch.log" 2>&1 &
children="$children $!"
until_true grep -q DeschedulingPass "$work/watch.log" || judge bad "no pass: $(cat "$work/watch.log")"
"$kubectl_program" get pods -n jobs -w --output-watch-events --no-headers \
        -o custom-columns=E:.type,N:.object.metadata.name,P:.object.status.phase 2>/dev/null |
        while read -r line; do echo "$(date +%s.%N) $line"; done >"$work/events" &
children="$children $!"
until_true grep -q broken "$work/events" || judge bad "kubectl does not watch"
{
        job hasty 42
        job lasting 1
        finished ml run-6
} | k apply -f - >/dev/null
until_true grep -q 'DELETED *hasty' "$work/events" || judge bad "hasty is still there: $(cat "$work/events")"
until_true sh -c "! '$kubectl_program' get pod -n ml run-3" || judge bad "run-3 is still there"
until_true grep -q 'lasting.* Failed' "$work/events" || judge bad "lasting did not fail"
awk '/MODIFIED *hasty.* Failed/ && !failed {failed = $1} /DELETED *hasty/ {printf "cleaned %.2f s after it failed\n", $1 - failed}' \
        "$work/events"
check "exit code 1 stays" 'lasting-.*Failed|lasting-.*Error' "$kubectl_program" get pods -n jobs --no-headers -o custom-columns=N:.metadata.name,P:.status.phase
check "the newest three of ml stay" '^run-4 run-5 run-6$' "$kubectl_program" get pods -n ml -o 'jsonpath={.items[*].metadata.name}'
check "prod stays" '^run-1 run-2$' "$kubectl_program" get pods -n prod -o 'jsonpath={.items[*].metadata.name}'
finish
