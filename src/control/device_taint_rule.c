/* The condition EvictionInProgress of DeviceTaintRules: how many pods are to go because of a rule,
 * or would have to, and how many went. */
#include "base/map.h"
#include "control/device_taint_priv.h"
#include <stdlib.h>

#define CONDITION "EvictionInProgress"

struct rule_report {
        struct controller_run *run;
        const struct evicting_rule *rule;
        size_t index;
        bool is_trial; /* what if it were NoExecute */
        size_t pods, namespaces, published, allocated;
        struct map *seen; /* namespaces with such pods */
        struct arena arena;
};

static bool count_pod(void *context, const struct store_object *object) {
        struct rule_report *report = context;
        const struct device_eviction_state *state = report->run->state;
        struct device_eviction eviction = { 0 };
        struct json_doc *doc = NULL;

        if (!object_mentions(object, "\"resourceClaims\"") &&
            !object_mentions(object, "\"extendedResourceClaimStatus\""))
                return true;
        if (json_parse(store_object_body(object), &doc, NULL) < 0)
                return true;
        eviction.rules = ARENA_ARRAY(&report->arena, bool, state->taints.rule_count);
        memset(eviction.rules, 0, state->taints.rule_count * sizeof(bool));
        if (!object_is_deleted(json_doc_root(doc)))
                device_taint_judge_pod(report->run, json_doc_root(doc),
                                       report->is_trial ? report->rule : NULL, &eviction);
        if (eviction.rules[report->index]) {
                report->pods++;
                map_put(report->seen, store_object_ns(object), report);
        }
        json_doc_free(doc);
        return true;
}

static bool count_published(void *context, const struct store_object *object) {
        struct rule_report *report = context;
        struct json_doc *doc = NULL;

        if (json_parse(store_object_body(object), &doc, NULL) < 0)
                return true;
        const struct json *spec = json_get(json_doc_root(doc), "spec"), *device;
        struct json_iter iter = json_iter(json_get(spec, "devices"));
        while (json_next(&iter, NULL, &device))
                report->published +=
                        taint_rule_selects(&report->rule->rule, json_get_text(spec, "driver"),
                                           json_get_text(json_get(spec, "pool"), "name"),
                                           json_get_text(device, "name"));
        json_doc_free(doc);
        return true;
}

static bool count_allocated(void *context, const struct store_object *object) {
        struct rule_report *report = context;
        struct json_doc *doc = NULL;

        if (!object_mentions(object, "\"allocation\"") ||
            json_parse(store_object_body(object), &doc, NULL) < 0)
                return true;
        const struct json *allocation =
                json_get(json_get(json_doc_root(doc), "status"), "allocation");
        struct json_iter iter = json_iter(json_get(json_get(allocation, "devices"), "results"));
        const struct json *result;
        while (json_next(&iter, NULL, &result))
                report->allocated += taint_rule_selects(
                        &report->rule->rule, json_get_text(result, "driver"),
                        json_get_text(result, "pool"), json_get_text(result, "device"));
        json_doc_free(doc);
        return true;
}

static void rule_report_count(struct rule_report *report) {
        const struct control *control = report->run->control;

        report->seen = map_new();
        control_each(control, control->resource.pods, SLICE_EMPTY, count_pod, report);
        report->namespaces = map_count(report->seen);
        map_free(report->seen);
        if (!report->is_trial)
                return;
        control_each(control, control->resource.resource_slices, SLICE_EMPTY, count_published,
                     report);
        control_each(control, control->resource.resource_claims, SLICE_EMPTY, count_allocated,
                     report);
}

/* ---- words ---- */

static void say_count(struct buf *out, size_t count, const char *one, const char *many) {
        if (count == 1)
                buf_printf(out, "1 %s", one);
        else
                buf_printf(out, "%zu %s", count, many);
}

static void say_trial(struct buf *out, const struct rule_report *report) {
        say_count(out, report->published, "published device selected. ",
                  "published devices selected. ");
        say_count(out, report->allocated, "allocated device selected. ",
                  "allocated devices selected. ");
        say_count(out, report->pods, "pod would be evicted in ", "pods would be evicted in ");
        say_count(out, report->namespaces, "namespace ", "different namespaces ");
        buf_text(out, "if the effect was NoExecute. This information will not be updated again. "
                      "Recreate the DeviceTaintRule to trigger an update.");
}

