/* What does not decode, or does not convert, in upstream's words; and what converts. */
#include "base/util.h"
#include "schema/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define SPEC(text) "{\"spec\":{" text "}}"
#define CONTAINER(text) "{\"spec\":{\"containers\":[{\"name\":\"c\"," text "}]}}"
#define UNMARSHAL "json: cannot unmarshal "
#define AS_TIME "parsing time "
#define LAYOUT " as \"2006-01-02T15:04:05Z07:00\": cannot parse "

static const struct {
        bool is_value;
        const char *object;
        const char *complaint; /* NULL = none */
        const char *result;    /* NULL = not looked at */
} cases[] = {
        /* texts: the innermost struct, the path without indices, Go's types */
        { false, SPEC("\"activeDeadlineSeconds\":\"x\""),
          UNMARSHAL "string into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64",
          NULL },
        { false, SPEC("\"activeDeadlineSeconds\":1.5"),
          UNMARSHAL "number 1.5 into Go struct field PodSpec.spec.activeDeadlineSeconds of type "
                    "int64",
          NULL },
        { false, SPEC("\"activeDeadlineSeconds\":1000.0"),
          UNMARSHAL "number 1000.0 into Go struct field PodSpec.spec.activeDeadlineSeconds of type "
                    "int64",
          NULL },
        { false, SPEC("\"tolerations\":\"x\""),
          UNMARSHAL "string into Go struct field PodSpec.spec.tolerations of type []v1.Toleration",
          NULL },
        { false, SPEC("\"nodeSelector\":[]"),
          UNMARSHAL "array into Go struct field PodSpec.spec.nodeSelector of type "
                    "map[string]string",
          NULL },
        { false, SPEC("\"securityContext\":1"),
          UNMARSHAL "number into Go struct field PodSpec.spec.securityContext of type "
                    "v1.PodSecurityContext",
          NULL },
        { false, CONTAINER("\"livenessProbe\":{\"exec\":\"x\"}"),
          UNMARSHAL "string into Go struct field "
                    "Probe.spec.containers.livenessProbe.ProbeHandler.exec of type v1.ExecAction",
          NULL },
        { false, SPEC("\"volumes\":[{\"emptyDir\":\"10\"}]"),
          UNMARSHAL "string into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type "
                    "v1.EmptyDirVolumeSource",
          NULL },
        { false, SPEC("\"nodeSelector\":{\"a\":1}"),
          UNMARSHAL "number into Go struct field PodSpec.spec.nodeSelector of type string", NULL },
        /* the first wrong type is told, but what reads itself ends the decoding */
        { false, "{\"metadata\":{\"labels\":1},\"spec\":{\"volumes\":1}}",
          UNMARSHAL "number into Go struct field ObjectMeta.metadata.labels of type "
                    "map[string]string",
          NULL },
        { false, "{\"spec\":{\"volumes\":1},\"metadata\":{\"creationTimestamp\":\"x\"}}",
          AS_TIME "\"x\"" LAYOUT "\"x\" as \"2006\"", NULL },
        { false, "{\"metadata\":{\"creationTimestamp\":\"2020-13-01T00:00:00Z\"}}",
          AS_TIME "\"2020-13-01T00:00:00Z\": month out of range", NULL },
        { false, "{\"metadata\":{\"creationTimestamp\":\"2020-02-30T00:00:00Z\"}}",
          AS_TIME "\"2020-02-30T00:00:00Z\": day out of range", NULL },
        { false, "{\"metadata\":{\"creationTimestamp\":\"2020-01-01\"}}",
          AS_TIME "\"2020-01-01\"" LAYOUT "\"\" as \"T\"", NULL },
        { false, "{\"metadata\":{\"creationTimestamp\":\"2020-01-01T00:00:00ZZ\"}}",
          AS_TIME "\"2020-01-01T00:00:00ZZ\": extra text: \"Z\"", NULL },
        { false, "{\"metadata\":{\"creationTimestamp\":\"2020-01-01T00:00:00+1\"}}",
          AS_TIME "\"2020-01-01T00:00:00+1\"" LAYOUT "\"+1\" as \"Z07:00\"", NULL },
        { false, "{\"metadata\":{\"creationTimestamp\":\"a\\nb\"}}",
          AS_TIME "\"a\\x0ab\"" LAYOUT "\"a\\x0ab\" as \"2006\"", NULL },
        /* values: no place, bare kinds, members in the order of the type */
        { true, "{\"metadata\":{\"labels\":{\"a\":true}}}", "unrecognized type: string", NULL },
        { true, "{\"metadata\":{\"labels\":{\"a\":1}}}", "cannot convert int64 to string", NULL },
        { true, SPEC("\"activeDeadlineSeconds\":1.5"), "cannot convert float64 to int64", NULL },
        { true, SPEC("\"activeDeadlineSeconds\":\"x\""), "unrecognized type: int64", NULL },
        { true, SPEC("\"hostNetwork\":1"), "unrecognized type: bool", NULL },
        { true, SPEC("\"volumes\":{}"), "cannot restore slice from map", NULL },
        { true, SPEC("\"nodeSelector\":\"x\""), "cannot restore map from string", NULL },
        { true, SPEC("\"securityContext\":1"), "cannot restore struct from: int64", NULL },
        { true, "{\"metadata\":{\"creationTimestamp\":1}}",
          UNMARSHAL "number into Go value of type string", NULL },
        { true, "{\"spec\":{\"hostNetwork\":1},\"metadata\":{\"labels\":[]}}",
          "cannot restore map from slice", NULL },
        /* whole numbers are cut to their size, whatever they are written as */
        { true, SPEC("\"activeDeadlineSeconds\":1000.0"), NULL,
          SPEC("\"containers\":null,\"activeDeadlineSeconds\":1000") },
        { true, SPEC("\"priority\":9223372036854775807"), NULL,
          SPEC("\"containers\":null,\"priority\":-1") },
};

