/* Screens from what they show, their size and what the user has chosen. */
#include "show/top_screen.h"

#include "base/util.h"
#include "show/cells.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HOSTILE "\033[2J\xe2\x80\xaeweb\r\n<b>\xe6\x97\xa5"

static struct top_node nodes[] = {
        { .name = SLICE_INIT("node-3"),
          .is_ready = true,
          .requested = { 30000, 10LL << 30 },
          .allocatable = { 16000, 64LL << 30 } },
        { .name = SLICE_INIT("node-1"),
          .is_cordoned = true,
          .is_ready = true,
          .requested = { 8000, 32LL << 30 },
          .allocatable = { 16000, 64LL << 30 } },
        { .name = SLICE_INIT("node-2"), .requested = { 10, 1 }, .allocatable = { 16000, 0 } },
};
static struct top_pod waits[] = {
        { SLICE_INIT("shop"), SLICE_INIT("big"), SLICE_INIT("0/3 nodes are available"), 200 },
        { SLICE_INIT("shop"), SLICE_INIT(HOSTILE), SLICE_INIT(HOSTILE), -1 },
};
static struct top_event events[] = {
        { SLICE_INIT("12:03:21"), SLICE_INIT("evicted"), SLICE_INIT("shop/web-1"),
          SLICE_INIT("PodLifeTime"), false },
};

static struct top_data data_for_test(void) {
        return (struct top_data){
                .source = SLICE_LITERAL("kind-dev"),
                .clock = SLICE_LITERAL("12:03:30"),
                .is_ready = true,
                .all_nodes = 3,
                .pods = 1800,
                .waiting = 2,
                .resource_count = 2,
                .resources = { { SLICE_INIT("cpu"), AMOUNT_MILLICORES, 38010, 48000 },
                               { SLICE_INIT("example.com/memory"), AMOUNT_BYTES, 42LL << 30,
                                 128LL << 30 } },
                .node_count = 3,
                .nodes = nodes,
                .pod_count = 2,
                .waits = waits,
                .event_count = 1,
                .events = events,
        };
}

static void draw(const struct top_data *data, const struct top_state *state, size_t rows,
                 size_t columns, struct buf *out) {
        const struct top_size size = { .rows = rows, .columns = columns, .is_plain = true };
        struct top_bounds bounds;

        buf_clear(out);
        top_screen_draw(data, state, &size, out, &bounds);
}

static void expect_row(const struct buf *out, size_t row, const char *text) {
        struct slice rest = buf_view(out), line = SLICE_EMPTY;

        for (size_t i = 0; i <= row; i++)
                assert_true(slice_split(&rest, '\n', &line));
        while (line.len && line.ptr[line.len - 1] == ' ')
                line.len--;
        if (!slice_is(line, text))
                fail_msg("row %zu: \"" SLICE_FMT "\", expected \"%s\"", row, SLICE_ARG(line), text);
}

static void test_wide(void **state) {
        const struct top_data data = data_for_test();
        const struct top_state by_cpu = { .sort = 1 };
        struct buf out = { 0 };

        (void)state;
        draw(&data, &by_cpu, 30, 72, &out);
        expect_row(&out, 0,
                   "kind-dev  3 nodes, 1,800 pods, 2 waiting                        12:03:30");
        expect_row(&out, 1, "cpu    ########################......  79%  38 of 48 cores");
        expect_row(&out, 2, "memory ##########....................  33%  42 of 128 GiB");
        expect_row(&out, 3, "");
        expect_row(&out, 4, "  NODE      cpuv                        memory");
        expect_row(&out, 5, "  node-3    ###########!!!!!!!!!  188%  ###.................   16%");
        expect_row(&out, 6, "- node-1    ##########..........   50%  ##########..........   50%");
        expect_row(&out, 7, "! node-2    ....................   <1%  ##########!!!!!!!!!>  none");
        expect_row(&out, 29, "q end  s sort  / filter  Tab view  Space hold  ? help");
        expect_row(&out, 27, "EVENTS 1");
        expect_row(&out, 28, "  12:03:21 evicted   shop/web-1                PodLifeTime");
        expect_row(&out, 23, "WAITING 2");
        expect_row(&out, 24, "  shop/big                    3 min  0/3 nodes are available");
        buf_release(&out);
}

static void test_narrow(void **state) {
        const struct top_data data = data_for_test();
        const struct top_state by_memory = { .sort = 2, .is_reversed = true };
        struct buf out = { 0 };

        (void)state;
        draw(&data, &by_memory, 10, 40, &out);
        expect_row(&out, 0, "3 nodes, 1,800 pods, 2 waiting  12:03:30");
        expect_row(&out, 1, "  NODE      cpu            memory^");
        expect_row(&out, 2, "  node-3    ####!!!  188%  #......   16%");
        expect_row(&out, 9, "q end  s sort  / filter  Tab view  Space");
        draw(&data, &by_memory, 10, 28, &out);
        expect_row(&out, 1, "  NODE      memory^");
        expect_row(&out, 2, "  node-3    ##........   16%");
        buf_release(&out);
}

