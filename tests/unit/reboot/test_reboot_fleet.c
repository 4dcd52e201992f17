/* Order among nodes, gates of health, annotations by name, several windows and days off: each off
 * unless asked for. */
#include "reboot_world.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static struct world world;

static void finish(void) {
        if (world.problem[0])
                fail_msg("%s", world.problem);
        world_release(&world);
}

/* ---- the rules over a list ---- */

#define NODE(name, labels, record, ready)                                                          \
        "{\"metadata\":{\"name\":\"" name "\",\"labels\":{" labels                                 \
        "},\"annotations\":{\"berth.dev/reboot\":\"" record                                        \
        "\"}},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"" ready "\"}]}}"
#define LIST(nodes) "{\"items\":[" nodes "]}"
#define RECORD(phase, since)                                                                       \
        "{\\\"phase\\\":\\\"" phase "\\\",\\\"needSince\\\":\\\"2026-01-01T0" since ":00:00Z\\\"}"
#define CONTROL "\"node-role.kubernetes.io/control-plane\":\"\""
#define ZONE(z) "\"zone\":\"" z "\""
#define SELF(labels) NODE("m", labels, RECORD("Queued", "5"), "True")

static const struct fleet_rules oldest = { .oldest_first = true },
                                control = { .control_plane_last = true },
                                waves = { .wave_label = SLICE_INIT("zone") },
                                cap = { .caps_not_ready = true, .not_ready_max = 1 };
static const struct fleet_case {
        const char *name, *list, *reason; /* "" = we may go */
        const struct fleet_rules *rules;
        bool is_courtesy;
} fleet_cases[] = {
        { "alone", LIST(SELF("")), "", &oldest, false },
        { "older", LIST(SELF("") "," NODE("a", "", RECORD("Queued", "4"), "True")),
          "node a has waited longer", &oldest, true },
        { "younger", LIST(SELF("") "," NODE("a", "", RECORD("Queued", "6"), "True")), "", &oldest,
          false },
        { "as old, by name", LIST(SELF("") "," NODE("a", "", RECORD("Queued", "5"), "True")),
          "node a has waited longer", &oldest, true },
        { "older but blocked", LIST(SELF("") "," NODE("a", "", RECORD("Blocked", "4"), "True")), "",
          &oldest, false },
        { "older but dead", LIST(SELF("") "," NODE("a", "", RECORD("Queued", "4"), "Unknown")), "",
          &oldest, false },
        { "worker does not mind", LIST(SELF("") "," NODE("a", "", RECORD("Blocked", "4"), "True")),
          "", &control, false },
        { "worker waits", LIST(SELF(CONTROL) "," NODE("z", "", RECORD("Blocked", "9"), "True")),
          "node z goes before the control plane", &control, false },
        { "worker away", LIST(SELF(CONTROL) "," NODE("z", "", RECORD("Rebooting", "9"), "False")),
          "node z goes before the control plane", &control, false },
        { "only control planes",
          LIST(SELF(CONTROL) "," NODE("a", CONTROL, RECORD("Queued", "1"), "True")), "", &control,
          false },
        { "same wave",
          LIST(SELF(ZONE("b")) "," NODE("a", ZONE("b"), RECORD("Draining", "1"), "True")), "",
          &waves, false },
        { "wave under way",
          LIST(SELF(ZONE("b")) "," NODE("a", ZONE("c"), RECORD("Draining", "1"), "True")),
          "node a is of the wave before", &waves, false },
        { "lower wave waits",
          LIST(SELF(ZONE("b")) "," NODE("z", ZONE("a"), RECORD("Queued", "1"), "True")),
          "node z is of the wave before", &waves, false },
        { "lower wave blocked",
          LIST(SELF(ZONE("b")) "," NODE("z", ZONE("a"), RECORD("Blocked", "1"), "True")), "",
          &waves, false },
        { "higher wave waits",
          LIST(SELF(ZONE("b")) "," NODE("z", ZONE("c"), RECORD("Queued", "1"), "True")), "", &waves,
          false },
        { "one not ready", LIST(SELF("") "," NODE("a", "", "", "False")), "", &cap, false },
        { "two not ready",
          LIST(SELF("") "," NODE("a", "", "", "False") "," NODE("b", "", "", "Unknown")),
          "2 other nodes are not ready, 1 may be", &cap, false },
        { "not ready ourselves", LIST(NODE("m", "", "", "False") "," NODE("a", "", "", "False")),
          "", &cap, false },
};

