/* Live progress of berth up: a block redrawn in place on a terminal, plain lines elsewhere. */
#pragma once

#include "base/arena.h"
#include "base/time.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct cluster;
struct evict_requester;
struct scheduler;

struct up_view {
        FILE *out;
        bool is_terminal;
        size_t block_rows;     /* below the lines, drawn again in place; 0 = none now */
        struct arena arena;    /* of the block */
        uint64_t records_seen; /* evictions already printed */
        size_t lines_reported; /* of evictions, bounded */
        char last[512];        /* plain lines are not repeated */
};

void up_view_init(struct up_view *view, FILE *out);
/* A line of its own: scenario steps, notes. */
void up_view_say(struct up_view *view, double at_s, struct slice text);

struct up_view_sources {
        const struct cluster *cluster;
        const struct scheduler *scheduler;       /* NULL = none */
        const struct evict_requester *requester; /* NULL = none */
        double at_s;
        struct wall_time now;
        const char *url;
};
void up_view_update(struct up_view *view, const struct up_view_sources *sources);
void up_view_end(struct up_view *view); /* leaves the block as it is and ends its line */
void up_view_release(struct up_view *view);
