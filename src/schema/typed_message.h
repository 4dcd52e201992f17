/* From the bytes of a protobuf message to the members of a struct, by tables and without JSON
 * values in between.  Takes what API servers write: each field once, or its elements side by side,
 * of the type that the schema says, with valid text.  Refuses all else, so that its caller reads
 * the message as a value, which knows every case. */
#pragma once

#include "api/object.h"
#include "base/arena.h"
#include "schema/protobuf_wire.h"

struct typed_field;
struct typed_message;

struct typed_reader {
        struct arena *arena;                      /* arrays of what is read */
        const struct typed_field *const **tables; /* of each message, by field number */
};

/* Takes one field, or all neighbours of its number (then moves rest behind them), into the struct
 * at target.  False: refused. */
typedef bool typed_take(const struct typed_reader *reader, const struct typed_field *field,
                        const struct wire_field *wire, struct slice *rest, char *target);

struct typed_field {
        const char *name; /* in the schema */
        typed_take *take;
        size_t offset;                       /* of the member in the struct */
        const struct typed_message *message; /* of a message or of the elements of a list */
        size_t count_offset, element_size;   /* of lists; the mark of a part */
};

struct typed_message {
        const char *schema;
        size_t index; /* among all messages */
        const struct typed_field *fields;
        size_t count;
        void (*begin)(void *target); /* sets defaults; may be NULL */
};

/* One entry for each of the messages.  A field that the schema has and that is read, but is in no
 * table, is refused. */
const struct typed_field *const **typed_tables_new(const struct typed_message *const *messages,
                                                   size_t count);
void typed_tables_free(const struct typed_field *const **tables, size_t count);
bool typed_read(const struct typed_reader *reader, const struct typed_message *message,
                struct slice bytes, void *target);

bool typed_text(struct slice text); /* valid UTF-8 */

typed_take typed_take_text;  /* struct slice */
typed_take typed_take_check; /* text that is not kept */
typed_take typed_take_bool;
typed_take typed_take_int32;
typed_take typed_take_int64;
typed_take typed_take_time;          /* struct wall_time */
typed_take typed_take_check_time;    /* not kept */
typed_take typed_take_check_number;  /* not kept */
typed_take typed_take_part;          /* a message into the same struct */
typed_take typed_take_marked_part;   /* and sets the bool at count_offset */
typed_take typed_take_list;          /* of messages, or of texts without a message */
typed_take typed_take_labels;        /* struct label_list */
typed_take typed_take_amounts;       /* struct resource_list; none is negative */
typed_take typed_take_check_amounts; /* not kept */
