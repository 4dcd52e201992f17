/* Formats of texts: what kube-apiserver 1.36 took as a default of a schema with that format, and
 * what it did not. */
#include "base/util.h"
#include "schema/text_format.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define A16 "aaaaaaaaaaaaaaaa"

static const struct {
        const char *format, *text;
        bool holds;
} cases[] = {
        { "date-time", "2020-01-01T00:00:00Z", true },
        { "date-time", "2020-01-01", false },
        { "date-time", "2020-01-01T00:00:00", false },
        { "date-time", "2020-01-01t23:59:59.5+01:00", true },
        { "date-time", "2020-01-01T24:00:00Z", false },
        { "date-time", "2020-01-01T00:00:00x5Z", true },
        { "uuid", "123e4567e89b12d3a456426614174000", true },
        { "uuid", "x", false },
        { "uuid", "123E4567-e89b-12d3-a456-426614174000-", false },
        { "ipv4", "10.0.0.01", true },
        { "ipv4", "::ffff:1.2.3.4", true },
        { "ipv4", "1.2.3", false },
        { "ipv6", "::1", true },
        { "ipv6", "::ffff:1.2.3.4", true },
        { "ipv6", "fe80::1%a", false },
        { "ipv6", "x", false },
        { "email", "a@b", true },
        { "email", "a", false },
        { "email", "A <a@b.c>", true },
        { "email", "a b@c", false },
        { "email", "a@b..c", false },
        { "email", "\"a b\"@c", true },
        { "email", "", false },
        { "email", "@", false },
        { "email", "a@", false },
        { "email", "a@[1.2.3.4]", true },
        { "hostname", "a", true },
        { "hostname", "a.b", false },
        { "hostname", "a-b", true },
        { "hostname", "ab-c", false },
        { "hostname", "-a", false },
        { "hostname", "a-", true },
        { "hostname", "a.bc", true },
        { "hostname", "a_b.cd", false },
        { "hostname", "é.com", true },
        { "hostname", "a.bc1", false },
        { "hostname", "1.2.3.4", false },
        { "hostname", "a--b", false },
        { "hostname", "a.b-c.de", true },
        { "hostname", "xn--a.com", true },
        { "hostname", "a$b", true },
        { "hostname", A16 A16 A16 A16, false },
        { "hostname", "a.b.", false },
        { "uri", "http://a/b", true },
        { "uri", "a b", false },
        { "uri", "/a b", true },
        { "uri", "a:b", true },
        { "uri", "//x", true },
        { "uri", "http://a b/", false },
        { "uri", "mailto:a", true },
        { "uri", "%zz", false },
        { "uri", "/%zz", false },
        { "byte", "YQ==", true },
        { "byte", "YQ", false },
        { "byte", "?", false },
        { "byte", "", false },
        { "byte", "YQ==", true },
        { "duration", "1h", true },
        { "duration", "x", false },
        { "duration", "1 day", true },
        { "duration", "5 weeks", true },
        { "duration", "3d", true },
        { "duration", "1y", false },
        { "duration", "", false },
        { "duration", "1.5h", true },
        { "duration", "h5m", true },
        { "duration", "12345678901234567890s", false },
        { "duration", "3 wks", false },
        { "duration", "2 Minutes", true },
        { "duration", "1.", false },
        { "duration", "-1h", true },
        { "cidr", "10.0.0.0/8", true },
        { "cidr", "10.0.0.01/8", true },
        { "cidr", "x", false },
        { "cidr", "::/0", true },
        { "cidr", "1.2.3.4/33", false },
        { "mac", "01:23:45:67:89:ab", true },
        { "mac", "0123.4567.89ab", true },
        { "mac", "01-23-45-67-89-ab", true },
        { "mac", "01:23", false },
        { "mac", "01:23:45:67:89-ab", false },
        { "bsonobjectid", "507f1f77bcf86cd799439011", true },
        { "bsonobjectid", "507f1f77bcf86cd79943901", false },
        { "hexcolor", "#fff", true },
        { "hexcolor", "fff", true },
        { "hexcolor", "#ffff", false },
        { "isbn", "0321751043", true },
        { "isbn", "978-0321751041", true },
        { "isbn", "032175104X", false },
        { "isbn", "0-306-40615-2", true },
        { "creditcard", "4111111111111111", true },
        { "creditcard", "4111-1111-1111-1111", true },
        { "creditcard", "1", false },
        { "creditcard", "5500005555555559", true },
        { "creditcard", "378282246310005", true },
        { "rgbcolor", "rgb(1,2,3)", true },
        { "rgbcolor", "rgb( 1 , 2 , 255 )", true },
        { "rgbcolor", "rgb(01,2,3)", false },
        { "rgbcolor", "rgb(1,2,256)", false },
        { "rgbcolor", "rgb(0,0,0)", true },
        { "ssn", "111-11-1111", true },
        { "ssn", "111 11 1111", true },
        { "ssn", "111111111", false },
        { "k8s-short-name", "a", true },
        { "k8s-short-name", "A", false },
        { "k8s-short-name", "a-", false },
        { "k8s-short-name", A16 A16 A16 A16, false },
        { "k8s-long-name", "a.b", true },
        { "k8s-long-name", "a..b", false },
        { "k8s-long-name", "A.b", false },
        { "k8s-long-name", "-a.b", false },
        { "k8s-long-name", A16 A16 A16 A16 "aaaaaa", true },
        { "password", "", true },
        { "isbn13", "978-0321751041", true },
        { "isbn13", "x", false },
};

static void test_formats(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                if (text_format_holds(slice_of(cases[i].format), slice_of(cases[i].text)) !=
                    cases[i].holds)
                        fail_msg("%s: %s", cases[i].format, cases[i].text);
}

static void test_names(void **state) {
        (void)state;
        assert_true(text_format_is_known(SLICE_LITERAL("date-time")));
        assert_true(text_format_is_known(SLICE_LITERAL("k8s-long-name")));
        assert_false(text_format_is_known(SLICE_LITERAL("int-or-string")));
        assert_false(text_format_is_known(SLICE_LITERAL("")));
        assert_true(text_format_holds(SLICE_LITERAL("unknown"), SLICE_LITERAL("x")));
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_formats),
                cmocka_unit_test(test_names),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
