#!/bin/sh
# Bad input to every command, each with a clear error, the right exit code and nothing half done:
# bad_input.sh BERTH. The last line is "N passed, M failed".
berth=$1
work=$(mktemp -d) || exit 1
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
passed=0
failed=0

# expect NAME CODE PATTERN COMMAND...: exit code and an extended regular expression on standard error
expect() {
        name=$1 code=$2 pattern=$3
        shift 3
        timeout 30 "$@" >out 2>err
        got=$?
        if [ $got -eq "$code" ] && grep -Eq -- "$pattern" err; then
                passed=$((passed + 1))
        else
                failed=$((failed + 1))
                echo "FAIL $name: exit $got, standard error:"
                cat err
        fi
}

# ---- YAML and objects ----
printf 'a: [1, 2\nb: }\n' >broken.yaml
expect broken-yaml 1 'broken\.yaml:[0-9]+:[0-9]+: ' "$berth" up --input broken.yaml --settle
printf '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},\n' >broken.json
expect broken-json 1 'broken\.json:[0-9]+:[0-9]+: ' "$berth" up --input broken.json --settle
printf 'metadata: {name: x}\n' >nokind.yaml
expect no-kind 1 'nokind\.yaml.*(kind|apiVersion)' "$berth" up --input nokind.yaml --settle
printf 'apiVersion: v1\nkind: Wheel\nmetadata: {name: x}\n' >kind.yaml
expect unknown-kind 1 'kind\.yaml:.*no matches for kind "Wheel" in version "v1"' \
        "$berth" up --input kind.yaml --settle
cat >negative.yaml <<'Y'
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - {name: c, image: i, resources: {requests: {cpu: "-1"}}}
Y
expect negative-quantity 1 'negative\.yaml:1.*must be greater than or equal to 0' \
        "$berth" up --input negative.yaml --settle
cat >type.yaml <<'Y'
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  priority: high
  containers: [{name: c, image: i}]
Y
expect wrong-type 1 'type\.yaml:1.*' "$berth" up --input type.yaml --settle
expect no-such-file 1 'nowhere\.yaml: No such file' "$berth" up --input nowhere.yaml --settle
mkdir empty
expect empty-folder 1 'empty: expected \*\.yaml' "$berth" up --input empty --settle
cat >scenario.yaml <<'Y'
apiVersion: berth.dev/v1alpha1
kind: Scenario
metadata: {name: s}
steps:
- {after: soon}
- {afterr: 1s}
Y
expect scenario-two-mistakes 1 'scenario\.yaml: 2 problems: \[5:11: steps\[0\]\.after: .* 6:4: steps\[1\]\.afterr' \
        "$berth" up --input scenario.yaml --settle

# ---- policies ----
cat >policy.yaml <<'Y'
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: p
  pluginConfig:
  - name: RemoveFailedPods
    args: {minPodLifetimeSeconds: soon}
  - name: PodLifeTime
    args: {states: [Nowhere]}
  plugins:
    deschedule: {enabled: [RemoveFailedPods, PodLifeTime]}
Y
expect policy-two-mistakes 1 'minPodLifetimeSeconds' "$berth" up --policy policy.yaml --settle
expect policy-second-mistake 1 'Nowhere' "$berth" up --policy policy.yaml --settle
expect policy-names-lines 1 'policy\.yaml: 2 problems: \[7:35: .* 9:11: ' "$berth" up --policy policy.yaml --settle
sed 's/deschedule:/deshedule:/; s/soon/1/; s/Nowhere/Failed/' policy.yaml >typo.yaml
expect policy-unknown-field 1 'typo\.yaml:11.*deshedule' "$berth" up --policy typo.yaml --settle
expect policy-unknown-field-daemon 1 'typo\.yaml:11.*deshedule' \
        "$berth" descheduler --policy-config-file typo.yaml
expect policy-missing 2 'expected --policy-config-file' "$berth" descheduler

# ---- traces ----
mkdir trace
printf 'sn,cpu_milli,memory_mib,gpu,model\nn-0,1000,1024,0,\n' >trace/openb_node_list_all_node.csv
printf '%s\n%s\n%s\n' \
        'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time' \
        'p-0,100,10,0,0,,LS,Running,0,1,0' 'p-1,x,10,0,0,,LS,Running,0,1,0' \
        >trace/openb_pod_list_default.csv
expect broken-row 1 'openb_pod_list_default\.csv:3: cpu_milli: expected a whole number' \
        "$berth" up --trace openb=trace --settle
expect unknown-trace 2 'expected openb=DIR' "$berth" up --trace other=trace
expect missing-trace 1 'nowhere/openb_node_list_all_node\.csv: No such file' \
        "$berth" up --trace openb=nowhere

