/* Inside the eviction service: jobs, requesters, the ledger of what was done. */
#pragma once

#include "base/map.h"
#include "evict/evict_service.h"
#include "evict/eviction_request.h"
#include "evict/slot_observation.h"
#include "evict/slot_pod.h"

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
        uint64_t ended[EVICT_ROUTE_COUNT][EVICT_RESULT_COUNT];
};
void evict_ledger_init(struct evict_ledger *ledger, size_t capacity);
void evict_ledger_release(struct evict_ledger *ledger);
/* Takes the job over. */
void evict_ledger_end(struct evict_ledger *ledger, struct evict_job *job, enum evict_result result,
                      struct wall_time now);
struct evict_rule_stats *evict_ledger_rule(struct evict_ledger *ledger, struct slice profile,
                                           struct slice plugin);

/* ---- job: one intent under way (evict_job.c) ---- */
/* QUEUED -> UNDECIDED -> (LINED_UP ->) CALLED -> ENDED
 *                     -> (LINED_UP ->) REQUESTING -> REQUESTED -> ENDED
 * A refusal that may pass leads to WAITING, and from there to UNDECIDED again; where no controller
 * answers EvictionRequests, REQUESTING and REQUESTED lead back to UNDECIDED. */
enum job_state {
        JOB_QUEUED,     /* asked for; nothing was done yet */
        JOB_WAITING,    /* for another try */
        JOB_UNDECIDED,  /* which way it goes: whether the cluster has EvictionRequests is looked up
                         */
        JOB_LINED_UP,   /* waits for a slot */
        JOB_CALLED,     /* the subresource or DELETE was called and has not answered */
        JOB_REQUESTING, /* an EvictionRequest is being written */
        JOB_REQUESTED,  /* it is written; others evict the pod */
        JOB_ENDED,
};
static inline bool job_is_under_way(enum job_state state) {
        return state >= JOB_UNDECIDED && state <= JOB_REQUESTED;
}

struct evict_job {
        struct evict_record record; /* slices point behind the job, same allocation */
        struct evict_requester *requester;
        enum job_state state;
        bool has_grace, notes_failures, deletes, is_finished;
        bool is_call, is_preemption; /* see evict_requester_call */
        uint64_t caller_id;
        bool only_writes;  /* an EvictionRequest; what follows is the asker's */
        bool by_request;   /* JOB_LINED_UP: to write an EvictionRequest */
        bool takes_slot;   /* it is in the ledger of slots: its call's outcome matters there */
        bool was_reported; /* that it waits for a slot */
        bool is_answered;  /* JOB_REQUESTED: a controller reconciles the request */
        bool is_withdrawn; /* JOB_REQUESTING: not wanted any more once it is written */
        int64_t grace_s;
        struct mono_time due; /* JOB_WAITING: of the next try; LINED_UP: end of patience; REQUESTED:
                                 until then a controller has to answer */
        uint64_t action_id;   /* JOB_CALLED, JOB_REQUESTING */
        const char *request_group; /* of the EvictionRequest that was written */
        uint64_t pass;             /* of its requester, which counted it */
        char *text;                /* of the last answer, owned; NULL = none */
        struct evict_job *next, *prev;
};
static inline bool job_is_unanswered(const struct evict_job *job) {
        return job->state == JOB_REQUESTING || (job->state == JOB_REQUESTED && !job->is_answered);
}
struct evict_job *evict_job_new(const struct evict_intent *intent);
/* What was asked, once more; nothing of what became of it. */
struct evict_job *evict_job_copy(const struct evict_record *record);
void evict_job_free(struct evict_job *job); /* accepts NULL */
/* Of its EvictionRequest: the same for every try. */
#define EVICT_REQUEST_NAME_MAX 320
struct slice evict_request_name(const struct evict_job *job, char *buffer);
struct object_ref evict_request_ref(const struct evict_job *job, char *buffer);
void evict_job_set_text(struct evict_job *job, struct slice text);

