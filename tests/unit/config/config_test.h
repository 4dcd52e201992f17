/* What the tests of the config room share: cmocka with its prerequisites, and short ways from text
 * to documents. */
#pragma once

#include "base/buf.h"
#include "base/util.h"
#include "config/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The document of a text that must be readable; free with document_free. */
static inline struct document *must_read(const char *text) {
        struct document *document = NULL;
        struct err err = { 0 };
        if (document_read(slice_of(text), "test.yaml", &document, &err) < 0)
                fail_msg("%s: %s", text, err.text);
        return document;
}

/* Compares the whole line an error prints. */
static inline void assert_err_is(const struct err *err, const char *expected) {
        char line[ERR_TEXT_MAX + 2 * ERR_PATH_MAX];
        err_format(err, line, sizeof(line));
        assert_string_equal(line, expected);
}
