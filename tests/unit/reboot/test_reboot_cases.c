/* Acceptance cases of the reboot agent that are about states, locks and crashes, by their numbers.
 * Those about API calls are in tests/unit/run/test_reboot_role.c, about hosts and services in
 * test_reboot_edges.c there, about options in tests/unit/cmd/test_reboot_options.c, about windows
 * and pods in test_time_window.c and test_drain.c here. */
#include "reboot_world.h"

#include "reboot/reboot_lock.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define RECORD "berth.dev/reboot"

static struct world world;

static struct world_node *start_wanted(size_t nodes, uint32_t limit) {
        world_init(&world, nodes, limit);
        world.nodes[0].is_required = true;
        return &world.nodes[0];
}

static void finish(void) {
        if (world.problem[0])
                fail_msg("%s", world.problem);
        world_release(&world);
}

static void add_pod(size_t node, int refusals, int dying_s) {
        world.nodes[node].pods[0] = (struct world_pod){ .ns = SLICE_LITERAL("ns"),
                                                        .name = SLICE_LITERAL("web"),
                                                        .uid = "u-1",
                                                        .is_there = true,
                                                        .refusals = refusals,
                                                        .dying_s = dying_s,
                                                        .deleted = WALL_TIME_UNSET };
}

static void run_to(enum world_event event) {
        assert_true(world_run_until(&world, event, 3600));
}

static void restart(void) {
        world_kill(&world, 0);
        world_start(&world, 0);
}

static bool notices_have(const char *text) {
        return slice_contains(buf_view(&world.notices), slice_of(text));
}

static bool lock_has(const char *text) {
        return slice_contains(world_lock(&world), slice_of(text));
}

static void ends_clean(void) {
        world_run(&world, 1500);
        assert_true(world_is_clean(&world));
        finish();
}

/* ---- the taint ---- */

static void r13_blocker_flaps(void **state) {
        struct world_node *node = start_wanted(1, 1);

        (void)state;
        world_set_lock(&world, "{\"nodeID\":\"manual\"}");
        world_start(&world, 0);
        for (int i = 0; i < 10; i++) {
                node->blocker = i % 2 ? SLICE_EMPTY : SLICE_LITERAL("pod ns/batch");
                world_run(&world, 61);
        }
        assert_int_equal(world_count(&world, WORLD_TAINT), 1);
        assert_int_equal(world_count(&world, WORLD_UNTAINT), 0);
        finish();
}

static void r14_taint_removed_by_hand(void **state) {
        struct world_node *node = start_wanted(1, 1);

        (void)state;
        node->blocker = SLICE_LITERAL("pod ns/batch");
        world_start(&world, 0);
        world_run(&world, 10);
        node_remove(node_get(json_tree_root(node->object), "spec"), "taints");
        assert_false(world_has_taint(&world, 0));
        world_run(&world, 61);
        assert_true(world_has_taint(&world, 0));
        finish();
}

static size_t count_taints(const struct world_node *node) {
        return node_count(node_get(node_get(json_tree_root(node->object), "spec"), "taints"));
}

/* The agent comes back with another key, then without one: no taint of ours is left behind. */
static void takes_its_former_taint_along(void **state) {
        struct world_node *node = start_wanted(1, 1);

        (void)state;
        size_t others = count_taints(node);
        node->blocker = SLICE_LITERAL("pod ns/batch");
        world_start(&world, 0);
        world_run(&world, 10);
        assert_true(world_has_taint(&world, 0));
        world_kill(&world, 0);
        node->config.taint_key = SLICE_LITERAL("other");
        world_start(&world, 0);
        world_run(&world, 61);
        assert_false(world_has_taint(&world, 0));
        assert_int_equal(count_taints(node), others + 1);
        world_kill(&world, 0);
        node->config.taint_key = SLICE_EMPTY;
        world_start(&world, 0);
        world_run(&world, 61);
        assert_int_equal(count_taints(node), others);
        node->is_required = false;
        world_run(&world, 61);
        assert_true(world_is_clean(&world));
        finish();
}

