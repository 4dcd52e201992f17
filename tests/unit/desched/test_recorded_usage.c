/* Usage out of recorded metrics objects. */
#include "desched/recorded_usage.h"

#include "base/util.h"
#include "config/descheduler_policy.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char objects[] =
        "[{\"kind\":\"NodeMetrics\",\"metadata\":{\"name\":\"n1\"},\"usage\":{\"cpu\":"
        "\"1500000001n\",\"memory\":\"2Ki\"}},"
        "{\"kind\":\"NodeMetrics\",\"metadata\":{\"name\":\"n2\"},\"usage\":{\"cpu\":\"1\"}},"
        "{\"kind\":\"PodMetrics\",\"metadata\":{\"namespace\":\"a\",\"name\":\"p\"},"
        "\"containers\":[{\"usage\":{\"cpu\":\"1500u\",\"memory\":\"1Ki\"}},{\"usage\":{\"cpu\":"
        "\"1500u\",\"memory\":\"1Ki\"}}]},"
        "{\"kind\":\"PrometheusSamples\",\"samples\":[{\"instance\":\"n1\",\"value\":0.25}]},"
        "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"x\"}}]";

struct bench {
        struct json_doc *doc;
        struct config_problems *problems;
        struct descheduler_policy *policy;
        struct recorded_usage *usage;
        const struct desched_usage *source;
};

static void open_bench(struct bench *bench, const char *providers) {
        char text[512];
        snprintf(text, sizeof(text),
                 "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n%s\n", providers);
        *bench = (struct bench){ .problems = config_problems_new() };
        bench->policy =
                descheduler_policy_read(slice_of(text), "policy.yaml", false, bench->problems);
        assert_int_equal(bench->problems->count, 0);
        assert_int_equal(json_parse(slice_of(objects), &bench->doc, NULL), 0);
        assert_int_equal(
                recorded_usage_new(json_doc_root(bench->doc), bench->policy, &bench->usage, NULL),
                0);
        bench->source = recorded_usage_source(bench->usage);
}

static void close_bench(struct bench *bench) {
        recorded_usage_free(bench->usage);
        descheduler_policy_free(bench->policy);
        config_problems_free(bench->problems);
        json_doc_free(bench->doc);
}

static void test_amounts(void **state) {
        (void)state;
        static const struct {
                const char *ns, *name, *resource; /* ns NULL: a node */
                bool is_known;
                int64_t amount;
        } cases[] = {
                { NULL, "n1", "cpu", true, 1501 },  { NULL, "n1", "memory", true, 2048 },
                { NULL, "n2", "cpu", true, 1000 },  { NULL, "n2", "memory", false, 0 },
                { NULL, "n3", "cpu", false, 0 },    { NULL, "n1", "pods", false, 0 },
                { "a", "p", "cpu", true, 3 }, /* rounded up once, after adding up */
                { "a", "p", "memory", true, 2048 }, { "b", "p", "cpu", false, 0 },
        };
        struct bench bench;
        open_bench(&bench, "");
        const struct desched_usage *source = bench.source;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                int64_t amount = 0;
                struct slice name = slice_of(cases[i].name), what = slice_of(cases[i].resource);
                bool is_known = cases[i].ns ? source->pod(source->context, slice_of(cases[i].ns),
                                                          name, what, &amount)
                                            : source->node(source->context, name, what, &amount);
                if (is_known != cases[i].is_known || amount != cases[i].amount)
                        fail_msg("case %zu: %d, %lld", i, is_known, (long long)amount);
        }
        const struct usage_sample *samples;
        size_t count;
        assert_int_equal(source->query(source->context, SLICE_LITERAL("q"), &samples, &count, NULL),
                         0);
        assert_int_equal(count, 1);
        assert_true(slice_is(samples[0].instance, "n1"));
        assert_true(samples[0].value > 0.24 && samples[0].value < 0.26);
        close_bench(&bench);
}

static void test_providers(void **state) {
        (void)state;
        static const struct {
                const char *policy;
                bool has_kubernetes, has_prometheus;
        } cases[] = {
                { "", false, false },
                { "metricsCollector: {enabled: true}", true, false },
                { "metricsProviders: [{source: KubernetesMetrics}]", true, false },
                { "metricsProviders: [{source: Prometheus, prometheus: {url: 'http://p'}}]", false,
                  true },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct bench bench;
                open_bench(&bench, cases[i].policy);
                assert_int_equal(bench.source->has_kubernetes, cases[i].has_kubernetes);
                assert_int_equal(bench.source->has_prometheus, cases[i].has_prometheus);
                close_bench(&bench);
        }
}

