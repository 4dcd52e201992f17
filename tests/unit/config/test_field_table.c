/* Field tables: what decodes to which values, which mistakes are told in which words, and what
 * comes back as JSON, explanation and manual. */
#include "base/time.h"
#include "config/field_table.h"
#include "config_test.h"

struct limit {
        struct slice name;
        double percent;
};
struct wait {
        int64_t duration_ns;
};
struct backend {
        struct slice name;
        int32_t weight;
};
struct server {
        bool is_secure;
        struct slice host;
        int32_t port;
};
struct settings {
        int32_t workers;
        bool has_workers, is_on;
        int64_t big;
        uint32_t evictions;
        double ratio;
        struct slice title;
        int64_t timeout_ns;
        int64_t memory;
        int64_t cpu_milli;
        int mode;
        struct text_list names;
        struct server server;
        struct server *proxy;
        struct item_list backends; /* struct backend */
        struct item_list limits;   /* struct limit */
        struct item_list waits;    /* struct wait */
        struct item_list groups;   /* struct backend by name */
        const struct json *raw;
        int64_t even;
};

static const struct field limit_fields[] = {
        { .name = "",
          .type = FIELD_F64,
          .offset = offsetof(struct limit, percent),
          .is_bounded = true,
          .min = 0,
          .max = 100 },
        FIELD_END,
};
static const struct field wait_fields[] = {
        { .name = "", .type = FIELD_DURATION, .offset = offsetof(struct wait, duration_ns) },
        FIELD_END,
};
static const struct field backend_fields[] = {
        { .name = "name",
          .type = FIELD_TEXT,
          .offset = offsetof(struct backend, name),
          .flags = FIELD_REQUIRED | FIELD_NON_EMPTY },
        { .name = "weight",
          .type = FIELD_I32,
          .offset = offsetof(struct backend, weight),
          .fallback = "1" },
        FIELD_END,
};
static const struct field group_fields[] = {
        { .name = "weight", .type = FIELD_I32, .offset = offsetof(struct backend, weight) },
        FIELD_END,
};
static const struct field server_fields[] = {
        { .name = "secure", .type = FIELD_BOOL, .offset = offsetof(struct server, is_secure) },
        { .name = "host", .type = FIELD_TEXT, .offset = offsetof(struct server, host) },
        { .name = "port",
          .type = FIELD_I32,
          .offset = offsetof(struct server, port),
          .is_bounded = true,
          .min = 1,
          .max = 65535,
          .fallback = "443",
          .help = "Where it listens." },
        FIELD_END,
};

static void decode_even(struct field_reader *reader, const struct json *value, void *member) {
        int64_t number = 0;
        if (!json_as_i64(value, &number) || number % 2)
                field_problem(reader, value, NULL, "expected an even number");
        *(int64_t *)member = number;
}

static void check_title(struct field_reader *reader, const struct json *value, const void *member) {
        const struct slice *title = member;
        if (title->len > 5)
                field_problem(reader, value, NULL, "longer than 5 characters");
}

static void encode_even(struct json_tree *tree, struct json_node *object, const char *name,
                        const void *member) {
        node_put_i64(tree, object, name, *(const int64_t *)member);
}

static const char *const modes[] = { "Fast", "Careful", NULL };

