#!/bin/sh
# Metrics and health of the daemons, under the names and command lines of the programs they stand in for: serving.sh BERTH.
# promtool judges the metrics where there is one.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
berth=$1
command -v curl >/dev/null || skip "no curl"
promtool_program=$(find_client "${BERTH_PROMTOOL:-}" prometheus/usr/bin/promtool promtool)
command -v python3 >/dev/null || skip "no python3"
start_sandbox "$berth" --nodes 3
ln -s "$berth" "$work/kube-scheduler"
ln -s "$berth" "$work/descheduler"
port=$(free_port)
"$work/kube-scheduler" --kubeconfig="$KUBECONFIG" --secure-port="$port" --bind-address=127.0.0.1 --leader-elect=true \
        --authentication-kubeconfig="$KUBECONFIG" --authorization-kubeconfig="$KUBECONFIG" --authentication-skip-lookup=true \
        --profiling=false -v=2 >"$work/scheduler.log" 2>&1 &
scheduler=$!
children="$children $scheduler"
export port url
# page PATH OPTION...: as the administrator; answer TOKEN PATH: status and body
mkdir -p "$work/bin"
cat >"$work/bin/page" <<'P'
#!/bin/sh
path=$1
shift
exec curl -sk -H "Authorization: Bearer e2e" "$@" "https://127.0.0.1:$port$path"
P
cat >"$work/bin/answer" <<'P'
#!/bin/sh
token=$1 path=$2
shift 2
exec curl -sk -w '\n%{http_code}\n' ${token:+-H "Authorization: Bearer $token"} "$@" "https://127.0.0.1:$port$path"
P
chmod +x "$work/bin/page" "$work/bin/answer"
PATH=$work/bin:$PATH
create() {
        curl -sk -H "Authorization: Bearer e2e" -H "Content-Type: application/json" "$url$1" -d "$2"
}
until_true sh -c "curl -skf https://127.0.0.1:$port/readyz"
for name in one two; do
        create /api/v1/namespaces/default/pods '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"'$name'"},"spec":{"containers":[{"name":"c","image":"i"}]}}' >"$work/created"
done
create /api/v1/namespaces/default/pods '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"huge"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1k"}}}]}}' >"$work/created"
until_true sh -c "page /metrics | grep -q 'attempts_total{result=\"unschedulable\"'"
check "bound" 'scheduler_schedule_attempts_total\{result="scheduled",profile="default-scheduler"\} 2$' page /metrics
check "refused" 'scheduler_schedule_attempts_total\{result="unschedulable",profile="default-scheduler"\} [1-9]' page /metrics
check "pending" 'scheduler_pending_pods\{queue="unschedulable"\} 1$' page /metrics
check "plugin that refuses" 'scheduler_unschedulable_pods\{plugin="NodeResourcesFit",profile="default-scheduler"\} 1$' page /metrics
check "cache" 'scheduler_cache_size\{type="nodes"\} 3$' page /metrics
check "leader" 'leader_election_master_status\{name="kube-scheduler"\} 1$' page /metrics
check "writes" 'berth_writes_total\{kind="bind",result="asked"\} 2$' page /metrics
check "attempts" 'scheduler_pod_scheduling_attempts_count 2$' page /metrics
check "health" '^ok$' page /healthz
# Upstream's oldest TLS is 1.2, whatever the library would do.
spoken() { # spoken PORT OPTION...: 1 when they come to terms
        openssl s_client -connect "127.0.0.1:$@" -cipher ALL:@SECLEVEL=0 </dev/null 2>/dev/null | grep -c '^New, TLSv1'
}
is "TLS 1.3" 1 "$(spoken "$port" -tls1_3)"
is "TLS 1.2" 1 "$(spoken "$port" -tls1_2)"
is "no TLS 1.1" 0 "$(spoken "$port" -tls1_1)"
check "readiness" 'sched-handler-sync ok' page '/readyz?verbose'
check "configuration" '"kind":"KubeSchedulerConfiguration"' page /configz
check "decisions" '"pod":"default/huge"' page /debug/decisions
check "resources of pods" '^kube_pod_resource_request\{namespace="default",pod="huge",node="",.*resource="cpu",unit="cores"\} 1000$' \
        page /metrics/resources
