/* Node and pod affinity, and topology spread constraints. */
#include "api/decode_priv.h"
#include "api/selector_priv.h"

/* ---- node selector terms ---- */

struct written_requirement {
        struct slice key, op;
        size_t value_count;
        struct slice *values;
};

static int decode_written(const struct json *value, struct written_requirement *written,
                          struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct written_requirement, "key", key, decode_text),
                FIELD(struct written_requirement, "operator", op, decode_text),
                LIST_FIELD(struct written_requirement, "values", values, value_count, decode_text),
        };
        *written = (struct written_requirement){ 0 };
        return DECODE_FIELDS(value, fields, written, d);
}

static bool spelling_from(struct slice op, enum selector_spelling *ret_spelling) {
        static const struct {
                const char *name;
                enum selector_spelling spelling;
        } operators[] = { { "In", SPELLED_IN },         { "NotIn", SPELLED_NOT_IN },
                          { "Exists", SPELLED_EXISTS }, { "DoesNotExist", SPELLED_NOT_EXISTS },
                          { "Gt", SPELLED_GT },         { "Lt", SPELLED_LT } };
        for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
                if (slice_is(op, operators[i].name)) {
                        *ret_spelling = operators[i].spelling;
                        return true;
                }
        }
        return false;
}

/* What cannot be a label requirement makes its term match nothing, as upstream has it. */
static int decode_expression(const struct json *value, void *target, struct decode *d) {
        struct node_requirement *requirement = target;
        struct written_requirement written;
        struct selector_requirement parsed = { 0 };
        enum selector_spelling spelling;
        int r = decode_written(value, &written, d);
        if (r < 0)
                return r;
        *requirement = (struct node_requirement){ .key = written.key,
                                                  .value_count = written.value_count,
                                                  .values = written.values };
        requirement->is_invalid = !spelling_from(written.op, &spelling) ||
                                  requirement_init(&parsed, spelling, written.key, written.values,
                                                   written.value_count, NULL) < 0;
        if (requirement->is_invalid)
                return 0;
        requirement->op = parsed.op;
        requirement->value_count = parsed.value_count;
        requirement->number = parsed.number;
        return 0;
}

/* Field requirements are In or NotIn with exactly one value. */
static int decode_field_requirement(const struct json *value, void *target, struct decode *d) {
        struct node_requirement *requirement = target;
        struct written_requirement written;
        int r = decode_written(value, &written, d);
        if (r < 0)
                return r;
        bool is_in = slice_is(written.op, "In"), is_not_in = slice_is(written.op, "NotIn");
        *requirement = (struct node_requirement){
                .key = written.key,
                .op = is_not_in ? SELECTOR_NOT_IN : SELECTOR_IN,
                .value_count = written.value_count,
                .values = written.values,
                .is_invalid = (!is_in && !is_not_in) || written.value_count != 1,
        };
        return 0;
}