#define AT(member) .offset = offsetof(struct settings, member)
static const struct field settings_fields[] = {
        { .name = "workers",
          .type = FIELD_I32,
          AT(workers),
          .presence = offsetof(struct settings, has_workers),
          .is_bounded = true,
          .min = 1,
          .max = INT64_MAX,
          .fallback = "16",
          .help = "How many threads look at nodes." },
        { .name = "enabled", .type = FIELD_BOOL, AT(is_on), .presence = FIELD_NO_PRESENCE },
        { .name = "big", .type = FIELD_I64, AT(big) },
        { .name = "evictions", .type = FIELD_U32, AT(evictions) },
        { .name = "ratio",
          .type = FIELD_F64,
          AT(ratio),
          .is_bounded = true,
          .min = 0,
          .max = 1,
          .fallback = "0.5" },
        { .name = "title", .type = FIELD_TEXT, AT(title), .check = check_title },
        { .name = "timeout",
          .type = FIELD_DURATION,
          AT(timeout_ns),
          .is_bounded = true,
          .min = 0,
          .max = 60 * NS_PER_S,
          .fallback = "\"5s\"" },
        { .name = "memory", .type = FIELD_QUANTITY, AT(memory) },
        { .name = "cpu",
          .type = FIELD_MILLI,
          AT(cpu_milli),
          .is_bounded = true,
          .min = INT64_MIN,
          .max = 4000 },
        { .name = "mode", .type = FIELD_CHOICE, AT(mode), .choices = modes },
        { .name = "names", .type = FIELD_TEXTS, AT(names), .fallback = "[\"a\",\"b\"]" },
        { .name = "server", .type = FIELD_STRUCT, AT(server), .fields = server_fields },
        { .name = "proxy",
          .type = FIELD_POINTER,
          AT(proxy),
          .fields = server_fields,
          .item_size = sizeof(struct server),
          .flags = FIELD_DEPRECATED },
        { .name = "backends",
          .type = FIELD_LIST,
          AT(backends),
          .fields = backend_fields,
          .item_size = sizeof(struct backend),
          .flags = FIELD_NON_EMPTY },
        { .name = "limits",
          .type = FIELD_MAP,
          AT(limits),
          .fields = limit_fields,
          .item_size = sizeof(struct limit) },
        { .name = "waits",
          .type = FIELD_LIST,
          AT(waits),
          .fields = wait_fields,
          .item_size = sizeof(struct wait) },
        { .name = "groups",
          .type = FIELD_MAP,
          AT(groups),
          .fields = group_fields,
          .item_size = sizeof(struct backend) },
        { .name = "raw", .type = FIELD_JSON, AT(raw) },
        { .name = "even",
          .type = FIELD_CUSTOM,
          AT(even),
          .decode = decode_even,
          .encode = encode_even,
          .fallback = "2" },
        FIELD_END,
};

struct attempt {
        struct arena arena;
        struct document *document;
        struct config_problems *problems;
        struct settings settings;
        bool is_ok;
};

static void attempt_begin(struct attempt *attempt, const char *text, enum unknown_rule unknown) {
        memset(attempt, 0xff, sizeof(*attempt)); /* whatever is not set shows */
        arena_init(&attempt->arena, 0);
        attempt->document = must_read(text);
        attempt->problems = config_problems_new();
        struct field_reader reader = { .document = attempt->document,
                                       .arena = &attempt->arena,
                                       .problems = attempt->problems,
                                       .unknown = unknown };
        attempt->is_ok = fields_decode(&reader, settings_fields, document_root(attempt->document),
                                       &attempt->settings);
        assert_string_equal(reader.path, "");
        assert_int_equal(attempt->is_ok, attempt->problems->count == 0);
}

static void attempt_end(struct attempt *attempt) {
        config_problems_free(attempt->problems);
        document_free(attempt->document);
        arena_release(&attempt->arena);
}

static void test_defaults(void **state) {
        static const char *const texts[] = { "", "{}", "workers: null\nserver: ~\nnames:\n" };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
                struct attempt attempt;
                attempt_begin(&attempt, texts[i], UNKNOWN_IS_ERROR);
                const struct settings *s = &attempt.settings;
                assert_true(attempt.is_ok);
                assert_int_equal(s->workers, 16);
                assert_false(s->has_workers);
                assert_false(s->is_on);
                assert_int_equal(s->evictions, 0);
                assert_true(s->ratio > 0.49 && s->ratio < 0.51);
                assert_non_null(s->title.ptr);
                assert_int_equal(s->title.len, 0);
                assert_int_equal(s->timeout_ns, 5 * NS_PER_S);
                assert_int_equal(s->names.count, 2);
                assert_true(slice_is(s->names.items[1], "b"));
                assert_int_equal(s->server.port, 443);
                assert_null(s->proxy);
                assert_int_equal(s->backends.count, 0);
                assert_null(s->raw);
                assert_int_equal(s->even, 2);
                attempt_end(&attempt);
        }
}

