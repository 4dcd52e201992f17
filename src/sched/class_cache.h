/* What is known of one class of pods: per node whether it fits and what it is worth.
 *
 * Updated from the change log and from the changes that count caches report; rebuilt where that is
 * not enough. */
#pragma once

#include "base/bitset.h"
#include "plugin/sched_attempt.h"
#include "sched/distinct_scores.h"
#include "sched/top_tree.h"

#define NORMALIZED_MAX 6 /* plugins with normalised scores in one profile */
#define COUNTED_MAX 4    /* filters that count pods */

/* Where the cache stands with the memory of a plugin that counts pods. */
struct follow_mark {
        uint64_t epoch, fingerprint, version;
};
struct counted_filter {
        size_t plugin; /* in the profile */
        struct follow_mark mark;
        const struct topology *uniform; /* the nodes of its domains are asked about as one */
        struct bitset admits;
};
struct normalized_score {
        size_t plugin;
        const struct count_hints *follow; /* NULL: local */
        struct follow_mark mark;
        const struct topology *coarse; /* values go by kind; NULL = by raw score */
        struct distinct_scores distinct;
        size_t feasible_size;
        uint32_t *feasible; /* NULL where no numbers about the feasible nodes are stored */
};

/* The plugins that take part, as bits over the profile. */
struct cache_plugins {
        uint64_t filters, scores;                 /* all of them */
        uint64_t counted_filters, counted_scores; /* those that are followed */
        /* Filters that say something else about each pod; they are not among the above.  They cost
         * the most (volumes, claims), so they are asked last. */
        uint64_t volume_filters;
        uint64_t variant; /* of the filters, as they say */
};

struct class_cache {
        uint64_t key, generation, last_used;
        bool was_seen;  /* a class that comes but once is not worth a cache */
        uint32_t pause; /* decisions left until building is tried again */
        const struct sched_profile *profile;
        struct cache_plugins plugins;
        struct node_list as_if; /* nodes that are as the last what-if had them */
        size_t node_count, fitting_count, bytes;
        struct bitset static_fits, own_fits; /* by local plugins: the node's own part, all */
        struct bitset refused;               /* to the last pod alone */
        bool has_refused; /* some node is: so that a million bits need not be read */
        struct bitset fits;
        int32_t *static_scores, *own_scores; /* weighted, of local plugins without normalising */
        size_t filter_count, score_count;
        struct counted_filter filters[COUNTED_MAX];
        struct normalized_score scores[NORMALIZED_MAX];
        struct top_tree tree;
};

/* Nodes met during an update; empty in between. */
struct node_marks {
        struct bitset set;
        uint32_t *items;
        size_t count;
};

/* One call's surroundings. */
struct cache_call {
        struct sched_attempt *attempt;
        const struct cluster *cluster;
        struct class_cache *cache;
        struct node_marks *marks;
        uint64_t volume_filters; /* of the plugins: those that are to be asked */
        /* The nodes that are refused to this pod alone; NULL: those that volume_filters refuse,
         * which are asked about the nodes that fit otherwise. */
        const struct bitset *refused;
};

void class_cache_clear(struct class_cache *cache);
/* Whether it was built for these plugins and this many nodes. */
bool class_cache_suits(const struct cache_call *call, const struct cache_plugins *plugins);
/* False: the class cannot be cached. */
bool class_cache_build(const struct cache_call *call, const struct cache_plugins *plugins);
/* False: it has to be rebuilt. */
bool class_cache_catch_up(const struct cache_call *call);
