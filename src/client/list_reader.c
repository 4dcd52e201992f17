/* Tells the form of a list by its first bytes. */
#include "client/list_reader.h"

#include "base/util.h"
#include "client/list_reader_priv.h"
#include "schema/protobuf.h"
#include <stdlib.h>

struct list_reader *list_reader_new(void (*found)(void *context, const struct json *item),
                                    void *context) {
        struct list_reader *reader = xcalloc(1, sizeof(*reader));

        reader->found = found;
        reader->context = context;
        return reader;
}

void list_reader_leave_unread(struct list_reader *reader, bool leaves_unread) {
        reader->leaves_unread = leaves_unread;
}

void list_reader_read_pods(struct list_reader *reader, struct pod_reader *pods,
                           void (*found_pod)(void *context, const struct pod *pod)) {
        reader->pods = pods;
        reader->found_pod = found_pod;
}

void list_reader_free(struct list_reader *reader) {
        if (!reader)
                return;
        buf_release(&reader->partial);
        buf_release(&reader->version);
        buf_release(&reader->continue_token);
        json_builder_free(reader->builder);
        free(reader);
}

void list_reader_begin(struct list_reader *reader) {
        buf_release(&reader->partial);
        buf_clear(&reader->version);
        buf_clear(&reader->continue_token);
        reader->form = LIST_FORM_UNKNOWN;
        reader->place = LIST_BEGIN;
        reader->has_items = reader->has_metadata = reader->only_metadata = false;
        reader->depth = 0;
        reader->in_text = reader->escaped = false;
        reader->has_begun = reader->has_type = reader->is_inside = false;
        reader->item_schema = NULL;
}

/* Protobuf begins with four bytes of which no JSON text has the first. */
static void tell_form(struct list_reader *reader, struct slice chunk) {
        reader->form = chunk.ptr[0] == 'k' ? LIST_FORM_PROTOBUF : LIST_FORM_JSON;
}

int list_reader_feed(struct list_reader *reader, struct slice chunk, struct err *err) {
        if (chunk.len == 0)
                return 0;
        if (reader->form == LIST_FORM_UNKNOWN)
                tell_form(reader, chunk);
        return reader->form == LIST_FORM_JSON ? list_json_feed(reader, chunk, err)
                                              : list_protobuf_feed(reader, chunk, err);
}

int list_reader_end(struct list_reader *reader, struct err *err) {
        bool is_whole = reader->form == LIST_FORM_PROTOBUF
                                ? reader->is_inside && reader->message_left == 0
                                : reader->place == LIST_DONE;

        buf_release(&reader->partial);
        if (!is_whole)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "the list ends in the middle");
        if (reader->form == LIST_FORM_JSON && !reader->has_items)
                return err_set(err, BERTH_ERR_INTERNAL, "it is no list");
        return 0;
}

int list_reader_read(struct list_reader *reader, struct slice body, struct err *err) {
        list_reader_begin(reader);
        int r = list_reader_feed(reader, body, err);
        return r < 0 ? r : list_reader_end(reader, err);
}

int list_reader_peek(struct list_reader *reader, struct slice body, struct err *err) {
        list_reader_begin(reader);
        reader->only_metadata = true;
        int r = list_reader_feed(reader, body, err);
        if (r == 0 && !reader->has_metadata)
                r = list_reader_end(reader, err);
        buf_clear(&reader->partial);
        return r;
}

struct slice list_reader_version(const struct list_reader *reader) {
        return buf_view(&reader->version);
}

struct slice list_reader_continue(const struct list_reader *reader) {
        return buf_view(&reader->continue_token);
}
