{{- define "berth-descheduler.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{- /* The name of nearly all objects: the release's, and the chart's where the release's does not hold it. */}}
{{- define "berth-descheduler.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $both := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- .Values.fullnameOverride | default $both | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{- define "berth-descheduler.namespace" -}}
{{- .Values.namespaceOverride | default .Release.Namespace | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{- define "berth-descheduler.account" -}}
{{- .Values.serviceAccount.name | default (ternary (include "berth-descheduler.fullname" .) "default" (not (empty .Values.serviceAccount.create))) -}}
{{- end }}

{{- define "berth-descheduler.selector" -}}
app.kubernetes.io/name: {{ include "berth-descheduler.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "berth-descheduler.labels" -}}
{{- $chart := printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" -}}
{{- $own := dict "helm.sh/chart" $chart "app.kubernetes.io/version" .Chart.AppVersion "app.kubernetes.io/managed-by" .Release.Service -}}
{{- toYaml (merge (dict) (.Values.commonLabels | default dict) $own (include "berth-descheduler.selector" . | fromYaml)) -}}
{{- end }}

{{- /* What stands under `metadata` of an object with a namespace. */}}
{{- define "berth-descheduler.metadata" -}}
name: {{ include "berth-descheduler.fullname" . }}
namespace: {{ include "berth-descheduler.namespace" . }}
labels: {{- include "berth-descheduler.labels" . | nindent 2 }}
{{- end }}

{{- /* Never a name that nobody chose: see deploy/README.md. */}}
{{- define "berth-descheduler.image" -}}
{{- $from := .Values.image.repository | default "" -}}
{{- if or (not $from) (hasPrefix "berth.invalid/" $from) -}}
{{- fail "image.repository: there is no public image of berth; say where yours is, for example --set image.repository=registry.example/berth" -}}
{{- end -}}
{{- printf "%s:%s" $from (.Values.image.tag | default .Chart.AppVersion | toString) -}}
{{- end }}

{{- define "berth-descheduler.replicas" -}}
{{- $count := int .Values.replicas -}}
{{- if and (gt $count 1) (not (.Values.leaderElection).enabled) -}}
{{- fail "replicas: more than one need leaderElection.enabled: true" -}}
{{- end -}}
{{- max 1 $count -}}
{{- end }}