static void r15_sentinel_disappears(void **state) {
        struct world_node *node = start_wanted(1, 1);

        (void)state;
        node->config.annotates = true;
        node->blocker = SLICE_LITERAL("pod ns/batch");
        world_start(&world, 0);
        world_run(&world, 10);
        assert_true(world_annotation(&world, 0, "weave.works/kured-reboot-in-progress").len > 0);
        node->is_required = false;
        world_run(&world, 61);
        assert_int_equal(world_annotation(&world, 0, "weave.works/kured-reboot-in-progress").len,
                         0);
        assert_true(world_is_clean(&world));
        finish();
}

static void r16_window_closes(void **state) {
        struct world_node *node = start_wanted(1, 1); /* 22:13:20 */

        (void)state;
        node->config.window.end_s = 22 * 3600 + 20 * 60;
        node->blocker = SLICE_LITERAL("pod ns/batch");
        world_start(&world, 0);
        world_run(&world, 300);
        assert_true(world_has_taint(&world, 0));
        world_run(&world, 300);
        assert_true(world_is_clean(&world));
        node->config.window.end_s = 23 * 3600;
        world_run(&world, 61);
        assert_true(world_has_taint(&world, 0));
        finish();
}

/* ---- the lock ---- */

/* Whether n1 takes the lock within a minute; what it may not take stays as it is. */
static bool takes(const char *text, uint32_t limit) {
        bool taken;

        start_wanted(1, limit);
        world_set_lock(&world, text);
        world_start(&world, 0);
        taken = world_run_until(&world, WORLD_LOCK, 60);
        if (!taken && text)
                assert_true(slice_is(world_lock(&world), text));
        return taken;
}

#define OWNER(node, created, ttl)                                                                  \
        "{\"nodeID\":\"" node "\",\"metadata\":{\"unschedulable\":false},\"created\":\"" created   \
        "\",\"TTL\":" ttl "}"
#define HALF_HOUR "1800000000000"

static void r19_lock_held(void **state) {
        (void)state;
        assert_false(takes(OWNER("n2", "2023-11-14T20:00:00Z", "0"), 1));
        assert_true(world_has_taint(&world, 0));
        assert_false(world_is_cordoned(&world, 0));
        assert_true(slice_contains(world_annotation(&world, 0, RECORD),
                                   SLICE_LITERAL("lock held by n2\"")));
        finish();
}

static void r20_lock_expired(void **state) {
        (void)state;
        assert_true(takes(OWNER("n2", "2023-11-14T21:42:20Z", HALF_HOUR), 1));
        assert_true(lock_has("n1"));
        assert_false(lock_has("n2"));
        finish();
}

static void r21_lock_not_yet_expired(void **state) {
        (void)state;
        assert_false(takes(OWNER("n2", "2023-11-14T21:45:00Z", HALF_HOUR), 1));
        finish();
}

static void r22_pause_by_hand(void **state) {
        (void)state;
        for (uint32_t limit = 1; limit <= 3; limit += 2) {
                assert_false(takes("{\"nodeID\":\"manual\"}", limit));
                world_run(&world, 7200);
                assert_true(slice_is(world_lock(&world), "{\"nodeID\":\"manual\"}"));
                finish();
        }
}

static void r23_multiple_form_with_limit_1(void **state) {
        (void)state;
        assert_true(takes("{\"maxOwners\":2,\"locks\":[]}", 1));
        finish();
}

static void r24_single_form_counts_as_one(void **state) {
        (void)state;
        assert_true(takes(OWNER("n2", "2023-11-14T20:00:00Z", "0"), 2));
        assert_true(lock_has("n1") && lock_has("n2"));
        finish();
        assert_false(takes(
                "{\"maxOwners\":2,\"locks\":[" OWNER("n2", "2023-11-14T20:00:00Z", "0") "," OWNER(
                        "n3", "2023-11-14T20:00:00Z", "0") "]}",
                2));
        finish();
}