static void judges_lists(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(fleet_cases); i++) {
                CLEANUP(arena_release) struct arena arena;
                struct fleet_answer answer;
                struct json_doc *doc = NULL;

                arena_init(&arena, 0);
                assert_int_equal(json_parse(slice_of(fleet_cases[i].list), &doc, NULL), 0);
                fleet_judge(json_doc_root(doc), SLICE_LITERAL("m"), fleet_cases[i].rules, &arena,
                            &answer);
                if (!slice_is(answer.reason, fleet_cases[i].reason))
                        fail_msg("%s: " SLICE_FMT, fleet_cases[i].name, SLICE_ARG(answer.reason));
                assert_int_equal(answer.is_courtesy, fleet_cases[i].is_courtesy);
                json_doc_free(doc);
        }
}

/* Two reboots took two minutes on average; the lock is for one, or for two. */
static void looks_ahead(void **state) {
        static const char list[] = LIST(NODE("m", "", RECORD("Queued", "5"), "True") "," NODE(
                "a", "", RECORD("Queued", "4"),
                "True") ","
                        "{\"metadata\":{\"name\":\"b\",\"annotations\":{\"berth.dev/"
                        "reboot\":\"{\\\"phase\\\":"
                        "\\\"Draining\\\",\\\"claimedAt\\\":\\\"2026-01-01T08:00:00Z\\\"}\","
                        "\"berth.dev/"
                        "reboot-took\":\"3m\"}}},{\"metadata\":{\"name\":\"c\",\"annotations\":{"
                        "\"berth.dev/reboot-took\":\"1m\"}}}");
        struct json_doc *doc = NULL;
        const struct json *nodes;
        struct wall_time now;

        (void)state;
        assert_int_equal(json_parse(slice_of(list), &doc, NULL), 0);
        nodes = json_doc_root(doc);
        wall_time_parse(SLICE_LITERAL("2026-01-01T08:00:30Z"), &now);
        assert_int_equal(fleet_expected_ns(nodes, SLICE_LITERAL("m"), 1, now), 360 * NS_PER_S);
        assert_int_equal(fleet_expected_ns(nodes, SLICE_LITERAL("m"), 2, now), 240 * NS_PER_S);
        assert_int_equal(fleet_expected_ns(nodes, SLICE_LITERAL("a"), 1, now), 240 * NS_PER_S);
        assert_int_equal(fleet_expected_ns(nodes, SLICE_LITERAL("b"), 1, now), 90 * NS_PER_S);
        assert_int_equal(fleet_expected_ns(nodes, SLICE_LITERAL("c"), 1, now), -1);
        assert_false(fleet_is_quiet(nodes, SLICE_LITERAL("c")));
        json_doc_free(doc);
}

/* ---- the rules at work ---- */

static void label(size_t index, const char *key, const char *value) {
        struct json_tree *tree = world.nodes[index].object;
        struct json_node *meta = node_get(json_tree_root(tree), "metadata");

        node_put_string(tree, node_need_object(tree, meta, "labels"), key, value);
}

static void annotate(size_t index, const char *key, const char *value) {
        struct json_tree *tree = world.nodes[index].object;
        struct json_node *meta = node_get(json_tree_root(tree), "metadata");

        node_put_string(tree, node_need_object(tree, meta, "annotations"), key, value);
}

/* All want it at once; writes down who boots when. */
static void run_fleet(int64_t *boots_at, size_t count) {
        for (size_t i = 0; i < count; i++) {
                world.nodes[i].config.period_ns = 10 * NS_PER_S;
                world.nodes[i].is_required = true;
                world_start(&world, i);
        }
        for (int64_t s = 0; s < 7200; s++) {
                world_run(&world, 1);
                for (size_t i = 0; i < count; i++)
                        if (boots_at[i] == 0 && world.nodes[i].boot > 0)
                                boots_at[i] = s;
        }
        for (size_t i = 0; i < count; i++)
                assert_true(boots_at[i] > 0);
        assert_true(world_is_clean(&world));
        finish();
}

