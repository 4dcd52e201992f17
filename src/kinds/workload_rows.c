/* Table rows of workloads. */
#include "kinds/row.h"

static const struct json *template_spec(const struct json *spec) {
        return json_get(json_get(spec, "template"), "spec");
}

ROW_HOOK(pod_template_row) {
        const struct json *template = json_get(object, "template");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cells_containers(&row, json_get(template, "spec"));
        cell_labels(&row, json_get(json_get(template, "metadata"), "labels"));
        row_end(&row);
}

ROW_HOOK(replica_set_row) {
        const struct json *spec = json_get(object, "spec"), *status = json_get(object, "status");
        const struct json *selector = json_get(spec, "selector");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_number(&row, json_get_i64(spec, "replicas", 0));
        cell_number(&row, json_get_i64(status, "replicas", 0));
        cell_number(&row, json_get_i64(status, "readyReplicas", 0));
        cell_age(&row, object);
        cells_containers(&row, template_spec(spec));
        if (slice_is(slice_of(context->kind->plural), "replicationcontrollers"))
                cell_labels(&row, selector);
        else
                cell_label_selector(&row, selector);
        row_end(&row);
}

ROW_HOOK(deployment_row) {
        const struct json *spec = json_get(object, "spec"), *status = json_get(object, "status");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_format(&row, "%lld/%lld", (long long)json_get_i64(status, "readyReplicas", 0),
                    (long long)json_get_i64(spec, "replicas", 0));
        cell_number(&row, json_get_i64(status, "updatedReplicas", 0));
        cell_number(&row, json_get_i64(status, "availableReplicas", 0));
        cell_age(&row, object);
        cells_containers(&row, template_spec(spec));
        if (json_get(spec, "selector"))
                cell_label_selector(&row, json_get(spec, "selector"));
        else
                cell_string(&row, ""); /* of a bookmark: this printer has no word for none */
        row_end(&row);
}

ROW_HOOK(stateful_set_row) {
        const struct json *spec = json_get(object, "spec"), *status = json_get(object, "status");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_format(&row, "%lld/%lld", (long long)json_get_i64(status, "readyReplicas", 0),
                    (long long)json_get_i64(spec, "replicas", 0));
        cell_age(&row, object);
        cells_containers(&row, template_spec(spec));
        row_end(&row);
}

ROW_HOOK(daemon_set_row) {
        static const char *const counts[] = { "desiredNumberScheduled", "currentNumberScheduled",
                                              "numberReady", "updatedNumberScheduled",
                                              "numberAvailable" };
        const struct json *spec = json_get(object, "spec"), *status = json_get(object, "status");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
                cell_number(&row, json_get_i64(status, counts[i], 0));
        cell_labels(&row, json_get(template_spec(spec), "nodeSelector"));
        cell_age(&row, object);
        cells_containers(&row, template_spec(spec));
        cell_label_selector(&row, json_get(spec, "selector"));
        row_end(&row);
}

ROW_HOOK(controller_revision_row) {
        struct json_iter iter =
                json_iter(json_get(json_get(object, "metadata"), "ownerReferences"));
        const struct json *owner, *controller = NULL;
        struct row row = row_begin(context, cells);

        (void)conditions;
        while (!controller && json_next(&iter, NULL, &owner))
                if (json_get_bool(owner, "controller", false))
                        controller = owner;
        cell_name(&row, object);
        if (controller) {
                struct slice rest = json_get_text(controller, "apiVersion"), group = SLICE_EMPTY;
                struct slice kind = json_get_text(controller, "kind");
                bool has_group = rest.len && memchr(rest.ptr, '/', rest.len);
                struct buf text = { 0 };

                if (has_group)
                        slice_split(&rest, '/', &group);
                for (size_t i = 0; i < kind.len; i++)
                        buf_char(&text, kind.ptr[i] >= 'A' && kind.ptr[i] <= 'Z'
                                                ? (char)(kind.ptr[i] + 'a' - 'A')
                                                : kind.ptr[i]);
                buf_printf(&text, "%s" SLICE_FMT "/" SLICE_FMT, group.len ? "." : "",
                           SLICE_ARG(group), SLICE_ARG(json_get_text(controller, "name")));
                cell_text(&row, buf_view(&text));
                buf_release(&text);
        } else {
                cell_string(&row, "<none>");
        }
        cell_number(&row, json_get_i64(object, "revision", 0));
        cell_age(&row, object);
        row_end(&row);
}

/* ---- batch ---- */

