#!/bin/sh
# berth config as people use it: config.sh BERTH SOURCE. The last line is "N passed, M failed".
berth=$1
root=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
passed=0
failed=0

# expect NAME CODE PATTERN COMMAND...: exit code and an extended regular expression on either output
expect() {
        name=$1 code=$2 pattern=$3
        shift 3
        timeout 30 "$@" >out 2>&1
        got=$?
        if [ $got -eq "$code" ] && grep -Eq -- "$pattern" out; then
                passed=$((passed + 1))
        else
                failed=$((failed + 1))
                echo "FAIL $name: exit $got:"
                cat out
        fi
}

# ---- check ----
mkdir -p files base over
cat >files/policy.yaml <<'Y'
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: x
  pluginConfig: [{name: PodLifeTime, args: {maxPodLifeTimeSecond: 4}}]
  plugins: {deschedule: {enabled: [PodLifeTime]}}
nodeSelector: 3
Y
cat >files/scheduler.yaml <<'Y'
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {score: {enabled: [{name: NodeAfinity}]}}
Y
cat >base/deployment.yaml <<'Y'
apiVersion: apps/v1
kind: Deployment
metadata: {name: descheduler, namespace: kube-system}
spec:
  selector: {matchLabels: {app: d}}
  template:
    metadata: {labels: {app: d}}
    spec:
      containers:
      - name: descheduler
        image: registry.example.com/descheduler:v1
        command: [descheduler]
        args: [--policy-config-file=/policy.yaml]
Y
printf 'resources: [deployment.yaml]\n' >base/kustomization.yaml
cat >over/kustomization.yaml <<'Y'
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../base]
patches:
- target: {kind: Deployment, name: descheduler}
  patch: |-
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --dryrun}
- path: args.yaml
Y
cat >over/args.yaml <<'Y'
apiVersion: apps/v1
kind: Deployment
metadata: {name: descheduler}
spec: {template: {spec: {containers: [{name: descheduler, args: [--descheduling-intervall=5m]}]}}}
Y
expect all-mistakes 3 'policy.yaml:7:15: nodeSelector: expected a string' "$berth" config check files
expect arguments 3 'policy.yaml:5:[0-9]+: .*args.maxPodLifeTimeSecond: .*did you mean "maxPodLifeTimeSeconds"' \
        "$berth" config check files
expect plugins 3 'scheduler.yaml:4:[0-9]+: .*did you mean "NodeAffinity"' "$berth" config check files
expect summary 3 '^2 objects checked, 3 errors, 0 warnings$' "$berth" config check files/
expect base-is-good 0 '^2 objects checked, 0 errors' "$berth" config check base
expect patches 3 'patches\[0\].*:1:[0-9]+: \[0\].value: unknown option --dryrun; did you mean --dry-run' \
        "$berth" config check over
expect patch-files 3 'args.yaml:4:[0-9]+: .*did you mean --descheduling-interval' \
        "$berth" config check over/kustomization.yaml
expect no-file 1 'nowhere.yaml: No such file' "$berth" config check base nowhere.yaml
expect no-argument 2 'expected a FILE' "$berth" config check
expect stdin 3 'standard input:4:' sh -c "cat files/scheduler.yaml | '$berth' config check -"
expect as-json 3 '"line": 4' "$berth" config check -o json files/scheduler.yaml
expect as-yaml 3 'severity: error' "$berth" config check -o yaml files/scheduler.yaml
expect parity 3 'maxPodLifeTimeSecond' "$berth" config check --parity files/policy.yaml

# ---- default ----
for kind in KubeSchedulerConfiguration DeschedulerPolicy EvictionPolicy EvictionRequest Eviction Scenario; do
        "$berth" config default $kind >$kind.yaml
        expect "default $kind" 0 '^1 object checked, 0 errors, 0 warnings$' "$berth" config check $kind.yaml
done
expect default-starts-scheduler 1 '^berth scheduler: cannot open none: No such file' \
        "$berth" scheduler --config KubeSchedulerConfiguration.yaml --kubeconfig none
expect default-starts-descheduler 1 '^berth descheduler: cannot open none: No such file' \
        "$berth" descheduler --policy-config-file DeschedulerPolicy.yaml --kubeconfig none
expect default-typo 2 'found "DeschedulerPolici"; did you mean "DeschedulerPolicy"' \
        "$berth" config default DeschedulerPolici
expect default-no-kind 2 'expected a KIND' "$berth" config default

# ---- migrate ----
cat >old-policy.yaml <<'Y'
apiVersion: descheduler/v1alpha1
kind: DeschedulerPolicy
strategies:
  RemoveDuplicates: {enabled: true, params: {nodeFit: true}}
Y
printf 'apiVersion: kubescheduler.config.k8s.io/v1beta2\nkind: KubeSchedulerConfiguration\n' >old-scheduler.yaml
expect old-is-refused 3 'v1alpha1 is not read any more; berth config migrate' "$berth" config check old-policy.yaml
expect migrate-says 0 '^old-policy.yaml:4:[0-9]+: strategies.RemoveDuplicates.params.nodeFit: now profiles' \
        "$berth" config migrate old-policy.yaml
"$berth" config migrate old-policy.yaml >new-policy.yaml 2>notes
"$berth" config migrate - <old-scheduler.yaml >new-scheduler.yaml 2>>notes
expect migrated-is-right 0 '^2 objects checked, 0 errors, 0 warnings$' "$berth" config check new-policy.yaml new-scheduler.yaml
expect migrated-starts-descheduler 1 '^berth descheduler: cannot open none: No such file' \
        "$berth" descheduler --policy-config-file new-policy.yaml --kubeconfig none
expect migrated-starts-scheduler 1 '^berth scheduler: cannot open none: No such file' \
        "$berth" scheduler --config new-scheduler.yaml --kubeconfig none
expect migrate-as-json 0 '"apiVersion": "descheduler/v1alpha2"' "$berth" config migrate -o json old-policy.yaml
expect migrate-refuses 3 'found "Deployment"' "$berth" config migrate base/deployment.yaml
expect migrate-no-file 1 'No such file' "$berth" config migrate nowhere.yaml

# What the project ships is right.
for folder in deploy/crds deploy/descheduler deploy/evictions deploy/kured-compatible deploy/run deploy/scheduler \
        examples/demo examples/eviction examples/groups examples/policies; do
        expect "$folder" 0 ' 0 errors, 0 warnings' "$berth" config check "$root/$folder"
done

# The daemons say the same: each refuses what is refused here, and reads what is good.
sed 's/maxPodLifeTimeSecond:/maxPodLifeTimeSeconds:/; /^nodeSelector/d' files/policy.yaml >good-policy.yaml
sed 's/NodeAfinity/NodeAffinity/' files/scheduler.yaml >good-scheduler.yaml
expect good 0 '^2 objects checked, 0 errors' "$berth" config check good-policy.yaml good-scheduler.yaml
expect daemon-policy 1 'policy.yaml: 2 problems:.*nodeSelector' \
        "$berth" descheduler --policy-config-file files/policy.yaml --kubeconfig none
expect daemon-good-policy 1 '^berth descheduler: cannot open none: No such file' \
        "$berth" descheduler --policy-config-file good-policy.yaml --kubeconfig none
expect daemon-scheduler 1 'scheduler.yaml:4:[0-9]+: .*did you mean "NodeAffinity"' \
        "$berth" scheduler --config files/scheduler.yaml --kubeconfig none
expect daemon-good-scheduler 1 '^berth scheduler: cannot open none: No such file' \
        "$berth" scheduler --config good-scheduler.yaml --kubeconfig none

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
