/* Parameters of addresses. */
#include "dashboard/address_query.h"

#include "base/arena.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void texts(void **state) {
        static const struct {
                const char *query, *name, *value; /* NULL = there is none */
        } cases[] = {
                { "name=web", "name", "web" },
                { "a=1&name=web&name=db", "name", "web" },
                { "name=a%20b+c%2F", "name", "a b c/" },
                { "name=", "name", "" },
                { "name", "name", "" },
                { "", "name", NULL },
                { "names=x&nam=y", "name", NULL },
                { "name=%zz", "name", NULL },
                { "name=%4", "name", NULL },
                { "name=a=b", "name", "a=b" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                CLEANUP(buf_release) struct buf out = { 0 };

                buf_text(&out, "<");
                bool is_there = address_text(slice_of(cases[i].query), cases[i].name, &out);
                assert_int_equal(is_there, cases[i].value != NULL);
                assert_true(
                        slice_eq(slice_make(out.data + 1, out.len - 1), slice_of(cases[i].value)));
        }
}

static void numbers(void **state) {
        static const struct {
                const char *query;
                size_t value;
        } cases[] = {
                { "from=3", 3 },  { "from=0", 0 },   { "from=99", 50 },
                { "from=-1", 7 }, { "from=", 7 },    { "other=1", 7 },
                { "from=1x", 7 }, { "from=50", 50 }, { "from=99999999999999999999", 7 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                assert_int_equal(address_number(slice_of(cases[i].query), "from", 7, 50),
                                 cases[i].value);
}

int main(void) {
        static const struct CMUnitTest tests[] = { cmocka_unit_test(texts),
                                                   cmocka_unit_test(numbers) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
