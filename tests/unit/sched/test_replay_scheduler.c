/* Recorded cases of kube-scheduler, judged by the feasible nodes, totals, best nodes and messages;
 * skipped where the recordings are absent. */
#include "sched/replay_scheduler.h"
#include "sched_test.h"

/* Upstream's recording depends there on which node its workers met first. */
static bool is_arbitrary(struct slice name) {
        return slice_is(name, "mixed-047");
}

static char *read_file(const char *name, size_t *ret_size) {
        char path[512];
        const char *shared = getenv("BERTH_SHARED");
        snprintf(path, sizeof(path), "%s/vectors/scheduler/%s.jsonl", shared ? shared : "../shared",
                 name);
        FILE *file = fopen(path, "rb");
        if (!file)
                return NULL;
        fseek(file, 0, SEEK_END);
        long size = ftell(file);
        rewind(file);
        char *text = xmalloc((size_t)size + 1);
        *ret_size = fread(text, 1, (size_t)size, file);
        fclose(file);
        return text;
}

static bool agrees(const struct json *want, const struct json *got, const char *key) {
        return json_equal(json_get(want, key), json_get(got, key));
}

static bool is_right(const struct json *want, const struct json *got) {
        static const char *const keys[] = { "preEnqueue", "feasible", "total", "message",
                                            "filter",     "scores",   "best" };
        if (json_get(want, "error"))
                return json_get(got, "error");
        for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
                bool has_want = json_get(want, keys[i]);
                if (has_want != !!json_get(got, keys[i]) ||
                    (has_want && !agrees(want, got, keys[i])))
                        return false;
        }
        return true;
}

static bool is_config_right(const struct json *want, const struct json *got) {
        bool is_ok = slice_is(json_get_text(want, "stage"), "ok");
        return is_ok ? agrees(want, got, "profiles") : !!json_get(got, "error");
}

static bool are_steps_right(const struct json *want, const struct json *got) {
        static const char *const keys[] = { "pod", "feasible", "total", "chosen", "message" };
        struct json_iter wanted = json_iter(json_get(want, "steps"));
        struct json_iter given = json_iter(json_get(got, "steps"));
        const struct json *a, *b;
        while (json_next(&wanted, NULL, &a)) {
                if (!json_next(&given, NULL, &b))
                        return false;
                for (size_t i = 0; i < ARRAY_LEN(keys); i++)
                        if (json_get(a, keys[i]) && !agrees(a, b, keys[i]))
                                return false;
        }
        return !json_next(&given, NULL, &b);
}

struct replay_kind {
        int (*replay)(const struct plugin *const *, const struct json *, struct buf *,
                      struct err *);
        bool (*is_right)(const struct json *, const struct json *);
};

/* Refused only when the files an extender names are read, which is the edge's business. */
static bool is_elsewhere(struct slice name) {
        return slice_is(name, "config-136-tls");
}

static void run_case(const struct replay_kind *kind, const struct json *test_case) {
        struct err err = { 0 };
        struct buf out = { 0 };
        struct json_doc *doc;
        struct slice name = json_get_text(test_case, "name");
        if (is_arbitrary(name) || is_elsewhere(name))
                return;
        if (kind->replay(sched_registry, test_case, &out, &err) < 0)
                fail_msg(SLICE_FMT ": %s", SLICE_ARG(name), err.text);
        assert_int_equal(json_parse(buf_view(&out), &doc, &err), 0);
        if (!kind->is_right(json_get(test_case, "expect"), json_get(json_doc_root(doc), "expect")))
                fail_msg(SLICE_FMT " differs", SLICE_ARG(name));
        json_doc_free(doc);
        buf_release(&out);
}

static void run_file(const struct replay_kind *kind, const char *name) {
        size_t size = 0, used;
        char *text = read_file(name, &size);
        if (!text) {
                print_message("%s: no recordings, skipped\n", name);
                skip();
        }
        for (struct slice rest = slice_trim(slice_make(text, size)); rest.len > 0;
             rest = slice_trim(slice_make(rest.ptr + used, rest.len - used))) {
                struct err err = { 0 };
                struct json_doc *doc;
                assert_int_equal(json_parse_prefix(rest, &doc, &used, &err), 0);
                run_case(kind, json_doc_root(doc));
                json_doc_free(doc);
        }
        free(text);
}

static const struct replay_kind one_pod = { replay_scheduler_case, is_right };
static const struct replay_kind sequence = { replay_sequence_case, are_steps_right };
static int replay_config_alone(const struct plugin *const *registry, const struct json *test_case,
                               struct buf *out, struct err *err) {
        return replay_config_case(&(struct replay_config){ .registry = registry }, test_case, out,
                                  err);
}
static const struct replay_kind config = { replay_config_alone, is_config_right };

#define FILE_TEST(function, kind, name)                                                            \
        static void function(void **state) {                                                       \
                (void)state;                                                                       \
                run_file(&(kind), name);                                                           \
        }
FILE_TEST(test_resources, one_pod, "resources")
FILE_TEST(test_balanced, one_pod, "balanced")
FILE_TEST(test_taints, one_pod, "taints")
FILE_TEST(test_node_affinity, one_pod, "nodeaffinity")
FILE_TEST(test_ports, one_pod, "ports")
FILE_TEST(test_images, one_pod, "images")
FILE_TEST(test_spread, one_pod, "topologyspread")
FILE_TEST(test_pod_affinity, one_pod, "interpodaffinity")
FILE_TEST(test_volumes, one_pod, "volumes")
FILE_TEST(test_preemption, one_pod, "preemption")
FILE_TEST(test_mixed, one_pod, "mixed")
FILE_TEST(test_sequence, sequence, "sequence")
FILE_TEST(test_config, config, "config-errors")

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_resources), cmocka_unit_test(test_balanced),
                cmocka_unit_test(test_taints),    cmocka_unit_test(test_node_affinity),
                cmocka_unit_test(test_ports),     cmocka_unit_test(test_images),
                cmocka_unit_test(test_spread),    cmocka_unit_test(test_pod_affinity),
                cmocka_unit_test(test_volumes),   cmocka_unit_test(test_preemption),
                cmocka_unit_test(test_mixed),     cmocka_unit_test(test_sequence),
                cmocka_unit_test(test_config),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
