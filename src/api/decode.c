/* The mechanism behind the object decoders: field tables, lists and basic types. */
#include "api/decode_priv.h"
#include "api/quantity.h"
#include <stdio.h>

#define RESOURCE_KINDS_MAX 1000 /* names in one resource list */

int decode_type_error(const struct json *value, const char *wanted, struct decode *d) {
        return err_set(d->err, BERTH_ERR_BAD_REQUEST, "expected %s, got %s", wanted,
                       json_type_name(json_type(value)));
}

/* ---- tables ---- */

/* Objects mostly have their members in the order of the table, so the search goes on behind the
 * last one found; one byte tells most names of equal length apart. */
static const struct decode_field *find_field(const struct decode_field *fields, size_t count,
                                             struct slice name, size_t *start) {
        for (size_t i = 0, at = *start; name.len > 0 && i < count; i++, at++) {
                at = at < count ? at : 0;
                if (fields[at].name_len == name.len && fields[at].name[0] == name.ptr[0] &&
                    memcmp(fields[at].name, name.ptr, name.len) == 0) {
                        *start = at + 1;
                        return &fields[at];
                }
        }
        return NULL;
}

static int decode_element(const struct decode_field *field, const struct json *value, size_t index,
                          void *target, struct decode *d) {
        char segment[32];
        int r = field->decode(value, target, d);
        if (r < 0) {
                snprintf(segment, sizeof(segment), "[%zu]", index);
                err_path_prepend(d->err, segment);
        }
        return r;
}

static int decode_list(const struct decode_field *field, const struct json *value, void *target,
                       struct decode *d) {
        if (json_type(value) != JSON_ARRAY)
                return decode_type_error(value, "array", d);
        struct json_iter iter = json_iter(value);
        const struct json *element;
        size_t count = 0;
        char *items = arena_array(d->arena, iter.count, field->element_size);
        while (json_next(&iter, NULL, &element)) {
                char *slot = items + count * field->element_size;
                int r = decode_element(field, element, iter.index - 1, slot, d);
                if (r < 0)
                        return r;
                count += r != DECODE_SKIP;
        }
        memcpy((char *)target + field->offset, &items, sizeof(items));
        memcpy((char *)target + field->count_offset, &count, sizeof(count));
        return 0;
}

static int decode_member(const struct decode_field *field, const struct json *value, void *target,
                         struct decode *d) {
        int r = field->element_size > 0 ? decode_list(field, value, target, d)
                                        : field->decode(value, (char *)target + field->offset, d);
        if (r < 0)
                err_path_prepend(d->err, field->name);
        return r;
}

