/* The way of a request: what is found out about it before its verb. */
#pragma once

#include "server/api_context.h"

/* ---- requests ---- */
/* Runs a request to its end; false when it has to be run again after webhooks have answered. */
bool request_run(struct api_server *server, const struct api_server_request *request,
                 struct api_pending *pending, struct http_response *ret_response);
void route_parse(struct api_context *context, struct slice path);
int accept_negotiate(struct api_context *context); /* form and include */
int authenticate(struct api_context *context);
int authorize(struct api_context *context);
