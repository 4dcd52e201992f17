/* The descheduler between its passes, in virtual time: how soon it answers a change, that changes
 * which come together are answered together, that limits hold over all of it, and that rules about
 * time act when they fall due. */
#include "desched_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HOUR_NS (3600 * NS_PER_S)

#define POLICY(limits, plugin, args)                                                               \
        "{\"apiVersion\":\"descheduler/v1alpha2\",\"kind\":\"DeschedulerPolicy\"," limits          \
        "\"profiles\":[{\"name\":\"p\",\"pluginConfig\":[{\"name\":\"" plugin "\",\"args\":" args  \
        "}],\"plugins\":{\"deschedule\":{\"enabled\":[\"" plugin "\"]}}}]}"
#define FAILED_42 "{\"minPodLifetimeSeconds\":0,\"exitCodes\":[42]}"

static void open_world(struct desched_world *world, const char *policy, bool watches) {
        memset(world, 0, sizeof(*world));
        assert_true(desched_world_open(
                world, &(struct desched_world_config){
                               .policy = policy, .interval_ns = HOUR_NS, .watches = watches }));
}

static void add_pods(struct desched_world *world, unsigned count) {
        char name[16];

        for (unsigned i = 0; i < count; i++) {
                snprintf(name, sizeof(name), "p%u", i);
                assert_true(desched_world_add_pod(world, name));
        }
}

static void fail_pod(struct desched_world *world, unsigned number, int exit_code) {
        char name[16];

        snprintf(name, sizeof(name), "p%u", number);
        assert_true(desched_world_fail_pod(world, name, exit_code));
}

static void a_change_is_answered_within_a_second(void **state) {
        /* After how long, in nanoseconds: the pause for what comes with it at least. */
        static const struct {
                bool watches;
                int64_t least_ns, most_ns;
        } cases[] = { { true, 100 * NS_PER_MS, NS_PER_S }, { false, HOUR_NS / 4, HOUR_NS } };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct desched_world world;
                struct mono_time changed;

                open_world(&world, POLICY("", "RemoveFailedPods", FAILED_42), cases[i].watches);
                add_pods(&world, 2);
                desched_world_start(&world);
                desched_world_advance(&world, HOUR_NS / 2);
                assert_int_equal(world.eviction_count, 0);
                changed = loop_mono(world.loop);
                fail_pod(&world, 0, 1); /* not this one */
                fail_pod(&world, 1, 42);
                desched_world_advance(&world, HOUR_NS);
                assert_int_equal(world.eviction_count, 1);
                assert_in_range(world.evictions[0].ns - changed.ns, cases[i].least_ns,
                                cases[i].most_ns);
                desched_world_close(&world);
        }
}

/* Fifty pods fail within a tenth of a second: one look, or two, takes them all. */
static void changes_that_come_together_are_taken_together(void **state) {
        struct desched_world world;
        uint64_t passes, reactions;

        (void)state;
        open_world(&world, POLICY("", "RemoveFailedPods", FAILED_42), true);
        add_pods(&world, 50);
        desched_world_start(&world);
        desched_world_advance(&world, NS_PER_S);
        for (unsigned i = 0; i < 50; i++) {
                fail_pod(&world, i, 42);
                desched_world_advance(&world, 2 * NS_PER_MS);
        }
        desched_world_advance(&world, 800 * NS_PER_MS);
        desched_world_count(&world, &passes, &reactions);
        assert_int_equal(world.eviction_count, 50);
        assert_int_equal(passes, 1);
        assert_in_range(reactions, 1, 4); /* their deletions are changes, too */
        desched_world_close(&world);
}

/* However often it looks, a pass and what follows it share one set of limits. */
static void limits_hold_between_passes(void **state) {
        struct desched_world world;

        (void)state;
        open_world(&world, POLICY("\"maxNoOfPodsToEvictTotal\":3,", "RemoveFailedPods", FAILED_42),
                   true);
        add_pods(&world, 10);
        desched_world_start(&world);
        desched_world_advance(&world, NS_PER_S);
        for (unsigned i = 0; i < 10; i++) {
                fail_pod(&world, i, 42);
                desched_world_advance(&world, 60 * NS_PER_S);
        }
        assert_int_equal(world.eviction_count, 3);
        desched_world_advance(&world, HOUR_NS);
        assert_int_equal(world.eviction_count, 6);
        desched_world_close(&world);
}

static void deadline_is_met_exactly(void **state) {
        static const struct {
                const char *policy;
                int64_t due_s; /* after the creation */
        } cases[] = {
                { POLICY("", "PodLifeTime", "{\"maxPodLifeTimeSeconds\":600}"), 601 },
                { POLICY("", "PodLifecycle",
                         "{\"rules\":[{\"name\":\"old\",\"action\":\"Evict\",\"when\":{"
                         "\"olderThan\":\"700s\"}}]}"),
                  700 },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct desched_world world;
                int64_t created_ns;

                open_world(&world, cases[i].policy, true);
                desched_world_start(&world);
                desched_world_advance(&world, 90 * NS_PER_S);
                created_ns = loop_wall(world.loop).ns;
                add_pods(&world, 1);
                desched_world_advance(&world, HOUR_NS / 2);
                assert_int_equal(world.eviction_count, 1);
                created_ns -= loop_wall(world.loop).ns - loop_mono(world.loop).ns;
                assert_in_range(world.evictions[0].ns - created_ns, cases[i].due_s * NS_PER_S,
                                cases[i].due_s * NS_PER_S + NS_PER_S / 2);
                desched_world_close(&world);
        }
}

