/* The report of berth up, for people and as JSON, from a report made by hand. */
#include "cmd/up_report.h"

#include "api/json.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct up_resource resources[] = {
        { SLICE_INIT("cpu"), 4000, 3000, 0 },
        { SLICE_INIT("memory"), 8LL << 30, 2LL << 30, 1 },
};
static struct up_reason reasons[] = { { SLICE_INIT("0/2 nodes are available: 2 Insufficient cpu."),
                                        3 } };
static struct up_rule rules[] = { { SLICE_INIT("p"), SLICE_INIT("PodLifeTime"),
                                    SLICE_INIT("success"), 2 } };
static struct up_eviction evictions[] = { { SLICE_INIT("ns/a"),
                                            SLICE_INIT("n1"),
                                            SLICE_INIT("PodLifeTime"),
                                            SLICE_INIT("old"),
                                            SLICE_INIT("success"),
                                            { NULL, 0 } } };

static struct up_devices devices[] = { { SLICE_INIT("n1"), 8, 3, 1, 2 },
                                       { SLICE_INIT("n2"), 4, 0, 0, 0 } };

static const struct up_report sample = {
        .nodes = 2,
        .pods = 7,
        .by_phase = { 3, 4, 0, 0, 0 },
        .pending_unplaced = 3,
        .placed = 4,
        .placing_s = 0.5,
        .elapsed_s = 2,
        .cpu_s = 0.25,
        .peak_memory_bytes = 10 << 20,
        .resource_count = 2,
        .resources = resources,
        .reason_count = 1,
        .reasons = reasons,
        .rule_count = 1,
        .rules = rules,
        .eviction_count = 1,
        .evictions = evictions,
        .device_count = 2,
        .devices = devices,
        .binds = 4,
        .status_writes = 3,
        .evict_calls = 2,
        .events_written = 9,
        .failed_writes = 1,
        .is_settled = true,
};

static void reports_people(void **state) {
        static const char *const lines[] = {
                "Pods 7 on 2 nodes: Pending 3 Running 4 (3 not placed)\n",
                "Placed 4 pods in 0.50 s: 8 pods/s with all API writes\n",
                "  cpu                            75 %   3 of 4 cores\n",
                "2 of 8 GiB   OVERCOMMITTED on 1 node\n",
                "       3  0/2 nodes are available: 2 Insufficient cpu.\n",
                "       2  p/PodLifeTime: success\n",
                "  n1                          3 of 8, 1 shared, 2 fragmented\n",
                "  n2                          0 of 4\n",
                "API writes: 4 bindings, 3 pod statuses, 2 evictions, 9 events; 1 failed\n",
                "10.0 MiB at its peak, 0.25 s of CPU in 2.0 s\n",
        };
        CLEANUP(buf_release) struct buf out = { 0 };

        (void)state;
        up_report_print(&sample, &out);
        for (size_t i = 0; i < ARRAY_LEN(lines); i++)
                if (!strstr(out.data, lines[i]))
                        fail_msg("missing \"%s\" in\n%s", lines[i], out.data);
}

static void reports_machines(void **state) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        CLEANUP(buf_release) struct buf out = { 0 };
        const struct json *root;
        struct err err = { 0 };

        (void)state;
        up_report_json(&sample, &out);
        assert_int_equal(json_parse(buf_view(&out), &doc, &err), 0);
        root = json_doc_root(doc);
        assert_int_equal(json_get_i64(root, "pods", 0), 7);
        assert_int_equal(json_get_i64(json_get(root, "podsByPhase"), "Running", 0), 4);
        assert_int_equal(json_get_i64(json_get(json_get(root, "resources"), "memory"),
                                      "overcommittedNodes", 0),
                         1);
        assert_true(
                slice_is(json_get_text(json_at(json_get(root, "evictions"), 0), "pod"), "ns/a"));
        assert_int_equal(json_get_i64(json_at(json_get(root, "devices"), 0), "fragmented", 0), 2);
        assert_int_equal(json_get_i64(json_get(root, "apiWrites"), "bindings", 0), 4);
        assert_true(json_get_bool(root, "settled", false));
}

static void writes_whole_files_only(void **state) {
        char folder[] = "/tmp/berth-report-XXXXXX", path[64], temporary[80];
        struct err err = { 0 };

        (void)state;
        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof(path), "%s/r.json", folder);
        snprintf(temporary, sizeof(temporary), "%s.tmp", path);
        assert_int_equal(up_report_check_path(path, &err), 0);
        assert_int_not_equal(access(path, F_OK), 0);
        assert_int_equal(up_report_write(&sample, path, &err), 0);
        assert_int_equal(access(path, F_OK), 0);
        assert_int_not_equal(access(temporary, F_OK), 0);
        unlink(path);
        rmdir(folder);
        assert_int_equal(up_report_check_path(path, &err), BERTH_ERR_IO);
        assert_non_null(strstr(err.text, "cannot write the report"));
        assert_int_equal(up_report_write(&sample, path, &err), BERTH_ERR_IO);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(reports_people),
                cmocka_unit_test(reports_machines),
                cmocka_unit_test(writes_whole_files_only),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
