/* NoExecute taints of devices. */
#include "control/device_taints.h"

#include "base/util.h"
#include "control/pod_owner.h"
#include <stdlib.h>

void device_taints_init(struct device_taints *taints) {
        *taints = (struct device_taints){ .is_dirty = true };
        arena_init(&taints->arena, 0);
}

static void device_taints_clear(struct device_taints *taints) {
        for (size_t i = 0; i < taints->doc_count; i++)
                json_doc_free(taints->docs[i]);
        taints->doc_count = taints->device_count = taints->rule_count = 0;
        taints->devices = NULL;
        taints->rules = NULL;
        taints->device_cap = taints->rule_cap = 0;
        arena_clear(&taints->arena);
}

void device_taints_release(struct device_taints *taints) {
        device_taints_clear(taints);
        free(taints->docs);
        arena_release(&taints->arena);
}

bool device_taints_is_empty(const struct device_taints *taints) {
        return !taints->is_dirty && taints->device_count == 0 && taints->rule_count == 0;
}

/* ---- reading ---- */

static const struct json *device_taints_keep(struct device_taints *taints,
                                             const struct store_object *object) {
        struct json_doc *doc = NULL;

        if (json_parse(store_object_body(object), &doc, NULL) < 0)
                return NULL;
        if (taints->doc_count == taints->doc_cap) {
                taints->doc_cap = taints->doc_cap ? taints->doc_cap * 2 : 16;
                taints->docs =
                        xreallocarray(taints->docs, taints->doc_cap, sizeof(taints->docs[0]));
        }
        taints->docs[taints->doc_count++] = doc;
        return json_doc_root(doc);
}

static void add_devices(struct device_taints *taints, const struct resource_slice *slice) {
        for (size_t i = 0; i < slice->device_count; i++) {
                const struct device *device = &slice->devices[i];

                for (size_t j = 0; j < device->traits->taint_count; j++) {
                        if (device->traits->taints[j].effect != TAINT_NO_EXECUTE)
                                continue;
                        taints->devices =
                                arena_grow(&taints->arena, taints->devices, taints->device_count,
                                           &taints->device_cap, sizeof(taints->devices[0]));
                        taints->devices[taints->device_count++] =
                                (struct tainted_device){ .driver = slice->driver,
                                                         .pool = slice->pool,
                                                         .device = device->name,
                                                         .generation = slice->generation,
                                                         .taint = device->traits->taints[j] };
                }
        }
}

static bool read_slice(void *context, const struct store_object *object) {
        struct device_taints *taints = context;
        struct resource_slice slice;

        if (!object_mentions(object, "\"NoExecute\""))
                return true;
        const struct json *json = device_taints_keep(taints, object);
        if (json && resource_slice_decode(json, &taints->arena, &slice, NULL) == 0)
                add_devices(taints, &slice);
        return true;
}

/* Devices that a newer generation of their pool may not have any more. */
static bool mark_stale(void *context, const struct store_object *object) {
        struct device_taints *taints = context;
        struct json_doc *doc = NULL;

        if (json_parse(store_object_body(object), &doc, NULL) < 0)
                return true;
        const struct json *spec = json_get(json_doc_root(doc), "spec");
        const struct json *pool = json_get(spec, "pool");
        for (size_t i = 0; i < taints->device_count; i++) {
                struct tainted_device *device = &taints->devices[i];

                if (slice_eq(device->driver, json_get_text(spec, "driver")) &&
                    slice_eq(device->pool, json_get_text(pool, "name")) &&
                    device->generation < json_get_i64(pool, "generation", 0))
                        device->is_stale = true;
        }
        json_doc_free(doc);
        return true;
}

static bool read_rule(void *context, const struct store_object *object) {
        struct device_taints *taints = context;
        const struct json *json = device_taints_keep(taints, object);
        struct evicting_rule rule;

        if (!json || device_taint_rule_decode(json, &taints->arena, &rule.rule, NULL) < 0)
                return true;
        if (!wall_time_parse(rule.rule.taint.time_added, &rule.since))
                rule.since = object_created(json);
        taints->rules = arena_grow(&taints->arena, taints->rules, taints->rule_count,
                                   &taints->rule_cap, sizeof(taints->rules[0]));
        taints->rules[taints->rule_count++] = rule;
        return true;
}