static void r25_lowered_limit(void **state) {
        (void)state;
        assert_false(takes(
                "{\"maxOwners\":3,\"locks\":[" OWNER("a", "2023-11-14T20:00:00Z", "1") "," OWNER(
                        "b", "2023-11-14T20:00:00Z", "0") "," OWNER("c", "2023-11-14T20:00:00Z",
                                                                    "0") "]}",
                2));
        finish();
}

static void r26_own_expired_entry(void **state) {
        struct slice lock;
        unsigned own = 0;

        (void)state;
        assert_true(takes(
                "{\"maxOwners\":3,\"locks\":[" OWNER("n1", "2023-11-14T20:00:00Z", "1") "]}", 3));
        lock = world_lock(&world);
        for (size_t i = 0; i + 4 < lock.len; i++)
                own += memcmp(lock.ptr + i, "\"n1\"", 4) == 0;
        assert_int_equal(own, 1);
        finish();
}

static void r27_unreadable_lock(void **state) {
        static const char *const texts[] = { "", "{\"nodeID\":\"n2\",\"TTL\":\"30m\"}", "[]" };

        (void)state;
        for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
                assert_false(takes(texts[i], 1));
                assert_true(slice_contains(world_annotation(&world, 0, RECORD),
                                           SLICE_LITERAL("cannot be read")));
                finish();
        }
}

static void r30_fields_unknown_to_us(void **state) {
        struct buf before = { 0 }, after = { 0 };

        (void)state;
        start_wanted(1, 1);
        node_write(node_get(json_tree_root(world.lock_object), "spec"), &before);
        world_start(&world, 0);
        world_run(&world, 300);
        assert_int_equal(world_count(&world, WORLD_UNLOCK), 1);
        node_write(node_get(json_tree_root(world.lock_object), "spec"), &after);
        assert_string_equal(after.data, before.data);
        buf_release(&before);
        buf_release(&after);
        finish();
}

static void r31_holder_is_gone(void **state) {
        struct json_tree *n2;

        (void)state;
        start_wanted(2, 1);
        n2 = world.nodes[1].object;
        world.nodes[1].object = NULL;
        world_set_lock(&world, OWNER("n2", "2023-11-14T20:00:00Z", "0"));
        world_start(&world, 0);
        world_run(&world, 500); /* missing, but not for long enough; then it is back */
        world.nodes[1].object = n2;
        world_run(&world, 300);
        assert_true(lock_has("n2"));
        world.nodes[1].object = NULL;
        world_run(&world, 590);
        assert_true(lock_has("n2"));
        run_to(WORLD_LOCK);
        assert_false(lock_has("n2"));
        assert_non_null(strstr(world.events, "RebootLockTaken"));
        json_tree_free(n2);
        finish();
}

/* ---- cordons of others, failed drains ---- */

static void cordon_before(struct world_node *node) {
        node->was_cordoned = true;
        node_put_bool(node->object, node_get(json_tree_root(node->object), "spec"), "unschedulable",
                      true);
}

static void r32_cordoned_before(void **state) {
        static struct label label = { SLICE_INIT("state"), SLICE_INIT("fresh") };
        struct world_node *node = start_wanted(1, 1);
        struct json_node *meta;

        (void)state;
        cordon_before(node);
        node->config.post_labels = (struct label_list){ 1, &label };
        world_start(&world, 0);
        run_to(WORLD_LOCK);
        assert_true(lock_has("\"unschedulable\":true"));
        world_run(&world, 300);
        assert_int_equal(node->boot, 1);
        assert_true(world_is_cordoned(&world, 0));
        meta = node_get(json_tree_root(node->object), "metadata");
        assert_true(slice_is(node_get_text(node_get(meta, "labels"), "state"), "fresh"));
        finish();
}

