/* PodTopologySpread: matching pods should be spread evenly over the domains of a label, strictly
 * (filter) or as far as possible (score); reference scheduler.md 4.4. */
#include "plugin/cache_hints.h"
#include "plugin/sched_points.h"
#include "plugins/sched/spread_counts.h"
#include <math.h>

/* ---- filter ---- */

static int64_t least_crowded(const struct spread_counts *counts) {
        int64_t min = INT64_MAX;
        for (size_t i = 0; i < counts->domain_count; i++) {
                int64_t sum = counts->sums[counts->domains[i]];
                min = sum < min ? sum : min;
        }
        return min;
}

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *plugin,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {
        (void)ret_only;
        (void)verdict;
        struct spread_state *state = spread_state_new(cycle, plugin, true);
        if (state->count == 0)
                return VERDICT_SKIP;
        spread_count(state);
        state->minima = ARENA_ARRAY(cycle->scratch, int64_t, state->count);
        for (size_t i = 0; i < state->count; i++)
                if (state->numbers->rules[i].domain_count >= (size_t)state->rules[i].min_domains)
                        state->minima[i] = least_crowded(&state->numbers->rules[i]);
        *ret_pod_state = state;
        return VERDICT_OK;
}

enum spread_answer { SPREAD_FITS, SPREAD_LACKS_KEY, SPREAD_SKEWED };

static enum spread_answer pod_topology_spread_ask(const struct spread_state *state,
                                                  struct node_id node) {
        for (size_t i = 0; i < state->count; i++) {
                const struct spread_rule *rule = &state->rules[i];
                const struct spread_counts *counts = &state->numbers->rules[i];
                uint32_t domain = counts->topology->domain[node.index];
                if (domain == DOMAIN_NONE)
                        return SPREAD_LACKS_KEY;
                int64_t skew = counts->sums[domain] + rule->matches_self - state->minima[i];
                if (skew > rule->max_skew)
                        return SPREAD_SKEWED;
        }
        return SPREAD_FITS;
}

static void pod_topology_spread_filter(const struct sched_cycle *cycle, const void *plugin,
                                       const void *pod_state, struct bitset *nodes) {
        (void)cycle;
        (void)plugin;
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1))
                if (pod_topology_spread_ask(pod_state, (struct node_id){ (uint32_t)i }) !=
                    SPREAD_FITS)
                        bitset_remove(nodes, i);
}

static void pod_topology_spread_explain(const struct sched_cycle *cycle, const void *plugin,
                                        const void *pod_state, struct node_id node,
                                        struct verdict *verdict) {
        (void)cycle;
        (void)plugin;
        switch (pod_topology_spread_ask(pod_state, node)) {
        case SPREAD_FITS:
                return;
        case SPREAD_LACKS_KEY:
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("node(s) didn't match pod topology spread constraints "
                                         "(missing required label)"));
                return;
        case SPREAD_SKEWED:
                verdict_no(verdict, VERDICT_UNSCHEDULABLE,
                           SLICE_LITERAL("node(s) didn't match pod topology spread constraints"));
        }
}

/* ---- score ---- */

static bool is_hostname(const struct spread_rule *rule) {
        return slice_is(rule->topology_key, SPREAD_HOSTNAME_LABEL);
}

static bool is_ignored(const struct spread_state *state, struct node_id node) {
        return bitset_has(&state->numbers->lacking, node.index);
}

/* How many domains the feasible nodes offer; a missing key counts as one without a name. */
static size_t offered_domains(const struct spread_state *state, size_t rule,
                              struct node_batch feasible) {
        const struct spread_counts *counts = &state->numbers->rules[rule];
        struct bitset seen =
                bitset_in_arena(state->cycle->scratch, (size_t)counts->topology->domain_count + 1);
        for (size_t n = 0; n < feasible.count; n++)
                if (!is_ignored(state, feasible.nodes[n]))
                        bitset_add(&seen, spread_domain_of(counts, feasible.nodes[n]));
        return bitset_count(&seen);
}

static double weight_of(size_t size) {
        return log((double)(size + 2));
}

