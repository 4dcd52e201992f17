/* A pod read off the model says what its object says. */
#include "evict/eviction_reconciler.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define POD(meta, spec, status)                                                                    \
        "{\"metadata\":{\"namespace\":\"n\",\"name\":\"p\",\"uid\":\"u\"" meta                     \
        "},\"spec\":{\"containers\":[]" spec "},\"status\":{" status "}}"
#define CONDITION(type, status, reason)                                                            \
        "{\"type\":\"" type "\",\"status\":\"" status "\",\"reason\":\"" reason "\"}"
#define DELETED ",\"deletionTimestamp\":\"2026-01-01T00:00:30Z\""

static const char *const objects[] = {
        POD("", "", ""),
        POD("", ",\"nodeName\":\"node-1\"", "\"phase\":\"Running\""),
        POD("", "", "\"phase\":\"Succeeded\""),
        POD(",\"labels\":{\"a\":\"1\",\"b\":\"\"}", "",
            "\"conditions\":[" CONDITION("Ready", "True", "") "]"),
        POD("", "", "\"conditions\":[" CONDITION("Ready", "False", "") "]"),
        POD(DELETED, "",
            "\"conditions\":[" CONDITION("DisruptionTarget", "True", "EvictionByEvictionAPI") "]"),
        POD("", "",
            "\"conditions\":[" CONDITION("DisruptionTarget", "True", "EvictionByEvictionAPI") "]"),
        POD(DELETED, "",
            "\"conditions\":[" CONDITION("DisruptionTarget", "True", "PreemptionByScheduler") "]"),
        POD(",\"annotations\":{\"" EVICTION_RESPONDERS_KEY "\":\"a.b/c=9\"}", "", ""),
        POD(",\"annotations\":{\"" EVICTION_RESPONDERS_KEY "\":\"a.b/c=9\"}",
            ",\"evictionResponders\":[{\"name\":\"x.y/z\",\"priority\":7},{\"name\":\"x.y/w\"}]",
            ""),
        POD(",\"annotations\":{\"" EVICTION_STARTS_KEY "\":\"\",\"" EVICTION_MOVING_KEY "\":\"\"}",
            "", ""),
        POD(",\"annotations\":{\"kubernetes.io/config.mirror\":\"x\"}", "", ""),
        POD(",\"ownerReferences\":[{\"kind\":\"A\",\"name\":\"a\",\"uid\":\"1\"},{\"kind\":"
            "\"DaemonSet\",\"name\":\"d\",\"uid\":\"2\",\"controller\":true}]",
            "", ""),
        POD(",\"ownerReferences\":[{\"kind\":\"VirtualMachineInstance\",\"name\":\"v\",\"uid\":"
            "\"1\","
            "\"controller\":true}]",
            ",\"schedulingGroup\":{\"podGroupName\":\"g\"}", ""),
};

static void same_text(const char *what, const char *object, struct slice a, struct slice b) {
        if (!slice_eq(a, b))
                fail_msg("%s of %s: \"" SLICE_FMT "\", \"" SLICE_FMT "\"", what, object,
                         SLICE_ARG(a), SLICE_ARG(b));
}

static unsigned bits_of(const struct eviction_pod *pod) {
        return (unsigned)pod->is_finished | (unsigned)pod->is_terminating << 1 |
               (unsigned)pod->is_daemon << 2 | (unsigned)pod->is_mirror << 3 |
               (unsigned)pod->has_group << 4 | (unsigned)pod->is_ready << 5 |
               (unsigned)pod->is_background << 6 | (unsigned)pod->is_moving << 7 |
               (unsigned)pod->is_evicted << 8;
}

static void compare(const char *object, const struct eviction_pod *a,
                    const struct eviction_pod *b) {
        same_text("namespace", object, a->ns, b->ns);
        same_text("name", object, a->name, b->name);
        same_text("uid", object, a->uid, b->uid);
        same_text("node", object, a->node, b->node);
        same_text("responders", object, a->responders, b->responders);
        same_text("owner", object, a->owner, b->owner);
        assert_int_equal(a->deleted.ns, b->deleted.ns);
        if (bits_of(a) != bits_of(b))
                fail_msg("%s: %x, %x", object, bits_of(a), bits_of(b));
        assert_int_equal(a->labels.count, b->labels.count);
        for (size_t i = 0; i < a->labels.count; i++) {
                bool is_found;

                same_text("label", object,
                          label_list_get(b->labels, a->labels.items[i].key.ptr, &is_found),
                          a->labels.items[i].value);
                assert_true(is_found);
        }
}

