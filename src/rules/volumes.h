/* Volumes, claims and classes as the scheduler's volume plugins read them (reference scheduler.md
 * 4.6).  Everything comes from the object cache; nothing is cached beyond one decision. */
#pragma once

#include "api/object.h"
#include "model/cluster.h"
#include "model/object_cache.h"

/* ---- a pod's claims ---- */
struct pod_claim {
        struct slice name; /* of the claim: given, or <pod>-<volume> for ephemeral volumes */
        bool is_ephemeral;
        const struct json *claim; /* NULL: there is no such claim */
};
/* False when the volume is no claim. */
bool pod_claim_of(const struct volume *volume, const struct object_cache *object_cache,
                  struct slice ns, struct slice pod_name, struct arena *arena,
                  struct pod_claim *ret_claim);
/* The claim was made for this pod: the pod is its controller. */
bool claim_is_of_pod(const struct json *claim, struct slice pod_uid);

/* ---- fields ---- */
struct slice claim_class(const struct json *claim); /* storageClassName or the beta annotation */
struct slice claim_volume(const struct json *claim);
bool claim_is_bound(const struct json *claim); /* volumeName and bind-completed */
bool claim_has_mode(const struct json *claim, const char *access_mode);
struct slice claim_selected_node(const struct json *claim, bool *ret_found);
int64_t claim_size(const struct json *claim, bool *ret_found); /* requested bytes */
bool object_is_terminating(const struct json *object);
/* WaitForFirstConsumer; false when there is no such class.  *ret_is_unset: no mode at all. */
bool class_is_delayed(const struct json *class, bool *ret_is_unset);

/* ---- matching ---- */
/* The volume's node affinity; NULL = none. */
const struct affinity *volume_affinity(const struct json *volume, struct arena *arena);
bool volume_admits(const struct cluster *cluster, const struct affinity *affinity,
                   struct node_id node);
/* Volumes a claim may be bound to, whatever the node; in the order of the object cache. */
struct volume_candidate {
        const struct json *volume;
        const struct affinity *affinity; /* NULL = none */
        int64_t size;
        bool is_reserved; /* it names the claim */
};
struct volume_candidates {
        struct volume_candidate *items;
        size_t count;
};
struct volume_candidates volume_candidates_of(const struct object_cache *object_cache,
                                              const struct json *claim, struct arena *arena);
struct taken_volumes { /* chosen before, for other claims of the pod */
        const struct json **items;
        size_t count;
};
/* The volume to bind the claim to on this node: the one that names the claim, else the smallest
 * that fits; NULL when there is none.  taken may be NULL. */
const struct json *volume_choose(const struct cluster *cluster,
                                 const struct volume_candidates *candidates, struct node_id node,
                                 const struct taken_volumes *taken);
/* allowedTopologies of a class let the node in. */
bool class_admits(const struct cluster *cluster, const struct json *class, struct node_id node);
/* Such a class lets every node in, and its driver does not ask for capacity to be looked at: where
 * no volume is bound instead, all nodes are alike. */
bool class_is_everywhere(const struct object_cache *object_cache, const struct json *class);
/* The driver of the class asks for capacity to be looked at, and none is left for the claim. */
bool capacity_is_short(const struct cluster *cluster, const struct object_cache *object_cache,
                       const struct json *claim, const struct json *class, struct node_id node,
                       struct arena *arena);

/* ---- disks named in pods ---- */
bool volume_has_disk(const struct volume *volume); /* of a kind that can conflict */
/* Two pods on one node may not both use these. */
bool volumes_share_disk(const struct volume *a, size_t a_count, const struct volume *b,
                        size_t b_count);
/* Inline volumes of kinds that CSI drivers have taken over. */
bool volume_is_migratable(const struct volume *volume);
