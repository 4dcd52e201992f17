/* Bodies that are hardly one: what a kube-apiserver answers to each, in JSON, in YAML, as a patch.
 */
#include "config/document.h"
#include "fake_server.h"

#define MAPS "/api/v1/namespaces/default/configmaps"
#define MAP "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}"
#define YAML "application/yaml"
#define APPLY "application/apply-patch+yaml"
#define STRATEGIC "application/strategic-merge-patch+json"
#define JSON_PATCH "application/json-patch+json"
#define UNRECOGNIZED "the object provided is unrecognized (must be of type ConfigMap): "
#define NO_TYPE UNRECOGNIZED "couldn't get version/kind; json parse error: "
#define NO_YAML "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: "

static const struct {
        const char *method, *type, *body;
        int status;
        const char *message; /* its beginning */
} cases[] = {
        { "POST", NULL, "", 400, NO_TYPE "unexpected end of JSON input (<empty>)" },
        { "POST", NULL, "x", 400,
          NO_TYPE "invalid character 'x' looking for beginning of value (78)" },
        { "POST", NULL, "{}{}", 400, NO_TYPE "invalid character '{' after top-level value ({}{})" },
        { "POST", NULL, "{\"kind\":1}", 400,
          NO_TYPE "json: cannot unmarshal number into Go struct field .kind of type string" },
        { "POST", NULL, "{\"kind\":\"configmap\"}", 400,
          "configmap in version \"v1\" cannot be handled as a ConfigMap: no kind \"configmap\" is "
          "registered for version \"v1\" in scheme \"pkg/api/legacyscheme/scheme.go:30\"" },
        { "PUT", "APPLICATION/JSON; charset=utf-8", MAP, 200, "" },
        { "PUT", "*/*", MAP, 415, "the body of the request was in an unknown format" },
        { "PUT", "application/vnd.kubernetes.protobuf", "", 400,
          UNRECOGNIZED "empty data (<empty>)" },
        { "PUT", "application/vnd.kubernetes.protobuf", "x", 400,
          UNRECOGNIZED "provided data does not appear to be a protobuf message, expected prefix "
                       "[107 56 115 0] (78)" },

        /* YAML ends with its first document, and need not be JSON where it looks like that */
        { "PUT", YAML, MAP " x", 200, "" },
        { "PUT", YAML, MAP "\n---\n{}", 200, "" },
        { "PUT", YAML, "{'kind': ConfigMap, apiVersion: v1, metadata: {name: a,},}", 200, "" },
        { "PUT", YAML, "", 400, "the name of the object (a based on URL) was undeterminable" },
        { "PUT", YAML, "x", 400,
          NO_TYPE "json: cannot unmarshal string into Go value of type struct" },
        { "PUT", YAML, "{", 400, UNRECOGNIZED "yaml: " },

        /* what is no Unicode */
        { "PUT", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"data\":{\"a\":\"\\ud800\",\"b\":\"\xff\"}}", 200, "" },

        { "PATCH", MERGE_PATCH, "", 400, "error decoding patch: unexpected end of JSON input" },
        { "PATCH", MERGE_PATCH, "{} x", 400,
          "error decoding patch: invalid character 'x' after top-level value" },
        { "PATCH", STRATEGIC, "{", 400, "unexpected end of JSON input" },
        { "PATCH", STRATEGIC, "{\"kind\":\"configmap\",\"apiVersion\":\"v2\"}", 200, "" },
        { "PATCH", JSON_PATCH, "null", 200, "" },
        { "PATCH", JSON_PATCH, "{}", 400,
          "error decoding patch: json: cannot unmarshal object into Go value of type "
          "[]handlers.jsonPatchOp" },
        { "PATCH", JSON_PATCH, "[1]", 400,
          "error decoding patch: json: cannot unmarshal number into Go value of type "
          "handlers.jsonPatchOp" },
        { "PATCH", APPLY, "", 400, "invalid object type: /, Kind=" },
        { "PATCH", APPLY, "{\"kind\":\"A\",\"apiVersion\":\"v1\"}", 400,
          "invalid object type: /v1, Kind=A" },
        { "PATCH", APPLY, "{\"kind\":\"A\",\"apiVersion\":\"b/v1\"}", 400,
          "invalid object type: b/v1, Kind=A" },
        { "PATCH", APPLY, "[]", 400,
          NO_YAML "cannot unmarshal array into Go value of type map[string]interface {}" },
        { "PATCH", APPLY, "{", 400, "error decoding YAML: error converting YAML to JSON: yaml: " },
        { "PATCH", APPLY, MAP "]} x", 200, "" },
};

static void test_bodies(void **state) {
        struct fixture f = { .fake = virtual_loop_new() };

        (void)state;
        f.server = api_server_new(
                &(struct api_server_config){ .seed = 1, .read_yaml = document_read_tree },
                virtual_loop_get(f.fake));
        assert_int_equal(ask(&f, "POST", MAPS, MAP), 201);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const char *path =
                        strcmp(cases[i].method, "POST") == 0 ? MAPS : MAPS "/a?fieldManager=m";
                int status = ask_as(&f, cases[i].method, path, cases[i].type, NULL, cases[i].body);
                struct slice message = json_get_text(json_doc_root(f.doc), "message");

                if (status != cases[i].status ||
                    !slice_has_prefix(message, slice_of(cases[i].message)))
                        fail_msg("%s %s %s: %d %s", cases[i].method,
                                 cases[i].type ? cases[i].type : "", cases[i].body, status, f.text);
        }
        assert_int_equal(ask(&f, "GET", MAPS "/a", ""), 200);
        assert_non_null(strstr(f.text, "\"data\":{\"a\":\"\xef\xbf\xbd\",\"b\":\"\xef\xbf\xbd\"}"));
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_bodies),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
