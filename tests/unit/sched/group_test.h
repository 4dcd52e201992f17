/* Groups of pods on a small cluster, for tests. */
#pragma once

#include "api/json.h"
#include "model/object_cache.h"
#include "sched_test.h"
#include <string.h>

struct group_test {
        struct sched_test base;
        struct object_cache *object_cache;
};

static inline void group_test_init(struct group_test *test, const struct scheduler_config *gates) {
        struct scheduler_config config = *gates;
        test->object_cache = config.object_cache = object_cache_new();
        sched_test_init(&test->base, &config);
}

static inline void group_test_release(struct group_test *test) {
        sched_test_release(&test->base);
        object_cache_free(test->object_cache);
}

/* spec: the members of the PodGroup's spec. */
static inline void put_pod_group(struct group_test *test, const char *name, const char *spec) {
        char text[1024];
        struct err err = { 0 };
        struct json_doc *doc;
        int length = snprintf(text, sizeof(text),
                              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\","
                              "\"uid\":\"uid-%s\"},\"spec\":{%s}}",
                              name, name, spec);
        assert_true(length > 0 && (size_t)length < sizeof(text));
        if (json_parse(slice_of(text), &doc, &err) < 0)
                fail_msg("%s", err.text);
        object_cache_put(test->object_cache, CACHED_POD_GROUP, json_doc_root(doc));
        json_doc_free(doc);
        scheduler_notice(test->base.scheduler, CLUSTER_CLAIM,
                         (struct mono_time){ test->base.now_ns });
}

/* extra: as for put_pod. */
static inline void put_member(struct group_test *test, const char *group, const char *name,
                              int cpu_milli, const char *extra) {
        char spec[512];
        int length = snprintf(spec, sizeof(spec),
                              "\"schedulingGroup\":{\"podGroupName\":\"%s\"},%s", group, extra);
        assert_true(length > 0 && (size_t)length < sizeof(spec));
        put_pod(&test->base, name, cpu_milli, spec);
}

/* labels: of the node, "\"zone\":\"a\"". */
static inline void put_labelled_node(struct group_test *test, const char *name, int cpu_milli,
                                     const char *labels) {
        apply(&test->base, OBJECT_NODE, CHANGE_ADDED,
              "{\"metadata\":{\"name\":\"%s\",\"labels\":{%s}},\"status\":{\"allocatable\":{"
              "\"cpu\":\"%dm\",\"memory\":\"32Gi\",\"pods\":\"110\"}}}",
              name, labels, cpu_milli);
}

/* A pod that runs on a node; metadata and spec: further members of them. */
static inline void put_running(struct group_test *test, const char *name, const char *node,
                               int cpu_milli, const char *metadata, const char *spec) {
        apply(&test->base, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{%s\"namespace\":\"default\",\"name\":\"%s\",\"uid\":\"uid-%s\"},"
              "\"spec\":{%s\"nodeName\":\"%s\",\"containers\":[{\"name\":\"c\",\"image\":\"i\","
              "\"resources\":{\"requests\":{\"cpu\":\"%dm\"}}}]},\"status\":{\"phase\":"
              "\"Running\"}}",
              metadata, name, name, spec, node, cpu_milli);
}

/* Where a pod was bound to in this step; "" = it was not. */
static inline const char *bound_to(const struct group_test *test, const char *pod) {
        static char node[64];
        const struct action *bind = find_action(&test->base, ACTION_BIND, pod);
        node[0] = '\0';
        if (bind)
                snprintf(node, sizeof(node), SLICE_FMT, SLICE_ARG(bind->bind.node));
        return node;
}

/* What a pod was told in this step; "" = nothing. */
static inline const char *reported_pod(const struct group_test *test, const char *pod) {
        static char text[1024];
        const struct action *status = find_action(&test->base, ACTION_POD_STATUS, pod);
        text[0] = '\0';
        if (status)
                snprintf(text, sizeof(text), SLICE_FMT, SLICE_ARG(status->status.message));
        return text;
}

/* The patch a group was told in this step; "" = none. */
static inline const char *reported_group(const struct group_test *test, const char *group) {
        static char text[1024];
        const struct action *patch = find_action(&test->base, ACTION_PATCH_OBJECT, group);
        text[0] = '\0';
        if (patch)
                snprintf(text, sizeof(text), SLICE_FMT, SLICE_ARG(patch->patch.body));
        return text;
}
