/* Many preemptors at once, and an API that is late: deletions are answered, seen in the watch and
 * shown by budgets at different times.  Recorded from a real API server, where 75 victims got 89
 * deletions, 11 of them of pods that were gone, and more pods than needed lost their place.  Here
 * every victim is deleted once, no more go than are needed, and late news break no more budgets. */
#include "base/rng.h"
#include "sched_test.h"

#define NODES 50
#define PER_NODE 4 /* pods of one CPU on nodes of four */
#define VICTIMS (NODES * PER_NODE)
#define PREEMPTORS 30
#define ARRIVE_PER_TURN 10
#define APPS 8
#define FREE_APPS 2 /* of these, without a budget */
#define SEEDS 12
#define TURNS 400
#define LATE_MAX 6 /* turns that news take */

enum news_kind { NEWS_NONE, NEWS_ANSWER, NEWS_TERMINATING, NEWS_GONE, NEWS_BUDGET, NEWS_BOUND };

struct news {
        enum news_kind kind;
        unsigned turn, number; /* of the pod or the app */
        uint64_t action;
        struct slice node; /* of a bind; a node's name */
        int healthy;
};

struct storm {
        struct sched_test test;
        struct rng rng;
        unsigned turn, late_max;
        bool has_grace; /* victims terminate first */
        struct news news[4096];
        size_t news_count;
        unsigned app[VICTIMS], asked[VICTIMS];
        int size[APPS], healthy[APPS], floor[APPS];
        bool is_bound[PREEMPTORS];
        unsigned victims, violations;
};

static unsigned pick(struct storm *storm, unsigned bound) {
        return (unsigned)rng_below(&storm->rng, bound);
}

/* After some turns, but never before what is told by the same stream. */
static void tell(struct storm *storm, struct news news, unsigned after) {
        assert_true(storm->news_count < ARRAY_LEN(storm->news));
        news.turn = storm->turn + after;
        storm->news[storm->news_count++] = news;
}

static unsigned delay(struct storm *storm) {
        return storm->late_max > 0 ? 1 + pick(storm, storm->late_max) : 0;
}

/* ---- what the API says ---- */

static void put_victim(struct storm *storm, unsigned i, enum change_kind change, const char *more) {
        apply(&storm->test, OBJECT_POD, change,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"v%u\",\"uid\":\"uv%u\","
              "\"labels\":{\"app\":\"a%u\"}%s},\"spec\":{\"nodeName\":\"n%u\",\"priority\":%u,"
              "\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{\"requests\":{"
              "\"cpu\":\"1\"}}}]},\"status\":{\"phase\":\"Running\",\"startTime\":"
              "\"2026-01-01T00:00:00Z\"}}",
              i, i, storm->app[i], more, i / PER_NODE, i % 3 == 0 ? 10 : 0);
}

static void put_preemptor(struct storm *storm, unsigned i, enum change_kind change,
                          struct slice node) {
        apply(&storm->test, OBJECT_POD, change,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p%u\",\"uid\":\"up%u\"},"
              "\"spec\":{\"nodeName\":\"" SLICE_FMT "\",\"priority\":1000,\"containers\":[{"
              "\"name\":\"c\",\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"%u\"}}}]}}",
              i, i, SLICE_ARG(node), 1 + i % 3);
}

static void put_budget(struct storm *storm, unsigned app, int healthy) {
        int allowed = healthy - storm->floor[app];
        apply(&storm->test, OBJECT_BUDGET, CHANGE_UPDATED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"b%u\"},\"spec\":{\"selector\":{"
              "\"matchLabels\":{\"app\":\"a%u\"}}},\"status\":{\"disruptionsAllowed\":%d,"
              "\"currentHealthy\":%d,\"desiredHealthy\":%d}}",
              app, app, allowed > 0 ? allowed : 0, healthy, storm->floor[app]);
}

static void storm_init(struct storm *storm, uint64_t seed, unsigned late_max, bool has_grace) {
        sched_test_init(&storm->test, NULL);
        rng_init(&storm->rng, seed);
        storm->late_max = late_max;
        storm->has_grace = has_grace;
        for (unsigned n = 0; n < NODES; n++) {
                char name[16];
                snprintf(name, sizeof(name), "n%u", n);
                put_node(&storm->test, name, 1000 * PER_NODE);
        }
        for (unsigned i = 0; i < VICTIMS; i++) {
                storm->app[i] = pick(storm, APPS);
                storm->size[storm->app[i]]++;
                put_victim(storm, i, CHANGE_ADDED, "");
        }
        for (unsigned app = 0; app < APPS; app++) {
                static const int allowed[] = { 0, 1, 3 };
                storm->healthy[app] = storm->size[app];
                storm->floor[app] = storm->size[app] - allowed[app % 3];
                if (app >= FREE_APPS)
                        put_budget(storm, app, storm->healthy[app]);
        }
}

/* ---- what it is asked ---- */

static unsigned number_of(struct slice name) {
        uint64_t number;
        assert_true(slice_to_u64(slice_make(name.ptr + 1, name.len - 1), &number));
        return (unsigned)number;
}

