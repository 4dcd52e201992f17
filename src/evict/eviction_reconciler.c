/* The order in which the reconciler looks at what it knows, and what it makes of outcomes. */
#include "evict/eviction_reconciler.h"

#include "base/util.h"
#include "evict/eviction_progress.h"
#include "evict/eviction_stages.h"
#include <stdio.h>
#include <stdlib.h>

#define HOLD_FIRST_NS (500 * NS_PER_MS) /* after a write that failed */
#define HOLD_MAX_NS (30 * NS_PER_S)
#define CONFLICT_HOLD_NS (50 * NS_PER_MS)

/* ---- steps ---- */

static bool is_wanted(const struct eviction_target *target) {
        struct err err = { 0 };

        for (size_t i = 0; i < target->request_count; i++) {
                const struct eviction_request *request = target->requests[i];

                if (request->intent == EVICTION_INTENT_EVICT && !request->object.is_deleting &&
                    request->object.conditions.outcome != EVICTION_INVALID &&
                    eviction_request_check(request, &err) == 0)
                        return true;
        }
        return false;
}

bool eviction_reconciler_is_open(const struct eviction_reconciler *reconciler, struct slice uid) {
        const struct eviction_target *target = map_get(reconciler->targets, uid);

        return target && eviction_active_entry(target);
}

bool eviction_reconciler_wants(const struct eviction_reconciler *reconciler, struct slice uid) {
        const struct eviction_target *target = map_get(reconciler->targets, uid);

        return target && is_wanted(target);
}

static struct eviction_sync look_at(struct eviction_reconciler *reconciler,
                                    struct eviction_target *target, struct eviction_now now,
                                    struct eviction_effects *out) {
        struct eviction_sync sync = { .reconciler = reconciler,
                                      .target = target,
                                      .pod = eviction_target_pod(reconciler, target),
                                      .now = now,
                                      .out = out };

        sync.is_alive = sync.pod && slice_is(sync.pod->uid, target->uid);
        sync.is_gone = sync.pod ? !sync.is_alive : target->is_read;
        sync.is_finished = sync.is_alive && sync.pod->is_finished;
        sync.is_wanted = is_wanted(target);
        if (sync.is_gone || sync.is_finished) {
                if (!target->has_gone)
                        target->gone_at = now.mono;
                target->has_gone = true;
        } else {
                target->has_gone = false;
        }
        return sync;
}

/* A pod that the watch does not show may be one it does not show yet: the server is asked. */
static bool reads_pod(struct eviction_sync *sync) {
        struct eviction_target *target = sync->target;
        bool is_open = target->request_count > 0;

        for (size_t i = 0; i < target->entry_count; i++)
                if (!eviction_outcome_is_final(
                            target->entries[i]->eviction->status.conditions.outcome))
                        is_open = true;
        if (sync->pod || target->is_read || !is_open || target->name.len == 0)
                return false;
        if (!target->is_reading) {
                eviction_effect_add(sync, EVICTION_READ_POD, NULL, SLICE_EMPTY);
                target->is_reading = true;
        }
        return true;
}

static void eviction_reconciler_act(struct eviction_reconciler *reconciler,
                                    struct eviction_target *target, struct eviction_now now,
                                    struct eviction_effects *out) {
        target->has_due = false;
        target->is_dirty = false;
        if (target->failures && target->hold.ns > now.mono.ns) {
                eviction_target_wake(target, target->hold);
                return;
        }
        struct eviction_sync sync = look_at(reconciler, target, now, out);
        if (reads_pod(&sync))
                return;
        if (reconciler->config.is_controller)
                eviction_progress(&sync);
        for (size_t i = 0; i < target->entry_count; i++) {
                if (reconciler->config.leads_stages)
                        eviction_stages_act(&sync, target->entries[i]);
                if (reconciler->config.is_evictor)
                        eviction_evictor_act(&sync, target->entries[i]);
        }
}

static void act_where_due(struct eviction_reconciler *reconciler, struct eviction_now now,
                          struct eviction_effects *out) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(reconciler->targets, &at, &key, &value)) {
                struct eviction_target *target = value;

                if (target->writes)
                        continue;
                if (target->is_dirty || (target->has_due && target->due.ns <= now.mono.ns))
                        eviction_reconciler_act(reconciler, target, now, out);
        }
}

