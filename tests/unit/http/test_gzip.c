/* Compressed bodies are what any other reader of gzip makes the same text of. */
#include "http/gzip.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <zlib.h>

#include <cmocka.h>

static void test_round_trip(void **state) {
        static const size_t sizes[] = { 0, 1, 1000, 200000 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
                struct buf text = { 0 };
                z_stream stream = { 0 };
                unsigned char *again = xmalloc(sizes[i] + 1);

                for (size_t j = 0; j < sizes[i]; j++)
                        buf_char(&text, (char)('a' + j % 7));
                assert_true(gzip_replace(&text));
                assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
                stream.next_in = (unsigned char *)text.data;
                stream.avail_in = (unsigned)text.len;
                stream.next_out = again;
                stream.avail_out = (unsigned)sizes[i] + 1;
                assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
                assert_int_equal(stream.total_out, sizes[i]);
                for (size_t j = 0; j < sizes[i]; j++)
                        assert_int_equal(again[j], 'a' + j % 7);
                if (sizes[i] > 1000)
                        assert_true(text.len < sizes[i] / 10);
                inflateEnd(&stream);
                free(again);
                buf_release(&text);
        }
}

static void test_accepted(void **state) {
        static const struct {
                const char *codings;
                bool is_accepted;
        } cases[] = {
                { "gzip", true }, { "deflate, gzip;q=0.5", true }, { "gzip ; q=0", false },
                { "", false },    { "br,deflate", false },         { "gzipped", false },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                assert_int_equal(gzip_is_accepted(slice_of(cases[i].codings)),
                                 cases[i].is_accepted);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_round_trip),
                                            cmocka_unit_test(test_accepted) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
