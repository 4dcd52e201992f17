/* What is kept of nodes between pods that find no room: the same as found anew, after each kind of
 * change. */
#include "sched/class_engine.h"
#include "sched/decision.h"
#include "sched_test.h"

#define NODES 3
#define ASKED_BEFORE 3 /* a kind of pod is remembered from its second attempt on */

static void put_victim(struct sched_test *test, int node, int number, const char *app, int priority,
                       const char *started) {
        apply(test, OBJECT_POD, CHANGE_UPDATED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"v%d-%d\",\"uid\":\"v%d-%d\","
              "\"labels\":{\"app\":\"%s\"}},\"spec\":{\"nodeName\":\"n%d\",\"priority\":%d,"
              "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"900m\"}}}]},"
              "\"status\":{\"phase\":\"Running\",\"startTime\":\"%s\"}}",
              node, number, node, number, app, node, priority, started);
}

static void put_named_node(struct sched_test *test, int node, const char *spec, int cpu_milli) {
        apply(test, OBJECT_NODE, CHANGE_UPDATED,
              "{\"metadata\":{\"name\":\"n%d\",\"labels\":{\"kubernetes.io/hostname\":\"n%d\"}},"
              "\"spec\":{%s},\"status\":{\"allocatable\":{\"cpu\":\"%dm\",\"memory\":\"32Gi\","
              "\"pods\":\"110\"}}}",
              node, node, spec, cpu_milli);
}

static void put_budget(struct sched_test *test, int allowed) {
        apply(test, OBJECT_BUDGET, CHANGE_UPDATED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"b\"},\"spec\":{\"selector\":{"
              "\"matchLabels\":{\"app\":\"web\"}}},\"status\":{\"disruptionsAllowed\":%d}}",
              allowed);
}

static void fill(struct sched_test *test) {
        put_budget(test, 5);
        for (int i = 0; i < NODES; i++) {
                put_named_node(test, i, "", 2000);
                put_victim(test, i, 0, "web", i, "2026-01-01T00:00:00Z");
                put_victim(test, i, 1, i == 0 ? "web" : "db", 1, "2026-01-02T00:00:00Z");
        }
        put_pod(test, "p", 1000, "\"priority\":9,");
        put_pod(test, "rival", 1500, "\"priority\":20,");
}

/* ---- changes ---- */

static struct pod_id rival(const struct sched_test *test) {
        return cluster_find_pod(test->cluster, SLICE_LITERAL("default"), SLICE_LITERAL("rival"));
}
static void change_nothing(struct sched_test *test) {
        (void)test;
}
static void exhaust_budget(struct sched_test *test) {
        put_budget(test, 0);
}
static void remove_victim(struct sched_test *test) {
        cluster_remove_pod(test->cluster, SLICE_LITERAL("default"), SLICE_LITERAL("v1-0"));
}
static void relabel_victim(struct sched_test *test) {
        put_victim(test, 1, 1, "web", 1, "2026-01-02T00:00:00Z");
}
static void raise_victim(struct sched_test *test) {
        put_victim(test, 0, 0, "web", 10, "2026-01-01T00:00:00Z");
}
static void restart_victim(struct sched_test *test) {
        put_victim(test, 0, 1, "web", 1, "2026-03-01T00:00:00Z");
}
static void nominate_rival(struct sched_test *test) {
        cluster_nominate(test->cluster, rival(test), SLICE_LITERAL("n0"));
}
static void grow_rival(struct sched_test *test) {
        put_pod(test, "rival", 100, "\"priority\":20,");
}
static void withdraw_rival(struct sched_test *test) {
        cluster_nominate(test->cluster, rival(test), SLICE_EMPTY);
}
static void taint_node(struct sched_test *test) {
        put_named_node(test, 0, "\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]", 2000);
}
static void shrink_node(struct sched_test *test) {
        put_named_node(test, 0, "", 900);
}
static void replace_node(struct sched_test *test) {
        cluster_remove_node(test->cluster, SLICE_LITERAL("n2"));
        put_named_node(test, 7, "", 500);
}

