#!/bin/sh
# A working session of kubectl on a sandbox with its controllers and berth's scheduler: kubectl_session.sh BERTH new|old.
# Skips (77) without that kubectl. The last line is "N passed, M failed".
# shellcheck source=tests/e2e/clients.sh disable=SC1091,SC2086
. "$(dirname "$0")/clients.sh"
case $2 in
old) kubectl=$kubectl_old_program ;;
*) kubectl=$kubectl_program ;;
esac
[ -n "$kubectl" ] || skip "no $2 kubectl (scripts/setup.sh check fetches one)"
start_sandbox "$1" --nodes 3
"$1" scheduler --kubeconfig "$KUBECONFIG" >"$work/scheduler.log" 2>&1 &
children="$children $!"
export kubectl PATH="$work:$PATH"
printf '#!/bin/sh\nexec "$kubectl" --request-timeout=20s "$@"\n' >"$work/k"
chmod +x "$work/k"
release=$2
# yes_if NAME COMMAND...: judged by its exit status
yes_if() {
        name=$1
        shift
        if output=$("$@" 2>&1); then judge ok; else judge bad "$name: $output"; fi
}
first=$(k get nodes -o 'jsonpath={.items[0].metadata.name}')
second=$(k get nodes -o 'jsonpath={.items[1].metadata.name}')

deployment() {
        cat <<YAML
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: ${replicas:-3}
  selector: {matchLabels: {app: web}}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - {name: c, image: "${image:-a:1}", resources: {requests: {cpu: 100m, memory: 64Mi}}}
YAML
}

# ---- looking ----
check version 'v1\.36' k version
check get-nodes 'Ready +<none>' k get nodes
check get-nodes-wide 'INTERNAL-IP' k get nodes -o wide
check get-yaml '^apiVersion: v1' k get node "$first" -o yaml
check describe-node 'Allocated resources' k describe node "$first"
check get-all-namespaces 'kube-system' k get namespaces
check api-resources 'poddisruptionbudgets +pdb +policy/v1' k api-resources
check api-versions 'policy/v1' k api-versions
check explain 'FIELD: +nodeName' k explain pod.spec.nodeName
check explain-type 'Which pods a Deployment keeps' k explain deployment.spec
check explain-fields 'The containers of the pod; at least one' k explain pod.spec.containers
check cluster-info 'running at' k cluster-info
check get-raw '"major"' k get --raw /version
check healthz '^ok$' k get --raw /healthz

# ---- a deployment's life ----
check create-namespace 'namespace/n created' k create namespace n
k config set-context --current --namespace=n >/dev/null
deployment >"$work/one.yaml"
check apply 'deployment.apps/web created' k apply -f "$work/one.yaml"
check rollout-status 'successfully rolled out' k rollout status deployment/web --timeout=30s
check wait 'condition met' k wait --for=condition=Available deployment/web --timeout=30s
check get-table 'web +3/3 +3 +3' k get deployments
check get-wide 'c +a:1 +app=web' k get deployment web -o wide
check get-pods 'web-[0-9a-z]+-[0-9a-z]+ +1/1 +Running' k get pods
check get-pods-wide "1/1 +Running .* 10[.][0-9]+[.][0-9]+[.][0-9]+ +node-[0-2] " k get pods -o wide
check get-selector 'pod/web-' k get pods -l app=web -o name
check get-selector-none 'No resources found' k get pods -l 'app notin (web)'
check get-field-selector 'pod/web-' k get pods --field-selector status.phase=Running -o name
check get-columns '^web-.* Running' k get pods -o custom-columns=N:.metadata.name,P:.status.phase --no-headers
check get-sorted 'web-' k get pods --sort-by=.metadata.creationTimestamp
check get-all 'replicaset.apps/web-' k get all
check show-labels 'app=web' k get pods --show-labels
check describe-pod 'QoS Class: +Burstable' k describe pods -l app=web
check describe-deployment 'RollingUpdateStrategy: +1 max unavailable, 1 max surge' k describe deployment web
check events 'Scheduled|Created' k get events
image=a:2
deployment >"$work/two.yaml"
check diff 'image: a:2' k diff -f "$work/two.yaml"
check apply-changed 'configured' k apply -f "$work/two.yaml"
check rollout-second 'successfully rolled out' k rollout status deployment/web --timeout=60s
check apply-unchanged 'unchanged' k apply -f "$work/two.yaml"
check rollout-history '^2 ' k rollout history deployment/web
check rollout-history-one 'Image:[[:space:]]+a:1' k rollout history deployment/web --revision=1
check rollout-undo 'rolled back' k rollout undo deployment/web
check rollout-undone 'successfully rolled out' k rollout status deployment/web --timeout=60s
check undone-image '^a:1$' k get deployment web -o 'jsonpath={.spec.template.spec.containers[0].image}'
check rollout-restart 'restarted' k rollout restart deployment/web
check rollout-pause 'paused' k rollout pause deployment/web
check rollout-resume 'resumed' k rollout resume deployment/web
check rollout-restarted 'successfully rolled out' k rollout status deployment/web --timeout=60s
check set-image 'image updated' k set image deployment/web c=a:3
check set-env 'env updated' k set env deployment/web A=b
check set-resources 'resource requirements updated' k set resources deployment/web --requests=cpu=50m
check scale 'scaled' k scale deployment web --replicas=4 --current-replicas=3
check scaled 'successfully rolled out' k rollout status deployment/web --timeout=60s
check autoscale 'autoscaled' k autoscale deployment web --min=1 --max=5

