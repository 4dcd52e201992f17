/* Sets of exit codes. */
#include "plugins/desched/exit_codes.h"

#include "api/json.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void test_sets(void **state) {
        (void)state;
        static const struct {
                const char *list;
                const char *in, *out; /* codes, with blanks between */
        } cases[] = {
                { "[1]", "1", "0 2 -1" },
                { "[1, 3]", "1 3", "0 2 4" },
                { "[\"7\"]", "7", "6 8" },
                { "[\"2-5\"]", "2 3 5", "1 6" },
                { "[\"-5--2\"]", "-5 -2", "-6 -1 2 5" },
                { "[\">=128\"]", "128 255 2147483647", "127 0 -1" },
                { "[\">128\"]", "129", "128" },
                { "[\"<3\"]", "2 -2147483648", "3" },
                { "[\"<= 3\"]", "3", "4" },
                { "[\"SIGKILL\"]", "137", "9 136 138" },
                { "[\"SIGTERM\", 1]", "143 1", "15" },
                { "[\"!0\"]", "1 -1 137", "0" },
                { "[\"!42\"]", "1 -1 43 137", "0 42" },
                { "[\"!2-5\"]", "1 6", "0 2 5" },
                { "[\"0\", \"!42\"]", "0", "1 42" },
                { "[\"1-9\", \"!5\"]", "1 4 6 9", "0 5 10" },
                { "[\"!SIGTERM\", \">128\"]", "129 137", "143 1" },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                CLEANUP(arena_release) struct arena arena;
                CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
                struct config_problems *problems = config_problems_new();
                arena_init(&arena, 0);
                struct field_reader reader = { .arena = &arena, .problems = problems };
                struct exit_code_set set;
                assert_int_equal(json_parse(slice_of(cases[i].list), &doc, NULL), 0);
                exit_code_set_decode(&reader, json_doc_root(doc), &set);
                assert_int_equal(problems->count, 0);
                const char *const lists[] = { cases[i].out, cases[i].in };
                for (int is_in = 0; is_in < 2; is_in++) {
                        struct slice rest = slice_of(lists[is_in]), one;
                        int64_t code = 0;
                        while (slice_split(&rest, ' ', &one)) {
                                assert_true(slice_to_i64(one, &code));
                                if (exit_code_set_has(&set, (int32_t)code) != is_in)
                                        fail_msg("%s: %d", cases[i].list, (int)code);
                        }
                }
                config_problems_free(problems);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_sets),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
