/* Completion indexes of a job, as the text of its status: "1,3-5,7". */
#pragma once

#include "base/bitset.h"
#include "base/buf.h"
#include "base/slice.h"
#include <stddef.h>

/* Adds the indexes in text below limit to a bitset of that size; what cannot be read is skipped. */
void index_set_parse(struct slice text, size_t limit, struct bitset *set);
void index_set_write(const struct bitset *set, size_t limit, struct buf *out);