# ---- changing ----
check label 'labeled' k label deployment web tier=front
check label-again 'labeled' k label deployment web tier=back --overwrite
check label-conflict "already has a value" k label deployment web tier=x
check annotate 'annotated' k annotate deployment web note=x
check annotate-remove 'annotated' k annotate deployment web note-
check patch-strategic 'patched' k patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"c","imagePullPolicy":"Never"}]}}}}'
check patch-merge 'patched' k patch deployment web --type=merge -p '{"spec":{"revisionHistoryLimit":3}}'
check patch-json 'patched' k patch deployment web --type=json -p '[{"op":"replace","path":"/spec/revisionHistoryLimit","value":4}]'
printf '#!/bin/sh\nsed -i "s/revisionHistoryLimit: 4/revisionHistoryLimit: 5/" "$1"\n' >"$work/editor"
chmod +x "$work/editor"
check edit 'edited' env EDITOR="$work/editor" "$kubectl" edit deployment web
check edited '^5$' k get deployment web -o 'jsonpath={.spec.revisionHistoryLimit}'
check server-side-conflict 'conflict' k apply --server-side -f "$work/two.yaml"
check replace 'replaced' sh -c '"$kubectl" get deployment web -o json | "$kubectl" replace -f -'
# The replacement is what was applied last, so its fields may be taken over.
check server-side-after-replace 'serverside-applied' k apply --server-side -f "$work/two.yaml"
check server-side 'serverside-applied' k apply --server-side --force-conflicts -f "$work/two.yaml"
check server-side-again 'serverside-applied' k apply --server-side -f "$work/two.yaml"
check dry-run 'dry run' k apply --dry-run=server -f "$work/two.yaml"
check create-strict 'unknown field' sh -c 'echo "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"s\"},\"bogus\":1}" | "$kubectl" create -f -'
check create-again 'already exists' sh -c '"$kubectl" create configmap x; "$kubectl" create configmap x'
for what in 'configmap c --from-literal=a=b' 'secret generic s --from-literal=a=b' 'serviceaccount x' \
        'job j --image=a' 'role r --verb=get --resource=pods' \
        'rolebinding rb --role=r --serviceaccount=n:x' 'clusterrole cr --verb=get --resource=nodes' \
        'clusterrolebinding crb --clusterrole=cr --serviceaccount=n:x' 'quota q --hard=configmaps=9' \
        'priorityclass pc --value=7' \
        'service clusterip svc --tcp=80:80' 'deployment other --image=a'; do
        check "create ${what%% *}" 'created' k create $what
done
printf 'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {minAvailable: 2, selector: {matchLabels: {app: web}}}\n' >"$work/budget.yaml"
check create-budget 'created' k create -f "$work/budget.yaml"
check run 'pod/one created' k run one --image=a --restart=Never
check expose 'exposed' k expose deployment web --port=80 --name=web-svc
check can-i '^yes$' k auth can-i create pods
check can-i-as '^no' k auth can-i delete nodes --as=system:serviceaccount:n:x
check can-i-bound '^yes$' k auth can-i get pods --as=system:serviceaccount:n:x
check can-i-list 'pods' k auth can-i --list --as=system:serviceaccount:n:x
check quota 'Resource +Used +Hard' k describe quota q

