/* The operations of a workload. */
#include "base/util.h"
#include "sim/perf_devices.h"
#include "sim/perf_feed.h"
#include "sim/perf_objects.h"
#include <stdio.h>
#include <stdlib.h>

/* Namespace of an operation that names none. */
static char *own_namespace(const struct perf_run *run, const struct json *operation) {
        struct slice ns = json_get_text(operation, "namespace");
        char text[64];
        if (!slice_is_empty(ns))
                return slice_dup(ns);
        snprintf(text, sizeof(text), "namespace-%zu", run->operation);
        return slice_dup(slice_of(text));
}

static int64_t perf_operations_placed(const struct perf_run *run) {
        struct perf_scope scope = { run->collecting.ns, run->collecting.namespaces,
                                    run->collecting.selector };
        return perf_count_placed(run, &scope);
}

static void start_collecting(struct perf_run *run, const char *ns, const struct json *operation) {
        run->collecting =
                (struct perf_collecting){ .is_on = true,
                                          .ns = !ns ? NULL : slice_dup(slice_of(ns)),
                                          .namespaces = json_get(operation, "namespaces"),
                                          .selector = json_get(operation, "labelSelector"),
                                          .busy_before = run->world.busy_ns };
        run->collecting.placed_before = perf_operations_placed(run);
}

static void stop_collecting(struct perf_run *run) {
        if (!run->collecting.is_on)
                return;
        run->result->measured += perf_operations_placed(run) - run->collecting.placed_before;
        run->result->busy_ns += run->world.busy_ns - run->collecting.busy_before;
        free(run->collecting.ns);
        run->collecting = (struct perf_collecting){ 0 };
}

static int perf_operations_start(struct perf_run *run, const struct json *operation,
                                 struct err *err) {
        (void)err;
        start_collecting(run, NULL, operation);
        return 0;
}

static int perf_operations_stop(struct perf_run *run, const struct json *operation,
                                struct err *err) {
        (void)operation;
        (void)err;
        stop_collecting(run);
        return 0;
}

/* ---- making ---- */

static int create_nodes(struct perf_run *run, const struct json *operation, struct err *err) {
        struct perf_place place = { .is_node = true };
        int code = perf_count(run->workload, operation, &place.count, err);
        for (; code == 0 && place.index < place.count; place.index++)
                code = perf_create_node(run, operation, &place, err);
        return code;
}

static int create_namespaces(struct perf_run *run, const struct json *operation, struct err *err) {
        struct slice path = json_get_text(operation, "namespaceTemplatePath");
        struct slice prefix = json_get_text(operation, "prefix");
        struct perf_place place = { 0 };
        int code = perf_count(run->workload, operation, &place.count, err);
        for (; code == 0 && place.index < place.count; place.index++) {
                CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
                char name[256];
                code = slice_is_empty(path) ? json_tree_parse(SLICE_LITERAL("{}"), &tree, err)
                                            : perf_make(run, path, &place, &tree, err);
                if (code < 0)
                        break;
                snprintf(name, sizeof(name), SLICE_FMT "-%lld", SLICE_ARG(prefix),
                         (long long)place.index);
                node_put_string(tree, node_need_object(tree, json_tree_root(tree), "metadata"),
                                "name", name);
                code = perf_world_put_namespace(&run->world, json_tree_root(tree), err);
        }
        return code;
}

/* Pods that end as soon as they are placed, each followed by another. */
static int create_steadily(struct perf_run *run, const struct json *operation,
                           struct perf_place *place, int64_t duration_ns, struct err *err) {
        struct perf_pod **open = xcalloc((size_t)place->count + 1, sizeof(*open));
        int64_t until = run->world.now_ns + duration_ns;
        bool goes_on = true;
        int code = 0;
        while (code == 0 && run->world.now_ns < until && goes_on) {
                for (int64_t i = 0; code == 0 && i < place->count; i++) {
                        if (open[i] && !open[i]->node)
                                continue;
                        if (open[i])
                                code = perf_world_delete_pod(&run->world, open[i], err);
                        if (code == 0)
                                code = perf_create_pod(run, operation, place, &open[i], err);
                        place->index++;
                }
                if (code == 0)
                        code = perf_wait_round(run, until, &goes_on, err);
        }
        free(open);
        if (code == 0 && !goes_on)
                code = err_set(err, BERTH_ERR_TIMEOUT,
                               "operation %zu: pods are still not scheduled", run->operation);
        return code;
}

