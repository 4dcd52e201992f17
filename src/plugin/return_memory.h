/* Remembers from which nodes pods of which owner were moved, to notice those that came back: they
 * are left alone, each time for longer. */
#pragma once

#include "base/slice.h"
#include "base/time.h"
#include <stdbool.h>

#define RETURN_PAUSE_FIRST_NS (300 * NS_PER_S)
#define RETURN_PAUSE_MAX_NS (86400 * NS_PER_S)
#define RETURN_ENTRIES_MAX 65536

struct return_memory;
struct return_memory *return_memory_new(void);
void return_memory_free(struct return_memory *memory); /* accepts NULL */

/* A pod of that owner was moved off the node. */
void return_memory_note(struct return_memory *memory, struct slice owner, struct slice node,
                        struct wall_time now);
/* True while pods of the owner are left alone on the node.  A pod created there after one was moved
 * away came back, which starts a pause; ret_until then says when it ends. */
bool return_memory_blocks(struct return_memory *memory, struct slice owner, struct slice node,
                          struct wall_time created, struct wall_time now,
                          struct wall_time *ret_until);
/* Owner and node pairs remembered; those moved long ago are forgotten. */
size_t return_memory_count(const struct return_memory *memory);
