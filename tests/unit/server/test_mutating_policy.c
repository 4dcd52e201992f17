/* MutatingAdmissionPolicies: what they make of an object, what they answer, when they are asked
 * again. */
#include "fake_access.h"

#define GROUP "/apis/admissionregistration.k8s.io/v1/"
#define MAPS "/api/v1/namespaces/default/configmaps"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define MAP "{'metadata':{'name':'m'},'data':{'k':'v'}}"
#define DENIED "policy 'p' with binding 'b' denied request: "
#define FAILED(source, why) DENIED "expression '" source "' resulted in error: " why
#define MERGING DENIED "error applying patch: "
#define TYPES "{'resourceRules':[{'apiGroups':['*'],'apiVersions':['*'],'operations':['CREATE',"

static void put_policy(struct fixture *f, const char *spec, const char *binding) {
        struct buf body = { 0 };

        buf_printf(&body,
                   "{'metadata':{'name':'p'},'spec':{'reinvocationPolicy':'Never',"
                   "'matchConstraints':" TYPES
                   "'UPDATE'],'resources':['configmaps','pods','deployments/scale']}]},%s}}",
                   spec);
        if (ask(f, "POST", GROUP "mutatingadmissionpolicies", quoted_json(body.data)) != 201)
                fail_msg("%s", answer(f, "/message"));
        buf_clear(&body);
        buf_printf(&body, "{'metadata':{'name':'b'},'spec':{'policyName':'p'%s}}", binding);
        assert_int_equal(
                ask(f, "POST", GROUP "mutatingadmissionpolicybindings", quoted_json(body.data)),
                201);
        buf_release(&body);
}

static void put_mutation(struct fixture *f, const char *expression, bool is_patch,
                         const char *more) {
        struct buf spec = { 0 };

        buf_printf(&spec, "%s'mutations':[{'patchType':'%s','%s':{'expression':'%s'}}]", more,
                   is_patch ? "JSONPatch" : "ApplyConfiguration",
                   is_patch ? "jsonPatch" : "applyConfiguration", expression);
        put_policy(f, spec.data, "");
        buf_release(&spec);
}

/* ---- what mutations make ---- */

static const struct {
        const char *expression;
        const char *data;    /* of the object */
        const char *message; /* instead */
        int code;            /* 0 = 201, or 403 with a message */
} cases[] = {
        { "Object{data: {\\\"a\\\": \\\"b\\\"}}", "{\"k\":\"v\",\"a\":\"b\"}", NULL, 0 },
        { "Object{data: {?\\\"a\\\": optional.none(), ?\\\"k\\\": optional.of(\\\"w\\\")}}",
          "{\"k\":\"w\"}", NULL, 0 },
        { "Object{?data: optional.none()}", "{\"k\":\"v\"}", NULL, 0 },
        { "Object{data: {\\\"a\\\": string(Object{x: 1}.x), \\\"b\\\": string(Object{}.x == "
          "null), \\\"c\\\": string(Object{x: 1} == Object{x: 1}), \\\"d\\\": string(Object{x: 1} "
          "== Object{x: 2}), \\\"e\\\": string(has(Object{x: 1}.y))}}",
          "{\"k\":\"v\",\"a\":\"1\",\"b\":\"true\",\"c\":\"true\",\"d\":\"false\",\"e\":\"false\"}",
          NULL, 0 },
        { "Object{data: {\\\"a\\\": string(has(object.metadata.uid)), \\\"b\\\": "
          "string(has(object.metadata.creationTimestamp)), \\\"c\\\": request.operation}}",
          "{\"k\":\"v\",\"a\":\"false\",\"b\":\"false\",\"c\":\"CREATE\"}", NULL, 0 },
        { "Object{data: {\\\"a\\\": object.data.z}}", NULL,
          FAILED("Object{data: {\"a\": object.data.z}}", "no such key: z"), 0 },
        { "Object{foo: 1}", NULL,
          MERGING "failed to convert patch object to typed object: .foo: field not declared in "
                  "schema",
          0 },
        { "Object{metadata: Object.meta{name: \\\"m\\\"}}", NULL,
          DENIED "type mismatch: unexpected type name \"Object.meta\", expected "
                 "\"Object.metadata\", which matches field name path from root Object type",
          0 },
        { "Object{metadata: Object.metadata{ownerReferences: [], finalizers: [\\\"a/b\\\"], "
          "labels: {\\\"x y\\\": \\\"z\\\"}}}",
          NULL, NULL, 422 },
        { "Object{metadata: Object.metadata{namespace: \\\"other\\\"}}", NULL,
          "the namespace of the provided object does not match the namespace sent on the request",
          400 },
};
static const struct {
        const char *expression, *data, *message;
        int code;
} patch_cases[] = {
        { "[JSONPatch{op: \\\"add\\\", path: \\\"/data/a\\\", value: \\\"b\\\"}]",
          "{\"a\":\"b\",\"k\":\"v\"}", NULL, 0 },
        { "[JSONPatch{op: \\\"add\\\", path: \\\"/data/\\\" + jsonpatch.escapeKey(\\\"a~b\\\"), "
          "value: \\\"b\\\"}, JSONPatch{op: \\\"remove\\\", path: \\\"/data/a~0b\\\"}]",
          "{\"k\":\"v\"}", NULL, 0 },
        { "[JSONPatch{op: \\\"test\\\", path: \\\"/data/k\\\", value: \\\"w\\\"}, JSONPatch{op: "
          "\\\"remove\\\", path: \\\"/data/k\\\"}]",
          "{\"k\":\"v\"}", NULL, 0 },
        { "[JSONPatch{op: \\\"add\\\", path: \\\"/data\\\", value: {\\\"op\\\": "
          "JSONPatch{op: \\\"o\\\"}.op, \\\"n\\\": JSONPatch{}.op, \\\"h\\\": "
          "string(has(JSONPatch{op: \\\"\\\"}.op))}}]",
          "{\"op\":\"o\",\"n\":\"\",\"h\":\"false\"}", NULL, 0 },
        { "[JSONPatch{op: \\\"remove\\\", path: \\\"/data/z\\\"}]", NULL,
          DENIED "JSON Patch: error in remove for path: '/data/z': Unable to remove nonexistent "
                 "key: z: missing value",
          0 },
        { "[JSONPatch{op: \\\"copy\\\", from: \\\"/a/b\\\", path: \\\"/data/z\\\"}]", NULL,
          DENIED "JSON Patch: copy operation does not apply: doc is missing from path: /a/b: "
                 "missing value",
          0 },
        { "[JSONPatch{op: \\\"add\\\", path: \\\"/b\\\", value: 1}, JSONPatch{op: \\\"add\\\", "
          "path: \\\"/a\\\", value: 1}]",
          NULL,
          "Internal error occurred: strict decoding error: unknown field \"a\", unknown field "
          "\"b\"",
          500 },
        { "[JSONPatch{op: \\\"add\\\", path: \\\"/metadata/labels\\\", value: Object.labels{a: "
          "Object.b{}}}]",
          NULL,
          DENIED "type mismatch: unexpected type name \"Object.b\", expected "
                 "\"Object.labels.a\", which matches field name path from root Object type",
          0 },
};

