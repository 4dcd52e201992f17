/* Pods and policies the reconciler keeps. */
#include "base/util.h"
#include "evict/eviction_policy.h"
#include "evict/eviction_reconciler_priv.h"
#include <stdlib.h>
#include <string.h>

static struct slice eviction_kept_place(char **at, struct slice text) {
        struct slice placed = slice_make(*at, text.len);

        if (text.len)
                memcpy(*at, text.ptr, text.len);
        *at += text.len;
        return placed;
}

static struct kept_pod *keep_pod(const struct eviction_pod *pod) {
        size_t size = pod->ns.len + pod->name.len + pod->uid.len + pod->node.len +
                      pod->responders.len + pod->owner.len;
        size_t count = pod->labels.count;
        struct label *labels;
        struct kept_pod *kept;
        char *at;

        for (size_t i = 0; i < count; i++)
                size += pod->labels.items[i].key.len + pod->labels.items[i].value.len;
        kept = xmalloc(sizeof(*kept) + count * sizeof(*labels) + size);
        labels = (struct label *)(void *)(kept + 1);
        at = (char *)(labels + count);

        kept->pod = *pod;
        kept->pod.ns = eviction_kept_place(&at, pod->ns);
        kept->pod.name = eviction_kept_place(&at, pod->name);
        kept->pod.uid = eviction_kept_place(&at, pod->uid);
        kept->pod.node = eviction_kept_place(&at, pod->node);
        kept->pod.responders = eviction_kept_place(&at, pod->responders);
        kept->pod.owner = eviction_kept_place(&at, pod->owner);
        kept->pod.labels.items = labels;
        for (size_t i = 0; i < count; i++) {
                labels[i].key = eviction_kept_place(&at, pod->labels.items[i].key);
                labels[i].value = eviction_kept_place(&at, pod->labels.items[i].value);
        }
        return kept;
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

int eviction_reconciler_put_pod(struct eviction_reconciler *reconciler, const struct json *object,
                                struct err *err) {
        struct arena scratch;
        struct eviction_pod pod;
        char text[EVICTION_KEY_MAX];
        struct slice key;
        int code;

        arena_init(&scratch, 1024);
        code = eviction_pod_decode(object, &scratch, &pod, err);
        if (code == 0) {
                key = eviction_key(pod.ns, pod.name, text);
                free(map_put(reconciler->pods, key, keep_pod(&pod)));
                if (pod.is_moving || pod.is_evicted)
                        map_put(reconciler->moving, key, reconciler);
                else
                        map_remove(reconciler->moving, key);
                touch_pod(reconciler, key, SLICE_EMPTY);
        }
        arena_release(&scratch);
        return code;
}

void eviction_reconciler_remove_pod(struct eviction_reconciler *reconciler, struct slice ns,
                                    struct slice name, struct slice uid) {
        char text[EVICTION_KEY_MAX];
        struct slice key = eviction_key(ns, name, text);
        struct kept_pod *kept = map_get(reconciler->pods, key);

        if (kept && (uid.len == 0 || slice_eq(kept->pod.uid, uid))) {
                free(map_remove(reconciler->pods, key));
                map_remove(reconciler->moving, key);
                touch_pod(reconciler, key, uid);
        }
}

/* ---- policies ---- */

int eviction_reconciler_put_policy(struct eviction_reconciler *reconciler,
                                   const struct json *object, struct err *err) {
        struct eviction_policy *policy;
        char text[EVICTION_KEY_MAX];
        const struct json *meta = json_get(object, "metadata");
        struct slice key =
                eviction_key(json_get_text(meta, "namespace"), json_get_text(meta, "name"), text);
        int code = eviction_policy_decode(object, &policy, err);

        /* One that cannot be read any more counts as absent. */
        eviction_policy_free(code < 0 ? map_remove(reconciler->policies, key)
                                      : map_put(reconciler->policies, key, policy));
        return code;
}

void eviction_reconciler_remove_policy(struct eviction_reconciler *reconciler, struct slice ns,
                                       struct slice name, struct slice uid) {
        char text[EVICTION_KEY_MAX];
        struct slice key = eviction_key(ns, name, text);
        const struct eviction_policy *policy = map_get(reconciler->policies, key);

        if (policy && (uid.len == 0 || slice_eq(policy->uid, uid)))
                eviction_policy_free(map_remove(reconciler->policies, key));
}
