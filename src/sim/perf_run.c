/* One workload from its first operation to its last. */
#include "base/util.h"
#include "sim/perf_run_priv.h"
#include <stdlib.h>

double perf_result_rate(const struct perf_result *result) {
        return result->busy_ns <= 0
                       ? 0
                       : (double)result->measured * (double)NS_PER_S / (double)result->busy_ns;
}

void perf_result_release(struct perf_result *result) {
        buf_release(&result->unsupported);
}

static void free_activity(struct perf_activity *activity) {
        for (size_t i = 0; activity->made && i < activity->template_count; i++)
                free(activity->made[i]);
        free(activity->made);
        free(activity->templates);
        free(activity->pods);
        free(activity->ns);
        free(activity);
}

static void perf_run_release(struct perf_run *run) {
        for (size_t i = 0; i < run->activity_count; i++)
                free_activity(run->activities[i]);
        free(run->activities);
        for (size_t i = 0; i < run->template_count; i++)
                perf_template_free(run->templates[i]);
        free(run->templates);
        for (size_t i = 0; i < run->node_count; i++)
                free(run->nodes[i]);
        free(run->nodes);
        perf_world_release(&run->world);
}

static int operate_all(struct perf_run *run, struct err *err) {
        struct json_iter iter = json_iter(json_get(run->workload->test_case, "workloadTemplate"));
        const struct json *operation;
        int code = 0;
        for (run->operation = 0; code == 0 && json_next(&iter, NULL, &operation); run->operation++)
                code = perf_operate(run, operation, err);
        return code;
}

/* Of the test case: which plugins, with which arguments. */
static int read_configuration(struct perf_run *run, struct err *err) {
        struct slice name = json_get_text(run->workload->test_case, "schedulerConfigPath");
        CLEANUP(buf_release) struct buf text = { 0 }, path = { 0 };
        if (slice_is_empty(name))
                return 0;
        perf_suite_resolve(run->suite, name, &path);
        int code = run->env->files.read(run->env->files.context, path.data, &text, err);
        if (code < 0)
                return code;
        struct config_problems *problems = config_problems_new();
        run->world.configuration =
                scheduler_configuration_read(buf_view(&text), path.data, problems);
        code = config_problems_to_err(problems, err);
        config_problems_free(problems);
        return code;
}

int perf_run(const struct perf_suite *suite, const struct perf_workload *workload,
             const struct perf_env *env, struct perf_result *ret_result, struct err *err) {
        struct perf_run run = { .suite = suite,
                                .workload = workload,
                                .env = env,
                                .result = ret_result,
                                .world = { .clock = env->clock,
                                           .clock_context = env->clock_context } };
        *ret_result = (struct perf_result){ 0 };
        int code = read_configuration(&run, err);
        if (code < 0) {
                scheduler_configuration_free(run.world.configuration);
                return code;
        }
        code = perf_world_init(&run.world, err);
        if (code == 0)
                code = perf_list_unsupported(&run, &ret_result->unsupported, err);
        if (code == 0 && ret_result->unsupported.len == 0)
                code = operate_all(&run, err);
        ret_result->decisions = run.world.decisions;
        ret_result->nodes = cluster_node_count(run.world.cluster);
        ret_result->pods = cluster_pod_count(run.world.cluster);
        perf_run_release(&run);
        return code;
}
