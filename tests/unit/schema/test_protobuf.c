/* Protobuf bodies, written byte by byte, and the JSON they stand for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/util.h"
#include "schema/protobuf.h"
#include <stdlib.h>
#include <string.h>

/* ---- a small writer ---- */

static void put_varint(struct buf *out, uint64_t value) {
        for (; value >= 0x80; value >>= 7)
                buf_char(out, (char)(0x80 | (value & 0x7f)));
        buf_char(out, (char)value);
}

static void put_number(struct buf *out, unsigned field, uint64_t value) {
        put_varint(out, field << 3);
        put_varint(out, value);
}

static void put_bytes(struct buf *out, unsigned field, const void *data, size_t size) {
        put_varint(out, field << 3 | 2);
        put_varint(out, size);
        buf_append(out, data, size);
}

static void put_text(struct buf *out, unsigned field, const char *text) {
        put_bytes(out, field, text, strlen(text));
}

/* Puts a message and empties it for the next. */
static void put_message(struct buf *out, unsigned field, struct buf *message) {
        put_bytes(out, field, message->data ? message->data : "", message->len);
        buf_release(message);
}

static struct buf envelope(const char *api_version, const char *kind, struct buf *object) {
        struct buf type = { 0 }, out = { 0 };

        buf_append(&out, "k8s", 4);
        put_text(&type, 1, api_version);
        put_text(&type, 2, kind);
        put_message(&out, 1, &type);
        put_message(&out, 2, object);
        put_text(&out, 3, "");
        put_text(&out, 4, "");
        return out;
}

static void assert_decodes(const char *api_version, const char *kind, struct buf *object,
                           const char *expected) {
        struct buf body = envelope(api_version, kind, object), text = { 0 };
        struct json_tree *tree = NULL;
        struct err err = { 0 };

        assert_true(protobuf_is_envelope(buf_view(&body)));
        if (protobuf_decode(buf_view(&body), &tree, &err) < 0)
                fail_msg("%s", err.text);
        node_write(json_tree_root(tree), &text);
        assert_string_equal(text.data, expected);
        json_tree_free(tree);
        buf_release(&body);
        buf_release(&text);
}

/* ---- objects ---- */

static void test_namespace(void **state) {
        struct buf object = { 0 }, meta = { 0 }, empty = { 0 }, entry = { 0 };

        (void)state;
        put_text(&meta, 1, "demo");
        put_text(&meta, 2, "");        /* Go writes empty strings out */
        put_message(&meta, 8, &empty); /* and unset times as empty messages */
        put_text(&entry, 1, "a");
        put_text(&entry, 2, "b");
        put_message(&meta, 11, &entry);
        put_message(&object, 1, &meta);
        put_message(&object, 2, &empty);
        assert_decodes(
                "v1", "Namespace", &object,
                "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"demo\","
                "\"labels\":{\"a\":\"b\"}},\"spec\":{}}");
}

/* Lists, quantities, int-or-string, inlined messages, nested objects. */
static void test_deployment(void **state) {
        struct buf container = { 0 }, resources = { 0 }, amount = { 0 }, entry = { 0 };
        struct buf pod = { 0 }, template = { 0 }, spec = { 0 }, object = { 0 }, volume = { 0 };
        struct buf source = { 0 }, empty = { 0 }, rolling = { 0 }, strategy = { 0 }, either = { 0 };

        (void)state;
        put_text(&amount, 1, "500m");
        put_text(&entry, 1, "cpu");
        put_message(&entry, 2, &amount);
        put_message(&resources, 1, &entry);
        put_text(&container, 1, "c");
        put_text(&container, 2, "x:1");
        put_text(&container, 3, "sleep");
        put_text(&container, 3, "1");
        put_message(&container, 8, &resources);
        put_text(&volume, 1, "v");
        put_message(&source, 2, &empty); /* emptyDir */
        put_message(&volume, 2, &source);
        put_message(&pod, 1, &volume);
        put_message(&pod, 2, &container);
        put_number(&pod, 4, 30);
        put_message(&template, 2, &pod);
        put_number(&spec, 1, 3);
        put_message(&spec, 3, &template);
        put_text(&strategy, 1, "RollingUpdate");
        put_number(&either, 1, 1);
        put_text(&either, 3, "25%");
        put_message(&rolling, 1, &either);
        put_number(&either, 1, 0);
        put_number(&either, 2, 2);
        put_message(&rolling, 2, &either);
        put_message(&strategy, 2, &rolling);
        put_message(&spec, 4, &strategy);
        put_message(&object, 2, &spec);
        assert_decodes(
                "apps/v1", "Deployment", &object,
                "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\",\"spec\":{\"replicas\":3,"
                "\"template\":{\"spec\":{\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}],"
                "\"containers\":["
                "{\"name\":\"c\",\"image\":\"x:1\",\"command\":[\"sleep\",\"1\"],\"resources\":{"
                "\"limits\":{\"cpu\":\"500m\"}}}],\"terminationGracePeriodSeconds\":30}},"
                "\"strategy\":{"
                "\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"maxUnavailable\":\"25%\","
                "\"maxSurge\":2}}}}");
}

