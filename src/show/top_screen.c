/* Draws nodes as bars, pods that wait, events and keys. */
#include "show/top_line.h"

#include "base/arena.h"
#include "base/util.h"
#include "show/cells.h"
#include <string.h>

#define GAP_ROWS_MIN 16
#define BLOCK_WAITS 3   /* that are named in a block */
#define SECTION_SHARE 4 /* of the screen, for waiting pods and for events */

/* ---- head ---- */

static void put_title(struct screen *screen) {
        const struct top_data *data = screen->data;
        CLEANUP(buf_release) struct buf text = { 0 };
        CLEANUP(buf_release) struct buf clock = { 0 };

        amount_many(&text, (int64_t)data->all_nodes, "node");
        buf_text(&text, ", ");
        amount_many(&text, (int64_t)data->pods, "pod");
        if (data->waiting) {
                buf_text(&text, ", ");
                amount_count(&text, (int64_t)data->waiting);
                buf_text(&text, " waiting");
        }
        buf_printf(&clock, "%s" SLICE_FMT, screen->state->is_held ? "held " : "",
                   SLICE_ARG(data->clock));
        size_t ends = text.len + clock.len + 2 * (size_t)GAP;
        size_t room = screen->size->columns > ends ? screen->size->columns - ends : 0;

        if (room >= NAME_MIN) {
                screen_text(screen, LOOK_STRONG, data->source, room);
                screen_blanks(screen, GAP);
        }
        screen_text(screen, LOOK_PLAIN, buf_view(&text), SIZE_MAX);
        if (screen_room(screen) >= clock.len + 1)
                screen_right(screen, LOOK_QUIET, buf_view(&clock), screen_room(screen));
        screen_end_row(screen);
}

static void put_total(struct screen *screen, const struct top_resource *resource, size_t name) {
        CLEANUP(buf_release) struct buf text = { 0 };
        size_t columns = screen->size->columns;
        size_t bar = columns >= 72 ? 30 : columns >= 48 ? 16 : BAR_MIN + 4;

        amount_of(&text, resource->unit, resource->requested, resource->allocatable);
        screen_field(screen, LOOK_PLAIN, resource_short_name(resource->name), name);
        screen_blanks(screen, 1);
        screen_bar(screen, share_of_all(resource->requested, resource->allocatable), bar);
        screen_share(screen, resource->requested, resource->allocatable);
        screen_blanks(screen, GAP);
        screen_text(screen, LOOK_QUIET, buf_view(&text), SIZE_MAX);
        screen_end_row(screen);
}

static void put_totals(struct screen *screen, size_t count) {
        size_t width = 6;

        for (size_t i = 0; i < count; i++) {
                size_t own = cells_width(resource_short_name(screen->data->resources[i].name));

                width = own > width ? own : width;
        }
        for (size_t i = 0; i < count; i++)
                put_total(screen, &screen->data->resources[i], width > 12 ? 12 : width);
}

/* ---- sections: a head and lines, of which as many are drawn as have a place ---- */

static void put_section_head(struct screen *screen, const char *name, size_t count,
                             const char *more) {
        CLEANUP(buf_release) struct buf text = { 0 };

        buf_printf(&text, "%s ", name);
        amount_count(&text, (int64_t)count);
        screen_text(screen, LOOK_STRONG, buf_view(&text), SIZE_MAX);
        screen_word(screen, LOOK_QUIET, more);
        screen_end_row(screen);
}

/* Name and age, and the reason where there is room for one. */
static void put_pod(struct screen *screen, const struct top_pod *pod) {
        size_t columns = screen->size->columns, name = columns >= 60 ? columns / 3 : columns - 11;
        CLEANUP(buf_release) struct buf text = { 0 };

        buf_printf(&text, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(pod->ns), SLICE_ARG(pod->name));
        screen_blanks(screen, 2);
        screen_field(screen, LOOK_PLAIN, buf_view(&text), name < 8 ? 8 : name);
        buf_clear(&text);
        if (pod->age_s >= 0)
                amount_span(&text, pod->age_s >= 60 ? pod->age_s / 60 * 60 : pod->age_s);
        screen_right(screen, LOOK_QUIET, buf_view(&text), 9);
        screen_blanks(screen, GAP);
        if (columns >= 60)
                screen_text(screen, LOOK_PLAIN, pod->reason, SIZE_MAX);
        screen_end_row(screen);
}

