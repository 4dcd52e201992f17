/* Reading: lists and their pages, versions, selectors, negotiation, routes, access; and watches. */
#include "base/base64.h"
#include "fake_server.h"

#define MAPS "/api/v1/namespaces/default/configmaps"
#define ALL_MAPS "/api/v1/configmaps"

static void add(struct fixture *f, const char *name, const char *label) {
        char body[160];

        snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"l\":\"%s\"}}}",
                 name, label);
        assert_int_equal(ask(f, "POST", MAPS, body), 201);
}

static void label(struct fixture *f, const char *name, const char *value) {
        char path[128], body[128];

        snprintf(path, sizeof(path), MAPS "/%s", name);
        snprintf(body, sizeof(body), "{\"metadata\":{\"labels\":{\"l\":\"%s\"}}}", value);
        assert_int_equal(ask_patch(f, MERGE_PATCH, path, body), 200);
}

static void test_pages(void **state) {
        struct fixture f = fixture_new();
        char path[512], revision[32];

        (void)state;
        add(&f, "a", "1");
        add(&f, "b", "1");
        add(&f, "c", "1");
        assert_int_equal(ask(&f, "GET", MAPS "?limit=2&labelSelector=l", NULL), 200);
        assert_string_equal(answer(&f, "/metadata/remainingItemCount"), "");
        assert_int_equal(ask(&f, "GET", MAPS "?limit=2", NULL), 200);
        assert_int_equal(json_count(answer_at(&f, "/items")), 2);
        assert_string_not_equal(answer(&f, "/metadata/remainingItemCount"), "");
        snprintf(path, sizeof(path), MAPS "?limit=20&continue=%s",
                 answer(&f, "/metadata/continue"));
        snprintf(revision, sizeof(revision), "%s", answer(&f, "/metadata/resourceVersion"));
        add(&f, "bb", "1"); /* later than the first page */
        assert_int_equal(ask(&f, "GET", path, NULL), 200);
        assert_string_equal(answer(&f, "/items/0/metadata/name"), "c");
        assert_string_equal(answer(&f, "/metadata/resourceVersion"), revision);
        assert_string_equal(answer(&f, "/metadata/continue"), "");
        store_compact(api_server_store(f.server), store_revision(api_server_store(f.server)));
        assert_int_equal(ask(&f, "GET", path, NULL), 410);
        assert_string_not_equal(answer(&f, "/metadata/continue"),
                                ""); /* inconsistent, but usable */
        snprintf(path, sizeof(path), MAPS "?continue=%s", answer(&f, "/metadata/continue"));
        assert_int_equal(ask(&f, "GET", path, NULL), 200);
        assert_string_equal(answer(&f, "/items/0/metadata/name"), "bb");
        assert_int_equal(ask(&f, "GET", MAPS "?continue=garbage", NULL), 400);
        assert_int_equal(ask(&f, "GET", MAPS "?limit=x", NULL), 400);
        assert_int_equal(ask(&f, "GET", MAPS "?resourceVersion=99999", NULL), 504);
        assert_non_null(strstr(answer(&f, "/message"),
                               "Timeout: Too large resource version: 99999, current"));
        assert_string_equal(answer(&f, "/details/retryAfterSeconds"), "1");
        assert_int_equal(ask(&f, "GET", "/api/v1/events?resourceVersion=99999", NULL), 504);
        assert_string_equal(answer(&f, "/details/retryAfterSeconds"), "");
        fixture_free(&f);
}

