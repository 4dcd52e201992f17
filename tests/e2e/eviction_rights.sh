#!/bin/sh
# The manifests of deploy/evictions: controller and requester with exactly their rights on a sandbox: eviction_rights.sh BERTH
# DEPLOY. Skips (77) without kubectl.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
kubectl() {
        "$kubectl_program" "$@"
}
berth=$1 deploy=$2
start_sandbox "$berth" --nodes 1 --seed 1 --eviction-policy-waits=false
kubectl apply -f "$deploy/crds" >/dev/null
check "the field is explained" "kubectl drain" kubectl explain evictionpolicies.spec.otherClients
check "rights" "clusterrole.rbac.authorization.k8s.io/berth-eviction-viewer created" kubectl apply -f "$deploy/evictions/rbac.yaml"

# identity NAME CLUSTERROLE...: a ServiceAccount of default with these roles there, and its kubeconfig
identity() {
        identity=$1
        shift
        kubectl create serviceaccount "$identity" >/dev/null
        for role in "$@"; do
                kubectl create rolebinding "$identity-$role" --clusterrole="$role" --serviceaccount="default:$identity" >/dev/null
        done
        config_of default "$identity"
}
config_of() { # config_of NAMESPACE NAME
        token=$(kubectl -n "$1" create token "$2")
        [ -n "$token" ] || judge bad "no token for $2"
        sed "s/^\( *token: \).*/\1$token/" "$KUBECONFIG" >"$work/$2.kubeconfig"
}
pod() {
        kubectl create -f - >/dev/null <<END
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {app: $1}}
spec: {nodeName: node-0, terminationGracePeriodSeconds: 0, containers: [{name: c, image: x}]}
END
        wait_for "pod $1 is ready" "1/1" kubectl get pod "$1"
}
may() { # may EXPECTED WHO VERB RESOURCE...
        expected=$1 who=$2
        shift 2
        check "$who $*" "^$expected$" kubectl --kubeconfig "$work/$who.kubeconfig" auth can-i "$@"
}
config_of kube-system berth-evictions
identity asker berth-eviction-requester
identity onlooker berth-eviction-viewer
identity worker berth-eviction-responder

"$berth" evictions --kubeconfig "$work/berth-evictions.kubeconfig" --keep-definitions --no-audit-output \
        >"$work/evictions" 2>&1 &
children="$children $!"
wait_for "ready with its rights" Ready cat "$work/evictions"
pod a
exits "a requester's eviction" 0 "default/a evicted" "$berth" evict --kubeconfig "$work/asker.kubeconfig" a
pod b
kubectl create pdb b --min-available=1 --selector=app=b >/dev/null
exits "withdrawn at its deadline" 1 "default/b withdrawn" "$berth" evict --kubeconfig "$work/asker.kubeconfig" --deadline 2s b
exits "an onlooker may not ask" 1 "cannot get resource" "$berth" evict --kubeconfig "$work/onlooker.kubeconfig" b
contains "and learns who may" "the rights it needs are in deploy/evictions/rbac.yaml (ClusterRole berth-eviction-requester)" printf '%s' "$output"
exits "no right to cordon" 1 "cannot be cordoned: no right to patch nodes" "$berth" evict --kubeconfig "$work/asker.kubeconfig" --node node-0

may yes onlooker list evictions.lifecycle.berth.dev
may no onlooker create evictionrequests.lifecycle.berth.dev
may no asker create evictions.lifecycle.berth.dev
may no asker patch evictions.lifecycle.berth.dev --subresource=status
may no asker delete pods
may no asker create pods --subresource=eviction
may yes worker patch evictions.lifecycle.berth.dev --subresource=status
may no worker create evictionrequests.lifecycle.berth.dev
may no berth-evictions delete pods
may no berth-evictions create evictionrequests.lifecycle.berth.dev
may no berth-evictions create evictionpolicies.lifecycle.berth.dev
may no berth-evictions get secrets
may yes berth-evictions patch configmaps/berth-eviction-history -n kube-system
may no berth-evictions patch configmaps/another -n kube-system
may no berth-evictions create customresourcedefinitions.apiextensions.k8s.io
wait_for "it leads by its Lease" berth-evictions kubectl -n kube-system get lease berth-evictions

# The webhook as its manifest has it, reached through its Service; the process beside the one that leads.
if command -v openssl >/dev/null && command -v python3 >/dev/null; then
        check "the webhook" "validatingwebhookconfiguration.admissionregistration.k8s.io/berth-evictions created" \
                kubectl apply -f "$deploy/evictions/webhook.yaml"
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=x \
                -addext subjectAltName=DNS:berth-evictions-webhook.kube-system.svc -keyout "$work/key" -out "$work/crt" 2>/dev/null
        port=$(free_port)
        "$berth" evictions --kubeconfig "$work/berth-evictions.kubeconfig" --keep-definitions --no-audit-output \
                --webhook-listen "127.0.0.1:$port" --webhook-cert "$work/crt" --webhook-key "$work/key" >"$work/webhook" 2>&1 &
        children="$children $!"
        wait_for "it answers" Ready cat "$work/webhook"
        for kind in validating mutating; do
                kubectl patch ${kind}webhookconfiguration berth-evictions --type=json \
                        -p "[{\"op\":\"add\",\"path\":\"/webhooks/0/clientConfig/caBundle\",\"value\":\"$(base64 -w0 <"$work/crt")\"},
                        {\"op\":\"add\",\"path\":\"/webhooks/0/clientConfig/service/port\",\"value\":$port}]" >/dev/null
        done
        kubectl -n kube-system delete service berth-evictions-webhook --ignore-not-found >/dev/null 2>&1
        kubectl -n kube-system create -f - >/dev/null <<END
apiVersion: v1
kind: Service
metadata: {name: berth-evictions-webhook}
spec: {type: ExternalName, externalName: localhost}
END
        kubectl create -f - >/dev/null <<END
apiVersion: lifecycle.berth.dev/v1alpha1
kind: EvictionPolicy
metadata: {name: slow}
spec:
  selector: {matchLabels: {app: slow}}
  stages: [{name: hold, kind: wait, wait: {label: {key: may-go, value: "yes"}}}]
END
        pod slow
        kubectl drain node-0 --force --pod-selector app=slow --timeout=120s >"$work/drain" 2>&1 &
        drain=$!
        wait_for "asked for with its rights" clients.berth.dev/kubernetes-admin kubectl get evictionrequests.lifecycle.berth.dev -o yaml
        wait_for "the stage waits" "name=hold" kubectl get evictions.lifecycle.berth.dev -o yaml
        kubectl label pod slow may-go=yes >/dev/null
        wait $drain
        is "a drain ends when the stage is over" 0 $?
        is "nothing was forbidden to the webhook" 0 "$(grep -ci "forbidden" "$work/webhook")"
        may yes berth-evictions create evictionrequests.lifecycle.berth.dev
fi
is "nothing was forbidden to it" 0 "$(grep -ci "forbidden" "$work/evictions")"
finish
