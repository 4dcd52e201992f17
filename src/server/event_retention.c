/* Events live one hour after their last change.
 *
 * No clock is kept per event: once a minute the store's revision is noted, and what has not changed
 * since the note of an hour ago goes. The timer runs only while there are events. */
#include "server/event_retention.h"

#include "server/api_priv.h"

#include <stdlib.h>

#define TICK_NS (60 * NS_PER_S)
#define TICKS 60

struct event_retention {
        struct api_server *server;
        int resource;
        struct store_subscription *subscription;
        struct loop_timer timer;
        uint64_t revisions[TICKS]; /* ring, one per minute */
        size_t tick;
        bool is_expiring; /* the changes are our own */
};

/* Takes the events away that nobody touched since the revision. They are collected first: a cursor
 * does not outlive a change. */
static void expire(struct event_retention *retention, uint64_t revision) {
        struct store *store = retention->server->store;
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
                object_remove(retention->server, expired[i]);
                store_object_unref(expired[i]);
        }
        free(expired);
}

static void tick(void *context) {
        struct event_retention *retention = context;
        struct api_server *server = retention->server;
        uint64_t *slot = &retention->revisions[retention->tick++ % TICKS];

        retention->is_expiring = true;
        if (*slot)
                expire(retention, *slot);
        retention->is_expiring = false;
        *slot = store_revision(server->store);
        if (store_count(server->store, retention->resource) > 0)
                loop_timer_arm(server->loop, &retention->timer, TICK_NS);
}

static void changed(void *context, int resource, const struct store_event *event) {
        struct event_retention *retention = context;

        (void)resource;
        (void)event;
        if (retention->is_expiring || loop_timer_is_armed(&retention->timer))
                return;
        /* Notes from before a pause say nothing about how long ago they were. */
        memset(retention->revisions, 0, sizeof(retention->revisions));
        loop_timer_arm(retention->server->loop, &retention->timer, TICK_NS);
}

void event_retention_start(struct api_server *server) {
        struct event_retention *retention = xcalloc(1, sizeof(*retention));

        retention->server = server;
        retention->resource = api_server_resource(server, "", "events");
        retention->timer = (struct loop_timer){ .fired = tick, .context = retention };
        server->retention = retention;
        if (retention->resource < 0)
                return;
        retention->subscription =
                store_subscribe(server->store, retention->resource, changed, retention);
        if (store_count(server->store, retention->resource) > 0)
                changed(retention, retention->resource, NULL);
}

void event_retention_stop(struct api_server *server) {
        struct event_retention *retention = server->retention;

        if (!retention)
                return;
        loop_timer_disarm(server->loop, &retention->timer);
        store_unsubscribe(server->store, retention->subscription);
        free(retention);
        server->retention = NULL;
}
