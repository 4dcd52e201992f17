/* The machine of states of one node's reboot: what is known and the time in, the next thing to read
 * or do out.
 *
 * It is level-triggered: every decision follows from the record on the node, the lock, the host's
 * boot id and fresh readings, never from what this process remembers having done.  A crash at any
 * point therefore loses at most a delay.  There is one thing under way at a time: after
 * reboot_agent_step the caller reads what next->read names (and answers with the reboot_agent_saw_
 * function of that name), performs the actions (and answers with reboot_agent_result), or waits
 * until next->wake; then it steps again.  Evictions go through the sink, beside that order.
 *
 * Invariants: I1 never more live claims than the limit, verified by a fresh reading before the
 * cordon and before the reboot; I2 what others cordoned stays cordoned; I3 what we cordoned gets
 * uncordoned whatever becomes of the lock; I4 the taint follows the rule within a period after any
 * crash; I5 no reboot unless this process saw the sentinel; I6 the same record in the same boot
 * reboots once only, unless it passes READY again. */
#pragma once

#include "api/json.h"
#include "model/action.h"
#include "model/evict_intent.h"
#include "reboot/drain.h"
#include "reboot/reboot_config.h"
#include "reboot/reboot_record.h"

struct reboot_agent;

struct reboot_now {
        struct wall_time wall; /* windows and lock times only */
        struct mono_time mono; /* everything else; runs on while the host sleeps */
};

enum reboot_read {
        REBOOT_READ_NOTHING,
        REBOOT_READ_SENTINEL, /* of this host */
        REBOOT_READ_NODE,     /* our Node */
        REBOOT_READ_LOCK,     /* the object that carries the lock */
        REBOOT_READ_BLOCKERS, /* alerts, then pods */
        REBOOT_READ_PODS,     /* on our node, with the fate of their DaemonSets, and budgets */
        REBOOT_READ_PEERS,    /* the other nodes */
        REBOOT_READ_HOLDER,   /* whether the node next->holder exists */
        REBOOT_READ_HEALTH,   /* after a reboot: first of the node, then of what runs anywhere */
        REBOOT_READ_COUNT
};
const char *reboot_read_name(enum reboot_read read);

struct reboot_next {
        enum reboot_read read;
        struct slice holder; /* REBOOT_READ_HOLDER; valid until the answer */
        bool has_wake;       /* nothing to read or do before wake */
        struct mono_time wake;
        bool is_uncordoned; /* REBOOT_READ_HEALTH: the node is in use again */
        bool is_last_look;  /* REBOOT_READ_PODS: a copy that may be behind will not do */
};

/* The config, the sink and what they point to must outlive the agent.  boot_id is copied. */
struct reboot_agent *reboot_agent_new(const struct reboot_config *config, struct slice boot_id,
                                      const struct evict_sink *sink);
void reboot_agent_free(struct reboot_agent *agent); /* accepts NULL */

void reboot_agent_step(struct reboot_agent *agent, const struct reboot_now *now,
                       struct action_list *out, struct reboot_next *ret_next);

/* The objects whose change may end the wait under way; valid until the next step. */
#define REBOOT_WAITS_MAX 3
size_t reboot_agent_waits(const struct reboot_agent *agent, const struct object_ref **ret_waits);
enum reboot_news {
        REBOOT_NEWS_NONE,
        REBOOT_NEWS_LOOK,      /* worth another look */
        REBOOT_NEWS_LOCK_FREE, /* for us and whoever else waits for it */
        REBOOT_NEWS_LOCK_HELD,
};
/* Whether one of them, as it is now, is news; object NULL = it is gone. */
enum reboot_news reboot_agent_judge(const struct reboot_agent *agent, const struct reboot_now *now,
                                    struct slice kind, const struct json *object);
/* Ends the wait: the next step reads everything again. */
void reboot_agent_look(struct reboot_agent *agent, const struct reboot_now *now);

/* Answers.  code is BERTH_OK or why it could not be read; documents are taken over. */
void reboot_agent_saw_sentinel(struct reboot_agent *agent, bool is_required);
void reboot_agent_saw_node(struct reboot_agent *agent, int code, struct json_doc *node);
void reboot_agent_saw_lock(struct reboot_agent *agent, int code, struct json_doc *object);
/* One of the pods that block. */
void reboot_agent_saw_blocking_pod(struct reboot_agent *agent, struct slice ns, struct slice name);
/* reason "" = nothing blocks; copied */
void reboot_agent_saw_blockers(struct reboot_agent *agent, struct slice reason);
/* What is pointed to is only looked at. */
struct drain_listing {
        const struct drain_pods *pods;
        const struct drain_budgets *budgets; /* NULL = may not be read */
        bool lacks_eviction;                 /* the cluster has no eviction API: pods are deleted */
        bool is_copy; /* from watches: may be behind what the API server knows */
};
void reboot_agent_saw_pods(struct reboot_agent *agent, int code,
                           const struct drain_listing *listing);
/* An eviction of ours was refused or failed; copied. */
void reboot_agent_saw_refusal(struct reboot_agent *agent, struct slice pod_uid, struct slice text);
/* Those whose record is in a phase before the cordon; 0 when nodes may not be listed. */
void reboot_agent_saw_peers(struct reboot_agent *agent, uint32_t waiting_before);
/* The same and more, from a NodeList; NULL = nodes may not be listed. */
void reboot_agent_saw_nodes(struct reboot_agent *agent, const struct json *nodes);
/* reason "" = well; copied */
void reboot_agent_saw_health(struct reboot_agent *agent, struct slice reason);
/* Counts them in a NodeList. */
uint32_t reboot_peers_before(const struct json *nodes, struct slice node);
void reboot_agent_saw_holder(struct reboot_agent *agent, int code);
/* Outcome of a patch or of the reboot; others are not ours (false). */
bool reboot_agent_result(struct reboot_agent *agent, const struct action_result *result);

#define LEAD_BUCKETS 10
extern const int64_t lead_bucket_s[LEAD_BUCKETS]; /* upper bounds */

/* What metrics and status show. */
struct reboot_agent_stats {
        bool is_required;
        enum reboot_phase phase;
        bool is_settling;      /* back from a reboot, not yet uncordoned */
        struct slice reason;   /* valid until the next step */
        int64_t taint_wait_ns; /* since the taint, while not yet cordoned; 0 = none */
        uint64_t lead_count, lead_buckets[LEAD_BUCKETS + 1]; /* not cumulative */
        int64_t lead_sum_ns;
        uint64_t conflicts, errors, taint_failures, rollbacks, reboots, completed;
};
void reboot_agent_stats(const struct reboot_agent *agent, const struct reboot_now *now,
                        struct reboot_agent_stats *ret_stats);
