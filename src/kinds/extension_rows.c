/* Table rows of what extends the API server: webhooks, admission policies, flow control. */
#include "kinds/row.h"

#include "base/arena.h"
#include <stdlib.h>

ROW_HOOK(webhook_configuration_row) {
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_number(&row, (int64_t)json_count(json_get(object, "webhooks")));
        cell_age(&row, object);
        row_end(&row);
}

static void policy_row(struct kind_context *context, const struct json *object, struct buf *cells,
                       const char *rules) {
        const struct json *spec = json_get(object, "spec"), *kind = json_get(spec, "paramKind");
        struct row row = row_begin(context, cells);

        cell_name(&row, object);
        cell_number(&row, (int64_t)json_count(json_get(spec, rules)));
        if (kind)
                cell_format(&row, SLICE_FMT "/" SLICE_FMT,
                            SLICE_ARG(json_get_text(kind, "apiVersion")),
                            SLICE_ARG(json_get_text(kind, "kind")));
        else
                cell_string(&row, "<unset>");
        cell_age(&row, object);
        row_end(&row);
}

ROW_HOOK(validating_admission_policy_row) {
        (void)conditions;
        policy_row(context, object, cells, "validations");
}

ROW_HOOK(mutating_admission_policy_row) {
        (void)conditions;
        policy_row(context, object, cells, "mutations");
}

/* ---- the parameter of a binding: its name, or its selector as Go prints it ---- */

struct shown_label {
        struct slice key, value;
};

static int compare_pairs(const void *left, const void *right) {
        const struct shown_label *a = left, *b = right;

        return slice_compare(a->key, b->key);
}

static void labels_print(struct arena *arena, const struct json *labels, struct buf *out) {
        struct shown_label *pairs = ARENA_ARRAY(arena, struct shown_label, json_count(labels) + 1);
        struct json_iter iter = json_iter(labels);
        const struct json *value;
        size_t count = 0;

        while (json_next(&iter, &pairs[count].key, &value))
                pairs[count++].value = json_text(value);
        qsort(pairs, count, sizeof(*pairs), compare_pairs);
        for (size_t i = 0; i < count; i++)
                buf_printf(out, SLICE_FMT ": " SLICE_FMT ",", SLICE_ARG(pairs[i].key),
                           SLICE_ARG(pairs[i].value));
}

static void requirement_print(const struct json *requirement, struct buf *out) {
        struct json_iter iter = json_iter(json_get(requirement, "values"));
        const struct json *value;
        bool is_later = false;

        buf_printf(out,
                   "LabelSelectorRequirement{Key:" SLICE_FMT ",Operator:" SLICE_FMT ",Values:[",
                   SLICE_ARG(json_get_text(requirement, "key")),
                   SLICE_ARG(json_get_text(requirement, "operator")));
        while (json_next(&iter, NULL, &value)) {
                buf_printf(out, "%s" SLICE_FMT, is_later ? " " : "", SLICE_ARG(json_text(value)));
                is_later = true;
        }
        buf_text(out, "],},");
}

static void cell_selector(struct row *row, const struct json *selector) {
        struct json_iter iter = json_iter(json_get(selector, "matchExpressions"));
        const struct json *requirement;
        struct buf text = { 0 };

        buf_text(&text, "&LabelSelector{MatchLabels:map[string]string{");
        labels_print(row->context->scratch, json_get(selector, "matchLabels"), &text);
        buf_text(&text, "},MatchExpressions:[]LabelSelectorRequirement{");
        while (json_next(&iter, NULL, &requirement))
                requirement_print(requirement, &text);
        buf_text(&text, "},}");
        cell_text(row, buf_view(&text));
        buf_release(&text);
}

ROW_HOOK(admission_policy_binding_row) {
        const struct json *spec = json_get(object, "spec"), *param = json_get(spec, "paramRef");
        struct slice name = json_get_text(param, "name"), ns = json_get_text(param, "namespace");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_text(&row, json_get_text(spec, "policyName"));
        if (name.len)
                cell_format(&row, SLICE_FMT "/" SLICE_FMT,
                            SLICE_ARG(ns.len ? ns : SLICE_LITERAL("*")), SLICE_ARG(name));
        else if (json_get(param, "selector"))
                cell_selector(&row, json_get(param, "selector"));
        else
                cell_string(&row, "<unset>");
        cell_age(&row, object);
        row_end(&row);
}

/* ---- flow control ---- */

ROW_HOOK(flow_schema_row) {
        const struct json *spec = json_get(object, "spec"), *condition;
        const struct json *method = json_get(spec, "distinguisherMethod");
        struct json_iter iter = json_iter(json_get(json_get(object, "status"), "conditions"));
        struct row row = row_begin(context, cells);
        struct slice dangling = SLICE_LITERAL("?");

        (void)conditions;
        cell_name(&row, object);
        cell_text(&row, json_get_text(json_get(spec, "priorityLevelConfiguration"), "name"));
        cell_number(&row, json_get_i64(spec, "matchingPrecedence", 0));
        cell_text(&row, method ? json_get_text(method, "type") : SLICE_LITERAL("<none>"));
        cell_age(&row, object);
        while (json_next(&iter, NULL, &condition)) {
                if (!slice_is(json_get_text(condition, "type"), "Dangling"))
                        continue;
                dangling = json_get_text(condition, "status");
                break;
        }
        cell_text(&row, dangling);
        row_end(&row);
}

static void cell_number_of(struct row *row, const struct json *object, const char *name) {
        if (object)
                cell_number(row, json_get_i64(object, name, 0));
        else
                cell_string(row, "<none>");
}

ROW_HOOK(priority_level_configuration_row) {
        const struct json *spec = json_get(object, "spec"), *limited = json_get(spec, "limited");
        const struct json *queuing = json_get(json_get(limited, "limitResponse"), "queuing");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_text(&row, json_get_text(spec, "type"));
        cell_number_of(&row, limited, "nominalConcurrencyShares");
        cell_number_of(&row, queuing, "queues");
        cell_number_of(&row, queuing, "handSize");
        cell_number_of(&row, queuing, "queueLengthLimit");
        cell_age(&row, object);
        row_end(&row);
}

static void cell_available(struct row *row, const struct json *service) {
        struct json_iter iter = json_iter(json_get(json_get(service, "status"), "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition)) {
                struct slice status = json_get_text(condition, "status");
                struct slice reason = json_get_text(condition, "reason");

                if (!slice_is(json_get_text(condition, "type"), "Available"))
                        continue;
                if (slice_is(status, "True") || reason.len == 0)
                        cell_text(row, status);
                else
                        cell_format(row, SLICE_FMT " (" SLICE_FMT ")", SLICE_ARG(status),
                                    SLICE_ARG(reason));
                return;
        }
        cell_string(row, "Unknown");
}

ROW_HOOK(api_service_row) {
        const struct json *service = json_get(json_get(object, "spec"), "service");
        struct slice ns = json_get_text(service, "namespace"),
                     name = json_get_text(service, "name");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        if (service)
                cell_format(&row, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(ns), SLICE_ARG(name));
        else
                cell_string(&row, "Local");
        cell_available(&row, object);
        cell_age(&row, object);
        row_end(&row);
}
