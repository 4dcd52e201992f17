/* Field tables of the API types: what JSON members an object may have, of which type, and how
 * patches, apply and protobuf treat them. The tables are generated (scripts/gen_schema.py). */
#pragma once

#include "api/json.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum schema_type {
        SCHEMA_OBJECT,
        SCHEMA_STRING,
        SCHEMA_BOOL,
        SCHEMA_INT32,
        SCHEMA_INT64,
        SCHEMA_FLOAT,
        SCHEMA_BYTES,         /* base64 text in JSON */
        SCHEMA_TIME,          /* whole seconds; {1: seconds, 2: nanos} in protobuf */
        SCHEMA_MICRO_TIME,    /* exactly six fraction digits */
        SCHEMA_DURATION,      /* Go duration text */
        SCHEMA_QUANTITY,      /* {1: text} in protobuf */
        SCHEMA_INT_OR_STRING, /* {1: type, 2: int, 3: string} in protobuf */
        SCHEMA_RAW,           /* any JSON; {1: bytes} in protobuf */
};
enum schema_shape { SHAPE_ONE, SHAPE_LIST, SHAPE_MAP, SHAPE_MAP_OF_LIST };
enum schema_flags {
        FIELD_OMIT_EMPTY = 1,     /* zero values are not printed */
        FIELD_OMIT_ZERO = 2,      /* zero structs are not printed either */
        FIELD_POINTER = 4,        /* a zero value differs from an absent one */
        FIELD_RETAIN_KEYS = 8,    /* patchStrategy retainKeys */
        FIELD_PATCH_REPLACE = 16, /* patchStrategy replace */
        FIELD_LIST_SET = 32,      /* listType for apply; neither flag = atomic */
        FIELD_LIST_MAP = 64,
        FIELD_ATOMIC = 128,  /* map or struct (or list element) applied as a whole */
        FIELD_DEDUCED = 512, /* of any type: a map is owned by its members, whatever they are */
        FIELD_UNREAD = 256,  /* of nodes and pods: the model and the roles never look at it */
};

struct schema_field {
        const char *name;
        const char *merge_key; /* patchMergeKey; "" = primitive list merged by value, NULL = none */
        const char *map_keys;  /* listMapKey names joined by commas, "name=JSON" with the default;
                                  NULL = none */
        uint8_t type, shape;
        uint16_t flags;
        uint8_t number;  /* protobuf field number inside its message; 0 = not encoded */
        uint8_t via;     /* number of the inlined message that holds it; 0 = the object itself */
        uint16_t object; /* index in schema_objects for SCHEMA_OBJECT */
        const struct schema_object *own; /* instead, of a type that is in no table; NULL = none */
};
struct schema_object {
        const char *name; /* "core.v1.PodSpec" */
        const struct schema_field *fields;
        size_t count;
        uint64_t printed[2]; /* a bit for each field that Go prints when it is zero, too */
        bool is_sorted;      /* by the fields' names */
        bool is_open;        /* custom resources: may have other fields, too */
};
struct schema_root {
        const char *group, *version, *kind;
        uint16_t object;
};
extern const struct schema_object schema_objects[];
extern const size_t schema_object_count;
extern const struct schema_root schema_roots[]; /* sorted by group, version, kind */
extern const size_t schema_root_count;

/* Type of a kind; NULL when unknown (custom resources). Roots list no apiVersion and kind fields:
 * every root object may have them. */
const struct schema_object *schema_find(struct slice group, struct slice version,
                                        struct slice kind);
/* Whether a type is a complete object's: such may sit inside others, as claims in a StatefulSet. */
bool schema_is_root(const struct schema_object *type);
const struct schema_object *schema_named(const char *name); /* "meta.v1.ObjectMeta" */
const struct schema_field *schema_field_find(const struct schema_object *object, struct slice name);
/* The same for the members of a document one after the other, which mostly come in the table's
 * order: *place, 0 at first, says where to begin. */
const struct schema_field *schema_field_near(const struct schema_object *object, struct slice name,
                                             size_t *place);
static inline const struct schema_object *schema_field_object(const struct schema_field *field) {
        if (field->type != SCHEMA_OBJECT)
                return NULL;
        return field->own ? field->own : &schema_objects[field->object];
}

/* How an object is read: for whom, and who hears of unknown fields, by path
 * ("spec.containers[0].bogus"). */
struct schema_report {
        void (*unknown)(void *context, const char *path); /* NULL = nobody */
        /* Empty lists and maps that are dropped, which upstream tells from absent ones; NULL =
         * nobody. */
        void (*emptied)(void *context, const char *path, bool is_list);
        void *context;
        unsigned minor; /* version of the server, whose fields there are (schema/field_release.h) */
        /* The object as it is stored, in this form: members that are the same are left alone. */
        const struct json *stored; /* NULL = it is new */
        bool is_value; /* as Go's converter takes a value, not as its decoder takes a text: what
                          patches and applied configurations make; other complaints, and numbers
                          are cut to their size */
};
/* Brings a root object into the form that Go prints: checks types (BAD_REQUEST, err->text is the
 * decoder's complaint), removes unknown fields (reporting them when report is not NULL), nulls and
 * empty values, canonicalises quantities and times, adds the zero values that are always printed.
 * Keeps apiVersion and kind. */
int schema_normalise(const struct schema_object *schema, struct json_tree *tree,
                     struct json_node *object, const struct schema_report *report, struct err *err);
/* The part of it that suits a partial object (an applied configuration): types, quantities and
 * times; nothing is dropped or added. */
int schema_canonicalise(const struct schema_object *schema, struct json_tree *tree,
                        struct json_node *object, struct err *err);