static const char full[] =
        "workers: 3\nenabled: yes\nbig: -9223372036854775808\nevictions: 4294967295\n"
        "ratio: 1\ntitle: abc\ntimeout: 1m0s\nmemory: 2Ki\ncpu: 1.5\n"
        "mode: Careful\nnames: [x, ~]\nserver: {secure: true, host: h}\n"
        "proxy: {port: 80}\nbackends: [{name: a}, {name: b, weight: 7}]\n"
        "limits: {cpu: 20, example.com/gpu: 5.5}\nwaits: [1s, 2m]\n"
        "groups: {g: {weight: 4}, h: ~}\nraw: {k: [1]}\neven: 8\n";

static void test_every_type(void **state) {
        struct attempt attempt;
        (void)state;
        attempt_begin(&attempt, full, UNKNOWN_IS_ERROR);
        const struct settings *s = &attempt.settings;
        const struct backend *backends = s->backends.items, *groups = s->groups.items;
        const struct limit *limits = s->limits.items;
        const struct wait *waits = s->waits.items;
        assert_true(attempt.is_ok);
        assert_true(s->workers == 3 && s->has_workers && s->is_on && s->big == INT64_MIN);
        assert_true(s->evictions == UINT32_MAX && s->ratio > 0.99);
        assert_true(slice_is(s->title, "abc"));
        assert_int_equal(s->title.ptr[3], '\0');
        assert_true(s->timeout_ns == 60 * NS_PER_S && s->memory == 2048 && s->cpu_milli == 1500);
        assert_int_equal(s->mode, 1);
        assert_true(slice_is(s->names.items[0], "x") && slice_is(s->names.items[1], ""));
        assert_true(s->server.is_secure && slice_is(s->server.host, "h"));
        assert_int_equal(s->server.port, 443);
        assert_non_null(s->proxy);
        assert_int_equal(s->proxy->port, 80);
        assert_int_equal(s->backends.count, 2);
        assert_true(slice_is(backends[1].name, "b"));
        assert_true(backends[0].weight == 1 && backends[1].weight == 7);
        assert_int_equal(s->limits.count, 2);
        assert_true(slice_is(limits[1].name, "example.com/gpu") && limits[1].percent > 5.4);
        assert_true(waits[1].duration_ns == 120 * NS_PER_S);
        assert_true(slice_is(groups[1].name, "h") && groups[0].weight == 4);
        assert_int_equal(json_count(json_get(s->raw, "k")), 1);
        assert_int_equal(s->even, 8);
        assert_int_equal(attempt.problems->warning_count, 1);
        assert_err_is(&attempt.problems->warnings[0], "test.yaml:13:8: proxy: deprecated");
        attempt_end(&attempt);
}

struct mistake {
        const char *text, *problems; /* lines */
};

