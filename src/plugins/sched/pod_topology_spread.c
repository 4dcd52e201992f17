/* PodTopologySpread: matching pods should be spread evenly over the domains of a label, strictly
 * (filter) or as far as possible (score); reference scheduler.md 4.4. */
#include "base/util.h"
#include "plugin/sched_points.h"
#include "plugin/sched_profile.h"
#include "plugins/sched/registry.h"
#include "rules/domain_sums.h"
#include "rules/spread.h"
#include "rules/topology.h"
#include "rules/workload_selector.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOSTNAME_LABEL "kubernetes.io/hostname"
#define ZONE_LABEL "topology.kubernetes.io/zone"

struct default_constraint {
        int32_t max_skew, min_domains;
        struct slice topology_key, when;
        const struct json *selector;
        struct slice affinity_policy, taints_policy;
        struct text_list match_label_keys;
};
struct spread_args {
        struct args_head head;
        struct item_list constraints; /* struct default_constraint */
        struct slice defaulting;      /* System or List */
};

struct spread_plugin {
        bool is_system; /* the built-in defaults apply */
        bool allows_order;
        size_t default_count;
        struct spread_constraint *defaults; /* owned */
};

/* ---- arguments ---- */

static const struct spread_constraint system_defaults[] = {
        { .max_skew = 3, .topology_key = SLICE_INIT(HOSTNAME_LABEL), .honor_affinity = true },
        { .max_skew = 5, .topology_key = SLICE_INIT(ZONE_LABEL), .honor_affinity = true },
};

static bool is_list(const struct spread_args *args) {
        return slice_is(args->defaulting, "List");
}

static void check_constraint(struct field_reader *reader, const struct json *value,
                             const struct default_constraint *constraint) {
        const char *suffix = "defaultConstraints";
        if (constraint->max_skew <= 0)
                field_problem(reader, value, suffix, "maxSkew: not in valid range (0, inf)");
        if (slice_is_empty(constraint->topology_key))
                field_problem(reader, value, suffix, "topologyKey: can not be empty");
        else if (label_key_problem(constraint->topology_key) != NULL)
                field_problem(reader, value, suffix, "topologyKey: %s",
                              label_key_problem(constraint->topology_key));
        if (slice_is_empty(constraint->when))
                field_problem(reader, value, suffix, "whenUnsatisfiable: can not be empty");
        else if (!slice_is(constraint->when, "DoNotSchedule") &&
                 !slice_is(constraint->when, "ScheduleAnyway"))
                field_problem(reader, value, suffix,
                              "whenUnsatisfiable: supported values: \"DoNotSchedule\", "
                              "\"ScheduleAnyway\"");
        if (json_type(constraint->selector) == JSON_OBJECT)
                field_problem(reader, value, suffix,
                              "labelSelector: constraint must not define a selector, as they "
                              "deduced for each pod");
}

static void check(struct field_reader *reader, const struct json *value, const void *given) {
        const struct spread_args *args = given;
        const struct default_constraint *items = args->constraints.items;
        if (!is_list(args) && !slice_is(args->defaulting, "System"))
                field_problem(reader, value, "defaultingType",
                              "supported values: \"System\", \"List\"");
        else if (!is_list(args) && args->constraints.count > 0)
                field_problem(reader, value, "defaultingType",
                              "\"System\" when .defaultConstraints are not empty");
        for (size_t i = 0; i < args->constraints.count; i++) {
                check_constraint(reader, value, &items[i]);
                for (size_t j = 0; j < i; j++)
                        if (slice_eq(items[i].topology_key, items[j].topology_key) &&
                            slice_eq(items[i].when, items[j].when))
                                field_problem(reader, value, "defaultConstraints",
                                              "[%zu]: Duplicate value", i);
        }
}

static void set_defaults(struct spread_plugin *own, const struct spread_args *args) {
        const struct default_constraint *items = args->constraints.items;
        own->default_count = is_list(args) ? args->constraints.count : ARRAY_LEN(system_defaults);
        own->defaults = xcalloc(own->default_count + 1, sizeof(*own->defaults));
        for (size_t i = 0; i < own->default_count; i++) {
                if (own->is_system) {
                        own->defaults[i] = system_defaults[i];
                        continue;
                }
                own->defaults[i] = (struct spread_constraint){
                        .max_skew = items[i].max_skew,
                        .min_domains = items[i].min_domains,
                        .topology_key = items[i].topology_key,
                        .is_hard = slice_is(items[i].when, "DoNotSchedule"),
                        .honor_affinity = !slice_is(items[i].affinity_policy, "Ignore"),
                        .honor_taints = slice_is(items[i].taints_policy, "Honor"),
                };
        }
}