static void control_planes_go_last(void **state) {
        int64_t at[4] = { 0 };

        (void)state;
        world_init(&world, 4, 1);
        for (size_t i = 0; i < 4; i++)
                world.nodes[i].config.fleet.control_plane_last = true;
        label(3, "node-role.kubernetes.io/control-plane", "");
        run_fleet(at, 4);
        for (size_t i = 0; i < 3; i++)
                assert_true(at[3] > at[i]);
}

static void waves_follow_each_other(void **state) {
        static const char *const zones[] = { "b", "a", "b", "a" };
        int64_t at[4] = { 0 };

        (void)state;
        world_init(&world, 4, 2);
        for (size_t i = 0; i < 4; i++) {
                world.nodes[i].config.fleet.wave_label = SLICE_LITERAL("zone");
                label(i, "zone", zones[i]);
        }
        run_fleet(at, 4);
        /* The first to come may be of either zone; after it its zone is finished first. */
        assert_true((at[0] > at[1] && at[0] > at[3] && at[2] > at[1] && at[2] > at[3]) ||
                    (at[1] > at[0] && at[1] > at[2] && at[3] > at[0] && at[3] > at[2]));
}

static void courtesy_ends(void **state) {
        (void)state;
        world_init(&world, 2, 1); /* n1 stays queued for ever: its agent is not there */
        annotate(0, "berth.dev/reboot",
                 "{\"phase\":\"Queued\",\"needSince\":\"2020-01-01T00:00:00Z\"}");
        world.nodes[1].config.fleet.oldest_first = true;
        world.nodes[1].is_required = true;
        world_start(&world, 1);
        world_run(&world, 590);
        assert_int_equal(world.nodes[1].boot, 0);
        assert_true(slice_contains(world_annotation(&world, 1, "berth.dev/reboot"),
                                   SLICE_LITERAL("node n1 has waited longer")));
        world_run(&world, 200);
        assert_int_equal(world.nodes[1].boot, 1);
        finish();
}

static void caps_nodes_not_ready(void **state) {
        struct json_tree *tree;
        struct json_node *status;

        (void)state;
        world_init(&world, 2, 1);
        tree = world.nodes[0].object;
        status = node_get(json_tree_root(tree), "status");
        node_remove(status, "conditions");
        world.nodes[1].config.fleet.caps_not_ready = true;
        world.nodes[1].is_required = true;
        world_start(&world, 1);
        world_run(&world, 300);
        assert_int_equal(world.nodes[1].boot, 0);
        world.nodes[1].config.fleet.not_ready_max = 1;
        world_run(&world, 300);
        assert_int_equal(world.nodes[1].boot, 1);
        finish();
}

/* ---- health ---- */

static struct world_node *start_checked(void) {
        world_init(&world, 1, 1);
        world.nodes[0].config.checks_health = true;
        world.nodes[0].is_required = true;
        world_start(&world, 0);
        return &world.nodes[0];
}

static void set_ready(bool is_ready) {
        struct json_tree *tree = world.nodes[0].object;
        struct json_node *status = node_get(json_tree_root(tree), "status");
        struct node_iter iter = node_iter(node_get(status, "conditions"));
        struct json_node *condition;

        assert_true(node_next(&iter, NULL, &condition));
        node_put_string(tree, condition, "status", is_ready ? "True" : "False");
}

/* --settle-time: Ready for so long without a break, and not a moment before it is Ready. */
static void settles_before_the_uncordon(void **state) {
        struct world_node *node;

        (void)state;
        world_init(&world, 1, 1);
        node = &world.nodes[0];
        node->config.settle_ns = 120 * NS_PER_S;
        node->is_required = true;
        world_start(&world, 0);
        assert_true(world_run_until(&world, WORLD_REBOOT, 60));
        set_ready(false);
        world_run(&world, 300); /* booted after 30 s */
        assert_int_equal(node->boot, 1);
        assert_int_equal(world_count(&world, WORLD_UNCORDON), 0);
        set_ready(true);
        world_run(&world, 100);
        set_ready(false);
        world_run(&world, 30);
        set_ready(true);
        world_run(&world, 110); /* counted from the last time it became Ready */
        assert_int_equal(world_count(&world, WORLD_UNCORDON), 0);
        world_run(&world, 60);
        assert_int_equal(world_count(&world, WORLD_UNCORDON), 1);
        assert_true(world_is_clean(&world));
        finish();
}

