/* Roles over the embedded cluster in one process: what they write, counted. */
#include "role_world.h"

#include "control/control.h"
#include "model/cluster.h"
#include "sched/scheduler.h"
#include "server/api_server.h"
#include <stdio.h>

#define ITERATIONS_MAX 20000

static void run_until(struct role_world *world, bool (*is_done)(struct role_world *world)) {
        struct err err = { 0 };

        for (int i = 0; i < ITERATIONS_MAX && !is_done(world); i++)
                assert_int_equal(event_loop_run_once(world->events, 10 * NS_PER_MS, &err), 0);
        assert_true(is_done(world));
}

static bool is_settled(struct role_world *world) {
        return control_is_settled(sandbox_control(world->sandbox)) &&
               runtime_is_idle(world->runtime);
}

static int set_up(void **state) {
        struct role_world *world = xcalloc(1, sizeof(*world));
        struct err err = { 0 };

        role_world_init(world, NULL);
        assert_int_equal(control_add_nodes(sandbox_control(world->sandbox), 3, NULL, &err), 0);
        role_world_start(world, sandbox_transport(world->sandbox, &api_user_scheduler, "test"),
                         NULL);
        run_until(world, is_settled);
        *state = world;
        return 0;
}

static int tear_down(void **state) {
        role_world_release(*state);
        free(*state);
        return 0;
}

static void create_pod(struct role_world *world, const char *name, const char *cpu) {
        struct err err = { 0 };
        char text[512];

        snprintf(text, sizeof(text),
                 "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\"},"
                 "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{"
                 "\"requests\":{\"cpu\":\"%s\"}}}]}}",
                 name, cpu);
        if (sandbox_import_text(world->import, slice_of(text), &err) < 0)
                fail_msg("%s", err.text);
}

static struct runtime_stats stats_of(struct role_world *world) {
        struct runtime_stats stats;

        runtime_stats(world->runtime, &stats);
        return stats;
}

static bool is_placed(struct role_world *world) {
        struct scheduler_stats stats;

        scheduler_stats(world->scheduler, &stats);
        return stats.scheduled == 12 && is_settled(world);
}

static void binds_once_per_pod(void **state) {
        struct role_world *world = *state;
        struct err err = { 0 };

        for (int i = 0; i < 12; i++) {
                char name[16];

                snprintf(name, sizeof(name), "p-%d", i);
                create_pod(world, name, "500m");
        }
        run_until(world, is_placed);
        assert_int_equal(stats_of(world).writes[ACTION_BIND], 12);
        assert_int_equal(stats_of(world).writes[ACTION_POD_STATUS], 0);
        assert_int_equal(stats_of(world).failures[ACTION_BIND], 0);
        assert_int_equal(cluster_check(runtime_cluster(world->runtime), &err), 0);
}

static bool has_failed(struct role_world *world) {
        return stats_of(world).writes[ACTION_POD_STATUS] > 0 && is_settled(world);
}

static bool has_four_nodes(struct role_world *world) {
        return cluster_node_count(runtime_cluster(world->runtime)) == 4 && is_settled(world);
}

/* A failure is written once, and a node that is too small as well is no reason to try again. */
static void writes_a_failure_once(void **state) {
        struct scheduler_stats before, after;
        struct role_world *world = *state;
        struct err err = { 0 };

        create_pod(world, "giant", "500");
        run_until(world, has_failed);
        assert_int_equal(stats_of(world).writes[ACTION_POD_STATUS], 1);
        scheduler_stats(world->scheduler, &before);
        assert_int_equal(control_add_nodes(sandbox_control(world->sandbox), 1, NULL, &err), 0);
        run_until(world, has_four_nodes);
        scheduler_stats(world->scheduler, &after);
        assert_int_equal(after.decisions, before.decisions);
        assert_int_equal(stats_of(world).writes[ACTION_POD_STATUS], 1);
}

static void create_important_pod(struct role_world *world) {
        static const char class[] =
                "{\"apiVersion\":\"scheduling.k8s.io/v1\",\"kind\":\"PriorityClass\","
                "\"metadata\":{\"name\":\"high\"},\"value\":1000}";
        static const char text[] =
                "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"important\"},"
                "\"spec\":{\"priorityClassName\":\"high\",\"containers\":[{\"name\":\"c\","
                "\"image\":\"i\","
                "\"resources\":{\"requests\":{\"cpu\":\"6\"}}}]}}";
        struct err err = { 0 };

        if (sandbox_import_text(world->import, slice_of(class), &err) < 0 ||
            sandbox_import_text(world->import, slice_of(text), &err) < 0)
                fail_msg("%s", err.text);
}

static bool has_three(struct role_world *world) {
        return stats_of(world).writes[ACTION_BIND] == 3 && is_settled(world);
}

static bool has_preempted(struct role_world *world) {
        return stats_of(world).writes[ACTION_BIND] == 4 && is_settled(world);
}

/* A victim costs a condition and a deletion, the preemptor one write of both condition and
 * nomination, and one binding. */
static void preempts_with_four_calls(void **state) {
        struct role_world *world = *state;

        create_pod(world, "p-0", "6");
        create_pod(world, "p-1", "6");
        create_pod(world, "p-2", "6");
        run_until(world, has_three);
        create_important_pod(world);
        run_until(world, has_preempted);
        assert_int_equal(stats_of(world).writes[ACTION_POD_STATUS], 2);
        assert_int_equal(stats_of(world).writes[ACTION_DELETE_POD], 1);
        assert_int_equal(stats_of(world).writes[ACTION_BIND], 3 + 1);
        assert_int_equal(stats_of(world).failures[ACTION_POD_STATUS], 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(binds_once_per_pod, set_up, tear_down),
                cmocka_unit_test_setup_teardown(writes_a_failure_once, set_up, tear_down),
                cmocka_unit_test_setup_teardown(preempts_with_four_calls, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
