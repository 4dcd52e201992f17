/* Cuts a list in protobuf into its messages, whose lengths stand before them.
 *
 * An envelope of four bytes, field 1 (apiVersion and kind of the list) and field 2: the list, whose
 * field 1 is its metadata and each field 2 an item. */
#include "base/util.h"
#include "client/list_reader_priv.h"
#include "schema/pod_reader.h"
#include "schema/protobuf.h"
#include "schema/protobuf_wire.h"

#define MAGIC_BYTES 4
#define ENVELOPE_TYPE 1
#define ENVELOPE_MESSAGE 2
#define LIST_METADATA 1
#define LIST_ITEMS 2

static int list_protobuf_broken(struct err *err) {
        return err_set(err, BERTH_ERR_BAD_REQUEST, "broken list in protobuf");
}

/* The head of a field: false when its bytes have not all arrived. */
struct field_head {
        uint64_t number, size; /* size of the value, 0 for numbers */
        size_t bytes;          /* of the head, and of the value of a number */
};
enum head_state { HEAD_WHOLE, HEAD_CUT, HEAD_BROKEN };

static enum head_state read_head(struct slice rest, struct field_head *ret_head) {
        struct slice at = rest;
        uint64_t key, number;
        bool is_whole;

        if (!wire_take_varint(&at, &key))
                return rest.len > 10 ? HEAD_BROKEN : HEAD_CUT;
        *ret_head = (struct field_head){ .number = key >> 3 };
        switch (key & 7) {
        case WIRE_BYTES:
                is_whole = wire_take_varint(&at, &ret_head->size);
                break;
        case WIRE_VARINT:
                is_whole = wire_take_varint(&at, &number);
                break;
        case WIRE_FIXED64:
                is_whole = wire_take_fixed(&at, 8, &number);
                break;
        case WIRE_FIXED32:
                is_whole = wire_take_fixed(&at, 4, &number);
                break;
        default:
                return HEAD_BROKEN;
        }
        if (!is_whole)
                return rest.len > 20 ? HEAD_BROKEN : HEAD_CUT;
        ret_head->bytes = (size_t)(at.ptr - rest.ptr);
        return HEAD_WHOLE;
}

static bool reads_pods(const struct list_reader *reader) {
        return reader->found_pod && reader->item_schema == schema_named("core.v1.Pod");
}

/* PodList of v1 lists Pods of v1. */
static int take_type(struct list_reader *reader, struct slice type, struct err *err) {
        struct protobuf_envelope envelope;

        if (protobuf_type(type, &envelope) < 0)
                return list_protobuf_broken(err);
        reader->has_type = true;
        reader->meta_schema = schema_named("meta.v1.ListMeta");
        if (slice_has_suffix(envelope.kind, SLICE_LITERAL("List")))
                reader->item_schema = protobuf_schema(
                        envelope.api_version,
                        slice_make(envelope.kind.ptr, envelope.kind.len - strlen("List")));
        reader->is_of_pods = reads_pods(reader);
        if (reader->item_schema && reader->meta_schema)
                return 0;
        return err_set(err, BERTH_ERR_NOT_ACCEPTABLE,
                       "\"" SLICE_FMT "\" of version \"" SLICE_FMT "\" cannot be read as protobuf",
                       SLICE_ARG(envelope.kind), SLICE_ARG(envelope.api_version));
}

static int take_item(struct list_reader *reader, struct slice message, struct err *err) {
        struct pod pod;

        if (reader->only_metadata)
                return 0;
        if (reader->is_of_pods && reader->leaves_unread &&
            pod_reader_read(reader->pods, message, &pod)) {
                reader->found_pod(reader->context, &pod);
                return 0;
        }
        json_builder_clear(reader->builder);
        int r = protobuf_build(reader->builder, reader->item_schema, message,
                               reader->leaves_unread ? FIELD_UNREAD : 0, err);
        if (r == 0)
                list_reader_report(reader, json_builder_root(reader->builder));
        return r;
}

