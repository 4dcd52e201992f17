/* Quantities: a sample of syntax and rounding cases, arithmetic, and formats. */
#include "api/quantity.h"
#include "api_test.h"

#include "base/rng.h"
#include "base/util.h"

static void test_describe(void **state) {
        static const struct {
                const char *in, *canonical, *string;
                enum quantity_format format;
                int sign;
                int64_t value, milli;
        } cases[] = {
                { "0", "0", "0", QUANTITY_DECIMAL_SI, 0, 0, 0 },
                { "-0", "0", "0", QUANTITY_DECIMAL_SI, 0, 0, 0 },
                { "1", "1", "1", QUANTITY_DECIMAL_SI, 1, 1, 1000 },
                { "0.5", "500m", "500m", QUANTITY_DECIMAL_SI, 1, 1, 500 },
                { "1500m", "1500m", "1500m", QUANTITY_DECIMAL_SI, 1, 2, 1500 },
                { "2000m", "2", "2", QUANTITY_DECIMAL_SI, 1, 2, 2000 },
                { "64Mi", "64Mi", "64Mi", QUANTITY_BINARY_SI, 1, 67108864, 67108864000 },
                { "2048Mi", "2Gi", "2Gi", QUANTITY_BINARY_SI, 1, 2147483648, 2147483648000 },
                { "0.5Gi", "512Mi", "512Mi", QUANTITY_BINARY_SI, 1, 536870912, 536870912000 },
                { "1023Ki", "1023Ki", "1023Ki", QUANTITY_BINARY_SI, 1, 1047552, 1047552000 },
                { "0.1Ki", "102400m", "102400m", QUANTITY_BINARY_SI, 1, 103, 102400 },
                { "0.0001Ki", "102400u", "102400u", QUANTITY_DECIMAL_SI, 1, 1, 103 },
                { "3e3", "3e3", "3e3", QUANTITY_DECIMAL_EXPONENT, 1, 3000, 3000000 },
                { "5E-3", "5e-3", "5E-3", QUANTITY_DECIMAL_EXPONENT, 1, 1, 5 },
                { "-2.5", "-2500m", "-2500m", QUANTITY_DECIMAL_SI, -1, -3, -2500 },
                { "-7.000", "-7", "-7", QUANTITY_DECIMAL_SI, -1, -7, -7000 },
                { "0.0000000004", "1n", "1n", QUANTITY_DECIMAL_SI, 1, 1, 1 },
                { "0.0000000014", "2n", "2n", QUANTITY_DECIMAL_SI, 1, 1, 1 },
                { "1e-2000000000", "1e-9", "1e-9", QUANTITY_DECIMAL_EXPONENT, 1, 1, 1 },
                { "7.", "7", "7.", QUANTITY_DECIMAL_SI, 1, 7, 7000 },
                { "+9k", "9k", "+9k", QUANTITY_DECIMAL_SI, 1, 9000, 9000000 },
                { "0e2147483647", "0", "0", QUANTITY_DECIMAL_EXPONENT, 0, 0, 0 },
                { "99999999999999999999", "99999999999999999999", "99999999999999999999",
                  QUANTITY_DECIMAL_SI, 1, INT64_MAX, INT64_MAX },
                { "-1e30", "-1e30", "-1e30", QUANTITY_DECIMAL_EXPONENT, -1, INT64_MIN, INT64_MIN },
                { "9Ei", "9223372036854775807", "9223372036854775807", QUANTITY_BINARY_SI, 1,
                  INT64_MAX, INT64_MAX },
                { "1e2000000000", "100e1999999998", "100e1999999998", QUANTITY_DECIMAL_EXPONENT, 1,
                  INT64_MAX, INT64_MAX },
                { "1000E", "1000E", "1000E", QUANTITY_DECIMAL_SI, 1, INT64_MAX, INT64_MAX },
                { "9223372036854775.807", "9223372036854775807m", "9223372036854775807m",
                  QUANTITY_DECIMAL_SI, 1, 9223372036854776, INT64_MAX },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct quantity_info info;
                struct err err = { 0 };
                int64_t number = 0;
                struct slice in = slice_of(cases[i].in);
                if (quantity_describe(in, &info, &err) < 0)
                        fail_msg("%s: %s", cases[i].in, err.text);
                assert_string_equal(info.canonical, cases[i].canonical);
                assert_string_equal(info.string, cases[i].string);
                assert_int_equal(info.format, cases[i].format);
                assert_int_equal(info.sign, cases[i].sign);
                assert_true(info.value == cases[i].value);
                assert_true(info.milli == cases[i].milli);
                assert_int_equal(quantity_value(in, &number, NULL), 0);
                assert_true(number == cases[i].value);
                assert_int_equal(quantity_milli(in, &number, NULL), 0);
                assert_true(number == cases[i].milli);
        }
}