void device_taints_refresh(struct device_taints *taints, const struct control *control) {
        const struct resource_numbers *number = &control->resource;

        if (!taints->is_dirty)
                return;
        device_taints_clear(taints);
        taints->is_dirty = false;
        if (number->resource_slices >= 0)
                control_each(control, number->resource_slices, SLICE_EMPTY, read_slice, taints);
        if (taints->device_count)
                control_each(control, number->resource_slices, SLICE_EMPTY, mark_stale, taints);
        if (number->taint_rules >= 0)
                control_each(control, number->taint_rules, SLICE_EMPTY, read_rule, taints);
}

/* ---- judging ---- */

bool taint_rule_selects(const struct device_taint_rule *rule, struct slice driver,
                        struct slice pool, struct slice device) {
        return rule->has_selector && (!rule->has_driver || slice_eq(rule->driver, driver)) &&
               (!rule->has_pool || slice_eq(rule->pool, pool)) &&
               (!rule->has_device || slice_eq(rule->device, device));
}

static bool is_tolerated_by(const struct device_toleration *toleration,
                            const struct device_taint *taint) {
        if ((toleration->effect.len && !slice_is(toleration->effect, "NoExecute")) ||
            (toleration->key.len && !slice_eq(toleration->key, taint->key)))
                return false;
        if (slice_is(toleration->op, "Exists"))
                return true;
        return (toleration->op.len == 0 || slice_is(toleration->op, "Equal")) &&
               slice_eq(toleration->value, taint->value);
}

/* Seconds for which the result bears with the taint; false: without limit. */
static bool result_patience(const struct device_result *result, const struct device_taint *taint,
                            int64_t *ret_seconds) {
        int64_t least = -1;

        for (size_t i = 0; i < result->toleration_count; i++) {
                const struct device_toleration *toleration = &result->tolerations[i];
                int64_t seconds = toleration->seconds > 0 ? toleration->seconds : 0;

                if (!is_tolerated_by(toleration, taint))
                        continue;
                if (!toleration->has_seconds)
                        return false;
                if (least < 0 || seconds < least)
                        least = seconds;
        }
        *ret_seconds = least > 0 ? least : 0;
        return true;
}

/* True when the taint will end pods. */
static bool add_taint(const struct device_result *result, const struct device_taint *taint,
                      struct wall_time since, struct device_eviction *eviction) {
        int64_t seconds;

        if (!result_patience(result, taint, &seconds))
                return false;
        struct wall_time when = { since.ns + seconds * NS_PER_S };
        if (!eviction->is_due || when.ns < eviction->when.ns)
                eviction->when = when;
        eviction->is_due = true;
        return true;
}

static void judge_result(const struct device_taints *taints, const struct device_result *result,
                         const struct evicting_rule *trial, struct wall_time now,
                         struct device_eviction *eviction) {
        for (size_t i = 0; i < taints->device_count; i++) {
                const struct tainted_device *tainted = &taints->devices[i];
                struct wall_time since;

                if (tainted->is_stale || !slice_eq(tainted->driver, result->driver) ||
                    !slice_eq(tainted->pool, result->pool) ||
                    !slice_eq(tainted->device, result->device))
                        continue;
                if (!wall_time_parse(tainted->taint.time_added, &since))
                        since = now;
                add_taint(result, &tainted->taint, since, eviction);
        }
        for (size_t i = 0; i < taints->rule_count; i++) {
                const struct evicting_rule *rule = &taints->rules[i];

                if ((rule->rule.taint.effect == TAINT_NO_EXECUTE || rule == trial) &&
                    taint_rule_selects(&rule->rule, result->driver, result->pool, result->device) &&
                    add_taint(result, &rule->rule.taint, rule->since, eviction) && eviction->rules)
                        eviction->rules[i] = true;
        }
}

void device_taints_judge(const struct device_taints *taints, const struct resource_claim *claim,
                         const struct evicting_rule *trial, struct wall_time now,
                         struct device_eviction *eviction) {
        for (size_t i = 0; claim->is_allocated && i < claim->result_count; i++)
                judge_result(taints, &claim->results[i], trial, now, eviction);
}