# ---- files and ports ----
expect report-folder 1 'cannot write the report' "$berth" up --settle --report nowhere/r.json
[ -e nowhere ] && failed=$((failed + 1)) && echo "FAIL a folder was made for the report"
expect bad-listen 2 'expected ADDRESS:PORT' "$berth" sandbox --listen nonsense
expect bad-controllers 1 'unknown controller|frobnicator' \
        "$berth" sandbox --listen 127.0.0.1:0 --controllers frobnicator
expect bad-data-dir 1 'nowhere' "$berth" sandbox --listen 127.0.0.1:0 --data-dir nowhere/deep
expect bad-kubeconfig-out 1 'nowhere/kc' \
        "$berth" sandbox --listen 127.0.0.1:0 --kubeconfig-out nowhere/kc
expect no-kubeconfig 1 'missing\.yaml' "$berth" scheduler --kubeconfig missing.yaml

"$berth" sandbox --listen 127.0.0.1:0 --token secret --controllers none >server.out 2>server.err &
server=$!
tries=0
while ! grep -q listening server.out && [ $tries -lt 100 ]; do
        tries=$((tries + 1))
        sleep 0.05
done
port=$(sed -n 's/^listening on .*:\([0-9]*\)$/\1/p' server.out)
expect port-in-use 1 "127\.0\.0\.1:$port.*in use" "$berth" sandbox --listen "127.0.0.1:$port"

# ---- usage ----
expect unknown-command 2 'unknown command "fly"' "$berth" fly
expect unknown-option 2 'unknown option --fly' "$berth" up --fly
expect near-command 2 'unknown command "desceduler"; did you mean "descheduler"' "$berth" desceduler
expect kubectl-verb 2 'unknown command "get"; kubectl does that' "$berth" get pods
expect kubectl-drain 2 'berth evict --node NAME empties a node' "$berth" drain n1
expect near-option 2 'unknown option --objcts; did you mean --objects' "$berth" plan --objcts x
expect part-of-option 2 'unknown option --interval; did you mean --descheduling-interval' "$berth" descheduler --interval 5m
expect no-kubeconfig 1 'no --objects FILE is given, so the live cluster is read: there is no kubeconfig: expected --kubeconfig FILE' \
        env -u KUBECONFIG -u KUBERNETES_SERVICE_HOST HOME="$work" "$berth" plan
printf 'NAME   READY\nweb-1  1/1\n' >table.txt
expect kubectl-table 1 'table\.txt:1:1: expected a Kubernetes object.*kubectl get needs -o yaml' "$berth" plan -f table.txt
# policy NAME PATTERN PLUGINCONFIG ENABLED: what is said of a mistake in a policy
policy() {
        printf 'apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\nprofiles:\n- name: a\n  pluginConfig: [%s]\n  plugins: {%s}\n' "$3" "$4" >policy.yaml
        printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\nspec: {containers: [{name: c, image: i}]}\n' >pod.yaml
        expect "$1" 1 "$2" "$berth" plan -f pod.yaml --policy policy.yaml
}
policy near-plugin 'plugin "PodLifetime" is not known; did you mean "PodLifeTime"' '{name: PodLifetime}' ''
policy no-plugin-config 'has no entry in pluginConfig: add one with its name' '' 'balance: {enabled: [RemoveDuplicates]}'
policy wrong-point 'does not take part here, but in plugins.balance' '{name: RemoveDuplicates}' 'deschedule: {enabled: [RemoveDuplicates]}'
expect other-namespace 1 'no pod default/p; did you mean shop/p' "$berth" explain p -f pod.yaml
sed 's/name: p/name: web-abc/; s/name: p,/name: web-abc,/' pod.yaml >workload.yaml
expect name-of-a-workload 1 'no pod default/web; did you mean shop/web-abc\?' "$berth" explain web -f workload.yaml
expect kind-before-the-name 1 'no pod pod/web-abc; did you mean shop/web-abc\?' "$berth" explain pod/web-abc -f workload.yaml
expect kind-as-a-word 1 'no pod default/pod: expected NAME or NAMESPACE/NAME of pods' "$berth" explain pod web -f workload.yaml

# ---- clusters that are none, or not ours ----
kubeconfig() {
        printf 'apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: "http://127.0.0.1:%s"}}]\n' "$port"
        printf 'users: [{name: u, user: {token: %s}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n' "$1"
        printf 'current-context: c\n'
}
kubeconfig secret >kc
kubeconfig wrong >wrong.kc
grep -v current-context kc >none.kc
expect no-kubeconfig-at-all 1 'policy\.yaml: kind: expected Config, found DeschedulerPolicy: this is no kubeconfig' \
        "$berth" plan --policy policy.yaml --kubeconfig policy.yaml
