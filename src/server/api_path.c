/* Paths outside the resources: health, version, metrics, discovery and OpenAPI. */
#include "base/metric_text.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_list.h"
#include "server/api_output.h"
#include "server/api_query.h"
#include "server/api_verbs.h"
#include "server/documents.h"

#define TEXT_PLAIN "text/plain; charset=utf-8"
#define EMULATION_SINCE 33 /* minor version whose answer has the emulated one */

static const char *const health_checks[] = { "ping", "log", "etcd", "poststarthook/start-berth" };

static int not_found(struct api_context *context) {
        respond_text(context, 404, TEXT_PLAIN, SLICE_LITERAL("404 page not found\n"));
        return 0;
}

static void health_list(struct api_context *context, struct slice name) {
        struct buf *out = &context->response->body;

        for (size_t i = 0; i < ARRAY_LEN(health_checks); i++)
                buf_printf(out, "[+]%s ok\n", health_checks[i]);
        buf_printf(out, SLICE_FMT " check passed\n", SLICE_ARG(name));
        respond_text(context, 200, TEXT_PLAIN, SLICE_EMPTY);
}

/* /healthz, /livez, /readyz and their single checks. */
static bool serve_health(struct api_context *context) {
        static const char *const roots[] = { "/healthz", "/livez", "/readyz" };
        struct slice path = context->route.path, ignored;

        for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
                struct slice root = slice_of(roots[i]), check;

                if (!slice_has_prefix(path, root))
                        continue;
                check = slice_make(path.ptr + root.len, path.len - root.len);
                if (check.len == 0 && query_get(&context->query, "verbose", &ignored)) {
                        health_list(context, slice_make(root.ptr + 1, root.len - 1));
                        return true;
                }
                if (check.len == 0) {
                        respond_text(context, 200, TEXT_PLAIN, SLICE_LITERAL("ok"));
                        return true;
                }
                for (size_t j = 0; check.ptr[0] == '/' && j < ARRAY_LEN(health_checks); j++) {
                        if (!slice_is(slice_make(check.ptr + 1, check.len - 1), health_checks[j]))
                                continue;
                        respond_text(context, 200, TEXT_PLAIN, SLICE_LITERAL("ok"));
                        return true;
                }
        }
        return false;
}

/* Written over several lines, as upstream does; the emulated version since there can be one. */
static void serve_version(struct api_context *context) {
        unsigned minor = context->engine->resources.minor;
        const char *emulated = minor < EMULATION_SINCE
                                       ? ""
                                       : arena_printf(context->arena,
                                                      "  \"emulationMajor\": \"1\",\n"
                                                      "  \"emulationMinor\": \"%u\",\n"
                                                      "  \"minCompatibilityMajor\": \"1\",\n"
                                                      "  \"minCompatibilityMinor\": \"%u\",\n",
                                                      minor, minor - 1);
        char *text = arena_printf(
                context->arena,
                "{\n  \"major\": \"1\",\n  \"minor\": \"%u\",\n%s"
                "  \"gitVersion\": \"v1.%u.0\",\n  \"gitCommit\": \"\",\n"
                "  \"gitTreeState\": \"clean\",\n  \"buildDate\": \"2026-01-01T00:00:00Z\",\n"
                "  \"goVersion\": \"\",\n  \"compiler\": \"cc\",\n"
                "  \"platform\": \"linux/amd64\"\n}",
                minor, emulated, minor);

        respond_text(context, 200, "application/json", slice_of(text));
}

