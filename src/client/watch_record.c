/* A record of a watch in protobuf is a message {1: type, 2: {1: envelope of the object}}. */
#include "client/watch_record.h"

#include "api/json_build.h"
#include "schema/pod_reader.h"
#include "schema/protobuf.h"
#include "schema/protobuf_wire.h"

static int read_json(struct watch_record *record, struct slice text, struct err *err) {
        int r = json_parse(text, &record->doc, err);

        if (r < 0)
                return r;
        record->type = json_get_text(json_doc_root(record->doc), "type");
        record->object = json_get(json_doc_root(record->doc), "object");
        return record->object ? 0 : err_set(err, BERTH_ERR_BAD_REQUEST, "record without an object");
}

/* The version of a BOOKMARK is all it has. */
static bool read_pod(struct watch_record *record, struct slice body, struct pod_reader *pods) {
        struct protobuf_envelope envelope;

        return pods && !slice_is(record->type, "BOOKMARK") && protobuf_is_envelope(body) &&
               protobuf_split(body, &envelope) == 0 && slice_is(envelope.kind, "Pod") &&
               slice_is(envelope.api_version, "v1") &&
               pod_reader_read(pods, envelope.message, &record->pod);
}

static int read_protobuf(struct watch_record *record, struct slice message, struct pod_reader *pods,
                         struct err *err) {
        struct wire_field type = { 0 }, extension = { 0 }, raw = { 0 };

        record->is_protobuf = true;
        if (!wire_find_field(message, 1, &type) || !wire_find_field(message, 2, &extension) ||
            !wire_find_field(extension.bytes, 1, &raw))
                return err_set(err, BERTH_ERR_BAD_REQUEST, "broken record in protobuf");
        record->type = type.bytes;
        record->has_pod = read_pod(record, raw.bytes, pods);
        if (record->has_pod)
                return 0;
        record->builder = json_builder_new();
        int r = protobuf_build_envelope(record->builder, raw.bytes, err);
        if (r == 0)
                record->object = json_builder_root(record->builder);
        return r;
}

int watch_record_read(struct watch_record *record, struct slice text, struct pod_reader *pods,
                      struct err *err) {
        record->type = SLICE_EMPTY;
        record->object = NULL;
        record->is_protobuf = record->has_pod = false;
        record->doc = NULL;
        record->builder = NULL;
        return text.len && text.ptr[0] == '{' ? read_json(record, text, err)
                                              : read_protobuf(record, text, pods, err);
}

void watch_record_release(struct watch_record *record) {
        json_doc_free(record->doc);
        json_builder_free(record->builder);
        record->doc = NULL;
        record->builder = NULL;
}