static const struct mistake mistakes[] = {
        { "- a\n", "test.yaml:1:1: expected a mapping, found a list\n" },
        { "workers: ten\n", "test.yaml:1:10: workers: expected an integer, found the string "
                            "\"ten\"\n" },
        { "workers: 1.5\n", "test.yaml:1:10: workers: expected an integer, found 1.5\n" },
        { "workers: 0\n", "test.yaml:1:10: workers: must be at least 1, is 0\n" },
        { "workers: 2147483648\n", "test.yaml:1:10: workers: must be between -2147483648 and "
                                   "2147483647, is 2147483648\n" },
        { "big: 9223372036854775808\n",
          "test.yaml:1:6: big: must be between -9223372036854775808 and 9223372036854775807, is "
          "9223372036854775808\n" },
        { "evictions: -1\n", "test.yaml:1:12: evictions: must be between 0 and 4294967295, is "
                             "-1\n" },
        { "enabled: 1\n", "test.yaml:1:10: enabled: expected true or false, found 1\n" },
        { "enabled: \"yes\"\n",
          "test.yaml:1:10: enabled: expected true or false, found the string \"yes\"\n" },
        { "ratio: 1.5\n", "test.yaml:1:8: ratio: must be between 0 and 1, is 1.5\n" },
        { "ratio: high\n", "test.yaml:1:8: ratio: expected a number, found the string \"high\"\n" },
        { "title: 5\n",
          "test.yaml:1:8: title: expected a string, found 5; quotes make it a string\n" },
        { "{\"title\": 5}", "test.yaml:1:11: title: expected a string, found 5\n" },
        { "title: [on]\n", "test.yaml:1:8: title: expected a string, found a list\n" },
        { "title: n\n",
          "test.yaml:1:8: title: expected a string, found false; quotes make it a string\n" },
        { "title: abcdef\n", "test.yaml:1:8: title: longer than 5 characters\n" },
        { "timeout: 5\n",
          "test.yaml:1:10: timeout: expected a duration such as \"1m30s\", found 5\n" },
        { "timeout: 5\xc2\xb5\n", "test.yaml:1:10: timeout: expected a duration such as "
                                  "\"1m30s\", found the string \"5\xc2\xb5\"\n" },
        { "timeout: 2m\n", "test.yaml:1:10: timeout: must be between 0s and 1m0s, is 2m0s\n" },
        { "memory: 5Q\n", "test.yaml:1:9: memory: expected a quantity such as \"500m\" or "
                          "\"2Gi\", found the string \"5Q\"\n" },
        { "cpu: 5\n", "test.yaml:1:6: cpu: must be at most 4, is 5\n" },
        { "cpu: []\n", "test.yaml:1:6: cpu: expected a quantity such as \"500m\" or \"2Gi\", "
                       "found a list\n" },
        { "mode: fast\n", "test.yaml:1:7: mode: expected one of \"Fast\", \"Careful\", found the "
                          "string \"fast\"\n" },
        { "names: a\n", "test.yaml:1:8: names: expected a list, found the string \"a\"\n" },
        { "names: [a, 5]\n",
          "test.yaml:1:12: names[1]: expected a string, found 5; quotes make it a string\n" },
        { "server: []\n", "test.yaml:1:9: server: expected a mapping, found a list\n" },
        { "server:\n  port: 0\n",
          "test.yaml:2:9: server.port: must be between 1 and 65535, is 0\n" },
        { "proxy: {host: 1}\n",
          "test.yaml:1:15: proxy.host: expected a string, found 1; quotes make it a string\n" },
        { "backends: []\n", "test.yaml:1:11: backends: must not be empty\n" },
        { "backends: {}\n", "test.yaml:1:11: backends: expected a list, found a mapping\n" },
        { "backends:\n- name: a\n- weight: 1\n",
          "test.yaml:3:3: backends[1].name: required, but missing\n" },
        { "backends: [{name: \"\"}]\n", "test.yaml:1:19: backends[0].name: must not be empty\n" },
        { "backends: [x]\n",
          "test.yaml:1:12: backends[0]: expected a mapping, found the string \"x\"\n" },
        { "limits: {cpu: 101}\n", "test.yaml:1:15: limits.cpu: must be between 0 and 100, is "
                                  "101\n" },
        { "limits: {a.b/c: x}\n",
          "test.yaml:1:17: limits[a.b/c]: expected a number, found the string \"x\"\n" },
        { "limits: 5\n", "test.yaml:1:9: limits: expected a mapping, found 5\n" },
        { "waits: [1s, 2]\n", "test.yaml:1:13: waits[1]: expected a duration such as \"1m30s\", "
                              "found 2\n" },
        { "groups: {g: {wieght: 1}}\n",
          "test.yaml:1:14: groups.g.wieght: unknown field; did you mean \"weight\"?\n" },
        { "even: 3\n", "test.yaml:1:7: even: expected an even number\n" },
        { "Workers: 1\n", "test.yaml:1:1: Workers: unknown field; did you mean \"workers\"?\n" },
        { "nonsense: 1\n", "test.yaml:1:1: nonsense: unknown field\n" },
        { "a.b: 1\n", "test.yaml:1:1: [a.b]: unknown field\n" },
        { "server: {x: 1}\n", "test.yaml:1:10: server.x: unknown field\n" },
        { "title: \"0123456789012345678901234567890123456789012345678901234567890123456789\"\n"
          "enabled: 0123456789_0123456789_0123456789_0123456789_0123456789_0123456789_x\n",
          "test.yaml:1:8: title: longer than 5 characters\n"
          "test.yaml:2:10: enabled: expected true or false, found the string "
          "\"0123456789_0123456789_0123456789_0123456789_0123456789_0123...\n" },
        { "{\"workers\": \"a\",\n \"nope\": 1}",
          "test.yaml:1:13: workers: expected an integer, found the string \"a\"\n"
          "test.yaml:2:2: nope: unknown field\n" },
};

