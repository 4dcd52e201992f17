/* Scenarios: what is refused, and that steps wait, count, tell and fail as written. */
#include "cmd/scenario.h"

#include "base/util.h"
#include "loop/event_loop.h"
#include "sandbox/sandbox.h"
#include "sandbox/sandbox_import.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "apiVersion: berth.dev/v1alpha1\nkind: Scenario\nsteps:\n"

struct read_result {
        struct arena arena;
        struct document *document;
        struct config_problems *problems;
        struct scenario scenario;
        bool is_good;
        struct err err;
};

static struct read_result *read_text(const char *text) {
        struct read_result *result = xcalloc(1, sizeof(*result));
        struct field_reader reader = { 0 };

        arena_init(&result->arena, 0);
        result->problems = config_problems_new();
        assert_int_equal(document_read(slice_of(text), "s.yaml", &result->document, &result->err),
                         0);
        reader.arena = &result->arena;
        reader.document = result->document;
        reader.problems = result->problems;
        result->is_good =
                scenario_decode(&reader, document_root(result->document), &result->scenario);
        config_problems_to_err(result->problems, &result->err);
        return result;
}

static void drop(struct read_result *result) {
        config_problems_free(result->problems);
        document_free(result->document);
        arena_release(&result->arena);
        free(result);
}

static void refuses(void **state) {
        static const struct {
                const char *text, *expected;
        } cases[] = {
                { HEAD "- {after: -1s}\n", "steps[0].after" },
                { HEAD "- {settled: perhaps}\n", "steps[0].settled" },
                { HEAD "- {create: {kind: Pod}}\n", "expected a list of objects, found object" },
                { HEAD "- {patch: [{apiVersion: v1, kind: Node, name: n}]}\n",
                  "steps[0].patch[0].patch" },
                { HEAD "- {delete: [{apiVersion: v1, name: n}]}\n", "steps[0].delete[0].kind" },
                { HEAD "- {delete: [{apiVersion: v1, kind: Pod, name: n, patch: {}}]}\n",
                  "steps[0].delete[0].patch" },
                { "apiVersion: berth.dev/v1alpha1\nkind: Scenario\n", "steps" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct read_result *result = read_text(cases[i].text);
                char text[ERR_TEXT_MAX * 2];

                assert_false(result->is_good);
                err_format(&result->err, text, sizeof(text));
                if (!strstr(text, cases[i].expected))
                        fail_msg("case %zu: expected %s in: %s", i, cases[i].expected, text);
                drop(result);
        }
}

struct run_world {
        char lines[1024];
        int settled_asked;
        struct err failure;
};

static bool is_settled(void *context) {
        return ++((struct run_world *)context)->settled_asked > 2;
}

static void said(void *context, struct slice text) {
        struct run_world *world = context;
        size_t used = strlen(world->lines);

        snprintf(world->lines + used, sizeof(world->lines) - used, SLICE_FMT "\n", SLICE_ARG(text));
}

static int count(void *context, const struct scenario_count *what, size_t *ret_count,
                 struct err *err) {
        (void)context;
        (void)what;
        (void)err;
        *ret_count = 5;
        return 0;
}

static void failed(void *context, const struct err *err) {
        ((struct run_world *)context)->failure = *err;
}

/* Runs a scenario against a bare sandbox until it is over. */
static struct run_world run(const char *text) {
        struct run_world world = { 0 };
        struct read_result *result = read_text(text);
        struct event_loop *events = NULL;
        struct sandbox *sandbox = NULL;
        struct sandbox_import *import;
        struct scenario_run *scenario;
        struct err err = { 0 };

        assert_true(result->is_good);
        assert_int_equal(event_loop_new(&events, &err), 0);
        assert_int_equal(sandbox_start(&(struct sandbox_config){ .controllers = "none" },
                                       event_loop_as_loop(events), &sandbox, &err),
                         0);
        import = sandbox_import_new(sandbox);
        scenario = scenario_run_new(&result->scenario, event_loop_as_loop(events), import,
                                    &(struct scenario_events){ .context = &world,
                                                               .is_settled = is_settled,
                                                               .said = said,
                                                               .count = count,
                                                               .failed = failed });
        for (int i = 0; i < 1000 && !scenario_run_is_over(scenario); i++)
                event_loop_run_once(events, 10 * NS_PER_MS, &err);
        assert_true(scenario_run_is_over(scenario));
        scenario_run_free(scenario);
        sandbox_import_free(import);
        sandbox_stop(sandbox);
        event_loop_run_once(events, 0, NULL);
        event_loop_free(events);
        drop(result);
        return world;
}

static void runs_its_steps(void **state) {
        struct run_world world =
                run(HEAD "- say: one\n"
                         "  create: [{apiVersion: v1, kind: Namespace, metadata: {name: x}}]\n"
                         "- after: 1ms\n"
                         "  settled: true\n"
                         "  count: [{what: things}]\n"
                         "  say: two\n"
                         "  patch: [{apiVersion: v1, kind: Namespace, name: x, patch: {metadata: "
                         "{labels: {a: b}}}}]\n"
                         "- say: three\n"
                         "  delete: [{apiVersion: v1, kind: Namespace, name: x}]\n");

        (void)state;
        assert_int_equal(world.failure.code, 0);
        assert_string_equal(world.lines, "one\n  things: 5\ntwo\nthree\n");
        assert_int_equal(world.settled_asked, 3);
}

static void ends_at_a_failure(void **state) {
        struct run_world world = run(HEAD "- say: one\n"
                                          "- delete: [{apiVersion: v1, kind: Pod, name: nobody}]\n"
                                          "- say: never\n");

        (void)state;
        assert_int_equal(world.failure.code, BERTH_ERR_NOT_FOUND);
        assert_non_null(strstr(world.failure.text, "scenario step 2"));
        assert_string_equal(world.lines, "one\n");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(refuses),
                cmocka_unit_test(runs_its_steps),
                cmocka_unit_test(ends_at_a_failure),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
