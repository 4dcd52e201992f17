/* Field tables made from schemas of custom resources. */
#include "schema/custom_schema.h"

#include "base/util.h"
#include "schema/list_key.h"
#include "schema/schema.h"
#include "schema/structure_priv.h"
#include <stdlib.h>

static const char *merge_key_of(const struct json *schema, struct arena *arena) {
        const struct json *keys = json_get(schema, "x-kubernetes-list-map-keys");
        struct slice type = json_get_text(schema, "x-kubernetes-list-type");

        if (slice_is(type, "set"))
                return "";
        if (!slice_is(type, "map") || json_count(keys) != 1)
                return NULL;
        return arena_string(arena, json_text(json_at(keys, 0)));
}

/* "port=,protocol=\"TCP\"": what stands for an absent key is its default. */
static const char *map_keys_of(const struct json *schema, struct arena *arena) {
        const struct json *keys = json_get(schema, "x-kubernetes-list-map-keys"), *key;
        const struct json *properties = json_get(json_get(schema, "items"), "properties");
        struct json_iter iter = json_iter(keys);
        struct buf text = { 0 }, value = { 0 };

        while (json_next(&iter, NULL, &key)) {
                const struct json *fallback =
                        json_get(json_get_slice(properties, json_text(key)), "default");

                buf_clear(&value);
                if (fallback)
                        json_write(fallback, &value);
                buf_printf(&text, "%s" SLICE_FMT "=", text.len ? "," : "",
                           SLICE_ARG(json_text(key)));
                if (value.len && !memchr(value.data, ',', value.len))
                        buf_slice(&text, buf_view(&value));
        }
        const char *joined = text.len ? arena_string(arena, buf_view(&text)) : NULL;
        buf_release(&text);
        buf_release(&value);
        return joined;
}

static enum schema_type type_of(const struct json *schema) {
        static const struct {
                const char *name;
                enum schema_type type;
        } types[] = { { "string", SCHEMA_STRING },
                      { "boolean", SCHEMA_BOOL },
                      { "integer", SCHEMA_INT64 },
                      { "number", SCHEMA_FLOAT } };
        struct slice name = json_get_text(schema, "type");

        if (json_get_bool(schema, "x-kubernetes-int-or-string", false))
                return SCHEMA_INT_OR_STRING;
        for (size_t i = 0; i < ARRAY_LEN(types); i++)
                if (slice_is(name, types[i].name))
                        return types[i].type;
        return SCHEMA_RAW;
}

static const struct schema_object *object_type(const struct json *schema, bool is_root,
                                               struct arena *arena);

static bool is_object(const struct json *schema) {
        return slice_is(json_get_text(schema, "type"), "object") || json_get(schema, "properties");
}

/* How far ownership goes into the value. */
static uint16_t extent_flags(const struct json *schema) {
        const struct json *items = json_get(schema, "items");

        if (slice_is(json_get_text(schema, MAP_TYPE), "atomic") ||
            (items && slice_is(json_get_text(items, MAP_TYPE), "atomic")))
                return FIELD_ATOMIC;
        return type_of(schema) == SCHEMA_RAW && json_get_bool(schema, PRESERVE, false)
                       ? FIELD_DEDUCED
                       : 0;
}

/* A list, a map or one value: its type, and how it is merged. */
static struct schema_field field_type(struct slice name, const struct json *schema,
                                      struct arena *arena) {
        const struct json *items = json_get(schema, "items");
        const struct json *values = json_get(schema, "additionalProperties");
        const struct json *of = items ? items : json_get(schema, "properties") ? schema : values;
        struct slice list = json_get_text(schema, "x-kubernetes-list-type");
        struct schema_field field = { .name = arena_string(arena, name),
                                      .type = (uint8_t)type_of(schema),
                                      .flags = extent_flags(schema) };

        if (items) {
                field.shape = SHAPE_LIST;
                field.merge_key = merge_key_of(schema, arena);
                if (slice_is(list, "map"))
                        field.flags |= FIELD_LIST_MAP;
                if (slice_is(list, "set"))
                        field.flags |= FIELD_LIST_SET;
                field.map_keys = map_keys_of(schema, arena);
        } else if (values && of == values && json_type(values) == JSON_OBJECT) {
                field.shape = SHAPE_MAP;
        } else if (!is_object(schema)) {
                return field;
        } else {
                of = schema;
        }
        field.type = (uint8_t)type_of(of);
        if (is_object(of)) {
                field.type = SCHEMA_OBJECT;
                field.own = object_type(of, false, arena);
        }
        return field;
}

static int compare_fields(const void *a, const void *b) {
        const struct schema_field *x = a, *y = b;

        return strcmp(x->name, y->name);
}

/* What every object has, whatever the schema says of it. A root says its kind outside of its
 * fields.
 */
static size_t add_identity(struct schema_field *fields, bool is_root) {
        size_t count = 0;

        fields[count++] = (struct schema_field){ .name = "metadata",
                                                 .type = SCHEMA_OBJECT,
                                                 .own = schema_named("meta.v1.ObjectMeta") };
        if (is_root)
                return count;
        fields[count++] = (struct schema_field){ .name = "apiVersion", .type = SCHEMA_STRING };
        fields[count++] = (struct schema_field){ .name = "kind", .type = SCHEMA_STRING };
        return count;
}

static bool is_identity(struct slice name, bool is_root) {
        return slice_is(name, "metadata") ||
               (!is_root && (slice_is(name, "apiVersion") || slice_is(name, "kind")));
}

static const struct schema_object *object_type(const struct json *schema, bool is_root,
                                               struct arena *arena) {
        const struct json *properties = json_get(schema, "properties"), *property;
        struct schema_object *type = ARENA_NEW(arena, struct schema_object);
        struct json_iter iter = json_iter(properties);
        struct schema_field *fields =
                ARENA_ARRAY(arena, struct schema_field, json_count(properties) + 3);
        struct slice name;
        size_t count = 0;

        bool is_resource = is_root || json_get_bool(schema, EMBEDDED, false);
        if (is_resource)
                count = add_identity(fields, is_root);
        while (json_next(&iter, &name, &property))
                if (!is_resource || !is_identity(name, is_root))
                        fields[count++] = field_type(name, property, arena);
        qsort(fields, count, sizeof(*fields), compare_fields);
        *type = (struct schema_object){
                .name = "",
                .fields = fields,
                .count = count,
                .is_sorted = true,
                .is_open = !properties ||
                           json_get_bool(schema, "x-kubernetes-preserve-unknown-fields", false)
        };
        return type;
}

const struct schema_object *custom_type(const struct json *schema, struct arena *arena) {
        return object_type(schema, true, arena);
}
