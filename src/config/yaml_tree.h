/* A YAML document as a tree of nodes, before aliases are resolved and scalars get their type. The
 * only source file behind this header sees libfyaml. Private to this room. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING, YAML_ALIAS };

struct yaml_node {
        enum yaml_kind kind;
        bool is_plain;         /* scalars: written without quotes and not as a block */
        bool is_open;          /* being written out; an alias to it would never end */
        unsigned line, column; /* 1-based */
        struct slice tag;      /* as resolved, tag:yaml.org,2002:str; empty = none */
        struct slice text;     /* scalars */
        size_t count;          /* children: elements, or keys and values alternating */
        struct yaml_node *first, *last, *next;
        const struct yaml_node *target; /* aliases */
};

struct yaml_reader;

/* The text must be valid UTF-8 and outlive the reader. */
struct yaml_reader *yaml_reader_new(struct slice text);
void yaml_reader_free(struct yaml_reader *reader); /* accepts NULL */
/* Reads the next document into the arena; *ret_root is NULL at the end of the text. Errors:
 * BERTH_ERR_BAD_REQUEST with line and column. */
int yaml_reader_next(struct yaml_reader *reader, struct arena *arena, struct yaml_node **ret_root,
                     struct err *err);

/* Reads the inside of a double-quoted scalar; false when an escape is not valid. */
bool yaml_read_quoted(struct slice raw, struct buf *out);