static void health_comes_before_the_uncordon(void **state) {
        struct world_node *node = start_checked();

        (void)state;
        node->illness = SLICE_LITERAL("pod ns/agent is not well");
        world_run(&world, 7200);
        assert_int_equal(node->boot, 1);
        assert_true(world_is_cordoned(&world, 0));
        assert_true(slice_contains(world_lock(&world), SLICE_LITERAL("n1")));
        assert_true(slice_contains(world_annotation(&world, 0, "berth.dev/reboot"),
                                   SLICE_LITERAL("pod ns/agent is not well")));
        assert_non_null(strstr(world.events, "RebootNotWell "));
        world_kill(&world, 0); /* and a new process goes on from there, without another reboot */
        world_start(&world, 0);
        world_run(&world, 60);
        assert_true(world_is_cordoned(&world, 0));
        node->illness = SLICE_EMPTY;
        world_run(&world, 60);
        assert_int_equal(node->boot, 1);
        assert_true(world_is_clean(&world));
        finish();
}

static void budgets_come_before_the_release(void **state) {
        struct world_node *node = start_checked();

        (void)state;
        node->aftermath = SLICE_LITERAL("budget ns/web is not well");
        world_run(&world, 3600);
        assert_false(world_is_cordoned(&world, 0));
        assert_true(slice_contains(world_lock(&world), SLICE_LITERAL("n1")));
        node->aftermath = SLICE_EMPTY;
        world_run(&world, 60);
        assert_true(world_is_clean(&world));
        assert_int_equal(node->boot, 1);
        finish();
}

/* ---- by name ---- */

static void ignores_on_request(void **state) {
        (void)state;
        world_init(&world, 1, 1);
        annotate(0, "berth.dev/reboot-ignore", "true");
        world.nodes[0].is_required = true;
        world_start(&world, 0);
        world_run(&world, 600);
        assert_string_equal(world_story(&world), "");
        finish();
}

static void reboots_on_request(void **state) {
        (void)state;
        world_init(&world, 1, 1);
        annotate(0, "berth.dev/reboot-force", "true");
        world.nodes[0].blocker = SLICE_LITERAL("pod ns/batch");
        world.nodes[0].config.window = (struct time_window){ 0 }; /* never open */
        world_start(&world, 0);
        world.nodes[0].saw_sentinel = true; /* the annotation stands for it */
        world_run(&world, 600);
        assert_int_equal(world.nodes[0].boot, 1);
        assert_int_equal(world_annotation(&world, 0, "berth.dev/reboot-force").len, 0);
        assert_true(world_is_clean(&world));
        finish();
}

/* ---- the early taint ---- */

static void taints_before_the_window(void **state) {
        struct reboot_config *config;

        (void)state;
        world_init(&world, 1, 1); /* 22:13:20 */
        config = &world.nodes[0].config;
        config->window.start_s = 23 * 3600;
        config->window.end_s = 23 * 3600 + 1800;
        config->taint_lead_ns = 1800 * NS_PER_S;
        world.nodes[0].is_required = true;
        world_start(&world, 0);
        world_run(&world, 900); /* 22:28:20 */
        assert_false(world_has_taint(&world, 0));
        world_run(&world, 200);
        assert_true(world_has_taint(&world, 0));
        assert_true(slice_contains(world_annotation(&world, 0, "berth.dev/reboot"),
                                   SLICE_LITERAL("the window is about to open")));
        world_run(&world, 1500); /* 22:56:40 */
        assert_false(world_is_cordoned(&world, 0));
        world_run(&world, 600);
        assert_int_equal(world.nodes[0].boot, 1);
        assert_true(world_is_clean(&world));
        finish();
}

