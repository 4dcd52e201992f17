/* Request paths with query parameters. */
#pragma once

#include "base/buf.h"

/* Appends ?name=value, or &name=value when the text has a query already; the value is escaped. */
void url_query_text(struct buf *url, const char *name, struct slice value);
void url_query_u64(struct buf *url, const char *name, uint64_t value);
/* Percent-escapes all but unreserved characters; for path segments and values. */
void url_escape(struct buf *url, struct slice text);
