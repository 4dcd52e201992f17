/* Answers of scheduler extenders, one a line, in the order of the questions: the scheduler binds
 * the pod to a node that there is, gives up, or waits, and never takes a pod off the wrong node. */
#include "api/json.h"
#include "base/util.h"
#include "model/cluster.h"
#include "plugins/sched/registry.h"
#include "sched/scheduler.h"
#include <assert.h>
#include <stdio.h>

#define ROUNDS_MAX 8
#define POD(name, uid, more)                                                                       \
        "{\"metadata\":{\"namespace\":\"d\",\"name\":\"" name "\",\"uid\":\"" uid                  \
        "\"},\"spec\":{" more ",\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{"     \
        "\"cpu\":\"1500m\"}}}]}}"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct extender extenders[] = {
        { .name = SLICE_INIT("http://a"),
          .filters = true,
          .prioritizes = true,
          .preempts = true,
          .weight = 5 },
        { .name = SLICE_INIT("http://b"),
          .filters = true,
          .prioritizes = true,
          .preempts = true,
          .binds = true,
          .is_ignorable = true,
          .weight = 1 },
};

struct scene {
        struct cluster *cluster;
        struct scheduler *scheduler;
        struct action_list actions;
        struct slice answers;
        int64_t now_ns;
};

static void put(struct scene *scene, enum object_kind kind, const char *text) {
        struct json_doc *doc = NULL;
        int code = json_parse(slice_of(text), &doc, NULL);

        assert(code == 0);
        code = cluster_apply(scene->cluster, kind, CHANGE_ADDED, json_doc_root(doc), NULL);
        assert(code == 0);
        json_doc_free(doc);
}

/* Two nodes are full of pods of lower priority, two have room for one pod each, and three pods
 * wait: the last takes the place of a victim. */
static void fill(struct scene *scene) {
        static const char *const nodes[] = { "n1", "n2", "n3", "n4" };
        static const char *const pods[] = {
                POD("v1", "u1", "\"nodeName\":\"n1\""), POD("v2", "u2", "\"nodeName\":\"n2\""),
                POD("p", "u3", "\"priority\":10"),      POD("q", "u4", "\"priority\":9"),
                POD("r", "u5", "\"priority\":8"),
        };
        char text[128];

        for (size_t i = 0; i < ARRAY_LEN(nodes); i++) {
                snprintf(text, sizeof(text),
                         "{\"metadata\":{\"name\":\"%s\"},\"status\":{\"allocatable\":{\"cpu\":"
                         "\"2\",\"pods\":\"9\"}}}",
                         nodes[i]);
                put(scene, OBJECT_NODE, text);
        }
        for (size_t i = 0; i < ARRAY_LEN(pods); i++)
                put(scene, OBJECT_POD, pods[i]);
}

static void check(const struct action *action) {
        bool is_victim = slice_is(action->target.uid, "u1") || slice_is(action->target.uid, "u2");

        if (action->kind == ACTION_BIND)
                assert(!is_victim);
        if (action->kind == ACTION_EVICT)
                assert(is_victim);
}

/* Answers the questions of the last step; false when there were none. */
static bool answer_all(struct scene *scene) {
        struct action_list asked = scene->actions;
        bool has_asked = false;

        action_list_init(&scene->actions);
        scene->actions.next_id = asked.next_id;
        for (size_t i = 0; i < asked.count; i++) {
                const struct action *action = &asked.items[i];
                struct action_result result = { .id = action->id,
                                                .kind = action->kind,
                                                .target = action->target,
                                                .retry_after_s = -1 };

                check(action);
                if (action->kind == ACTION_ASK_EXTENDER) {
                        has_asked = true;
                        slice_split(&scene->answers, '\n', &result.body);
                }
                scheduler_result(scene->scheduler, &result, (struct mono_time){ scene->now_ns },
                                 (struct wall_time){ scene->now_ns }, &scene->actions);
        }
        action_list_release(&asked);
        return has_asked;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static struct sched_profile *profile;
        struct scene scene = { .cluster = cluster_new(&(struct cluster_config){ 0 }),
                               .answers = slice_make((const char *)data, size),
                               .now_ns = 1000 * NS_PER_S };

        if (!profile) {
                const struct profile_env env = { .registry = sched_registry };
                int code = sched_profile_new_default(&env, &profile, NULL);

                assert(code == 0);
        }
        scene.scheduler = scheduler_new(&(struct scheduler_config){
                .cluster = scene.cluster,
                .profile_count = 1,
                .profiles = &profile,
                .extender_count = ARRAY_LEN(extenders),
                .extenders = extenders,
        });
        action_list_init(&scene.actions);
        fill(&scene);
        for (int i = 0; i < ROUNDS_MAX && scene.answers.len; i++) {
                scheduler_step(scene.scheduler, (struct mono_time){ scene.now_ns },
                               (struct wall_time){ scene.now_ns }, 100, &scene.actions);
                while (answer_all(&scene) && scene.answers.len)
                        ;
                scene.now_ns += 20 * NS_PER_S;
        }
        action_list_release(&scene.actions);
        scheduler_free(scene.scheduler);
        cluster_free(scene.cluster);
        return 0;
}
