/* Decoding through field tables. Members are taken in document order, so problems come in the order
 * in which a reader of the file meets them. */
#include "api/quantity.h"
#include "base/time.h"
#include "base/util.h"
#include "config/field_priv.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_MAX 60 /* characters of a wrong value that a problem quotes */

typedef void (*decode_function)(struct field_reader *reader, const struct field *field,
                                const struct json *value, void *member);

static void decode_table(struct field_reader *reader, const struct field *fields,
                         const struct json *object, void *structure);
static void decode_field(struct field_reader *reader, const struct field *field,
                         const struct json *value, void *structure);
static void default_table(struct field_reader *reader, const struct field *fields, void *structure);

/* ---- putting what was found into words ---- */

static void field_decode_describe(const struct json *value, char *buffer, size_t size) {
        struct buf text = { 0 };
        switch (json_type(value)) {
        case JSON_OBJECT:
                snprintf(buffer, size, "a mapping");
                return;
        case JSON_ARRAY:
                snprintf(buffer, size, "a list");
                return;
        case JSON_NULL:
        case JSON_NONE:
                snprintf(buffer, size, "nothing");
                return;
        default:
                break;
        }
        json_write(value, &text);
        bool is_text = json_type(value) == JSON_STRING, is_long = text.len > SHOWN_MAX;
        snprintf(buffer, size, "%s%.*s%s", is_text ? "the string " : "", SHOWN_MAX,
                 text.data ? text.data : "", is_long ? "..." : "");
        buf_release(&text);
}

static void field_decode_expected(struct field_reader *reader, const struct json *value,
                                  const char *wanted) {
        char found[SHOWN_MAX + 32];
        field_decode_describe(value, found, sizeof(found));
        field_problem(reader, value, NULL, "expected %s, found %s", wanted, found);
}

/* In YAML 5, on and n are no strings, which surprises people. */
static void expected_text(struct field_reader *reader, const struct json *value) {
        char found[SHOWN_MAX + 32];
        enum json_type type = json_type(value);
        bool is_plain = type == JSON_BOOL || type == JSON_INT || type == JSON_REAL;
        bool is_yaml = reader->document && !document_is_json(reader->document);
        field_decode_describe(value, found, sizeof(found));
        field_problem(reader, value, NULL, "expected a string, found %s%s", found,
                      is_plain && is_yaml ? "; quotes make it a string" : "");
}

/* ---- bounds ---- */

/* How a number of this field's type is written. */
static const char *show_number(const struct field *field, int64_t number, char *buffer) {
        if (field->type == FIELD_DURATION)
                duration_format(number, buffer);
        else if (field->type == FIELD_MILLI)
                quantity_format_milli(number, buffer);
        else
                snprintf(buffer, QUANTITY_TEXT_MAX, "%" PRId64, number);
        return buffer;
}

static void check_bounds(struct field_reader *reader, const struct field *field,
                         const struct json *value, int64_t number) {
        char min[QUANTITY_TEXT_MAX], max[QUANTITY_TEXT_MAX], is[QUANTITY_TEXT_MAX];
        if (!field->is_bounded || (number >= field->min && number <= field->max))
                return;
        show_number(field, field->min, min);
        show_number(field, field->max, max);
        show_number(field, number, is);
        if (field->max == INT64_MAX)
                field_problem(reader, value, NULL, "must be at least %s, is %s", min, is);
        else if (field->min == INT64_MIN)
                field_problem(reader, value, NULL, "must be at most %s, is %s", max, is);
        else
                field_problem(reader, value, NULL, "must be between %s and %s, is %s", min, max,
                              is);
}

/* ---- plain types ---- */

static void decode_bool(struct field_reader *reader, const struct field *field,
                        const struct json *value, void *member) {
        (void)field;
        if (json_type(value) != JSON_BOOL)
                field_decode_expected(reader, value, "true or false");
        else
                *(bool *)member = json_is_true(value);
}

/* True when value is an integer between the limits of its type. */
static bool read_integer(struct field_reader *reader, const struct json *value, int64_t min,
                         int64_t max, int64_t *ret_number) {
        char found[SHOWN_MAX + 32];
        if (json_type(value) != JSON_INT) {
                field_decode_expected(reader, value, "an integer");
                return false;
        }
        if (json_as_i64(value, ret_number) && *ret_number >= min && *ret_number <= max)
                return true;
        field_decode_describe(value, found, sizeof(found));
        field_problem(reader, value, NULL, "must be between %" PRId64 " and %" PRId64 ", is %s",
                      min, max, found);
        return false;
}

