/* The role of evictions: start, steps, end, audit log. */
#include "roles/evictions_role_priv.h"

#include "base/log.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLLOWER_STEP_NS (NS_PER_S / 2) /* until it leads */

/* Nothing is left of what was begun before the upgrade. */
static bool is_finished(const struct evictions_role *role) {
        struct eviction_reconciler_stats stats;

        eviction_reconciler_stats(role->reconciler, &stats);
        return stats.targets == 0;
}

static void drop_older(void *context) {
        struct evictions_role *role = context;

        LOG(LOG_INFO, "Finished", log_text("group", EVICTION_GROUP_OWN));
        evictions_role_free(role->older);
        role->older = NULL;
}

static void evictions_role_step(void *context) {
        struct evictions_role *role = context;
        struct mono_time due;

        if (role->config.may_act && !role->config.may_act(role->config.context)) {
                if (role->config.watches_always) /* it may lead later */
                        loop_timer_arm(role->loop, &role->step_timer, FOLLOWER_STEP_NS);
                return;
        }
        if (role->effects.count == 0)
                eviction_reconciler_step(role->reconciler, evictions_now(role), &role->effects);
        bool was_held = role->held_since.ns;
        if (!evictions_carry_out_all(role))
                return; /* goes on when the audit log has its lines */
        if (was_held) { /* results came meanwhile, or were made up */
                evictions_step_soon(role);
                return;
        }
        evictions_report_policies(role);
        if (role->newer && is_finished(role))
                loop_timer_arm(role->loop, &role->newer->older_timer, 0);
        if (eviction_reconciler_next_due(role->reconciler, &due))
                loop_timer_arm(role->loop, &role->step_timer, due.ns - loop_mono(role->loop).ns);
}

/* ---- role ---- */

static void on_model(void *self) {
        struct evictions_role *role = self;

        if (!role->group && !role->discovery && runtime_is_synced(role->runtime) &&
            !loop_timer_is_armed(&role->discovery_timer))
                evictions_discover(role);
}

static void on_arriving(void *self, enum object_kind kind, enum change_kind change,
                        struct arrival *arrival) {
        struct evictions_role *role = self;

        evictions_on_arriving(role, kind, change, arrival);
        if (role->older)
                evictions_on_arriving(role->older, kind, change, arrival);
}

static void on_arrived(void *self, enum object_kind kind, enum change_kind change,
                       struct arrival *arrival) {
        struct evictions_role *role = self;

        evictions_on_arrived(role, kind, change, arrival);
        if (role->older)
                evictions_on_arrived(role->older, kind, change, arrival);
}

static void on_result(void *self, const struct action_result *result) {
        evictions_effects_ended(self, result);
}

/* Pods that other roles of the process ended have a line each; our own calls have theirs. */
static void on_ended(void *self, const struct evict_note *note) {
        struct evictions_role *role = self;
        const struct evict_record *record = note->record;

        if (note->requester == role->requester || record->route == EVICT_ROUTE_NONE)
                return;
        evictions_write_audit(
                role, &(struct audit_record){ .op = SLICE_LITERAL("pod-end"),
                                              .ns = record->pod.ns,
                                              .pod = record->pod.name,
                                              .uid = record->pod.uid,
                                              .node = record->node,
                                              .requester = record->requested_by,
                                              .reason = slice_of(evict_route_name(record->route)),
                                              .to = slice_of(evict_result_name(record->result)),
                                              .message = record->text });
}

static bool is_idle(const void *self) {
        const struct evictions_role *role = self;
        struct mono_time due;

        return role->is_started && !role->calls && role->effects.count == 0 &&
               evict_requester_in_flight(role->requester) == 0 &&
               (!role->older || is_idle(role->older)) &&
               (!eviction_reconciler_next_due(role->reconciler, &due) ||
                due.ns > loop_mono(role->loop).ns);
}

