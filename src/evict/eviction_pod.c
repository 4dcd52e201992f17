/* What the reconciler keeps of a pod. */
#include "evict/eviction_reconciler.h"

#include "base/util.h"

static bool is_daemon(const struct json *meta) {
        struct json_iter iter = json_iter(json_get(meta, "ownerReferences"));
        const struct json *owner;

        while (json_next(&iter, NULL, &owner))
                if (slice_is(json_get_text(owner, "kind"), "DaemonSet") &&
                    json_get_bool(owner, "controller", false))
                        return true;
        return false;
}

static struct slice owner_of(const struct json *meta, struct arena *arena) {
        struct json_iter iter = json_iter(json_get(meta, "ownerReferences"));
        const struct json *owner;

        while (json_next(&iter, NULL, &owner))
                if (json_get_bool(owner, "controller", false))
                        return slice_of(arena_printf(arena, SLICE_FMT "/" SLICE_FMT,
                                                     SLICE_ARG(json_get_text(owner, "kind")),
                                                     SLICE_ARG(json_get_text(owner, "name"))));
        return SLICE_EMPTY;
}

/* The condition, if it is True; NULL otherwise. */
static const struct json *true_condition(const struct json *status, const char *type) {
        struct json_iter iter = json_iter(json_get(status, "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition))
                if (slice_is(json_get_text(condition, "type"), type))
                        return slice_is(json_get_text(condition, "status"), "True") ? condition
                                                                                    : NULL;
        return NULL;
}

/* The native list wins over the annotation. */
static struct slice responders_of(const struct json *object, struct arena *arena) {
        const struct json *list = json_get(json_get(object, "spec"), "evictionResponders");
        struct json_iter iter = json_iter(list);
        const struct json *item;
        struct buf text = { 0 };
        struct slice kept;

        if (json_count(list) == 0)
                return json_get_text(json_get(json_get(object, "metadata"), "annotations"),
                                     EVICTION_RESPONDERS_KEY);
        while (json_next(&iter, NULL, &item))
                buf_printf(&text, "%s" SLICE_FMT "=%lld", buf_view(&text).len ? "," : "",
                           SLICE_ARG(json_get_text(item, "name")),
                           (long long)json_get_i64(item, "priority", 0));
        kept = arena_slice(arena, buf_view(&text));
        buf_release(&text);
        return kept;
}

int eviction_pod_decode(const struct json *object, struct arena *arena,
                        struct eviction_pod *ret_pod, struct err *err) {
        const struct json *meta = json_get(object, "metadata"), *spec = json_get(object, "spec");
        const struct json *status = json_get(object, "status");
        struct slice phase = json_get_text(status, "phase");
        struct slice deleted = json_get_text(meta, "deletionTimestamp");
        struct wall_time when = WALL_TIME_UNSET;

        if (json_get_text(meta, "name").len == 0 || json_get_text(meta, "uid").len == 0)
                return err_set(err, BERTH_ERR_INVALID, "expected a pod with name and uid");
        if (deleted.len && !wall_time_parse(deleted, &when))
                when = WALL_TIME_UNSET;
        *ret_pod = (struct eviction_pod){
                .ns = json_get_text(meta, "namespace"),
                .name = json_get_text(meta, "name"),
                .uid = json_get_text(meta, "uid"),
                .node = json_get_text(spec, "nodeName"),
                .is_finished = slice_is(phase, "Succeeded") || slice_is(phase, "Failed"),
                .is_terminating = deleted.len > 0,
                .is_daemon = is_daemon(meta),
                .is_mirror = json_get(json_get(meta, "annotations"), "kubernetes.io/config.mirror"),
                .has_group = json_type(json_get(spec, "schedulingGroup")) == JSON_OBJECT,
                .deleted = when,
                .responders = responders_of(object, arena),
                .owner = owner_of(meta, arena),
                .labels = label_list_decode(json_get(meta, "labels"), arena),
                .is_background = json_get(json_get(meta, "annotations"), EVICTION_STARTS_KEY),
                .is_moving = json_get(json_get(meta, "annotations"), EVICTION_MOVING_KEY),
                .is_ready = true_condition(status, "Ready"),
                .is_evicted = deleted.len > 0 &&
                              slice_is(json_get_text(true_condition(status, "DisruptionTarget"),
                                                     "reason"),
                                       "EvictionByEvictionAPI"),
        };
        return 0;
}
