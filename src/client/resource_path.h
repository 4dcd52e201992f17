/* What a request path is about, for counters. */
#pragma once

#include "base/buf.h"

/* Appends "pods", "pods/binding", "leases" ... of an API path such as
 * /api/v1/namespaces/default/pods/p/binding; the path itself when it is none. */
void resource_path_name(struct slice path, struct buf *out);
