/* How requests about custom resources are refused before anything is looked for: upstream serves
 * them apart from all others, in other words. */
#pragma once

#include "server/api_context.h"

/* The path is one of the resource: objects in namespaces are changed in one. */
bool custom_route_is_in_scope(const struct api_route *route);
/* Methods and forms of patches that such a resource, or a part of its objects, does not take. */
int custom_route_check(struct api_context *context);
