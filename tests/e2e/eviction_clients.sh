#!/bin/sh
# A client of the eviction subresource meets an EvictionPolicy: kubectl drain, which waits for the stages, a client that goes away, dry
# runs and policies that let it pass: eviction_clients.sh BERTH HOOK_SERVER server|webhook [crd|native]. The sandbox makes it wait by
# itself, or the webhook of `berth evictions` does. Skips (77) without kubectl, curl or Python.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
hook_server=$2
way=$3
[ -n "$kubectl_program" ] || skip "no kubectl"
command -v curl >/dev/null || skip "no curl"
command -v python3 >/dev/null || skip "no python3"
kinds=lifecycle.berth.dev
mode=crd
gates=false
if [ "${4:-crd}" = native ]; then
        kinds=lifecycle.k8s.io
        mode=native-own
        gates=true
fi
own=true
[ "$way" = server ] || own=false
start_sandbox "$1" --nodes 1 --seed 1 --feature-gates EvictionRequestAPI=$gates --eviction-policy-waits=$own
python3 "$hook_server" "$work" >"$work/hook" 2>&1 &
children="$children $!"
until_true test -s "$work/hook"
hook=$(cat "$work/hook")
touch "$work/log"
# A process that leads, and, for the webhook, another one that does not and answers all the same.
elects=false
[ "$way" = server ] || elects=true
"$berth" evictions --mode $mode --leader-elect=$elects --audit-file "$work/audit" --no-audit-output >"$work/evictions" 2>&1 &
children="$children $!"
wait_for "ready" Ready cat "$work/evictions"
certificate() {
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj "/CN=$1" \
                -addext subjectAltName=IP:127.0.0.1 -keyout "$work/webhook.key" -out "$work/webhook.crt" 2>"$work/openssl"
}
if [ "$way" = webhook ]; then
        certificate first || skip "no openssl"
        port=$(free_port)
        exits "a webhook without certificate" 2 "needs --webhook-cert" "$berth" evictions --webhook-listen "127.0.0.1:$port"
        exits "a certificate without webhook" 2 "are for --webhook-listen" "$berth" evictions --webhook-cert x --webhook-key y
        "$berth" evictions --mode $mode --no-audit-output --requester reserved.example.com/x=root --webhook-listen "127.0.0.1:$port" --webhook-cert "$work/webhook.crt" \
                --webhook-key "$work/webhook.key" >"$work/webhook" 2>&1 &
        children="$children $!"
        wait_for "the other one is ready" Ready cat "$work/webhook"
        is "and does not lead" 0 "$(grep -c Leading "$work/webhook")"
        cp "$work/webhook.crt" "$work/authorities"
        kubectl create -f - >/dev/null <<END
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: berth-evictions}
webhooks:
- name: pods-eviction.lifecycle.berth.dev
  admissionReviewVersions: [v1]
  sideEffects: NoneOnDryRun
  failurePolicy: Fail
  timeoutSeconds: 5
  clientConfig: {url: "https://127.0.0.1:$port/pods-eviction", caBundle: $(base64 -w0 <"$work/webhook.crt")}
  rules:
  - {apiGroups: [""], apiVersions: [v1], resources: [pods/eviction], operations: [CREATE], scope: Namespaced}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: berth-evictions}
webhooks:
- name: evictionrequests.lifecycle.berth.dev
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  timeoutSeconds: 5
  clientConfig: {url: "https://127.0.0.1:$port/pods-eviction", caBundle: $(base64 -w0 <"$work/webhook.crt")}
  rules:
  - {apiGroups: [lifecycle.berth.dev, lifecycle.k8s.io], apiVersions: [v1alpha1], resources: [evictionrequests],
     operations: [CREATE, UPDATE], scope: Namespaced}
END
fi
for name in db free; do
        policy=Wait
        [ $name = db ] || policy=Pass
        kubectl create -f - >/dev/null <<END
apiVersion: lifecycle.berth.dev/v1alpha1
kind: EvictionPolicy
metadata: {name: $name}
spec:
  selector: {matchLabels: {app: $name}}
  otherClients: $policy
  stages:
  - {name: prepare, kind: http, http: {url: "$hook"}}
  - {name: handover, kind: http, http: {url: "$hook"}}
  rollback:
  - {stage: prepare, http: {url: "$hook"}}
END
done
# pod NAME APP: one that runs
pod() {
        kubectl create -f - >/dev/null <<END
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {app: $2}}
spec: {nodeName: node-0, terminationGracePeriodSeconds: 1, containers: [{name: c, image: x}]}
END
        wait_for "pod $1 runs" Running kubectl get pod "$1"
}
# evict NAME [OPTIONS]: one call of the subresource as the administrator; prints status and answer
evict() {
        curl -sk -D - -H "Authorization: Bearer e2e" -H "Content-Type: application/json" "$url/api/v1/namespaces/default/pods/$1/eviction$2" \
                -d "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"$1\"}}" | tr -d '\r'
}
requests() {
        kubectl get "evictionrequests.$kinds" -o 'jsonpath={range .items[*]}{.spec.requester} {.spec.target.pod.name} {.spec.intent}{"\n"}{end}'
}
left() {
        kubectl get pod "$1" --ignore-not-found -o name
}

