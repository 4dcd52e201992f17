/* Asking the scheduler about a pod takes a look at every node in the worst case, and at all those
 * that earlier moves of the pass touched in any, so a pass asks about so many pods only.  The
 * others have their turn in the passes after it, before anybody is asked about again. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>

/* Nodes that a pass may look at for this: 320 questions on 5,000 nodes. */
#define MOVE_LOOKS_PER_PASS 1600000
#define MOVE_TURNS_MIN 16

struct move_turns;
struct move_turns *move_turns_new(void);
void move_turns_free(struct move_turns *turns); /* accepts NULL */
/* A pass over so many nodes starts. */
void move_turns_begin(struct move_turns *turns, size_t node_count);
/* True: it is this pod's turn. */
bool move_turns_take(struct move_turns *turns, struct slice uid);