static int create_pods_in(struct perf_run *run, const struct json *operation, const char *ns,
                          struct err *err) {
        struct perf_scope scope = { .ns = ns };
        struct perf_place place = { .ns = ns };
        bool collects = json_get_bool(operation, "collectMetrics", false);
        int64_t steady_ns = 0;
        int code = perf_count(run->workload, operation, &place.count, err);
        if (code == 0)
                code = perf_steady(run->workload, operation, &steady_ns, err);
        if (collects)
                start_collecting(run, ns, NULL);
        if (code == 0 && steady_ns)
                code = create_steadily(run, operation, &place, steady_ns, err);
        for (; !steady_ns && code == 0 && place.index < place.count; place.index++)
                code = perf_create_pod(run, operation, &place, NULL, err);
        if (code == 0 && !steady_ns && !json_get_bool(operation, "skipWaitToCompletion", false))
                code = perf_wait_pods(run, &scope, PERF_SCHEDULED, err);
        if (collects)
                stop_collecting(run);
        return code;
}

static int create_pods(struct perf_run *run, const struct json *operation, struct err *err) {
        CLEANUP(cleanup_free) char *ns = own_namespace(run, operation);
        return create_pods_in(run, operation, ns, err);
}

static int create_pod_sets(struct perf_run *run, const struct json *operation, struct err *err) {
        struct slice prefix = json_get_text(operation, "namespacePrefix");
        int64_t count;
        int code = perf_count(run->workload, operation, &count, err);
        for (int64_t i = 0; code == 0 && i < count; i++) {
                char ns[256];
                snprintf(ns, sizeof(ns), SLICE_FMT "-%lld", SLICE_ARG(prefix), (long long)i);
                code = create_pods_in(run, json_get(operation, "createPodsOp"), ns, err);
        }
        return code;
}

static int create_any(struct perf_run *run, const struct json *operation, struct err *err) {
        CLEANUP(cleanup_free) char *ns = own_namespace(run, operation);
        struct perf_place place = { 0 };
        int code = perf_count(run->workload, operation, &place.count, err);
        for (; code == 0 && place.index < place.count; place.index++) {
                CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
                code = perf_make(run, json_get_text(operation, "templatePath"), &place, &tree, err);
                if (code == 0)
                        code = perf_put_any(run, tree, ns, err);
        }
        return code;
}

/* ---- waiting ---- */

static int perf_operations_barrier(struct perf_run *run, const struct json *operation,
                                   struct err *err) {
        bool is_attempted = slice_is(json_get_text(operation, "stageRequirement"), "Attempted");
        struct perf_scope scope = { .namespaces = json_get(operation, "namespaces"),
                                    .selector = json_get(operation, "labelSelector") };
        return perf_wait_pods(run, &scope, is_attempted ? PERF_ATTEMPTED : PERF_SCHEDULED, err);
}

static int sleep_for(struct perf_run *run, const struct json *operation, struct err *err) {
        int64_t duration;
        if (!duration_parse(json_get_text(operation, "duration"), &duration))
                return err_set(err, BERTH_ERR_INVALID, "duration: expected one such as 5s");
        return perf_pass(run, duration, err);
}

/* ---- working beside ---- */

static struct perf_activity *add_activity(struct perf_run *run, int64_t interval_ns,
                                          char *taken_ns) {
        struct perf_activity *activity = xcalloc(1, sizeof(*activity));
        activity->interval_ns = interval_ns > 0 ? interval_ns : 1;
        activity->next_ns = run->world.now_ns + activity->interval_ns;
        activity->ns = taken_ns;
        run->activities = xreallocarray(run->activities, run->activity_count + 1,
                                        sizeof(struct perf_activity *));
        run->activities[run->activity_count++] = activity;
        return activity;
}

