/* What the reconciler sees of a pod. */
#include "evict/eviction_reconciler_priv.h"

#include "base/util.h"
#include <stdio.h>

struct slice eviction_key(struct slice ns, struct slice name, char *buffer) {
        int size = snprintf(buffer, EVICTION_KEY_MAX, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(ns),
                            SLICE_ARG(name));

        return slice_make(buffer, size < EVICTION_KEY_MAX ? (size_t)size : EVICTION_KEY_MAX - 1);
}

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

        if (json_count(list) == 0)
                return json_get_text(json_get(json_get(object, "metadata"), "annotations"),
                                     EVICTION_RESPONDERS_KEY);
        while (json_next(&iter, NULL, &item))
                buf_printf(&text, "%s" SLICE_FMT "=%lld", buf_view(&text).len ? "," : "",
                           SLICE_ARG(json_get_text(item, "name")),
                           (long long)json_get_i64(item, "priority", 0));
        struct slice copy = arena_slice(arena, buf_view(&text));
        buf_release(&text);
        return copy;
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
                .id = POD_NONE,
                .ns = json_get_text(meta, "namespace"),
                .name = json_get_text(meta, "name"),
                .uid = json_get_text(meta, "uid"),
                .node = json_get_text(spec, "nodeName"),
                .is_finished = slice_is(phase, "Succeeded") || slice_is(phase, "Failed"),
                .is_terminating = deleted.len > 0,
                .is_pending = phase.len == 0 || slice_is(phase, "Pending"),
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

/* ---- the model ---- */

static const struct owner_row *controller_of(const struct pod_row *row) {
        for (uint32_t i = 0; i < row->owner_count; i++)
                if (row->owners[i].is_controller)
                        return &row->owners[i];
        return NULL;
}

void eviction_pod_read(const struct cluster *cluster, struct pod_id id, struct arena *arena,
                       struct eviction_pod *ret_pod) {
        const struct pod_row *row = cluster_pod(cluster, id);
        const struct owner_row *owner = controller_of(row);
        struct slice kind = owner ? cluster_text(cluster, owner->kind) : SLICE_EMPTY;

        *ret_pod = (struct eviction_pod){
                .id = id,
                .ns = cluster_text(cluster, row->ns),
                .name = slice_make(row->name, row->name_length),
                .uid = slice_of(row->uid),
                .node = node_id_is_none(row->node) ? SLICE_EMPTY
                                                   : cluster_node_name(cluster, row->node),
                .is_finished = pod_row_is_finished(row),
                .is_terminating = row->flags & POD_TERMINATING,
                .is_pending = row->phase == POD_PENDING,
                .is_daemon = slice_is(kind, "DaemonSet"),
                .is_mirror = row->flags & POD_MIRROR,
                .has_group = cluster_class(cluster, row->class)->spec.scheduling_group.len,
                .deleted = row->deleted,
                .responders = cluster_pod_responders(cluster, id),
                .labels = cluster_labels(cluster, row->labels, arena),
                .is_background = row->flags & POD_REQUEST_EVICT,
                .is_moving = row->flags & POD_EVICTION_RUNS,
                .is_ready = row->flags & POD_READY,
                .is_evicted = row->flags & POD_API_EVICTED,
        };
        if (owner)
                ret_pod->owner =
                        slice_of(arena_printf(arena, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(kind),
                                              SLICE_ARG(cluster_text(cluster, owner->name))));
}
