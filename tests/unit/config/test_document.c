/* Reading YAML and JSON: what values come out, where they stand, and what is refused in which
 * words. */
#include "config_test.h"

static void assert_json_is(const struct json *value, const char *text, const char *expected) {
        struct buf out = { 0 };
        assert_true(json_write(value, &out));
        if (strcmp(out.data, expected) != 0)
                fail_msg("%s\nis      %s\nwanted  %s", text, out.data, expected);
        buf_release(&out);
}

struct reading {
        const char *text, *json;
};

static const struct reading readings[] = {
        /* structure */
        { "a: 1\nb: [x, z]\nc: {d: e}\n", "{\"a\":1,\"b\":[\"x\",\"z\"],\"c\":{\"d\":\"e\"}}" },
        { "a:\n- b\n- c\nd: e\n", "{\"a\":[\"b\",\"c\"],\"d\":\"e\"}" },
        { "- a\n- - b\n", "[\"a\",[\"b\"]]" },
        { "k: [a,\nb\n]\n", "{\"k\":[\"a\",\"b\"]}" },
        { "k: {\n\"a\": 1\n}\n", "{\"k\":{\"a\":1}}" },
        { "[a, b]\n", "[\"a\",\"b\"]" },
        { "[1,2]", "[1,2]" },
        { " {\"a\": [1]} ", "{\"a\":[1]}" },
        { "{}", "{}" },
        { "hello\n", "\"hello\"" },
        { "", "null" },
        { "# nothing\n", "null" },
        { "---\na: b\n...\n", "{\"a\":\"b\"}" },
        { "%YAML 1.1\n---\na: 1\n", "{\"a\":1}" },
        { "\xef\xbb\xbf{\"a\":1}", "{\"a\":1}" },
        { "\xef\xbb\xbf"
          "a: 1\n",
          "{\"a\":1}" },
        { "a: b\r\nc: d\r\n", "{\"a\":\"b\",\"c\":\"d\"}" },
        { "a: 1\n---\n: [broken\n", "{\"a\":1}" },
        /* what a plain scalar means */
        { "[y, Y, yes, Yes, YES, on, On, ON, true, True, TRUE]",
          "[true,true,true,true,true,true,true,true,true,true,true]" },
        { "[n, N, no, No, NO, off, Off, OFF, false, False, FALSE]",
          "[false,false,false,false,false,false,false,false,false,false,false]" },
        { "[yES, oN, tRUE, nO]", "[\"yES\",\"oN\",\"tRUE\",\"nO\"]" },
        { "[~, null, Null, NULL, nULL]", "[null,null,null,null,\"nULL\"]" },
        { "a:\nb: \n", "{\"a\":null,\"b\":null}" },
        { "- 0\n- -1\n- +2\n- 1_000\n- -0\n", "[0,-1,2,1000,0]" },
        { "- 0x1F\n- 0o17\n- 017\n- 0b101\n- -0x10\n", "[31,15,15,5,-16]" },
        { "- 08\n- 1e3\n- 2.0\n- 1.5\n- .5\n- -1.\n- 0.1\n", "[8,1000,2,1.5,0.5,-1,0.1]" },
        { "- 9223372036854775807\n- 18446744073709551615\n- -9223372036854775808\n",
          "[9223372036854775807,18446744073709551615,-9223372036854775808]" },
        { "- 1e400\n- 0x\n- 0xZ\n- 1.2.3\n- 1e\n- .\n- '-'\n- +\n- 1:30\n- 12h\n",
          "[\"1e400\",\"0x\",\"0xZ\",\"1.2.3\",\"1e\",\".\",\"-\",\"+\",\"1:30\",\"12h\"]" },
        { "[2001-12-14, 2001-12-14t21:59:43.10-05:00]",
          "[\"2001-12-14\",\"2001-12-14t21:59:43.10-05:00\"]" },
        { "- \"yes\"\n- '1'\n- |\n  true\n- >-\n  5\n", "[\"yes\",\"1\",\"true\\n\",\"5\"]" },
        { "a: |\n  x\n   y\nb: >-\n  f\n  g\n", "{\"a\":\"x\\n y\\n\",\"b\":\"f g\"}" },
        { "a: b #c\nd: e#f\n", "{\"a\":\"b\",\"d\":\"e#f\"}" },
        { "a: \"\\x41\\u00e9\\n\"\n", "{\"a\":\"A\xc3\xa9\\n\"}" },
        /* double-quoted text over several lines */
        { "a: \"x\n  y\n\n  z\"\n", "{\"a\":\"x y\\nz\"}" },
        { "a: \"x\\\\\\\n  b\"\n", "{\"a\":\"x\\\\b\"}" },
        { "a: \"x \\\r\n  \\ b\\\n\n  c\"\n", "{\"a\":\"x  b\\nc\"}" },
        { "a: \"\\x41\\u00e9\\U0001F600\\u20ac\\N\\0\\t \t\n  \\/\\e \"\n",
          "{\"a\":\"A\xc3\xa9\xf0\x9f\x98\x80\xe2\x82\xac\xc2\x85\\u0000\\t /\\u001b \"}" },
        { "a: \"\\ud83d\\ude00\n  \\\\\"\n", "{\"a\":\"\xf0\x9f\x98\x80 \\\\\"}" },
        { "a: \"  \n x \\\\ \\n \n\n\n y\"\n", "{\"a\":\" x \\\\ \\n\\n\\ny\"}" },
        /* tags */
        { "[!!int \"5\", !!str 5, !local 5, !!float 5, !!binary aGk=, !!null '', !!bool 'on']",
          "[5,\"5\",\"5\",5,\"hi\",null,true]" },
        /* keys */
        { "1: a\ntrue: b\n.5: c\n0x10: d\n\"2\": e\n",
          "{\"1\":\"a\",\"true\":\"b\",\"0.5\":\"c\",\"16\":\"d\",\"2\":\"e\"}" },
        { "a: 1\na: 2\n", "{\"a\":1,\"a\":2}" },
        /* aliases and merges */
        { "a: &x {k: 1}\nb: *x\n", "{\"a\":{\"k\":1},\"b\":{\"k\":1}}" },
        { "- &a 1\n- *a\n- &a 2\n- *a\n", "[1,1,2,2]" },
        { "&k a: 1\nb: {*k : 2}\n", "{\"a\":1,\"b\":{\"a\":2}}" },
        { "a: &x {k: 1, z: 2}\nb:\n  <<: *x\n  z: 3\n",
          "{\"a\":{\"k\":1,\"z\":2},\"b\":{\"k\":1,\"z\":3}}" },
        { "b: {z: 3, <<: {z: 1, w: 2}}\n", "{\"b\":{\"z\":3,\"w\":2}}" },
        { "b: {<<: [{k: 1}, {k: 2, l: 3}]}\n", "{\"b\":{\"k\":1,\"l\":3}}" },
        { "a: &x {<<: {m: 1}, o: 2}\nb: {<<: *x}\n",
          "{\"a\":{\"m\":1,\"o\":2},\"b\":{\"m\":1,\"o\":2}}" },
        { "'<<': 1\n", "{\"<<\":1}" },
};

