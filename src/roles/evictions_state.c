/* What every part of the evictions role asks of it: its mode, its time, its audit log, its
 * counts. */
#include "base/util.h"
#include "roles/evictions_role_priv.h"
#include <string.h>

bool evictions_is_native(const struct evictions_role *role) {
        return role->group && strcmp(role->group, EVICTION_GROUP_NATIVE) == 0;
}

const char *evictions_mode_name(const struct evictions_role *role) {
        if (!evictions_is_native(role))
                return "crd";
        return role->is_controller ? "native-own" : "native-foreign";
}

struct eviction_now evictions_now(const struct evictions_role *role) {
        return (struct eviction_now){ .wall = transport_server_time(role->transport, role->loop),
                                      .mono = loop_mono(role->loop) };
}

void evictions_write_audit(struct evictions_role *role, const struct audit_record *record) {
        struct audit_chain *chain = role->newer ? &role->newer->chain : &role->chain;
        struct buf line = { 0 };

        if (!role->config.audit)
                return;
        chain->mode = evictions_mode_name(role);
        audit_chain_append(chain, record, loop_wall(role->loop), &line);
        role->config.audit(role->config.context, buf_view(&line));
        buf_release(&line);
        if (evictions_is_recorded(role))
                evictions_role_recorded(role->newer ? role->newer : role);
}

bool evictions_is_recorded(const struct evictions_role *role) {
        return !role->config.is_recorded || role->config.is_recorded(role->config.context);
}

void evictions_role_recorded(struct evictions_role *role) {
        role->recorded = role->chain;
        audit_anchor_changed(role->anchor);
        if (role->effects.count)
                evictions_step_soon(role);
        if (role->older && role->older->effects.count)
                evictions_step_soon(role->older);
}

void evictions_record_event(struct evictions_role *role, const struct object_ref *about,
                            const struct event_action *event) {
        struct action action = { .kind = ACTION_RECORD_EVENT, .target = *about, .event = *event };

        action.event.controller = SLICE_LITERAL("berth-evictions");
        if (action.event.note.len >= EVICTION_EVENT_NOTE_MAX)
                action.event.note.len = EVICTION_EVENT_NOTE_MAX - 1;
        action_list_add(&role->events, &action);
        runtime_submit(role->runtime, role, &role->events);
        action_list_clear(&role->events);
}

void evictions_step_soon(struct evictions_role *role) {
        if (role->is_started)
                loop_timer_arm(role->loop, &role->step_timer, 0);
}

void evictions_role_stats(const struct evictions_role *role,
                          struct evictions_role_stats *ret_stats) {
        *ret_stats = (struct evictions_role_stats){ .group = role->group,
                                                    .is_reconciling = role->is_controller,
                                                    .has_stepped_down = role->has_stepped_down,
                                                    .skipped = role->skipped };
        if (role->reconciler)
                eviction_reconciler_stats(role->reconciler, &ret_stats->reconciler);
}
