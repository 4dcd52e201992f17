/* Inter-pod terms. */
#include "plugins/desched/affinity_term.h"

static bool has_namespace(const struct cluster *cluster, const struct pod_affinity_term *term,
                          const struct pod_row *owner, const struct pod_row *other) {
        if (term->namespace_count == 0)
                return str_id_eq(owner->ns, other->ns);
        struct slice ns = cluster_text(cluster, other->ns);
        for (size_t i = 0; i < term->namespace_count; i++)
                if (slice_eq(term->namespaces[i], ns))
                        return true;
        return false;
}

bool affinity_term_matches(const struct cluster *cluster, const struct pod_affinity_term *term,
                           const struct pod_row *owner, const struct pod_row *other) {
        return term->has_selector && !term->selector_is_invalid &&
               has_namespace(cluster, term, owner, other) &&
               cluster_labels_match(cluster, &term->selector, other->labels);
}
