/* Arguments that several descheduler strategies share: what is accepted, what is said about the
 * rest with its path, which pods they mean, and ages. */
#include "plugin/desched_args.h"

#include "base/util.h"
#include "plugin/desched_run.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct sample {
        struct namespaces_arg namespaces;
        struct selector_arg labels;
};

#define MEMBER(member) offsetof(struct sample, member), .presence = FIELD_NO_PRESENCE

static const struct field fields[] = {
        NAMESPACES_FIELD(MEMBER(namespaces)),
        LABELS_FIELD(MEMBER(labels)),
        FIELD_END,
};

struct reading {
        struct arena arena;
        struct json_doc *doc;
        struct sample sample;
        struct buf problems;
};

static void read_args(struct reading *reading, const char *text) {
        char json[512];
        *reading = (struct reading){ 0 };
        arena_init(&reading->arena, 0);
        snprintf(json, sizeof(json), "%s", text);
        for (char *c = json; *c; c++)
                if (*c == '\'')
                        *c = '"';
        assert_int_equal(json_parse(slice_of(json), &reading->doc, NULL), 0);
        struct config_problems *problems = config_problems_new();
        struct field_reader reader = { .arena = &reading->arena,
                                       .problems = problems,
                                       .unknown = UNKNOWN_IS_ERROR };
        fields_decode(&reader, fields, json_doc_root(reading->doc), &reading->sample);
        config_problems_print(problems, &reading->problems);
        buf_text(&reading->problems, "");
        config_problems_free(problems);
}

static void reading_release(struct reading *reading) {
        json_doc_free(reading->doc);
        buf_release(&reading->problems);
        arena_release(&reading->arena);
}

static void test_problems_have_paths(void **state) {
        static const struct {
                const char *text, *path, *problem;
        } cases[] = {
                { "{'namespaces':{'include':['a'],'exclude':['b']}}", "namespaces",
                  "only one of include and exclude can be set" },
                { "{'namespaces':{'excluded':['b']}}", "namespaces.excluded", "unknown" },
                { "{'labelSelector':'app=web'}", "labelSelector",
                  "expected a label selector, found" },
                { "{'labelSelector':{'matchLabel':{}}}", "labelSelector.matchLabel",
                  "unknown field" },
                { "{'labelSelector':{'matchExpressions':[{'key':'a','operator':'Exists'},{'name':"
                  "'b'}]}}",
                  "labelSelector.matchExpressions[1].name", "unknown field" },
                { "{'labelSelector':{'matchExpressions':[{'key':'a','operator':'Like'}]}}",
                  "labelSelector.matchExpressions[0]", "Like" },
                { "{'labelSelector':{'matchExpressions':[{'key':'a','operator':'In'}]}}",
                  "labelSelector.matchExpressions[0]", "values" },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct reading reading;
                read_args(&reading, cases[i].text);
                if (!strstr(reading.problems.data, cases[i].path) ||
                    !strstr(reading.problems.data, cases[i].problem))
                        fail_msg("%s: \"%s\"", cases[i].text, reading.problems.data);
                assert_false(reading.sample.labels.is_given);
                reading_release(&reading);
        }
}

/* ---- which pods are meant ---- */

static void add_pod(struct cluster *cluster, const char *ns, const char *app) {
        char text[512];
        struct json_doc *doc;
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"p\",\"uid\":\"%s\",\"labels\":{"
                 "\"app\":\"%s\"},\"ownerReferences\":[{\"kind\":\"Job\",\"name\":\"j\",\"uid\":"
                 "\"j\"}]},\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\"}]},"
                 "\"status\":{\"phase\":\"Running\"}}",
                 ns, ns, app);
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        assert_int_equal(cluster_apply(cluster, OBJECT_POD, CHANGE_ADDED, json_doc_root(doc), NULL),
                         0);
        json_doc_free(doc);
}

/* A run over web in namespace a, web in b, db in c. */
struct bench {
        struct cluster *cluster;
        struct arena pass, scratch;
        struct desched_run run;
};

static void open_bench(struct bench *bench) {
        *bench = (struct bench){ .cluster = cluster_new(&(struct cluster_config){ 0 }) };
        arena_init(&bench->pass, 0);
        arena_init(&bench->scratch, 0);
        add_pod(bench->cluster, "a", "web");
        add_pod(bench->cluster, "b", "web");
        add_pod(bench->cluster, "c", "db");
        bench->run = (struct desched_run){ .cluster = bench->cluster,
                                           .pass = &bench->pass,
                                           .scratch = &bench->scratch,
                                           .now = { 1000 * NS_PER_S } };
        struct bitset selected = bitset_in_arena(&bench->pass, 1);
        desched_run_prepare(&bench->run, &selected);
}

static void close_bench(struct bench *bench) {
        desched_run_finish(&bench->run);
        arena_release(&bench->pass);
        arena_release(&bench->scratch);
        cluster_free(bench->cluster);
}

