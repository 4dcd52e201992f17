/* An API server without a listener, with berth's definitions, for as long as the check lasts. */
#include "cmd/config_served.h"

#include "base/name_hint.h"
#include "base/util.h"
#include "evict/eviction_crds.h"
#include "evict/eviction_policy.h"
#include "port/virtual_loop.h"
#include "server/api_server.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define GROUP "lifecycle.berth.dev/"
#define VERSION "v1alpha1"

#define DEFINITIONS_MAX 4

struct config_served {
        struct virtual_loop *loop;
        struct api_server *server;
        size_t definition_count;
        struct document *definitions[DEFINITIONS_MAX];
};

static void served_call(struct config_served *served, struct slice target, struct slice body,
                        struct http_response *ret_response) {
        api_server_handle(served->server,
                          &(struct api_server_request){ .method = SLICE_LITERAL("POST"),
                                                        .target = target,
                                                        .body = body,
                                                        .user = &api_user_admin },
                          ret_response);
        virtual_loop_run(served->loop);
}

/* The definitions that "berth evictions" gives to a cluster. */
static void served_define(struct config_served *served, const struct embedded_text *text) {
        struct document *document = NULL;
        CLEANUP(buf_release) struct buf body = { 0 };
        struct http_response response;

        if (document_read(slice_make(text->text, text->size), "definition", &document, NULL) < 0)
                return;
        assert(served->definition_count < DEFINITIONS_MAX);
        served->definitions[served->definition_count++] = document;
        json_write(document_root(document), &body);
        served_call(served, SLICE_LITERAL(CRDS), buf_view(&body), &response);
        http_response_release(&response);
}

static struct config_served *served_new(void) {
        struct config_served *served = xcalloc(1, sizeof(*served));

        served->loop = virtual_loop_new();
        served->server = api_server_new(&(struct api_server_config){ .is_open = true },
                                        virtual_loop_get(served->loop));
        for (const struct embedded_text *text = eviction_crds; text->text; text++)
                served_define(served, text);
        return served;
}

void config_served_free(struct config_served *served) {
        if (!served)
                return;
        api_server_free(served->server);
        virtual_loop_free(served->loop);
        for (size_t i = 0; i < served->definition_count; i++)
                document_free(served->definitions[i]);
        free(served);
}

/* ---- answers ---- */

static void refuse_cause(struct config_check *check, const struct config_object *object,
                         const struct json *cause) {
        char *path = arena_string(&check->arena, json_get_text(cause, "field"));

        /* What follows from the others. */
        if (slice_contains(json_get_text(cause, "message"),
                           SLICE_LITERAL("some validation rules were not checked")))
                return;
        if (strcmp(path, "<nil>") == 0)
                path[0] = '\0';
        config_check_refuse(check, object, path, SLICE_FMT,
                            SLICE_ARG(json_get_text(cause, "message")));
}

/* ---- unknown fields ---- */

static const struct json *schema_of(const struct config_check *check, struct slice kind) {
        const struct config_served *served = check->served;

        for (size_t i = 0; i < served->definition_count; i++) {
                const struct json *spec = json_get(document_root(served->definitions[i]), "spec");
                const struct json *version = json_at(json_get(spec, "versions"), 0);

                if (slice_eq(json_get_text(json_get(spec, "names"), "kind"), kind))
                        return json_get(json_get(version, "schema"), "openAPIV3Schema");
        }
        return NULL;
}

/* One step of a path such as spec.stages[0].name down a schema. */
static const struct json *schema_descend(const struct json *schema, struct slice name) {
        const char *bracket = memchr(name.ptr, '[', name.len);
        struct slice key = bracket ? slice_make(name.ptr, (size_t)(bracket - name.ptr)) : name;

        schema = json_get_slice(json_get(schema, "properties"), key);
        return bracket ? json_get(schema, "items") : schema;
}

/* The field that was meant by the last name of path. */
static const char *meant_field(struct config_check *check, const struct json *schema,
                               struct slice path) {
        struct slice rest = path, name = { 0 };
        const struct json *member;
        struct slice key;

        while (slice_split(&rest, '.', &name) && rest.len)
                schema = schema_descend(schema, name);
        struct name_hint hint = name_hint_start(name);
        struct json_iter iter = json_iter(json_get(schema, "properties"));
        while (json_next(&iter, &key, &member))
                name_hint_try(&hint, arena_string(&check->arena, key));
        return hint.best;
}

static void refuse_field(struct config_check *check, const struct config_object *object,
                         struct slice path) {
        const char *meant = meant_field(check, schema_of(check, object->kind), path);

        config_check_refuse(check, object, arena_string(&check->arena, path), "unknown field%s%s%s",
                            meant ? "; did you mean \"" : "", meant ? meant : "",
                            meant ? "\"?" : "");
}

/* What strict decoding refuses is one text: strict decoding error: unknown field "a", ... False
 * when the text is no such. */
