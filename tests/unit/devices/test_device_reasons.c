/* Why a node has no devices: every device counts once, under what refuses it first. */
#include "device_scene.h"

#include "base/util.h"
#include "devices/device_reasons.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* a is free, b is tainted, c is in use, d has no counters left, e has too little capacity, f is of
 * another model, and g stands on another node. */
static const char objects[] =
        "{\"resourceSlices\":[{\"metadata\":{\"name\":\"c\"},\"spec\":{\"driver\":\"g\","
        "\"nodeName\":\"n\",\"pool\":{\"name\":\"p\",\"generation\":1,\"resourceSliceCount\":2},"
        "\"sharedCounters\":[{\"name\":\"s\",\"counters\":{\"k\":{\"value\":\"1\"},\"m\":{"
        "\"value\":\"1\"}}}]}},"
        "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"driver\":\"g\",\"nodeName\":\"n\",\"pool\":{"
        "\"name\":\"p\",\"generation\":1,\"resourceSliceCount\":2},\"devices\":["
        "{\"name\":\"a\",\"attributes\":{\"m\":{\"string\":\"x\"}}},"
        "{\"name\":\"b\",\"attributes\":{\"m\":{\"string\":\"x\"}},\"taints\":[{\"key\":\"k\","
        "\"value\":\"v\",\"effect\":\"NoSchedule\"}]},"
        "{\"name\":\"c\",\"attributes\":{\"m\":{\"string\":\"x\"}}},"
        "{\"name\":\"d\",\"attributes\":{\"m\":{\"string\":\"x\"}},\"consumesCounters\":[{"
        "\"counterSet\":\"s\",\"counters\":{\"k\":{\"value\":\"1\"},\"m\":{\"value\":\"2\"}}}]},"
        "{\"name\":\"e\",\"attributes\":{\"m\":{\"string\":\"x\"}},\"allowMultipleAllocations\":"
        "true,\"capacity\":{\"memory\":{\"value\":\"1Gi\"}}},"
        "{\"name\":\"f\",\"attributes\":{\"m\":{\"string\":\"y\"}}}]}},"
        "{\"metadata\":{\"name\":\"o\"},\"spec\":{\"driver\":\"g\",\"nodeName\":\"other\",\"pool\":"
        "{\"name\":\"q\",\"generation\":1,\"resourceSliceCount\":1},\"devices\":[{\"name\":\"g\","
        "\"attributes\":{\"m\":{\"string\":\"x\"}}}]}}],"
        "\"deviceClasses\":[{\"metadata\":{\"name\":\"any\"},\"spec\":{\"selectors\":[{\"cel\":{"
        "\"expression\":\"device.attributes['g'].m == 'x'\"}}]}}],"
        "\"resourceClaims\":[{\"metadata\":{\"name\":\"c\",\"namespace\":\"d\"},\"spec\":{"
        "\"devices\":{\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"any\","
        "\"allocationMode\":\"ExactCount\",\"count\":3%s}}]}}},"
        "{\"metadata\":{\"name\":\"t\",\"namespace\":\"d\"},\"spec\":{\"devices\":{\"requests\":"
        "[]}},\"status\":{\"allocation\":{\"devices\":{\"results\":[{\"request\":\"r\",\"driver\":"
        "\"g\",\"pool\":\"p\",\"device\":\"c\"}]}}}}]}";

static const struct device_obstacle names[] = {
        { DEVICE_NOT_TOLERATED, "k=v:NoSchedule", 1, 1 },
        { DEVICE_WITHOUT_COUNTERS, "s/m", 1, 1 },
};

static const struct device_obstacle *find_obstacle(const struct device_request_report *report,
                                                   enum device_refusal kind, const char *name) {
        for (size_t i = 0; i < report->obstacle_count; i++)
                if (report->obstacles[i].kind == kind &&
                    strcmp(report->obstacles[i].name, name) == 0)
                        return &report->obstacles[i];
        return NULL;
}

static void expect_obstacle(const struct device_request_report *report,
                            const struct device_obstacle *wanted, size_t refused) {
        const struct device_obstacle *found = find_obstacle(report, wanted->kind, wanted->name);

        if (!refused) /* something else refuses it before */
                assert_true(!found || found->first == 0);
        else
                assert_true(found && found->first == wanted->first);
}

