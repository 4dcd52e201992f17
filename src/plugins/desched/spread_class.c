/* One spread constraint: sizes of its domains, and what to move. */
#include "plugins/desched/cost_order.h"
#include "plugins/desched/node_fit.h"
#include "plugins/desched/topology_spread.h"
#include "rules/node_affinity.h"
#include "rules/taints.h"
#include <stdlib.h>

/* ---- compiling ---- */

/* matchLabelKeys stand for "the same value as this pod has". */
static struct selector merge_keys(struct spread_work *work,
                                  const struct spread_constraint *constraint,
                                  struct label_set_id labels) {
        const struct cluster *cluster = desched_run_cluster(work->run);
        struct arena *scratch = desched_run_scratch(work->run);
        struct selector merged = constraint->selector;
        if (!constraint->has_selector)
                return (struct selector){ .matches_nothing = true };
        if (constraint->match_label_key_count == 0)
                return merged;
        merged.requirements = ARENA_ARRAY(scratch, struct selector_requirement,
                                          merged.count + constraint->match_label_key_count);
        if (merged.count > 0)
                memcpy(merged.requirements, constraint->selector.requirements,
                       merged.count * sizeof(*merged.requirements));
        for (size_t i = 0; i < constraint->match_label_key_count; i++) {
                struct slice key = constraint->match_label_keys[i];
                bool is_known;
                struct str_id value, id = cluster_str(cluster, key, &is_known);
                if (!is_known || !cluster_label_get(cluster, labels, id, &value))
                        continue;
                struct slice *values = ARENA_NEW(scratch, struct slice);
                *values = cluster_text(cluster, value);
                merged.requirements[merged.count++] = (struct selector_requirement){
                        .key = key, .op = SELECTOR_IN, .value_count = 1, .values = values
                };
        }
        return merged;
}

struct spread_class spread_class_make(struct spread_work *work,
                                      const struct spread_constraint *constraint,
                                      const struct pod_kind *kind) {
        const struct pod_class *class = cluster_class(desched_run_cluster(work->run), kind->class);
        struct spread_class rule = { .max_skew = constraint->max_skew,
                                     .topology_key = constraint->topology_key,
                                     .selector = merge_keys(work, constraint, kind->labels),
                                     .honors_affinity = constraint->honor_affinity,
                                     .honors_taints = constraint->honor_taints,
                                     .class = class };
        const struct pod_spec *spec = &class->spec;
        bool depends = (rule.honors_affinity && (spec->node_selector.count > 0 ||
                                                 spec->affinity.has_required_node_terms)) ||
                       rule.honors_taints;
        struct buf text = { 0 };
        buf_printf(&text, "%d|%d%d|%lld|" SLICE_FMT "|%d", rule.max_skew, rule.honors_affinity,
                   rule.honors_taints, depends ? (long long)class->id.index : -1LL,
                   SLICE_ARG(rule.topology_key), rule.selector.matches_nothing);
        selector_print(&rule.selector, &text);
        rule.signature = arena_slice(desched_run_scratch(work->run), buf_view(&text));
        buf_release(&text);
        return rule;
}

/* ---- domains ---- */

/* Values of a topology key over the nodes, by text; found once per pass. */
struct spread_class_topology {
        size_t count;
        uint32_t *of_node; /* position of the node's value by node index; ID_NONE without the key */
};
struct topology_value {
        struct slice text;
        uint32_t number; /* in the order first seen */
};

static int compare_values(const void *a, const void *b) {
        const struct topology_value *x = a, *y = b;
        return slice_compare(x->text, y->text);
}

/* Numbers values as they come up. */
static size_t number_values(const struct cluster *cluster, struct str_id key, uint32_t *of_node,
                            struct topology_value *values) {
        const struct node_table *table = cluster_nodes(cluster);
        struct map_u64 *numbers = map_u64_new();
        size_t count = 0;
        for (size_t i = 0; i < table->count; i++) {
                struct str_id value;
                of_node[i] = ID_NONE;
                if (!cluster_label_get(cluster, table->labels[i], key, &value))
                        continue;
                uintptr_t number = (uintptr_t)map_u64_get(numbers, value.index);
                if (number == 0) {
                        values[count] = (struct topology_value){ cluster_text(cluster, value),
                                                                 (uint32_t)count };
                        number = ++count;
                        map_u64_put(numbers, value.index, (void *)number);
                }
                of_node[i] = (uint32_t)(number - 1);
        }
        map_u64_free(numbers);
        return count;
}