void evictions_role_free(struct evictions_role *role) {
        if (!role)
                return;
        struct watch_set *watches = runtime_watches(role->runtime);
        evictions_role_free(role->older);
        loop_timer_disarm(role->loop, &role->older_timer);
        loop_timer_disarm(role->loop, &role->step_timer);
        loop_timer_disarm(role->loop, &role->discovery_timer);
        loop_timer_disarm(role->loop, &role->take_over_timer);
        loop_timer_disarm(role->loop, &role->kubevirt_timer);
        if (role->discovery)
                transport_cancel(role->transport, role->discovery);
        for (size_t i = 0; i < FOLLOWED_COUNT; i++)
                watch_set_remove(watches, role->lines[i].row);
        watch_set_remove(watches, role->migrations);
        evictions_drop_calls(role);
        evictions_drop_policy_writes(role);
        loop_timer_disarm(role->loop, &role->users_timer);
        if (role->probe)
                transport_cancel(role->transport, role->probe);
        loop_timer_disarm(role->loop, &role->policy_timer);
        action_list_release(&role->events);
        hook_caller_free(role->hooks);
        history_store_free(role->store);
        if (role->anchor && role->recorded.seq)
                LOG(LOG_INFO, "AuditHead", log_i64("seq", (int64_t)role->recorded.seq),
                    log_text("hash", role->recorded.prev));
        audit_anchor_free(role->anchor);
        eviction_reconciler_free(role->reconciler);
        eviction_history_free(role->history);
        eviction_effects_release(&role->effects);
        free(role->metrics);
        free(role);
}

static void free_role(void *self) {
        evictions_role_free(self);
}

static struct evictions_role *evictions_role_new(struct runtime *runtime,
                                                 const struct evictions_role_config *config) {
        struct evictions_role *role = xcalloc(1, sizeof(*role));

        role->runtime = runtime;
        role->make_older = evictions_role_new;
        role->loop = runtime_loop(runtime);
        role->transport = runtime_transport(runtime);
        role->config = *config;
        role->chain = role->recorded = config->chain;
        role->history = eviction_history_new();
        role->step_timer = (struct loop_timer){ .fired = evictions_role_step, .context = role };
        role->older_timer = (struct loop_timer){ .fired = drop_older, .context = role };
        role->discovery_timer = (struct loop_timer){ .fired = evictions_discover, .context = role };
        role->take_over_timer =
                (struct loop_timer){ .fired = evictions_take_over, .context = role };
        role->policy_timer =
                (struct loop_timer){ .fired = evictions_report_policies_again, .context = role };
        role->kubevirt_timer =
                (struct loop_timer){ .fired = evictions_look_for_kubevirt, .context = role };
        role->users_timer = (struct loop_timer){ .fired = evictions_probe_users, .context = role };
        action_list_init(&role->events);
        eviction_effects_init(&role->effects);
        return role;
}

/* The file lost its end: said in the log, and in the chain itself, which goes on. */
static void on_audit_lost(void *context, const struct audit_head *head) {
        struct evictions_role *role = context;
        char text[160];

        snprintf(text, sizeof(text),
                 "the line of seq %llu was anchored, and is not in the audit file any more",
                 (unsigned long long)head->seq);
        LOG(LOG_ERROR, "AuditEndLost", log_text("error", text));
        evictions_write_audit(role, &(struct audit_record){ .op = SLICE_LITERAL("end-lost"),
                                                            .message = slice_of(text) });
}

struct evictions_role *evictions_role_add(struct runtime *runtime,
                                          const struct evictions_role_config *config) {
        struct evictions_role *role = evictions_role_new(runtime, config);

        role->requester = evict_service_join(
                runtime_evictions(runtime),
                &(struct evict_requester_config){
                        .name = "evictions", .owner = role, .has_no_events = true });
        if (config->anchors_audit)
                role->anchor = audit_anchor_new(
                        &(struct audit_anchor_config){ .transport = role->transport,
                                                       .loop = role->loop,
                                                       .chain = &role->recorded,
                                                       .lost = on_audit_lost,
                                                       .context = role });
        if (config->metrics)
                role->metrics = evictions_metrics_new(config->metrics, role);
        runtime_add_role(runtime, &(struct role){ .name = "evictions",
                                                  .self = role,
                                                  .changed = on_model,
                                                  .arriving = on_arriving,
                                                  .arrived = on_arrived,
                                                  .result = on_result,
                                                  .ended = on_ended,
                                                  .is_idle = is_idle,
                                                  .free = free_role });
        return role;
}
