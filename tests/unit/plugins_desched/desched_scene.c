/* Scenes of descheduler tests. */
#include "desched_scene.h"

#include "base/util.h"
#include "config/descheduler_policy.h"
#include "desched/descheduler.h"
#include "desched/recorded_usage.h"
#include "evict/evict_service.h"
#include "plugin/desched_points.h"
#include "plugin/expected_times.h"
#include "plugins/desched/registry.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SCENE_NOW "2026-01-10T00:00:00Z"
#define SCENE_AGE_S 7200

static void requote(struct buf *text) {
        for (size_t i = 0; i < text->len; i++)
                if (text->data[i] == '\'')
                        text->data[i] = '"';
}

static const char *or_else(const char *text, const char *otherwise) {
        return text ? text : otherwise;
}

/* More members, after a comma. */
static void add_more(struct buf *text, const char *members) {
        if (members && members[0])
                buf_printf(text, ",%s", members);
}

static struct wall_time scene_now(void) {
        struct wall_time now = { 0 };
        assert_true(wall_time_parse(SLICE_LITERAL(SCENE_NOW), &now));
        return now;
}

/* ---- cluster ---- */

static void apply(struct cluster *cluster, enum object_kind kind, struct buf *text) {
        struct json_doc *doc = NULL;
        struct err err = { 0 };
        requote(text);
        if (json_parse(buf_view(text), &doc, &err) < 0)
                fail_msg("%s: %s", err.text, text->data);
        if (cluster_apply(cluster, kind, CHANGE_ADDED, json_doc_root(doc), &err) < 0)
                fail_msg("%s: %s: %s", err.path, err.text, text->data);
        json_doc_free(doc);
        buf_release(text);
}

static void add_node(struct cluster *cluster, const struct scene_node *node) {
        struct buf text = { 0 };
        buf_printf(&text, "{'metadata':{'name':'%s','labels':{'kubernetes.io/hostname':'%s'",
                   node->name, node->name);
        add_more(&text, node->labels);
        buf_printf(&text, "}},'spec':{%s},'status':{%s}}", or_else(node->spec, ""),
                   or_else(node->status,
                           "'allocatable':{'cpu':'4','memory':'3000','pods':'10'},'conditions':[{"
                           "'type':'Ready','status':'True'}]"));
        apply(cluster, OBJECT_NODE, &text);
}

static void add_owner(struct buf *text, const char *owner) {
        const char *slash = strchr(owner, '/');
        if (owner[0] == '\0')
                return;
        assert_non_null(slash);
        buf_printf(text, ",'ownerReferences':[{'kind':'%.*s','name':'%s','uid':'uid-%s'}]",
                   (int)(slash - owner), owner, slash + 1, slash + 1);
}

static void add_pod(struct cluster *cluster, const struct scene_pod *pod, const char *name) {
        struct buf text = { 0 };
        char created[WALL_TIME_TEXT_MAX];
        struct wall_time time = scene_now();
        time.ns -= (pod->age_s ? pod->age_s : SCENE_AGE_S) * NS_PER_S;
        wall_time_format(time, created);
        buf_printf(&text,
                   "{'metadata':{'namespace':'%s','name':'%s','uid':'uid-%s',"
                   "'creationTimestamp':'%s'",
                   or_else(pod->ns, "default"), name, name, created);
        add_owner(&text, or_else(pod->owner, "ReplicaSet/rs"));
        add_more(&text, pod->meta);
        buf_printf(&text, "},'spec':{'nodeName':'%s','containers':[{'name':'c',%s}]",
                   or_else(pod->node, "n1"),
                   or_else(pod->container, "'resources':{'requests':{'cpu':'400m'}}"));
        add_more(&text, pod->spec);
        buf_printf(&text, "},'status':{'phase':'%s'", or_else(pod->phase, "Running"));
        add_more(&text, pod->status);
        buf_text(&text, "}}");
        apply(cluster, OBJECT_POD, &text);
}

static void add_pods(struct cluster *cluster, const struct scene_pod *pod) {
        char name[64];
        if (pod->count == 0)
                add_pod(cluster, pod, pod->name);
        for (int i = 1; i <= pod->count; i++) {
                snprintf(name, sizeof(name), "%s-%d", pod->name, i);
                add_pod(cluster, pod, name);
        }
}

static void add_object(struct cluster *cluster, const char *object) {
        static const struct {
                const char *kind;
                enum object_kind value;
        } kinds[] = {
                { "'kind':'Namespace'", OBJECT_NAMESPACE },
                { "'kind':'PodDisruptionBudget'", OBJECT_BUDGET },
                { "'kind':'PriorityClass'", OBJECT_PRIORITY_CLASS },
                { "'kind':'PersistentVolumeClaim'", OBJECT_CLAIM },
        };
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
                if (!strstr(object, kinds[i].kind))
                        continue;
                struct buf text = { 0 };
                buf_text(&text, object);
                apply(cluster, kinds[i].value, &text);
                return;
        }
        fail_msg("what is %s", object);
}

