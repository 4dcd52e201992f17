/* Profiles over a registry of made-up plugins: order, weights, arguments, and what is refused in
 * upstream's words. */
#include "fake_plugins.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LIST_MAX 8

/* Lists of names as one would write them, "A:3 B", with weights; the set of one point. */
struct wanted_set {
        enum sched_point point;
        const char *enabled, *disabled;
};

struct wanted {
        struct wanted_set sets[3]; /* enabled NULL and disabled NULL: not given */
        const char *args_of, *args;
};

/* What a spec points to. */
struct given {
        struct arena arena;
        struct json_doc *doc;
        struct plugin_args args;
        struct sched_profile_spec spec;
};

static struct slice next_word(const char **at) {
        while (**at == ' ')
                (*at)++;
        const char *begin = *at;
        while (**at != ' ' && **at != '\0')
                (*at)++;
        return slice_make(begin, (size_t)(*at - begin));
}

static struct plugin_choice choice_of(struct slice word) {
        struct plugin_choice choice = { .name = word };
        for (size_t i = 0; i < word.len; i++) {
                int64_t weight;
                if (word.ptr[i] != ':')
                        continue;
                choice.name.len = i;
                assert_true(slice_to_i64(slice_make(word.ptr + i + 1, word.len - i - 1), &weight));
                choice.weight = (int32_t)weight;
        }
        return choice;
}

static void give_set(struct given *given, const struct wanted_set *wanted) {
        struct plugin_choice *enabled = ARENA_ARRAY(&given->arena, struct plugin_choice, LIST_MAX);
        struct slice *disabled = ARENA_ARRAY(&given->arena, struct slice, LIST_MAX), word;
        struct plugin_set *set = &given->spec.sets[wanted->point];
        *set = (struct plugin_set){ .enabled = enabled, .disabled = disabled };
        for (const char *at = wanted->enabled; at && (word = next_word(&at)).len > 0;)
                enabled[set->enabled_count++] = choice_of(word);
        for (const char *at = wanted->disabled; at && (word = next_word(&at)).len > 0;)
                disabled[set->disabled_count++] = word;
}

static void give(struct given *given, const struct wanted *wanted) {
        *given = (struct given){ 0 };
        arena_init(&given->arena, 0);
        given->spec.scheduler_name = SLICE_LITERAL("mine");
        for (size_t i = 0; i < ARRAY_LEN(wanted->sets); i++)
                if (wanted->sets[i].enabled || wanted->sets[i].disabled)
                        give_set(given, &wanted->sets[i]);
        if (!wanted->args_of)
                return;
        assert_int_equal(json_parse(slice_of(wanted->args), &given->doc, NULL), 0);
        given->args = (struct plugin_args){ slice_of(wanted->args_of), json_doc_root(given->doc) };
        given->spec.args = &given->args;
        given->spec.args_count = 1;
}

static void take_back(struct given *given) {
        json_doc_free(given->doc);
        arena_release(&given->arena);
}

static const struct profile_env env = { .registry = fake_registry };

static void names_at(const struct sched_profile *profile, enum sched_point point, struct buf *out) {
        for (size_t i = 0; i < profile->points[point].count; i++)
                buf_printf(out, "%s%s", i > 0 ? " " : "",
                           profile->plugins[profile->points[point].plugins[i]].plugin->name);
        buf_text(out, "");
}

#define ALL(list)                                                                                  \
        { POINT_MULTI, list, "*" }
#define EVERYTHING ALL("Sort A B C Bind")

/* ---- order ---- */