void eviction_reconciler_step(struct eviction_reconciler *reconciler, struct eviction_now now,
                              struct eviction_effects *out) {
        if (!reconciler->has_first) {
                reconciler->has_first = true;
                reconciler->first_wall = now.wall;
                reconciler->first_mono = now.mono;
        }
        arena_clear(&reconciler->pods);
        act_where_due(reconciler, now, out);
        if (!reconciler->has_waiting)
                return;
        eviction_admission_let_in(reconciler, now.mono);
        act_where_due(reconciler, now, out);
}

bool eviction_reconciler_next_due(const struct eviction_reconciler *reconciler,
                                  struct mono_time *ret_due) {
        bool is_found = false;
        int64_t due = INT64_MAX;
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(reconciler->targets, &at, &key, &value)) {
                const struct eviction_target *target = value;
                int64_t when = target->is_dirty ? INT64_MIN : target->due.ns;

                if (target->writes || (!target->is_dirty && !target->has_due) ||
                    (is_found && when >= due))
                        continue;
                is_found = true;
                due = when;
        }
        if (is_found)
                ret_due->ns = due;
        return is_found;
}

void eviction_reconciler_trust_users(struct eviction_reconciler *reconciler, bool trusts_users) {
        reconciler->trusts_users = trusts_users;
}

void eviction_reconciler_set_controller(struct eviction_reconciler *reconciler,
                                        bool is_controller) {
        struct slice key;
        void *value;
        size_t at = 0;

        reconciler->config.is_controller = is_controller;
        while (map_next(reconciler->targets, &at, &key, &value))
                ((struct eviction_target *)value)->is_dirty = true;
}

/* ---- outcomes ---- */

/* A write that failed is decided again from what is known by then. */
static void hold_back(struct eviction_target *target, const struct eviction_effect_result *result,
                      struct eviction_now now) {
        int64_t delay_ns = HOLD_FIRST_NS;

        target->failures++;
        if (result->code == BERTH_ERR_CONFLICT || result->code == BERTH_ERR_EXISTS)
                delay_ns = CONFLICT_HOLD_NS;
        for (uint32_t i = 1; i < target->failures && delay_ns < HOLD_MAX_NS; i++)
                delay_ns *= 2;
        if (delay_ns > HOLD_MAX_NS)
                delay_ns = HOLD_MAX_NS;
        if (result->retry_after_s > 0 && result->retry_after_s * NS_PER_S > delay_ns)
                delay_ns = result->retry_after_s * NS_PER_S;
        target->hold.ns = now.mono.ns + delay_ns;
}

static struct eviction_entry *entry_of(const struct eviction_target *target, const char *uid) {
        for (size_t i = 0; i < target->entry_count; i++)
                if (slice_is(target->entries[i]->eviction->object.uid, uid))
                        return target->entries[i];
        return NULL;
}

/* Only the watch says that the pod exists: an answer may be older than the last event. */
static void take_read(struct eviction_reconciler *reconciler, struct eviction_target *target,
                      const struct eviction_effect_result *result) {
        target->is_reading = false;
        if (result->code == BERTH_ERR_NOT_FOUND && !eviction_target_row(reconciler, target))
                target->is_read = true;
}

/* An answer brings an object up to date, but never back: it may have been deleted since. */
static void take_object(struct eviction_reconciler *reconciler, enum eviction_effect_kind kind,
                        const struct json *object) {
        const struct json *meta = json_get(object, "metadata");
        struct slice ns = json_get_text(meta, "namespace"), name = json_get_text(meta, "name");
        struct slice uid = json_get_text(meta, "uid");
        bool is_request = kind == EVICTION_PATCH_REQUEST || kind == EVICTION_WITHDRAW;
        char text[EVICTION_KEY_MAX];
        struct eviction_target *target =
                map_get(is_request ? reconciler->requests : reconciler->evictions,
                        eviction_key(ns, name, text));
        int at = !target      ? -1
                 : is_request ? eviction_find_request(target, ns, name)
                              : eviction_find_entry(target, ns, name);

        if (at < 0)
                return;
        if (is_request && slice_eq(target->requests[at]->object.uid, uid))
                eviction_reconciler_put_request(reconciler, object, NULL);
        else if (!is_request && slice_eq(target->entries[at]->eviction->object.uid, uid))
                eviction_reconciler_put_eviction(reconciler, object, NULL);
}