static void weigh_rules(struct spread_state *state, struct node_batch feasible) {
        size_t ignored = 0;
        for (size_t n = 0; n < feasible.count; n++)
                ignored += is_ignored(state, feasible.nodes[n]);
        state->weights = ARENA_ARRAY(state->cycle->scratch, double, state->count);
        for (size_t i = 0; i < state->count; i++)
                state->weights[i] = weight_of(is_hostname(&state->rules[i])
                                                      ? feasible.count - ignored
                                                      : offered_domains(state, i, feasible));
}

static enum verdict_code pre_score(const struct sched_cycle *cycle, const void *plugin,
                                   struct node_batch feasible, void **ret_pod_state,
                                   struct verdict *verdict) {
        (void)verdict;
        struct spread_state *state = spread_state_new(cycle, plugin, false);
        if (state->count == 0)
                return VERDICT_SKIP;
        spread_count(state);
        weigh_rules(state, feasible);
        *ret_pod_state = state;
        return VERDICT_OK;
}

static int64_t score_node(const struct spread_state *state, struct node_id node) {
        double score = 0;
        if (is_ignored(state, node))
                return 0;
        for (size_t i = 0; i < state->count; i++) {
                const struct spread_counts *counts = &state->numbers->rules[i];
                uint32_t domain = counts->topology->domain[node.index];
                if (domain == DOMAIN_NONE)
                        continue;
                int64_t count = is_hostname(&state->rules[i]) ? counts->pods[node.index]
                                                              : counts->sums[domain];
                score += (double)count * state->weights[i] + (double)(state->rules[i].max_skew - 1);
        }
        return (int64_t)round(score);
}

static void pod_topology_spread_score(const struct sched_cycle *cycle, const void *plugin,
                                      const void *pod_state, struct node_batch batch,
                                      int64_t *ret_scores) {
        (void)cycle;
        (void)plugin;
        for (size_t i = 0; i < batch.count; i++)
                ret_scores[i] = score_node(pod_state, batch.nodes[i]);
}

/* The less crowded, the better; ignored nodes get nothing. */
static void pod_topology_spread_normalize(const struct sched_cycle *cycle, const void *plugin,
                                          const void *pod_state, struct node_batch feasible,
                                          int64_t *scores) {
        (void)cycle;
        (void)plugin;
        const struct spread_state *state = pod_state;
        int64_t min = INT64_MAX, max = INT64_MIN;
        for (size_t i = 0; i < feasible.count; i++) {
                if (is_ignored(state, feasible.nodes[i]))
                        continue;
                min = scores[i] < min ? scores[i] : min;
                max = scores[i] > max ? scores[i] : max;
        }
        for (size_t i = 0; i < feasible.count; i++) {
                if (is_ignored(state, feasible.nodes[i]))
                        scores[i] = 0;
                else if (max == 0)
                        scores[i] = NODE_SCORE_MAX;
                else
                        scores[i] = NODE_SCORE_MAX * (max + min - scores[i]) / max;
        }
}

/* ---- hints for the cache ---- */

static const struct count_entry *entry_of(const void *pod_state) {
        return ((const struct spread_state *)pod_state)->entry;
}

static uint64_t filter_fingerprint(void *pod_state, const uint32_t *feasible) {
        (void)feasible;
        const struct spread_state *state = pod_state;
        return hash_bytes(state->minima, state->count * sizeof(*state->minima), 0);
}

/* Numbers about the feasible nodes: how many of them count; then for each rule, how many domains
 * these have, and by domain how many of them it has. */
static size_t numbers_of_rule(const struct spread_counts *counts) {
        return (size_t)counts->topology->domain_count + 2;
}

static size_t feasible_size(const void *pod_state) {
        const struct spread_state *state = pod_state;
        size_t count = 1;
        for (size_t i = 0; i < state->count; i++)
                count += numbers_of_rule(&state->numbers->rules[i]);
        return count;
}

static void feasible_changed(const void *pod_state, struct node_id node, bool joins,
                             uint32_t *feasible) {
        const struct spread_state *state = pod_state;
        if (is_ignored(state, node))
                return;
        *feasible = joins ? *feasible + 1 : *feasible - 1;
        feasible++;
        for (size_t i = 0; i < state->count; i++) {
                const struct spread_counts *counts = &state->numbers->rules[i];
                uint32_t *nodes = &feasible[1 + spread_domain_of(counts, node)];
                if (joins)
                        *feasible += (*nodes)++ == 0;
                else
                        *feasible -= --*nodes == 0;
                feasible += numbers_of_rule(counts);
        }
}

