/* Counting pods for topology spread constraints. */
#include "plugins/sched/spread_counts.h"
#include "rules/domain_sums.h"
#include "rules/workload_selector.h"

/* Defaults apply to pods without constraints of their own that belong to some workload. */
static size_t default_rules(const struct sched_cycle *cycle, const struct spread_plugin *own,
                            bool is_hard, struct spread_rule **ret_rules) {
        size_t count = 0;
        bool has_any = false;
        for (size_t i = 0; i < own->default_count; i++)
                has_any = has_any || own->defaults[i].is_hard == is_hard;
        const struct selector *selector =
                has_any ? workload_selector(cycle->cluster, cycle->object_cache, cycle->pod,
                                            cycle->scratch)
                        : NULL;
        if (!selector)
                return 0;
        *ret_rules = ARENA_ARRAY(cycle->scratch, struct spread_rule, own->default_count);
        for (size_t i = 0; i < own->default_count; i++)
                if (own->defaults[i].is_hard == is_hard)
                        spread_rule_make(cycle->cluster, &own->defaults[i], selector, cycle->labels,
                                         cycle->scratch, &(*ret_rules)[count++]);
        return count;
}

struct spread_state *spread_state_new(const struct sched_cycle *cycle,
                                      const struct spread_plugin *own, bool is_hard) {
        const struct pod_spec *spec = &cycle->class->spec;
        struct spread_state *state = ARENA_NEW(cycle->scratch, struct spread_state);
        state->cycle = cycle;
        state->own = own;
        state->is_hard = is_hard;
        state->needs_all_keys = is_hard || spec->spread_count > 0 || !own->is_system;
        if (spec->spread_count > 0)
                state->count = spread_rules_make(cycle->cluster, spec, cycle->labels, is_hard,
                                                 cycle->scratch, &state->rules);
        else
                state->count = default_rules(cycle, own, is_hard, &state->rules);
        return state;
}

/* ---- counting ---- */

static bool spread_counts_partakes(const struct spread_state *state, size_t rule,
                                   struct node_id node) {
        const struct sched_cycle *cycle = state->cycle;
        return !bitset_has(&state->numbers->lacking, node.index) &&
               spread_includes_node(cycle->cluster, &state->rules[rule], &cycle->class->spec, node,
                                    state->own->allows_order);
}

static void spread_counts_recount(struct spread_state *state, struct node_id node,
                                  struct domain_news *news) {
        for (size_t i = 0; i < state->count; i++) {
                struct spread_counts *counts = &state->numbers->rules[i];
                uint32_t pods = (uint32_t)spread_count_pods(state->cycle->cluster, &state->rules[i],
                                                            state->cycle->ns, node);
                uint32_t domain = spread_domain_of(counts, node);
                if (pods == counts->pods[node.index])
                        continue;
                if (bitset_has(&counts->partakes, node.index))
                        counts->sums[domain] += (int64_t)pods - counts->pods[node.index];
                counts->pods[node.index] = pods;
                if (domain != DOMAIN_NONE)
                        domain_news_add(news, counts->topology, domain);
        }
}

/* Where defaults apply, nodes without the label make a domain without a name. */
static void init_counts(struct spread_state *state, size_t rule, struct arena *arena) {
        struct spread_counts *counts = &state->numbers->rules[rule];
        const struct spread_rule *own = &state->rules[rule];
        size_t nodes = cluster_nodes(state->cycle->cluster)->count;
        counts->topology = topologies_get(state->cycle->topologies, state->cycle->cluster, own->key,
                                          own->has_key);
        size_t domains = (size_t)counts->topology->domain_count + 1;
        counts->unnamed = state->needs_all_keys ? DOMAIN_NONE
                          : counts->topology->unnamed != DOMAIN_NONE
                                  ? counts->topology->unnamed
                                  : counts->topology->domain_count;
        counts->sums = ARENA_ARRAY(arena, int64_t, domains);
        counts->domains = ARENA_ARRAY(arena, uint32_t, domains);
        counts->partakes = bitset_in_arena(arena, nodes);
        counts->pods = ARENA_ARRAY(arena, uint32_t, nodes);
}

static void find_lacking(struct spread_state *state, const struct node_id *order, size_t count) {
        for (size_t i = 0; state->needs_all_keys && i < state->count; i++) {
                const struct topology *topology = state->numbers->rules[i].topology;
                for (size_t n = 0; n < count; n++)
                        if (!topology_has(topology, order[n]))
                                bitset_add(&state->numbers->lacking, order[n].index);
        }
}