static bool refuse_strict(struct config_check *check, const struct config_object *object,
                          struct slice message) {
        static const char unknown[] = "unknown field \"";
        const char *end = message.ptr + message.len, *at = message.ptr;
        bool is_strict = false;

        while (message.len && (at = memmem(at, (size_t)(end - at), unknown, sizeof(unknown) - 1))) {
                at += sizeof(unknown) - 1;
                const char *quote = memchr(at, '"', (size_t)(end - at));

                if (!quote)
                        break;
                refuse_field(check, object, slice_make(at, (size_t)(quote - at)));
                at = quote;
                is_strict = true;
        }
        return is_strict;
}

enum served_verdict { SERVED_GOOD, SERVED_UNKNOWN_FIELDS, SERVED_REFUSED };

static enum served_verdict refuse_status(struct config_check *check,
                                         const struct config_object *object, struct slice body) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        const struct json *cause;

        if (json_parse(body, &doc, NULL) < 0)
                return SERVED_REFUSED;
        struct slice message = json_get_text(json_doc_root(doc), "message");
        const struct json *causes = json_get(json_get(json_doc_root(doc), "details"), "causes");
        struct json_iter iter = json_iter(causes);
        while (json_next(&iter, NULL, &cause))
                refuse_cause(check, object, cause);
        if (json_count(causes) > 0)
                return SERVED_REFUSED;
        if (refuse_strict(check, object, message))
                return SERVED_UNKNOWN_FIELDS;
        config_check_refuse(check, object, "", SLICE_FMT, SLICE_ARG(message));
        return SERVED_REFUSED;
}

/* ---- kinds ---- */

static const struct {
        const char *kind, *plural;
} served_kinds[] = {
        { "EvictionPolicy", "evictionpolicies" },
        { "EvictionRequest", "evictionrequests" },
        { "Eviction", "evictions" },
};

static const char *plural_of(struct slice kind) {
        for (size_t i = 0; i < ARRAY_LEN(served_kinds); i++)
                if (slice_is(kind, served_kinds[i].kind))
                        return served_kinds[i].plural;
        return NULL;
}

/* The cluster that gets the object has its namespace. */
static void add_namespace(struct config_check *check, struct slice ns) {
        CLEANUP(buf_release) struct buf body = { 0 };
        struct http_response response;

        buf_text(&body, "{\"metadata\":{\"name\":");
        buf_json_string(&body, ns);
        buf_text(&body, "}}");
        served_call(check->served, SLICE_LITERAL("/api/v1/namespaces"), buf_view(&body), &response);
        http_response_release(&response);
}

/* In the namespace default where it names none, as kubectl would. */
static enum served_verdict served_create(struct config_check *check,
                                         const struct config_object *object,
                                         const char *validation) {
        struct slice version = object->api_version;
        struct slice ns = json_get_text(json_get(object->value, "metadata"), "namespace");
        CLEANUP(buf_release) struct buf body = { 0 };
        struct http_response response;

        if (!ns.len)
                ns = SLICE_LITERAL("default");
        add_namespace(check, ns);
        version.ptr += sizeof(GROUP) - 1;
        version.len -= sizeof(GROUP) - 1;
        json_write(object->value, &body);
        served_call(check->served,
                    slice_of(arena_printf(&check->arena,
                                          "/apis/" GROUP SLICE_FMT "/namespaces/" SLICE_FMT
                                          "/%s?dryRun=All&fieldValidation=%s",
                                          SLICE_ARG(version), SLICE_ARG(ns),
                                          plural_of(object->kind), validation)),
                    buf_view(&body), &response);
        enum served_verdict verdict =
                response.status < 400 ? SERVED_GOOD
                                      : refuse_status(check, object, buf_view(&response.body));
        http_response_release(&response);
        return verdict;
}

/* What the schema cannot say. */
static void read_policy(struct config_check *check, const struct config_object *object) {
        struct eviction_policy *policy = NULL;
        struct err err = { 0 };

        if (eviction_policy_decode(object->value, &policy, &err) < 0)
                config_check_refuse(check, object, err.path, "%s", err.text);
        eviction_policy_free(policy);
}

bool config_served_check(struct config_check *check, const struct config_object *object) {
        bool is_known = plural_of(object->kind);

        if (!is_known || !slice_is(object->api_version, GROUP VERSION)) {
                config_check_refuse(check, object, is_known ? "apiVersion" : "kind",
                                    is_known ? "expected " GROUP VERSION
                                             : "expected EvictionPolicy, EvictionRequest or "
                                               "Eviction");
                return true;
        }
        if (!check->served)
                check->served = served_new();
        /* Fields that there are not are refused before values are looked at. */
        enum served_verdict verdict = served_create(check, object, "Strict");
        if (verdict == SERVED_UNKNOWN_FIELDS)
                verdict = served_create(check, object, "Ignore");
        if (verdict == SERVED_GOOD && slice_is(object->kind, "EvictionPolicy"))
                read_policy(check, object);
        return true;
}
