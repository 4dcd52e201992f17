#!/bin/sh
# Dumps of clusters (kubectl get -o yaml) into berth up and berth plan: up_dump.sh BERTH. What a dump lacks is made or told, and its
# pods stay the ones they were.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
berth=$1
[ -n "$kubectl_program" ] || skip "no kubectl"
export HOME="$work"
cd "$work" || exit 1

# up NAME FILE...: loads the files and ends two seconds later; output in NAME.out, the pods with their uids in NAME.pods
up() {
        name=$1 arguments=
        shift
        for file in "$@"; do arguments="$arguments -f $file"; done
        # shellcheck disable=SC2086
        "$berth" up $arguments --kubeconfig-out "$name.kubeconfig" --v 1 >"$name.out" 2>&1 &
        upper=$!
        children="$children $upper"
        until_true grep -q '^\[.*s\] not ' "$name.out"
        KUBECONFIG=$name.kubeconfig pods >"$name.pods"
        sleep 2 # for what the controllers do with them
        kill -INT $upper
        wait $upper || judge bad "$name: $(cat "$name.out")"
}
pods() {
        kubectl get pods -A -o 'jsonpath={range .items[*]}{.metadata.name} {.metadata.uid} {.spec.nodeName}{"\n"}{end}' | sort
}
says() {
        if grep -q -- "$2" "$1.out"; then judge ok; else judge bad "$1 does not say $2: $(cat "$1.out")"; fi
}

# ---- what a real cluster has and the sandbox does not ----
cat >nodes.yaml <<'Y'
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: n1, uid: 00000000-0000-4000-8000-0000000000a1, creationTimestamp: "2026-01-01T00:00:00Z", resourceVersion: "7"}
  status: {capacity: {cpu: "4", memory: 8Gi, pods: "110"}, allocatable: {cpu: "4", memory: 8Gi, pods: "110"},
    conditions: [{type: Ready, status: "True", lastHeartbeatTime: "2026-01-01T00:00:00Z", lastTransitionTime: "2026-01-01T00:00:00Z"}]}
Y
cat >pods.yaml <<'Y'
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: List
  items:
  - apiVersion: v1
    kind: Pod
    metadata:
      name: web-1
      namespace: shop
      uid: 00000000-0000-4000-8000-000000000001
      creationTimestamp: "2026-01-01T00:00:00Z"
      resourceVersion: "123"
      managedFields: [{manager: kubelet, operation: Update}]
      ownerReferences: [{apiVersion: argoproj.io/v1alpha1, kind: Rollout, name: web, uid: 00000000-0000-4000-8000-0000000000b1, controller: true}]
    spec:
      nodeName: n1
      priority: 1000
      priorityClassName: gold
      preemptionPolicy: PreemptLowerPriority
      runtimeClassName: boxed
      overhead: {cpu: 10m}
      serviceAccountName: robot
      imagePullSecrets: [{name: absent}]
      containers: [{name: c, image: i, envFrom: [{secretRef: {name: absent}}]}]
      volumes:
      - {name: s, secret: {secretName: absent}}
      - {name: kube-api-access, projected: {sources: [{serviceAccountToken: {path: token, expirationSeconds: 3607}}, {configMap: {name: kube-root-ca.crt}}]}}
      - {name: d, persistentVolumeClaim: {claimName: absent}}
    status: {phase: Running, startTime: "2026-01-01T00:00:00Z", conditions: [{type: Ready, status: "True", lastTransitionTime: null}]}
- apiVersion: v1
  kind: Pod
  metadata:
    name: alone
    namespace: default
    uid: 00000000-0000-4000-8000-000000000002
    creationTimestamp: "2026-01-01T00:00:00Z"
    deletionTimestamp: "2026-01-01T00:10:00Z"
    deletionGracePeriodSeconds: 30
    finalizers: [example.com/hold]
  spec: {nodeName: n1, containers: [{name: c, image: i}]}
  status: {phase: Running}
Y
cat >rest.yaml <<'Y'
apiVersion: v1
kind: List
items:
- {apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: web, namespace: shop, uid: 00000000-0000-4000-8000-0000000000b9}, spec: {}}
- {apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: api, namespace: shop, uid: 00000000-0000-4000-8000-0000000000b8}, spec: {}}
- {apiVersion: metrics.k8s.io/v1beta1, kind: NodeMetrics, metadata: {name: n1, creationTimestamp: "2026-01-01T00:00:00Z"}, usage: {cpu: 1m, memory: 1Mi}}
- {apiVersion: v1, kind: Namespace, metadata: {name: default, uid: 00000000-0000-4000-8000-0000000000c1}, status: {phase: Active}}
- apiVersion: v1
  kind: Service
  metadata: {name: kubernetes, namespace: default, uid: 00000000-0000-4000-8000-0000000000c2}
  spec: {clusterIP: 10.99.0.1, clusterIPs: [10.99.0.1], ports: [{port: 443}]}
- apiVersion: v1
  kind: Service
  metadata: {name: web, namespace: shop, uid: 00000000-0000-4000-8000-0000000000c6}
  spec: {clusterIP: 10.99.0.7, clusterIPs: [10.99.0.7], ports: [{port: 80}]}
- apiVersion: v1
  kind: ResourceQuota
  metadata: {name: full, namespace: shop, uid: 00000000-0000-4000-8000-0000000000c3}
  spec: {hard: {pods: "0"}}
