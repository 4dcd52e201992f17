/* Documents about the API: what is served where, and that every document is what it claims. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/json.h"
#include "base/util.h"
#include "server/documents.h"
#include <string.h>

#define AGGREGATED "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

static struct api_document serve(const char *path, const char *accept, const char *tag) {
        struct api_document document = { 0 };

        assert_true(document_serve(slice_of(path), SLICE_EMPTY, slice_of(accept), slice_of(tag),
                                   slice_of("127.0.0.1:6443"), &document));
        return document;
}

/* ---- status, type and the beginning of the body ---- */

static const struct {
        const char *path, *accept;
        int status;
        const char *type, *start;
} cases[] = {
        { "/api", NULL, 200, "application/json", "{\"kind\":\"APIVersions\"" },
        { "/apis", "application/json", 200, "application/json", "{\"kind\":\"APIGroupList\"" },
        { "/apis/", NULL, 200, "application/json", "{\"kind\":\"APIGroupList\"" },
        { "/apis", AGGREGATED, 200, AGGREGATED, "{\"kind\":\"APIGroupDiscoveryList\"" },
        { "/apis", AGGREGATED ",application/json", 200, AGGREGATED,
          "{\"kind\":\"APIGroupDiscoveryList\"" },
        { "/apis", "application/json, " AGGREGATED, 200, "application/json",
          "{\"kind\":\"APIGroupList\"" },
        { "/apis",
          "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
          "application/json",
          200, "application/json", "{\"kind\":\"APIGroupList\"" },
        { "/apis", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList", 406,
          "application/json", "{\"kind\":\"Status\"" },
        { "/apis", "application/*", 406, "application/json", "{\"kind\":\"Status\"" },
        { "/apis", "*/*", 200, "application/json", "{\"kind\":\"APIGroupList\"" },
        { "/apis/apps", NULL, 200, "application/json", "{\"kind\":\"APIGroup\"" },
        { "/apis/apps/v1", NULL, 200, "application/json",
          "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"apps/v1\"" },
        { "/api/v1", NULL, 200, "application/json",
          "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\"" },
        { "/apis/apps/v9", NULL, 404, "application/json", "{\"kind\":\"Status\"" },
        { "/apis/nope", NULL, 404, "text/plain; charset=utf-8", "404 page not found" },
        { "/apis/nope/v1", NULL, 404, "text/plain; charset=utf-8", "404 page not found" },
        { "/openapi/v3", NULL, 200, "text/plain; charset=utf-8", "{\"paths\":{\"api/v1\":" },
        { "/openapi/v3/apis/nope/v1", NULL, 404, "text/plain; charset=utf-8", "" },
        { "/openapi/v3/api", NULL, 404, "text/plain; charset=utf-8", "" },
        { "/openapi/v2", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf", 200,
          "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
          "\x0a\x03"
          "2.0\x12\x15\x0a\x0aKubernetes\x12\x07v1.36.0B" },
        { "/openapi/v2", "text/html", 406, "application/json", "{\"kind\":\"Status\"" },
};

static void test_serve(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct api_document document = serve(cases[i].path, cases[i].accept, NULL);

                assert_int_equal(document.status, cases[i].status);
                assert_string_equal(document.content_type, cases[i].type);
                if (!slice_has_prefix(buf_view(&document.body), slice_of(cases[i].start)))
                        fail_msg("%s: %.80s", cases[i].path, document.body.data);
                assert_int_equal(document.body.len == 0, *cases[i].start == '\0');
                buf_release(&document.body);
        }
}

static void test_elsewhere(void **state) {
        static const char *const paths[] = { "/",           "/version",     "/openapi",
                                             "/openapi/v4", "/api/v1/pods", "/healthz" };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
                struct api_document document = { 0 };

                assert_false(document_serve(slice_of(paths[i]), SLICE_EMPTY, SLICE_EMPTY,
                                            SLICE_EMPTY, SLICE_EMPTY, &document));
                buf_release(&document.body);
        }
}

/* A client that shows the tag gets 304 and no body. */
static void test_tags(void **state) {
        static const struct {
                const char *path, *accept;
        } tagged[] = {
                { "/apis", AGGREGATED },
                { "/api", AGGREGATED },
                { "/openapi/v3", NULL },
                { "/openapi/v3/apis/apps/v1", NULL },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(tagged); i++) {
                struct api_document first = serve(tagged[i].path, tagged[i].accept, NULL);
                struct api_document again = serve(tagged[i].path, tagged[i].accept, first.etag);
                struct api_document other = serve(tagged[i].path, tagged[i].accept, "\"x\"");

                assert_int_equal(first.etag[0], '"');
                assert_int_equal(again.status, 304);
                assert_int_equal(again.body.len, 0);
                assert_int_equal(other.status, 200);
                buf_release(&first.body);
                buf_release(&again.body);
                buf_release(&other.body);
        }
}

