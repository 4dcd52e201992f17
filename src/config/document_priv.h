/* What the files behind document.h share. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "config/document.h"
#include "config/yaml_tree.h"
#include <stdint.h>

/* Where a value and the key before it begin; 0 = unknown. */
struct document_mark {
        const struct json *value; /* set once the JSON is parsed */
        uint32_t line, column, key_line, key_column;
};

/* Marks in the order in which values stand in the JSON text. */
struct document_marks {
        struct document_mark *items;
        size_t count, capacity;
};

struct document {
        char *file;
        struct json_doc *doc;
        struct document_marks marks; /* sorted by value: values of one document ascend */
        bool is_json, has_more;
};

void document_marks_add(struct document_marks *marks, struct document_mark mark);
void document_marks_release(struct document_marks *marks);
/* Finds the positions of all values of a valid JSON text. */
void document_marks_scan(struct slice json, struct document_marks *marks);
/* Ties the marks to the values. */
void document_marks_bind(struct document_marks *marks, const struct json *root);
/* The marks of value and of what is in it, tied to a copy of it; none when marks has none. */
void document_marks_copy(const struct document_marks *marks, const struct json *value,
                         const struct json *copy, struct document_marks *ret_marks);

/* Writes the tree as JSON text, with a mark per value. */
int yaml_emit(struct yaml_node *root, struct buf *out, struct document_marks *marks,
              struct err *err);

/* Appends the JSON form of a scalar, by its tag or its look. */
int yaml_scalar_emit(const struct yaml_node *scalar, struct buf *out, struct err *err);
/* Appends a scalar as the key of a JSON object. */
int yaml_key_emit(const struct yaml_node *scalar, struct buf *out, struct err *err);
