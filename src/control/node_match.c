/* Node selectors, affinity terms and tolerations. */
#include "control/node_match.h"

static bool requirement_matches(const struct node_requirement *requirement, bool has_key,
                                struct slice value) {
        struct selector_requirement plain = { .key = requirement->key,
                                              .op = requirement->op,
                                              .value_count = requirement->value_count,
                                              .values = requirement->values,
                                              .number = requirement->number };
        bool is_listed = false;

        if (requirement->is_invalid)
                return false;
        /* Values here need not be sorted, so lists are searched in full. */
        if (requirement->op != SELECTOR_IN && requirement->op != SELECTOR_NOT_IN)
                return selector_requirement_matches(&plain, has_key, value);
        for (size_t i = 0; i < requirement->value_count; i++)
                is_listed |= slice_eq(requirement->values[i], value);
        if (requirement->op == SELECTOR_IN)
                return has_key && is_listed;
        return !has_key || !is_listed;
}

static bool label_of(const struct node *node, struct slice key, struct slice *ret_value) {
        for (size_t i = 0; i < node->meta.labels.count; i++) {
                if (!slice_eq(node->meta.labels.items[i].key, key))
                        continue;
                *ret_value = node->meta.labels.items[i].value;
                return true;
        }
        *ret_value = SLICE_EMPTY;
        return false;
}

/* A term without requirements matches nothing. */
static bool term_matches(const struct node_term *term, const struct node *node) {
        for (size_t i = 0; i < term->expression_count; i++) {
                struct slice value;
                bool has_key = label_of(node, term->expressions[i].key, &value);

                if (!requirement_matches(&term->expressions[i], has_key, value))
                        return false;
        }
        for (size_t i = 0; i < term->field_count; i++) {
                if (!slice_is(term->fields[i].key, "metadata.name") ||
                    !requirement_matches(&term->fields[i], true, node->meta.name))
                        return false;
        }
        return term->expression_count + term->field_count > 0;
}

bool node_selected_by(const struct pod_spec *spec, const struct node *node) {
        for (size_t i = 0; i < spec->node_selector.count; i++) {
                struct slice value;

                if (!label_of(node, spec->node_selector.items[i].key, &value) ||
                    !slice_eq(value, spec->node_selector.items[i].value))
                        return false;
        }
        if (!spec->affinity.has_required_node_terms)
                return true;
        for (size_t i = 0; i < spec->affinity.required_node_count; i++) {
                if (term_matches(&spec->affinity.required_node[i], node))
                        return true;
        }
        return false;
}

static bool node_match_tolerates(const struct toleration *toleration, const struct taint *taint) {
        if (toleration->effect != TAINT_EFFECT_NONE && toleration->effect != taint->effect)
                return false;
        if (toleration->key.len && !slice_eq(toleration->key, taint->key))
                return false;
        if (toleration->op == TOLERATION_EXISTS)
                return true;
        return toleration->op == TOLERATION_EQUAL && toleration->key.len &&
               slice_eq(toleration->value, taint->value);
}

bool taint_is_tolerated(const struct pod_spec *spec, const struct taint *taint) {
        for (size_t i = 0; i < spec->toleration_count; i++) {
                if (node_match_tolerates(&spec->tolerations[i], taint))
                        return true;
        }
        return false;
}

int64_t taint_patience_s(const struct pod_spec *spec, const struct taint *taint) {
        for (size_t i = 0; i < spec->toleration_count; i++) {
                const struct toleration *toleration = &spec->tolerations[i];

                if (!node_match_tolerates(toleration, taint))
                        continue;
                if (!toleration->has_seconds)
                        return -1;
                return toleration->seconds < 0 ? 0 : toleration->seconds;
        }
        return 0;
}
