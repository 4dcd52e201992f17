/* What a pod occupies, and its QoS class. */
#include "api/object.h"
#include "api/quota_scope.h"
#include "api_test.h"
#include <inttypes.h>

/* Cases are written with apostrophes for quotes. */
#define REQUESTS(list) "'resources':{'requests':{" list "}}"
#define LIMITS(list) "'resources':{'limits':{" list "}}"
#define BOTH(list) "'resources':{'requests':{" list "},'limits':{" list "}}"
#define POD(containers, init) "{'spec':{'containers':[" containers "],'initContainers':[" init "]}}"

static struct json_doc *parse_quoted(const char *text) {
        char *copy = slice_dup(slice_of(text));
        for (char *at = copy; *at; at++)
                *at = *at == '\'' ? '"' : *at;
        struct json_doc *doc = must_parse(copy);
        free(copy);
        return doc;
}

static int setup(void **state) {
        struct arena *arena = xcalloc(1, sizeof(*arena));
        arena_init(arena, 0);
        *state = arena;
        return 0;
}

static int teardown(void **state) {
        struct arena *arena = *state;
        arena_release(arena);
        free(arena);
        return 0;
}

static void print_requests(const struct resource_list *list, struct buf *out) {
        buf_text(out, "");
        for (size_t i = 0; i < list->count; i++)
                buf_printf(out, "%s" SLICE_FMT "=%lld", i > 0 ? " " : "",
                           SLICE_ARG(list->items[i].name), (long long)list->items[i].amount);
}

static void test_requests(void **state) {
        static const struct {
                const char *pod, *plain, *with_defaults;
        } cases[] = {
                { "{}", "", "" },
                { POD("{}", ""), "", "cpu=100 memory=209715200" },
                { POD("{" REQUESTS("'cpu':'1'") "},{" REQUESTS("'memory':'10','cpu':'500m'") "}",
                      ""),
                  "cpu=1500 memory=10", "cpu=1500 memory=209715210" },
                { POD("{" REQUESTS("'cpu':'0'") "}", ""), "cpu=0", "cpu=0 memory=209715200" },
                /* Plain init containers count by their largest. */
                { POD("{" REQUESTS("'cpu':'1'") "}",
                      "{" REQUESTS("'cpu':'3'") "},{" REQUESTS("'cpu':'2','gpu':1") "}"),
                  "cpu=3000 gpu=1", "cpu=3000 memory=209715200 gpu=1" },
                /* Sidecars add to what runs later, and to init containers behind them only. */
                { POD("{" REQUESTS("'cpu':'1'") "}",
                      "{" REQUESTS("'cpu':'4'") "},{'restartPolicy':'Always'," REQUESTS(
                              "'cpu':'2'") "},{" REQUESTS("'cpu':'3'") "}"),
                  "cpu=5000", "cpu=5000 memory=419430400" },
                /* Pod level values replace the sum for the resources they may name. */
                { "{'spec':{" REQUESTS("'cpu':'7','hugepages-2Mi':'4Mi','gpu':9") //
                  ",'containers':[{" REQUESTS("'cpu':'1','gpu':2") "}],'overhead':{'cpu':'10m'}}}",
                  "cpu=7010 gpu=2 hugepages-2Mi=4194304",
                  "cpu=7010 gpu=2 memory=209715200 hugepages-2Mi=4194304" },
                { "{'spec':{" REQUESTS("'cpu':'7'") "},'status':{" REQUESTS("'cpu':'9'") //
                  ",'allocatedResources':{'cpu':'8'}}}",
                  "cpu=9000", "cpu=9000" },
                /* In-place resize: the most of spec, actual and allocated. */
                { "{'spec':{'containers':[{'name':'a'," REQUESTS("'cpu':'1','memory':'30'") //
                  "}]},'status':{'containerStatuses':[{'name':'a'," REQUESTS(
                          "'cpu':'2','memory':'10'") //
                  ",'allocatedResources':{'cpu':'1','memory':'20'}}]}}",
                  "cpu=2000 memory=30", "cpu=2000 memory=30" },
                /* An infeasible resize leaves the spec out. */
                { "{'spec':{'containers':[{'name':'a'," REQUESTS("'cpu':'9'") //
                  "}]},'status':{'conditions':[{'type':'PodResizePending','status':'True',"
                  "'reason':'Infeasible'}],'containerStatuses':[{'name':'a'," REQUESTS(
                          "'cpu':'2'") ",'allocatedResources':{'cpu':'3'}}]}}",
                  "cpu=3000", "cpu=3000 memory=209715200" },
                /* Without actual resources in the status the allocated ones do not count. */
                { "{'spec':{'containers':[{'name':'a'," REQUESTS("'cpu':'1'") //
                  "}]},'status':{'containerStatuses':[{'name':'a','allocatedResources':"
                  "{'cpu':'3'}}]}}",
                  "cpu=1000", "cpu=1000 memory=209715200" },
                /* Sums stay in range. */
                { POD("{" REQUESTS("'memory':'8Ei'") "},{" REQUESTS("'memory':'8Ei'") "}", ""),
                  "memory=9223372036854775807", "memory=9223372036854775807 cpu=200" },
        };
        struct arena *arena = *state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_doc *doc = parse_quoted(cases[i].pod);
                struct pod pod;
                struct buf plain = { 0 }, filled = { 0 };
                assert_int_equal(pod_decode(json_doc_root(doc), arena, &pod, NULL), 0);
                struct resource_list list = pod_spec_requests(&pod.spec, false, arena);
                print_requests(&list, &plain);
                list = pod_spec_requests(&pod.spec, true, arena);
                print_requests(&list, &filled);
                assert_string_equal(plain.data ? plain.data : "", cases[i].plain);
                assert_string_equal(filled.data ? filled.data : "", cases[i].with_defaults);
                buf_release(&plain);
                buf_release(&filled);
                json_doc_free(doc);
        }
}

