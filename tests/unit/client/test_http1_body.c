/* Bodies of answers in HTTP/1.1, cut everywhere. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/util.h"
#include "client/http1_body.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
        const char *name, *bytes, *content;
        struct http1_body begin;
        enum http1_body_state end;
} cases[] = {
        { "until the end",
          "abc\r\ndef",
          "abc\r\ndef",
          { BODY_UNTIL_END, 0, false },
          BODY_UNTIL_END },
        { "counted", "abcdef", "abc", { BODY_COUNTED, 3, false }, BODY_OVER },
        { "none", "abc", "", { BODY_COUNTED, 0, false }, BODY_OVER },
        { "too few", "abc", "abc", { BODY_COUNTED, 4, false }, BODY_COUNTED },
        { "chunks",
          "3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\nx",
          "abc0123456789",
          { BODY_CHUNK_SIZE, 0, false },
          BODY_OVER },
        { "digits of either case, leading zeros",
          "00a\r\n0123456789\r\n0B\r\n01234567890\r\n0\r\n\r\n",
          "012345678901234567890",
          { BODY_CHUNK_SIZE, 0, false },
          BODY_OVER },
        { "notes and trailers",
          "3;a=b;c\r\nabc\r\n0 ; d\r\nX-Sum: 1\r\nY: 2\r\n\r\n",
          "abc",
          { BODY_CHUNK_SIZE, 0, false },
          BODY_OVER },
        { "lines without a carriage return",
          "3\nabc\n0\n\n",
          "abc",
          { BODY_CHUNK_SIZE, 0, false },
          BODY_OVER },
        { "cut in a chunk", "3\r\nab", "ab", { BODY_CHUNK_SIZE, 0, false }, BODY_CHUNK },
        { "cut after the last chunk", "0\r\n", "", { BODY_CHUNK_SIZE, 0, false }, BODY_TRAILER },
        { "no size", "\r\nabc", "", { BODY_CHUNK_SIZE, 0, false }, BODY_BROKEN },
        { "no number", "x\r\nabc", "", { BODY_CHUNK_SIZE, 0, false }, BODY_BROKEN },
        { "too large a number",
          "fffffffffffffffff\r\n",
          "",
          { BODY_CHUNK_SIZE, 0, false },
          BODY_BROKEN },
        { "longer than it says",
          "3\r\nabcd\r\n",
          "abc",
          { BODY_CHUNK_SIZE, 0, false },
          BODY_BROKEN },
        { "no size after a chunk",
          "1\r\na\r\n\r\n",
          "a",
          { BODY_CHUNK_SIZE, 0, false },
          BODY_BROKEN },
};

static void check_case(size_t i, size_t piece) {
        CLEANUP(buf_release) struct buf content = { 0 };
        struct http1_body body = cases[i].begin;
        size_t size = strlen(cases[i].bytes);

        for (size_t at = 0; at < size; at += piece) {
                size_t part = piece < size - at ? piece : size - at;
                char *bytes = xmalloc(part); /* of its own, so that sanitizers see its ends */

                memcpy(bytes, cases[i].bytes + at, part);
                buf_append(&content, bytes, http1_body_take(&body, bytes, part));
                free(bytes);
        }
        if (body.state != cases[i].end || !slice_is(buf_view(&content), cases[i].content))
                fail_msg("%s, pieces of %zu: state %d, \"" SLICE_FMT "\"", cases[i].name, piece,
                         body.state, SLICE_ARG(buf_view(&content)));
}

static void test_bodies(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                for (size_t piece = 1; piece <= 20; piece++)
                        check_case(i, piece);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_bodies) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
