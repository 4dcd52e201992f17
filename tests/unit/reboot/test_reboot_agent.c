/* The machine of states: single stories, a crash after every action, and random faults under which
 * the invariants must hold at every write and everything must end clean. */
#include "reboot_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* A reboot from beginning to end, a write or an order a line. */
static const char whole_story[] = "taint, Wanted\n"
                                  "lock\n"
                                  "Claimed\n"
                                  "cordon, Draining\n"
                                  "evict\n"
                                  "Ready\n"
                                  "Rebooting\n"
                                  "reboot\n"
                                  "untaint, uncordon, Releasing\n"
                                  "unlock\n"
                                  "Idle\n";
#define WHOLE_STEPS 11

static struct world *world_new(size_t nodes, uint32_t limit) {
        static struct world world;

        world_init(&world, nodes, limit);
        return &world;
}

static void finish(struct world *world) {
        if (world->problem[0])
                fail_msg("%s", world->problem);
        world_release(world);
}

static void add_pod(struct world *world, size_t node, int refusals, int dying_s) {
        world->nodes[node].pods[0] = (struct world_pod){ .ns = SLICE_LITERAL("ns"),
                                                         .name = SLICE_LITERAL("web"),
                                                         .uid = "u-1",
                                                         .is_there = true,
                                                         .refusals = refusals,
                                                         .dying_s = dying_s,
                                                         .deleted = WALL_TIME_UNSET };
}

/* Acceptance 7 */
static void rests_without_need(void **state) {
        struct world *world = world_new(1, 1);

        (void)state;
        world_start(world, 0);
        world_run(world, 600);
        assert_string_equal(world_story(world), "");
        finish(world);
}

/* Acceptance 9: taint, lock, cordon, evictions, reboot, and all the way back. */
static void reboots_in_order(void **state) {
        struct world *world = world_new(1, 1);

        (void)state;
        add_pod(world, 0, 0, 3);
        world->nodes[0].is_required = true;
        world_start(world, 0);
        world_run(world, 300);
        assert_string_equal(world_story(world), whole_story);
        assert_true(world_is_clean(world));
        assert_string_equal(world->notices.data, "Draining node n1\nRebooting node n1\n"
                                                 "Node n1 rebooted & uncordoned successfully!\n");
        finish(world);
}

/* Acceptance 10 */
static void does_without_taint(void **state) {
        struct world *world = world_new(1, 1);

        (void)state;
        world->nodes[0].config.taint_key = SLICE_EMPTY;
        world->nodes[0].is_required = true;
        world_start(world, 0);
        world_run(world, 300);
        assert_string_equal(world_story(world), "Wanted\n"
                                                "lock\n"
                                                "Claimed\n"
                                                "cordon, Draining\n"
                                                "Ready\n"
                                                "Rebooting\n"
                                                "reboot\n"
                                                "uncordon, Releasing\n"
                                                "unlock\n"
                                                "Idle\n");
        finish(world);
}

/* Acceptance 11, 13, 14, 15: the taint comes before blockers are asked, once, and goes with the
 * need. */
static void taints_while_blocked(void **state) {
        struct world *world = world_new(1, 1);

        (void)state;
        world->nodes[0].is_required = true;
        world->nodes[0].blocker = SLICE_LITERAL("pod ns/batch");
        world_start(world, 0);
        world_run(world, 100);
        assert_string_equal(world_story(world), "taint, Wanted\n"
                                                "Blocked\n");
        for (int i = 0; i < 10; i++) { /* somebody else holds the lock whenever it is clear */
                world_set_lock(world, "{\"nodeID\":\"manual\"}");
                world->nodes[0].blocker = i % 2 ? SLICE_LITERAL("pod ns/batch") : SLICE_EMPTY;
                world_run(world, 61);
        }
        assert_int_equal(world_count(world, WORLD_TAINT), 1);
        assert_int_equal(world_count(world, WORLD_UNTAINT), 0);
        world->nodes[0].is_required = false;
        world_run(world, 61);
        world_set_lock(world, NULL);
        assert_true(world_is_clean(world));
        finish(world);
}

