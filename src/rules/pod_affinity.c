/* Terms of pod affinity and anti-affinity. */
#include "rules/pod_affinity.h"
#include <string.h>

/* ---- terms ---- */

static const struct selector *labels_of(const struct pod_affinity_term *term) {
        return term->has_selector && !term->selector_is_invalid ? &term->selector : NULL;
}

static const struct selector *namespaces_of(const struct pod_affinity_term *term) {
        return term->has_namespace_selector && !term->selector_is_invalid
                       ? &term->namespace_selector
                       : NULL;
}

static bool is_own_namespace_only(const struct pod_affinity_term *term) {
        return term->namespace_count == 0 && !term->has_namespace_selector;
}

void term_match_init(struct term_match *match, const struct cluster *cluster,
                     const struct pod_affinity_term *term, struct str_id own_ns, bool is_parity,
                     struct arena *arena) {
        const struct selector *namespaces = namespaces_of(term);
        *match = (struct term_match){ .term = term,
                                      .own_ns = own_ns,
                                      .is_own_ns_only = is_own_namespace_only(term),
                                      .cluster = cluster };
        match->key = cluster_str(cluster, term->topology_key, &match->has_key);
        label_match_init(&match->labels, cluster, labels_of(term), arena);
        label_match_init(&match->namespaces, cluster, namespaces, arena);
        if (namespaces != NULL)
                match->matches_all_namespaces =
                        selector_is_empty(namespaces) ||
                        (is_parity &&
                         label_match_has(&match->namespaces, (struct label_set_id){ 0 }));
}

static bool lists_namespace(const struct cluster *cluster, const struct pod_affinity_term *term,
                            struct str_id ns) {
        struct slice name = cluster_text(cluster, ns);
        for (size_t i = 0; i < term->namespace_count; i++)
                if (slice_eq(term->namespaces[i], name))
                        return true;
        return false;
}

static bool in_namespace(struct term_match *match, struct str_id ns) {
        struct label_set_id labels;
        if (match->is_own_ns_only)
                return str_id_eq(ns, match->own_ns);
        if (match->matches_all_namespaces || lists_namespace(match->cluster, match->term, ns))
                return true;
        return match->namespaces.selector != NULL &&
               cluster_namespace_labels(match->cluster, ns, &labels) &&
               label_match_has(&match->namespaces, labels);
}

bool term_match_has(struct term_match *match, struct str_id ns, struct label_set_id labels) {
        return label_match_has(&match->labels, labels) && in_namespace(match, ns);
}

bool terms_match_all(struct term_match *matches, size_t count, struct str_id ns,
                     struct label_set_id labels) {
        for (size_t i = 0; i < count; i++)
                if (!term_match_has(&matches[i], ns, labels))
                        return false;
        return count > 0;
}

bool term_selects(const struct cluster *cluster, const struct pod_affinity_term *term,
                  struct str_id ns, struct str_id target_ns, struct label_set_id target_labels) {
        const struct selector *labels = labels_of(term);
        const struct selector *namespaces = namespaces_of(term);
        struct label_set_id ns_labels = { 0 };
        if (labels == NULL || !cluster_labels_match(cluster, labels, target_labels))
                return false;
        if (is_own_namespace_only(term))
                return str_id_eq(ns, target_ns);
        if (lists_namespace(cluster, term, target_ns))
                return true;
        if (namespaces == NULL)
                return false;
        /* A namespace that is not known has no labels. */
        if (!cluster_namespace_labels(cluster, target_ns, &ns_labels))
                ns_labels = (struct label_set_id){ 0 };
        return cluster_labels_match(cluster, namespaces, ns_labels);
}

/* ---- numbers ---- */

#define PAIR_CAP_MIN 256
#define COLUMN_CAP_MIN 4

void pair_numbers_init(struct pair_numbers *numbers, struct arena *arena) {
        *numbers = (struct pair_numbers){ .arena = arena };
}

static struct pair_column *find_column(const struct pair_numbers *numbers, struct str_id key) {
        for (size_t i = 0; i < numbers->column_count; i++)
                if (str_id_eq(numbers->columns[i].key, key))
                        return &numbers->columns[i];
        return NULL;
}

static struct pair_column *need_column(struct pair_numbers *numbers, struct str_id key) {
        struct pair_column *column = find_column(numbers, key);
        if (column != NULL)
                return column;
        if (numbers->column_count == numbers->column_cap) {
                size_t cap = numbers->column_cap == 0 ? COLUMN_CAP_MIN : 2 * numbers->column_cap;
                struct pair_column *grown = ARENA_ARRAY(numbers->arena, struct pair_column, cap);
                if (numbers->column_count > 0)
                        memcpy(grown, numbers->columns, numbers->column_count * sizeof(*grown));
                numbers->columns = grown;
                numbers->column_cap = cap;
        }
        column = &numbers->columns[numbers->column_count++];
        column->key = key;
        return column;
}

static void grow(struct arena *arena, struct pair_column *column, size_t index) {
        size_t cap = column->cap == 0 ? PAIR_CAP_MIN : column->cap;
        while (cap <= index)
                cap *= 2;
        int64_t *grown = ARENA_ARRAY(arena, int64_t, cap);
        uint8_t *is_present = arena_alloc(arena, cap);
        if (column->cap > 0) {
                memcpy(grown, column->numbers, column->cap * sizeof(*grown));
                memcpy(is_present, column->is_present, column->cap);
        }
        column->numbers = grown;
        column->is_present = is_present;
        column->cap = cap;
}

void pair_numbers_add(struct pair_numbers *numbers, const struct cluster *cluster,
                      struct node_id node, struct str_id key, int64_t amount) {
        struct str_id value;
        if (!cluster_label_get(cluster, cluster_nodes(cluster)->labels[node.index], key, &value))
                return;
        struct pair_column *column = need_column(numbers, key);
        if (value.index >= column->cap)
                grow(numbers->arena, column, value.index);
        numbers->pair_count += !column->is_present[value.index];
        column->is_present[value.index] = 1;
        column->numbers[value.index] += amount;
}

int64_t pair_numbers_get(const struct pair_numbers *numbers, struct str_id key,
                         struct str_id value) {
        const struct pair_column *column = find_column(numbers, key);
        return column != NULL && value.index < column->cap ? column->numbers[value.index] : 0;
}

int64_t pair_numbers_of_node(const struct pair_numbers *numbers, const struct cluster *cluster,
                             struct node_id node) {
        struct label_set_id labels = cluster_nodes(cluster)->labels[node.index];
        int64_t sum = 0;
        for (size_t i = 0; i < numbers->column_count; i++) {
                const struct pair_column *column = &numbers->columns[i];
                struct str_id value;
                if (cluster_label_get(cluster, labels, column->key, &value) &&
                    value.index < column->cap)
                        sum += column->numbers[value.index];
        }
        return sum;
}