static void r33_cordoned_before_and_drain_fails(void **state) {
        struct world_node *node = start_wanted(1, 1);

        (void)state;
        cordon_before(node);
        add_pod(0, 1000000, 0);
        node->config.drain_timeout_ns = 60 * NS_PER_S;
        world_start(&world, 0);
        run_to(WORLD_ROLLBACK);
        assert_true(world_is_cordoned(&world, 0));
        finish();
}

static void r34_drain_fails(void **state) {
        struct world_node *node = start_wanted(1, 1);

        (void)state;
        add_pod(0, 1000000, 0);
        node->config.drain_timeout_ns = 60 * NS_PER_S;
        node->config.lock_release_delay_ns = 1800 * NS_PER_S;
        world_start(&world, 0);
        world_run(&world, 65);
        /* uncordoned first, released at once */
        assert_non_null(strstr(world_story(&world), "uncordon, Rollback\nunlock\n"));
        assert_int_equal(world_count(&world, WORLD_REBOOT), 0);
        finish();
}

static void r35_drain_fails_with_force(void **state) {
        struct world_node *node = start_wanted(1, 1);

        (void)state;
        add_pod(0, 1000000, 0);
        node->config.drain_timeout_ns = 60 * NS_PER_S;
        node->config.forces = true;
        world_start(&world, 0);
        run_to(WORLD_REBOOT);
        assert_int_equal(world_count(&world, WORLD_CORDON), 1);
        finish();
}

static void r37_refused_for_ever(void **state) {
        struct world_node *node = start_wanted(1, 1);
        int64_t drained_ns;

        (void)state;
        add_pod(0, 1000000, 0);
        node->config.drain_timeout_ns = 60 * NS_PER_S;
        world_start(&world, 0);
        run_to(WORLD_DRAINING);
        drained_ns = world.now.mono.ns;
        run_to(WORLD_ROLLBACK);
        assert_in_range((world.now.mono.ns - drained_ns) / NS_PER_S, 59, 61);
        finish();
}

/* ---- crashes ---- */

static void r53_killed_after_the_taint(void **state) {
        (void)state;
        start_wanted(1, 1);
        world_start(&world, 0);
        run_to(WORLD_TAINT);
        restart();
        run_to(WORLD_REBOOT);
        assert_int_equal(world_count(&world, WORLD_TAINT), 1);
        ends_clean();
}

static void r54_killed_after_the_lock(void **state) {
        struct world_node *node = start_wanted(1, 1);

        (void)state;
        world_start(&world, 0);
        run_to(WORLD_LOCK);
        world_kill(&world, 0);
        node->blocker = SLICE_LITERAL("pod ns/batch"); /* came in between: checked again */
        world_start(&world, 0);
        run_to(WORLD_ROLLBACK);
        assert_int_equal(world_count(&world, WORLD_CORDON), 0);
        node->blocker = SLICE_EMPTY;
        run_to(WORLD_REBOOT);
        ends_clean();
}

static void r55_killed_after_the_cordon(void **state) {
        (void)state;
        start_wanted(1, 1);
        add_pod(0, 2, 3);
        world_start(&world, 0);
        run_to(WORLD_CORDON);
        restart();
        run_to(WORLD_REBOOT);
        assert_int_equal(world_count(&world, WORLD_CORDON), 1);
        assert_int_equal(world_count(&world, WORLD_UNCORDON), 0);
        assert_false(notices_have("rebooted"));
        ends_clean();
}

static void r56_killed_in_the_drain_need_gone(void **state) {
        struct world_node *node = start_wanted(1, 1);

        (void)state;
        add_pod(0, 1000000, 0);
        world_start(&world, 0);
        run_to(WORLD_EVICT);
        world_kill(&world, 0);
        node->is_required = false;
        world_start(&world, 0);
        world_run(&world, 10);
        assert_true(world_is_clean(&world));
        assert_false(notices_have("rebooted"));
        finish();
}

