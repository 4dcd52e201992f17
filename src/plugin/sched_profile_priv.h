/* A profile that is being built: what was found wrong, and arguments. Private to this room. */
#pragma once

#include "plugin/sched_profile.h"

struct config_problems;

struct sched_profile_build {
        const struct sched_profile_spec *spec;
        const struct profile_env *env;
        struct sched_profile *profile;
        /* Default and wanted plugins at multiPoint, and whether it was said that one is missing. */
        size_t multi_count;
        const struct plugin_choice *multi;
        bool *is_missing;
        struct config_problems *problems; /* building goes on after one, to find them all */
};

/* A choice at a point, or SIZE_MAX where the problem is of the point, or of the whole profile with
 * POINT_COUNT + 1. */
struct profile_place {
        int point; /* enum sched_point, POINT_MULTI too; SCHED_PROFILE_ITSELF */
        size_t index;
};
#define SCHED_PROFILE_ITSELF (POINT_COUNT + 1)

/* Upstream's Go type, named in its errors: "ScorePlugin". */
const char *sched_point_interface(enum sched_point point);

void sched_profile_refuse(struct sched_profile_build *build, struct profile_place place,
                          const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "; did you mean "NodeName"?" in the profile's arena, or "". */
const char *sched_profile_meant(const struct sched_profile_build *build, struct slice name);
/* Arguments given to the plugin of this name, the first entry; SIZE_MAX = none. */
size_t sched_profile_args_index(const struct sched_profile_spec *spec, struct slice name);
/* NULL when there is something wrong with them. */
void *sched_profile_args(struct sched_profile_build *build, const struct plugin *plugin);
/* Where the arguments of the plugin stand: a problem that is not one of a field. */
void sched_profile_refuse_args(struct sched_profile_build *build, const struct plugin *plugin,
                               const char *text);
/* Arguments for a plugin that there is not: a warning, as upstream takes them. */
void sched_profile_warn_unknown(struct sched_profile_build *build, size_t args_index);
/* The same of plugins that are taken out of what there is by default. */
void sched_profile_warn_disabled(struct sched_profile_build *build);