/* Whoever takes streams gets long lists as one; the text is the same. */
static void test_long_list(void **state) {
        struct fixture f = fixture_new();
        struct api_server_request request = { .method = SLICE_LITERAL("GET"),
                                              .target = SLICE_LITERAL(MAPS),
                                              .user = &api_user_admin,
                                              .takes_streams = true };
        struct http_response response;
        struct buf text = { 0 }, value = { 0 };
        char name[16];

        (void)state;
        while (value.len < 200000)
                buf_text(&value, "0123456789");
        for (int i = 0; i < 8; i++) {
                struct buf body = { 0 };

                snprintf(name, sizeof(name), "c%d", i);
                buf_printf(&body, "{\"metadata\":{\"name\":\"%s\"},\"data\":{\"a\":\"%s\"}}", name,
                           value.data);
                assert_int_equal(ask(&f, "POST", MAPS, body.data), 201);
                buf_release(&body);
        }
        api_server_handle(f.server, &request, &response);
        assert_non_null(response.stream);
        ask(&f, "DELETE", MAPS "/c7", NULL); /* the list stays what it was */
        while (http_stream_read(response.stream, &text, text.len + 1000) != HTTP_STREAM_ENDED)
                ;
        http_response_release(&response);
        request.takes_streams = false;
        assert_int_equal(ask(&f, "GET", MAPS "?resourceVersion=0", NULL), 200);
        assert_non_null(strstr(text.data, "\"c7\""));
        assert_null(strstr(f.text, "\"c7\""));
        json_doc_free(f.doc);
        assert_int_equal(json_parse(buf_view(&text), &f.doc, NULL), 0);
        assert_string_equal(answer(&f, "/kind"), "ConfigMapList");
        assert_string_equal(answer(&f, "/items/7/metadata/name"), "c7");
        request.takes_streams = true;
        api_server_handle(f.server, &request, &response); /* given up half-way */
        buf_clear(&text);
        assert_int_equal(http_stream_read(response.stream, &text, 1000), HTTP_STREAM_MORE);
        http_response_release(&response);
        buf_release(&text);
        buf_release(&value);
        fixture_free(&f);
}

static void test_versions(void **state) {
        struct fixture f = fixture_new();
        char path[256];

        (void)state;
        add(&f, "a", "1");
        snprintf(path, sizeof(path), MAPS "?resourceVersion=%s&resourceVersionMatch=Exact",
                 answer(&f, "/metadata/resourceVersion"));
        add(&f, "b", "1");
        ask(&f, "DELETE", MAPS "/a", NULL);
        assert_int_equal(ask(&f, "GET", path, NULL), 200);
        assert_string_equal(answer(&f, "/items/0/metadata/name"), "a");
        assert_int_equal(ask(&f, "GET", MAPS "?resourceVersion=1&resourceVersionMatch=Exact", NULL),
                         410);
        assert_int_equal(ask(&f, "GET", MAPS "?resourceVersion=999999", NULL), 504);
        assert_int_equal(ask(&f, "GET", MAPS "?resourceVersionMatch=Exact", NULL), 422);
        assert_int_equal(ask(&f, "GET", MAPS "?resourceVersion=abc", NULL), 400);
        fixture_free(&f);
}

static void test_odd_paths(void **state) {
        static const struct {
                const char *method, *path;
                int status;
        } cases[] = {
                { "POST", "/version", 405 },
                { "DELETE", "/version/", 405 },
                { "POST", "/openid/v1/jwks", 405 },
                { "POST", "/apis", 200 },
                { "POST", "/api", 405 },
                { "POST", "/nowhere", 404 },
                { "GET", "/openapi/v3/apis/nope/v1", 404 },
                { "GET", MAPS "/%2e%2e", 400 },
                { "DELETE", MAPS "/%2e", 400 },
                { "GET", MAPS "/a%25b", 400 },
                { "GET", "/api/v1/namespaces/default/pods/x/log?tailLines=x", 400 },
                { "GET", "/api/v1/namespaces/default/pods/x/log?tailLines=1", 404 },
        };
        struct fixture f = fixture_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                assert_int_equal(ask(&f, cases[i].method, cases[i].path, NULL), cases[i].status);
        fixture_free(&f);
}

/* Everything that is wrong with the options is said, in upstream's order. */
static void test_match_options(void **state) {
        static const struct {
                const char *query;
                size_t count;
        } cases[] = {
                { "resourceVersionMatch=Exact", 1 },
                { "resourceVersionMatch=Exact&continue=x", 2 },
                { "resourceVersionMatch=No&continue=x", 3 },
                { "resourceVersionMatch=Exact&resourceVersion=0", 1 },
                { "resourceVersionMatch=Exact&resourceVersion=0&continue=x&sendInitialEvents=1",
                  3 },
                { "watch=1&resourceVersionMatch=Exact&continue=x", 3 },
                { "watch=1&resourceVersionMatch=Exact&sendInitialEvents=true", 2 },
                { "watch=1&resourceVersionMatch=NotOlderThan", 1 },
        };
        struct fixture f = fixture_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                char path[256], cause[64];

                snprintf(path, sizeof(path), MAPS "?%s", cases[i].query);
                assert_int_equal(ask(&f, "GET", path, NULL), 422);
                snprintf(cause, sizeof(cause), "/details/causes/%zu/field", cases[i].count - 1);
                assert_string_not_equal(answer(&f, cause), "");
                snprintf(cause, sizeof(cause), "/details/causes/%zu/field", cases[i].count);
                assert_string_equal(answer(&f, cause), "");
        }
        fixture_free(&f);
}

