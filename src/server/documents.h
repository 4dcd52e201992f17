/* What the API says about itself: discovery in both forms and OpenAPI v3, made from the registry
 * and the field tables. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>

struct api_document {
        int status;             /* 200, 304, 404 (body: Status or text), 406 */
        char content_type[128]; /* "application/json", or the aggregated form echoed */
        char etag[80];          /* with its quotes; "" = none */
        bool is_public;         /* Cache-Control: public instead of no-cache, private */
        bool varies;            /* Vary: Accept */
        struct buf body;
};

/* Answers GET of /api, /apis, /apis/GROUP, /api/v1, /apis/GROUP/VERSION, /openapi/v3 and below.
 * query is what stands behind the question mark; address is shown in /api. False when the path is
 * none of these. The document is zeroed by the caller, who releases body. */
bool document_serve(struct slice path, struct slice query, struct slice accept,
                    struct slice if_none_match, struct slice address,
                    struct api_document *document);
