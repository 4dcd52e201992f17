/* The policies in examples/policies: each is accepted, and does what its comments promise. */
#include "desched/descheduler.h"

#include "base/util.h"
#include "config/descheduler_policy.h"
#include "plugins/desched/registry.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct wall_time now = { 1768003200LL * NS_PER_S }; /* 2026-01-10 */

struct pod_line {
        const char *name, *meta, *phase, *status;
        int finished_hours_ago;
};
#define PODS_MAX 8
struct example {
        const char *file;
        struct pod_line pods[PODS_MAX];
        const char *deleted, *reported;
};

#define STEP(done)                                                                                 \
        "'labels':{'workflows.argoproj.io/workflow':'w','workflows.argoproj.io/completed':'" done  \
        "','pipeline/runid':'r'}"
#define JOB(more) "'ownerReferences':[{'kind':'Job','name':'j','uid':'j','controller':true}]" more
#define INDEX ",'labels':{'batch.kubernetes.io/job-completion-index':'0'}"

static const struct example examples[] = {
        { "argo-workflows.yaml",
          { { "running-flow", STEP("false"), "Succeeded", NULL, 9 },
            { "one-of-ten", STEP("true"), "Succeeded", NULL, 9 },
            { "other", "'labels':{}", "Succeeded", NULL, 99 } },
          "",
          "" },
        { "kubeflow-pipelines.yaml",
          { { "a", STEP("true"), "Succeeded", NULL, 9 },
            { "b", STEP("true"), "Succeeded", NULL, 8 },
            { "c", STEP("true"), "Succeeded", NULL, 7 },
            { "d", STEP("true"), "Succeeded", NULL, 6 },
            { "e", STEP("false"), "Succeeded", NULL, 90 },
            { "f", STEP("true"), "Failed", NULL, 9 },
            { "unread", STEP("true") ",'finalizers':['workflows.argoproj.io/status']", "Succeeded",
              NULL, 99 } },
          "a", /* unread is older, but Argo has not read it */
          "" },
        { "indexed-jobs.yaml",
          { { "invalid", JOB(""), "Failed",
              "'initContainerStatuses':[{'name':'i','state':{'terminated':{'exitCode':42}}}]", 0 },
            { "killed", JOB(""), "Failed",
              "'containerStatuses':[{'name':'c','state':{'terminated':{'exitCode':137}}}]", 0 },
            { "uncounted", JOB(INDEX ",'finalizers':['batch.kubernetes.io/job-tracking']"),
              "Succeeded", NULL, 99 },
            { "index", JOB(INDEX), "Succeeded", NULL, 25 },
            { "fresh-index", JOB(INDEX), "Succeeded", NULL, 23 },
            { "ttl", JOB(",'labels':{'cleanup':'job'}"), "Succeeded", NULL, 99 },
            { "first", JOB(""), "Succeeded", NULL, 9 },
            { "last", JOB(""), "Succeeded", NULL, 8 } },
          "invalid index first",
          "killed" },
        { "batch-namespaces.yaml",
          { { "a", "'namespace':'ml'", "Succeeded", NULL, 9 },
            { "b", "'namespace':'ml'", "Failed", NULL, 8 },
            { "c", "'namespace':'ml'", "Succeeded", NULL, 7 },
            { "d", "'namespace':'ml'", "Succeeded", NULL, 6 },
            { "p", "'namespace':'prod'", "Succeeded", NULL, 99 },
            { "old", "'namespace':'x'", "Succeeded", NULL, 25 },
            { "job", "'namespace':'x'," JOB(""), "Succeeded", NULL, 25 } },
          "a old",
          "" },
};

/* ---- a sink that writes down ---- */

struct notes {
        struct buf deleted, reported, evicted;
};

static void begin_pass(void *context, const struct evict_pass *pass) {
        (void)context;
        (void)pass;
}

static enum evict_outcome ask(void *context, const struct evict_intent *intent) {
        struct notes *notes = context;
        struct buf *const texts[] = { [EVICT_WAY_EVICT] = &notes->evicted,
                                      [EVICT_WAY_DELETE] = &notes->deleted,
                                      [EVICT_WAY_REPORT] = &notes->reported };
        struct buf *text = texts[intent->way];
        buf_printf(text, "%s" SLICE_FMT, text->len > 0 ? " " : "", SLICE_ARG(intent->pod.name));
        return EVICT_DONE;
}