static void test_order(void **state) {
        static const struct {
                const char *name;
                struct wanted wanted;
                enum sched_point point;
                const char *plugins;
        } cases[] = {
                { "as enabled everywhere", { { ALL("Sort C A B Bind") } }, POINT_FILTER, "C A B" },
                { "only who extends it", { { EVERYTHING } }, POINT_QUEUE_SORT, "Sort" },
                { "who only declares it", { { EVERYTHING } }, POINT_BIND, "Bind" },
                { "those named at the point and everywhere first",
                  { { EVERYTHING, { POINT_FILTER, "C", NULL } } },
                  POINT_FILTER,
                  "C A B" },
                { "in the order of the point",
                  { { EVERYTHING, { POINT_FILTER, "C B", NULL } } },
                  POINT_FILTER,
                  "C B A" },
                { "those named at the point alone last",
                  { { ALL("Sort A Bind"), { POINT_FILTER, "C B", NULL } } },
                  POINT_FILTER,
                  "A C B" },
                { "one disabled",
                  { { EVERYTHING, { POINT_FILTER, NULL, "B" } } },
                  POINT_FILTER,
                  "A C" },
                { "disabled there only",
                  { { EVERYTHING, { POINT_FILTER, NULL, "B" } } },
                  POINT_SCORE,
                  "A B C" },
                { "all disabled",
                  { { EVERYTHING, { POINT_FILTER, NULL, "*" } } },
                  POINT_FILTER,
                  "" },
                { "all disabled but one",
                  { { EVERYTHING, { POINT_FILTER, "B", "*" } } },
                  POINT_FILTER,
                  "B" },
                { "disabled and enabled again",
                  { { EVERYTHING, { POINT_FILTER, "A", "A" } } },
                  POINT_FILTER,
                  "B C A" },
        };
        (void)state;
        fakes_reset();
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct given given;
                struct sched_profile *profile;
                struct buf names = { 0 };
                struct err err = { 0 };
                give(&given, &cases[i].wanted);
                if (sched_profile_new(&given.spec, &env, &profile, &err) < 0)
                        fail_msg("%s: %s", cases[i].name, err.text);
                names_at(profile, cases[i].point, &names);
                if (strcmp(names.data, cases[i].plugins) != 0)
                        fail_msg("%s: %s", cases[i].name, names.data);
                buf_release(&names);
                sched_profile_free(profile);
                take_back(&given);
        }
        assert_int_equal(fake_open, 0);
}

static void test_weights(void **state) {
        static const struct wanted wanted = { { ALL("Sort A:4 B C:2 Bind"),
                                                { POINT_SCORE, "C:7", NULL } } };
        struct given given;
        struct sched_profile *profile;
        (void)state;
        fakes_reset();
        give(&given, &wanted);
        assert_int_equal(sched_profile_new(&given.spec, &env, &profile, NULL), 0);
        assert_int_equal(sched_profile_find(profile, SLICE_LITERAL("A"))->weight, 4);
        assert_int_equal(sched_profile_find(profile, SLICE_LITERAL("B"))->weight, 1);
        assert_int_equal(sched_profile_find(profile, SLICE_LITERAL("C"))->weight, 7);
        assert_null(sched_profile_find(profile, SLICE_LITERAL("D")));
        assert_int_equal(profile->wakes_on, 3); /* of A and B */
        assert_true(slice_is(profile->scheduler_name, "mine"));
        assert_int_equal(profile->percentage_of_nodes, -1);
        sched_profile_free(profile);
        take_back(&given);
}

/* ---- what is refused ---- */

