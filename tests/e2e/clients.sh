# What the tests with real clients share; sourced. Each variable names a program, or nothing where there is none: the environment
# decides, then what scripts/setup.sh fetched, then PATH.
# shellcheck shell=sh disable=SC2034
cache=$(cd "$(dirname "$0")/../.." && pwd)/.cache

# find_client OVERRIDE FETCHED NAME: the program to use
find_client() {
        if [ -n "$1" ]; then
                echo "$1"
        elif [ -x "$cache/$2" ]; then
                echo "$cache/$2"
        else
                command -v "$3"
        fi
}
kubectl_program=$(find_client "${BERTH_KUBECTL:-}" kubectl-1.32/usr/bin/kubectl kubectl)
kubectl_old_program=$(find_client "${BERTH_KUBECTL_OLD:-}" kubectl-1.20/usr/bin/kubectl "")
prometheus_program=$(find_client "${BERTH_PROMETHEUS:-}" prometheus/usr/bin/prometheus prometheus)
promtool_program=$(find_client "${BERTH_PROMTOOL:-}" promtool/usr/bin/promtool promtool)
etcd_program=$(find_client "${BERTH_ETCD:-}" etcd/usr/bin/etcd etcd)
python_client=$cache/python-client/usr/lib/python3/dist-packages
[ ! -d "$python_client" ] || export PYTHONPATH="$python_client"

skip() {
        echo "skipped: $*"
        exit 77
}

work=$(mktemp -d) || exit 1
if [ -n "$kubectl_program" ]; then
        mkdir "$work/bin" && ln -s "$kubectl_program" "$work/bin/kubectl"
        PATH=$work/bin:$PATH
fi
children=
trap 'kill $children 2>/dev/null; wait; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
passed=0
failures=0

# start_sandbox BERTH ARGUMENT...: on a port of its own with a kubeconfig; sets server, url and KUBECONFIG
start_sandbox() {
        berth=$1
        shift
        export KUBECONFIG="$work/kubeconfig" HOME="$work"
        : >"$work/sandbox.out"
        "$berth" sandbox --listen 127.0.0.1:0 --kubeconfig-out "$KUBECONFIG" --token e2e "$@" \
                >"$work/sandbox.out" 2>"$work/sandbox.err" &
        server=$!
        children="$children $server"
        until_true grep -q listening "$work/sandbox.out" || {
                cat "$work/sandbox.err"
                exit 1
        }
        url=$(sed -n 's/^listening on //p' "$work/sandbox.out")
}
# plain_config URL: a kubeconfig for it, with the sandbox's token
plain_config() {
        cat <<Y
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "$1"}}]
users: [{name: u, user: {token: e2e}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
Y
}
# make_web: a ReplicaSet with one pod, on node-0, which runs afterwards
make_web() {
        kubectl create -f - >"$work/web" 2>&1 <<'Y' || judge bad "$(cat "$work/web")"
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {nodeName: node-0, containers: [{name: c, image: i}]}}
Y
        wait_for "a pod runs" Running kubectl get pods
}
# old_web_policy SECONDS ARGUMENTS: a policy under which pods of web that are older go; arguments of DefaultEvictor
old_web_policy() {
        cat <<Y
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: old
  pluginConfig:
  - {name: DefaultEvictor, args: {$2}}
  - {name: PodLifeTime, args: {maxPodLifeTimeSeconds: $1, labelSelector: {matchLabels: {app: web}}}}
  plugins: {deschedule: {enabled: [PodLifeTime]}}
Y
}
# waiting_policy NAME: an EvictionPolicy under which pods with the label app=NAME wait for others that never come
waiting_policy() {
        cat <<Y
apiVersion: lifecycle.berth.dev/v1alpha1
kind: EvictionPolicy
metadata: {name: $1}
spec:
  selector: {matchLabels: {app: $1}}
  stages: [{name: others, kind: wait, timeout: 2h, wait: {ready: {selector: {matchLabels: {app: other}}, count: 5}}}]
Y
}
# until_true COMMAND...: repeats a silent command, ten times a second, for two minutes
until_true() {
        tries=1200
        until "$@" >/dev/null 2>&1; do
                tries=$((tries - 1))
                [ $tries -gt 0 ] || return 1
                sleep 0.1
        done
}
# A port that is free and that no outgoing connection gets by chance.
free_port() {
        PYTHONPATH=$(dirname "$0") python3 -c 'import drill; print(drill.free_port())'
}
judge() {
        if [ "$1" = ok ]; then
                passed=$((passed + 1))
        else
                failures=$((failures + 1))
                shift
                echo "FAIL $*"
        fi
}
# check NAME PATTERN COMMAND...: the output, errors included, must match the extended regular expression
check() {
        [ -z "${TRACE:-}" ] || date "+%T.%N $1"
        name=$1 pattern=$2
        shift 2
        output=$(timeout 60 "$@" 2>&1)
        if printf '%s\n' "$output" | grep -Eq -- "$pattern"; then
                judge ok
        else
                judge bad "$name: expected $pattern, found: $output"
        fi
}
# contains NAME PATTERN COMMAND...: the output, errors included, contains the text; the command may be a function
contains() {
        name=$1 pattern=$2
        shift 2
        output=$("$@" 2>&1)
        case $output in
        *"$pattern"*) judge ok ;;
        *) judge bad "$name: expected $pattern, found: $output" ;;
        esac
}
# exits NAME CODE PATTERN COMMAND...: the program ends with the code, and its output contains the text
exits() {
        name=$1 expected=$2 pattern=$3
        shift 3
        output=$(timeout 120 "$@" 2>&1)
        code=$?
        case $code/$output in
        "$expected"/*"$pattern"*) judge ok ;;
        *) judge bad "$name: expected $expected and $pattern, found $code: $output" ;;
        esac
}
# wait_for NAME PATTERN COMMAND...: some time within two minutes the output contains the text
wait_for() {
        name=$1 pattern=$2 left=600
        shift 2
        while [ $left -gt 0 ]; do
                output=$("$@" 2>&1)
                case $output in
                *"$pattern"*)
                        judge ok
                        return
                        ;;
                esac
                left=$((left - 1))
                sleep 0.2
        done
        judge bad "$name: expected $pattern, found: $output"
}
# is NAME EXPECTED FOUND
is() {
        if [ "$2" = "$3" ]; then judge ok; else judge bad "$1: expected $2, found $3"; fi
}
finish() {
        echo "$passed passed, $failures failed"
        [ $failures -eq 0 ]
        exit
}
