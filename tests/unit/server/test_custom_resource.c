/* Custom resources: from the definition to objects that are pruned, defaulted and validated. */
#include "fake_server.h"

#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define LONG                                                                                       \
        "a234567890b234567890c234567890d234567890e234567890f234567890g234567890h234567890i2345678" \
        "90"
#define WIDGETS "/apis/x.example/v1/namespaces/default/widgets"

static const char definition[] =
        "{\"metadata\":{\"name\":\"widgets.x.example\"},\"spec\":{\"group\":\"x.example\","
        "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"singular\":\"widget\","
        "\"kind\":\"Widget\",\"shortNames\":[\"wd\"]},\"versions\":[{\"name\":\"v1\",\"served\":"
        "true,\"storage\":true,\"subresources\":{\"status\":{},\"scale\":{\"specReplicasPath\":"
        "\".spec.count\",\"statusReplicasPath\":\".status.count\"}},\"additionalPrinterColumns\":[{"
        "\"name\":\"Size\",\"type\":\"integer\",\"jsonPath\":\".spec.size\"}],\"schema\":{"
        "\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\","
        "\"required\":[\"size\"],\"properties\":{\"size\":{\"type\":\"integer\",\"minimum\":1,"
        "\"default\":2},\"count\":{\"type\":\"integer\"},\"color\":{\"type\":\"string\",\"enum\":["
        "\"red\",\"blue\"]},\"code\":{\"type\":\"string\",\"pattern\":\"^[a-z]+$\",\"maxLength\":"
        "5},\"tags\":{\"type\":\"array\",\"maxItems\":2,\"items\":{\"type\":\"string\"}},\"any\":{"
        "\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true},\"map\":{\"type\":"
        "\"object\",\"additionalProperties\":{\"type\":\"integer\"}},\"port\":{"
        "\"x-kubernetes-int-or-string\":true}}},\"status\":{\"type\":\"object\","
        "\"x-kubernetes-preserve-unknown-fields\":true}}}}}]}}";

static struct fixture widgets_new(void) {
        struct fixture f = fixture_new();

        assert_int_equal(ask(&f, "POST", DEFINITIONS, definition), 201);
        virtual_loop_run(f.fake);
        return f;
}

static void test_definition(void **state) {
        struct fixture f = widgets_new();

        (void)state;
        ask(&f, "GET", DEFINITIONS "/widgets.x.example", NULL);
        assert_string_equal(answer(&f, "/status/conditions/1/type"), "Established");
        assert_string_equal(answer(&f, "/status/storedVersions"), "[\"v1\"]");
        assert_int_equal(ask(&f, "GET", "/apis/x.example/v1", NULL), 200);
        assert_string_equal(answer(&f, "/resources/0/kind"), "Widget");
        assert_int_equal(ask(&f, "GET", WIDGETS, NULL), 200);
        assert_string_equal(answer(&f, "/kind"), "WidgetList");
        assert_int_equal(ask(&f, "POST", WIDGETS, "{\"metadata\":{\"name\":\"w\"},\"spec\":{}}"),
                         201);
        assert_int_equal(ask(&f, "DELETE", DEFINITIONS "/widgets.x.example", NULL), 200);
        assert_int_equal(ask(&f, "GET", WIDGETS, NULL), 404);
        virtual_loop_run(f.fake);
        assert_int_equal(ask(&f, "POST", DEFINITIONS, definition), 201);
        assert_int_equal(ask(&f, "GET", WIDGETS "/w", NULL), 404); /* went with its definition */
        fixture_free(&f); /* with a deferred call under way */
}

static void test_objects(void **state) {
        struct fixture f = widgets_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", WIDGETS,
                             "{\"metadata\":{\"name\":\"w\"},\"spec\":{\"junk\":1,\"any\":{\"x\":"
                             "1},\"map\":{\"y\":2},\"port\":\"http\"},\"status\":{\"z\":1}}"),
                         201);
        assert_string_equal(answer(&f, "/spec/size"), "2");
        assert_string_equal(answer(&f, "/spec/junk"), "");
        assert_string_equal(answer(&f, "/spec/any/x"), "1");
        assert_string_equal(answer(&f, "/spec/map/y"), "2");
        assert_string_equal(answer(&f, "/status"), "");
        assert_string_equal(answer(&f, "/metadata/generation"), "1");
        assert_int_equal(ask(&f, "POST", WIDGETS "?fieldValidation=Strict",
                             "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"junk\":1}}"),
                         400);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, WIDGETS "/w", "{\"spec\":{\"size\":7}}"), 200);
        assert_string_equal(answer(&f, "/metadata/generation"), "2");
        assert_int_equal(ask_patch(&f, MERGE_PATCH, WIDGETS "/w/status",
                                   "{\"spec\":{\"size\":9},\"status\":{\"count\":3}}"),
                         200);
        assert_string_equal(answer(&f, "/spec/size"), "7");
        assert_int_equal(ask_patch(&f, STRATEGIC_PATCH, WIDGETS "/w", "{}"), 415);
        assert_int_equal(
                ask_patch(&f, MERGE_PATCH, WIDGETS "/w/scale", "{\"spec\":{\"replicas\":4}}"), 200);
        assert_string_equal(answer(&f, "/status/replicas"), "3");
        ask(&f, "GET", WIDGETS "/w", NULL);
        assert_string_equal(answer(&f, "/spec/count"), "4");
        assert_int_equal(ask_as(&f, "GET", WIDGETS, NULL,
                                "application/json;as=Table;v=v1;g=meta.k8s.io", NULL),
                         200);
        assert_string_equal(answer(&f, "/rows/0/cells"), "[\"w\",7]");
        fixture_free(&f);
}