/* What is said of the claim d/c on the node n. */
static void ask_reasons(const char *text, struct device_scene *scene, struct json_doc **ret_doc,
                        struct device_request_report **ret_reports) {
        struct device_gates gates = device_gates_standard();
        const struct device_node node = { SLICE_LITERAL("n"), device_scene_matches, NULL };

        assert_int_equal(json_parse(slice_of(text), ret_doc, NULL), 0);
        device_scene_init(scene, json_doc_root(*ret_doc), &gates);
        const struct resource_claim *claim =
                device_scene_claim(scene, SLICE_LITERAL("d"), SLICE_LITERAL("c"));
        const struct device_search search = { scene->inventory, &claim, 1, &scene->arena };
        assert_int_equal(device_reasons_find(&search, &node, ret_reports), 1);
}

static void expect_reasons(const char *more, size_t usable, const size_t *refused) {
        struct device_request_report *reports;
        struct device_scene scene;
        struct json_doc *doc;
        char text[4096];

        snprintf(text, sizeof(text), objects, more);
        ask_reasons(text, &scene, &doc, &reports);
        assert_int_equal(reports->wanted, 3);
        assert_int_equal(reports->offered, 6);
        assert_int_equal(reports->usable, usable);
        for (size_t i = 0; i < DEVICE_REFUSAL_COUNT; i++)
                assert_int_equal(reports->refused[i], refused[i]);
        assert_null(find_obstacle(reports, DEVICE_WITHOUT_COUNTERS, "s/k"));
        for (size_t i = 0; i < ARRAY_LEN(names); i++)
                expect_obstacle(reports, &names[i], refused[names[i].kind]);
        device_scene_release(&scene);
        json_doc_free(doc);
}

static void test_reasons(void **state) {
        (void)state;
        expect_reasons("", 2, (const size_t[]){ 1, 1, 1, 1, 0, 0 });
        expect_reasons(",\"tolerations\":[{\"key\":\"k\",\"operator\":\"Exists\"}]", 3,
                       (const size_t[]){ 1, 0, 1, 1, 0, 0 });
        expect_reasons(",\"capacity\":{\"requests\":{\"memory\":\"2Gi\"}}", 0,
                       (const size_t[]){ 1, 1, 1, 1, 2, 0 });
        expect_reasons(",\"selectors\":[{\"cel\":{\"expression\":\"false\"}}]", 0,
                       (const size_t[]){ 6, 0, 0, 0, 0, 0 });
}

/* Of two capacities only one was asked for, and the other has nothing left. */
static void test_capacity_that_is_used_up(void **state) {
        static const char text[] =
                "{\"resourceSlices\":[{\"metadata\":{\"name\":\"s\"},\"spec\":{\"driver\":\"g\","
                "\"nodeName\":\"n\",\"pool\":{\"name\":\"p\",\"generation\":1,"
                "\"resourceSliceCount\":1},\"devices\":[{\"name\":\"a\","
                "\"allowMultipleAllocations\":true,\"capacity\":{\"cores\":{\"value\":\"4\"},"
                "\"memory\":{\"value\":\"8\"}}}]}}],"
                "\"deviceClasses\":[{\"metadata\":{\"name\":\"any\"},\"spec\":{}}],"
                "\"resourceClaims\":[{\"metadata\":{\"name\":\"c\",\"namespace\":\"d\"},\"spec\":{"
                "\"devices\":{\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":"
                "\"any\","
                "\"allocationMode\":\"ExactCount\",\"count\":1,\"capacity\":{\"requests\":{"
                "\"memory\":\"2\"}}}}]}}},"
                "{\"metadata\":{\"name\":\"t\",\"namespace\":\"d\"},\"spec\":{\"devices\":{"
                "\"requests\":[]}},\"status\":{\"allocation\":{\"devices\":{\"results\":[{"
                "\"request\":"
                "\"r\",\"driver\":\"g\",\"pool\":\"p\",\"device\":\"a\",\"shareID\":"
                "\"00000000-0000-4000-8000-000000000000\",\"consumedCapacity\":{\"cores\":\"4\","
                "\"memory\":\"4\"}}]}}}}]}";
        struct device_request_report *reports;
        struct device_scene scene;
        struct json_doc *doc;

        (void)state;
        ask_reasons(text, &scene, &doc, &reports);
        assert_int_equal(reports->usable, 0);
        const struct device_obstacle *cores =
                find_obstacle(reports, DEVICE_WITHOUT_CAPACITY, "cores");
        assert_true(cores && cores->first == 1);
        assert_null(find_obstacle(reports, DEVICE_WITHOUT_CAPACITY, "memory"));
        device_scene_release(&scene);
        json_doc_free(doc);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_reasons),
                cmocka_unit_test(test_capacity_that_is_used_up),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