# A policy says so, or there is none for the pod: passed at once.
pod free free
pod other none
contains "a policy that lets others pass" "201 Created" evict free
contains "no policy" "201 Created" evict other
is "nothing was asked for" "" "$(requests)"

# One call: told to come again, and asked for. A dry run is told the same, and writes nothing.
pod a db
contains "a dry run waits too" "429 " evict a '?dryRun=All'
is "and asks for nothing" "" "$(requests)"
evict a >"$work/answer"
contains "told to come again" "429 " cat "$work/answer"
contains "after a while" "Retry-After: 5" cat "$work/answer"
contains "why" 'EvictionPolicy \"db\"' cat "$work/answer"
wait_for "asked for in its name" "clients.berth.dev/kubernetes-admin a Eviction" requests
wait_for "the first stage runs" "run prepare 1" cat "$work/log"
stage_told() {
        evict a | tr '\n' ' '
}
wait_for "it is told which stage" "stage 1 of 2 (prepare)" stage_told
contains "one request, however often it is asked" "1" sh -c "kubectl get evictionrequests.$kinds --no-headers | wc -l"

# kubectl drain joins in, and ends when the pod has been led out.
kubectl drain node-0 --force --pod-selector app=db --timeout=120s >"$work/drain" 2>&1 &
drain=$!
wait_for "the node is cordoned" SchedulingDisabled kubectl get node node-0
touch "$work/done-prepare-a"
wait_for "the second stage is told" "stage 2 of 2 (handover)" stage_told
is "the pod is there" pod/a "$(left a)"
touch "$work/done-handover-a"
wait $drain
is "kubectl drain ends well" 0 $?
contains "it has evicted the pod" "drained" cat "$work/drain"
is "the pod is gone" "" "$(left a)"
is "each stage was run once" 2 "$(grep -c '^run ' "$work/log")"
is "none was undone" 0 "$(grep -c '^rollback ' "$work/log")"
gone() {
        requests | grep -c " a " || true
}
wait_for "its request goes with it" 0 gone
kubectl uncordon node-0 >/dev/null

# A request that is withdrawn, as at its deadline: what was done is undone, and for a while it is not asked for again.
pod b db
touch "$work/done-prepare-b"
evict b >/dev/null
b_runs() {
        grep -c "^run handover" "$work/log"
}
wait_for "the second stage is open" 2 b_runs
request=$(kubectl get "evictionrequests.$kinds" -o 'jsonpath={.items[?(@.spec.target.pod.name=="b")].metadata.name}')
contains "it has a deadline" 20 kubectl get "evictionrequests.$kinds" "$request" -o 'jsonpath={.metadata.annotations.lifecycle\.berth\.dev/deadline}'
kubectl annotate --overwrite "evictionrequests.$kinds" "$request" lifecycle.berth.dev/deadline=2020-01-01T00:00:00Z >/dev/null
wait_for "withdrawn" "b Withdrawn" requests
wait_for "rolled back" "rollback prepare" cat "$work/log"
called_off() {
        evict b | tr '\n' ' '
}
wait_for "not asked again at once" "it was called off" called_off
is "the pod lives" pod/b "$(left b)"
contains "still withdrawn" "b Withdrawn" requests

# A mistake in writing is refused; a policy that cannot be read for another reason holds its pods, and says so.
policy() { # policy NAME STAGE
        cat >"$work/policy.yaml" <<END
apiVersion: lifecycle.berth.dev/v1alpha1
kind: EvictionPolicy
metadata: {name: $1}
spec: {selector: {matchLabels: {app: $1}}, stages: [$2]}
END
}
for timeout in 3x 1d 0s; do
        policy typo "{name: prepare, kind: http, timeout: $timeout, http: {url: \"$hook\"}}"
        exits "timeout $timeout" 1 "spec.stages[0].timeout" "$kubectl_program" create -f "$work/policy.yaml"
done
pod far far
policy far '{name: prepare, kind: http, http: {url: "http://far.example.com/"}}'
kubectl create -f "$work/policy.yaml" >/dev/null
accepted() {
        kubectl get evictionpolicies.lifecycle.berth.dev "$1" -o 'jsonpath={.status.conditions[?(@.type=="Accepted")].status}'
}
wait_for "the policy's status says so" False accepted far
wait_for "an event, too" PolicyUnreadable kubectl get events
contains "a client is refused" "429 " evict far
contains "it is told why" "cannot be read, and holds its pods until it is mended: spec.stages[0].http.url" evict far
kubectl create -f - >/dev/null <<END
apiVersion: $kinds/v1alpha1
kind: EvictionRequest
metadata: {name: want-far}
spec:
  target: {pod: {name: far, uid: $(kubectl get pod far -o 'jsonpath={.metadata.uid}')}}
  requester: test.example.com/e2e
  intent: Eviction