static void test_values(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(readings); i++) {
                struct document *document = must_read(readings[i].text);
                assert_json_is(document_root(document), readings[i].text, readings[i].json);
                document_free(document);
        }
}

struct refusal {
        const char *text, *line;
};

static const struct refusal refusals[] = {
        { "a: *u\n", "f:1:4: unknown anchor \"u\"" },
        { "a: &x [*x]\n", "f:1:7: an anchor's value contains itself" },
        { "a: &x {<<: *x}\n", "f:1:12: merged into itself" },
        { "a: {<<: 5}\n", "f:1:9: only mappings can be merged" },
        { "a: {<<: [5]}\n", "f:1:10: only mappings can be merged" },
        { "a:\n\t- b\n", "f:2:1: malformed YAML: tab character may not be used as indentation" },
        { "a: [\n", "f:2:1: malformed YAML: flow sequence without a closing bracket" },
        { "a: \"x\n", "f:1:5: malformed YAML: double-quoted scalar without closing quote" },
        { "a: x: y\n", "f:1:5: malformed YAML: invalid nested block mapping on the same line" },
        { "a: `x`\n", "f:1:4: malformed YAML: plain scalar cannot start with '`'" },
        { "a: \xff\n", "f:1:4: byte 0xff is not UTF-8" },
        { "\xc3\xa9: \xc0\xaf\n", "f:1:4: byte 0xc0 is not UTF-8" },
        { "a: \xed\xa0\x80\n", "f:1:4: byte 0xed is not UTF-8" },
        { "a: 1\nb: \x01\n", "f:2:4: character U+0001 is not allowed" },
        { "a: \xf4\x90\x80\x80\n", "f:1:4: byte 0xf4 is not UTF-8" },
        { "a: \xe2\x82", "f:1:4: byte 0xe2 is not UTF-8" },
        { "a: \xf0\x9f\x98\x80 \xef\xbb\xbf\n", "f:1:6: character U+FEFF is not allowed" },
        { "a: \"\\ud83d\n\"\n",
          "f:1:5: malformed YAML: double-quoted scalar has invalid UTF8 escape" },
        { "a: .inf\n", "f:1:4: \".inf\" is a number JSON cannot hold" },
        { "a: !!int x\n", "f:1:10: \"x\" does not fit its tag" },
        { "a: !!binary '*'\n", "f:1:13: \"*\" is no base64" },
        { "~: b\n", "f:1:1: \"~\" cannot be a key" },
        { "? [a]\n: b\n", "f:1:3: a key must be a string" },
        { "{\"a\":1,}", "f:1:7: trailing comma is not allowed" },
        { "{a: b}", "f:1:2: unexpected character, expected a string for object key" },
        { "{\"a\":1}\n{\"b\":2}", "f:2:1: unexpected content after document" },
};