# ---- nodes ----
check taint 'tainted' k taint nodes "$first" a=b:NoSchedule
check untaint 'untainted' k taint nodes "$first" a-
check cordon 'cordoned' k cordon "$first"
check cordoned 'SchedulingDisabled' k get node "$first"
check uncordon 'uncordoned' k uncordon "$first"
until_true sh -c '[ "$("$kubectl" get pdb b -o "jsonpath={.status.currentHealthy}")" = 3 ]'
check budget 'b +2 +N/A +1' k get pdb b
pods_on=$(k get pods -l app=web -o 'jsonpath={.items[0].spec.nodeName}')
check drain 'drained|evicted' k drain "$pods_on" --ignore-daemonsets --force --delete-emptydir-data --timeout=60s
check drained '^0$' sh -c '"$kubectl" get pods -l app=web --field-selector "spec.nodeName='"$pods_on"',status.phase=Running" -o name | wc -l'
k patch pdb b --type=merge -p '{"spec":{"minAvailable":"100%"}}' >/dev/null
until_true sh -c '[ "$("$kubectl" get pdb b -o "jsonpath={.status.disruptionsAllowed} {.status.currentHealthy}")" = "0 3" ]'
pods_on=$(k get pods -l app=web -o 'jsonpath={.items[0].spec.nodeName}')
check drain-refused "violate the pod's disruption budget" k drain "$pods_on" --ignore-daemonsets --force --delete-emptydir-data --timeout=4s
k uncordon "$first" "$second" "$pods_on" >/dev/null 2>&1

# ---- watching and deleting ----
k run two --image=a --restart=Never >/dev/null
(k get pods -w --request-timeout=0 >"$work/watch" 2>&1) &
watcher=$!
children="$children $watcher"
until_true grep -q '^two' "$work/watch"
check wait-delete 'condition met|deleted' sh -c '"$kubectl" delete pod two --wait=false; "$kubectl" wait --for=delete pod/two --timeout=30s && echo condition met'
yes_if watched until_true grep -Eq '^two .*(Terminating|Completed|Running)' "$work/watch"
kill $watcher
check gone 'NotFound' k get pod two
check delete-selector 'deleted' k delete deployment,service -l app=web
check delete-all 'deleted' k delete configmaps --all
printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: e}\nspec: {containers: [{name: e, image: a, resources: {requests: {cpu: 5m}}}]}\n' >"$work/e.yaml"
check create-file 'pod/e created' k create -f "$work/e.yaml"
check wait-ready 'condition met' k wait --for=condition=Ready pod/e --timeout=30s
check logs 'container e of pod n/e, simulated on node' k logs e
check exec 'containers are simulated' k exec e -- true
check top 'etrics' k top nodes
if [ "$release" = new ]; then
        check create-cronjob 'created' k create cronjob cj --image=a '--schedule=@daily'
        check events-verb 'TYPE' k events
        check whoami 'kubernetes-admin' k auth whoami
        check wait-jsonpath 'condition met' k wait --for=jsonpath='{.status.phase}'=Active namespace/n --timeout=5s
        check scale-subresource 'Scale|replicas' k get deployment other --subresource=scale -o yaml
        check debug 'created|Defaulting debug container name' sh -c '"$kubectl" debug e --image=b -c dbg --attach=false && echo created'
        check debugged '^dbg$' k get pod e -o 'jsonpath={.spec.ephemeralContainers[0].name}'
        crds=$(dirname "$0")/../../deploy/crds
        check apply-crd 'created' k apply -f "$crds/evictionpolicies.yaml"
        check wait-crd 'condition met' k wait --for=condition=Established crd/evictionpolicies.lifecycle.berth.dev --timeout=10s
        check explain-custom 'One after another, up to eight' k explain evictionpolicy.spec
        check explain-deep 'Its name in --hook-directory' k explain evictionpolicy.spec.stages.exec
        check resize 'patched' k patch pod e --subresource=resize -p '{"spec":{"containers":[{"name":"e","resources":{"requests":{"cpu":"10m"}}}]}}'
fi
check delete-namespace 'deleted' k delete namespace n --timeout=60s
check namespace-gone 'NotFound' k get namespace n
finish