static void serve_metrics(struct api_context *context) {
        struct api_engine *engine = context->engine;
        struct buf *out = &context->response->body;
        const struct api_resource *resource = NULL;

        respond_text(context, 200, METRICS_CONTENT_TYPE, SLICE_EMPTY);
        metric_text_family(out, "apiserver_storage_objects", METRIC_GAUGE,
                           "Number of stored objects.");
        while ((resource = resource_next(&engine->resources, resource))) {
                struct metric_label label = { "resource", slice_of(resource->qualified) };

                if (resource->store_resource >= 0 && !resource->kind->stored_as)
                        metric_text_sample(
                                out, "apiserver_storage_objects",
                                (struct metric_labels){ &label, 1 },
                                (double)store_count(engine->store, resource->store_resource));
        }
        watches_write(context->server, out);
        metric_text_single(out, "berth_store_bytes", METRIC_GAUGE, "Memory held by stored objects.",
                           (double)store_bytes(engine->store));
        metric_text_single(out, "berth_store_revision", METRIC_COUNTER, "Last revision.",
                           (double)store_revision(engine->store));
}

static void serve_root(struct api_context *context) {
        respond_text(context, 200, "application/json",
                     SLICE_LITERAL("{\"paths\":[\"/api\",\"/api/v1\",\"/apis\",\"/healthz\","
                                   "\"/livez\",\"/metrics\",\"/openapi/v3\",\"/readyz\","
                                   "\"/version\"]}"));
}

/* Custom resources take part in discovery. */
static void extend_kinds(struct api_context *context) {
        const struct api_resource *added = context->engine->resources.added;
        size_t count = 0;

        for (const struct api_resource *each = added; each; each = each->next)
                count++;
        const struct kind_info **kinds =
                ARENA_ARRAY(context->arena, const struct kind_info *, count + 1);
        count = 0;
        for (const struct api_resource *each = added; each; each = each->next)
                kinds[count++] = each->kind;
        kind_extend(kinds, count, context->engine->resources.minor,
                    context->engine->resources.gates);
}

static bool serve_document(struct api_context *context) {
        struct http_response *response = context->response;
        struct api_document document = { 0 };
        struct slice target = context->request->target, path;

        slice_split(&target, '?', &path);
        extend_kinds(context);
        bool is_served = document_serve(context->route.path, target, context->request->accept,
                                        context->request->if_none_match,
                                        slice_of(context->engine->server_address), &document);
        kind_extend(NULL, 0, 0, 0);
        if (!is_served)
                return false;
        memcpy(response->type_buffer, document.content_type, sizeof(response->type_buffer));
        response->status = document.status;
        response->content_type = response->type_buffer;
        buf_release(&response->body);
        response->body = document.body;
        if (*document.etag)
                http_response_header(response, "ETag", "%s", document.etag);
        if (document.varies)
                http_response_header(response, "Vary", "Accept");
        if (document.is_public)
                http_response_header(response, "Cache-Control", "public");
        return true;
}

/* Paths that upstream serves as it serves resources: another method is 405, elsewhere 404. */
static bool has_methods(struct slice path) {
        static const char *const others[] = { "/version", "/version/", "/openid/v1/jwks",
                                              "/.well-known/openid-configuration" };

        for (size_t i = 0; i < ARRAY_LEN(others); i++)
                if (slice_is(path, others[i]))
                        return true;
        return slice_has_prefix(path, SLICE_LITERAL("/api"));
}

/* Paths that upstream answers whatever they are asked. */
static bool takes_all(struct slice path) {
        return slice_is(path, "/") || slice_is(path, "/apis") || slice_is(path, "/apis/");
}

int serve_path(struct api_context *context) {
        struct slice path = context->route.path, method = context->request->method;

        if (!slice_is(method, "GET") && !slice_is(method, "HEAD") && !takes_all(path))
                return has_methods(path) ? fail_method(context) : not_found(context);
        if (slice_is(path, "/version") || slice_is(path, "/version/"))
                serve_version(context);
        else if (slice_is(path, "/metrics"))
                serve_metrics(context);
        else if (slice_is(path, "/"))
                serve_root(context);
        else if (!serve_health(context) && !serve_token_documents(context) &&
                 !serve_document(context))
                return context->route.group_is_known ? fail_unknown(context) : not_found(context);
        return 0;
}
