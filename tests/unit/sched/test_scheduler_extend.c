/* Talks with extenders: who is asked what, and what comes of the answers (reference scheduler.md
 * 1.6 and section 5). */
#include "sched_test.h"
#include <string.h>

#define QUESTIONS_MAX 16

/* One answer of an extender; the one not mentioned says "[]". */
struct reported {
        unsigned extender;
        enum extender_verb verb;
        const char *body;
        int code; /* of the call, with the text "refused" */
};

struct talk {
        const char *name;
        struct extender extenders[2];
        const char *pod; /* more members of the pod's spec */
        struct reported reported[4];
        const char *questions; /* in order, "0 filter n1 n2, 1 prioritize n2" */
        const char *bound;     /* the node; NULL = none */
        const char *message;   /* part of what the pod is told; NULL = nothing */
        const char *nominated; /* the node its victims leave; NULL = none */
};

static const char *const verbs[] = { [EXTENDER_FILTER] = "filter",
                                     [EXTENDER_PRIORITIZE] = "prioritize",
                                     [EXTENDER_BIND] = "bind",
                                     [EXTENDER_PREEMPT] = "preempt" };

/* What a talk came to. */
struct outcome {
        struct buf questions;
        char bound[64], nominated[64], message[1024], reason[64];
};

struct question {
        uint64_t id;
        unsigned extender;
        enum extender_verb verb;
};

static void copy_text(char *to, size_t size, struct slice text) {
        snprintf(to, size, SLICE_FMT, SLICE_ARG(text));
}

static void note_question(struct outcome *outcome, const struct extender_action *ask) {
        buf_printf(&outcome->questions, "%s%u %s", outcome->questions.len > 0 ? ", " : "",
                   ask->extender, verbs[ask->verb]);
        for (size_t i = 0; i < ask->node_count; i++) {
                buf_printf(&outcome->questions, " " SLICE_FMT, SLICE_ARG(ask->nodes[i]));
                for (size_t v = 0; ask->victims && v < ask->victims[i].pod_count; v++)
                        buf_printf(&outcome->questions, "%c" SLICE_FMT, v == 0 ? '=' : '+',
                                   SLICE_ARG(ask->victims[i].pods[v].name));
        }
}

/* Writes the actions down; returns how many questions are among them. */
static size_t take_actions(const struct action_list *actions, struct outcome *outcome,
                           struct question *questions) {
        size_t count = 0;
        for (size_t i = 0; i < actions->count; i++) {
                const struct action *action = &actions->items[i];
                if (action->kind == ACTION_ASK_EXTENDER) {
                        assert_true(count < QUESTIONS_MAX);
                        note_question(outcome, &action->ask);
                        questions[count++] = (struct question){ action->id, action->ask.extender,
                                                                action->ask.verb };
                } else if (action->kind == ACTION_BIND) {
                        copy_text(outcome->bound, sizeof(outcome->bound), action->bind.node);
                } else if (action->kind == ACTION_POD_STATUS &&
                           slice_is(action->target.name, "p")) {
                        copy_text(outcome->reason, sizeof(outcome->reason), action->status.reason);
                        copy_text(outcome->message, sizeof(outcome->message),
                                  action->status.message);
                        copy_text(outcome->nominated, sizeof(outcome->nominated),
                                  action->status.nomination);
                }
        }
        return count;
}

static const struct reported *find_reported(const struct talk *talk,
                                            const struct question *question) {
        static const struct reported nothing = { .body = "[]" };
        for (size_t i = 0; i < ARRAY_LEN(talk->reported); i++)
                if ((talk->reported[i].body || talk->reported[i].code) &&
                    talk->reported[i].extender == question->extender &&
                    talk->reported[i].verb == question->verb)
                        return &talk->reported[i];
        return &nothing;
}

static size_t reply(struct sched_test *test, const struct talk *talk,
                    const struct question *question, struct outcome *outcome,
                    struct question *ret_next) {
        const struct reported *reported = find_reported(talk, question);
        struct action_list out;
        action_list_init(&out);
        out.next_id = test->actions.next_id;
        struct action_result result = { .id = question->id,
                                        .kind = ACTION_ASK_EXTENDER,
                                        .code = reported->code,
                                        .text = reported->code ? SLICE_LITERAL("refused")
                                                               : SLICE_EMPTY,
                                        .retry_after_s = -1,
                                        .body = slice_of(reported->body ? reported->body : "") };
        scheduler_result(test->scheduler, &result, (struct mono_time){ test->now_ns },
                         test_wall(test), &out);
        size_t count = take_actions(&out, outcome, ret_next);
        test->actions.next_id = out.next_id;
        action_list_release(&out);
        return count;
}

