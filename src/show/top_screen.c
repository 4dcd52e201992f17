/* Draws nodes as bars, pods that wait, events and keys. */
#include "show/top_screen.h"

#include "base/arena.h"
#include "base/util.h"
#include "show/cells.h"
#include <stdio.h>
#include <string.h>

#define BAR_MIN 4
#define BAR_MAX 20
#define SHARE_WIDTH 5 /* ">999%" */
#define NAME_MIN 8
#define GAP 2
#define GAP_ROWS_MIN 16
#define BLOCK_WAITS 3   /* that are named in a block */
#define SECTION_SHARE 4 /* of the screen, for waiting pods and for events */

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
static const char *const look_codes[] = {
        [LOOK_STRONG] = "\033[1m", [LOOK_QUIET] = "\033[2m",   [LOOK_FILL] = "\033[34m",
        [LOOK_HIGH] = "\033[33m",  [LOOK_OVER] = "\033[1;35m", [LOOK_BAD] = "\033[31m",
        [LOOK_BAR] = "\033[7m",
};

struct screen {
        const struct top_data *data;
        const struct top_state *state;
        const struct top_size *size;
        struct buf *out;
        size_t used, row; /* cells of the line, lines so far */
};

/* ---- cells of a line ---- */

static size_t room_of(const struct screen *screen) {
        return screen->size->columns - screen->used;
}

static void put_text(struct screen *screen, enum top_look look, struct slice text, size_t width) {
        bool is_styled = look != LOOK_PLAIN && screen->size->has_colour;
        size_t room = room_of(screen);

        if (is_styled)
                buf_text(screen->out, look_codes[look]);
        screen->used +=
                cells_put(screen->out, text, width < room ? width : room, screen->size->is_plain);
        if (is_styled)
                buf_text(screen->out, "\033[0m");
}

static void put_word(struct screen *screen, enum top_look look, const char *text) {
        put_text(screen, look, slice_of(text), SIZE_MAX);
}

static void put_blanks(struct screen *screen, size_t count) {
        for (; count && room_of(screen); count--, screen->used++)
                buf_char(screen->out, ' ');
}

/* Left-aligned in a field. */
static void put_field(struct screen *screen, enum top_look look, struct slice text, size_t width) {
        size_t before = screen->used;

        put_text(screen, look, text, width);
        if (screen->used - before < width)
                put_blanks(screen, width - (screen->used - before));
}

static void put_right(struct screen *screen, enum top_look look, struct slice text, size_t width) {
        size_t taken = cells_width(text);

        put_blanks(screen, taken < width ? width - taken : 0);
        put_text(screen, look, text, width);
}

static void end_row(struct screen *screen) {
        screen->row++;
        screen->used = 0;
        if (screen->row < screen->size->rows)
                buf_char(screen->out, '\n');
}

/* ---- bars ---- */

static enum top_look look_of(double share) {
        return share > 1 ? LOOK_OVER : share > 0.85 ? LOOK_HIGH : LOOK_FILL;
}

static double share_of(int64_t part, int64_t all) {
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
        put_text(screen, look_of(share), buf_view(&solid), width);
        put_text(screen, LOOK_QUIET, buf_view(&track), width);
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
        put_text(screen, LOOK_HIGH, buf_view(&solid), width);
        put_text(screen, LOOK_OVER, buf_view(&beyond), width);
}

static void put_bar(struct screen *screen, double share, size_t width) {
        if (share > 1)
                put_overfull(screen, share, width);
        else
                put_filled(screen, share, width);
}

static void put_share(struct screen *screen, int64_t part, int64_t all) {
        double share = share_of(part, all);
        char text[16];

        if (all <= 0)
                snprintf(text, sizeof(text), part > 0 ? "none" : "-");
        else if (share >= 9.995)
                snprintf(text, sizeof(text), ">999%%");
        else if (share > 0 && share < 0.01)
                snprintf(text, sizeof(text), "<1%%");
        else
                snprintf(text, sizeof(text), "%.0f%%", share * 100);
        put_right(screen,
                  all <= 0    ? LOOK_QUIET
                  : share > 1 ? LOOK_OVER
                              : LOOK_PLAIN,
                  slice_of(text), SHARE_WIDTH);
}

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
                put_text(screen, LOOK_STRONG, data->source, room);
                put_blanks(screen, GAP);
        }
        put_text(screen, LOOK_PLAIN, buf_view(&text), SIZE_MAX);
        if (room_of(screen) >= clock.len + 1)
                put_right(screen, LOOK_QUIET, buf_view(&clock), room_of(screen));
        end_row(screen);
}

