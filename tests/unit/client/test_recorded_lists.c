/* Lists, watches and a refusal of a real kube-apiserver 1.36, each recorded in JSON and in
 * protobuf: both forms say the same, wherever the bytes were cut. Nulls were taken out of the JSON;
 * protobuf has none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base64.h"
#include "base/util.h"
#include "client/list_reader.h"
#include "client/record_splitter.h"
#include "client/status_body.h"
#include "client/watch_record.h"
#include "schema/pod_reader.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without the field sets that clients do not read. */
static struct json_tree *comparable(const struct json *object) {
        struct json_tree *tree = json_tree_new();

        json_tree_set_root(tree, node_import(tree, object));
        struct json_node *metadata = node_get(json_tree_root(tree), "metadata");
        struct json_node *managers = node_get(metadata, "managedFields");
        for (size_t i = 0; i < node_count(managers); i++)
                node_remove(node_at(managers, i), "fieldsV1");
        return tree;
}

static void assert_same(const struct json *expected, const struct json *got, const char *path) {
        struct json_tree *a = comparable(expected), *b = comparable(got);
        struct buf one = { 0 }, other = { 0 };

        node_write(json_tree_root(a), &one);
        node_write(json_tree_root(b), &other);
        if (!node_equal(json_tree_root(a), json_tree_root(b)))
                fail_msg("%s:\nwant %s\ngot  %s", path, one.data, other.data);
        json_tree_free(a);
        json_tree_free(b);
        buf_release(&one);
        buf_release(&other);
}

static size_t pods_seen;

struct recorded {
        const char *path;
        struct json_iter expected; /* items or records that have not come */
};

static void on_item(void *context, const struct json *item) {
        struct recorded *recorded = context;
        const struct json *expected;

        assert_true(json_next(&recorded->expected, NULL, &expected));
        assert_same(expected, item, recorded->path);
}

static void check_list(const char *path, const struct json *list, struct slice body, size_t cut) {
        const struct json *metadata = json_get(list, "metadata");
        struct recorded recorded = { .path = path, .expected = json_iter(json_get(list, "items")) };
        struct list_reader *reader = list_reader_new(on_item, &recorded);
        struct err err = { 0 };

        assert_int_equal(list_reader_peek(reader, body, &err), 0);
        assert_true(slice_eq(list_reader_continue(reader), json_get_text(metadata, "continue")));
        list_reader_begin(reader);
        for (size_t at = 0; at < body.len; at += cut) {
                struct slice chunk =
                        slice_make(body.ptr + at, body.len - at < cut ? body.len - at : cut);

                if (list_reader_feed(reader, chunk, &err) < 0)
                        fail_msg("%s: %s", path, err.text);
        }
        if (list_reader_end(reader, &err) < 0)
                fail_msg("%s: %s", path, err.text);
        assert_false(json_next(&recorded.expected, NULL, NULL));
        assert_true(
                slice_eq(list_reader_version(reader), json_get_text(metadata, "resourceVersion")));
        assert_true(slice_eq(list_reader_continue(reader), json_get_text(metadata, "continue")));
        list_reader_free(reader);
}

/* A record of a pod comes as one, with what its value says; others do not. */
static void check_pod(const struct json *expected, struct slice text) {
        const struct json *object = json_get(expected, "object");
        const struct json *metadata = json_get(object, "metadata");
        struct pod_reader *pods = pod_reader_new();
        struct watch_record record;
        struct err err = { 0 };

        assert_int_equal(watch_record_read(&record, text, pods, &err), 0);
        assert_true(slice_eq(record.type, json_get_text(expected, "type")));
        assert_true(!record.has_pod || (slice_is(json_get_text(object, "kind"), "Pod") &&
                                        !slice_is(record.type, "BOOKMARK")));
        assert_int_equal(!record.object, record.has_pod);
        if (record.has_pod) {
                const struct object_meta *meta = &record.pod.meta;

                assert_true(slice_eq(meta->uid, json_get_text(metadata, "uid")));
                assert_true(slice_eq(meta->resource_version,
                                     json_get_text(metadata, "resourceVersion")));
                assert_true(slice_eq(record.pod.spec.node_name,
                                     json_get_text(json_get(object, "spec"), "nodeName")));
                pods_seen++;
        }
        watch_record_release(&record);
        pod_reader_free(pods);
}

static bool on_record(void *context, struct slice text) {
        struct recorded *recorded = context;
        struct watch_record record;
        const struct json *expected;
        struct err err = { 0 };

        assert_true(json_next(&recorded->expected, NULL, &expected));
        if (watch_record_read(&record, text, NULL, &err) < 0)
                fail_msg("%s: %s", recorded->path, err.text);
        assert_true(slice_eq(record.type, json_get_text(expected, "type")));
        assert_same(json_get(expected, "object"), record.object, recorded->path);
        watch_record_release(&record);
        check_pod(expected, text);
        return true;
}

static void check_watch(const char *path, const struct json *records, struct slice body,
                        size_t cut) {
        struct recorded recorded = { .path = path, .expected = json_iter(records) };
        struct record_splitter splitter = { 0 };

        for (size_t at = 0; at < body.len; at += cut) {
                struct slice chunk =
                        slice_make(body.ptr + at, body.len - at < cut ? body.len - at : cut);

                assert_int_equal(record_splitter_feed(&splitter, chunk, on_record, &recorded, NULL),
                                 0);
        }
        assert_false(json_next(&recorded.expected, NULL, NULL));
        record_splitter_release(&splitter);
}

static void check_refusal(struct slice body) {
        struct err err = { 0 };

        assert_true(status_body_to_err(body, &err));
        assert_int_equal(err.code, BERTH_ERR_NOT_FOUND);
        assert_string_equal(err.text, "pods \"none\" not found");
}

static void check_line(struct slice line) {
        static const size_t cuts[] = { 1, 7, 1000, SIZE_MAX / 2 };
        struct json_doc *doc = NULL;
        struct buf protobuf = { 0 }, json = { 0 };

        assert_int_equal(json_parse(line, &doc, NULL), 0);
        const struct json *root = json_doc_root(doc), *expected = json_get(root, "json");
        char *path = slice_dup(json_get_text(root, "path"));
        assert_true(base64_decode(json_get_text(root, "protobuf"), BASE64_STANDARD, &protobuf));
        json_write(expected, &json);
        for (size_t i = 0; i < ARRAY_LEN(cuts); i++) {
                if (json_type(expected) == JSON_ARRAY) {
                        check_watch(path, expected, buf_view(&protobuf), cuts[i]);
                } else if (json_type(expected) == JSON_OBJECT) {
                        check_list(path, expected, buf_view(&protobuf), cuts[i]);
                        check_list(path, expected, buf_view(&json), cuts[i]);
                } else {
                        check_refusal(buf_view(&protobuf));
                }
        }
        buf_release(&protobuf);
        buf_release(&json);
        free(path);
        json_doc_free(doc);
}

static void test_both_forms_are_equal(void **state) {
        FILE *file = fopen(RECORDED, "re");
        size_t cap = 0, lines = 0;
        char *line = NULL;
        ssize_t size;

        (void)state;
        assert_non_null(file);
        while ((size = getline(&line, &cap, file)) > 0) {
                check_line(slice_make(line, (size_t)size));
                lines++;
        }
        assert_int_equal(lines, 15);
        assert_true(pods_seen > 0);
        free(line);
        fclose(file);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_both_forms_are_equal) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
