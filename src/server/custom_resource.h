/* Custom resources: CustomResourceDefinitions in the store become resources of the server. */
#pragma once

#include <stddef.h>

struct api_definition;
struct api_engine;
struct custom_resources;

/* Follows the definitions from now on, and takes in those that are there; the given ones are served
 * without an object. */
struct custom_resources *custom_resources_start(struct api_engine *engine,
                                                const struct api_definition *definitions,
                                                size_t count);
void custom_resources_stop(struct custom_resources *customs);