static struct cluster *make_cluster(const struct scene_case *scene) {
        struct cluster *cluster = cluster_new(
                &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
        static const struct scene_node usual[] = { { .name = "n1" }, { .name = "n2" } };
        const struct scene_node *nodes = scene->nodes[0].name ? scene->nodes : usual;
        size_t node_count = scene->nodes[0].name ? SCENE_NODES_MAX : ARRAY_LEN(usual);
        for (size_t i = 0; i < node_count && nodes[i].name; i++)
                add_node(cluster, &nodes[i]);
        for (size_t i = 0; i < SCENE_OBJECTS_MAX && scene->objects[i]; i++)
                add_object(cluster, scene->objects[i]);
        for (size_t i = 0; i < SCENE_PODS_MAX && scene->pods[i].name; i++)
                add_pods(cluster, &scene->pods[i]);
        return cluster;
}

/* ---- policy ---- */

static const struct plugin *rule_plugin(const char *rule) {
        const struct plugin *plugin = plugin_find(desched_registry, slice_of(rule));
        assert_non_null(plugin);
        return plugin;
}

static void write_policy(struct buf *text, const char *rule, const char *args,
                         const struct scene_case *scene) {
        const struct desched_points *points = rule_plugin(rule)->desched;
        const char *point = points->balance      ? "balance"
                            : points->deschedule ? "deschedule"
                                                 : "filter";
        buf_text(text, "{'apiVersion':'descheduler/v1alpha2','kind':'DeschedulerPolicy'");
        if (scene)
                add_more(text, scene->policy);
        buf_text(text, ",'profiles':[{'name':'p','pluginConfig':[");
        if (scene)
                buf_printf(text, "{'name':'DefaultEvictor','args':%s},",
                           or_else(scene->evictor, "{}"));
        buf_printf(text, "{'name':'%s','args':%s}],'plugins':{'%s':{'enabled':['%s']}}}]}", rule,
                   or_else(args, "{}"), point, rule);
        requote(text);
}

/* ---- running ---- */

struct recorder {
        struct evict_sink sink;
        struct buf names;
        unsigned count;
};

static void record_begin(void *context, const struct evict_pass *pass) {
        struct recorder *recorder = context;
        recorder->sink.begin_pass(recorder->sink.context, pass);
}

static enum evict_outcome record_ask(void *context, const struct evict_intent *intent) {
        static const char *const ways[] = { "", "delete:", "report:" };
        struct recorder *recorder = context;
        enum evict_outcome outcome = recorder->sink.ask(recorder->sink.context, intent);
        recorder->count += outcome == EVICT_DONE;
        if (outcome == EVICT_DONE)
                buf_printf(&recorder->names, "%s%s" SLICE_FMT, recorder->names.len > 0 ? " " : "",
                           ways[intent->way], SLICE_ARG(intent->pod.name));
        return outcome;
}

static struct recorded_usage *read_usage(const struct scene_case *scene,
                                         const struct descheduler_policy *policy) {
        struct recorded_usage *usage = NULL;
        struct json_doc *doc = NULL;
        struct buf text = { 0 };
        struct err err = { 0 };
        buf_text(&text, or_else(scene->usage, "[]"));
        requote(&text);
        if (json_parse(buf_view(&text), &doc, &err) < 0 ||
            recorded_usage_new(json_doc_root(doc), policy, &usage, &err) < 0)
                fail_msg("%s: %s", scene->name, err.text);
        json_doc_free(doc);
        buf_release(&text);
        return usage;
}

static void compare(const struct scene_case *scene, bool is_parity, const struct recorder *recorder,
                    const struct desched_report *report) {
        const char *expect = is_parity && scene->parity ? scene->parity : scene->expect;
        char found[16];
        bool has_failed = false;
        for (size_t i = 0; i < report->rule_count; i++)
                has_failed = has_failed || report->rules[i].code != BERTH_OK;
        snprintf(found, sizeof(found), "#%u", recorder->count);
        const char *names = or_else(recorder->names.data, "");
        if (strcmp(expect, SCENE_FAILS) == 0 && has_failed && recorder->count == 0)
                return;
        if (has_failed || strcmp(expect[0] == '#' ? found : names, expect) != 0)
                fail_msg("%s%s: evicted \"%s\"%s, expected \"%s\"", scene->name,
                         is_parity ? " (parity)" : "", names,
                         has_failed ? " and a plugin failed" : "", expect);
}

/* Pods named slow take an hour. */
static int64_t expected_ns(void *context, struct pod_id pod, struct wall_time now) {
        (void)now;
        return slice_has_prefix(slice_of(cluster_pod(context, pod)->name), SLICE_LITERAL("slow"))
                       ? 3600 * NS_PER_S
                       : 0;
}

static void run_one(const char *rule, const struct scene_case *scene, bool is_parity) {
        struct cluster *cluster = make_cluster(scene);
        struct evict_service *service = evict_service_new(&(struct evict_config){ 0 });
        struct recorder recorder = {
                .sink = evict_requester_sink(evict_service_join(
                        service, &(struct evict_requester_config){ .is_parity = is_parity }))
        };
        struct config_problems *problems = config_problems_new();
        struct buf text = { 0 };
        struct err err = { 0 };
        struct descheduler *descheduler = NULL;
        write_policy(&text, rule, scene->args, scene);
        struct descheduler_policy *policy =
                descheduler_policy_read(buf_view(&text), "scene", is_parity, problems);
        if (config_problems_to_err(problems, &err) < 0)
                fail_msg("%s: %s: %s", scene->name, err.path, err.text);
        struct recorded_usage *usage = read_usage(scene, policy);
        const struct expected_times expected_times = { cluster, expected_ns };
        const struct descheduler_config config = { .cluster = cluster,
                                                   .expected_times = &expected_times,
                                                   .policy = policy,
                                                   .registry = desched_registry,
                                                   .sink = { &recorder, record_begin, record_ask },
                                                   .usage = recorded_usage_source(usage),
                                                   .is_parity = is_parity,
                                                   .is_dry_run = scene->is_dry_run,
                                                   .hides_budgets =
                                                           is_parity && !scene->is_dry_run };
        if (descheduler_new(&config, problems, &descheduler, &err) < 0)
                fail_msg("%s: %s: %s", scene->name, err.path, err.text);
        compare(scene, is_parity, &recorder, descheduler_pass(descheduler, scene_now()));
        descheduler_free(descheduler);
        recorded_usage_free(usage);
        descheduler_policy_free(policy);
        config_problems_free(problems);
        evict_service_free(service);
        cluster_free(cluster);
        buf_release(&text);
        buf_release(&recorder.names);
}

void scene_run(const char *rule, const struct scene_case *cases, size_t count) {
        for (size_t i = 0; i < count; i++) {
                run_one(rule, &cases[i], false);
                if (!cases[i].parity || strcmp(cases[i].parity, SCENE_NO_PARITY) != 0)
                        run_one(rule, &cases[i], true);
        }
}

static void refuse_one(const char *rule, const struct scene_refusal *refusal, bool is_parity) {
        const char *problem = refusal->problem;
        if (is_parity && refusal->parity)
                problem = refusal->parity[0] ? refusal->parity : NULL;
        struct config_problems *problems = config_problems_new();
        struct buf text = { 0 }, found = { 0 };
        struct descheduler *descheduler = NULL;
        write_policy(&text, rule, refusal->args, NULL);
        struct descheduler_policy *policy =
                descheduler_policy_read(buf_view(&text), "scene", is_parity, problems);
        assert_non_null(policy);
        const struct descheduler_config config = { .policy = policy,
                                                   .registry = desched_registry,
                                                   .is_parity = is_parity };
        int code = descheduler_new(&config, problems, &descheduler, NULL);
        config_problems_print(problems, &found);
        if ((code < 0) != !!problem)
                fail_msg("%s%s: %s", refusal->name, is_parity ? " (parity)" : "",
                         found.len > 0 ? found.data : "accepted");
        if (problem && !strstr(found.data, problem))
                fail_msg("%s: \"%s\" is not in: %s", refusal->name, problem, found.data);
        descheduler_free(descheduler);
        descheduler_policy_free(policy);
        config_problems_free(problems);
        buf_release(&text);
        buf_release(&found);
}

void scene_refuse(const char *rule, const struct scene_refusal *cases, size_t count) {
        for (size_t i = 0; i < count; i++) {
                refuse_one(rule, &cases[i], false);
                refuse_one(rule, &cases[i], true);
        }
}

static void run_cases(void **state) {
        const struct scene_suite *suite = *state;
        scene_run(suite->rule, suite->cases, suite->case_count);
}

static void run_refusals(void **state) {
        const struct scene_suite *suite = *state;
        scene_refuse(suite->rule, suite->refusals, suite->refusal_count);
}

int scene_main(const struct scene_suite *suite) {
        struct scene_suite copy = *suite;
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_prestate(run_cases, &copy),
                cmocka_unit_test_prestate(run_refusals, &copy),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
