/* Addresses, URLs, versions and time zones: what Go says of those that are none. */
#include "base/util.h"
#include "cel/go_address.h"
#include "cel/go_semver.h"
#include "cel/go_url.h"
#include "cel/go_zone.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* What is expected: the text of the error, NULL for none. */
struct go_case {
        const char *text, *expected;
};

static void check_case(const struct go_case *row, const char *problem, int *failures) {
        const char *expected = row->expected ? row->expected : "nothing";

        if (slice_is(slice_of(expected), problem ? problem : "nothing"))
                return;
        fprintf(stderr, "%s: %s, not %s\n", row->text, problem ? problem : "nothing", expected);
        ++*failures;
}

#define TEST_TABLE(name, problem_of)                                                               \
        static void test_##name(void **state) {                                                    \
                CLEANUP(arena_release) struct arena arena;                                         \
                int failures = 0;                                                                  \
                                                                                                   \
                (void)state;                                                                       \
                arena_init(&arena, 0);                                                             \
                for (size_t i = 0; i < ARRAY_LEN(name); i++)                                       \
                        check_case(&name[i], problem_of(&arena, slice_of(name[i].text)),           \
                                   &failures);                                                     \
                assert_int_equal(failures, 0);                                                     \
        }

/* ---- URLs ---- */

static const struct go_case urls[] = {
        { "http://a/b?c#d", NULL },
        { "*", NULL },
        { "http:a b", NULL },
        { "http://a?%zz", NULL },
        { "//a b", "parse \"//a b\": invalid character \" \" in host name" },
        { "ftp://a:b:1", NULL },
        { "http://[fe80::1%25%20e]:80/", NULL },
        { "http://u:p@v@h", NULL },
        { "", "parse \"\": empty url" },
        { "a", "parse \"a\": invalid URI for request" },
        { ":a", "parse \":a\": missing protocol scheme" },
        { "/\001", "parse \"/\\x01\": net/url: invalid control character in URL" },
        { "/%zz", "parse \"/%zz\": invalid URL escape \"%zz\"" },
        { "/%4", "parse \"/%4\": invalid URL escape \"%4\"" },
        { "/?a#%zz", "parse \"/?a#%zz\": invalid URL escape \"%zz\"" },
        { "http://a#%zz", "parse \"http://a#%zz\": invalid character \"#\" in host name" },
        { "http://\\", "parse \"http://\\\\\": invalid character \"\\\\\" in host name" },
        { "http://a%41/", "parse \"http://a%41/\": invalid URL escape \"%41\"" },
        { "http://a%25/", NULL },
        { "http://a:x", "parse \"http://a:x\": invalid port \":x\" after host" },
        { "http://a:1:2", "parse \"http://a:1:2\": invalid port \":1:2\" after host" },
        { "ftp://a:1:x", "parse \"ftp://a:1:x\": invalid port \":x\" after host" },
        { "http://[::1", "parse \"http://[::1\": missing ']' in host" },
        { "http://[::1]x", "parse \"http://[::1]x\": invalid port \"x\" after host" },
        { "http://a[::1]", "parse \"http://a[::1]\": invalid IP-literal" },
        { "http://[1.2.3.4]", "parse \"http://[1.2.3.4]\": invalid IP-literal" },
        { "http://[a]",
          "parse \"http://[a]\": invalid host: ParseAddr(\"a\"): unable to parse IP" },
        { "http://[::1%25%5e]", "parse \"http://[::1%25%5e]\": invalid URL escape \"%5e\"" },
        { "http://u^@h", "parse \"http://u^@h\": net/url: invalid userinfo" },
        { "http://u%4:%zz@h", "parse \"http://u%4:%zz@h\": invalid URL escape \"%4\"" },
        { "http://u^@h^", "parse \"http://u^@h^\": invalid character \"^\" in host name" },
};

/* As url() reads them: the part behind # is a part of its own the second time. */
static const char *url_problem(struct arena *arena, struct slice text) {
        const char *problem = go_url_problem(arena, text, URL_REQUEST);

        return problem ? problem : go_url_problem(arena, text, URL_ANY);
}
TEST_TABLE(urls, url_problem)

/* ---- addresses ---- */

