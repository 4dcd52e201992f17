/* Signed tokens: what was signed can be read back, and nothing else. */
#include "server/account_key.h"

#include "base/util.h"
#include "http/tls_material.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CLAIMS SLICE_LITERAL("{\"sub\":\"a\"}")

static void test_round_trip(void **state) {
        struct account_key *key = account_key_new(NULL);
        struct buf token = { 0 }, claims = { 0 };

        (void)state;
        for (int i = 0; i < 50; i++) { /* numbers with leading zeros, too */
                buf_clear(&token);
                buf_clear(&claims);
                assert_true(account_key_sign(key, CLAIMS, &token));
                assert_true(account_key_open(key, buf_view(&token), &claims));
                assert_true(slice_eq(buf_view(&claims), CLAIMS));
        }
        buf_release(&token);
        buf_release(&claims);
        account_key_free(key);
}

static void test_refused(void **state) {
        static const char *const texts[] = { "", ".", "..", "a.b.c", "a.b", "....", "e30.e30." };
        struct account_key *key = account_key_new(NULL), *other = account_key_new(NULL);
        struct buf token = { 0 }, claims = { 0 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(texts); i++)
                assert_false(account_key_open(key, slice_of(texts[i]), &claims));
        assert_true(account_key_sign(key, CLAIMS, &token));
        assert_false(account_key_open(other, buf_view(&token), &claims));
        for (size_t i = 0; i < token.len - 2; i++) { /* the last digits may hold spare bits */
                char was = token.data[i];

                token.data[i] = was == 'A' ? 'B' : 'A';
                assert_false(account_key_open(key, buf_view(&token), &claims));
                token.data[i] = was;
        }
        assert_int_equal(claims.len, 0);
        buf_release(&token);
        buf_release(&claims);
        account_key_free(key);
        account_key_free(other);
}

/* The same key from its text takes the tokens of before. */
static void test_stored_key(void **state) {
        struct tls_material material = { 0 };
        struct account_key *first, *second;
        struct buf token = { 0 }, claims = { 0 };

        (void)state;
        assert_int_equal(tls_material_make(NULL, &material, NULL), 0);
        first = account_key_new(material.ca_key_pem);
        second = account_key_new(material.ca_key_pem);
        assert_true(account_key_sign(first, CLAIMS, &token));
        assert_true(account_key_open(second, buf_view(&token), &claims));
        assert_null(account_key_new("no key"));
        tls_material_release(&material);
        buf_release(&token);
        buf_release(&claims);
        account_key_free(first);
        account_key_free(second);
}

static void test_publish(void **state) {
        struct account_key *key = account_key_new(NULL);
        struct buf text = { 0 };

        (void)state;
        assert_true(account_key_publish(key, &text));
        assert_non_null(strstr(text.data, "\"crv\":\"P-256\""));
        assert_null(strstr(text.data, "\"d\"")); /* nothing of the private half */
        buf_release(&text);
        account_key_free(key);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_round_trip),
                cmocka_unit_test(test_refused),
                cmocka_unit_test(test_stored_key),
                cmocka_unit_test(test_publish),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
