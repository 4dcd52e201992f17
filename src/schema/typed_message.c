/* The engine of typed messages: a table of fields by number for each message, and the takers of
 * basic types. */
#include "schema/typed_message.h"

#include "api/quantity.h"
#include "base/utf8.h"
#include "base/util.h"
#include "schema/schema.h"
#include <assert.h>
#include <stdlib.h>

#define NUMBERS 64u    /* fields of higher numbers are in no table */
#define ENTRIES_MAX 64 /* of a map */

/* ---- tables ---- */

static bool take_none(const struct typed_reader *reader, const struct typed_field *field,
                      const struct wire_field *wire, struct slice *rest, char *target) {
        (void)reader, (void)field, (void)wire, (void)rest, (void)target;
        return false;
}

static const struct typed_field *field_named(const struct typed_message *message,
                                             const char *name) {
        static const struct typed_field none = { .take = take_none };

        for (size_t i = 0; i < message->count; i++)
                if (strcmp(message->fields[i].name, name) == 0)
                        return &message->fields[i];
        return &none;
}

static const struct typed_field **table_new(const struct typed_message *message) {
        const struct typed_field **table = xcalloc(NUMBERS, sizeof(struct typed_field *));
        const struct schema_object *schema = schema_named(message->schema);

        assert(schema);
        for (size_t i = 0; i < schema->count; i++) {
                const struct schema_field *field = &schema->fields[i];

                assert(field->number < NUMBERS && field->via == 0);
                if (!(field->flags & FIELD_UNREAD))
                        table[field->number] = field_named(message, field->name);
        }
        return table;
}

const struct typed_field *const **typed_tables_new(const struct typed_message *const *messages,
                                                   size_t count) {
        const struct typed_field *const **tables = xcalloc(count, sizeof(*tables));

        for (size_t i = 0; i < count; i++) {
                assert(messages[i]->index == i);
                tables[i] = table_new(messages[i]);
        }
        return tables;
}

void typed_tables_free(const struct typed_field *const **tables, size_t count) {
        for (size_t i = 0; tables && i < count; i++)
                free((void *)(uintptr_t)tables[i]);
        free((void *)(uintptr_t)tables);
}

bool typed_read(const struct typed_reader *reader, const struct typed_message *message,
                struct slice bytes, void *target) {
        const struct typed_field *const *table = reader->tables[message->index];
        struct wire_field wire;
        uint64_t seen = 0; /* a bit for each number */

        while (bytes.len > 0) {
                if (!wire_take_field(&bytes, &wire))
                        return false;
                const struct typed_field *field = wire.number < NUMBERS ? table[wire.number] : NULL;
                if (!field)
                        continue;
                if (seen >> wire.number & 1 ||
                    !field->take(reader, field, &wire, &bytes, (char *)target + field->offset))
                        return false;
                seen |= (uint64_t)1 << wire.number;
        }
        return true;
}

/* ---- basic types ---- */

bool typed_text(struct slice text) {
        return utf8_is_valid(text);
}

bool typed_take_text(const struct typed_reader *reader, const struct typed_field *field,
                     const struct wire_field *wire, struct slice *rest, char *target) {
        (void)reader, (void)field, (void)rest;
        *(struct slice *)(void *)target = wire->bytes;
        return wire->type == WIRE_BYTES && typed_text(wire->bytes);
}

bool typed_take_check(const struct typed_reader *reader, const struct typed_field *field,
                      const struct wire_field *wire, struct slice *rest, char *target) {
        (void)reader, (void)field, (void)rest, (void)target;
        return wire->type == WIRE_BYTES && typed_text(wire->bytes);
}

bool typed_take_bool(const struct typed_reader *reader, const struct typed_field *field,
                     const struct wire_field *wire, struct slice *rest, char *target) {
        (void)reader, (void)field, (void)rest;
        *(bool *)target = wire->scalar != 0;
        return wire->type == WIRE_VARINT;
}

