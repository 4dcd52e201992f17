/* Goes through a message along a patch: fields that the patch does not name are copied, the others
 * are written behind them, as the order of fields says nothing. */
#include "schema/protobuf_patch.h"

#include "base/arena.h"
#include "schema/protobuf.h"
#include "schema/protobuf_wire.h"
#include "schema/protobuf_write.h"

#define DELETED_PREFIX "$deleteFromPrimitiveList/"

static int patch_fails(struct err *err, const char *what, struct slice name) {
        return err_set(err, BERTH_ERR_BAD_REQUEST, "%s: " SLICE_FMT, what, SLICE_ARG(name));
}

static int patch_message(struct slice message, const struct schema_object *schema,
                         const struct json *patch, struct buf *out, struct err *err);

/* ---- lists ---- */

/* The text of an element, or of its merge key; false for broken bytes. */
static bool element_key(const struct schema_field *field, struct slice element,
                        struct slice *ret_key) {
        const struct schema_object *schema = schema_field_object(field);
        struct wire_field found = { 0 };

        if (!schema) {
                *ret_key = element;
                return true;
        }
        const struct schema_field *key = schema_field_find(schema, slice_of(field->merge_key));
        bool is_whole = wire_find_field(element, key->number, &found);
        *ret_key = found.bytes;
        return is_whole;
}

static struct slice patch_key(const struct schema_field *field, const struct json *item) {
        return schema_field_object(field) ? json_get_text(item, field->merge_key) : json_text(item);
}

static const struct json *patch_of_element(const struct schema_field *field,
                                           const struct json *list, struct slice key) {
        struct json_iter iter = json_iter(list);
        const struct json *item;

        while (json_next(&iter, NULL, &item))
                if (slice_eq(patch_key(field, item), key))
                        return item;
        return NULL;
}

static bool is_deletion(const struct json *item) {
        return slice_is(json_get_text(item, "$patch"), "delete");
}

static int patch_element(const struct schema_field *field, struct slice element,
                         const struct json *patch, struct buf *out, struct err *err) {
        CLEANUP(buf_release) struct buf patched = { 0 };
        const struct schema_object *schema = schema_field_object(field);
        int r = 0;

        if (!patch || !schema) {
                wire_put_bytes(out, field->number, element);
                return 0;
        }
        if (is_deletion(patch))
                return 0;
        r = patch_message(element, schema, patch, &patched, err);
        if (r == 0)
                wire_put_bytes(out, field->number, buf_view(&patched));
        return r;
}

/* What of the patch of a list names nothing that is there. */
static int add_elements(struct slice message, const struct schema_field *field,
                        const struct json *list, struct buf *out, struct err *err) {
        struct json_iter iter = json_iter(list);
        const struct json *item;
        int r = 0;

        while (r == 0 && json_next(&iter, NULL, &item)) {
                struct slice rest = message, key;
                struct wire_field wire;
                bool is_there = is_deletion(item);

                while (!is_there && rest.len > 0 && wire_take_field(&rest, &wire))
                        is_there = wire.number == field->number &&
                                   element_key(field, wire.bytes, &key) &&
                                   slice_eq(key, patch_key(field, item));
                if (!is_there)
                        r = json_get(item, "$patch")
                                    ? patch_fails(err, "unknown directive", slice_of(field->name))
                                    : protobuf_write_element(out, field, item, err);
        }
        return r;
}

/* Elements that are there, patched, then the new ones; those of `deleted` are left out. */
static int patch_list(struct slice message, const struct schema_field *field,
                      const struct json *list, const struct json *deleted, struct buf *out,
                      struct err *err) {
        struct slice rest = message, key;
        struct wire_field wire;
        int r = 0;

        while (r == 0 && rest.len > 0) {
                if (!wire_take_field(&rest, &wire))
                        return patch_fails(err, "broken message", slice_of(field->name));
                if (wire.number != field->number)
                        continue;
                if (wire.type != WIRE_BYTES || !element_key(field, wire.bytes, &key))
                        return patch_fails(err, "broken list", slice_of(field->name));
                if (!json_array_has(deleted, key))
                        r = patch_element(field, wire.bytes, patch_of_element(field, list, key),
                                          out, err);
        }
        return r < 0 ? r : add_elements(message, field, list, out, err);
}

/* ---- members ---- */

static int patch_object(struct slice message, const struct schema_field *field,
                        const struct json *patch, struct buf *out, struct err *err) {
        CLEANUP(buf_release) struct buf patched = { 0 };
        struct wire_field wire = { .type = WIRE_BYTES };

        if (!wire_find_field(message, field->number, &wire) || wire.type != WIRE_BYTES)
                return patch_fails(err, "broken message", slice_of(field->name));
        int r = patch_message(wire.bytes, schema_field_object(field), patch, &patched, err);
        if (r == 0)
                wire_put_bytes(out, field->number, buf_view(&patched));
        return r;
}

