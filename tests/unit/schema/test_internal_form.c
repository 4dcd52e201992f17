/* Values as the API server's own types print them. */
#include "schema/internal_form.h"

#include "base/buf.h"
#include "base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_objects(void **state) {
        static const struct {
                const char *type, *value, *text;
        } cases[] = {
                { "rbac.v1.RoleRef", "{\"kind\":\"Role\"}",
                  "{\"APIGroup\":\"\",\"Kind\":\"Role\",\"Name\":\"\"}" },
                { "core.v1.Taint", "{\"key\":\"<a>\",\"effect\":\"NoSchedule\"}",
                  "{\"Key\":\"\\u003ca\\u003e\",\"Value\":\"\",\"Effect\":\"NoSchedule\","
                  "\"TimeAdded\":null}" },
                /* members in the order of the internal type; lists and maps that are absent */
                { "core.v1.ResourceRequirements", "{\"limits\":{\"memory\":\"1\",\"cpu\":\"2\"}}",
                  "{\"Limits\":{\"cpu\":\"2\",\"memory\":\"1\"},\"Requests\":null,\"Claims\":"
                  "null}" },
                /* types of meta.v1 have the names of JSON */
                { "apps.v1.DeploymentStrategy",
                  "{\"type\":\"X\",\"rollingUpdate\":{\"maxSurge\":\"25%\"}}",
                  "{\"Type\":\"X\",\"RollingUpdate\":{\"MaxUnavailable\":0,\"MaxSurge\":\"25%\"}"
                  "}" },
                { "policy.v1.PodDisruptionBudgetSpec",
                  "{\"selector\":{\"matchLabels\":{\"b\":\"1\",\"a\":\"2\"}}}",
                  "{\"MinAvailable\":null,\"Selector\":{\"matchLabels\":{\"a\":\"2\",\"b\":\"1\"}},"
                  "\"MaxUnavailable\":null,\"UnhealthyPodEvictionPolicy\":null}" },
                /* metadata of a template stands among its members */
                { "resource.v1.ResourceClaimTemplateSpec",
                  "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}",
                  "{\"labels\":{\"a\":\"b\"},\"Spec\":{\"Devices\":{\"Requests\":null,"
                  "\"Constraints\":null,\"Config\":null}}}" },
                { "resource.v1.ResourceClaimTemplateSpec", "{\"metadata\":{\"labels\":{}}}",
                  "{\"Spec\":{\"Devices\":{\"Requests\":null,\"Constraints\":null,\"Config\":null}}"
                  "}" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const struct schema_object *type = schema_named(cases[i].type);
                struct json_tree *tree = NULL;
                struct buf out = { 0 };

                assert_int_equal(json_tree_parse(slice_of(cases[i].value), &tree, NULL), 0);
                internal_form_write(type, json_tree_root(tree), &out);
                assert_string_equal(out.data, cases[i].text);
                buf_release(&out);
                json_tree_free(tree);
        }
}

/* What pods have in their spec, the internal type has in the security context, which is never
 * absent. */
static void test_pod(void **state) {
        struct json_tree *tree = NULL;
        struct buf out = { 0 };

        (void)state;
        assert_int_equal(json_tree_parse(SLICE_LITERAL("{\"hostNetwork\":true,\"containers\":[]}"),
                                         &tree, NULL),
                         0);
        internal_form_write(schema_named("core.v1.PodSpec"), json_tree_root(tree), &out);
        assert_non_null(
                strstr(out.data, "{\"Volumes\":null,\"InitContainers\":null,\"Containers\":[],"));
        assert_non_null(
                strstr(out.data, "\"SecurityContext\":{\"HostNetwork\":true,\"HostPID\":false,"));
        buf_release(&out);
        json_tree_free(tree);
}

static void test_fields(void **state) {
        const struct schema_object *spec = schema_named("core.v1.ServiceSpec");
        const struct schema_field *ports = schema_field_find(spec, SLICE_LITERAL("ports"));
        struct json_tree *tree = NULL;
        struct buf out = { 0 };

        (void)state;
        assert_int_equal(json_tree_parse(SLICE_LITERAL("[{\"port\":1}]"), &tree, NULL), 0);
        internal_form_write_field(ports, false, json_tree_root(tree), &out);
        buf_char(&out, '\n');
        internal_form_write_field(ports, true, node_at(json_tree_root(tree), 0), &out);
        buf_char(&out, '\n');
        internal_form_write_field(ports, false, NULL, &out);
        assert_string_equal(out.data,
                            "[{\"Name\":\"\",\"Protocol\":\"\",\"AppProtocol\":null,\"Port\":1,"
                            "\"TargetPort\":0,\"NodePort\":0}]\n"
                            "{\"Name\":\"\",\"Protocol\":\"\",\"AppProtocol\":null,\"Port\":1,"
                            "\"TargetPort\":0,\"NodePort\":0}\nnull");
        buf_release(&out);
        json_tree_free(tree);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_objects),
                cmocka_unit_test(test_pod),
                cmocka_unit_test(test_fields),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
