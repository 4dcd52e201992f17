/* Events live one hour, as they do in a real cluster, and only the youngest of them; everything
 * else lives until it is deleted. */
#pragma once

#include <stddef.h>

#define EVENTS_DEFAULT 100000U /* about 26 MiB */

struct api_server;

void event_retention_start(struct api_server *server, size_t limit); /* 0 = EVENTS_DEFAULT */
void event_retention_stop(struct api_server *server);