/* A page that may come from the cache is the whole rest. */
static void test_continue_from_cache(void **state) {
        struct fixture f = fixture_new();
        char path[512];

        (void)state;
        add(&f, "a", "1");
        add(&f, "b", "1");
        add(&f, "c", "1");
        assert_int_equal(ask(&f, "GET", MAPS "?limit=1", NULL), 200);
        snprintf(path, sizeof(path), MAPS "?limit=1&resourceVersion=0&continue=%s",
                 answer(&f, "/metadata/continue"));
        assert_int_equal(ask(&f, "GET", path, NULL), 200);
        assert_string_equal(answer(&f, "/items/1/metadata/name"), "c");
        assert_string_equal(answer(&f, "/metadata/continue"), "");
        fixture_free(&f);
}

/* Without resourceVersionMatch: of that version with a limit, not older than it without one. */
static void test_version_of_a_page(void **state) {
        static const struct {
                const char *options;
                size_t count;
        } rows[] = { { "limit=5", 1 },
                     { "limit=0", 2 },
                     { "limit=5&resourceVersionMatch=NotOlderThan", 2 },
                     { "resourceVersionMatch=Exact", 1 },
                     { "limit=5&fieldSelector=metadata.name%3Db", 1 } };
        struct fixture f = fixture_new();
        char revision[32], path[256];

        (void)state;
        add(&f, "a", "1");
        snprintf(revision, sizeof(revision), "%s", answer(&f, "/metadata/resourceVersion"));
        add(&f, "b", "1");
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                snprintf(path, sizeof(path), MAPS "?resourceVersion=%s&%s", revision,
                         rows[i].options);
                assert_int_equal(ask(&f, "GET", path, NULL), 200);
                if (json_count(answer_at(&f, "/items")) != rows[i].count)
                        fail_msg("%s: %s", rows[i].options, answer(&f, "/items"));
        }
        fixture_free(&f);
}

/* What upstream makes of tokens that others wrote: the key from which on, below that of the list.
 */
#define OF_SYSTEM "kube-apiserver-legacy-service-account-token-tracking "
static const struct {
        const char *json; /* of the token */
        const char *path, *names;
} tokens[] = {
        { "{'v':'meta.k8s.io/v1','rv':-1,'start':'b\\u0000'}", MAPS, "c " },
        { "{'v':'meta.k8s.io/v1','rv':-1,'start':'b'}", MAPS, "b c " },
        { "{'v':'meta.k8s.io/v1','rv':-1,'start':'/b'}", MAPS, "b c " },
        { "{'v':'meta.k8s.io/v1','rv':-1,'start':'aa'}", MAPS, "b c " },
        { "{'v':'meta.k8s.io/v1','rv':-1,'start':'default/b\\u0000'}", ALL_MAPS, "c " OF_SYSTEM },
        { "{'v':'meta.k8s.io/v1','rv':-1,'start':'default/b'}", ALL_MAPS, "b c " OF_SYSTEM },
        { "{'v':'meta.k8s.io/v1','rv':-1,'start':'default\\u0000'}", ALL_MAPS, "a b c " OF_SYSTEM },
        { "{'v':'meta.k8s.io/v1','rv':-1,'start':'z'}", ALL_MAPS, "" },
        { "{'v':'meta.k8s.io/v1','start':'b'}", MAPS,
          "continue key is not valid: incorrect encoded start resourceVersion (version "
          "meta.k8s.io/v1)" },
        { "{'v':'meta.k8s.io/v1','rv':1}", MAPS,
          "continue key is not valid: encoded start key empty (version meta.k8s.io/v1)" },
        { "{'v':'v2','rv':1,'start':'a'}", MAPS,
          "continue key is not valid: server does not recognize this encoded version v2" },
        { "{'v':'meta.k8s.io/v1','rv':1,'start':'../a'}", MAPS, "continue key is not valid: ../a" },
        { "{'v':'meta.k8s.io/v1','rv':1,'start':'a/'}", MAPS, "continue key is not valid: a/" },
        { "[]", MAPS, "continue key is not valid" },
};

