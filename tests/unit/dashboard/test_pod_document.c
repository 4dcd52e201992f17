/* Explanations as documents of the page: order, groups, parts. */
#include "dashboard/pod_document.h"

#include "base/arena.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define EXPLANATION                                                                                \
        "{\"pod\":\"a/b\",\"nodes\":["                                                             \
        "{\"node\":\"n0\",\"fits\":false,\"plugin\":\"Fit\",\"verdict\":\"unschedulable\","        \
        "\"reasons\":[\"no cpu\",\"no memory\"]},"                                                 \
        "{\"node\":\"n1\",\"fits\":true,\"total\":5},"                                             \
        "{\"node\":\"n2\",\"fits\":false,\"plugin\":\"Taint\",\"verdict\":\"unresolvable\","       \
        "\"reasons\":[\"t\"]},"                                                                    \
        "{\"node\":\"N3\",\"fits\":true,\"total\":9},"                                             \
        "{\"node\":\"n4\",\"fits\":true,\"total\":5},"                                             \
        "{\"node\":\"n5\",\"fits\":false,\"plugin\":\"Taint\",\"verdict\":\"unresolvable\","       \
        "\"reasons\":[\"t\"]}]}"

struct answer {
        struct json_doc *doc;
        struct buf names; /* of the nodes that are shown */
        int64_t found, from;
};

static void ask(const char *explanation, const char *query, struct answer *ret_answer) {
        CLEANUP(buf_release) struct buf out = { 0 };
        struct json_tree *tree = NULL;
        const struct json *node;
        struct err err;

        *ret_answer = (struct answer){ 0 };
        assert_int_equal(json_tree_parse(slice_of(explanation), &tree, &err), 0);
        buf_char(&out, '{');
        pod_document_write(tree, json_tree_root(tree), slice_of(query), &out);
        buf_char(&out, '}');
        json_tree_free(tree);
        assert_int_equal(json_parse(buf_view(&out), &ret_answer->doc, &err), 0);
        const struct json *root = json_doc_root(ret_answer->doc);
        struct json_iter nodes = json_iter(json_get(json_get(root, "explanation"), "nodes"));
        while (json_next(&nodes, NULL, &node))
                buf_printf(&ret_answer->names, SLICE_FMT " ",
                           SLICE_ARG(json_get_text(node, "node")));
        ret_answer->found = json_get_i64(root, "found", -1);
        ret_answer->from = json_get_i64(root, "from", -1);
}

static void release(struct answer *answer) {
        json_doc_free(answer->doc);
        buf_release(&answer->names);
}

static void parts(void **state) {
        static const struct {
                const char *query, *names;
                int64_t found;
        } cases[] = {
                { "", "N3 n1 n4 n0 n2 n5 ", 6 },
                { "from=1&count=2", "n1 n4 ", 6 },
                { "from=6", "", 6 },
                { "count=0", "", 6 },
                { "fits=true", "N3 n1 n4 ", 3 },
                { "fits=false&count=1", "n0 ", 3 },
                { "find=n3", "N3 ", 1 },
                { "find=x", "", 0 },
                { "reason=Taint%3A+t", "n2 n5 ", 2 },
                { "reason=Fit%3A+no+cpu%2C+no+memory", "n0 ", 1 },
                { "reason=Taint", "", 0 },
                { "reason=", "", 0 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct answer answer;

                ask(EXPLANATION, cases[i].query, &answer);
                assert_true(slice_is(buf_view(&answer.names), cases[i].names));
                assert_int_equal(answer.found, cases[i].found);
                release(&answer);
        }
}

static void groups(void **state) {
        struct answer answer;

        (void)state;
        ask(EXPLANATION, "from=3&find=n1", &answer);
        const struct json *root = json_doc_root(answer.doc), *list = json_get(root, "groups");
        assert_int_equal(json_get_i64(root, "fitting", -1), 3);
        assert_int_equal(json_get_i64(root, "refused", -1), 3);
        assert_int_equal(answer.from, 3);
        assert_int_equal(json_count(list), 2);
        const struct json *first = json_at(list, 0);
        assert_true(slice_is(json_get_text(first, "reason"), "Taint: t"));
        assert_true(slice_is(json_get_text(first, "plugin"), "Taint"));
        assert_true(slice_is(json_get_text(first, "verdict"), "unresolvable"));
        assert_int_equal(json_get_i64(first, "nodes", -1), 2);
        assert_true(slice_is(json_get_text(json_at(list, 1), "reason"), "Fit: no cpu, no memory"));
        release(&answer);
}

/* A finished pod has no nodes. */
static void nothing(void **state) {
        struct answer answer;

        (void)state;
        ask("{\"decision\":\"finished\"}", "", &answer);
        assert_int_equal(answer.found, 0);
        assert_int_equal(answer.names.len, 0);
        release(&answer);
}

int main(void) {
        static const struct CMUnitTest tests[] = { cmocka_unit_test(parts),
                                                   cmocka_unit_test(groups),
                                                   cmocka_unit_test(nothing) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
