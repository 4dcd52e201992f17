/* Parameters of an address: "namespace=shop&name=web%201". */
#pragma once

#include "base/buf.h"
#include <stdbool.h>
#include <stddef.h>

/* Appends the value of the first parameter of this name, decoded. False, and nothing is appended,
 * when there is none or it cannot be decoded. */
bool address_text(struct slice query, const char *name, struct buf *out);
/* A number from 0 to max: larger ones count as max, anything else as the fallback. */
size_t address_number(struct slice query, const char *name, size_t fallback, size_t max);