bool typed_take_int32(const struct typed_reader *reader, const struct typed_field *field,
                      const struct wire_field *wire, struct slice *rest, char *target) {
        (void)reader, (void)field, (void)rest;
        *(int32_t *)(void *)target = (int32_t)wire->scalar;
        return wire->type == WIRE_VARINT;
}

bool typed_take_int64(const struct typed_reader *reader, const struct typed_field *field,
                      const struct wire_field *wire, struct slice *rest, char *target) {
        (void)reader, (void)field, (void)rest;
        *(int64_t *)(void *)target = (int64_t)wire->scalar;
        return wire->type == WIRE_VARINT;
}

bool typed_take_check_number(const struct typed_reader *reader, const struct typed_field *field,
                             const struct wire_field *wire, struct slice *rest, char *target) {
        (void)reader, (void)field, (void)rest, (void)target;
        return wire->type == WIRE_VARINT;
}

/* An empty message is no time. */
static bool read_time(struct slice message, struct wall_time *time) {
        struct wire_field seconds, nanos;

        if (message.len == 0)
                return true;
        if (!wire_take_field(&message, &seconds) || seconds.number != 1 ||
            seconds.type != WIRE_VARINT || seconds.scalar == 0 || seconds.scalar > UINT32_MAX)
                return false;
        if (message.len > 0 && (!wire_take_field(&message, &nanos) || nanos.number != 2 ||
                                nanos.type != WIRE_VARINT || nanos.scalar != 0))
                return false;
        time->ns = (int64_t)seconds.scalar * NS_PER_S;
        return message.len == 0;
}

bool typed_take_time(const struct typed_reader *reader, const struct typed_field *field,
                     const struct wire_field *wire, struct slice *rest, char *target) {
        (void)reader, (void)field, (void)rest;
        return wire->type == WIRE_BYTES &&
               read_time(wire->bytes, (struct wall_time *)(void *)target);
}

bool typed_take_check_time(const struct typed_reader *reader, const struct typed_field *field,
                           const struct wire_field *wire, struct slice *rest, char *target) {
        struct wall_time time;

        (void)reader, (void)field, (void)rest, (void)target;
        return wire->type == WIRE_BYTES && read_time(wire->bytes, &time);
}

/* ---- messages and lists ---- */

bool typed_take_part(const struct typed_reader *reader, const struct typed_field *field,
                     const struct wire_field *wire, struct slice *rest, char *target) {
        (void)rest;
        if (wire->type != WIRE_BYTES)
                return false;
        if (field->message->begin)
                field->message->begin(target);
        return typed_read(reader, field->message, wire->bytes, target);
}

bool typed_take_marked_part(const struct typed_reader *reader, const struct typed_field *field,
                            const struct wire_field *wire, struct slice *rest, char *target) {
        *(bool *)(target + field->count_offset) = true;
        return typed_take_part(reader, field, wire, rest, target);
}

/* Elements of the field from wire on, which are neighbours; 0 when one is broken. */
static size_t count_neighbours(const struct wire_field *wire, struct slice rest) {
        struct wire_field next = *wire;
        size_t count = 0;

        while (next.number == wire->number) {
                if (next.type != WIRE_BYTES)
                        return 0;
                count++;
                if (rest.len == 0)
                        break;
                if (!wire_take_field(&rest, &next))
                        return 0;
        }
        return count;
}

static bool take_element(const struct typed_reader *reader, const struct typed_field *field,
                         struct slice bytes, char *slot) {
        if (!field->message) {
                *(struct slice *)(void *)slot = bytes;
                return typed_text(bytes);
        }
        if (field->message->begin)
                field->message->begin(slot);
        return typed_read(reader, field->message, bytes, slot);
}