/* Sidecars and plain init containers in turn, each with a resource of its own and one of all. */
static void test_requests_of_many(void **state) {
        struct buf text = { 0 };
        struct pod_spec spec;

        buf_text(&text, "{\"containers\":[{\"name\":\"a\"}],\"initContainers\":[");
        for (int i = 0; i < 200; i++)
                buf_printf(&text,
                           "%s{\"name\":\"c%d\",%s\"resources\":{\"requests\":{\"a.b/x\":\"1\","
                           "\"a.b/u%d\":\"%d\"}}}",
                           i ? "," : "", i, i % 2 ? "" : "\"restartPolicy\":\"Always\",", i, i + 1);
        buf_text(&text, "]}");
        struct json_doc *doc = must_parse(text.data);
        assert_int_equal(pod_spec_decode(json_doc_root(doc), *state, &spec, NULL), 0);
        struct resource_list requests = pod_spec_requests(&spec, false, *state);
        assert_int_equal(requests.count, 201);
        /* The last plain one runs beside all sidecars. */
        assert_int_equal(resource_list_get(&requests, "a.b/x", NULL), 101);
        for (int i = 0; i < 200; i++) {
                char name[32];

                snprintf(name, sizeof(name), "a.b/u%d", i);
                assert_int_equal(resource_list_get(&requests, name, NULL), i + 1);
        }
        json_doc_free(doc);
        buf_release(&text);
}

/* What statuses say goes to the containers of their names, whatever their order and number. */
static void test_actual_of_many(void **state) {
        static const int counts[] = { 3, 100 };

        for (size_t c = 0; c < ARRAY_LEN(counts); c++) {
                struct buf text = { 0 };
                struct pod pod;

                buf_text(&text, "{\"spec\":{\"containers\":[");
                for (int i = 0; i < counts[c]; i++)
                        buf_printf(&text, "%s{\"name\":\"c%d\"}", i ? "," : "", i);
                buf_text(&text, "]},\"status\":{\"containerStatuses\":[");
                for (int i = counts[c] - 1; i > 0; i--) /* the first has none */
                        buf_printf(&text,
                                   "%s{\"name\":\"c%d\",\"resources\":{\"requests\":{\"cpu\":"
                                   "\"%d\"}}}",
                                   i < counts[c] - 1 ? "," : "", i, i);
                buf_text(&text, "]}}");
                struct json_doc *doc = must_parse(text.data);
                assert_int_equal(pod_decode(json_doc_root(doc), *state, &pod, NULL), 0);
                assert_false(pod.spec.containers[0].has_actual);
                for (int i = 1; i < counts[c]; i++) {
                        const struct container *container = &pod.spec.containers[i];

                        assert_true(container->has_actual);
                        assert_int_equal(resource_list_get(&container->actual, "cpu", NULL),
                                         1000 * i);
                }
                json_doc_free(doc);
                buf_release(&text);
        }
}

static void test_qos(void **state) {
        static const struct {
                const char *spec;
                enum qos_class qos;
        } cases[] = {
                { "{'containers':[{}]}", QOS_BEST_EFFORT },
                { "{'containers':[{" BOTH("'gpu':'1'") "}]}", QOS_BEST_EFFORT },
                { "{'containers':[{" REQUESTS("'cpu':'0'") "}]}", QOS_BEST_EFFORT },
                { "{'containers':[{" REQUESTS("'cpu':'1'") "}]}", QOS_BURSTABLE },
                { "{'containers':[{" BOTH("'cpu':'1'") "}]}", QOS_BURSTABLE },
                { "{'containers':[{" BOTH("'cpu':'1','memory':'1'") "}]}", QOS_GUARANTEED },
                { "{'containers':[{" LIMITS("'cpu':'1','memory':'1'") "}]}", QOS_BURSTABLE },
                { "{'containers':[{" BOTH("'cpu':'1','memory':'1'") "},{}]}", QOS_BURSTABLE },
                { "{'containers':[{" BOTH("'cpu':'1','memory':'1'") "}],'initContainers':[{}]}",
                  QOS_BURSTABLE },
                { "{'containers':[{'resources':{'requests':{'cpu':'1','memory':'1'},"
                  "'limits':{'cpu':'1','memory':'2'}}}]}",
                  QOS_BURSTABLE },
                { "{" BOTH("'cpu':'1','memory':'1'") ",'containers':[{}]}", QOS_GUARANTEED },
                { "{'resources':{},'containers':[{" BOTH("'cpu':'1','memory':'1'") "}]}",
                  QOS_BEST_EFFORT },
        };
        struct arena *arena = *state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_doc *doc = parse_quoted(cases[i].spec);
                struct pod_spec spec;
                assert_int_equal(pod_spec_decode(json_doc_root(doc), arena, &spec, NULL), 0);
                if (pod_spec_qos(&spec) != cases[i].qos)
                        fail_msg("%s: %s", cases[i].spec, qos_class_name(pod_spec_qos(&spec)));
                json_doc_free(doc);
        }
}