/* ---- requester: how one role evicts, what it has open, counts of its current pass ---- */
struct evict_requester {
        struct evict_requester_config config;
        struct evict_service *service;
        char label[64];                 /* of its EvictionRequests: "descheduler" */
        struct evict_requester *next;   /* of the service */
        struct evict_job *first, *last; /* open jobs, oldest first */
        size_t open_count, under_way,
                called; /* called: of those under way, calls without an answer */
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
/* Evictions under way in the background, of all requesters. */
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

/* ---- slots (evict_slots.c) ---- */
struct evict_slots;
struct evict_slots *evict_slots_new(const struct evict_config *config);
void evict_slots_free(struct evict_slots *slots); /* accepts NULL */
/* True when evicting this pod takes a slot: it is lined up, or keeps its place. */
bool evict_slots_ask(struct evict_slots *slots, const struct evict_record *record, bool by_request,
                     struct mono_time now);
/* As slot_ledger_leave, _give_back, _end, _holds. */
void evict_slots_leave(struct evict_slots *slots, struct slice uid, struct mono_time now);
void evict_slots_give_back(struct evict_slots *slots, struct slice uid, struct mono_time now);
void evict_slots_end(struct evict_slots *slots, struct slice uid);
bool evict_slots_has(const struct evict_slots *slots, struct slice uid);
const char *evict_slots_reason(const struct evict_slots *slots, struct slice uid);
/* The eviction was asked for and is under way: the slot is the pod's until it is gone. */
void evict_slots_hold(struct evict_slots *slots, const struct object_ref *pod, bool is_begun,
                      struct mono_time now);
/* Looks whether pods that hold a slot are gone. */
void evict_slots_look(struct evict_slots *slots, struct mono_time now);
/* Gives slots to the jobs that may begin. */
void evict_slots_let_in(struct evict_slots *slots, struct mono_time now);
bool evict_slots_next_due(const struct evict_slots *slots, struct mono_time *ret_due);
/* Whether others' evictions matter at present, and whether they are known. */
bool evict_slots_follows(const struct evict_slots *slots);
bool evict_slots_is_ready(const struct evict_slots *slots);
void evict_slots_set_ready(struct evict_slots *slots);
/* Some other program than berth reconciles the native kinds, and grants no slots. */
bool evict_slots_is_foreign(const struct evict_slots *slots);
void evict_slots_see(struct evict_slots *slots, enum evict_observation observation,
                     const struct json *object, bool is_removed);
void evict_slots_forget(struct evict_slots *slots);
void evict_slots_see_pod(struct evict_slots *slots, const struct json *object,
                         struct mono_time now);
void evict_slots_see_node(struct evict_slots *slots, struct slice node, const struct json *list,
                          struct mono_time now);
void evict_slots_lose_pod(struct evict_slots *slots, struct slice uid);
void evict_slots_stats(const struct evict_slots *slots, struct slot_ledger_stats *ret_stats);

/* ---- EvictionRequests (evict_requests.c) ---- */
struct evict_requests;
struct evict_requests *evict_requests_new(void);
void evict_requests_free(struct evict_requests *requests); /* accepts NULL */
/* UNKNOWN: the caller waits; discovery is under way. */
enum evict_kinds evict_requests_kinds(struct evict_requests *requests, struct mono_time now);
const char *evict_requests_group(const struct evict_requests *requests);
/* As evict_service_saw_kinds; what is known then. */
enum evict_kinds evict_requests_set_kinds(struct evict_requests *requests, enum evict_kinds kinds,
                                          struct mono_time now);
/* What is known of the kinds stands until they were looked at again. */
void evict_requests_doubt_kinds(struct evict_requests *requests);
bool evict_requests_wants_kinds(const struct evict_requests *requests);
/* What was last seen of an EvictionRequest of this process, until it is gone. */
struct seen_request {
        enum eviction_outcome outcome;
        bool is_current;      /* its status is of its generation: a controller reconciles it */
        bool is_before_write; /* seen before the last write of its name: perhaps of another object
                               */
};
struct seen_request *evict_requests_own(const struct evict_requests *requests,
                                        const struct object_ref *request);
/* NULL: it is gone. */
void evict_requests_keep_own(struct evict_requests *requests, const struct object_ref *request,
                             const struct seen_request *seen);
/* Those of another group are not followed any more. */
void evict_requests_forget_own(struct evict_requests *requests);
/* Whether a request to evict the pod is open, of any requester. */
enum evict_asked { EVICT_ASKED_UNKNOWN, EVICT_ASKED_NO, EVICT_ASKED_YES };
enum evict_asked evict_requests_asked(struct evict_requests *requests, struct slice uid,
                                      struct mono_time now);
bool evict_requests_wants_all(const struct evict_requests *requests);
void evict_requests_set_listed(struct evict_requests *requests);
void evict_requests_see(struct evict_requests *requests, const struct json *object, bool is_removed,
                        struct mono_time now);

/* ---- the service ---- */
struct evict_service {
        struct evict_config config;
        struct evict_requester *first;
        struct map *open_by_uid; /* uid -> struct evict_job; without those of parity */
        struct map_u64 *calls;   /* action id -> struct evict_job */
        struct evict_slots *slots;
        struct evict_requests *requests;
        struct action_list outbox;  /* waiting for the next step: events, requests withdrawn */
        struct wall_time wall;      /* as last given */
        struct evict_answer answer; /* of the last result, while has_answer */
        bool has_answer;
        size_t unanswered;        /* jobs whose EvictionRequest has no answer yet */
        bool follows_requests;    /* some were written */
        bool are_answered;        /* a controller answers EvictionRequests */
        bool was_reported_direct; /* that the subresource is called, since the last answer */
};

/* ---- evict_open.c: open jobs ---- */
void evict_open_link(struct evict_job *job);
void evict_open_unlink(struct evict_job *job);
void evict_open_move(struct evict_job *job, enum job_state state);
void evict_open_answer(struct evict_job *job);
void evict_open_end(struct evict_job *job, enum evict_result result, struct wall_time now);
/* failure NULL = it is done. */
void evict_note_event(struct evict_requester *requester, const struct evict_record *record,
                      bool is_deletion, const char *failure);
void evict_open_report(const struct evict_job *job, enum evict_note_kind kind, const char *text);

/* ---- evict_settle.c: outcomes ---- */
/* Of a call, or as if of one. */
void evict_settle(struct evict_job *job, const struct action_result *result, struct mono_time now,
                  struct wall_time wall);
/* What is under way ends, as far as it can be taken back; a call that has no answer cannot. */
void evict_settle_withdraw(struct evict_job *job, struct wall_time wall);
/* An EvictionRequest was written, or not. */
void evict_settle_written(struct evict_job *job, const struct action_result *result,
                          struct mono_time now, struct wall_time wall);
/* What has become of an EvictionRequest that was written. */
void evict_settle_request(struct evict_service *service, const struct json *object, bool is_removed,
                          struct mono_time now, struct wall_time wall);
/* The cluster serves EvictionRequests in another group, or no more: those that nobody answers are
 * taken back, and decided anew. */
void evict_settle_moved(struct evict_service *service, enum evict_kinds kinds);
/* No controller answers: jobs with EvictionRequests that have not begun use the subresource. */
void evict_settle_unanswered(struct evict_service *service, const char *why, struct mono_time now);

/* ---- evict_step.c: deciding and sending ---- */
void evict_step_write_request(struct evict_job *job, struct action_list *out);
void evict_step_requester(struct evict_requester *requester, struct mono_time now,
                          struct action_list *out);
/* Those that wait for slots. */
void evict_step_admit(struct evict_requester *requester, struct mono_time now,
                      struct action_list *out);
