/* Values lie in one array in document order, as the parser of yyjson leaves them: a container holds
 * how many elements or members it has, and how far the value behind it is. */
#include "api/json_build.h"

#include "api/json_priv.h"
#include "base/arena.h"
#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

#define VALUES_RETAINED 4096 /* larger arrays are given back when cleared */
#define TEXT_BLOCK 4096

struct json_builder {
        yyjson_val *values;
        size_t count, cap;
        struct arena texts; /* what json_build_copy copied */
        size_t open[JSON_BUILD_DEPTH_MAX];
        size_t depth;
};

struct json_builder *json_builder_new(void) {
        struct json_builder *builder = xcalloc(1, sizeof(*builder));

        arena_init(&builder->texts, TEXT_BLOCK);
        return builder;
}

void json_builder_free(struct json_builder *builder) {
        if (!builder)
                return;
        free(builder->values);
        arena_release(&builder->texts);
        free(builder);
}

void json_builder_clear(struct json_builder *builder) {
        if (builder->cap > VALUES_RETAINED) {
                free(builder->values);
                builder->values = NULL;
                builder->cap = 0;
        }
        builder->count = 0;
        builder->depth = 0;
        arena_clear(&builder->texts);
}

const struct json *json_builder_root(const struct json_builder *builder) {
        return builder->count > 0 && builder->depth == 0 ? json_of(builder->values) : NULL;
}

static yyjson_val *json_builder_add(struct json_builder *builder, uint64_t tag) {
        if (builder->count == builder->cap) {
                builder->cap = builder->cap ? 2 * builder->cap : VALUES_RETAINED / 8;
                builder->values =
                        xreallocarray(builder->values, builder->cap, sizeof(*builder->values));
        }
        yyjson_val *value = &builder->values[builder->count++];
        value->tag = tag;
        return value;
}

/* A value inside the innermost container; keys are no values of it. */
static yyjson_val *json_builder_add_value(struct json_builder *builder, uint64_t tag) {
        if (builder->depth > 0)
                builder->values[builder->open[builder->depth - 1]].tag += (uint64_t)1
                                                                          << YYJSON_TAG_BIT;
        return json_builder_add(builder, tag);
}

bool json_build_open(struct json_builder *builder, enum json_type type) {
        assert(type == JSON_ARRAY || type == JSON_OBJECT);
        if (builder->depth == JSON_BUILD_DEPTH_MAX)
                return false;
        json_builder_add_value(builder, type == JSON_ARRAY ? YYJSON_TYPE_ARR : YYJSON_TYPE_OBJ);
        builder->open[builder->depth++] = builder->count - 1;
        return true;
}

void json_build_close(struct json_builder *builder) {
        assert(builder->depth > 0);
        size_t begin = builder->open[--builder->depth];
        builder->values[begin].uni.ofs = (builder->count - begin) * sizeof(yyjson_val);
}

static uint64_t text_tag(struct slice text) {
        return (uint64_t)text.len << YYJSON_TAG_BIT | YYJSON_TYPE_STR;
}

void json_build_key(struct json_builder *builder, struct slice key) {
        json_builder_add(builder, text_tag(key))->uni.str = key.ptr ? key.ptr : "";
}

void json_build_drop_key(struct json_builder *builder) {
        assert(builder->count > 0);
        builder->count--;
}

void json_build_text(struct json_builder *builder, struct slice text) {
        json_builder_add_value(builder, text_tag(text))->uni.str = text.ptr ? text.ptr : "";
}

void json_build_copy(struct json_builder *builder, struct slice text) {
        json_build_text(builder, arena_slice(&builder->texts, text));
}

void json_build_bool(struct json_builder *builder, bool value) {
        json_builder_add_value(
                builder, YYJSON_TYPE_BOOL | (value ? YYJSON_SUBTYPE_TRUE : YYJSON_SUBTYPE_FALSE))
                ->uni.u64 = 0;
}

/* Non-negative numbers are stored unsigned, as the parser does. */
void json_build_i64(struct json_builder *builder, int64_t value) {
        json_builder_add_value(
                builder, YYJSON_TYPE_NUM | (value < 0 ? YYJSON_SUBTYPE_SINT : YYJSON_SUBTYPE_UINT))
                ->uni.i64 = value;
}

void json_build_f64(struct json_builder *builder, double value) {
        json_builder_add_value(builder, YYJSON_TYPE_NUM | YYJSON_SUBTYPE_REAL)->uni.f64 = value;
}

static void json_build_null(struct json_builder *builder) {
        json_builder_add_value(builder, YYJSON_TYPE_NULL)->uni.u64 = 0;
}

static bool build_container(struct json_builder *builder, const struct json *container) {
        struct json_iter members = json_iter(container);
        enum json_type type = json_type(container);
        const struct json *value;
        struct slice key;

        if (!json_build_open(builder, type))
                return false;
        while (json_next(&members, &key, &value)) {
                if (type == JSON_OBJECT)
                        json_build_key(builder, arena_slice(&builder->texts, key));
                if (!json_build_value(builder, value))
                        return false;
        }
        json_build_close(builder);
        return true;
}

static void build_number(struct json_builder *builder, const struct json *number) {
        int64_t whole;
        double real = 0;

        if (json_as_i64(number, &whole)) {
                json_build_i64(builder, whole);
        } else {
                json_as_f64(number, &real);
                json_build_f64(builder, real);
        }
}

bool json_build_value(struct json_builder *builder, const struct json *value) {
        switch (json_type(value)) {
        case JSON_ARRAY:
        case JSON_OBJECT:
                return build_container(builder, value);
        case JSON_STRING:
                json_build_copy(builder, json_text(value));
                return true;
        case JSON_BOOL:
                json_build_bool(builder, json_is_true(value));
                return true;
        case JSON_INT:
        case JSON_REAL:
                build_number(builder, value);
                return true;
        default:
                json_build_null(builder);
                return true;
        }
}

struct json_build_mark json_build_mark(const struct json_builder *builder) {
        assert(builder->depth > 0);
        return (struct json_build_mark){
                .count = builder->count,
                .tag = builder->values[builder->open[builder->depth - 1]].tag,
        };
}

void json_build_rewind(struct json_builder *builder, struct json_build_mark mark) {
        assert(builder->depth > 0 && mark.count <= builder->count);
        builder->count = mark.count;
        builder->values[builder->open[builder->depth - 1]].tag = mark.tag;
}
