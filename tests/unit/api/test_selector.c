/* Label and field selectors, and the syntax of labels. */
#include "api/selector.h"
#include "api_test.h"

struct world {
        struct arena arena;
};

static int setup(void **state) {
        struct world *world = xcalloc(1, sizeof(*world));
        arena_init(&world->arena, 0);
        *state = world;
        return 0;
}

static int teardown(void **state) {
        struct world *world = *state;
        arena_release(&world->arena);
        free(world);
        return 0;
}

/* Parses {"a":"b"} into the arena; the document is kept alive by copying the labels. */
static struct label_list labels_of(struct arena *arena, const char *text) {
        struct json_doc *doc = must_parse(text);
        struct label_list list = label_list_decode(json_doc_root(doc), arena);
        for (size_t i = 0; i < list.count; i++) {
                list.items[i].key = arena_slice(arena, list.items[i].key);
                list.items[i].value = arena_slice(arena, list.items[i].value);
        }
        json_doc_free(doc);
        return list;
}

static void assert_prints(const struct selector *selector, const char *expected) {
        struct buf out = { 0 };
        buf_text(&out, "");
        assert_true(selector_print(selector, &out));
        assert_string_equal(out.data ? out.data : "", expected);
        buf_release(&out);
}

static void test_parse(void **state) {
        struct world *world = *state;
        static const struct {
                const char *text, *canonical, *matching, *other;
        } cases[] = {
                { "", "", "{}", NULL },
                { "  ", "", "{\"a\":\"1\"}", NULL },
                { "a", "a", "{\"a\":\"\"}", "{}" },
                { " ! a ", "!a", "{\"b\":\"1\"}", "{\"a\":\"1\"}" },
                { "a=1", "a=1", "{\"a\":\"1\"}", "{\"a\":\"2\"}" },
                { "a == 1", "a==1", "{\"a\":\"1\"}", "{}" },
                { "a!=1", "a!=1", "{}", "{\"a\":\"1\"}" },
                { "a=", "a=", "{\"a\":\"\"}", "{}" },
                { "z in (c, a,b ,a)", "z in (a,b,c)", "{\"z\":\"b\"}", "{\"z\":\"d\"}" },
                { "a notin (x)", "a notin (x)", "{}", "{\"a\":\"x\"}" },
                { "a in ()", "a in ()", "{\"a\":\"\"}", "{\"a\":\"x\"}" },
                { "a in (,x,,)", "a in (,x)", "{\"a\":\"\"}", "{}" },
                { "a>5", "a>5", "{\"a\":\"6\"}", "{\"a\":\"5\"}" },
                { "a < 5", "a<5", "{\"a\":\"-6\"}", "{\"a\":\"x\"}" },
                { "a>9223372036854775806", "a>9223372036854775806",
                  "{\"a\":\"9223372036854775807\"}", "{\"a\":\"9223372036854775808\"}" },
                { "b,a=1,!c", "a=1,b,!c", "{\"a\":\"1\",\"b\":\"\"}",
                  "{\"a\":\"1\",\"b\":\"\",\"c\":\"\"}" },
                { "in in (in),notin=in", "in in (in),notin=in", "{\"in\":\"in\",\"notin\":\"in\"}",
                  "{\"in\":\"in\"}" },
                { "example.com/x-y=z", "example.com/x-y=z", "{\"example.com/x-y\":\"z\"}", "{}" },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct selector selector;
                struct err err = { 0 };
                if (selector_parse(slice_of(cases[i].text), &world->arena, &selector, &err) < 0)
                        fail_msg("%s: %s", cases[i].text, err.text);
                assert_prints(&selector, cases[i].canonical);
                assert_int_equal(selector_is_empty(&selector), cases[i].canonical[0] == '\0');
                assert_true(
                        selector_matches(&selector, labels_of(&world->arena, cases[i].matching)));
                if (cases[i].other)
                        assert_false(selector_matches(&selector,
                                                      labels_of(&world->arena, cases[i].other)));
        }
}

