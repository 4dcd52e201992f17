/* Immutable JSON documents. */
#include "api_test.h"

/* ---- texts that come back as they should be written ---- */

static void test_write(void **state) {
        static const struct {
                const char *in, *out;
        } cases[] = {
                { "null", "null" },
                { " [ true , false ] ", "[true,false]" },
                { "{}", "{}" },
                { "[]", "[]" },
                { "{\"b\":1,\"a\":{\"x\":[]}}", "{\"b\":1,\"a\":{\"x\":[]}}" },
                { "\"plain\"", "\"plain\"" },
                { "\"a\\u0022\\\\\\n\"", "\"a\\\"\\\\\\n\"" },
                { "\"\\u00e9\\ud83d\\ude00\"", "\"\xc3\xa9\xf0\x9f\x98\x80\"" },
                { "9223372036854775807", "9223372036854775807" },
                { "18446744073709551615", "18446744073709551615" },
                { "-9223372036854775808", "-9223372036854775808" },
                { "0", "0" },
                { "1.5", "1.5" },
                { "1.0", "1" },
                { "0.1", "0.1" },
                { "-2.50", "-2.5" },
                { "100.0", "100" },
                { "1e20", "100000000000000000000" },
                { "1.2345678901234567e20", "123456789012345670000" },
                { "1e21", "1e+21" },
                { "1.5e300", "1.5e+300" },
                { "0.000001", "0.000001" },
                { "0.00000123", "0.00000123" },
                { "1e-7", "1e-7" },
                { "1.25e-10", "1.25e-10" },
                { "5e-324", "5e-324" },
                { "18446744073709551616", "18446744073709552000" },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_doc *doc = must_parse(cases[i].in);
                struct buf out = { 0 };
                assert_true(json_write(json_doc_root(doc), &out));
                assert_string_equal(out.data, cases[i].out);
                buf_release(&out);
                json_doc_free(doc);
        }
}

static void test_write_pretty(void **state) {
        struct json_doc *doc = must_parse("{\"a\":[1,{\"b\":null}],\"c\":{},\"d\":[]}");
        struct buf out = { 0 };
        (void)state;
        assert_true(json_write_pretty(json_doc_root(doc), 4, &out));
        assert_string_equal(out.data, "{\n    \"a\": [\n        1,\n        {\n"
                                      "            \"b\": null\n        }\n    ],\n"
                                      "    \"c\": {},\n    \"d\": []\n}");
        buf_release(&out);
        json_doc_free(doc);
}

static void test_write_stops_at_the_limit(void **state) {
        struct json_doc *doc = must_parse("{\"key\":[1,2,3,\"a longer text\"]}");
        (void)state;
        struct buf whole = { 0 };
        assert_true(json_write(json_doc_root(doc), &whole));
        for (size_t max = 1; max < whole.len; max++) {
                struct buf out;
                buf_init(&out, max);
                assert_false(json_write(json_doc_root(doc), &out));
                buf_release(&out);
        }
        buf_release(&whole);
        json_doc_free(doc);
}

/* ---- refusals ---- */

static void test_malformed(void **state) {
        static const struct {
                const char *text;
                unsigned line, column;
        } cases[] = {
                { "", 0, 0 },
                { "  ", 1, 1 },
                { "{", 1, 2 },
                { "[1,]", 1, 4 },
                { "{\"a\" 1}", 1, 6 },
                { "nul", 1, 1 },
                { "1 2", 1, 3 },
                { "01", 1, 2 },
                { "\n\n  x", 3, 3 },
                { "\"\x01\"", 1, 2 },
                { "\"\\q\"", 1, 3 },
                { "\"\xff\"", 1, 2 },
                { "\"\xc0\x80\"", 1, 2 },
                { "\"\\ud800\"", 1, 4 },
                { "1e999", 1, 1 },
                { "NaN", 1, 1 },
                { "// x\n1", 1, 1 },
                { "{\"a\":1}}", 1, 8 },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_doc *doc = (struct json_doc *)&doc;
                struct err err = { 0 };
                if (json_parse(slice_of(cases[i].text), &doc, &err) != BERTH_ERR_BAD_REQUEST)
                        fail_msg("accepted: %s", cases[i].text);
                assert_ptr_equal(doc, (struct json_doc *)&doc);
                assert_int_equal(err.line, cases[i].line);
                if (cases[i].line > 1)
                        assert_int_equal(err.column, cases[i].column);
                assert_true(err.text[0] != '\0');
                assert_int_equal(json_parse(slice_of(cases[i].text), &doc, NULL),
                                 BERTH_ERR_BAD_REQUEST);
        }
}

