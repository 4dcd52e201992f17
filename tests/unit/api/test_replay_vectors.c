/* Recorded quantity and selector cases: a few of our own, then the shared ones where they are
 * there. Judged as the comparison script does: refusals by being refused, values to the letter. */
#include "api/replay.h"
#include "api_test.h"

struct kind {
        const char *file;
        int (*replay)(const struct json *test_case, struct buf *out, struct err *err);
        const char *const *fields; /* ends with NULL */
};

static const char *const quantity_fields[] = {
        "canonical", "format", "sign", "value", "milli", NULL
};
static const char *const selector_fields[] = { "match", NULL };
static const struct kind quantity = { "quantity.jsonl", replay_quantity_case, quantity_fields };
static const struct kind selectors = { "selectors.jsonl", replay_selectors_case, selector_fields };

/* value and milli may be recorded as inexact. */
static bool is_required(const struct json *want, const char *field) {
        char mark[32];
        snprintf(mark, sizeof(mark), "%sInexact", field);
        return !json_get_bool(want, mark, false);
}

static bool is_same(const struct kind *kind, const struct json *want, const struct json *got) {
        if (json_get(want, "error"))
                return json_get(got, "error");
        for (const char *const *field = kind->fields; *field; field++) {
                if (is_required(want, *field) &&
                    !json_equal(json_get(want, *field), json_get(got, *field)))
                        return false;
        }
        return true;
}

static void check_case(const struct kind *kind, struct slice line) {
        struct json_doc *given, *answered;
        struct buf out = { 0 };
        assert_int_equal(json_parse(line, &given, NULL), 0);
        const struct json *test_case = json_doc_root(given);
        assert_int_equal(kind->replay(test_case, &out, NULL), 0);
        assert_int_equal(json_parse(buf_view(&out), &answered, NULL), 0);
        const struct json *result = json_doc_root(answered);
        assert_true(slice_eq(json_get_text(result, "name"), json_get_text(test_case, "name")));
        if (!is_same(kind, json_get(test_case, "expect"), json_get(result, "expect")))
                fail_msg(SLICE_FMT "\n%s", SLICE_ARG(line), out.data);
        json_doc_free(given);
        json_doc_free(answered);
        buf_release(&out);
}

static void test_own_cases(void **state) {
        static const struct {
                const struct kind *kind;
                const char *line;
        } cases[] = {
                { &quantity, "{\"name\":\"a\",\"in\":\"0.25\",\"expect\":{\"canonical\":\"250m\","
                             "\"format\":\"DecimalSI\",\"value\":\"1\",\"milli\":\"250\","
                             "\"sign\":\"+\"}}" },
                { &quantity, "{\"name\":\"b\",\"in\":\"-3Ki\",\"expect\":{\"canonical\":\"-3Ki\","
                             "\"format\":\"BinarySI\",\"value\":\"-3072\",\"milli\":\"-3072000\","
                             "\"sign\":\"-\"}}" },
                { &quantity, "{\"name\":\"c\",\"in\":\"3Kb\",\"expect\":{\"error\":\"x\"}}" },
                { &quantity,
                  "{\"name\":\"d\",\"in\":\"2e30\",\"expect\":{\"canonical\":\"2e30\",\"format\":"
                  "\"DecimalExponent\",\"value\":\"0\",\"milli\":\"0\",\"sign\":\"+\","
                  "\"valueInexact\":true,\"milliInexact\":true}}" },
                { &selectors, "{\"name\":\"e\",\"string\":\"a,b!=1\",\"labels\":[{},{\"a\":\"\"},"
                              "{\"a\":\"\",\"b\":\"1\"}],\"expect\":{\"match\":[false,true,"
                              "false]}}" },
                { &selectors, "{\"name\":\"f\",\"string\":\"a=(\",\"labels\":[],\"expect\":"
                              "{\"error\":\"x\"}}" },
                { &selectors, "{\"name\":\"g\",\"selector\":null,\"labels\":[{}],\"expect\":"
                              "{\"match\":[false]}}" },
                { &selectors, "{\"name\":\"h\",\"selector\":{},\"labels\":[{}],\"expect\":"
                              "{\"match\":[true]}}" },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                check_case(cases[i].kind, slice_of(cases[i].line));
}

static void test_unusable_cases(void **state) {
        struct json_doc *doc = must_parse("{\"name\":\"x\",\"in\":5}");
        struct buf out = { 0 };
        (void)state;
        assert_int_equal(replay_quantity_case(json_doc_root(doc), &out, NULL),
                         BERTH_ERR_BAD_REQUEST);
        assert_int_equal(replay_selectors_case(NULL, &out, NULL), BERTH_ERR_BAD_REQUEST);
        assert_int_equal(out.len, 0);
        json_doc_free(doc);
}

static void check_file(const struct kind *kind) {
        const char *shared = getenv("BERTH_SHARED");
        char path[4096], *line = NULL;
        size_t size = 0, count = 0;
        snprintf(path, sizeof(path), "%s/vectors/scheduler/%s", shared ? shared : "../shared",
                 kind->file);
        FILE *file = fopen(path, "r");
        if (!file)
                skip();
        for (ssize_t length; (length = getline(&line, &size, file)) > 0; count++)
                check_case(kind, slice_make(line, (size_t)length));
        free(line);
        fclose(file);
        assert_true(count > 200);
}

static void test_shared_quantities(void **state) {
        (void)state;
        check_file(&quantity);
}

static void test_shared_selectors(void **state) {
        (void)state;
        check_file(&selectors);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_own_cases),
                cmocka_unit_test(test_unusable_cases),
                cmocka_unit_test(test_shared_quantities),
                cmocka_unit_test(test_shared_selectors),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
