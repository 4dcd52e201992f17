/* Reasons by explanation, each once. */
#include "cmd/top_reasons.h"

#include "api/json.h"
#include "ask/snapshot_input.h"
#include "base/map.h"
#include "base/util.h"
#include "cmd/dashboard_explainer.h"
#include "roles/role_config.h"
#include <stdlib.h>

#define REASONS_MAX 100 /* pods beyond have none: a decision looks at every node */

struct top_reasons {
        struct role_config config;
        struct dashboard_explainer *explainer;
        struct map_u64 *texts; /* by pod */
};

int top_reasons_new(const struct snapshot *snapshot, struct loop *loop, const char *config_path,
                    struct top_reasons **ret_reasons, struct err *err) {
        struct top_reasons *reasons = xcalloc(1, sizeof(*reasons));
        const struct role_config_sources sources = { .config_path = config_path,
                                                     .config = snapshot->config,
                                                     .gates = ROLE_CONFIG_ASKED };

        reasons->texts = map_u64_new();
        if (role_config_load(&sources, &reasons->config, err) < 0 ||
            role_config_build(&reasons->config, snapshot->cluster, snapshot->object_cache, err) <
                    0) {
                top_reasons_free(reasons);
                return err->code;
        }
        reasons->explainer = dashboard_explainer_new(snapshot->cluster, loop, &reasons->config);
        *ret_reasons = reasons;
        return 0;
}

void top_reasons_free(struct top_reasons *reasons) {
        uint64_t key;
        void *text;

        if (!reasons)
                return;
        for (size_t at = 0; map_u64_next(reasons->texts, &at, &key, &text);)
                free(text);
        map_u64_free(reasons->texts);
        dashboard_explainer_free(reasons->explainer);
        role_config_release(&reasons->config);
        free(reasons);
}

struct slice top_reasons_of(void *context, struct pod_id pod) {
        struct top_reasons *reasons = context;
        char *text = map_u64_get(reasons->texts, pod.index);

        if (!text && map_u64_count(reasons->texts) < REASONS_MAX) {
                struct json_tree *tree = json_tree_new();

                text = slice_dup(node_get_text(
                        dashboard_explainer_explain(reasons->explainer, pod, tree), "message"));
                map_u64_put(reasons->texts, pod.index, text);
                json_tree_free(tree);
        }
        return slice_of(text);
}
