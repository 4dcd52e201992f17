/* A set of texts, for lists whose elements must differ. Few texts are compared one by one, more are
 * hashed, so that a list of any length costs its length. {0} is an empty set. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>

#define TEXT_SET_FEW 8

struct map;

struct text_set {
        struct slice few[TEXT_SET_FEW];
        size_t count;
        struct map *map; /* NULL while there are few */
};

/* True when it was not there yet. The text must outlive the set. */
bool text_set_add(struct text_set *set, struct slice text);
bool text_set_has(const struct text_set *set, struct slice text);
void text_set_release(struct text_set *set);

/* Adds a part to a text made of several, so that different parts make different texts. */
void text_part_add(struct buf *text, struct slice part);
