{{- /* The keys of `configuration` that are options, in kured's order. `:` marks those below that are not simply --NAME=VALUE. */}}
{{- define "berth-kured.keys" -}}
metricsHost metricsPort lockTtl lockReleaseDelay alertFilterRegexp alertFiringOnly alertFilterMatchOnly blockingPodSelector endTime
lockAnnotation period forceReboot: drainGracePeriod drainPodSelector drainDelay drainTimeout skipWaitForDeleteTimeout prometheusUrl rebootDays
preRebootNodeLabels postRebootNodeLabels rebootSentinel: rebootSentinelCommand: rebootCommand rebootDelay rebootMethod rebootSignal
slackChannel: slackHookUrl: slackUsername: notifyUrl messageTemplateDrain messageTemplateReboot messageTemplateUncordon startTime timeZone
annotateNodes preferNoScheduleTaint logFormat concurrency
{{- end }}

{{- /* What one of them gives, a list of arguments as YAML: list KEY VALUE ROOT. */}}
{{- define "berth-kured.option" -}}
{{- $key := index . 0 -}}{{- $value := index . 1 -}}{{- $root := index . 2 -}}
{{- $option := printf "--%s" (kebabcase $key) -}}
{{- $is_mounted := $root.Values.configuration.useRebootSentinelHostPath -}}
{{- $given := list -}}
{{- if kindIs "slice" $value -}}
{{- range $value -}}{{- $given = append $given (printf "%s=%v" $option .) -}}{{- end -}}
{{- else if eq $key "forceReboot" -}}
{{- $given = list $option -}}
{{- else if and (eq $key "rebootSentinel") $is_mounted -}}
{{- $given = list (printf "%s=/sentinel/%s" $option (base $value)) -}}
{{- else if and (eq $key "rebootSentinelCommand") $is_mounted -}}
{{- else if hasPrefix "slack" $key -}}
{{- $given = list (printf "%s=%s" $option (tpl $value $root)) -}}
{{- else -}}
{{- $given = list (printf "%s=%v" $option $value) -}}
{{- end -}}
{{- toYaml $given -}}
{{- end }}

{{- define "berth-kured.args" -}}
{{- $args := list (printf "--ds-name=%s" (include "berth-kured.fullname" .)) (printf "--ds-namespace=%s" .Release.Namespace) -}}
{{- range $word := regexSplit "\\s+" (include "berth-kured.keys" .) -1 -}}
{{- $key := trimSuffix ":" $word -}}
{{- with get $.Values.configuration $key -}}
{{- $args = concat $args (include "berth-kured.option" (list $key . $) | fromYamlArray) -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := .Values.extraArgs -}}
{{- $args = append $args (ternary (printf "--%s=%v" $name $value) (printf "--%s" $name) (not (empty $value))) -}}
{{- end -}}
{{- range $number, $arg := $args }}{{ if $number }}
{{ end }}- {{ trim $arg | quote }}
{{- end -}}
{{- end }}