static void put_waits(struct screen *screen, const struct section *section) {
        put_section_head(screen, "WAITING", section->count,
                         section->count ? "" : "  no pod waits for a node");
        for (size_t i = 0; i + 1 < section->rows && section->first + i < section->count; i++)
                put_pod(screen, &screen->data->waits[section->first + i]);
}

static void put_event(struct screen *screen, const struct top_event *event) {
        size_t columns = screen->size->columns;

        screen_blanks(screen, 2);
        screen_field(screen, LOOK_QUIET, event->time, 8);
        screen_blanks(screen, 1);
        screen_field(screen, event->is_trouble ? LOOK_BAD : LOOK_PLAIN, event->kind, 10);
        screen_field(screen, LOOK_PLAIN, event->about, columns >= 60 ? columns / 3 : SIZE_MAX);
        if (columns >= 60) {
                screen_blanks(screen, GAP);
                screen_text(screen, LOOK_PLAIN, event->note, SIZE_MAX);
        }
        screen_end_row(screen);
}

static void put_events(struct screen *screen, const struct section *section) {
        put_section_head(screen, "EVENTS", section->count, section->count ? "" : "  none yet");
        for (size_t i = 0; i + 1 < section->rows && section->first + i < section->count; i++)
                put_event(screen, &screen->data->events[section->first + i]);
}

/* What a view shows, in this order. */
static const struct section_kind {
        enum top_view view;
        void (*put)(struct screen *screen, const struct section *section);
} section_kinds[] = {
        { TOP_NODES, screen_nodes },
        { TOP_WAITING, put_waits },
        { TOP_EVENTS, put_events },
};

static size_t count_of(const struct top_data *data, enum top_view view) {
        return view == TOP_NODES     ? data->node_count
               : view == TOP_WAITING ? data->pod_count
                                     : data->event_count;
}

/* Waiting pods and events get what they need, up to a share; nodes get the rest. */
static void plan_sections(const struct screen *screen, size_t rows, struct section *sections) {
        enum top_view view = screen->state->view;
        size_t left = rows;

        for (size_t i = ARRAY_LEN(section_kinds); i-- > 0;) {
                enum top_view own = section_kinds[i].view;
                size_t count = count_of(screen->data, own), wanted = count + 1;

                sections[i] = (struct section){ .count = count };
                if (view != TOP_ALL && view != own)
                        continue;
                if (view == TOP_ALL && own != TOP_NODES) {
                        size_t share = rows / SECTION_SHARE;

                        wanted = count == 0 || share < 2 ? 0 : wanted < share ? wanted : share;
                        sections[i].gap = wanted && rows >= GAP_ROWS_MIN ? 1 : 0;
                } else {
                        wanted = left;
                }
                sections[i].rows = wanted;
                left -= wanted + sections[i].gap;
        }
}

static void put_body(struct screen *screen, size_t rows, struct top_bounds *bounds) {
        struct section sections[ARRAY_LEN(section_kinds)];
        size_t lead = screen->state->view == TOP_ALL ? 0 : (size_t)screen->state->view - TOP_NODES;
        size_t end = screen->row + rows;

        plan_sections(screen, rows, sections);
        bounds->page = sections[lead].rows > 1 ? sections[lead].rows - 1 : 1;
        bounds->last_scroll =
                sections[lead].count > bounds->page ? sections[lead].count - bounds->page : 0;
        sections[lead].first = screen->state->scroll < bounds->last_scroll ? screen->state->scroll
                                                                           : bounds->last_scroll;
        for (size_t i = 0; i < ARRAY_LEN(section_kinds); i++) {
                if (sections[i].gap)
                        screen_end_row(screen);
                size_t stop = screen->row + sections[i].rows;

                if (sections[i].rows)
                        section_kinds[i].put(screen, &sections[i]);
                while (screen->row < stop)
                        screen_end_row(screen);
        }
        while (screen->row < end)
                screen_end_row(screen);
}

/* ---- help and the line of keys ---- */

static const char *const help_notes[] = {
        "",
        "Bars show what pods request of allocatable. Beyond 100 % the",
        "end of the bar, in another sign, is what is not there.",
        "! not ready   - cordoned   * tainted",
        "",
        "Filter words: web (part of a name), pool=gpu (a label), is:over,",
        "is:cordoned, is:notready, is:tainted, is:empty; all must hold.",
        "Waiting pods and events are filtered by names.",
};