static void test_limits(void **state) {
        static const struct {
                const char *spec;
                int64_t cpu;
        } cases[] = {
                { "{'containers':[{}]}", 0 },
                { "{'containers':[{" LIMITS("'cpu':'1'") "},{" LIMITS("'cpu':'500m'") "}]}", 1500 },
                { "{'containers':[{" LIMITS("'cpu':'1'") "}],'initContainers':[{" LIMITS(
                          "'cpu':'3'") "}]}",
                  3000 },
                { "{'containers':[{" LIMITS("'cpu':'1'") "}],'initContainers':[{'restartPolicy':"
                                                         "'Always'," LIMITS("'cpu':'3'") "}]}",
                  4000 },
                { "{'containers':[{" LIMITS("'cpu':'9Pi'") "},{" LIMITS("'cpu':'9Pi'") "}]}",
                  INT64_MAX },
        };
        struct arena *arena = *state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_doc *doc = parse_quoted(cases[i].spec);
                struct pod_spec spec;
                assert_int_equal(pod_spec_decode(json_doc_root(doc), arena, &spec, NULL), 0);
                if (pod_spec_limit(&spec, "cpu") != cases[i].cpu)
                        fail_msg("%s: %" PRId64, cases[i].spec, pod_spec_limit(&spec, "cpu"));
                json_doc_free(doc);
        }
}

#define CLASS(operator, values)                                                                    \
        "{'scopeSelector':{'matchExpressions':[{'scopeName':'PriorityClass','operator':'"          \
        operator"','values':[" values "]}]}}"

static void test_quota_scopes(void **state) {
        static const char plain[] = "{'containers':[{}]}";
        static const char high[] = "{'priorityClassName':'high','activeDeadlineSeconds':5,"
                                   "'containers':[{" REQUESTS("'cpu':'1'") "}]}";
        static const struct {
                const char *quota;
                bool covers_plain, covers_high;
        } cases[] = {
                { "{}", true, true },
                { "{'scopes':['BestEffort']}", true, false },
                { "{'scopes':['NotBestEffort']}", false, true },
                { "{'scopes':['Terminating']}", false, true },
                { "{'scopes':['NotTerminating']}", true, false },
                { "{'scopes':['NotTerminating','NotBestEffort']}", false, false },
                { "{'scopes':['PriorityClass']}", false, true },
                { "{'scopes':['CrossNamespacePodAffinity']}", true, true }, /* judged elsewhere */
                { "{'scopes':['VolumeAttributesClass']}", false, false },
                { "{'scopes':['Other']}", false, false },
                { CLASS("In", "'high','low'"), false, true },
                { CLASS("NotIn", "'high'"), true, false },
                { CLASS("Exists", ""), false, true },
                { CLASS("DoesNotExist", ""), true, false },
                { "{'scopeSelector':{'matchExpressions':[{'scopeName':'BestEffort','operator':"
                  "'Exists'}]}}",
                  true, false },
        };
        struct arena *arena = *state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_doc *quota = parse_quoted(cases[i].quota);
                for (int is_high = 0; is_high < 2; is_high++) {
                        struct json_doc *doc = parse_quoted(is_high ? high : plain);
                        struct pod_spec spec;
                        bool expected = is_high ? cases[i].covers_high : cases[i].covers_plain;
                        assert_int_equal(pod_spec_decode(json_doc_root(doc), arena, &spec, NULL),
                                         0);
                        if (quota_covers_pod(json_doc_root(quota), &spec) != expected)
                                fail_msg("%s: %d", cases[i].quota, is_high);
                        json_doc_free(doc);
                }
                json_doc_free(quota);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_requests, setup, teardown),
                cmocka_unit_test_setup_teardown(test_requests_of_many, setup, teardown),
                cmocka_unit_test_setup_teardown(test_actual_of_many, setup, teardown),
                cmocka_unit_test_setup_teardown(test_qos, setup, teardown),
                cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
                cmocka_unit_test_setup_teardown(test_quota_scopes, setup, teardown),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
