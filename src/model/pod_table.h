/* Pod rows and pod classes.  A class interns what of a pod's spec matters to placement and
 * eviction, so that the pods of one template share it; the row holds what is the pod's own. */
#pragma once

#include "api/object.h"
#include "model/ids.h"
#include <stdint.h>

struct resource_request {
        struct resource_id resource;
        int64_t amount;
};

struct class_port {
        struct str_id ip, protocol;
        int32_t port;
};
/* The order of ports in classes and on nodes: by number, then protocol, then address. */
int class_port_compare(const struct class_port *a, const struct class_port *b);

/* Immutable once made; lives while any pod refers to it, or did before one of the last changes
 * (counted). */
struct pod_class {
        struct class_id id;
        uint32_t ref_count;
        uint64_t hash;
        uint64_t shape_hash; /* the same without volumes */
        uint64_t serial;     /* no other class of this model had or will have it */
        /* The decoded spec, deep-copied.  Plugins compile from it.  Left out are what differs
         * between pods of one template without meaning anything: node_name, the names of volumes
         * other than VOLUME_EPHEMERAL, volumes of configuration (configMap, secret, projected,
         * downwardAPI), and the sizes in a status that say the same as the spec. */
        struct pod_spec spec;
        size_t request_count; /* without RESOURCE_PODS; only amounts > 0 */
        struct resource_request *requests;
        int64_t nonzero_cpu_milli, nonzero_memory_bytes;
        size_t port_count;        /* host ports */
        struct class_port *ports; /* sorted, each once */
        uint32_t attach_count;    /* volumes by claim: what may have to be attached */
        enum qos_class qos;       /* computed */
        bool uses_local_storage;  /* hostPath or emptyDir volume */
        bool has_pod_terms;       /* pod affinity or anti-affinity of any kind */
        void *memory;             /* the model's */
};

enum pod_flags {
        POD_ASSUMED = 1,             /* placed here by us, not yet seen so from the API */
        POD_TERMINATING = 2,         /* deletionTimestamp set */
        POD_MIRROR = 4,              /* annotation kubernetes.io/config.mirror */
        POD_STATIC = 8,              /* annotation kubernetes.io/config.source other than api */
        POD_EVICT_MARK = 16,         /* annotation descheduler.alpha.kubernetes.io/evict */
        POD_PREFERS_STAY = 32,       /* .../prefer-no-eviction */
        POD_REQUEST_EVICT = 64,      /* .../request-evict-only */
        POD_EVICTION_RUNS = 128,     /* .../eviction-in-progress */
        POD_CONDITION_FALSE = 256,   /* PodScheduled is False (a failure was written) */
        POD_HAS_QOS = 512,           /* status.qosClass was set */
        POD_EVICT_MARK_FALSE = 1024, /* the evict annotation's value is "false" */
        POD_NOMINATED_HERE = 2048,   /* nominated by us, not yet seen in its status */
        POD_HAS_FINALIZERS = 4096,   /* it stays until other programs have removed them */
        /* Only where cluster_config.keeps_evictions. */
        POD_READY = 8192,           /* condition Ready is True */
        POD_API_EVICTED = 16384,    /* being deleted: the eviction subresource accepted it */
        POD_HAS_RESPONDERS = 32768, /* see cluster_pod_responders */
};

/* Annotation of a pod: who responds when it is to be evicted, "name=priority,...". */
#define POD_RESPONDERS_KEY "lifecycle.berth.dev/eviction-responders"

/* State of one container as far as cleaning rules look at it. */
enum container_role { CONTAINER_MAIN, CONTAINER_INIT, CONTAINER_SIDECAR, CONTAINER_EPHEMERAL };
struct container_row {
        struct str_id name, waiting_reason, terminated_reason, last_reason;
        uint8_t role;
        uint8_t is_waiting : 1, is_terminated : 1, has_last : 1, is_ready : 1;
        int32_t exit_code, last_exit_code, restarts, signal;
        struct wall_time finished; /* terminated.finishedAt */
};
struct condition_row {
        struct wall_time changed;
        struct str_id type, reason;
        uint8_t status; /* enum condition_status */
};
struct owner_row {
        struct str_id kind, name, uid;
        bool is_controller;
};
struct pod_claim_row {             /* a claim that was made for the pod */
        struct str_id name, claim; /* in its spec, 0 = it takes of its node by it; of the object, 0
                                      = none is needed */
};
/* Cold part of a status: NULL for pods whose status has none of this. */
struct pod_detail {
        struct str_id reason; /* status.reason */
        uint32_t container_count, condition_count, ready_count, claim_count;
        struct pod_claim_row *claims;           /* always there; the rest where keeps_detail */
        const struct container_row *containers; /* shared by pods in the same state */
        struct condition_row *conditions;
};

struct pod_row {
        struct str_id ns;
        uint32_t equivalents; /* number of its list while it is on a node */
        const char *name;     /* NUL-terminated, owned by the row */
        const char *uid;      /* same allocation as name */
        struct node_id node;  /* NODE_NONE while pending */
        struct class_id class;
        struct label_set_id labels;
        struct str_id nominated; /* status.nominatedNodeName, or ours while assumed in memory */
        struct pod_id next_on_node, prev_on_node;
        struct pod_id next_equivalent, prev_equivalent;
        int32_t priority;
        uint16_t flags;       /* enum pod_flags */
        uint16_t name_length; /* of name, bytes */
        uint16_t owner_count;
        uint8_t phase;       /* enum pod_phase */
        uint8_t qos : 4;     /* enum qos_class: status value, else computed */
        uint8_t is_live : 1; /* row in use */
        uint8_t has_priority : 1;
        uint8_t is_listed : 1;          /* in the list of equivalent pods */
        uint8_t is_ending : 1;          /* its deletion was asked for here: cluster_mark_ending */
        uint32_t observed_generation;   /* metadata.generation, the highest number beyond that */
        const struct owner_row *owners; /* interned list, shared by siblings */
        struct wall_time created, started, deleted; /* deleted unset = not being deleted */
        uint64_t failure_hash;            /* reason and message of PodScheduled=False; 0 = none */
        struct wall_time failure_changed; /* its lastTransitionTime */
        struct pod_detail *detail;
};

/* Pods on nodes that are equal for all that count pods. */
struct pod_equivalents {
        struct str_id ns;
        struct class_id class;
        struct label_set_id labels;
        uint32_t count; /* 0: none now */
        bool is_used;   /* for the model: false where the place is free */
        /* List through pod_row.next_equivalent: finished pods, and those a what-if took off their
         * nodes, are still there. */
        struct pod_id first;
};

/* On its way out, as the API or only we know. */
static inline bool pod_row_is_leaving(const struct pod_row *row) {
        return (row->flags & POD_TERMINATING) != 0 || row->is_ending;
}

static inline bool pod_row_is_finished(const struct pod_row *row) {
        return row->phase == POD_SUCCEEDED || row->phase == POD_FAILED;
}
