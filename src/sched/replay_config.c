/* Answers recorded configuration cases. */
#include "plugin/sched_profile_list.h"
#include "sched/replay_scheduler.h"

static void put_points(struct json_tree *tree, struct json_node *plugins,
                       const struct sched_profile *profile) {
        for (int point = 0; point < POINT_COUNT; point++) {
                const struct profile_point *list = &profile->points[point];
                bool is_recorded =
                        point != POINT_PLACEMENT_GENERATE && point != POINT_PLACEMENT_SCORE;
                if (list->count == 0 || !is_recorded)
                        continue;
                struct json_node *names = node_array(tree);
                for (size_t i = 0; i < list->count; i++)
                        node_append(
                                names,
                                node_string(tree, profile->plugins[list->plugins[i]].plugin->name));
                node_put(tree, plugins, sched_point_name((enum sched_point)point), names);
        }
}

static struct json_node *profile_node(struct json_tree *tree, const struct sched_profile *profile) {
        const struct profile_point *score = &profile->points[POINT_SCORE];
        struct json_node *object = node_object(tree), *plugins = node_object(tree);
        struct json_node *weights = node_object(tree);
        node_put_text(tree, object, "schedulerName", profile->scheduler_name);
        put_points(tree, plugins, profile);
        node_put(tree, object, "plugins", plugins);
        for (size_t i = 0; i < score->count; i++) {
                const struct profile_plugin *plugin = &profile->plugins[score->plugins[i]];
                node_put_i64(tree, weights, plugin->plugin->name, plugin->weight);
        }
        node_put(tree, object, "scoreWeights", weights);
        return object;
}

static void put_error(struct json_tree *tree, struct json_node *expect, const char *stage,
                      const char *text) {
        node_put_string(tree, expect, "stage", stage);
        node_put_string(tree, expect, "error", text);
}

static void replay_config_build(struct json_tree *tree, struct json_node *expect,
                                const struct replay_config *config,
                                const struct scheduler_configuration *configuration) {
        struct profile_env env = { .registry = config->registry, .is_parity = true };
        struct sched_profile_list list;
        struct err problem = { 0 };
        if (config->check && config->check(configuration, &problem) < 0) {
                put_error(tree, expect, "build", problem.text);
                return;
        }
        if (sched_profile_list_init(&list, configuration, &env, &problem) < 0) {
                put_error(tree, expect, "build", problem.text);
                return;
        }
        struct json_node *profiles = node_array(tree);
        for (size_t i = 0; i < list.count; i++)
                node_append(profiles, profile_node(tree, list.items[i]));
        node_put_string(tree, expect, "stage", "ok");
        node_put(tree, expect, "profiles", profiles);
        sched_profile_list_release(&list);
}

static void replay_config_answer(struct json_tree *tree, struct json_node *expect,
                                 const struct replay_config *config, struct slice text) {
        struct config_problems *problems = config_problems_new();
        struct scheduler_configuration *configuration =
                scheduler_configuration_read(text, "configuration", problems);
        struct err problem = { 0 };
        if (config_problems_to_err(problems, &problem) < 0)
                put_error(tree, expect, !configuration ? "decode" : "validate", problem.text);
        else
                replay_config_build(tree, expect, config, configuration);
        scheduler_configuration_free(configuration);
        config_problems_free(problems);
}

int replay_config_case(const struct replay_config *config, const struct json *test_case,
                       struct buf *out, struct err *err) {
        const struct json *doc = json_get(test_case, "doc");
        if (json_type(doc) != JSON_STRING)
                return err_set(err, BERTH_ERR_BAD_REQUEST,
                               "configuration case without a text \"doc\"");
        struct json_tree *tree = json_tree_new();
        struct json_node *result = node_object(tree), *expect = node_object(tree);
        node_put_text(tree, result, "name", json_get_text(test_case, "name"));
        replay_config_answer(tree, expect, config, json_text(doc));
        node_put(tree, result, "expect", expect);
        bool ok = node_write(result, out);
        json_tree_free(tree);
        return ok ? 0 : err_set(err, BERTH_ERR_TOO_LARGE, "no room for the result");
}