static void test_raw_nul_is_refused(void **state) {
        struct json_doc *doc;
        (void)state;
        assert_int_equal(json_parse(SLICE_LITERAL("\"a\0b\""), &doc, NULL), BERTH_ERR_BAD_REQUEST);
        assert_int_equal(json_parse(SLICE_LITERAL("1\0"), &doc, NULL), BERTH_ERR_BAD_REQUEST);
        doc = must_parse("\"a\\u0000b\"");
        assert_int_equal(json_text(json_doc_root(doc)).len, 3);
        struct buf out = { 0 };
        assert_true(json_write(json_doc_root(doc), &out));
        assert_string_equal(out.data, "\"a\\u0000b\"");
        buf_release(&out);
        json_doc_free(doc);
}

static int parse_nested(const char *open, const char *middle, const char *close, size_t depth) {
        char *head = repeat(open, depth), *tail = repeat(close, depth);
        struct buf text = { 0 };
        struct json_doc *doc = NULL;
        buf_text(&text, head);
        buf_text(&text, middle);
        buf_text(&text, tail);
        int r = json_parse(buf_view(&text), &doc, NULL);
        if (r == 0)
                json_doc_free(doc);
        buf_release(&text);
        free(head);
        free(tail);
        return r;
}

static void test_depth(void **state) {
        (void)state;
        assert_int_equal(parse_nested("[", "", "]", JSON_DEPTH_MAX), 0);
        assert_int_equal(parse_nested("[", "", "]", JSON_DEPTH_MAX + 1), BERTH_ERR_BAD_REQUEST);
        assert_int_equal(parse_nested("{\"a\":", "1", "}", JSON_DEPTH_MAX), 0);
        assert_int_equal(parse_nested("{\"a\":", "1", "}", JSON_DEPTH_MAX + 1),
                         BERTH_ERR_BAD_REQUEST);
        assert_int_equal(parse_nested("[[],", "1", "]", JSON_DEPTH_MAX - 1), 0);
        assert_int_equal(parse_nested("[[1],", "[[]]", "]", JSON_DEPTH_MAX - 1),
                         BERTH_ERR_BAD_REQUEST);
        assert_int_equal(parse_nested("[", "", "]", 1000000), BERTH_ERR_BAD_REQUEST);
        assert_int_equal(parse_nested("[", "", "", 1000000), BERTH_ERR_BAD_REQUEST);
}

/* ---- getters ---- */