static int spread_init(const struct plugin_env *env, const void *args, void **ret_state,
                       struct err *err) {
        (void)err;
        struct spread_plugin *own = xcalloc(1, sizeof(*own));
        own->is_system = !is_list(args);
        own->allows_order = (env->gates & FEATURE_TAINT_ORDER) != 0;
        set_defaults(own, args);
        *ret_state = own;
        return 0;
}

static void spread_free(void *state) {
        struct spread_plugin *own = state;
        if (own == NULL)
                return;
        free(own->defaults);
        free(own);
}

/* ---- rules of a pod ---- */

/* The pods a rule counts; may outlive the decision. */
struct spread_counts {
        const struct topology *topology;
        uint32_t unnamed; /* domain of nodes without the label, where they count; or DOMAIN_NONE */
        struct bitset partakes; /* nodes whose pods are in the sums */
        uint32_t *pods;         /* per node, whether it takes part or not */
        int64_t *sums;          /* by domain */
        size_t domain_count;    /* with a node that takes part */
        uint32_t *domains;
};
struct spread_numbers {
        struct spread_counts *rules;
        struct bitset lacking; /* nodes that lack a key, when all are needed */
};
struct spread_state {
        const struct sched_cycle *cycle;
        const struct spread_plugin *own;
        size_t count;
        struct spread_rule *rules;
        struct spread_numbers *numbers;
        const struct memory_entry *entry; /* of the numbers; NULL = of this decision only */
        int64_t *minima;                  /* filter */
        double *weights;                  /* score */
        bool is_hard;
        bool needs_all_keys;
};

/* Defaults apply to pods without constraints of their own that belong to some workload. */
static size_t default_rules(const struct sched_cycle *cycle, const struct spread_plugin *own,
                            bool is_hard, struct spread_rule **ret_rules) {
        size_t count = 0;
        bool has_any = false;
        for (size_t i = 0; i < own->default_count; i++)
                has_any = has_any || own->defaults[i].is_hard == is_hard;
        const struct selector *selector = has_any ? workload_selector(cycle->cluster, cycle->shelf,
                                                                      cycle->pod, cycle->scratch)
                                                  : NULL;
        if (selector == NULL)
                return 0;
        *ret_rules = ARENA_ARRAY(cycle->scratch, struct spread_rule, own->default_count);
        for (size_t i = 0; i < own->default_count; i++)
                if (own->defaults[i].is_hard == is_hard)
                        spread_rule_make(cycle->cluster, &own->defaults[i], selector, cycle->labels,
                                         cycle->scratch, &(*ret_rules)[count++]);
        return count;
}

