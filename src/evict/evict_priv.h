/* Inside the eviction service: jobs, requesters, the ledger of what was done. */
#pragma once

#include "base/map.h"
#include "evict/evict_service.h"

/* ---- ledger: records, counters, statistics of one requester (evict_ledger.c) ---- */
struct evict_job;
struct evict_ledger {
        struct evict_job **ring; /* ended jobs, by number modulo capacity */
        size_t capacity;
        uint64_t last_number;
        struct evict_count *counts;
        size_t count_count, count_cap;
        struct map *count_index; /* key of all labels -> index + 1 */
        struct evict_rule_stats *rules;
        size_t rule_count, rule_cap;
};
void evict_ledger_init(struct evict_ledger *ledger, size_t capacity);
void evict_ledger_release(struct evict_ledger *ledger);
/* Takes the job over. */
void evict_ledger_end(struct evict_ledger *ledger, struct evict_job *job, enum evict_result result,
                      struct wall_time now);
struct evict_rule_stats *evict_ledger_rule(struct evict_ledger *ledger, struct slice profile,
                                           struct slice plugin);

/* ---- job: one intent on its way (evict_job.c) ---- */
enum job_state {
        JOB_QUEUED,  /* asked for; nothing was done yet */
        JOB_CALLED,  /* the subresource or DELETE was called and has not answered */
        JOB_WAITING, /* for another try */
        JOB_ENDED,
};
static inline bool job_is_under_way(enum job_state state) {
        return state == JOB_CALLED;
}

struct evict_job {
        struct evict_record record; /* slices point behind the job, same allocation */
        struct evict_requester *requester;
        enum job_state state;
        bool has_grace, notes_failures, deletes, is_finished;
        int64_t grace_s;
        struct mono_time due; /* JOB_WAITING */
        uint64_t action_id;   /* JOB_CALLED */
        uint64_t pass;        /* of its requester, which counted it */
        char *text;           /* of the last answer, owned; NULL = none */
        struct evict_job *next, *prev;
};
struct evict_job *evict_job_new(const struct evict_intent *intent);
/* What was asked, once more; nothing of what became of it. */
struct evict_job *evict_job_copy(const struct evict_record *record);
void evict_job_free(struct evict_job *job); /* accepts NULL */
void evict_job_set_text(struct evict_job *job, struct slice text);

/* ---- requester: how one role evicts, what it has open, counts of its current pass ---- */
struct evict_requester {
        struct evict_requester_config config;
        struct evict_service *service;
        struct evict_requester *next;   /* of the service */
        struct evict_job *first, *last; /* open jobs, oldest first */
        size_t open_count, under_way;
        struct evict_ledger ledger;
        struct evict_background *background; /* NULL = not followed */
        struct evict_limits limits;
        struct wall_time now;
        bool notes_failures;
        uint64_t pass; /* goes up whenever the counts start again */
        uint64_t total;
        struct map *nodes, *namespaces; /* count as the value's number */
        struct map *budgets;            /* "namespace/name" -> evictions let through this pass */
};
struct evict_requester *evict_requester_new(struct evict_service *service,
                                            const struct evict_requester_config *config);
void evict_requester_free(struct evict_requester *requester); /* accepts NULL */
void evict_requester_begin(struct evict_requester *requester, const struct evict_pass *pass);
/* Evictions under way in the background, whoever asked for them. */
struct background_counts {
        uint64_t total, node, ns;
};
/* EVICT_DONE when one more is within the limits. */
enum evict_outcome evict_requester_check(const struct evict_requester *requester,
                                         const struct evict_intent *intent,
                                         const struct background_counts *background);
void evict_requester_count(struct evict_requester *requester, struct slice node, struct slice ns);
/* Takes a job back that was counted in the pass that still lasts; nothing otherwise. */
void evict_requester_uncount(struct evict_requester *requester, const struct evict_job *job);

/* ---- background: evictions that another program finishes (evict_background.c) ---- */
struct evict_background;
struct background_end { /* where ends are counted */
        struct evict_ledger *ledger;
        struct wall_time wall;
};
enum background_answer {
        BACKGROUND_REFUSED,   /* an answer like any other */
        BACKGROUND_STARTED,   /* the eviction has begun */
        BACKGROUND_POINTLESS, /* it has, but the pod had finished */
};
struct evict_background *evict_background_new(const struct cluster *cluster, bool is_parity);
void evict_background_free(struct evict_background *background); /* accepts NULL */
/* The pod bears the annotation request-evict-only. */
bool evict_background_concerns(const struct evict_background *background,
                               const struct object_ref *pod);
/* What this answer to its eviction means. */
enum background_answer evict_background_answer(const struct evict_background *background,
                                               const struct object_ref *pod,
                                               const struct action_result *result);
/* Its eviction is under way: not to be asked for again. */
bool evict_background_has(const struct evict_background *background, const struct object_ref *pod);
/* Follows it from now on; takes the job over. */
void evict_background_assume(struct evict_background *background, struct evict_job *job,
                             struct mono_time now);
struct background_counts evict_background_counts(const struct evict_background *background,
                                                 struct slice node, struct slice ns);
/* Looks at the pods as they are now. */
void evict_background_look(struct evict_background *background, struct mono_time now,
                           struct background_end *at);
bool evict_background_next_due(const struct evict_background *background,
                               struct mono_time *ret_due);

/* ---- budgets ---- */
/* True when a disruption budget would answer this eviction with "no" now, counting what this pass
 * already let through; text (of 160 bytes) then says which.  When it would say yes at the cost of
 * one disruption, that is noted in used. */
#define EVICT_BUDGET_TEXT_MAX 160
bool evict_budget_blocks(const struct cluster *cluster, struct map *used,
                         const struct evict_intent *intent, char *text);

/* ---- the service ---- */
struct evict_service {
        struct evict_config config;
        struct evict_requester *first;
        struct map *open_by_uid;   /* uid -> struct evict_job; without those of parity */
        struct map_u64 *calls;     /* action id -> struct evict_job */
        struct action_list events; /* waiting for the next step */
};

/* ---- evict_open.c: open jobs ---- */
void evict_open_link(struct evict_job *job);
void evict_open_unlink(struct evict_job *job);
void evict_open_turn(struct evict_job *job, enum job_state state);
void evict_open_end(struct evict_job *job, enum evict_result result, struct wall_time now);
/* failure NULL = it is done. */
void evict_note_event(struct evict_service *service, const struct evict_record *record,
                      bool is_deletion, const char *failure);

/* ---- evict_settle.c: the outcome of a call ---- */
void evict_settle(struct evict_job *job, const struct action_result *result, struct mono_time now,
                  struct wall_time wall);
