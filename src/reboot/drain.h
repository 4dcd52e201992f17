/* Which pods of a node a drain is about, as kubectl drain with --force, --delete-emptydir-data and
 * --ignore-daemonsets judges them. */
#pragma once

#include "api/json.h"
#include "api/object.h"
#include "api/selector.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/time.h"
#include <stdbool.h>

struct cluster;

enum drain_owner { DRAIN_OWNER_UNKNOWN, DRAIN_OWNER_THERE, DRAIN_OWNER_GONE };

struct drain_pod {
        struct slice ns, name, uid;
        struct slice daemon_set; /* name of its DaemonSet; "" = none */
        enum drain_owner owner;  /* of that DaemonSet; the reader of the pods sets it */
        bool is_finished, is_mirror, is_ready;
        bool is_running;          /* or about to: neither finished nor of unknown phase */
        bool is_moving;           /* its eviction was begun, and another program carries it on */
        struct wall_time deleted; /* unset = not being deleted */
        struct label_list labels;
};
struct drain_pods {
        size_t count;
        struct drain_pod *items;
};

/* Everything is copied into the arena. */
int drain_pod_decode(const struct json *object, struct arena *arena, struct drain_pod *ret_pod,
                     struct err *err);
/* From a PodList; likewise. */
int drain_pods_decode(const struct json *list, struct arena *arena, struct drain_pods *ret_pods,
                      struct err *err);
/* Those of a node from a model that keeps finished pods and evictions; copied as well. */
void drain_pods_take(const struct cluster *cluster, struct slice node, struct arena *arena,
                     struct drain_pods *ret_pods);

struct drain_budgets {
        size_t count;
        struct disruption_budget *items;
};
/* From a PodDisruptionBudgetList; those that cannot be read are left out.  The budgets refer to it.
 */
void drain_budgets_decode(const struct json *list, struct arena *arena,
                          struct drain_budgets *ret_budgets);
/* Those of the namespaces of the pods; they refer to pods and model. */
void drain_budgets_take(const struct cluster *cluster, const struct drain_pods *pods,
                        struct arena *arena, struct drain_budgets *ret_budgets);

struct drain_rules {
        const struct selector *selector;
        int64_t skip_wait_s; /* 0 = off */
        bool deletes;        /* instead of evicting: what moves does not stay out of it */
};
enum drain_verdict {
        DRAIN_KEEP,  /* stays, or does not count any more */
        DRAIN_EVICT, /* has to go */
        DRAIN_WAIT,  /* is going */
};
enum drain_verdict drain_judge(const struct drain_pod *pod, const struct drain_rules *rules,
                               struct wall_time now);

/* The last eviction that was refused; pod_uid "" = none. */
struct drain_refusal {
        struct slice pod_uid, text;
};
/* What a drain waits for: "2 pods are left, ns/web-0: Cannot evict pod as ..."; "" = nothing. Arena
 * text. */
struct slice drain_left(const struct drain_pods *pods, const struct drain_rules *rules,
                        const struct drain_refusal *refusal, struct wall_time now,
                        struct arena *arena);
/* Names the first budget that covers a pod to be evicted and can never let one go, whatever becomes
 * ready; "" when there is none.  budgets NULL = they may not be read.  Arena text. */
struct drain_deadlock { /* arena texts */
        struct slice ns, budget, pod;
};
struct slice drain_impossible(const struct drain_pods *pods, const struct drain_rules *rules,
                              const struct drain_budgets *budgets, struct wall_time now,
                              struct arena *arena, struct drain_deadlock *ret_deadlock);
