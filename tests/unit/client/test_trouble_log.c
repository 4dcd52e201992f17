/* Which failures get a line of the log. */
#include "client/trouble_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct trouble_case {
        const char *name;
        const char *events; /* a letter a second: a cause, '.' = works */
        const char *lines;  /* a cause with the failures that had no line before it; ".N" = works */
} cases[] = {
        { "once", "a", "a0 " },
        { "a cause repeats", "aaaaa", "a0 " },
        { "another cause", "aabbba", "a0 b1 a2 " },
        { "works again", "aaa..", "a0 .3 " },
        { "works all the time", "...", "" },
        { "begins anew", "aa.aa.", "a0 .2 a1 .2 " },
        { "once a minute",
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.",
          "a0 a59 a59 .128 " },
        { "causes come and go", "ababababababababab.", "a0 b0 a0 b0 a0 .18 " },
        { "begins and ends again and again", "a.a.a.a.a.a.a.a.", "a0 .1 a0 .1 a0 .1 a0 .1 a0 .1 " },
};

static void test_lines(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct trouble_log log = { 0 };
                char said[256] = "";

                for (size_t at = 0; cases[i].events[at]; at++) {
                        struct mono_time now = { (int64_t)(at + 1) * NS_PER_S };
                        char cause[] = { cases[i].events[at], '\0' };
                        size_t used = strlen(said);
                        int64_t count = 0;

                        if (cause[0] == '.' ? trouble_log_works(&log, &count)
                                            : trouble_log_fails(&log, now, cause, &count))
                                snprintf(said + used, sizeof(said) - used, "%s%lld ", cause,
                                         (long long)count);
                }
                trouble_log_release(&log);
                if (strcmp(said, cases[i].lines) != 0)
                        fail_msg("%s: %s", cases[i].name, said);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_lines) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