static void check_case(const char *expression, bool is_patch, const char *data, const char *message,
                       int code) {
        struct fixture f = access_new();

        put_mutation(&f, expression, is_patch, "");
        int status = ask(&f, "POST", MAPS, quoted_json(MAP));
        if (code == 0)
                code = message ? 403 : 201;
        if (status != code || (message && strcmp(answer(&f, "/message"), message) != 0))
                fail_msg("%s: %d %s", expression, status, answer(&f, "/message"));
        if (data)
                assert_string_equal(answer(&f, "/data"), data);
        fixture_free(&f);
}

static void test_mutations(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                check_case(cases[i].expression, false, cases[i].data, cases[i].message,
                           cases[i].code);
        for (size_t i = 0; i < ARRAY_LEN(patch_cases); i++)
                check_case(patch_cases[i].expression, true, patch_cases[i].data,
                           patch_cases[i].message, patch_cases[i].code);
}

/* ---- answers, order, rounds ---- */

static void test_status(void **state) {
        struct fixture f = access_new();

        (void)state;
        put_mutation(&f, "Object{data: {\\\"a\\\": object.data.z}}", false, "");
        assert_int_equal(ask(&f, "POST", MAPS, quoted_json(MAP)), 403);
        assert_string_equal(answer(&f, "/reason"), "Invalid");
        assert_string_equal(answer(&f, "/details/name"), "m");
        assert_string_equal(answer(&f, "/details/kind"), "configmaps");
        assert_non_null(answer(&f, "/details/causes/0/message"));
        fixture_free(&f);
}

static void test_lenient(void **state) {
        struct fixture f = access_new();

        (void)state;
        put_mutation(&f, "Object{data: {\\\"a\\\": object.data.z}}", false,
                     "'failurePolicy':'Ignore',");
        assert_int_equal(ask(&f, "POST", MAPS, quoted_json(MAP)), 201);
        assert_string_equal(answer(&f, "/data"), "{\"k\":\"v\"}");
        fixture_free(&f);
}

/* Fields of policies have no owner, and the object keeps what the server gave it. */
static void test_owners(void **state) {
        struct fixture f = access_new();

        (void)state;
        put_mutation(&f,
                     "[JSONPatch{op: \\\"add\\\", path: \\\"/metadata\\\", value: {\\\"name\\\": "
                     "\\\"n\\\"}}]",
                     true, "");
        assert_int_equal(ask(&f, "POST", MAPS, quoted_json(MAP)), 201);
        assert_string_equal(answer(&f, "/metadata/name"), "n");
        assert_non_null(answer(&f, "/metadata/uid"));
        assert_string_equal(answer(&f, "/metadata/namespace"), "default");
        fixture_free(&f);
}

#define APPENDS "Object{data: {\\\"k\\\": object.data.k + \\\"+\\\"}}"

