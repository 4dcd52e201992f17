/* Objects written as protobuf and read again, and patches of such objects: what a patch does not
 * name keeps its bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/util.h"
#include "schema/protobuf_patch.h"
#include "schema/protobuf_wire.h"
#include "schema/protobuf_write.h"
#include <string.h>

static const struct json *parse(const char *text, struct json_doc **ret_doc) {
        struct err err = { 0 };

        if (json_parse(slice_of(text), ret_doc, &err) < 0)
                fail_msg("%s: %s", text, err.text);
        return json_doc_root(*ret_doc);
}

static void write_object(const char *text, struct buf *out) {
        struct buf message = { 0 };
        struct json_doc *doc;
        const struct json *object = parse(text, &doc);
        const struct protobuf_envelope envelope = {
                .api_version = json_get_text(object, "apiVersion"),
                .kind = json_get_text(object, "kind"),
        };
        const struct schema_object *schema = protobuf_schema(envelope.api_version, envelope.kind);
        struct err err = { 0 };

        assert_non_null(schema);
        if (protobuf_write_message(&message, schema, object, &err) < 0)
                fail_msg("%s: %s", text, err.text);
        protobuf_write_envelope(&envelope, buf_view(&message), out);
        buf_release(&message);
        json_doc_free(doc);
}

static void assert_reads(struct slice body, const char *expected) {
        struct json_doc *doc, *read;
        struct buf text = { 0 };
        struct json_tree *tree;
        struct err err = { 0 };

        if (protobuf_decode(body, &tree, &err) < 0)
                fail_msg("%s: %s", expected, err.text);
        node_write(json_tree_root(tree), &text);
        parse(text.data, &read);
        if (!json_equal(json_doc_root(read), parse(expected, &doc)))
                assert_string_equal(text.data, expected);
        json_doc_free(doc);
        json_doc_free(read);
        json_tree_free(tree);
        buf_release(&text);
}

static void test_both_ways(void **state) {
        static const char *const objects[] = {
                /* lists, quantities, numbers or texts, inlined messages */
                "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\","
                "\"labels\":{\"a\":\"b\",\"c\":\"\"},\"generation\":7,\"creationTimestamp\":"
                "\"2026-01-02T03:04:05Z\"},\"spec\":{\"replicas\":0,\"selector\":{\"matchLabels\":"
                "{\"a\":\"b\"}},\"strategy\":{\"rollingUpdate\":{\"maxSurge\":\"25%\","
                "\"maxUnavailable\":1}},\"template\":{\"metadata\":{},\"spec\":{\"containers\":[{"
                "\"name\":\"c\",\"image\":\"i\",\"args\":[\"x\",\"\"],\"resources\":{\"limits\":{"
                "\"cpu\":\"500m\"}},\"ports\":[{\"containerPort\":80}],\"livenessProbe\":{"
                "\"httpGet\":{\"port\":\"web\"},\"periodSeconds\":3}}],\"volumes\":[{\"name\":"
                "\"v\","
                "\"emptyDir\":{}},{\"name\":\"s\",\"secret\":{\"secretName\":\"s\"}}],"
                "\"hostNetwork\":true}}},\"status\":{}}",
                /* bytes */
                "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\"},"
                "\"data\":{\"k\":\"AAEC/w==\"}}",
                /* times with fractions, negative numbers */
                "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{},"
                "\"spec\":{\"renewTime\":\"2026-01-02T03:04:05.000123Z\","
                "\"leaseDurationSeconds\":-5}}",
                /* a map of lists */
                "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenReview\","
                "\"metadata\":{},\"spec\":{},\"status\":{\"user\":{\"extra\":{\"k\":[\"a\","
                "\"b\"]}}}}",
                /* raw extensions inside an inlined message, a map of quantities */
                "{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"ResourceClaim\",\"metadata\":{"
                "\"name\":\"c\",\"finalizers\":[\"x.y/z\"]},\"spec\":{\"devices\":{\"requests\":[{"
                "\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"k\"}}]}},\"status\":{"
                "\"allocation\":{\"devices\":{\"results\":[{\"request\":\"r\",\"driver\":\"d\","
                "\"pool\":\"p\",\"device\":\"v\",\"adminAccess\":false,\"consumedCapacity\":{"
                "\"memory\":\"4Gi\"}}],\"config\":[{\"source\":\"FromClaim\",\"opaque\":{"
                "\"driver\":\"d\",\"parameters\":{\"a\":[1,null,\"<\"]}}}]},\"nodeSelector\":{"
                "\"nodeSelectorTerms\":[{\"matchFields\":[{\"key\":\"metadata.name\","
                "\"operator\":\"In\",\"values\":[\"n\"]}]}]}},\"reservedFor\":[{\"resource\":"
                "\"pods\",\"name\":\"p\",\"uid\":\"1\"}]}}",
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
                struct buf body = { 0 };

                write_object(objects[i], &body);
                assert_reads(buf_view(&body), objects[i]);
                buf_release(&body);
        }
}

