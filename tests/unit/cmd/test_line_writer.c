/* Lines to a pipe whose reader stops, and reads again. */
#include "cmd/line_writer.h"

#include "base/time.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define BYTES_MAX 65536
#define FLUSH_NS (60 * NS_PER_S) /* until a test fails */

struct pipe_end {
        int fds[2];
        struct line_writer *writer;
        struct buf text; /* read so far */
};

static void tell_dropped(void *context, uint64_t count, struct buf *out) {
        (void)context;
        buf_printf(out, "dropped %llu\n", (unsigned long long)count);
}

static void pipe_end_init(struct pipe_end *end) {
        *end = (struct pipe_end){ 0 };
        assert_int_equal(pipe2(end->fds, O_CLOEXEC), 0);
        end->writer = line_writer_new(&(struct line_writer_config){
                .fd = end->fds[1], .bytes_max = BYTES_MAX, .tell_dropped = tell_dropped });
        assert_non_null(end->writer);
}

static void append(struct pipe_end *end, unsigned number) {
        char line[64];

        line_writer_append(
                end->writer,
                slice_make(line, (size_t)snprintf(line, sizeof(line), "line %u of many and more\n",
                                                  number)));
}

/* Reads until the text has that part. */
static void read_until(struct pipe_end *end, const char *part) {
        char chunk[4096];

        while (!end->text.data || !strstr(end->text.data, part)) {
                ssize_t got = read(end->fds[0], chunk, sizeof(chunk));

                assert_true(got > 0);
                buf_append(&end->text, chunk, (size_t)got);
        }
}

/* Reads until nothing is left to be written: what waits may be more than the pipe holds. */
static void read_to_the_end(struct pipe_end *end) {
        char chunk[4096];
        ssize_t got;

        assert_int_equal(fcntl(end->fds[0], F_SETFL, O_NONBLOCK), 0);
        while (!line_writer_flush(end->writer, NS_PER_MS))
                while ((got = read(end->fds[0], chunk, sizeof(chunk))) > 0)
                        buf_append(&end->text, chunk, (size_t)got);
        assert_int_equal(fcntl(end->fds[0], F_SETFL, 0), 0);
}

/* The next line; counts what it says was dropped in place of a line. */
static unsigned next_number(char **at, unsigned number) {
        if (strncmp(*at, "dropped ", 8) == 0)
                number += (unsigned)strtoul(*at + 8, at, 10);
        else if (strncmp(*at, "line ", 5) == 0)
                assert_int_equal(strtoul(*at + 5, at, 10), number++);
        else
                fail_msg("neither a line nor a gap: %.40s", *at);
        *at = strchr(*at, '\n') + 1;
        return number;
}

static void test_lines_in_order(void **state) {
        struct pipe_end end;

        (void)state;
        pipe_end_init(&end);
        for (unsigned i = 0; i < 100; i++)
                append(&end, i);
        assert_true(line_writer_flush(end.writer, FLUSH_NS));
        read_until(&end, "line 99 of");
        assert_null(strstr(end.text.data, "dropped"));
        char *at = end.text.data;
        for (unsigned i = 0; i < 100;)
                i = next_number(&at, i);
        buf_release(&end.text);
}

/* Far more than the pipe and the writer hold: nobody waits, and every line is there or counted. */
static void test_reader_stops(void **state) {
        enum { MANY = 100000 };
        struct pipe_end end;

        (void)state;
        pipe_end_init(&end);
        for (unsigned i = 0; i < MANY; i++)
                append(&end, i);
        assert_false(line_writer_flush(end.writer, 0));
        assert_int_equal(fcntl(end.fds[1], F_GETFL) & O_NONBLOCK, 0);
        read_until(&end, "dropped ");
        read_to_the_end(&end);
        append(&end, MANY);
        read_until(&end, "line 100000 of");
        char *at = end.text.data;
        unsigned number = 0;
        while (number <= MANY)
                number = next_number(&at, number);
        assert_int_equal(number, MANY + 1);
        buf_release(&end.text);
}

static void test_reader_is_gone(void **state) {
        struct pipe_end end;

        (void)state;
        signal(SIGPIPE, SIG_IGN);
        pipe_end_init(&end);
        close(end.fds[0]);
        append(&end, 0);
        assert_true(line_writer_flush(end.writer, FLUSH_NS));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_lines_in_order),
                cmocka_unit_test(test_reader_stops),
                cmocka_unit_test(test_reader_is_gone),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
