#!/bin/sh
# The production trace through berth up: up_trace.sh BERTH. Places everything, lets kubectl look at
# the running cluster, and judges what it saw from the outside. Skips (77) where the trace, kubectl
# or python3 are missing.
berth=$1
trace=${BERTH_SHARED:-../shared}/data/openb
here=$(dirname "$0")
kubectl=${BERTH_KUBECTL:-kubectl}
command -v python3 >/dev/null || exit 77
command -v "$kubectl" >/dev/null || exit 77
[ -f "$trace/openb_pod_list_default.csv" ] || exit 77
work=$(mktemp -d) || exit 1
trap 'kill $up 2>/dev/null; rm -rf "$work"' EXIT INT TERM

echo "== to its end, with a report"
"$berth" up --trace "openb=$trace" --settle --report "$work/report.json" >"$work/settle.log" 2>&1 || {
        cat "$work/settle.log"
        exit 1
}
tail -n 12 "$work/settle.log"

echo "== as kubectl sees it"
"$berth" up --trace "openb=$trace" --kubeconfig-out "$work/kubeconfig" >"$work/up.log" 2>&1 &
up=$!
# How many fit depends on the order in which they came, so it may be one more or less than before: enough that three looks in a
# row see as many pods run, and that the check below finds no room for those that wait.
tries=0
alike=0
running=none
while [ $alike -lt 2 ] && [ $tries -lt 60 ]; do
        tries=$((tries + 1))
        sleep 1
        before=$running
        running=$("$kubectl" --kubeconfig "$work/kubeconfig" get pods -A --no-headers 2>/dev/null |
                grep -c Running)
        if [ "$running" = "$before" ] && [ "$running" != 0 ]; then
                alike=$((alike + 1))
        else
                alike=0
        fi
done
"$kubectl" --kubeconfig "$work/kubeconfig" get nodes,pods -A -o json >"$work/objects.json" || exit 1
python3 "$here/check_placement.py" "$work/objects.json" --naive
