/* One record of a watch, in JSON or in protobuf: what happened and to which object. */
#pragma once

#include "api/object.h"
#include "base/err.h"

struct json_builder;
struct pod_reader;

struct watch_record {
        struct slice type;         /* ADDED, MODIFIED, DELETED, BOOKMARK, ERROR */
        const struct json *object; /* NULL = it came as a pod */
        bool is_protobuf;
        bool has_pod;
        struct pod pod;
        struct json_doc *doc; /* whichever holds the values */
        struct json_builder *builder;
};

/* With pods, an ordinary pod in protobuf comes as such, and is theirs (pod_reader_read).  The rest
 * is valid until record is released, and as long as text. Error: BERTH_ERR_BAD_REQUEST; release the
 * record in any case. */
int watch_record_read(struct watch_record *record, struct slice text, struct pod_reader *pods,
                      struct err *err);
void watch_record_release(struct watch_record *record);
