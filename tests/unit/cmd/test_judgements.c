/* berth plan and berth explain on files: exit codes of --fail-on and --expect, and that text, JSON
 * and YAML say the same. */
#include "printed.h"

#include "base/util.h"
#include "cmd/command.h"
#include "config/document.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define OLD_POD(name)                                                                              \
        "---\napiVersion: v1\nkind: Pod\n"                                                         \
        "metadata: {name: " name ", uid: " name ", creationTimestamp: \"2026-01-01T00:00:00Z\", "  \
        "ownerReferences: [{kind: ReplicaSet, name: r, uid: r}]}\n"                                \
        "spec: {nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: "       \
        "1}}}]}\n"                                                                                 \
        "status: {phase: Running}\n"
#define NEW_POD(name, cpu)                                                                         \
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name ", uid: " name "}\n"              \
        "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: " cpu "}}}]}\n"

/* Two nodes, of which one is tainted; two old pods; big fits nowhere, small on n1. */
static const char cluster[] =
        "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
        "status: {capacity: {cpu: 4, memory: 8Gi, pods: 110}}\n"
        "---\napiVersion: v1\nkind: Node\nmetadata: {name: n2}\n"
        "spec: {taints: [{key: dedicated, value: ml, effect: NoSchedule}]}\n"
        "status: {capacity: {cpu: 8, memory: 8Gi, pods: 110}}\n" OLD_POD("old-1") OLD_POD("old-2")
                NEW_POD("big", "3") NEW_POD("small", "500m");
#define POLICY(limit)                                                                              \
        "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n" limit                        \
        "profiles:\n- name: tidy\n  pluginConfig:\n  - {name: DefaultEvictor, args: {}}\n"         \
        "  - {name: PodLifeTime, args: {maxPodLifeTimeSeconds: 60}}\n"                             \
        "  plugins: {deschedule: {enabled: [PodLifeTime]}}\n"

static char folder[] = "/tmp/berth-judgements-XXXXXX";
static char policy_path[64], other_path[64], page_path[64];

static void write_text(const char *path, const char *text) {
        FILE *file = fopen(path, "w");

        assert_non_null(file);
        assert_true(fputs(text, file) >= 0);
        assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state) {
        (void)state;
        assert_non_null(mkdtemp(folder));
        snprintf(policy_path, sizeof(policy_path), "%s/policy.yaml", folder);
        snprintf(other_path, sizeof(other_path), "%s/other.yaml", folder);
        snprintf(page_path, sizeof(page_path), "%s/plan.html", folder);
        write_text(policy_path, POLICY(""));
        write_text(other_path, POLICY("maxNoOfPodsToEvictTotal: 1\n"));
        return 0;
}

static int remove_folder(void **state) {
        (void)state;
        unlink(policy_path);
        unlink(other_path);
        unlink(page_path);
        return rmdir(folder);
}

/* The command on the cluster; more: further words, NULL-ended. */
static void judge(const char *command, const char *const *more, struct printed *ret_printed) {
        const char *words[WORDS_MAX + 1] = { command, "--objects", "-", "--now",
                                             "2026-01-02T00:00:00Z" };
        size_t count = 5;

        if (strcmp(command, "plan") == 0) {
                words[count++] = "--policy";
                words[count++] = policy_path;
        }
        for (; *more; more++) {
                assert_true(count < WORDS_MAX);
                words[count++] = *more;
        }
        printed_run(NULL, words, cluster, ret_printed);
}

static void ends_with_code(const char *command, const char *const *more, int code,
                           const char *text) {
        struct printed printed;

        judge(command, more, &printed);
        if (printed.code != code ||
            (!printed_has(&printed.out, text) && !printed_has(&printed.err, text)))
                fail_msg("%s %s %s: code %d, no \"%s\" in: %s%s", command, more[0],
                         more[0] ? more[1] : "", printed.code, text, printed.out.data,
                         printed.err.data);
        printed_release(&printed);
}

struct judgement {
        const char *more[5];
        int code;
        const char *text;
};