- apiVersion: admissionregistration.k8s.io/v1
  kind: ValidatingWebhookConfiguration
  metadata: {name: guard, uid: 00000000-0000-4000-8000-0000000000c4}
  webhooks: [{name: guard.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {url: "https://127.0.0.1:1/"}, rules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: ["*/*"]}]}]
- {apiVersion: v1, kind: ConfigMap, metadata: {name: Wrong_Name, namespace: shop, uid: 00000000-0000-4000-8000-0000000000c5}}
Y
up all nodes.yaml pods.yaml rest.yaml pods.yaml
is "pods stay" "alone 00000000-0000-4000-8000-000000000002 n1
web-1 00000000-0000-4000-8000-000000000001 n1" "$(cat all.pods)"
says all 'not in the input, so made: namespace shop, priority class gold, runtime class boxed$'
says all 'not in the input: owners of 2 object(s) (Rollout shop/web): no garbage collection'
says all 'being deleted in the input: 2 object(s)'
says all 'not loaded, of kinds that have no place here: 2 Rollout (argoproj.io/v1alpha1), 1 NodeMetrics (metrics.k8s.io/v1beta1)$'
says all 'not loaded, as every cluster has its own: 1 Service$'
says all 'not loaded, as they would call the cluster of the input: 1 ValidatingWebhookConfiguration$'
says all 'not loaded, refused: 1 ConfigMap (rest.yaml:[0-9]*:3: items\[8\]: .*Wrong_Name'
says all '2 on 1 nodes: Running 2'
if grep -q ReconcileFailed all.out; then judge bad "controllers fail: $(cat all.out)"; else judge ok; fi

up pods pods.yaml
is "pods without nodes stay" "$(cat all.pods)" "$(cat pods.pods)"
says pods 'not in the input: nodes of 2 object(s) (n1): the pods stay as they are'
up none rest.yaml
says none 'so made: namespace shop$'
# A manifest is held to what it says.
printf 'apiVersion: v1\nkind: Wheel\nmetadata: {name: x}\n' >wheel.yaml
exits "unknown kind" 1 'no matches for kind "Wheel"' "$berth" up -f wheel.yaml --settle
exits "no controllers at all" 0 "owners of 1 object" "$berth" up -f nodes.yaml -f pods.yaml --controllers none --settle

# ---- what kubectl prints of a cluster ----
start_sandbox "$berth" --nodes 3
"$berth" scheduler --kubeconfig "$KUBECONFIG" --leader-elect=false >scheduler.log 2>&1 &
children="$children $!"
kubectl apply -f - >/dev/null <<'Y'
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: kube-system}
spec:
  selector: {matchLabels: {app: agent}}
  template: {metadata: {labels: {app: agent}}, spec: {priorityClassName: system-node-critical, containers: [{name: c, image: i}]}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: i}]}}
Y
all_run() {
        [ "$(kubectl get pods -A --no-headers | grep -c ' Running ')" -eq 8 ]
}
until_true all_run || judge bad "the pods do not run: $(kubectl get pods -A)"
pods >live.pods
kubectl get nodes,pods -A -o yaml >np.yaml
kubectl get nodes,pods -A -o json >np.json
kubectl get nodes,all -A -o yaml --show-managed-fields >everything.yaml
kubectl get "$(kubectl api-resources --verbs=list -o name | grep -v componentstatuses | paste -sd,)" -A -o json >whole.json 2>/dev/null
for dump in np.yaml np.json everything.yaml whole.json; do
        up "load-$dump" "$dump"
        is "$dump keeps its pods" "$(cat live.pods)" "$(cat "load-$dump.pods")"
done
says load-np.yaml 'owners of 8 object(s) (.*) *: no garbage collection, and no owner replaces what is evicted'
if grep -q 'owners of' load-everything.yaml.out; then judge bad "owners of a whole dump are there"; else judge ok; fi

# ---- a policy in the same stream ----
cat >policy.yaml <<'Y'
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: old
  pluginConfig:
  - name: PodLifeTime
    args: {maxPodLifeTimeSeconds: 1}
  plugins: {deschedule: {enabled: [PodLifeTime]}}
Y
for dump in np.yaml np.json; do
        check "policy in the stream of $dump" '^5 eviction\(s\) on 3 node' sh -c "(cat $dump; echo ---; cat policy.yaml) | '$berth' plan --objects - --now 2100-01-01T00:00:00Z"
        check "explained in the stream of $dump" 'would evict it' \
                sh -c "(cat $dump; echo ---; cat policy.yaml) | '$berth' explain --objects - --now 2100-01-01T00:00:00Z shop/db-0"
done
lines=$(wc -l <np.yaml)
exits "place of a mistake" 1 "berth plan: -:$((lines + 8)):35: profiles[0].pluginConfig[0].args.maxPodLifeTimeSeconds: " \
        sh -c "(cat np.yaml; echo ---; sed 's/Seconds: 1/Seconds: x/' policy.yaml) | '$berth' plan --objects -"
exits "two policies" 1 "expected one DeschedulerPolicy among the objects, found another one" \
        "$berth" plan --objects np.yaml --objects policy.yaml --objects policy.yaml
exits "two policies, one named" 0 "eviction(s)" "$berth" plan --objects np.yaml --objects policy.yaml --objects policy.yaml --policy policy.yaml
{ cat np.yaml; echo ---; cat policy.yaml; } >stream.yaml
exits "policy in the stream of up" 0 "PodLifeTime" "$berth" up -f stream.yaml --descheduling-interval 1s --for 10s
finish
