/* Profiles of the descheduler: which plugins take part at which extension point, with their
 * arguments read and their state made (upstream: pkg/framework/profile). */
#pragma once

#include "config/field_table.h"
#include "plugin/desched_run.h"
#include <stdbool.h>
#include <stddef.h>

enum desched_point {
        DESCHED_DESCHEDULE,
        DESCHED_BALANCE,
        DESCHED_FILTER,
        DESCHED_PRE_EVICTION_FILTER,
        DESCHED_POINT_COUNT
};

/* ---- what is asked for ---- */
struct desched_plugin_spec {
        struct slice name;
        const struct json *args; /* NULL or null: defaults */
};
struct desched_profile_spec {
        struct slice name;
        size_t plugin_count;
        const struct desched_plugin_spec *plugins; /* pluginConfig */
        struct text_list enabled[DESCHED_POINT_COUNT];
};

/* ---- what was built ---- */
struct desched_list {
        size_t count;
        const struct desched_instance *items; /* in order of enabling */
};
struct desched_profile {
        struct slice name;
        struct arena arena;
        struct desched_list points[DESCHED_POINT_COUNT];
        size_t instance_count;
        struct desched_instance *instances; /* one per plugin in use */
};

struct desched_profile_env {
        const struct plugin *const *registry;
        struct plugin_env plugin;
        const struct document *document; /* positions; NULL = none */
        struct config_problems *problems;
        const char *path;         /* of the profile, such as profiles[0] */
        const struct json *value; /* the profile as written, for positions; may be NULL */
};
/* What is wrong goes to problems and yields NULL.  The spec must outlive the profile. */
struct desched_profile *desched_profile_new(const struct desched_profile_spec *spec,
                                            const struct desched_profile_env *env);
void desched_profile_free(struct desched_profile *profile); /* accepts NULL */
