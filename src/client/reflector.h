/* Follows one collection of an API server: lists it, then watches it, resumes and starts
 * over as needed, and reports to its consumer only what changed.
 *
 * Whatever happens to connections and versions, the consumer sees a well-formed history: ADDED for
 * an object it does not have, MODIFIED for one it has, DELETED for one it had; an object replaced
 * by another of the same name is DELETED and ADDED. */
#pragma once

#include "api/arrival.h"
#include "client/known_objects.h"
#include "port/loop.h"
#include "port/transport.h"

#define REFLECTOR_PAGE_SIZE 500
#define REFLECTOR_WATCH_MIN_S 300 /* a watch lasts a random time between one and two of these */
#define REFLECTOR_BACKOFF_MIN_NS (800 * NS_PER_MS)
#define REFLECTOR_BACKOFF_MAX_NS (30 * NS_PER_S)

enum reflector_change {
        REFLECTOR_ADDED,
        REFLECTOR_MODIFIED,
        REFLECTOR_DELETED,
        REFLECTOR_SAME /* only while reflector_reports_all */
};

/* Called from the loop. The reflector must not be freed from inside. */
struct reflector_events {
        /* The object is valid during the call. A deletion that was missed, and found out by a new
         * list only, comes with metadata.namespace, name and uid alone. */
        void (*changed)(void *context, enum reflector_change change, const struct json *object);
        /* After every complete list, when the consumer has seen all of it; the first time the
         * consumer is ready. */
        void (*synced)(void *context); /* may be NULL */
        /* A list or watch failed and will be repeated after delay_ns; for logs and metrics. */
        void (*failed)(void *context, const struct err *err, int64_t delay_ns); /* may be NULL */
        /* After failures, once: a watch brings records again, or lasts. For logs. */
        void (*works)(void *context); /* may be NULL */
        /* Instead of changed, for pods that were not read as values; NULL = as values. Such pods
         * come only while members that no role reads need not come. */
        void (*pod_changed)(void *context, enum reflector_change change, struct arrival *arrival);
};

struct reflector_config {
        const char *path;                            /* /api/v1/pods */
        const char *label_selector, *field_selector; /* NULL = everything */
        uint64_t seed;                               /* of watch times and back-off */
        uint32_t page_size;                          /* 0 = REFLECTOR_PAGE_SIZE */
        int64_t backoff_min_ns;                      /* 0 = REFLECTOR_BACKOFF_MIN_NS */
        bool leaves_unread; /* members that no role reads of nodes and pods need not come */
        /* The first list may be as old as what the server has in memory. It comes in one piece, as
         * client-go asks for it (resourceVersion=0): where there are many objects, pages cost an
         * API server several times as much, as it looks through all of them for each. */
        bool takes_cached;
        bool is_large; /* such a list may be: it comes on a connection of its own */
};

struct reflector_stats {
        uint64_t lists, pages, watches, objects, bookmarks, failures, expirations;
};

struct reflector;

/* Starts at once. The texts of config are copied; transport, loop and events must outlive it. */
struct reflector *reflector_new(const struct reflector_config *config, struct transport *transport,
                                struct loop *loop, const struct reflector_events *events,
                                void *context);
void reflector_free(struct reflector *reflector); /* accepts NULL; no callback follows */
/* From now on objects come with all their members. */
void reflector_read_all(struct reflector *reflector);
/* Lists again, soon, and then reports every object: those the consumer has unchanged as SAME. */
void reflector_list_again(struct reflector *reflector);
/* Such a list is under way; still true in the synced callback that ends it. */
bool reflector_reports_all(const struct reflector *reflector);
bool reflector_is_synced(const struct reflector *reflector); /* a first list is complete */
size_t reflector_count(const struct reflector *reflector);   /* objects the consumer has */
/* Of an object as it was last reported; false when there is none of that name and uid. */
bool reflector_object_version(const struct reflector *reflector,
                              const struct object_identity *identity,
                              struct object_version *ret_version);
struct slice reflector_version(const struct reflector *reflector); /* last seen; may be empty */
struct reflector_stats reflector_stats(const struct reflector *reflector);
