/* Keys of the terminal view, and what they change. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>

#define TOP_FILTER_MAX 80

enum top_view { TOP_ALL, TOP_NODES, TOP_WAITING, TOP_EVENTS, TOP_VIEW_COUNT };

struct top_state {
        enum top_view view;
        size_t sort; /* 0 = by name, else 1 + the resource */
        bool is_reversed, is_typing, shows_help, is_held, wants_end;
        size_t scroll;
        char filter[TOP_FILTER_MAX + 1];
};
/* Of what was drawn last: how far keys may go. */
struct top_bounds {
        size_t page, last_scroll, resource_count;
};

enum top_key_code { /* besides ASCII */
                    TOP_KEY_NONE = 0,
                    TOP_KEY_TAB = 9,
                    TOP_KEY_ENTER = 13,
                    TOP_KEY_ESCAPE = 27,
                    TOP_KEY_BACKSPACE = 127,
                    TOP_KEY_UP = 256,
                    TOP_KEY_DOWN,
                    TOP_KEY_PAGE_UP,
                    TOP_KEY_PAGE_DOWN,
                    TOP_KEY_HOME,
                    TOP_KEY_END
};
/* Takes one key off what a terminal sent; TOP_KEY_NONE = one that means nothing here. */
int top_key_take(struct slice *rest);
void top_state_press(struct top_state *state, int code, const struct top_bounds *bounds);

struct top_key {
        int code, other; /* two ways to press it; 0 = one */
        const char *label, *help;
        const char *brief; /* in the line at the bottom; NULL = only in the help */
        void (*press)(struct top_state *state, const struct top_bounds *bounds);
};
extern const struct top_key top_keys[]; /* ends with a NULL label */
