/* Stored objects as steps read them. */
#pragma once

#include "server/api_context.h"

/* Parsed text of a stored object, valid until the request ends. */
const struct json *object_json_kept(struct api_context *context, const struct store_object *object);
const struct json *json_kept(struct api_context *context, struct slice text); /* NULL on error */
/* Body rewritten for a view of another resource (events.k8s.io); the body itself otherwise. */
struct slice object_view(struct arena *arena, const struct api_resource *resource,
                         struct slice body);
const struct store_object *object_find(struct api_context *context,
                                       const struct api_resource *resource, struct slice ns,
                                       struct slice name);
/* Stored object as an editable tree. */
struct json_node *tree_of_object(const struct store_object *object, struct json_tree **ret_tree);
/* Fills in context->hooks for a kind. */
void hooks_prepare(struct api_context *context, const struct api_resource *resource);
