/* Subresources of pods that need a running container: logs, of which simulated ones have a line
 * each once they have started, and exec and the like, which reach nothing. */
#include "base/go_number.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_query.h"
#include "server/api_verbs.h"

static int fail_not_simulated(struct api_context *context) {
        return fail_plain(context, 501, "NotImplemented",
                          "%s \"" SLICE_FMT "\": containers are simulated, " SLICE_FMT
                          " has nothing to reach",
                          context->resource->qualified, SLICE_ARG(context->route.name),
                          SLICE_ARG(context->route.subresource));
}

static const struct json *pod_log_named(const struct json *list, struct slice name) {
        struct json_iter iter = json_iter(list);
        const struct json *item;

        while (json_next(&iter, NULL, &item))
                if (slice_eq(json_get_text(item, "name"), name))
                        return item;
        return NULL;
}

/* Of a pod in the order in which they start. */
static const char *const container_lists[] = { "initContainers", "containers",
                                               "ephemeralContainers" };

static int fail_container_missing(struct api_context *context, const struct json *spec) {
        struct buf names = { 0 };

        for (size_t i = 0; i < ARRAY_LEN(container_lists); i++) {
                struct json_iter iter = json_iter(json_get(spec, container_lists[i]));
                const struct json *item;

                while (json_next(&iter, NULL, &item))
                        buf_printf(&names, "%s" SLICE_FMT, names.len ? " " : "",
                                   SLICE_ARG(json_get_text(item, "name")));
        }
        fail_bad_request(context,
                         "a container name must be specified for pod " SLICE_FMT
                         ", choose one of: [" SLICE_FMT "]",
                         SLICE_ARG(context->route.name), SLICE_ARG(buf_view(&names)));
        buf_release(&names);
        return API_FAILED;
}

/* The only container when none is asked for. */
static int choose_container(struct api_context *context, const struct json *spec,
                            struct slice *ret_name) {
        const struct json *containers = json_get(spec, "containers");
        struct slice wanted = query_text(&context->query, "container");

        if (wanted.len == 0 && json_count(containers) != 1)
                return fail_container_missing(context, spec);
        if (wanted.len == 0)
                wanted = json_get_text(json_at(containers, 0), "name");
        for (size_t i = 0; i < ARRAY_LEN(container_lists); i++) {
                const struct json *found =
                        pod_log_named(json_get(spec, container_lists[i]), wanted);

                if (!found)
                        continue;
                *ret_name = json_get_text(found, "name");
                return 0;
        }
        return fail_bad_request(context, "container " SLICE_FMT " is not valid for pod " SLICE_FMT,
                                SLICE_ARG(wanted), SLICE_ARG(context->route.name));
}

/* Upstream asks a kubelet; what it refuses before that is refused here alike. */
int serve_live(struct api_context *context) {
        const struct api_route *route = &context->route;
        struct slice name;

        if (slice_is(route->subresource, "proxy"))
                return fail_not_simulated(context);
        const struct store_object *object =
                object_find(context, context->resource, route->ns, route->name);
        if (!object)
                return fail_not_found(context, context->resource, route->name);
        const struct json *spec = json_get(request_object_json(context, object), "spec");
        if (!slice_is(route->subresource, "portforward") &&
            choose_container(context, spec, &name) < 0)
                return API_FAILED;
        if (json_get_text(spec, "nodeName").len == 0)
                return fail_bad_request(context, "pod " SLICE_FMT " does not have a host assigned",
                                        SLICE_ARG(route->name));
        return fail_not_simulated(context);
}

static const struct json *state_of(const struct json *status, struct slice name) {
        static const char *const lists[] = { "containerStatuses", "initContainerStatuses",
                                             "ephemeralContainerStatuses" };

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                const struct json *found = pod_log_named(json_get(status, lists[i]), name);

                if (found)
                        return json_get(found, "state");
        }
        return NULL;
}

/* What the options say has no effect here, but it must be numbers. */
static int check_log_options(struct api_context *context) {
        static const char *const numbers[] = { "limitBytes", "sinceSeconds", "tailLines" };
        int64_t ignored;

        for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
                struct slice text = query_text(&context->query, numbers[i]);
                CLEANUP(buf_release) struct buf complaint = { 0 };

                if (text.len && !go_int_parse(text, &ignored, &complaint))
                        return fail_bad_request(context, "%s", complaint.data);
        }
        return 0;
}

int serve_log(struct api_context *context) {
        const struct api_route *route = &context->route;
        const struct store_object *object =
                object_find(context, context->resource, route->ns, route->name);
        struct slice name = SLICE_EMPTY;
        struct buf text = { 0 };

        if (check_log_options(context) < 0)
                return API_FAILED;
        if (!object)
                return fail_not_found(context, context->resource, route->name);
        const struct json *pod = request_object_json(context, object);
        const struct json *spec = json_get(pod, "spec");
        if (choose_container(context, spec, &name) < 0)
                return API_FAILED;
        if (json_get_text(spec, "nodeName").len == 0) {
                respond_text(context, 200, "text/plain", SLICE_EMPTY);
                return 0;
        }
        const struct json *state = state_of(json_get(pod, "status"), name);
        const struct json *phase = json_get(state, "running") ? json_get(state, "running")
                                                              : json_get(state, "terminated");
        if (!phase)
                return fail_bad_request(
                        context,
                        "container \"" SLICE_FMT "\" in pod \"" SLICE_FMT
                        "\" is waiting to start: " SLICE_FMT,
                        SLICE_ARG(name), SLICE_ARG(route->name),
                        SLICE_ARG(json_get_text(json_get(state, "waiting"), "reason")));
        buf_printf(&text, "container %.*s of pod %.*s/%.*s, simulated on node %.*s since %.*s\n",
                   SLICE_ARG(name), SLICE_ARG(route->ns), SLICE_ARG(route->name),
                   SLICE_ARG(json_get_text(spec, "nodeName")),
                   SLICE_ARG(json_get_text(phase, "startedAt")));
        respond_text(context, 200, "text/plain", buf_view(&text));
        buf_release(&text);
        return 0;
}
