/* Empty lists and maps that the client sent. */
#include "server/emptied_values.h"

#include "schema/field_error.h"
#include "server/api_context.h"
#include "server/raw_forms.h"
#include <string.h>

/* Where an emptied value was. */
struct emptied_place {
        struct json_node *holder; /* NULL: the object has no such place any more */
        const struct schema_field *field;
        bool is_inside_whole; /* of a list that is compared as a whole */
};

/* The next member of a path such as "spec.egress[0].ports", and whether an index follows it. */
static struct slice next_member(struct slice *rest, bool *ret_has_index) {
        size_t length = 0;

        while (length < rest->len && rest->ptr[length] != '.' && rest->ptr[length] != '[')
                length++;
        struct slice name = slice_make(rest->ptr, length);
        *ret_has_index = length < rest->len && rest->ptr[length] == '[';
        *rest = slice_make(rest->ptr + length, rest->len - length);
        if (!*ret_has_index && rest->len)
                *rest = slice_make(rest->ptr + 1, rest->len - 1);
        return name;
}

static size_t next_index(struct slice *rest) {
        size_t at = 1, index = 0;

        for (; at < rest->len && rest->ptr[at] != ']'; at++)
                index = index * 10 + (size_t)(rest->ptr[at] - '0');
        at += at + 1 < rest->len && rest->ptr[at + 1] == '.' ? 2 : 1;
        at = at < rest->len ? at : rest->len;
        *rest = slice_make(rest->ptr + at, rest->len - at);
        return index;
}

static bool is_whole_list(const struct schema_field *field) {
        return field->shape == SHAPE_LIST && !(field->flags & (FIELD_LIST_SET | FIELD_LIST_MAP));
}

static struct emptied_place find_place(const struct schema_object *schema, struct json_node *object,
                                       const char *path) {
        struct emptied_place place = { .holder = object };
        struct slice rest = slice_of(path);
        bool has_index;

        while (schema && place.holder) {
                struct slice name = next_member(&rest, &has_index);

                place.field = schema_field_find(schema, name);
                if (!place.field || rest.len == 0)
                        break;
                struct json_node *value = node_find(place.holder, name);
                place.is_inside_whole |= is_whole_list(place.field);
                if (has_index)
                        value = node_at(value, next_index(&rest));
                else if (place.field->shape == SHAPE_MAP)
                        value = node_find(value, next_member(&rest, &has_index));
                place.holder = value;
                schema = schema_field_object(place.field);
        }
        if (!schema || !place.field || rest.len || node_type(place.holder) != JSON_OBJECT ||
            node_count(node_get(place.holder, place.field->name)) > 0)
                place.holder = NULL; /* gone, or filled by defaults */
        return place;
}

/* Defaults that upstream gives where nothing is said, and not where the client says {}: they are
 * seen when the object is read from the store, which holds neither. */
static bool is_filled_later(const struct api_write *write, const char *path) {
        return strcmp(path, "status.allocatable") == 0 &&
               strcmp(write->resource->kind->plural, "nodes") == 0;
}

struct json_node *emptied_put_back(const struct api_context *context,
                                   const struct api_write *write) {
        const struct emptied_value *emptied = context->emptied;
        const struct schema_object *schema = write->resource->schema;

        if ((!emptied && !write->is_raw_changed) || !schema)
                return write->object;
        struct json_node *object = node_clone(write->tree, write->object);
        raw_form_mark(write, object);
        for (; emptied; emptied = emptied->next) {
                struct emptied_place place = find_place(schema, object, emptied->path);
                bool is_list = emptied->text[0] == '[';

                if (place.holder && (place.is_inside_whole ||
                                     !(place.field->flags & (FIELD_OMIT_EMPTY | FIELD_OMIT_ZERO))))
                        node_put(write->tree, place.holder, place.field->name,
                                 is_list ? node_array(write->tree) : node_object(write->tree));
        }
        return object;
}

void emptied_take_back(const struct api_context *context, const struct api_write *write) {
        const struct emptied_value *emptied = context->emptied;

        for (; emptied; emptied = emptied->next)
                if (is_filled_later(write, emptied->path))
                        node_remove(node_get(write->object, "status"), "allocatable");
}

static bool is_in_spec(struct slice path) {
        return !slice_has_prefix(path, SLICE_LITERAL("metadata.")) &&
               !slice_has_prefix(path, SLICE_LITERAL("status."));
}

bool emptied_changes_spec(const struct api_context *context, const struct api_write *write) {
        const struct emptied_value *emptied = context->emptied;

        for (; emptied && write->resource->schema; emptied = emptied->next)
                if (is_in_spec(slice_of(emptied->path)) &&
                    find_place(write->resource->schema, write->object, emptied->path).holder)
                        return true;
        return false;
}
