/* Arguments of DefaultEvictor and what they compile to; shared by the file that reads them and the
 * one that decides. */
#pragma once

#include "plugin/desched_args.h"

#define CRITICAL_PRIORITY 2000000000

/* Kinds of pods protected from eviction; the first four by default. */
enum protection {
        PROTECT_LOCAL_STORAGE = 1,
        PROTECT_CRITICAL = 2,
        PROTECT_FAILED_BARE = 4,
        PROTECT_DAEMON_SETS = 8,
        PROTECT_CLAIMS = 16,
        PROTECT_WITHOUT_BUDGET = 32,
        PROTECT_RESOURCE_CLAIMS = 64,
};
#define PROTECTED_BY_DEFAULT                                                                       \
        (PROTECT_LOCAL_STORAGE | PROTECT_CRITICAL | PROTECT_FAILED_BARE | PROTECT_DAEMON_SETS)

struct storage_class_arg {
        struct slice name;
};
struct protected_claims_arg {
        struct item_list classes; /* struct storage_class_arg */
};
struct protections_config_arg {
        struct protected_claims_arg claims;
};
struct protections_arg {
        struct text_list disabled, enabled;
        struct protections_config_arg config;
};
struct threshold_arg {
        struct slice name;
        int32_t value;
        bool has_value;
};

struct default_evictor_args {
        struct slice node_selector, no_eviction_policy;
        struct selector_arg labels, namespace_labels;
        struct threshold_arg threshold;
        bool fits_nodes, has_min_age;
        int64_t min_replicas, min_age_ns;
        struct protections_arg protections;
        /* Deprecated ways to say the same. */
        bool evicts_local_storage, evicts_daemon_sets, evicts_critical, evicts_failed_bare,
                ignores_claims, ignores_without_budget;
};
extern const struct field default_evictor_fields[];
void default_evictor_check(struct field_reader *reader, const struct json *value, const void *args);
/* Protections in effect; the arguments are known to be valid. */
unsigned default_evictor_protections(const struct default_evictor_args *args);
