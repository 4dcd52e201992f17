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
        if (namespaces)
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
        return match->namespaces.selector &&
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
        if (!labels || !cluster_labels_match(cluster, labels, target_labels))
                return false;
        if (is_own_namespace_only(term))
                return str_id_eq(ns, target_ns);
        if (lists_namespace(cluster, term, target_ns))
                return true;
        if (!namespaces)
                return false;
        /* A namespace that is not known has no labels. */
        if (!cluster_namespace_labels(cluster, target_ns, &ns_labels))
                ns_labels = (struct label_set_id){ 0 };
        return cluster_labels_match(cluster, namespaces, ns_labels);
}

/* ---- numbers ---- */

#define COLUMN_CAP_MIN 4

void pair_numbers_init(struct pair_numbers *numbers, struct topologies *topologies,
                       struct arena *arena) {
        *numbers = (struct pair_numbers){ .arena = arena, .topologies = topologies };
}

struct domain_sums *pair_numbers_column(struct pair_numbers *numbers, const struct cluster *cluster,
                                        struct str_id key) {
        for (size_t i = 0; i < numbers->column_count; i++)
                if (str_id_eq(numbers->columns[i].topology->key, key))
                        return &numbers->columns[i];
        if (numbers->column_count == numbers->column_cap) {
                size_t cap = numbers->column_cap == 0 ? COLUMN_CAP_MIN : 2 * numbers->column_cap;
                struct domain_sums *grown = ARENA_ARRAY(numbers->arena, struct domain_sums, cap);
                if (numbers->column_count > 0)
                        memcpy(grown, numbers->columns, numbers->column_count * sizeof(*grown));
                numbers->columns = grown;
                numbers->column_cap = cap;
        }
        struct domain_sums *column = &numbers->columns[numbers->column_count++];
        domain_sums_init(column, topologies_get(numbers->topologies, cluster, key, true),
                         numbers->arena);
        return column;
}

void pair_numbers_add(struct pair_numbers *numbers, const struct cluster *cluster,
                      struct node_id node, struct str_id key, int64_t amount) {
        domain_sums_add(pair_numbers_column(numbers, cluster, key), node, amount);
}

void pair_numbers_take_back(struct pair_numbers *numbers, struct node_id node) {
        for (size_t i = 0; i < numbers->column_count; i++)
                domain_sums_take_back(&numbers->columns[i], node);
}

void pair_numbers_settle(struct pair_numbers *numbers, struct node_id node, bool signs_only,
                         struct domain_news *news) {
        for (size_t i = 0; i < numbers->column_count; i++)
                domain_sums_settle(&numbers->columns[i], node, signs_only, news);
}

bool pair_numbers_is_empty(const struct pair_numbers *numbers) {
        for (size_t i = 0; i < numbers->column_count; i++)
                if (numbers->columns[i].hit_count > 0)
                        return false;
        return true;
}

int64_t pair_numbers_of_node(const struct pair_numbers *numbers, struct node_id node) {
        int64_t sum = 0;
        for (size_t i = 0; i < numbers->column_count; i++)
                sum += domain_sums_at(&numbers->columns[i], node);
        return sum;
}
