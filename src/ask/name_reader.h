/* Names of the cluster's objects, for completion: few, quickly, and without their fields. */
#pragma once

#include "ask/snapshot_input.h"

#define NAME_READER_TIMEOUT_NS (3 * NS_PER_S) /* somebody waits at a terminal */
#define NAME_READER_MAX 5000                  /* names of one read */

struct name_reader;

/* No connection is made yet. source->timeout_ns does not count. */
int name_reader_new(const struct snapshot_source *source, struct name_reader **ret_reader,
                    struct err *err);
void name_reader_free(struct name_reader *reader); /* accepts NULL */

/* Calls found for the objects of a collection, such as /api/v1/nodes, in the order of the server.
 */
int name_reader_read(struct name_reader *reader, const char *path,
                     void (*found)(void *context, struct slice ns, struct slice name),
                     void *context, struct err *err);
