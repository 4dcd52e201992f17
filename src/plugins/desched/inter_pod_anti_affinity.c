/* RemovePodsViolatingInterPodAntiAffinity: pods whose own required anti-affinity is broken by
 * another pod (reference descheduler.md 4.6). */
#include "base/map.h"
#include "plugin/desched_args.h"
#include "plugins/desched/affinity_term.h"
#include "plugins/desched/priority_order.h"
#include "plugins/desched/registry.h"
#include "plugins/desched/sweep.h"
#include <stdlib.h>

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
/* The pods a term speaks of, found once for equal terms of one namespace, by topology domain. */
struct domain_pod {
        uint64_t domain;
        struct pod_id pod;
};
struct domain_range {
        uint64_t domain;
        size_t from, to; /* from moves on past evicted pods */
};
struct term_matches {
        struct str_id key; /* of the topology, when any node has it */
        bool has_key;
        struct domain_pod *pods; /* by domain */
        size_t range_count;
        struct domain_range *ranges;
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
        struct map_u64 *known;       /* (class, namespace) -> struct term_matches *[] */
        struct map *terms;           /* namespace and term -> struct term_matches */
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

/* Nodes that share the value of the key are together; a node without it is alone. */
static uint64_t domain_of(const struct cluster *cluster, const struct term_matches *matches,
                          struct node_id node) {
        struct str_id value;
        if (matches->has_key &&
            cluster_label_get(cluster, cluster_nodes(cluster)->labels[node.index], matches->key,
                              &value))
                return (uint64_t)1 << 32 | value.index;
        return node.index;
}

static int compare_domains(const void *a, const void *b) {
        const struct domain_pod *x = a, *y = b;
        if (x->domain != y->domain)
                return x->domain < y->domain ? -1 : 1;
        return x->pod.index < y->pod.index ? -1 : x->pod.index > y->pod.index;
}

static void split_ranges(struct conflict_search *search, struct term_matches *matches,
                         size_t count) {
        qsort(matches->pods, count, sizeof(*matches->pods), compare_domains);
        matches->ranges = ARENA_ARRAY(desched_run_scratch(search->run), struct domain_range, count);
        for (size_t i = 0; i < count; i++) {
                uint64_t domain = matches->pods[i].domain;
                if (i == 0 || domain != matches->pods[i - 1].domain)
                        matches->ranges[matches->range_count++] =
                                (struct domain_range){ .domain = domain, .from = i };
                matches->ranges[matches->range_count - 1].to = i + 1;
        }
}

static struct term_matches *match_term(struct conflict_search *search,
                                       const struct pod_affinity_term *term,
                                       const struct pod_row *owner) {
        const struct cluster *cluster = desched_run_cluster(search->run);
        struct arena *scratch = desched_run_scratch(search->run);
        struct term_matches *found = ARENA_NEW(scratch, struct term_matches);
        size_t pod_count = 0, at = 0;
        bool *is_match = ARENA_ARRAY(scratch, bool, search->group_count);
        found->key = cluster_str(cluster, term->topology_key, &found->has_key);
        for (size_t i = 0; i < search->group_count; i++) {
                const struct pod_group *group = &search->groups[i];
                is_match[i] = affinity_term_matches(cluster, term, owner,
                                                    cluster_pod(cluster, group->pods[0]));
                pod_count += is_match[i] ? group->count : 0;
        }
        found->pods = ARENA_ARRAY(scratch, struct domain_pod, pod_count);
        for (size_t i = 0; i < search->group_count; i++)
                for (size_t j = 0; is_match[i] && j < search->groups[i].count; j++) {
                        struct pod_id pod = search->groups[i].pods[j];
                        struct node_id node = cluster_pod(cluster, pod)->node;
                        found->pods[at++] =
                                (struct domain_pod){ domain_of(cluster, found, node), pod };
                }
        split_ranges(search, found, pod_count);
        return found;
}

/* Templates differ more than their terms do. */
static struct term_matches *need_matches(struct conflict_search *search,
                                         const struct pod_affinity_term *term,
                                         const struct pod_row *owner) {
        struct buf text = { 0 };
        buf_printf(&text, "%u|" SLICE_FMT "|%d%d%d|", owner->ns.index,
                   SLICE_ARG(term->topology_key), term->has_selector, term->selector_is_invalid,
                   term->selector.matches_nothing);
        for (size_t i = 0; i < term->namespace_count; i++)
                buf_printf(&text, SLICE_FMT ",", SLICE_ARG(term->namespaces[i]));
        buf_char(&text, '|');
        selector_print(&term->selector, &text);
        struct term_matches *found = map_get(search->terms, buf_view(&text));
        if (!found) {
                found = match_term(search, term, owner);
                map_put(search->terms, buf_view(&text), found);
        }
        buf_release(&text);
        return found;
}

static struct term_matches **matches_of(struct conflict_search *search, const struct pod_row *owner,
                                        const struct pod_affinity_terms *terms) {
        uint64_t key = (uint64_t)owner->class.index << 32 | owner->ns.index;
        struct term_matches **found = map_u64_get(search->known, key);
        if (found)
                return found;
        if (!search->group_index)
                group_pods(search);
        found = ARENA_ARRAY(desched_run_scratch(search->run), struct term_matches *,
                            terms->required_count);
        for (size_t i = 0; i < terms->required_count; i++)
                found[i] = need_matches(search, &terms->required[i], owner);
        map_u64_put(search->known, key, found);
        return found;
}

/* ---- conflicts ---- */

static struct domain_range *find_range(struct term_matches *matches, uint64_t domain) {
        size_t low = 0, high = matches->range_count;
        while (low < high) {
                size_t middle = low + (high - low) / 2;
                if (matches->ranges[middle].domain < domain)
                        low = middle + 1;
                else
                        high = middle;
        }
        bool is_found = low < matches->range_count && matches->ranges[low].domain == domain;
        return is_found ? &matches->ranges[low] : NULL;
}

static struct pod_id find_other(const struct conflict_search *search, struct term_matches *matches,
                                const struct pod_row *pod) {
        const struct cluster *cluster = desched_run_cluster(search->run);
        struct domain_range *range = find_range(matches, domain_of(cluster, matches, pod->node));
        if (!range)
                return POD_NONE;
        while (range->from < range->to &&
               bitset_has(&search->gone, matches->pods[range->from].pod.index))
                range->from++;
        for (size_t i = range->from; i < range->to; i++) {
                struct pod_id id = matches->pods[i].pod;
                if (!bitset_has(&search->gone, id.index) &&
                    strcmp(cluster_pod(cluster, id)->name, pod->name) != 0)
                        return id;
        }
        return POD_NONE;
}

/* The pod that breaks a rule of this one; POD_NONE when there is none. */
static struct pod_id find_conflict(struct conflict_search *search, const struct pod_row *pod) {
        const struct cluster *cluster = desched_run_cluster(search->run);
        const struct pod_affinity_terms *terms = terms_of(cluster, pod);
        struct term_matches **matches = matches_of(search, pod, terms);
        for (size_t t = 0; t < terms->required_count; t++) {
                struct pod_id id = find_other(search, matches[t], pod);
                if (!pod_id_is_none(id))
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
                .terms = map_new(),
        };
        collect_owners(&search);
        size_t from = 0, node_count = desched_run_nodes(run).count;
        for (size_t n = 0; n < node_count; n++) {
                if (!sweep_node(&search, from, search.node_end[n]))
                        break;
                from = search.node_end[n];
        }
        map_u64_free(search.known);
        map_free(search.terms);
        if (search.group_index)
                map_u64_free(search.group_index);
        return 0;
}

const struct plugin plugin_inter_pod_anti_affinity = {
        .name = "RemovePodsViolatingInterPodAntiAffinity",
        .args = fields,
        .args_size = sizeof(struct anti_affinity_args),
        .desched = &(const struct desched_points){ .deschedule = deschedule, .is_mover = true },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_CONDITION | CLUSTER_NODE_LABELS |
                    CLUSTER_NODE_TAINTS | CLUSTER_POD_ADDED | CLUSTER_POD_LABELS,
};
