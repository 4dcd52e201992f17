/* Profiles of the scheduler: which plugins take part at which extension point, in which order and
 * with which weight (upstream: framework/runtime, apis/config/v1/default_plugins.go; reference
 * scheduler.md 1.3, 1.4). */
#pragma once

#include "base/arena.h"
#include "model/object_cache.h"
#include "plugin/cache_hints.h"
#include "plugin/plugin.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sched_point {
        POINT_PRE_ENQUEUE,
        POINT_QUEUE_SORT,
        POINT_PRE_FILTER,
        POINT_FILTER,
        POINT_POST_FILTER,
        POINT_PRE_SCORE,
        POINT_SCORE,
        POINT_RESERVE,
        POINT_PERMIT,
        POINT_PRE_BIND,
        POINT_BIND,
        POINT_POST_BIND,
        POINT_PLACEMENT_GENERATE,
        POINT_PLACEMENT_SCORE,
        POINT_COUNT,
        POINT_MULTI = POINT_COUNT, /* only in what is asked for */
};
const char *sched_point_name(enum sched_point point); /* "preEnqueue" */

/* Plugins of every profile, all at multiPoint, some behind a feature gate; in upstream's order,
 * ended by an empty name. */
struct sched_default {
        struct slice name;
        int32_t weight;
        uint32_t gate; /* enum feature_gate; 0 = none */
};
extern const struct sched_default sched_defaults[];

/* ---- what is asked for: the configuration's plugins and pluginConfig of one profile ---- */
struct plugin_choice {
        struct slice name;
        int32_t weight; /* 0 = not given */
};
struct plugin_set {
        size_t enabled_count, disabled_count;
        const struct plugin_choice *enabled;
        const struct slice *disabled; /* "*" = all */
};
struct plugin_args {
        struct slice name;
        const struct json *args; /* NULL or null: defaults */
};
struct sched_profile_spec {
        struct slice scheduler_name; /* "" = default-scheduler */
        const char *path;            /* in env->document: "profiles[0]"; NULL = none */
        bool has_percentage;
        int32_t percentage_of_nodes;
        struct plugin_set sets[POINT_COUNT + 1]; /* by enum sched_point; POINT_MULTI last */
        size_t args_count;
        const struct plugin_args *args;
};

/* ---- what was built ---- */
#define PROFILE_PLUGINS_MAX 64 /* plugins are bits of a 64-bit word */

struct profile_plugin {
        const struct plugin *plugin;
        enum cache_scope filter_scope, score_scope; /* of its hints */
        void *args;                                 /* decoded; in the profile's arena */
        void *state;                                /* of init, or args */
        int64_t weight, placement_weight;           /* of nodes; of placements of a group */
        bool is_broken;                             /* only in a profile that is refused */
};
struct profile_point {
        size_t count;
        const uint8_t *plugins; /* indexes into the profile's plugins, in order */
};
struct sched_profile {
        struct slice scheduler_name;
        int32_t percentage_of_nodes; /* -1 = the global value */
        size_t plugin_count;
        struct profile_plugin *plugins;
        struct profile_point points[POINT_COUNT];
        uint32_t wakes_on; /* all its plugins together */
        uint64_t unhinted; /* plugins, as bits, that judge pods and have no hints */
        bool is_parity;
        const struct object_cache *object_cache;
        struct arena arena;
};

/* Arguments carry the usual head; the first member of every argument struct. */
struct args_head {
        struct slice api_version, kind;
};
#define ARGS_HEAD_FIELDS                                                                           \
        { .name = "apiVersion",                                                                    \
          .type = FIELD_TEXT,                                                                      \
          .offset = offsetof(struct args_head, api_version),                                       \
          .presence = FIELD_NO_PRESENCE,                                                           \
          .help = "kubescheduler.config.k8s.io/v1" },                                              \
        {                                                                                          \
                .name = "kind", .type = FIELD_TEXT, .offset = offsetof(struct args_head, kind),    \
                .presence = FIELD_NO_PRESENCE, .help = "The plugin's name followed by Args."       \
        }

/* What a profile is built with. */
struct profile_env {
        const struct plugin *const *registry; /* plugins/sched/registry.h */
        const struct cluster *cluster;
        const struct document *document; /* NULL: no positions */
        bool is_parity;
        uint32_t gates;                          /* enum feature_gate */
        const struct object_cache *object_cache; /* lent to the plugins; may be NULL */
        const struct item_list *extenders;       /* of the configuration; NULL = none */
};
/* Builds a profile from what is asked for, merged with the defaults.  What is wrong is added to
 * problems, all of it, in upstream's words (unknown plugin, point not implemented, repeated plugin,
 * ...) and with positions when document is given; NULL then. */
struct sched_profile *sched_profile_build(const struct sched_profile_spec *spec,
                                          const struct profile_env *env,
                                          struct config_problems *problems);
/* The same, with all of them folded into err. */
int sched_profile_new(const struct sched_profile_spec *spec, const struct profile_env *env,
                      struct sched_profile **ret_profile, struct err *err);
void sched_profile_free(struct sched_profile *profile); /* accepts NULL */
/* With all defaults, for tests and commands without a configuration. */
int sched_profile_new_default(const struct profile_env *env, struct sched_profile **ret_profile,
                              struct err *err);
/* Plugins of a point, by name; NULL when it takes no part. */
const struct profile_plugin *sched_profile_find(const struct sched_profile *profile,
                                                struct slice name);
