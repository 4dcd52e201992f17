/* The watches of a process: one reflector for each collection and selector, however many of its
 * roles need it.
 *
 * A role adds a row for each kind it needs.  Rows of the same path and selectors share
 * one list and one watch, and each object is decoded once and handed to all of them, in the order
 * they were added.  A row of a collection that is watched already gets its
 * objects from a list of its own; the other rows get nothing of it.
 *
 * Every row sees a well-formed history (client/reflector.h), except that a late one may get
 * ADDED again, or DELETED of an object it does not have, until it is synced: lists may fail. */
#pragma once

#include "client/reflector.h"

struct watch_set;
struct watch_row;

/* What becomes of a list or watch that fails; it is tried again in any case. */
enum watch_trouble {
        WATCH_REQUIRED, /* failures are logged */
        WATCH_OPTIONAL, /* a kind that is not served (404) or that we may not see (403) counts as an
                         * empty one, and nothing is said of it; other failures are logged */
        WATCH_QUIET,    /* the same, and no failure is logged: the row has a word of its own */
};

struct watch_request {
        const char *path;                            /* /api/v1/pods */
        const char *label_selector, *field_selector; /* NULL = everything */
        uint64_t seed;                               /* the first row's counts */
        enum watch_trouble trouble;
        bool is_needed;     /* watch_set_is_synced waits for it */
        bool leaves_unread; /* members that no role reads of nodes and pods need not come */
        bool takes_cached;  /* see client/reflector.h; the first row's counts */
        bool is_large;      /* the same */
        const struct reflector_events *events; /* never called with REFLECTOR_SAME */
        void *context;
        const void *owner; /* whose rows watch_set_is_synced asks for together */
};

/* transport and loop must outlive the set. */
struct watch_set *watch_set_new(struct transport *transport, struct loop *loop);
/* Rows that are left go with it; no callback follows.  Accepts NULL.  Not from inside a callback.
 */
void watch_set_free(struct watch_set *set);

/* Texts are copied; events must outlive the row.  Follows at once; callbacks come from the loop. */
struct watch_row *watch_set_add(struct watch_set *set, const struct watch_request *request);
/* No callback of the row follows.  Any callback may call it.  Accepts NULL. */
void watch_set_remove(struct watch_set *set, struct watch_row *row);

/* The row got a complete list. */
bool watch_row_is_synced(const struct watch_row *row);
/* Synced, or of a kind it can do without that is not to be had. */
bool watch_row_is_ready(const struct watch_row *row);
/* All needed rows of this owner are ready; true without any. */
bool watch_set_is_synced(const struct watch_set *set, const void *owner);
/* Of an object of a collection that is followed, as it was last reported; false when there is none
 * of that name and uid. */
bool watch_set_object_version(const struct watch_set *set, const char *path,
                              const struct object_identity *identity,
                              struct object_version *ret_version);
/* The last error of a needed row of this owner that is not ready, and its path; NULL = none failed.
 */
const struct err *watch_set_trouble(const struct watch_set *set, const void *owner,
                                    const char **ret_path);
/* Collections that are followed. */
size_t watch_set_count(const struct watch_set *set);
