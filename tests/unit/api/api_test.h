/* What the tests of the api room share: cmocka with its prerequisites, and short ways to and from
 * JSON text. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The document of a text that must parse; free with json_doc_free. */
static inline struct json_doc *must_parse(const char *text) {
        struct json_doc *doc = NULL;
        struct err err = { 0 };
        if (json_parse(slice_of(text), &doc, &err) < 0)
                fail_msg("%s: %s", text, err.text);
        return doc;
}

static inline struct json_tree *must_parse_tree(const char *text) {
        struct json_tree *tree = NULL;
        struct err err = { 0 };
        if (json_tree_parse(slice_of(text), &tree, &err) < 0)
                fail_msg("%s: %s", text, err.text);
        return tree;
}

/* Compares the written form of a tree's root. */
static inline void assert_tree_is(const struct json_tree *tree, const char *expected) {
        struct buf out = { 0 };
        assert_true(node_write(json_tree_root(tree), &out));
        assert_string_equal(out.data, expected);
        buf_release(&out);
}

static inline void assert_slice_is(struct slice actual, const char *expected) {
        if (!slice_is(actual, expected))
                fail_msg("\"" SLICE_FMT "\" is not \"%s\"", SLICE_ARG(actual), expected);
}

/* The text repeated, malloc'ed. */
static inline char *repeat(const char *text, size_t count) {
        size_t length = strlen(text);
        char *all = xmalloc(count * length + 1);
        for (size_t i = 0; i < count; i++)
                memcpy(all + i * length, text, length);
        all[count * length] = '\0';
        return all;
}