static void test_parse_refused(void **state) {
        struct world *world = *state;
        static const struct {
                const char *text, *error;
        } cases[] = {
                { ",", "found ',', expected: !, identifier, or 'end of string'" },
                { "a,", "found '', expected: identifier after ','" },
                { "a,,b", "found ',', expected: identifier after ','" },
                { "a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, "
                         "gt, lt" },
                { "a in b", "unable to parse requirement: found 'b' expected: '('" },
                { "a in (b", "unable to parse requirement: found '', expected: ',' or ')'" },
                { "a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'" },
                { "a in (", "unable to parse requirement: found '', expected: ',', ')' or "
                            "identifier" },
                { "a in (x,=)", "unable to parse requirement: found '=', expected: ',', or "
                                "identifier" },
                { "!", "unable to parse requirement: found '', expected: identifier" },
                { "!a=1", "found '=', expected: ',' or 'end of string'" },
                { "a=1 2", "found '2', expected: ',' or 'end of string'" },
                { "a>x", "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', "
                         "'Lt' operators, the value must be an integer" },
                { "a>", "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', "
                        "'Lt' operators, the value must be an integer" },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct selector selector;
                struct err err = { 0 };
                assert_int_equal(
                        selector_parse(slice_of(cases[i].text), &world->arena, &selector, &err),
                        BERTH_ERR_BAD_REQUEST);
                assert_int_equal(err.code, BERTH_ERR_BAD_REQUEST);
                assert_string_equal(err.text, cases[i].error);
                assert_int_equal(
                        selector_parse(slice_of(cases[i].text), &world->arena, &selector, NULL),
                        BERTH_ERR_BAD_REQUEST);
        }
        struct selector selector;
        assert_true(selector_parse(SLICE_LITERAL("a=1\0,b"), &world->arena, &selector, NULL) < 0);
}

static void test_large_input(void **state) {
        struct world *world = *state;
        struct selector selector;
        char *many = repeat("a,", 20000), *values = repeat("x,", 20000);
        struct buf text = { 0 };
        assert_true(selector_parse(slice_make(many, 39999), &world->arena, &selector, NULL) < 0);
        assert_int_equal(selector_parse(slice_make(many, 7999), &world->arena, &selector, NULL), 0);
        assert_int_equal(selector.count, 4000);
        buf_printf(&text, "a in (%s)", values);
        assert_int_equal(selector_parse(buf_view(&text), &world->arena, &selector, NULL), 0);
        assert_int_equal(selector.requirements[0].value_count, 2);
        buf_release(&text);
        free(many);
        free(values);
}

/* Long selectors are sorted and matched in other ways than short ones: by result they are the same.
 * Each key has two requirements, which keep their order. */
static void test_many_requirements(void **state) {
        static const int counts[] = { 1, 16, 17, 33, 100, 2000 };
        struct world *world = *state;
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
                struct buf text = { 0 }, labels = { 0 };
                struct selector selector;
                int count = counts[c];
                for (int i = count - 1; i >= 0; i--) {
                        buf_printf(&text, "%sk%04d!=x,k%04d in (a,v%d)", text.len ? "," : "", i, i,
                                   i);
                        buf_printf(&labels, "%s\"k%04d\":\"v%d\"", labels.len ? "," : "{",
                                   i * 7 % count, i * 7 % count);
                }
                buf_text(&labels, ",\"z\":\"\"}");
                assert_int_equal(selector_parse(buf_view(&text), &world->arena, &selector, NULL),
                                 0);
                assert_int_equal(selector.count, 2 * count);
                for (size_t i = 0; i < selector.count; i++) {
                        assert_int_equal(selector.requirements[i].op,
                                         i % 2 ? SELECTOR_IN : SELECTOR_NOT_IN);
                        assert_true(i == 0 || slice_compare(selector.requirements[i - 1].key,
                                                            selector.requirements[i].key) <= 0);
                }
                struct label_list list = labels_of(&world->arena, labels.data);
                assert_true(selector_matches(&selector, list));
                struct label *changed = &list.items[list.count / 2];
                struct slice value = changed->value;
                changed->value = SLICE_LITERAL("a");
                assert_true(selector_matches(&selector, list));
                changed->value = SLICE_LITERAL("y");
                assert_int_equal(selector_matches(&selector, list), slice_is(changed->key, "z"));
                changed->value = value;
                changed->key = SLICE_LITERAL("y");
                assert_int_equal(selector_matches(&selector, list), value.len == 0);
                buf_release(&text);
                buf_release(&labels);
        }
}

