/* What a kubelet has to do with a pod, from its specification and lifecycle annotations. Decoded
 * for every step; nothing is stored. */
#pragma once

#include "api/object.h"
#include "control/lifecycle.h"

enum planned_container_role { CONTAINER_MAIN, CONTAINER_INIT, CONTAINER_SIDECAR };

struct container_plan {
        struct slice name, image;
        const struct json *resources; /* of the specification, borrowed, may be NULL */
        enum planned_container_role role;
        struct lifecycle_script script;
        struct lifecycle_readiness readiness;
        struct lifecycle_waiting waiting;
        struct lifecycle_shutdown shutdown;
        int64_t ready_delay_ns;
};

struct pod_plan_defaults {
        int64_t start_delay_ns, stop_delay_ns, backoff_first_ns, backoff_max_ns;
        uint64_t seed;
};

struct pod_plan {
        const struct json *pod; /* borrowed */
        struct slice ns, name, uid;
        enum restart_policy restart_policy;
        bool uses_host_network;
        int64_t generation, active_deadline_s /* -1 = none */;
        struct wall_time deleted; /* deletionTimestamp: when grace ends; unset = not deleted */
        int64_t grace_ns;         /* how long it is then */
        struct lifecycle_span start_delay;
        struct lifecycle_failure failure;
        const struct json *readiness_gates;
        int64_t backoff_first_ns, backoff_max_ns;
        uint64_t seed; /* of everything drawn for this pod */
        size_t count;  /* init containers in their order, then the others */
        struct container_plan *containers;
};

/* node_annotations may be NULL. Annotations that cannot be understood count as absent; returns how
 * many there are, and the first complaint in *ret_complaint, which starts with the annotation. */
size_t pod_plan_decode(const struct json *pod, const struct json *node_annotations,
                       const struct pod_plan_defaults *defaults, struct arena *arena,
                       struct pod_plan *ret_plan, struct err *ret_complaint);
/* A length within the span, the same for the same pod and salt. */
int64_t pod_plan_draw(const struct pod_plan *plan, struct lifecycle_span span, uint64_t salt);