/* The host lost power in the drain and is back in another boot: that was the reboot. */
static void booted_in_the_drain(void **state) {
        struct world_node *node = start_wanted(1, 1);

        (void)state;
        add_pod(0, 1000000, 0);
        world_start(&world, 0);
        run_to(WORLD_DRAINING);
        world_kill(&world, 0);
        node->boot++;
        node->is_required = false;
        world_start(&world, 0);
        world_run(&world, 60);
        assert_int_equal(world_count(&world, WORLD_RELEASING), 1);
        assert_int_equal(world_count(&world, WORLD_ROLLBACK), 0); /* nothing failed */
        assert_true(notices_have("rebooted"));
        ends_clean();
}

/* kured's lock without a record: a node that was cordoned before stays so. */
static void old_lock_of_a_cordoned_node(void **state) {
        struct world_node *node;

        (void)state;
        world_init(&world, 1, 1);
        node = &world.nodes[0];
        node->config.uncordon_message = SLICE_LITERAL("uncordoned %s");
        cordon_before(node);
        world_set_lock(&world, "{\"nodeID\":\"n1\",\"metadata\":{\"unschedulable\":true},"
                               "\"created\":\"2023-11-14T22:00:00Z\",\"TTL\":0}");
        world_start(&world, 0);
        world_run(&world, 60);
        assert_string_equal(world_story(&world), "Releasing\nunlock\nIdle\n");
        assert_true(world_is_cordoned(&world, 0));
        assert_int_equal(world.notices.len, 0);
        finish();
}

static void r57_killed_after_the_order(void **state) {
        struct world_node *node = start_wanted(1, 1);

        (void)state;
        node->host_hangs = true;
        world_start(&world, 0);
        run_to(WORLD_REBOOT);
        restart();
        world_run(&world, 590);
        assert_int_equal(world_count(&world, WORLD_REBOOT), 1);
        assert_int_equal(world_count(&world, WORLD_ROLLBACK), 0);
        run_to(WORLD_ROLLBACK);
        finish();
}

static void r58_killed_before_the_release(void **state) {
        unsigned notices = 0;
        const char *at;

        (void)state;
        start_wanted(1, 1);
        world_start(&world, 0);
        run_to(WORLD_RELEASING);
        assert_true(lock_has("n1"));
        restart();
        run_to(WORLD_UNLOCK);
        world_run(&world, 60);
        for (at = world.notices.data; (at = strstr(at, "uncordoned")); at++)
                notices++;
        assert_true(notices <= 1);
        ends_clean();
}

static void r59_lock_lost_while_away(void **state) {
        struct world_node *node = start_wanted(2, 1);

        (void)state;
        node->config.lock_ttl_ns = 10 * NS_PER_S;
        world_start(&world, 0);
        run_to(WORLD_REBOOT);
        world_set_lock(&world, OWNER("n2", "2023-11-14T22:13:00Z", "0"));
        world_run(&world, 120);
        assert_int_equal(node->boot, 1);
        assert_false(world_is_cordoned(&world, 0));
        assert_true(slice_is(world_lock(&world), OWNER("n2", "2023-11-14T22:13:00Z", "0")));
        finish();
}

static void r60_sentinel_still_there(void **state) {
        struct world_node *node = start_wanted(1, 1);

        (void)state;
        node->clears_need = false;
        node->config.attempts_max = 3;
        world_start(&world, 0);
        world_run(&world, 7200);
        assert_int_equal(node->boot, 3);
        assert_false(world_is_cordoned(&world, 0));
        assert_int_equal(world_lock(&world).len, 0);
        assert_true(slice_contains(world_annotation(&world, 0, RECORD),
                                   SLICE_LITERAL("gave up after 3 attempts: the host was "
                                                 "rebooted, and its sentinel still asks")));
        finish();
}

