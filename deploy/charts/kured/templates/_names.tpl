{{- define "berth-kured.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{- /* The name of nearly all objects, and of the lock: the release's, and the chart's where the release's does not hold it. */}}
{{- define "berth-kured.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $both := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- .Values.fullnameOverride | default $both | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{- define "berth-kured.account" -}}
{{- .Values.serviceAccount.name | default (ternary (include "berth-kured.fullname" .) "default" (not (empty .Values.serviceAccount.create))) -}}
{{- end }}

{{- define "berth-kured.selector" -}}
app.kubernetes.io/name: {{ include "berth-kured.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "berth-kured.labels" -}}
{{ include "berth-kured.selector" . }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* What stands under `metadata` of an object with a namespace. */}}
{{- define "berth-kured.metadata" -}}
name: {{ include "berth-kured.fullname" . }}
namespace: {{ .Release.Namespace }}
labels: {{- include "berth-kured.labels" . | nindent 2 }}
{{- end }}

{{- /* Annotations whose values are written as strings, whatever they are. */}}
{{- define "berth-kured.strings" -}}
{{- range $key, $value := . }}
{{ $key }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{- /* Never a name that nobody chose: see deploy/README.md. */}}
{{- define "berth-kured.image" -}}
{{- $from := .Values.image.repository | default "" -}}
{{- if or (not $from) (hasPrefix "berth.invalid/" $from) -}}
{{- fail "image.repository: there is no public image of berth; say where yours is, for example --set image.repository=registry.example/berth" -}}
{{- end -}}
{{- printf "%s:%s" $from (.Values.image.tag | default .Chart.AppVersion | toString) -}}
{{- end }}