static const struct go_case addresses[] = {
        { "1.2.3.4", NULL },
        { "::", NULL },
        { "1::", NULL },
        { "::1%a", NULL },
        { "1:2:3:4:5:6:1.2.3.4", NULL },
        { "", "ParseAddr(\"\"): unable to parse IP" },
        { "a%", "ParseAddr(\"a%\"): missing IPv6 address" },
        { "1.2.3", "ParseAddr(\"1.2.3\"): IPv4 address too short" },
        { "1.2.3.4.5", "ParseAddr(\"1.2.3.4.5\"): IPv4 address too long" },
        { "01.1.1.1", "ParseAddr(\"01.1.1.1\"): IPv4 field has octet with leading zero" },
        { "1.1.1.256", "ParseAddr(\"1.1.1.256\"): IPv4 field has value >255" },
        { "1..2.3",
          "ParseAddr(\"1..2.3\"): IPv4 field must have at least one digit (at \".2.3\")" },
        { "1.2.3.4%a", "ParseAddr(\"1.2.3.4%a\"): unexpected character (at \"%a\")" },
        { "::1%", "ParseAddr(\"::1%\"): zone must be a non-empty string" },
        { "::g", "ParseAddr(\"::g\"): each colon-separated field must have at least one digit (at "
                 "\"g\")" },
        { "::12345%a", "ParseAddr(\"::12345%a\"): each group must have 4 or less digits (at "
                       "\"12345\")" },
        { "1:2.3.4.5", "ParseAddr(\"1:2.3.4.5\"): embedded IPv4 address must replace the final 2 "
                       "fields of the address (at \"2.3.4.5\")" },
        { "::1:2:3:4:5:6:7:1.2.3.4",
          "ParseAddr(\"::1:2:3:4:5:6:7:1.2.3.4\"): too many hex fields to fit an embedded IPv4 at "
          "the end of the address (at \"1.2.3.4\")" },
        { "::1g", "ParseAddr(\"::1g\"): unexpected character, want colon (at \"g\")" },
        { "1:", "ParseAddr(\"1:\"): colon must be followed by more characters (at \":\")" },
        { "1::2::3", "ParseAddr(\"1::2::3\"): multiple :: in address (at \":3\")" },
        { "1:2:3:4:5:6:7:8:9",
          "ParseAddr(\"1:2:3:4:5:6:7:8:9\"): trailing garbage after address (at \"9\")" },
        { "1:2", "ParseAddr(\"1:2\"): address string too short" },
        { "1:2:3:4::5:6:7:8", "ParseAddr(\"1:2:3:4::5:6:7:8\"): the :: must expand to at least one "
                              "field of zeros" },
};

static const char *address_problem(struct arena *arena, struct slice text) {
        struct go_address address;

        return go_address_parse(arena, text, &address);
}
TEST_TABLE(addresses, address_problem)

static void test_address_bytes(void **state) {
        static const unsigned char expected[16] = { 0, 1, 0, 2, [11] = 0xff, 1, 2, 3, 4 };
        CLEANUP(arena_release) struct arena arena;
        struct go_address address;

        (void)state;
        arena_init(&arena, 0);
        assert_null(go_address_parse(&arena, SLICE_LITERAL("1:2::ff:1.2.3.4"), &address));
        assert_memory_equal(address.bytes, expected, sizeof(expected));
        assert_true(address.is_v6 && !address.has_zone);
}

static const struct go_case networks[] = {
        { "1.2.3.4/32", NULL },
        { "::/0", NULL },
        { "1.2.3.4", "netip.ParsePrefix(\"1.2.3.4\"): no '/'" },
        { "x/8", "netip.ParsePrefix(\"x/8\"): ParseAddr(\"x\"): unable to parse IP" },
        { "::1%a/999",
          "netip.ParsePrefix(\"::1%a/999\"): IPv6 zones cannot be present in a prefix" },
        { "::/", "netip.ParsePrefix(\"::/\"): bad bits after slash: \"\"" },
        { "::/08", "netip.ParsePrefix(\"::/08\"): bad bits after slash: \"08\"" },
        { "::/9223372036854775808", "netip.ParsePrefix(\"::/9223372036854775808\"): bad bits after "
                                    "slash: \"9223372036854775808\"" },
        { "1.2.3.4/33", "netip.ParsePrefix(\"1.2.3.4/33\"): prefix length out of range" },
        { "::/129", "netip.ParsePrefix(\"::/129\"): prefix length out of range" },
};

