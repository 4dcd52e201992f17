/* Test clusters. */
#include "cluster.h"

static struct slice strict_json(const char *loose, struct buf *out) {
        for (; loose && *loose; loose++)
                buf_char(out, *loose == '\'' ? '"' : *loose);
        return buf_view(out);
}

static struct cluster cluster_start(const char *controllers,
                                    const struct api_server_config *config) {
        struct cluster cluster = { .loop = virtual_loop_new() };
        struct loop *loop = virtual_loop_get(cluster.loop);
        struct err err = { 0 };

        cluster.server = api_server_new(config, loop);
        if (control_new(&(struct control_config){ .loop = loop,
                                                  .server = cluster.server,
                                                  .controllers = controllers,
                                                  .seed = 1 },
                        &cluster.control, &err) < 0)
                fail_msg("%s", err.text);
        assert_int_equal(
                control_add_nodes(cluster.control,
                                  strstr(controllers, "kubelet") || *controllers == '*' ? 1 : 0,
                                  &(struct control_node){ .prefix = "n" }, &err),
                0);
        virtual_loop_run(cluster.loop);
        return cluster;
}

struct cluster cluster_new_with(const char *controllers, const struct webhook_caller *webhooks) {
        return cluster_start(controllers,
                             &(struct api_server_config){ .seed = 1, .webhooks = webhooks });
}

struct cluster cluster_of_version(const char *controllers, unsigned minor) {
        return cluster_start(controllers, &(struct api_server_config){ .seed = 1, .minor = minor });
}

struct cluster cluster_new(const char *controllers) {
        return cluster_new_with(controllers, NULL);
}

void cluster_free(struct cluster *cluster) {
        json_doc_free(cluster->doc);
        control_free(cluster->control);
        api_server_free(cluster->server);
        virtual_loop_free(cluster->loop);
}

static int ask_with_type(struct cluster *cluster, const char *method, const char *path,
                         const char *type, const char *body) {
        struct buf text = { 0 };
        struct api_server_request request = {
                .method = slice_of(method),
                .target = slice_of(path),
                .content_type = slice_of(type),
                .body = strict_json(body, &text),
                .user = &api_user_admin,
                .user_agent = SLICE_LITERAL("test"),
        };
        struct http_response response;
        int status;

        json_doc_free(cluster->doc);
        cluster->doc = NULL;
        api_server_handle(cluster->server, &request, &response);
        status = response.status;
        json_parse(buf_view(&response.body), &cluster->doc, NULL);
        if (status >= 400 && status != 404)
                print_message("%s %s: %d " SLICE_FMT "\n", method, path, status,
                              SLICE_ARG(buf_view(&response.body)));
        http_response_release(&response);
        buf_release(&text);
        virtual_loop_run(cluster->loop);
        return status;
}

int cluster_ask(struct cluster *cluster, const char *method, const char *path, const char *body) {
        return ask_with_type(cluster, method, path, "application/json", body);
}

int cluster_post(struct cluster *cluster, const char *path, const char *body) {
        return cluster_ask(cluster, "POST", path, body);
}

int cluster_merge(struct cluster *cluster, const char *path, const char *patch) {
        return ask_with_type(cluster, "PATCH", path, "application/merge-patch+json", patch);
}

int cluster_apply(struct cluster *cluster, const char *path, const char *configuration) {
        return ask_with_type(cluster, "PATCH", path, "application/apply-patch+yaml", configuration);
}

void cluster_wait(struct cluster *cluster, int64_t ms) {
        virtual_loop_advance(cluster->loop, ms * NS_PER_MS);
}

/* "type=Ready" finds the element whose member has that value; digits are an index. */
static const struct json *step_into(const struct json *value, struct slice part) {
        struct slice key = part, wanted = part;
        struct json_iter iter = json_iter(value);
        const struct json *element;
        int64_t index;

        if (json_type(value) != JSON_ARRAY)
                return json_get_slice(value, part);
        if (slice_to_i64(part, &index))
                return json_at(value, (size_t)index);
        slice_split(&wanted, '=', &key);
        while (json_next(&iter, NULL, &element)) {
                if (slice_eq(json_text(json_get_slice(element, key)), wanted))
                        return element;
        }
        return NULL;
}

static const char *field_of(struct cluster *cluster, const struct json *value, const char *field) {
        struct slice rest = slice_of(field + 1), part;
        struct buf text = { 0 };

        /* "~" stands for a slash inside of a key. */
        while (value && slice_split(&rest, '/', &part)) {
                char key[256];

                snprintf(key, sizeof(key), SLICE_FMT, SLICE_ARG(part));
                for (char *c = key; *c; c++)
                        *c = *c == '~' ? '/' : *c;
                value = step_into(value, slice_of(key));
        }
        if (value && json_type(value) != JSON_STRING)
                json_write(value, &text);
        else
                buf_slice(&text, json_text(value));
        snprintf(cluster->text, sizeof(cluster->text), SLICE_FMT, SLICE_ARG(buf_view(&text)));
        buf_release(&text);
        return cluster->text;
}

const char *cluster_field(struct cluster *cluster, const char *path, const char *field) {
        if (cluster_ask(cluster, "GET", path, NULL) != 200)
                return "gone";
        return field_of(cluster, json_doc_root(cluster->doc), field);
}

size_t cluster_count(struct cluster *cluster, const char *path) {
        assert_int_equal(cluster_ask(cluster, "GET", path, NULL), 200);
        return json_count(json_get(json_doc_root(cluster->doc), "items"));
}

const char *cluster_item(struct cluster *cluster, const char *path, size_t index,
                         const char *field) {
        if (cluster_count(cluster, path) <= index)
                return "gone";
        return field_of(cluster, json_at(json_get(json_doc_root(cluster->doc), "items"), index),
                        field);
}

void cluster_schedule(struct cluster *cluster) {
        size_t count = cluster_count(cluster, "/api/v1/pods?fieldSelector=spec.nodeName%3D");

        for (size_t i = 0; i < count; i++) {
                const char *path = "/api/v1/pods?fieldSelector=spec.nodeName%3D";
                char binding[512], target[512], ns[64], name[256];
                int status;

                snprintf(ns, sizeof(ns), "%s",
                         cluster_item(cluster, path, 0, "/metadata/namespace"));
                snprintf(name, sizeof(name), "%s",
                         cluster_item(cluster, path, 0, "/metadata/name"));
                snprintf(target, sizeof(target), "/api/v1/namespaces/%s/pods/%s/binding", ns, name);
                snprintf(binding, sizeof(binding),
                         "{'metadata':{'name':'%s'},'target':{'kind':'Node','name':'n0'}}", name);
                status = cluster_post(cluster, target, binding);
                assert_true(status == 201 || status == 404); /* deleted meanwhile */
        }
}

const char *cluster_event(struct cluster *cluster, const char *object, const char *reason) {
        char path[512];

        snprintf(path, sizeof(path),
                 "/api/v1/events?fieldSelector=involvedObject.name%%3D%s%%2Creason%%3D%s", object,
                 reason);
        return cluster_item(cluster, path, 0, "/message");
}

int64_t cluster_number(const char *text) {
        int64_t number = 0;

        return slice_to_i64(slice_of(text), &number) ? number : 0;
}
