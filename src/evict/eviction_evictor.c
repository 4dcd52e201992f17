/* The imperative responder: asks for the eviction again and again, and reports on it. */
#include "base/util.h"
#include "evict/eviction_reconciler_priv.h"
#include <stdio.h>
#include <string.h>

#define ATTEMPTS_PREFIX "attempts="
#define BACKGROUND_LOOK_NS                                                                         \
        (60 * NS_PER_S)        /* before an eviction in the background is asked again              \
                                */
#define NEWS_NS (5 * NS_PER_S) /* phases of a migration are few */
#define CANCELS_MAX 12

/* The counter survives a restart in the message. */
static uint32_t attempts_of(struct slice message) {
        struct slice digits;
        uint64_t attempts;

        if (!slice_has_prefix(message, SLICE_LITERAL(ATTEMPTS_PREFIX)))
                return 0;
        struct slice rest = slice_make(message.ptr + strlen(ATTEMPTS_PREFIX),
                                       message.len - strlen(ATTEMPTS_PREFIX));
        if (!slice_split(&rest, ':', &digits) || !slice_to_u64(digits, &attempts) ||
            attempts > UINT32_MAX)
                return 0;
        return (uint32_t)attempts;
}

static int64_t delay_after(uint32_t attempts, int retry_after_s) {
        int64_t delay_ns = EVICTION_TRY_FIRST_NS;

        for (uint32_t i = 1; i < attempts && delay_ns < EVICTION_TRY_MAX_NS; i++)
                delay_ns *= 2;
        if (delay_ns > EVICTION_TRY_MAX_NS)
                delay_ns = EVICTION_TRY_MAX_NS;
        return retry_after_s * NS_PER_S > delay_ns ? retry_after_s * NS_PER_S : delay_ns;
}

static void eviction_evictor_report(struct eviction_sync *sync, struct eviction_entry *entry,
                                    int index, const char *message, bool is_done) {
        struct eviction_news news = { .message = message,
                                      .is_done = is_done,
                                      .expected = WALL_TIME_UNSET };

        if (sync->pod && sync->pod->is_terminating)
                news.expected = sync->pod->deleted;
        eviction_report(sync, entry->eviction, index, &news);
        entry->has_news = entry->is_leaving = false;
        entry->has_beat = true;
        entry->next_beat.ns = sync->now.mono.ns + EVICTION_BEAT_NS;
}

static const char *name_of(const struct eviction_entry *entry) {
        const struct eviction_status *status = &entry->eviction->status;

        return slice_is(status->responders[entry->asker - 1].name, EVICTION_VM_MOVER)
                       ? EVICTION_VM_MOVER
                       : EVICTION_EVICTOR;
}

static void eviction_evictor_ask(struct eviction_sync *sync, struct eviction_entry *entry) {
        eviction_audit(sync, (struct audit_record){ .op = SLICE_LITERAL("evict-call"),
                                                    .eviction = entry->eviction->object.name,
                                                    .responder = slice_of(name_of(entry)) });
        eviction_effect_end_pod(sync, &entry->eviction->object, name_of(entry), false);
        entry->is_asking = true;
}

void eviction_evictor_result(struct eviction_entry *entry,
                             const struct eviction_effect_result *result, struct eviction_now now) {
        entry->is_asking = false;
        entry->has_try = true;
        entry->has_news = true;
        entry->is_background = result->code == BERTH_ERR_TOO_MANY &&
                               slice_contains(result->text, SLICE_LITERAL(EVICTION_MOVING_TEXT));
        if (entry->is_background) { /* no failed attempt: it is under way now */
                entry->next_try.ns = now.mono.ns + BACKGROUND_LOOK_NS;
                snprintf(entry->news, sizeof(entry->news), SLICE_FMT, SLICE_ARG(result->text));
                return;
        }
        if (result->code == BERTH_OK || result->code == BERTH_ERR_NOT_FOUND) {
                entry->next_try.ns = now.mono.ns + delay_after(1, 0);
                entry->has_news = false; /* most pods are gone before it is worth a write */
                entry->is_leaving = entry->has_beat = true;
                entry->next_beat.ns = now.mono.ns + NEWS_NS;
                snprintf(entry->news, sizeof(entry->news), "the pod is being deleted");
                return;
        }
        entry->attempts++;
        entry->next_try.ns = now.mono.ns + delay_after(entry->attempts, result->retry_after_s);
        snprintf(entry->news, sizeof(entry->news), ATTEMPTS_PREFIX "%u: " SLICE_FMT,
                 entry->attempts, SLICE_ARG(result->text));
}