static uint64_t score_fingerprint(void *pod_state, const uint32_t *feasible) {
        struct spread_state *state = pod_state;
        size_t nodes = *feasible++;
        for (size_t i = 0; i < state->count; i++) {
                state->weights[i] = weight_of(is_hostname(&state->rules[i]) ? nodes : *feasible);
                feasible += numbers_of_rule(&state->numbers->rules[i]);
        }
        return hash_bytes(state->weights, state->count * sizeof(*state->weights), 0);
}

static bool leaves_out(const void *pod_state, struct node_id node) {
        return is_ignored(pod_state, node);
}

/* ---- kinds of nodes ---- */

#define COARSE_MAX 64            /* domains */
#define KIND_RULES_MAX 2         /* more do not fit into the rest of a kind */
#define IGNORED (UINT32_MAX - 1) /* domain of ignored nodes */
#define LACKS_KEY (-1)           /* rest of nodes that lack the other rule's key */

/* One rule looks at nothing but the domain. */
static const struct topology *pod_topology_spread_uniform(const void *pod_state) {
        const struct spread_state *state = pod_state;
        const struct topology *topology =
                state->count == 1 ? state->numbers->rules[0].topology : NULL;
        return topology && topology->domain_count <= COARSE_MAX ? topology : NULL;
}

/* The rule of the fewest domains; SIZE_MAX: all have many, or there are too many rules. */
static size_t coarse_rule(const struct spread_state *state) {
        size_t coarse = SIZE_MAX;
        uint32_t fewest = COARSE_MAX + 1;
        for (size_t i = 0; i < state->count && state->count <= KIND_RULES_MAX; i++) {
                uint32_t domains = state->numbers->rules[i].topology->domain_count;
                if (domains == 0 || domains >= fewest || is_hostname(&state->rules[i]))
                        continue;
                coarse = i;
                fewest = domains;
        }
        return coarse;
}

static const struct topology *pod_topology_spread_coarse(const void *pod_state) {
        const struct spread_state *state = pod_state;
        size_t rule = coarse_rule(state);
        return rule == SIZE_MAX ? NULL : state->numbers->rules[rule].topology;
}

static int64_t count_of(const struct spread_state *state, size_t rule, struct node_id node) {
        const struct spread_counts *counts = &state->numbers->rules[rule];
        uint32_t domain = counts->topology->domain[node.index];
        if (domain == DOMAIN_NONE)
                return LACKS_KEY;
        return is_hostname(&state->rules[rule]) ? counts->pods[node.index] : counts->sums[domain];
}

static struct score_kind pod_topology_spread_kind(const void *pod_state, struct node_id node) {
        const struct spread_state *state = pod_state;
        size_t rule = coarse_rule(state);
        if (is_ignored(state, node))
                return (struct score_kind){ IGNORED, 0 };
        return (struct score_kind){ state->numbers->rules[rule].topology->domain[node.index],
                                    state->count > 1 ? count_of(state, 1 - rule, node) : 0 };
}

/* As score_node adds it up, in the same order. */
static int64_t score_of_kind(const void *pod_state, struct score_kind kind) {
        const struct spread_state *state = pod_state;
        size_t coarse = coarse_rule(state);
        double score = 0;
        if (kind.domain == IGNORED)
                return 0;
        for (size_t i = 0; i < state->count; i++) {
                int64_t count = i != coarse ? kind.rest
                                : kind.domain == DOMAIN_NONE
                                        ? LACKS_KEY
                                        : state->numbers->rules[i].sums[kind.domain];
                if (count != LACKS_KEY)
                        score += (double)count * state->weights[i] +
                                 (double)(state->rules[i].max_skew - 1);
        }
        return (int64_t)round(score);
}

/* ---- waking ---- */

static bool is_counted(const struct sched_cycle *cycle, const struct spread_constraint *constraint,
                       struct label_set_id labels) {
        return constraint->is_hard &&
               cluster_labels_match(cycle->cluster, &constraint->selector, labels);
}

