/* Configuration files of the roles: read, checked and built, with every mistake reported. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "loop/runtime.h"
#include "plugin/sched_profile_list.h"
#include "roles/descheduler_role.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cluster;
struct config_problems;
struct descheduler_policy;
struct document;
struct object_cache;

#define ROLE_FOUND_MAX 8
#define ROLE_PROFILES_MAX 64

/* Gates of a question, where no process says which are on: rules that are there count. */
#define ROLE_CONFIG_ASKED FEATURE_DEVICE_TAINT_RULES

struct role_config_sources {
        /* Files; NULL = none: the scheduler runs with defaults, nothing is descheduled. */
        const char *policy_path, *config_path;
        /* Documents found among objects, where no file is named; NULL = none. */
        const struct document *policy, *config;
        bool is_parity;
        uint32_t gates; /* enum feature_gate */
};

struct role_config {
        struct arena arena;
        bool is_parity;
        uint32_t gates;
        struct descheduler_policy *policy;             /* NULL = none */
        struct scheduler_configuration *configuration; /* of the scheduler */
        struct sched_profile_list profiles;            /* after role_config_build */
        int64_t backoff_initial_ns, backoff_max_ns;    /* 0 = default */
        const struct cluster *cluster;                 /* after role_config_build */
        const struct object_cache *object_cache;       /* likewise; NULL = none */
        /* Configurations found besides; profiles of these or of a given file stay, as bits. */
        size_t found_count;
        struct scheduler_configuration *found[ROLE_FOUND_MAX];
        uint64_t settled_profiles;
        bool is_given; /* the scheduler's configuration is from a file */
};

/* What role_config_load does with one document, which is taken: decodes it, makes of it what the
 * role would, and adds all that is wrong to problems. Files that a scheduler's configuration names
 * are not looked at. is_parity and gates of config count; release it afterwards. */
void role_config_check_policy(struct role_config *config, struct document *document,
                              struct config_problems *problems);
void role_config_check_scheduler(struct role_config *config, struct document *document,
                                 struct config_problems *problems);
/* Reads and checks the files.  ret_config must be zeroed; release it also after an error. */
int role_config_load(const struct role_config_sources *sources, struct role_config *ret_config,
                     struct err *err);
/* Builds the scheduler's profiles over a cluster and an object cache (NULL = none), which must
 * outlive them. */
int role_config_build(struct role_config *config, const struct cluster *cluster,
                      const struct object_cache *object_cache, struct err *err);
/* Adds the profiles of another scheduler's configuration, found in the cluster; those of the
 * default configuration give way to it, those of a file or of one found before do not.  source
 * names it in errors.  Nothing is changed then. */
int role_config_take_found(struct role_config *config, struct slice text, const char *source,
                           struct err *err);
/* Adds the default profile unless there is one of its name. */
int role_config_take_default(struct role_config *config, struct err *err);
/* Adds the descheduler with the policy of this configuration (policy, document, registry, parity
 * and profiles, if built, of role are filled in; found_scheduler as well where it finds_scheduler).
 */
struct descheduler_role *role_config_add_descheduler(struct role_config *config,
                                                     struct runtime *runtime,
                                                     const struct descheduler_role_config *role);
void role_config_release(struct role_config *config);