static void check_case(size_t i) {
        const struct schema_object *schema =
                schema_find(SLICE_EMPTY, SLICE_LITERAL("v1"), SLICE_LITERAL("Pod"));
        struct schema_report report = { .is_value = cases[i].is_value };
        struct json_tree *tree = NULL, *expect = NULL;
        struct buf text = { 0 };
        struct err err = { 0 };

        assert_int_equal(json_tree_parse(slice_of(cases[i].object), &tree, NULL), 0);
        int r = schema_normalise(schema, tree, json_tree_root(tree), &report, &err);
        if (cases[i].complaint && (r == 0 || strcmp(err.text, cases[i].complaint) != 0))
                fail_msg("case %zu: %s: \"%s\", not \"%s\"", i, cases[i].object, err.text,
                         cases[i].complaint);
        if (!cases[i].complaint && r < 0)
                fail_msg("case %zu: %s: %s", i, cases[i].object, err.text);
        if (cases[i].result) {
                json_tree_parse(slice_of(cases[i].result), &expect, NULL);
                node_write(node_get(json_tree_root(tree), "spec"), &text);
                if (!node_equal(node_get(json_tree_root(tree), "spec"),
                                node_get(json_tree_root(expect), "spec")))
                        fail_msg("case %zu: %s becomes %s", i, cases[i].object, text.data);
        }
        buf_release(&text);
        json_tree_free(tree);
        json_tree_free(expect);
}

/* Bytes are a text of base64 or a list of numbers. */
static void test_bytes(void **state) {
        static const struct {
                bool is_value;
                const char *sent, *result, *complaint;
        } rows[] = {
                { false, "[1,255,null]", "Af8A", NULL },
                { false, "[]", "", NULL },
                { true, "[257,2.0]", "AQI=", NULL },
                { false, "[256]", NULL,
                  UNMARSHAL "number 256 into Go struct field Secret.data of type uint8" },
                { false, "[\"a\"]", NULL,
                  UNMARSHAL "string into Go struct field Secret.data of type uint8" },
                { true, "[\"a\"]", NULL, "unrecognized type: uint8" },
                { false, "1", NULL,
                  UNMARSHAL "number into Go struct field Secret.data of type []uint8" },
        };
        const struct schema_object *schema =
                schema_find(SLICE_EMPTY, SLICE_LITERAL("v1"), SLICE_LITERAL("Secret"));

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                struct schema_report report = { .is_value = rows[i].is_value };
                struct json_tree *tree = NULL;
                struct err err = { 0 };
                char text[128];

                snprintf(text, sizeof(text), "{\"data\":{\"u\":%s}}", rows[i].sent);
                assert_int_equal(json_tree_parse(slice_of(text), &tree, NULL), 0);
                int r = schema_normalise(schema, tree, json_tree_root(tree), &report, &err);
                const struct json_node *data = node_get(json_tree_root(tree), "data");
                assert_int_equal(r == 0, !rows[i].complaint);
                if (rows[i].complaint)
                        assert_string_equal(err.text, rows[i].complaint);
                else
                        assert_true(slice_is(node_get_text(data, "u"), rows[i].result));
                json_tree_free(tree);
        }
}

static void test_cases(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                check_case(i);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases),
                                            cmocka_unit_test(test_bytes) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