static void test_getters(void **state) {
        struct json_doc *doc =
                must_parse("{\"s\":\"x\",\"i\":-5,\"u\":18446744073709551615,\"r\":1.5,\"t\":true,"
                           "\"f\":false,\"n\":null,\"a\":[1,\"two\",[3]],\"o\":{\"p\":{\"q\":7}}}");
        const struct json *root = json_doc_root(doc);
        static const char *const path[] = { "o", "p", "q" };
        int64_t i;
        double f;
        (void)state;
        assert_slice_is(json_get_text(root, "s"), "x");
        assert_slice_is(json_get_text(root, "i"), "");
        assert_int_equal(json_get_i64(root, "i", 9), -5);
        assert_int_equal(json_get_i64(root, "r", 9), 9);
        assert_int_equal(json_get_i64(root, "u", 9), 9);
        assert_true(json_as_f64(json_get(root, "u"), &f) && f > 1.8e19);
        assert_true(json_as_f64(json_get(root, "r"), &f) && f == 1.5);
        assert_false(json_as_f64(json_get(root, "s"), &f));
        assert_false(json_as_i64(json_get(root, "s"), &i));
        assert_true(json_get_bool(root, "t", false));
        assert_false(json_get_bool(root, "f", true));
        assert_true(json_get_bool(root, "n", true));
        assert_int_equal(json_type(json_get(root, "n")), JSON_NULL);
        assert_int_equal(json_type(json_get(root, "gone")), JSON_NONE);
        assert_int_equal(json_type(json_get(root, "u")), JSON_INT);
        assert_int_equal(json_type(json_get(root, "r")), JSON_REAL);
        assert_int_equal(json_count(json_get(root, "a")), 3);
        assert_slice_is(json_text(json_at(json_get(root, "a"), 1)), "two");
        assert_null(json_at(json_get(root, "a"), 3));
        assert_null(json_at(root, 0));
        assert_true(json_as_i64(json_path(root, path, 3), &i) && i == 7);
        assert_null(json_get(json_get(root, "a"), "s"));
        json_doc_free(doc);
}

static void test_null_answers_as_absent(void **state) {
        struct json_iter iter = json_iter(NULL);
        const struct json *value;
        int64_t i;
        (void)state;
        assert_int_equal(json_type(NULL), JSON_NONE);
        assert_null(json_get(NULL, "a"));
        assert_null(json_at(NULL, 0));
        assert_int_equal(json_count(NULL), 0);
        assert_int_equal(json_text(NULL).len, 0);
        assert_false(json_is_true(NULL));
        assert_false(json_as_i64(NULL, &i));
        assert_false(json_next(&iter, NULL, &value));
        assert_true(json_equal(NULL, NULL));
        json_doc_free(NULL);
}

static void test_iteration(void **state) {
        struct json_doc *doc = must_parse("{\"a\":[1,[2],3],\"b\":{\"x\":{}},\"c\":4}");
        struct json_iter iter = json_iter(json_doc_root(doc));
        const struct json *value;
        struct slice key;
        struct buf seen = { 0 };
        (void)state;
        while (json_next(&iter, &key, &value)) {
                buf_slice(&seen, key);
                buf_text(&seen, json_type_name(json_type(value)));
        }
        assert_string_equal(seen.data, "aarraybobjectcinteger");
        buf_release(&seen);
        iter = json_iter(json_get(json_doc_root(doc), "a"));
        assert_true(json_next(&iter, &key, &value));
        assert_int_equal(key.len, 0);
        assert_true(json_next(&iter, NULL, &value));
        assert_int_equal(json_count(value), 1);
        assert_true(json_next(&iter, NULL, &value));
        assert_false(json_next(&iter, NULL, &value));
        iter = json_iter(json_get(json_doc_root(doc), "c"));
        assert_false(json_next(&iter, NULL, &value));
        json_doc_free(doc);
}

static void test_equal(void **state) {
        static const struct {
                const char *a, *b;
                bool is_equal;
        } cases[] = {
                { "{\"a\":1,\"b\":[2]}", "{\"b\":[2],\"a\":1}", true },
                { "[1,2]", "[2,1]", false },
                { "{\"a\":null}", "{}", false },
                { "1", "1.0", false },
                { "\"a\"", "\"\\u0061\"", true },
                { "-1", "-1", true },
                { "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":2}}", false },
                { "18446744073709551615", "18446744073709551615", true },
                { "18446744073709551615", "-1", false },
                { "1.5", "1.5", true },
                { "1.5", "1.25", false },
                { "true", "false", false },
                { "null", "null", true },
                { "null", "false", false },
                { "[]", "{}", false },
                { "[]", "[]", true },
                { "{}", "{}", true },
                { "{\"a\":1}", "{\"b\":1}", false },
                { "[{\"a\":1},{\"b\":[]}]", "[{\"a\":1},{\"b\":[]}]", true },
                { "[1]", "[1,2]", false },
                { "\"ab\"", "\"ac\"", false },
                { "\"\\n\"", "\"\\u000a\"", true },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_doc *a = must_parse(cases[i].a), *b = must_parse(cases[i].b);
                struct json_tree *tree = json_tree_new();
                if (json_equal(json_doc_root(a), json_doc_root(b)) != cases[i].is_equal ||
                    node_equal_json(node_import(tree, json_doc_root(a)), json_doc_root(b)) !=
                            cases[i].is_equal)
                        fail_msg("%s and %s", cases[i].a, cases[i].b);
                json_tree_free(tree);
                json_doc_free(a);
                json_doc_free(b);
        }
}

