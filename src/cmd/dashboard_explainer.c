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
        const struct role_config *config;
};

struct dashboard_explainer *dashboard_explainer_new(struct cluster *cluster, struct loop *loop,
                                                    const struct role_config *config) {
        struct dashboard_explainer *explainer = xcalloc(1, sizeof(*explainer));

        *explainer = (struct dashboard_explainer){ cluster, loop, config };
        return explainer;
}

void dashboard_explainer_free(struct dashboard_explainer *explainer) {
        free(explainer);
}

struct json_node *dashboard_explainer_explain(void *context, struct pod_id pod,
                                              struct json_tree *tree) {
        const struct dashboard_explainer *explainer = context;
        const struct role_config *config = explainer->config;

        return explanation_make(&(struct explanation_request){ .cluster = explainer->cluster,
                                                               .profiles = &config->profiles,
                                                               .pod = pod,
                                                               .now = loop_wall(explainer->loop),
                                                               .is_parity = config->is_parity },
                                tree);
}
