/* How many pods a pass may ask the scheduler about.  A question costs a visit of every node in the
 * worst case, and of all nodes that earlier moves of the pass touched in any case.  Pods that are
 * over the budget are asked about in later passes, before any pod is asked about again. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>

/* Nodes that the questions of a pass may visit: 320 questions on 5,000 nodes. */
#define MOVE_NODES_PER_PASS 1600000
#define MOVE_QUESTIONS_MIN 16

struct move_budget;
struct move_budget *move_budget_new(void);
void move_budget_free(struct move_budget *budget); /* accepts NULL */
/* A pass over so many nodes starts. */
void move_budget_begin(struct move_budget *budget, size_t node_count);
/* True: this pod may be asked about now. */
bool move_budget_take(struct move_budget *budget, struct slice uid);