static void test_refusals(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
                struct document *document = NULL;
                struct err err = { 0 };
                int r = document_read(slice_of(refusals[i].text), "f", &document, &err);
                if (r != BERTH_ERR_BAD_REQUEST)
                        fail_msg("accepted: %s", refusals[i].text);
                assert_null(document);
                assert_err_is(&err, refusals[i].line);
        }
}

static void test_depth(void **state) {
        char text[2 * JSON_DEPTH_MAX + 8];
        struct err err = { 0 };
        struct document *document;
        (void)state;
        memset(text, '[', JSON_DEPTH_MAX + 1);
        text[JSON_DEPTH_MAX + 1] = 'a'; /* no JSON */
        memset(text + JSON_DEPTH_MAX + 2, ']', JSON_DEPTH_MAX + 1);
        text[2 * JSON_DEPTH_MAX + 3] = '\0';
        assert_int_equal(document_read(slice_of(text), "f", &document, &err),
                         BERTH_ERR_BAD_REQUEST);
}

/* Ten lines that would stand for 10^9 values. */
static void test_aliases_are_bounded(void **state) {
        struct buf text = { 0 };
        struct document *document = NULL;
        struct err err = { 0 };
        (void)state;
        buf_text(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 10; i++) {
                buf_printf(&text, "a%d: &a%d [", i, i);
                for (int j = 0; j < 10; j++)
                        buf_printf(&text, "%s*a%d", j ? ", " : "", i - 1);
                buf_text(&text, "]\n");
        }
        assert_int_equal(document_read(buf_view(&text), "f", &document, &err),
                         BERTH_ERR_BAD_REQUEST);
        assert_string_equal(err.text, "aliases make the document too large");
        buf_release(&text);
}

