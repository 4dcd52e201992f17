/* A command line as kured splits it (shlex): quotes, backslashes, comments. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/slice.h"

#define SHELL_WORDS_MAX 256

/* NULL-ended words in the arena.  Error: BERTH_ERR_INVALID on an open quote or no word at all. */
int shell_words_split(struct slice text, struct arena *arena, const char ***ret_words,
                      size_t *ret_count, struct err *err);