static int take_message(struct list_reader *reader, uint64_t number, struct slice message,
                        struct err *err) {
        if (number == LIST_ITEMS)
                return take_item(reader, message, err);
        if (number != LIST_METADATA)
                return 0;
        json_builder_clear(reader->builder);
        int r = protobuf_build(reader->builder, reader->meta_schema, message, 0, err);
        if (r == 0)
                list_reader_take_metadata(reader, json_builder_root(reader->builder));
        return r;
}

/* A whole field, of the envelope or of the list inside it. */
static int take_field(struct list_reader *reader, uint64_t number, size_t size, struct slice value,
                      struct err *err) {
        if (!reader->is_inside)
                return number == ENVELOPE_TYPE ? take_type(reader, value, err) : 0;
        if (size > reader->message_left)
                return list_protobuf_broken(err);
        reader->message_left -= size;
        return take_message(reader, number, value, err);
}

static int enter_message(struct list_reader *reader, uint64_t size, struct err *err) {
        reader->is_inside = true;
        reader->message_left = size;
        return reader->has_type ? 0 : list_protobuf_broken(err);
}

/* Takes one field; *ret_cut when its bytes have not all arrived. */
static int take_next(struct list_reader *reader, struct slice *rest, bool *ret_cut,
                     struct err *err) {
        struct field_head head = { 0 };
        enum head_state state = read_head(*rest, &head);
        size_t size = head.bytes;
        int r;

        *ret_cut = state == HEAD_CUT;
        if (state != HEAD_WHOLE)
                return state == HEAD_CUT ? 0 : list_protobuf_broken(err);
        if (!reader->is_inside && head.number == ENVELOPE_MESSAGE) {
                r = enter_message(reader, head.size, err);
        } else {
                if (head.size > LIST_ITEM_MAX)
                        return err_set(err, BERTH_ERR_TOO_LARGE,
                                       "an item of the list exceeds %zu bytes", LIST_ITEM_MAX);
                size += (size_t)head.size;
                *ret_cut = rest->len < size;
                if (*ret_cut)
                        return 0;
                r = take_field(reader, head.number, size,
                               slice_make(rest->ptr + head.bytes, (size_t)head.size), err);
        }
        rest->ptr += size;
        rest->len -= size;
        return r;
}

static int take_all(struct list_reader *reader, struct slice *rest, struct err *err) {
        bool is_cut = false;
        int r = 0;

        if (!reader->has_begun) {
                if (rest->len < MAGIC_BYTES)
                        return 0;
                if (!protobuf_is_envelope(*rest))
                        return list_protobuf_broken(err);
                reader->has_begun = true;
                rest->ptr += MAGIC_BYTES;
                rest->len -= MAGIC_BYTES;
        }
        while (r == 0 && rest->len > 0 && !is_cut && !list_reader_is_satisfied(reader)) {
                if (reader->is_inside && reader->message_left == 0)
                        *rest = SLICE_EMPTY; /* what follows the list says nothing */
                else
                        r = take_next(reader, rest, &is_cut, err);
        }
        return r;
}

int list_protobuf_feed(struct list_reader *reader, struct slice chunk, struct err *err) {
        struct slice rest = chunk;

        if (!reader->builder)
                reader->builder = json_builder_new();
        if (reader->partial.len) {
                buf_slice(&reader->partial, chunk);
                rest = buf_view(&reader->partial);
        }
        int r = take_all(reader, &rest, err);
        if (r < 0 || rest.len == 0 || list_reader_is_satisfied(reader)) {
                buf_clear(&reader->partial);
                return r;
        }
        if (reader->partial.len == 0) {
                buf_slice(&reader->partial, rest);
        } else if (rest.ptr != reader->partial.data) {
                memmove(reader->partial.data, rest.ptr, rest.len);
                reader->partial.len = rest.len;
        }
        return 0;
}
