/* One spread constraint: sizes of its domains, and what to move. */
#include "plugins/desched/node_fit.h"
#include "plugins/desched/topology_spread.h"
#include "rules/node_affinity.h"
#include "rules/taints.h"
#include <stdlib.h>

/* ---- compiling ---- */

/* matchLabelKeys stand for "the same value as this pod has". */
static struct selector merge_keys(struct spread_work *work,
                                  const struct spread_constraint *constraint,
                                  const struct pod_row *pod) {
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
                if (!is_known || !cluster_label_get(cluster, pod->labels, id, &value))
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
                                      const struct pod_class *class, const struct pod_row *pod) {
        struct spread_class rule = { .max_skew = constraint->max_skew,
                                     .topology_key = constraint->topology_key,
                                     .selector = merge_keys(work, constraint, pod),
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

struct domain {
        struct str_id value;
        size_t size;       /* pods that count */
        size_t count, cap; /* pods that may be taken, those to go first at the end */
        struct pod_id *pods;
        bool is_partitioned; /* pods that fit elsewhere are behind the others */
};
struct domains {
        size_t count, cap;
        struct domain *items;
        struct map_u64 *index; /* value -> position + 1 */
        size_t sum;
};

static struct domain *need_domain(struct domains *domains, struct str_id value,
                                  struct arena *scratch) {
        uintptr_t index = (uintptr_t)map_u64_get(domains->index, value.index);
        if (index > 0)
                return &domains->items[index - 1];
        if (domains->count == domains->cap) {
                domains->cap = domains->cap ? domains->cap * 2 : 16;
                struct domain *more = ARENA_ARRAY(scratch, struct domain, domains->cap);
                if (domains->count > 0)
                        memcpy(more, domains->items, domains->count * sizeof(*more));
                domains->items = more;
        }
        struct domain *domain = &domains->items[domains->count++];
        *domain = (struct domain){ .value = value };
        map_u64_put(domains->index, value.index, (void *)(uintptr_t)domains->count);
        return domain;
}

static void add_pod(struct domain *domain, struct pod_id pod, struct arena *scratch) {
        if (domain->count == domain->cap) {
                domain->cap = domain->cap ? domain->cap * 2 : 16;
                struct pod_id *more = ARENA_ARRAY(scratch, struct pod_id, domain->cap);
                if (domain->count > 0)
                        memcpy(more, domain->pods, domain->count * sizeof(*more));
                domain->pods = more;
        }
        domain->pods[domain->count++] = pod;
}

static bool node_counts(const struct cluster *cluster, const struct spread_class *rule,
                        struct node_id node) {
        const struct pod_spec *spec = &rule->class->spec;
        if (rule->honors_affinity && !node_affinity_admits(cluster, spec, node))
                return false;
        return !rule->honors_taints ||
               !node_untolerated_taint(cluster, node, spec, TAINTS_THAT_BLOCK, true);
}

static bool value_of(const struct cluster *cluster, struct str_id key, struct node_id node,
                     struct str_id *ret_value) {
        return cluster_label_get(cluster, cluster_nodes(cluster)->labels[node.index], key,
                                 ret_value);
}

static void add_member(struct spread_work *work, struct domains *domains, struct pod_id id,
                       struct str_id key, const struct bitset *counting) {
        struct desched_run *run = work->run;
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_row *pod = cluster_pod(cluster, id);
        bool is_parity = desched_run_is_parity(run);
        struct str_id value;
        if (pod->flags & POD_TERMINATING || !value_of(cluster, key, pod->node, &value) ||
            (!is_parity && !bitset_has(counting, pod->node.index)))
                return;
        struct domain *domain = need_domain(domains, value, desched_run_scratch(run));
        domain->size++;
        domains->sum++;
        if (is_parity || (pod_scope_has(run, work->scope, pod) && desched_run_filter(run, id)))
                add_pod(domain, id, desched_run_scratch(run));
}

/* Domains of the listed nodes that count, with the pods the selector matches. */
static void fill_domains(struct spread_work *work, const struct spread_class *rule,
                         struct str_id key, const struct bitset *counting,
                         struct domains *domains) {
        const struct cluster *cluster = desched_run_cluster(work->run);
        struct node_batch_list nodes = desched_run_nodes(work->run);
        struct str_id value;
        for (size_t i = 0; i < nodes.count; i++)
                if (bitset_has(counting, nodes.nodes[i].index) &&
                    value_of(cluster, key, nodes.nodes[i], &value))
                        need_domain(domains, value, desched_run_scratch(work->run));
        bool is_match = false;
        for (size_t i = 0; i < work->member_count; i++) {
                struct label_set_id labels = work->members[i].labels;
                if (i == 0 || labels.index != work->members[i - 1].labels.index)
                        is_match = cluster_labels_match(cluster, &rule->selector, labels);
                if (is_match)
                        add_member(work, domains, work->members[i].pod, key, counting);
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

/* Pods are taken from the end: those without wishes about nodes before the others, then by
 * priority. */
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

struct sized_domain {
        struct domain *domain;
        struct slice value;
};

static int compare_domains(const void *a, const void *b) {
        const struct sized_domain *x = a, *y = b;
        if (x->domain->size != y->domain->size)
                return x->domain->size < y->domain->size ? -1 : 1;
        return slice_compare(x->value, y->value);
}

static struct sized_domain *sort_domains(struct spread_work *work, struct domains *domains) {
        const struct cluster *cluster = desched_run_cluster(work->run);
        struct arena *scratch = desched_run_scratch(work->run);
        const struct pod_order order = { cluster, desched_run_is_parity(work->run)
                                                          ? compare_high_last
                                                          : compare_low_last };
        struct sized_domain *sorted = ARENA_ARRAY(scratch, struct sized_domain, domains->count);
        for (size_t i = 0; i < domains->count; i++) {
                struct domain *domain = &domains->items[i];
                desched_sort_pods(&order, domain->pods, domain->count, scratch);
                sorted[i] = (struct sized_domain){ domain, cluster_text(cluster, domain->value) };
        }
        qsort(sorted, domains->count, sizeof(*sorted), compare_domains);
        return sorted;
}

/* ---- moving ---- */

struct balance {
        struct spread_work *work;
        struct bitset below; /* nodes of domains below the average */
        double average;
};

/* Pods that fit a node below the average go first; what is taken later keeps that order. */
static void partition(struct balance *balance, struct domain *domain) {
        struct desched_run *run = balance->work->run;
        if (domain->is_partitioned)
                return;
        domain->is_partitioned = true;
        struct pod_id *sorted = ARENA_ARRAY(desched_run_scratch(run), struct pod_id, domain->count);
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
static size_t take(struct balance *balance, struct domain *domain, size_t move) {
        struct spread_work *work = balance->work;
        bool is_parity = desched_run_is_parity(work->run);
        size_t taken = 0;
        if (is_parity)
                partition(balance, domain);
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

static void move_pods(struct balance *balance, struct sized_domain *sorted, size_t count,
                      int32_t max_skew) {
        size_t i = 0, j = count - 1;
        while (i < j) {
                struct domain *to = sorted[i].domain;
                if ((double)sorted[j].domain->size <= balance->average)
                        j--;
                struct domain *from = sorted[j].domain;
                int64_t skew = (int64_t)from->size - (int64_t)to->size;
                int64_t move = skew <= max_skew ? 0 : pods_to_move(balance, from, to, max_skew);
                if (move <= 0) {
                        i++;
                        continue;
                }
                size_t taken = take(balance, from, (size_t)move);
                from->size -= taken;
                to->size += taken;
                if (taken == 0 && j-- == 0)
                        return;
        }
}

static void balance_domains(struct spread_work *work, const struct spread_class *rule,
                            struct str_id key, const struct bitset *counting,
                            struct domains *domains) {
        const struct cluster *cluster = desched_run_cluster(work->run);
        struct sized_domain *sorted = sort_domains(work, domains);
        size_t least = sorted[0].domain->size, most = sorted[domains->count - 1].domain->size;
        if (most - least <= (size_t)rule->max_skew)
                return;
        struct balance balance = {
                .work = work,
                .below = bitset_in_arena(desched_run_scratch(work->run), counting->bits),
                .average = (double)domains->sum / (double)domains->count,
        };
        struct node_batch_list nodes = desched_run_nodes(work->run);
        for (size_t i = 0; i < nodes.count; i++) {
                struct str_id value;
                if (!bitset_has(counting, nodes.nodes[i].index) ||
                    !value_of(cluster, key, nodes.nodes[i], &value))
                        continue;
                uintptr_t index = (uintptr_t)map_u64_get(domains->index, value.index);
                if ((double)domains->items[index - 1].size < balance.average)
                        bitset_add(&balance.below, nodes.nodes[i].index);
        }
        move_pods(&balance, sorted, domains->count, rule->max_skew);
}

void spread_class_balance(struct spread_work *work, const struct spread_class *rule) {
        const struct cluster *cluster = desched_run_cluster(work->run);
        struct node_batch_list nodes = desched_run_nodes(work->run);
        bool is_known;
        struct str_id key = cluster_str(cluster, rule->topology_key, &is_known);
        if (!is_known)
                return; /* no node carries the key: there are no domains */
        struct bitset counting =
                bitset_in_arena(desched_run_scratch(work->run), cluster_nodes(cluster)->count);
        for (size_t i = 0; i < nodes.count; i++)
                if (node_counts(cluster, rule, nodes.nodes[i]))
                        bitset_add(&counting, nodes.nodes[i].index);
        struct domains domains = { .index = map_u64_new() };
        fill_domains(work, rule, key, &counting, &domains);
        if (domains.count > 0)
                balance_domains(work, rule, key, &counting, &domains);
        map_u64_free(domains.index);
}