static void test_lease(void **state) {
        struct buf spec = { 0 }, object = { 0 }, time = { 0 };

        (void)state;
        put_text(&spec, 1, "me");
        put_number(&spec, 2, 15);
        put_number(&time, 1, 1767225600);
        put_number(&time, 2, 123456000);
        put_message(&spec, 4, &time);
        put_number(&spec, 5, 0);
        put_message(&object, 2, &spec);
        assert_decodes("coordination.k8s.io/v1", "Lease", &object,
                       "{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/v1\",\"spec\":{"
                       "\"holderIdentity\":\"me\",\"leaseDurationSeconds\":15,\"renewTime\":"
                       "\"2026-01-01T00:00:00.123456Z\",\"leaseTransitions\":0}}");
}

static void test_secret(void **state) {
        struct buf object = { 0 }, entry = { 0 };

        (void)state;
        put_text(&entry, 1, "k");
        put_bytes(&entry, 2, "\0\xff", 2);
        put_message(&object, 2, &entry);
        assert_decodes("v1", "Secret", &object,
                       "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"data\":{\"k\":\"AP8=\"}}");
}

/* Options name the version of the group they are used in. */
static void test_delete_options(void **state) {
        struct buf object = { 0 }, preconditions = { 0 };

        (void)state;
        put_number(&object, 1, 0);
        put_text(&preconditions, 1, "u");
        put_message(&object, 2, &preconditions);
        put_text(&object, 4, "Background");
        put_text(&object, 5, "All");
        assert_decodes("policy/v1", "DeleteOptions", &object,
                       "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"policy/v1\","
                       "\"gracePeriodSeconds\":0,\"preconditions\":{\"uid\":\"u\"},"
                       "\"propagationPolicy\":\"Background\",\"dryRun\":[\"All\"]}");
}

static void test_binding(void **state) {
        struct buf object = { 0 }, target = { 0 };

        (void)state;
        put_text(&target, 1, "Node");
        put_text(&target, 3, "n1");
        put_message(&object, 2, &target);
        assert_decodes("v1", "Binding", &object,
                       "{\"kind\":\"Binding\",\"apiVersion\":\"v1\",\"target\":{\"kind\":\"Node\","
                       "\"name\":\"n1\"}}");
}

/* Maps of lists: extra fields of a user. */
static void test_access_review(void **state) {
        struct buf object = { 0 }, spec = { 0 }, entry = { 0 }, list = { 0 }, resource = { 0 };

        (void)state;
        put_text(&resource, 2, "create");
        put_text(&resource, 5, "pods");
        put_message(&spec, 1, &resource);
        put_text(&spec, 3, "u");
        put_text(&list, 1, "x");
        put_text(&list, 1, "y");
        put_text(&entry, 1, "scopes");
        put_message(&entry, 2, &list);
        put_message(&spec, 5, &entry);
        put_message(&object, 2, &spec);
        assert_decodes(
                "authorization.k8s.io/v1", "SubjectAccessReview", &object,
                "{\"kind\":\"SubjectAccessReview\",\"apiVersion\":\"authorization.k8s.io/v1\","
                "\"spec\":{\"resourceAttributes\":{\"verb\":\"create\",\"resource\":\"pods\"},"
                "\"user\":\"u\",\"extra\":{\"scopes\":[\"x\",\"y\"]}}}");
}

