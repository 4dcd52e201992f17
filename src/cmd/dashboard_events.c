/* A row of the process's watches in front of a ring of Events. */
#include "cmd/dashboard_events.h"

#include "base/util.h"
#include "dashboard/event_ring.h"
#include "loop/runtime.h"
#include "loop/watch_set.h"
#include <stdlib.h>

#define EVENTS_PATH "/apis/events.k8s.io/v1/events"

struct dashboard_events {
        struct event_ring *ring;
        struct watch_set *watches;
        struct watch_row *row;
        void (*changed)(void *context);
        void *context;
};

/* Events are deleted when they are old: what happened is still true. */
static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct dashboard_events *events = context;

        if (change == REFLECTOR_DELETED)
                return;
        event_ring_put(events->ring, object);
        events->changed(events->context);
}

static void on_synced(void *context) {
        struct dashboard_events *events = context;

        event_ring_settle(events->ring);
        events->changed(events->context);
}

static const struct reflector_events row_events = { .changed = on_changed, .synced = on_synced };

struct dashboard_events *dashboard_events_new(struct runtime *runtime,
                                              void (*changed)(void *context), void *context) {
        struct dashboard_events *events = xcalloc(1, sizeof(*events));

        *events = (struct dashboard_events){ .ring = event_ring_new(),
                                             .watches = runtime_watches(runtime),
                                             .changed = changed,
                                             .context = context };
        events->row =
                watch_set_add(events->watches, &(struct watch_request){ .path = EVENTS_PATH,
                                                                        .trouble = WATCH_QUIET,
                                                                        .events = &row_events,
                                                                        .context = events });
        return events;
}

void dashboard_events_free(struct dashboard_events *events) {
        if (!events)
                return;
        watch_set_remove(events->watches, events->row);
        event_ring_free(events->ring);
        free(events);
}

const struct event_ring *dashboard_events_ring(const struct dashboard_events *events) {
        return events->ring;
}

bool dashboard_events_are_ready(const struct dashboard_events *events) {
        return watch_row_is_ready(events->row);
}
