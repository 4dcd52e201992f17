/* What is read of one collection, and how: the part of the requests that lists and watches share.
 */
#pragma once

#include "api/arrival.h"
#include "base/buf.h"

struct pod;
struct pod_reader;

/* Part of its reflector, which owns the texts and pods. */
struct collection {
        char *path;                            /* /api/v1/pods */
        char *label_selector, *field_selector; /* "" = everything */
        struct pod_reader *pods; /* reads pods that need not come as values; NULL = all do */
        bool leaves_unread;      /* members that no role reads need not come */
        bool takes_json;         /* protobuf did not work */
};

/* The path with what selects; the caller adds its own parameters. */
void collection_url(const struct collection *collection, struct buf *url);
/* The forms to ask for. A server that has no protobuf of this kind answers in JSON. */
struct slice collection_accept(const struct collection *collection);
/* A pod that pods has read; valid until it reads the next. */
struct arrival collection_pod(const struct collection *collection, const struct pod *pod);