/* One step, and all questions answered that follow from it. */
static void talk_through(struct sched_test *test, const struct talk *talk,
                         struct outcome *outcome) {
        struct question open[QUESTIONS_MAX * 2];
        step(test);
        size_t count = take_actions(&test->actions, outcome, open);
        for (size_t i = 0; i < count; i++) {
                struct question next[QUESTIONS_MAX];
                size_t more = reply(test, talk, &open[i], outcome, next);
                assert_true(count + more <= ARRAY_LEN(open));
                memcpy(open + count, next, more * sizeof(*next));
                count += more;
        }
}

static void expect_text(const struct talk *talk, const char *what, const char *is,
                        const char *wanted) {
        if (strcmp(is, wanted ? wanted : "") != 0)
                fail_msg("%s: %s is \"%s\"", talk->name, what, is);
}

static void check_outcome(const struct talk *talk, const struct outcome *outcome) {
        expect_text(talk, "what was asked", outcome->questions.len ? outcome->questions.data : "",
                    talk->questions);
        expect_text(talk, "the node", outcome->bound, talk->bound);
        expect_text(talk, "the nominated node", outcome->nominated, talk->nominated);
        if (!talk->message)
                expect_text(talk, "the message", outcome->message, "");
        else if (!strstr(outcome->message, talk->message))
                fail_msg("%s: the message is \"%s\"", talk->name, outcome->message);
}

static size_t extender_count(const struct talk *talk) {
        return slice_is_empty(talk->extenders[1].name) ? 1 : 2;
}

/* The pod p; running pods of low priority are there when it has a high one. */
static void run_talk(const struct talk *talk, const char *const *running, size_t running_count) {
        struct sched_test test;
        struct outcome outcome = { 0 };
        sched_test_init(&test, &(struct scheduler_config){ .extender_count = extender_count(talk),
                                                           .extenders = talk->extenders });
        put_node(&test, "n1", 1000);
        put_node(&test, "n2", 1000);
        put_node(&test, "n3", 1000);
        for (size_t i = 0; i < running_count; i++) {
                char spec[64];
                snprintf(spec, sizeof(spec), "\"nodeName\":\"n%zu\",", i + 1);
                put_pod(&test, running[i], 800, spec);
        }
        put_pod(&test, "p", 500, talk->pod ? talk->pod : "");
        talk_through(&test, talk, &outcome);
        check_outcome(talk, &outcome);
        buf_release(&outcome.questions);
        sched_test_release(&test);
}

#define NAMED(text) .name = SLICE_INIT(text)
#define ALL3 "{\"NodeNames\":[\"n1\",\"n2\",\"n3\"]}"
#define GPU SLICE_INIT("x.io/gpu")

static const struct slice gpu[] = { GPU };
static const struct slice both[] = { SLICE_INIT("x.io/fpga"), GPU };
#define WANTS(list) .resource_count = ARRAY_LEN(list), .resources = list

/* ---- filters and priorities ---- */