static const struct spread_class_topology *topology_of(struct desched_run *run, struct str_id key) {
        static const char owner;
        struct spread_class_topology *topology = desched_run_cached(run, &owner, key.index);
        if (topology)
                return topology;
        size_t node_count = cluster_nodes(desched_run_cluster(run))->count;
        struct arena *arena = desched_run_pass_arena(run), *scratch = desched_run_scratch(run);
        struct topology_value *values = ARENA_ARRAY(scratch, struct topology_value, node_count);
        uint32_t *position = ARENA_ARRAY(scratch, uint32_t, node_count);
        topology = ARENA_NEW(arena, struct spread_class_topology);
        topology->of_node = ARENA_ARRAY(arena, uint32_t, node_count);
        topology->count = number_values(desched_run_cluster(run), key, topology->of_node, values);
        qsort(values, topology->count, sizeof(*values), compare_values);
        for (size_t i = 0; i < topology->count; i++)
                position[values[i].number] = (uint32_t)i;
        for (size_t i = 0; i < node_count; i++)
                if (topology->of_node[i] != ID_NONE)
                        topology->of_node[i] = position[topology->of_node[i]];
        desched_run_cache_put(run, &owner, key.index, topology);
        return topology;
}

struct domain {
        bool is_there;     /* has a node that counts, or a pod */
        size_t size;       /* pods that count */
        size_t count, cap; /* pods that may be taken, those to go first at the end */
        struct pod_id *pods;
        bool is_partitioned; /* pods that fit elsewhere are behind the others */
};
struct spread_class_domains {
        const struct spread_class_topology *topology;
        struct bitset counting; /* nodes of the pass that count */
        struct domain *items;   /* by position of their value */
        size_t sum;
};

static void add_pod(struct domain *domain, struct pod_id pod, struct arena *arena) {
        if (domain->count == domain->cap) {
                domain->cap = domain->cap ? domain->cap * 2 : 16;
                struct pod_id *more = ARENA_ARRAY(arena, struct pod_id, domain->cap);
                if (domain->count > 0)
                        memcpy(more, domain->pods, domain->count * sizeof(*more));
                domain->pods = more;
        }
        domain->pods[domain->count++] = pod;
}

static void find_counting(struct spread_work *work, const struct spread_class *rule,
                          struct bitset *nodes) {
        const struct cluster *cluster = desched_run_cluster(work->run);
        const struct pod_spec *spec = &rule->class->spec;
        *nodes = bitset_in_arena(&work->arena, cluster_nodes(cluster)->count);
        bitset_copy(nodes, desched_run_node_set(work->run));
        if (rule->honors_affinity)
                node_affinity_narrow(cluster, spec, &work->arena, nodes);
        if (rule->honors_taints)
                taints_narrow(cluster, spec, TAINTS_THAT_BLOCK, true, nodes);
}

static void add_member(struct spread_work *work, struct spread_class_domains *domains,
                       const struct spread_member *member) {
        struct desched_run *run = work->run;
        const struct pod_kind *kind = &desched_run_kinds(run)->items[member->kind];
        uint32_t node = cluster_pod(desched_run_cluster(run), member->pod)->node.index;
        uint32_t number = domains->topology->of_node[node];
        bool is_parity = desched_run_is_parity(run);
        if (kind->flags & POD_TERMINATING || number == ID_NONE ||
            (!is_parity && !bitset_has(&domains->counting, node)))
                return;
        struct domain *domain = &domains->items[number];
        domain->is_there = true;
        domain->size++;
        domains->sum++;
        if (is_parity ||
            (pod_scope_has_kind(run, work->scope, kind) && desched_run_filter(run, member->pod)))
                add_pod(domain, member->pod, &work->arena);
}

/* Domains of the listed nodes that count, with the pods the selector matches. */
static void fill_domains(struct spread_work *work, const struct spread_class *rule,
                         struct spread_class_domains *domains) {
        const struct cluster *cluster = desched_run_cluster(work->run);
        const struct pod_kinds *kinds = desched_run_kinds(work->run);
        const struct bitset *counting = &domains->counting;
        for (size_t i = bitset_next(counting, 0); i != SIZE_MAX; i = bitset_next(counting, i + 1))
                if (domains->topology->of_node[i] != ID_NONE)
                        domains->items[domains->topology->of_node[i]].is_there = true;
        bool is_match = false;
        for (size_t i = 0; i < work->member_count; i++) {
                const struct spread_member *member = &work->members[i];
                if (i == 0 || member->kind != member[-1].kind)
                        is_match = cluster_labels_match(cluster, &rule->selector,
                                                        kinds->items[member->kind].labels);
                if (is_match)
                        add_member(work, domains, member);
        }
}