static void test_mistakes(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(mistakes); i++) {
                struct attempt attempt;
                struct buf out = { 0 };
                attempt_begin(&attempt, mistakes[i].text, UNKNOWN_IS_ERROR);
                config_problems_print(attempt.problems, &out);
                assert_string_equal(out.data ? out.data : "(accepted)", mistakes[i].problems);
                assert_int_equal(attempt.problems->items[0].code, BERTH_ERR_INVALID);
                buf_release(&out);
                attempt_end(&attempt);
        }
}

static void test_unknown_fields(void **state) {
        struct attempt attempt;
        (void)state;
        attempt_begin(&attempt, "wrong: 1\n", UNKNOWN_IS_WARNING);
        assert_true(attempt.is_ok);
        assert_err_is(&attempt.problems->warnings[0], "test.yaml:1:1: wrong: unknown field");
        attempt_end(&attempt);
        attempt_begin(&attempt, "wrong: 1\n", UNKNOWN_IS_IGNORED);
        assert_true(attempt.is_ok);
        assert_int_equal(attempt.problems->warning_count, 0);
        attempt_end(&attempt);
}

static void test_problems_become_one_error(void **state) {
        struct attempt attempt;
        struct err err = { 0 };
        (void)state;
        attempt_begin(&attempt, "{}", UNKNOWN_IS_ERROR);
        assert_int_equal(config_problems_to_err(attempt.problems, &err), 0);
        assert_int_equal(err.code, 0);
        attempt_end(&attempt);

        attempt_begin(&attempt, "workers: 0\n", UNKNOWN_IS_ERROR);
        assert_int_equal(config_problems_to_err(attempt.problems, &err), BERTH_ERR_INVALID);
        assert_err_is(&err, "test.yaml:1:10: workers: must be at least 1, is 0");
        attempt_end(&attempt);

        attempt_begin(&attempt, "x: 1\nworkers: 0\nx: 2\n", UNKNOWN_IS_ERROR);
        config_problems_add_duplicates(attempt.problems, attempt.document);
        assert_int_equal(config_problems_to_err(attempt.problems, &err), BERTH_ERR_INVALID);
        assert_err_is(&err, "test.yaml: 3 problems: [2:10: workers: must be at least 1, is 0, "
                            "3:1: x: unknown field, 3:1: x: written twice]");
        attempt_end(&attempt);
}

static void test_too_many_problems(void **state) {
        struct buf text = { 0 }, out = { 0 };
        struct attempt attempt;
        struct err err = { 0 };
        (void)state;
        for (int i = 0; i < CONFIG_PROBLEMS_MAX + 3; i++)
                buf_printf(&text, "unknown%d: 1\n", i);
        attempt_begin(&attempt, text.data, UNKNOWN_IS_ERROR);
        assert_int_equal(attempt.problems->count, CONFIG_PROBLEMS_MAX + 3);
        config_problems_print(attempt.problems, &out);
        assert_non_null(strstr(out.data, "\n3 more problems\n"));
        assert_int_equal(config_problems_to_err(attempt.problems, &err), BERTH_ERR_INVALID);
        attempt_end(&attempt);
        buf_release(&text);
        buf_release(&out);
}

static char *encode(const struct settings *settings) {
        struct json_tree *tree = json_tree_new();
        struct buf out = { 0 };
        json_tree_set_root(tree, node_object(tree));
        fields_encode(tree, json_tree_root(tree), settings_fields, settings);
        node_write(json_tree_root(tree), &out);
        json_tree_free(tree);
        return buf_take(&out, NULL);
}