/* Any size, any choice: so many rows, none wider than the terminal, nothing that controls it. */
static void test_fits_everywhere(void **state) {
        struct top_data data = data_for_test();
        struct top_node hostile[] = { nodes[0], nodes[1], nodes[2] };
        struct buf out = { 0 };
        struct top_bounds bounds;

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(hostile); i++)
                hostile[i].name = SLICE_LITERAL(HOSTILE);
        data.nodes = hostile;
        data.source = SLICE_LITERAL(HOSTILE);
        for (unsigned round = 0; round < 4000; round++) {
                const struct top_size size = { .rows = 1 + round % 41,
                                               .columns = 1 + round % 131,
                                               .is_plain = round % 2 };
                struct top_state choice = { .view = (enum top_view)(round % TOP_VIEW_COUNT),
                                            .sort = round % 3,
                                            .scroll = round % 7,
                                            .is_typing = round % 5 == 0,
                                            .shows_help = round % 11 == 0 };
                struct slice rest, line;
                size_t rows = 0;

                data.trouble = round % 3 ? SLICE_EMPTY : SLICE_LITERAL(HOSTILE);
                data.is_ready = round % 13 != 0;
                snprintf(choice.filter, sizeof(choice.filter), "%s",
                         round % 4 ? "" : "web is:over");
                buf_clear(&out);
                top_screen_draw(&data, &choice, &size, &out, &bounds);
                for (rest = buf_view(&out); slice_split(&rest, '\n', &line); rows++) {
                        size_t most =
                                size.columns < TOP_COLUMNS_MIN ? TOP_COLUMNS_MIN : size.columns;

                        if (cells_width(line) > most)
                                fail_msg("%zu columns: " SLICE_FMT, size.columns, SLICE_ARG(line));
                        for (size_t i = 0; i < line.len; i++)
                                assert_true((unsigned char)line.ptr[i] >= ' ' &&
                                            !(round % 2 && (unsigned char)line.ptr[i] > 126));
                        assert_false(slice_contains(line, SLICE_LITERAL("\xe2\x80\xae")));
                }
                assert_int_equal(rows, size.rows < TOP_ROWS_MIN ? TOP_ROWS_MIN : size.rows);
        }
        buf_release(&out);
}

static void test_views_and_help(void **state) {
        struct top_data data = data_for_test();
        struct top_state choice = { .view = TOP_EVENTS };
        struct buf out = { 0 };

        (void)state;
        draw(&data, &choice, 24, 80, &out);
        expect_row(&out, 4, "EVENTS 1");
        choice.view = TOP_WAITING;
        data.pod_count = 0;
        draw(&data, &choice, 24, 80, &out);
        expect_row(&out, 4, "WAITING 0  no pod waits for a node");
        choice = (struct top_state){ .shows_help = true };
        draw(&data, &choice, 40, 80, &out);
        for (size_t i = 0; top_keys[i].label; i++)
                assert_non_null(strstr(out.data, top_keys[i].help));
        choice = (struct top_state){ .is_typing = true, .filter = "web" };
        draw(&data, &choice, 10, 80, &out);
        expect_row(&out, 9, "filter: web   Enter, Esc");
        choice.is_typing = false;
        data.node_count = 1;
        draw(&data, &choice, 10, 80, &out);
        expect_row(&out, 9,
                   "filter: web  Esc all  q end  s sort  / filter  Tab view  Space hold  ? help");
        data.is_ready = false;
        data.trouble = SLICE_LITERAL("connection refused");
        draw(&data, &choice, 10, 80, &out);
        expect_row(&out, 1, "connection refused");
        expect_row(&out, 2, "reading the cluster");
        buf_release(&out);
}

static void test_scroll_stops_at_the_end(void **state) {
        const struct top_data data = data_for_test();
        const struct top_state choice = { .view = TOP_NODES, .scroll = 100 };
        const struct top_size size = { .rows = 5, .columns = 60, .is_plain = true };
        struct top_bounds bounds;
        struct buf out = { 0 };

        (void)state;
        top_screen_draw(&data, &choice, &size, &out, &bounds);
        assert_int_equal(bounds.page, 2);
        assert_int_equal(bounds.last_scroll, 1);
        assert_int_equal(bounds.resource_count, 2);
        assert_non_null(strstr(out.data, "! node-2"));
        assert_null(strstr(out.data, "  node-3"));
        buf_release(&out);
}

/* Over-commitment differs from a full bar without colours, and has its own with them. */
static void test_colours(void **state) {
        const struct top_data data = data_for_test();
        const struct top_state choice = { .sort = 1 };
        const struct top_size size = { .rows = 30, .columns = 72, .has_colour = true };
        struct top_bounds bounds;
        struct buf out = { 0 };

        (void)state;
        top_screen_draw(&data, &choice, &size, &out, &bounds);
        assert_non_null(strstr(out.data, "\033[1;35m\xe2\x96\x93"));
        assert_non_null(strstr(out.data, "\033[34m\xe2\x96\x88"));
        assert_null(strstr(out.data, "\033[2J"));
        buf_release(&out);
}

static void test_block(void **state) {
        const struct top_data data = data_for_test();
        const struct top_state choice = { .sort = 1 };
        const struct top_size size = { .rows = 5, .columns = 72, .is_plain = true };
        struct buf out = { 0 };

        (void)state;
        assert_int_equal(top_block_draw(&data, &choice, &size, &out), 5);
        expect_row(&out, 3, "  NODE      cpuv                        memory");
        expect_row(&out, 4, "  node-3    ###########!!!!!!!!!  188%  ###.................   16%");
        buf_release(&out);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_wide),
                cmocka_unit_test(test_narrow),
                cmocka_unit_test(test_fits_everywhere),
                cmocka_unit_test(test_views_and_help),
                cmocka_unit_test(test_scroll_stops_at_the_end),
                cmocka_unit_test(test_colours),
                cmocka_unit_test(test_block),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