/* ---- contents ---- */

static struct json_doc *parse(struct api_document *document) {
        struct json_doc *doc = NULL;
        struct err err = { 0 };

        if (json_parse(buf_view(&document->body), &doc, &err) < 0)
                fail_msg("%s", err.text);
        buf_release(&document->body);
        return doc;
}

static const struct json *named(const struct json *list, const char *key, const char *name) {
        struct json_iter iter = json_iter(list);
        const struct json *element;

        while (json_next(&iter, NULL, &element))
                if (slice_is(json_get_text(element, key), name))
                        return element;
        return NULL;
}

static void assert_text(const struct json *value, const char *expected) {
        struct buf text = { 0 };

        json_write(value, &text);
        assert_string_equal(text.data, expected);
        buf_release(&text);
}

static void test_core_resources(void **state) {
        struct api_document document = serve("/api/v1", NULL, NULL);
        struct json_doc *doc = parse(&document);
        const struct json *list = json_get(json_doc_root(doc), "resources");

        (void)state;
        assert_text(
                named(list, "name", "pods"),
                "{\"name\":\"pods\",\"singularName\":\"pod\",\"namespaced\":true,\"kind\":\"Pod\","
                "\"verbs\":[\"create\",\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\","
                "\"update\",\"watch\"],\"shortNames\":[\"po\"],\"categories\":[\"all\"],"
                "\"storageVersionHash\":\"xPOwRZ+Yhw8=\"}");
        assert_text(
                named(list, "name", "pods/eviction"),
                "{\"name\":\"pods/eviction\",\"singularName\":\"\",\"namespaced\":true,\"group\":"
                "\"policy\",\"version\":\"v1\",\"kind\":\"Eviction\",\"verbs\":[\"create\"]}");
        assert_text(named(list, "name", "nodes/proxy"),
                    "{\"name\":\"nodes/proxy\",\"singularName\":\"\",\"namespaced\":false,\"kind\":"
                    "\"NodeProxyOptions\",\"verbs\":[\"create\",\"delete\",\"get\",\"patch\","
                    "\"update\"]}");
        assert_text(json_get(named(list, "name", "namespaces"), "verbs"),
                    "[\"create\",\"delete\",\"get\",\"list\",\"patch\",\"update\",\"watch\"]");
        assert_null(named(list, "name", "configmaps/status"));
        json_doc_free(doc);
}

static void test_group(void **state) {
        struct api_document document = serve("/apis/autoscaling", NULL, NULL);
        struct json_doc *doc = parse(&document);

        (void)state;
        assert_text(
                json_doc_root(doc),
                "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",\"name\":\"autoscaling\","
                "\"versions\":[{\"groupVersion\":\"autoscaling/v2\",\"version\":\"v2\"},{"
                "\"groupVersion\":\"autoscaling/v1\",\"version\":\"v1\"}],\"preferredVersion\":{"
                "\"groupVersion\":\"autoscaling/v2\",\"version\":\"v2\"}}");
        json_doc_free(doc);
}

/* Both forms tell the same: each group and version listed can be asked for. */
static void test_forms_agree(void **state) {
        struct api_document document = serve("/apis", AGGREGATED, NULL);
        struct json_doc *aggregated = parse(&document), *legacy;
        const struct json *items = json_get(json_doc_root(aggregated), "items"), *group;
        struct json_iter groups;
        size_t count = 0;

        (void)state;
        document = serve("/apis", NULL, NULL);
        legacy = parse(&document);
        groups = json_iter(json_get(json_doc_root(legacy), "groups"));
        while (json_next(&groups, NULL, &group)) {
                struct json_iter versions = json_iter(json_get(group, "versions"));
                const struct json *version, *item = json_at(items, count++);

                assert_true(slice_eq(json_get_text(json_get(item, "metadata"), "name"),
                                     json_get_text(group, "name")));
                while (json_next(&versions, NULL, &version)) {
                        struct buf path = { 0 };
                        struct json_doc *list;

                        buf_printf(&path, "/apis/" SLICE_FMT,
                                   SLICE_ARG(json_get_text(version, "groupVersion")));
                        document = serve(path.data, NULL, NULL);
                        assert_int_equal(document.status, 200);
                        list = parse(&document);
                        assert_true(json_count(json_get(json_doc_root(list), "resources")) > 0);
                        json_doc_free(list);
                        buf_release(&path);
                }
        }
        assert_int_equal(count, json_count(items));
        json_doc_free(aggregated);
        json_doc_free(legacy);
}

