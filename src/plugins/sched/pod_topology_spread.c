/* PodTopologySpread: matching pods should be spread evenly over the domains of a label, strictly
 * (filter) or as far as possible (score); reference scheduler.md 4.4. */
#include "base/util.h"
#include "plugin/sched_points.h"
#include "plugin/sched_profile.h"
#include "plugins/sched/registry.h"
#include "rules/spread.h"
#include "rules/workload_selector.h"
#include <math.h>
#include <stdlib.h>

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

struct spread_state {
        size_t count;
        struct spread_rule *rules;
        struct domain_counts *domains; /* per rule */
        struct str_id *values;         /* per rule, of the node at hand */
        int64_t *minima;               /* filter */
        double *weights;               /* score */
        bool needs_all_keys;
        struct bitset ignored; /* nodes that lack a key, when all are needed */
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
        if (spec->spread_count > 0)
                state->count = spread_rules_make(cycle->cluster, spec, cycle->labels, is_hard,
                                                 cycle->scratch, &state->rules);
        else
                state->count = default_rules(cycle, own, is_hard, &state->rules);
        state->values = ARENA_ARRAY(cycle->scratch, struct str_id, state->count);
        state->domains = ARENA_ARRAY(cycle->scratch, struct domain_counts, state->count);
        for (size_t i = 0; i < state->count; i++)
                domain_counts_init(&state->domains[i], cycle->scratch);
        return state;
}

static bool value_of(const struct sched_cycle *cycle, const struct spread_rule *rule,
                     struct node_id node, struct str_id *ret_value) {
        return rule->has_key &&
               cluster_label_get(cycle->cluster, cluster_nodes(cycle->cluster)->labels[node.index],
                                 rule->key, ret_value);
}

/* ---- filter ---- */

/* The node's values of all keys; false when it lacks one. */
static bool all_values(const struct sched_cycle *cycle, const struct spread_state *state,
                       struct node_id node, struct str_id *ret_values) {
        for (size_t i = 0; i < state->count; i++)
                if (!value_of(cycle, &state->rules[i], node, &ret_values[i]))
                        return false;
        return true;
}

static void count_node(const struct sched_cycle *cycle, const struct spread_plugin *own,
                       struct spread_state *state, struct node_id node) {
        if (!all_values(cycle, state, node, state->values))
                return;
        for (size_t i = 0; i < state->count; i++) {
                struct spread_rule *rule = &state->rules[i];
                if (spread_includes_node(cycle->cluster, rule, &cycle->class->spec, node,
                                         own->allows_order))
                        *domain_counts_at(&state->domains[i], state->values[i]) +=
                                spread_count_pods(cycle->cluster, rule, cycle->ns, node);
        }
}

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *plugin,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {
        (void)ret_only;
        (void)verdict;
        const struct spread_plugin *own = plugin;
        struct spread_state *state = make_state(cycle, own, true);
        if (state->count == 0)
                return VERDICT_SKIP;
        const struct node_id *order = cluster_node_order(cycle->cluster);
        for (size_t i = 0; i < cluster_node_count(cycle->cluster); i++)
                count_node(cycle, own, state, order[i]);
        state->minima = ARENA_ARRAY(cycle->scratch, int64_t, state->count);
        for (size_t i = 0; i < state->count; i++)
                if (state->domains[i].domains >= (size_t)state->rules[i].min_domains)
                        state->minima[i] = domain_counts_min(&state->domains[i]);
        *ret_pod_state = state;
        return VERDICT_OK;
}

enum spread_answer { SPREAD_FITS, SPREAD_LACKS_KEY, SPREAD_SKEWED };

static enum spread_answer ask(const struct sched_cycle *cycle, const struct spread_state *state,
                              struct node_id node) {
        for (size_t i = 0; i < state->count; i++) {
                const struct spread_rule *rule = &state->rules[i];
                struct str_id value;
                if (!value_of(cycle, rule, node, &value))
                        return SPREAD_LACKS_KEY;
                const int64_t *count = domain_counts_find(&state->domains[i], value);
                int64_t skew = (count == NULL ? 0 : *count) + rule->matches_self - state->minima[i];
                if (skew > rule->max_skew)
                        return SPREAD_SKEWED;
        }
        return SPREAD_FITS;
}

static void filter(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                   struct bitset *nodes) {
        (void)plugin;
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1))
                if (ask(cycle, pod_state, (struct node_id){ (uint32_t)i }) != SPREAD_FITS)
                        bitset_remove(nodes, i);
}