static bool has_condition(const struct json *status, const char *type) {
        struct json_iter iter = json_iter(json_get(status, "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition))
                if (slice_is(json_get_text(condition, "type"), type))
                        return slice_is(json_get_text(condition, "status"), "True");
        return false;
}

static const char *job_state(const struct json *job) {
        static const char *const late[][2] = { { "Suspended", "Suspended" },
                                               { "FailureTarget", "FailureTarget" },
                                               { "SuccessCriteriaMet", "SuccessCriteriaMet" } };
        const struct json *status = json_get(job, "status");

        if (has_condition(status, "Complete"))
                return "Complete";
        if (has_condition(status, "Failed"))
                return "Failed";
        if (json_get(json_get(job, "metadata"), "deletionTimestamp"))
                return "Terminating";
        for (size_t i = 0; i < sizeof(late) / sizeof(late[0]); i++)
                if (has_condition(status, late[i][0]))
                        return late[i][1];
        return "Running";
}

static void cell_completions(struct row *row, const struct json *job) {
        const struct json *spec = json_get(job, "spec");
        long long done = json_get_i64(json_get(job, "status"), "succeeded", 0);
        long long wanted = json_get_i64(spec, "completions", 0);
        long long parallel = json_get_i64(spec, "parallelism", 0);

        if (json_get(spec, "completions"))
                cell_format(row, "%lld/%lld", done, wanted);
        else if (parallel > 1)
                cell_format(row, "%lld/1 of %lld", done, parallel);
        else
                cell_format(row, "%lld/1", done);
}

static void cell_job_duration(struct row *row, const struct json *status) {
        struct slice began = json_get_text(status, "startTime");
        struct slice ended = json_get_text(status, "completionTime");
        struct wall_time start, end = row->context->now;
        char text[40];

        if (!wall_time_parse(began, &start)) {
                cell_string(row, "");
                return;
        }
        if (ended.len)
                wall_time_parse(ended, &end);
        duration_format_human(end.ns - start.ns, text);
        cell_string(row, text);
}

ROW_HOOK(job_row) {
        const struct json *spec = json_get(object, "spec");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_string(&row, job_state(object));
        cell_completions(&row, object);
        cell_job_duration(&row, json_get(object, "status"));
        cell_age(&row, object);
        cells_containers(&row, template_spec(spec));
        cell_label_selector(&row, json_get(spec, "selector"));
        row_end(&row);
}

ROW_HOOK(cron_job_row) {
        const struct json *spec = json_get(object, "spec"), *status = json_get(object, "status");
        const struct json *job = json_get(json_get(spec, "jobTemplate"), "spec");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_text(&row, json_get_text(spec, "schedule"));
        cell_or(&row, json_get_text(spec, "timeZone"), "<none>");
        cell_string(&row, json_get_bool(spec, "suspend", false) ? "True" : "False");
        cell_number(&row, (int64_t)json_count(json_get(status, "active")));
        cell_since(&row, json_get_text(status, "lastScheduleTime"), "<none>");
        cell_age(&row, object);
        cells_containers(&row, template_spec(job));
        cell_label_selector(&row, json_get(job, "selector"));
        row_end(&row);
}

/* ---- autoscaling ---- */

#define METRICS_SHOWN 2

static struct slice text_or(struct slice text, struct slice otherwise) {
        return text.len ? text : otherwise;
}

/* "cpu: 10%/80%" of a resource, "10/80" of anything else. */
static void metric_write(struct buf *out, const struct json *spec, const struct json *status) {
        static const char *const sources[][2] = { { "Resource", "resource" },
                                                  { "ContainerResource", "containerResource" },
                                                  { "Pods", "pods" },
                                                  { "Object", "object" },
                                                  { "External", "external" } };
        struct slice unknown = SLICE_LITERAL("<unknown>"), type = json_get_text(spec, "type");
        const struct json *target = NULL, *current = NULL;
        bool is_utilization = false;

        for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
                const struct json *source = json_get(spec, sources[i][1]);

                if (!slice_is(type, sources[i][0]))
                        continue;
                target = json_get(source, "target");
                current = json_get(json_get(status, sources[i][1]), "current");
                if (i < 2) {
                        buf_printf(out, SLICE_FMT ": ", SLICE_ARG(json_get_text(source, "name")));
                        is_utilization = !json_get(target, "averageValue");
                }
        }
        if (is_utilization) {
                int64_t percent;

                if (json_as_i64(json_get(current, "averageUtilization"), &percent))
                        buf_printf(out, "%lld%%/", (long long)percent);
                else
                        buf_printf(out, SLICE_FMT "/", SLICE_ARG(unknown));
                if (json_as_i64(json_get(target, "averageUtilization"), &percent))
                        buf_printf(out, "%lld%%", (long long)percent);
                else
                        buf_text(out, "<auto>");
                return;
        }
        buf_printf(out, SLICE_FMT "/" SLICE_FMT,
                   SLICE_ARG(text_or(text_or(json_get_text(current, "averageValue"),
                                             json_get_text(current, "value")),
                                     unknown)),
                   SLICE_ARG(text_or(json_get_text(target, "averageValue"),
                                     json_get_text(target, "value"))));
}

static void cell_metrics(struct row *row, const struct json *autoscaler) {
        const struct json *metrics = json_get(json_get(autoscaler, "spec"), "metrics");
        const struct json *states = json_get(json_get(autoscaler, "status"), "currentMetrics");
        size_t count = json_count(metrics);
        struct buf text = { 0 };

        for (size_t i = 0; i < count && i < METRICS_SHOWN; i++) {
                buf_text(&text, i ? ", " : "");
                metric_write(&text, json_at(metrics, i), json_at(states, i));
        }
        if (count > METRICS_SHOWN)
                buf_printf(&text, " + %zu more...", count - METRICS_SHOWN);
        cell_or(row, buf_view(&text), "<none>");
        buf_release(&text);
}

ROW_HOOK(horizontal_pod_autoscaler_row) {
        const struct json *spec = json_get(object, "spec");
        const struct json *target = json_get(spec, "scaleTargetRef");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_format(&row, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(json_get_text(target, "kind")),
                    SLICE_ARG(json_get_text(target, "name")));
        cell_metrics(&row, object);
        if (json_get(spec, "minReplicas"))
                cell_format(&row, "%lld", (long long)json_get_i64(spec, "minReplicas", 0));
        else
                cell_string(&row, "<unset>");
        cell_number(&row, json_get_i64(spec, "maxReplicas", 0));
        cell_number(&row, json_get_i64(json_get(object, "status"), "currentReplicas", 0));
        cell_age(&row, object);
        row_end(&row);
}
