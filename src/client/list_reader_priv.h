/* What the two forms of a list share. For the list_reader files only. */
#pragma once

#include "api/json_build.h"
#include "client/list_reader.h"
#include "schema/schema.h"

enum list_form { LIST_FORM_UNKNOWN, LIST_FORM_JSON, LIST_FORM_PROTOBUF };

/* Where in a JSON list the next byte is. */
enum list_place {
        LIST_BEGIN,       /* before { */
        LIST_KEY,         /* before a key or } */
        LIST_COLON,       /* behind a key */
        LIST_VALUE,       /* before or in a member's value */
        LIST_AFTER_VALUE, /* before , or } */
        LIST_ITEM,        /* before or in an item, or before ] */
        LIST_AFTER_ITEM,  /* before , or ] */
        LIST_DONE,
};

struct list_reader {
        void (*found)(void *context, const struct json *item);
        void (*found_pod)(void *context, const struct pod *pod); /* NULL: as values */
        void *context;
        enum list_form form;
        struct buf partial; /* bytes whose value has not ended */
        struct buf version, continue_token;
        bool has_items, has_metadata;
        bool only_metadata; /* the rest of the answer does not matter */
        /* JSON */
        enum list_place place;
        char key[16];          /* of the member under way, cut */
        unsigned depth;        /* containers open inside the value under way */
        bool in_text, escaped; /* inside quotes; behind a backslash */
        /* Protobuf */
        struct json_builder *builder;
        const struct schema_object *item_schema, *meta_schema;
        struct pod_reader *pods;  /* see list_reader_read_pods */
        bool is_of_pods;          /* and its items are such */
        bool leaves_unread;       /* see list_reader_leave_unread */
        bool has_begun, has_type; /* the envelope; apiVersion and kind have been read */
        bool is_inside;           /* the list itself is under way */
        uint64_t message_left;    /* bytes of it that have not been read */
};

int list_json_feed(struct list_reader *reader, struct slice chunk, struct err *err);
int list_protobuf_feed(struct list_reader *reader, struct slice chunk, struct err *err);
/* Of the list's metadata: keeps version and continue token. */
static inline void list_reader_take_metadata(struct list_reader *reader,
                                             const struct json *metadata) {
        reader->has_metadata = true;
        buf_clear(&reader->version);
        buf_clear(&reader->continue_token);
        buf_slice(&reader->version, json_get_text(metadata, "resourceVersion"));
        buf_slice(&reader->continue_token, json_get_text(metadata, "continue"));
}
static inline void list_reader_report(struct list_reader *reader, const struct json *item) {
        if (!reader->only_metadata && reader->found)
                reader->found(reader->context, item);
}
/* Metadata alone was asked for, and is there. */
static inline bool list_reader_is_satisfied(const struct list_reader *reader) {
        return reader->only_metadata && reader->has_metadata;
}
