/* The agreement of a shadow scheduler with the one of the cluster, as a page. */
#pragma once

#include "api/json.h"
#include "base/buf.h"

struct report_facts;

/* agreement: what shadow_role_report() gives. */
void shadow_page_write(const struct json_node *agreement, const struct report_facts *facts,
                       struct buf *out);
