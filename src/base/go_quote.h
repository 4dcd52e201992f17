/* Texts as Go's %q prints them. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the character that a text begins with prints; what is no UTF-8 counts as U+FFFD. */
bool go_rune_prints(struct slice text, size_t *ret_length, uint32_t *ret_rune);

/* A byte between single quotes, as the character of its number. */
void go_quote_byte(unsigned char byte, struct buf *out);
/* In quotes, with an escape for all that does not print; bytes that are no UTF-8 by their number.
 */
void go_quote_write(struct slice text, struct buf *out);
/* The same in the arena; NUL-terminated. */
const char *go_quoted(struct arena *arena, struct slice text);
