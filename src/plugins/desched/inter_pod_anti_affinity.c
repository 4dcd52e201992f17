/* RemovePodsViolatingInterPodAntiAffinity: pods whose own required anti-affinity is broken by
 * another pod (reference descheduler.md 4.6). */
#include "base/map.h"
#include "plugin/desched_args.h"
#include "plugins/desched/affinity_term.h"
#include "plugins/desched/priority_order.h"
#include "plugins/desched/registry.h"
#include "plugins/desched/sweep.h"

struct anti_affinity_args {
        struct namespaces_arg namespaces;
        struct selector_arg labels;
};

static const struct field fields[] = {
        { .name = "namespaces",
          .type = FIELD_STRUCT,
          .offset = offsetof(struct anti_affinity_args, namespaces),
          .presence = FIELD_NO_PRESENCE,
          .fields = namespaces_arg_fields,
          .check = namespaces_arg_check,
          .help = "Where to look, for victims and for the pods they conflict with." },
        { .name = "labelSelector",
          .type = FIELD_CUSTOM,
          .offset = offsetof(struct anti_affinity_args, labels),
          .presence = FIELD_NO_PRESENCE,
          .decode = selector_arg_decode,
          .help = "Which pods to look at, for victims and for the pods they conflict with." },
        FIELD_END,
};

/* Pods in scope that are alike to a selector: one namespace, one set of labels. */
struct pod_group {
        size_t count, cap;
        struct pod_id *pods;
};
/* The pods a term speaks of, found once for all pods of one class and namespace. */
struct term_matches {
        size_t count;
        struct pod_id *pods;
};
struct conflict_search {
        struct desched_run *run;
        struct pod_scope scope;
        size_t owner_count; /* pods with rules of their own, by node, low priority first */
        struct pod_id *owners;
        size_t *node_end; /* by position in the list of nodes */
        size_t group_count, group_cap;
        struct pod_group *groups;
        struct map_u64 *group_index; /* (namespace, labels) -> number + 1; NULL = not yet made */
        struct map_u64 *known;       /* (class, namespace) -> struct term_matches[] */
        struct bitset gone;          /* evicted by this rule */
};

static const struct pod_affinity_terms *terms_of(const struct cluster *cluster,
                                                 const struct pod_row *pod) {
        return &cluster_class(cluster, pod->class)->spec.affinity.pod_anti;
}

/* ---- pods ---- */

static void collect_owners(struct conflict_search *search) {
        struct desched_run *run = search->run;
        const struct cluster *cluster = desched_run_cluster(run);
        struct arena *scratch = desched_run_scratch(run);
        struct node_batch_list nodes = desched_run_nodes(run);
        search->gone = bitset_in_arena(scratch, cluster_pod_cap(cluster));
        search->owners = ARENA_ARRAY(scratch, struct pod_id, cluster_pod_cap(cluster));
        search->node_end = ARENA_ARRAY(scratch, size_t, nodes.count);
        for (size_t n = 0; n < nodes.count; n++) {
                const struct pod_id *pods;
                size_t count = desched_run_pods(run, nodes.nodes[n], PODS_ACTIVE, &pods);
                size_t from = search->owner_count;
                for (size_t i = 0; i < count; i++) {
                        const struct pod_row *pod = cluster_pod(cluster, pods[i]);
                        if (terms_of(cluster, pod)->required_count > 0 &&
                            pod_scope_has(run, &search->scope, pod))
                                search->owners[search->owner_count++] = pods[i];
                }
                sort_by_priority(run, search->owners + from, search->owner_count - from);
                search->node_end[n] = search->owner_count;
        }
}

static struct pod_group *need_group(struct conflict_search *search, const struct pod_row *pod) {
        uint64_t key = (uint64_t)pod->ns.index << 32 | pod->labels.index;
        uintptr_t number = (uintptr_t)map_u64_get(search->group_index, key);
        if (number > 0)
                return &search->groups[number - 1];
        if (search->group_count == search->group_cap) {
                search->group_cap = search->group_cap ? search->group_cap * 2 : 256;
                struct pod_group *more = ARENA_ARRAY(desched_run_scratch(search->run),
                                                     struct pod_group, search->group_cap);
                if (search->group_count > 0)
                        memcpy(more, search->groups, search->group_count * sizeof(*more));
                search->groups = more;
        }
        map_u64_put(search->group_index, key, (void *)(uintptr_t)++search->group_count);
        return &search->groups[search->group_count - 1];
}

static void add_to_group(struct conflict_search *search, struct pod_group *group,
                         struct pod_id pod) {
        if (group->count == group->cap) {
                group->cap = group->cap ? group->cap * 2 : 8;
                struct pod_id *more =
                        ARENA_ARRAY(desched_run_scratch(search->run), struct pod_id, group->cap);
                if (group->count > 0)
                        memcpy(more, group->pods, group->count * sizeof(*more));
                group->pods = more;
        }
        group->pods[group->count++] = pod;
}

static void group_pods(struct conflict_search *search) {
        struct desched_run *run = search->run;
        struct node_batch_list nodes = desched_run_nodes(run);
        search->group_index = map_u64_new();
        for (size_t n = 0; n < nodes.count; n++) {
                const struct pod_id *pods;
                size_t count = desched_run_pods(run, nodes.nodes[n], PODS_ACTIVE, &pods);
                for (size_t i = 0; i < count; i++) {
                        const struct pod_row *pod = cluster_pod(desched_run_cluster(run), pods[i]);
                        if (pod_scope_has(run, &search->scope, pod))
                                add_to_group(search, need_group(search, pod), pods[i]);
                }
        }
}

