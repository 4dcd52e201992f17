/* Eviction plans as a page that needs nothing else: to be attached to a change or a pipeline. */
#pragma once

#include "base/buf.h"

struct eviction_plan;

void plan_write_html(const struct eviction_plan *plan, struct buf *out);
