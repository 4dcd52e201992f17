/* How many devices of a class each node has, and how many of them are allocated: counted once, and
 * again where something changed. */
#pragma once

#include "plugins/sched/device_claims.h"

struct device_tally;
struct device_tally *device_tally_new(const struct device_gates *gates);
void device_tally_free(struct device_tally *tally); /* accepts NULL */
/* Of one class, up to date; until the next call. */
struct tally_row;
struct tally_row *device_tally_row(struct device_tally *tally, const struct sched_cycle *cycle,
                                   struct slice class_name);
/* Leaves both as they are when the class cannot be evaluated, or has no device there. */
void device_tally_of(const struct device_tally *tally, const struct sched_cycle *cycle,
                     struct tally_row *row, struct node_id node, int64_t *ret_count,
                     int64_t *ret_allocated);
