/* What an object takes of a quota, as upstream writes the amount. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "kinds/quota_use.h"

/* Appends how much of a limit an object takes more than it took, in the suffixes that its own
 * amounts have (Quantity.Add keeps those of the first amount that is not zero). old: NULL at
 * create. */
void quota_wanted_write(const struct kind_info *kind, const struct limited *limited,
                        const struct json *object, const struct json *old, struct buf *out);
/* Appends what is in use once the object is there. */
void quota_used_write(const struct kind_info *kind, const struct limited *limited,
                      const struct json *object, const struct json *old, struct buf *out);
