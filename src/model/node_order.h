/* Order of nodes as upstream's snapshot has it: zones in the order first seen, interleaved,
 * nodes of a zone in the order they came.  A zone that lost its last node starts again at the end.
 */
#pragma once

#include "model/ids.h"
#include <stddef.h>

struct node_order;

struct node_order *node_order_new(void);
void node_order_free(struct node_order *order); /* accepts NULL */
void node_order_add(struct node_order *order, struct node_id node, struct str_id zone);
void node_order_remove(struct node_order *order, struct node_id node); /* must be there */
size_t node_order_count(const struct node_order *order);
/* Rebuilds the list when nodes came or went since; valid until the next add or remove. */
const struct node_id *node_order_list(struct node_order *order);
size_t node_order_bytes(const struct node_order *order);
