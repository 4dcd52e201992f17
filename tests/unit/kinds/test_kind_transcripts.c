/* Objects that a real API server created or refused, brought through our hooks: the same object,
 * the same complaints. Skipped where the recordings are not at hand. */
#include "kind_test.h"

#include <stdio.h>

#define EXIT_SKIPPED 77

static const char *shared_directory(void) {
        const char *directory = getenv("BERTH_SHARED");

        return directory ? directory : "../shared";
}

struct counts {
        size_t created, refused;
};

/* Collection of a path: ret_kind is unset for anything but the creation of an object. */
static const struct kind_info *kind_of_path(struct slice path) {
        struct slice group = SLICE_EMPTY, version, part, plural;

        if (memchr(path.ptr, '?', path.len) || !slice_split(&path, '/', &part) ||
            !slice_split(&path, '/', &part))
                return NULL;
        if (slice_is(part, "apis") && !slice_split(&path, '/', &group))
                return NULL;
        if (!slice_split(&path, '/', &version) || !slice_split(&path, '/', &plural))
                return NULL;
        if (slice_is(plural, "namespaces") && path.len &&
            (!slice_split(&path, '/', &part) || !slice_split(&path, '/', &plural)))
                return NULL;
        return path.len ? NULL : kind_find(group, version, plural);
}

/* What the engine or the cluster of the recording adds. */
static void remove_system_fields(struct json_node *object, const struct json *step) {
        static const char *const metadata[] = {
                "uid",        "resourceVersion", "creationTimestamp",
                "generation", "namespace",       "managedFields"
        };
        struct json_node *meta = node_get(object, "metadata");

        (void)step;
        for (size_t i = 0; i < ARRAY_LEN(metadata); i++)
                node_remove(meta, metadata[i]);
        node_remove(object, "kind");
        node_remove(object, "apiVersion");
}

/* Times of the moment, addresses and generated names differ between runs. */
static void remove_run_fields(struct json_node *object) {
        struct json_node *spec = node_get(object, "spec"), *status = node_get(object, "status");
        struct json_node *condition = node_at(node_get(status, "conditions"), 0);

        node_remove(status, "lastPhaseTransitionTime");
        node_remove(condition, "lastTransitionTime");
        if (!slice_is(node_get_text(spec, "clusterIP"), "None")) {
                node_remove(spec, "clusterIP");
                node_remove(spec, "clusterIPs");
        }
}

static void compare_created(struct kind_test *test, const struct json *step,
                            const struct json *body) {
        struct json_node *expected = node_import(test->tree, body);
        struct buf want = { 0 }, got = { 0 };

        remove_system_fields(expected, step);
        remove_system_fields(test->object, step);
        remove_run_fields(expected);
        remove_run_fields(test->object);
        if (!node_equal(expected, test->object)) {
                node_write(expected, &want);
                node_write(test->object, &got);
                fail_msg(SLICE_FMT " step %lld\nexpected %s\ngot      %s",
                         SLICE_ARG(json_get_text(step, "scenario")),
                         (long long)json_get_i64(step, "step", 0), want.data, got.data);
        }
        buf_release(&want);
        buf_release(&got);
}

/* Metadata is the engine's to complain about. */
static bool is_ours(const struct json *cause) {
        struct slice field = json_get_text(cause, "field");

        return !slice_has_prefix(field, SLICE_LITERAL("metadata.")) ||
               slice_has_prefix(field, SLICE_LITERAL("metadata.taints"));
}

static bool compare_refused(struct kind_test *test, const struct json *step,
                            const struct json *body) {
        struct json_iter iter = json_iter(json_get(json_get(body, "details"), "causes"));
        const struct json *cause;
        size_t count = 0;

        while (json_next(&iter, NULL, &cause)) {
                const struct field_error *error = &test->errors.items[count];

                if (!is_ours(cause))
                        continue;
                if (count == test->errors.count ||
                    !slice_is(json_get_text(cause, "field"), error->path) ||
                    !slice_is(json_get_text(cause, "message"), error->message))
                        fail_msg(SLICE_FMT " step %lld: expected " SLICE_FMT ": " SLICE_FMT
                                           ", got %s: %s",
                                 SLICE_ARG(json_get_text(step, "scenario")),
                                 (long long)json_get_i64(step, "step", 0),
                                 SLICE_ARG(json_get_text(cause, "field")),
                                 SLICE_ARG(json_get_text(cause, "message")),
                                 count < test->errors.count ? error->path : "nothing",
                                 count < test->errors.count ? error->message : "");
                count++;
        }
        assert_int_equal(count, test->errors.count);
        return count > 0;
}

static void try_step(const struct json *step, struct counts *counts) {
        const struct json *request = json_get(step, "request"),
                          *response = json_get(step, "response");
        const struct json *body = json_get(response, "body"), *sent = json_get(request, "body");
        const struct kind_info *kind = kind_of_path(json_get_text(request, "path"));
        int64_t status = json_get_i64(response, "status", 0);
        char api_version[KIND_API_VERSION_MAX];
        struct buf text = { 0 };
        struct kind_test test;

        if (!slice_is(json_get_text(request, "method"), "POST") || !kind || kind->review ||
            json_type(sent) != JSON_OBJECT || json_get(step, "select") ||
            json_get(request, "headers") || (status != 201 && status != 422))
                return;
        json_write(sent, &text);
        api_version[kind_api_version(kind, api_version).len] = '\0';
        kind_test_begin(&test, api_version, kind->kind, text.data, NULL);
        node_put_string(test.tree, node_need_object(test.tree, test.object, "metadata"),
                        "namespace", "${NS}");
        /* Classes made by earlier steps of a scenario are not there, so those are left out. */
        if (kind_test_write(&test, KIND_CREATE) == 0) {
                if (status == 422) {
                        counts->refused += compare_refused(&test, step, body);
                } else if (test.errors.count == 0 &&
                           !node_walk(test.object, "metadata.generateName")) {
                        compare_created(&test, step, body);
                        counts->created++;
                }
        }
        kind_test_end(&test);
        buf_release(&text);
}

static void replay(const char *name, struct counts *counts) {
        struct json_doc *doc = NULL;
        struct buf path = { 0 };
        char *line = NULL;
        size_t size = 0;
        ssize_t length;
        FILE *file;

        buf_printf(&path, "%s/vectors/apiserver/%s.jsonl", shared_directory(), name);
        file = fopen(path.data, "r");
        assert_non_null(file);
        while ((length = getline(&line, &size, file)) > 0) {
                assert_int_equal(json_parse(slice_make(line, (size_t)length), &doc, NULL), 0);
                try_step(json_doc_root(doc), counts);
                json_doc_free(doc);
        }
        free(line);
        fclose(file);
        buf_release(&path);
}

static void test_transcripts(void **state) {
        static const char *const names[] = { "crud",    "pod-defaults", "bad-requests", "table",
                                             "binding", "eviction",     "delete" };
        struct counts counts = { 0 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(names); i++)
                replay(names[i], &counts);
        print_message("%zu created, %zu refused\n", counts.created, counts.refused);
        assert_true(counts.created >= 40);
        assert_true(counts.refused >= 40);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_transcripts) };
        struct buf path = { 0 };
        FILE *file;

        buf_printf(&path, "%s/vectors/apiserver/crud.jsonl", shared_directory());
        file = fopen(path.data, "r");
        buf_release(&path);
        if (!file) {
                printf("skipped: no recordings in %s\n", shared_directory());
                return EXIT_SKIPPED;
        }
        fclose(file);
        return cmocka_run_group_tests(tests, NULL, NULL);
}
