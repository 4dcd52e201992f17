{{- /* The arguments, as a YAML list. */}}
{{- define "berth-descheduler.args" -}}
{{- $args := list "--policy-config-file=/policy-dir/policy.yaml" -}}
{{- $chosen := .Values.leaderElection | default dict -}}
{{- if eq .Values.kind "Deployment" -}}
{{- $args = append $args (printf "--descheduling-interval=%v" (required "deschedulingInterval: a Deployment needs one" .Values.deschedulingInterval)) -}}
{{- end -}}
{{- range $name, $value := .Values.cmdOptions -}}
{{- $args = append $args (kindIs "invalid" $value | ternary (printf "--%s" $name) (printf "--%s=%s" $name (toString $value))) -}}
{{- end -}}
{{- if and (eq .Values.kind "Deployment") $chosen.enabled -}}
{{- $args = append $args (printf "--leader-elect=%v" $chosen.enabled) -}}
{{- range $key := list "leaseDuration" "renewDeadline" "retryPeriod" "resourceLock" "resourceName" -}}
{{- with get $chosen $key -}}
{{- $args = append $args (printf "--leader-elect-%s=%v" (kebabcase $key) .) -}}
{{- end -}}
{{- end -}}
{{- with $chosen.resourceNamescape | default $chosen.resourceNamespace -}}{{- /* upstream's chart once called it so */}}
{{- $args = append $args (printf "--leader-elect-resource-namespace=%v" .) -}}
{{- end -}}
{{- end -}}
{{- toYaml $args -}}
{{- end }}

{{- /* The probe of its readiness; nothing where there is none. */}}
{{- define "berth-descheduler.readiness" -}}
{{- if kindIs "map" .Values.readinessProbe -}}
{{- with .Values.readinessProbe }}{{ toYaml . }}{{ end -}}
{{- else -}}
{{- with (.Values.livenessProbe | default dict).httpGet -}}
{{- toYaml (dict "httpGet" (merge (dict "path" "/readyz") .)) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "berth-descheduler.container" -}}
{{- $inner := .Values.securityContext | default dict -}}
{{- if not (or $inner.seccompProfile (.Values.podSecurityContext | default dict).seccompProfile) -}}
{{- $inner = merge (dict "seccompProfile" (dict "type" "RuntimeDefault")) $inner -}}
{{- end -}}
name: {{ .Chart.Name }}
image: {{ include "berth-descheduler.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
command: {{- toYaml .Values.command | nindent 2 }}
args: {{- include "berth-descheduler.args" . | nindent 2 }}
ports: {{- toYaml .Values.ports | nindent 2 }}
livenessProbe: {{- toYaml .Values.livenessProbe | nindent 2 }}
{{- if eq .Values.kind "Deployment" }}
{{- with include "berth-descheduler.readiness" . }}
readinessProbe: {{- . | nindent 2 }}
{{- end }}
{{- end }}
resources: {{- toYaml .Values.resources | nindent 2 }}
securityContext: {{- toYaml $inner | nindent 2 }}
volumeMounts:
- {name: policy-volume, mountPath: /policy-dir}
{{- if and .Values.extraServiceAccountVolumeMounts (not .Values.automountServiceAccountToken) }}
{{ toYaml .Values.extraServiceAccountVolumeMounts }}
{{- end }}
{{- end }}

{{- /* The constraints of spread: the user's, or ours for several replicas. */}}
{{- define "berth-descheduler.spread" -}}
{{- if kindIs "slice" .Values.topologySpreadConstraints -}}
{{- with .Values.topologySpreadConstraints }}{{ toYaml . }}{{ end -}}
{{- else if and (eq .Values.kind "Deployment") (gt (int .Values.replicas) 1) -}}
{{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ $key }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {{- include "berth-descheduler.selector" $ | nindent 6 }}
{{- end -}}
{{- end -}}
{{- end }}

{{- /* The pod template of the CronJob and the Deployment. */}}
{{- define "berth-descheduler.template" -}}
metadata:
  {{- if eq .Values.kind "CronJob" }}
  name: {{ include "berth-descheduler.fullname" . }}
  {{- end }}
  annotations:
    {{- $sum := dict "checksum/config" (include "berth-descheduler.policy" . | sha256sum) }}
    {{- toYaml (merge (dict) (.Values.podAnnotations | default dict) $sum) | nindent 4 }}
  labels:
    {{- toYaml (merge (dict) (.Values.podLabels | default dict) (include "berth-descheduler.selector" . | fromYaml)) | nindent 4 }}
spec:
  serviceAccountName: {{ include "berth-descheduler.account" . }}
  {{- if kindIs "bool" .Values.automountServiceAccountToken }}
  automountServiceAccountToken: {{ .Values.automountServiceAccountToken }}
  {{- end }}
  {{- if eq .Values.kind "CronJob" }}
  restartPolicy: Never
  {{- end }}
  {{- range $field := list "priorityClassName" "nodeSelector" "affinity" "dnsConfig" "tolerations" "imagePullSecrets" "initContainers" }}
  {{- with get $.Values $field }}
  {{ $field }}: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  {{- with .Values.podSecurityContext }}
  securityContext: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with include "berth-descheduler.spread" . }}
  topologySpreadConstraints: {{- . | trim | nindent 2 }}
  {{- end }}
  containers:
  - {{- include "berth-descheduler.container" . | nindent 4 }}
  volumes:
  - name: policy-volume
    configMap: {name: {{ include "berth-descheduler.fullname" . }}}
  {{- if and .Values.extraServiceAccountVolumes (not .Values.automountServiceAccountToken) }}
  {{- toYaml .Values.extraServiceAccountVolumes | nindent 2 }}
  {{- end }}
{{- end }}