static void test_wrong_types(void **state) {
        static const char *const objects[] = {
                "{\"metadata\":7}",
                "{\"metadata\":{\"name\":{}}}",
                "{\"metadata\":{\"labels\":[]}}",
                "{\"metadata\":{\"finalizers\":{}}}",
                "{\"metadata\":{\"creationTimestamp\":\"yesterday\"}}",
                "{\"metadata\":{\"generation\":\"7\"}}",
                ("{\"status\":{\"allocation\":{\"devices\":{\"results\":[{\"consumedCapacity\":{"
                 "\"m\":true}}]}}}}"),
                "{\"status\":{\"allocation\":{\"devices\":{\"results\":[{\"adminAccess\":1}]}}}}",
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
                struct buf message = { 0 };
                struct json_doc *doc;
                struct err err = { 0 };

                int r = protobuf_write_message(&message, schema_named("resource.v1.ResourceClaim"),
                                               parse(objects[i], &doc), &err);
                if (r != BERTH_ERR_BAD_REQUEST)
                        fail_msg("%s: %d", objects[i], r);
                json_doc_free(doc);
                buf_release(&message);
        }
}

/* ---- patches ---- */

#define PARAMETERS "{ \"b\" : 1, \"a\":\"<x>\" }"

static void wrap(struct buf *inner, uint64_t number) {
        struct buf outer = { 0 };

        wire_put_bytes(&outer, number, buf_view(inner));
        buf_release(inner);
        *inner = outer;
}

/* A claim with parameters as only their author writes them, and a field of a later version. */
static void write_claim(const char *meta_and_status, struct buf *out) {
        const uint64_t spec_path[] = { 1, 2, 1, 2, 3, 1, 2 };
        struct buf spec = { 0 }, message = { 0 };
        const struct protobuf_envelope envelope = { SLICE_LITERAL("resource.k8s.io/v1"),
                                                    SLICE_LITERAL("ResourceClaim"), SLICE_EMPTY };
        struct json_doc *doc;

        buf_text(&spec, PARAMETERS);
        for (size_t i = 0; i < ARRAY_LEN(spec_path); i++)
                wrap(&spec, spec_path[i]);
        assert_int_equal(protobuf_write_message(&message, schema_named("resource.v1.ResourceClaim"),
                                                parse(meta_and_status, &doc), NULL),
                         0);
        json_doc_free(doc);
        buf_slice(&message, buf_view(&spec));
        wire_put_bytes(&message, 77, SLICE_LITERAL("of a later version"));
        protobuf_write_envelope(&envelope, buf_view(&message), out);
        buf_release(&spec);
        buf_release(&message);
}

#define SPEC                                                                                       \
        "\"spec\":{\"devices\":{\"config\":[{\"opaque\":{\"parameters\":{\"b\":1,"                 \
        "\"a\":\"<x>\"}}}]}}"
#define KIND "\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"ResourceClaim\","
#define RESERVED(uid) "{\"resource\":\"pods\",\"name\":\"p" uid "\",\"uid\":\"" uid "\"}"
#define STATUS(inner) "\"metadata\":{\"name\":\"c\"},\"status\":{" inner "}"

