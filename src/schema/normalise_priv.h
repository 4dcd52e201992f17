/* What the files of schema_normalise share: the walk through an object, and what it complains of.
 */
#pragma once

#include "schema/schema.h"

/* Where the walk is: a chain of frames on the stack, turned into text only for messages. */
struct schema_normalise_place {
        const struct schema_normalise_place *parent;
        struct slice field; /* without bytes (not just empty) for a list element */
        const char
                *embedded; /* Go struct that holds the field without a name in JSON; NULL = none */
        size_t index;
        bool is_key; /* of a map, of which messages about types say nothing */
};

struct schema_normalise_walk {
        struct json_tree *tree;
        const struct schema_report *report;
        struct err *err;
        bool is_sparse;  /* leaves what is there and adds nothing */
        bool is_value;   /* converts a value instead of decoding a text (schema_report.is_value) */
        bool has_failed; /* a wrong type was found; decoding goes on behind it */
        unsigned minor;  /* of the server; 0 = the newest */
};

void normalise_report_unknown(struct schema_normalise_walk *walk,
                              const struct schema_normalise_place *parent, struct slice name);
/* A list or map that is dropped as it is empty; anything else is passed by. */
void normalise_report_emptied(struct schema_normalise_walk *walk,
                              const struct schema_normalise_place *place,
                              const struct json_node *value);
/* A value of another type than the field's, or in it than the shape's. Decoding goes on behind the
 * first, so this returns 0 then. */
int normalise_type_error(struct schema_normalise_walk *walk, const struct schema_object *schema,
                         const struct schema_normalise_place *place, const struct json_node *value,
                         const struct schema_field *field, enum schema_shape shape);
/* The same of what is in a value, with the name of its type. */
int normalise_named_error(struct schema_normalise_walk *walk, const struct schema_object *schema,
                          const struct schema_normalise_place *place, const struct json_node *value,
                          const char *type);
/* A text of the right type that says nothing. Decoding goes on behind the first complaint, and only
 * that is reported; a conversion ends. */
int normalise_text_error(struct schema_normalise_walk *walk, struct slice text);
/* The same of types that read themselves: decoding ends at once, with their word. */
int normalise_own_error(struct schema_normalise_walk *walk, const struct schema_object *schema,
                        const struct schema_normalise_place *place, const struct json_node *value,
                        const char *type);
/* The Go struct that holds a field of an object without a name in JSON; NULL = none. */
const char *normalise_embedded_name(const struct schema_object *schema,
                                    const struct schema_field *field);
/* A value that is no object: *ret_value gets the replacement when its text changes. */
int normalise_scalar(struct schema_normalise_walk *walk, const struct schema_object *owner,
                     const struct schema_field *field, const struct schema_normalise_place *place,
                     struct json_node *value, struct json_node **ret_value);