/* After a restart the waiting time runs on from the last sign of life. */
static void eviction_evictor_resume(struct eviction_sync *sync, struct eviction_entry *entry,
                                    const struct eviction_responder *own) {
        if (entry->has_try)
                return;
        entry->has_try = true;
        entry->attempts = attempts_of(own->message);
        if (entry->attempts == 0 || !wall_time_is_set(own->heartbeat)) {
                entry->next_try = sync->now.mono;
                return;
        }
        int64_t age_ns = sync->now.wall.ns - own->heartbeat.ns;
        entry->next_try.ns =
                sync->now.mono.ns + delay_after(entry->attempts, 0) - (age_ns > 0 ? age_ns : 0);
}

/* What is known of a VM's migration. */
static void take_progress(struct eviction_sync *sync, struct eviction_entry *entry,
                          const struct eviction_responder *own) {
        const char *text = sync->pod ? eviction_vm_progress(sync->reconciler, sync->pod) : NULL;
        struct mono_time due = { entry->next_beat.ns - EVICTION_BEAT_NS + NEWS_NS };

        if (!text || entry->has_news || entry->attempts || slice_is(own->message, text))
                return;
        if (due.ns > sync->now.mono.ns) {
                eviction_target_wake(sync->target, due);
                return;
        }
        entry->has_news = true;
        snprintf(entry->news, sizeof(entry->news), "%s", text);
}

static void eviction_evictor_beat(struct eviction_sync *sync, struct eviction_entry *entry,
                                  int index) {
        const struct eviction_responder *own = &entry->eviction->status.responders[index];
        struct wall_time last = wall_time_is_set(own->heartbeat) ? own->heartbeat : own->start;
        int64_t left_ns = last.ns + EVICTION_BEAT_NS - sync->now.wall.ns;

        if (!entry->has_beat) { /* whatever the clocks did meanwhile */
                entry->has_beat = true;
                left_ns = left_ns < 0 ? 0 : left_ns > EVICTION_BEAT_NS ? EVICTION_BEAT_NS : left_ns;
                entry->next_beat.ns = sync->now.mono.ns + left_ns;
        }
        take_progress(sync, entry, own);
        if (entry->has_news || entry->next_beat.ns <= sync->now.mono.ns)
                eviction_evictor_report(sync, entry, index,
                                        entry->has_news || entry->is_leaving ? entry->news : NULL,
                                        false);
        else
                eviction_target_wake(sync->target, entry->next_beat);
}

/* Whether the evictor is Active, and nothing written before is still under way. */
static bool evictor_may_act(const struct eviction_sync *sync, const struct eviction *eviction,
                            const struct eviction_responder *own) {
        const struct eviction_status *status = &eviction->status;

        if (sync->reconciler->config.is_controller && slice_is(own->name, EVICTION_VM_MOVER) &&
            !eviction_has_finalizer(eviction, EVICTION_MOVE_FINALIZER))
                return false;
        return !sync->target->writes && own->state == RESPONDER_ACTIVE &&
               status->observed_generation != 0 && !wall_time_is_set(own->completion) &&
               !eviction_outcome_is_final(status->conditions.outcome);
}

/* A dry run, or a proxy, answered as done what was not. */
static void note_without_effect(struct eviction_entry *entry, struct eviction_now now) {
        entry->is_leaving = false;
        entry->has_news = true;
        entry->attempts++;
        entry->next_try.ns = now.mono.ns + delay_after(entry->attempts, 0);
        snprintf(entry->news, sizeof(entry->news),
                 ATTEMPTS_PREFIX "%u: the eviction was answered as done, but the pod is not being "
                                 "deleted",
                 entry->attempts);
}

/* Asks for the eviction when a try is due, or says why there will be none; true once asked. */
static bool try_eviction(struct eviction_sync *sync, struct eviction_entry *entry) {
        if (entry->next_try.ns > sync->now.mono.ns)
                return false;
        if (sync->pod->is_daemon || sync->pod->is_mirror) {
                entry->has_news = true;
                entry->next_try.ns = sync->now.mono.ns + EVICTION_TRY_MAX_NS;
                snprintf(entry->news, sizeof(entry->news),
                         "pods of DaemonSets and static pods are not evicted");
                return false;
        }
        if (entry->is_asking || entry->has_news)
                return false;
        if (entry->is_leaving) { /* it would be terminating by now */
                note_without_effect(entry, sync->now);
                return false;
        }
        if (sync->pod->is_moving) { /* asked again when that mark is gone */
                entry->next_try.ns = sync->now.mono.ns + BACKGROUND_LOOK_NS;
                return false;
        }
        if (entry->attempts == 0 && eviction_gates_hold(sync, entry))
                return false;
        eviction_gates_pass(sync);
        eviction_evictor_ask(sync, entry);
        return true;
}