static const struct talk talks[] = {
        { "names are kept",
          { { NAMED("a"), .filters = true } },
          .reported = { { 0, EXTENDER_FILTER, "{\"NodeNames\":[\"n2\"]}" } },
          .questions = "0 filter n1 n2 n3",
          .bound = "n2" },
        { "whole nodes are kept",
          { { NAMED("a"), .filters = true } },
          .reported = { { 0, EXTENDER_FILTER,
                          "{\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"n3\"}}]}}" } },
          .questions = "0 filter n1 n2 n3",
          .bound = "n3" },
        { "nodes nobody asked about do not count",
          { { NAMED("a"), .filters = true } },
          .reported = { { 0, EXTENDER_FILTER, "{\"NodeNames\":[\"n9\",\"n2\"]}" } },
          .questions = "0 filter n1 n2 n3",
          .bound = "n2" },
        { "one after the other sees what is left",
          { { NAMED("a"), .filters = true }, { NAMED("b"), .filters = true } },
          .reported = { { 0, EXTENDER_FILTER, "{\"NodeNames\":[\"n1\",\"n3\"]}" },
                        { 1, EXTENDER_FILTER, "{\"NodeNames\":[\"n2\",\"n3\"]}" } },
          .questions = "0 filter n1 n2 n3, 1 filter n1 n3",
          .bound = "n3" },
        { "nobody is asked about nothing",
          { { NAMED("a"), .filters = true }, { NAMED("b"), .filters = true, .prioritizes = true } },
          .reported = { { 0, EXTENDER_FILTER, "{\"FailedNodes\":{\"n1\":\"full\"}}" } },
          .questions = "0 filter n1 n2 n3",
          .message = "0/3 nodes are available: 1 full, 2 node(s) were filtered out by an extender. "
                     "no new claims to deallocate, preemption: 0/3 nodes are available: 3 No "
                     "preemption victims found for incoming pod." },
        { "no eviction helps where it says so",
          { { NAMED("a"), .filters = true } },
          .reported = { { 0, EXTENDER_FILTER,
                          "{\"FailedNodes\":{\"n1\":\"full\"},\"FailedAndUnresolvableNodes\":{"
                          "\"n2\":"
                          "\"broken\"}}" } },
          .questions = "0 filter n1 n2 n3",
          .message = "0/3 nodes are available: 1 broken, 1 full, 1 node(s) were filtered out by an "
                     "extender. no new claims to deallocate, preemption: 0/3 nodes are available: "
                     "1 Preemption is not helpful for scheduling, 2 No preemption victims found "
                     "for incoming pod." },
        { "a node listed twice is broken",
          { { NAMED("a"), .filters = true } },
          .reported = { { 0, EXTENDER_FILTER,
                          "{\"NodeNames\":[\"n1\"],\"FailedNodes\":{\"n1\":\"full\",\"n2\":"
                          "\"full\"},"
                          "\"FailedAndUnresolvableNodes\":{\"n1\":\"broken\",\"n3\":\"broken\"}"
                          "}" } },
          .questions = "0 filter n1 n2 n3",
          .message = "0/3 nodes are available: 1 full, 2 broken. " },
        { "an error ends the attempt",
          { { NAMED("a"), .filters = true }, { NAMED("b"), .filters = true } },
          .reported = { { 0, EXTENDER_FILTER, "{\"Error\":\"no idea\"}" } },
          .questions = "0 filter n1 n2 n3",
          .message = "extender a: no idea" },
        { "so does a call that fails",
          { { NAMED("a"), .filters = true } },
          .reported = { { 0, EXTENDER_FILTER, NULL, BERTH_ERR_UNAVAILABLE } },
          .questions = "0 filter n1 n2 n3",
          .message = "extender a: refused" },
        { "so does an answer that is no JSON",
          { { NAMED("a"), .filters = true } },
          .reported = { { 0, EXTENDER_FILTER, "<html>" } },
          .questions = "0 filter n1 n2 n3",
          .message = "extender a: an answer that is no JSON" },
        { "an error of one that may be ignored is",
          { { NAMED("a"), .filters = true, .is_ignorable = true },
            { NAMED("b"), .filters = true } },
          .reported = { { 0, EXTENDER_FILTER, "{\"Error\":\"no idea\"}" },
                        { 1, EXTENDER_FILTER, "{\"NodeNames\":[\"n2\"]}" } },
          .questions = "0 filter n1 n2 n3, 1 filter n1 n2 n3",
          .bound = "n2" },
        { "priorities add up by weight",
          { { NAMED("a"), .prioritizes = true, .weight = 2 },
            { NAMED("b"), .prioritizes = true, .weight = 1 } },
          .reported = { { 0, EXTENDER_PRIORITIZE,
                          "[{\"Host\":\"n3\",\"Score\":5},{\"Host\":\"n9\","
                          "\"Score\":10}]" },
                        { 1, EXTENDER_PRIORITIZE,
                          "[{\"Host\":\"n1\",\"Score\":9},{\"Host\":\"n2\",\"Score\":9}]" } },
          .questions = "0 prioritize n1 n2 n3, 1 prioritize n1 n2 n3",
          .bound = "n3" },
        { "a weight of 1 is less",
          { { NAMED("a"), .prioritizes = true, .weight = 1 },
            { NAMED("b"), .prioritizes = true, .weight = 1 } },
          .reported = { { 0, EXTENDER_PRIORITIZE, "[{\"Host\":\"n3\",\"Score\":5}]" },
                        { 1, EXTENDER_PRIORITIZE, "[{\"Host\":\"n1\",\"Score\":9}]" } },
          .questions = "0 prioritize n1 n2 n3, 1 prioritize n1 n2 n3",
          .bound = "n1" },
        { "errors of priorities count for nothing",
          { { NAMED("a"), .prioritizes = true, .weight = 9 },
            { NAMED("b"), .prioritizes = true, .weight = 1 } },
          .reported = { { 0, EXTENDER_PRIORITIZE, NULL, BERTH_ERR_TIMEOUT },
                        { 1, EXTENDER_PRIORITIZE, "[{\"Host\":\"n2\",\"Score\":10}]" } },
          .questions = "0 prioritize n1 n2 n3, 1 prioritize n1 n2 n3",
          .bound = "n2" },
        { "one node needs no priorities",
          { { NAMED("a"), .filters = true, .prioritizes = true, .weight = 1 } },
          .reported = { { 0, EXTENDER_FILTER, "{\"NodeNames\":[\"n2\"]}" } },
          .questions = "0 filter n1 n2 n3",
          .bound = "n2" },
        { "priorities come after all filters",
          { { NAMED("a"), .filters = true, .prioritizes = true, .weight = 9 },
            { NAMED("b"), .filters = true } },
          .reported = { { 0, EXTENDER_FILTER, ALL3 },
                        { 1, EXTENDER_FILTER, "{\"NodeNames\":[\"n2\",\"n3\"]}" },
                        { 0, EXTENDER_PRIORITIZE, "[{\"Host\":\"n2\",\"Score\":10}]" } },
          .questions = "0 filter n1 n2 n3, 1 filter n1 n2 n3, 0 prioritize n2 n3",
          .bound = "n2" },
};

