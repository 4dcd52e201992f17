/* Which pods of a node a drain is about, as kubectl drain with --force, --delete-emptydir-data and
 * --ignore-daemonsets judges them. */
#pragma once

#include "api/json.h"
#include "api/selector.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/time.h"
#include <stdbool.h>

enum drain_owner { DRAIN_OWNER_UNKNOWN, DRAIN_OWNER_THERE, DRAIN_OWNER_GONE };

struct drain_pod {
        struct slice ns, name, uid;
        struct slice daemon_set; /* name of its DaemonSet; "" = none */
        enum drain_owner owner;  /* of that DaemonSet; whoever lists the pods finds out */
        bool is_finished, is_mirror, is_ready;
        bool is_moving;           /* its eviction was begun, and another program carries it on */
        struct wall_time deleted; /* unset = not being deleted */
        struct label_list labels;
};
struct drain_pods {
        size_t count;
        struct drain_pod *items;
};

/* From a PodList; everything is copied into the arena. */
int drain_pods_decode(const struct json *list, struct arena *arena, struct drain_pods *ret_pods,
                      struct err *err);

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

/* Names the first budget (of a PodDisruptionBudgetList) that covers a pod to be evicted and can
 * never let one go, whatever becomes ready; "" when there is none.  Arena text. */
struct slice drain_impossible(const struct drain_pods *pods, const struct drain_rules *rules,
                              const struct json *budgets, struct wall_time now,
                              struct arena *arena);
