/* What reaches the core from outside: objects that changed, timers that fell due, outcomes of
 * actions.  The change mask says in terms of placement what an object change meant; plugins name
 * the bits that may turn their "no" into a "yes" (upstream: framework.ActionType, QueueingHints).
 */
#pragma once

#include "api/object.h"
#include "model/ids.h"

enum object_kind { /* what the model follows */
                   OBJECT_NODE,
                   OBJECT_POD,
                   OBJECT_NAMESPACE,
                   OBJECT_BUDGET,
                   OBJECT_PRIORITY_CLASS,
                   OBJECT_CLAIM,
                   OBJECT_KIND_COUNT
};

enum change_kind { CHANGE_ADDED, CHANGE_UPDATED, CHANGE_REMOVED };

enum cluster_change_mask {
        CLUSTER_NODE_ADDED = 1u << 0,
        CLUSTER_NODE_REMOVED = 1u << 1,
        CLUSTER_NODE_ALLOCATABLE = 1u << 2,
        CLUSTER_NODE_LABELS = 1u << 3,
        CLUSTER_NODE_TAINTS = 1u << 4, /* also unschedulable turning either way */
        CLUSTER_NODE_CONDITION = 1u << 5,
        CLUSTER_NODE_IMAGES = 1u << 6,
        CLUSTER_NODE_FEATURES = 1u << 7,
        CLUSTER_NODE_ANNOTATIONS = 1u << 8,
        CLUSTER_POD_ADDED = 1u << 9,    /* a pod was assigned to a node (seen or assumed) */
        CLUSTER_POD_REMOVED = 1u << 10, /* an assigned pod went away, finished, or was forgotten */
        /* What changed about a pod, assigned or pending (then with PENDING_UPDATED). */
        CLUSTER_POD_LABELS = 1u << 11,
        CLUSTER_POD_SCALED_DOWN = 1u << 12, /* some request became smaller */
        CLUSTER_POD_GATES = 1u << 13,       /* all scheduling gates of a pending pod are gone */
        CLUSTER_POD_TOLERATIONS = 1u << 14,
        CLUSTER_POD_STATUS = 1u << 15, /* phase, conditions, container states, binding confirmed */
        /* A pod without a node was seen, changed, deleted or assigned by another program. Our own
         * assume and forget are POD_ADDED and POD_REMOVED only: their caller knows. */
        CLUSTER_PENDING_ADDED = 1u << 16,
        CLUSTER_PENDING_UPDATED = 1u << 17,
        CLUSTER_PENDING_REMOVED = 1u << 18,
        CLUSTER_NAMESPACE = 1u << 19,
        CLUSTER_BUDGET = 1u << 20,
        CLUSTER_CLAIM = 1u << 21,
        CLUSTER_PRIORITY_CLASS = 1u << 22,
        CLUSTER_NOMINATION = 1u << 23, /* a pending pod's nomination was set, changed or removed */
        CLUSTER_POD_SPEC = 1u << 24,   /* the class changed otherwise: larger requests, images */
        CLUSTER_POD_CLAIMS = 1u << 25, /* its status names other claims made for it */
        /* A claim of devices changed; devices came, changed or were given back. */
        CLUSTER_RESOURCE_CLAIM = 1u << 26,
        CLUSTER_DEVICES = 1u << 27,
};

/* One entry of the model's change log.  node and pod are NONE where they do not apply.  Handles
 * name the row; when the entry is read the row may be gone or in use again (a later entry then says
 * so), and a node that pods name may not be live. */
struct cluster_change {
        uint64_t generation;
        uint32_t mask; /* CLUSTER_* */
        struct node_id node;
        struct pod_id pod;
};