static struct status_condition say_condition(const struct rule_report *report, size_t evicted,
                                             struct buf *out) {
        struct status_condition condition = { .type = CONDITION };

        if (report->is_trial) {
                condition.reason = "NoEffect";
                say_trial(out, report);
        } else if (report->rule->rule.taint.effect != TAINT_NO_EXECUTE) {
                condition.reason = "OtherEffect";
                buf_text(out, "Eviction only happens for the NoExecute effect.");
        } else if (report->pods) {
                condition.reason = "PodsPendingEviction";
                condition.is_true = true;
                say_count(out, report->pods, "pod needs to be evicted in ",
                          "pods need to be evicted in ");
                say_count(out, report->namespaces, "namespace.", "different namespaces.");
        } else {
                condition.reason = evicted ? "Completed" : "NotStarted";
        }
        if (evicted) {
                buf_text(out, buf_view(out).len ? " " : "");
                say_count(out, evicted, "pod ", "pods ");
                buf_text(out, "evicted since starting the controller.");
        }
        return condition;
}

/* ---- writing ---- */

/* Any change of the condition moves its time, which the next report waits for. */
static int write_condition(struct controller_run *run, const struct json *object,
                           const struct status_condition *condition, struct err *err) {
        struct json_tree *tree = json_tree_new();
        struct json_node *status = status_begin(tree, object), *patch = node_object(tree);
        struct json_node *item;

        status_condition_remove(status, CONDITION);
        status_condition_put(tree, status, condition, control_now(run->control));
        struct node_iter iter = node_iter(node_get(status, "conditions"));
        while (node_next(&iter, NULL, &item)) {
                if (slice_is(node_get_text(item, "type"), CONDITION))
                        node_put_i64(tree, item, "observedGeneration", object_generation(object));
        }
        node_put(tree, patch, "conditions", node_clone(tree, node_get(status, "conditions")));
        int r = object_merge_status(
                run,
                &(struct object_target){ .resource = run->control->resource.taint_rules,
                                         .name = object_name(object) },
                tree, patch, err);
        json_tree_free(tree);
        return r;
}

static bool is_said(const struct json *object, const struct json *known,
                    const struct status_condition *condition) {
        return known && object_generation(object) == json_get_i64(known, "observedGeneration", 0) &&
               slice_is(json_get_text(known, "status"), condition->is_true ? "True" : "False") &&
               slice_is(json_get_text(known, "reason"), condition->reason) &&
               slice_is(json_get_text(known, "message"), condition->message);
}

static int report_rule(struct controller_run *run, const struct json *object,
                       struct rule_report *report, struct err *err) {
        const struct device_eviction_state *state = run->state;
        const size_t *evicted = map_get(state->evicted, object_uid(object));
        const struct json *known = object_condition(object, CONDITION);
        struct wall_time next = { object_time(known, "lastTransitionTime").ns +
                                  RULE_STATUS_PERIOD_NS };
        struct buf message = { 0 };
        int r = 0;

        if (known && next.ns > control_now(run->control).ns &&
            object_generation(object) == json_get_i64(known, "observedGeneration", 0)) {
                run_add_at(run, SLICE_EMPTY, object_name(object), next);
                return 0;
        }
        report->is_trial = slice_is(report->rule->rule.taint.effect_name, "None");
        rule_report_count(report);
        struct status_condition condition = say_condition(report, evicted ? *evicted : 0, &message);
        buf_char(&message, '\0');
        condition.message = buf_view(&message).ptr;
        if (!is_said(object, known, &condition))
                r = write_condition(run, object, &condition, err);
        buf_release(&message);
        return r;
}

int device_taint_rule_report(struct controller_run *run, struct slice name, struct err *err) {
        const struct device_eviction_state *state = run->state;
        struct rule_report report = { .run = run };
        struct json_doc *doc = NULL;
        const struct json *object = control_read(run->control, run->control->resource.taint_rules,
                                                 SLICE_EMPTY, name, &doc);
        int r = 0;

        arena_init(&report.arena, 1024);
        for (size_t i = 0; object && i < state->taints.rule_count; i++) {
                if (!slice_eq(state->taints.rules[i].rule.meta.uid, object_uid(object)))
                        continue;
                report.rule = &state->taints.rules[i];
                report.index = i;
                r = report_rule(run, object, &report, err);
                break;
        }
        arena_release(&report.arena);
        json_doc_free(doc);
        return r;
}
