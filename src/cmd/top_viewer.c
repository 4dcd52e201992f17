/* Life of the view: what was gathered, when it is drawn again, and keys. */
#include "cmd/top_viewer.h"

#include "base/util.h"
#include "cmd/terminal.h"
#include "cmd/top_print.h"
#include "port/loop.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define CHANGE_DELAY_NS (300 * NS_PER_MS) /* changes are drawn together */
#define TICK_NS NS_PER_S

struct top_viewer {
        struct top_viewer_config config;
        struct terminal *terminal;
        struct top_state state;
        struct top_bounds bounds;
        struct arena arena;
        struct top_data data;
        struct loop_timer tick, change;
        bool is_ready, has_sort;
        char note[200]; /* until the user presses a key */
};

/* ---- gathering ---- */

/* What the options name and the cluster does not have. */
static void note_unknown(struct top_viewer *view) {
        const char *sort = view->config.sort;
        struct slice unknown = view->data.unknown;

        if (!unknown.len && sort && !view->state.sort && strcmp(sort, "name") != 0)
                unknown = slice_of(sort);
        if (unknown.len)
                snprintf(view->note, sizeof(view->note), "no column " SLICE_FMT,
                         SLICE_ARG(unknown));
}

static size_t sort_of(const struct top_data *data, const char *name) {
        for (size_t i = 0; name && i < data->resource_count; i++)
                if (slice_is(data->resources[i].name, name))
                        return i + 1;
        return 0;
}

static void gather_now(struct top_viewer *view) {
        struct top_sources sources = view->config.sources;

        sources.now = loop_wall(view->config.loop);
        arena_clear(&view->arena);
        top_gather(&sources, &view->state, &view->arena, &view->data);
        if (view->is_ready && !view->has_sort) {
                view->has_sort = true;
                view->state.sort =
                        sort_of(&view->data, view->config.sort ? view->config.sort : "cpu");
                if (view->state.sort)
                        top_gather(&sources, &view->state, &view->arena, &view->data);
                note_unknown(view);
        }
        view->data.source = view->config.source;
        view->data.is_ready = view->is_ready;
}

/* ---- drawing ---- */

static void draw_now(struct top_viewer *view) {
        CLEANUP(buf_release) struct buf rows = { 0 };
        CLEANUP(buf_release) struct buf trouble = { 0 };
        struct top_size size = terminal_size(STDOUT_FILENO);

        if (view->config.trouble)
                view->config.trouble(view->config.context, &trouble);
        view->data.trouble = trouble.len ? buf_view(&trouble) : slice_of(view->note);
        top_screen_draw(&view->data, &view->state, &size, &rows, &view->bounds);
        terminal_draw(view->terminal, buf_view(&rows));
}

static void on_tick(void *context) {
        struct top_viewer *view = context;

        if (!view->state.is_held)
                gather_now(view);
        draw_now(view);
        loop_timer_arm(view->config.loop, &view->tick, TICK_NS);
}

static void on_change(void *context) {
        struct top_viewer *view = context;

        if (view->state.is_held)
                return;
        gather_now(view);
        draw_now(view);
}

void top_viewer_changed(struct top_viewer *view) {
        if (view->terminal && !loop_timer_is_armed(&view->change))
                loop_timer_arm(view->config.loop, &view->change, CHANGE_DELAY_NS);
}

void top_viewer_set_ready(struct top_viewer *view) {
        if (view->is_ready)
                return;
        view->is_ready = true;
        if (view->terminal)
                loop_timer_arm(view->config.loop, &view->change, 0);
}

/* ---- keys ---- */

static bool needs_gathering(const struct top_state *before, const struct top_state *now) {
        return before->sort != now->sort || before->is_reversed != now->is_reversed ||
               before->is_held != now->is_held || strcmp(before->filter, now->filter) != 0;
}

static void on_typed(void *context, struct slice bytes) {
        struct top_viewer *view = context;
        struct top_state before = view->state;

        view->note[0] = '\0';
        while (bytes.len)
                top_state_press(&view->state, top_key_take(&bytes), &view->bounds);
        if (view->state.wants_end) {
                view->config.ended(view->config.context);
                return;
        }
        if (needs_gathering(&before, &view->state))
                gather_now(view);
        draw_now(view);
}

static void on_resized(void *context) {
        draw_now(context);
}

/* ---- printing ---- */

bool top_viewer_print(struct top_viewer *view) {
        CLEANUP(buf_release) struct buf out = { 0 };

        gather_now(view);
        if (view->config.format == OUTPUT_TEXT) {
                top_print(&view->data, &view->arena, &out);
        } else {
                CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();

                output_value(top_value(&view->data, tree), view->config.format, &out);
        }
        if (view->note[0])
                fprintf(stderr, "berth top: %s\n", view->note);
        return output_print(&out);
}

/* ---- life ---- */

int top_viewer_new(const struct top_viewer_config *config, struct top_viewer **ret_view,
                   struct err *err) {
        struct top_viewer *view = xcalloc(1, sizeof(*view));
        const struct terminal_config terminal = { .input = STDIN_FILENO,
                                                  .output = STDOUT_FILENO,
                                                  .typed = on_typed,
                                                  .resized = on_resized,
                                                  .context = view };

        *view = (struct top_viewer){ .config = *config };
        arena_init(&view->arena, 0);
        view->tick = (struct loop_timer){ .fired = on_tick, .context = view };
        view->change = (struct loop_timer){ .fired = on_change, .context = view };
        snprintf(view->state.filter, sizeof(view->state.filter), "%s",
                 config->filter ? config->filter : "");
        if (config->is_drawn) {
                if (terminal_new(&terminal, config->loop, &view->terminal, err) < 0) {
                        top_viewer_free(view);
                        return err->code;
                }
                loop_timer_arm(config->loop, &view->tick, 0);
        }
        *ret_view = view;
        return 0;
}

void top_viewer_free(struct top_viewer *view) {
        if (!view)
                return;
        loop_timer_disarm(view->config.loop, &view->tick);
        loop_timer_disarm(view->config.loop, &view->change);
        terminal_free(view->terminal);
        arena_release(&view->arena);
        free(view);
}
