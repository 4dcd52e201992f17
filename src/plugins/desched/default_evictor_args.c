/* Arguments of DefaultEvictor (upstream: pkg/framework/plugins/defaultevictor). */
#include "plugins/desched/default_evictor.h"

static const struct {
        const char *name;
        enum protection protection;
        bool is_default;
} protection_names[] = {
        { "PodsWithLocalStorage", PROTECT_LOCAL_STORAGE, true },
        { "SystemCriticalPods", PROTECT_CRITICAL, true },
        { "FailedBarePods", PROTECT_FAILED_BARE, true },
        { "DaemonSetPods", PROTECT_DAEMON_SETS, true },
        { "PodsWithPVC", PROTECT_CLAIMS, false },
        { "PodsWithoutPDB", PROTECT_WITHOUT_BUDGET, false },
        { "PodsWithResourceClaims", PROTECT_RESOURCE_CLAIMS, false },
};

/* 0 when there is none of that name in that group. */
static unsigned find_protection(struct slice name, bool is_default) {
        for (size_t i = 0; i < ARRAY_LEN(protection_names); i++)
                if (protection_names[i].is_default == is_default &&
                    slice_is(name, protection_names[i].name))
                        return protection_names[i].protection;
        return 0;
}

#define MEMBER(type, member) offsetof(struct type, member), .presence = FIELD_NO_PRESENCE

static const struct field storage_class_fields[] = {
        { .name = "name",
          .type = FIELD_TEXT,
          .offset = MEMBER(storage_class_arg, name),
          .help = "A storage class." },
        FIELD_END,
};
static const struct field protected_claims_fields[] = {
        { .name = "protectedStorageClasses",
          .type = FIELD_LIST,
          .offset = MEMBER(protected_claims_arg, classes),
          .fields = storage_class_fields,
          .item_size = sizeof(struct storage_class_arg),
          .help = "Protect only claims of these classes; all claims when empty." },
        FIELD_END,
};
static const struct field protections_config_fields[] = {
        { .name = "PodsWithPVC",
          .type = FIELD_STRUCT,
          .offset = MEMBER(protections_config_arg, claims),
          .fields = protected_claims_fields,
          .help = "Refines the protection of that name." },
        FIELD_END,
};
static const struct field protections_fields[] = {
        { .name = "defaultDisabled",
          .type = FIELD_TEXTS,
          .offset = MEMBER(protections_arg, disabled),
          .help = "Protections of the default set to give up." },
        { .name = "extraEnabled",
          .type = FIELD_TEXTS,
          .offset = MEMBER(protections_arg, enabled),
          .help = "Protections to add." },
        { .name = "config",
          .type = FIELD_STRUCT,
          .offset = MEMBER(protections_arg, config),
          .fields = protections_config_fields,
          .help = "Details of single protections." },
        FIELD_END,
};
static const struct field threshold_fields[] = {
        { .name = "value",
          .type = FIELD_I32,
          .offset = offsetof(struct threshold_arg, value),
          .presence = offsetof(struct threshold_arg, has_value),
          .help = "Pods of this priority or above stay." },
        { .name = "name",
          .type = FIELD_TEXT,
          .offset = MEMBER(threshold_arg, name),
          .help = "The priority class whose value counts." },
        FIELD_END,
};

const struct field default_evictor_fields[] = {
        { .name = "nodeSelector",
          .type = FIELD_TEXT,
          .offset = MEMBER(default_evictor_args, node_selector),
          .help = "Nodes that nodeFit considers, as a label selector expression." },
        { .name = "evictLocalStoragePods",
          .type = FIELD_BOOL,
          .offset = MEMBER(default_evictor_args, evicts_local_storage),
          .flags = FIELD_DEPRECATED,
          .help = "Same as podProtections.defaultDisabled: [PodsWithLocalStorage]." },
        { .name = "evictDaemonSetPods",
          .type = FIELD_BOOL,
          .offset = MEMBER(default_evictor_args, evicts_daemon_sets),
          .flags = FIELD_DEPRECATED,
          .help = "Same as podProtections.defaultDisabled: [DaemonSetPods]." },
        { .name = "evictSystemCriticalPods",
          .type = FIELD_BOOL,
          .offset = MEMBER(default_evictor_args, evicts_critical),
          .flags = FIELD_DEPRECATED,
          .help = "Same as podProtections.defaultDisabled: [SystemCriticalPods]." },
        { .name = "evictFailedBarePods",
          .type = FIELD_BOOL,
          .offset = MEMBER(default_evictor_args, evicts_failed_bare),
          .flags = FIELD_DEPRECATED,
          .help = "Same as podProtections.defaultDisabled: [FailedBarePods]." },
        { .name = "ignorePvcPods",
          .type = FIELD_BOOL,
          .offset = MEMBER(default_evictor_args, ignores_claims),
          .flags = FIELD_DEPRECATED,
          .help = "Same as podProtections.extraEnabled: [PodsWithPVC]." },
        { .name = "ignorePodsWithoutPDB",
          .type = FIELD_BOOL,
          .offset = MEMBER(default_evictor_args, ignores_without_budget),
          .flags = FIELD_DEPRECATED,
          .help = "Same as podProtections.extraEnabled: [PodsWithoutPDB]." },
        { .name = "labelSelector",
          .type = FIELD_CUSTOM,
          .offset = MEMBER(default_evictor_args, labels),
          .decode = selector_arg_decode,
          .help = "Only pods with these labels may be evicted." },
        { .name = "namespaceLabelSelector",
          .type = FIELD_CUSTOM,
          .offset = MEMBER(default_evictor_args, namespace_labels),
          .decode = selector_arg_decode,
          .help = "Only pods of namespaces with these labels may be evicted." },
        { .name = "priorityThreshold",
          .type = FIELD_STRUCT,
          .offset = MEMBER(default_evictor_args, threshold),
          .fields = threshold_fields,
          .help = "Pods at or above this priority stay." },
        { .name = "nodeFit",
          .type = FIELD_BOOL,
          .offset = MEMBER(default_evictor_args, fits_nodes),
          .help = "Evict only what fits another node." },
        { .name = "minReplicas",
          .type = FIELD_I64,
          .offset = MEMBER(default_evictor_args, min_replicas),
          .is_bounded = true,
          .min = 0,
          .max = INT64_MAX,
          .help = "Pods whose owner has fewer of them stay." },
        { .name = "minPodAge",
          .type = FIELD_DURATION,
          .offset = offsetof(struct default_evictor_args, min_age_ns),
          .presence = offsetof(struct default_evictor_args, has_min_age),
          .help = "Pods that started more recently stay." },
        { .name = "noEvictionPolicy",
          .type = FIELD_TEXT,
          .offset = MEMBER(default_evictor_args, no_eviction_policy),
          .help = "Preferred or Mandatory: how the annotation prefer-no-eviction is taken." },
        { .name = "podProtections",
          .type = FIELD_STRUCT,
          .offset = MEMBER(default_evictor_args, protections),
          .fields = protections_fields,
          .help = "Which kinds of pods are protected." },
        FIELD_END,
};

