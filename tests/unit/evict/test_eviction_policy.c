/* EvictionPolicy: what is read, what is refused, which one is chosen; the policies in examples/. */
#include "base/util.h"
#include "config/document.h"
#include "evict/eviction_policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int read_policy(const char *spec, struct eviction_policy **ret_policy, struct err *err) {
        struct document *document = NULL;
        char text[2000];
        int code;

        snprintf(text, sizeof(text), "metadata: {name: p, namespace: d}\nspec: %s", spec);
        if (document_read(slice_of(text), "case", &document, err) < 0)
                fail_msg("%s: %s", spec, err->text);
        code = eviction_policy_decode(document_root(document), ret_policy, err);
        document_free(document);
        return code;
}

static void test_reads(void **state) {
        struct eviction_policy *policy = NULL;
        struct err err = { 0 };

        (void)state;
        assert_int_equal(
                read_policy(
                        "{selector: {matchLabels: {a: b}}, precedence: 7, deadline: 10m, stages: ["
                        "{name: one, kind: http, timeout: 30s, retries: 0, onFailure: Continue, "
                        "http: {url: 'https://h/x', tokenSecret: s}}, "
                        "{name: two, kind: exec, exec: {command: run}}, "
                        "{name: three, kind: wait, wait: {label: {key: k, value: v}}}, "
                        "{name: four, kind: evict}], "
                        "rollback: [{stage: two, exec: {command: back}}]}",
                        &policy, &err),
                0);
        assert_int_equal(policy->stage_count, 4);
        assert_int_equal(policy->precedence, 7);
        assert_int_equal(policy->deadline_ns, 600 * NS_PER_S);
        assert_int_equal(policy->stages[0].timeout_ns, 30 * NS_PER_S);
        assert_int_equal(policy->stages[0].retries, 0);
        assert_int_equal(policy->stages[0].on_failure, STAGE_FAILS_TO_CONTINUE);
        assert_true(slice_is(policy->stages[0].hook.secret, "s"));
        assert_int_equal(policy->stages[1].timeout_ns, EVICTION_STAGE_TIMEOUT_NS);
        assert_int_equal(policy->stages[1].retries, 3);
        assert_int_equal(policy->stages[1].on_failure, STAGE_FAILS_TO_ROLLBACK);
        assert_true(policy->stages[1].has_rollback);
        assert_true(slice_is(policy->stages[1].rollback.command, "back"));
        assert_true(slice_is(policy->stages[2].wait.label_key, "k"));
        assert_int_equal(policy->stages[3].kind, STAGE_EVICT);
        assert_true(
                selector_matches(&policy->selector,
                                 (struct label_list){ 1, &(struct label){ SLICE_LITERAL("a"),
                                                                          SLICE_LITERAL("b") } }));
        eviction_policy_free(policy);
}

#define ONE(stage) "{selector: {}, stages: [{name: x, " stage "}]}"
#define HTTP(url) ONE("kind: http, http: {url: '" url "'}")

