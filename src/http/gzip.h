/* Compressed answers. The only file of this room that knows zlib. */
#pragma once

#include "base/buf.h"
#include <stdbool.h>

/* Replaces the content by its gzip form; false, and content as it was, when that failed. */
bool gzip_replace(struct buf *content);
/* The value of an Accept-Encoding asks for it. */
bool gzip_is_accepted(struct slice codings);
/* The version of zlib that runs, such as "1.2.13". */
void gzip_library_version(struct buf *out);