static bool counts_any(const struct sched_cycle *cycle, struct label_set_id labels) {
        const struct pod_spec *spec = &cycle->class->spec;
        for (size_t i = 0; i < spec->spread_count; i++)
                if (is_counted(cycle, &spec->spread[i], labels))
                        return true;
        return spec->spread_count == 0; /* defaults apply */
}

/* Labels that matchLabelKeys name may matter although the selector says the same. */
static bool counts_otherwise(const struct sched_cycle *cycle, struct label_set_id before,
                             struct label_set_id after) {
        const struct pod_spec *spec = &cycle->class->spec;
        for (size_t i = 0; i < spec->spread_count; i++) {
                bool was = is_counted(cycle, &spec->spread[i], before);
                bool is = is_counted(cycle, &spec->spread[i], after);
                if (was != is || (is && spec->spread[i].match_label_key_count > 0))
                        return true;
        }
        return spec->spread_count == 0;
}

/* Pods of another namespace, or that no strict constraint counts, change nothing. */
static bool pod_topology_spread_wakes(const struct sched_cycle *cycle, const void *plugin,
                                      const struct cluster_change *change) {
        (void)plugin;
        const uint32_t of_nodes = CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_NODE_LABELS |
                                  CLUSTER_NODE_TAINTS;
        const uint32_t past_reports = CLUSTER_POD_REMOVED | CLUSTER_POD_LABELS;
        if ((change->mask & of_nodes) != 0 || pod_id_is_none(change->pod) ||
            change->pod.index == cycle->pod.index)
                return true;
        const struct pod_row *row = cluster_pod(cycle->cluster, change->pod);
        const struct old_pod *past = cluster_old_pod(cycle->cluster, change->generation);
        if ((change->mask & past_reports) != 0 && !past)
                return true;
        if (!str_id_eq(past ? past->ns : row->ns, cycle->ns))
                return false;
        if ((change->mask & CLUSTER_POD_REMOVED) != 0 && counts_any(cycle, past->labels))
                return true;
        if (!row->is_live)
                return false; /* its deletion is an event of its own */
        if ((change->mask & CLUSTER_POD_LABELS) != 0 &&
            counts_otherwise(cycle, past->labels, row->labels))
                return true;
        return (change->mask & CLUSTER_POD_ADDED) != 0 && counts_any(cycle, row->labels);
}

static const struct count_hints filter_counts = { .entry = entry_of,
                                                  .fingerprint = filter_fingerprint,
                                                  .uniform = pod_topology_spread_uniform };
static const struct count_hints score_counts = {
        .entry = entry_of,
        .fingerprint = score_fingerprint,
        .feasible_size = feasible_size,
        .feasible_changed = feasible_changed,
        .leaves_out = leaves_out,
        .coarse = pod_topology_spread_coarse,
        .kind = pod_topology_spread_kind,
        .score_of_kind = score_of_kind,
};
static const struct cache_hints spread_hints = { .filter = CACHE_SCOPE_COUNTS,
                                                 .score = CACHE_SCOPE_COUNTS,
                                                 .filter_counts = &filter_counts,
                                                 .score_counts = &score_counts };

const struct plugin plugin_pod_topology_spread = {
        .name = "PodTopologySpread",
        .args = spread_arg_fields,
        .args_size = sizeof(struct spread_args),
        .check = spread_args_check,
        .init = spread_init,
        .fini = spread_free,
        .sched = &(const struct sched_points){ .pre_filter = pre_filter,
                                               .filter = pod_topology_spread_filter,
                                               .explain = pod_topology_spread_explain,
                                               .pre_score = pre_score,
                                               .score = pod_topology_spread_score,
                                               .normalize = pod_topology_spread_normalize,
                                               .wakes = pod_topology_spread_wakes,
                                               .hints = &spread_hints },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_NODE_LABELS |
                    CLUSTER_NODE_TAINTS | CLUSTER_POD_ADDED | CLUSTER_POD_REMOVED |
                    CLUSTER_POD_LABELS | CLUSTER_POD_TOLERATIONS,
};
