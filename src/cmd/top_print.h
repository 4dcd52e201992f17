/* The cluster of berth top where it is not drawn: a table, JSON or YAML. */
#pragma once

#include "cmd/output.h"
#include "show/top_data.h"

void top_print(const struct top_data *data, struct arena *arena, struct buf *out);
struct json_node *top_value(const struct top_data *data, struct json_tree *tree);
