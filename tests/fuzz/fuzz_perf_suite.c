/* scheduler_perf's files: the input is the list of workloads, and each template it names. */
#include "sim/perf_suite.h"
#include "yaml_leaks.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int give(void *context, const char *path, struct buf *ret_text, struct err *err) {
        (void)path;
        (void)err;
        buf_slice(ret_text, *(const struct slice *)context);
        return 0;
}

static void make(const struct perf_files *files) {
        struct perf_template *template = NULL;
        struct json_tree *tree = NULL;
        struct err err = { 0 };

        if (perf_template_open(files, "dir/t.yaml", &template, &err) < 0) {
                assert(err.code < 0 && err.text[0]);
                return;
        }
        for (int64_t i = 0; i < 2; i++)
                if (perf_template_make(template, i, 2, &tree, &err) == 0)
                        json_tree_free(tree);
        perf_template_free(template);
}

static void look(const struct perf_suite *suite, const struct perf_workload *workload) {
        struct json_iter ops = json_iter(json_get(workload->test_case, "workloadTemplate"));
        const struct json *op;
        struct buf path = { 0 };
        int64_t count;

        perf_workload_has_label(workload, "performance");
        while (json_next(&ops, NULL, &op)) {
                perf_count(workload, op, &count, NULL);
                perf_suite_resolve(suite, json_get_text(op, "podTemplatePath"), &path);
        }
        buf_release(&path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice text = slice_make((const char *)data, size);
        struct perf_files files = { give, &text };
        struct perf_suite *suite = NULL;
        struct err err = { 0 };

        make(&files);
        if (perf_suite_read(&files, "dir/performance-config.yaml", &suite, &err) < 0) {
                assert(err.code < 0 && err.text[0]);
                return 0;
        }
        for (size_t i = 0; i < perf_suite_count(suite); i++)
                look(suite, perf_suite_at(suite, i));
        perf_suite_free(suite);
        return 0;
}