static int decode_node_term(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                LIST_FIELD(struct node_term, "matchExpressions", expressions, expression_count,
                           decode_expression),
                LIST_FIELD(struct node_term, "matchFields", fields, field_count,
                           decode_field_requirement),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_preferred_node(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct preferred_node_term, "weight", weight, decode_int32),
                FIELD(struct preferred_node_term, "preference", term, decode_node_term),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_required_node(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                LIST_FIELD(struct affinity, "nodeSelectorTerms", required_node, required_node_count,
                           decode_node_term),
        };
        ((struct affinity *)target)->has_required_node_terms = true;
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_node_affinity(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                PART_FIELD("requiredDuringSchedulingIgnoredDuringExecution", decode_required_node),
                LIST_FIELD(struct affinity, "preferredDuringSchedulingIgnoredDuringExecution",
                           preferred_node, preferred_node_count, decode_preferred_node),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

int node_affinity_decode(const struct json *node_affinity, struct arena *arena,
                         struct affinity *ret_affinity, struct err *err) {
        struct decode d = { arena, err };
        struct affinity affinity = { 0 };
        int r = decode_node_affinity(node_affinity, &affinity, &d);
        if (r == 0)
                *ret_affinity = affinity;
        return r;
}

int node_selector_decode(const struct json *node_selector, struct arena *arena,
                         struct affinity *ret_affinity, struct err *err) {
        struct decode d = { arena, err };
        struct affinity affinity = { 0 };
        int r = decode_required_node(node_selector, &affinity, &d);
        if (r == 0)
                *ret_affinity = affinity;
        return r;
}

/* ---- pod affinity ---- */

static int decode_term_selector(const struct json *value, void *target, struct decode *d) {
        struct pod_affinity_term *term = target;
        bool is_invalid;
        int r = decode_selector(value, &term->selector, &is_invalid, d);
        term->has_selector = true;
        term->selector_is_invalid |= is_invalid;
        return r;
}

static int decode_namespace_selector(const struct json *value, void *target, struct decode *d) {
        struct pod_affinity_term *term = target;
        bool is_invalid;
        int r = decode_selector(value, &term->namespace_selector, &is_invalid, d);
        term->has_namespace_selector = true;
        term->selector_is_invalid |= is_invalid;
        return r;
}

static int decode_pod_term(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                PART_FIELD("labelSelector", decode_term_selector),
                PART_FIELD("namespaceSelector", decode_namespace_selector),
                LIST_FIELD(struct pod_affinity_term, "namespaces", namespaces, namespace_count,
                           decode_text),
                FIELD(struct pod_affinity_term, "topologyKey", topology_key, decode_text),
        };
        struct pod_affinity_term *term = target;
        term->selector.matches_nothing = true;
        term->namespace_selector.matches_nothing = true;
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_weighted_term(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct pod_affinity_term, "weight", weight, decode_int32),
                PART_FIELD("podAffinityTerm", decode_pod_term),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_pod_terms(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                LIST_FIELD(struct pod_affinity_terms,
                           "requiredDuringSchedulingIgnoredDuringExecution", required,
                           required_count, decode_pod_term),
                LIST_FIELD(struct pod_affinity_terms,
                           "preferredDuringSchedulingIgnoredDuringExecution", preferred,
                           preferred_count, decode_weighted_term),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

int decode_affinity(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                PART_FIELD("nodeAffinity", decode_node_affinity),
                FIELD(struct affinity, "podAffinity", pod, decode_pod_terms),
                FIELD(struct affinity, "podAntiAffinity", pod_anti, decode_pod_terms),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

/* ---- topology spread ---- */

static int decode_spread_selector(const struct json *value, void *target, struct decode *d) {
        struct spread_constraint *constraint = target;
        constraint->has_selector = true;
        return decode_selector(value, &constraint->selector, &constraint->selector_is_invalid, d);
}

static int decode_honor(const struct json *value, void *target, struct decode *d) {
        struct slice policy;
        int r = decode_text(value, &policy, d);
        if (r == 0)
                *(bool *)target = slice_is(policy, "Honor");
        return r;
}

int decode_spread(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct spread_constraint, "maxSkew", max_skew, decode_int32),
                FIELD(struct spread_constraint, "minDomains", min_domains, decode_int32),
                FIELD(struct spread_constraint, "topologyKey", topology_key, decode_text),
                PART_FIELD("labelSelector", decode_spread_selector),
                FIELD(struct spread_constraint, "nodeAffinityPolicy", honor_affinity, decode_honor),
                FIELD(struct spread_constraint, "nodeTaintsPolicy", honor_taints, decode_honor),
                LIST_FIELD(struct spread_constraint, "matchLabelKeys", match_label_keys,
                           match_label_key_count, decode_text),
        };
        struct spread_constraint *constraint = target;
        *constraint = (struct spread_constraint){ .honor_affinity = true,
                                                  .selector.matches_nothing = true };
        int r = DECODE_FIELDS(value, fields, target, d);
        if (r < 0)
                return r;
        struct slice action = json_get_text(value, "whenUnsatisfiable");
        constraint->is_hard = slice_is(action, "DoNotSchedule");
        if (!constraint->is_hard && !slice_is(action, "ScheduleAnyway"))
                return DECODE_SKIP;
        return 0;
}
