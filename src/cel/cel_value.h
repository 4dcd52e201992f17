/* Static types and values. */
#pragma once

#include "base/time.h"
#include "cel/cel.h"
#include "cel/cel_access.h"

enum cel_kind {
        CEL_DYN, /* any; static types only */
        CEL_ERROR,
        CEL_NULL,
        CEL_BOOL,
        CEL_INT,
        CEL_UINT,
        CEL_DOUBLE,
        CEL_STRING,
        CEL_BYTES,
        CEL_TIMESTAMP,
        CEL_DURATION,
        CEL_QUANTITY,
        CEL_URL,
        CEL_IP,
        CEL_CIDR,
        CEL_SEMVER,
        CEL_FORMAT, /* named */
        CEL_LIST,
        CEL_MAP,
        CEL_OBJECT,
        CEL_OPTIONAL,
        CEL_TYPE,
        CEL_ANY,        /* of a message that may hold anything; static types only */
        CEL_AUTHORIZER, /* these five: steps of a question to the authorizer */
        CEL_PATH_CHECK,
        CEL_GROUP_CHECK,
        CEL_RESOURCE_CHECK,
        CEL_DECISION,
        CEL_KIND_COUNT
};

struct cel_field {
        struct slice name;   /* in the object */
        const char *escaped; /* in expressions */
        const struct cel_type *type;
};
enum cel_list_kind { CEL_LIST_ATOMIC, CEL_LIST_SET, CEL_LIST_KEYED };
struct cel_type {
        enum cel_kind kind;
        const char *name;                     /* of objects that expressions make, or NULL */
        const struct cel_type *key, *element; /* of maps; of lists, maps, optionals */
        const struct cel_field *fields;       /* of objects */
        size_t field_count;
        enum cel_list_kind list_kind;
        const struct json *list_keys; /* names, of keyed lists */
        /* Of types of a schema: how many bytes, elements or members a value may have, and how many
         * bytes of JSON it has at least. */
        uint64_t max_elements, min_size;
};
const struct cel_type *cel_type_basic(enum cel_kind kind);
const struct cel_type *cel_type_made(struct arena *arena, enum cel_kind kind,
                                     const struct cel_type *key, const struct cel_type *element);
/* "list(string)"; in the arena. */
const char *cel_type_text(struct arena *arena, const struct cel_type *type);
/* The same by the names of declarations, which complaints about whole expressions have. */
const char *cel_type_declared(struct arena *arena, const struct cel_type *type);
bool cel_type_is_dyn(const struct cel_type *type); /* any, known when it runs */
const char *cel_kind_name(enum cel_kind kind);
/* The kind as Go prints the type of its values (%T). */
const char *cel_go_type(enum cel_kind kind);
/* Whether lists and maps are asked for such a place at all. */
bool cel_is_place(enum cel_kind kind);
/* Of what has no type as something is wrong with it: any, with a name of its own. */
const struct cel_type *cel_type_wrong(void);

/* ---- values ---- */

/* Lists, maps and objects either stand for a part of the JSON object (node) or were made by the
 * expression (items; of maps keys and values alternating, count pairs). */
struct cel_value {
        enum cel_kind kind;
        int32_t ns; /* of a time, 0..999999999 */
        union {
                bool boolean;
                int64_t integer; /* CEL_INT; ns of durations, s of times */
                uint64_t natural;
                double real;
                struct slice text; /* all that is written as text; errors */
                const struct json_node *node;
                const struct cel_value *items; /* of made lists and maps; of optionals, or NULL */
                const struct cel_access *access;
        } as;
        bool is_made;     /* items, not node */
        bool has_default; /* a map in which each key that is missing has an empty map */
        int16_t offset;   /* of a time, minutes */
        size_t count;     /* of items */
        const struct cel_type *type;
};

struct cel_run {
        struct arena *arena;
        /* cel_function_next, for functions that stand for others: sum() adds, format() converts. */
        const struct cel_function *(*function_next)(struct slice name, bool is_member, size_t *at);
        int64_t steps;                /* left of this call */
        int64_t cost, cost_max;       /* as upstream counts it */
        bool is_over, is_environment; /* names are members of self */
        struct cel_value self, old;
        const struct cel_authorizer *authorizer; /* NULL: nobody to ask */
};

struct cel_value cel_from_node(struct cel_run *run, const struct json_node *node,
                               const struct cel_type *type);
struct cel_value cel_error(struct cel_run *run, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
struct cel_value cel_bool(bool value);
struct cel_value cel_int(int64_t value);
struct cel_value cel_uint(uint64_t value);
struct cel_value cel_double(double value);
struct cel_value cel_text(enum cel_kind kind, struct slice text); /* borrows */
struct cel_value cel_duration(int64_t ns);
struct cel_value cel_time(const struct zoned_time *time);
struct zoned_time cel_time_of(const struct cel_value *value);
/* A year from 1 to 9999, as upstream wants it of all times. */
#define CEL_TIME_FIRST (-62135596800)
#define CEL_TIME_LAST 253402300799
bool cel_time_is_in_range(int64_t s);
struct cel_value cel_list(const struct cel_value *items, size_t count);
struct cel_value cel_optional(struct cel_run *run, const struct cel_value *inner); /* NULL: none */
/* Takes steps away; false (and nothing goes on) when there are none left. */
bool cel_spend(struct cel_run *run, size_t steps);
/* The same for cost. */
bool cel_charge(struct cel_run *run, size_t cost);

bool cel_equal(struct cel_run *run, const struct cel_value *a, const struct cel_value *b);
bool cel_compare(const struct cel_value *a, const struct cel_value *b, int *ret_order);
bool cel_is_number(enum cel_kind kind);
bool cel_is_ordered(enum cel_kind kind); /* values of one such kind have an order */
/* Made by an expression, of a type with a name. */
bool cel_is_made_object(const struct cel_value *value);
size_t cel_size(const struct cel_value *value); /* of lists, maps and objects */
/* Member of a map or object; false when absent. The name is that of the object. */
bool cel_find(struct cel_run *run, const struct cel_value *map, const struct cel_value *key,
              struct cel_value *ret_value);
/* Field of an object by its escaped name, or string key of a map. */
bool cel_select(struct cel_run *run, const struct cel_value *from, struct slice name,
                struct cel_value *ret_value);

struct cel_iter {
        const struct cel_value *container;
        struct node_iter nodes;
        size_t index;
};
struct cel_iter cel_iter(const struct cel_value *container);
/* Key: position in lists, key in maps. */
bool cel_next(struct cel_run *run, struct cel_iter *iter, struct cel_value *ret_key,
              struct cel_value *ret_value);

/* A list that grows in the arena. */
struct cel_builder {
        struct cel_value *items;
        size_t count, cap;
};
/* A list of the values, ordered by the keys in front of each; elements of equal keys stay. */
struct cel_value cel_sort_pairs(struct cel_run *run, struct cel_value *pairs, size_t count);
void cel_push(struct cel_run *run, struct cel_builder *builder, const struct cel_value *value);