check "outcomes of checks" 'kubernetes_healthcheck\{name="sched-handler-sync",type="readyz"\} 1$' page /metrics/slis
check "reset is not for everybody" 405 page /metrics -o /dev/null -w '%{http_code}' -X DELETE
[ -z "$promtool_program" ] || {
        page /metrics >"$work/scheduler.prom"
        page /metrics/resources >>"$work/scheduler.prom"
        page /metrics/slis >>"$work/scheduler.prom"
        check "promtool, scheduler" '^0$' sh -c "'$promtool_program' check metrics <'$work/scheduler.prom' >/dev/null 2>'$work/lint'; echo \$?"
}

# Who may read: the cluster says who a token is and what it may.
account() {
        create /api/v1/namespaces/default/serviceaccounts '{"metadata":{"name":"'"$1"'"}}' >"$work/created"
        create "/api/v1/namespaces/default/serviceaccounts/$1/token" '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}}' |
                python3 -c 'import json, sys; print(json.load(sys.stdin)["status"]["token"])'
}
scraper=$(account scraper)
stranger=$(account stranger)
create /apis/rbac.authorization.k8s.io/v1/clusterroles '{"metadata":{"name":"scrape"},"rules":[{"nonResourceURLs":["/metrics"],"verbs":["get"]}]}' >"$work/created"
create /apis/rbac.authorization.k8s.io/v1/clusterrolebindings '{"metadata":{"name":"scrape"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"scrape"},"subjects":[{"kind":"ServiceAccount","name":"scraper","namespace":"default"}]}' >"$work/created"
check "nobody, metrics" 'User ."system:anonymous." cannot get path ."/metrics."' answer "" /metrics
check "nobody is forbidden" '^403$' answer "" /metrics
check "nobody, health" '^200$' answer "" /healthz
check "nobody, one check" '^403$' answer "" /readyz/leaderElection
check "nobody, decisions" '^403$' answer "" /debug/decisions
check "nobody, configuration" '^403$' answer "" /configz
check "nobody, no page" '^403$' answer "" /nothing
check "unknown token" '^401$' answer wrong /metrics
check "unknown token says so" '"reason":"Unauthorized"' answer wrong /healthz
check "with the right" '^200$' answer "$scraper" /metrics
check "again, from memory" '^200$' answer "$scraper" /metrics
check "with the right to another page" '^403$' answer "$scraper" /configz
check "without the right" 'User ."system:serviceaccount:default:stranger." cannot get' answer "$stranger" /metrics
check "masters" '^404$' answer e2e /nothing
kill "$scheduler"
wait "$scheduler"
[ $? -eq 0 ] && judge ok || judge bad "end of kube-scheduler"

port=$(free_port)
cat >"$work/policy.yaml" <<'Y'
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: tidy
  pluginConfig: [{name: DefaultEvictor, args: {}}, {name: RemovePodsViolatingNodeTaints, args: {}}]
  plugins: {deschedule: {enabled: [RemovePodsViolatingNodeTaints]}}
Y
"$work/descheduler" --client-connection-kubeconfig="$KUBECONFIG" --policy-config-file="$work/policy.yaml" \
        --descheduling-interval=1s --secure-port="$port" --bind-address=127.0.0.1 --tls-min-version=VersionTLS13 --v=1 >"$work/descheduler.log" 2>&1 &
descheduler=$!
children="$children $descheduler"
until_true sh -c "curl -sk https://127.0.0.1:$port/metrics | grep -q 'loop_duration_seconds_count [1-9]'"
check "passes" '^descheduler_loop_duration_seconds_count [1-9]' curl -sk "https://127.0.0.1:$port"/metrics
is "TLS 1.3 of the descheduler" 1 "$(spoken "$port" -tls1_3)"
is "no TLS 1.2 there" 0 "$(spoken "$port" -tls1_2)"
check "health of the descheduler" 'Descheduler ok' curl -sk "https://127.0.0.1:$port"'/healthz?verbose'
check "its own check" '^ok$' curl -sk "https://127.0.0.1:$port"/healthz/Descheduler
check "reset" 200 curl -sk -o /dev/null -w '%{http_code}' -X DELETE "https://127.0.0.1:$port/metrics"
[ -z "$promtool_program" ] || {
        page /metrics >"$work/descheduler.prom"
        check "promtool, descheduler" '^[03]$' sh -c "'$promtool_program' check metrics <'$work/descheduler.prom' >/dev/null 2>'$work/lint'; echo \$?"
}
kill "$descheduler"
wait "$descheduler"
[ $? -eq 0 ] && judge ok || judge bad "end of descheduler"

