/* Second views of stored kinds: events.k8s.io events over core ones, autoscaling/v1 over v2. */
#pragma once

#include "kinds/check.h"
#include "kinds/prepare.h"

/* In place, apiVersion included. */
void event_to_core(struct json_tree *tree, struct json_node *object);
void event_from_core(struct json_tree *tree, struct json_node *object);
void autoscaler_to_v2(struct json_tree *tree, struct json_node *object);
void autoscaler_from_v2(struct json_tree *tree, struct json_node *object);
/* Annotations of version 1 that have members in version 2. */
void autoscaler_drop_annotations(struct json_node *object);
void autoscaler_v1_defaults(struct json_tree *tree, struct json_node *object);
PREPARE_HOOK(autoscaler_v1_prepare);
VALIDATE_HOOK(autoscaler_v1_validate);