static void test_wrong(void **state) {
        (void)state;
        static const char *const wrong[] = {
                "[{\"kind\":\"NodeMetrics\",\"metadata\":{\"name\":\"n\"},\"usage\":{\"cpu\":"
                "\"many\"}}]",
                "[{\"kind\":\"PodMetrics\",\"metadata\":{\"name\":\"n\"},\"containers\":[{"
                "\"usage\":{\"cpu\":\"1\"}},{\"usage\":{\"cpu\":\"x\"}}]}]",
                "[{\"kind\":\"PrometheusSamples\",\"samples\":[{\"instance\":\"n\",\"value\":"
                "\"x\"}]}]",
        };
        struct bench bench;
        open_bench(&bench, "");
        for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
                struct json_doc *doc = NULL;
                struct recorded_usage *usage = NULL;
                assert_int_equal(json_parse(slice_of(wrong[i]), &doc, NULL), 0);
                assert_true(recorded_usage_new(json_doc_root(doc), bench.policy, &usage, NULL) < 0);
                assert_null(usage);
                json_doc_free(doc);
        }
        close_bench(&bench);
}

/* ---- single answers ---- */

static struct recorded_usage *read_answer(struct bench *bench, const char *text, bool is_list,
                                          struct err *err) {
        struct recorded_usage *usage = NULL;
        struct json_doc *doc = NULL;
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        if (is_list)
                recorded_usage_of_list(json_doc_root(doc), bench->policy, &usage, err);
        else
                recorded_usage_of_answer(json_doc_root(doc), bench->policy, &usage, err);
        json_doc_free(doc);
        return usage;
}

static int64_t amount_of(const struct recorded_usage *usage, const char *node,
                         const char *resource) {
        const struct desched_usage *source = recorded_usage_source(usage);
        int64_t amount = -1;
        source->node(source->context, slice_of(node), slice_of(resource), &amount);
        return amount;
}

static int64_t cpu_of(const struct recorded_usage *usage, const char *node) {
        return amount_of(usage, node, "cpu");
}

/* Nine parts of before, one of now; nodes that are new count as they are, others are forgotten. */
static void test_D26_smoothing(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench, "");
        struct recorded_usage *before = read_answer(
                &bench,
                "{\"kind\":\"NodeMetricsList\",\"items\":[{\"metadata\":{\"name\":\"a\"},"
                "\"usage\":{\"cpu\":\"1\",\"memory\":\"1000\"}},{\"metadata\":{\"name\":\"gone\"},"
                "\"usage\":{"
                "\"cpu\":\"1\"}}]}",
                true, NULL);
        struct recorded_usage *now = read_answer(
                &bench,
                "{\"kind\":\"NodeMetricsList\",\"items\":[{\"metadata\":{\"name\":\"a\"},"
                "\"usage\":{\"cpu\":\"2\",\"memory\":\"3000\"}},{\"metadata\":{\"name\":\"new\"},"
                "\"usage\":{"
                "\"cpu\":\"3\"}}]}",
                true, NULL);
        recorded_usage_smooth(now, before);
        assert_int_equal(cpu_of(now, "a"), 1100);
        assert_int_equal(amount_of(now, "a", "memory"), 1200);
        assert_int_equal(cpu_of(now, "new"), 3000);
        assert_int_equal(cpu_of(now, "gone"), -1);
        recorded_usage_keep(now, before); /* D26: upstream goes on with what it heard last */
        assert_int_equal(cpu_of(now, "gone"), 1000);
        assert_int_equal(cpu_of(now, "a"), 1100);
        recorded_usage_free(before);
        recorded_usage_free(now);
        close_bench(&bench);
}

static void test_answers_of_prometheus(void **state) {
        (void)state;
        static const struct {
                const char *text;
                size_t count;
                const char *problem; /* NULL = none */
        } cases[] = {
                { "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[{"
                  "\"metric\":{\"instance\":\"n1\"},\"value\":[1,\"0.5\"]},{\"metric\":{},"
                  "\"value\":[1,\"NaN\"]}]}}",
                  2, NULL },
                { "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}", 0,
                  NULL },
                { "{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\",\"result\":[1,"
                  "\"1\"]}}",
                  0, "vector" },
                { "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"no such "
                  "thing\"}",
                  0, "no such thing" },
                { "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[{"
                  "\"metric\":{},\"value\":[1,\"half\"]}]}}",
                  0, "numbers" },
                { "[]", 0, "Prometheus" },
        };
        struct bench bench;
        open_bench(&bench, "");
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct err err = { 0 };
                struct recorded_usage *usage = read_answer(&bench, cases[i].text, false, &err);
                const struct usage_sample *samples;
                size_t count = 0;
                if (cases[i].problem) {
                        assert_null(usage);
                        assert_non_null(strstr(err.text, cases[i].problem));
                        continue;
                }
                assert_non_null(usage);
                const struct desched_usage *source = recorded_usage_source(usage);
                assert_int_equal(
                        source->query(source->context, SLICE_EMPTY, &samples, &count, NULL), 0);
                assert_int_equal(count, cases[i].count);
                if (count > 0) {
                        assert_true(slice_is(samples[0].instance, "n1"));
                        assert_true(samples[0].value == 0.5);
                        assert_int_equal(samples[1].instance.len, 0);
                }
                recorded_usage_free(usage);
        }
        close_bench(&bench);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_amounts),
                cmocka_unit_test(test_providers),
                cmocka_unit_test(test_wrong),
                cmocka_unit_test(test_D26_smoothing),
                cmocka_unit_test(test_answers_of_prometheus),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
