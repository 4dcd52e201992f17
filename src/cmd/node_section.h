/* How full the nodes of a cluster are, as a part of a report. */
#pragma once

#include "show/report.h"
#include "show/top_data.h"

struct arena;

/* A histogram of each resource, and the first nodes as bars. */
void node_section_write(struct report *report, const struct top_data *data, struct arena *arena);
