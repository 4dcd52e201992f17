/* Parts of the validation of nodes. */
#pragma once

#include "kinds/check.h"

/* Each taint, and that no two have the same key and effect; list is their place. */
void check_node_taints(struct checker *checker, const struct at *list,
                       const struct json_node *taints);