static void test_talks(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(talks); i++)
                run_talk(&talks[i], NULL, 0);
}

/* An error of an extender is one of the scheduler: the reason says so, and it is counted. */
static void test_an_error_is_an_error(void **state) {
        (void)state;
        static const struct talk talk = { "error",
                                          { { NAMED("a"), .filters = true } },
                                          .reported = {
                                                  { 0, EXTENDER_FILTER, "{\"Error\":\"x\"}" } } };
        struct sched_test test;
        struct outcome outcome = { 0 };
        struct scheduler_stats stats;
        sched_test_init(&test, &(struct scheduler_config){ .extender_count = 1,
                                                           .extenders = talk.extenders });
        put_node(&test, "n1", 1000);
        put_pod(&test, "p", 500, "");
        talk_through(&test, &talk, &outcome);
        assert_string_equal(outcome.reason, "SchedulerError");
        scheduler_stats(test.scheduler, &stats);
        assert_int_equal(stats.errors, 1);
        buf_clear(&outcome.questions);
        talk_through(&test, &talk, &outcome);
        assert_int_equal(outcome.questions.len, 0); /* not before its back-off is over */
        test.now_ns += 2 * NS_PER_S;
        talk_through(&test, &talk, &outcome);
        assert_string_equal(outcome.questions.data, "0 filter n1");
        buf_release(&outcome.questions);
        sched_test_release(&test);
}

/* ---- resources an extender manages ---- */

static void test_managed_resources(void **state) {
        (void)state;
        static const struct talk gpus = {
                "gpus",
                { { NAMED("a"), .filters = true, WANTS(gpu) },
                  { NAMED("b"), .filters = true, WANTS(both) } },
        };
        static const struct {
                const char *name, *containers;
                size_t asked;
        } cases[] = {
                { "none", "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]", 0 },
                { "another",
                  "\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{\"requests\":{"
                  "\"cpu\":\"1m\"}}}]",
                  0 },
                { "requested",
                  "\"containers\":[{\"name\":\"b\",\"image\":\"i\"},{\"name\":\"c\",\"image\":"
                  "\"i\","
                  "\"resources\":{\"requests\":{\"cpu\":\"1m\",\"x.io/gpu\":\"1\"}}}]",
                  1 },
                { "only a limit",
                  "\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{\"limits\":{"
                  "\"x.io/gpu\":\"1\"}}}]",
                  1 },
                { "of an init container",
                  "\"initContainers\":[{\"name\":\"i\",\"image\":\"i\",\"resources\":{\"requests\":"
                  "{"
                  "\"x.io/gpu\":\"1\"}}}],\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]",
                  1 },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct sched_test test;
                sched_test_init(&test, &(struct scheduler_config){ .extender_count = 2,
                                                                   .extenders = gpus.extenders });
                apply(&test, OBJECT_NODE, CHANGE_ADDED,
                      "{\"metadata\":{\"name\":\"n1\"},\"status\":{\"allocatable\":{\"cpu\":\"4\","
                      "\"pods\":\"9\",\"x.io/gpu\":\"4\"}}}");
                apply(&test, OBJECT_POD, CHANGE_ADDED,
                      "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"u\"},"
                      "\"spec\":{%s}}",
                      cases[i].containers);
                step(&test);
                if (count_actions(&test, ACTION_ASK_EXTENDER) != cases[i].asked ||
                    count_actions(&test, ACTION_BIND) != 1 - cases[i].asked)
                        fail_msg("%s", cases[i].name);
                sched_test_release(&test);
        }
}

