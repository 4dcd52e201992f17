/* The last refusals, each in a place given by the pod's class. */
#include "sched/refusal_cache.h"
#include "base/util.h"
#include <stdlib.h>

#define PLACES 16
#define NODES_MAX 20000 /* of larger clusters a refusal is not worth its copy */

/* All a refusal depends on. */
struct refusal_key {
        const struct sched_profile *profile;
        const struct owner_row *owners; /* the workload decides about default constraints */
        uint64_t generation, object_cache_version;
        uint32_t class, labels, ns;
        int32_t priority;
};
struct refusal_entry {
        struct refusal_key key; /* profile NULL: empty */
        struct decision decision;
        struct arena arena;
};
struct refusal_cache {
        struct refusal_entry places[PLACES];
};

struct refusal_cache *refusal_cache_new(void) {
        struct refusal_cache *cache = xcalloc(1, sizeof(*cache));
        for (size_t i = 0; i < PLACES; i++)
                arena_init(&cache->places[i].arena, 0);
        return cache;
}

void refusal_cache_free(struct refusal_cache *cache) {
        if (!cache)
                return;
        for (size_t i = 0; i < PLACES; i++)
                arena_release(&cache->places[i].arena);
        free(cache);
}

/* Volumes and resource claims may be the pod's own, and so is a nomination.  Plugins without hints
 * may judge alike pods differently. */
static bool make_key(const struct cluster *cluster, const struct sched_profile *profile,
                     struct pod_id pod, struct refusal_key *ret_key) {
        const struct pod_row *row = cluster_pod(cluster, pod);
        const struct pod_class *class = cluster_class(cluster, row->class);
        if (profile->unhinted != 0 || class->spec.volume_count > 0 || class->spec.claim_count > 0 ||
            row->nominated.index != 0)
                return false;
        *ret_key = (struct refusal_key){ .profile = profile,
                                         .owners = row->owners,
                                         .generation = cluster_generation(cluster),
                                         .class = row->class.index,
                                         .labels = row->labels.index,
                                         .ns = row->ns.index,
                                         .priority = row->priority };
        for (int kind = 0; kind < CACHED_KIND_COUNT; kind++)
                ret_key->object_cache_version +=
                        object_cache_version(profile->object_cache, (enum cached_kind)kind);
        return true;
}

static bool key_eq(const struct refusal_key *a, const struct refusal_key *b) {
        return a->profile == b->profile && a->owners == b->owners &&
               a->generation == b->generation &&
               a->object_cache_version == b->object_cache_version && a->class == b->class &&
               a->labels == b->labels && a->ns == b->ns && a->priority == b->priority;
}

static size_t place_of(const struct refusal_key *key) {
        return (key->class + key->labels) % PLACES;
}

const struct decision *refusal_cache_find(const struct refusal_cache *cache,
                                          const struct cluster *cluster,
                                          const struct sched_profile *profile, struct pod_id pod) {
        struct refusal_key key;
        if (!make_key(cluster, profile, pod, &key))
                return NULL;
        const struct refusal_entry *place = &cache->places[place_of(&key)];
        return key_eq(&place->key, &key) ? &place->decision : NULL;
}

static bool is_worth_keeping(const struct decision *decision) {
        return decision->outcome == DECISION_UNSCHEDULABLE && !decision->was_refused_by_extender &&
               (!decision->preemption || decision->preemption->candidate_count == 0) &&
               slice_is_empty(decision->nomination) && decision->refusal_count <= NODES_MAX;
}

static const struct node_refusal *without_reasons(struct arena *arena,
                                                  const struct decision *decision) {
        struct node_refusal *refusals =
                ARENA_ARRAY(arena, struct node_refusal, decision->refusal_count);
        for (size_t i = 0; i < decision->refusal_count; i++)
                refusals[i] = (struct node_refusal){ .node = decision->refusals[i].node,
                                                     .plugin = decision->refusals[i].plugin,
                                                     .code = decision->refusals[i].code };
        return refusals;
}

void refusal_cache_put(struct refusal_cache *cache, const struct cluster *cluster,
                       const struct sched_profile *profile, struct pod_id pod,
                       const struct decision *decision) {
        struct refusal_key key;
        if (!is_worth_keeping(decision) || !make_key(cluster, profile, pod, &key))
                return;
        struct refusal_entry *place = &cache->places[place_of(&key)];
        arena_clear(&place->arena);
        place->key = key;
        place->decision = (struct decision){
                .outcome = decision->outcome,
                .node = NODE_NONE,
                .node_count = decision->node_count,
                .refusal_count = decision->refusal_count,
                .refusals = without_reasons(&place->arena, decision),
                .message = arena_slice(&place->arena, decision->message),
                .rejectors = decision->rejectors,
                .pendings = decision->pendings,
                .sets_nomination = decision->sets_nomination,
        };
}
