/* RemovePodsViolatingInterPodAntiAffinity: pods whose own required anti-affinity is broken by
 * another pod (reference descheduler.md 4.6). */
#include "base/map.h"
#include "plugin/desched_args.h"
#include "plugin/kind_index.h"
#include "plugins/desched/affinity_term.h"
#include "plugins/desched/priority_order.h"
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

/* The pods a term selects, found once for equal terms of one namespace, by topology domain. */
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
        size_t *node_end;      /* by position in the list of nodes */
        struct map_u64 *known; /* (class, namespace) -> struct term_matches *[] */
        struct map *terms;     /* namespace and term -> struct term_matches */
        struct bitset gone;    /* evicted by this rule */
};

static const struct pod_affinity_terms *terms_of(const struct cluster *cluster,
                                                 const struct pod_row *pod) {
        return &cluster_class(cluster, pod->class)->spec.affinity.pod_anti;
}

/* ---- pods ---- */

static bool *kinds_with_rules(struct conflict_search *search, size_t *ret_count) {
        const struct cluster *cluster = desched_run_cluster(search->run);
        const struct pod_kinds *kinds = desched_run_kinds(search->run);
        bool *has_rules = ARENA_ARRAY(desched_run_scratch(search->run), bool, kinds->count);
        *ret_count = 0;
        for (size_t i = 0; i < kinds->count; i++) {
                const struct pod_kind *kind = &kinds->items[i];
                const struct pod_class *class = cluster_class(cluster, kind->class);
                has_rules[i] = class->spec.affinity.pod_anti.required_count > 0 &&
                               pod_scope_has_kind(search->run, &search->scope, kind);
                *ret_count += has_rules[i];
        }
        return has_rules;
}

static void collect_owners(struct conflict_search *search, const bool *has_rules) {
        struct desched_run *run = search->run;
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_kinds *kinds = desched_run_kinds(run);
        struct arena *scratch = desched_run_scratch(run);
        struct node_batch_list nodes = desched_run_nodes(run);
        search->gone = bitset_in_arena(scratch, cluster_pod_cap(cluster));
        search->owners = ARENA_ARRAY(scratch, struct pod_id, cluster_pod_cap(cluster));
        search->node_end = ARENA_ARRAY(scratch, size_t, nodes.count);
        for (size_t n = 0; n < nodes.count; n++) {
                const struct pod_id *pods;
                size_t count = desched_run_pods(run, nodes.nodes[n], PODS_ACTIVE, &pods);
                size_t from = search->owner_count;
                for (size_t i = 0; i < count; i++)
                        if (has_rules[kinds->of[pods[i].index]])
                                search->owners[search->owner_count++] = pods[i];
                sort_by_priority(run, search->owners + from, search->owner_count - from);
                search->node_end[n] = search->owner_count;
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

/* Pods of a kind that are on nodes of the pass and not asked to go, to the end of the list. */
static size_t add_pods(struct conflict_search *search, const struct term_matches *matches,
                       uint32_t kind, struct domain_pod *list) {
        struct desched_run *run = search->run;
        const struct cluster *cluster = desched_run_cluster(run);
        struct pod_range pods = kind_index_pods(kind_index_of(run), kind);
        size_t count = 0;
        for (size_t i = 0; i < pods.count; i++) {
                struct node_id node = cluster_pod(cluster, pods.first[i])->node;
                if (!desched_run_is_gone(run, pods.first[i]) &&
                    bitset_has(desched_run_node_set(run), node.index))
                        list[count++] = (struct domain_pod){ domain_of(cluster, matches, node),
                                                             pods.first[i] };
        }
        return count;
}

static struct term_matches *match_term(struct conflict_search *search,
                                       const struct pod_affinity_term *term, struct str_id ns) {
        struct desched_run *run = search->run;
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_kinds *kinds = desched_run_kinds(run);
        const struct kind_index *index = kind_index_of(run);
        struct kind_range asked = affinity_term_stays_in(cluster, term, ns)
                                          ? kind_index_namespace(index, ns)
                                          : kind_index_all(index);
        struct term_matches *found = ARENA_NEW(desched_run_scratch(run), struct term_matches);
        bool *is_match = ARENA_ARRAY(desched_run_scratch(run), bool, asked.count);
        size_t most = 0, count = 0;
        found->key = cluster_str(cluster, term->topology_key, &found->has_key);
        for (size_t i = 0; i < asked.count; i++) {
                const struct pod_kind *kind = &kinds->items[asked.first[i]];
                is_match[i] = !pod_kind_is_finished(kind) &&
                              pod_scope_has_kind(run, &search->scope, kind) &&
                              affinity_term_matches(cluster, term, ns, kind);
                most += is_match[i] ? kind_index_pods(index, asked.first[i]).count : 0;
        }
        found->pods = ARENA_ARRAY(desched_run_scratch(run), struct domain_pod, most);
        for (size_t i = 0; i < asked.count; i++)
                if (is_match[i])
                        count += add_pods(search, found, asked.first[i], found->pods + count);
        split_ranges(search, found, count);
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
                found = match_term(search, term, owner->ns);
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

static int inter_pod_anti_affinity_deschedule(struct desched_run *run, const void *state,
                                              struct err *err) {
        (void)err;
        const struct anti_affinity_args *args = state;
        struct conflict_search search = {
                .run = run,
                .scope = pod_scope_make(run, &args->namespaces, &args->labels),
                .known = map_u64_new(),
                .terms = map_new(),
        };
        size_t from = 0, kind_count, node_count = desched_run_nodes(run).count;
        const bool *has_rules = kinds_with_rules(&search, &kind_count);
        if (kind_count > 0)
                collect_owners(&search, has_rules);
        for (size_t n = 0; n < node_count && kind_count > 0; n++) {
                if (!sweep_node(&search, from, search.node_end[n]))
                        break;
                from = search.node_end[n];
        }
        map_u64_free(search.known);
        map_free(search.terms);
        return 0;
}

const struct plugin plugin_inter_pod_anti_affinity = {
        .name = "RemovePodsViolatingInterPodAntiAffinity",
        .args = fields,
        .args_size = sizeof(struct anti_affinity_args),
        .desched = &(const struct desched_points){ .deschedule = inter_pod_anti_affinity_deschedule,
                                                   .is_mover = true },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_CONDITION | CLUSTER_NODE_LABELS |
                    CLUSTER_NODE_TAINTS | CLUSTER_POD_ADDED | CLUSTER_POD_LABELS,
};
