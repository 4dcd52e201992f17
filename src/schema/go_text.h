/* Values as Go prints them in messages. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "base/buf.h"

/* "map[a:1 b:[x y]]", members in the order of their names. */
void go_text_write(const struct json *value, struct buf *out);
/* As "%s" prints them: what is no text has its type, "%!s(int64=1)". */
void go_string_write(const struct json *value, struct buf *out);
/* map[string]interface {}{"a":1}: as Go source has it. */
void go_syntax_write(const struct json *value, struct buf *out);
/* "map[string]interface {}", "string", ... */
const char *go_type_name(const struct json *value);
/* As errors of fields show a value: texts in Go's quotes, numbers as Go prints them, JSON
 * otherwise. In the arena. */
const char *go_value_shown(struct arena *arena, const struct json_node *value);