static void put_help(struct screen *screen, size_t rows, struct top_bounds *bounds) {
        size_t count = ARRAY_LEN(help_notes), keys = 0, end = screen->row + rows;

        while (top_keys[keys].label)
                keys++;
        count += keys;
        bounds->page = rows;
        bounds->last_scroll = count > rows ? count - rows : 0;
        size_t first = screen->state->scroll < bounds->last_scroll ? screen->state->scroll
                                                                   : bounds->last_scroll;
        for (size_t i = first; i < count && screen->row < end; i++) {
                screen_blanks(screen, 1);
                if (i < keys) {
                        screen_field(screen, LOOK_STRONG, slice_of(top_keys[i].label), 7);
                        screen_word(screen, LOOK_PLAIN, top_keys[i].help);
                } else {
                        screen_word(screen, LOOK_PLAIN, help_notes[i - keys]);
                }
                screen_end_row(screen);
        }
        while (screen->row < end)
                screen_end_row(screen);
}

static void put_foot(struct screen *screen) {
        const struct top_state *state = screen->state;

        if (state->is_typing) {
                screen_word(screen, LOOK_STRONG, "filter: ");
                screen_word(screen, LOOK_PLAIN, state->filter);
                screen_word(screen, LOOK_BAR, " ");
                screen_word(screen, LOOK_QUIET, "  Enter, Esc");
                screen_end_row(screen);
                return;
        }
        if (state->filter[0]) {
                screen_word(screen, LOOK_STRONG, "filter: ");
                screen_word(screen, LOOK_PLAIN, state->filter);
                screen_blanks(screen, GAP);
                screen_word(screen, LOOK_STRONG, "Esc");
                screen_word(screen, LOOK_QUIET, " all");
                screen_blanks(screen, GAP);
        }
        for (const struct top_key *key = top_keys; key->label; key++) {
                if (!key->brief)
                        continue;
                screen_word(screen, LOOK_STRONG, key->label);
                screen_blanks(screen, 1);
                screen_word(screen, LOOK_QUIET, key->brief);
                screen_blanks(screen, GAP);
        }
        screen_end_row(screen);
}

static void put_trouble(struct screen *screen) {
        screen_text(screen, LOOK_BAD, screen->data->trouble, SIZE_MAX);
        screen_end_row(screen);
}

void top_screen_draw(const struct top_data *data, const struct top_state *state,
                     const struct top_size *size, struct buf *out, struct top_bounds *ret_bounds) {
        struct top_size own = *size;
        struct screen screen = { .data = data, .state = state, .size = &own, .out = out };

        own.rows = own.rows < TOP_ROWS_MIN ? TOP_ROWS_MIN : own.rows;
        own.columns = own.columns < TOP_COLUMNS_MIN ? TOP_COLUMNS_MIN : own.columns;
        *ret_bounds = (struct top_bounds){ .resource_count = data->resource_count };
        size_t totals = own.rows >= 12 + data->resource_count ? data->resource_count : 0;
        put_title(&screen);
        if (!state->shows_help)
                put_totals(&screen, totals);
        if (data->trouble.len)
                put_trouble(&screen);
        if (totals && own.rows > 20)
                screen_end_row(&screen);
        size_t rows = own.rows - screen.row > 1 ? own.rows - screen.row - 1 : 0;
        if (state->shows_help)
                put_help(&screen, rows, ret_bounds);
        else if (data->is_ready)
                put_body(&screen, rows, ret_bounds);
        else
                for (size_t i = 0; i < rows; i++) {
                        screen_word(&screen, LOOK_QUIET, i == 0 ? "reading the cluster" : "");
                        screen_end_row(&screen);
                }
        put_foot(&screen);
}

/* Nodes, and a few of the pods that wait below them. */
static void put_block(struct screen *screen, size_t rows) {
        const struct top_data *data = screen->data;
        struct section nodes = { .count = data->node_count, .rows = data->node_count + 1 };
        struct section waits = { .count = data->pod_count };

        if (data->pod_count && rows > 2 * BLOCK_WAITS)
                waits.rows = data->pod_count < BLOCK_WAITS ? data->pod_count + 1 : BLOCK_WAITS + 1;
        if (nodes.rows > rows - waits.rows)
                nodes.rows = rows - waits.rows;
        if (nodes.rows > 1)
                screen_nodes(screen, &nodes);
        if (waits.rows)
                put_waits(screen, &waits);
}

size_t top_block_draw(const struct top_data *data, const struct top_state *state,
                      const struct top_size *size, struct buf *out) {
        struct screen screen = { .data = data, .state = state, .size = size, .out = out };
        size_t totals =
                data->resource_count < size->rows - 1 ? data->resource_count : size->rows - 1;

        put_title(&screen);
        put_totals(&screen, totals);
        put_block(&screen, size->rows - screen.row);
        return screen.row;
}