END
wait_for "so is whoever requests" 'held: EvictionPolicy "far" cannot be read' kubectl get "evictionrequests.$kinds" want-far -o yaml
is "the pod stays" pod/far "$(left far)"
touch "$work/done-prepare-far"
policy far "{name: prepare, kind: http, http: {url: \"$hook\"}}"
kubectl apply -f "$work/policy.yaml" >/dev/null 2>&1
wait_for "mended" True accepted far
far_left() {
        echo "[$(left far)]"
}
wait_for "the eviction goes on" "[]" far_left
contains "through its stage" "run prepare 1" cat "$work/log"
kubectl delete "evictionrequests.$kinds" want-far >/dev/null

# Whoever asks is who the API server says, whatever the request claims; some names are not for everybody.
kubectl create serviceaccount mallory >/dev/null
kubectl create clusterrole asks --verb=create,update,patch,get --resource="evictionrequests.$kinds" >/dev/null
kubectl create clusterrolebinding asks --clusterrole=asks --serviceaccount=default:mallory >/dev/null
account=system:serviceaccount:default:mallory
pod claimed none
claim() { # claim NAME REQUESTER [ANNOTATIONS]: by the account
        kubectl --as=$account create -f - <<END
apiVersion: $kinds/v1alpha1
kind: EvictionRequest
metadata: {name: $1, annotations: {${3:-}}}
spec:
  target: {pod: {name: claimed, uid: $(kubectl get pod claimed -o 'jsonpath={.metadata.uid}')}}
  requester: $2
  intent: Withdrawn
END
}
user_of() {
        kubectl get "evictionrequests.$kinds" "$1" -o 'jsonpath={.metadata.annotations.lifecycle\.berth\.dev/user}'
}
wait_for "users are known to be kept" 'RequestUsers verified="true"' cat "$work/evictions"
contains "another user's name" "may not ask for evictions as" claim c0 clients.berth.dev/kubernetes-admin
contains "a free name" created claim c1 mallory.example.com/x "lifecycle.berth.dev/user: root"
is "its user" "$account" "$(user_of c1)"
kubectl --as=$account annotate --overwrite "evictionrequests.$kinds" c1 lifecycle.berth.dev/user=root >/dev/null
is "which stays" "$account" "$(user_of c1)"
if [ "$way" = webhook ]; then
        contains "a name that is configured" "may not ask for evictions as" claim c3 reserved.example.com/x
fi
kubectl --as=$account patch "evictionrequests.$kinds" c1 --type=merge -p '{"spec":{"intent":"Eviction"}}' >/dev/null
claimed_left() {
        echo "[$(left claimed)]"
}
wait_for "the pod is evicted" "[]" claimed_left
asked_by() {
        grep '"requester":"mallory.example.com/x"' "$work/audit"
}
wait_for "the audit log has the user" "\"user\":\"$account\"" asked_by
kubectl delete "evictionrequests.$kinds" c1 >/dev/null

if [ "$way" = webhook ]; then
        # post PATH [CURL OPTIONS]: what the webhook answers to a stranger
        post() {
                path=$1
                shift
                curl -s --cacert "$work/authorities" -w ' status %{http_code}' "$@" "https://127.0.0.1:$port$path"
        }
        contains "another path" "status 404" post /x -d '{}'
        contains "another method" "status 405" post /pods-eviction
        contains "no JSON" "status 400" post /pods-eviction -d '{'
        contains "another kind" "kind: expected AdmissionReview" post /pods-eviction -d '{"kind":"Pod"}'
        contains "no uid" "request.uid: expected a uid" post /pods-eviction \
                -d '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{}}'
        contains "about something else" '"uid":"7","allowed":true}} status 200' post /pods-eviction \
                -d '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"7"}}'
        head -c 5000000 /dev/zero | tr '\0' x >"$work/huge"
        contains "a huge body" "status 413" post /pods-eviction --data-binary "@$work/huge"
        is "nothing was asked for by that" 1 "$(requests | wc -l)"

        # Files that are no certificate are not served; a new pair is.
        echo none >"$work/webhook.crt"
        wait_for "told" CertificateNotRead cat "$work/webhook"
        contains "the old one is served still" "status 400" post /pods-eviction -d '{'
        certificate second
        wait_for "replaced" CertificateReplaced cat "$work/webhook"
        cp "$work/webhook.crt" "$work/authorities"
        contains "the new one is served" "status 400" post /pods-eviction -d '{'
fi

[ $failures -eq 0 ] || grep -hv "^poll" "$work/log" "$work/evictions"
finish
