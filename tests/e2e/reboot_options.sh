#!/bin/sh
# The command line and environment of the reboot agent: exit codes and messages: reboot_options.sh BERTH.
berth=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ln -s "$(realpath "$berth")" "$work/kured"
export HOME="$work" KUBECONFIG="$work/none"
cat >"$work/cluster" <<Y
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: u, user: {}}]
Y
failures=0

# check NAME CODE PATTERN [VARIABLE=VALUE...] -- OPTION...
check() {
        name=$1 code=$2 pattern=$3
        shift 3
        variables=
        while [ "$1" != -- ]; do
                variables="$variables $1"
                shift
        done
        shift
        # shellcheck disable=SC2086
        output=$(env $variables "$work/kured" "$@" 2>&1)
        got=$?
        case $got:$output in
        "$code:"*"$pattern"*) echo "ok $name" ;;
        *)
                echo "FAIL $name: exit $got, $output"
                failures=$((failures + 1))
                ;;
        esac
}

n="--node-id n"
# shellcheck disable=SC2086
{
        check "no node" 1 "node-id" --
        check "help" 0 "--prefer-no-schedule-taint" -- --help
        check "unknown option" 2 "unknown option" -- --no-such-option
        check "bad value" 2 "duration" -- --period=soon
        check "bad value in the environment" 1 "duration" KURED_PERIOD=soon --
        check "period 0" 1 "period" -- $n --period 0s
        check "environment wins" 1 "period" KURED_PERIOD=0s -- $n --period 1h
        check "node from the environment" 1 "period" KURED_NODE_ID=n -- --period 0s
        check "method" 1 "reboot-method" -- $n --reboot-method foo
        check "signal" 1 "reboot-signal" -- $n --reboot-method signal --reboot-signal 0
        check "empty command" 1 "reboot-command" -- $n "--reboot-command="
        check "blank sentinel command" 1 "reboot-sentinel-command" -- $n --reboot-sentinel-command " "
        check "time" 1 "start-time" -- $n --start-time 9:30am
        check "time of the next day" 1 "end-time" -- $n --end-time 24:00
        check "zone" 1 "time-zone" -- $n --time-zone no/such
        check "zone outside" 1 "time-zone" -- $n --time-zone ../../etc/passwd
        check "days of both" 1 "reboot-days" KURED_REBOOT_DAYS=noday -- $n --reboot-days mon
        check "label" 1 "pre-reboot-node-labels" -- $n --pre-reboot-node-labels x
        check "regular expression" 1 "alert-filter-regexp" -- $n --alert-filter-regexp "("
        check "notify" 1 "NotificationsAreOnlyLogged" -- $n --notify-url pigeon://coop
        check "notify through opsgenie" 1 "kubeconfig" -- $n --notify-url opsgenie://api.opsgenie.com/key
        check "selector" 1 "drain-pod-selector" -- $n --drain-pod-selector "a=b=c,,("
        check "selector in the environment" 1 "is ignored" KURED_BLOCKING_POD_SELECTOR=a --
        check "boolean as in Go" 1 "node-id" -- --force-reboot=1
        check "prometheus url" 1 "http or https" KUBECONFIG=$work/cluster -- $n --metrics-port 0 --prometheus-url ::bad
        check "all well but the cluster" 1 "kubeconfig" -- $n --start-time 09:30am --time-zone UTC
}
[ $failures -eq 0 ]