static struct spread_state *make_state(const struct sched_cycle *cycle,
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

static bool partakes(const struct spread_state *state, size_t rule, struct node_id node) {
        const struct sched_cycle *cycle = state->cycle;
        return !bitset_has(&state->numbers->lacking, node.index) &&
               spread_includes_node(cycle->cluster, &state->rules[rule], &cycle->class->spec, node,
                                    state->own->allows_order);
}

static uint32_t domain_of(const struct spread_counts *counts, struct node_id node) {
        uint32_t domain = counts->topology->domain[node.index];
        return domain == DOMAIN_NONE ? counts->unnamed : domain;
}

static void recount(struct spread_state *state, struct node_id node, struct domain_news *news) {
        for (size_t i = 0; i < state->count; i++) {
                struct spread_counts *counts = &state->numbers->rules[i];
                uint32_t pods = (uint32_t)spread_count_pods(state->cycle->cluster, &state->rules[i],
                                                            state->cycle->ns, node);
                uint32_t domain = domain_of(counts, node);
                if (pods == counts->pods[node.index])
                        continue;
                if (bitset_has(&counts->partakes, node.index))
                        counts->sums[domain] += (int64_t)pods - counts->pods[node.index];
                counts->pods[node.index] = pods;
                if (news != NULL && domain != DOMAIN_NONE)
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
                uint32_t domain = domain_of(counts, order[i]);
                if (domain == DOMAIN_NONE || !partakes(state, rule, order[i]))
                        continue;
                bitset_add(&counts->partakes, order[i].index);
                if (!bitset_has(&seen, domain))
                        counts->domains[counts->domain_count++] = domain;
                bitset_add(&seen, domain);
        }
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
        for (size_t i = 0; i < count; i++)
                recount(state, order[i], NULL);
}

static uint64_t hash_selector(const struct selector *selector, uint64_t hash) {
        for (size_t i = 0; selector != NULL && i < selector->count; i++) {
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
        uint64_t parts[] = { (uint64_t)(uintptr_t)state->own, cycle->class->hash,
                             slice_hash(cluster_text(cycle->cluster, cycle->ns)), state->is_hard };
        uint64_t key = hash_bytes(parts, sizeof(parts), slice_hash(SLICE_LITERAL("spread")));
        for (size_t i = 0; i < state->count; i++) {
                const struct spread_rule *rule = &state->rules[i];
                uint64_t own[] = { slice_hash(rule->topology_key), rule->match.selector != NULL };
                key = hash_selector(rule->match.selector, hash_bytes(own, sizeof(own), key));
        }
        return key;
}

#define BREAKING                                                                                   \
        (CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_NODE_LABELS | CLUSTER_NODE_TAINTS)

static void recount_news(void *context, struct node_id node) {
        struct spread_state *state = context;
        struct memory_entry *entry = (struct memory_entry *)(uintptr_t)state->entry;
        recount(state, node, &entry->news);
}

static void count_pods(struct spread_state *state) {
        const struct sched_cycle *cycle = state->cycle;
        struct memory_news news;
        if (!cycle_memory_recall(cycle->memory, cycle->cluster, memory_key(state), BREAKING,
                                 &news)) {
                count_all(state, cycle->scratch);
                return;
        }
        state->entry = news.entry;
        if (news.entry->value == NULL) {
                count_all(state, &news.entry->arena);
                news.entry->value = state->numbers;
                return;
        }
        state->numbers = news.entry->value;
        memory_news_each(&news, cycle->cluster, recount_news, state);
}

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
        struct spread_state *state = make_state(cycle, plugin, true);
        if (state->count == 0)
                return VERDICT_SKIP;
        count_pods(state);
        state->minima = ARENA_ARRAY(cycle->scratch, int64_t, state->count);
        for (size_t i = 0; i < state->count; i++)
                if (state->numbers->rules[i].domain_count >= (size_t)state->rules[i].min_domains)
                        state->minima[i] = least_crowded(&state->numbers->rules[i]);
        *ret_pod_state = state;
        return VERDICT_OK;
}

enum spread_answer { SPREAD_FITS, SPREAD_LACKS_KEY, SPREAD_SKEWED };

static enum spread_answer ask(const struct spread_state *state, struct node_id node) {
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

static void filter(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                   struct bitset *nodes) {
        (void)cycle;
        (void)plugin;
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1))
                if (ask(pod_state, (struct node_id){ (uint32_t)i }) != SPREAD_FITS)
                        bitset_remove(nodes, i);
}