static void test_rounds(void **state) {
        static const char *const policies[] = { "", "'reinvocationPolicy':'IfNeeded'," };
        static const char *const values[] = { "v+", "v++" };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
                struct fixture f = access_new();

                put_mutation(&f, APPENDS, false, policies[i]);
                assert_int_equal(ask(&f, "POST", MAPS, quoted_json(MAP)), 201);
                assert_string_equal(answer(&f, "/data/k"), values[i]);
                fixture_free(&f);
        }
}

/* Lists that merge are merged, atomic ones refused, and what a policy adds has its defaults. */
static void test_pods(void **state) {
        static const char pod[] = "{'metadata':{'name':'p'},'spec':{'serviceAccountName':'x',"
                                  "'containers':[{'name':'c','image':'i'}]}}";
        struct fixture f = access_new();

        (void)state;
        put_mutation(&f,
                     "Object{spec: Object.spec{containers: [Object.spec.containers{name: "
                     "\\\"s\\\", image: \\\"j\\\"}]}}",
                     false, "");
        make(&f, "/api/v1/namespaces/default/serviceaccounts", "{'metadata':{'name':'x'}}");
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/pods", quoted_json(pod)), 201);
        assert_string_equal(answer(&f, "/spec/containers/0/name"), "c");
        assert_string_equal(answer(&f, "/spec/containers/1/name"), "s");
        assert_string_equal(answer(&f, "/spec/containers/1/terminationMessagePath"),
                            "/dev/termination-log");
        fixture_free(&f);
        f = access_new();
        put_mutation(&f,
                     "Object{spec: Object.spec{containers: [Object.spec.containers{name: "
                     "\\\"c\\\", command: [\\\"a\\\"]}]}}",
                     false, "");
        make(&f, "/api/v1/namespaces/default/serviceaccounts", "{'metadata':{'name':'x'}}");
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/pods", quoted_json(pod)), 403);
        assert_string_equal(answer(&f, "/message"),
                            MERGING "invalid ApplyConfiguration: may not mutate atomic arrays, "
                                    "maps or structs: .spec.containers[0].command");
        fixture_free(&f);
}

/* A Scale is an object of its own, which no configuration can be applied to. */
static void test_scale(void **state) {
        static const char *const expressions[] = {
                "[JSONPatch{op: \\\"replace\\\", path: \\\"/spec/replicas\\\", value: "
                "oldObject.spec.replicas + 1}]",
                "Object{spec: Object.spec{replicas: 2}}",
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(expressions); i++) {
                struct fixture f = access_new();

                make(&f, DEPLOYMENTS,
                     "{'metadata':{'name':'d'},'spec':{'replicas':1,'selector':{'matchLabels':{"
                     "'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{"
                     "'name':'c','image':'i'}]}}}}");
                put_mutation(&f, expressions[i], i == 0, "");
                assert_int_equal(ask_patch(&f, MERGE_PATCH, DEPLOYMENTS "/d/scale",
                                           "{\"spec\":{\"replicas\":7}}"),
                                 i == 0 ? 200 : 403);
                if (i == 0)
                        assert_string_equal(answer(&f, "/spec/replicas"), "2");
                else
                        assert_string_equal(answer(&f, "/message"),
                                            MERGING "failed to convert patch object to typed "
                                                    "object: no corresponding type for "
                                                    "autoscaling/v1, Kind=Scale");
                fixture_free(&f);
        }
}

/* ---- who may do what ---- */

#define ASK_PODS ".group(\\\"\\\").resource(\\\"pods\\\").namespace(\\\"default\\\").check("

static void test_authorizer(void **state) {
        struct fixture f = access_new();

        (void)state;
        make(&f, RBAC "/namespaces/default/roles",
             "{'metadata':{'name':'r'},'rules':[{'apiGroups':[''],'resources':['configmaps'],"
             "'verbs':['*']},{'apiGroups':[''],'resources':['pods'],'verbs':['get']}]}");
        make(&f, RBAC "/namespaces/default/rolebindings",
             "{'metadata':{'name':'r'}," REF("Role", "r") ",'subjects':[" USER(
                     "u") ",{'kind':'ServiceAccount','name':'a','namespace':'default'}]}");
        put_mutation(&f,
                     "Object{data: {\\\"a\\\": string(authorizer" ASK_PODS
                     "\\\"get\\\").allowed()), \\\"b\\\": string(authorizer" ASK_PODS
                     "\\\"list\\\").allowed())}}",
                     false, "");
        assert_int_equal(ask_asked(&f, &(struct asked){ "u", NULL, "POST", MAPS, NULL, MAP }), 201);
        assert_string_equal(answer(&f, "/data"), "{\"k\":\"v\",\"a\":\"true\",\"b\":\"false\"}");
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_mutations),  cmocka_unit_test(test_status),
                cmocka_unit_test(test_lenient),    cmocka_unit_test(test_owners),
                cmocka_unit_test(test_rounds),     cmocka_unit_test(test_pods),
                cmocka_unit_test(test_authorizer), cmocka_unit_test(test_scale),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