/* ---- cluster ---- */

static void apply(struct cluster *cluster, enum object_kind kind, struct buf *text) {
        struct json_doc *doc = NULL;
        for (size_t i = 0; i < text->len; i++)
                if (text->data[i] == '\'')
                        text->data[i] = '"';
        assert_int_equal(json_parse(buf_view(text), &doc, NULL), 0);
        assert_int_equal(cluster_apply(cluster, kind, CHANGE_ADDED, json_doc_root(doc), NULL), 0);
        json_doc_free(doc);
        buf_release(text);
}

static void add_pod(struct cluster *cluster, const struct pod_line *pod) {
        struct buf text = { 0 };
        char finished[WALL_TIME_TEXT_MAX];
        wall_time_format((struct wall_time){ now.ns - pod->finished_hours_ago * 3600LL * NS_PER_S },
                         finished);
        buf_printf(&text, "{'metadata':{'name':'%s','uid':'%s',%s", pod->name, pod->name,
                   pod->meta);
        if (!strstr(pod->meta, "'namespace'"))
                buf_text(&text, ",'namespace':'d'");
        buf_printf(&text,
                   ",'creationTimestamp':'2026-01-01T00:00:00Z'},'spec':{'nodeName':'gone',"
                   "'containers':[{'name':'c'}]},'status':{'phase':'%s','conditions':[{'type':"
                   "'Ready','status':'False','lastTransitionTime':'%s'}]",
                   pod->phase, finished);
        if (pod->status)
                buf_printf(&text, ",%s", pod->status);
        buf_text(&text, "}}");
        apply(cluster, OBJECT_POD, &text);
}

static struct cluster *make_cluster(const struct example *example) {
        struct cluster *cluster = cluster_new(
                &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
        struct buf node = { 0 };
        buf_text(&node, "{'metadata':{'name':'n1'},'status':{'allocatable':{'pods':'9'}}}");
        apply(cluster, OBJECT_NODE, &node);
        for (size_t i = 0; i < PODS_MAX && example->pods[i].name; i++)
                add_pod(cluster, &example->pods[i]);
        return cluster;
}

static struct descheduler_policy *read_policy(const char *name, struct config_problems *problems) {
        char path[512], *text;
        snprintf(path, sizeof(path), EXAMPLES "/%s", name);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        text = xcalloc(1, 1 << 16);
        assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
        fclose(file);
        struct descheduler_policy *policy =
                descheduler_policy_read(slice_of(text), path, false, problems);
        free(text);
        return policy;
}

static void run(const struct example *example) {
        struct notes notes = { 0 };
        struct config_problems *problems = config_problems_new();
        struct cluster *cluster = make_cluster(example);
        struct descheduler_policy *policy = read_policy(example->file, problems);
        struct descheduler *descheduler = NULL;
        struct err err = { 0 };
        assert_non_null(policy);
        const struct descheduler_config config = { .cluster = cluster,
                                                   .policy = policy,
                                                   .registry = desched_registry,
                                                   .sink = { &notes, begin_pass, ask } };
        if (descheduler_new(&config, problems, &descheduler, &err) < 0)
                fail_msg("%s: %s: %s", example->file, err.path, err.text);
        descheduler_pass(descheduler, now);
        if (strcmp(notes.deleted.data ? notes.deleted.data : "", example->deleted) != 0)
                fail_msg("%s: deleted %s", example->file, notes.deleted.data);
        if (strcmp(notes.reported.data ? notes.reported.data : "", example->reported) != 0)
                fail_msg("%s: reported %s", example->file, notes.reported.data);
        assert_int_equal(notes.evicted.len, 0);
        descheduler_free(descheduler);
        descheduler_policy_free(policy);
        config_problems_free(problems);
        cluster_free(cluster);
        buf_release(&notes.deleted);
        buf_release(&notes.reported);
        buf_release(&notes.evicted);
}

static void test_examples(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(examples); i++)
                run(&examples[i]);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_examples),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
