/* The way of one request. */
#pragma once

#include "server/api_context.h"

/* Runs a request to its end; false when it has to be run again after what it waits for has come. */
bool request_run(struct api_server *server, const struct api_server_request *request,
                 struct api_pending *pending, struct http_response *ret_response);
/* What is found out before the verb; all but the first return 0 or API_FAILED. */
void route_parse(struct api_context *context, struct slice path);
int authenticate(struct api_context *context);
int authorize(struct api_context *context);