static void test_decode(void **state) {
        struct world *world = *state;
        static const struct {
                const char *text, *canonical;
                bool is_empty, matches_nothing;
        } cases[] = {
                { "null", "", false, true },
                { "{}", "", true, false },
                { "{\"matchLabels\":null,\"matchExpressions\":[]}", "", true, false },
                { "{\"matchLabels\":{\"b\":\"2\",\"a\":\"1\"}}", "a=1,b=2", false, false },
                { "{\"matchLabels\":{\"a\":\"1\",\"a\":\"2\"}}", "a=2", false, false },
                { "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"y\","
                  "\"x\"]},{\"key\":\"a\",\"operator\":\"Exists\",\"values\":[]},{\"key\":\"0\","
                  "\"operator\":\"DoesNotExist\"}]}",
                  "!0,a in (x,y),a", false, false },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_doc *doc = must_parse(cases[i].text);
                struct selector selector;
                struct err err = { 0 };
                if (selector_decode(json_doc_root(doc), &world->arena, &selector, &err) < 0)
                        fail_msg("%s: %s", cases[i].text, err.text);
                assert_prints(&selector, cases[i].canonical);
                assert_int_equal(selector_is_empty(&selector), cases[i].is_empty);
                assert_int_equal(selector.matches_nothing, cases[i].matches_nothing);
                assert_int_equal(selector_matches(&selector, (struct label_list){ 0 }),
                                 cases[i].is_empty);
                json_doc_free(doc);
        }
}

static void test_decode_refused(void **state) {
        struct world *world = *state;
        static const struct {
                const char *text, *path;
                int code;
        } cases[] = {
                { "[]", "", BERTH_ERR_BAD_REQUEST },
                { "{\"matchLabels\":[]}", "matchLabels", BERTH_ERR_BAD_REQUEST },
                { "{\"matchLabels\":{\"a\":1}}", "matchLabels", BERTH_ERR_BAD_REQUEST },
                { "{\"matchLabels\":{\"a\":\"-\"}}", "matchLabels", BERTH_ERR_INVALID },
                { "{\"matchExpressions\":{}}", "matchExpressions", BERTH_ERR_BAD_REQUEST },
                { "{\"matchExpressions\":[7]}", "matchExpressions[0]", BERTH_ERR_BAD_REQUEST },
                { "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"},{\"key\":\"a\","
                  "\"operator\":\"Gt\",\"values\":[\"1\"]}]}",
                  "matchExpressions[1]", BERTH_ERR_INVALID },
                { "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[1]}]}",
                  "matchExpressions[0].values", BERTH_ERR_BAD_REQUEST },
                { "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"NotIn\"}]}",
                  "matchExpressions[0]", BERTH_ERR_INVALID },
                { "{\"matchExpressions\":[{\"operator\":\"Exists\"}]}", "matchExpressions[0]",
                  BERTH_ERR_INVALID },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_doc *doc = must_parse(cases[i].text);
                struct selector selector;
                struct err err = { 0 };
                assert_int_equal(
                        selector_decode(json_doc_root(doc), &world->arena, &selector, &err),
                        cases[i].code);
                assert_string_equal(err.path, cases[i].path);
                json_doc_free(doc);
        }
}

