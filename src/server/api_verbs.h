/* One function per verb and subresource: each answers a request to its end. */
#pragma once

#include "server/api_context.h"

int serve_get(struct api_context *context);
/* The object of the route, in a version that is there by now. */
int read_object(struct api_context *context, const struct store_object **ret_object);
int serve_list(struct api_context *context);
int serve_watch(struct api_context *context);
int serve_create(struct api_context *context);
int serve_update(struct api_context *context);
int serve_patch(struct api_context *context);
int check_patch_route(struct api_context *context); /* the verb, then the type of the body */
int serve_delete(struct api_context *context);
int serve_delete_collection(struct api_context *context);
int serve_binding(struct api_context *context);
int serve_eviction(struct api_context *context);
int serve_scale(struct api_context *context);
int serve_log(struct api_context *context);
int serve_live(struct api_context *context); /* exec, attach, portforward, proxy */
int serve_token(struct api_context *context);
int serve_path(struct api_context *context);             /* /healthz, /version, discovery, ... */
bool serve_token_documents(struct api_context *context); /* false: another path */
void watches_write(const struct api_server *server, struct buf *out); /* as Prometheus' text */
void watches_end(struct api_server *server); /* they outlive the server, but say no more */