/* ---- OpenAPI ---- */

/* Every reference leads somewhere. */
static void check_references(const struct json *value, const struct json *types,
                             const char *prefix) {
        struct json_iter iter = json_iter(value);
        const struct json *member;
        struct slice key;

        while (json_next(&iter, &key, &member)) {
                struct slice text = json_text(member);
                size_t length = strlen(prefix);

                if (slice_is(key, "$ref") && json_type(member) == JSON_STRING) {
                        assert_true(slice_has_prefix(text, slice_of(prefix)));
                        if (!json_get_slice(types,
                                            slice_make(text.ptr + length, text.len - length)))
                                fail_msg("dangling " SLICE_FMT, SLICE_ARG(text));
                } else {
                        check_references(member, types, prefix);
                }
        }
}

static void test_openapi_v3(void **state) {
        struct api_document document = serve("/openapi/v3", NULL, NULL);
        struct json_doc *index = parse(&document);
        struct json_iter iter = json_iter(json_get(json_doc_root(index), "paths"));
        const struct json *entry;

        (void)state;
        while (json_next(&iter, NULL, &entry)) {
                struct slice url = json_get_text(entry, "serverRelativeURL"), path;
                char text[200];
                struct json_doc *doc;
                const struct json *root, *types;

                assert_true(slice_split(&url, '?', &path) && path.len < sizeof(text));
                assert_true(slice_has_prefix(url, SLICE_LITERAL("hash=")));
                memcpy(text, path.ptr, path.len);
                text[path.len] = '\0';
                document = serve(text, NULL, NULL);
                assert_int_equal(document.status, 200);
                doc = parse(&document);
                root = json_doc_root(doc);
                types = json_get(json_get(root, "components"), "schemas");
                assert_true(json_count(types) > 0);
                check_references(root, types, "#/components/schemas/");
                json_doc_free(doc);
        }
        json_doc_free(index);
}

static void test_openapi_details(void **state) {
        struct api_document document = serve("/openapi/v3/api/v1", NULL, NULL);
        struct json_doc *doc = parse(&document);
        const struct json *root = json_doc_root(doc);
        const struct json *types = json_get(json_get(root, "components"), "schemas");
        const struct json *pod = json_get(types, "io.k8s.api.core.v1.PodSpec");
        const struct json *path =
                json_get(json_get(root, "paths"), "/api/v1/namespaces/{namespace}/pods/{name}");

        (void)state;
        assert_text(json_get(json_get(pod, "properties"), "containers"),
                    "{\"description\":\"The containers of the pod; at least one. They start "
                    "together and run on the same node.\",\"type\":\"array\",\"items\":{\"$ref\":"
                    "\"#/components/schemas/io.k8s.api.core.v1.Container\"},"
                    "\"x-kubernetes-patch-merge-key\":\"name\",\"x-kubernetes-patch-strategy\":"
                    "\"merge\",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":["
                    "\"name\"]}");
        assert_text(json_get(json_get(pod, "properties"), "nodeSelector"),
                    "{\"description\":\"Labels that a node must have for the pod to run there.\","
                    "\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}");
        assert_text(json_get(json_get(types, "io.k8s.api.core.v1.Pod"),
                             "x-kubernetes-group-version-kind"),
                    "[{\"group\":\"\",\"kind\":\"Pod\",\"version\":\"v1\"}]");
        assert_text(json_get(json_get(path, "patch"), "x-kubernetes-group-version-kind"),
                    "{\"group\":\"\",\"kind\":\"Pod\",\"version\":\"v1\"}");
        assert_non_null(
                named(json_get(json_get(path, "patch"), "parameters"), "name", "fieldValidation"));
        json_doc_free(doc);
}

static void test_openapi_v2(void **state) {
        struct api_document document = serve("/openapi/v2", "application/json", NULL);
        struct json_doc *doc = parse(&document);
        const struct json *types = json_get(json_doc_root(doc), "definitions");

        (void)state;
        assert_text(json_get(json_get(types, "io.k8s.api.core.v1.Taint"), "required"),
                    "[\"key\",\"effect\"]");
        check_references(json_doc_root(doc), types, "#/definitions/");
        json_doc_free(doc);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_serve),      cmocka_unit_test(test_elsewhere),
                cmocka_unit_test(test_tags),       cmocka_unit_test(test_core_resources),
                cmocka_unit_test(test_group),      cmocka_unit_test(test_forms_agree),
                cmocka_unit_test(test_openapi_v3), cmocka_unit_test(test_openapi_details),
                cmocka_unit_test(test_openapi_v2),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
