/* Results in the form that was asked for. */
#pragma once

#include "api/json.h"

enum output_format { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_YAML };
extern const char *const output_formats[]; /* for option tables */

#define OUTPUT_OPTION(options_type, member)                                                        \
        {                                                                                          \
                .name = "output", .type = OPTION_CHOICE, .offset = offsetof(options_type, member), \
                .letter = 'o', .value_name = "FORMAT", .choices = output_formats,                  \
                .fallback = "text", .help = "text for people, json or yaml for programs"           \
        }

/* Writes the value as JSON or YAML. */
void output_value(const struct json_node *value, enum output_format format, struct buf *out);
/* Prints out on standard output; false when it could not. */
bool output_print(const struct buf *out);
