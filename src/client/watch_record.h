/* One record of a watch, in JSON or in protobuf: what happened and to which object. */
#pragma once

#include "api/json.h"
#include "base/err.h"

struct json_builder;

struct watch_record {
        struct slice type;         /* ADDED, MODIFIED, DELETED, BOOKMARK, ERROR */
        const struct json *object; /* NULL = none */
        bool is_protobuf;
        struct json_doc *doc; /* whichever holds the values */
        struct json_builder *builder;
};

/* type and object are valid until record is released, and as long as text. Error:
 * BERTH_ERR_BAD_REQUEST; release the record in any case. */
int watch_record_read(struct watch_record *record, struct slice text, struct err *err);
void watch_record_release(struct watch_record *record);
