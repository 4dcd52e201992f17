/* UUIDs: version bits, text form, refusal of malformed text. */
#include "base/util.h"
#include "base/uuid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_random_is_version_4(void **state) {
        (void)state;
        struct rng rng, again;
        rng_init(&rng, 1);
        rng_init(&again, 1);
        char previous[UUID_TEXT_SIZE] = "";
        for (int i = 0; i < 500; i++) {
                char text[UUID_TEXT_SIZE], repeated[UUID_TEXT_SIZE];
                struct uuid uuid = uuid_random(&rng);
                struct uuid parsed;
                uuid_format(uuid, text);
                uuid_format(uuid_random(&again), repeated);
                assert_string_equal(text, repeated);
                assert_string_not_equal(text, previous);
                assert_int_equal(strlen(text), UUID_TEXT_SIZE - 1);
                assert_int_equal(text[14], '4');
                assert_non_null(strchr("89ab", text[19]));
                assert_true(uuid_parse(slice_of(text), &parsed));
                assert_memory_equal(parsed.bytes, uuid.bytes, sizeof(uuid.bytes));
                memcpy(previous, text, sizeof(text));
        }
}

static void test_known_text(void **state) {
        (void)state;
        struct uuid uuid;
        char text[UUID_TEXT_SIZE];
        assert_true(uuid_parse(SLICE_LITERAL("00112233-4455-6677-8899-AaBbCcDdEeFf"), &uuid));
        for (int i = 0; i < 16; i++)
                assert_int_equal(uuid.bytes[i], i * 0x11);
        uuid_format(uuid, text);
        assert_string_equal(text, "00112233-4455-6677-8899-aabbccddeeff");
}

static void test_malformed(void **state) {
        (void)state;
        static const char *const cases[] = {
                "",
                "00112233-4455-6677-8899-aabbccddeef",
                "00112233-4455-6677-8899-aabbccddeefff",
                "00112233445566778899aabbccddeeff",
                "00112233-4455-6677-8899-aabbccddeefg",
                "00112233-4455-6677-8899_aabbccddeeff",
                "0011223-34455-6677-8899-aabbccddeeff",
                "{00112233-4455-6677-8899-aabbccddeef",
                "00112233-4455-6677-8899- aabbccddeef",
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct uuid uuid = { { 0x5a } };
                assert_false(uuid_parse(slice_of(cases[i]), &uuid));
                assert_int_equal(uuid.bytes[0], 0x5a);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_random_is_version_4),
                cmocka_unit_test(test_known_text),
                cmocka_unit_test(test_malformed),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