bool typed_take_list(const struct typed_reader *reader, const struct typed_field *field,
                     const struct wire_field *wire, struct slice *rest, char *target) {
        size_t count = count_neighbours(wire, *rest);
        struct wire_field element = *wire;

        if (count == 0)
                return false;
        char *items = arena_array(reader->arena, count, field->element_size);
        for (size_t i = 0; i < count; i++) {
                if (i > 0 && !wire_take_field(rest, &element))
                        return false;
                if (!take_element(reader, field, element.bytes, items + i * field->element_size))
                        return false;
        }
        memcpy(target, &items, sizeof(items));
        memcpy(target - field->offset + field->count_offset, &count, sizeof(count));
        return true;
}

/* ---- maps ---- */

static bool take_entry(struct slice entry, struct slice *ret_key, struct slice *ret_value) {
        struct wire_field key, value;

        if (!wire_take_field(&entry, &key) || key.number != 1 || key.type != WIRE_BYTES ||
            !wire_take_field(&entry, &value) || value.number != 2 || value.type != WIRE_BYTES ||
            entry.len > 0 || !typed_text(key.bytes))
                return false;
        *ret_key = key.bytes;
        *ret_value = value.bytes;
        return true;
}

/* Reads one entry of a map; an element begins with its key. */
typedef bool (*read_entry_t)(struct slice entry, void *element);

/* The elements, in the arena; NULL when an entry is broken or a key is there twice. */
static void *take_map(const struct typed_reader *reader, const struct wire_field *wire,
                      struct slice *rest, size_t element_size, read_entry_t read,
                      size_t *ret_count) {
        size_t count = count_neighbours(wire, *rest);
        struct wire_field entry = *wire;

        if (count == 0 || count > ENTRIES_MAX)
                return NULL;
        char *items = arena_array(reader->arena, count, element_size);
        for (size_t i = 0; i < count; i++) {
                struct slice *key = (struct slice *)(void *)(items + i * element_size);

                if ((i > 0 && !wire_take_field(rest, &entry)) || !read(entry.bytes, key))
                        return NULL;
                for (size_t j = 0; j < i; j++)
                        if (slice_eq(*(struct slice *)(void *)(items + j * element_size), *key))
                                return NULL;
        }
        *ret_count = count;
        return items;
}

static_assert(offsetof(struct label, key) == 0, "take_map finds the key");
static_assert(offsetof(struct resource_amount, name) == 0, "take_map finds the key");

static bool read_label(struct slice entry, void *element) {
        struct label *label = element;

        return take_entry(entry, &label->key, &label->value) && typed_text(label->value);
}

bool typed_take_labels(const struct typed_reader *reader, const struct typed_field *field,
                       const struct wire_field *wire, struct slice *rest, char *target) {
        struct label_list *list = (struct label_list *)(void *)target;

        (void)field;
        list->items = take_map(reader, wire, rest, sizeof(struct label), read_label, &list->count);
        return list->items;
}

static bool read_amount(struct slice entry, void *element) {
        struct resource_amount *amount = element;
        struct wire_field text;
        struct slice quantity;
        struct err err;

        if (!take_entry(entry, &amount->name, &quantity) || !wire_take_field(&quantity, &text) ||
            text.number != 1 || text.type != WIRE_BYTES || quantity.len > 0 ||
            !typed_text(text.bytes))
                return false;
        int r = slice_is(amount->name, "cpu") ? quantity_milli(text.bytes, &amount->amount, &err)
                                              : quantity_value(text.bytes, &amount->amount, &err);
        return r == 0 && amount->amount >= 0;
}

bool typed_take_amounts(const struct typed_reader *reader, const struct typed_field *field,
                        const struct wire_field *wire, struct slice *rest, char *target) {
        struct resource_list *list = (struct resource_list *)(void *)target;

        (void)field;
        list->items = take_map(reader, wire, rest, sizeof(struct resource_amount), read_amount,
                               &list->count);
        return list->items;
}

bool typed_take_check_amounts(const struct typed_reader *reader, const struct typed_field *field,
                              const struct wire_field *wire, struct slice *rest, char *target) {
        struct resource_list list;

        (void)target;
        return typed_take_amounts(reader, field, wire, rest, (char *)&list);
}
