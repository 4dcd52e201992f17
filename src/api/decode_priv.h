/* Table-driven decoding of JSON objects into structs. A table names the fields a struct wants; one
 * pass over the members fills them. Absent and null members leave the target as it is, so defaults
 * are set before. */
#pragma once

#include "api/object.h"
#include "base/util.h"

struct decode {
        struct arena *arena;
        struct err *err;
};

#define DECODE_SKIP 1 /* answer of an element decoder: leave this element out */

struct decode_field {
        const char *name;
        size_t name_len; /* of a literal: known without looking */
        size_t offset;
        int (*decode)(const struct json *value, void *target, struct decode *d);
        /* Lists: where the count goes and how large an element is. */
        size_t count_offset, element_size;
};

#define FIELD(type, json_name, member, decoder)                                                    \
        { json_name, sizeof(json_name) - 1, offsetof(type, member), decoder, 0, 0 }
#define LIST_FIELD(type, json_name, member, count_member, decoder)                                 \
        {                                                                                          \
                json_name, sizeof(json_name) - 1, offsetof(type, member), decoder,                 \
                        offsetof(type, count_member), sizeof(*((type *)0)->member)                 \
        }
/* Decoder that gets the whole struct as target, for members that set more than one field. */
#define PART_FIELD(json_name, decoder)                                                             \
        { json_name, sizeof(json_name) - 1, 0, decoder, 0, 0 }

int decode_fields(const struct json *object, const struct decode_field *fields, size_t count,
                  void *target, struct decode *d);
#define DECODE_FIELDS(object, fields, target, d)                                                   \
        decode_fields((object), (fields), ARRAY_LEN(fields), (target), (d))

/* Sets the error and returns its code. */
int decode_type_error(const struct json *value, const char *wanted, struct decode *d);

int decode_text(const struct json *value, void *target, struct decode *d);   /* struct slice */
int decode_bool(const struct json *value, void *target, struct decode *d);   /* bool */
int decode_int32(const struct json *value, void *target, struct decode *d);  /* int32_t */
int decode_int64(const struct json *value, void *target, struct decode *d);  /* int64_t */
int decode_time(const struct json *value, void *target, struct decode *d);   /* wall_time */
int decode_labels(const struct json *value, void *target, struct decode *d); /* label_list */
/* resource_list. Requests refuse negative amounts, capacities do not. */
int decode_requests(const struct json *value, void *target, struct decode *d);
int decode_capacity(const struct json *value, void *target, struct decode *d);

int decode_meta(const struct json *value, void *target, struct decode *d); /* object_meta */
void meta_set_defaults(struct object_meta *meta);
int decode_taint(const struct json *value, void *target, struct decode *d);
enum taint_effect taint_effect_from(struct slice name);
int decode_condition(const struct json *value, void *target, struct decode *d);
int decode_affinity(const struct json *value, void *target, struct decode *d);
int decode_spread(const struct json *value, void *target, struct decode *d);
int decode_volume(const struct json *value, void *target, struct decode *d);
/* A selector that breaks a rule is decoded as one that matches nothing. */
int decode_selector(const struct json *value, struct selector *ret_selector, bool *ret_is_invalid,
                    struct decode *d);
int decode_pod_status(const struct json *value, void *target, struct decode *d);
int decode_pod_claim(const struct json *value, void *target, struct decode *d);
