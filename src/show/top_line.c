/* Cells of a line: texts, bars and shares. */
#include "show/top_line.h"

#include "base/arena.h"
#include "base/util.h"
#include "show/cells.h"
#include <stdio.h>

static const char *const look_codes[] = {
        [LOOK_STRONG] = "\033[1m", [LOOK_QUIET] = "\033[2m",   [LOOK_FILL] = "\033[34m",
        [LOOK_HIGH] = "\033[33m",  [LOOK_OVER] = "\033[1;35m", [LOOK_BAD] = "\033[31m",
        [LOOK_BAR] = "\033[7m",
};

size_t screen_room(const struct screen *screen) {
        return screen->size->columns - screen->used;
}

void screen_text(struct screen *screen, enum top_look look, struct slice text, size_t width) {
        bool is_styled = look != LOOK_PLAIN && screen->size->has_colour;
        size_t room = screen_room(screen);

        if (is_styled)
                buf_text(screen->out, look_codes[look]);
        screen->used +=
                cells_put(screen->out, text, width < room ? width : room, screen->size->is_plain);
        if (is_styled)
                buf_text(screen->out, "\033[0m");
}

void screen_word(struct screen *screen, enum top_look look, const char *text) {
        screen_text(screen, look, slice_of(text), SIZE_MAX);
}

void screen_blanks(struct screen *screen, size_t count) {
        for (; count && screen_room(screen); count--, screen->used++)
                buf_char(screen->out, ' ');
}

void screen_field(struct screen *screen, enum top_look look, struct slice text, size_t width) {
        size_t before = screen->used;

        screen_text(screen, look, text, width);
        if (screen->used - before < width)
                screen_blanks(screen, width - (screen->used - before));
}

void screen_right(struct screen *screen, enum top_look look, struct slice text, size_t width) {
        size_t taken = cells_width(text);

        screen_blanks(screen, taken < width ? width - taken : 0);
        screen_text(screen, look, text, width);
}

void screen_end_row(struct screen *screen) {
        screen->row++;
        screen->used = 0;
        if (screen->row < screen->size->rows)
                buf_char(screen->out, '\n');
}

/* ---- bars ---- */

static enum top_look look_of(double share) {
        return share > 1 ? LOOK_OVER : share > 0.85 ? LOOK_HIGH : LOOK_FILL;
}

double share_of_all(int64_t part, int64_t all) {
        return all > 0 ? (double)part / (double)all : part > 0 ? 10 : 0;
}

static void put_runs(struct buf *out, const char *text, size_t count) {
        for (; count; count--)
                buf_text(out, text);
}

/* The signs of bars, one cell each. */
static const struct bar_signs {
        const char *solid, *track, *beyond, *clipped;
} plain_signs = { "#", ".", "!", ">" },
  full_signs = { "\xe2\x96\x88", "\xc2\xb7", "\xe2\x96\x93", "\xe2\x96\xb6" };

/* Up to 100 %: the filled part, to an eighth of a cell. */
static void put_filled(struct screen *screen, double share, size_t width) {
        static const char *const eighths[] = { "",
                                               "\xe2\x96\x8f",
                                               "\xe2\x96\x8e",
                                               "\xe2\x96\x8d",
                                               "\xe2\x96\x8c",
                                               "\xe2\x96\x8b",
                                               "\xe2\x96\x8a",
                                               "\xe2\x96\x89" };
        bool is_plain = screen->size->is_plain;
        const struct bar_signs *signs = is_plain ? &plain_signs : &full_signs;
        size_t parts = (size_t)((double)width * share * 8 + 0.5);
        size_t full = is_plain ? (parts + 4) / 8 : parts / 8;
        const char *rest = is_plain ? "" : eighths[parts % 8];
        CLEANUP(buf_release) struct buf solid = { 0 };
        CLEANUP(buf_release) struct buf track = { 0 };

        put_runs(&solid, signs->solid, full);
        buf_text(&solid, rest);
        put_runs(&track, signs->track, width - full - (*rest ? 1 : 0));
        screen_text(screen, look_of(share), buf_view(&solid), width);
        screen_text(screen, LOOK_QUIET, buf_view(&track), width);
}

/* Beyond it the whole bar is what is requested, and its end, in another sign, what is not there to
 * be had; beyond 200 % that is half of it and an arrow. */
static void put_overfull(struct screen *screen, double share, size_t width) {
        const struct bar_signs *signs = screen->size->is_plain ? &plain_signs : &full_signs;
        bool is_clipped = share > 2;
        size_t full = (size_t)((double)width / (is_clipped ? 2 : share) + 0.5);
        CLEANUP(buf_release) struct buf solid = { 0 };
        CLEANUP(buf_release) struct buf beyond = { 0 };

        put_runs(&solid, signs->solid, full);
        put_runs(&beyond, signs->beyond, width - full - (is_clipped ? 1 : 0));
        if (is_clipped)
                buf_text(&beyond, signs->clipped);
        screen_text(screen, LOOK_HIGH, buf_view(&solid), width);
        screen_text(screen, LOOK_OVER, buf_view(&beyond), width);
}

void screen_bar(struct screen *screen, double share, size_t width) {
        if (share > 1)
                put_overfull(screen, share, width);
        else
                put_filled(screen, share, width);
}

void screen_share(struct screen *screen, int64_t part, int64_t all) {
        double share = share_of_all(part, all);
        char text[16];

        if (all <= 0)
                snprintf(text, sizeof(text), part > 0 ? "none" : "-");
        else if (share >= 9.995)
                snprintf(text, sizeof(text), ">999%%");
        else if (share > 0 && share < 0.01)
                snprintf(text, sizeof(text), "<1%%");
        else
                snprintf(text, sizeof(text), "%.0f%%", share * 100);
        screen_right(screen,
                     all <= 0    ? LOOK_QUIET
                     : share > 1 ? LOOK_OVER
                                 : LOOK_PLAIN,
                     slice_of(text), SHARE_WIDTH);
}
