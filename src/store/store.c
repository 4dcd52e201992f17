/* Writes, lookups and subscriptions of the revisioned store. */
#include "store/store_priv.h"

#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

struct store *store_new(const struct store_config *config) {
        struct store *store = xcalloc(1, sizeof(*store));

        if (config)
                store->config = *config;
        if (store->config.history_events == 0)
                store->config.history_events = STORE_HISTORY_DEFAULT;
        if (store->config.history_bytes == 0)
                store->config.history_bytes = STORE_HISTORY_BYTES_DEFAULT;
        store->revision = STORE_REVISION_START;
        store->texts = xcalloc(1, sizeof(*store->texts));
        store->texts->refs = 1;
        return store;
}

static void subscriptions_release(struct store_subscriptions *list) {
        for (size_t i = 0; i < list->count; i++)
                free(list->items[i]);
        free(list->items);
}

void store_free(struct store *store) {
        if (!store)
                return;
        for (size_t i = 0; i < store->resource_count; i++) {
                struct store_resource *resource = store->resources[i];

                store_history_release(&resource->history);
                store_index_release(&resource->index);
                subscriptions_release(&resource->subscriptions);
                store_packer_free(resource->packer);
                free(resource->name);
                free(resource);
        }
        subscriptions_release(&store->subscriptions);
        if (store->config.backend && store->config.backend->close)
                store->config.backend->close(store->config.backend_self);
        store_texts_unref(store->texts);
        free(store->resources);
        free(store);
}

int store_find_resource(const struct store *store, struct slice name) {
        for (size_t i = 0; i < store->resource_count; i++) {
                if (slice_is(name, store->resources[i]->name))
                        return (int)i;
        }
        return -1;
}

int store_add_resource(struct store *store, struct slice name) {
        int found = store_find_resource(store, name);

        if (found >= 0)
                return found;
        struct store_resource *resource = xcalloc(1, sizeof(*resource));
        store->resources = xreallocarray(store->resources, store->resource_count + 1,
                                         sizeof(store->resources[0]));
        store->resources[store->resource_count] = resource;
        resource->name = slice_dup(name);
        resource->history.limit = store->config.history_events;
        resource->history.bytes_limit = store->config.history_bytes;
        resource->history.compacted = store->revision;
        return (int)store->resource_count++;
}

struct slice store_resource_name(const struct store *store, int resource) {
        return slice_of(store->resources[resource]->name);
}

static int load_object(void *context, const struct store_record *record, struct err *err) {
        struct store *store = context;
        int id = store_add_resource(store, record->resource);
        struct store_index *index = &store->resources[id]->index;
        bool is_equal;
        struct store_position position =
                store_index_find(index, record->ns, record->name, &is_equal);

        if (is_equal)
                return err_set(err, BERTH_ERR_INVALID, "stored object appears twice: " SLICE_FMT,
                               SLICE_ARG(record->name));
        struct store_object *object = store_object_new(store, id, record->revision, record->ns,
                                                       record->name, record->body);
        store_index_insert(index, position, object);
        store->resources[id]->bytes += store_object_bytes(object);
        return 0;
}

int store_load(struct store *store, struct err *err) {
        uint64_t revision = 0;

        if (!store->config.backend)
                return 0;
        int r = store->config.backend->load(store->config.backend_self, load_object, store,
                                            &revision, err);
        if (r < 0)
                return r;
        if (revision > store->revision)
                store->revision = revision;
        store_compact(store, store->revision);
        return 0;
}

uint64_t store_revision(const struct store *store) {
        return store->revision;
}

uint64_t store_next_revision(const struct store *store) {
        return store->revision + 1;
}

uint64_t store_compacted(const struct store *store, int resource) {
        return store->resources[resource]->history.compacted;
}

void store_compact(struct store *store, uint64_t revision) {
        if (revision > store->revision)
                revision = store->revision;
        for (size_t i = 0; i < store->resource_count; i++)
                store_history_compact(&store->resources[i]->history, revision);
}

static void store_sweep(struct store_subscriptions *list) {
        size_t remaining = 0;

        for (size_t i = 0; i < list->count; i++) {
                if (list->items[i]->is_dead)
                        free(list->items[i]);
                else
                        list->items[remaining++] = list->items[i];
        }
        list->count = remaining;
}

static void sweep_all(struct store *store) {
        store->has_dead = false;
        store_sweep(&store->subscriptions);
        for (size_t i = 0; i < store->resource_count; i++)
                store_sweep(&store->resources[i]->subscriptions);
}

static void dispatch_list(struct store_subscriptions *list, int resource,
                          const struct store_event *event) {
        size_t count = list->count; /* those added meanwhile start with the next commit */

        for (size_t i = 0; i < count; i++) {
                struct store_subscription *subscription = list->items[i];

                if (!subscription->is_dead)
                        subscription->changed(subscription->context, resource, event);
        }
}