static void decode_integer(struct field_reader *reader, const struct field *field,
                           const struct json *value, void *member) {
        int64_t number, min = INT64_MIN, max = INT64_MAX;
        if (field->type == FIELD_I32) {
                min = INT32_MIN;
                max = INT32_MAX;
        } else if (field->type == FIELD_U32) {
                min = 0;
                max = UINT32_MAX;
        }
        if (!read_integer(reader, value, min, max, &number))
                return;
        if (field->type == FIELD_I64)
                *(int64_t *)member = number;
        else if (field->type == FIELD_I32)
                *(int32_t *)member = (int32_t)number;
        else
                *(uint32_t *)member = (uint32_t)number;
        check_bounds(reader, field, value, number);
}

static void decode_float(struct field_reader *reader, const struct field *field,
                         const struct json *value, void *member) {
        double number;
        if (!json_as_f64(value, &number)) {
                field_decode_expected(reader, value, "a number");
                return;
        }
        *(double *)member = number;
        if (field->is_bounded && (number < (double)field->min || number > (double)field->max))
                field_problem(reader, value, NULL,
                              "must be between %" PRId64 " and %" PRId64 ", is %g", field->min,
                              field->max, number);
}

static void decode_text(struct field_reader *reader, const struct field *field,
                        const struct json *value, void *member) {
        if (json_type(value) != JSON_STRING) {
                expected_text(reader, value);
                return;
        }
        *(struct slice *)member = arena_slice(reader->arena, json_text(value));
        if ((field->flags & FIELD_NON_EMPTY) && json_text(value).len == 0)
                field_problem(reader, value, NULL, "must not be empty");
}

static void decode_duration(struct field_reader *reader, const struct field *field,
                            const struct json *value, void *member) {
        int64_t duration;
        if (json_type(value) != JSON_STRING || !duration_parse(json_text(value), &duration)) {
                field_decode_expected(reader, value, "a duration such as \"1m30s\"");
                return;
        }
        *(int64_t *)member = duration;
        check_bounds(reader, field, value, duration);
}

static void decode_quantity(struct field_reader *reader, const struct field *field,
                            const struct json *value, void *member) {
        enum json_type type = json_type(value);
        struct buf written = { 0 };
        struct slice text = json_text(value);
        int64_t amount = 0;
        int r = BERTH_ERR_BAD_REQUEST;
        if (type == JSON_INT || type == JSON_REAL) {
                json_write(value, &written);
                text = buf_view(&written);
        }
        if (text.len > 0)
                r = field->type == FIELD_MILLI ? quantity_milli(text, &amount, NULL)
                                               : quantity_value(text, &amount, NULL);
        buf_release(&written);
        if (r < 0) {
                field_decode_expected(reader, value, "a quantity such as \"500m\" or \"2Gi\"");
                return;
        }
        *(int64_t *)member = amount;
        check_bounds(reader, field, value, amount);
}

static void decode_choice(struct field_reader *reader, const struct field *field,
                          const struct json *value, void *member) {
        char wanted[ERR_TEXT_MAX / 2] = "one of";
        size_t length = strlen(wanted);
        for (int i = 0; field->choices[i]; i++) {
                if (json_type(value) == JSON_STRING &&
                    slice_is(json_text(value), field->choices[i])) {
                        *(int *)member = i;
                        return;
                }
                if (length < sizeof(wanted))
                        length += (size_t)snprintf(wanted + length, sizeof(wanted) - length,
                                                   "%s \"%s\"", i ? "," : "", field->choices[i]);
        }
        field_decode_expected(reader, value, wanted);
}

static void decode_json(struct field_reader *reader, const struct field *field,
                        const struct json *value, void *member) {
        (void)reader;
        (void)field;
        *(const struct json **)member = value;
}

static void decode_custom(struct field_reader *reader, const struct field *field,
                          const struct json *value, void *member) {
        field->decode(reader, value, member);
}

/* ---- composed types ---- */

static bool is_list(struct field_reader *reader, const struct field *field,
                    const struct json *value) {
        if (json_type(value) != JSON_ARRAY) {
                field_decode_expected(reader, value, "a list");
                return false;
        }
        if ((field->flags & FIELD_NON_EMPTY) && json_count(value) == 0)
                field_problem(reader, value, NULL, "must not be empty");
        return true;
}

