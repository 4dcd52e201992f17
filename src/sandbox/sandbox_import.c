/* Creates objects through the API server, in process, keeping their identity. */
#include "sandbox/sandbox_import.h"

#include "api/json.h"
#include "api/status.h"
#include "base/arena.h"
#include "base/util.h"
#include "control/control_resources.h"
#include "sandbox/sandbox.h"
#include "server/api_server.h"
#include <stdlib.h>

#define HTTP_CONFLICT 409
#define MERGE_PATCH "application/merge-patch+json"

struct sandbox_import {
        struct sandbox *sandbox;
        struct control_resources *resources;
        size_t count;
};

struct sandbox_import *sandbox_import_new(struct sandbox *sandbox) {
        struct sandbox_import *import = xcalloc(1, sizeof(*import));

        import->sandbox = sandbox;
        import->resources = control_resources_new(sandbox_server(sandbox));
        return import;
}

void sandbox_import_free(struct sandbox_import *import) {
        if (!import)
                return;
        control_resources_free(import->resources);
        free(import);
}

size_t sandbox_import_count(const struct sandbox_import *import) {
        return import->count;
}

static const struct resource_entry *find_resource(struct sandbox_import *import,
                                                  struct slice version, struct slice kind,
                                                  struct err *err) {
        struct slice group = api_version_group(version);

        if (!kind.len || !version.len) {
                err_set(err, BERTH_ERR_INVALID, "expected an object with apiVersion and kind");
                return NULL;
        }
        const struct resource_entry *entry =
                control_resources_find_kind(import->resources, group, kind);
        if (!entry) { /* a custom resource that came a moment ago? */
                control_resources_refresh(import->resources);
                entry = control_resources_find_kind(import->resources, group, kind);
        }
        if (!entry)
                err_set(err, BERTH_ERR_INVALID,
                        "no matches for kind \"" SLICE_FMT "\" in version \"" SLICE_FMT "\"",
                        SLICE_ARG(kind), SLICE_ARG(version));
        return entry;
}

/* The path of an object, or of its collection when name is empty. */
static void object_path(const struct resource_entry *entry, struct slice ns, struct slice name,
                        struct buf *out) {
        if (!entry->is_namespaced)
                ns = SLICE_EMPTY;
        else if (!ns.len)
                ns = SLICE_LITERAL("default");
        resource_path(entry, ns, name, out);
}

static void read_failure(const struct http_response *response, struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        struct status_info info;

        if (json_parse(buf_view(&response->body), &doc, NULL) == 0 &&
            status_decode(json_doc_root(doc), &info, NULL) == 0)
                status_to_err(&info, err);
        else
                err_set(err, status_code_to_err(response->status), "HTTP status %d",
                        response->status);
}

struct import_call {
        const char *method, *content_type;
        struct slice target, body;
};

static int sandbox_import_call(struct sandbox_import *import, const struct import_call *what,
                               int *ret_status, struct err *err) {
        struct http_response response;

        api_server_handle(
                sandbox_server(import->sandbox),
                &(struct api_server_request){ .method = slice_of(what->method),
                                              .target = what->target,
                                              .body = what->body,
                                              .content_type = slice_of(what->content_type),
                                              .user = &api_user_admin,
                                              .keeps_identity = true },
                &response);
        *ret_status = response.status;
        if (response.status >= 400)
                read_failure(&response, err);
        http_response_release(&response);
        return *ret_status >= 400 ? err->code : 0;
}

/* The object without what only a server writes; without it a create would be refused. */
static void write_body(const struct json *object, struct buf *out) {
        struct json_tree *tree = json_tree_new();
        struct json_node *root = node_import(tree, object);
        struct json_node *metadata = node_get(root, "metadata");

        if (metadata) {
                node_remove(metadata, "resourceVersion");
                node_remove(metadata, "managedFields");
                node_remove(metadata, "deletionTimestamp");
                node_remove(metadata, "deletionGracePeriodSeconds");
        }
        node_write(root, out);
        json_tree_free(tree);
}

static bool has_status(const struct json *object) {
        return json_type(json_get(object, "status")) == JSON_OBJECT &&
               json_count(json_get(object, "status"));
}

static int put_status(struct sandbox_import *import, const struct json *object, struct slice path,
                      struct err *err) {
        CLEANUP(buf_release) struct buf target = { 0 };
        CLEANUP(buf_release) struct buf body = { 0 };
        struct err local = { 0 };
        int status;

        buf_printf(&target, SLICE_FMT "/status", SLICE_ARG(path));
        buf_text(&body, "{\"status\":");
        json_write(json_get(object, "status"), &body);
        buf_char(&body, '}');
        /* Kinds without a status subresource took it with the object. */
        if (sandbox_import_call(import,
                                &(struct import_call){ "PATCH", MERGE_PATCH, buf_view(&target),
                                                       buf_view(&body) },
                                &status, &local) < 0 &&
            status != 404 && status != 405) {
                err_wrap(&local, "status");
                if (err)
                        *err = local;
                return local.code;
        }
        return 0;
}