/* Acceptance 32, 33 */
static void leaves_foreign_cordons(void **state) {
        for (int fails = 0; fails < 2; fails++) {
                struct world *world = world_new(1, 1);
                struct world_node *node = &world->nodes[0];

                (void)state;
                node->was_cordoned = true;
                node_put_bool(node->object, node_get(json_tree_root(node->object), "spec"),
                              "unschedulable", true);
                node->is_required = true;
                if (fails) {
                        add_pod(world, 0, 1000000, 0);
                        node->config.drain_timeout_ns = 60 * NS_PER_S;
                }
                world_start(world, 0);
                if (!fails) {
                        assert_true(world_run_until(world, WORLD_CLAIMED, 10));
                        assert_true(slice_contains(world_lock(world),
                                                   SLICE_LITERAL("\"unschedulable\":true")));
                }
                world_run(world, 100);
                assert_true(world_is_cordoned(world, 0));
                finish(world);
        }
}

/* Acceptance 36, 37: every 5 s, until the timeout; then rolled back, uncordoned first. */
static void gives_up_draining(void **state) {
        struct world *world = world_new(1, 1);

        (void)state;
        add_pod(world, 0, 1000000, 0);
        world->nodes[0].config.drain_timeout_ns = 60 * NS_PER_S;
        world->nodes[0].config.lock_release_delay_ns = 1800 * NS_PER_S;
        world->nodes[0].is_required = true;
        world_start(world, 0);
        world_run(world, 65);
        assert_string_equal(world_story(world), "taint, Wanted\n"
                                                "lock\n"
                                                "Claimed\n"
                                                "cordon, Draining\n"
                                                "evict, 12 times\n"
                                                "uncordon, Rollback\n"
                                                "unlock\n"
                                                "Wanted\n"
                                                "Blocked\n");
        assert_false(world_is_cordoned(world, 0));
        assert_int_equal(world_lock(world).len, 0);
        assert_int_equal(world->nodes[0].withdrawals, 1);
        finish(world);
}

/* Acceptance 35 */
static void forces_the_reboot(void **state) {
        struct world *world = world_new(1, 1);

        (void)state;
        add_pod(world, 0, 1000000, 0);
        world->nodes[0].config.drain_timeout_ns = 60 * NS_PER_S;
        world->nodes[0].config.forces = true;
        world->nodes[0].is_required = true;
        world_start(world, 0);
        assert_true(world_run_until(world, WORLD_REBOOT, 120));
        finish(world);
}

struct held_lock {
        const char *name, *text;
        int64_t ttl_s, age_s;
        uint32_t limit;
        bool is_taken;
};

/* Acceptance 19 to 27 */
static void judges_locks(void **state) {
        static const struct held_lock locks[] = {
                { "free", NULL, 0, 0, 1, true },
                { "manual", "{\"nodeID\":\"manual\"}", 0, 0, 1, false },
                { "manual, limit 3", "{\"nodeID\":\"manual\"}", 0, 0, 3, false },
                { "empty multiple, limit 1", "{\"maxOwners\":2,\"locks\":[]}", 0, 0, 1, true },
                { "null list", "{\"maxOwners\":2,\"locks\":null}", 0, 0, 2, true },
                { "live single", "{\"nodeID\":\"x\",\"created\":\"2023-11-14T22:00:00Z\"}", 0, 0, 1,
                  false },
                { "live single, limit 2",
                  "{\"nodeID\":\"x\",\"created\":\"2023-11-14T22:00:00Z\",\"TTL\":0}", 0, 0, 2,
                  true },
                { "expired", /* 31 minutes old */
                  "{\"nodeID\":\"x\",\"created\":\"2023-11-14T21:42:20Z\",\"TTL\":1800000000000}",
                  0, 0, 1, true },
                { "29 minutes", /* of 30 */
                  "{\"nodeID\":\"x\",\"created\":\"2023-11-14T21:44:20Z\",\"TTL\":1800000000000}",
                  0, 0, 1, false },
                { "ahead of our clock",
                  "{\"nodeID\":\"x\",\"created\":\"2023-11-14T22:23:20Z\",\"TTL\":1}", 0, 0, 1,
                  false },
                { "lowered limit",
                  "{\"maxOwners\":3,\"locks\":[{\"nodeID\":\"a\",\"created\":\"2023-11-14T21:00:"
                  "00Z\",\"TTL\":1},{\"nodeID\":\"b\",\"created\":\"2023-11-14T21:00:00Z\"},"
                  "{\"nodeID\":\"c\",\"created\":\"2023-11-14T21:00:00Z\"}]}",
                  0, 0, 2, false },
                { "empty text", "", 0, 0, 1, false },
                { "bad lifetime", "{\"nodeID\":\"x\",\"TTL\":\"30m\"}", 0, 0, 1, false },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++) {
                struct world *world = world_new(1, locks[i].limit);

                world_set_lock(world, locks[i].text);
                world->nodes[0].is_required = true;
                world_start(world, 0);
                if (world_run_until(world, WORLD_LOCK, 10) != locks[i].is_taken)
                        fail_msg("%s", locks[i].name);
                if (!locks[i].is_taken)
                        assert_true(slice_is(world_lock(world), locks[i].text));
                finish(world);
        }
}

