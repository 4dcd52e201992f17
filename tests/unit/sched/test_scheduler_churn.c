/* The step machine under random load and faults: no node is ever overcommitted, no pod has two
 * binds open or is bound twice, and once faults stop every pod that fits is bound. */
#include "base/rng.h"
#include "sched_test.h"

#define SEEDS 20
#define ITERATIONS 120
#define NODE_NAMES 6
#define POD_NAMES 40
#define QUIET_SECONDS 40

enum pod_state { POD_ABSENT, POD_WAITING, POD_BINDING, POD_BOUND };

struct churn {
        struct sched_test test;
        struct rng rng;
        bool has_faults;
        enum pod_state states[POD_NAMES];
        unsigned versions[POD_NAMES]; /* tells a pod from its successor of the same name */
        char specs[POD_NAMES][256];
        bool has_node[NODE_NAMES];
};

static unsigned pick(struct churn *churn, unsigned bound) {
        return (unsigned)rng_below(&churn->rng, bound);
}

static void put_state(struct churn *churn, unsigned i, enum change_kind change, const char *node) {
        apply(&churn->test, OBJECT_POD, change,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p%u\",\"uid\":\"u%u-%u\","
              "\"labels\":{\"app\":\"a%u\"}},\"spec\":{%s%s}}",
              i, i, churn->versions[i], i % 3, node, churn->specs[i]);
}

static void create_pod(struct churn *churn, unsigned i) {
        static const char *const extras[] = {
                "",
                "\"priority\":10,",
                "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":"
                "\"kubernetes.io/hostname\",\"whenUnsatisfiable\":\"DoNotSchedule\","
                "\"labelSelector\":{\"matchLabels\":{\"app\":\"a0\"}}}],",
        };
        churn->versions[i]++;
        snprintf(churn->specs[i], sizeof(churn->specs[i]),
                 "%s\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{\"requests\":{"
                 "\"cpu\":\"%um\"}}}]",
                 extras[pick(churn, ARRAY_LEN(extras))], 100 * (1 + pick(churn, 9)));
        churn->states[i] = POD_WAITING;
        put_state(churn, i, CHANGE_ADDED, "");
}

static void delete_pod(struct churn *churn, unsigned i) {
        churn->states[i] = POD_ABSENT;
        put_state(churn, i, CHANGE_REMOVED, "");
}

static void change_world(struct churn *churn) {
        unsigned i = pick(churn, POD_NAMES), n = pick(churn, NODE_NAMES);
        char name[16];
        switch (pick(churn, 8)) {
        case 0:
                snprintf(name, sizeof(name), "n%u", n);
                if (!churn->has_node[n])
                        put_node(&churn->test, name, 500 + 500 * (int)pick(churn, 4));
                churn->has_node[n] = true;
                return;
        case 1:
                if (churn->states[i] != POD_ABSENT)
                        delete_pod(churn, i);
                return;
        default:
                if (churn->states[i] == POD_ABSENT)
                        create_pod(churn, i);
        }
}

static unsigned number_of(struct slice name) {
        uint64_t number;
        assert_true(slice_to_u64(slice_make(name.ptr + 1, name.len - 1), &number));
        return (unsigned)number;
}

static void answer_bind(struct churn *churn, const struct action *action, struct action_list *out) {
        unsigned i = number_of(action->target.name);
        bool fails = churn->has_faults && pick(churn, 4) == 0;
        struct action_result result = { .id = action->id,
                                        .kind = action->kind,
                                        .target = action->target,
                                        .code = fails ? BERTH_ERR_INTERNAL : BERTH_OK,
                                        .text = SLICE_LITERAL("fault") };
        char node[300];
        assert_int_equal(churn->states[i], POD_BINDING);
        churn->states[i] = fails ? POD_WAITING : POD_BOUND;
        snprintf(node, sizeof(node), "\"nodeName\":\"" SLICE_FMT "\",",
                 SLICE_ARG(action->bind.node));
        /* The watch may tell before the call returns. */
        bool is_early = !fails && pick(churn, 2) == 0;
        if (is_early)
                put_state(churn, i, CHANGE_UPDATED, node);
        scheduler_result(churn->test.scheduler, &result, (struct mono_time){ churn->test.now_ns },
                         test_wall(&churn->test), out);
        if (!fails && !is_early)
                put_state(churn, i, CHANGE_UPDATED, node);
}

