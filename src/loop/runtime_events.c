/* Kubernetes events of the roles, each under its reporting controller. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/util.h"
#include "client/event_recorder.h"
#include "loop/runtime_priv.h"
#include "loop/watch_set.h"
#include <stdio.h>

/* Profiles and roles report under names of their own; beyond the limit the last one serves. */
static struct event_recorder *recorder_of(struct runtime *runtime, struct slice controller) {
        struct recorder_slot *slot = runtime->recorders;
        char instance[256];

        for (size_t i = 0; i < runtime->recorder_count; i++, slot++)
                if (slice_is(controller, slot->controller))
                        return slot->recorder;
        if (runtime->recorder_count == RUNTIME_ROLES_MAX)
                return slot[-1].recorder;
        snprintf(slot->controller, sizeof(slot->controller), SLICE_FMT, SLICE_ARG(controller));
        /* As upstream's programs name themselves: controller-hostname. */
        snprintf(instance, sizeof(instance), "%.127s-%.120s", slot->controller,
                 runtime->config.instance);
        slot->recorder = event_recorder_new(
                &(struct event_recorder_config){ .controller = slot->controller,
                                                 .instance = instance,
                                                 .is_sparing = !runtime->config.freezes_notes },
                runtime->writes, runtime->loop);
        runtime->recorder_count++;
        return slot->recorder;
}

/* The version that the watches last brought; empty when there is none that can be said. */
static void watched_version(const struct runtime *runtime, const struct object_ref *target,
                            struct buf *out) {
        static const struct {
                const char *kind, *path;
        } collections[] = { { "Pod", "/api/v1/pods" }, { "Node", "/api/v1/nodes" } };
        struct object_identity identity = { target->ns, target->name, target->uid };
        struct object_version version;

        for (size_t i = 0; i < ARRAY_LEN(collections); i++) {
                if (!slice_is(target->kind, collections[i].kind) ||
                    !watch_set_object_version(runtime->watches, collections[i].path, &identity,
                                              &version) ||
                    object_version_is_hash(version))
                        continue;
                buf_u64(out, version.number);
                return;
        }
}

void runtime_record_event(struct runtime *runtime, const struct action *action) {
        const struct event_action *event = &action->event;
        CLEANUP(buf_release) struct buf version = { 0 };
        struct event_note note = {
                .is_warning = event->is_warning,
                .is_passing = event->is_passing,
                .settles = event->settles,
                .reason = event->reason,
                .action = event->action,
                .note = event->note,
                .regarding = { .api_version = event->api_version.len ? event->api_version
                                                                     : SLICE_LITERAL("v1"),
                               .kind = action->target.kind,
                               .namespace_name = action->target.ns,
                               .name = action->target.name,
                               .uid = action->target.uid,
                               .resource_version = event->resource_version },
        };

        if (!event->resource_version.len) {
                watched_version(runtime, &action->target, &version);
                note.regarding.resource_version = buf_view(&version);
        }
        event_recorder_add(recorder_of(runtime, event->controller), &note);
}