static void find_domains(struct spread_state *state, size_t rule, struct arena *arena) {
        struct spread_counts *counts = &state->numbers->rules[rule];
        const struct node_id *order = cluster_node_order(state->cycle->cluster);
        struct bitset seen = bitset_in_arena(arena, (size_t)counts->topology->domain_count + 1);
        for (size_t i = 0; i < cluster_node_count(state->cycle->cluster); i++) {
                uint32_t domain = spread_domain_of(counts, order[i]);
                if (domain == DOMAIN_NONE || !spread_counts_partakes(state, rule, order[i]))
                        continue;
                bitset_add(&counts->partakes, order[i].index);
                if (!bitset_has(&seen, domain))
                        counts->domains[counts->domain_count++] = domain;
                bitset_add(&seen, domain);
        }
}

/* Pods by node, and of the nodes that take part by domain. */
static void add_up(struct spread_state *state, size_t rule) {
        const struct cluster *cluster = state->cycle->cluster;
        struct spread_counts *counts = &state->numbers->rules[rule];
        const struct bitset *nodes = &counts->partakes;
        spread_count_by_node(cluster, &state->rules[rule], state->cycle->ns, counts->pods);
        for (size_t n = bitset_next(nodes, 0); n != SIZE_MAX; n = bitset_next(nodes, n + 1))
                counts->sums[spread_domain_of(counts, (struct node_id){ (uint32_t)n })] +=
                        counts->pods[n];
}

static void count_all(struct spread_state *state, struct arena *arena) {
        const struct cluster *cluster = state->cycle->cluster;
        const struct node_id *order = cluster_node_order(cluster);
        size_t count = cluster_node_count(cluster);
        state->numbers = ARENA_NEW(arena, struct spread_numbers);
        state->numbers->rules = ARENA_ARRAY(arena, struct spread_counts, state->count);
        state->numbers->lacking = bitset_in_arena(arena, cluster_nodes(cluster)->count);
        for (size_t i = 0; i < state->count; i++)
                init_counts(state, i, arena);
        find_lacking(state, order, count);
        for (size_t i = 0; i < state->count; i++)
                find_domains(state, i, arena);
        for (size_t i = 0; i < state->count; i++)
                add_up(state, i);
}

static uint64_t hash_selector(const struct selector *selector, uint64_t hash) {
        for (size_t i = 0; selector && i < selector->count; i++) {
                const struct selector_requirement *item = &selector->requirements[i];
                uint64_t parts[] = { slice_hash(item->key), (uint64_t)item->op,
                                     (uint64_t)item->number, item->value_count };
                hash = hash_bytes(parts, sizeof(parts), hash);
                for (size_t j = 0; j < item->value_count; j++) {
                        uint64_t value = slice_hash(item->values[j]);
                        hash = hash_bytes(&value, sizeof(value), hash);
                }
        }
        return hash;
}

/* Names counts by all they depend on apart from nodes and running pods. */
static uint64_t memory_key(const struct spread_state *state) {
        const struct sched_cycle *cycle = state->cycle;
        uint64_t parts[] = { (uint64_t)(uintptr_t)state->own, cycle->class->shape_hash,
                             slice_hash(cluster_text(cycle->cluster, cycle->ns)), state->is_hard };
        uint64_t key = hash_bytes(parts, sizeof(parts), slice_hash(SLICE_LITERAL("spread")));
        for (size_t i = 0; i < state->count; i++) {
                const struct spread_rule *rule = &state->rules[i];
                uint64_t own[] = { slice_hash(rule->topology_key), !!rule->match.selector };
                key = hash_selector(rule->match.selector, hash_bytes(own, sizeof(own), key));
        }
        return key;
}

#define BREAKING                                                                                   \
        (CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_NODE_LABELS | CLUSTER_NODE_TAINTS)

static void recount_news(void *context, struct node_id node) {
        struct spread_state *state = context;
        struct count_entry *entry = (struct count_entry *)(uintptr_t)state->entry;
        spread_counts_recount(state, node, &entry->news);
}

void spread_count(struct spread_state *state) {
        const struct sched_cycle *cycle = state->cycle;
        struct count_updates news;
        if (!count_cache_recall(cycle->counts, cycle->cluster, memory_key(state), BREAKING,
                                &news)) {
                count_all(state, cycle->scratch);
                return;
        }
        state->entry = news.entry;
        if (!news.entry->value) {
                count_all(state, &news.entry->arena);
                news.entry->value = state->numbers;
                return;
        }
        state->numbers = news.entry->value;
        count_updates_each(&news, cycle->cluster, recount_news, state);
}