static void test_scopes(void **state) {
        static const struct {
                const char *text, *pods; /* namespaces of the pods that are meant */
        } cases[] = {
                { "{}", "abc" },
                { "{'namespaces':{'include':['a','c','nowhere']}}", "ac" },
                { "{'namespaces':{'include':['nowhere']}}", "" },
                { "{'namespaces':{'exclude':['b','nowhere']}}", "ac" },
                { "{'labelSelector':null}", "abc" },
                { "{'labelSelector':{'matchLabels':{'app':'web'}}}", "ab" },
                { "{'labelSelector':{'matchExpressions':[{'key':'app','operator':'NotIn',"
                  "'values':['web']}]}}",
                  "c" },
                { "{'namespaces':{'exclude':['a']},'labelSelector':{'matchLabels':{'app':'web'}}}",
                  "b" },
        };
        static const char *const namespaces[] = { "a", "b", "c" };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct reading reading;
                struct bench bench;
                char pods[4] = "";
                size_t length = 0;
                open_bench(&bench);
                read_args(&reading, cases[i].text);
                assert_string_equal(reading.problems.data, "");
                const struct pod_scope scope = pod_scope_make(
                        &bench.run, &reading.sample.namespaces, &reading.sample.labels);
                for (size_t n = 0; n < ARRAY_LEN(namespaces); n++) {
                        struct pod_id pod = cluster_find_pod(bench.cluster, slice_of(namespaces[n]),
                                                             SLICE_LITERAL("p"));
                        if (pod_scope_has(&bench.run, &scope, cluster_pod(bench.cluster, pod)))
                                pods[length++] = namespaces[n][0];
                }
                if (strcmp(pods, cases[i].pods) != 0)
                        fail_msg("%s: %s", cases[i].text, pods);
                reading_release(&reading);
                close_bench(&bench);
        }
}

static void test_kinds_of_owners(void **state) {
        static struct slice jobs[] = { SLICE_INIT("StatefulSet"), SLICE_INIT("Job") };
        const struct text_list both = { 2, jobs }, other = { 1, jobs };
        struct bench bench;
        (void)state;
        open_bench(&bench);
        const struct pod_row *pod =
                cluster_pod(bench.cluster, cluster_find_pod(bench.cluster, SLICE_LITERAL("a"),
                                                            SLICE_LITERAL("p")));
        struct name_set set = name_set_make(bench.cluster, &both, &bench.scratch);
        assert_int_equal(set.count, 1); /* nobody is owned by a StatefulSet */
        assert_true(pod_has_owner_kind(pod, &set));
        set = name_set_make(bench.cluster, &other, &bench.scratch);
        assert_false(pod_has_owner_kind(pod, &set));
        close_bench(&bench);
}

/* ---- ages ---- */

static void test_ages(void **state) {
        const struct wall_time now = { 1000 * NS_PER_S }, early = { INT64_MIN + 1 };
        int64_t age;
        (void)state;
        assert_true(age_seconds((struct wall_time){ 999 * NS_PER_S }, now, &age));
        assert_int_equal(age, 1);
        assert_true(age_seconds((struct wall_time){ 998 * NS_PER_S + 1 }, now, &age));
        assert_int_equal(age, 1); /* whole seconds */
        assert_true(age_seconds(now, now, &age));
        assert_int_equal(age, 0);
        assert_false(age_seconds((struct wall_time){ now.ns + 1 }, now, &age));
        assert_false(age_seconds(WALL_TIME_UNSET, now, &age));
        assert_true(age_nanoseconds(early, (struct wall_time){ INT64_MAX }, &age));
        assert_true(age == INT64_MAX);
}

static void test_old_enough(void **state) {
        struct bench bench;
        (void)state;
        open_bench(&bench); /* at 1000 s */
        struct wall_time since = { 990 * NS_PER_S };
        assert_true(is_old_enough(&bench.run, since, 9));
        assert_true(is_old_enough(&bench.run, since, 10));
        assert_false(bench.run.has_due);
        assert_false(is_old_enough(&bench.run, since, 13)); /* at 1003 s */
        assert_true(bench.run.has_due);
        assert_int_equal(bench.run.due.ns, 1003 * NS_PER_S);
        assert_false(is_old_enough(&bench.run, since, 12)); /* the earliest is kept */
        assert_false(is_old_enough(&bench.run, since, 20));
        assert_int_equal(bench.run.due.ns, 1002 * NS_PER_S);
        assert_false(is_old_enough(&bench.run, (struct wall_time){ 1001 * NS_PER_S }, 0));
        assert_false(is_old_enough(&bench.run, WALL_TIME_UNSET, 0));
        assert_false(is_old_enough(&bench.run, since, INT64_MAX)); /* never */
        assert_int_equal(bench.run.due.ns, 1002 * NS_PER_S);
        close_bench(&bench);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_problems_have_paths), cmocka_unit_test(test_scopes),
                cmocka_unit_test(test_kinds_of_owners),     cmocka_unit_test(test_ages),
                cmocka_unit_test(test_old_enough),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
