/* Small files read whole: kubeconfigs, certificates, tokens. */
#pragma once

#include "base/err.h"
#include <stddef.h>

#define TEXT_FILE_MAX ((size_t)4 << 20)

/* NUL-terminated content from malloc. Errors: NOT_FOUND when there is no such file, TOO_LARGE
 * beyond TEXT_FILE_MAX, IO. */
int text_file_read(const char *path, char **ret_text, size_t *ret_len, struct err *err);
