/* Explanations for the live page. */
#include "cmd/dashboard_explainer.h"

#include "ask/explanation.h"
#include "base/util.h"
#include "port/loop.h"
#include "roles/role_config.h"
#include <stdlib.h>

struct dashboard_explainer {
        struct cluster *cluster;
        struct loop *loop;
        const struct sched_profile_list *profiles;
        bool is_parity;
        struct role_config config; /* of profiles of its own */
};

struct dashboard_explainer *dashboard_explainer_over(struct cluster *cluster, struct loop *loop,
                                                     const struct sched_profile_list *profiles,
                                                     bool is_parity) {
        struct dashboard_explainer *explainer = xcalloc(1, sizeof(*explainer));

        *explainer = (struct dashboard_explainer){
                .cluster = cluster, .loop = loop, .profiles = profiles, .is_parity = is_parity
        };
        return explainer;
}

int dashboard_explainer_new(struct cluster *cluster, struct loop *loop,
                            const struct object_cache *object_cache,
                            const struct role_config_sources *sources,
                            struct dashboard_explainer **ret_explainer, struct err *err) {
        struct dashboard_explainer *explainer =
                dashboard_explainer_over(cluster, loop, NULL, sources->is_parity);

        explainer->profiles = &explainer->config.profiles;
        *ret_explainer = explainer;
        if (role_config_load(sources, &explainer->config, err) < 0)
                return err->code;
        return role_config_build(&explainer->config, cluster, object_cache, err);
}

void dashboard_explainer_free(struct dashboard_explainer *explainer) {
        if (!explainer)
                return;
        role_config_release(&explainer->config);
        free(explainer);
}

struct json_node *dashboard_explainer_explain(void *context, struct pod_id pod,
                                              struct json_tree *tree) {
        const struct dashboard_explainer *explainer = context;

        return explanation_make(&(struct explanation_request){ .cluster = explainer->cluster,
                                                               .profiles = explainer->profiles,
                                                               .pod = pod,
                                                               .now = loop_wall(explainer->loop),
                                                               .is_parity = explainer->is_parity },
                                tree);
}
