/* Shadow mode of the scheduler: watches a cluster that another scheduler places pods on, decides
 * each pod on the state before that decision, and counts how often both agree.  Writes nothing. */
#pragma once

#include "loop/runtime.h"

struct buf;
struct json_node;
struct json_tree;
struct metrics;
struct sched_profile;
struct shadow_role;

#define SHADOW_DIFFERENCES_MAX 1000 /* stored; later ones are counted only */

struct shadow_role_config {
        size_t profile_count;
        struct sched_profile *const *profiles; /* must outlive the role */
        bool is_parity;
        struct metrics *metrics; /* NULL = not counted */
        /* Called once when so many pods were judged; 0 = never. */
        uint64_t pods_max;
        void (*finished)(void *context);
        void *context;
};

/* Adds the role to the runtime, which owns it. */
struct shadow_role *shadow_role_add(struct runtime *runtime,
                                    const struct shadow_role_config *config);
/* What was found so far: for programs, and for people. */
struct json_node *shadow_role_report(const struct shadow_role *role, struct json_tree *tree);
void shadow_role_print(const struct shadow_role *role, struct buf *out);