static void explain(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                    struct node_id node, struct verdict *verdict) {
        (void)cycle;
        (void)plugin;
        switch (ask(pod_state, node)) {
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
        return slice_is(rule->topology_key, HOSTNAME_LABEL);
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
                        bitset_add(&seen, domain_of(counts, feasible.nodes[n]));
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
        struct spread_state *state = make_state(cycle, plugin, false);
        if (state->count == 0)
                return VERDICT_SKIP;
        count_pods(state);
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

static void score(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                  struct node_batch batch, int64_t *ret_scores) {
        (void)cycle;
        (void)plugin;
        for (size_t i = 0; i < batch.count; i++)
                ret_scores[i] = score_node(pod_state, batch.nodes[i]);
}

/* The less crowded, the better; ignored nodes get nothing. */
static void normalize(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                      struct node_batch feasible, int64_t *scores) {
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

/* ---- following ---- */

static const struct memory_entry *entry_of(const void *pod_state) {
        return ((const struct spread_state *)pod_state)->entry;
}

static uint64_t filter_frame(void *pod_state, const uint32_t *offers) {
        (void)offers;
        const struct spread_state *state = pod_state;
        return hash_bytes(state->minima, state->count * sizeof(*state->minima), 0);
}

/* Offers: the nodes that count; then for each rule, how many domains they offer, and by domain how
 * many nodes it has of them. */
static size_t offers_of_rule(const struct spread_counts *counts) {
        return (size_t)counts->topology->domain_count + 2;
}

static size_t offer_count(const void *pod_state) {
        const struct spread_state *state = pod_state;
        size_t count = 1;
        for (size_t i = 0; i < state->count; i++)
                count += offers_of_rule(&state->numbers->rules[i]);
        return count;
}

static void offer(const void *pod_state, struct node_id node, bool joins, uint32_t *offers) {
        const struct spread_state *state = pod_state;
        if (is_ignored(state, node))
                return;
        *offers = joins ? *offers + 1 : *offers - 1;
        offers++;
        for (size_t i = 0; i < state->count; i++) {
                const struct spread_counts *counts = &state->numbers->rules[i];
                uint32_t *nodes = &offers[1 + domain_of(counts, node)];
                if (joins)
                        *offers += (*nodes)++ == 0;
                else
                        *offers -= --*nodes == 0;
                offers += offers_of_rule(counts);
        }
}

static uint64_t score_frame(void *pod_state, const uint32_t *offers) {
        struct spread_state *state = pod_state;
        size_t nodes = *offers++;
        for (size_t i = 0; i < state->count; i++) {
                state->weights[i] = weight_of(is_hostname(&state->rules[i]) ? nodes : *offers);
                offers += offers_of_rule(&state->numbers->rules[i]);
        }
        return hash_bytes(state->weights, state->count * sizeof(*state->weights), 0);
}

static bool leaves_out(const void *pod_state, struct node_id node) {
        return is_ignored(pod_state, node);
}

/* ---- waking ---- */

/* Pods of another namespace, or that no strict constraint counts, change nothing.  One that went is
 * gone from the model, so it may have counted. */
static bool wakes(const struct sched_cycle *cycle, const void *plugin,
                  const struct cluster_change *change) {
        (void)plugin;
        const uint32_t always = ~(uint32_t)CLUSTER_POD_ADDED;
        if ((change->mask & CLUSTER_POD_ADDED) == 0 || pod_id_is_none(change->pod))
                return (change->mask & always) != 0;
        const struct pod_row *row = cluster_pod(cycle->cluster, change->pod);
        const struct pod_spec *spec = &cycle->class->spec;
        if (!row->is_live || !str_id_eq(row->ns, cycle->ns))
                return false;
        for (size_t i = 0; i < spec->spread_count; i++)
                if (spec->spread[i].is_hard &&
                    cluster_labels_match(cycle->cluster, &spec->spread[i].selector, row->labels))
                        return true;
        return spec->spread_count == 0;
}

/* ---- table ---- */

#define CONSTRAINT_FIELD(field_name, field_type, member, text)                                     \
        {                                                                                          \
                .name = field_name, .type = field_type,                                            \
                .offset = offsetof(struct default_constraint, member),                             \
                .presence = FIELD_NO_PRESENCE, .help = text                                        \
        }

static const struct field constraint_fields[] = {
        CONSTRAINT_FIELD("maxSkew", FIELD_I32, max_skew, "Largest difference between domains."),
        CONSTRAINT_FIELD("minDomains", FIELD_I32, min_domains, "Domains there have to be."),
        CONSTRAINT_FIELD("topologyKey", FIELD_TEXT, topology_key, "Label that makes domains."),
        CONSTRAINT_FIELD("whenUnsatisfiable", FIELD_TEXT, when, "DoNotSchedule or ScheduleAnyway."),
        CONSTRAINT_FIELD("labelSelector", FIELD_JSON, selector,
                         "Not allowed: it is made from the pod's workload."),
        CONSTRAINT_FIELD("nodeAffinityPolicy", FIELD_TEXT, affinity_policy, "Honor or Ignore."),
        CONSTRAINT_FIELD("nodeTaintsPolicy", FIELD_TEXT, taints_policy, "Honor or Ignore."),
        CONSTRAINT_FIELD("matchLabelKeys", FIELD_TEXTS, match_label_keys, "Keys of pod labels."),
        FIELD_END,
};
static const struct field fields[] = {
        ARGS_HEAD_FIELDS,
        { .name = "defaultConstraints",
          .type = FIELD_LIST,
          .offset = offsetof(struct spread_args, constraints),
          .presence = FIELD_NO_PRESENCE,
          .fields = constraint_fields,
          .item_size = sizeof(struct default_constraint),
          .help = "Constraints of pods that have none, with defaultingType List." },
        { .name = "defaultingType",
          .type = FIELD_TEXT,
          .offset = offsetof(struct spread_args, defaulting),
          .presence = FIELD_NO_PRESENCE,
          .fallback = "\"System\"",
          .help = "System (built-in defaults) or List." },
        FIELD_END,
};

const struct plugin plugin_pod_topology_spread = {
        .name = "PodTopologySpread",
        .args = fields,
        .args_size = sizeof(struct spread_args),
        .check = check,
        .init = spread_init,
        .fini = spread_free,
        .sched =
                &(const struct sched_points){
                        .pre_filter = pre_filter,
                        .filter = filter,
                        .explain = explain,
                        .pre_score = pre_score,
                        .score = score,
                        .normalize = normalize,
                        .wakes = wakes,
                        .counts_pods = true,
                        .filter_follow = &(const struct sched_follow){ .entry = entry_of,
                                                                       .frame = filter_frame },
                        .score_follow = &(const struct sched_follow){ .entry = entry_of,
                                                                      .frame = score_frame,
                                                                      .offer_count = offer_count,
                                                                      .offer = offer,
                                                                      .leaves_out = leaves_out } },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_NODE_LABELS |
                    CLUSTER_NODE_TAINTS | CLUSTER_POD_ADDED | CLUSTER_POD_REMOVED |
                    CLUSTER_POD_LABELS | CLUSTER_POD_TOLERATIONS,
};