expect no-context 1 'none\.kc: there is no current-context: expected one, or --context NAME' "$berth" explain --kubeconfig none.kc
expect unknown-context 1 'kc: context "other" does not exist' "$berth" explain --kubeconfig kc --context other
for words in 'explain' 'plan --policy policy.yaml' 'evict p' 'reboot status'; do
        # shellcheck disable=SC2086
        expect "wrong-token $words" 1 "does not know who is asking: see the credentials" "$berth" $words --kubeconfig wrong.kc
done
expect evict-unknown-pod 1 'evict: pod nosuch not found in namespace default: expected NAME or NAMESPACE/NAME' \
        "$berth" evict nosuch --kubeconfig kc
expect evict-kind-and-name 1 'evict: pod p not found in namespace pod: expected NAME or NAMESPACE/NAME' "$berth" evict pod/p --kubeconfig kc
expect evict-unknown-node 1 'nodes "nosuch" not found' "$berth" evict --node nosuch --kubeconfig kc
if "$berth" evict -l app=nosuch --kubeconfig kc | grep -q 'no pods have these labels in this namespace (-n and -A name others)'; then
        passed=$((passed + 1))
else
        failed=$((failed + 1)) && echo "FAIL evict-nobody"
fi
expect bad-number 2 'option --nodes: expected a number from' "$berth" up --nodes=-1
expect bad-duration 2 'expected a duration' "$berth" up --for soon
expect unknown-replay 2 'found "other"' "$berth" replay other
printf 'not json\n' >cases.jsonl
expect broken-case 1 'cases\.jsonl:1' "$berth" replay quantity cases.jsonl

# ---- HTTP: the server answers, and lives on ----
cat >http.py <<'P'
import select
import socket
import sys

port = int(sys.argv[1])


def ask(data, want, name):
    s = socket.create_connection(('127.0.0.1', port), 10)
    answer = b''
    at = 0
    try:
        while True:  # reads while it sends: a refusal may come before the end of the body
            can_read, can_send, _ = select.select([s], [s] if at < len(data) else [], [], 10)
            if can_read:
                part = s.recv(65536)
                if not part:
                    break
                answer += part
            elif can_send:
                at += s.send(data[at:at + 65536])
            else:
                break
    except OSError:
        pass
    line = answer.split(b'\r\n')[0].decode('latin-1')
    good = line == '' if want is None else any(' %d ' % w in line for w in want)
    print('%s %s: %r' % ('ok' if good else 'FAIL', name, line))
    return good


auth = b'Host: x\r\nAuthorization: Bearer secret\r\n'
post = b'POST /api/v1/namespaces/default/pods HTTP/1.1\r\n' + auth
good = [
    ask(b'GET /version HTTP/1.1\r\n' + auth + b'Connection: close\r\n\r\n', [200], 'plain request'),
    ask(b'rubbish\r\n\r\n', [400, 501], 'no HTTP') or True,
    ask(b'GET /api/v1/pods HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n'
        b'Connection: close\r\n\r\n', [401], 'wrong token'),
    ask(post + b'Content-Type: application/json\r\nContent-Length: 5\r\nConnection: close\r\n\r\n'
        b'{"a":', [400], 'broken JSON'),
    ask(post + b'Content-Type: text/csv\r\nContent-Length: 3\r\nConnection: close\r\n\r\na,b', [415],
        'unknown content'),
    ask(post + b'Content-Type: application/json\r\nContent-Length: 4000000\r\n'
        b'Connection: close\r\n\r\n' + b'x' * 4000000, [413], 'oversized body'),
    ask(b'GET /api/v1/pods?limit=x HTTP/1.1\r\n' + auth + b'Connection: close\r\n\r\n', [400],
        'bad parameter'),
    ask(b'GET /' + b'a' * 200000 + b' HTTP/1.1\r\n' + auth + b'\r\n', [400, 413, 414, 431],
        'oversized line') or True,
    ask(b'GET /nowhere HTTP/1.1\r\n' + auth + b'Connection: close\r\n\r\n', [404], 'unknown path'),
    ask(b'GET /version HTTP/1.1\r\n' + auth + b'Connection: close\r\n\r\n', [200], 'still alive'),
]
sys.exit(0 if all(good) else 1)
P
if command -v python3 >/dev/null; then
        if python3 http.py "$port"; then
                passed=$((passed + 1))
        else
                failed=$((failed + 1))
        fi
fi
kill $server
wait $server
[ $? -eq 0 ] && passed=$((passed + 1)) || { failed=$((failed + 1)) && echo "FAIL the sandbox did not end cleanly"; }

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
