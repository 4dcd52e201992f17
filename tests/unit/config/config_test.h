/* What the tests of the config room share: cmocka with its prerequisites, and short ways from text
 * to documents. */
#pragma once

#include "base/buf.h"
#include "base/util.h"
#include "config/document.h"
#include "config/field_table.h"

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

/* All problems as config_problems_print writes them; "" when there are none. Free with free. */
static inline char *problems_text(const struct config_problems *problems) {
        struct buf out = { 0 };
        config_problems_print(problems, &out);
        return out.data ? buf_take(&out, NULL) : slice_dup(SLICE_EMPTY);
}

/* Calls judge for every line of a recorded file; skips the test when it is absent. */
static inline void each_vector(const char *name, void (*judge)(const struct json *vector)) {
        const char *shared = getenv("BERTH_SHARED");
        char path[4096], *line = NULL;
        size_t size = 0, count = 0;
        ssize_t length;
        snprintf(path, sizeof(path), "%s/vectors/%s", shared ? shared : "../shared", name);
        FILE *file = fopen(path, "r");
        if (!file)
                skip();
        while ((length = getline(&line, &size, file)) > 0) {
                struct json_doc *doc = NULL;
                assert_int_equal(json_parse(slice_make(line, (size_t)length), &doc, NULL), 0);
                judge(json_doc_root(doc));
                json_doc_free(doc);
                count++;
        }
        free(line);
        fclose(file);
        assert_true(count > 0);
}