/* ---- bindings ---- */

static const struct talk bindings[] = {
        { "an extender binds",
          { { NAMED("a"), .filters = true }, { NAMED("b"), .binds = true } },
          .reported = { { 0, EXTENDER_FILTER, "{\"NodeNames\":[\"n2\"]}" },
                        { 1, EXTENDER_BIND, "{}" } },
          .questions = "0 filter n1 n2 n3, 1 bind n2" },
        { "the first that binds does",
          { { NAMED("a"), .filters = true, .binds = true }, { NAMED("b"), .binds = true } },
          .reported = { { 0, EXTENDER_FILTER, "{\"NodeNames\":[\"n2\"]}" },
                        { 0, EXTENDER_BIND, "{}" } },
          .questions = "0 filter n1 n2 n3, 0 bind n2" },
        { "it fails",
          { { NAMED("a"), .filters = true, .binds = true } },
          .reported = { { 0, EXTENDER_FILTER, "{\"NodeNames\":[\"n2\"]}" },
                        { 0, EXTENDER_BIND, "{\"Error\":\"no way\"}" } },
          .questions = "0 filter n1 n2 n3, 0 bind n2",
          .message = "no way" },
        { "the call fails",
          { { NAMED("a"), .filters = true, .binds = true } },
          .reported = { { 0, EXTENDER_FILTER, "{\"NodeNames\":[\"n2\"]}" },
                        { 0, EXTENDER_BIND, NULL, BERTH_ERR_UNAVAILABLE } },
          .questions = "0 filter n1 n2 n3, 0 bind n2",
          .message = "refused" },
};

static void test_bindings(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(bindings); i++)
                run_talk(&bindings[i], NULL, 0);
}

/* ---- preemption: all three nodes are full of pods of lower priority ---- */

#define PREEMPTS(text)                                                                             \
        { NAMED(text), .preempts = true }
#define MAYBE_PREEMPTS(text)                                                                       \
        { NAMED(text), .preempts = true, .is_ignorable = true }
#define HIGH .pod = "\"priority\":10,"
#define VICTIMS(map) "{\"NodeNameToMetaVictims\":{" map "}}"
#define OF(node, uid) "\"" node "\":{\"Pods\":[{\"UID\":\"" uid "\"}]}"
#define ALL_OFFERED "0 preempt n1=v1 n2=v2 n3=v3"