static void test_validation(void **state) {
        static const struct {
                const char *spec, *message; /* part of it; NULL = accepted */
        } cases[] = {
                { "{\"size\":1}", NULL },
                { "{\"size\":0}", "spec.size in body should be greater than or equal to 1" },
                { "{\"size\":\"x\"}", "must be of type integer: \"string\"" },
                { "{\"color\":\"green\"}", "supported values: \"red\", \"blue\"" },
                { "{\"code\":\"A\"}", "should match '^[a-z]+$'" },
                { "{\"code\":\"abcdef\"}", "may not be more than 5 bytes" },
                { "{\"tags\":[\"a\",\"b\",\"c\"]}", "must have at most 2 items" },
                { "{\"tags\":[1]}", "spec.tags[0]" },
                { "{\"map\":{\"a\":\"b\"}}", "spec.map.a" },
                { "{\"port\":80}", NULL },
                { "{\"port\":true}", "spec.port" },
        };
        struct fixture f = widgets_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                char body[256];
                int status;

                snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"w%zu\"},\"spec\":%s}", i,
                         cases[i].spec);
                status = ask(&f, "POST", WIDGETS, body);
                if (status != (cases[i].message ? 422 : 201) ||
                    (cases[i].message && !strstr(answer(&f, "/message"), cases[i].message)))
                        fail_msg("%s: %d %s", cases[i].spec, status, f.text);
        }
        fixture_free(&f);
}

/* A definition that is replaced at one place is refused, and what it says is in the message. */
static void test_bad_definitions(void **state) {
        static const struct {
                const char *from, *to, *message;
        } cases[] = {
                { "widgets.x.example", "gadgets.x.example",
                  "metadata.name: Invalid value: \"gadgets.x.example\"" },
                { "\"group\":\"x.example\"", "\"group\":\"example\"",
                  "should be a domain with at least one dot" },
                { "\"scope\":\"Namespaced\"", "\"scope\":\"Here\"", "spec.scope: Unsupported" },
                { "\"plural\":\"widgets\"", "\"plural\":\"Widgets\"",
                  "spec.names.plural: Invalid" },
                { "\"kind\":\"Widget\"", "\"kind\":\"\"", "spec.names.kind: Required value" },
                { "\"shortNames\":[\"wd\"]", "\"shortNames\":[\"W\"]",
                  "spec.names.shortNames[0]: Invalid value" },
                { "\"name\":\"v1\"", "\"name\":\"v1." LONG "\"", "spec.versions[0].name: Invalid" },
                { "\"storage\":true", "\"storage\":false", "exactly one version" },
                { "\"openAPIV3Schema\":{\"type\":\"object\",", "\"openAPIV3Schema\":{",
                  "openAPIV3Schema.type: Required value" },
                { "\"schema\":", "\"nothing\":", "openAPIV3Schema: Required value" },
        };
        struct fixture f = fixture_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const char *at = strstr(definition, cases[i].from);
                struct buf body = { 0 };

                assert_non_null(at);
                buf_append(&body, definition, (size_t)(at - definition));
                buf_text(&body, cases[i].to);
                buf_text(&body, at + strlen(cases[i].from));
                if (ask(&f, "POST", DEFINITIONS, body.data) != 422 ||
                    !strstr(answer(&f, "/message"), cases[i].message))
                        fail_msg("%s: %s", cases[i].to, f.text);
                buf_release(&body);
        }
        assert_int_equal(ask(&f, "POST", DEFINITIONS, definition), 201);
        assert_string_equal(answer(&f, "/spec/names/listKind"), "WidgetList");
        assert_string_equal(answer(&f, "/spec/conversion/strategy"), "None");
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_definition),
                cmocka_unit_test(test_objects),
                cmocka_unit_test(test_validation),
                cmocka_unit_test(test_bad_definitions),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