/* A finished pod's time to live, without any interval coming near. */
static void a_time_to_live_ends_when_it_ends(void **state) {
        struct desched_world world;

        (void)state;
        open_world(&world,
                   POLICY("", "PodLifecycle",
                          "{\"rules\":[{\"name\":\"ttl\",\"action\":\"Delete\","
                          "\"allowTerminal\":true,\"retention\":{\"ttl\":\"120s\"}}]}"),
                   true);
        add_pods(&world, 1);
        desched_world_start(&world);
        desched_world_advance(&world, 100 * NS_PER_S);
        fail_pod(&world, 0, 1);
        desched_world_advance(&world, 15 * NS_PER_S);
        assert_int_equal(desched_world_ask(&world, "GET", "/api/v1/namespaces/default/pods/p0", ""),
                         200);
        desched_world_advance(&world, 130 * NS_PER_S);
        assert_int_equal(desched_world_ask(&world, "GET", "/api/v1/namespaces/default/pods/p0", ""),
                         404);
        desched_world_close(&world);
}

/* Pods of Jobs that clean up by themselves are left to them; not so when Jobs may not be seen. */
static void what_a_job_takes_is_left_to_it(void **state) {
#define DELETES                                                                                    \
        POLICY("", "PodLifecycle",                                                                 \
               "{\"rules\":[{\"name\":\"r\",\"action\":\"Delete\",\"allowTerminal\":true}]}")
#define EVICTS POLICY("", "PodLifeTime", "{\"states\":[\"Failed\"]}")
#define TTL "\"ttlSecondsAfterFinished\":86400,"
        static const struct {
                const char *policy, *ttl;
                bool hides_jobs;
                int status; /* of asking for the pod in the end */
        } cases[] = { { DELETES, "", false, 404 }, { DELETES, TTL, false, 200 },
                      { DELETES, TTL, true, 404 }, { EVICTS, "", false, 404 },
                      { EVICTS, TTL, false, 200 }, { EVICTS, TTL, true, 404 } };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct desched_world world;
                char text[512];

                memset(&world, 0, sizeof(world));
                assert_true(desched_world_open(
                        &world,
                        &(struct desched_world_config){ .policy = cases[i].policy,
                                                        .interval_ns = HOUR_NS,
                                                        .hides_jobs = cases[i].hides_jobs }));
                snprintf(text, sizeof(text),
                         "{\"metadata\":{\"name\":\"j\"},\"spec\":{%s\"template\":{\"spec\":{"
                         "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":"
                         "\"i\"}]}}}}",
                         cases[i].ttl);
                assert_true(desched_world_add_job_pod(&world, text, "p0"));
                fail_pod(&world, 0, 1);
                desched_world_start(&world);
                desched_world_advance(&world, HOUR_NS / 2);
                assert_int_equal(
                        desched_world_ask(&world, "GET", "/api/v1/namespaces/default/pods/p0", ""),
                        cases[i].status);
                desched_world_close(&world);
        }
}

/* Upstream ends without a word. */
static void D4_a_server_without_evictions_is_told(void **state) {
        (void)state;
        for (int is_parity = 0; is_parity < 2; is_parity++) {
                struct desched_world world;

                memset(&world, 0, sizeof(world));
                assert_true(desched_world_open(
                        &world, &(struct desched_world_config){
                                        .policy = POLICY("", "RemoveFailedPods", FAILED_42),
                                        .interval_ns = HOUR_NS,
                                        .is_parity = is_parity,
                                        .hides_eviction = true }));
                desched_world_start(&world);
                desched_world_advance(&world, NS_PER_S);
                assert_true(world.is_finished);
                if (world.failure.code != (is_parity ? BERTH_OK : BERTH_ERR_UNAVAILABLE) ||
                    (!is_parity && !strstr(world.failure.text, "pods/eviction")))
                        fail_msg("desched-015 no pods/eviction, parity %d: %d %s", is_parity,
                                 world.failure.code, world.failure.text);
                desched_world_close(&world);
        }
}

/* D3: a start that fails once the Lease is won ends the process here, and leaves a zombie upstream.
 */
static void D3_failed_start_of_a_leader(void **state) {
        (void)state;
        for (int is_parity = 0; is_parity < 2; is_parity++) {
                struct desched_world world;

                memset(&world, 0, sizeof(world));
                assert_true(desched_world_open(
                        &world,
                        &(struct desched_world_config){
                                .policy = "apiVersion: descheduler/v1alpha2\n"
                                          "kind: DeschedulerPolicy\n"
                                          "profiles: [{name: p, pluginConfig: [{name: "
                                          "DefaultEvictor, args: {priorityThreshold: {name: "
                                          "nope}}}]}]\n",
                                .interval_ns = HOUR_NS,
                                .is_parity = is_parity,
                                .is_elected = true }));
                desched_world_start(&world);
                desched_world_advance(&world, 2 * HOUR_NS);
                if (world.is_finished != !is_parity || (!is_parity && world.failure.code == 0))
                        fail_msg("D3 parity %d: finished %d, %s", is_parity, world.is_finished,
                                 world.failure.text);
                desched_world_close(&world);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_change_is_answered_within_a_second),
                cmocka_unit_test(changes_that_come_together_are_taken_together),
                cmocka_unit_test(limits_hold_between_passes),
                cmocka_unit_test(deadline_is_met_exactly),
                cmocka_unit_test(a_time_to_live_ends_when_it_ends),
                cmocka_unit_test(what_a_job_takes_is_left_to_it),
                cmocka_unit_test(D4_a_server_without_evictions_is_told),
                cmocka_unit_test(D3_failed_start_of_a_leader),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
