/* Plain structs to canonical bytes and back, by one description for both ways: a function that
 * names the fields runs once to write and once to read, so the two cannot disagree.  Equal structs
 * give equal bytes, which is what interning compares.  Text read back points into the bytes and is
 * NUL-terminated. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct content_codec {
        bool is_reading;
        struct buf *out;      /* writing: appended to */
        size_t array_bytes;   /* writing: memory that the lists take when read */
        const char *at, *end; /* reading */
        char *arrays;         /* reading: array_bytes bytes, aligned for any type */
};

/* The bytes of a number, flag or enum as they are. */
void codec_bytes(struct content_codec *codec, void *field, size_t size);
#define CODEC_VALUE(codec, field) codec_bytes((codec), &(field), sizeof(field))
void codec_text(struct content_codec *codec, struct slice *text);
/* items: address of the pointer to the elements. */
void codec_list(struct content_codec *codec, void *items, size_t *count, size_t element_size,
                void (*element)(struct content_codec *codec, void *item));
#define CODEC_LIST(codec, items, count, element)                                                   \
        codec_list((codec), &(items), &(count), sizeof(*(items)), (element))