/* ---- order ---- */

static bool is_picky(const struct cluster *cluster, const struct pod_row *pod) {
        const struct pod_spec *spec = &cluster_class(cluster, pod->class)->spec;
        return spec->node_selector.count > 0 || spec->affinity.has_required_node_terms ||
               spec->affinity.preferred_node_count > 0;
}

/* No priority counts as the lowest. */
static int compare_priority(const struct pod_row *x, const struct pod_row *y) {
        if (x->has_priority != y->has_priority)
                return x->has_priority ? 1 : -1;
        if (!x->has_priority || x->priority == y->priority)
                return 0;
        return x->priority < y->priority ? -1 : 1;
}

/* Pods are taken from the end: those without node affinity before the others, then by priority. */
static int compare_picked(const struct cluster *cluster, struct pod_id a, struct pod_id b,
                          int direction) {
        const struct pod_row *x = cluster_pod(cluster, a), *y = cluster_pod(cluster, b);
        int x_picky = is_picky(cluster, x), y_picky = is_picky(cluster, y);
        if (x_picky != y_picky)
                return y_picky - x_picky;
        int order = direction * compare_priority(x, y);
        return order != 0 ? order : desched_pod_order(cluster, b, a);
}

static int compare_high_last(const struct cluster *cluster, struct pod_id a, struct pod_id b) {
        return compare_picked(cluster, a, b, 1);
}

static int compare_low_last(const struct cluster *cluster, struct pod_id a, struct pod_id b) {
        return compare_picked(cluster, a, b, -1);
}

static bool are_equal(const struct cluster *cluster, struct pod_id a, struct pod_id b) {
        const struct pod_row *x = cluster_pod(cluster, a), *y = cluster_pod(cluster, b);
        return is_picky(cluster, x) == is_picky(cluster, y) && compare_priority(x, y) == 0;
}

/* Fewest and most pods of a domain; false when there is none. */
static bool find_sizes(const struct spread_class_domains *domains, size_t *ret_least,
                       size_t *ret_most) {
        *ret_least = SIZE_MAX;
        *ret_most = 0;
        for (size_t i = 0; i < domains->topology->count; i++) {
                const struct domain *domain = &domains->items[i];
                if (!domain->is_there)
                        continue;
                *ret_least = domain->size < *ret_least ? domain->size : *ret_least;
                *ret_most = domain->size > *ret_most ? domain->size : *ret_most;
        }
        return *ret_least != SIZE_MAX;
}

/* Smallest first, equal ones by the text of their value, as they are: counted into their places. */
static size_t sort_domains(struct spread_work *work, const struct spread_class_domains *domains,
                           size_t most, struct domain ***ret_sorted) {
        size_t domain_count = domains->topology->count;
        size_t *from = ARENA_ARRAY(&work->arena, size_t, most + 2), count = 0;
        struct domain **sorted = ARENA_ARRAY(&work->arena, struct domain *, domain_count);
        for (size_t i = 0; i < domain_count; i++)
                if (domains->items[i].is_there)
                        from[domains->items[i].size + 1]++;
        for (size_t size = 0; size <= most; size++)
                from[size + 1] += from[size];
        for (size_t i = 0; i < domain_count; i++)
                if (domains->items[i].is_there) {
                        sorted[from[domains->items[i].size]++] = &domains->items[i];
                        count++;
                }
        *ret_sorted = sorted;
        return count;
}

static void sort_pods(struct spread_work *work, struct domain *const *domains, size_t count) {
        const struct pod_order order = { desched_run_cluster(work->run),
                                         desched_run_is_parity(work->run) ? compare_high_last
                                                                          : compare_low_last };
        const struct cost_order cost = { .are_equal = are_equal, .is_dear_first = true };
        for (size_t i = 0; i < count; i++) {
                desched_sort_pods(&order, domains[i]->pods, domains[i]->count, &work->arena);
                sort_equals_by_cost(work->run, &cost, domains[i]->pods, domains[i]->count);
        }
}

/* ---- moving ---- */

struct balance {
        struct spread_work *work;
        struct bitset below; /* nodes of domains below the average */
        double average;
};

