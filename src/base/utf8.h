/* Well-formed UTF-8: no stray, overlong, surrogate or out-of-range sequences. */
#pragma once

#include "base/slice.h"

/* Bytes of the sequence at the start of `text` (1 to 4); 0 when there is no well-formed one. */
size_t utf8_sequence_len(struct slice text);
bool utf8_is_valid(struct slice text);
