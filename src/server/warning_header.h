/* The Warning header of an answer, as long as clients take it: upstream's recorder
 * (k8s.io/apiserver/pkg/endpoints/filters/warning.go), bounded in bytes as well. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"

#define WARNING_RUNES_MAX 4096 /* of all texts together; beyond it each is cut */
#define WARNING_ITEM_RUNES_MAX 256
#define WARNING_BYTES_MAX                                                                          \
        ((size_t)12 << 10) /* of the header; what the listener always has room for */

/* Appends `299 - "text"` for each text, comma-separated, quotes and backslashes escaped; a text
 * that stands twice once, empty ones not. Once the texts together are longer than WARNING_RUNES_MAX
 * each is cut to WARNING_ITEM_RUNES_MAX, and what comes after the limit is dropped. */
void warning_header_write(const struct slice *texts, size_t count, struct buf *out);
