/* Numbers and amounts as people write them: 1,800, 1.5 cores, 12.5 GiB, 53 %. The live page writes
 * them alike (ui/words.js). */
#pragma once

#include "base/buf.h"

enum amount_unit { AMOUNT_COUNT, AMOUNT_MILLICORES, AMOUNT_BYTES };

/* Of the model's amounts of a resource. */
enum amount_unit amount_unit_of(struct slice resource);
void amount_write(struct buf *out, enum amount_unit unit, int64_t value);
/* "1.5 of 4 cores": the unit once where both have the same. */
void amount_of(struct buf *out, enum amount_unit unit, int64_t part, int64_t all);
/* A whole number with its thousands apart. */
void amount_count(struct buf *out, int64_t value);
/* A measured number, to three digits that count. */
void amount_measure(struct buf *out, double value);
/* Of all; "none" when there is nothing that the part could be of. */
void amount_percent(struct buf *out, double part, double all);
/* "3 pods", "1 pod" */
void amount_many(struct buf *out, int64_t count, const char *noun);
/* A time span in its two largest units: 3 min 20 s. */
void amount_span(struct buf *out, int64_t seconds);
