/* Second views of stored kinds: events.k8s.io events over core ones, autoscaling/v1 over v2. */
#pragma once

#include "api/json.h"

/* In place, apiVersion included. */
void event_to_core(struct json_tree *tree, struct json_node *object);
void event_from_core(struct json_tree *tree, struct json_node *object);
void autoscaler_to_v2(struct json_tree *tree, struct json_node *object);
void autoscaler_from_v2(struct json_tree *tree, struct json_node *object);
/* Defaults of the v1 view. */
void autoscaler_v1_defaults(struct json_tree *tree, struct json_node *object);