/* gpu of nvidia.com/gpu */
static struct slice short_name(struct slice name) {
        for (size_t i = name.len; i > 0; i--)
                if (name.ptr[i - 1] == '/')
                        return slice_make(name.ptr + i, name.len - i);
        return name;
}

static void put_total(struct screen *screen, const struct top_resource *resource, size_t name) {
        CLEANUP(buf_release) struct buf text = { 0 };
        size_t columns = screen->size->columns;
        size_t bar = columns >= 72 ? 30 : columns >= 48 ? 16 : BAR_MIN + 4;

        amount_of(&text, resource->unit, resource->requested, resource->allocatable);
        put_field(screen, LOOK_PLAIN, short_name(resource->name), name);
        put_blanks(screen, 1);
        put_bar(screen, share_of(resource->requested, resource->allocatable), bar);
        put_share(screen, resource->requested, resource->allocatable);
        put_blanks(screen, GAP);
        put_text(screen, LOOK_QUIET, buf_view(&text), SIZE_MAX);
        end_row(screen);
}

static void put_totals(struct screen *screen, size_t count) {
        size_t width = 6;

        for (size_t i = 0; i < count; i++) {
                size_t own = cells_width(short_name(screen->data->resources[i].name));

                width = own > width ? own : width;
        }
        for (size_t i = 0; i < count; i++)
                put_total(screen, &screen->data->resources[i], width > 12 ? 12 : width);
}

/* ---- nodes ---- */

/* How the table of nodes is divided: width of the bar of each resource, 0 = a number alone, and
 * whether it is shown. */
struct node_columns {
        size_t name, bar[TOP_RESOURCES_MAX];
        bool is_shown[TOP_RESOURCES_MAX];
};

static size_t name_width(const struct screen *screen) {
        const struct top_data *data = screen->data;
        size_t longest = NAME_MIN, most = screen->size->columns * 2 / 5;

        for (size_t i = 0; i < data->node_count; i++) {
                size_t own = cells_width(data->nodes[i].name);

                longest = own > longest ? own : longest;
        }
        most = most > NAME_MIN ? most : NAME_MIN;
        return longest < most ? longest : most;
}

/* The lead, and of the others as many as have a place. */
static void choose_columns(struct node_columns *columns, size_t count, size_t shown, size_t lead) {
        for (size_t i = 0; i < count; i++)
                columns->is_shown[i] = i < shown;
        if (shown && lead >= shown) {
                columns->is_shown[shown - 1] = false;
                columns->is_shown[lead] = true;
        }
}

/* The lead gets a bar of the room that is left, the others as well where it suffices for all. */
static void give_bars(struct node_columns *columns, size_t shown, size_t lead, size_t rest) {
        size_t each = rest / shown > 0 ? rest / shown - 1 : 0;

        for (size_t i = 0; i < TOP_RESOURCES_MAX; i++)
                if (columns->is_shown[i] && each >= BAR_MIN)
                        columns->bar[i] = each < BAR_MAX ? each : BAR_MAX;
        if (each < BAR_MIN && rest > BAR_MIN)
                columns->bar[lead] = rest - 1 < BAR_MAX ? rest - 1 : BAR_MAX;
}

static void plan_columns(const struct screen *screen, struct node_columns *columns) {
        size_t count = screen->data->resource_count, sort = screen->state->sort;
        size_t lead = sort && sort <= count ? sort - 1 : 0;

        *columns = (struct node_columns){ .name = name_width(screen) };
        size_t taken = 2 + columns->name, number = GAP + SHARE_WIDTH;
        size_t rest = screen->size->columns > taken ? screen->size->columns - taken : 0;
        size_t places = rest > BAR_MIN ? (rest - BAR_MIN - 1) / number : 0;
        size_t shown = places >= count ? count : places ? places : rest >= number ? 1 : 0;

        choose_columns(columns, count, shown, lead);
        if (shown)
                give_bars(columns, shown, lead, rest - shown * number);
}