static bool is_merged_list(const struct schema_field *field) {
        bool is_of_bytes = field->type == SCHEMA_OBJECT || field->type == SCHEMA_STRING;

        return field->shape == SHAPE_LIST && field->merge_key && is_of_bytes;
}

static int patch_member(struct slice message, const struct schema_field *field,
                        const struct json *value, struct buf *out, struct err *err) {
        if (field->via || field->number == 0 || field->shape == SHAPE_MAP ||
            field->shape == SHAPE_MAP_OF_LIST)
                return patch_fails(err, "cannot be patched", slice_of(field->name));
        if (is_merged_list(field) && json_type(value) == JSON_ARRAY)
                return patch_list(message, field, value, NULL, out, err);
        if (field->type == SCHEMA_OBJECT && field->shape == SHAPE_ONE &&
            json_type(value) == JSON_OBJECT)
                return patch_object(message, field, value, out, err);
        return protobuf_write_field(out, field, value, err);
}

/* The field that a member of a patch is about, and whether it lists what is to go from it. */
static const struct schema_field *patched_field(const struct schema_object *schema,
                                                struct slice name, bool *ret_deletes) {
        const struct slice prefix = SLICE_LITERAL(DELETED_PREFIX);

        *ret_deletes = slice_has_prefix(name, prefix);
        if (*ret_deletes)
                name = slice_make(name.ptr + prefix.len, name.len - prefix.len);
        return schema_field_find(schema, name);
}

static bool is_patched(const struct schema_object *schema, const struct json *patch,
                       uint64_t number) {
        struct json_iter iter = json_iter(patch);
        const struct json *value;
        struct slice name;
        bool deletes;

        while (json_next(&iter, &name, &value)) {
                const struct schema_field *field = patched_field(schema, name, &deletes);

                if (field && field->number == number && !field->via)
                        return true;
        }
        return false;
}

static int copy_unpatched(struct slice message, const struct schema_object *schema,
                          const struct json *patch, struct buf *out, struct err *err) {
        struct slice rest = message;
        struct wire_field wire;

        while (rest.len > 0) {
                const char *start = rest.ptr;

                if (!wire_take_field(&rest, &wire))
                        return patch_fails(err, "broken message", slice_of(schema->name));
                if (!is_patched(schema, patch, wire.number))
                        buf_slice(out, slice_make(start, (size_t)(rest.ptr - start)));
        }
        return 0;
}

/* A list and what is to go from it are one member here. */
static int patch_named(struct slice message, const struct schema_object *schema,
                       const struct json *patch, struct slice name, struct buf *out,
                       struct err *err) {
        CLEANUP(buf_release) struct buf deletion = { 0 };
        bool deletes;
        const struct schema_field *field = patched_field(schema, name, &deletes);
        const struct json *value = json_get_slice(patch, name);

        if (!field)
                return patch_fails(err, "cannot be patched", name);
        buf_printf(&deletion, DELETED_PREFIX "%s", field->name);
        const struct json *deleted = json_get_slice(patch, buf_view(&deletion));
        if (!deleted)
                return patch_member(message, field, value, out, err);
        if (!is_merged_list(field) || schema_field_object(field))
                return patch_fails(err, "cannot be patched", name);
        if (deletes)
                return patch_list(message, field, json_get(patch, field->name), deleted, out, err);
        return 0;
}

static int patch_message(struct slice message, const struct schema_object *schema,
                         const struct json *patch, struct buf *out, struct err *err) {
        struct json_iter iter = json_iter(patch);
        const struct json *value;
        struct slice name;
        int r = copy_unpatched(message, schema, patch, out, err);

        while (r == 0 && json_next(&iter, &name, &value))
                r = patch_named(message, schema, patch, name, out, err);
        return r;
}

/* ---- the envelope ---- */

int protobuf_patch(struct slice body, const struct json *patch, struct buf *out, struct err *err) {
        CLEANUP(buf_release) struct buf patched = { 0 };
        struct protobuf_envelope envelope;

        if (!protobuf_is_envelope(body) || protobuf_split(body, &envelope) < 0)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "not a Kubernetes envelope");
        const struct schema_object *schema = protobuf_schema(envelope.api_version, envelope.kind);
        if (!schema)
                return patch_fails(err, "no table of the kind", envelope.kind);
        int r = patch_message(envelope.message, schema, patch, &patched, err);
        if (r < 0)
                return r;
        protobuf_write_envelope(&envelope, buf_view(&patched), out);
        return 0;
}
