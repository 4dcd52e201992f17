/* Groups of pods: rows of PodGroups, and whether the template that one names is there. */
#include "kinds/admit.h"
#include "kinds/row.h"

/* ---- rows ---- */

static const struct json *group_condition(const struct json *object, const char *type) {
        struct json_iter iter = json_iter(json_get(json_get(object, "status"), "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition))
                if (slice_is(json_get_text(condition, "type"), type))
                        return condition;
        return NULL;
}

/* The reason of a disruption, or how far the placement is. */
static struct slice group_status(const struct json *object) {
        const struct json *scheduled = group_condition(object, "PodGroupScheduled");
        const struct json *target = group_condition(object, "DisruptionTarget");

        if (target)
                return json_get_text(target, "reason");
        if (!scheduled)
                return SLICE_LITERAL("Pending");
        return slice_is(json_get_text(scheduled, "status"), "True")
                       ? SLICE_LITERAL("Scheduled")
                       : SLICE_LITERAL("Unschedulable");
}

ROW_HOOK(pod_group_row) {
        const struct json *spec = json_get(object, "spec");
        const struct json *workload = json_get(json_get(spec, "podGroupTemplateRef"), "workload");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_string(&row, json_get(json_get(spec, "schedulingPolicy"), "gang") ? "Gang" : "Basic");
        cell_or(&row, json_get_text(workload, "workloadName"), "<none>");
        cell_text(&row, group_status(object));
        cell_age(&row, object);
        row_end(&row);
}

/* ---- the template ---- */

static bool has_template(const struct json *workload, struct slice name) {
        struct json_iter iter =
                json_iter(json_get(json_get(workload, "spec"), "podGroupTemplates"));
        const struct json *template;

        while (json_next(&iter, NULL, &template))
                if (slice_eq(json_get_text(template, "name"), name))
                        return true;
        return false;
}

JUDGE_HOOK(pod_group_judge) {
        const struct json_node *metadata = node_get(object, "metadata");
        const struct json_node *reference =
                node_get(node_get(node_get(object, "spec"), "podGroupTemplateRef"), "workload");
        struct slice name = node_get_text(reference, "workloadName");
        struct slice template = node_get_text(reference, "podGroupTemplateName");

        (void)old;
        if (operation != KIND_CREATE || node_type(reference) != JSON_OBJECT || !context->lookup)
                return 0;
        const struct json *workload =
                context->lookup(context->engine, "scheduling.k8s.io", "workloads",
                                node_get_text(metadata, "namespace"), name);
        if (!workload)
                return admit_forbid(context, object, err,
                                    "PodGroup rejected: Workload \"" SLICE_FMT "\" not found",
                                    SLICE_ARG(name));
        if (json_get(json_get(workload, "metadata"), "deletionTimestamp"))
                return admit_forbid(context, object, err,
                                    "PodGroup rejected: Workload \"" SLICE_FMT
                                    "\" is being deleted",
                                    SLICE_ARG(name));
        if (!has_template(workload, template))
                return admit_forbid(context, object, err,
                                    "PodGroup rejected: PodGroupTemplate \"" SLICE_FMT
                                    "\" not found in Workload \"" SLICE_FMT "\"",
                                    SLICE_ARG(template), SLICE_ARG(name));
        return 0;
}