static void put_node_heads(struct screen *screen, const struct node_columns *columns) {
        const struct top_state *state = screen->state;
        const struct top_data *data = screen->data;
        const char *mark = screen->size->is_plain ? state->is_reversed ? "^" : "v"
                           : state->is_reversed   ? "\xe2\x96\xb2"
                                                  : "\xe2\x96\xbc";
        CLEANUP(buf_release) struct buf head = { 0 };

        buf_text(&head, "NODE");
        if (state->sort == 0)
                buf_text(&head, mark);
        if (data->node_count < data->all_nodes) {
                buf_char(&head, ' ');
                amount_count(&head, (int64_t)data->node_count);
                buf_text(&head, " of ");
                amount_count(&head, (int64_t)data->all_nodes);
        }
        put_blanks(screen, 2);
        put_field(screen, LOOK_STRONG, buf_view(&head), columns->name);
        for (size_t i = 0; i < data->resource_count; i++) {
                size_t width = columns->bar[i] + (columns->bar[i] ? 1 : 0) + SHARE_WIDTH;

                if (!columns->is_shown[i])
                        continue;
                buf_clear(&head);
                buf_slice(&head, short_name(data->resources[i].name));
                if (state->sort == i + 1)
                        buf_text(&head, mark);
                put_blanks(screen, GAP);
                if (columns->bar[i])
                        put_field(screen, LOOK_STRONG, buf_view(&head), width);
                else
                        put_right(screen, LOOK_STRONG, buf_view(&head), width);
        }
        end_row(screen);
}

static void put_node(struct screen *screen, const struct node_columns *columns,
                     const struct top_node *node) {
        bool is_well = node->is_ready && !node->is_cordoned;

        put_field(screen, LOOK_BAD,
                  slice_of(!node->is_ready     ? "!"
                           : node->is_cordoned ? "-"
                           : node->taints      ? "*"
                                               : ""),
                  2);
        put_field(screen, is_well ? LOOK_PLAIN : LOOK_QUIET, node->name, columns->name);
        for (size_t i = 0; i < screen->data->resource_count; i++) {
                if (!columns->is_shown[i])
                        continue;
                put_blanks(screen, GAP);
                if (columns->bar[i] && node->allocatable[i] <= 0 && node->requested[i] <= 0)
                        put_blanks(screen, columns->bar[i] + 1);
                else if (columns->bar[i]) {
                        put_bar(screen, share_of(node->requested[i], node->allocatable[i]),
                                columns->bar[i]);
                        put_blanks(screen, 1);
                }
                put_share(screen, node->requested[i], node->allocatable[i]);
        }
        end_row(screen);
}

/* ---- sections: a head and lines, of which as many are drawn as have a place ---- */

struct section {
        size_t count, first, rows; /* lines, the first one shown, rows with the head */
        size_t gap;                /* rows above it, besides */
};

static void put_nodes(struct screen *screen, const struct section *section) {
        struct node_columns columns;

        plan_columns(screen, &columns);
        put_node_heads(screen, &columns);
        for (size_t i = 0; i + 1 < section->rows && section->first + i < section->count; i++)
                put_node(screen, &columns, &screen->data->nodes[section->first + i]);
}

static void put_section_head(struct screen *screen, const char *name, size_t count,
                             const char *more) {
        CLEANUP(buf_release) struct buf text = { 0 };

        buf_printf(&text, "%s ", name);
        amount_count(&text, (int64_t)count);
        put_text(screen, LOOK_STRONG, buf_view(&text), SIZE_MAX);
        put_word(screen, LOOK_QUIET, more);
        end_row(screen);
}