static bool is_current(const struct churn *churn, const struct action *action) {
        char uid[32];
        unsigned i = number_of(action->target.name);
        snprintf(uid, sizeof(uid), "u%u-%u", i, churn->versions[i]);
        return slice_is(action->target.uid, uid) && churn->states[i] != POD_ABSENT;
}

/* The pod is gone already, or goes now; some deletions fail. */
static void answer_removal(struct churn *churn, const struct action *action,
                           struct action_list *out) {
        bool is_there = is_current(churn, action);
        bool fails = is_there && churn->has_faults && pick(churn, 4) == 0;
        struct action_result result = { .id = action->id,
                                        .kind = action->kind,
                                        .target = action->target,
                                        .code = fails      ? BERTH_ERR_INTERNAL
                                                : is_there ? BERTH_OK
                                                           : BERTH_ERR_NOT_FOUND };
        if (is_there && !fails)
                delete_pod(churn, number_of(action->target.name));
        scheduler_result(churn->test.scheduler, &result, (struct mono_time){ churn->test.now_ns },
                         test_wall(&churn->test), out);
}

static void answer_all(struct churn *churn) {
        struct action_list out;
        action_list_init(&out);
        out.next_id = churn->test.actions.next_id; /* ids stay unique */
        for (size_t a = 0; a < churn->test.actions.count; a++) {
                const struct action *action = &churn->test.actions.items[a];
                if (action->kind == ACTION_BIND && is_current(churn, action))
                        answer_bind(churn, action, &out);
                else if (action->kind == ACTION_PREEMPT_POD)
                        answer_removal(churn, action, &out);
        }
        churn->test.actions.next_id = out.next_id;
        action_list_release(&out);
}

static void check_no_overcommit(const struct churn *churn) {
        const struct node_table *nodes = cluster_nodes(churn->test.cluster);
        for (size_t i = bitset_next(&nodes->live, 0); i != SIZE_MAX;
             i = bitset_next(&nodes->live, i + 1))
                for (size_t r = 0; r < nodes->resource_count; r++)
                        assert_true(nodes->resources[r].requested[i] <=
                                    nodes->resources[r].allocatable[i]);
}

static void churn_step(struct churn *churn) {
        struct scheduler_progress progress;
        do {
                progress = step(&churn->test);
                for (size_t a = 0; a < churn->test.actions.count; a++) {
                        const struct action *action = &churn->test.actions.items[a];
                        if (action->kind != ACTION_BIND)
                                continue;
                        unsigned i = number_of(action->target.name);
                        assert_int_equal(churn->states[i], POD_WAITING);
                        churn->states[i] = POD_BINDING;
                }
                check_no_overcommit(churn);
                answer_all(churn);
        } while (progress.has_more);
}

/* Whoever still waits must not fit anywhere. */
static void check_nobody_is_forgotten(struct churn *churn) {
        struct arena arena;
        arena_init(&arena, 0);
        for (unsigned i = 0; i < POD_NAMES; i++) {
                char name[16];
                struct decision decision;
                if (churn->states[i] != POD_WAITING)
                        continue;
                snprintf(name, sizeof(name), "p%u", i);
                struct decision_request request = {
                        .pod = cluster_find_pod(churn->test.cluster, SLICE_LITERAL("default"),
                                                slice_of(name))
                };
                scheduler_decide(churn->test.cluster, churn->test.profile, &request, &arena,
                                 &decision);
                assert_int_not_equal(decision.outcome, DECISION_PLACED);
        }
        arena_release(&arena);
}

static void run_seed(uint64_t seed) {
        struct churn *churn = xcalloc(1, sizeof(*churn));
        sched_test_init(&churn->test, &(struct scheduler_config){ .seed = seed });
        rng_init(&churn->rng, seed);
        churn->has_faults = true;
        for (int i = 0; i < ITERATIONS; i++) {
                for (unsigned changes = pick(churn, 5); changes > 0; changes--)
                        change_world(churn);
                churn->test.now_ns += pick(churn, 3) * 400 * NS_PER_MS;
                churn_step(churn);
        }
        churn->has_faults = false;
        for (int i = 0; i < QUIET_SECONDS; i++) {
                churn->test.now_ns += NS_PER_S;
                churn_step(churn);
        }
        check_nobody_is_forgotten(churn);
        struct err err = { 0 };
        assert_int_equal(cluster_check(churn->test.cluster, &err), 0);
        sched_test_release(&churn->test);
        free(churn);
}

static void test_churn(void **state) {
        (void)state;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                print_message("seed %u\n", (unsigned)seed);
                run_seed(seed);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_churn) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
