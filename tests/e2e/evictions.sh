#!/bin/sh
# Evictions followed, withdrawn and audited with curl on a sandbox, by berth's own kinds or those of Kubernetes:
# evictions.sh BERTH [native]. Skips (77) without curl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
command -v curl >/dev/null || skip "no curl"
kinds=lifecycle.berth.dev
mode=crd
if [ "${2:-}" = native ]; then
        kinds=lifecycle.k8s.io
        mode=native-own
fi
start_sandbox "$1" --nodes 1 --seed 1 ${2:+--feature-gates EvictionRequestAPI=true}
api() {
        method=$1
        path=$2
        shift 2
        curl -ks -X "$method" -H 'Authorization: Bearer e2e' -H "Content-Type: ${type:-application/json}" "$url$path" "$@"
}
start() {
        "$berth" evictions --mode "$mode" --leader-elect=false --audit-file "$work/audit" "$@" \
                >"$work/evictions" 2>&1 &
        evictions=$!
        children="$children $evictions"
}
uid_of() {
        api GET "/api/v1/namespaces/default/pods/$1" | sed -n 's/.*"uid": *"\([^"]*\)".*/\1/p' | head -n 1
}
# Its metadata's further members, and its spec's.
pod() {
        api POST /api/v1/namespaces/default/pods -d "{\"metadata\":{\"name\":\"$1\",\"labels\":{\"app\":\"$1\"}$2},
                \"spec\":{\"nodeName\":\"node-0\",\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]${3:-}}}" >/dev/null
        wait_for "pod $1 runs" '"phase":"Running"' api GET "/api/v1/namespaces/default/pods/$1"
}
request() {
        api POST "$group/namespaces/default/evictionrequests" -d "{\"apiVersion\":\"$kinds/v1alpha1\",
                \"kind\":\"EvictionRequest\",\"metadata\":{\"name\":\"$1\"},\"spec\":{\"target\":{\"pod\":{\"name\":\"$2\",
                \"uid\":\"$(uid_of "$2")\"}},\"requester\":\"test.example.com/e2e\",\"intent\":\"Eviction\"}}" >/dev/null
}
withdraw() {
        type=application/merge-patch+json
        api PATCH "$group/namespaces/default/evictionrequests/$1" -d '{"spec":{"intent":"Withdrawn"}}' >/dev/null
        type=
}
eviction() {
        api GET "$group/namespaces/default/evictions/$1"
}
group=/apis/$kinds/v1alpha1
start
wait_for "definitions are served" '"name":"evictionrequests"' api GET "$group"
wait_for "ready" Ready cat "$work/evictions"

pod a ""
request want-a a
wait_for "evicted" '"reason":"PodDeleted"' eviction pod-1-a
wait_for "the requester sees it" '"reason":"PodDeleted"' api GET "$group/namespaces/default/evictionrequests/want-a"

api POST /apis/policy/v1/namespaces/default/poddisruptionbudgets -d '{"metadata":{"name":"b"},"spec":{"minAvailable":1,
        "selector":{"matchLabels":{"app":"b"}}}}' >/dev/null
pod b ""
request want-b b
wait_for "a budget makes it wait" 'attempts=1' eviction pod-1-b
kill -9 $evictions
wait $evictions 2>/dev/null
start
wait_for "attempts go on after a crash" 'attempts=2' eviction pod-1-b
withdraw want-b
wait_for "withdrawn" '"reason":"CanceledDueToNoRequesters"' eviction pod-1-b
wait_for "the pod lives" '"phase":"Running"' api GET /api/v1/namespaces/default/pods/b

if [ "$mode" = crd ]; then
        pod c ',"annotations":{"lifecycle.berth.dev/eviction-responders":"mover.example.com/move=10000"}'
else
        pod c '' ',"evictionResponders":[{"name":"mover.example.com/move","priority":10000}]'
fi
request want-c c
wait_for "the responder is Active first" '"name":"mover.example.com/move","priority":10000,"state":"Active"' eviction pod-1-c
api DELETE "$group/namespaces/default/evictionrequests/want-c" >/dev/null
wait_for "collected with its last request" '"reason":"NotFound"' eviction pod-1-c

wait_for "the trail is intact" intact "$berth" audit verify "$work/audit"
sed 's/"op":"cancel"/"op":"evicted"/' "$work/audit" >"$work/forged"
wait_for "a forged trail shows" "was changed" "$berth" audit verify "$work/forged"

# Cut off at the end it is a good chain, and only the cluster knows better; the next process says so, too.
anchored() {
        "$berth" audit verify --anchored "$@" 2>&1
}
wait_for "the end is anchored" "whole: up to line $(wc -l <"$work/audit")" anchored "$work/audit"
sed '$d' "$work/audit" >"$work/cut"
contains "a cut one is a chain" intact "$berth" audit verify "$work/cut"
exits "but not whole" 3 "the end is lost" "$berth" audit verify --anchored "$work/cut"
exits "nor with the head by hand" 3 "the end is lost" "$berth" audit verify --head "$(wc -l <"$work/audit") $("$berth" audit verify \
        "$work/audit" | sed -n 's/.*last //p')" "$work/cut"
: >"$work/empty"
exits "nothing is left of it" 3 "has no anchor" "$berth" audit verify --anchored "$work/empty"
exits "a head that is none" 2 'expected "SEQ HASH"' "$berth" audit verify --head 7 "$work/audit"
kill $evictions
wait $evictions 2>/dev/null
contains "the head is in the log at the end" AuditHead cat "$work/evictions"
cp "$work/cut" "$work/audit"
start
wait_for "noticed at the start" AuditEndLost cat "$work/evictions"
wait_for "and in the chain, which goes on" '"op":"end-lost"' cat "$work/audit"
contains "as a good one" intact "$berth" audit verify "$work/audit"
finish