/* What fits a small number and looks canonical is kept as it is written. */
static void test_kept(void **state) {
        static const char *const cases[][2] = {
                { "5.", "5." },
                { "+1", "+1" },
                { "007", "007" },
                { "1.500", "1.500" },
                { "1e3", "1e3" },
                { "5.Gi", "5.Gi" },
                { "1234.567", "1234.567" },
                { "1.5", "1500m" },
                { "1000m", "1" },
                { "1024Mi", "1Gi" },
                { "-0", "0" },
                { "12000", "12k" },
                { "1.0", "1" },
                { ".5", "500m" },
                { "100000000000000000000", "100E" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                CLEANUP(buf_release) struct buf out = { 0 };

                assert_int_equal(quantity_canonical(slice_of(cases[i][0]), &out, NULL), 0);
                assert_string_equal(out.data, cases[i][1]);
        }
}

static void test_refused(void **state) {
        static const char *const cases[] = {
                "",     " ",    "1 ",  " 1",   "x",   "1x",  "1.2.3",
                "--1",  "1KiB", "1ki", "1K",   "1mi", "1e",  "1e+",
                "1E1E", "1,5",  "0x1", "1e5m", "NaN", "1\n", "1e99999999999999999999",
                "e-10", "\xff", "1_0", "+-1",  "m-1",
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct err err = { 0 };
                int64_t number = 77;
                struct buf out = { 0 };
                if (quantity_value(slice_of(cases[i]), &number, &err) != BERTH_ERR_BAD_REQUEST)
                        fail_msg("accepted: %s", cases[i]);
                assert_int_equal(number, 77);
                assert_true(strstr(err.text, "quantit"));
                assert_true(quantity_canonical(slice_of(cases[i]), &out, NULL) < 0);
                buf_release(&out);
        }
        int64_t number;
        assert_true(quantity_value(SLICE_LITERAL("1\0"), &number, NULL) < 0);
}

static void test_long_texts(void **state) {
        char *digits = repeat("9", 1000);
        struct quantity_info info;
        (void)state;
        assert_int_equal(quantity_describe(slice_make(digits, 1000), &info, NULL),
                         BERTH_ERR_BAD_REQUEST);
        assert_int_equal(quantity_describe(slice_make(digits, 200), &info, NULL), 0);
        assert_int_equal(strlen(info.canonical), 200);
        assert_true(info.value == INT64_MAX);
        digits[199] = 'E'; /* digits that no suffix can shorten */
        assert_int_equal(quantity_describe(slice_make(digits, 200), &info, NULL), 0);
        memset(digits, '0', 199);
        digits[1] = '.';
        digits[198] = '1';
        digits[199] = 'm';
        assert_int_equal(quantity_describe(slice_make(digits, 200), &info, NULL), 0);
        assert_string_equal(info.canonical, "1n");
        /* What is no quantity at all is told before that it is long. */
        struct err err = { 0 };
        memset(digits, 'y', 1000);
        assert_int_equal(quantity_describe(slice_make(digits, 1000), &info, &err),
                         BERTH_ERR_BAD_REQUEST);
        assert_non_null(strstr(err.text, "regular expression"));
        free(digits);
}

static void test_compare(void **state) {
        static const struct {
                const char *a, *b;
                int order;
        } cases[] = {
                { "1", "1000m", 0 },        { "1Ki", "1024", 0 },  { "1k", "1Ki", -1 },
                { "-1", "1n", -1 },         { "0", "0e5", 0 },     { "-2", "-1", -1 },
                { "1e400", "1e399", 1 },    { "0.1", "100m", 0 },  { "1G", "1Gi", -1 },
                { "10", "9.999999999", 1 }, { "-1e400", "0", -1 }, { "123", "123.4", -1 },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct slice a = slice_of(cases[i].a), b = slice_of(cases[i].b);
                int order = 9;
                assert_int_equal(quantity_compare(a, b, &order, NULL), 0);
                assert_int_equal(order, cases[i].order);
                assert_int_equal(quantity_compare(b, a, &order, NULL), 0);
                assert_int_equal(order, -cases[i].order);
        }
        assert_true(quantity_compare(slice_of("1"), slice_of("x"), &(int){ 0 }, NULL) < 0);
}

static void test_sum(void **state) {
        static const struct {
                const char *a, *b;
                bool is_subtract;
                const char *sum;
        } cases[] = {
                { "1", "500m", false, "1500m" },
                { "1Gi", "1Gi", false, "2Gi" },
                { "1Gi", "1", false, "1073741825" },
                { "0", "1Gi", false, "1Gi" },
                { "1Gi", "0", false, "1Gi" },
                { "1Gi", "1Gi", true, "0" },
                { "500m", "1", true, "-500m" },
                { "1e3", "1", false, "1001" },
                { "-1", "-999", false, "-1k" },
                { "999999999999999999999", "1", false, "1000E" },
                { "1", "1n", true, "999999999n" },
                { "8Ei", "1Gi", false, "9223372037928517631" },
                { "1024Ki", "-1Mi", false, "0" },
                { "100", "1e18", true, "-999999999999999900" },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct buf out = { 0 };
                struct err err = { 0 };
                if (quantity_sum(slice_of(cases[i].a), slice_of(cases[i].b), cases[i].is_subtract,
                                 &out, &err) < 0)
                        fail_msg("%s %s: %s", cases[i].a, cases[i].b, err.text);
                assert_string_equal(out.data, cases[i].sum);
                buf_release(&out);
        }
        struct buf out = { 0 };
        assert_int_equal(quantity_sum(slice_of("1e1000"), slice_of("1n"), false, &out, NULL),
                         BERTH_ERR_INVALID);
        buf_release(&out);
}

static void test_format(void **state) {
        static const struct {
                int64_t amount;
                int kind; /* -1 = milli */
                const char *text;
        } cases[] = {
                { 1500, -1, "1500m" },
                { 2000, -1, "2" },
                { 0, -1, "0" },
                { -250, -1, "-250m" },
                { 2147483648, QUANTITY_BINARY_SI, "2Gi" },
                { 1000, QUANTITY_BINARY_SI, "1k" },
                { 1500, QUANTITY_BINARY_SI, "1500" },
                { 110, QUANTITY_DECIMAL_SI, "110" },
                { 5000000, QUANTITY_DECIMAL_SI, "5M" },
                { 5000000, QUANTITY_DECIMAL_EXPONENT, "5e6" },
                { INT64_MAX, QUANTITY_DECIMAL_SI, "9223372036854775807" },
                { INT64_MIN, QUANTITY_DECIMAL_SI, "-9223372036854775808" },
                { INT64_MIN, QUANTITY_BINARY_SI, "-8Ei" },
        };
        char text[QUANTITY_TEXT_MAX];
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                int length =
                        cases[i].kind < 0
                                ? quantity_format_milli(cases[i].amount, text)
                                : quantity_format_units(cases[i].amount,
                                                        (enum quantity_format)cases[i].kind, text);
                assert_string_equal(text, cases[i].text);
                assert_int_equal(length, strlen(text));
        }
}