static void r61_api_away_after_boot(void **state) {
        (void)state;
        start_wanted(1, 1);
        world_start(&world, 0);
        run_to(WORLD_REBOOT);
        world.api_is_down = true;
        world_run(&world, 1200);
        world.api_is_down = false;
        run_to(WORLD_UNCORDON);
        ends_clean();
}

static void api_away_at(enum world_event event) {
        start_wanted(1, 1);
        add_pod(0, 1, 5);
        world_start(&world, 0);
        run_to(event);
        world.api_is_down = true;
        world_run(&world, 180);
        assert_int_equal(world_count(&world, WORLD_REBOOT), 0);
        world.api_is_down = false;
        run_to(WORLD_REBOOT);
        ends_clean();
}

static void r62_api_away_in_the_drain(void **state) {
        (void)state;
        api_away_at(WORLD_EVICT);
}

static void r63_api_away_when_ready(void **state) {
        (void)state;
        api_away_at(WORLD_READY);
}

static void r64_lock_deleted_in_the_drain(void **state) {
        for (int is_taken = 0; is_taken < 2; is_taken++) {
                struct world_node *node = start_wanted(1, 1);

                (void)state;
                add_pod(0, 20, 0);
                node->config.drain_timeout_ns = 600 * NS_PER_S;
                world_start(&world, 0);
                run_to(WORLD_EVICT);
                world_set_lock(&world, is_taken ? OWNER("n2", "2023-11-14T22:13:00Z", "0") : NULL);
                run_to(is_taken ? WORLD_ROLLBACK
                                : WORLD_REBOOT); /* the world checks that no reboot is unlocked */
                assert_int_equal(world_count(&world, WORLD_REBOOT), !is_taken);
                finish();
        }
}

static void r65_uncordoned_by_others(void **state) {
        struct world_node *node = start_wanted(1, 1);

        (void)state;
        node->config.reboot_delay_ns = 60 * NS_PER_S;
        world_start(&world, 0);
        run_to(WORLD_READY);
        node_remove(node_get(json_tree_root(node->object), "spec"), "unschedulable");
        add_pod(0, 0, 0);
        run_to(WORLD_EVICT); /* cordoned and drained again */
        assert_true(world_is_cordoned(&world, 0));
        assert_int_equal(world_count(&world, WORLD_REBOOT), 0);
        run_to(WORLD_REBOOT);
        ends_clean();
}

/* A pod that came just before the cordon is missing in a copy of the cluster, but not in a list. */
static void evicts_what_a_copy_misses(void **state) {
        struct world_node *node = start_wanted(1, 1);

        (void)state;
        node->copy_is_behind = true;
        node->config.drain_timeout_ns = 600 * NS_PER_S;
        add_pod(0, 3, 5);
        world_start(&world, 0);
        run_to(WORLD_READY);
        assert_false(node->pods[0].is_there);
        add_pod(0, 0, 0);
        run_to(WORLD_REBOOT);
        assert_false(node->pods[0].is_there);
        ends_clean();
}

static void r66_wall_clock_steps(void **state) {
        (void)state;
        for (int64_t step = -7200; step <= 7200; step += 14400) {
                struct world_node *node = start_wanted(1, 1);

                node->config.lock_ttl_ns = 1800 * NS_PER_S;
                node->config.reboot_delay_ns = 60 * NS_PER_S;
                add_pod(0, 2, 0);
                world_start(&world, 0);
                run_to(WORLD_EVICT);
                world.now.wall.ns += step * NS_PER_S;
                run_to(WORLD_READY);
                world_run(&world, 55);
                assert_int_equal(world_count(&world, WORLD_REBOOT), 0);
                run_to(WORLD_REBOOT);
                assert_true(lock_has("n1"));
                ends_clean();
        }
}

static void r67_holders_clock_ahead(void **state) {
        (void)state;
        assert_false(takes(OWNER("n2", "2023-11-14T22:23:20Z", "60000000000"), 1));
        finish();
}

