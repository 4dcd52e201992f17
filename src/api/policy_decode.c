/* PodDisruptionBudgets. */
#include "api/decode_priv.h"

static int decode_selector_field(const struct json *value, void *target, struct decode *d) {
        struct disruption_budget *budget = target;
        budget->has_selector = true;
        return decode_selector(value, &budget->selector, &budget->selector_is_invalid, d);
}

static int decode_int_or_percent(const struct json *value, void *target, struct decode *d) {
        enum json_type type = json_type(value);
        if (type != JSON_INT && type != JSON_STRING)
                return decode_type_error(value, "integer or percentage", d);
        *(const struct json **)target = value;
        return 0;
}

static int decode_always_allow(const struct json *value, void *target, struct decode *d) {
        struct slice policy;
        int r = decode_text(value, &policy, d);
        if (r == 0)
                *(bool *)target = slice_is(policy, "AlwaysAllow");
        return r;
}

static int decode_spec(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                PART_FIELD("selector", decode_selector_field),
                FIELD(struct disruption_budget, "minAvailable", min_available,
                      decode_int_or_percent),
                FIELD(struct disruption_budget, "maxUnavailable", max_unavailable,
                      decode_int_or_percent),
                FIELD(struct disruption_budget, "unhealthyPodEvictionPolicy",
                      always_allow_unhealthy, decode_always_allow),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

/* disruptedPods maps names to times; only the names count here. */
static int decode_disrupted(const struct json *value, void *target, struct decode *d) {
        struct disruption_budget *budget = target;
        if (json_type(value) != JSON_OBJECT)
                return decode_type_error(value, "object", d);
        size_t count;
        CLEANUP(cleanup_free) struct json_member *members = json_members(value, &count);
        budget->disrupted = ARENA_ARRAY(d->arena, struct slice, count);
        budget->disrupted_count = count;
        for (size_t i = 0; i < count; i++)
                budget->disrupted[i] = members[i].key;
        return 0;
}

static int decode_status(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct disruption_budget, "observedGeneration", observed_generation,
                      decode_int64),
                FIELD(struct disruption_budget, "disruptionsAllowed", disruptions_allowed,
                      decode_int32),
                FIELD(struct disruption_budget, "currentHealthy", current_healthy, decode_int32),
                FIELD(struct disruption_budget, "desiredHealthy", desired_healthy, decode_int32),
                FIELD(struct disruption_budget, "expectedPods", expected_pods, decode_int32),
                PART_FIELD("disruptedPods", decode_disrupted),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

int disruption_budget_decode(const struct json *object, struct arena *arena,
                             struct disruption_budget *ret_budget, struct err *err) {
        static const struct decode_field fields[] = {
                FIELD(struct disruption_budget, "metadata", meta, decode_meta),
                PART_FIELD("spec", decode_spec),
                PART_FIELD("status", decode_status),
        };
        struct decode d = { arena, err };
        struct disruption_budget budget = { .selector.matches_nothing = true };
        if (json_type(object) != JSON_OBJECT)
                return decode_type_error(object, "object", &d);
        meta_set_defaults(&budget.meta);
        int r = DECODE_FIELDS(object, fields, &budget, &d);
        if (r == 0)
                *ret_budget = budget;
        return r;
}