/* The process that cordons need not be the one that tainted. */
static void counts_lead_over_restarts(void **state) {
        struct reboot_agent_stats stats;

        (void)state;
        world_init(&world, 1, 1);
        world.nodes[0].blocker = SLICE_LITERAL("pod ns/batch");
        world.nodes[0].is_required = true;
        world_start(&world, 0);
        world_run(&world, 400);
        world_kill(&world, 0);
        world_start(&world, 0);
        world_run(&world, 100);
        reboot_agent_stats(world.nodes[0].agent, &world.now, &stats);
        assert_in_range(stats.taint_wait_ns / NS_PER_S, 499, 501);
        world.nodes[0].blocker = SLICE_EMPTY;
        assert_true(world_run_until(&world, WORLD_READY, 120));
        reboot_agent_stats(world.nodes[0].agent, &world.now, &stats);
        assert_int_equal(stats.lead_count, 1);
        assert_in_range(stats.lead_sum_ns / NS_PER_S, 499, 562);
        assert_int_equal(stats.lead_buckets[3], 1); /* above 300 s, up to 900 s */
        assert_int_equal(stats.taint_wait_ns, 0);
        finish();
}

/* ---- calendars ---- */

static bool opens(const struct window_calendar *calendar, const char *time) {
        struct wall_time now;

        assert_true(wall_time_parse(slice_of(time), &now));
        return window_calendar_opens_within(calendar, now, 0);
}

static void keeps_calendars(void **state) {
        static const char *const texts[] = { "mo-fr 22:00-06:00", "sa 9am-05:00pm" };
        static const char *const off[] = { "2026-11-20", "12-24..01-06" };
        struct time_window windows[2];
        struct excluded_days days[2];
        struct window_calendar calendar = { 2, windows, 0, days };

        (void)state;
        for (size_t i = 0; i < 2; i++) {
                assert_int_equal(time_window_parse(slice_of(texts[i]), NULL, &windows[i], NULL), 0);
                assert_int_equal(excluded_days_parse(slice_of(off[i]), &days[i], NULL), 0);
        }
        assert_true(opens(&calendar, "2026-11-20T23:00:00Z")); /* Friday night */
        assert_true(opens(&calendar, "2026-11-21T05:00:00Z")); /* into Saturday */
        assert_false(opens(&calendar, "2026-11-21T07:00:00Z"));
        assert_true(opens(&calendar, "2026-11-21T12:00:00Z")); /* the second window */
        assert_false(opens(&calendar, "2026-11-22T23:00:00Z"));
        calendar.excluded_count = 2;
        assert_false(opens(&calendar, "2026-11-20T23:00:00Z")); /* a day off ... */
        assert_false(opens(&calendar, "2026-11-21T05:00:00Z")); /* ... with its night */
        assert_true(opens(&calendar, "2026-11-20T05:00:00Z"));  /* which began on Thursday */
        assert_true(opens(&calendar, "2026-11-21T12:00:00Z"));
        assert_false(opens(&calendar, "2026-12-31T23:00:00Z"));
        assert_false(opens(&calendar, "2027-01-06T23:00:00Z"));
        assert_true(opens(&calendar, "2027-01-07T23:00:00Z"));
}

static void refuses_other_texts(void **state) {
        static const char *const windows[] = {
                "", "mo", "mo 22:00", "xx 1-2", "mo-xx 1-2", "1-25"
        };
        static const char *const days[] = {
                "", "2026-13-01", "02-30x", "2026-12-24..12-25", "2026-12-25..2026-12-24", "1-1"
        };
        struct time_window window;
        struct excluded_days excluded;

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(windows); i++)
                assert_true(time_window_parse(slice_of(windows[i]), NULL, &window, NULL) < 0);
        for (size_t i = 0; i < ARRAY_LEN(days); i++)
                assert_true(excluded_days_parse(slice_of(days[i]), &excluded, NULL) < 0);
        assert_int_equal(time_window_parse(SLICE_LITERAL("0:00-23:59:59"), NULL, &window, NULL), 0);
        assert_int_equal(window.days, 127);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(judges_lists),
                cmocka_unit_test(looks_ahead),
                cmocka_unit_test(control_planes_go_last),
                cmocka_unit_test(waves_follow_each_other),
                cmocka_unit_test(courtesy_ends),
                cmocka_unit_test(caps_nodes_not_ready),
                cmocka_unit_test(settles_before_the_uncordon),
                cmocka_unit_test(health_comes_before_the_uncordon),
                cmocka_unit_test(budgets_come_before_the_release),
                cmocka_unit_test(ignores_on_request),
                cmocka_unit_test(reboots_on_request),
                cmocka_unit_test(taints_before_the_window),
                cmocka_unit_test(counts_lead_over_restarts),
                cmocka_unit_test(keeps_calendars),
                cmocka_unit_test(refuses_other_texts),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
