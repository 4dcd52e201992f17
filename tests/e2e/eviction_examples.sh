#!/bin/sh
# The policies of examples/eviction at work: a primary that hands over before it goes, one that is called off after it did, and a cache
# that is written back: eviction_examples.sh BERTH EXAMPLES. Skips (77) without kubectl or Python.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
command -v python3 >/dev/null || skip "no python3"
examples=$2
start_sandbox "$1" --nodes 1 --seed 1
python3 "$(dirname "$0")/pg_operator.py" "$url" "$work" >"$work/hook" 2>&1 &
children="$children $!"
mkdir "$work/hooks"
cat >"$work/hooks/write-back" <<END
#!/bin/sh
cat >"$work/order"
echo written
END
chmod 700 "$work/hooks/write-back"
"$berth" evictions --leader-elect=false --no-audit-output --hook-directory "$work/hooks" >"$work/evictions" 2>&1 &
children="$children $!"
pod() { # pod NAME LABELS
        kubectl create -f - >/dev/null <<END
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {$2}}
spec: {nodeName: node-0, terminationGracePeriodSeconds: 1, containers: [{name: c, image: x}]}
END
        wait_for "pod $1 runs" Running kubectl get pod "$1"
}
message() {
        kubectl get evictions.lifecycle.berth.dev "$1" -o 'jsonpath={.status.responders[?(@.startTime)].message}'
}
outcome() {
        kubectl get evictions.lifecycle.berth.dev "$1" -o 'jsonpath={.status.conditions[*].reason}'
}
role() {
        kubectl get pod "$1" -o 'jsonpath={.metadata.labels.role}'
}
until_true test -s "$work/hook"
wait_for "ready" Ready cat "$work/evictions"
sed "s,https://pg-operator.databases.svc/hooks/eviction,$(cat "$work/hook")," "$examples/primary-handover.yaml" >"$work/policies.yaml"
kubectl apply -f "$work/policies.yaml" -f "$examples/drain-cache.yaml" >/dev/null
kubectl create secret generic pg-hook --from-literal=token=sesame >/dev/null

# Nobody to hand over to at first; then a replica comes.
pod pg-0 "app: pg, role: primary"
exits "asked for" 0 open "$berth" evict --wait=false pg-0
wait_for "it waits for a replica" "0 of 1 other pods ready" message pod-1-pg-0
pod pg-1 "app: pg, role: replica"
wait_for "gone after the hand-over" PodDeleted outcome pod-1-pg-0
is "the replica is the primary" primary "$(role pg-1)"
is "handed over once" "run handover pg-0" "$(cat "$work/log")"

# Called off when it has handed over and not yet stepped down: the old primary takes over again.
touch "$work/slow"
pod pg-2 "app: pg, role: replica"
exits "asked for, too" 0 open "$berth" evict --wait=false pg-1
wait_for "handed over, not stepped down" "name=stepped-down" message pod-1-pg-1
is "two in charge for a while" primary "$(role pg-2)"
exits "called off" 0 withdrawn "$berth" evict --cancel pg-1
wait_for "the old one is in charge" primary role pg-1
wait_for "the other is not" replica role pg-2
is "its pod lives" Running "$(kubectl get pod pg-1 -o 'jsonpath={.status.phase}')"
is "rolled back once" 1 "$(grep -c '^rollback handover pg-1$' "$work/log")"
rm "$work/slow"

# A replica simply goes, and so does a cache once it is written back.
pod cache "app: cache"
exits "a replica and a cache" 0 "2 of 2: 2 evicted" "$berth" evict pg-2 cache
contains "the program got its order" '"op":"run"' cat "$work/order"
[ $failures -eq 0 ] || cat "$work/log" "$work/evictions"
finish