static void check_token(struct fixture *f, size_t at) {
        struct buf json = { 0 }, path = { 0 }, names = { 0 };
        const struct json *item;

        for (const char *c = tokens[at].json; *c; c++)
                buf_char(&json, *c == '\'' ? '"' : *c);
        buf_printf(&path, "%s?continue=", tokens[at].path);
        base64_encode(buf_view(&json), BASE64_URL, &path);
        buf_char(&path, 0);
        if (ask(f, "GET", path.data, NULL) != 200) {
                buf_text(&names, answer(f, "/message"));
                assert_non_null(strstr(answer(f, "/message"), tokens[at].names));
        } else {
                struct json_iter iter = json_iter(answer_at(f, "/items"));
                while (json_next(&iter, NULL, &item)) {
                        buf_slice(&names, json_get_text(json_get(item, "metadata"), "name"));
                        buf_char(&names, ' ');
                }
                buf_char(&names, 0);
                assert_string_equal(names.data, tokens[at].names);
        }
        buf_release(&json);
        buf_release(&path);
        buf_release(&names);
}

static void test_tokens_of_others(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        add(&f, "a", "1");
        add(&f, "b", "1");
        add(&f, "c", "1");
        for (size_t i = 0; i < ARRAY_LEN(tokens); i++)
                check_token(&f, i);
        assert_int_equal(ask(&f, "GET", ALL_MAPS "?limit=1", NULL), 200);
        assert_non_null(strstr(answer(&f, "/metadata/continue"), "eyJ2IjoibWV0YS5rOHMuaW8vdjEi"));
        fixture_free(&f);
}

static void test_forms(void **state) {
        struct fixture f = fixture_new();
        static const char table[] = "application/json;as=Table;v=v1;g=meta.k8s.io";

        (void)state;
        add(&f, "a", "1");
        assert_int_equal(ask_as(&f, "GET", MAPS "/a", NULL, table, NULL), 200);
        assert_string_equal(answer(&f, "/kind"), "Table");
        assert_string_equal(answer(&f, "/rows/0/cells/0"), "a");
        assert_string_equal(answer(&f, "/rows/0/object/kind"), "PartialObjectMetadata");
        assert_int_equal(ask_as(&f, "GET", MAPS "/a?includeObject=None", NULL, table, NULL), 200);
        assert_string_equal(answer(&f, "/rows/0/object"), "null");
        assert_int_equal(ask_as(&f, "GET", MAPS "?includeObject=Bogus", NULL, table, NULL), 400);
        assert_int_equal(ask_as(&f, "GET", MAPS, NULL, "application/yaml, */*", NULL), 200);
        assert_string_equal(answer(&f, "/kind"), "ConfigMapList");
        assert_string_equal(answer(&f, "/items/0/kind"), "");
        assert_int_equal(ask_as(&f, "GET", MAPS, NULL, "application/*", NULL), 406);
        assert_int_equal(ask_as(&f, "GET", MAPS "/a", NULL,
                                "application/json;as=Table;v=v1beta1;g=meta.k8s.io", NULL),
                         200);
        assert_string_equal(answer(&f, "/apiVersion"), "meta.k8s.io/v1beta1");
        assert_string_equal(answer(&f, "/rows/0/object/apiVersion"), "meta.k8s.io/v1beta1");
        assert_int_equal(
                ask(&f, "POST", "/apis/apps/v1/namespaces/default/daemonsets",
                    "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{"
                    "\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},"
                    "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}}}"),
                201);
        assert_int_equal(ask_as(&f, "GET", "/apis/apps/v1/namespaces/default/daemonsets/d", NULL,
                                "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
                                NULL),
                         200);
        assert_string_equal(answer(&f, "/metadata/annotations"), "");
        fixture_free(&f);
}