static int64_t interval_of(const struct json *operation, const char *rate) {
        int64_t per_second = json_get_i64(operation, rate, 0);
        return per_second > 0 ? NS_PER_S / per_second : 1;
}

static int delete_next(struct perf_run *run, struct perf_activity *activity, struct err *err) {
        return perf_world_delete_pod(&run->world, activity->pods[activity->done], err);
}

static int delete_pods(struct perf_run *run, const struct json *operation, struct err *err) {
        struct perf_activity *activity = add_activity(
                run, interval_of(operation, "deletePodsPerSecond"), own_namespace(run, operation));
        struct perf_scope scope = { .ns = activity->ns,
                                    .selector = json_get(operation, "labelSelector") };
        activity->act = delete_next;
        activity->pods = xcalloc(run->world.count + 1, sizeof(struct perf_pod *));
        for (size_t i = 0; i < run->world.count; i++) {
                struct perf_pod *pod = run->world.all[i];
                if (!pod->is_gone && perf_pod_is_in(pod, &scope))
                        activity->pods[activity->count++] = pod;
        }
        return json_get_bool(operation, "skipWaitToCompletion", false)
                       ? 0
                       : perf_wait_activity(run, activity, err);
}

static void take_template(struct perf_activity *activity, struct perf_template *template) {
        activity->templates = xreallocarray(activity->templates, activity->template_count + 1,
                                            sizeof(struct perf_template *));
        activity->templates[activity->template_count++] = template;
}

static int update_next(struct perf_run *run, struct perf_activity *activity, struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        int code = perf_template_make(activity->templates[0], activity->done, activity->count,
                                      &tree, err);
        return code < 0 ? code : perf_put_any(run, tree, activity->ns, err);
}

static int update_any(struct perf_run *run, const struct json *operation, struct err *err) {
        struct perf_template *template;
        int64_t count;
        int code = perf_count(run->workload, operation, &count, err);
        if (code == 0)
                code = perf_run_template(run, json_get_text(operation, "templatePath"), &template,
                                         err);
        if (code < 0)
                return code;
        struct perf_activity *activity = add_activity(
                run, interval_of(operation, "updatePerSecond"), own_namespace(run, operation));
        activity->act = update_next;
        activity->count = count;
        take_template(activity, template);
        return json_get_bool(operation, "skipWaitToCompletion", false)
                       ? 0
                       : perf_wait_activity(run, activity, err);
}

/* Makes an object of a template, or, where they come and go, deletes the one there is. */
static int churn_one(struct perf_run *run, struct perf_activity *activity, size_t index,
                     struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        int code = perf_template_make(activity->templates[index], activity->done, 1, &tree, err);
        if (code < 0)
                return code;
        struct json_node *root = json_tree_root(tree);
        if (activity->made && activity->made[index]) {
                CLEANUP(cleanup_free) char *name = activity->made[index];
                activity->made[index] = NULL;
                return perf_delete_any(run, node_get_text(root, "kind"), activity->ns, name, err);
        }
        code = perf_put_any(run, tree, activity->ns, err);
        if (code == 0 && activity->made)
                activity->made[index] =
                        slice_dup(node_get_text(node_get(root, "metadata"), "name"));
        return code;
}

static int churn_next(struct perf_run *run, struct perf_activity *activity, struct err *err) {
        int code = 0;
        for (size_t i = 0; code == 0 && i < activity->template_count; i++)
                code = churn_one(run, activity, i, err);
        return code;
}

static int perf_operations_churn(struct perf_run *run, const struct json *operation,
                                 struct err *err) {
        int64_t interval_ms = json_get_i64(operation, "intervalMilliseconds", 500);
        int64_t number = json_get_i64(operation, "number", 0);
        bool is_recreating = slice_is(json_get_text(operation, "mode"), "recreate");
        struct json_iter iter = json_iter(json_get(operation, "templatePaths"));
        const struct json *path;
        struct perf_activity *activity =
                add_activity(run, interval_ms * (NS_PER_S / 1000), own_namespace(run, operation));
        activity->act = churn_next;
        activity->count = is_recreating || number == 0 ? -1 : number;
        while (json_next(&iter, NULL, &path)) {
                struct perf_template *template;
                int code = perf_run_template(run, json_text(path), &template, err);
                if (code < 0)
                        return code;
                take_template(activity, template);
        }
        if (is_recreating)
                activity->made = xcalloc(activity->template_count + 1, sizeof(char *));
        return 0;
}

