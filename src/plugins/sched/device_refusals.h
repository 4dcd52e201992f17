/* Why a node has no devices for the claims of a pod, in words. */
#pragma once

#include "devices/device_search.h"
#include "plugin/sched_points.h"

/* Calls say for each request that stands in the way; texts live in the search's arena. */
void device_refusals_say(const struct device_search *search, const struct device_node *node,
                         void (*say)(void *context, const struct refusal_detail *detail),
                         void *context);
