/* Bodies of application/vnd.kubernetes.protobuf, for requests whose cost is measured. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"

/* The JSON of an object of a built-in kind as such a body; of any other kind it has no members. */
void cost_protobuf_write(struct slice json, struct buf *out);