/* Acceptance 31 */
static void steals_from_the_dead(void **state) {
        struct world *world = world_new(2, 1);

        (void)state;
        json_tree_free(world->nodes[1].object);
        world->nodes[1].object = NULL;
        world_set_lock(world, "{\"nodeID\":\"n2\",\"created\":\"2023-11-14T22:00:00Z\",\"TTL\":0}");
        world->nodes[0].is_required = true;
        world_start(world, 0);
        world_run(world, 590);
        assert_true(slice_contains(world_lock(world), SLICE_LITERAL("n2")));
        world_run(world, 300);
        assert_true(world_is_clean(world));
        assert_true(world_count(world, WORLD_REBOOT) > 0);
        finish(world);
}

/* Acceptance 53 to 58: killed after every action in turn, the story still ends well, and once. */
static void survives_every_crash(void **state) {
        (void)state;
        for (size_t at = 1; at <= WHOLE_STEPS; at++) {
                struct world *world = world_new(1, 1);

                add_pod(world, 0, 0, 3);
                world->nodes[0].is_required = true;
                world_start(world, 0);
                while (world->step_count < at)
                        assert_true(world_run_until(world, WORLD_ANYTHING, 300));
                if (world->nodes[0].agent)
                        world_kill(world, 0);
                world_run(world, 20);
                if (!world->nodes[0].agent && world->nodes[0].boots_at == 0)
                        world_start(world, 0);
                world_run(world, 1500);
                if (!world_is_clean(world) || world_count(world, WORLD_REBOOT) == 0)
                        fail_msg("killed after step %zu:\n%s", at, world_story(world));
                assert_true(world_count(world, WORLD_UNCORDON) <= 2);
                finish(world);
        }
}

/* Acceptance 57, 69: the order was given, the host stays up. */
static void waits_out_a_host_that_stays(void **state) {
        struct world *world = world_new(1, 1);

        (void)state;
        world->nodes[0].host_hangs = true;
        world->nodes[0].is_required = true;
        world_start(world, 0);
        assert_true(world_run_until(world, WORLD_REBOOT, 60));
        world_kill(world, 0);
        world_start(world, 0);
        world_run(world, 590);
        assert_string_equal(world_story(world), "taint, Wanted\n"
                                                "lock\n"
                                                "Claimed\n"
                                                "cordon, Draining\n"
                                                "Ready\n"
                                                "Rebooting\n"
                                                "reboot\n");
        world_run(world, 20);
        assert_string_equal(world_story(world), "taint, Wanted\n"
                                                "lock\n"
                                                "Claimed\n"
                                                "cordon, Draining\n"
                                                "Ready\n"
                                                "Rebooting\n"
                                                "reboot\n"
                                                "uncordon, Rollback\n"
                                                "unlock\n"
                                                "Wanted\n"
                                                "Blocked\n");
        finish(world);
}

/* Acceptance 68: failures back off, twice as long each time. */
static void backs_off(void **state) {
        struct world *world = world_new(1, 1);

        (void)state;
        world->nodes[0].reboot_fails = true;
        world->nodes[0].is_required = true;
        world->nodes[0].config.period_ns = 10 * NS_PER_S;
        world_start(world, 0);
        world_run(world, 60 + 120 + 240 + 100);
        assert_int_equal(world_count(world, WORLD_REBOOT), 4);
        finish(world);
}

/* Acceptance 59 */
static void comes_back_without_the_lock(void **state) {
        struct world *world = world_new(2, 1);

        (void)state;
        world->nodes[0].is_required = true;
        world_start(world, 0);
        assert_true(world_run_until(world, WORLD_REBOOT, 60));
        world_set_lock(world, "{\"nodeID\":\"n2\",\"created\":\"2023-11-14T22:00:00Z\",\"TTL\":0}");
        world_run(world, 120);
        assert_false(world_is_cordoned(world, 0));
        assert_true(slice_contains(world_lock(world), SLICE_LITERAL("n2")));
        finish(world);
}

