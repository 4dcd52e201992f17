/* Builds immutable JSON values without any text: for objects that arrive in another form
 * (protobuf). The values read like those of a parsed document (api/json.h) and live until the
 * builder is cleared.
 *
 * Calls follow the order of the text: json_build_open, then for each member json_build_key and one
 * value, then json_build_close. */
#pragma once

#include "api/json.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_BUILD_DEPTH_MAX JSON_DEPTH_MAX

struct json_builder;

struct json_builder *json_builder_new(void);
void json_builder_free(struct json_builder *builder); /* accepts NULL */
/* Forgets all values; keeps memory for as many as are usual. */
void json_builder_clear(struct json_builder *builder);
/* The first value, once it is complete; NULL before. */
const struct json *json_builder_root(const struct json_builder *builder);

/* Begins an array or an object. False when JSON_BUILD_DEPTH_MAX are open. */
bool json_build_open(struct json_builder *builder, enum json_type type);
void json_build_close(struct json_builder *builder);
/* The text of keys and values is not copied: it must live as long as the values. */
void json_build_key(struct json_builder *builder, struct slice key);
void json_build_text(struct json_builder *builder, struct slice text);
void json_build_copy(struct json_builder *builder, struct slice text); /* copies */
void json_build_bool(struct json_builder *builder, bool value);
void json_build_i64(struct json_builder *builder, int64_t value);
void json_build_f64(struct json_builder *builder, double value);
/* Copies. False when it is nested too deeply; the builder is then good for json_builder_clear only.
 */
bool json_build_value(struct json_builder *builder, const struct json *value);
/* Takes the key back that was written last and has no value yet. */
void json_build_drop_key(struct json_builder *builder);

/* Takes everything back that was put into the innermost container since the mark. */
struct json_build_mark {
        size_t count;
        uint64_t tag; /* of that container */
};
struct json_build_mark json_build_mark(const struct json_builder *builder);
void json_build_rewind(struct json_builder *builder, struct json_build_mark mark);
