/* What the files of the runtime share; nothing outside them includes it. */
#pragma once

#include "base/arena.h"
#include "loop/event_loop.h"
#include "loop/runtime.h"

struct runtime_open_action;

struct runtime {
        struct loop *loop;
        struct transport transport;
        struct watch_set *watches;
        struct cluster *cluster;
        struct object_cache *object_cache;
        struct cluster_feed *feed;
        struct write_queue *writes;
        struct runtime_evictions *evictions;
        struct recorder_slot {
                char controller[128];
                struct event_recorder *recorder;
        } recorders[RUNTIME_ROLES_MAX]; /* one per reporting controller */
        size_t recorder_count;
        struct runtime_config config;
        struct role roles[RUNTIME_ROLES_MAX];
        bool is_held[RUNTIME_ROLES_MAX]; /* not called yet */
        size_t role_count;
        struct arena scratch;
        struct mono_time burst_start; /* since when bindings are open */
        size_t open_binds;
        int64_t placing_ns; /* of the bursts that are over */
        uint64_t sent[ACTION_KIND_COUNT], failed[ACTION_KIND_COUNT];
        size_t open, open_kinds[ACTION_KIND_COUNT];
        struct runtime_open_action *open_first;
        /* While draining. */
        struct loop_timer drain_timer, ready_timer;
        struct mono_time drain_until;
        void (*drained)(void *context);
        void *drain_context;
};

/* runtime_actions.c: frees the actions that are under way; nobody hears of their results. */
void runtime_free_actions(struct runtime *runtime);

/* runtime_events.c: hands an ACTION_RECORD_EVENT to the recorder of its reporting controller. */
void runtime_record_event(struct runtime *runtime, const struct action *action);