static const char *network_problem(struct arena *arena, struct slice text) {
        struct go_network network;

        return go_network_parse(arena, text, &network);
}
TEST_TABLE(networks, network_problem)

/* ---- versions ---- */

static const struct go_case versions[] = {
        { "1.2.3-a.0.0a+01.b", NULL },
        { "", "Version string empty" },
        { "1.2", "No Major.Minor.Patch elements found" },
        { "x.02.3", "Invalid character(s) found in major number \"x\"" },
        { "01.x.3", "Major number must not contain leading zeroes \"01\"" },
        { ".2.3", "strconv.ParseUint: parsing \"\": invalid syntax" },
        { "1.18446744073709551616.3",
          "strconv.ParseUint: parsing \"18446744073709551616\": value out of range" },
        { "1.2.3.4", "Invalid character(s) found in patch number \"3.4\"" },
        { "1.2.03-_", "Patch number must not contain leading zeroes \"03\"" },
        { "1.2.3-+_", "Prerelease is empty" },
        { "1.2.3-01", "Numeric PreRelease version must not contain leading zeroes \"01\"" },
        { "1.2.3-a_b+_", "Invalid character(s) found in prerelease \"a_b\"" },
        { "1.2.3-18446744073709551616",
          "strconv.ParseUint: parsing \"18446744073709551616\": value out of range" },
        { "1.2.3+a.", "Build meta data is empty" },
        { "1.2.3+a+b", "Invalid character(s) found in build meta data \"a+b\"" },
};
TEST_TABLE(versions, go_semver_problem)

/* ---- time zones ---- */

static const struct go_case zones[] = {
        { "Z", "unknown time zone Z" },
        { "Etc/GMT+13", "unknown time zone Etc/GMT+13" },
        { "Etc/GMT-01", "unknown time zone Etc/GMT-01" },
        { "GMT+1", "unknown time zone GMT+1" },
        { "/a", "time: invalid location name" },
        { "\\a", "time: invalid location name" },
        { "a/..", "time: invalid location name" },
        { "a:b", "strconv.Atoi: parsing \"a\": invalid syntax" },
        { "1:2:3", "strconv.Atoi: parsing \"2:3\": invalid syntax" },
        { "1x:1", "strconv.Atoi: parsing \"1x\": invalid syntax" },
        { "18446744073709551616x:1",
          "strconv.Atoi: parsing \"18446744073709551616x\": value out of range" },
        { "+:1", "strconv.Atoi: parsing \"+\": invalid syntax" },
        { ":", "strconv.Atoi: parsing \"\": invalid syntax" },
        { "0:-9223372036854775809",
          "strconv.Atoi: parsing \"-9223372036854775809\": value out of range" },
};

static const char *zone_problem(struct arena *arena, struct slice text) {
        int64_t seconds;

        return go_zone_offset(arena, text, &seconds);
}
TEST_TABLE(zones, zone_problem)

static void test_offsets(void **state) {
        static const struct {
                const char *text;
                int64_t seconds;
        } rows[] = {
                { "", 0 },
                { "UTC", 0 },
                { "Local", 0 },
                { "Etc/Zulu", 0 },
                { "Etc/GMT+2", -7200 },
                { "Etc/GMT-14", 50400 },
                { "1:30", 5400 },
                { "-0:30", -1800 },
                { "-1:-30", -1800 },
                { "+99:99", 362340 },
                { "2562048:0", -9223371273 },
        };
        CLEANUP(arena_release) struct arena arena;
        int64_t seconds;

        (void)state;
        arena_init(&arena, 0);
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                assert_null(go_zone_offset(&arena, slice_of(rows[i].text), &seconds));
                assert_int_equal(seconds, rows[i].seconds);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_urls),          cmocka_unit_test(test_addresses),
                cmocka_unit_test(test_address_bytes), cmocka_unit_test(test_networks),
                cmocka_unit_test(test_versions),      cmocka_unit_test(test_zones),
                cmocka_unit_test(test_offsets),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