/* Columns and cells of kinds whose rows are odd. */
static void test_rows(void **state) {
        static const char table[] = "application/json;as=Table;v=v1;g=meta.k8s.io";
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", "/apis/apiregistration.k8s.io/v1/apiservices",
                             "{\"metadata\":{\"name\":\"v1.x.y\"},\"spec\":{\"group\":\"x.y\","
                             "\"version\":\"v1\",\"groupPriorityMinimum\":1,\"versionPriority\":1,"
                             "\"service\":{\"name\":\"a\",\"namespace\":\"b\"}}}"),
                         201);
        assert_int_equal(
                ask_patch(&f, MERGE_PATCH,
                          "/apis/apiregistration.k8s.io/v1/apiservices/v1.x.y/status",
                          "{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"status\":{\"conditions\":[{"
                          "\"type\":\"Available\",\"status\":\"False\",\"reason\":\"Gone\"}]}}"),
                200);
        assert_string_equal(answer(&f, "/metadata/labels"), "");
        assert_int_equal(ask_as(&f, "GET", "/apis/apiregistration.k8s.io/v1/apiservices/v1.x.y",
                                NULL, table, NULL),
                         200);
        assert_string_equal(answer(&f, "/columnDefinitions/2/name"), "Available");
        assert_string_equal(answer(&f, "/rows/0/cells/1"), "b/a");
        assert_string_equal(answer(&f, "/rows/0/cells/2"), "False (Gone)");
        assert_int_equal(
                ask_as(&f, "GET", "/apis/networking.k8s.io/v1/ipaddresses", NULL, table, NULL),
                200);
        assert_string_equal(answer(&f, "/columnDefinitions/1/name"), "ParentRef");
        assert_string_equal(answer(&f, "/columnDefinitions/2/name"), "");
        fixture_free(&f);
}

static void test_routes(void **state) {
        static const struct {
                const char *method, *path;
                int status;
        } cases[] = {
                { "GET", "/api/v1/pods", 200 },
                { "GET", "/api/v1/namespaces/none/pods", 200 },
                { "GET", "/api/v1/namespaces/default/nodes", 404 },
                { "GET", "/api/v1/pods/p", 404 },
                { "GET", "/api/v1/podz", 404 },
                { "GET", "/apis/apps/v1/namespaces/default/deployments/d/nosub", 404 },
                { "GET", "/api/v1/namespaces/default", 200 },
                { "GET", "/api/v1/namespaces/default/status", 200 },
                { "GET", "/healthz", 200 },
                { "GET", "/readyz/nope", 404 },
                { "GET", "/version", 200 },
                { "GET", "/nope", 404 },
                { "POST", "/api/v1/nodes/n", 405 },
                { "PUT", "/api/v1/nodes", 405 },
                { "FROB", "/api/v1/nodes", 405 },
        };
        struct fixture f = fixture_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                int status = ask(&f, cases[i].method, cases[i].path, NULL);

                if (status != cases[i].status)
                        fail_msg("%s %s: %d", cases[i].method, cases[i].path, status);
        }
        fixture_free(&f);
}

static int ask_token(struct fixture *f, const char *authorization, const char *path) {
        struct api_server_request request = { .method = SLICE_LITERAL("GET"),
                                              .target = slice_of(path),
                                              .authorization = slice_of(authorization) };
        struct http_response response;
        int status;

        api_server_handle(f->server, &request, &response);
        status = response.status;
        http_response_release(&response);
        return status;
}

static void test_access(void **state) {
        static const char *const dev[] = { "devs", NULL };
        struct fixture f = fixture_new();

        (void)state;
        api_server_add_token(f.server, &(struct api_token){ "secret", "jane", dev });
        assert_int_equal(ask_token(&f, NULL, "/version"), 200);
        assert_int_equal(ask_token(&f, NULL, "/api/v1/pods"), 403);
        assert_int_equal(ask_token(&f, "Bearer wrong", "/version"), 401);
        assert_int_equal(ask_token(&f, "Bearer secret", "/api"), 200);
        assert_int_equal(ask_token(&f, "Bearer secret", "/api/v1/namespaces/default/pods"), 403);
        ask(&f, "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
            "{\"metadata\":{\"name\":\"r\"},\"rules\":[{\"apiGroups\":[\"\"],\"resources\":["
            "\"pods\"],\"verbs\":[\"list\"]}]}");
        assert_int_equal(ask(&f, "POST",
                             "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
                             "{\"metadata\":{\"name\":\"r\"},\"roleRef\":{\"apiGroup\":"
                             "\"rbac.authorization.k8s.io\",\"kind\":\"Role\",\"name\":\"r\"},"
                             "\"subjects\":[{\"kind\":\"Group\",\"apiGroup\":"
                             "\"rbac.authorization.k8s.io\",\"name\":\"devs\"}]}"),
                         201);
        assert_int_equal(ask_token(&f, "Bearer secret", "/api/v1/namespaces/default/pods"), 200);
        assert_int_equal(ask_token(&f, "Bearer secret", "/api/v1/namespaces/default/pods/p"), 403);
        assert_int_equal(ask_token(&f, "Bearer secret", "/api/v1/namespaces/other/pods"), 403);
        assert_int_equal(ask_token(&f, "Bearer secret", "/api/v1/pods"), 403);
        fixture_free(&f);
}