/* Merges of merges look at the same member again and again, and write it once. */
static void test_merges_are_bounded(void **state) {
        struct buf text = { 0 };
        struct document *document = NULL;
        struct err err = { 0 };
        (void)state;
        buf_text(&text, "a0: &a0 {x: 1}\n");
        for (int i = 1; i <= 40; i++) {
                buf_printf(&text, "a%d: &a%d {<<: [", i, i);
                for (int j = 0; j < 9; j++)
                        buf_printf(&text, "%s*a%d", j ? ", " : "", i - 1);
                buf_text(&text, "]}\n");
        }
        assert_int_equal(document_read(buf_view(&text), "f", &document, &err),
                         BERTH_ERR_BAD_REQUEST);
        assert_string_equal(err.text, "aliases make the document too large");
        buf_release(&text);
}

/* A chain of aliases nests as deep as it has links. */
static void test_alias_chain_is_bounded(void **state) {
        struct buf text = { 0 };
        struct document *document = NULL;
        struct err err = { 0 };
        (void)state;
        buf_text(&text, "- &a0 x\n");
        for (int i = 1; i < 1000; i++)
                buf_printf(&text, "- &a%d [*a%d]\n", i, i - 1);
        assert_int_equal(document_read(buf_view(&text), "f", &document, &err),
                         BERTH_ERR_BAD_REQUEST);
        assert_string_equal(err.text, "nested too deep");
        buf_release(&text);
}

struct place {
        const char *path;
        unsigned line, column;
};

static void check_places(const char *text, const struct place *places, size_t count) {
        struct document *document = must_read(text);
        for (size_t i = 0; i < count; i++) {
                struct err err = { 0 };
                document_locate_path(document, document_root(document), places[i].path, &err);
                assert_string_equal(err.file, "test.yaml");
                if (err.line != places[i].line || err.column != places[i].column)
                        fail_msg("%s: %u:%u", places[i].path, err.line, err.column);
        }
        document_free(document);
}

static void test_positions_in_yaml(void **state) {
        static const struct place places[] = {
                { "", 2, 1 },
                { "a", 2, 7 },
                { "b", 4, 3 },
                { "b[0]", 4, 5 },
                { "b[0].c", 4, 8 },
                { "b[1]", 5, 5 },
                { "b[1].x/y.z", 5, 15 },
                { "b[1].nope", 5, 5 },
                { "d", 6, 1 },
                { "e.f", 7, 8 },
                { "b[7]", 4, 3 },
                { "g", 8, 4 },
                { "b[1][x/y.z]", 5, 15 },
        };
        static const struct place gaps[] = { { "[1]", 1, 1 },
                                             { "[2].b", 3, 4 },
                                             { "[2].c", 3, 7 } };
        (void)state;
        check_places("- a\n-\n- {b, c: }\n", gaps, ARRAY_LEN(gaps));
        check_places("# comment\na: &v 1\nb:\n  - c: 2\n  - {x/y.z:   \xc3\xa9}\nd:\ne: {f: \"\"}\n"
                     "g: *v\n",
                     places, ARRAY_LEN(places));
}

static void test_positions_in_json(void **state) {
        static const struct place places[] = {
                { "", 1, 1 },      { "a", 2, 6 },      { "b", 3, 5 },     { "b[0]", 3, 6 },
                { "b[1]", 3, 13 }, { "b[2].c", 4, 6 }, { "d\"e", 5, 11 }, { "f", 6, 13 },
        };
        (void)state;
        check_places("{\n\"a\": -1.5e3,\n\"b\":[\"x\\\"\", true,{\n\"c\": {}}],\n"
                     "  \"d\\\"e\": null,\n\"\xc3\xa9\":1, \"f\": 1}",
                     places, ARRAY_LEN(places));
}

