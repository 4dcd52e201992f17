/* Names and namespaces in the path of a request and in its body. All return API_FAILED for what
 * does not go together. */
#pragma once

#include "server/api_context.h"

/* The namespace of a body, if it names one, against the URL. */
int check_given_namespace(struct api_context *context, struct json_node *object);
/* What cannot be stored under a name in the URL's namespace is looked for nowhere. */
int check_key(struct api_context *context, struct slice name);
/* Name and namespace of a body against the URL (PUT, PATCH). */
int check_url(struct api_context *context, struct json_node *object);
