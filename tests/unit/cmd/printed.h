/* A command line run in a child process, and what it printed. */
#pragma once

#include "base/buf.h"

#define WORDS_MAX 16

struct printed {
        int code;       /* exit code; -1 = it was killed */
        struct buf out; /* standard output */
        struct buf err; /* standard error */
};
/* words: without the program's name, NULL-ended; input: of standard input; program: argv[0], NULL =
 * berth. */
void printed_run(const char *program, const char *const *words, const char *input,
                 struct printed *ret_printed);
/* With standard output on the device of that path, such as /dev/full. */
void printed_run_to(const char *path, const char *const *words, struct printed *ret_printed);
void printed_release(struct printed *printed);
/* Whether the text is in the buffer. */
bool printed_has(const struct buf *buf, const char *text);