static void test_key_positions(void **state) {
        struct document *yaml = must_read("a: 1\n  \nb:\n  c: 2\n");
        struct document *json = must_read("{\"a\": {\n \"b\": 1}}");
        struct err err = { 0 };
        (void)state;
        document_locate_key(yaml, json_get(document_root(yaml), "b"), slice_of("c"), &err);
        assert_int_equal(err.line, 4);
        assert_int_equal(err.column, 3);
        document_locate_key(json, json_get(document_root(json), "a"), slice_of("b"), &err);
        assert_int_equal(err.line, 2);
        assert_int_equal(err.column, 2);
        /* A key that is not there: the mapping. */
        document_locate_key(yaml, json_get(document_root(yaml), "b"), slice_of("x"), &err);
        assert_int_equal(err.line, 4);
        document_free(yaml);
        document_free(json);
}

static void collect(void *context, const struct err *where) {
        char line[ERR_TEXT_MAX + 2 * ERR_PATH_MAX];
        err_format(where, line, sizeof(line));
        buf_printf(context, "%s\n", line);
}

static void test_duplicates(void **state) {
        struct document *document = must_read("a: 1\nb:\n- {c: 1, d: 2,\n   c: 3}\na: 2\na: 4\n");
        struct buf out = { 0 };
        (void)state;
        assert_int_equal(document_duplicates(document, collect, &out), 2);
        assert_string_equal(out.data, "test.yaml:6:1: a: written twice\n"
                                      "test.yaml:4:4: b[0].c: written twice\n");
        buf_release(&out);
        document_free(document);
        document = must_read("x: &x {a: 1}\nz: {<<: *x, a: 2}\n");
        assert_int_equal(document_duplicates(document, NULL, NULL), 0);
        document_free(document);
}

static void test_several_documents(void **state) {
        static const struct {
                const char *text, *json; /* joined by spaces */
        } cases[] = {
                { "--- \na: 1\n---\n# c\n---\nb: 2\n...\n", "{\"a\":1} {\"b\":2} " },
                { "{\"a\":1}\n{\"b\":2} {\"c\":\n3}\n", "{\"a\":1} {\"b\":2} {\"c\":3} " },
                { "{\"a\":\"}{\\\"\"}{}", "{\"a\":\"}{\\\"\"} {} " },
                { "", "" },
                { "---\n---\n", "" },
                { "[1]\n---\n[2]\n", "[1] [2] " },
                { "{\"a\":1}\n---\nb: 2\n---\n{\"c\": 3}\n", "{\"a\":1} {\"b\":2} {\"c\":3} " },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct document_list list = { 0 };
                struct buf out = { 0 };
                assert_int_equal(document_list_read(slice_of(cases[i].text), "f", &list, NULL), 0);
                buf_text(&out, "");
                for (size_t j = 0; j < list.count; j++) {
                        json_write(document_root(list.items[j]), &out);
                        buf_char(&out, ' ');
                }
                assert_string_equal(out.data ? out.data : "", cases[i].json);
                buf_release(&out);
                document_list_release(&list);
        }
}

static void test_several_documents_positions(void **state) {
        struct document_list list = { 0 };
        struct err err = { 0 };
        (void)state;
        assert_int_equal(document_list_read(slice_of("a: 1\n---\nb: 2\n"), "f", &list, &err), 0);
        document_locate(list.items[1], json_get(document_root(list.items[1]), "b"), &err);
        assert_int_equal(err.line, 3);
        document_list_release(&list);
        assert_int_equal(document_list_read(slice_of("{\"a\":1}\n\n{\"b\":2}"), "f", &list, &err),
                         0);
        document_locate(list.items[1], json_get(document_root(list.items[1]), "b"), &err);
        assert_int_equal(err.line, 3);
        document_list_release(&list);
        assert_int_equal(document_list_read(slice_of("{}\n---\nb: 2\n"), "f", &list, &err), 0);
        document_locate(list.items[1], json_get(document_root(list.items[1]), "b"), &err);
        assert_int_equal(err.line, 3);
        document_list_release(&list);
        assert_int_equal(document_list_read(slice_of("{}\n---\nb: [\n"), "f", &list, &err),
                         BERTH_ERR_BAD_REQUEST);
        assert_int_equal(err.line, 4);
        assert_int_equal(document_list_read(slice_of("{}\n{\"b\"}"), "f", &list, &err),
                         BERTH_ERR_BAD_REQUEST);
        assert_int_equal(err.line, 2);
        assert_int_equal(document_list_read(slice_of("a: 1\n---\nb: [\n"), "f", &list, &err),
                         BERTH_ERR_BAD_REQUEST);
        assert_int_equal(list.count, 0);
}

