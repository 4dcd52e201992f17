/* A group of pods (PodGroup of scheduling.k8s.io/v1alpha2) as plugins see it, and the ways to place
 * it as a whole. */
#pragma once

#include "base/arena.h"
#include "base/time.h"
#include "model/object_cache.h"
#include "plugin/plugin.h"

#define POD_GROUP_API "scheduling.k8s.io"

struct group_view {
        const struct cluster *cluster;
        const struct object_cache *object_cache;
        struct slice ns, name;
        const struct json *object; /* NULL: the group is unknown */
        size_t placed_count;       /* members that have a node already */
        const struct pod_id *placed;
        bool is_parity;
        struct arena *arena;
};

/* Nodes of which the group is to use one set alone. */
struct group_domain {
        struct slice name; /* "" = all nodes */
        size_t count;
        const struct node_id *nodes; /* in node order */
};
struct group_domain_list {
        size_t count;
        const struct group_domain *items;
};
/* A placement that would do, with the waiting members that have a node there. */
struct group_domain_use {
        const struct group_domain *placement;
        size_t pod_count;
        const struct pod_id *pods;
};

/* A search for victims for a group. */
struct group_preemption {
        const struct group_view *group;
        struct cluster *cluster; /* changed inside what-ifs only */
        struct wall_time now;    /* start of pods that have not started */
        bool never_preempts;     /* some member does not */
        /* Whether the group fits on the cluster as it is in the current what-if; else why not. */
        bool (*fits)(void *context, struct slice *ret_message);
        void *context;
        size_t victim_count; /* the answer, most important first; in the view's arena */
        const struct pod_id *victims;
};

/* Takes a victim off its node in a what-if; a nomination it still has counts for nothing then. */
void group_withdraw(struct cluster *cluster, struct pod_id victim);

/* ---- what a PodGroup says; all accept NULL and answer as for an empty one ---- */
const struct json *pod_group_find(const struct object_cache *object_cache, struct slice ns,
                                  struct slice name);
/* How many there must be; 0 without a gang policy. */
uint32_t pod_group_min_count(const struct json *group);
/* Whether it has scheduling constraints at all, and the key of the topology it is to be in. */
bool pod_group_is_constrained(const struct json *group);
struct slice pod_group_topology_key(const struct json *group);
int32_t pod_group_priority(const struct json *group); /* 0 when it does not say */
bool pod_group_goes_whole(const struct json *group);  /* disrupted as one, or not at all */
