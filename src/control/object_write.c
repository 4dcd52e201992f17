/* Writes of the control plane. */
#include "control/object_write.h"

#include "api/status.h"
#include "base/buf.h"
#include "base/map.h"
#include "control/control_priv.h"
#include "server/api_server.h"
#include <stdlib.h>

#define EVENT_NAME_PREFIX_MAX 200
#define EVENT_NAMES_MAX 8192 /* remembered, to count repetitions */

static const struct api_user kubelet_user = {
        .name = { "system:node", 11 },
        .group_count = 3,
        .groups = { { "system:nodes", 12 },
                    { "system:masters", 14 },
                    { "system:authenticated", 20 } },
};

struct request {
        const char *method, *content_type;
        struct slice path, body;
        bool is_aside; /* nothing depends on it */
        bool is_applied;
};

static int object_write_fail(const struct http_response *response, struct err *err) {
        struct json_doc *doc = NULL;
        struct status_info info;
        int r;

        if (json_parse(buf_view(&response->body), &doc, NULL) < 0 ||
            status_decode(json_doc_root(doc), &info, NULL) < 0) {
                r = status_code_to_err(response->status);
                json_doc_free(doc);
                return err_set(err, r, "the API server answered %d", response->status);
        }
        r = status_to_err(&info, err);
        json_doc_free(doc);
        return r;
}

static int object_write_ask(struct controller_run *run, const struct request *request,
                            struct json_doc **ret_doc, struct err *err) {
        struct control *control = run->control;
        bool is_kubelet = run->controller->is_kubelet;
        struct api_server_request call = {
                .method = slice_of(request->method),
                .target = request->path,
                .content_type = slice_of(request->content_type),
                .body = request->body,
                .user = is_kubelet ? &kubelet_user : &api_user_controller_manager,
                .user_agent = is_kubelet ? SLICE_LITERAL("kubelet")
                                         : SLICE_LITERAL("kube-controller-manager"),
        };
        struct http_response response;
        int r = write_waits_ask(control->waits, &call, request->is_aside, &response, err);

        if (r < 0)
                return r;
        control->stats.writes++;
        if (response.status >= 400) {
                r = object_write_fail(&response, err);
                control->stats.failed_writes++;
        } else if (ret_doc) {
                r = json_parse(buf_view(&response.body), ret_doc, err);
        }
        http_response_release(&response);
        return r;
}

static int path_of(const struct controller_run *run, const struct object_target *target,
                   struct buf *out, struct err *err) {
        const struct resource_entry *entry =
                control_resources_find(run->control->table, target->resource);

        if (!entry)
                return err_set(err, BERTH_ERR_NOT_FOUND, "the resource is not served");
        resource_path(entry, target->ns, target->name, out);
        if (target->subresource && *target->subresource)
                buf_printf(out, "/%s", target->subresource);
        return 0;
}

static int ask_target(struct controller_run *run, const struct object_target *target,
                      struct request *request, struct json_doc **ret_doc, struct err *err) {
        struct buf path = { 0 };
        int r = path_of(run, target, &path, err);

        if (request->is_applied)
                buf_printf(&path, "?fieldManager=%s&force=true", run->controller->component);
        request->path = buf_view(&path);
        request->is_aside = target->resource == run->control->resource.events;
        if (r == 0)
                r = object_write_ask(run, request, ret_doc, err);
        buf_release(&path);
        return r;
}

static int ask_with_node(struct controller_run *run, const struct object_target *target,
                         struct request *request, const struct json_node *body,
                         struct json_doc **ret_doc, struct err *err) {
        struct buf text = { 0 };

        node_write(body, &text);
        request->body = buf_view(&text);
        int r = ask_target(run, target, request, ret_doc, err);
        buf_release(&text);
        return r;
}

int object_create_read(struct controller_run *run, int resource, struct slice ns,
                       const struct json_node *object, struct json_doc **ret_doc, struct err *err) {
        struct request request = { .method = "POST", .content_type = "application/json" };

        return ask_with_node(run, &(struct object_target){ .resource = resource, .ns = ns },
                             &request, object, ret_doc, err);
}

int object_create(struct controller_run *run, int resource, struct slice ns,
                  const struct json_node *object, struct err *err) {
        return object_create_read(run, resource, ns, object, NULL, err);
}

int object_merge(struct controller_run *run, const struct object_target *target,
                 const struct json_node *patch, struct err *err) {
        struct request request = { .method = "PATCH",
                                   .content_type = "application/merge-patch+json" };

        return ask_with_node(run, target, &request, patch, NULL, err);
}

