/* Eviction plans as a report: to be attached to a change or a pipeline. */
#pragma once

#include "base/buf.h"

struct eviction_plan;
struct report_facts;

void plan_page_write(const struct eviction_plan *plan, const struct report_facts *facts,
                     struct buf *out);
