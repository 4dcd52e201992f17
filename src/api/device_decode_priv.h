/* What the decoders of slices, classes and claims share. */
#pragma once

#include "api/decode_priv.h"
#include "api/device.h"

/* A JSON object as a list: each element begins with the member's name (struct slice). */
struct decode_map {
        size_t offset, count_offset, element_size;
        int (*decode)(const struct json *value, void *target, struct decode *d);
};
#define MAP_OF(type, member, count_member, decoder)                                                \
        {                                                                                          \
                offsetof(type, member), offsetof(type, count_member),                              \
                        sizeof(*((type *)0)->member), decoder                                      \
        }
int decode_map(const struct json *value, const struct decode_map *map, void *target,
               struct decode *d);
int decode_amount(const struct json *value, void *target, struct decode *d);  /* struct slice */
int decode_amounts(const struct json *value, void *target, struct decode *d); /* device_amounts */
int decode_device_taint(const struct json *value, void *target, struct decode *d);