static struct cluster *new_cluster(bool keeps_evictions) {
        return cluster_new(&(struct cluster_config){ .keeps_finished = true,
                                                     .keeps_evictions = keeps_evictions });
}

/* One after the other under one name, so that each change is taken in, too. */
static void test_model_says_what_the_object_says(void **state) {
        struct cluster *cluster = new_cluster(true);
        unsigned seen = 0;
        struct arena arena;

        (void)state;
        arena_init(&arena, 0);
        for (size_t round = 0; round < 2 * ARRAY_LEN(objects); round++) {
                const char *object = objects[round * 5 % ARRAY_LEN(objects)];
                struct json_doc *doc = NULL;
                struct eviction_pod decoded, read;
                struct pod_id id;

                assert_int_equal(json_parse(slice_of(object), &doc, NULL), 0);
                assert_int_equal(eviction_pod_decode(json_doc_root(doc), &arena, &decoded, NULL),
                                 0);
                assert_int_equal(cluster_apply(cluster, OBJECT_POD,
                                               round ? CHANGE_UPDATED : CHANGE_ADDED,
                                               json_doc_root(doc), NULL),
                                 0);
                id = cluster_find_pod(cluster, SLICE_LITERAL("n"), SLICE_LITERAL("p"));
                assert_false(pod_id_is_none(id));
                eviction_pod_read(cluster, id, &arena, &read);
                compare(object, &decoded, &read);
                seen |= bits_of(&read);
                json_doc_free(doc);
        }
        assert_int_equal(seen, 0x1ff); /* every mark was met */
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_free(cluster);
        arena_release(&arena);
}

/* Who responds may change alone; that is a change of the pod. */
static void test_responders_change_and_go(void **state) {
        static const char *const texts[] = { "a.b/c=1", "a.b/c=2", "" };
        struct cluster *cluster = new_cluster(true);
        uint64_t generation = 0;

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
                struct json_doc *doc = NULL;
                char object[512];

                snprintf(object, sizeof(object),
                         POD(",\"annotations\":{\"" EVICTION_RESPONDERS_KEY "\":\"%s\"}", "", ""),
                         texts[i]);
                assert_int_equal(json_parse(slice_of(object), &doc, NULL), 0);
                assert_int_equal(cluster_apply(cluster, OBJECT_POD, CHANGE_UPDATED,
                                               json_doc_root(doc), NULL),
                                 0);
                assert_true(slice_is(cluster_pod_responders(
                                             cluster, cluster_find_pod(cluster, SLICE_LITERAL("n"),
                                                                       SLICE_LITERAL("p"))),
                                     texts[i]));
                assert_true(cluster_generation(cluster) > generation);
                generation = cluster_generation(cluster);
                json_doc_free(doc);
        }
        cluster_free(cluster);
}

/* A model that no role of evictions reads has none of it. */
static void test_taken_on_request_only(void **state) {
        struct cluster *cluster = new_cluster(false);

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
                struct json_doc *doc = NULL;
                struct pod_id id;

                assert_int_equal(json_parse(slice_of(objects[i]), &doc, NULL), 0);
                cluster_apply(cluster, OBJECT_POD, CHANGE_UPDATED, json_doc_root(doc), NULL);
                id = cluster_find_pod(cluster, SLICE_LITERAL("n"), SLICE_LITERAL("p"));
                assert_int_equal(cluster_pod(cluster, id)->flags &
                                         (POD_READY | POD_API_EVICTED | POD_HAS_RESPONDERS),
                                 0);
                assert_int_equal(cluster_pod_responders(cluster, id).len, 0);
                json_doc_free(doc);
        }
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_model_says_what_the_object_says),
                cmocka_unit_test(test_responders_change_and_go),
                cmocka_unit_test(test_taken_on_request_only),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
