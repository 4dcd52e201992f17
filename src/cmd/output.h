/* Results in the form that was asked for. */
#pragma once

#include "api/json.h"
#include "cmd/option_table.h"

enum output_format { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_YAML };
extern const char *const output_formats[]; /* for option tables */

extern const struct option output_option_table[]; /* of an int, enum output_format */

/* Writes the value as JSON or YAML. */
void output_value(const struct json_node *value, enum output_format format, struct buf *out);
/* Prints out on standard output; false when it could not. */
bool output_print(const struct buf *out);
