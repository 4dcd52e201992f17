/* A small cluster fed from JSON text, and a scheduler on it, for tests. */
#pragma once

#include "base/util.h"
#include "model/cluster.h"
#include "plugins/sched/registry.h"
#include "sched/scheduler.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct sched_test {
        struct cluster *cluster;
        struct sched_profile *profile;
        struct scheduler *scheduler;
        struct action_list actions;
        int64_t now_ns;
};

__attribute__((format(printf, 4, 5))) static inline void apply(struct sched_test *test,
                                                               enum object_kind kind,
                                                               enum change_kind change,
                                                               const char *format, ...) {
        char text[4096];
        struct err err = { 0 };
        struct json_doc *doc;
        va_list args;
        va_start(args, format);
        int length = vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        assert_true(length > 0 && (size_t)length < sizeof(text));
        assert_int_equal(json_parse(slice_of(text), &doc, &err), 0);
        if (cluster_apply(test->cluster, kind, change, json_doc_root(doc), &err) < 0)
                fail_msg("%s: %s", err.path, err.text);
        json_doc_free(doc);
}

static inline void put_node(struct sched_test *test, const char *name, int cpu_milli) {
        apply(test, OBJECT_NODE, CHANGE_ADDED,
              "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"kubernetes.io/hostname\":\"%s\"}},"
              "\"status\":{\"allocatable\":{\"cpu\":\"%dm\",\"memory\":\"32Gi\",\"pods\":\"110\"}}"
              "}",
              name, name, cpu_milli);
}

/* extra: further members of the spec, such as "\"priority\":5,". */
static inline void put_pod(struct sched_test *test, const char *name, int cpu_milli,
                           const char *extra) {
        apply(test, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\",\"uid\":\"uid-%s\"},"
              "\"spec\":{%s\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":"
              "{\"requests\":{\"cpu\":\"%dm\"}}}]}}",
              name, name, extra, cpu_milli);
}

static inline void sched_test_init(struct sched_test *test, const struct scheduler_config *extra) {
        struct err err = { 0 };
        struct scheduler_config config = extra ? *extra : (struct scheduler_config){ 0 };
        *test = (struct sched_test){ .cluster = cluster_new(&(struct cluster_config){ 0 }),
                                     .now_ns = 1000 * NS_PER_S };
        struct profile_env env = { .registry = sched_registry,
                                   .is_parity = config.is_parity,
                                   .object_cache = config.object_cache,
                                   .gates = config.has_placements ? FEATURE_PLACEMENTS : 0 };
        assert_int_equal(sched_profile_new_default(&env, &test->profile, &err), 0);
        config.cluster = test->cluster;
        config.profile_count = 1;
        config.profiles = &test->profile;
        test->scheduler = scheduler_new(&config);
        action_list_init(&test->actions);
}

static inline void sched_test_release(struct sched_test *test) {
        action_list_release(&test->actions);
        scheduler_free(test->scheduler);
        sched_profile_free(test->profile);
        cluster_free(test->cluster);
}

static inline struct wall_time test_wall(const struct sched_test *test) {
        return (struct wall_time){ test->now_ns + 1700000000 * NS_PER_S };
}

/* Steps once; the actions of this step are in test->actions. */
static inline struct scheduler_progress step(struct sched_test *test) {
        action_list_clear(&test->actions);
        return scheduler_step(test->scheduler, (struct mono_time){ test->now_ns }, test_wall(test),
                              1000, &test->actions);
}

static inline const struct action *find_action(const struct sched_test *test, enum action_kind kind,
                                               const char *pod) {
        for (size_t i = 0; i < test->actions.count; i++)
                if (test->actions.items[i].kind == kind &&
                    slice_is(test->actions.items[i].target.name, pod))
                        return &test->actions.items[i];
        return NULL;
}

static inline size_t count_actions(const struct sched_test *test, enum action_kind kind) {
        size_t count = 0;
        for (size_t i = 0; i < test->actions.count; i++)
                count += test->actions.items[i].kind == kind;
        return count;
}

/* Reports the outcome of an action; actions it causes replace the list's. */
static inline void answer_action(struct sched_test *test, const struct action *action, int code) {
        struct action_list out;
        action_list_init(&out);
        out.next_id = test->actions.next_id; /* ids stay unique */
        struct action_result result = { .id = action->id,
                                        .kind = action->kind,
                                        .target = action->target,
                                        .code = code,
                                        .retry_after_s = -1,
                                        .text = code == 0 ? SLICE_EMPTY
                                                          : SLICE_LITERAL("refused") };
        scheduler_result(test->scheduler, &result, (struct mono_time){ test->now_ns },
                         test_wall(test), &out);
        action_list_release(&test->actions);
        test->actions = out;
}

/* The same for a pod's bind (or other) action. */
static inline void answer(struct sched_test *test, enum action_kind kind, const char *pod,
                          int code) {
        const struct action *action = find_action(test, kind, pod);
        assert_non_null(action);
        answer_action(test, action, code);
}