/* To the responder that made the call, if its Eviction is there still. */
static void eviction_reconciler_deliver(struct eviction_reconciler *reconciler,
                                        struct eviction_target *target,
                                        const struct open_effect *open,
                                        const struct eviction_effect_result *result,
                                        struct eviction_now now) {
        struct eviction_entry *entry = entry_of(target, open->eviction_uid);

        if (open->kind == EVICTION_EVICT_POD && !open->is_of_stages && result->code != BERTH_OK &&
            result->code != BERTH_ERR_TOO_MANY)
                eviction_gates_return(reconciler, target);

        if (entry && open->is_of_stages)
                eviction_stages_result(entry, result);
        else if (entry && open->kind == EVICTION_EVICT_POD)
                eviction_evictor_result(entry, result, now);
        else if (entry && open->kind == EVICTION_CANCEL_MOVE)
                entry->is_cancelling = false;
}

/* A dry run, or a proxy, answers as done what was not: decided again at once it would be written
 * again at once. */
static bool is_without_effect(const struct open_effect *open,
                              const struct eviction_effect_result *result) {
        bool is_patch = open->kind == EVICTION_PATCH_META || open->kind == EVICTION_PATCH_STATUS ||
                        open->kind == EVICTION_PATCH_REQUEST || open->kind == EVICTION_WITHDRAW;

        return is_patch && result->code == BERTH_OK && result->object && open->version[0] &&
               slice_is(json_get_text(json_get(result->object, "metadata"), "resourceVersion"),
                        open->version);
}

void eviction_reconciler_result(struct eviction_reconciler *reconciler,
                                const struct eviction_effect_result *result,
                                struct eviction_now now) {
        struct open_effect *open = map_u64_remove(reconciler->open, result->id);
        struct eviction_target *target;

        if (!open)
                return;
        target = open->target;
        target->writes -= eviction_effect_is_write(open->kind);
        target->is_dirty = true;
        if (result->code != BERTH_OK)
                reconciler->stats.failures[open->kind]++;
        if (open->kind == EVICTION_READ_POD)
                take_read(reconciler, target, result);
        else if (!eviction_effect_is_write(open->kind))
                eviction_reconciler_deliver(reconciler, target, open, result, now);
        if (eviction_effect_is_write(open->kind) &&
            (is_without_effect(open, result) ||
             !(open->kind == EVICTION_READ_POD ? target->is_read : result->code == BERTH_OK))) {
                target->has_failed = true;
                hold_back(target, result, now);
        }
        /* Of writes decided together one that went well does not undo the wait after another: a
         * request may be gone and not yet seen to be, while its Eviction can still be made. */
        if (target->writes == 0) {
                target->failures = target->has_failed ? target->failures : 0;
                target->has_failed = false;
        }
        if (result->code == BERTH_OK && result->object && open->kind <= EVICTION_WITHDRAW &&
            !is_without_effect(open, result))
                take_object(reconciler, open->kind, result->object);
        target->open--; /* held a reference until here */
        eviction_target_release(reconciler, target);
        free(open);
}

void eviction_reconciler_stats(const struct eviction_reconciler *reconciler,
                               struct eviction_reconciler_stats *ret_stats) {
        struct slice key;
        void *value;
        size_t at = 0;

        *ret_stats = reconciler->stats;
        ret_stats->targets = map_count(reconciler->targets);
        ret_stats->pods = cluster_pod_count(reconciler->config.cluster);
        ret_stats->open = map_u64_count(reconciler->open);
        while (map_next(reconciler->targets, &at, &key, &value)) {
                const struct eviction_target *target = value;

                for (size_t i = 0; i < target->entry_count; i++) {
                        const struct eviction_status *status =
                                &target->entries[i]->eviction->status;

                        if (eviction_outcome_is_final(status->conditions.outcome))
                                continue;
                        for (size_t r = 0; r < status->responder_count; r++)
                                ret_stats->states[status->responders[r].state]++;
                }
        }
}
