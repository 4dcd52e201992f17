/* What a webhook is asked: an AdmissionReview, sent to a URL, to the name that an ExternalName
 * Service has, or to the first address in the Endpoints of another (nothing routes to services
 * here). */
#include "base/base64.h"
#include "server/api_context.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_pending.h"
#include "server/webhook.h"

#define TIMEOUT_DEFAULT_S 10
#define SERVICE_PORT_DEFAULT 443

int64_t webhook_timeout_s(const struct json *row) {
        return json_get_i64(row, "timeoutSeconds", TIMEOUT_DEFAULT_S);
}

/* ---- address ---- */

static const struct json *find_core_object(struct api_context *context, struct slice resource,
                                           const struct json *service) {
        const struct store_object *object =
                object_find(context,
                            resource_find(&context->engine->resources, SLICE_EMPTY,
                                          SLICE_LITERAL("v1"), resource),
                            json_get_text(service, "namespace"), json_get_text(service, "name"));

        return object ? request_object_json(context, object) : NULL;
}

/* False when there is none; the host of an ExternalName Service is reached at the port that the
 * webhook names. */
static bool service_host(struct api_context *context, const struct json *service,
                         struct slice *ret_host, int64_t *ret_port) {
        int64_t port = json_get_i64(service, "port", SERVICE_PORT_DEFAULT);
        const struct json *spec =
                json_get(find_core_object(context, SLICE_LITERAL("services"), service), "spec");

        if (slice_is(json_get_text(spec, "type"), "ExternalName")) {
                *ret_host = json_get_text(spec, "externalName");
                *ret_port = port;
                return true;
        }
        const struct json *subset = json_at(
                json_get(find_core_object(context, SLICE_LITERAL("endpoints"), service), "subsets"),
                0);
        struct slice address = json_get_text(json_at(json_get(subset, "addresses"), 0), "ip");

        if (address.len == 0)
                return false;
        *ret_host = address;
        *ret_port = json_get_i64(json_at(json_get(subset, "ports"), 0), "port", port);
        return true;
}

static bool service_address(struct api_context *context, const struct json *service,
                            struct buf *url) {
        struct slice path = json_get_text(service, "path"), host;
        int64_t port;

        if (!service_host(context, service, &host, &port))
                return false;
        buf_printf(url, "https://" SLICE_FMT ":%lld" SLICE_FMT, SLICE_ARG(host), (long long)port,
                   SLICE_ARG(path));
        return true;
}

bool webhook_address(struct api_context *context, const struct json *row, const char **ret_url,
                     const char **ret_server_name) {
        const struct json *config = json_get(row, "clientConfig");
        const struct json *service = json_get(config, "service");
        struct slice url = json_get_text(config, "url");
        struct buf text = { 0 };
        bool has_address = url.len > 0;

        *ret_server_name = NULL;
        if (url.len) {
                buf_slice(&text, url);
        } else if (service_address(context, service, &text)) {
                has_address = true;
                *ret_server_name = arena_printf(context->arena, SLICE_FMT "." SLICE_FMT ".svc",
                                                SLICE_ARG(json_get_text(service, "name")),
                                                SLICE_ARG(json_get_text(service, "namespace")));
        }
        buf_printf(&text, "%stimeout=%llds", slice_contains(url, SLICE_LITERAL("?")) ? "&" : "?",
                   (long long)webhook_timeout_s(row));
        *ret_url = arena_string(context->arena, buf_view(&text));
        buf_release(&text);
        return has_address;
}

/* ---- review ---- */

static void text_member(struct buf *out, const char *name, struct slice value) {
        buf_printf(out, ",\"%s\":", name);
        buf_json_string(out, value);
}

static bool is_scale(const struct webhook_subject *subject) {
        return slice_is(subject->subresource, "scale");
}

/* The kind of the request, and the one that is asked about; a Scale has one version. */
static void type_write(const struct webhook_subject *subject, const char *name,
                       const struct api_resource *matched, struct buf *out) {
        const struct kind_info *kind = matched && !is_scale(subject) ? matched->kind : NULL;

        buf_printf(out, ",\"%s\":{\"group\":\"%s\",\"version\":\"%s\",\"kind\":\"%s\"}", name,
                   kind ? kind->group : subject->type_group,
                   kind ? kind->version : subject->type_version, kind ? kind->kind : subject->type);
}

static void resource_write(const struct webhook_subject *subject, const char *prefix,
                           const struct api_resource *matched, struct buf *out) {
        const struct kind_info *kind = matched ? matched->kind : NULL;

        buf_printf(out,
                   ",\"%s\":{\"group\":\"" SLICE_FMT "\",\"version\":\"" SLICE_FMT
                   "\",\"resource\":\"" SLICE_FMT "\"}",
                   prefix[0] ? "requestResource" : "resource",
                   SLICE_ARG(kind ? slice_of(kind->group) : subject->group),
                   SLICE_ARG(kind ? slice_of(kind->version) : subject->version),
                   SLICE_ARG(kind ? slice_of(kind->plural) : subject->plural));
        if (subject->subresource.len)
                text_member(out, prefix[0] ? "requestSubResource" : "subResource",
                            subject->subresource);
}

