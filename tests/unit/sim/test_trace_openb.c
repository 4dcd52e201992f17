/* The openb trace: rows become objects, broken rows are named by file, line and column, and nothing
 * is visited before all rows are good. */
#include "sim/trace_openb.h"

#include "api/json.h"
#include "api/object.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NODE_HEADER "sn,cpu_milli,memory_mib,gpu,model\n"
#define POD_HEADER                                                                                 \
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"        \
        "deletion_time,scheduled_time\n"

struct seen {
        size_t count;
        char last[4096];
};

static int see(void *context, struct slice name, struct slice object, struct err *err) {
        struct seen *seen = context;

        (void)name;
        (void)err;
        seen->count++;
        snprintf(seen->last, sizeof(seen->last), SLICE_FMT, SLICE_ARG(object));
        return 0;
}

static int64_t amount(const struct resource_list *list, const char *name) {
        bool is_there = false;

        return resource_list_get(list, name, &is_there);
}

static void reads_nodes(void **state) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        CLEANUP(arena_release) struct arena arena;
        struct seen seen = { 0 };
        struct err err = { 0 };
        struct node node;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(trace_openb_read(TRACE_NODES,
                                          slice_of(NODE_HEADER "n-0,32000,262144,0,\n"
                                                               "n-1,96000,786432,8,G2\n"),
                                          "nodes.csv", see, &seen, &err),
                         0);
        assert_int_equal(seen.count, 2);
        assert_int_equal(json_parse(slice_of(seen.last), &doc, &err), 0);
        assert_int_equal(node_decode(json_doc_root(doc), &arena, &node, &err), 0);
        assert_true(slice_is(node.meta.name, "n-1"));
        assert_int_equal(amount(&node.allocatable, "cpu"), 96000);
        assert_int_equal(amount(&node.allocatable, "memory"), 786432LL << 20);
        assert_int_equal(amount(&node.allocatable, TRACE_GPU_RESOURCE), 8000);
        assert_true(slice_is(label_list_get(node.meta.labels, TRACE_GPU_LABEL, NULL), "G2"));
}

static void reads_pods(void **state) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        CLEANUP(arena_release) struct arena arena;
        struct resource_list requests;
        struct seen seen = { 0 };
        struct err err = { 0 };
        struct pod pod;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(
                trace_openb_read(TRACE_PODS,
                                 slice_of(POD_HEADER "p-0,12000,16384,2,1000,V100M16|V100M32,LS,"
                                                     "Running,0,12537496,0\n"),
                                 "pods.csv", see, &seen, &err),
                0);
        assert_int_equal(json_parse(slice_of(seen.last), &doc, &err), 0);
        assert_int_equal(pod_decode(json_doc_root(doc), &arena, &pod, &err), 0);
        requests = pod_spec_requests(&pod.spec, false, &arena);
        assert_int_equal(amount(&requests, "cpu"), 12000);
        assert_int_equal(amount(&requests, TRACE_GPU_RESOURCE), 2000);
        assert_int_equal(pod.spec.affinity.required_node_count, 1);
        assert_int_equal(pod.spec.affinity.required_node[0].expressions[0].value_count, 2);
}

static void refuses_broken_rows(void **state) {
        static const struct {
                enum trace_table table;
                const char *text, *path, *expected;
                unsigned line;
        } cases[] = {
                { TRACE_NODES, "", "header", "expected a line of column names, found \"\"", 1 },
                { TRACE_NODES, "sn,cpu_milli,memory_mib,gpu\nx,1,1,1\n", "model",
                  "expected a column of this name in the header, found "
                  "\"sn,cpu_milli,memory_mib,gpu\"",
                  1 },
                { TRACE_NODES, NODE_HEADER "n,1,1,0,\nm,many,1,0,\n", "cpu_milli",
                  "expected a whole number from 0, found \"many\"", 3 },
                { TRACE_NODES, NODE_HEADER "n,-1,1,0,\n", "cpu_milli",
                  "expected a whole number from 0, found \"-1\"", 2 },
                { TRACE_NODES, NODE_HEADER "n,1,1\n", "row",
                  "expected as many fields as the header has, found \"n,1,1\"", 2 },
                { TRACE_NODES, NODE_HEADER "n,1,1,0,,9\n", "row",
                  "expected no more fields than the header has, found \"n,1,1,0,,9\"", 2 },
                { TRACE_NODES, NODE_HEADER "N!,1,1,0,\n", "sn",
                  "expected a DNS name in lower case, found \"N!\"", 2 },
                { TRACE_NODES, NODE_HEADER "n,1,1,1,\"G\"\n", "model",
                  "expected letters, digits, - _ . and |, found \"\"G\"\"", 2 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct seen seen = { 0 };
                struct err err = { 0 };

                assert_int_equal(trace_openb_read(cases[i].table, slice_of(cases[i].text), "t.csv",
                                                  see, &seen, &err),
                                 BERTH_ERR_INVALID);
                assert_string_equal(err.text, cases[i].expected);
                assert_string_equal(err.path, cases[i].path);
                assert_string_equal(err.file, "t.csv");
                assert_int_equal(err.line, cases[i].line);
                assert_int_equal(seen.count, 0);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(reads_nodes),
                cmocka_unit_test(reads_pods),
                cmocka_unit_test(refuses_broken_rows),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
