/* Node selectors and node affinity, node by node and over sets of nodes. */
#include "rules/node_affinity.h"

/* ---- one node ---- */

static bool find_label(const struct cluster *cluster, struct node_id node, struct slice key,
                       struct str_id *ret_value) {
        bool is_known;
        struct str_id id = cluster_str(cluster, key, &is_known);
        return is_known && cluster_label_get(cluster, cluster_nodes(cluster)->labels[node.index],
                                             id, ret_value);
}

bool node_has_labels(const struct cluster *cluster, struct node_id node,
                     struct label_list selector) {
        for (size_t i = 0; i < selector.count; i++) {
                struct str_id value;
                if (!find_label(cluster, node, selector.items[i].key, &value) ||
                    !slice_eq(cluster_text(cluster, value), selector.items[i].value))
                        return false;
        }
        return true;
}

static bool has_value(const struct node_requirement *requirement, struct slice value) {
        for (size_t i = 0; i < requirement->value_count; i++)
                if (slice_eq(requirement->values[i], value))
                        return true;
        return false;
}

static bool is_ordered(const struct node_requirement *requirement, struct slice value) {
        int64_t number;
        if (!slice_to_i64(value, &number))
                return false;
        return requirement->op == SELECTOR_GT ? number > requirement->number
                                              : number < requirement->number;
}

static bool requirement_matches(const struct cluster *cluster, struct node_id node,
                                const struct node_requirement *requirement) {
        struct str_id value;
        bool has_key = find_label(cluster, node, requirement->key, &value);
        switch (requirement->op) {
        case SELECTOR_IN:
                return has_key && has_value(requirement, cluster_text(cluster, value));
        case SELECTOR_NOT_IN:
                return !has_key || !has_value(requirement, cluster_text(cluster, value));
        case SELECTOR_EXISTS:
                return has_key;
        case SELECTOR_NOT_EXISTS:
                return !has_key;
        case SELECTOR_GT:
        case SELECTOR_LT:
                return has_key && is_ordered(requirement, cluster_text(cluster, value));
        }
        return false;
}

/* Any other field than the name reads as empty. */
static bool field_matches(const struct cluster *cluster, struct node_id node,
                          const struct node_requirement *requirement) {
        struct slice value = SLICE_EMPTY;
        if (slice_is(requirement->key, "metadata.name"))
                value = cluster_node_name(cluster, node);
        return has_value(requirement, value) == (requirement->op == SELECTOR_IN);
}

bool node_term_is_invalid(const struct node_term *term) {
        for (size_t i = 0; i < term->expression_count; i++)
                if (term->expressions[i].is_invalid)
                        return true;
        for (size_t i = 0; i < term->field_count; i++)
                if (term->fields[i].is_invalid)
                        return true;
        return false;
}

bool node_term_is_empty(const struct node_term *term) {
        return term->expression_count == 0 && term->field_count == 0;
}

bool node_term_matches(const struct cluster *cluster, const struct node_term *term,
                       struct node_id node) {
        if (node_term_is_empty(term) || node_term_is_invalid(term))
                return false;
        for (size_t i = 0; i < term->expression_count; i++)
                if (!requirement_matches(cluster, node, &term->expressions[i]))
                        return false;
        for (size_t i = 0; i < term->field_count; i++)
                if (!field_matches(cluster, node, &term->fields[i]))
                        return false;
        return true;
}

bool node_terms_match(const struct cluster *cluster, const struct node_term *terms, size_t count,
                      struct node_id node) {
        for (size_t i = 0; i < count; i++)
                if (node_term_matches(cluster, &terms[i], node))
                        return true;
        return false;
}

bool node_affinity_admits(const struct cluster *cluster, const struct pod_spec *spec,
                          struct node_id node) {
        const struct affinity *affinity = &spec->affinity;
        return node_has_labels(cluster, node, spec->node_selector) &&
               (!affinity->has_required_node_terms ||
                node_terms_match(cluster, affinity->required_node, affinity->required_node_count,
                                 node));
}

int64_t node_affinity_preference(const struct cluster *cluster, const struct affinity *affinity,
                                 struct node_id node) {
        int64_t sum = 0;
        for (size_t i = 0; i < affinity->preferred_node_count; i++)
                if (affinity->preferred_node[i].weight != 0 &&
                    node_term_matches(cluster, &affinity->preferred_node[i].term, node))
                        sum += affinity->preferred_node[i].weight;
        return sum;
}

/* ---- sets ---- */

/* False: no node carries the pair, as one half of it was never seen. */
static bool find_pair(const struct cluster *cluster, struct slice key, struct slice value,
                      struct label_pair *ret_pair) {
        bool has_key, has_value;
        struct str_id key_id = cluster_str(cluster, key, &has_key);
        struct str_id value_id = cluster_str(cluster, value, &has_value);
        if (!has_key || !has_value)
                return false;
        *ret_pair = (struct label_pair){ key_id, value_id };
        return true;
}

static void keep_pair(const struct cluster *cluster, struct slice key, struct slice value,
                      struct bitset *nodes) {
        struct label_pair pair;
        if (find_pair(cluster, key, value, &pair))
                cluster_keep_nodes_with_pair(cluster, pair.key, pair.value, nodes);
        else
                bitset_clear(nodes);
}

static void drop_pair(const struct cluster *cluster, struct slice key, struct slice value,
                      struct bitset *nodes) {
        struct label_pair pair;
        if (find_pair(cluster, key, value, &pair))
                cluster_drop_nodes_with_pair(cluster, pair.key, pair.value, nodes);
}

