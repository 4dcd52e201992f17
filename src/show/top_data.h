/* What a terminal shows of a cluster: plain values, gathered elsewhere. */
#pragma once

#include "show/amount.h"

#define TOP_RESOURCES_MAX 6

struct top_resource { /* over all nodes */
        struct slice name;
        enum amount_unit unit;
        int64_t requested, allocatable;
};
struct top_node {
        struct slice name;
        bool is_ready, is_cordoned;
        size_t taints;
        int64_t requested[TOP_RESOURCES_MAX], allocatable[TOP_RESOURCES_MAX];
};
struct top_pod { /* waits for a node */
        struct slice ns, name, reason;
        int64_t age_s; /* below 0: not known */
};
struct top_event {
        struct slice time, kind, about, note; /* 12:03:21, evicted, shop/web-1, text */
        bool is_trouble;
};

struct top_data {
        struct slice source;  /* what is shown: a context, a file */
        struct slice clock;   /* 12:03:21 */
        struct slice trouble; /* why it may not be up to date; empty = nothing */
        bool is_ready;        /* the first list is in */
        size_t all_nodes, not_ready, cordoned, overcommitted;
        size_t pods, waiting, gated; /* of the cluster, whatever the filter */
        struct slice unknown;        /* a resource that was asked for, and that nothing has */
        size_t resource_count, node_count, pod_count, event_count;
        struct top_resource resources[TOP_RESOURCES_MAX];
        struct top_node *nodes; /* those that the filter leaves, in order */
        struct top_pod *waits;
        struct top_event *events; /* the newest first */
};