static void decode_texts(struct field_reader *reader, const struct field *field,
                         const struct json *value, void *member) {
        static const struct field element = { .type = FIELD_TEXT };
        struct text_list *list = member;
        struct json_iter iter = json_iter(value);
        const struct json *item;
        if (!is_list(reader, field, value))
                return;
        list->count = json_count(value);
        list->items = ARENA_ARRAY(reader->arena, struct slice, list->count);
        for (size_t i = 0; json_next(&iter, NULL, &item); i++) {
                size_t length = field_path_enter_index(reader, i);
                list->items[i] = arena_slice(reader->arena, SLICE_EMPTY);
                if (json_type(item) != JSON_NULL) /* Go reads null as the empty string */
                        decode_text(reader, &element, item, &list->items[i]);
                field_path_leave(reader, length);
        }
}

/* An element or member value: a mapping, or a plain value where the table has one nameless row. */
static void decode_item(struct field_reader *reader, const struct field *field,
                        const struct json *value, void *item) {
        if (!fields_are_plain(field->fields))
                decode_table(reader, field->fields, value, item);
        else if (json_type(value) == JSON_NULL)
                default_table(reader, field->fields, item);
        else
                decode_field(reader, field->fields, value, item);
}

static void decode_list(struct field_reader *reader, const struct field *field,
                        const struct json *value, void *member) {
        struct item_list *list = member;
        struct json_iter iter = json_iter(value);
        const struct json *item;
        if (!is_list(reader, field, value))
                return;
        list->count = json_count(value);
        list->items = arena_array(reader->arena, list->count, field->item_size);
        for (size_t i = 0; json_next(&iter, NULL, &item); i++) {
                size_t length = field_path_enter_index(reader, i);
                decode_item(reader, field, item, (char *)list->items + i * field->item_size);
                field_path_leave(reader, length);
        }
}

static void decode_map(struct field_reader *reader, const struct field *field,
                       const struct json *value, void *member) {
        struct item_list *list = member;
        if (json_type(value) != JSON_OBJECT) {
                field_decode_expected(reader, value, "a mapping");
                return;
        }
        struct json_member *members = json_members(value, &list->count);
        list->items = arena_array(reader->arena, list->count, field->item_size);
        for (size_t i = 0; i < list->count; i++) {
                char *item = (char *)list->items + i * field->item_size;
                size_t length = field_path_enter_key(reader, members[i].key);
                decode_item(reader, field, members[i].value, item);
                *(struct slice *)(void *)item = arena_slice(reader->arena, members[i].key);
                field_path_leave(reader, length);
        }
        free(members);
        if ((field->flags & FIELD_NON_EMPTY) && list->count == 0)
                field_problem(reader, value, NULL, "must not be empty");
}

static void decode_struct(struct field_reader *reader, const struct field *field,
                          const struct json *value, void *member) {
        decode_table(reader, field->fields, value, member);
}

static void decode_pointer(struct field_reader *reader, const struct field *field,
                           const struct json *value, void *member) {
        if (json_type(value) != JSON_OBJECT) {
                field_decode_expected(reader, value, "a mapping");
                return;
        }
        void *target = arena_alloc(reader->arena, field->item_size);
        decode_table(reader, field->fields, value, target);
        *(void **)member = target;
}

/* ---- tables ---- */

static const decode_function decoders[] = {
        [FIELD_BOOL] = decode_bool,         [FIELD_I32] = decode_integer,
        [FIELD_I64] = decode_integer,       [FIELD_U32] = decode_integer,
        [FIELD_F64] = decode_float,         [FIELD_TEXT] = decode_text,
        [FIELD_DURATION] = decode_duration, [FIELD_QUANTITY] = decode_quantity,
        [FIELD_MILLI] = decode_quantity,    [FIELD_CHOICE] = decode_choice,
        [FIELD_TEXTS] = decode_texts,       [FIELD_STRUCT] = decode_struct,
        [FIELD_POINTER] = decode_pointer,   [FIELD_LIST] = decode_list,
        [FIELD_MAP] = decode_map,           [FIELD_JSON] = decode_json,
        [FIELD_CUSTOM] = decode_custom,
};

static void decode_field(struct field_reader *reader, const struct field *field,
                         const struct json *value, void *structure) {
        size_t before = reader->problems->count;
        char *member = (char *)structure + field->offset;
        assert((size_t)field->type < ARRAY_LEN(decoders));
        decoders[field->type](reader, field, value, member);
        if (field->check && reader->problems->count == before)
                field->check(reader, value, member);
}

