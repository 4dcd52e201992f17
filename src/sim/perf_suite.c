/* Reading performance-config.yaml. */
#include "sim/perf_suite.h"
#include "base/time.h"
#include "base/util.h"
#include "config/document.h"
#include <stdlib.h>

struct perf_suite {
        char *path;
        struct document *document;
        size_t count;
        struct perf_workload *workloads;
};

void perf_suite_free(struct perf_suite *suite) {
        if (!suite)
                return;
        free(suite->path);
        free(suite->workloads);
        document_free(suite->document);
        free(suite);
}

size_t perf_suite_count(const struct perf_suite *suite) {
        return suite->count;
}

const struct perf_workload *perf_suite_at(const struct perf_suite *suite, size_t index) {
        return &suite->workloads[index];
}

const char *perf_suite_path(const struct perf_suite *suite) {
        return suite->path;
}

bool perf_workload_has_label(const struct perf_workload *workload, const char *label) {
        struct json_iter iter = json_iter(workload->labels);
        const struct json *item;
        while (json_next(&iter, NULL, &item))
                if (slice_is(json_text(item), label))
                        return true;
        return false;
}

static int perf_suite_problem(const struct perf_suite *suite, const struct json *value,
                              struct err *err) {
        document_locate(suite->document, value, err);
        return err->code;
}

static int add_workload(struct perf_suite *suite, const struct json *test_case,
                        const struct json *item, struct err *err) {
        const struct json *threshold = json_get(item, "threshold");
        struct perf_workload workload = {
                .case_name = json_get_text(test_case, "name"),
                .name = json_get_text(item, "name"),
                .labels = json_get(item, "labels"),
                .test_case = test_case,
                .params = json_get(item, "params"),
        };
        if (slice_is_empty(workload.name)) {
                err_set(err, BERTH_ERR_INVALID, "expected a workload with a name");
                return perf_suite_problem(suite, item, err);
        }
        if (json_type(threshold) == JSON_OBJECT) { /* one per topic: the first will do */
                struct json_iter iter = json_iter(threshold);
                json_next(&iter, NULL, &threshold);
        }
        if (json_type(threshold) != JSON_NONE) {
                workload.has_threshold = json_as_f64(threshold, &workload.threshold);
                if (!workload.has_threshold) {
                        err_set(err, BERTH_ERR_INVALID, "threshold: expected a number");
                        return perf_suite_problem(suite, threshold, err);
                }
        }
        suite->workloads =
                xreallocarray(suite->workloads, suite->count + 1, sizeof(*suite->workloads));
        suite->workloads[suite->count++] = workload;
        return 0;
}

static int add_case(struct perf_suite *suite, const struct json *test_case, struct err *err) {
        struct json_iter iter = json_iter(json_get(test_case, "workloads"));
        const struct json *item;
        if (slice_is_empty(json_get_text(test_case, "name")) ||
            json_type(json_get(test_case, "workloadTemplate")) != JSON_ARRAY) {
                err_set(err, BERTH_ERR_INVALID,
                        "expected a test case with name and workloadTemplate");
                return perf_suite_problem(suite, test_case, err);
        }
        while (json_next(&iter, NULL, &item)) {
                int code = add_workload(suite, test_case, item, err);
                if (code < 0)
                        return code;
        }
        return 0;
}

static int add_cases(struct perf_suite *suite, struct err *err) {
        const struct json *root = document_root(suite->document), *item;
        struct json_iter iter = json_iter(root);
        if (json_type(root) != JSON_ARRAY) {
                err_set(err, BERTH_ERR_INVALID, "expected a list of test cases");
                return perf_suite_problem(suite, root, err);
        }
        while (json_next(&iter, NULL, &item)) {
                int code = add_case(suite, item, err);
                if (code < 0)
                        return code;
        }
        return 0;
}

int perf_suite_read(const struct perf_files *files, const char *path, struct perf_suite **ret_suite,
                    struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct perf_suite *suite = xcalloc(1, sizeof(*suite));
        suite->path = slice_dup(slice_of(path));
        int code = files->read(files->context, path, &text, err);
        if (code == 0)
                code = document_read(buf_view(&text), path, &suite->document, err);
        if (code == 0)
                code = add_cases(suite, err);
        if (code < 0) {
                perf_suite_free(suite);
                return code;
        }
        *ret_suite = suite;
        return 0;
}

/* ---- operations ---- */

/* The member, or the parameter of the workload that the other member names. */
static int perf_suite_value(const struct perf_workload *workload, const struct json *operation,
                            const char *member, const char *parameter_member,
                            const struct json **ret_value, struct err *err) {
        struct slice parameter = json_get_text(operation, parameter_member);
        *ret_value = json_get(operation, member);
        if (slice_is_empty(parameter))
                return 0;
        if (parameter.ptr[0] == '$')
                parameter = slice_make(parameter.ptr + 1, parameter.len - 1);
        *ret_value = json_get_slice(workload->params, parameter);
        if (json_type(*ret_value) == JSON_NONE)
                return err_set(err, BERTH_ERR_INVALID, "no value for parameter \"" SLICE_FMT "\"",
                               SLICE_ARG(parameter));
        return 0;
}

int perf_number(const struct perf_workload *workload, const struct json *operation,
                const struct perf_member *member, int64_t *ret_number, struct err *err) {
        const struct json *value;
        int code =
                perf_suite_value(workload, operation, member->name, member->parameter, &value, err);
        if (code == 0 && json_type(value) != JSON_NONE &&
            (!json_as_i64(value, ret_number) || *ret_number < 0))
                code = err_set(err, BERTH_ERR_INVALID, "%s: expected a number from 0 on",
                               member->name);
        return code;
}

int perf_count(const struct perf_workload *workload, const struct json *operation,
               int64_t *ret_count, struct err *err) {
        *ret_count = 1;
        return perf_number(workload, operation, &(struct perf_member){ "count", "countParam" },
                           ret_count, err);
}

int perf_steady(const struct perf_workload *workload, const struct json *operation,
                int64_t *ret_duration_ns, struct err *err) {
        const struct json *is_steady, *duration = NULL;
        int code = perf_suite_value(workload, operation, "steadyState", "steadyStateParam",
                                    &is_steady, err);
        *ret_duration_ns = 0;
        if (code < 0 || !json_is_true(is_steady))
                return code;
        code = perf_suite_value(workload, operation, "duration", "durationParam", &duration, err);
        if (code == 0 &&
            (!duration_parse(json_text(duration), ret_duration_ns) || *ret_duration_ns <= 0))
                code = err_set(err, BERTH_ERR_INVALID, "duration: expected one such as 5s");
        return code;
}

void perf_suite_resolve(const struct perf_suite *suite, struct slice name, struct buf *ret_path) {
        const char *slash = strrchr(suite->path, '/');
        if (slash && (name.len == 0 || name.ptr[0] != '/'))
                buf_append(ret_path, suite->path, (size_t)(slash - suite->path) + 1);
        buf_slice(ret_path, name);
}