unsigned default_evictor_protections(const struct default_evictor_args *args) {
        const struct protections_arg *lists = &args->protections;
        unsigned set = PROTECTED_BY_DEFAULT;
        if (lists->disabled.count > 0 || lists->enabled.count > 0) {
                for (size_t i = 0; i < lists->disabled.count; i++)
                        set &= ~find_protection(lists->disabled.items[i], true);
                for (size_t i = 0; i < lists->enabled.count; i++)
                        set |= find_protection(lists->enabled.items[i], false);
                return set;
        }
        set &= args->evicts_local_storage ? ~(unsigned)PROTECT_LOCAL_STORAGE : ~0u;
        set &= args->evicts_daemon_sets ? ~(unsigned)PROTECT_DAEMON_SETS : ~0u;
        set &= args->evicts_critical ? ~(unsigned)PROTECT_CRITICAL : ~0u;
        set &= args->evicts_failed_bare ? ~(unsigned)PROTECT_FAILED_BARE : ~0u;
        set |= args->ignores_claims ? PROTECT_CLAIMS : 0;
        set |= args->ignores_without_budget ? PROTECT_WITHOUT_BUDGET : 0;
        return set;
}

static void check_list(struct field_reader *reader, const struct json *value, const char *path,
                       const struct text_list *list, bool is_default) {
        for (size_t i = 0; i < list->count; i++) {
                struct slice name = list->items[i];
                if (find_protection(name, is_default) == 0)
                        field_problem(reader, value, path,
                                      "no protection of this list is called \"" SLICE_FMT "\"",
                                      SLICE_ARG(name));
                for (size_t j = 0; j < i; j++)
                        if (slice_eq(list->items[j], name))
                                field_problem(reader, value, path,
                                              "\"" SLICE_FMT "\" is listed twice", SLICE_ARG(name));
        }
}

static void check_storage_classes(struct field_reader *reader, const struct json *value,
                                  const struct default_evictor_args *args) {
        const struct item_list *list = &args->protections.config.claims.classes;
        const struct storage_class_arg *classes = list->items;
        if ((default_evictor_protections(args) & PROTECT_CLAIMS) == 0)
                return;
        for (size_t i = 0; i < list->count; i++)
                if (classes[i].name.len == 0)
                        field_problem(reader, value,
                                      "podProtections.config.PodsWithPVC.protectedStorageClasses",
                                      "a storage class needs a name");
}

void default_evictor_check(struct field_reader *reader, const struct json *value,
                           const void *data) {
        const struct default_evictor_args *args = data;
        const struct protections_arg *lists = &args->protections;
        bool has_deprecated = args->evicts_local_storage || args->evicts_daemon_sets ||
                              args->evicts_critical || args->evicts_failed_bare ||
                              args->ignores_claims || args->ignores_without_budget;
        if (args->threshold.has_value && args->threshold.name.len > 0)
                field_problem(reader, value, "priorityThreshold",
                              "only one of value and name can be set");
        if (has_deprecated && (lists->disabled.count > 0 || lists->enabled.count > 0))
                field_problem(reader, value, "podProtections",
                              "cannot be used together with the deprecated evict* and ignore* "
                              "fields");
        if (args->no_eviction_policy.len > 0 && !slice_is(args->no_eviction_policy, "Preferred") &&
            !slice_is(args->no_eviction_policy, "Mandatory"))
                field_problem(reader, value, "noEvictionPolicy",
                              "expected Preferred or Mandatory, found \"" SLICE_FMT "\"",
                              SLICE_ARG(args->no_eviction_policy));
        check_list(reader, value, "podProtections.defaultDisabled", &lists->disabled, true);
        check_list(reader, value, "podProtections.extraEnabled", &lists->enabled, false);
        check_storage_classes(reader, value, args);
}