static void test_refuses(void **state) {
        static const struct {
                const char *spec, *path; /* NULL = accepted */
        } cases[] = {
                { "{stages: [{name: x, kind: evict}]}", "spec.selector" },
                { "{selector: {}}", "spec.stages" },
                { "{selector: {}, stages: []}", "spec.stages" },
                { ONE("kind: evict"), NULL },
                { "{selector: {}, otherClients: Pass, stages: [{name: x, kind: evict}]}", NULL },
                { "{selector: {}, otherClients: wait, stages: [{name: x, kind: evict}]}",
                  "spec.otherClients" },
                { "{selector: {}, otherClients: 1, stages: [{name: x, kind: evict}]}",
                  "spec.otherClients" },
                { ONE("kind: sleep"), "spec.stages[0].kind" },
                { ONE("kind: evict, timeout: soon"), "spec.stages[0].timeout" },
                { ONE("kind: evict, timeout: 0s"), "spec.stages[0].timeout" },
                { ONE("kind: evict, retries: -1"), "spec.stages[0].retries" },
                { ONE("kind: evict, onFailure: Hope"), "spec.stages[0].onFailure" },
                { ONE("kind: evict, onFailure: Hold"), NULL },
                { ONE("kind: evict, timeout: 1d"), "spec.stages[0].timeout" },
                { ONE("kind: evict, timeout: 3x"), "spec.stages[0].timeout" },
                { ONE("kind: evict, retries: three"), "spec.stages[0].retries" },
                { ONE("kind: wait, wait: {ready: {selector: {}, count: one}}"),
                  "spec.stages[0].wait.ready.count" },
                { "{selector: {}, precedence: high, stages: [{name: x, kind: evict}]}",
                  "spec.precedence" },
                { ONE("kind: wait"), "spec.stages[0].wait" },
                { ONE("kind: exec, exec: {command: ../sh}"), "spec.stages[0].exec.command" },
                { ONE("kind: exec, exec: {command: a/b}"), "spec.stages[0].exec.command" },
                { ONE("kind: http"), "spec.stages[0].http.url" },
                { HTTP("https://far.example.com/x"), NULL },
                { HTTP("http://127.0.0.1:8080/x"), NULL },
                { HTTP("http://[::1]:8080/x"), NULL },
                { HTTP("http://far.example.com/x"), "spec.stages[0].http.url" },
                { HTTP("http://127.0.0.1.example.com/x"), "spec.stages[0].http.url" },
                { HTTP("ftp://127.0.0.1/x"), "spec.stages[0].http.url" },
                { "{selector: {}, stages: [{name: x, kind: evict}, {name: x, kind: evict}]}",
                  "spec.stages[1].name" },
                { "{selector: {}, stages: [{name: x, kind: evict}], rollback: [{stage: y, exec: "
                  "{command: c}}]}",
                  "spec.rollback[0].stage" },
                { "{selector: {}, stages: [{name: x, kind: evict}], onRequestDeadline: Wait}",
                  "spec.onRequestDeadline" },
                { "{selector: {}, stages: [{name: x, kind: evict}], reserve: All}",
                  "spec.reserve" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct eviction_policy *policy = NULL;
                struct err err = { 0 };
                int code = read_policy(cases[i].spec, &policy, &err);

                if (!cases[i].path && code < 0)
                        fail_msg("%s: %s: %s", cases[i].spec, err.path, err.text);
                if (cases[i].path && (code == 0 || strcmp(err.path, cases[i].path) != 0))
                        fail_msg("%s: refused at \"%s\"", cases[i].spec, err.path);
                eviction_policy_free(policy);
        }
}

static void test_order(void **state) {
        struct eviction_policy a = { .name = SLICE_LITERAL("a"), .precedence = 1 };
        struct eviction_policy b = { .name = SLICE_LITERAL("b"), .precedence = 1 };
        struct eviction_policy c = { .name = SLICE_LITERAL("c"), .precedence = 2 };

        (void)state;
        assert_true(eviction_policy_is_before(&a, &b));
        assert_false(eviction_policy_is_before(&b, &a));
        assert_true(eviction_policy_is_before(&c, &a));
}

/* Every policy of the file; how many there are. */
static size_t check_example(const char *name) {
        struct document_list list = { 0 };
        struct buf text = { 0 };
        struct err err = { 0 };
        char path[500], chunk[4096];
        size_t size, count = 0;
        FILE *file;

        snprintf(path, sizeof(path), EXAMPLES "/%s", name);
        file = fopen(path, "re");
        assert_non_null(file);
        while ((size = fread(chunk, 1, sizeof(chunk), file)) > 0)
                buf_append(&text, chunk, size);
        fclose(file);
        if (document_list_read(buf_view(&text), path, &list, &err) < 0)
                fail_msg("%s: %s", path, err.text);
        for (; count < list.count; count++) {
                struct eviction_policy *policy = NULL;

                if (eviction_policy_decode(document_root(list.items[count]), &policy, &err) < 0)
                        fail_msg("%s: %s: %s", path, err.path, err.text);
                eviction_policy_free(policy);
        }
        document_list_release(&list);
        buf_release(&text);
        return count;
}

static void test_examples(void **state) {
        (void)state;
        assert_int_equal(check_example("primary-handover.yaml"), 2);
        assert_int_equal(check_example("drain-cache.yaml"), 1);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_reads),
                cmocka_unit_test(test_refuses),
                cmocka_unit_test(test_order),
                cmocka_unit_test(test_examples),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