# Nobody to ask: only open pages. A configuration of authentication that has to be there ends the start.
port=$(free_port)
"$work/kube-scheduler" --kubeconfig="$KUBECONFIG" --secure-port="$port" --bind-address=127.0.0.1 --leader-elect=false \
        --authorization-always-allow-paths=/livez,/metrics* -v=2 >"$work/alone.log" 2>&1 &
alone=$!
children="$children $alone"
until_true sh -c "curl -skf https://127.0.0.1:$port/livez"
check "an open page" '^200$' answer "" /metrics
check "health is open no more" '^403$' answer "" /healthz
check "tokens mean nothing" '^403$' answer e2e /configz
kill "$alone"
wait "$alone"
check "the sandbox's configuration of authentication goes" '"Success"' \
        curl -sk -X DELETE -H "Authorization: Bearer e2e" "$url/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"
check "configuration of authentication missing" "cannot read the cluster's configuration of authentication" \
        "$work/kube-scheduler" --kubeconfig="$KUBECONFIG" --authentication-kubeconfig="$KUBECONFIG" --secure-port="$port" \
        --bind-address=127.0.0.1 --authentication-tolerate-lookup-failure=false

# Certificates of clients, and of a proxy that says who asks. authority NAME; certificate NAME AUTHORITY SUBJECT DAYS...
authority() {
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$work/$1.key" -out "$work/$1.crt" \
                -days 2 -subj "/CN=$1" >>"$work/openssl.log" 2>&1
}
certificate() {
        name=$1 signer=$2 subject=$3
        shift 3
        openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$work/$name.key" -out "$work/$name.csr" \
                -subj "$subject" >>"$work/openssl.log" 2>&1 &&
                echo "extendedKeyUsage=${usage:-clientAuth}" >"$work/usage" &&
                openssl x509 -req -in "$work/$name.csr" -CA "$work/$signer.crt" -CAkey "$work/$signer.key" -CAcreateserial \
                        -extfile "$work/usage" -out "$work/$name.crt" "$@" >>"$work/openssl.log" 2>&1
}
# shown NAME PATH OPTION...: with that certificate; without a token
cat >"$work/bin/shown" <<'P'
#!/bin/sh
name=$1 path=$2
shift 2
exec curl -sk -w '\n%{http_code}\n' --cert "$work/$name.crt" --key "$work/$name.key" "$@" "https://127.0.0.1:$port$path"
P
chmod +x "$work/bin/shown"
export work
certificates_work() {
        check "its group may" '^200$' shown ana /metrics
        check "masters by certificate" '^404$' shown root /nothing
        check "user without the right" 'User ."bob." cannot get path' shown bob /metrics
        check "wrong authority" '^401$' shown forged /metrics
        check "wrong authority, open page" '^401$' shown forged /healthz
        check "wrong authority, right token" '^200$' shown forged /metrics -H "Authorization: Bearer $scraper"
        check "expired" '^401$' shown expired /metrics
        check "a server's" '^401$' shown server /metrics
        check "no certificate" '^403$' answer "" /metrics
        check "a proxy's word" '^200$' shown proxy /metrics -H "X-Remote-User: carl" -H "X-Remote-Group: x" -H "X-Remote-Group: scrapers"
        check "a proxy's word about somebody else" 'User ."carl." cannot get path' shown proxy /metrics -H "X-Remote-User: carl" -H "X-Remote-Group: x"
        check "a proxy without a word" '^401$' shown proxy /metrics
        check "a proxy that is not allowed" '^401$' shown other-proxy /metrics -H "X-Remote-User: carl" -H "X-Remote-Group: scrapers"
        check "a client is no proxy" 'User ."bob." cannot get path' shown bob /metrics -H "X-Remote-User: root" -H "X-Remote-Group: system:masters"
        check "headers alone" 'User ."system:anonymous." cannot' answer "" /metrics -H "X-Remote-User: root" -H "X-Remote-Group: system:masters"
        check "headers with a token" 'stranger' answer "$stranger" /metrics -H "X-Remote-User: root" -H "X-Remote-Group: system:masters"
}
# start_guarded OPTION...
start_guarded() {
        port=$(free_port)
        "$work/kube-scheduler" --kubeconfig="$KUBECONFIG" --authentication-kubeconfig="$KUBECONFIG" \
                --authorization-kubeconfig="$KUBECONFIG" --secure-port="$port" --bind-address=127.0.0.1 --leader-elect=false "$@" \
                >"$work/guarded.log" 2>&1 &
        guarded=$!
        children="$children $guarded"
        until_true sh -c "curl -skf https://127.0.0.1:$port/readyz"
}
stop_guarded() {
        kill "$guarded"
        wait "$guarded"
}
openssl version >/dev/null 2>&1 && authority clients && authority proxies && authority strangers &&
        certificate ana clients /O=scrapers/O=x/CN=ana -days 2 && certificate bob clients /CN=bob -days 2 &&
        certificate root clients /O=system:masters/CN=root -days 2 && certificate forged strangers /O=system:masters/CN=root -days 2 &&
        certificate expired clients /O=system:masters/CN=root -days -1 &&
        usage=serverAuth certificate server clients /O=system:masters/CN=root -days 2 &&
        certificate proxy proxies /CN=front -days 2 && certificate other-proxy proxies /CN=back -days 2 && {
        create /apis/rbac.authorization.k8s.io/v1/clusterrolebindings '{"metadata":{"name":"scrapers"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"scrape"},"subjects":[{"kind":"Group","name":"scrapers","apiGroup":"rbac.authorization.k8s.io"}]}' >"$work/created"
        start_guarded --authentication-skip-lookup=true --client-ca-file="$work/clients.crt" \
                --requestheader-client-ca-file="$work/proxies.crt" --requestheader-allowed-names=front,side
        certificates_work
        stop_guarded
        # The same from the cluster, which says so only once the scheduler runs.
        start_guarded
        check "nobody vouches yet" '^403$' shown ana /metrics
        python3 - "$work" >"$work/authentication.json" <<'P'
import json
import sys
text = {name: open("%s/%s.crt" % (sys.argv[1], name)).read() for name in ("clients", "proxies")}
print(json.dumps({"metadata": {"name": "extension-apiserver-authentication"}, "data": {
    "client-ca-file": text["clients"], "requestheader-client-ca-file": text["proxies"],
    "requestheader-allowed-names": '["front"]', "requestheader-username-headers": '["X-Remote-User"]',
    "requestheader-group-headers": '["X-Remote-Group"]', "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]'}}))
P
        create /api/v1/namespaces/kube-system/configmaps "@$work/authentication.json" >"$work/created"
        until_true sh -c "shown ana /metrics | grep '^200$'"
        certificates_work
        stop_guarded
        check "no authority in the file" 'no certificate of an authority' "$work/kube-scheduler" --kubeconfig="$KUBECONFIG" \
                --secure-port="$port" --bind-address=127.0.0.1 --client-ca-file="$work/ana.key"
}

# Exit codes: 1 for whatever is wrong, as upstream.
check "unknown flag" '^1$' sh -c "'$work/kube-scheduler' --nothing 2>/dev/null; echo \$?"
check "unknown gate" '^1$' sh -c "'$work/descheduler' --feature-gates=X=true --policy-config-file='$work/policy.yaml' 2>/dev/null; echo \$?"
check "no policy" '^1$' sh -c "'$work/descheduler' 2>/dev/null; echo \$?"
check "version" 'Kubernetes v1.36' "$work/kube-scheduler" --version
check "written configuration" '^kind: KubeSchedulerConfiguration$' sh -c "'$work/kube-scheduler' --write-config-to='$work/c.yaml' && cat '$work/c.yaml'"
finish