/* Pods that fit a node below the average go first; what is taken later keeps that order. */
static void spread_class_partition(struct balance *balance, struct domain *domain) {
        struct desched_run *run = balance->work->run;
        if (domain->is_partitioned)
                return;
        domain->is_partitioned = true;
        struct pod_id *sorted = ARENA_ARRAY(&balance->work->arena, struct pod_id, domain->count);
        size_t unfit = 0, fit = domain->count;
        for (size_t i = domain->count; i-- > 0;) {
                if (node_fits_any_other(run, domain->pods[i], &balance->below))
                        sorted[--fit] = domain->pods[i];
        }
        for (size_t i = 0; i < domain->count; i++)
                if (!node_fits_any_other(run, domain->pods[i], &balance->below))
                        sorted[unfit++] = domain->pods[i];
        domain->pods = sorted;
}

/* How many may leave; below zero or zero: these two domains are done. */
static int64_t pods_to_move(const struct balance *balance, const struct domain *from,
                            const struct domain *to, int32_t max_skew) {
        double above = (double)from->size - balance->average;
        double below = balance->average - (double)to->size;
        double half = ((double)from->size - (double)to->size - (double)max_skew) / 2;
        const double parts[] = { above, below, half };
        int64_t least = INT64_MAX;
        for (size_t i = 0; i < 3; i++) {
                int64_t rounded = (int64_t)parts[i];
                rounded += (double)rounded < parts[i];
                least = rounded < least ? rounded : least;
        }
        return least;
}

/* Takes up to `move` pods off the end of a domain; returns how many count as moved. */
static size_t spread_class_take(struct balance *balance, struct domain *domain, size_t move) {
        struct spread_work *work = balance->work;
        bool is_parity = desched_run_is_parity(work->run);
        size_t taken = 0;
        if (is_parity)
                spread_class_partition(balance, domain);
        while (taken < move && domain->count > 0) {
                struct pod_id pod = domain->pods[--domain->count];
                bool goes =
                        !work->fits_nodes || node_fits_any_other(work->run, pod, &balance->below);
                if (goes)
                        bitset_add(&work->nominated, pod.index);
                taken += goes || is_parity;
        }
        return taken;
}

static void move_pods(struct balance *balance, struct domain *const *sorted, size_t count,
                      int32_t max_skew) {
        size_t i = 0, j = count - 1;
        while (i < j) {
                struct domain *to = sorted[i];
                if ((double)sorted[j]->size <= balance->average)
                        j--;
                struct domain *from = sorted[j];
                int64_t skew = (int64_t)from->size - (int64_t)to->size;
                int64_t move = skew <= max_skew ? 0 : pods_to_move(balance, from, to, max_skew);
                if (move <= 0) {
                        i++;
                        continue;
                }
                size_t taken = spread_class_take(balance, from, (size_t)move);
                from->size -= taken;
                to->size += taken;
                if (taken == 0 && j-- == 0)
                        return;
        }
}

static void find_below(struct balance *balance, const struct spread_class_domains *domains) {
        const struct bitset *counting = &domains->counting;
        balance->below = bitset_in_arena(&balance->work->arena, counting->bits);
        for (size_t i = bitset_next(counting, 0); i != SIZE_MAX; i = bitset_next(counting, i + 1)) {
                uint32_t number = domains->topology->of_node[i];
                if (number != ID_NONE && (double)domains->items[number].size < balance->average)
                        bitset_add(&balance->below, i);
        }
}

static void balance_domains(struct spread_work *work, const struct spread_class *rule,
                            const struct spread_class_domains *domains) {
        struct domain **sorted;
        size_t least, most;
        if (!find_sizes(domains, &least, &most) || most - least <= (size_t)rule->max_skew)
                return;
        size_t count = sort_domains(work, domains, most, &sorted);
        sort_pods(work, sorted, count);
        struct balance balance = { .work = work, .average = (double)domains->sum / (double)count };
        find_below(&balance, domains);
        move_pods(&balance, sorted, count, rule->max_skew);
}

void spread_class_balance(struct spread_work *work, const struct spread_class *rule) {
        bool is_known;
        struct str_id key =
                cluster_str(desched_run_cluster(work->run), rule->topology_key, &is_known);
        if (!is_known)
                return; /* no node carries the key: there are no domains */
        arena_clear(&work->arena);
        struct spread_class_domains domains = { .topology = topology_of(work->run, key) };
        domains.items = ARENA_ARRAY(&work->arena, struct domain, domains.topology->count);
        find_counting(work, rule, &domains.counting);
        fill_domains(work, rule, &domains);
        balance_domains(work, rule, &domains);
}
