/* What a terminal sends, and what it does to the view. */
#include "show/top_keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_bytes(void **state) {
        static const struct {
                const char *bytes;
                int keys[4];
        } cases[] = {
                { "q", { 'q' } },
                { "\033", { TOP_KEY_ESCAPE } },
                { "\033[A", { TOP_KEY_UP } },
                { "\033OB", { TOP_KEY_DOWN } },
                { "\033[5~\033[6~", { TOP_KEY_PAGE_UP, TOP_KEY_PAGE_DOWN } },
                { "\033[1~\033[F", { TOP_KEY_HOME, TOP_KEY_END } },
                { "\033[15~q", { TOP_KEY_NONE, 'q' } }, /* F5 means nothing */
                { "\033[1;5Aq", { TOP_KEY_NONE, 'q' } },
                { "\033[", { TOP_KEY_NONE } },
                { "\r\b\x7f", { TOP_KEY_ENTER, TOP_KEY_BACKSPACE, TOP_KEY_BACKSPACE } },
                { "\xc3\xa9", { TOP_KEY_NONE, TOP_KEY_NONE } },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct slice rest = slice_of(cases[i].bytes);

                for (size_t k = 0; rest.len; k++) {
                        assert_true(k < 4);
                        assert_int_equal(top_key_take(&rest), cases[i].keys[k]);
                }
        }
}

static struct top_state after(const char *keys) {
        const struct top_bounds bounds = { .page = 10, .last_scroll = 25, .resource_count = 3 };
        struct top_state state = { .sort = 1 };
        struct slice rest = slice_of(keys);

        while (rest.len)
                top_state_press(&state, top_key_take(&rest), &bounds);
        return state;
}

static void test_choices(void **state) {
        (void)state;
        assert_true(after("q").wants_end);
        assert_int_equal(after("s").sort, 2);
        assert_int_equal(after("sss").sort, 0);
        assert_true(after("r").is_reversed);
        assert_int_equal(after("\t").view, TOP_NODES);
        assert_int_equal(after("\tvvv").view, TOP_ALL);
        assert_true(after(" ").is_held);
        assert_false(after("  ").is_held);
        assert_true(after("?").shows_help);
        assert_false(after("?\033").shows_help);
        assert_false(after("x\033[15~").wants_end);
}

static void test_scrolling(void **state) {
        (void)state;
        assert_int_equal(after("jj\033[B").scroll, 3);
        assert_int_equal(after("k").scroll, 0);
        assert_int_equal(after("jjk").scroll, 1);
        assert_int_equal(after("\033[6~").scroll, 10);
        assert_int_equal(after("\033[6~\033[6~\033[6~").scroll, 25);
        assert_int_equal(after("G\033[5~").scroll, 15);
        assert_int_equal(after("Gg").scroll, 0);
        assert_int_equal(after("G\t").scroll, 0);
}

static void test_filter(void **state) {
        char keys[2 * TOP_FILTER_MAX + 2] = "/";

        (void)state;
        assert_true(after("/").is_typing);
        assert_string_equal(after("/qsr").filter, "qsr");
        assert_false(after("/qsr").wants_end);
        assert_string_equal(after("/web\x7f\x7f\r").filter, "w");
        assert_false(after("/web\r").is_typing);
        assert_string_equal(after("/\x7f\x7f"
                                  "a\r")
                                    .filter,
                            "a");
        assert_string_equal(after("/web\033").filter, "");
        assert_string_equal(after("/web\r\033").filter, "");
        assert_string_equal(after("/web\r?\033").filter, "web");
        memset(keys + 1, 'a', sizeof(keys) - 2);
        assert_int_equal(strlen(after(keys).filter), TOP_FILTER_MAX);
}

/* Each key once, and a word for it. */
static void test_table(void **state) {
        (void)state;
        for (const struct top_key *key = top_keys; key->label; key++) {
                assert_non_null(key->help);
                assert_non_null(key->press);
                for (const struct top_key *other = key + 1; other->label; other++) {
                        assert_int_not_equal(key->code, other->code);
                        assert_false(key->other && key->other == other->other);
                        assert_int_not_equal(key->code, other->other);
                }
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_bytes),     cmocka_unit_test(test_choices),
                cmocka_unit_test(test_scrolling), cmocka_unit_test(test_filter),
                cmocka_unit_test(test_table),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