static const struct {
        const char *before, *patch, *after;
} patches[] = {
        { "\"metadata\":{\"name\":\"c\",\"uid\":\"1\"}",
          "{\"metadata\":{\"uid\":\"1\",\"finalizers\":[\"a.b/c\"]}}",
          "\"metadata\":{\"name\":\"c\",\"uid\":\"1\",\"finalizers\":[\"a.b/c\"]}" },
        /* once */
        { "\"metadata\":{\"finalizers\":[\"a.b/c\",\"d.e/f\"]}",
          "{\"metadata\":{\"finalizers\":[\"g.h/i\",\"a.b/c\"]}}",
          "\"metadata\":{\"finalizers\":[\"a.b/c\",\"d.e/f\",\"g.h/i\"]}" },
        { "\"metadata\":{\"finalizers\":[\"a.b/c\",\"d.e/f\"]}",
          "{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":[\"a.b/c\"]}}",
          "\"metadata\":{\"finalizers\":[\"d.e/f\"]}" },
        { "\"metadata\":{\"finalizers\":[\"a.b/c\",\"d.e/f\"]}",
          "{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":[\"a.b/c\"],\"finalizers\":["
          "\"x.y/z\"]}}",
          "\"metadata\":{\"finalizers\":[\"d.e/f\",\"x.y/z\"]}" },
        /* an allocation where there is no status */
        { "\"metadata\":{\"name\":\"c\"}",
          "{\"status\":{\"allocation\":{\"devices\":{\"results\":[{\"request\":\"r\",\"driver\":"
          "\"d\",\"pool\":\"p\",\"device\":\"v\"}]}},\"reservedFor\":[" RESERVED("1") "]}}",
          STATUS("\"allocation\":{\"devices\":{\"results\":[{\"request\":\"r\",\"driver\":\"d\","
                 "\"pool\":\"p\",\"device\":\"v\"}]}},\"reservedFor\":[" RESERVED("1") "]") },
        /* reservations are known by their uid */
        { STATUS("\"reservedFor\":[" RESERVED("1") "]"),
          "{\"status\":{\"reservedFor\":[" RESERVED("1") "," RESERVED("2") "]}}",
          STATUS("\"reservedFor\":[" RESERVED("1") "," RESERVED("2") "]") },
        { STATUS("\"reservedFor\":[" RESERVED("1") "," RESERVED("2") "]"),
          "{\"status\":{\"reservedFor\":[{\"$patch\":\"delete\",\"uid\":\"1\"},{\"$patch\":"
          "\"delete\",\"uid\":\"9\"}]}}",
          STATUS("\"reservedFor\":[" RESERVED("2") "]") },
        { STATUS("\"allocation\":{\"devices\":{}},\"reservedFor\":[" RESERVED("1") "]"),
          "{\"status\":{\"allocation\":null,\"devices\":null,\"reservedFor\":null}}", STATUS("") },
};

static void test_patches(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(patches); i++) {
                struct buf before = { 0 }, body = { 0 }, out = { 0 }, after = { 0 };
                struct json_doc *doc;
                struct err err = { 0 };

                buf_printf(&before, "{%s}", patches[i].before);
                write_claim(before.data, &body);
                if (protobuf_patch(buf_view(&body), parse(patches[i].patch, &doc), &out, &err) < 0)
                        fail_msg("%s: %s", patches[i].patch, err.text);
                buf_printf(&after, "{" KIND "%s," SPEC "}", patches[i].after);
                assert_reads(buf_view(&out), after.data);
                assert_non_null(memmem(out.data, out.len, PARAMETERS, strlen(PARAMETERS)));
                assert_non_null(memmem(out.data, out.len, "later version", 13));
                json_doc_free(doc);
                buf_release(&before);
                buf_release(&body);
                buf_release(&out);
                buf_release(&after);
        }
}

static void test_what_cannot_be_patched(void **state) {
        static const char *const unknown[] = { "{\"nothing\":1}",
                                               "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}",
                                               "{\"metadata\":{\"finalizers\":[7]}}" };
        struct buf body = { 0 }, out = { 0 };
        struct json_doc *doc;

        (void)state;
        write_claim("{\"metadata\":{\"name\":\"c\"}}", &body);
        for (size_t i = 0; i < ARRAY_LEN(unknown); i++) {
                assert_true(protobuf_patch(buf_view(&body), parse(unknown[i], &doc), &out, NULL) <
                            0);
                json_doc_free(doc);
        }
        /* Cut anywhere, the message is broken, or it ends between two fields. */
        parse("{\"metadata\":{\"finalizers\":[\"a.b/c\"]}}", &doc);
        for (size_t i = 0; i < body.len; i++)
                assert_true(protobuf_patch(slice_make(body.data, i), json_doc_root(doc), &out,
                                           NULL) <= 0);
        assert_true(protobuf_patch(SLICE_LITERAL("{}"), json_doc_root(doc), &out, NULL) < 0);
        json_doc_free(doc);
        buf_release(&body);
        buf_release(&out);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_both_ways),
                cmocka_unit_test(test_wrong_types),
                cmocka_unit_test(test_patches),
                cmocka_unit_test(test_what_cannot_be_patched),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