int object_apply(struct controller_run *run, const struct object_target *target,
                 const struct json_node *applied, struct err *err) {
        struct request request = { .method = "PATCH",
                                   .content_type = "application/apply-patch+yaml",
                                   .is_applied = true };

        return ask_with_node(run, target, &request, applied, NULL, err);
}

int object_put(struct controller_run *run, const struct object_target *target,
               const struct json_node *object, struct err *err) {
        struct request request = { .method = "PUT", .content_type = "application/json" };

        return ask_with_node(run, target, &request, object, NULL, err);
}

int object_merge_status(struct controller_run *run, const struct object_target *target,
                        struct json_tree *tree, struct json_node *status, struct err *err) {
        struct object_target at = *target;
        struct json_node *patch = node_object(tree);

        at.subresource = "status";
        node_put(tree, patch, "status", status);
        return object_merge(run, &at, patch, err);
}

int object_drop_finalizer(struct controller_run *run, const struct object_target *target,
                          const struct json *object, const char *finalizer, struct err *err) {
        struct json_iter iter = json_iter(json_get(json_get(object, "metadata"), "finalizers"));
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree), *list = node_array(tree);
        const struct json *name;

        while (json_next(&iter, NULL, &name)) {
                if (!slice_is(json_text(name), finalizer))
                        node_append(list, node_import(tree, name));
        }
        node_put(tree, node_need_object(tree, patch, "metadata"), "finalizers", list);
        int r = object_merge(run, target, patch, err);
        json_tree_free(tree);
        return r == BERTH_ERR_NOT_FOUND ? 0 : r;
}

int object_delete(struct controller_run *run, const struct object_target *target,
                  const struct object_deletion *options, struct err *err) {
        struct request request = { .method = "DELETE", .content_type = "application/json" };
        struct buf body = { 0 };
        struct err failure = { 0 };

        buf_text(&body, "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\"");
        if (options && options->is_forced)
                buf_text(&body, ",\"gracePeriodSeconds\":0");
        if (options && options->propagation)
                buf_printf(&body, ",\"propagationPolicy\":\"%s\"", options->propagation);
        if (options && options->uid.len) {
                buf_text(&body, ",\"preconditions\":{\"uid\":");
                buf_json_string(&body, options->uid);
                buf_char(&body, '}');
        }
        buf_char(&body, '}');
        request.body = buf_view(&body);
        int r = ask_target(run, target, &request, NULL, &failure);
        buf_release(&body);
        if (r == 0 || r == BERTH_ERR_NOT_FOUND)
                return 0;
        if (err)
                *err = failure;
        return r;
}

/* ---- events ---- */

struct event {
        bool is_warning;
        const char *reason;
        struct slice message;
        const struct resource_entry *entry;
        const struct json *object;
};

static uint64_t event_hash(const struct event *event) {
        const struct json *metadata = json_get(event->object, "metadata");
        uint64_t hash = slice_hash(json_get_text(metadata, "uid"));

        hash = hash_bytes(event->reason, strlen(event->reason), hash);
        return hash_bytes(event->message.ptr, event->message.len, hash);
}

/* Named after the object and the time, so that names are in order of time. */
static char *event_name(struct control *control, const struct event *event) {
        struct slice name = json_get_text(json_get(event->object, "metadata"), "name");
        uint64_t now = (uint64_t)control_now(control).ns;
        struct buf text = { 0 };

        if (now <= control->last_event)
                now = control->last_event + 1;
        control->last_event = now;
        buf_append(&text, name.ptr,
                   name.len > EVENT_NAME_PREFIX_MAX ? EVENT_NAME_PREFIX_MAX : name.len);
        buf_printf(&text, ".%016llx", (unsigned long long)now);
        return buf_take(&text, NULL);
}

static void forget_names(struct control *control) {
        size_t at = 0;
        void *name;

        while (map_u64_next(control->event_names, &at, NULL, &name))
                free(name);
        map_u64_free(control->event_names);
        control->event_names = NULL;
}

void object_events_release(struct control *control) {
        if (control->event_names)
                forget_names(control);
}

/* The event that said the same before; NULL when there is none. */
static const struct store_object *event_known(struct control *control, const struct event *event,
                                              struct slice ns) {
        const char *name =
                control->event_names ? map_u64_get(control->event_names, event_hash(event)) : NULL;

        return name ? store_get(control->store, control->resource.events, ns, slice_of(name))
                    : NULL;
}