static void test_encode_round_trip(void **state) {
        struct attempt first, second;
        (void)state;
        attempt_begin(&first, full, UNKNOWN_IS_ERROR);
        char *once = encode(&first.settings);
        attempt_begin(&second, once, UNKNOWN_IS_ERROR);
        char *twice = encode(&second.settings);
        assert_string_equal(once, twice);
        assert_string_equal(
                once, "{\"workers\":3,\"enabled\":true,\"big\":-9223372036854775808,\"evictions\":"
                      "4294967295,"
                      "\"ratio\":1,\"title\":\"abc\",\"timeout\":\"1m0s\",\"memory\":\"2048\","
                      "\"cpu\":\"1500m\",\"mode\":\"Careful\",\"names\":[\"x\",\"\"],"
                      "\"server\":{\"secure\":true,\"host\":\"h\",\"port\":443},"
                      "\"proxy\":{\"secure\":false,\"host\":\"\",\"port\":80},"
                      "\"backends\":[{\"name\":\"a\",\"weight\":1},{\"name\":\"b\",\"weight\":7}],"
                      "\"limits\":{\"cpu\":20,\"example.com/gpu\":5.5},\"waits\":[\"1s\",\"2m0s\"],"
                      "\"groups\":{\"g\":{\"weight\":4},\"h\":{\"weight\":0}},\"raw\":{\"k\":[1]},"
                      "\"even\":8}");
        free(once);
        free(twice);
        attempt_end(&first);
        attempt_end(&second);
}

static void test_default_struct(void **state) {
        struct arena arena;
        struct settings settings;
        (void)state;
        arena_init(&arena, 0);
        memset(&settings, 0xff, sizeof(settings));
        fields_default(&arena, settings_fields, &settings);
        assert_int_equal(settings.workers, 16);
        assert_int_equal(settings.server.port, 443);
        assert_int_equal(settings.names.count, 2);
        assert_null(settings.proxy);
        arena_release(&arena);
}

static void test_explain(void **state) {
        struct buf out = { 0 };
        (void)state;
        fields_explain(settings_fields, &out, 0);
        assert_string_equal(
                out.data, "workers <integer from 1> (default 16): How many threads look at nodes.\n"
                          "enabled <true or false>\n"
                          "big <integer>\n"
                          "evictions <integer from 0>\n"
                          "ratio <number from 0 to 1> (default 0.5)\n"
                          "title <text>\n"
                          "timeout <duration from 0s to 1m0s> (default \"5s\")\n"
                          "memory <quantity>\n"
                          "cpu <quantity to 4>\n"
                          "mode <one of Fast, Careful>\n"
                          "names <list of texts> (default [\"a\",\"b\"])\n"
                          "server <mapping>\n"
                          "  secure <true or false>\n"
                          "  host <text>\n"
                          "  port <integer from 1 to 65535> (default 443): Where it listens.\n"
                          "proxy <mapping> (deprecated)\n"
                          "  secure <true or false>\n"
                          "  host <text>\n"
                          "  port <integer from 1 to 65535> (default 443): Where it listens.\n"
                          "backends <list of mappings, not empty>\n"
                          "  name <text, not empty> (required)\n"
                          "  weight <integer> (default 1)\n"
                          "limits <mapping of names to number from 0 to 100>\n"
                          "waits <list of duration>\n"
                          "groups <mapping of names to mappings>\n"
                          "  weight <integer>\n"
                          "raw <any value>\n"
                          "even <value> (default 2)\n");
        buf_release(&out);
}

static void test_manual(void **state) {
        static const struct field fields[] = {
                { .name = "tls-port",
                  .type = FIELD_I32,
                  .help = ".Starts with a dot, has a \\ and a dash - all harmless." },
                { .name = "backends", .type = FIELD_LIST, .fields = group_fields },
                FIELD_END,
        };
        struct buf out = { 0 };
        (void)state;
        fields_manual(fields, &out);
        assert_string_equal(out.data,
                            ".TP\n\\fBtls\\-port\\fR <integer>\n"
                            "\\&.Starts with a dot, has a \\e and a dash \\- all harmless.\n"
                            ".TP\n\\fBbackends\\fR <list of mappings>\n\n"
                            ".TP\n\\fBbackends[].weight\\fR <integer>\n\n");
        buf_release(&out);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_defaults),
                cmocka_unit_test(test_every_type),
                cmocka_unit_test(test_mistakes),
                cmocka_unit_test(test_unknown_fields),
                cmocka_unit_test(test_problems_become_one_error),
                cmocka_unit_test(test_too_many_problems),
                cmocka_unit_test(test_encode_round_trip),
                cmocka_unit_test(test_default_struct),
                cmocka_unit_test(test_explain),
                cmocka_unit_test(test_manual),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
