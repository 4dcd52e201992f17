/* Well-formed UTF-8: no stray, overlong, surrogate or out-of-range sequences. */
#pragma once

#include "base/slice.h"
#include <stdint.h>

/* Bytes of the sequence at the start of `text` (1 to 4); 0 when there is no well-formed one. */
size_t utf8_sequence_len(struct slice text);
/* The same, and the code point; *ret_code is left alone when there is none. */
size_t utf8_decode(struct slice text, uint32_t *ret_code);
/* Writes a code point of up to 0x1fffff; its bytes. */
#define UTF8_BYTES_MAX 4
size_t utf8_encode(uint32_t code, char buffer[UTF8_BYTES_MAX]);
bool utf8_is_valid(struct slice text);
/* Bytes of the blank at the start of `text`, as Unicode has them (Go's unicode.IsSpace); 0 when
 * there is none. */
size_t utf8_space_len(struct slice text);
/* Without the blanks around it. */
struct slice utf8_trim(struct slice text);