static const struct refusal {
        const char *name;
        struct wanted wanted;
        const char *text;
} refusals[] = {
        { "unknown everywhere",
          { { ALL("Sort Nobody Bind") } },
          "PreEnqueuePlugin \"Nobody\" does not exist" },
        { "nearly known",
          { { EVERYTHING, { POINT_SCORE, "Elsewher", NULL } } },
          "ScorePlugin \"Elsewher\" does not exist; did you mean \"Elsewhere\"?" },
        { "several",
          { { EVERYTHING, { POINT_SCORE, "Nobody Sort", NULL } }, "C", "{\"limits\":3}" },
          "3 problems: [pluginConfig[0].args.limits: args for plugin C: unknown field; did "
          "you mean \"limit\"?, plugins.score.enabled[0].name: ScorePlugin \"Nobody\" does "
          "not exist, plugins.score.enabled[1].name: plugin \"Sort\" does not extend "
          "ScorePlugin plugin]" },
        { "missing once for all points",
          { { ALL("Sort Nobody A A Bind") } },
          "2 problems: [plugins.multiPoint.enabled[1].name: PreEnqueuePlugin \"Nobody\" "
          "does not exist, plugins.multiPoint.enabled[3].name: plugin \"A\" already "
          "registered as \"PreEnqueuePlugin\"]" },
        { "unknown at a point",
          { { EVERYTHING, { POINT_SCORE, "Nobody", NULL } } },
          "ScorePlugin \"Nobody\" does not exist" },
        { "of another family",
          { { EVERYTHING, { POINT_SCORE, "Elsewhere", NULL } } },
          "plugin \"Elsewhere\" does not extend ScorePlugin plugin" },
        { "without the point",
          { { EVERYTHING, { POINT_FILTER, "Sort", NULL } } },
          "plugin \"Sort\" does not extend FilterPlugin plugin" },
        { "twice at a point",
          { { EVERYTHING, { POINT_FILTER, "A A", NULL } } },
          "plugin \"A\" already registered as \"FilterPlugin\"" },
        { "twice everywhere",
          { { ALL("Sort A A Bind") } },
          "plugin \"A\" already registered as \"PreEnqueuePlugin\"" },
        { "no queue sort", { { ALL("A Bind") } }, "only one queue sort plugin required" },
        { "no bind", { { ALL("Sort A") } }, "at least one bind plugin is needed" },
        { "a weight below 0",
          { { EVERYTHING, { POINT_SCORE, "A:-1", NULL } } },
          "total score of Score plugins could overflow" },
        { "unknown argument", { { EVERYTHING }, "C", "{\"limits\":3}" }, "args for plugin C: " },
        { "wrong type", { { EVERYTHING }, "C", "{\"limit\":\"three\"}" }, "args for plugin C: " },
        { "another plugin's kind",
          { { EVERYTHING }, "C", "{\"kind\":\"AArgs\"}" },
          "args for plugin C were not of type CArgs" },
        { "another version",
          { { EVERYTHING }, "C", "{\"apiVersion\":\"v1\",\"kind\":\"CArgs\"}" },
          "expected kubescheduler.config.k8s.io/v1" },
        { "against its own rule",
          { { EVERYTHING }, "C", "{\"limit\":3,\"floor\":4}" },
          "above the limit" },
        { "arguments of one that is not enabled",
          { { ALL("Sort A Bind") }, "C", "{\"limit\":3,\"floor\":4}" },
          "above the limit" },
};

static void test_refusals(void **state) {
        (void)state;
        fakes_reset();
        for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
                struct given given;
                struct sched_profile *profile = NULL;
                struct err err = { 0 };
                give(&given, &refusals[i].wanted);
                if (sched_profile_new(&given.spec, &env, &profile, &err) == 0)
                        fail_msg("%s: accepted", refusals[i].name);
                if (!strstr(err.text, refusals[i].text) ||
                    !strstr(err.text, "creating profile for scheduler name mine"))
                        fail_msg("%s: %s", refusals[i].name, err.text);
                take_back(&given);
                assert_int_equal(fake_open, 0); /* those that were made are given back */
        }
}

static void test_good_args(void **state) {
        static const char *const texts[] = {
                "{}",
                "{\"limit\":3,\"floor\":3}",
                "{\"apiVersion\":\"kubescheduler.config.k8s.io/v1\",\"kind\":\"CArgs\"}",
        };
        (void)state;
        fakes_reset();
        for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
                const struct wanted wanted = { { EVERYTHING }, "C", texts[i] };
                struct given given;
                struct sched_profile *profile;
                struct err err = { 0 };
                give(&given, &wanted);
                if (sched_profile_new(&given.spec, &env, &profile, &err) < 0)
                        fail_msg("%s: %s", texts[i], err.text);
                sched_profile_free(profile);
                take_back(&given);
        }
}

static void test_an_instance_that_fails(void **state) {
        static const struct wanted wanted = { { EVERYTHING } };
        struct given given;
        struct sched_profile *profile;
        struct err err = { 0 };
        (void)state;
        fakes_reset();
        fakes[1].init_fails = true;
        give(&given, &wanted);
        assert_true(sched_profile_new(&given.spec, &env, &profile, &err) < 0);
        assert_non_null(strstr(err.text, "initializing plugin \"B\": told to"));
        assert_int_equal(fake_open, 0);
        take_back(&given);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_order),
                cmocka_unit_test(test_weights),
                cmocka_unit_test(test_refusals),
                cmocka_unit_test(test_good_args),
                cmocka_unit_test(test_an_instance_that_fails),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
