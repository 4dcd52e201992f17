/* EvictionRequests that an earlier process of this node's agent left behind: it was killed during a
 * drain that is not continued. */
#pragma once

#include "base/slice.h"
#include "model/action.h"

struct runtime;

struct reboot_leftovers;
/* withdraw gets an action per request, for pods of this node only. The node's text stays. */
struct reboot_leftovers *reboot_leftovers_new(struct runtime *runtime, struct slice node,
                                              void (*withdraw)(void *context,
                                                               const struct action *action),
                                              void *context);
void reboot_leftovers_free(struct reboot_leftovers *leftovers); /* accepts NULL */
/* Looks for them, once: pods of the node, then requests of this requester in both groups. */
void reboot_leftovers_look(struct reboot_leftovers *leftovers);