/* Acceptance 60 */
static void stops_fruitless_reboots(void **state) {
        struct world *world = world_new(1, 1);
        unsigned boots;

        (void)state;
        world->nodes[0].clears_need = false;
        world->nodes[0].config.attempts_max = 3;
        world->nodes[0].is_required = true;
        world_start(world, 0);
        world_run(world, 5000);
        boots = (unsigned)world->nodes[0].boot;
        assert_int_equal(boots, 3);
        assert_false(world_is_cordoned(world, 0));
        assert_int_equal(world_lock(world).len, 0);
        finish(world);
}

/* Acceptance 61 */
static void outlasts_the_api(void **state) {
        struct world *world = world_new(1, 1);

        (void)state;
        world->nodes[0].is_required = true;
        world_start(world, 0);
        assert_true(world_run_until(world, WORLD_REBOOT, 60));
        world->api_is_down = true;
        world_run(world, 1200);
        assert_true(world_is_cordoned(world, 0));
        world->api_is_down = false;
        world_run(world, 130);
        assert_true(world_is_clean(world));
        finish(world);
}

/* Acceptance 64, 65 */
static void notices_interference(void **state) {
        struct world *world = world_new(1, 1);

        (void)state;
        world->nodes[0].config.reboot_delay_ns = 60 * NS_PER_S;
        world->nodes[0].is_required = true;
        world_start(world, 0);
        assert_true(world_run_until(world, WORLD_READY, 60));
        world_set_lock(world, "{\"nodeID\":\"n9\",\"created\":\"2023-11-14T22:00:00Z\"}");
        world_run(world, 120);
        assert_int_equal(world_count(world, WORLD_REBOOT), 0);
        assert_false(world_is_cordoned(world, 0));
        world_set_lock(world, NULL);
        assert_true(world_run_until(world, WORLD_READY, 240));
        node_remove(node_get(json_tree_root(world->nodes[0].object), "spec"), "unschedulable");
        world_run(world, 400);
        assert_true(world_is_clean(world));
        finish(world);
}

/* Acceptance 56 */
static void undoes_a_drain_no_longer_needed(void **state) {
        struct world *world = world_new(1, 1);

        (void)state;
        add_pod(world, 0, 1000000, 0);
        world->nodes[0].is_required = true;
        world_start(world, 0);
        assert_true(world_run_until(world, WORLD_EVICT, 60));
        world_kill(world, 0);
        world->nodes[0].is_required = false;
        world_start(world, 0);
        world_run(world, 10);
        assert_true(world_is_clean(world));
        finish(world);
}

/* Acceptance 74, and kured's own lock from before. */
static void releases_forgotten_locks(void **state) {
        struct world *world = world_new(1, 1);

        (void)state;
        world_set_lock(world, "{\"nodeID\":\"n1\",\"metadata\":{\"unschedulable\":false},"
                              "\"created\":\"2023-11-14T22:00:00Z\",\"TTL\":0}");
        node_put_bool(world->nodes[0].object,
                      node_get(json_tree_root(world->nodes[0].object), "spec"), "unschedulable",
                      true);
        world_start(world, 0);
        world_run(world, 10);
        assert_true(world_is_clean(world));
        finish(world);
}

/* --taint-ahead: of three that wait only the first two by name carry the taint. */
static void taints_few_ahead(void **state) {
        struct world *world = world_new(3, 1);

        (void)state;
        for (size_t i = 0; i < 3; i++) {
                world->nodes[i].config.taint_ahead = 2;
                world->nodes[i].is_required = true;
                world->nodes[i].blocker = SLICE_LITERAL("pod ns/batch");
                world_start(world, i);
        }
        world_run(world, 200);
        assert_true(world_has_taint(world, 0));
        assert_true(world_has_taint(world, 1));
        assert_false(world_has_taint(world, 2));
        world->nodes[0].is_required = false;
        world_run(world, 200);
        assert_true(world_has_taint(world, 2));
        finish(world);
}

static void holds_on_request(void **state) {
        struct world *world = world_new(1, 1);
        struct json_node *meta = node_get(json_tree_root(world->nodes[0].object), "metadata");

        (void)state;
        node_put_string(world->nodes[0].object,
                        node_need_object(world->nodes[0].object, meta, "annotations"),
                        "berth.dev/reboot-hold", "true");
        world->nodes[0].is_required = true;
        world_start(world, 0);
        world_run(world, 300);
        assert_string_equal(world_story(world), "taint, Wanted\n"
                                                "Blocked\n");
        node_remove(node_get(meta, "annotations"), "berth.dev/reboot-hold");
        world_run(world, 300);
        assert_true(world_is_clean(world));
        finish(world);
}

