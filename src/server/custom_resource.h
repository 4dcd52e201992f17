/* Custom resources: CustomResourceDefinitions in the store become resources of the server. */
#pragma once

#include <stddef.h>

struct api_definition;
struct api_server;

/* Follows the definitions from now on, and takes in those that are there; the given ones are served
 * without an object. */
void custom_resources_start(struct api_server *server, const struct api_definition *definitions,
                            size_t count);
void custom_resources_stop(struct api_server *server);