static void r68_reboot_fails(void **state) {
        struct world_node *node = start_wanted(1, 1);
        int64_t at[4];

        (void)state;
        node->reboot_fails = true;
        node->config.period_ns = 10 * NS_PER_S;
        world_start(&world, 0);
        for (int i = 0; i < 4; i++) {
                run_to(WORLD_REBOOT);
                at[i] = world.now.mono.ns / NS_PER_S;
                run_to(WORLD_ROLLBACK);
        }
        assert_in_range(at[1] - at[0], 60, 75);
        assert_in_range(at[2] - at[1], 120, 140);
        assert_in_range(at[3] - at[2], 240, 260);
        node->reboot_fails = false;
        ends_clean();
}

static void r69_host_stays_up(void **state) {
        struct world_node *node = start_wanted(1, 1);

        (void)state;
        node->host_hangs = true;
        world_start(&world, 0);
        run_to(WORLD_REBOOT);
        run_to(WORLD_ROLLBACK);
        assert_non_null(strstr(world.events, "RebootRolledBack"));
        assert_false(world_is_cordoned(&world, 0));
        finish();
}

static void r74_node_recreated(void **state) {
        (void)state;
        world_init(&world, 1, 1);
        world_set_lock(&world, OWNER("n1", "2023-11-14T22:00:00Z", "0"));
        world_start(&world, 0);
        world_run(&world, 10);
        assert_true(world_is_clean(&world));
        finish();
}

/* ---- fleets ---- */

/* A node with kured, as far as others see it: takes a free slot the way kured does, keeps it while
 * it is away, and gives it back. */
struct kured_node {
        const char *name;
        bool is_holder;
        int64_t until_s;
};

static void kured_pass(struct kured_node *kured, uint32_t limit) {
        CLEANUP(arena_release) struct arena arena;
        struct reboot_lock lock, next;
        struct buf text = { 0 };
        int64_t now_s = world.now.mono.ns / NS_PER_S;

        arena_init(&arena, 0);
        if (kured->is_holder && now_s < kured->until_s)
                return;
        assert_int_equal(reboot_lock_parse(world_lock(&world), world_lock(&world).len > 0, &arena,
                                           &lock, NULL),
                         0);
        if (kured->is_holder)
                reboot_lock_drop(&lock, slice_of(kured->name), &arena, &next);
        else if (lock.count >= limit ||
                 !reboot_lock_take(&lock,
                                   &(struct lock_claim){ .owner = { slice_of(kured->name), false,
                                                                    world.now.wall, 0 },
                                                         .limit = limit },
                                   world.now.wall, &arena, &next))
                return;
        kured->is_holder = !kured->is_holder;
        kured->until_s = now_s + 90;
        reboot_lock_print(&next, limit, &text);
        world_set_lock(&world, text.data);
        buf_release(&text);
}

static unsigned away(const struct kured_node *kured, size_t count) {
        unsigned n = 0;

        for (size_t i = 0; i < count; i++)
                n += kured[i].is_holder;
        for (size_t i = 0; i < world.node_count; i++)
                n += world_is_cordoned(&world, i);
        return n;
}

static void r75_mixed_fleet(void **state) {
        struct kured_node kured[3] = { { .name = "k1" }, { .name = "k2" }, { .name = "k3" } };
        unsigned most = 0;

        (void)state;
        world_init(&world, 4, 2);
        for (size_t i = 0; i < 4; i++) {
                world.nodes[i].config.period_ns = 10 * NS_PER_S;
                world.nodes[i].is_required = true;
                world_start(&world, i);
        }
        for (int s = 0; s < 3600; s++) {
                if (s % 60 == 0 && s < 1800)
                        world.nodes[(s / 60) % 4].is_required = true;
                for (size_t i = 0; i < 3 && s < 1800; i++)
                        if (s % 7 == (int)i)
                                kured_pass(&kured[i], 2);
                for (size_t i = 0; i < 3 && s >= 1800; i++)
                        if (kured[i].is_holder)
                                kured_pass(&kured[i], 2);
                world_run(&world, 1);
                if (away(kured, 3) > most)
                        most = away(kured, 3);
        }
        assert_int_equal(most, 2);
        for (size_t i = 0; i < 4; i++)
                assert_true(world.nodes[i].boot >= 1);
        ends_clean();
}