static void plan_fails_on(void **state) {
        static const struct judgement cases[] = {
                { { NULL }, EXIT_DONE, "2 eviction(s)" },
                { { "--fail-on", "any" }, EXIT_JUDGED_NO, "2 eviction(s)" },
                { { "--fail-on", "1" }, EXIT_JUDGED_NO, "2 eviction(s)" },
                { { "--fail-on", "2" }, EXIT_JUDGED_NO, "2 eviction(s)" },
                { { "--fail-on", "3" }, EXIT_DONE, "2 eviction(s)" },
                { { "--fail-on", "evictions>1" }, EXIT_JUDGED_NO, "2 eviction(s)" },
                { { "--fail-on", "evictions>2" }, EXIT_DONE, "2 eviction(s)" },
                { { "--fail-on", "evictions>0", "-o", "json" }, EXIT_JUDGED_NO, "\"evictions\"" },
                { { "--fail-on", "0" }, EXIT_USAGE, "option --fail-on: expected" },
                { { "--fail-on", "-1" }, EXIT_USAGE, "option --fail-on: expected" },
                { { "--fail-on", "evictions>" }, EXIT_USAGE, "option --fail-on: expected" },
                { { "--fail-on", "evictions>x" }, EXIT_USAGE, "option --fail-on: expected" },
                { { "--fail-on", "2pods" }, EXIT_USAGE, "option --fail-on: expected" },
                { { "--compare", other_path, "--fail-on", "evictions>1" },
                  EXIT_DONE,
                  "1 eviction(s) in both, 1 only in A, 0 only in B" },
                { { "--compare", other_path, "--fail-on", "any" },
                  EXIT_JUDGED_NO,
                  "1 eviction(s) in both, 1 only in A, 0 only in B" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                ends_with_code("plan", cases[i].more, cases[i].code, cases[i].text);
}

#define WHY_POD(name, owner, more)                                                                 \
        "---\napiVersion: v1\nkind: Pod\n"                                                         \
        "metadata: {name: " name ", uid: " name                                                    \
        ", creationTimestamp: \"2026-01-01T00:00:00Z\"," owner "}\nspec: {nodeName: n1," more      \
        "containers: [{name: c, image: i}]}\nstatus: {phase: Running}\n"
#define OWNED " ownerReferences: [{kind: ReplicaSet, name: r, uid: r}]"
#define WHY_POLICY(limit, age)                                                                     \
        "---\napiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n" limit                   \
        "profiles:\n- name: tidy\n  pluginConfig:\n"                                               \
        "  - {name: DefaultEvictor, args: {nodeFit: true}}\n"                                      \
        "  - {name: RemovePodsViolatingNodeTaints}\n"                                              \
        "  - {name: HighNodeUtilization, args: {thresholds: {pods: 20}}}\n"                        \
        "  - {name: PodLifeTime, args: {maxPodLifeTimeSeconds: " age "}}\n"                        \
        "  plugins:\n    deschedule: {enabled: [PodLifeTime, RemovePodsViolatingNodeTaints]}\n"    \
        "    balance: {enabled: [HighNodeUtilization]}\n"

/* The policy comes in the same stream as the objects. */
static void plan_says_why_nothing_happens(void **state) {
        static const char nodes[] = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
                                    "status: {capacity: {cpu: 4, memory: 8Gi, pods: 110}}\n";
        static const struct {
                const char *objects, *policy;
                const char *format;
                const char *text;
        } cases[] = {
                { WHY_POD("a", OWNED, ""), WHY_POLICY("", "90000"), "text",
                  "PodLifeTime                    1: too young, the first is due in 60m" },
                { WHY_POD("a", OWNED, ""), WHY_POLICY("", "90000"), "json", "\"tooYoung\": 1" },
                { WHY_POD("a", OWNED, ""), WHY_POLICY("", "90000"), "json",
                  "\"due\": \"2026-01-02T01:00:01Z\"" },
                { WHY_POD("a", OWNED, ""), WHY_POLICY("", "90000"), "text",
                  "HighNodeUtilization            of 1 nodes 1 are below all thresholds" },
                { WHY_POD("a", OWNED, ""), WHY_POLICY("", "90000"), "text",
                  "RemovePodsViolatingNodeTaints  no pod matches" },
                { WHY_POD("a", OWNED, "") WHY_POD("b", OWNED, ""), WHY_POLICY("", "60"), "text",
                  "2: pod does not fit on any other node" },
                { WHY_POD("a", "", "") WHY_POD("b", OWNED, "volumes: [{name: v, emptyDir: {}}],")
                          WHY_POD("c", "", ""),
                  WHY_POLICY("", "60"), "text",
                  "PodLifeTime                    2: pod does not have any ownerRefs\n" },
                { WHY_POD("a", "", "") WHY_POD("b", OWNED, "volumes: [{name: v, emptyDir: {}}],")
                          WHY_POD("c", "", ""),
                  WHY_POLICY("", "60"), "json", "\"cause\": \"pod has local storage\"" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                static const char *const words[] = {
                        "plan", "--objects", "-", "--now", "2026-01-02T00:00:00Z", "-o"
                };
                const char *all[WORDS_MAX + 1] = { NULL };
                CLEANUP(buf_release) struct buf text = { 0 };
                struct printed printed;

                memcpy(all, words, sizeof(words));
                all[ARRAY_LEN(words)] = cases[i].format;
                buf_printf(&text, "%s%s%s", nodes, cases[i].objects, cases[i].policy);
                printed_run(NULL, all, text.data, &printed);
                if (printed.code != EXIT_DONE || !printed_has(&printed.out, cases[i].text))
                        fail_msg("%zu: no \"%s\" in: %s%s", i, cases[i].text, printed.out.data,
                                 printed.err.data);
                printed_release(&printed);
        }
}

/* Of one pod: which rule waits for it, and which looks at none. */
static void explain_says_what_waits(void **state) {
        static const char *const words[WORDS_MAX + 1] = {
                "explain", "--objects", "-", "--now", "2026-01-02T00:00:00Z", "a"
        };
        static const char *const texts[] = {
                "PodLifeTime of profile tidy selects it, but: too young, due in 60m",
                "HighNodeUtilization of profile tidy looks at no pod: of 1 nodes 1 are below",
        };
        CLEANUP(buf_release) struct buf text = { 0 };
        struct printed printed;

        (void)state;
        buf_text(&text, "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
                        "status: {capacity: {cpu: 4, memory: 8Gi, pods: 110}}\n");
        buf_text(&text, WHY_POD("a", OWNED, "") WHY_POLICY("", "90000"));
        printed_run(NULL, words, text.data, &printed);
        for (size_t i = 0; i < ARRAY_LEN(texts); i++)
                if (!printed_has(&printed.out, texts[i]))
                        fail_msg("no \"%s\" in: %s%s", texts[i], printed.out.data,
                                 printed.err.data);
        printed_release(&printed);
}

static void plan_writes_a_page(void **state) {
        CLEANUP(buf_release) struct buf page = { 0 };
        char block[65536];
        FILE *file;

        (void)state;
        ends_with_code("plan", (const char *const[]){ "--html", page_path, NULL }, EXIT_DONE,
                       "2 eviction(s)");
        file = fopen(page_path, "r");
        assert_non_null(file);
        buf_append(&page, block, fread(block, 1, sizeof(block), file));
        fclose(file);
        assert_true(printed_has(&page, "old-1"));
        assert_true(printed_has(&page, "</html>"));
        assert_false(printed_has(&page, "<script"));
        ends_with_code("plan", (const char *const[]){ "--html", "/nonexistent/x", NULL },
                       EXIT_FAILED, "/nonexistent/x");
}

static void explain_expects(void **state) {
        static const struct judgement cases[] = {
                { { "--pod", "small" }, EXIT_DONE, "Goes to n1" },
                { { "--pod", "small", "--expect", "n1" }, EXIT_DONE, "Goes to n1" },
                { { "--pod", "small", "--expect", "n2" }, EXIT_JUDGED_NO, "Goes to n1" },
                { { "--pod", "small", "--expect", "pending" }, EXIT_JUDGED_NO, "Goes to n1" },
                { { "--pod", "default/big", "--expect", "pending" },
                  EXIT_DONE,
                  "1 Insufficient cpu" },
                { { "--pod", "big", "--expect", "n1" }, EXIT_JUDGED_NO, "1 Insufficient cpu" },
                { { "--pod", "big", "--pod", "small" }, EXIT_DONE, "Goes to n1" },
                { { "--expect", "pending" }, EXIT_JUDGED_NO, "default/big" }, /* small does not */
                { { "--pod", "nobody" }, EXIT_FAILED, "nobody" },
                { { "--pod", "big", "--node", "nowhere" }, EXIT_FAILED, "nowhere" },
                { { "--pod", "big", "--node", "n1" }, EXIT_DONE, "Insufficient cpu" },
                { { "--pod", "old-1", "--policy", policy_path }, EXIT_DONE, "PodLifeTime" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                ends_with_code("explain", cases[i].more, cases[i].code, cases[i].text);
}

/* ---- forms ---- */

static struct document *read_form(const char *command, const char *const *more, const char *form) {
        const char *words[8] = { "-o", form };
        struct document *document = NULL;
        struct printed printed;
        struct err err = { 0 };

        for (size_t i = 0; more[i]; i++)
                words[i + 2] = more[i];
        judge(command, words, &printed);
        if (printed.code != EXIT_DONE)
                fail_msg("%s: code %d: %s", command, printed.code, printed.err.data);
        if (document_read(buf_view(&printed.out), form, &document, &err) < 0)
                fail_msg("%s -o %s:%d: %s", command, form, err.line, err.text);
        printed_release(&printed);
        return document;
}

/* Both forms hold the same values; returns those of JSON. */
static struct document *same_in_both_forms(const char *command, const char *const *more) {
        struct document *json = read_form(command, more, "json");
        struct document *yaml = read_form(command, more, "yaml");

        assert_true(document_is_json(json));
        assert_false(document_is_json(yaml));
        assert_true(json_equal(document_root(json), document_root(yaml)));
        document_free(yaml);
        return json;
}

static void plan_forms_agree(void **state) {
        CLEANUP(cleanup_document)
        struct document *plan = same_in_both_forms("plan", (const char *const[]){ NULL });
        struct json_iter iter = json_iter(json_get(document_root(plan), "evictions"));
        const struct json *eviction;
        struct printed printed;

        (void)state;
        assert_int_equal(json_get_i64(document_root(plan), "nodes", 0), 2);
        assert_int_equal(json_count(json_get(document_root(plan), "evictions")), 2);
        judge("plan", (const char *const[]){ "-o", "text", NULL }, &printed);
        while (json_next(&iter, NULL, &eviction)) { /* whatever is in one is in the other */
                char name[64];

                snprintf(name, sizeof(name), "default/" SLICE_FMT,
                         SLICE_ARG(json_get_text(eviction, "name")));
                assert_true(printed_has(&printed.out, name));
                assert_true(slice_is(json_get_text(eviction, "plugin"), "PodLifeTime"));
                assert_true(slice_is(json_get_text(eviction, "landing"), "n1"));
        }
        printed_release(&printed);
}

static void explain_forms_agree(void **state) {
        CLEANUP(cleanup_document)
        struct document *explanation =
                same_in_both_forms("explain", (const char *const[]){ "--pod", "small", NULL });
        const struct json *pod = json_at(json_get(document_root(explanation), "pods"), 0);

        (void)state;
        assert_true(slice_is(json_get_text(pod, "pod"), "default/small"));
        assert_true(slice_is(json_get_text(pod, "decision"), "scheduled"));
        assert_true(slice_is(json_get_text(pod, "chosen"), "n1"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(plan_fails_on),
                cmocka_unit_test(plan_says_why_nothing_happens),
                cmocka_unit_test(explain_says_what_waits),
                cmocka_unit_test(plan_writes_a_page),
                cmocka_unit_test(explain_expects),
                cmocka_unit_test(plan_forms_agree),
                cmocka_unit_test(explain_forms_agree),
        };

        return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