static void test_part(void **state) {
        static const char *const texts[] = {
                "items:\n- a: 1\n- b: {c: [1,\n     x]}\n- d: 2\n",
                "{\"items\": [{\"a\": 1},\n {\n  \"b\": {\"c\": [1,\n     \"x\"]}}, {\"d\": 2}]}",
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
                struct document *whole = must_read(texts[i]);
                struct document *part =
                        document_part(whole, json_at(json_get(document_root(whole), "items"), 1));
                document_free(whole);
                struct err err = { 0 };
                const struct json *root = document_root(part);
                assert_json_is(root, texts[i], "{\"b\":{\"c\":[1,\"x\"]}}");
                document_locate_path(part, root, "b.c[1]", &err);
                assert_int_equal(err.line, 4);
                assert_int_equal(err.column, 6);
                document_free(part);
        }
}

static void test_traits(void **state) {
        struct document *document = must_read("{}");
        (void)state;
        assert_true(document_is_json(document));
        assert_false(document_has_more(document));
        assert_string_equal(document_file(document), "test.yaml");
        document_free(document);
        document = must_read("a: 1\n---\nb: 1\n");
        assert_false(document_is_json(document));
        assert_true(document_has_more(document));
        document_free(document);
        document = must_read("a: 1\n...\n# end\n");
        assert_false(document_has_more(document));
        document_free(document);
        document_free(NULL);
}

/* Beyond the limit JSON is read, but nobody knows where anything stands. */
static void test_large_json_has_no_positions(void **state) {
        size_t size = DOCUMENT_POSITIONS_MAX + 16;
        char *text = xmalloc(size);
        struct document *document = NULL;
        struct err err = { 0 };
        (void)state;
        memset(text, ' ', size);
        memcpy(text, "{\"a\":1}", 7);
        assert_int_equal(document_read(slice_make(text, size), "f", &document, &err), 0);
        document_locate(document, json_get(document_root(document), "a"), &err);
        assert_string_equal(err.file, "f");
        assert_int_equal(err.line, 0);
        document_free(document);
        free(text);
}

static void test_tree(void **state) {
        struct json_tree *tree = NULL;
        struct err err = { 0 };
        struct buf out = { 0 };
        (void)state;
        assert_int_equal(document_read_tree(slice_of("a: 1\na: [yes]\n"), &tree, &err), 0);
        assert_true(node_write(json_tree_root(tree), &out));
        assert_string_equal(out.data, "{\"a\":[true]}");
        buf_release(&out);
        json_tree_free(tree);
        assert_int_equal(document_read_tree(slice_of("a: ["), &tree, &err), BERTH_ERR_BAD_REQUEST);
        assert_err_is(&err, "2:1: malformed YAML: flow sequence without a closing bracket");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_values),
                cmocka_unit_test(test_refusals),
                cmocka_unit_test(test_depth),
                cmocka_unit_test(test_aliases_are_bounded),
                cmocka_unit_test(test_alias_chain_is_bounded),
                cmocka_unit_test(test_merges_are_bounded),
                cmocka_unit_test(test_positions_in_yaml),
                cmocka_unit_test(test_positions_in_json),
                cmocka_unit_test(test_key_positions),
                cmocka_unit_test(test_duplicates),
                cmocka_unit_test(test_several_documents),
                cmocka_unit_test(test_several_documents_positions),
                cmocka_unit_test(test_part),
                cmocka_unit_test(test_traits),
                cmocka_unit_test(test_large_json_has_no_positions),
                cmocka_unit_test(test_tree),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
