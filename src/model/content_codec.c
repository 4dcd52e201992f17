/* Writing and reading of canonical bytes. */
#include "model/content_codec.h"

#include <assert.h>
#include <string.h>

/* There is room for most of the many short pieces. */
static void codec_put(struct buf *out, const void *data, size_t size) {
        if (size >= out->cap - out->len) {
                buf_append(out, data, size);
                return;
        }
        memcpy(out->data + out->len, data, size);
        out->len += size;
        out->data[out->len] = '\0';
}

void codec_bytes(struct content_codec *codec, void *field, size_t size) {
        if (!codec->is_reading) {
                codec_put(codec->out, field, size);
                return;
        }
        assert((size_t)(codec->end - codec->at) >= size);
        memcpy(field, codec->at, size);
        codec->at += size;
}

void codec_text(struct content_codec *codec, struct slice *text) {
        uint32_t length = (uint32_t)text->len;
        codec_bytes(codec, &length, sizeof(length));
        if (!codec->is_reading) {
                codec_put(codec->out, text->ptr ? text->ptr : "", length);
                codec_put(codec->out, "", 1);
                return;
        }
        assert((size_t)(codec->end - codec->at) > length);
        *text = slice_make(codec->at, length);
        codec->at += length + 1;
}

static char *take_array(struct content_codec *codec, size_t size) {
        char *array = codec->arrays;
        codec->arrays += size;
        return array;
}

void codec_list(struct content_codec *codec, void *items, size_t *count, size_t element_size,
                void (*element)(struct content_codec *codec, void *item)) {
        uint32_t length = (uint32_t)*count;
        codec_bytes(codec, &length, sizeof(length));
        size_t size = (length * element_size + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) *
                      _Alignof(max_align_t);
        char *array = NULL;
        if (codec->is_reading) {
                *count = length;
                array = length ? take_array(codec, size) : NULL;
                memcpy(items, &array, sizeof(array));
        } else {
                codec->array_bytes += size;
                memcpy(&array, items, sizeof(array));
        }
        for (uint32_t i = 0; i < length; i++)
                element(codec, array + i * element_size);
}