/* Fields nobody knows are skipped, whatever their type. */
static void test_unknown_fields(void **state) {
        struct buf object = { 0 }, meta = { 0 };

        (void)state;
        put_number(&object, 90, 5);
        put_text(&object, 91, "x");
        put_varint(&object, 92 << 3 | 1);
        buf_append(&object, "12345678", 8);
        put_varint(&object, 93 << 3 | 5);
        buf_append(&object, "1234", 4);
        put_text(&meta, 1, "n");
        put_message(&object, 1, &meta);
        assert_decodes(
                "v1", "ConfigMap", &object,
                "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\"}}");
}

static void test_other_scripts(void **state) {
        struct buf object = { 0 };

        (void)state;
        put_text(&object, 4, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
        assert_decodes("scheduling.k8s.io/v1", "PriorityClass", &object,
                       "{\"kind\":\"PriorityClass\",\"apiVersion\":\"scheduling.k8s.io/v1\","
                       "\"description\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"}");
}

/* Negative numbers take ten bytes. */
static void test_negative_number(void **state) {
        struct buf object = { 0 };

        (void)state;
        put_number(&object, 2, (uint64_t)-10);
        assert_decodes("scheduling.k8s.io/v1", "PriorityClass", &object,
                       "{\"kind\":\"PriorityClass\",\"apiVersion\":\"scheduling.k8s.io/v1\","
                       "\"value\":-10}");
}

/* ---- fields in any order ---- */

#define PARTS 6

struct parts { /* fields of one message, as Go writes them */
        struct buf items[PARTS];
        unsigned numbers[PARTS];
        size_t count;
};

static struct buf *part(struct parts *parts, unsigned number) {
        parts->numbers[parts->count] = number;
        return &parts->items[parts->count++];
}

static void part_text(struct parts *parts, unsigned number, const char *text) {
        put_text(part(parts, number), number, text);
}

static void part_message(struct parts *parts, unsigned number, struct buf *message) {
        put_message(part(parts, number), number, message);
}

/* Empties the parts: in their order, or in any that leaves equal numbers as they are. */
static struct buf joined(struct parts *parts, struct rng *rng) {
        struct buf out = { 0 };
        bool is_taken[PARTS] = { false };

        for (size_t left = parts->count; left > 0; left--) {
                size_t at = rng ? rng_below(rng, parts->count) : parts->count - left;

                while (is_taken[at])
                        at = (at + 1) % parts->count;
                for (size_t i = 0; i < at; i++)
                        if (!is_taken[i] && parts->numbers[i] == parts->numbers[at])
                                at = i;
                is_taken[at] = true;
                buf_slice(&out, buf_view(&parts->items[at]));
                buf_release(&parts->items[at]);
        }
        return out;
}

static struct buf mixed_container(struct rng *rng, unsigned number) {
        struct parts parts = { 0 };
        struct buf port = { 0 };

        part_text(&parts, 1, number ? "a" : "b");
        part_text(&parts, 4, "--one");
        part_text(&parts, 4, "--two");
        put_number(&port, 3, 80 + number);
        part_message(&parts, 6, &port);
        put_number(&port, 3, 90 + number);
        part_message(&parts, 6, &port);
        return joined(&parts, rng);
}

static struct buf mixed_pod(struct rng *rng) {
        struct parts pod = { 0 }, meta = { 0 }, spec = { 0 };
        struct buf message = { 0 };

        part_text(&meta, 1, "n");
        for (unsigned i = 0; i < 2; i++) {
                put_text(&message, 1, i ? "k" : "l");
                put_text(&message, 2, "v");
                part_message(&meta, 11, &message);
        }
        part_text(&meta, 14, "f/one");
        part_text(&meta, 14, "f/two");
        for (unsigned i = 0; i < 2; i++) {
                message = mixed_container(rng, i);
                part_message(&spec, 2, &message);
        }
        for (unsigned i = 0; i < 2; i++) {
                put_text(&message, 1, i ? "t" : "u");
                part_message(&spec, 22, &message);
        }
        message = joined(&meta, rng);
        part_message(&pod, 1, &message);
        message = joined(&spec, rng);
        part_message(&pod, 2, &message);
        return joined(&pod, rng);
}

static struct json_tree *decoded_pod(struct rng *rng) {
        struct buf object = mixed_pod(rng), body = envelope("v1", "Pod", &object);
        struct json_tree *tree = NULL;

        assert_int_equal(protobuf_decode(buf_view(&body), &tree, NULL), 0);
        buf_release(&body);
        return tree;
}

/* Elements of lists and maps need not be neighbours, at any depth. */
static void test_any_order(void **state) {
        struct json_tree *expected = decoded_pod(NULL);
        struct rng rng;

        (void)state;
        rng_init(&rng, 5);
        for (int i = 0; i < 2000; i++) {
                struct json_tree *tree = decoded_pod(&rng);

                if (!node_equal(json_tree_root(expected), json_tree_root(tree)))
                        fail_msg("round %d differs", i);
                json_tree_free(tree);
        }
        json_tree_free(expected);
}

/* ---- broken bodies ---- */

static void assert_refused(struct slice body) {
        struct json_tree *tree = NULL;
        struct err err = { 0 };

        assert_int_equal(protobuf_decode(body, &tree, &err), BERTH_ERR_BAD_REQUEST);
        assert_null(tree);
        assert_true(err.text[0] != '\0');
}

static void test_broken(void **state) {
        struct buf object = { 0 }, body;

        (void)state;
        assert_refused(SLICE_EMPTY);
        assert_refused(SLICE_LITERAL("{\"kind\":\"Pod\"}"));
        assert_false(protobuf_is_envelope(SLICE_LITERAL("k8s")));
        assert_refused(slice_make("k8s\0\x0a\x7f", 6)); /* length beyond the end */
        assert_refused(slice_make("k8s\0\x0f", 5));     /* wire type 7 */

        body = envelope("v1", "Nonsense", &object);
        assert_refused(buf_view(&body));
        buf_release(&body);

        put_text(&object, 2, "a number is expected here");
        body = envelope("scheduling.k8s.io/v1", "PriorityClass", &object);
        assert_refused(buf_view(&body));
        buf_release(&body);

        put_text(&object, 4, "\xc3\x28"); /* a sequence cut short */
        body = envelope("scheduling.k8s.io/v1", "PriorityClass", &object);
        assert_refused(buf_view(&body));
        buf_release(&body);
        put_text(&object, 4, "\xed\xa0\x80"); /* half of a surrogate pair */
        body = envelope("scheduling.k8s.io/v1", "PriorityClass", &object);
        assert_refused(buf_view(&body));
        buf_release(&body);

        buf_append(&object, "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
        body = envelope("v1", "Pod", &object);
        assert_refused(buf_view(&body));
        buf_release(&body);
}

/* Cut anywhere, a body is refused or read, but never read beyond its end. */
static void test_truncated(void **state) {
        struct buf object = { 0 }, meta = { 0 }, body;

        (void)state;
        put_text(&meta, 1, "name");
        put_message(&object, 1, &meta);
        body = envelope("v1", "Pod", &object);
        for (size_t size = 0; size < body.len; size++) {
                char *copy = malloc(size + 1);
                struct json_tree *tree = NULL;

                assert_non_null(copy);
                memcpy(copy, body.data, size);
                if (protobuf_decode(slice_make(copy, size), &tree, NULL) == 0)
                        json_tree_free(tree);
                free(copy);
        }
        buf_release(&body);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_namespace),       cmocka_unit_test(test_deployment),
                cmocka_unit_test(test_lease),           cmocka_unit_test(test_secret),
                cmocka_unit_test(test_delete_options),  cmocka_unit_test(test_binding),
                cmocka_unit_test(test_access_review),   cmocka_unit_test(test_unknown_fields),
                cmocka_unit_test(test_negative_number), cmocka_unit_test(test_other_scripts),
                cmocka_unit_test(test_broken),          cmocka_unit_test(test_truncated),
                cmocka_unit_test(test_any_order),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
