/* Inside the eviction service: jobs, requesters, the ledger of what was done. */
#pragma once

#include "base/map.h"
#include "evict/evict_service.h"

/* ---- job: one intent on its way ---- */
enum job_state { JOB_QUEUED, JOB_IN_FLIGHT, JOB_WAITING, JOB_ENDED };

struct evict_job {
        struct evict_record record; /* slices point behind the job, same allocation */
        enum job_state state;
        bool has_grace, notes_failures, deletes;
        int64_t grace_s;
        struct mono_time due; /* JOB_WAITING */
        uint64_t action_id;   /* JOB_IN_FLIGHT */
        char *text;           /* of the last answer, owned; NULL = none */
        struct evict_job *next, *prev;
};
struct evict_job *evict_job_new(const struct evict_intent *intent);
void evict_job_free(struct evict_job *job); /* accepts NULL */
void evict_job_set_text(struct evict_job *job, struct slice text);

/* ---- requester: counts of its current pass ---- */
struct evict_requester {
        char *name;
        struct evict_limits limits;
        struct wall_time now;
        bool notes_failures;
        uint64_t total;
        struct map *nodes, *namespaces; /* count as the value's number */
        struct map *budgets;            /* "namespace/name" -> evictions let through this pass */
};
struct evict_requester *evict_requester_new(struct slice name);
void evict_requester_free(struct evict_requester *requester); /* accepts NULL */
void evict_requester_begin(struct evict_requester *requester, const struct evict_pass *pass);
/* EVICT_DONE when one more is within the limits. */
enum evict_outcome evict_requester_check(const struct evict_requester *requester,
                                         const struct evict_intent *intent);
void evict_requester_count(struct evict_requester *requester, const struct evict_intent *intent);

/* ---- budgets ---- */
/* True when a disruption budget would answer this eviction with "no" now, counting what this pass
 * already let through; text (of 160 bytes) then says which.  When it would say yes at the cost of
 * one disruption, that is noted in used. */
#define EVICT_BUDGET_TEXT_MAX 160
bool evict_budget_blocks(const struct cluster *cluster, struct map *used,
                         const struct evict_intent *intent, char *text);

/* ---- ledger: records, counters, statistics ---- */
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
