/* Base64 of RFC 4648 in both alphabets. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>

enum base64_alphabet {
        BASE64_STANDARD, /* + and /, encoded with padding */
        BASE64_URL,      /* - and _, encoded without padding */
};

/* Appends; false when the buffer's maximum is reached (the buffer is then as before). */
bool base64_encode(struct slice data, enum base64_alphabet alphabet, struct buf *out);
/* Appends the decoded bytes. Padding may be present, complete, or absent; line breaks are skipped
 * and spare bits of the last character ignored, as Go does. False, with the buffer as before, on
 * any other character, a wrong length or wrong padding. */
bool base64_decode(struct slice text, enum base64_alphabet alphabet, struct buf *out);
/* Where Go's decoder stops in a text that it does not take: the byte that cannot stand there, the
 * start of an incomplete group, or the length where padding lacks. */
size_t base64_bad_byte(struct slice text, enum base64_alphabet alphabet);