/* What is there already stays under its uid, whatever the object says it is. */
static int import_replace(struct sandbox_import *import, struct slice path, struct slice body,
                          struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 };
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        int status;

        if (sandbox_import_call(import,
                                &(struct import_call){ "PUT", "application/json", path, body },
                                &status, err) == 0)
                return 0;
        if (status == HTTP_CONFLICT && json_tree_parse(body, &tree, NULL) == 0) {
                node_remove(node_get(json_tree_root(tree), "metadata"), "uid");
                node_write(json_tree_root(tree), &text);
                if (sandbox_import_call(import,
                                        &(struct import_call){ "PUT", "application/json", path,
                                                               buf_view(&text) },
                                        &status, err) == 0)
                        return 0;
        }
        return err->code = BERTH_ERR_EXISTS;
}

/* The POST, and what follows when the object is there already. */
static int import_create(struct sandbox_import *import, const struct json *object,
                         const struct resource_entry *entry, bool replaces, struct err *err) {
        CLEANUP(buf_release) struct buf collection = { 0 };
        CLEANUP(buf_release) struct buf path = { 0 };
        CLEANUP(buf_release) struct buf body = { 0 };
        const struct json *metadata = json_get(object, "metadata");
        struct slice ns = json_get_text(metadata, "namespace");
        int status;

        object_path(entry, ns, SLICE_EMPTY, &collection);
        object_path(entry, ns, json_get_text(metadata, "name"), &path);
        write_body(object, &body);
        if (sandbox_import_call(import,
                                &(struct import_call){ "POST", "application/json",
                                                       buf_view(&collection), buf_view(&body) },
                                &status, err) < 0 &&
            (status != HTTP_CONFLICT || !replaces ||
             import_replace(import, buf_view(&path), buf_view(&body), err) < 0))
                return err->code;
        import->count++;
        return has_status(object) ? put_status(import, object, buf_view(&path), err) : 0;
}

static int import_object(struct sandbox_import *import, const struct json *object, bool replaces,
                         struct err *err) {
        const struct resource_entry *entry = find_resource(
                import, json_get_text(object, "apiVersion"), json_get_text(object, "kind"), err);
        struct err local = { 0 };

        if (!entry)
                return BERTH_ERR_INVALID;
        if (import_create(import, object, entry, replaces, &local) == 0)
                return 0;
        if (err)
                *err = local;
        return local.code;
}

int sandbox_import_object(struct sandbox_import *import, const struct json *object,
                          struct err *err) {
        return import_object(import, object, true, err);
}

static int sandbox_import_change(struct sandbox_import *import, const char *method,
                                 const struct import_target *target, struct slice body,
                                 struct err *err) {
        CLEANUP(buf_release) struct buf path = { 0 };
        const struct resource_entry *entry =
                find_resource(import, target->api_version, target->kind, err);
        int status;

        if (!entry)
                return BERTH_ERR_INVALID;
        object_path(entry, target->ns, target->name, &path);
        return sandbox_import_call(
                import, &(struct import_call){ method, MERGE_PATCH, buf_view(&path), body },
                &status, err);
}

int sandbox_import_patch(struct sandbox_import *import, const struct import_target *target,
                         const struct json *merge_patch, struct err *err) {
        CLEANUP(buf_release) struct buf body = { 0 };

        json_write(merge_patch, &body);
        return sandbox_import_change(import, "PATCH", target, buf_view(&body), err);
}

int sandbox_import_delete(struct sandbox_import *import, const struct import_target *target,
                          struct err *err) {
        return sandbox_import_change(import, "DELETE", target, SLICE_EMPTY, err);
}

static int import_text(struct sandbox_import *import, struct slice object, bool replaces,
                       struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;

        int code = json_parse(object, &doc, err);
        if (code < 0)
                return code;
        return import_object(import, json_doc_root(doc), replaces, err);
}

int sandbox_import_text(struct sandbox_import *import, struct slice object, struct err *err) {
        return import_text(import, object, true, err);
}

int sandbox_import_new_text(struct sandbox_import *import, struct slice object, struct err *err) {
        return import_text(import, object, false, err);
}

bool sandbox_import_serves(struct sandbox_import *import, struct slice api_version,
                           struct slice kind) {
        return find_resource(import, api_version, kind, NULL);
}
