/* Reading and checking the arguments of PodTopologySpread. */
#include "plugins/sched/spread_args.h"
#include "base/util.h"
#include "plugin/sched_profile.h"
#include <stdlib.h>

#define ZONE_LABEL "topology.kubernetes.io/zone"

struct default_constraint {
        int32_t max_skew, min_domains;
        struct slice topology_key, when;
        const struct json *selector;
        struct slice affinity_policy, taints_policy;
        struct text_list match_label_keys;
};
static const struct spread_constraint system_defaults[] = {
        { .max_skew = 3,
          .topology_key = SLICE_INIT(SPREAD_HOSTNAME_LABEL),
          .honor_affinity = true },
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
        else if (label_key_problem(constraint->topology_key))
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

void spread_args_check(struct field_reader *reader, const struct json *value, const void *given) {
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

int spread_init(const struct plugin_env *env, const void *args, void **ret_state, struct err *err) {
        (void)err;
        struct spread_plugin *own = xcalloc(1, sizeof(*own));
        own->is_system = !is_list(args);
        own->allows_order = (env->gates & FEATURE_TAINT_ORDER) != 0;
        set_defaults(own, args);
        *ret_state = own;
        return 0;
}

void spread_free(void *state) {
        struct spread_plugin *own = state;
        if (!own)
                return;
        free(own->defaults);
        free(own);
}

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
const struct field spread_arg_fields[] = {
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
