/* The pods InterPodAffinity counts: which are visited, and what terms of theirs and of the newcomer
 * add. */
#include "base/util.h"
#include "plugins/sched/affinity_priv.h"

static bool is_wanted(const struct pod_visit *visit, struct class_id id) {
        if (visit->wanted == PODS_ALL)
                return true;
        const struct pod_class *class = cluster_class(visit->cycle->cluster, id);
        return visit->wanted == PODS_WITH_TERMS ? class->has_pod_terms
                                                : class->spec.affinity.pod_anti.required_count > 0;
}

void affinity_visit_node(const struct pod_visit *visit, struct node_id node) {
        const struct cluster *cluster = visit->cycle->cluster;
        const struct node_table *nodes = cluster_nodes(cluster);
        struct pod_id pod = nodes->first_pod[node.index];
        if (visit->wanted != PODS_ALL && nodes->pods_with_terms[node.index] == 0)
                return;
        while (!pod_id_is_none(pod)) {
                const struct pod_row *row = cluster_pod(cluster, pod);
                if (!pod_row_is_finished(row) && is_wanted(visit, row->class))
                        visit->each(visit->context, row, node);
                pod = row->next_on_node;
        }
}

void affinity_visit_all(const struct pod_visit *visit) {
        const struct cluster *cluster = visit->cycle->cluster;
        const struct bitset *live = &cluster_nodes(cluster)->live;
        const struct pod_equivalents *equivalents;
        size_t count = cluster_pod_equivalents(cluster, &equivalents);
        for (size_t i = 0; i < count; i++) {
                struct pod_id pod = equivalents[i].first;
                if (equivalents[i].count == 0 || !is_wanted(visit, equivalents[i].class) ||
                    !visit->matters(visit->context, cluster_pod(cluster, pod)))
                        continue;
                while (!pod_id_is_none(pod)) {
                        const struct pod_row *row = cluster_pod(cluster, pod);
                        if (!pod_row_is_finished(row) && bitset_has(live, row->node.index))
                                visit->each(visit->context, row, row->node);
                        pod = row->next_equivalent;
                }
        }
}

void affinity_each_node(const struct sched_cycle *cycle,
                        void (*each)(void *context, struct node_id node), void *context) {
        const struct node_id *order = cluster_node_order(cycle->cluster);
        for (size_t i = 0; i < cluster_node_count(cycle->cluster); i++)
                each(context, order[i]);
}

uint64_t affinity_memory_key(const struct sched_cycle *cycle, const void *plugin,
                             struct slice what) {
        uint64_t parts[] = { (uint64_t)(uintptr_t)plugin, cycle->identity };
        return hash_bytes(parts, sizeof(parts), slice_hash(what));
}

/* ---- terms of the newcomer ---- */

struct own_terms own_terms_new(const struct sched_cycle *cycle,
                               const struct pod_affinity_term *terms, size_t count) {
        struct own_terms own = { count, ARENA_ARRAY(cycle->scratch, struct term_match, count) };
        for (size_t i = 0; i < count; i++)
                term_match_init(&own.matches[i], cycle->cluster, &terms[i], cycle->ns,
                                cycle->is_parity, cycle->scratch);
        return own;
}

/* ---- terms of running pods ---- */

void affinity_add_hits(const struct sched_cycle *cycle, struct their_terms terms,
                       struct class_hits *hits) {
        for (size_t i = 0; i < terms.count; i++) {
                const struct pod_affinity_term *term = &terms.items[i];
                bool is_known;
                struct str_id key = cluster_str(cycle->cluster, term->topology_key, &is_known);
                if (is_known &&
                    term_selects(cycle->cluster, term, hits->ns, cycle->ns, cycle->labels))
                        hits->items[hits->count++] = (struct term_hit){
                                key, terms.sign * (terms.weight != 0 ? terms.weight : term->weight)
                        };
        }
}

bool affinity_start_hits(const struct sched_cycle *cycle, struct hit_table *table,
                         const struct pod_class *class, struct str_id ns,
                         struct class_hits **ret_hits) {
        const struct affinity *theirs = &class->spec.affinity;
        struct class_hits *hits = &table->places[class->id.index % HIT_PLACES];
        *ret_hits = hits;
        if (hits->class == class && str_id_eq(hits->ns, ns))
                return false;
        size_t most = theirs->pod.required_count + theirs->pod.preferred_count +
                      theirs->pod_anti.required_count + theirs->pod_anti.preferred_count;
        if (hits->cap < most) {
                hits->items = ARENA_ARRAY(cycle->scratch, struct term_hit, most);
                hits->cap = most;
        }
        hits->class = class;
        hits->ns = ns;
        hits->count = 0;
        return true;
}

void affinity_apply_hits(const struct sched_cycle *cycle, const struct class_hits *hits,
                         struct node_id node, struct pair_numbers *numbers) {
        for (size_t i = 0; i < hits->count; i++)
                pair_numbers_add(numbers, cycle->cluster, node, hits->items[i].key,
                                 hits->items[i].amount);
}

void affinity_count_term(struct pair_numbers *numbers, const struct cluster *cluster,
                         struct node_id node, const struct term_match *match, int64_t amount) {
        if (match->has_key)
                pair_numbers_add(numbers, cluster, node, match->key, amount);
}

bool own_terms_match_any(const struct own_terms *terms, const struct pod_row *row) {
        for (size_t i = 0; i < terms->count; i++)
                if (term_match_has(&terms->matches[i], row->ns, row->labels))
                        return true;
        return false;
}
