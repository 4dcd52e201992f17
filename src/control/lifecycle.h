/* What simulated containers do, as annotations on a pod or, as the default of its pods, on a node
 * describe it. docs/sandbox-lifecycle.md has the grammar. Parsing is pure. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIFECYCLE_PREFIX "sandbox.berth.dev/"
#define LIFECYCLE_FOR_EVER INT64_MAX
#define LIFECYCLE_LENGTH_MAX_NS (366 * 24 * 3600 * (int64_t)1000000000) /* of one duration */
#define LIFECYCLE_STEPS_MAX 64     /* steps of a script, windows of readiness */
#define LIFECYCLE_TIMES_MAX 100000 /* repetitions of one step */

/* Between least and most, drawn each time. */
struct lifecycle_span {
        int64_t least_ns, most_ns;
};

/* One run of a container, or several alike. */
struct lifecycle_step {
        struct lifecycle_span length; /* LIFECYCLE_FOR_EVER = until it is stopped */
        int32_t exit_code;
        uint32_t times;
        struct slice reason; /* of the end; empty = Completed or Error */
};
struct lifecycle_script { /* the last step repeats */
        size_t step_count;
        struct lifecycle_step *steps;
};
struct lifecycle_window {
        int64_t length_ns; /* LIFECYCLE_FOR_EVER = from here on */
        bool is_up;
};
struct lifecycle_readiness { /* the last window stays, unless the whole repeats */
        size_t window_count;
        struct lifecycle_window *windows;
        bool is_repeated;
};
struct lifecycle_waiting {
        struct slice reason; /* empty = none */
        int64_t length_ns;
};
struct lifecycle_shutdown {
        struct lifecycle_span length;
        int32_t exit_code; /* -1 = by restart policy */
};
struct lifecycle_failure {
        bool is_planned;
        int64_t after_ns; /* of running */
        struct slice reason, message;
};

int lifecycle_parse_script(struct slice text, struct arena *arena,
                           struct lifecycle_script *ret_script, struct err *err);
int lifecycle_parse_readiness(struct slice text, struct arena *arena,
                              struct lifecycle_readiness *ret_readiness, struct err *err);
int lifecycle_parse_span(struct slice text, struct lifecycle_span *ret_span, struct err *err);
int lifecycle_parse_waiting(struct slice text, struct lifecycle_waiting *ret_waiting,
                            struct err *err);
int lifecycle_parse_shutdown(struct slice text, struct lifecycle_shutdown *ret_shutdown,
                             struct err *err);
int lifecycle_parse_failure(struct slice text, struct lifecycle_failure *ret_failure,
                            struct err *err);

/* The step that the run after so many restarts follows; NULL for an empty script. */
const struct lifecycle_step *lifecycle_script_at(const struct lifecycle_script *script,
                                                 int64_t restarts);
/* Whether a container is ready so long after its start, and when that changes next
 * (LIFECYCLE_FOR_EVER = never), both counted from the start. Without windows it is ready. */
bool lifecycle_is_ready_at(const struct lifecycle_readiness *readiness, int64_t elapsed_ns,
                           int64_t *ret_next_ns);

/* The annotation KEY.CONTAINER or KEY of the pod, else of the node; empty when there is none. */
struct slice lifecycle_annotation(const struct json *pod_annotations,
                                  const struct json *node_annotations, const char *key,
                                  struct slice container);
/* The first key with our prefix that means nothing on a pod; empty when there is none. */
struct slice lifecycle_unknown_key(const struct json *annotations);