static void take_removal(struct storm *storm, const struct action *action) {
        unsigned i = number_of(action->target.name), app = storm->app[i];
        unsigned seen = delay(storm);
        assert_true(action->target.name.ptr[0] == 'v');
        if (storm->asked[i]++ > 0)
                fail_msg("v%u is deleted a second time", i);
        storm->victims++;
        storm->healthy[app]--;
        if (app >= FREE_APPS && storm->healthy[app] < storm->floor[app])
                storm->violations++;
        struct news news = { .number = i, .action = action->id, .kind = NEWS_ANSWER };
        tell(storm, news, delay(storm));
        news.kind = NEWS_TERMINATING;
        if (storm->has_grace)
                tell(storm, news, seen);
        news.kind = NEWS_GONE;
        tell(storm, news, storm->has_grace ? seen + 20 : seen);
        /* The controller hears of it, and its write comes back. */
        tell(storm, (struct news){ .kind = NEWS_BUDGET, .number = app, .healthy = -1 },
             delay(storm) + delay(storm));
}

static void take_bind(struct storm *storm, const struct action *action) {
        unsigned i = number_of(action->target.name);
        bool is_known;
        struct str_id name = cluster_str(storm->test.cluster, action->bind.node, &is_known);
        assert_true(is_known && !storm->is_bound[i]);
        storm->is_bound[i] = true;
        struct news news = { .number = i,
                             .action = action->id,
                             .node = cluster_text(storm->test.cluster, name),
                             .kind = NEWS_ANSWER };
        tell(storm, news, delay(storm));
        news.kind = NEWS_BOUND;
        tell(storm, news, delay(storm));
}

static void take_actions(struct storm *storm, const struct action_list *actions) {
        for (size_t a = 0; a < actions->count; a++) {
                if (actions->items[a].kind == ACTION_PREEMPT_POD)
                        take_removal(storm, &actions->items[a]);
                else if (actions->items[a].kind == ACTION_BIND)
                        take_bind(storm, &actions->items[a]);
        }
}

/* ---- and what comes of it ---- */

static void answer_news(struct storm *storm, const struct news *news) {
        bool is_bind = news->node.len > 0;
        char name[16], uid[16];
        struct action_list out;
        snprintf(name, sizeof(name), is_bind ? "p%u" : "v%u", news->number);
        snprintf(uid, sizeof(uid), is_bind ? "up%u" : "uv%u", news->number);
        struct action_result result = {
                .id = news->action,
                .kind = is_bind ? ACTION_BIND : ACTION_PREEMPT_POD,
                .target = { SLICE_LITERAL("Pod"), SLICE_LITERAL("default"), slice_of(name),
                            slice_of(uid) },
                .retry_after_s = -1,
        };
        action_list_init(&out);
        out.next_id = storm->test.actions.next_id; /* ids stay unique */
        scheduler_result(storm->test.scheduler, &result, (struct mono_time){ storm->test.now_ns },
                         test_wall(&storm->test), &out);
        storm->test.actions.next_id = out.next_id;
        take_actions(storm, &out);
        action_list_release(&out);
}

static void deliver(struct storm *storm, const struct news *news) {
        switch (news->kind) {
        case NEWS_ANSWER:
                answer_news(storm, news);
                return;
        case NEWS_TERMINATING:
                put_victim(storm, news->number, CHANGE_UPDATED,
                           ",\"deletionTimestamp\":\"2026-01-01T00:00:30Z\"");
                return;
        case NEWS_GONE:
                put_victim(storm, news->number, CHANGE_REMOVED, "");
                return;
        case NEWS_BUDGET:
                if (news->number >= FREE_APPS)
                        put_budget(storm, news->number, storm->healthy[news->number]);
                return;
        case NEWS_BOUND:
                put_preemptor(storm, news->number, CHANGE_UPDATED, news->node);
                return;
        case NEWS_NONE:
                return;
        }
}

static void storm_turn(struct storm *storm) {
        for (unsigned i = 0; i < PREEMPTORS; i++)
                if (i / ARRIVE_PER_TURN == storm->turn)
                        put_preemptor(storm, i, CHANGE_ADDED, SLICE_EMPTY);
        step(&storm->test);
        take_actions(storm, &storm->test.actions);
        for (size_t n = 0; n < storm->news_count; n++) {
                struct news news = storm->news[n];
                if (news.kind == NEWS_NONE || news.turn > storm->turn)
                        continue;
                storm->news[n].kind = NEWS_NONE;
                deliver(storm, &news);
                if (pick(storm, 2) == 0 && storm->late_max > 0) { /* in the middle of it all */
                        step(&storm->test);
                        take_actions(storm, &storm->test.actions);
                }
        }
        storm->turn++;
        storm->test.now_ns += NS_PER_S / 20;
}

static unsigned run(uint64_t seed, unsigned late_max, bool has_grace) {
        struct storm *storm = xcalloc(1, sizeof(*storm));
        unsigned need = 0, bound = 0;
        storm_init(storm, seed, late_max, has_grace);
        for (unsigned i = 0; i < TURNS; i++)
                storm_turn(storm);
        for (unsigned i = 0; i < PREEMPTORS; i++) {
                need += 1 + i % 3;
                bound += storm->is_bound[i];
        }
        print_message("seed %llu, late %u, grace %d: %u victims, %u over budgets\n",
                      (unsigned long long)seed, late_max, has_grace, storm->victims,
                      storm->violations);
        assert_int_equal(bound, PREEMPTORS);
        assert_int_equal(storm->victims, need);
        unsigned violations = storm->violations;
        sched_test_release(&storm->test);
        free(storm);
        return violations;
}

static void test_each_victim_goes_once_and_none_in_vain(void **state) {
        (void)state;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                unsigned at_once = run(seed, 0, false);
                assert_true(run(seed, LATE_MAX, false) <= at_once + 1);
                assert_true(run(seed, LATE_MAX, true) <= at_once + 1);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_each_victim_goes_once_and_none_in_vain),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
