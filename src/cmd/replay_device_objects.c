/* Objects of devices, created on an API server of its own for each case. */
#include "cmd/replay_device_objects.h"

#include "base/arena.h"
#include "base/util.h"
#include "port/virtual_loop.h"
#include "server/api_server.h"

static const struct recorded_kind {
        const char *kind, *path;
} recorded_kinds[] = {
        { "DeviceClass", "/apis/resource.k8s.io/v1/deviceclasses?dryRun=All" },
        { "ResourceClaim",
          "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims?dryRun=All" },
        { "ResourceClaimTemplate",
          "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates?dryRun=All" },
        { "ResourceSlice", "/apis/resource.k8s.io/v1/resourceslices?dryRun=All" },
};

static const struct recorded_kind *recorded_kind_find(struct slice name) {
        for (size_t i = 0; i < ARRAY_LEN(recorded_kinds); i++)
                if (slice_is(name, recorded_kinds[i].kind))
                        return &recorded_kinds[i];
        return NULL;
}

/* Claims are taken to be in a namespace that may ask for administrators' access. */
#define ADMIN_NAMESPACE                                                                            \
        "{\"metadata\":{\"labels\":{\"resource.kubernetes.io/admin-access\":\"true\"}}}"

/* The request's body: the object with the members that say what it is. */
static void write_body(const struct json *test_case, struct buf *out) {
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_import(tree, json_get(test_case, "object"));

        node_put_string(tree, object, "apiVersion", "resource.k8s.io/v1");
        node_put_text(tree, object, "kind", json_get_text(test_case, "kind"));
        if (node_type(node_get(object, "metadata")) == JSON_OBJECT)
                node_remove(node_get(object, "metadata"), "namespace");
        node_write(object, out);
        json_tree_free(tree);
}

/* Causes of the refusal as {"field", "type", "text"}. */
static void put_errors(struct json_tree *tree, struct json_node *expect,
                       const struct json *status) {
        struct json_iter iter = json_iter(json_get(json_get(status, "details"), "causes"));
        struct json_node *errors = node_array(tree);
        const struct json *cause;

        while (json_next(&iter, NULL, &cause)) {
                struct slice field = json_get_text(cause, "field");
                struct json_node *error = node_object(tree);
                struct buf text = { 0 };

                buf_printf(&text, SLICE_FMT ": " SLICE_FMT, SLICE_ARG(field),
                           SLICE_ARG(json_get_text(cause, "message")));
                node_put_text(tree, error, "field", field);
                node_put_text(tree, error, "text", buf_view(&text));
                node_put_text(tree, error, "type", json_get_text(cause, "reason"));
                node_append(errors, error);
                buf_release(&text);
        }
        node_put(tree, expect, "errors", errors);
}

struct device_reply {
        int status;
        struct json_doc *body;
};

static int create_object(struct api_server *server, const struct json *test_case,
                         struct device_reply *ret_reply, struct err *err) {
        const struct recorded_kind *kind = recorded_kind_find(json_get_text(test_case, "kind"));
        CLEANUP(buf_release) struct buf body = { 0 };
        CLEANUP(buf_release) struct buf answer = { 0 };

        if (!kind)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "kind \"" SLICE_FMT "\" is not known",
                               SLICE_ARG(json_get_text(test_case, "kind")));
        api_server_ask(server, "PATCH", "/api/v1/namespaces/default", ADMIN_NAMESPACE, NULL);
        write_body(test_case, &body);
        ret_reply->status = api_server_ask(server, "POST", kind->path, body.data, &answer);
        return json_parse(buf_view(&answer), &ret_reply->body, err);
}

int replay_device_object_case(const struct json *test_case, struct buf *out, struct err *err) {
        if (json_type(test_case) != JSON_OBJECT ||
            json_type(json_get(test_case, "object")) != JSON_OBJECT)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "case has no object");
        struct virtual_loop *time = virtual_loop_new();
        struct api_server *server = api_server_new(&(struct api_server_config){ .is_open = true },
                                                   virtual_loop_get(time));
        struct json_tree *tree = json_tree_new();
        struct json_node *result = node_object(tree), *expect = node_object(tree);
        struct device_reply reply = { 0 };
        int code = create_object(server, test_case, &reply, err);

        if (code == 0) {
                bool is_valid = reply.status >= 200 && reply.status < 300;

                node_put_text(tree, result, "name", json_get_text(test_case, "name"));
                node_put_bool(tree, expect, "valid", is_valid);
                if (!is_valid)
                        put_errors(tree, expect, json_doc_root(reply.body));
                node_put(tree, result, "expect", expect);
                if (!node_write(result, out))
                        code = err_set(err, BERTH_ERR_TOO_LARGE, "no room for the result");
        }
        json_doc_free(reply.body);
        json_tree_free(tree);
        api_server_free(server);
        virtual_loop_free(time);
        return code;
}
