/* An EvictionPolicy: the stages through which the pods of a selector leave, and how what they did
 * is undone.  Decoded objects own their memory. */
#pragma once

#include "api/json.h"
#include "api/selector.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/time.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVICTION_STAGES_MAX 8
#define EVICTION_STAGE_RETRIES_MAX 100
#define EVICTION_STAGE_TIMEOUT_NS (300 * NS_PER_S)
#define EVICTION_POLICY_ACCEPTED "Accepted" /* condition of its status */
#define EVICTION_STAGER "stages.lifecycle.berth.dev/responder"
#define EVICTION_HOLD_TEXT_MAX 400 /* "held: EvictionPolicy ..." */
#define EVICTION_PRIORITY_STAGER 5000

enum stage_kind {
        STAGE_HTTP,   /* a hook is called */
        STAGE_EXEC,   /* a program is run */
        STAGE_WAIT,   /* until something holds */
        STAGE_EVICT,  /* the eviction subresource is asked */
        STAGE_DELETE, /* the pod is deleted, whatever budgets say */
        STAGE_KIND_COUNT
};
const char *stage_kind_name(enum stage_kind kind); /* "http" */

enum stage_failure {
        STAGE_FAILS_TO_ROLLBACK, /* undo what was done, then decline */
        STAGE_FAILS_TO_CONTINUE,
        STAGE_FAILS_TO_DECLINE,
        STAGE_FAILS_TO_HOLD, /* undo what was done, and protect the pod from every eviction */
        STAGE_FAILURE_COUNT
};

struct eviction_hook {
        bool is_exec;
        struct slice url;     /* http */
        struct slice secret;  /* of the policy's namespace, member "token"; empty = none */
        struct slice command; /* exec: a file of the hook directory */
};

struct eviction_wait { /* everything that is given must hold */
        bool counts_ready;
        struct selector ready; /* of pods of the namespace, the target left out */
        int64_t ready_count;
        struct slice label_key, label_value; /* of the target; key empty = not asked for */
        struct slice url;                    /* must answer 200; empty = not asked */
};

struct eviction_stage {
        struct slice name;
        enum stage_kind kind;
        int64_t timeout_ns;
        uint32_t retries;
        enum stage_failure on_failure;
        struct eviction_hook hook; /* http, exec */
        struct eviction_wait wait;
        bool has_rollback;
        struct eviction_hook rollback;
};
static inline bool stage_is_hook(const struct eviction_stage *stage) {
        return stage->kind == STAGE_HTTP || stage->kind == STAGE_EXEC;
}

/* What other clients of the eviction subresource (kubectl drain) do about the stages. */
enum eviction_other_clients {
        OTHER_CLIENTS_WAIT, /* get 429 until the stages are over */
        OTHER_CLIENTS_PASS, /* evict the pod at once, as if there were no policy */
        OTHER_CLIENTS_COUNT
};

enum eviction_reserve { RESERVE_BEST_EFFORT, RESERVE_NONE, RESERVE_REQUIRED, RESERVE_COUNT };

struct eviction_policy {
        struct arena arena;
        struct json_doc *doc; /* the spec; selectors point into it */
        struct slice ns, name, uid;
        struct selector selector;
        int64_t precedence;
        int64_t deadline_ns; /* of all stages together; 0 = none */
        bool deletes_at_deadline;
        enum eviction_reserve reserve;
        enum eviction_other_clients other_clients;
        size_t stage_count;
        struct eviction_stage stages[EVICTION_STAGES_MAX];
        /* One that cannot be read: the pods it selects are held, or those of the whole namespace
         * where it is the selector that cannot be read. It has no stages. */
        bool is_unreadable, selects_all;
        struct slice problem; /* "spec.stages[0].timeout: expected a duration such as 5m" */
        int64_t generation, reported_generation; /* reported: of its status; 0 = none */
        bool is_reported_readable;
};

/* INVALID with the field's path. */
int eviction_policy_decode(const struct json *object, struct eviction_policy **ret_policy,
                           struct err *err);
/* The same, with what can be used of one that decode refused for err. */
struct eviction_policy *eviction_policy_unreadable(const struct json *object,
                                                   const struct err *err);
bool eviction_policy_selects(const struct eviction_policy *policy, struct label_list labels);
void eviction_policy_free(struct eviction_policy *policy); /* accepts NULL */
/* Whether a goes before b: by precedence, then by name. */
bool eviction_policy_is_before(const struct eviction_policy *a, const struct eviction_policy *b);
