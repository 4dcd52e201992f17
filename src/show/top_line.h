/* What the lines of a terminal's screen are made of: cells of a look, bars and shares, and the
 * table of nodes. Only top_screen.c and its parts include this. */
#pragma once

#include "show/top_screen.h"

#define BAR_MIN 4     /* cells of a bar */
#define NAME_MIN 8    /* cells of a name */
#define GAP 2         /* between columns */
#define SHARE_WIDTH 5 /* ">999%" */

enum top_look {
        LOOK_PLAIN,
        LOOK_STRONG,
        LOOK_QUIET,
        LOOK_FILL,
        LOOK_HIGH,
        LOOK_OVER,
        LOOK_BAD,
        LOOK_BAR
};

struct screen {
        const struct top_data *data;
        const struct top_state *state;
        const struct top_size *size;
        struct buf *out;
        size_t used, row; /* cells of the line, lines so far */
};

/* Left of the line, in cells. */
size_t screen_room(const struct screen *screen);
/* Up to width cells of text. */
void screen_text(struct screen *screen, enum top_look look, struct slice text, size_t width);
void screen_word(struct screen *screen, enum top_look look, const char *text);
void screen_blanks(struct screen *screen, size_t count);
/* Left-aligned in a field, and right-aligned. */
void screen_field(struct screen *screen, enum top_look look, struct slice text, size_t width);
void screen_right(struct screen *screen, enum top_look look, struct slice text, size_t width);
void screen_end_row(struct screen *screen);

/* Part of all; 10 where there is nothing of it. */
double share_of_all(int64_t part, int64_t all);
void screen_bar(struct screen *screen, double share, size_t width);
void screen_share(struct screen *screen, int64_t part, int64_t all); /* as per cent */
/* gpu of nvidia.com/gpu */
struct slice resource_short_name(struct slice name);

/* A head and lines, of which as many are drawn as have a place. */
struct section {
        size_t count, first, rows; /* lines, the first one shown, rows with the head */
        size_t gap;                /* rows above it, besides */
};

void screen_nodes(struct screen *screen, const struct section *section);
