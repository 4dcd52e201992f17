/* SHA-256 (FIPS 180-4) for chains of records; nothing secret is hashed here. */
#pragma once

#include "base/slice.h"
#include <stdint.h>

#define SHA256_SIZE 32
#define SHA256_TEXT_SIZE 65 /* lower-case hexadecimal with NUL */

void sha256(struct slice data, uint8_t ret_digest[SHA256_SIZE]);
void sha256_text(struct slice data, char ret_text[SHA256_TEXT_SIZE]);