/* Name and age, and the reason where there is room for one. */
static void put_pod(struct screen *screen, const struct top_pod *pod) {
        size_t columns = screen->size->columns, name = columns >= 60 ? columns / 3 : columns - 11;
        CLEANUP(buf_release) struct buf text = { 0 };

        buf_printf(&text, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(pod->ns), SLICE_ARG(pod->name));
        put_blanks(screen, 2);
        put_field(screen, LOOK_PLAIN, buf_view(&text), name < 8 ? 8 : name);
        buf_clear(&text);
        if (pod->age_s >= 0)
                amount_span(&text, pod->age_s >= 60 ? pod->age_s / 60 * 60 : pod->age_s);
        put_right(screen, LOOK_QUIET, buf_view(&text), 9);
        put_blanks(screen, GAP);
        if (columns >= 60)
                put_text(screen, LOOK_PLAIN, pod->reason, SIZE_MAX);
        end_row(screen);
}

static void put_waits(struct screen *screen, const struct section *section) {
        put_section_head(screen, "WAITING", section->count,
                         section->count ? "" : "  no pod waits for a node");
        for (size_t i = 0; i + 1 < section->rows && section->first + i < section->count; i++)
                put_pod(screen, &screen->data->waits[section->first + i]);
}

static void put_event(struct screen *screen, const struct top_event *event) {
        size_t columns = screen->size->columns;

        put_blanks(screen, 2);
        put_field(screen, LOOK_QUIET, event->time, 8);
        put_blanks(screen, 1);
        put_field(screen, event->is_trouble ? LOOK_BAD : LOOK_PLAIN, event->kind, 10);
        put_field(screen, LOOK_PLAIN, event->about, columns >= 60 ? columns / 3 : SIZE_MAX);
        if (columns >= 60) {
                put_blanks(screen, GAP);
                put_text(screen, LOOK_PLAIN, event->note, SIZE_MAX);
        }
        end_row(screen);
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
        { TOP_NODES, put_nodes },
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
                        end_row(screen);
                size_t stop = screen->row + sections[i].rows;

                if (sections[i].rows)
                        section_kinds[i].put(screen, &sections[i]);
                while (screen->row < stop)
                        end_row(screen);
        }
        while (screen->row < end)
                end_row(screen);
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
                put_blanks(screen, 1);
                if (i < keys) {
                        put_field(screen, LOOK_STRONG, slice_of(top_keys[i].label), 7);
                        put_word(screen, LOOK_PLAIN, top_keys[i].help);
                } else {
                        put_word(screen, LOOK_PLAIN, help_notes[i - keys]);
                }
                end_row(screen);
        }
        while (screen->row < end)
                end_row(screen);
}

static void put_foot(struct screen *screen) {
        const struct top_state *state = screen->state;

        if (state->is_typing) {
                put_word(screen, LOOK_STRONG, "filter: ");
                put_word(screen, LOOK_PLAIN, state->filter);
                put_word(screen, LOOK_BAR, " ");
                put_word(screen, LOOK_QUIET, "  Enter, Esc");
                end_row(screen);
                return;
        }
        if (state->filter[0]) {
                put_word(screen, LOOK_STRONG, "filter: ");
                put_word(screen, LOOK_PLAIN, state->filter);
                put_blanks(screen, GAP);
                put_word(screen, LOOK_STRONG, "Esc");
                put_word(screen, LOOK_QUIET, " all");
                put_blanks(screen, GAP);
        }
        for (const struct top_key *key = top_keys; key->label; key++) {
                if (!key->brief)
                        continue;
                put_word(screen, LOOK_STRONG, key->label);
                put_blanks(screen, 1);
                put_word(screen, LOOK_QUIET, key->brief);
                put_blanks(screen, GAP);
        }
        end_row(screen);
}

static void put_trouble(struct screen *screen) {
        put_text(screen, LOOK_BAD, screen->data->trouble, SIZE_MAX);
        end_row(screen);
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
                end_row(&screen);
        size_t rows = own.rows - screen.row > 1 ? own.rows - screen.row - 1 : 0;
        if (state->shows_help)
                put_help(&screen, rows, ret_bounds);
        else if (data->is_ready)
                put_body(&screen, rows, ret_bounds);
        else
                for (size_t i = 0; i < rows; i++) {
                        put_word(&screen, LOOK_QUIET, i == 0 ? "reading the cluster" : "");
                        end_row(&screen);
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
                put_nodes(screen, &nodes);
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