static void test_account_token(void **state) {
        struct fixture f = fixture_new();
        char bearer[4096];

        (void)state;
        assert_int_equal(
                ask(&f, "POST", "/api/v1/namespaces/default/serviceaccounts/x/token", "{}"), 404);
        ask(&f, "POST", "/api/v1/namespaces/default/serviceaccounts",
            "{\"metadata\":{\"name\":\"x\"}}");
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/serviceaccounts/x/token",
                             "{\"spec\":{\"expirationSeconds\":1200}}"),
                         201);
        assert_string_equal(answer(&f, "/status/expirationTimestamp"), "2026-01-01T00:20:00Z");
        snprintf(bearer, sizeof(bearer), "Bearer %s", answer(&f, "/status/token"));
        assert_int_equal(ask_token(&f, bearer, "/api"), 200);
        assert_int_equal(ask_token(&f, bearer, "/api/v1/pods"), 403);
        virtual_loop_advance(f.fake, 1201 * NS_PER_S);
        assert_int_equal(ask_token(&f, bearer, "/api"), 401);
        fixture_free(&f);
}

/* ---- watches ---- */

static void test_watch_events(void **state) {
        struct fixture f = fixture_new();
        struct http_stream *watch, *selected;

        (void)state;
        ask(&f, "DELETE", MAPS, NULL); /* what every cluster starts with */
        add(&f, "b", "no");
        watch = open_watch(&f, MAPS "?watch=1");
        selected = open_watch(&f, MAPS "?watch=1&labelSelector=l%3Dyes");
        assert_string_equal(watch_text(watch), "ADDED b;");
        assert_string_equal(watch_text(selected), "");
        add(&f, "a", "no");
        label(&f, "a", "yes");
        label(&f, "a", "no");
        label(&f, "b", "yes");
        ask(&f, "DELETE", MAPS "/b", NULL);
        assert_string_equal(watch_text(watch),
                            "ADDED a;MODIFIED a;MODIFIED a;MODIFIED b;DELETED b;");
        assert_string_equal(watch_text(selected), "ADDED a;DELETED a;ADDED b;DELETED b;");
        assert_string_equal(watch_text(watch), "");
        http_stream_close(watch);
        http_stream_close(selected);
        fixture_free(&f);
}

static void test_watch_starts(void **state) {
        struct fixture f = fixture_new();
        struct http_stream *watch;
        char path[256];

        (void)state;
        ask(&f, "DELETE", MAPS, NULL);
        add(&f, "a", "1");
        snprintf(path, sizeof(path), MAPS "?watch=1&resourceVersion=%s",
                 answer(&f, "/metadata/resourceVersion"));
        add(&f, "b", "1");
        watch = open_watch(&f, path);
        assert_string_equal(watch_text(watch), "ADDED b;");
        http_stream_close(watch);
        watch = open_watch(&f, MAPS "?watch=1&resourceVersion=1");
        assert_string_equal(watch_text(watch), "ERROR ;!");
        http_stream_close(watch);
        watch = open_watch(&f, MAPS "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true"
                                    "&resourceVersionMatch=NotOlderThan");
        assert_string_equal(watch_text(watch), "ADDED a;ADDED b;BOOKMARK ;");
        http_stream_close(watch);
        watch = open_watch(&f, "/api/v1/watch/namespaces/default/configmaps/b");
        assert_string_equal(watch_text(watch), "ADDED b;");
        http_stream_close(watch);
        assert_int_equal(ask(&f, "GET", MAPS "?watch=1&sendInitialEvents=true", NULL), 422);
        assert_int_equal(ask(&f, "GET", MAPS "?watch=1&resourceVersion=x", NULL), 500);
        fixture_free(&f);
}