/* What is zeroed before decoding. Embedded structs are left to their own rows. */
static const size_t member_sizes[] = {
        [FIELD_BOOL] = sizeof(bool),
        [FIELD_I32] = sizeof(int32_t),
        [FIELD_I64] = sizeof(int64_t),
        [FIELD_U32] = sizeof(uint32_t),
        [FIELD_F64] = sizeof(double),
        [FIELD_TEXT] = sizeof(struct slice),
        [FIELD_DURATION] = sizeof(int64_t),
        [FIELD_QUANTITY] = sizeof(int64_t),
        [FIELD_MILLI] = sizeof(int64_t),
        [FIELD_CHOICE] = sizeof(int),
        [FIELD_TEXTS] = sizeof(struct text_list),
        [FIELD_STRUCT] = 0,
        [FIELD_POINTER] = sizeof(void *),
        [FIELD_LIST] = sizeof(struct item_list),
        [FIELD_MAP] = sizeof(struct item_list),
        [FIELD_JSON] = sizeof(const struct json *),
        [FIELD_CUSTOM] = 0,
};

static void mark_present(const struct field *field, void *structure) {
        if (field->presence != 0 && field->presence != FIELD_NO_PRESENCE)
                *(bool *)((char *)structure + field->presence) = true;
}

/* A default is our own text: it must parse, and must fit its field. */
static void default_field(struct field_reader *reader, const struct field *field, void *structure) {
        struct json_doc *doc;
        void *member = (char *)structure + field->offset;
        memset(member, 0, member_sizes[field->type]);
        if (field->presence != 0 && field->presence != FIELD_NO_PRESENCE)
                *(bool *)((char *)structure + field->presence) = false;
        if (field->type == FIELD_STRUCT)
                default_table(reader, field->fields, member);
        if (field->type == FIELD_TEXT)
                *(struct slice *)member = SLICE_LITERAL(""); /* never NULL */
        if (!field->fallback)
                return;
        assert(field->type != FIELD_JSON);
        int r = json_parse(slice_of(field->fallback), &doc, NULL);
        size_t before = reader->problems->count;
        assert(r == 0);
        decode_field(reader, field, json_doc_root(doc), structure);
        assert(reader->problems->count == before);
        json_doc_free(doc);
}

static void default_table(struct field_reader *reader, const struct field *fields,
                          void *structure) {
        for (const struct field *field = fields; field->name; field++)
                default_field(reader, field, structure);
}

static const struct field *find_field(const struct field *fields, struct slice key) {
        for (const struct field *field = fields; field->name; field++) {
                if (slice_is(key, field->name))
                        return field;
        }
        return NULL;
}

static void decode_member(struct field_reader *reader, const struct field *fields,
                          const struct json *object, const struct json_member *member,
                          void *structure) {
        const struct field *field = find_field(fields, member->key);
        if (!field) {
                field_unknown(reader, fields, object, member->key);
                return;
        }
        if (json_type(member->value) == JSON_NULL)
                return;
        size_t length = field_path_enter(reader, field->name);
        if (field->flags & FIELD_DEPRECATED)
                field_warning(reader, member->value, NULL, "deprecated");
        mark_present(field, structure);
        decode_field(reader, field, member->value, structure);
        field_path_leave(reader, length);
}

static void check_required(struct field_reader *reader, const struct field *fields,
                           const struct json *object) {
        for (const struct field *field = fields; field->name; field++) {
                enum json_type type = json_type(json_get(object, field->name));
                if ((field->flags & FIELD_REQUIRED) && (type == JSON_NONE || type == JSON_NULL))
                        field_problem(reader, object, field->name, "required, but missing");
        }
}

static void decode_table(struct field_reader *reader, const struct field *fields,
                         const struct json *object, void *structure) {
        enum json_type type = json_type(object);
        size_t count = 0;
        default_table(reader, fields, structure);
        if (type != JSON_OBJECT && type != JSON_NULL && type != JSON_NONE) {
                field_decode_expected(reader, object, "a mapping");
                return;
        }
        struct json_member *members = json_members(object, &count);
        for (size_t i = 0; i < count; i++)
                decode_member(reader, fields, object, &members[i], structure);
        free(members);
        check_required(reader, fields, object);
}

bool fields_decode(struct field_reader *reader, const struct field *fields,
                   const struct json *object, void *ret_struct) {
        size_t before = reader->problems->count;
        decode_table(reader, fields, object, ret_struct);
        return reader->problems->count == before;
}

void fields_default(struct arena *arena, const struct field *fields, void *ret_struct) {
        struct config_problems *problems = config_problems_new();
        struct field_reader reader = { .arena = arena, .problems = problems };
        default_table(&reader, fields, ret_struct);
        config_problems_free(problems);
}
