#!/bin/sh
# berth plan against what the descheduler then does to the same sandbox: plan.sh BERTH. Also exit codes and forms.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
berth=$1
command -v curl >/dev/null || skip "no curl"
command -v python3 >/dev/null || skip "no python3"

cat >"$work/policy.yaml" <<'Y'
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
maxNoOfPodsToEvictPerNamespace: 3
profiles:
- name: tidy
  pluginConfig:
  - name: DefaultEvictor
    args: {}
  - name: PodLifeTime
    args: {maxPodLifeTimeSeconds: 1}
  plugins:
    deschedule: {enabled: [PodLifeTime]}
Y
start_sandbox "$berth" --nodes 4
"$berth" scheduler --kubeconfig "$KUBECONFIG" >"$work/scheduler.log" 2>&1 &
children="$children $!"
call() {
        curl -sk -H "Authorization: Bearer e2e" "$@"
}
# Workloads whose pods may go, and pods without an owner, which stay.
for name in web api; do
        call -H "Content-Type: application/json" "$url/apis/apps/v1/namespaces/default/deployments" -o /dev/null -d '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"'$name'"},"spec":{"replicas":4,"selector":{"matchLabels":{"a":"'$name'"}},"template":{"metadata":{"labels":{"a":"'$name'"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}'
done
call -H "Content-Type: application/json" "$url/api/v1/namespaces/default/pods" -o /dev/null -d '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"alone"},"spec":{"containers":[{"name":"c","image":"i"}]}}'
running() {
        [ "$(call "$url/api/v1/namespaces/default/pods?fieldSelector=status.phase%3DRunning" | grep -o '"nodeName"' | wc -l)" -ge 9 ]
}
until_true running || judge bad "the pods do not run"
sleep 2
expect() {
        wanted=$1
        shift
        "$berth" plan --policy "$work/policy.yaml" "$@" >"$work/out" 2>"$work/err"
        code=$?
        if [ $code -eq "$wanted" ]; then
                judge ok
        else
                judge bad "plan $*: code $code instead of $wanted: $(cat "$work/out" "$work/err")"
        fi
}
expect 0 --kubeconfig "$KUBECONFIG"
expect 3 --kubeconfig "$KUBECONFIG" --fail-on any
expect 3 --kubeconfig "$KUBECONFIG" --fail-on 3
expect 0 --kubeconfig "$KUBECONFIG" --fail-on 4
expect 3 --kubeconfig "$KUBECONFIG" --fail-on 'evictions>2'
expect 0 --kubeconfig "$KUBECONFIG" --fail-on 'evictions>3'
expect 2 --kubeconfig "$KUBECONFIG" --fail-on 0
expect 2 --kubeconfig "$KUBECONFIG" --fail-on many
check "table" '^3 eviction\(s\) on 4 node\(s\)' "$berth" plan --policy "$work/policy.yaml" --kubeconfig "$KUBECONFIG"
check "limit" 'limit per namespace' "$berth" plan --policy "$work/policy.yaml" --kubeconfig "$KUBECONFIG"
check "spared" 'default/alone .*PodLifeTime' "$berth" plan --policy "$work/policy.yaml" --kubeconfig "$KUBECONFIG" --spared
# Files say the same as the cluster they were taken from.
call "$url/api/v1/nodes" >"$work/nodes.json"
call "$url/api/v1/pods" >"$work/pods.json"
"$berth" plan --policy "$work/policy.yaml" --kubeconfig "$KUBECONFIG" -o json >"$work/live.json"
"$berth" plan --policy "$work/policy.yaml" --objects "$work/nodes.json" --objects "$work/pods.json" -o json >"$work/files.json"
names() {
        python3 -c 'import json, sys
print(sorted(e["name"] for e in json.load(open(sys.argv[1]))["evictions"]))' "$1"
}
planned=$(names "$work/live.json")
if [ "$planned" = "$(names "$work/files.json")" ] && [ "$planned" != "[]" ]; then judge ok; else judge bad "files: $(names "$work/files.json"), live: $planned"; fi
check "every eviction lands" '"landing"' cat "$work/live.json"

# Before and after, another policy, and the page.
sed 's/PerNamespace: 3/PerNamespace: 1/' "$work/policy.yaml" >"$work/other.yaml"
check "before and after" '^ *pending pods +[0-9]+ +[0-9]+' "$berth" plan --policy "$work/policy.yaml" --kubeconfig "$KUBECONFIG"
check "another policy" '^1 eviction\(s\) in both, 2 only in A, 0 only in B' "$berth" plan --policy "$work/policy.yaml" \
        --compare "$work/other.yaml" --kubeconfig "$KUBECONFIG"
