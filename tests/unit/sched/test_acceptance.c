/* The acceptance cases of the scheduler (reference scheduler.md section 10) that are one decision,
 * by number: acceptance.jsonl holds one per line, in the format of the recorded cases.  Expected is
 * only what the case is about: the members that are there, "contains" as a part of the message,
 * null as an absent member, and an empty "feasible" as no node at all. */
#include "sched/replay_scheduler.h"
#include "sched_test.h"

static const char *cases_path;

static bool contains(const struct json *want, const struct json *got);

static bool contains_items(const struct json *want, const struct json *got) {
        struct json_iter wanted = json_iter(want), given = json_iter(got);
        const struct json *a, *b;
        while (json_next(&wanted, NULL, &a))
                if (!json_next(&given, NULL, &b) || !contains(a, b))
                        return false;
        return !json_next(&given, NULL, &b);
}

/* Score columns are found by their plugin. */
static bool contains_scores(const struct json *want, const struct json *got) {
        struct json_iter wanted = json_iter(want);
        const struct json *column;
        while (json_next(&wanted, NULL, &column)) {
                struct json_iter given = json_iter(got);
                const struct json *other = NULL;
                bool is_found = false;
                while (!is_found && json_next(&given, NULL, &other))
                        is_found =
                                json_equal(json_get(column, "plugin"), json_get(other, "plugin"));
                if (!is_found || !contains(column, other))
                        return false;
        }
        return true;
}

static bool has_text(const struct json *text, const struct json *part) {
        struct slice all = json_text(text), wanted = json_text(part);
        return memmem(all.ptr, all.len, wanted.ptr, wanted.len);
}

static bool contains_member(struct slice key, const struct json *value, const struct json *got) {
        const struct json *other = json_get_slice(got, key);
        if (slice_is(key, "contains"))
                return has_text(json_get(got, "message"), value);
        if (json_type(value) == JSON_NULL)
                return !other;
        if (slice_is(key, "feasible") && json_count(value) == 0)
                return json_count(other) == 0;
        if (slice_is(key, "scores"))
                return contains_scores(value, other);
        return other && contains(value, other);
}

static bool contains(const struct json *want, const struct json *got) {
        struct json_iter iter = json_iter(want);
        const struct json *value;
        struct slice key;
        if (json_type(want) == JSON_ARRAY)
                return contains_items(want, got);
        if (json_type(want) != JSON_OBJECT)
                return json_equal(want, got);
        while (json_next(&iter, &key, &value))
                if (!contains_member(key, value, got))
                        return false;
        return true;
}

static void judge(const struct json *test_case, const char *line) {
        CLEANUP(buf_release) struct buf out = { 0 };
        struct err err = { 0 };
        struct json_doc *doc;
        struct slice name = json_get_text(test_case, "name");
        if (replay_scheduler_case(sched_registry, test_case, &out, &err) < 0)
                fail_msg(SLICE_FMT ": %s: %s", SLICE_ARG(name), err.path, err.text);
        assert_int_equal(json_parse(buf_view(&out), &doc, &err), 0);
        if (!contains(json_get(test_case, "expect"), json_get(json_doc_root(doc), "expect")))
                fail_msg("case %s\nfound " SLICE_FMT, line, SLICE_ARG(buf_view(&out)));
        json_doc_free(doc);
        print_message("ok " SLICE_FMT "\n", SLICE_ARG(name));
}

static void test_cases(void **state) {
        char *line = NULL;
        size_t cap = 0, count = 0;
        FILE *file = fopen(cases_path, "re");
        (void)state;
        assert_non_null(file);
        while (getline(&line, &cap, file) > 0) {
                struct err err = { 0 };
                struct json_doc *doc;
                assert_int_equal(json_parse(slice_of(line), &doc, &err), 0);
                judge(json_doc_root(doc), line);
                json_doc_free(doc);
                count++;
        }
        free(line);
        fclose(file);
        print_message("%zu cases\n", count);
        assert_true(count > 100);
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases) };
        if (argc != 2) {
                fprintf(stderr, "usage: test_acceptance CASES\n");
                return 2;
        }
        cases_path = argv[1];
        return cmocka_run_group_tests(tests, NULL, NULL);
}