static const struct talk preemptions[] = {
        { "it chooses the node",
          { PREEMPTS("a") },
          HIGH,
          .reported = { { 0, EXTENDER_PREEMPT, VICTIMS(OF("n2", "uid-v2")) } },
          .questions = ALL_OFFERED,
          .nominated = "n2",
          .message = "0/3 nodes are available" },
        { "the next sees what is left",
          { PREEMPTS("a"), PREEMPTS("b") },
          HIGH,
          .reported = { { 0, EXTENDER_PREEMPT, VICTIMS(OF("n2", "uid-v2") "," OF("n3", "uid-v3")) },
                        { 1, EXTENDER_PREEMPT, VICTIMS(OF("n3", "uid-v3")) } },
          .questions = ALL_OFFERED ", 1 preempt n2=v2 n3=v3",
          .nominated = "n3",
          .message = "0/3 nodes are available" },
        { "it forbids all",
          { PREEMPTS("a"), PREEMPTS("b") },
          HIGH,
          .reported = { { 0, EXTENDER_PREEMPT, VICTIMS("") } },
          .questions = ALL_OFFERED,
          .message = "0/3 nodes are available" },
        { "it names a pod that is not there",
          { PREEMPTS("a"), PREEMPTS("b") },
          HIGH,
          .reported = { { 0, EXTENDER_PREEMPT, VICTIMS(OF("n2", "uid-v1")) } },
          .questions = ALL_OFFERED,
          .message = "extender a wants to preempt the pod of uid \"uid-v1\", which is not on node "
                     "\"n2\"" },
        { "it names nobody",
          { PREEMPTS("a") },
          HIGH,
          .reported = { { 0, EXTENDER_PREEMPT, VICTIMS("\"n2\":{\"Pods\":[]}") } },
          .questions = ALL_OFFERED,
          .message = "expected at least one victim pod on node \"n2\"" },
        { "it fails",
          { PREEMPTS("a"), PREEMPTS("b") },
          HIGH,
          .reported = { { 0, EXTENDER_PREEMPT, "{\"Error\":\"no idea\"}" } },
          .questions = ALL_OFFERED,
          .message = "extender a: no idea" },
        { "one that may be ignored fails",
          { MAYBE_PREEMPTS("a"), PREEMPTS("b") },
          HIGH,
          .reported = { { 0, EXTENDER_PREEMPT, NULL, BERTH_ERR_TIMEOUT },
                        { 1, EXTENDER_PREEMPT, VICTIMS(OF("n3", "uid-v3")) } },
          .questions = ALL_OFFERED ", 1 preempt n1=v1 n2=v2 n3=v3",
          .nominated = "n3",
          .message = "0/3 nodes are available" },
        { "one that may be ignored is wrong about one node only",
          { MAYBE_PREEMPTS("a"), PREEMPTS("b") },
          HIGH,
          .reported = { { 0, EXTENDER_PREEMPT, VICTIMS(OF("n1", "uid-v9") "," OF("n2", "uid-v2")) },
                        { 1, EXTENDER_PREEMPT, VICTIMS(OF("n2", "uid-v2")) } },
          .questions = ALL_OFFERED ", 1 preempt n2=v2",
          .nominated = "n2",
          .message = "0/3 nodes are available" },
};

static void test_preemptions(void **state) {
        static const char *const running[] = { "v1", "v2", "v3" };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(preemptions); i++)
                run_talk(&preemptions[i], running, ARRAY_LEN(running));
}

/* ---- what happens meanwhile ---- */

static const struct extender one_filter[] = { { NAMED("a"), .filters = true } };

static void ask_about_p(struct sched_test *test, struct question *ret_question) {
        struct outcome outcome = { 0 };
        sched_test_init(test,
                        &(struct scheduler_config){ .extender_count = 1, .extenders = one_filter });
        put_node(test, "n1", 1000);
        put_node(test, "n2", 1000);
        put_pod(test, "p", 500, "");
        step(test);
        assert_int_equal(take_actions(&test->actions, &outcome, ret_question), 1);
        buf_release(&outcome.questions);
}

static void test_a_pod_gone_meanwhile(void **state) {
        (void)state;
        static const struct talk talk = { "gone", .reported = { { 0, EXTENDER_FILTER, ALL3 } } };
        struct sched_test test;
        struct question question, next[QUESTIONS_MAX];
        struct outcome outcome = { 0 };
        ask_about_p(&test, &question);
        apply(&test, OBJECT_POD, CHANGE_REMOVED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\"}}");
        step(&test);
        assert_int_equal(reply(&test, &talk, &question, &outcome, next), 0);
        assert_string_equal(outcome.bound, "");
        assert_string_equal(outcome.message, "");
        sched_test_release(&test);
}

static void test_a_node_gone_meanwhile(void **state) {
        (void)state;
        static const struct talk talk = { "gone", .reported = { { 0, EXTENDER_FILTER, ALL3 } } };
        struct sched_test test;
        struct question question, next[QUESTIONS_MAX];
        struct outcome outcome = { 0 };
        ask_about_p(&test, &question);
        apply(&test, OBJECT_NODE, CHANGE_REMOVED, "{\"metadata\":{\"name\":\"n1\"}}");
        assert_int_equal(reply(&test, &talk, &question, &outcome, next), 0);
        assert_string_equal(outcome.bound, "n2");
        sched_test_release(&test);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_talks),
                cmocka_unit_test(test_an_error_is_an_error),
                cmocka_unit_test(test_managed_resources),
                cmocka_unit_test(test_bindings),
                cmocka_unit_test(test_preemptions),
                cmocka_unit_test(test_a_pod_gone_meanwhile),
                cmocka_unit_test(test_a_node_gone_meanwhile),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