/* An object without anything has the zero values of its type; lists are no events. */
static void test_bookmarks(void **state) {
        static const char end[] =
                "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true"
                "&resourceVersionMatch=NotOlderThan&fieldSelector=metadata.name%3Dx";
        static const struct {
                const char *path, *accept, *part;
        } cases[] = {
                { "/api/v1/nodes", NULL,
                  "\"spec\":{},\"status\":{\"daemonEndpoints\":{\"kubeletEndpoint\":{\"Port\":0}}"
                  "," },
                { "/apis/apps/v1/deployments", NULL, "\"replicas\":0" },
                { "/api/v1/nodes", "application/json;as=Table;v=v1;g=meta.k8s.io",
                  "\"columnDefinitions\":[{\"name\":\"Name\"" },
                { "/api/v1/nodes",
                  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", NULL },
        };
        struct fixture f = fixture_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct http_stream *watch = open_watch_as(&f, cases[i].path, end, cases[i].accept);
                struct buf text = { 0 };
                enum http_stream_state is = http_stream_read(watch, &text, 65536);

                while (is == HTTP_STREAM_MORE)
                        is = http_stream_read(watch, &text, 65536);
                assert_int_equal(is == HTTP_STREAM_ENDED, cases[i].part == NULL);
                if (cases[i].part && !strstr(text.data, cases[i].part))
                        fail_msg("case %zu: %s", i, text.data);
                assert_true(cases[i].part || text.len == 0);
                buf_release(&text);
                http_stream_close(watch);
        }
        fixture_free(&f);
}

static void count_ready(void *context) {
        (*(int *)context)++;
}

static void test_watch_time(void **state) {
        struct fixture f = fixture_new();
        struct http_stream *watch =
                open_watch(&f, MAPS "?watch=1&resourceVersion=0&timeoutSeconds=300"
                                    "&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dx");
        int ready = 0;

        (void)state;
        http_stream_on_ready(watch, count_ready, &ready);
        assert_string_equal(watch_text(watch), "BOOKMARK ;"); /* the initial events are over */
        virtual_loop_advance(f.fake, 61 * NS_PER_S);
        assert_int_equal(ready, 1);
        assert_string_equal(watch_text(watch), "BOOKMARK ;");
        virtual_loop_advance(f.fake, 300 * NS_PER_S);
        assert_int_equal(ready, 2); /* woken once until it is read */
        assert_string_equal(watch_text(watch), "BOOKMARK ;!");
        http_stream_close(watch);
        fixture_free(&f);
}

/* A reader that is too slow for the history is cut off. */
static void test_watch_overrun(void **state) {
        struct fixture f = fixture_new();
        struct http_stream *watch = open_watch(&f, MAPS "?watch=1&fieldSelector=metadata.name%3Da");

        (void)state;
        assert_string_equal(watch_text(watch), "");
        add(&f, "a", "1");
        store_compact(api_server_store(f.server), store_revision(api_server_store(f.server)));
        assert_string_equal(watch_text(watch), "ERROR ;!");
        http_stream_close(watch);
        fixture_free(&f);
}

static void test_server_end(void **state) {
        struct fixture f = fixture_new();
        struct http_stream *watch = open_watch(&f, MAPS "?watch=1");

        (void)state;
        api_server_free(f.server);
        f.server = NULL;
        assert_string_equal(watch_text(watch), "!");
        http_stream_close(watch);
        fixture_free(&f);
}

#define AS(KIND) "application/json;as=" KIND ";v=v1;g=meta.k8s.io"