/* --parity: the taint comes only while somebody else holds the lock. */
static void taints_late_in_parity(void **state) {
        struct world *world = world_new(1, 1);

        (void)state;
        world->nodes[0].config.is_late_taint = true;
        world->nodes[0].blocker = SLICE_LITERAL("pod ns/batch");
        world->nodes[0].is_required = true;
        world_start(world, 0);
        world_run(world, 100);
        assert_string_equal(world_story(world), "Wanted\n"
                                                "Blocked\n");
        world->nodes[0].blocker = SLICE_EMPTY;
        world_set_lock(world, "{\"nodeID\":\"manual\"}");
        world_run(world, 100);
        assert_string_equal(world_story(world), "Wanted\n"
                                                "Blocked\n"
                                                "taint, Queued\n");
        finish(world);
}

/* Acceptance 8, 16: nothing happens outside the window; closing takes the taint away. */
static void keeps_to_the_window(void **state) {
        struct world *world = world_new(1, 1); /* the world begins at 22:13:20 */

        (void)state;
        world->nodes[0].config.window.start_s = 22 * 3600 + 15 * 60;
        world->nodes[0].config.window.end_s = 22 * 3600 + 20 * 60;
        world->nodes[0].blocker = SLICE_LITERAL("pod ns/batch");
        world->nodes[0].is_required = true;
        world_start(world, 0);
        world_run(world, 90);
        assert_string_equal(world_story(world), "");
        world_run(world, 300);
        assert_string_equal(world_story(world), "taint, Wanted\n"
                                                "Blocked\n");
        world_run(world, 120);
        assert_true(world_is_clean(world));
        finish(world);
}

/* Acceptance 29, 66 and more under random faults: two hours of them, then calm. */
static void keeps_invariants(void **state) {
        const char *wanted = getenv("BERTH_SEEDS"); /* more of them in the soak */
        uint64_t seeds = wanted ? strtoull(wanted, NULL, 10) : 60;

        (void)state;
        for (uint64_t seed = 1; seed <= seeds; seed++) {
                struct world *world = world_new(4, 1 + seed % 2);

                rng_init(&world->rng, seed);
                for (size_t i = 0; i < world->node_count; i++) {
                        struct world_node *node = &world->nodes[i];

                        node->is_required = true;
                        add_pod(world, i, (int)rng_below(&world->rng, 5), 3);
                        node->config.reboot_delay_ns =
                                (int64_t)rng_below(&world->rng, 20) * NS_PER_S;
                        node->config.lock_ttl_ns = seed % 3 ? 0 : 600 * NS_PER_S;
                        world_start(world, i);
                }
                world->conflicts = (unsigned)rng_below(&world->rng, 300);
                world->losses = (unsigned)rng_below(&world->rng, 200);
                world->read_failures = (unsigned)rng_below(&world->rng, 200);
                world->kills = (unsigned)rng_below(&world->rng, 200);
                for (int phase = 0; phase < 24; phase++) {
                        world_run(world, 300);
                        world->api_is_down = rng_below(&world->rng, 10) == 0;
                        if (rng_below(&world->rng, 8) == 0)
                                world->now.wall.ns +=
                                        ((int64_t)rng_below(&world->rng, 3) - 1) * 7200 * NS_PER_S;
                        if (rng_below(&world->rng, 6) == 0)
                                world->nodes[rng_below(&world->rng, 4)].is_required = true;
                }
                world->conflicts = world->losses = world->read_failures = 0;
                world->kills = 0;
                world->api_is_down = false;
                for (size_t i = 0; i < world->node_count; i++)
                        if (!world->nodes[i].agent && world->nodes[i].boots_at == 0)
                                world_start(world, i);
                world_run(world, 4 * 3600);
                if (world->problem[0] || !world_is_clean(world))
                        fail_msg("seed %llu: %s; lock " SLICE_FMT " n1 " SLICE_FMT,
                                 (unsigned long long)seed, world->problem,
                                 SLICE_ARG(world_lock(world)),
                                 SLICE_ARG(world_annotation(world, 0, "berth.dev/reboot")));
                finish(world);
        }
}