expect 0 --compare "$work/other.yaml" --kubeconfig "$KUBECONFIG" --fail-on 'evictions>1'
expect 3 --compare "$work/other.yaml" --kubeconfig "$KUBECONFIG" --fail-on 'evictions>0'
"$berth" plan --policy "$work/policy.yaml" --compare "$work/other.yaml" --objects "$work/nodes.json" --objects "$work/pods.json" \
        -o json --html "$work/page.html" >"$work/compared.json"
check "compared as JSON" '^True 3 1 2' python3 -c 'import json, sys
v = json.load(open(sys.argv[1]))
print(v["both"] == 1, v["a"]["evictions"], v["b"]["evictions"], len(v["onlyA"]))' "$work/compared.json"
check "the page names pods" 'default/(web|api)-' cat "$work/page.html"
if grep -Eq '(src|href)=|url\(|@import' "$work/page.html"; then judge bad "the page needs something else"; else judge ok; fi
if python3 -c 'import html.parser, sys
class Page(html.parser.HTMLParser):
    stack = []
    def handle_starttag(self, tag, attributes):
        if tag != "meta":
            self.stack.append(tag)
    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, tag
page = Page()
page.feed(open(sys.argv[1]).read())
assert not page.stack' "$work/page.html"; then judge ok; else judge bad "the page is not well-formed"; fi

# What each move takes, where a policy leads pods out and there is a history of it: six times 1m, and once 10m.
now=$(date +%s)
cat >"$work/costs.yaml" <<Y
apiVersion: lifecycle.berth.dev/v1alpha1
kind: EvictionPolicy
metadata: {name: slow, namespace: default}
spec: {selector: {}, stages: [{name: move, kind: evict, timeout: 1h}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: berth-eviction-history, namespace: kube-system}
data:
  durations.json: '{"default/slow  move":[[60000,$now],[60000,$now],[60000,$now],[60000,$now],[60000,$now],[60000,$now],[600000,$now]]}'
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other, namespace: kube-system}
Y
check "what each takes" '60s \(p95 10m\)' "$berth" plan --policy "$work/policy.yaml" --objects "$work/nodes.json" --objects "$work/pods.json" \
        --objects "$work/costs.yaml"
"$berth" plan --policy "$work/policy.yaml" --objects "$work/nodes.json" --objects "$work/pods.json" --objects "$work/costs.yaml" \
        -o json >"$work/costs.json"
check "as JSON" "'p50Seconds': 60, 'p95Seconds': 600, 'samples': 7" python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["evictions"][0]["cost"])' "$work/costs.json"
sed 's/timeout: 1h/timeout: 1d/' "$work/costs.yaml" >"$work/typo.yaml"
check "a policy that cannot be read holds the pod" 'default/.*held: EvictionPolicy "slow" cannot be read: .*timeout' "$berth" plan \
        --policy "$work/policy.yaml" --objects "$work/nodes.json" --objects "$work/pods.json" --objects "$work/typo.yaml"
check "and nothing is evicted" '^0 eviction\(s\)' "$berth" plan --policy "$work/policy.yaml" --objects "$work/nodes.json" --objects "$work/pods.json" \
        --objects "$work/typo.yaml"
if grep -q cost "$work/files.json"; then judge bad "costs without a policy"; else judge ok; fi

# And the real thing does exactly that.
list() {
        call "$url/api/v1/namespaces/default/pods" | python3 -c 'import json, sys
print(*sorted(p["metadata"]["name"] for p in json.load(sys.stdin)["items"] if "deletionTimestamp" not in p["metadata"]), sep="\n")'
}
list >"$work/before"
"$berth" descheduler --kubeconfig "$KUBECONFIG" --policy-config-file "$work/policy.yaml" >"$work/descheduler.log" 2>&1
list >"$work/after"
gone=$(python3 -c 'import sys
after = set(open(sys.argv[2]).read().split())
print(sorted(n for n in open(sys.argv[1]).read().split() if n not in after))' "$work/before" "$work/after")
if [ "$gone" = "$planned" ]; then judge ok; else judge bad "evicted $gone instead of $planned"; fi
finish