static void r77_fifty_nodes(void **state) {
        (void)state;
        world_init(&world, 50, 3);
        rng_init(&world.rng, 77);
        for (size_t i = 0; i < world.node_count; i++) {
                world.nodes[i].is_required = true;
                add_pod(i, 1, 3);
                world_start(&world, i);
        }
        world.kills = 30;
        world_run(&world, 3 * 3600);
        world.kills = 0;
        for (size_t i = 0; i < world.node_count; i++)
                if (!world.nodes[i].agent && world.nodes[i].boots_at == 0)
                        world_start(&world, i);
        world_run(&world, 3600);
        for (size_t i = 0; i < world.node_count; i++)
                assert_true(world.nodes[i].boot >= 1);
        assert_true(world_is_clean(&world)); /* the limit is checked at every write */
        finish();
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(r13_blocker_flaps),
                cmocka_unit_test(r14_taint_removed_by_hand),
                cmocka_unit_test(takes_its_former_taint_along),
                cmocka_unit_test(r15_sentinel_disappears),
                cmocka_unit_test(r16_window_closes),
                cmocka_unit_test(r19_lock_held),
                cmocka_unit_test(r20_lock_expired),
                cmocka_unit_test(r21_lock_not_yet_expired),
                cmocka_unit_test(r22_pause_by_hand),
                cmocka_unit_test(r23_multiple_form_with_limit_1),
                cmocka_unit_test(r24_single_form_counts_as_one),
                cmocka_unit_test(r25_lowered_limit),
                cmocka_unit_test(r26_own_expired_entry),
                cmocka_unit_test(r27_unreadable_lock),
                cmocka_unit_test(r30_fields_unknown_to_us),
                cmocka_unit_test(r31_holder_is_gone),
                cmocka_unit_test(r32_cordoned_before),
                cmocka_unit_test(r33_cordoned_before_and_drain_fails),
                cmocka_unit_test(r34_drain_fails),
                cmocka_unit_test(r35_drain_fails_with_force),
                cmocka_unit_test(r37_refused_for_ever),
                cmocka_unit_test(r53_killed_after_the_taint),
                cmocka_unit_test(r54_killed_after_the_lock),
                cmocka_unit_test(r55_killed_after_the_cordon),
                cmocka_unit_test(r56_killed_in_the_drain_need_gone),
                cmocka_unit_test(booted_in_the_drain),
                cmocka_unit_test(old_lock_of_a_cordoned_node),
                cmocka_unit_test(r57_killed_after_the_order),
                cmocka_unit_test(r58_killed_before_the_release),
                cmocka_unit_test(r59_lock_lost_while_away),
                cmocka_unit_test(r60_sentinel_still_there),
                cmocka_unit_test(r61_api_away_after_boot),
                cmocka_unit_test(r62_api_away_in_the_drain),
                cmocka_unit_test(r63_api_away_when_ready),
                cmocka_unit_test(r64_lock_deleted_in_the_drain),
                cmocka_unit_test(r65_uncordoned_by_others),
                cmocka_unit_test(evicts_what_a_copy_misses),
                cmocka_unit_test(r66_wall_clock_steps),
                cmocka_unit_test(r67_holders_clock_ahead),
                cmocka_unit_test(r68_reboot_fails),
                cmocka_unit_test(r69_host_stays_up),
                cmocka_unit_test(r74_node_recreated),
                cmocka_unit_test(r75_mixed_fleet),
                cmocka_unit_test(r77_fifty_nodes),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