static void store_dispatch(struct store *store, int resource, const struct store_event *event) {
        store->dispatching++;
        dispatch_list(&store->resources[resource]->subscriptions, resource, event);
        dispatch_list(&store->subscriptions, resource, event);
        store->dispatching--;
        if (store->has_dead)
                sweep_all(store);
}

static int store_persist(struct store *store, int resource, const struct store_event *event,
                         struct err *err) {
        if (!store->config.backend)
                return 0;
        return store->config.backend->commit(store->config.backend_self,
                                             store_resource_name(store, resource), event, err);
}

/* History and subscribers come after the index: a subscriber sees the new state. */
static void store_publish(struct store *store, int resource, const struct store_event *event) {
        store->revision = event->revision;
        store_history_add(&store->resources[resource]->history, event);
        store_dispatch(store, resource, event);
}

int store_put(struct store *store, int resource, struct slice ns, struct slice name,
              struct slice body, struct err *err) {
        struct store_resource *mine = store->resources[resource];
        struct store_event event = { .type = STORE_ADDED, .revision = store->revision + 1 };
        bool is_equal;

        assert(!store->dispatching);
        if (body.len > STORE_BODY_MAX || ns.len > UINT16_MAX || name.len > UINT16_MAX)
                return err_set(err, BERTH_ERR_TOO_LARGE, "object is too large to store");
        struct store_position position = store_index_find(&mine->index, ns, name, &is_equal);
        event.object = store_object_new(store, resource, event.revision, ns, name, body);
        if (is_equal) {
                event.type = STORE_MODIFIED;
                event.previous = store_index_at(&mine->index, position);
        }
        int r = store_persist(store, resource, &event, err);
        if (r < 0) {
                store_object_unref(event.object);
                return r;
        }
        if (is_equal)
                store_index_replace(&mine->index, position, event.object);
        else
                store_index_insert(&mine->index, position, event.object);
        mine->bytes += store_object_bytes(event.object);
        mine->bytes -= event.previous ? store_object_bytes(event.previous) : 0;
        store_publish(store, resource, &event);
        store_object_unref(event.previous); /* the index's reference */
        return 0;
}

int store_remove(struct store *store, int resource, struct slice ns, struct slice name,
                 struct slice final_body, struct err *err) {
        struct store_resource *mine = store->resources[resource];
        struct store_event event = { .type = STORE_DELETED, .revision = store->revision + 1 };
        bool is_equal;
        struct store_position position = store_index_find(&mine->index, ns, name, &is_equal);

        assert(!store->dispatching);
        if (!is_equal)
                return err_set(err, BERTH_ERR_NOT_FOUND, SLICE_FMT " not found", SLICE_ARG(name));
        event.previous = store_index_at(&mine->index, position);
        event.object = store_object_new(store, resource, event.revision, ns, name, final_body);
        int r = store_persist(store, resource, &event, err);
        if (r == 0) {
                store_index_remove(&mine->index, position);
                mine->bytes -= store_object_bytes(event.previous);
                store_publish(store, resource, &event);
                store_object_unref(event.previous); /* the index's reference */
        }
        store_object_unref(event.object);
        return r;
}

const struct store_object *store_get(const struct store *store, int resource, struct slice ns,
                                     struct slice name) {
        const struct store_index *index = &store->resources[resource]->index;
        bool is_equal;
        struct store_position position = store_index_find(index, ns, name, &is_equal);

        return is_equal ? store_index_at(index, position) : NULL;
}

size_t store_count(const struct store *store, int resource) {
        return store->resources[resource]->index.count;
}

size_t store_bytes(const struct store *store) {
        size_t bytes = 0;

        for (size_t i = 0; i < store->resource_count; i++)
                bytes += store->resources[i]->bytes +
                         store->resources[i]->index.block_count * sizeof(struct store_block) +
                         store->resources[i]->index.count * sizeof(void *);
        return bytes;
}

const struct store_event *store_event_after(const struct store *store, int resource,
                                            uint64_t revision) {
        const struct store_history *history = &store->resources[resource]->history;
        size_t at = store_history_after(history, revision);

        return at < history->count ? store_history_at(history, at) : NULL;
}

struct store_subscription *store_subscribe(struct store *store, int resource,
                                           void (*changed)(void *context, int resource,
                                                           const struct store_event *event),
                                           void *context) {
        struct store_subscriptions *list = resource == STORE_ALL_RESOURCES
                                                   ? &store->subscriptions
                                                   : &store->resources[resource]->subscriptions;
        struct store_subscription *subscription = xcalloc(1, sizeof(*subscription));

        subscription->resource = resource;
        subscription->changed = changed;
        subscription->context = context;
        if (list->count == list->cap) {
                list->cap = list->cap ? list->cap * 2 : 4;
                list->items = xreallocarray(list->items, list->cap, sizeof(list->items[0]));
        }
        list->items[list->count++] = subscription;
        return subscription;
}

void store_unsubscribe(struct store *store, struct store_subscription *subscription) {
        if (!subscription)
                return;
        subscription->is_dead = true;
        store->has_dead = true;
        if (!store->dispatching)
                sweep_all(store);
}