/* ---- table ---- */

static const struct operation {
        const char *name;
        int (*perform)(struct perf_run *run, const struct json *operation, struct err *err);
        const char *templates; /* member with templates of any kind; NULL = none */
} operations[] = {
        { "createNodes", create_nodes, NULL },
        { "createNamespaces", create_namespaces, NULL },
        { "createPods", create_pods, NULL },
        { "createPodSets", create_pod_sets, NULL },
        { "createAny", create_any, "templatePath" },
        { "createResourceDriver", perf_create_driver, NULL },
        { "allocResourceClaims", perf_allocate_claims, NULL },
        { "barrier", perf_operations_barrier, NULL },
        { "sleep", sleep_for, NULL },
        { "churn", perf_operations_churn, "templatePaths" },
        { "deletePods", delete_pods, NULL },
        { "updateAny", update_any, "templatePath" },
        { "startCollectingMetrics", perf_operations_start, NULL },
        { "stopCollectingMetrics", perf_operations_stop, NULL },
};

static const struct operation *perf_operations_find(const struct json *operation) {
        struct slice name = json_get_text(operation, "opcode");
        for (size_t i = 0; i < ARRAY_LEN(operations); i++)
                if (slice_is(name, operations[i].name))
                        return &operations[i];
        return NULL;
}

int perf_operate(struct perf_run *run, const struct json *operation, struct err *err) {
        int code = perf_operations_find(operation)->perform(run, operation, err);
        if (code < 0 && err->path[0] == '\0') {
                char place[64];
                snprintf(place, sizeof(place), "workloadTemplate[%zu]", run->operation);
                err_path_prepend(err, place);
        }
        return code;
}

/* ---- what is not supported ---- */

static void add_text(struct buf *out, struct slice text) {
        if (slice_contains(buf_view(out), text))
                return;
        if (out->len > 0)
                buf_text(out, ", ");
        buf_slice(out, text);
}

static int check_template(struct perf_run *run, const char *opcode, struct slice path,
                          struct buf *out, struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        CLEANUP(buf_release) struct buf text = { 0 };
        struct perf_place place = { .count = 1 };
        int code = perf_make(run, path, &place, &tree, err);
        if (code < 0 || perf_knows_kind(json_tree_root(tree)))
                return code;
        buf_printf(&text, "%s of " SLICE_FMT, opcode,
                   SLICE_ARG(node_get_text(json_tree_root(tree), "kind")));
        add_text(out, buf_view(&text));
        return 0;
}

static int check_templates(struct perf_run *run, const struct operation *known,
                           const struct json *operation, struct buf *out, struct err *err) {
        const struct json *paths = json_get(operation, known->templates), *path;
        struct json_iter iter = json_iter(paths);
        int code = 0;
        if (json_type(paths) == JSON_STRING)
                return check_template(run, known->name, json_text(paths), out, err);
        while (code == 0 && json_next(&iter, NULL, &path))
                code = check_template(run, known->name, json_text(path), out, err);
        return code;
}

static int check_operation(struct perf_run *run, const struct json *operation, struct buf *out,
                           struct err *err) {
        const struct operation *known = perf_operations_find(operation);
        if (!known) {
                add_text(out, json_get_text(operation, "opcode"));
                return 0;
        }
        return !known->templates ? 0 : check_templates(run, known, operation, out, err);
}

int perf_list_unsupported(struct perf_run *run, struct buf *out, struct err *err) {
        struct json_iter iter = json_iter(json_get(run->workload->test_case, "workloadTemplate"));
        const struct json *operation;
        int code = 0;
        while (code == 0 && json_next(&iter, NULL, &operation))
                code = check_operation(run, operation, out, err);
        return code;
}
