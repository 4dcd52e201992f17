/* Watches a collection from a version on: one watch at a time, record by record. */
#pragma once

#include "client/collection.h"
#include "port/loop.h"
#include "port/transport.h"

struct collection_watch_end {
        const struct err *err; /* its code is 0 when the stream came to a good end */
        int status;            /* of HTTP; 0 = no answer */
        int retry_after_s;     /* as the server said, or less than 0 */
        int64_t lasted_ns;
        bool has_seen_records;
};

/* All borrowed. */
struct collection_watch_config {
        struct transport *transport;
        struct loop *loop;
        struct collection *collection; /* takes_json is set where its protobuf cannot be read */
        /* ADDED, MODIFIED, DELETED or BOOKMARK; valid during the call. */
        void (*record)(void *context, struct slice type, struct arrival *arrival);
        /* From the loop, once for each watch that is not cancelled. It may begin again from inside.
         */
        void (*ended)(void *context, const struct collection_watch_end *end);
        void *context;
};

struct collection_watch;

struct collection_watch *collection_watch_new(const struct collection_watch_config *config);
/* Accepts NULL. Not while a record is taken, as cancel. */
void collection_watch_free(struct collection_watch *watch);
/* For timeout_s at most. Without a version, from now on. None may be under way. */
void collection_watch_begin(struct collection_watch *watch, struct slice version,
                            uint64_t timeout_s);
void collection_watch_cancel(struct collection_watch *watch);
