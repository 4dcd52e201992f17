/* Shared by the two ways to write a selector. */
#pragma once

#include "api/selector.h"

#define SELECTOR_REQUIREMENT_MAX 5000

/* How a requirement is written, finer than selector_op. */
enum selector_spelling {
        SPELLED_IN,
        SPELLED_NOT_IN,
        SPELLED_EQUALS,
        SPELLED_DOUBLE_EQUALS,
        SPELLED_NOT_EQUALS,
        SPELLED_EXISTS,
        SPELLED_NOT_EXISTS,
        SPELLED_GT,
        SPELLED_LT
};

/* Checks key and values and sets up the requirement; sorts the values in place and drops repeated
 * ones. The error text is upstream's. */
int requirement_init(struct selector_requirement *requirement, enum selector_spelling spelling,
                     struct slice key, struct slice *values, size_t value_count, struct err *err);
/* Orders by key; requirements on one key keep their order. */
void requirements_sort(struct selector_requirement *requirements, size_t count);
/* "PATH: Invalid value: ..." when the key breaks the syntax, else 0. */
int label_key_error(const char *path, struct slice key, struct err *err);