static void remember_name(struct control *control, const struct event *event, char *name) {
        if (control->event_names && map_u64_count(control->event_names) >= EVENT_NAMES_MAX)
                forget_names(control);
        if (!control->event_names)
                control->event_names = map_u64_new();
        free(map_u64_put(control->event_names, event_hash(event), name));
}

static void put_reference(struct json_tree *tree, struct json_node *reference,
                          const struct event *event) {
        const struct json *metadata = json_get(event->object, "metadata");
        static const char *const members[] = { "namespace", "name", "uid", "resourceVersion" };
        struct buf version = { 0 };

        resource_api_version(event->entry, &version);
        node_put_string(tree, reference, "kind", event->entry->kind);
        node_put_text(tree, reference, "apiVersion", buf_view(&version));
        for (size_t i = 0; i < 4; i++) {
                struct slice text = json_get_text(metadata, members[i]);

                if (text.len)
                        node_put_text(tree, reference, members[i], text);
        }
        buf_release(&version);
}

static void create_event(struct controller_run *run, const struct event *event, struct slice ns,
                         struct slice name) {
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_object(tree);
        struct json_node *metadata = node_need_object(tree, object, "metadata");
        const char *component = run->controller->component;
        char now[WALL_TIME_TEXT_MAX];

        wall_time_format(control_now(run->control), now);
        node_put_text(tree, metadata, "name", name);
        node_put_text(tree, metadata, "namespace", ns);
        put_reference(tree, node_need_object(tree, object, "involvedObject"), event);
        node_put_string(tree, object, "reason", event->reason);
        node_put_text(tree, object, "message", event->message);
        node_put_string(tree, object, "type", event->is_warning ? "Warning" : "Normal");
        node_put_string(tree, node_need_object(tree, object, "source"), "component", component);
        node_put_string(tree, object, "reportingComponent", component);
        node_put_string(tree, object, "firstTimestamp", now);
        node_put_string(tree, object, "lastTimestamp", now);
        node_put_i64(tree, object, "count", 1);
        object_create(run, run->control->resource.events, ns, object, NULL);
        json_tree_free(tree);
}

static void count_event(struct controller_run *run, const struct store_object *known) {
        struct object_target target = { .resource = run->control->resource.events,
                                        .ns = store_object_ns(known),
                                        .name = store_object_name(known) };
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree);
        struct json_doc *doc = NULL;
        char now[WALL_TIME_TEXT_MAX];

        store_object_ref(known);
        wall_time_format(control_now(run->control), now);
        if (json_parse(store_object_body(known), &doc, NULL) == 0) {
                node_put_i64(tree, patch, "count",
                             json_get_i64(json_doc_root(doc), "count", 1) + 1);
                node_put_string(tree, patch, "lastTimestamp", now);
                object_merge(run, &target, patch, NULL);
        }
        json_doc_free(doc);
        json_tree_free(tree);
        store_object_unref(known);
}

static void object_write_record(struct controller_run *run, struct event *event, const char *format,
                                va_list args) __attribute__((format(printf, 3, 0)));

static void object_write_record(struct controller_run *run, struct event *event, const char *format,
                                va_list args) {
        struct control *control = run->control;
        struct slice ns = json_get_text(json_get(event->object, "metadata"), "namespace");
        struct buf message = { 0 };
        char *name;

        buf_vprintf(&message, format, args);
        event->message = buf_view(&message);
        if (ns.len == 0)
                ns = SLICE_LITERAL("default"); /* where events of cluster objects go */
        const struct store_object *known = event_known(control, event, ns);
        if (known) {
                count_event(run, known);
        } else {
                name = event_name(control, event);
                create_event(run, event, ns, slice_of(name));
                remember_name(control, event, name);
        }
        control->stats.events++;
        buf_release(&message);
}

void object_event(struct controller_run *run, int resource, const struct json *object,
                  const char *reason, const char *format, ...) {
        struct event event = { .reason = reason,
                               .entry = control_resources_find(run->control->table, resource),
                               .object = object };
        va_list args;

        va_start(args, format);
        if (event.entry)
                object_write_record(run, &event, format, args);
        va_end(args);
}

void object_warning(struct controller_run *run, int resource, const struct json *object,
                    const char *reason, const char *format, ...) {
        struct event event = { .is_warning = true,
                               .reason = reason,
                               .entry = control_resources_find(run->control->table, resource),
                               .object = object };
        va_list args;

        va_start(args, format);
        if (event.entry)
                object_write_record(run, &event, format, args);
        va_end(args);
}
