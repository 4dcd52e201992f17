/* Whole files as text. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#define FILE_TEXT_MAX ((size_t)1 << 31)

/* "-" reads standard input.  err names the file. */
int file_text_read(const char *path, struct buf *ret_text, struct err *err);
