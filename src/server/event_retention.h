/* Events live one hour, as they do in a real cluster, and only the youngest of them; everything
 * else lives until it is deleted. */
#pragma once

#include <stddef.h>

#define EVENTS_DEFAULT 100000U /* about 26 MiB */

struct api_engine;
struct event_retention;

/* limit 0 = EVENTS_DEFAULT */
struct event_retention *event_retention_start(struct api_engine *engine, size_t limit);
void event_retention_stop(struct event_retention *retention);
