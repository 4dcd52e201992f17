/* Immutable JSON documents: parsing with a depth limit, getters, iteration. */
#include "api/json.h"

#include "api/json_priv.h"
#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

static const char *const type_names[] = {
        [JSON_NONE] = "none",   [JSON_NULL] = "null",    [JSON_BOOL] = "boolean",
        [JSON_INT] = "integer", [JSON_REAL] = "number",  [JSON_STRING] = "string",
        [JSON_ARRAY] = "array", [JSON_OBJECT] = "object"
};

const char *json_type_name(enum json_type type) {
        assert((size_t)type < sizeof(type_names) / sizeof(type_names[0]));
        return type_names[type];
}

enum json_type value_type(void *value) {
        if (!value)
                return JSON_NONE;
        switch (unsafe_yyjson_get_type(value)) {
        case YYJSON_TYPE_NULL:
                return JSON_NULL;
        case YYJSON_TYPE_BOOL:
                return JSON_BOOL;
        case YYJSON_TYPE_NUM:
                return unsafe_yyjson_is_real(value) ? JSON_REAL : JSON_INT;
        case YYJSON_TYPE_STR:
                return JSON_STRING;
        case YYJSON_TYPE_ARR:
                return JSON_ARRAY;
        case YYJSON_TYPE_OBJ:
                return JSON_OBJECT;
        default:
                return JSON_NONE;
        }
}

bool value_as_i64(void *value, int64_t *ret_value) {
        if (value_type(value) != JSON_INT)
                return false;
        if (unsafe_yyjson_is_uint(value) && unsafe_yyjson_get_uint(value) > INT64_MAX)
                return false;
        *ret_value = unsafe_yyjson_get_sint(value);
        return true;
}

bool value_as_f64(void *value, double *ret_value) {
        enum json_type type = value_type(value);
        if (type != JSON_INT && type != JSON_REAL)
                return false;
        *ret_value = unsafe_yyjson_get_num(value);
        return true;
}

/* ---- parsing ---- */

/* Values lie in one array in document order and each container knows where it ends, so one linear
 * walk with a stack of ends measures the nesting without recursion. */
static bool is_too_deep(yyjson_doc *doc) {
        const yyjson_val *ends[JSON_DEPTH_MAX];
        size_t depth = 0;
        yyjson_val *value = yyjson_doc_get_root(doc);
        const yyjson_val *stop = value + yyjson_doc_get_val_count(doc);
        for (; value < stop; value++) {
                while (depth > 0 && value >= ends[depth - 1])
                        depth--;
                if (!unsafe_yyjson_is_ctn(value))
                        continue;
                if (depth == JSON_DEPTH_MAX)
                        return true;
                ends[depth++] = unsafe_yyjson_get_next(value);
        }
        return false;
}

static int parse_error(struct slice text, const yyjson_read_err *problem, struct err *err) {
        if (problem->code == YYJSON_READ_ERROR_MEMORY_ALLOCATION)
                return err_set(err, BERTH_ERR_NO_MEMORY, "no memory for a JSON document");
        err_set(err, BERTH_ERR_BAD_REQUEST, "%s", problem->msg);
        size_t line, column, character;
        if (yyjson_locate_pos(text.ptr, text.len, problem->pos, &line, &column, &character))
                err_position(err, "", (unsigned)line, (unsigned)column);
        return BERTH_ERR_BAD_REQUEST;
}

static int json_parse_flags(struct slice text, yyjson_read_flag flags, yyjson_doc **ret_doc,
                            struct err *err) {
        yyjson_read_err problem;
        if (text.len == 0)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "empty JSON document");
        /* Without the in-situ flag yyjson copies the text and does not write to it. */
        yyjson_doc *doc = yyjson_read_opts((char *)text.ptr, text.len, flags, NULL, &problem);
        if (!doc)
                return parse_error(text, &problem, err);
        if (is_too_deep(doc)) {
                yyjson_doc_free(doc);
                return err_set(err, BERTH_ERR_BAD_REQUEST, "JSON nested deeper than %d levels",
                               JSON_DEPTH_MAX);
        }
        *ret_doc = doc;
        return 0;
}

int json_parse(struct slice text, struct json_doc **ret_doc, struct err *err) {
        return json_parse_flags(text, YYJSON_READ_NOFLAG, (yyjson_doc **)ret_doc, err);
}