/* What is printed reads back as the same amount. */
static void test_round_trip(void **state) {
        char text[QUANTITY_TEXT_MAX];
        (void)state;
        for (int64_t i = 1; i > 0 && i < INT64_MAX / 7; i = i * 7 + 3) {
                for (int kind = 0; kind < 3; kind++) {
                        int64_t back = 0;
                        quantity_format_units(i, (enum quantity_format)kind, text);
                        assert_int_equal(quantity_value(slice_of(text), &back, NULL), 0);
                        assert_true(back == i);
                }
                int64_t back = 0;
                quantity_format_milli(-i, text);
                assert_int_equal(quantity_milli(slice_of(text), &back, NULL), 0);
                assert_true(back == -i);
        }
}

/* Whole numbers with an ordinary suffix are read by a shorter way, to the same amounts. */
static void test_ordinary(void **state) {
        static const char *const suffixes[] = { "",   "m",  "k", "M",  "G",  "T",  "Ki", "Mi",
                                                "Gi", "Ti", "K", "mi", "Mm", "e3", "E",  "n" };
        struct rng rng;
        (void)state;
        rng_init(&rng, 11);
        for (int i = 0; i < 20000; i++) {
                struct quantity_info info;
                int64_t value = 0, milli = 0;
                char text[40];
                uint64_t number = rng_u64(&rng) >> rng_below(&rng, 64);
                snprintf(text, sizeof(text), "%s%llu%s", i % 7 ? "" : "0",
                         (unsigned long long)number,
                         suffixes[rng_below(&rng, ARRAY_LEN(suffixes))]);
                int r = quantity_describe(slice_of(text), &info, NULL);
                CLEANUP(buf_release) struct buf canonical = { 0 };
                assert_int_equal(quantity_canonical(slice_of(text), &canonical, NULL) == 0, r == 0);
                if (r == 0)
                        assert_string_equal(canonical.data, info.string);
                assert_int_equal(quantity_value(slice_of(text), &value, NULL), r);
                assert_int_equal(quantity_milli(slice_of(text), &milli, NULL), r);
                if (r == 0 && (value != info.value || milli != info.milli))
                        fail_msg("%s: %lld, %lld", text, (long long)value, (long long)milli);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_kept),     cmocka_unit_test(test_describe),
                cmocka_unit_test(test_refused),  cmocka_unit_test(test_long_texts),
                cmocka_unit_test(test_compare),  cmocka_unit_test(test_sum),
                cmocka_unit_test(test_format),   cmocka_unit_test(test_round_trip),
                cmocka_unit_test(test_ordinary),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
