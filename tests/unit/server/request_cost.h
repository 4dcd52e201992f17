/* What requests cost by the number of things they hold: bodies with one long list or map each, sent
 * on every path of the API server. For the test and the benchmark of the same name. */
#pragma once

#include "base/slice.h"
#include <stddef.h>
#include <stdint.h>

struct cost_shape {
        const char *name;
        const char *collection;            /* where the object is created */
        const char *head, *element, *tail; /* of its JSON */
        const char *between, *other;       /* of a second list behind the first; NULL = none */
        const char *list;                  /* JSON pointer to the first list or map */
        /* What COST_LIST reads, followed by as many of its elements; NULL = the collection. */
        const char *read, *read_element, *read_tail, *read_accept;
        /* Instead of head and the first list in what is applied, to the object that was created. */
        const char *apply_head;
        const char *before_path, *before; /* posted first; NULL = nothing */
};

enum cost_path {
        COST_CREATE,
        COST_CREATE_YAML,
        COST_CREATE_PROTOBUF,
        COST_UPDATE,
        COST_JSON_PATCH,
        COST_MERGE_PATCH,
        COST_STRATEGIC_PATCH,
        COST_APPLY,
        COST_APPLY_AGAIN,
        COST_LIST,
        COST_TABLE,
        COST_PATHS
};

extern const struct cost_shape cost_shapes[];
extern const size_t cost_shape_count;
extern const char *const cost_path_names[COST_PATHS];

struct cost_message {
        const char *method, *target, *type, *accept; /* the last two may be NULL */
        struct slice body;
};
typedef void (*cost_visitor)(void *context, const struct cost_message *message);
/* What has to be there first, each by a request, and last the request itself. */
void cost_messages(const struct cost_shape *shape, enum cost_path path, size_t count,
                   cost_visitor visit, void *context);

struct cost {
        int64_t ns;      /* of processor time, of the one request and what the loop does after it */
        int64_t held_ns; /* the longest part of it in which nobody is let in (base/pace.h) */
        int status;      /* that answered it */
        size_t bytes;    /* of its body */
};
/* A new server for each measurement. */
struct cost cost_measure(const struct cost_shape *shape, enum cost_path path, size_t count);