static void test_prefix(void **state) {
        struct slice rest = slice_of(" {\"a\":1} [2]\n\"x\"\n");
        static const enum json_type types[] = { JSON_OBJECT, JSON_ARRAY, JSON_STRING };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(types); i++) {
                struct json_doc *doc;
                size_t used;
                assert_int_equal(json_parse_prefix(rest, &doc, &used, NULL), 0);
                assert_int_equal(json_type(json_doc_root(doc)), types[i]);
                rest = slice_make(rest.ptr + used, rest.len - used);
                json_doc_free(doc);
        }
        assert_int_equal(rest.len, 1);
}

/* ---- repeated members ---- */

static void test_last_member_wins(void **state) {
        struct json_doc *doc = must_parse("{\"a\":1,\"b\":2,\"a\":3}");
        size_t count;
        (void)state;
        assert_int_equal(json_get_i64(json_doc_root(doc), "a", 0), 3);
        struct json_member *members = json_members(json_doc_root(doc), &count);
        assert_int_equal(count, 2);
        assert_slice_is(members[0].key, "b");
        assert_slice_is(members[1].key, "a");
        free(members);
        assert_null(json_members(NULL, &count));
        assert_int_equal(count, 0);
        json_doc_free(doc);
}

static void collect(void *context, struct slice path, struct slice key) {
        struct buf *all = context;
        assert_true(slice_has_suffix(path, key));
        buf_slice(all, path);
        buf_char(all, ';');
}

static void test_duplicates(void **state) {
        static const struct {
                const char *text, *paths;
        } cases[] = {
                { "{\"a\":1,\"b\":{\"a\":2}}", "" },
                { "{\"a\":1,\"a\":2,\"a\":3}", "a;" },
                { "{\"spec\":{\"x\":1,\"y\":[{\"n\":1,\"n\":2},{\"n\":1}],\"x\":2}}",
                  "spec.x;spec.y[0].n;" },
                { "[[{\"k\":1,\"k\":2}]]", "[0][0].k;" },
                { "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,"
                  "\"j\":1,\"k\":1,\"l\":1,\"m\":1,\"n\":1,\"o\":1,\"p\":1,\"q\":1,\"e\":2,"
                  "\"e\":3,\"b\":4}",
                  "b;e;" },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_doc *doc = must_parse(cases[i].text);
                struct buf all = { 0 };
                buf_text(&all, "");
                size_t count = json_duplicates(json_doc_root(doc), collect, &all);
                assert_string_equal(all.data ? all.data : "", cases[i].paths);
                assert_int_equal(json_duplicates(json_doc_root(doc), NULL, NULL), count);
                buf_release(&all);
                json_doc_free(doc);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_write),
                cmocka_unit_test(test_write_pretty),
                cmocka_unit_test(test_write_stops_at_the_limit),
                cmocka_unit_test(test_malformed),
                cmocka_unit_test(test_raw_nul_is_refused),
                cmocka_unit_test(test_depth),
                cmocka_unit_test(test_getters),
                cmocka_unit_test(test_null_answers_as_absent),
                cmocka_unit_test(test_iteration),
                cmocka_unit_test(test_equal),
                cmocka_unit_test(test_prefix),
                cmocka_unit_test(test_last_member_wins),
                cmocka_unit_test(test_duplicates),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
