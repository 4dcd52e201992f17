#!/bin/sh
# Room for the replacement of a pod that leaves in stages: eviction_reserve.sh BERTH. The scheduler holds it on the other node
# against a pod that would take it, hands it to the replacement, and gives it back when the eviction is withdrawn. Skips (77)
# without kubectl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
k() {
        "$kubectl_program" "$@"
}
start_sandbox "$1" --nodes 2
cpu=$(k get node node-0 -o 'jsonpath={.status.allocatable.cpu}')
half=$(((cpu + 1) / 2 + 1)) # two of these do not fit on one node
"$berth" evictions --leader-elect=false >"$work/trail" 2>"$work/evictions" &
children="$children $!"
until_true grep -q Ready "$work/evictions" || judge bad "no controller: $(cat "$work/evictions")"
"$berth" scheduler --leader-elect=false --eviction-reservations --v 2 >"$work/scheduler" 2>&1 &
children="$children $!"

database() { # database NAME RESERVE
        k apply -f - >/dev/null <<END
apiVersion: lifecycle.berth.dev/v1alpha1
kind: EvictionPolicy
metadata: {name: $1}
spec:
  selector: {matchLabels: {app: $1}}
  reserve: $2
  stages:
  - {name: agree, kind: wait, timeout: 1h, wait: {label: {key: go, value: "yes"}}}
  - {name: leave, kind: evict}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: $1}
spec:
  replicas: 1
  selector: {matchLabels: {app: $1}}
  template:
    metadata: {labels: {app: $1}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: c, image: x, resources: {requests: {cpu: $half}}}]
END
        until_true runs "app=$1" || judge bad "$1 never ran: $(cat "$work/scheduler")"
}
runs() {
        [ "$(k get pods -l "$1" -o 'jsonpath={.items[0].status.phase}')" = Running ]
}
node_of() {
        k get pods -l "$1" -o 'jsonpath={.items[0].spec.nodeName}'
}
thief() {
        k create -f - >/dev/null <<END
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {app: $1}}
spec: {terminationGracePeriodSeconds: 0, containers: [{name: c, image: x, resources: {requests: {cpu: $half}}}]}
END
}
held_on() { # held_on EVICTION: the node where room is held
        k get evictions.lifecycle.berth.dev "$1" -o 'jsonpath={.metadata.annotations.lifecycle\.berth\.dev/reserved}'
}
is_held() {
        [ -n "$(held_on "$1")" ]
}
is_unschedulable() {
        k get pod "$1" -o 'jsonpath={.status.conditions[?(@.type=="PodScheduled")].reason}' | grep -q Unschedulable
}

database db Required
pod=$(k get pods -l app=db -o 'jsonpath={.items[0].metadata.name}')
home=$(node_of app=db)
"$berth" evict --wait=false "$pod" >/dev/null
if until_true is_held "pod-1-$pod"; then judge ok; else judge bad "no room: $(cat "$work/scheduler")"; fi
other=$(held_on "pod-1-$pod")
judge "$([ "$other" != "$home" ] && echo ok)" "it is held at home, $home"
thief thief
if until_true is_unschedulable thief; then judge ok; else judge bad "the room was taken: $(k get pods -o wide)"; fi
k label pod "$pod" go=yes >/dev/null
until_true sh -c "! '$kubectl_program' get pod $pod" || judge bad "$pod stays: $(k get evictions.lifecycle.berth.dev -o yaml)"
until_true runs app=db || judge bad "no replacement: $(k get pods -o wide; cat "$work/scheduler")"
is "the replacement has the room" "$other" "$(node_of app=db)"
if until_true runs app=thief; then judge ok; else judge bad "the thief has no place: $(k get pods -o wide)"; fi

tells() { # tells OP MEMBER: a line of the trail about the first eviction
        grep -F '"op":"'"$1"'"' "$work/trail" | grep -F "pod-1-$pod" | grep -qF "$2"
}
if until_true tells reserve '"to":"'"$other"'"'; then judge ok; else judge bad "no reserve in the trail: $(cat "$work/trail")"; fi
if until_true tells release '"from":"'"$other"'"'; then judge ok; else judge bad "no release in the trail: $(cat "$work/trail")"; fi

# evict-D9: withdrawn in a stage, and the room is free again.
k delete pod thief >/dev/null
pod=$(k get pods -l app=db -o 'jsonpath={.items[0].metadata.name}')
"$berth" evict --wait=false "$pod" >/dev/null
until_true is_held "pod-1-$pod" || judge bad "no room again: $(cat "$work/scheduler")"
thief late
if until_true is_unschedulable late; then judge ok; else judge bad "evict-D9: the room was not held"; fi
"$berth" evict --cancel "$pod" >/dev/null
if until_true runs app=late; then judge ok; else judge bad "evict-D9: the room is held still: $(cat "$work/scheduler")"; fi

# Where it is required and there is none, nothing begins, and the request says so.
"$berth" evict --wait=false "$pod" >/dev/null
waits_for_victims() {
        k get evictionrequests.lifecycle.berth.dev -o yaml | grep -q "waiting for capacity on another node"
}
if until_true waits_for_victims; then judge ok; else judge bad "it does not say so: $(k get evictionrequests.lifecycle.berth.dev -o yaml)"; fi
judge "$(k get pod "$pod" >/dev/null && echo ok)" "it left without room"
finish
