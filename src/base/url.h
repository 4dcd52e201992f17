/* URLs as Go's net/url reads them. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>

/* Parts as written, borrowed from the text; empty where there is none. */
struct url {
        struct slice scheme, host; /* host with its port */
        struct slice user;         /* without the @; not even bytes where there is none */
        struct slice path;         /* of mailto:x none */
        struct slice query, fragment;
};

enum url_form {
        URL_ANY,    /* url.Parse */
        URL_REQUEST /* url.ParseRequestURI: absolute, or an absolute path; # is no mark */
};
/* NULL, or what is wrong with the text. */
const char *url_parse(struct slice text, enum url_form form, struct url *ret_url);

/* Appends a part without its escapes; false, with out as it was, when one is broken. In queries a
 * plus sign is a space. */
bool url_unescape(struct slice part, bool is_query, struct buf *out);
/* Appends a path in escaped form: as it is where that is valid, else escaped. */
void url_escape_path(struct slice path, struct buf *out);
