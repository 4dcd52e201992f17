/* Values in the words of the API server's own types: upstream shows them so where it complains of a
 * whole object. */
#include "kinds/check.h"

#include "base/arena.h"
#include "base/util.h"
#include "schema/internal_form.h"

struct typed_place {
        const struct schema_field *field; /* NULL = the place is no part of the object */
        bool is_element;                  /* of the list or map in the field */
};

/* The type of what stands at a place, of an object. */
static const struct schema_object *object_type(struct typed_place place) {
        if (!place.field || (!place.is_element && place.field->shape != SHAPE_ONE))
                return NULL;
        return schema_field_object(place.field);
}

/* By the place's members from the object down. */
static struct typed_place find_type(const struct schema_object *root, const struct at *at) {
        struct typed_place above = { 0 };
        const struct schema_object *owner = root;

        if (at->up) {
                above = find_type(root, at->up);
                owner = object_type(above);
        }
        if (!at->name)
                return (struct typed_place){ above.field, true };
        return (struct typed_place){ owner ? schema_field_find(owner, slice_of(at->name)) : NULL,
                                     false };
}

static const char *keep_text(struct checker *checker, struct buf *text) {
        const char *copy = arena_string(checker->errors->arena, buf_view(text));

        buf_release(text);
        return copy;
}

const char *shown_value(struct checker *checker, const struct at *place, const char *value) {
        const struct kind_info *kind = checker->context ? checker->context->kind : NULL;
        const struct schema_object *root =
                kind ? schema_find(slice_of(kind->group), slice_of(kind->version),
                                   slice_of(kind->kind))
                     : NULL;
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        struct typed_place found;
        struct buf out = { 0 };

        if (!root || !value || (value[0] != '{' && value[0] != '['))
                return value;
        found = find_type(root, place);
        if (!found.field || json_tree_parse(slice_of(value), &tree, NULL) < 0)
                return value;
        internal_form_write_field(found.field, found.is_element, json_tree_root(tree), &out);
        return keep_text(checker, &out);
}

void report_typed(struct checker *checker, enum field_error_kind kind, const struct at *at,
                  const char *member, const char *type, const struct json_node *value,
                  const char *detail) {
        struct at place = at_member(at, member);
        struct buf text = { 0 };

        internal_form_write(schema_named(type), value, &text);
        field_error_add(checker->errors, kind, at_text(checker, member ? &place : at),
                        keep_text(checker, &text), detail);
}
