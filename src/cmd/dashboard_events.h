/* Events of the cluster for the live page. */
#pragma once

#include <stdbool.h>

struct dashboard_events;
struct event_ring;
struct runtime;

/* Follows the Events of the runtime's cluster; without the right to see them there are none.
 * changed runs from the loop after each of them. Free it before the runtime. */
struct dashboard_events *dashboard_events_new(struct runtime *runtime,
                                              void (*changed)(void *context), void *context);
void dashboard_events_free(struct dashboard_events *events); /* accepts NULL */
/* The first list is in, or is not to be had. */
bool dashboard_events_are_ready(const struct dashboard_events *events);
const struct event_ring *dashboard_events_ring(const struct dashboard_events *events);
