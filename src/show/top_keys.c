/* The table of keys. */
#include "show/top_keys.h"

#include "base/util.h"
#include <string.h>

/* ---- what keys do ---- */

static void press_end(struct top_state *state, const struct top_bounds *bounds) {
        (void)bounds;
        state->wants_end = true;
}

static void press_sort(struct top_state *state, const struct top_bounds *bounds) {
        state->sort = (state->sort + 1) % (bounds->resource_count + 1);
        state->scroll = 0;
}

static void press_reverse(struct top_state *state, const struct top_bounds *bounds) {
        (void)bounds;
        state->is_reversed = !state->is_reversed;
}

static void press_filter(struct top_state *state, const struct top_bounds *bounds) {
        (void)bounds;
        state->is_typing = true;
        state->filter[0] = '\0';
        state->scroll = 0;
}

static void press_view(struct top_state *state, const struct top_bounds *bounds) {
        (void)bounds;
        state->view = (enum top_view)((state->view + 1) % TOP_VIEW_COUNT);
        state->scroll = 0;
}

static void press_hold(struct top_state *state, const struct top_bounds *bounds) {
        (void)bounds;
        state->is_held = !state->is_held;
}

static void press_help(struct top_state *state, const struct top_bounds *bounds) {
        (void)bounds;
        state->shows_help = !state->shows_help;
        state->scroll = 0;
}

static void press_back(struct top_state *state, const struct top_bounds *bounds) {
        (void)bounds;
        if (!state->shows_help)
                state->filter[0] = '\0';
        state->shows_help = false;
        state->scroll = 0;
}

static void scroll_by(struct top_state *state, const struct top_bounds *bounds, size_t down,
                      size_t up) {
        size_t at = state->scroll + down > bounds->last_scroll ? bounds->last_scroll
                                                               : state->scroll + down;

        state->scroll = at > up ? at - up : 0;
}

static void press_down(struct top_state *state, const struct top_bounds *bounds) {
        scroll_by(state, bounds, 1, 0);
}

static void press_up(struct top_state *state, const struct top_bounds *bounds) {
        scroll_by(state, bounds, 0, 1);
}

static void press_page_down(struct top_state *state, const struct top_bounds *bounds) {
        scroll_by(state, bounds, bounds->page, 0);
}

static void press_page_up(struct top_state *state, const struct top_bounds *bounds) {
        scroll_by(state, bounds, 0, bounds->page);
}

static void press_first(struct top_state *state, const struct top_bounds *bounds) {
        (void)bounds;
        state->scroll = 0;
}

static void press_last(struct top_state *state, const struct top_bounds *bounds) {
        state->scroll = bounds->last_scroll;
}

const struct top_key top_keys[] = {
        { 'q', 0, "q", "end", "end", press_end },
        { 's', 0, "s", "sort by the next column", "sort", press_sort },
        { 'r', 0, "r", "turn the order round", NULL, press_reverse },
        { '/', 0, "/", "filter: type words, Enter keeps them", "filter", press_filter },
        { TOP_KEY_ESCAPE, 0, "Esc", "take the filter away, or close this", NULL, press_back },
        { TOP_KEY_TAB, 'v', "Tab", "all, nodes, waiting pods, events", "view", press_view },
        { TOP_KEY_DOWN, 'j', "Down", "a line down", NULL, press_down },
        { TOP_KEY_UP, 'k', "Up", "a line up", NULL, press_up },
        { TOP_KEY_PAGE_DOWN, 0, "PgDn", "a page down", NULL, press_page_down },
        { TOP_KEY_PAGE_UP, 0, "PgUp", "a page up", NULL, press_page_up },
        { TOP_KEY_HOME, 'g', "Home", "the first line", NULL, press_first },
        { TOP_KEY_END, 'G', "End", "the last line", NULL, press_last },
        { ' ', 0, "Space", "hold still, and go on", "hold", press_hold },
        { '?', 'h', "?", "these keys", "help", press_help },
        { 0 },
};

/* ---- typing a filter ---- */

static void type_key(struct top_state *state, int code) {
        size_t length = strlen(state->filter);

        if (code == TOP_KEY_ENTER || code == TOP_KEY_ESCAPE) {
                state->is_typing = false;
                if (code == TOP_KEY_ESCAPE)
                        state->filter[0] = '\0';
        } else if (code == TOP_KEY_BACKSPACE) {
                state->filter[length ? length - 1 : 0] = '\0';
        } else if (code >= ' ' && code < TOP_KEY_BACKSPACE && length < TOP_FILTER_MAX) {
                state->filter[length] = (char)code;
                state->filter[length + 1] = '\0';
        }
}

void top_state_press(struct top_state *state, int code, const struct top_bounds *bounds) {
        if (state->is_typing) {
                type_key(state, code);
                return;
        }
        for (const struct top_key *key = top_keys; key->label; key++)
                if (code != TOP_KEY_NONE && (code == key->code || code == key->other))
                        key->press(state, bounds);
}

/* ---- bytes ---- */

static const struct key_bytes {
        const char *bytes; /* behind the escape */
        int code;
} sequences[] = {
        { "[A", TOP_KEY_UP },    { "[B", TOP_KEY_DOWN },     { "OA", TOP_KEY_UP },
        { "OB", TOP_KEY_DOWN },  { "[5~", TOP_KEY_PAGE_UP }, { "[6~", TOP_KEY_PAGE_DOWN },
        { "[H", TOP_KEY_HOME },  { "[F", TOP_KEY_END },      { "OH", TOP_KEY_HOME },
        { "OF", TOP_KEY_END },   { "[1~", TOP_KEY_HOME },    { "[4~", TOP_KEY_END },
        { "[7~", TOP_KEY_HOME }, { "[8~", TOP_KEY_END },
};

static void skip_bytes(struct slice *rest, size_t count) {
        *rest = slice_make(rest->ptr + count, rest->len - count);
}

/* Behind an escape: a sequence ends with its first byte from @ on, the two of O with the second. */
static int take_sequence(struct slice *rest) {
        size_t length = 1;

        if (!rest->len || (rest->ptr[0] != '[' && rest->ptr[0] != 'O'))
                return TOP_KEY_ESCAPE;
        while (length < rest->len && (rest->ptr[length] < '@' || rest->ptr[length] > '~'))
                length++;
        struct slice bytes = slice_make(rest->ptr, length < rest->len ? length + 1 : length);

        skip_bytes(rest, bytes.len);
        for (size_t i = 0; i < ARRAY_LEN(sequences); i++)
                if (slice_is(bytes, sequences[i].bytes))
                        return sequences[i].code;
        return TOP_KEY_NONE;
}

int top_key_take(struct slice *rest) {
        int code = (unsigned char)rest->ptr[0];

        skip_bytes(rest, 1);
        if (code == TOP_KEY_ESCAPE)
                return take_sequence(rest);
        if (code == '\n')
                return TOP_KEY_ENTER;
        if (code == '\b')
                return TOP_KEY_BACKSPACE;
        return code < 128 ? code : TOP_KEY_NONE;
}
