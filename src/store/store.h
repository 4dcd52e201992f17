/* Revisioned object store of the sandbox: every object of every resource in memory, one revision
 * counter, a bounded history per resource, and synchronous subscriptions.
 *
 * A resource is a small integer handed out by store_add_resource. Objects are immutable and
 * counted; each is one allocation, and alike ones are stored as differences. Their body is JSON
 * without kind and apiVersion, so that a list item is the body as it is, and a single object is
 * '{"kind":"Pod","apiVersion":"v1",' followed by the body without its opening brace. The body
 * carries metadata.resourceVersion, so writers ask store_next_revision first and write it into the
 * text.
 *
 * Reads come from memory. A backend (store_backend) is written through and gives the content back
 * at start; without one the store is volatile. Single-threaded. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_REVISION_START 1000                      /* older revisions count as compacted */
#define STORE_HISTORY_DEFAULT 16384                    /* events stored per resource */
#define STORE_HISTORY_BYTES_DEFAULT ((size_t)64 << 20) /* of their objects, per resource */
#define STORE_BODY_MAX ((size_t)64 << 20)
#define STORE_ALL_RESOURCES (-1)

struct store_base;
struct store_object {
        uint64_t revision;       /* of the last change, equals metadata.resourceVersion */
        struct store_base *base; /* what the body is a difference to; NULL = it is whole */
        uint32_t refs;
        uint32_t body_size, stored_size; /* bytes of the body, and of its stored form */
        uint16_t resource, ns_size, name_size;
        char text[]; /* ns NUL name NUL, then the body and NUL, or the difference */
};
static inline struct slice store_object_ns(const struct store_object *object) {
        return slice_make(object->text, object->ns_size);
}
static inline struct slice store_object_name(const struct store_object *object) {
        return slice_make(object->text + object->ns_size + 1, object->name_size);
}
/* {"metadata":{...},...}, NUL behind it. Valid until the object goes or STORE_TEXTS other bodies
 * have been asked for. */
#define STORE_TEXTS 8
struct slice store_object_body(const struct store_object *object);
/* The same text appended, which for long lists saves a copy. */
void store_object_append(const struct store_object *object, struct buf *out);
const struct store_object *store_object_ref(const struct store_object *object);
void store_object_unref(const struct store_object *object); /* accepts NULL */

enum store_event_type { STORE_ADDED, STORE_MODIFIED, STORE_DELETED };
struct store_event {
        enum store_event_type type;
        uint64_t revision;
        const struct store_object *object;   /* new state; the last one, with the revision of the
                                                deletion, for STORE_DELETED */
        const struct store_object *previous; /* NULL for STORE_ADDED */
};

/* An object as a backend keeps it. */
struct store_record {
        struct slice resource, ns, name, body;
        uint64_t revision;
};

/* Persistence under the store. Calls come in revision order from the store's thread. */
struct store_backend {
        /* Calls visit for every object; returns the last revision in *ret_revision. */
        int (*load)(void *self,
                    int (*visit)(void *context, const struct store_record *record, struct err *err),
                    void *context, uint64_t *ret_revision, struct err *err);
        /* The event is durable when this returns 0; otherwise the commit does not happen. */
        int (*commit)(void *self, struct slice resource, const struct store_event *event,
                      struct err *err);
        void (*close)(void *self);
};

struct store_config {
        size_t history_events;               /* per resource; 0 = STORE_HISTORY_DEFAULT */
        size_t history_bytes;                /* the same; 0 = STORE_HISTORY_BYTES_DEFAULT */
        const struct store_backend *backend; /* NULL = memory only */
        void *backend_self;
};

struct store;
struct store *store_new(const struct store_config *config); /* NULL = defaults */
void store_free(struct store *store);                       /* accepts NULL */
/* Names identify resources to the backend: "pods", "deployments.apps". Adding one again returns
 * the same number. */
int store_add_resource(struct store *store, struct slice name);
int store_find_resource(const struct store *store, struct slice name); /* -1 when unknown */
struct slice store_resource_name(const struct store *store, int resource);
/* Fills the store from its backend; call once, before the first write. */
int store_load(struct store *store, struct err *err);

uint64_t store_revision(const struct store *store);      /* of the last commit */
uint64_t store_next_revision(const struct store *store); /* what the next commit will get */
/* Watches of a resource can start after this revision or later; 410 below it. */
uint64_t store_compacted(const struct store *store, int resource);

/* Adds or replaces. body must carry store_next_revision. */
int store_put(struct store *store, int resource, struct slice ns, struct slice name,
              struct slice body, struct err *err);
/* Removes; final_body is the state that watchers see, carrying store_next_revision. NOT_FOUND when
 * absent. */
int store_remove(struct store *store, int resource, struct slice ns, struct slice name,
                 struct slice final_body, struct err *err);
/* Forgets history up to revision, for all resources (tests, memory pressure). */
void store_compact(struct store *store, uint64_t revision);

const struct store_object *store_get(const struct store *store, int resource, struct slice ns,
                                     struct slice name); /* borrowed; NULL when absent */
size_t store_count(const struct store *store, int resource);
size_t store_bytes(const struct store *store); /* memory held by live objects and indexes */

/* Walks one resource in order of (ns, name), as it is now or as it was at a revision. Valid until
 * the next commit. ns empty = all namespaces. after_* skip everything up to that key, and the key
 * itself unless it is included. */
struct store_range {
        int resource;
        uint64_t revision; /* 0 = now */
        struct slice ns;
        bool has_after, includes_after;
        struct slice after_ns, after_name;
};
struct store_cursor;
/* EXPIRED when the revision is compacted. */
int store_cursor_open(const struct store *store, const struct store_range *range,
                      struct store_cursor **ret_cursor, struct err *err);
const struct store_object *store_cursor_next(struct store_cursor *cursor); /* NULL at the end */
/* Objects not yet returned, in O(index blocks). */
size_t store_cursor_remaining(const struct store_cursor *cursor);
void store_cursor_close(struct store_cursor *cursor); /* accepts NULL */
void cleanup_store_cursor(struct store_cursor **cursor);

/* First event of a resource after a revision, NULL when there is none; EXPIRED semantics are the
 * caller's: compare with store_compacted. Borrowed until the next commit. */
const struct store_event *store_event_after(const struct store *store, int resource,
                                            uint64_t revision);

/* Runs inside every commit, after it took effect, in order of subscription. Must not write to the
 * store: note the event and act from a deferred call. event is borrowed for the call; its objects
 * stay valid with store_object_ref. */
struct store_subscription;
struct store_subscription *store_subscribe(struct store *store,
                                           int resource /* or STORE_ALL_RESOURCES */,
                                           void (*changed)(void *context, int resource,
                                                           const struct store_event *event),
                                           void *context);
/* Safe from inside changed. Accepts NULL. */
void store_unsubscribe(struct store *store, struct store_subscription *subscription);
