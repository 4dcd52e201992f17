/* Stored objects as steps read them. */
#pragma once

#include "server/api_context.h"

/* Parsed text, valid until the request ends; NULL when it is no JSON. */
const struct json *request_object_json(struct api_context *context,
                                       const struct store_object *object);
/* The same of what many requests read: parsed once for all of them, as long as it is the newest. */
const struct json *request_shared_json(struct api_context *context,
                                       const struct store_object *object);
void request_json_release(struct api_context *context);
const struct json *request_json(struct api_context *context, struct slice text);
/* Body rewritten for a view of another resource (events.k8s.io); the body itself otherwise. */
struct slice object_view(struct arena *arena, const struct api_resource *resource,
                         struct slice body);
const struct store_object *object_find(struct api_context *context,
                                       const struct api_resource *resource, struct slice ns,
                                       struct slice name);
/* What a resource is before anything is said of it: members that are always printed, empty. As
 * in the store it has neither kind nor apiVersion. */
struct json_node *object_zero(struct json_tree *tree, const struct api_resource *resource);
/* Zeroes of such an object that come from the API server's own types, which have no pointers
 * there. */
void object_add_own_zeroes(const struct kind_info *kind, struct json_tree *tree,
                           struct json_node *object);
/* Stored object as an editable tree. */
struct json_node *tree_of_object(const struct store_object *object, struct json_tree **ret_tree);
/* Fills in context->hooks for a kind. */
void hooks_prepare(struct api_context *context, const struct api_resource *resource);