static void explain(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                    struct node_id node, struct verdict *verdict) {
        (void)plugin;
        switch (ask(cycle, pod_state, node)) {
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

/* Domains the feasible nodes offer; a missing key counts as one domain without a name. */
static void offer_domains(const struct sched_cycle *cycle, struct spread_state *state,
                          struct node_batch feasible) {
        size_t ignored = 0;
        state->ignored = bitset_in_arena(cycle->scratch, cluster_nodes(cycle->cluster)->count);
        for (size_t n = 0; n < feasible.count; n++) {
                struct node_id node = feasible.nodes[n];
                if (state->needs_all_keys &&
                    !spread_has_all_keys(cycle->cluster, state->rules, state->count, node)) {
                        bitset_add(&state->ignored, node.index);
                        ignored++;
                        continue;
                }
                for (size_t i = 0; i < state->count; i++) {
                        struct str_id value = STR_ID_EMPTY;
                        value_of(cycle, &state->rules[i], node, &value);
                        if (!is_hostname(&state->rules[i]))
                                domain_counts_at(&state->domains[i], value);
                }
        }
        state->weights = ARENA_ARRAY(cycle->scratch, double, state->count);
        for (size_t i = 0; i < state->count; i++) {
                size_t size = is_hostname(&state->rules[i]) ? feasible.count - ignored
                                                            : state->domains[i].domains;
                state->weights[i] = log((double)(size + 2));
        }
}

static void count_for_score(const struct sched_cycle *cycle, const struct spread_plugin *own,
                            struct spread_state *state, struct node_id node) {
        if (state->needs_all_keys &&
            !spread_has_all_keys(cycle->cluster, state->rules, state->count, node))
                return;
        for (size_t i = 0; i < state->count; i++) {
                struct spread_rule *rule = &state->rules[i];
                struct str_id value = STR_ID_EMPTY;
                if (is_hostname(rule) ||
                    !spread_includes_node(cycle->cluster, rule, &cycle->class->spec, node,
                                          own->allows_order))
                        continue;
                value_of(cycle, rule, node, &value);
                int64_t *count = domain_counts_find(&state->domains[i], value);
                if (count != NULL)
                        *count += spread_count_pods(cycle->cluster, rule, cycle->ns, node);
        }
}

static enum verdict_code pre_score(const struct sched_cycle *cycle, const void *plugin,
                                   struct node_batch feasible, void **ret_pod_state,
                                   struct verdict *verdict) {
        (void)verdict;
        const struct spread_plugin *own = plugin;
        struct spread_state *state = make_state(cycle, own, false);
        if (state->count == 0)
                return VERDICT_SKIP;
        state->needs_all_keys = cycle->class->spec.spread_count > 0 || !own->is_system;
        offer_domains(cycle, state, feasible);
        const struct node_id *order = cluster_node_order(cycle->cluster);
        for (size_t i = 0; i < cluster_node_count(cycle->cluster); i++)
                count_for_score(cycle, own, state, order[i]);
        *ret_pod_state = state;
        return VERDICT_OK;
}

static int64_t score_node(const struct sched_cycle *cycle, const struct spread_state *state,
                          struct node_id node) {
        double score = 0;
        if (bitset_has(&state->ignored, node.index))
                return 0;
        for (size_t i = 0; i < state->count; i++) {
                struct spread_rule *rule = &state->rules[i];
                struct str_id value;
                int64_t count = 0;
                if (!value_of(cycle, rule, node, &value))
                        continue;
                if (is_hostname(rule))
                        count = spread_count_pods(cycle->cluster, rule, cycle->ns, node);
                else
                        count = *domain_counts_find(&state->domains[i], value);
                score += (double)count * state->weights[i] + (double)(rule->max_skew - 1);
        }
        return (int64_t)round(score);
}

static void score(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                  struct node_batch batch, int64_t *ret_scores) {
        (void)plugin;
        for (size_t i = 0; i < batch.count; i++)
                ret_scores[i] = score_node(cycle, pod_state, batch.nodes[i]);
}

/* The less crowded, the better; ignored nodes get nothing. */
static void normalize(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                      struct node_batch feasible, int64_t *scores) {
        (void)cycle;
        (void)plugin;
        const struct spread_state *state = pod_state;
        int64_t min = INT64_MAX, max = INT64_MIN;
        for (size_t i = 0; i < feasible.count; i++) {
                if (bitset_has(&state->ignored, feasible.nodes[i].index))
                        continue;
                min = scores[i] < min ? scores[i] : min;
                max = scores[i] > max ? scores[i] : max;
        }
        for (size_t i = 0; i < feasible.count; i++) {
                if (bitset_has(&state->ignored, feasible.nodes[i].index))
                        scores[i] = 0;
                else if (max == 0)
                        scores[i] = NODE_SCORE_MAX;
                else
                        scores[i] = NODE_SCORE_MAX * (max + min - scores[i]) / max;
        }
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
        .sched = &(const struct sched_points){ .pre_filter = pre_filter,
                                               .filter = filter,
                                               .explain = explain,
                                               .pre_score = pre_score,
                                               .score = score,
                                               .normalize = normalize,
                                               .wakes = wakes,
                                               .counts_pods = true },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_NODE_LABELS |
                    CLUSTER_NODE_TAINTS | CLUSTER_POD_ADDED | CLUSTER_POD_REMOVED |
                    CLUSTER_POD_LABELS | CLUSTER_POD_TOLERATIONS,
};
