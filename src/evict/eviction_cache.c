/* Pods of the model as the reconciler sees them, and the policies it keeps. */
#include "base/util.h"
#include "evict/eviction_policy.h"
#include "evict/eviction_reconciler_priv.h"
#include "evict/eviction_stages.h"
#include <stdlib.h>
#include <string.h>

/* ---- pods ---- */

struct pod_id eviction_target_id(const struct eviction_reconciler *reconciler,
                                 const struct eviction_target *target) {
        return cluster_find_pod(reconciler->config.cluster, target->ns, target->name);
}

const struct pod_row *eviction_target_row(const struct eviction_reconciler *reconciler,
                                          const struct eviction_target *target) {
        struct pod_id id = eviction_target_id(reconciler, target);

        return pod_id_is_none(id) ? NULL : cluster_pod(reconciler->config.cluster, id);
}

const struct eviction_pod *eviction_pod_at(struct eviction_reconciler *reconciler,
                                           struct pod_id id) {
        struct eviction_pod *pod = ARENA_ARRAY(&reconciler->pods, struct eviction_pod, 1);

        eviction_pod_read(reconciler->config.cluster, id, &reconciler->pods, pod);
        return pod;
}

const struct eviction_pod *eviction_target_pod(struct eviction_reconciler *reconciler,
                                               const struct eviction_target *target) {
        struct pod_id id = eviction_target_id(reconciler, target);

        return pod_id_is_none(id) ? NULL : eviction_pod_at(reconciler, id);
}

/* Every target of this pod name looks again. */
static void touch_pod(struct eviction_reconciler *reconciler, struct slice pod_key,
                      struct slice gone_uid) {
        struct eviction_target *target = map_get(reconciler->pod_targets, pod_key);

        for (; target; target = target->next_of_pod) {
                target->is_dirty = true;
                target->is_read = slice_is(gone_uid, target->uid);
        }
}

/* Pods that any program evicts, this one included, are listed. */
static void list_moving(struct eviction_reconciler *reconciler, struct slice key,
                        struct pod_id id) {
        const unsigned marks = POD_EVICTION_RUNS | POD_API_EVICTED;

        if (!pod_id_is_none(id) && cluster_pod(reconciler->config.cluster, id)->flags & marks)
                map_put(reconciler->moving, key, reconciler);
        else
                map_remove(reconciler->moving, key);
}

void eviction_reconciler_pod_changed(struct eviction_reconciler *reconciler, struct slice ns,
                                     struct slice name, struct slice gone_uid) {
        char text[EVICTION_KEY_MAX];
        struct slice key = eviction_key(ns, name, text);

        list_moving(reconciler, key, cluster_find_pod(reconciler->config.cluster, ns, name));
        touch_pod(reconciler, key, gone_uid);
}

void eviction_pods_list_moving(struct eviction_reconciler *reconciler) {
        const struct cluster *cluster = reconciler->config.cluster;
        char text[EVICTION_KEY_MAX];

        for (uint32_t i = 0; i < cluster_pod_cap(cluster); i++) {
                const struct pod_row *row = cluster_pod(cluster, (struct pod_id){ i });

                if (row->is_live)
                        list_moving(reconciler,
                                    eviction_key(cluster_text(cluster, row->ns),
                                                 slice_of(row->name), text),
                                    (struct pod_id){ i });
        }
}

/* ---- policies ---- */

/* What a policy held, or leads, goes on with what it says now. */
static void touch_namespace(struct eviction_reconciler *reconciler, struct slice ns) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(reconciler->targets, &at, &key, &value)) {
                struct eviction_target *target = value;

                target->is_dirty |= slice_eq(target->ns, ns);
        }
}

const struct eviction_policy *eviction_reconciler_next_policy(
        const struct eviction_reconciler *reconciler, size_t *at) {
        struct slice key;
        void *value;

        return map_next(reconciler->policies, at, &key, &value) ? value : NULL;
}

void eviction_reconciler_expect_policy_news(struct eviction_reconciler *reconciler) {
        reconciler->has_policy_news = true;
}

bool eviction_reconciler_take_policy_news(struct eviction_reconciler *reconciler) {
        bool has_news = reconciler->has_policy_news;

        reconciler->has_policy_news = false;
        return has_news;
}

int eviction_reconciler_put_policy(struct eviction_reconciler *reconciler,
                                   const struct json *object, struct err *err) {
        struct eviction_policy *policy;
        char text[EVICTION_KEY_MAX];
        const struct json *meta = json_get(object, "metadata");
        struct slice key =
                eviction_key(json_get_text(meta, "namespace"), json_get_text(meta, "name"), text);
        struct err problem = { 0 };

        (void)err;
        if (eviction_policy_decode(object, &policy, &problem) < 0)
                policy = eviction_policy_unreadable(object, &problem);
        eviction_policy_free(map_put(reconciler->policies, key, policy));
        touch_namespace(reconciler, policy->ns);
        reconciler->has_policy_news = true;
        return 0;
}

void eviction_reconciler_remove_policy(struct eviction_reconciler *reconciler, struct slice ns,
                                       struct slice name, struct slice uid) {
        char text[EVICTION_KEY_MAX];
        struct slice key = eviction_key(ns, name, text);
        const struct eviction_policy *policy = map_get(reconciler->policies, key);

        if (!policy || (uid.len && !slice_eq(policy->uid, uid)))
                return;
        touch_namespace(reconciler, ns);
        eviction_policy_free(map_remove(reconciler->policies, key));
}

const struct eviction_policy *eviction_policy_for(const struct eviction_reconciler *reconciler,
                                                  const struct eviction_pod *pod) {
        const struct eviction_policy *best = NULL;
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(reconciler->policies, &at, &key, &value)) {
                const struct eviction_policy *policy = value;

                if (slice_eq(policy->ns, pod->ns) && eviction_policy_selects(policy, pod->labels) &&
                    (!best || eviction_policy_is_before(policy, best)))
                        best = policy;
        }
        return best;
}