/* ---- comparing ---- */

static void decide(struct sched_test *test, struct class_engine *engine, struct arena *arena,
                   struct decision *ret_decision) {
        struct decision_request request = {
                .pod = cluster_find_pod(test->cluster, SLICE_LITERAL("default"),
                                        SLICE_LITERAL("p")),
                .wants = DECIDE_POST_FILTER,
                .now = test_wall(test),
                .engine = engine,
        };
        request.now.ns += 1000000000 * NS_PER_S; /* all have started */
        scheduler_decide(test->cluster, test->profile, &request, arena, ret_decision);
}

static void compare(const char *after, const struct decision *fresh,
                    const struct decision *cached) {
        const struct preemption *a = fresh->preemption, *b = cached->preemption;
        if (cached->outcome != fresh->outcome || !slice_eq(cached->message, fresh->message) ||
            !slice_eq(cached->nomination, fresh->nomination))
                fail_msg("%s: " SLICE_FMT " instead of " SLICE_FMT, after,
                         SLICE_ARG(cached->message), SLICE_ARG(fresh->message));
        assert_true((!a) == (!b)); /* none is needed where the pod fits */
        if (!a)
                return;
        if (b->candidate_count != a->candidate_count || b->rejected_count != a->rejected_count)
                fail_msg("%s: %zu candidates instead of %zu", after, b->candidate_count,
                         a->candidate_count);
        for (size_t i = 0; i < a->candidate_count; i++) {
                const struct preemption_candidate *x = &a->candidates[i], *y = &b->candidates[i];
                if (x->node.index != y->node.index || x->victim_count != y->victim_count ||
                    x->budget_violations != y->budget_violations ||
                    memcmp(x->victims, y->victims, x->victim_count * sizeof(*x->victims)) != 0)
                        fail_msg("%s: another candidate %zu", after, i);
        }
}

static void compare_decisions(struct sched_test *test, struct class_engine *engine,
                              const char *after) {
        struct arena fresh_arena, cached_arena;
        struct decision fresh, cached;
        arena_init(&fresh_arena, 0);
        arena_init(&cached_arena, 0);
        decide(test, NULL, &fresh_arena, &fresh);
        for (int i = 0; i < ASKED_BEFORE; i++) {
                arena_clear(&cached_arena);
                decide(test, engine, &cached_arena, &cached);
                compare(after, &fresh, &cached);
        }
        arena_release(&fresh_arena);
        arena_release(&cached_arena);
}

static void test_cache_follows_changes(void **state) {
        static const struct {
                const char *name;
                void (*change)(struct sched_test *test);
        } changes[] = {
                { "nothing", change_nothing },
                { "budget", exhaust_budget },
                { "victim gone", remove_victim },
                { "victim relabelled", relabel_victim },
                { "victim more important", raise_victim },
                { "victim restarted", restart_victim },
                { "rival", nominate_rival },
                { "rival of another size", grow_rival },
                { "no rival", withdraw_rival },
                { "taint", taint_node },
                { "smaller node", shrink_node },
                { "another node", replace_node },
        };
        (void)state;
        for (size_t first = 0; first < ARRAY_LEN(changes); first++) {
                struct sched_test test;
                struct class_engine *engine = class_engine_new(0);
                sched_test_init(&test, NULL);
                fill(&test);
                compare_decisions(&test, engine, "the start");
                for (size_t i = 0; i < ARRAY_LEN(changes); i++) { /* in all rotations */
                        size_t at = (first + i) % ARRAY_LEN(changes);
                        changes[at].change(&test);
                        compare_decisions(&test, engine, changes[at].name);
                }
                class_engine_free(engine);
                sched_test_release(&test);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_cache_follows_changes),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