static const struct bitset *with_key(const struct cluster *cluster, struct slice key) {
        bool is_known;
        struct str_id id = cluster_str(cluster, key, &is_known);
        return is_known ? cluster_nodes_with_key(cluster, id) : NULL;
}

/* NULL stands for no node. */
static void node_affinity_keep(struct bitset *nodes, const struct bitset *with) {
        if (!with)
                bitset_clear(nodes);
        else
                bitset_and(nodes, with);
}

static void node_affinity_drop(struct bitset *nodes, const struct bitset *with) {
        if (with)
                bitset_and_not(nodes, with);
}

void node_labels_narrow(const struct cluster *cluster, struct label_list selector,
                        struct bitset *nodes) {
        for (size_t i = 0; i < selector.count; i++)
                keep_pair(cluster, selector.items[i].key, selector.items[i].value, nodes);
}

static void keep_any_value(const struct cluster *cluster,
                           const struct node_requirement *requirement, struct arena *scratch,
                           struct bitset *nodes) {
        if (requirement->value_count == 1) {
                keep_pair(cluster, requirement->key, requirement->values[0], nodes);
                return;
        }
        struct bitset any = bitset_in_arena(scratch, nodes->bits);
        for (size_t i = 0; i < requirement->value_count; i++) {
                struct label_pair pair;
                if (find_pair(cluster, requirement->key, requirement->values[i], &pair))
                        cluster_add_nodes_with_pair(cluster, pair.key, pair.value, &any);
        }
        bitset_and(nodes, &any);
}

/* Few values, many nodes: compare each distinct value once. */
static void keep_ordered(const struct cluster *cluster, const struct node_requirement *requirement,
                         struct arena *scratch, struct bitset *nodes) {
        struct bitset any = bitset_in_arena(scratch, nodes->bits);
        bool is_known;
        struct str_id key = cluster_str(cluster, requirement->key, &is_known);
        struct str_id *values = NULL;
        size_t count = is_known ? cluster_node_label_values(cluster, key, scratch, &values) : 0;
        for (size_t i = 0; i < count; i++) {
                if (is_ordered(requirement, cluster_text(cluster, values[i])))
                        cluster_add_nodes_with_pair(cluster, key, values[i], &any);
        }
        bitset_and(nodes, &any);
}

static void requirement_narrow(const struct cluster *cluster,
                               const struct node_requirement *requirement, struct arena *scratch,
                               struct bitset *nodes) {
        switch (requirement->op) {
        case SELECTOR_IN:
                keep_any_value(cluster, requirement, scratch, nodes);
                return;
        case SELECTOR_NOT_IN:
                for (size_t i = 0; i < requirement->value_count; i++)
                        drop_pair(cluster, requirement->key, requirement->values[i], nodes);
                return;
        case SELECTOR_EXISTS:
                node_affinity_keep(nodes, with_key(cluster, requirement->key));
                return;
        case SELECTOR_NOT_EXISTS:
                node_affinity_drop(nodes, with_key(cluster, requirement->key));
                return;
        case SELECTOR_GT:
        case SELECTOR_LT:
                keep_ordered(cluster, requirement, scratch, nodes);
                return;
        }
}

static void field_narrow(const struct cluster *cluster, const struct node_requirement *requirement,
                         struct bitset *nodes) {
        bool keeps = requirement->op == SELECTOR_IN;
        if (!slice_is(requirement->key, "metadata.name")) {
                if (has_value(requirement, SLICE_EMPTY) != keeps)
                        bitset_clear(nodes);
                return;
        }
        struct node_id node = cluster_find_node(cluster, requirement->values[0]);
        bool is_in = !node_id_is_none(node) && bitset_has(nodes, node.index);
        if (keeps)
                bitset_clear(nodes);
        if (is_in && keeps)
                bitset_add(nodes, node.index);
        if (is_in && !keeps)
                bitset_remove(nodes, node.index);
}

void node_term_narrow(const struct cluster *cluster, const struct node_term *term,
                      struct arena *scratch, struct bitset *nodes) {
        if (node_term_is_empty(term) || node_term_is_invalid(term)) {
                bitset_clear(nodes);
                return;
        }
        for (size_t i = 0; i < term->expression_count; i++)
                requirement_narrow(cluster, &term->expressions[i], scratch, nodes);
        for (size_t i = 0; i < term->field_count; i++)
                field_narrow(cluster, &term->fields[i], nodes);
}

void node_terms_narrow(const struct cluster *cluster, const struct node_term *terms, size_t count,
                       struct arena *scratch, struct bitset *nodes) {
        if (count == 1) {
                node_term_narrow(cluster, &terms[0], scratch, nodes);
                return;
        }
        struct bitset any = bitset_in_arena(scratch, nodes->bits);
        struct bitset one = bitset_in_arena(scratch, nodes->bits);
        for (size_t i = 0; i < count; i++) {
                bitset_copy(&one, nodes);
                node_term_narrow(cluster, &terms[i], scratch, &one);
                bitset_or(&any, &one);
        }
        bitset_and(nodes, &any);
}

void node_affinity_narrow(const struct cluster *cluster, const struct pod_spec *spec,
                          struct arena *scratch, struct bitset *nodes) {
        const struct affinity *affinity = &spec->affinity;
        node_labels_narrow(cluster, spec->node_selector, nodes);
        if (affinity->has_required_node_terms)
                node_terms_narrow(cluster, affinity->required_node, affinity->required_node_count,
                                  scratch, nodes);
}
