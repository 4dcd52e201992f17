/* A patch made as a read and an update in protobuf.
 *
 * An API server takes a patch by writing the object as JSON and reading it again, which changes the
 * text of raw extensions that were not written as it writes them (blanks, order of keys, escapes).
 * Where such a part may not change - the parameters of a ResourceClaim - it refuses every patch of
 * the object, and every update in JSON, however small. Bytes in protobuf go both ways unchanged. */
#pragma once

#include "port/loop.h"
#include "port/transport.h"

struct exact_write;

struct exact_write_config {
        struct transport *transport;
        struct loop *loop;
        struct slice path, patch; /* copied; path: where the patch would go */
        /* Asked for before each call. */
        void (*called)(void *context, enum api_method method);
        /* Once, from the loop; the write is over then and freed.  NULL: the object cannot be had in
         * protobuf, or not be patched so. */
        void (*done)(void *context, const struct api_reply *reply);
        void *context;
};
struct exact_write *exact_write_new(const struct exact_write_config *config);
void exact_write_free(struct exact_write *write); /* before it is done; accepts NULL */

#define EXACT_WRITE_TRIES_MAX 5 /* of conflicts, as client-go's default */
#define EXACT_WRITE_RETRY_NS (10 * NS_PER_MS)