int json_parse_prefix(struct slice text, struct json_doc **ret_doc, size_t *ret_used,
                      struct err *err) {
        yyjson_doc *doc = NULL;
        int r = json_parse_flags(text, YYJSON_READ_STOP_WHEN_DONE, &doc, err);
        if (r < 0)
                return r;
        *ret_used = yyjson_doc_get_read_size(doc);
        *ret_doc = (struct json_doc *)doc;
        return 0;
}

void json_doc_free(struct json_doc *doc) {
        yyjson_doc_free((yyjson_doc *)doc);
}

void cleanup_json_doc(struct json_doc **doc) {
        json_doc_free(*doc);
        *doc = NULL;
}

const struct json *json_doc_root(const struct json_doc *doc) {
        return json_of(yyjson_doc_get_root((yyjson_doc *)doc));
}

/* ---- getters ---- */

enum json_type json_type(const struct json *value) {
        return value_type(val_of(value));
}

/* Of repeated members the last one counts, as in Go, so the scan goes to the end. */
const struct json *json_get_slice(const struct json *object, struct slice key) {
        yyjson_val *at = val_of(object), *found = NULL;
        if (!yyjson_is_obj(at))
                return NULL;
        size_t count = unsafe_yyjson_get_len(at);
        at = unsafe_yyjson_get_first(at);
        for (; count > 0; count--) {
                if (unsafe_yyjson_get_len(at) == key.len &&
                    memcmp(at->uni.str, key.ptr, key.len) == 0)
                        found = at + 1;
                at = unsafe_yyjson_get_next(at + 1);
        }
        return json_of(found);
}

const struct json *json_path(const struct json *value, const char *const *keys, size_t count) {
        for (size_t i = 0; i < count && value; i++)
                value = json_get(value, keys[i]);
        return value;
}

size_t json_count(const struct json *value) {
        yyjson_val *container = val_of(value);
        return yyjson_is_ctn(container) ? unsafe_yyjson_get_len(container) : 0;
}

const struct json **json_elements(const struct json *array, size_t *ret_count) {
        struct json_iter iter = json_iter(array);
        const struct json **elements =
                xreallocarray(NULL, iter.count + 1, sizeof(const struct json *));
        while (json_next(&iter, NULL, &elements[iter.index]))
                continue;
        *ret_count = iter.count;
        return elements;
}

const struct json *json_at(const struct json *array, size_t index) {
        return json_of(yyjson_arr_get(val_of(array), index));
}

struct slice json_text(const struct json *value) {
        yyjson_val *text = val_of(value);
        return yyjson_is_str(text) ? key_slice(text) : SLICE_EMPTY;
}

bool json_is_true(const struct json *value) {
        return yyjson_is_true(val_of(value));
}

bool json_as_i64(const struct json *value, int64_t *ret_value) {
        return value_as_i64(val_of(value), ret_value);
}

bool json_as_f64(const struct json *value, double *ret_value) {
        return value_as_f64(val_of(value), ret_value);
}

bool json_array_has(const struct json *array, struct slice text) {
        struct json_iter iter = json_iter(array);
        const struct json *item;

        while (json_next(&iter, NULL, &item))
                if (json_type(item) == JSON_STRING && slice_eq(json_text(item), text))
                        return true;
        return false;
}

struct slice json_get_text(const struct json *object, const char *key) {
        return json_text(json_get(object, key));
}

int64_t json_get_i64(const struct json *object, const char *key, int64_t fallback) {
        int64_t value;
        return json_as_i64(json_get(object, key), &value) ? value : fallback;
}

bool json_get_bool(const struct json *object, const char *key, bool fallback) {
        const struct json *value = json_get(object, key);
        return json_type(value) == JSON_BOOL ? json_is_true(value) : fallback;
}

struct json_iter json_iter(const struct json *container) {
        size_t count = json_count(container);
        return (struct json_iter){
                .at = count > 0 ? unsafe_yyjson_get_first(val_of(container)) : NULL,
                .container = container,
                .count = count,
        };
}

bool json_next(struct json_iter *iter, struct slice *ret_key, const struct json **ret_value) {
        if (iter->index >= iter->count)
                return false;
        yyjson_val *value = (yyjson_val *)iter->at;
        struct slice key = SLICE_EMPTY;
        if (unsafe_yyjson_is_obj((void *)iter->container)) {
                key = key_slice(value);
                value++;
        }
        if (ret_key)
                *ret_key = key;
        if (ret_value)
                *ret_value = json_of(value);
        iter->at = unsafe_yyjson_get_next(value);
        iter->index++;
        return true;
}

void json_library_version(struct buf *out) {
        uint32_t version = yyjson_version();

        buf_printf(out, "%u.%u.%u", version >> 16, version >> 8 & 0xff, version & 0xff);
}