int decode_fields(const struct json *object, const struct decode_field *fields, size_t count,
                  void *target, struct decode *d) {
        if (json_type(object) == JSON_NULL || json_type(object) == JSON_NONE)
                return 0;
        if (json_type(object) != JSON_OBJECT)
                return decode_type_error(object, "object", d);
        struct json_iter iter = json_iter(object);
        const struct json *value;
        struct slice name;
        size_t start = 0;
        while (json_next(&iter, &name, &value)) {
                const struct decode_field *field = find_field(fields, count, name, &start);
                if (!field || json_type(value) == JSON_NULL)
                        continue;
                int r = decode_member(field, value, target, d);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* ---- basic types ---- */

int decode_text(const struct json *value, void *target, struct decode *d) {
        if (json_type(value) != JSON_STRING)
                return decode_type_error(value, "string", d);
        *(struct slice *)target = json_text(value);
        return 0;
}

int decode_bool(const struct json *value, void *target, struct decode *d) {
        if (json_type(value) != JSON_BOOL)
                return decode_type_error(value, "boolean", d);
        *(bool *)target = json_is_true(value);
        return 0;
}

int decode_int64(const struct json *value, void *target, struct decode *d) {
        if (json_type(value) != JSON_INT)
                return decode_type_error(value, "integer", d);
        if (!json_as_i64(value, target))
                return err_set(d->err, BERTH_ERR_BAD_REQUEST, "number does not fit 64 bits");
        return 0;
}

int decode_int32(const struct json *value, void *target, struct decode *d) {
        int64_t wide;
        int r = decode_int64(value, &wide, d);
        if (r < 0)
                return r;
        if (wide < INT32_MIN || wide > INT32_MAX)
                return err_set(d->err, BERTH_ERR_BAD_REQUEST, "number does not fit 32 bits");
        *(int32_t *)target = (int32_t)wide;
        return 0;
}

int decode_time(const struct json *value, void *target, struct decode *d) {
        if (json_type(value) != JSON_STRING)
                return decode_type_error(value, "string", d);
        if (!wall_time_parse(json_text(value), target))
                return err_set(d->err, BERTH_ERR_BAD_REQUEST, "not an RFC 3339 time");
        return 0;
}

int decode_labels(const struct json *value, void *target, struct decode *d) {
        if (json_type(value) != JSON_OBJECT)
                return decode_type_error(value, "object", d);
        struct label_list labels = label_list_decode(value, d->arena);
        if (labels.count < json_count(value)) { /* repeated members, or values of other types */
                struct json_iter iter = json_iter(value);
                const struct json *label;
                while (json_next(&iter, NULL, &label)) {
                        if (json_type(label) != JSON_STRING)
                                return decode_type_error(label, "string", d);
                }
        }
        *(struct label_list *)target = labels;
        return 0;
}

int decode_selector(const struct json *value, struct selector *ret_selector, bool *ret_is_invalid,
                    struct decode *d) {
        struct err problem = { 0 };
        int r = selector_decode(value, d->arena, ret_selector, &problem);
        *ret_is_invalid = r == BERTH_ERR_INVALID;
        if (r == BERTH_ERR_INVALID)
                *ret_selector = (struct selector){ .matches_nothing = true };
        else if (r < 0 && d->err)
                *d->err = problem;
        return r == BERTH_ERR_INVALID ? 0 : r;
}

/* ---- resource lists ---- */

/* Quantities may be numbers; upstream reads their text and drops white space around strings. */
static int quantity_amount(const struct json *value, bool is_cpu, int64_t *ret_amount,
                           struct decode *d) {
        struct buf number = { 0 };
        struct slice text = slice_trim(json_text(value));
        enum json_type type = json_type(value);
        if (type == JSON_INT || type == JSON_REAL) {
                json_write(value, &number);
                text = buf_view(&number);
        } else if (type != JSON_STRING) {
                return decode_type_error(value, "quantity", d);
        }
        int r = is_cpu ? quantity_milli(text, ret_amount, d->err)
                       : quantity_value(text, ret_amount, d->err);
        buf_release(&number);
        return r;
}

static int decode_amount(const struct json_member *member, bool allows_negative,
                         struct resource_amount *amount, struct decode *d) {
        amount->name = member->key;
        if (json_type(member->value) == JSON_NULL)
                return 0; /* upstream reads null as zero */
        int r = quantity_amount(member->value, slice_is(member->key, "cpu"), &amount->amount, d);
        if (r == 0 && amount->amount < 0 && !allows_negative)
                r = err_set(d->err, BERTH_ERR_INVALID, "must be greater than or equal to 0");
        if (r < 0) {
                char name[ERR_PATH_MAX];
                snprintf(name, sizeof(name), SLICE_FMT, SLICE_ARG(member->key));
                err_path_prepend(d->err, name);
        }
        return r;
}

static int decode_resources(const struct json *value, struct resource_list *list,
                            bool allows_negative, struct decode *d) {
        if (json_type(value) != JSON_OBJECT)
                return decode_type_error(value, "object", d);
        if (json_count(value) > RESOURCE_KINDS_MAX)
                return err_set(d->err, BERTH_ERR_INVALID, "more than %d resources",
                               RESOURCE_KINDS_MAX);
        size_t count;
        CLEANUP(cleanup_free) struct json_member *members = json_members(value, &count);
        struct resource_amount *items = ARENA_ARRAY(d->arena, struct resource_amount, count);
        for (size_t i = 0; i < count; i++) {
                int r = decode_amount(&members[i], allows_negative, &items[i], d);
                if (r < 0)
                        return r;
        }
        *list = (struct resource_list){ count, items };
        return 0;
}

int decode_requests(const struct json *value, void *target, struct decode *d) {
        return decode_resources(value, target, false, d);
}

int decode_capacity(const struct json *value, void *target, struct decode *d) {
        return decode_resources(value, target, true, d);
}

int64_t resource_list_get(const struct resource_list *list, const char *name, bool *ret_found) {
        for (size_t i = 0; i < list->count; i++) {
                if (slice_is(list->items[i].name, name)) {
                        if (ret_found)
                                *ret_found = true;
                        return list->items[i].amount;
                }
        }
        if (ret_found)
                *ret_found = false;
        return 0;
}