/* Whichever of our two is Active: it starts with nothing known of the other's tries. */
static int evictor_active_index(struct eviction_entry *entry) {
        const struct eviction_status *status = &entry->eviction->status;
        int index = eviction_active(status);

        if (index < 0 || (!slice_is(status->responders[index].name, EVICTION_EVICTOR) &&
                          !slice_is(status->responders[index].name, EVICTION_VM_MOVER)))
                return -1;
        if (entry->asker != index + 1) {
                entry->asker = index + 1;
                entry->has_try = entry->has_news = entry->has_beat = false;
                entry->is_leaving = entry->is_held = false;
                entry->attempts = 0;
        }
        return index;
}

/* Nothing is left to take back: the Eviction may go. */
static void let_go(struct eviction_sync *sync, const struct eviction *eviction) {
        struct buf body = { 0 };

        buf_text(&body, "{\"metadata\":{\"uid\":");
        buf_json_string(&body, eviction->object.uid);
        buf_text(&body, ",\"resourceVersion\":");
        buf_json_string(&body, eviction->object.version);
        eviction_finalizers_without(eviction, EVICTION_MOVE_FINALIZER, &body);
        buf_text(&body, "}}");
        eviction_effect_add(sync, EVICTION_PATCH_META, &eviction->object,
                            eviction_text_keep(sync->out, &body));
}

static void cancel_move(struct eviction_sync *sync, struct eviction_entry *entry) {
        struct eviction_object vm = { .uid = entry->eviction->object.uid,
                                      .name = eviction_vm_of(sync->pod) };
        struct buf body = { 0 };

        if (entry->cancels++ % 2 == 1) /* without the subresource the mark is taken off directly */
                eviction_vm_unmark(sync->pod->node, &body);
        entry->is_cancelling = true;
        entry->next_cancel.ns = sync->now.mono.ns + EVICTION_TRY_FIRST_NS;
        eviction_audit(sync, (struct audit_record){ .op = SLICE_LITERAL("cancel-move"),
                                                    .eviction = entry->eviction->object.name,
                                                    .responder = SLICE_LITERAL(EVICTION_VM_MOVER),
                                                    .message = vm.name });
        eviction_effect_add(sync, EVICTION_CANCEL_MOVE, &vm, eviction_text_keep(sync->out, &body));
}

/* The mark stays on the pod until the migration is cancelled for sure. */
static bool is_to_cancel(const struct eviction_sync *sync, const struct eviction_entry *entry) {
        const struct eviction *eviction = entry->eviction;
        int index = eviction_find_responder(&eviction->status, SLICE_LITERAL(EVICTION_VM_MOVER));
        enum responder_state state = eviction->status.responders[index].state;
        bool was_ours = state == RESPONDER_CANCELED ||
                        (eviction->object.is_deleting && state == RESPONDER_ACTIVE);

        return was_ours && sync->is_alive && !sync->is_wanted && !sync->is_finished &&
               sync->pod->is_moving && entry->cancels < CANCELS_MAX &&
               eviction_vm_of(sync->pod).len > 0;
}

void eviction_evictor_end(struct eviction_sync *sync, struct eviction_entry *entry) {
        if (sync->target->writes ||
            !eviction_has_finalizer(entry->eviction, EVICTION_MOVE_FINALIZER))
                return;
        if (entry->is_asking || entry->is_cancelling)
                return;
        if (!is_to_cancel(sync, entry))
                let_go(sync, entry->eviction);
        else if (entry->next_cancel.ns <= sync->now.mono.ns)
                cancel_move(sync, entry);
        else
                eviction_target_wake(sync->target, entry->next_cancel);
}

void eviction_evictor_act(struct eviction_sync *sync, struct eviction_entry *entry) {
        const struct eviction_status *status = &entry->eviction->status;
        int index = evictor_active_index(entry);
        const struct eviction_responder *own = index < 0 ? NULL : &status->responders[index];

        if (eviction_outcome_is_final(status->conditions.outcome) ||
            entry->eviction->object.is_deleting) {
                eviction_evictor_end(sync, entry);
                return;
        }
        if (!own || !evictor_may_act(sync, entry->eviction, own))
                return;
        if (sync->is_gone || sync->is_finished) {
                eviction_evictor_report(sync, entry, index, "the pod is gone or finished", true);
                return;
        }
        if (!sync->is_alive)
                return;
        eviction_evictor_resume(sync, entry, own);
        if (sync->pod->is_terminating) {
                eviction_evictor_beat(sync, entry, index);
                return;
        }
        if (try_eviction(sync, entry))
                return;
        if (!entry->is_asking && !entry->has_news)
                eviction_target_wake(sync->target, entry->next_try);
        eviction_evictor_beat(sync, entry, index);
}