static void test_label_syntax(void **state) {
        char *long63 = repeat("k", 63), *long64 = repeat("k", 64), *prefix = repeat("p", 254);
        (void)state;
        static const char *const good_keys[] = { "a", "A.b-c_9", "example.com/a", "a.b.c/x",
                                                 "1/2" };
        static const char *const bad_keys[] = { "",      "-a",  "a-",    "a b",   "/a",
                                                "a/",    "A/b", "a/b/c", "a_b/c", ".a/b",
                                                "a../b", "é",   "a\n",   "a-/b",  "-/-" };
        static const char *const good_values[] = { "", "a", "A_b.c-9", "0" };
        static const char *const bad_values[] = { "-", "a.", ".a", "a b", "a/b", "é" };
        for (size_t i = 0; i < ARRAY_LEN(good_keys); i++)
                assert_null(label_key_problem(slice_of(good_keys[i])));
        for (size_t i = 0; i < ARRAY_LEN(bad_keys); i++)
                assert_non_null(label_key_problem(slice_of(bad_keys[i])));
        for (size_t i = 0; i < ARRAY_LEN(good_values); i++)
                assert_null(label_value_problem(slice_of(good_values[i])));
        for (size_t i = 0; i < ARRAY_LEN(bad_values); i++)
                assert_non_null(label_value_problem(slice_of(bad_values[i])));
        assert_null(label_key_problem(slice_of(long63)));
        assert_string_equal(label_key_problem(slice_of(long64)),
                            "name part must be no more than 63 bytes");
        assert_null(label_value_problem(slice_of(long63)));
        assert_string_equal(label_value_problem(slice_of(long64)), "must be no more than 63 bytes");
        struct buf key = { 0 };
        buf_printf(&key, "%s/a", prefix);
        assert_string_equal(label_key_problem(buf_view(&key)),
                            "prefix part must be no more than 253 bytes");
        buf_release(&key);
        free(long63);
        free(long64);
        free(prefix);
}

static void test_labels(void **state) {
        struct world *world = *state;
        struct label_list labels =
                labels_of(&world->arena, "{\"a\":\"1\",\"b\":2,\"a\":\"3\",\"c\":\"\"}");
        bool found;
        assert_int_equal(labels.count, 2);
        assert_slice_is(label_list_get(labels, "a", NULL), "3");
        assert_slice_is(label_list_get(labels, "c", &found), "");
        assert_true(found);
        label_list_get(labels, "b", &found);
        assert_false(found);
        assert_int_equal(label_list_decode(NULL, &world->arena).count, 0);
}

static void test_field_selector(void **state) {
        struct world *world = *state;
        struct field_selector selector;
        struct err err = { 0 };
        assert_int_equal(field_selector_parse(slice_of("spec.nodeName=,a!=b==c"), &world->arena,
                                              &selector, &err),
                         BERTH_ERR_BAD_REQUEST);
        assert_int_equal(field_selector_parse(
                                 slice_of(",metadata.name=x\\,y\\=z\\\\,,status.phase!=Failed,a=="),
                                 &world->arena, &selector, &err),
                         0);
        assert_int_equal(selector.count, 3);
        assert_slice_is(selector.terms[0].key, "metadata.name");
        assert_slice_is(selector.terms[0].value, "x,y=z\\");
        assert_false(selector.terms[0].is_not_equal);
        assert_slice_is(selector.terms[1].key, "status.phase");
        assert_slice_is(selector.terms[1].value, "Failed");
        assert_true(selector.terms[1].is_not_equal);
        assert_slice_is(selector.terms[2].value, "");
        assert_int_equal(field_selector_parse(SLICE_EMPTY, &world->arena, &selector, NULL), 0);
        assert_int_equal(selector.count, 0);
        assert_int_equal(field_selector_parse(slice_of("=,!=,a=b"), &world->arena, &selector, NULL),
                         0);
        assert_int_equal(selector.count, 1); /* what names nothing selects everything */
        static const char *const bad[] = { "a", "a=b,c", "a=\\x", "a=\\", "a=b=c" };
        for (size_t i = 0; i < ARRAY_LEN(bad); i++)
                assert_int_equal(
                        field_selector_parse(slice_of(bad[i]), &world->arena, &selector, &err),
                        BERTH_ERR_BAD_REQUEST);
        assert_string_equal(err.text, "invalid field selector: unescaped character in value: 61");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_parse, setup, teardown),
                cmocka_unit_test_setup_teardown(test_parse_refused, setup, teardown),
                cmocka_unit_test_setup_teardown(test_large_input, setup, teardown),
                cmocka_unit_test_setup_teardown(test_many_requirements, setup, teardown),
                cmocka_unit_test_setup_teardown(test_decode, setup, teardown),
                cmocka_unit_test_setup_teardown(test_decode_refused, setup, teardown),
                cmocka_unit_test(test_label_syntax),
                cmocka_unit_test_setup_teardown(test_labels, setup, teardown),
                cmocka_unit_test_setup_teardown(test_field_selector, setup, teardown),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
