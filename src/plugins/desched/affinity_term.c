/* Inter-pod terms. */
#include "plugins/desched/affinity_term.h"

static bool has_namespace(const struct cluster *cluster, const struct pod_affinity_term *term,
                          struct str_id owner_ns, struct str_id other_ns) {
        if (term->namespace_count == 0)
                return str_id_eq(owner_ns, other_ns);
        struct slice ns = cluster_text(cluster, other_ns);
        for (size_t i = 0; i < term->namespace_count; i++)
                if (slice_eq(term->namespaces[i], ns))
                        return true;
        return false;
}

bool affinity_term_matches(const struct cluster *cluster, const struct pod_affinity_term *term,
                           struct str_id owner_ns, const struct pod_kind *other) {
        return term->has_selector && !term->selector_is_invalid &&
               has_namespace(cluster, term, owner_ns, other->ns) &&
               cluster_labels_match(cluster, &term->selector, other->labels);
}

bool affinity_term_stays_in(const struct cluster *cluster, const struct pod_affinity_term *term,
                            struct str_id owner_ns) {
        struct slice ns = cluster_text(cluster, owner_ns);
        for (size_t i = 0; i < term->namespace_count; i++)
                if (!slice_eq(term->namespaces[i], ns))
                        return false;
        return true;
}
