/* URLs that Go's parser takes, and those it does not. */
#include "config/http_url.h"
#include "config_test.h"

static const struct {
        const char *text, *problem; /* NULL = fine */
} cases[] = {
        { "http://a.b:80/c?d=%zz#e", NULL },
        { "https://user:pw@h/", NULL },
        { "http://[::1]:90/", NULL },
        { "http://h:", NULL },
        { "relative/path", NULL },
        { "./a:b", NULL },
        { "mailto:a@b", NULL },
        { "", NULL },
        { "://x", "missing protocol scheme" },
        { ":", "missing protocol scheme" },
        { "1http://x", "first path segment contains a colon" },
        { "http://a b.com/", "invalid character in host name" },
        { "http://x:port", "invalid port after host" },
        { "http://[::1/", "missing ']' in host" },
        { "http://[::1]x/", "invalid port after host" },
        { "http://x/%4", "invalid URL escape" },
        { "http://x/%zz", "invalid URL escape" },
        { "\x7f", "invalid control character in URL" },
        { "http://x/\n", "invalid control character in URL" },
};

static void test_cases(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const char *problem = http_url_problem(slice_of(cases[i].text));
                if (!problem != !cases[i].problem ||
                    (problem && strcmp(problem, cases[i].problem) != 0))
                        fail_msg("%s: %s", cases[i].text, problem ? problem : "accepted");
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_cases),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
