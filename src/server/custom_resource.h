/* Custom resources: CustomResourceDefinitions in the store become resources of the server. */
#pragma once

struct api_server;

/* Follows the definitions from now on, and takes in those that are there. */
void custom_resources_start(struct api_server *server);
void custom_resources_stop(struct api_server *server);