/* ---- what terms match ---- */

static struct term_matches match_term(const struct conflict_search *search,
                                      const struct pod_affinity_term *term,
                                      const struct pod_row *owner) {
        const struct cluster *cluster = desched_run_cluster(search->run);
        struct arena *scratch = desched_run_scratch(search->run);
        const struct pod_group **matching =
                ARENA_ARRAY(scratch, const struct pod_group *, search->group_count);
        size_t matching_count = 0, pod_count = 0;
        for (size_t i = 0; i < search->group_count; i++) {
                const struct pod_group *group = &search->groups[i];
                if (!affinity_term_matches(cluster, term, owner,
                                           cluster_pod(cluster, group->pods[0])))
                        continue;
                matching[matching_count++] = group;
                pod_count += group->count;
        }
        struct term_matches found = { .pods = ARENA_ARRAY(scratch, struct pod_id, pod_count) };
        for (size_t i = 0; i < matching_count; i++) {
                memcpy(found.pods + found.count, matching[i]->pods,
                       matching[i]->count * sizeof(*found.pods));
                found.count += matching[i]->count;
        }
        return found;
}

static const struct term_matches *matches_of(struct conflict_search *search,
                                             const struct pod_row *owner,
                                             const struct pod_affinity_terms *terms) {
        uint64_t key = (uint64_t)owner->class.index << 32 | owner->ns.index;
        struct term_matches *found = map_u64_get(search->known, key);
        if (found)
                return found;
        if (!search->group_index)
                group_pods(search);
        found = ARENA_ARRAY(desched_run_scratch(search->run), struct term_matches,
                            terms->required_count);
        for (size_t i = 0; i < terms->required_count; i++)
                found[i] = match_term(search, &terms->required[i], owner);
        map_u64_put(search->known, key, found);
        return found;
}

/* ---- conflicts ---- */

/* One node, or two that share the value of the key. */
static bool is_together(const struct cluster *cluster, struct slice topology_key, struct node_id a,
                        struct node_id b) {
        if (a.index == b.index)
                return true;
        const struct label_set_id *labels = cluster_nodes(cluster)->labels;
        bool is_known;
        struct str_id x, y, key = cluster_str(cluster, topology_key, &is_known);
        return is_known && cluster_label_get(cluster, labels[a.index], key, &x) &&
               cluster_label_get(cluster, labels[b.index], key, &y) && str_id_eq(x, y);
}

/* The pod that breaks a rule of this one; POD_NONE when there is none. */
static struct pod_id find_conflict(struct conflict_search *search, const struct pod_row *pod) {
        const struct cluster *cluster = desched_run_cluster(search->run);
        const struct pod_affinity_terms *terms = terms_of(cluster, pod);
        const struct term_matches *matches = matches_of(search, pod, terms);
        for (size_t t = 0; t < terms->required_count; t++)
                for (size_t i = 0; i < matches[t].count; i++) {
                        struct pod_id id = matches[t].pods[i];
                        const struct pod_row *other = cluster_pod(cluster, id);
                        if (!bitset_has(&search->gone, id.index) &&
                            strcmp(other->name, pod->name) != 0 &&
                            is_together(cluster, terms->required[t].topology_key, pod->node,
                                        other->node))
                                return id;
                }
        return POD_NONE;
}

/* False when nothing more can be evicted in this pass. */
static bool sweep_node(struct conflict_search *search, size_t from, size_t to) {
        struct desched_run *run = search->run;
        const struct cluster *cluster = desched_run_cluster(run);
        for (size_t i = from; i < to; i++) {
                struct pod_id conflict =
                        find_conflict(search, cluster_pod(cluster, search->owners[i]));
                if (pod_id_is_none(conflict) || !desched_run_may_evict(run, search->owners[i]))
                        continue;
                struct slice reason =
                        evict_reason(run, "required anti-affinity is broken by pod %s",
                                     cluster_pod(cluster, conflict)->name);
                enum evict_outcome outcome = desched_run_evict(run, search->owners[i], reason);
                if (outcome == EVICT_DONE)
                        bitset_add(&search->gone, search->owners[i].index);
                if (outcome == EVICT_NODE_LIMIT)
                        return true;
                if (outcome == EVICT_TOTAL_LIMIT)
                        return false;
        }
        return true;
}

static int deschedule(struct desched_run *run, const void *state, struct err *err) {
        (void)err;
        const struct anti_affinity_args *args = state;
        struct conflict_search search = {
                .run = run,
                .scope = pod_scope_make(run, &args->namespaces, &args->labels),
                .known = map_u64_new(),
        };
        collect_owners(&search);
        size_t from = 0, node_count = desched_run_nodes(run).count;
        for (size_t n = 0; n < node_count; n++) {
                if (!sweep_node(&search, from, search.node_end[n]))
                        break;
                from = search.node_end[n];
        }
        map_u64_free(search.known);
        if (search.group_index)
                map_u64_free(search.group_index);
        return 0;
}

const struct plugin plugin_inter_pod_anti_affinity = {
        .name = "RemovePodsViolatingInterPodAntiAffinity",
        .args = fields,
        .args_size = sizeof(struct anti_affinity_args),
        .desched = &(const struct desched_points){ .deschedule = deschedule },
};