/* Acceptance 77: fifty nodes want it at once, three may; agents are killed all the time. */
static void reboots_a_fleet(void **state) {
        struct world *world = world_new(50, 3);

        (void)state;
        rng_init(&world->rng, 77);
        for (size_t i = 0; i < world->node_count; i++) {
                world->nodes[i].is_required = true;
                add_pod(world, i, 1, 3);
                world_start(world, i);
        }
        world->kills = 30;
        world_run(world, 3 * 3600);
        world->kills = 0;
        for (size_t i = 0; i < world->node_count; i++)
                if (!world->nodes[i].agent && world->nodes[i].boots_at == 0)
                        world_start(world, i);
        world_run(world, 3600);
        for (size_t i = 0; i < world->node_count; i++)
                assert_true(world->nodes[i].boot >= 1);
        assert_true(world_is_clean(world));
        finish(world);
}

/* Acceptance 62, 63: without the API nothing goes on; with it everything does. */
static void waits_for_the_api(void **state) {
        static const enum world_event at[] = { WORLD_EVICT, WORLD_READY };

        (void)state;
        for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
                struct world *world = world_new(1, 1);

                add_pod(world, 0, 1, 5);
                world->nodes[0].is_required = true;
                world_start(world, 0);
                assert_true(world_run_until(world, at[i], 60));
                world->api_is_down = true;
                world_run(world, 180);
                assert_int_equal(world_count(world, WORLD_REBOOT), 0);
                world->api_is_down = false;
                assert_true(world_run_until(world, WORLD_REBOOT, 120));
                world_run(world, 120);
                assert_true(world_is_clean(world));
                finish(world);
        }
}

/* Acceptance 66: a wall clock two hours off changes no delay, and no reboot happens twice. */
static void ignores_wall_clocks(void **state) {
        (void)state;
        for (int64_t step = -7200; step <= 7200; step += 14400) {
                struct world *world = world_new(1, 1);

                world->nodes[0].config.lock_ttl_ns = 1800 * NS_PER_S;
                world->nodes[0].config.reboot_delay_ns = 60 * NS_PER_S;
                world->nodes[0].is_required = true;
                world_start(world, 0);
                assert_true(world_run_until(world, WORLD_READY, 60));
                world_run(world, 30);
                world->now.wall.ns += step * NS_PER_S;
                world_run(world, 25);
                assert_int_equal(world_count(world, WORLD_REBOOT), 0);
                assert_true(world_run_until(world, WORLD_REBOOT, 60));
                world_run(world, 200);
                assert_true(world_is_clean(world));
                finish(world);
        }
}

/* Acceptance 30: what is not ours in the lock's object goes back as it came. */
static void keeps_foreign_fields(void **state) {
        struct world *world = world_new(1, 1);
        struct buf before = { 0 }, after = { 0 };

        (void)state;
        node_write(node_get(json_tree_root(world->lock_object), "spec"), &before);
        world->nodes[0].is_required = true;
        world_start(world, 0);
        world_run(world, 300);
        node_write(node_get(json_tree_root(world->lock_object), "spec"), &after);
        assert_string_equal(after.data, before.data);
        buf_release(&before);
        buf_release(&after);
        finish(world);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(rests_without_need),
                cmocka_unit_test(reboots_in_order),
                cmocka_unit_test(does_without_taint),
                cmocka_unit_test(taints_while_blocked),
                cmocka_unit_test(leaves_foreign_cordons),
                cmocka_unit_test(gives_up_draining),
                cmocka_unit_test(forces_the_reboot),
                cmocka_unit_test(judges_locks),
                cmocka_unit_test(steals_from_the_dead),
                cmocka_unit_test(survives_every_crash),
                cmocka_unit_test(waits_out_a_host_that_stays),
                cmocka_unit_test(backs_off),
                cmocka_unit_test(comes_back_without_the_lock),
                cmocka_unit_test(stops_fruitless_reboots),
                cmocka_unit_test(outlasts_the_api),
                cmocka_unit_test(notices_interference),
                cmocka_unit_test(undoes_a_drain_no_longer_needed),
                cmocka_unit_test(releases_forgotten_locks),
                cmocka_unit_test(taints_few_ahead),
                cmocka_unit_test(holds_on_request),
                cmocka_unit_test(taints_late_in_parity),
                cmocka_unit_test(keeps_to_the_window),
                cmocka_unit_test(reboots_a_fleet),
                cmocka_unit_test(waits_for_the_api),
                cmocka_unit_test(ignores_wall_clocks),
                cmocka_unit_test(keeps_foreign_fields),
                cmocka_unit_test(keeps_invariants),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
