/* Events live one hour after their last change, and only so many of them.
 *
 * There is no clock per event: once a minute the store's revision is noted, and what has not
 * changed since the note of an hour ago goes. The timer runs only while there are events. When
 * there are too many, those go that have not changed for longest, a batch at a time. */
#include "server/event_retention.h"

#include "server/api_context.h"
#include "server/api_store.h"
#include <stdlib.h>

#define TICK_NS (60 * NS_PER_S)
#define TICKS 60
#define BATCH_PART 16 /* of the limit: so far beyond it the excess goes */

struct event_retention {
        struct api_engine *engine;
        int resource;
        struct store_subscription *subscription;
        struct loop_timer timer, trim;
        uint64_t revisions[TICKS]; /* ring, one per minute */
        size_t tick;
        size_t limit;
        bool is_expiring; /* the changes are our own */
};

/* Deletes the events without a change since the revision. They are collected first: a cursor does
 * not outlive a change. */
static void event_retention_expire(struct event_retention *retention, uint64_t revision) {
        struct store *store = retention->engine->store;
        const struct store_object **expired = xreallocarray(
                NULL, store_count(store, retention->resource) + 1, sizeof(expired[0]));
        struct store_cursor *cursor = NULL;
        const struct store_object *object;
        size_t count = 0;

        if (store_cursor_open(store, &(struct store_range){ .resource = retention->resource },
                              &cursor, NULL) == 0) {
                while ((object = store_cursor_next(cursor))) {
                        if (object->revision <= revision)
                                expired[count++] = store_object_ref(object);
                }
                store_cursor_close(cursor);
        }
        for (size_t i = 0; i < count; i++) {
                object_remove(retention->engine, expired[i]);
                store_object_unref(expired[i]);
        }
        free(expired);
}

static int compare_revisions(const void *a, const void *b) {
        uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

        return left < right ? -1 : left > right;
}

/* The revision up to which events have to go so that the limit holds. */
static uint64_t excess_revision(const struct event_retention *retention, size_t count) {
        const struct store_range range = { .resource = retention->resource };
        uint64_t *revisions = xreallocarray(NULL, count, sizeof(revisions[0])), revision;
        struct store_cursor *cursor = NULL;
        const struct store_object *object;
        size_t at = 0;

        if (store_cursor_open(retention->engine->store, &range, &cursor, NULL) == 0) {
                while ((object = store_cursor_next(cursor)))
                        revisions[at++] = object->revision;
                store_cursor_close(cursor);
        }
        qsort(revisions, at, sizeof(revisions[0]), compare_revisions);
        revision = at > retention->limit ? revisions[at - retention->limit - 1] : 0;
        free(revisions);
        return revision;
}

static void event_retention_trim(void *context) {
        struct event_retention *retention = context;
        size_t count = store_count(retention->engine->store, retention->resource);

        if (count <= retention->limit)
                return;
        retention->is_expiring = true;
        event_retention_expire(retention, excess_revision(retention, count));
        retention->is_expiring = false;
}

static void event_retention_tick(void *context) {
        struct event_retention *retention = context;
        struct api_engine *engine = retention->engine;
        uint64_t *mark = &retention->revisions[retention->tick++ % TICKS];

        retention->is_expiring = true;
        if (*mark)
                event_retention_expire(retention, *mark);
        retention->is_expiring = false;
        *mark = store_revision(engine->store);
        if (store_count(engine->store, retention->resource) > 0)
                loop_timer_arm(engine->loop, &retention->timer, TICK_NS);
}

static void event_retention_changed(void *context, int resource, const struct store_event *event) {
        struct event_retention *retention = context;

        (void)event;
        if (retention->is_expiring)
                return;
        if (store_count(retention->engine->store, resource) >
                    retention->limit + retention->limit / BATCH_PART &&
            !loop_timer_is_armed(&retention->trim))
                loop_timer_arm(retention->engine->loop, &retention->trim, 0);
        if (loop_timer_is_armed(&retention->timer))
                return;
        /* Notes from before a pause say nothing about how long ago they were. */
        memset(retention->revisions, 0, sizeof(retention->revisions));
        loop_timer_arm(retention->engine->loop, &retention->timer, TICK_NS);
}

struct event_retention *event_retention_start(struct api_engine *engine, size_t limit) {
        struct event_retention *retention = xcalloc(1, sizeof(*retention));
        const struct api_resource *events = resource_any_version(&engine->resources, "", "events");

        retention->engine = engine;
        retention->limit = limit ? limit : EVENTS_DEFAULT;
        retention->resource = events ? events->store_resource : -1;
        retention->timer =
                (struct loop_timer){ .fired = event_retention_tick, .context = retention };
        retention->trim =
                (struct loop_timer){ .fired = event_retention_trim, .context = retention };
        if (retention->resource < 0)
                return retention;
        retention->subscription = store_subscribe(engine->store, retention->resource,
                                                  event_retention_changed, retention);
        if (store_count(engine->store, retention->resource) > 0)
                event_retention_changed(retention, retention->resource, NULL);
        return retention;
}

void event_retention_stop(struct event_retention *retention) {
        struct api_engine *engine = retention->engine;

        loop_timer_disarm(engine->loop, &retention->timer);
        loop_timer_disarm(engine->loop, &retention->trim);
        store_unsubscribe(engine->store, retention->subscription);
        free(retention);
}
