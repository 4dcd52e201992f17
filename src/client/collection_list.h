/* Lists a collection: in pages, or in one piece that is read while it arrives. */
#pragma once

#include "client/collection.h"
#include "client/object_reports.h"
#include "port/loop.h"
#include "port/transport.h"

/* With err, the list has failed. Otherwise every object was taken. */
struct collection_list_end {
        const struct err *err; /* NULL = none; valid during the call */
        int retry_after_s;     /* as the server said, or less than 0 */
        struct slice version;  /* of the list; valid until the next begins */
};

/* All borrowed. */
struct collection_list_config {
        struct transport *transport;
        struct loop *loop;
        struct collection *collection;  /* takes_json is set where its protobuf cannot be read */
        struct object_reports *reports; /* objects go there */
        uint32_t page_size;             /* > 0 */
        bool is_large;                  /* a list in one piece comes on a connection of its own */
        /* From the loop, once for each list that is not cancelled. The list may begin again from
         * inside. */
        void (*ended)(void *context, const struct collection_list_end *end);
        void *context;
};

enum collection_list_way {
        COLLECTION_PAGES,
        COLLECTION_WHOLE,
        COLLECTION_CACHED /* whole, and as old as what the server has in memory */
};

struct collection_list;

struct collection_list *collection_list_new(const struct collection_list_config *config);
/* Accepts NULL. Not while an object is taken, as cancel. */
void collection_list_free(struct collection_list *list);
/* None may be under way. */
void collection_list_begin(struct collection_list *list, enum collection_list_way way);
void collection_list_cancel(struct collection_list *list);
/* Items take all their members from now on, as collection->leaves_unread says. */
void collection_list_read_all(struct collection_list *list);
uint64_t collection_list_pages(const struct collection_list *list); /* that have come so far */
