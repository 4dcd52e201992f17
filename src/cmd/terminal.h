/* A terminal that a command has for itself: keys come one by one, a screen of its own is drawn, and
 * the terminal is as it was whatever ends or stops the process. */
#pragma once

#include "base/err.h"
#include "show/top_screen.h"

struct loop;
struct terminal;

struct terminal_config {
        int input, output; /* both of one terminal */
        void (*typed)(void *context, struct slice bytes);
        void (*resized)(void *context); /* also when the process goes on after a stop */
        void *context;
};

/* Whether such a screen can be had there: two terminals, and one that is not TERM=dumb. */
bool terminal_is_usable(int input, int output);
/* Blocks the signals that terminal_new reads from a loop; before the first thread starts. */
void terminal_block_signals(void);
int terminal_new(const struct terminal_config *config, struct loop *loop,
                 struct terminal **ret_terminal, struct err *err);
void terminal_free(struct terminal *terminal); /* accepts NULL; restores the terminal */

/* Size as it is now, and what may be shown there: colours unless NO_COLOR is set, signs beyond
 * ASCII where the locale has UTF-8. */
struct top_size terminal_size(int output);
/* Rows with line ends between them take the place of those that were drawn before. */
void terminal_draw(struct terminal *terminal, struct slice rows);