static void user_write(const struct api_user *user, struct buf *out) {
        buf_text(out, ",\"userInfo\":{\"username\":");
        buf_json_string(out, user->name);
        if (user->uid.len)
                text_member(out, "uid", user->uid);
        buf_text(out, ",\"groups\":[");
        for (size_t i = 0; i < user->group_count; i++) {
                buf_text(out, i ? "," : "");
                buf_json_string(out, user->groups[i]);
        }
        buf_char(out, ']');
        for (size_t i = 0; i < user->extra_count; i++) {
                const struct user_extra *extra = &user->extras[i];
                bool is_next_key = i == 0 || !slice_eq(extra->key, extra[-1].key);

                if (is_next_key) {
                        buf_text(out, i ? "]," : ",\"extra\":{");
                        buf_json_string(out, extra->key);
                        buf_text(out, ":[");
                }
                buf_text(out, is_next_key ? "" : ",");
                buf_json_string(out, extra->value);
        }
        buf_text(out, user->extra_count ? "]}}" : "}");
}

/* Text of an object as the one who is asked wants to see it. */
static void version_write(const struct webhook_subject *subject, struct slice text,
                          struct buf *out) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;

        if (!subject->matched || is_scale(subject) || json_tree_parse(text, &tree, NULL) < 0) {
                buf_slice(out, text);
                return;
        }
        version_convert(subject->resource, subject->matched, tree, json_tree_root(tree));
        node_write(json_tree_root(tree), out);
}

/* Stored objects lack kind and apiVersion. */
static void old_write(const struct webhook_subject *subject, struct buf *out) {
        struct buf body = { 0 }, prefix = { 0 }, whole = { 0 };

        buf_text(out, ",\"oldObject\":");
        if (subject->old && json_write(subject->old, &body)) {
                buf_printf(&prefix, "{\"kind\":\"%s\",\"apiVersion\":\"%s%s%s\",", subject->type,
                           subject->type_group, *subject->type_group ? "/" : "",
                           subject->type_version);
                object_write(buf_view(&prefix), buf_view(&body), &whole);
                version_write(subject, buf_view(&whole), out);
        } else {
                buf_text(out, "null");
        }
        buf_release(&body);
        buf_release(&prefix);
        buf_release(&whole);
}

static void options_write(struct api_context *context, const struct webhook_subject *subject,
                          struct buf *out) {
        buf_printf(out, ",\"options\":{\"kind\":\"%s\",\"apiVersion\":\"meta.k8s.io/v1\"",
                   subject->options);
        if (subject->is_dry_run)
                buf_text(out, ",\"dryRun\":[\"All\"]");
        if (context->manager.len)
                text_member(out, "fieldManager", context->manager);
        buf_char(out, '}');
}

/* v1 unless the webhook only knows the beta, which looks the same. */
static const char *review_version(const struct json *row) {
        const struct json *versions = json_get(row, "admissionReviewVersions");
        struct json_iter iter = json_iter(versions);
        const struct json *version;

        while (json_next(&iter, NULL, &version)) {
                if (slice_is(json_text(version), "v1"))
                        return "v1";
        }
        return json_count(versions) ? "v1beta1" : "v1";
}

void webhook_request_write(struct api_context *context, const struct webhook_subject *subject,
                           struct buf *out) {
        type_write(subject, "kind", subject->matched, out);
        resource_write(subject, "", subject->matched, out);
        type_write(subject, "requestKind", NULL, out);
        resource_write(subject, "request", NULL, out);
        if (subject->name.len && !subject->has_made_name)
                text_member(out, "name", subject->name);
        if (subject->ns.len)
                text_member(out, "namespace", subject->ns);
        text_member(out, "operation", slice_of(subject->operation));
        user_write(&context->user, out);
        buf_printf(out, ",\"dryRun\":%s", subject->is_dry_run ? "true" : "false");
        options_write(context, subject, out);
}

void webhook_objects_write(const struct webhook_subject *subject, struct buf *out) {
        struct buf text = { 0 };

        buf_text(out, ",\"object\":");
        if (subject->object && node_write(subject->object, &text))
                version_write(subject, buf_view(&text), out);
        else
                buf_text(out, "null");
        buf_release(&text);
        old_write(subject, out);
}

void webhook_review_write(struct api_context *context, const struct webhook *webhook,
                          const struct webhook_subject *subject, struct buf *out) {
        buf_printf(out,
                   "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/%s\","
                   "\"request\":{\"uid\":\"%s\"",
                   review_version(webhook->row), pending_uid(context->pending));
        webhook_request_write(context, subject, out);
        webhook_objects_write(subject, out);
        buf_text(out, "}}");
}

/* ---- asking ---- */

const struct webhook_answer *webhook_ask(struct api_context *context, const struct webhook *webhook,
                                         const struct webhook_subject *subject) {
        const struct json *config = json_get(webhook->row, "clientConfig");
        struct webhook_call call = { .timeout_ns = webhook_timeout_s(webhook->row) * NS_PER_S };
        struct buf review = { 0 }, authorities = { 0 };
        const char *key = arena_printf(context->arena, "%d %s %s " SLICE_FMT "/" SLICE_FMT,
                                       webhook->is_mutating, webhook->configuration, webhook->name,
                                       SLICE_ARG(subject->ns), SLICE_ARG(subject->name));
        struct webhook_answer *answer = pending_find(context->pending, key);

        if (answer)
                return answer->call ? NULL : answer;
        if (!webhook_address(context, webhook->row, &call.url, &call.tls_server_name)) {
                answer = ARENA_NEW(context->arena, struct webhook_answer);
                *answer = (struct webhook_answer){ .error = "its service has no endpoints" };
                return answer;
        }
        base64_decode(json_get_text(config, "caBundle"), BASE64_STANDARD, &authorities);
        webhook_review_write(context, webhook, subject, &review);
        call.ca_pem = buf_view(&authorities);
        call.body = buf_view(&review);
        pending_ask(context->pending, key, &call);
        buf_release(&authorities);
        buf_release(&review);
        return NULL;
}