/* What is looked at first, and what only once there is an answer. */
static const struct {
        const char *method, *path, *accept, *body;
        int code;
        const char *message;
} odd_options[] = {
        { "GET", MAPS "/none", AS("PartialObjectMetadataList"), NULL, 404,
          "configmaps \"none\" not found" },
        { "GET", MAPS "/a", AS("PartialObjectMetadataList"), NULL, 406,
          "you requested PartialObjectMetadataList, but the requested object is not a list "
          "(*core.ConfigMap)" },
        { "GET", MAPS "/none?includeObject=x", AS("Table"), NULL, 404,
          "configmaps \"none\" not found" },
        { "GET", MAPS "?continue=%21", AS("PartialObjectMetadata"), NULL, 400,
          "invalid continue token: continue key is not valid: illegal base64 data at input "
          "byte 0" },
        { "GET", MAPS "/a", "application/json;stream=x", NULL, 406,
          "only the following media types are accepted: application/json, "
          "application/yaml, application/vnd.kubernetes.protobuf" },
        { "GET", MAPS "/a", "application/xml;as=Table;v=v1;g=meta.k8s.io", NULL, 406,
          "406: Not Acceptable\n\nAvailable representations: application/json, "
          "application/yaml, application/vnd.kubernetes.protobuf" },
        { "GET", MAPS, "application/xml", NULL, 406,
          "406: Not Acceptable\n\nAvailable representations: application/json, "
          "application/yaml, application/vnd.kubernetes.protobuf, "
          "application/json;stream=watch, "
          "application/vnd.kubernetes.protobuf;stream=watch" },
        { "GET", MAPS "?fieldSelector=%3D", NULL, NULL, 200, "" },
        { "GET", MAPS "?limit", NULL, NULL, 400, "strconv.ParseInt: parsing \"\": invalid syntax" },
        { "GET", MAPS "?limit=9223372036854775808", NULL, NULL, 400,
          "strconv.ParseInt: parsing \"9223372036854775808\": value out of range" },
        { "GET", MAPS "?labelSelector=%3D&limit=x", NULL, NULL, 400,
          "strconv.ParseInt: parsing \"x\": invalid syntax" },
        { "GET", MAPS "?limit=%zz", NULL, NULL, 200, "" },
        { "GET", MAPS "?resourceVersionMatch=;a=b", NULL, NULL, 200, "" },
        { "GET", MAPS "/a?resourceVersion=x", NULL, NULL, 500,
          "resourceVersion: Invalid value: \"x\": strconv.ParseUint: parsing \"x\": "
          "invalid "
          "syntax" },
        { "DELETE", MAPS "?fieldSelector=spec.x%3D1", NULL, "[", 400,
          "\"spec.x\" is not a known field selector: only \"metadata.name\", "
          "\"metadata.namespace\"" },
        { "GET", MAPS "/a?export=true", NULL, NULL, 400,
          "the export parameter, deprecated since v1.14, is no longer supported" },
        { "GET", MAPS "/a?export=0&timeout=1m1.5s", NULL, NULL, 200, "" },
        { "GET", MAPS "/a?timeout=x", NULL, NULL, 400,
          "invalid timeout specified in the request URL - time: invalid duration \"x\"" },
        { "POST", MAPS "?timeout=5", NULL, "{}", 400,
          "invalid timeout specified in the request URL - time: missing unit in duration "
          "\"5\"" },
        { "GET", "/version?timeout=1s5%22", NULL, NULL, 400,
          "invalid timeout specified in the request URL - time: unknown unit \"\\\"\" in "
          "duration \"1s5\\\"\"" },
        { "GET", MAPS "?timeout=9999999h", NULL, NULL, 400,
          "invalid timeout specified in the request URL - time: invalid duration "
          "\"9999999h\"" },
        { "GET", MAPS "?fieldSelector=b,a,metadata.name%3Dc", NULL, NULL, 400,
          "invalid selector: 'b,a,metadata.name=c'; can't understand 'a'" },
        { "DELETE", MAPS "/a?gracePeriodSeconds=", NULL, NULL, 400,
          "strconv.ParseInt: parsing \"\": invalid syntax" },
        { "DELETE", MAPS "/a", AS("Table"), NULL, 200, "" },
};

static void test_option_order(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        add(&f, "a", "1");
        for (size_t i = 0; i < ARRAY_LEN(odd_options); i++) {
                int code = ask_as(
                        &f, odd_options[i].method, odd_options[i].path, "application/json",
                        odd_options[i].accept ? odd_options[i].accept : "", odd_options[i].body);

                if (code != odd_options[i].code ||
                    strcmp(answer(&f, "/message"), odd_options[i].message) != 0)
                        fail_msg("%s %s: %d %s", odd_options[i].method, odd_options[i].path, code,
                                 answer(&f, "/message"));
        }
        assert_string_equal(answer(&f, "/kind"), "Status"); /* of the last */
        assert_int_equal(ask_as(&f, "GET", MAPS "?labelSelector=no", NULL,
                                AS("PartialObjectMetadataList"), NULL),
                         200);
        assert_string_equal(answer(&f, "/items"), "null");
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_pages),
                cmocka_unit_test(test_long_list),
                cmocka_unit_test(test_versions),
                cmocka_unit_test(test_match_options),
                cmocka_unit_test(test_odd_paths),
                cmocka_unit_test(test_continue_from_cache),
                cmocka_unit_test(test_tokens_of_others),
                cmocka_unit_test(test_version_of_a_page),
                cmocka_unit_test(test_forms),
                cmocka_unit_test(test_rows),
                cmocka_unit_test(test_bookmarks),
                cmocka_unit_test(test_option_order),
                cmocka_unit_test(test_routes),
                cmocka_unit_test(test_access),
                cmocka_unit_test(test_account_token),
                cmocka_unit_test(test_watch_events),
                cmocka_unit_test(test_watch_starts),
                cmocka_unit_test(test_watch_time),
                cmocka_unit_test(test_watch_overrun),
                cmocka_unit_test(test_server_end),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
