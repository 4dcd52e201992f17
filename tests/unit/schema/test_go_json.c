/* What is no JSON, in the words of Go's scanner; what Go takes all the same. */
#include "base/util.h"
#include "schema/go_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct {
        const char *text, *problem; /* NULL: none */
} cases[] = {
        { "{}", NULL },
        { " [1,-0.5e+3,\"a\\n\\u00e9\",true,false,null,{\"a\":{},\"b\":[]}] \n", NULL },
        { "\"\\ud800\"", NULL },
        { "1e999", NULL },
        { "", "unexpected end of JSON input" },
        { "{", "unexpected end of JSON input" },
        { "[1", "unexpected end of JSON input" },
        { "\"a", "unexpected end of JSON input" },
        { "\"\\u12", "invalid character ' ' in \\u hexadecimal character escape" },
        { "tru", "invalid character ' ' in literal true (expecting 'e')" },
        { "-", "invalid character ' ' in numeric literal" },
        { "[1.", "invalid character ' ' after decimal point in numeric literal" },
        { "1e", "invalid character ' ' in exponent of numeric literal" },
        { "\"\\", "invalid character ' ' in string escape code" },
        { "{\"a\":", "unexpected end of JSON input" },
        { "x", "invalid character 'x' looking for beginning of value" },
        { "{}{}", "invalid character '{' after top-level value" },
        { "{} x", "invalid character 'x' after top-level value" },
        { "---\n{}", "invalid character '-' in numeric literal" },
        { "01", "invalid character '1' after top-level value" },
        { "{\"a\":01}", "invalid character '1' after object key:value pair" },
        { "1.x", "invalid character 'x' after decimal point in numeric literal" },
        { "1ex", "invalid character 'x' in exponent of numeric literal" },
        { "{'a':1}", "invalid character '\\'' looking for beginning of object key string" },
        { "{\"a\" 1}", "invalid character '1' after object key" },
        { "{\"a\":1,}", "invalid character '}' looking for beginning of object key string" },
        { "[1,]", "invalid character ']' looking for beginning of value" },
        { "[1 2]", "invalid character '2' after array element" },
        { "{\"a\":NaN}", "invalid character 'N' looking for beginning of value" },
        { "trve", "invalid character 'v' in literal true (expecting 'u')" },
        { "\"\x01\"", "invalid character '\\x01' in string literal" },
        { "\"\n\"", "invalid character '\\n' in string literal" },
        { "\"\\x\"", "invalid character 'x' in string escape code" },
        { "\"\\u00g0\"", "invalid character 'g' in \\u hexadecimal character escape" },
        { "\xc3\xa9", "invalid character '\xc3\x83' looking for beginning of value" },
        { "\xef\xbb\xbf{}", "invalid character '\xc3\xaf' looking for beginning of value" },
};

static void test_problems(void **state) {
        struct buf text = { 0 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const char *problem = go_json_problem(slice_of(cases[i].text), &text);

                if (!problem != !cases[i].problem ||
                    (problem && strcmp(problem, cases[i].problem) != 0))
                        fail_msg("%s: %s", cases[i].text, problem ? problem : "none");
        }
        buf_release(&text);
}

/* Whatever the parser takes, the scanner takes: pieces of valid text, and one byte of it changed.
 */
static void test_agrees_with_the_parser(void **state) {
        static const char whole[] =
                "{\"a\":[1,-2.5e3,\"x\\\"\\u00e9\",true,null,{}],\"b\":{\"c\":[[]],\"d\":false}}";
        static const char bytes[] = "{}[]\",:\\ 01.e-tnx";
        char text[sizeof(whole)];
        struct buf problem = { 0 };
        size_t refused = 0;

        (void)state;
        for (size_t i = 0; i < sizeof(whole) - 1; i++)
                for (size_t k = 0; k < sizeof(bytes); k++) {
                        struct json_doc *doc = NULL;

                        memcpy(text, whole, sizeof(whole));
                        text[i] = bytes[k];
                        struct slice changed =
                                slice_make(text, k == sizeof(bytes) - 1 ? i : sizeof(whole) - 1);
                        bool is_taken = json_parse(changed, &doc, NULL) == 0;
                        json_doc_free(doc);
                        refused += !is_taken;
                        if (is_taken != !go_json_problem(changed, &problem))
                                fail_msg("%.*s: %d %s", (int)changed.len, changed.ptr, is_taken,
                                         problem.data);
                }
        assert_true(refused > 500);
        buf_release(&problem);
}

static void test_depth(void **state) {
        struct buf text = { 0 }, problem = { 0 };

        (void)state;
        for (int i = 0; i < 10001; i++)
                buf_char(&text, '[');
        assert_string_equal(go_json_problem(buf_view(&text), &problem), "exceeded max depth");
        buf_release(&text);
        buf_release(&problem);
}

static void test_mended(void **state) {
        static const struct {
                const char *text, *mended; /* NULL: as it is */
        } texts[] = {
                { "{\"a\":\"\xc3\xa9\"}", NULL },
                { "\"\\ud83d\\ude00\"", NULL },
                { "\"\\\\ud800\"", NULL },
                { "\"\\ud800\"", "\"\xef\xbf\xbd\"" },
                { "\"\\udc00\\ud800x\"", "\"\xef\xbf\xbd\xef\xbf\xbdx\"" },
                { "\"\\ud800\\ud83d\\ude00\"", "\"\xef\xbf\xbd\\ud83d\\ude00\"" },
                { "\"\xff\xc3\"", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
                { "\"\\ud8", NULL },
        };
        struct buf text = { 0 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
                assert_int_equal(go_json_mend(slice_of(texts[i].text), &text),
                                 texts[i].mended != NULL);
                if (texts[i].mended)
                        assert_string_equal(text.data, texts[i].mended);
        }
        buf_release(&text);
}

static void test_parsed(void **state) {
        struct json_doc *doc = NULL;
        struct err err = { 0 };

        (void)state;
        assert_int_equal(go_json_parse(SLICE_LITERAL("[\"\\ud800\"]"), &doc, &err), 0);
        json_doc_free(doc);
        assert_true(go_json_parse(SLICE_LITERAL("[nul"), &doc, &err) < 0);
        assert_string_equal(err.text, "invalid character ' ' in literal null (expecting 'l')");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_problems), cmocka_unit_test(test_agrees_with_the_parser),
                cmocka_unit_test(test_depth),    cmocka_unit_test(test_mended),
                cmocka_unit_test(test_parsed),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
