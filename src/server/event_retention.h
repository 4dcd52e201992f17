/* Events live one hour, as they do in a real cluster; everything else lives until it is deleted. */
#pragma once

struct api_server;

void event_retention_start(struct api_server *server);
void event_retention_stop(struct api_server *server);
