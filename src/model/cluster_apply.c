/* From API objects to the model: decode, then feed. */
#include "model/cluster_priv.h"

static int apply_node(struct cluster *cluster, const struct json *object, struct err *err) {
        struct node node;
        int r = node_decode(object, &cluster->decoded, &node, err);
        if (r == 0)
                cluster_put_node(cluster, &node);
        return r;
}

static int apply_pod(struct cluster *cluster, const struct json *object, struct err *err) {
        struct pod pod;
        int r = pod_decode(object, &cluster->decoded, &pod, err);
        if (r == 0)
                cluster_put_pod(cluster, &pod);
        return r;
}

static int apply_namespace(struct cluster *cluster, const struct json *object, struct err *err) {
        struct namespace_object decoded;
        int r = namespace_decode(object, &cluster->decoded, &decoded, err);
        if (r == 0)
                cluster_put_namespace(cluster, &decoded);
        return r;
}

static int apply_budget(struct cluster *cluster, const struct json *object, struct err *err) {
        struct disruption_budget budget;
        int r = disruption_budget_decode(object, &cluster->decoded, &budget, err);
        if (r == 0)
                cluster_put_budget(cluster, &budget);
        return r;
}

static int apply_priority_class(struct cluster *cluster, const struct json *object,
                                struct err *err) {
        struct priority_class class;
        int r = priority_class_decode(object, &cluster->decoded, &class, err);
        if (r == 0)
                cluster_put_priority_class(cluster, &class);
        return r;
}

static int apply_claim(struct cluster *cluster, const struct json *object, struct err *err) {
        struct claim_object claim;
        int r = claim_decode(object, &cluster->decoded, &claim, err);
        if (r == 0)
                cluster_put_claim(cluster, &claim);
        return r;
}

static int apply_put(struct cluster *cluster, enum object_kind kind, const struct json *object,
                     struct err *err) {
        switch (kind) {
        case OBJECT_NODE:
                return apply_node(cluster, object, err);
        case OBJECT_POD:
                return apply_pod(cluster, object, err);
        case OBJECT_NAMESPACE:
                return apply_namespace(cluster, object, err);
        case OBJECT_BUDGET:
                return apply_budget(cluster, object, err);
        case OBJECT_PRIORITY_CLASS:
                return apply_priority_class(cluster, object, err);
        case OBJECT_CLAIM:
                return apply_claim(cluster, object, err);
        case OBJECT_KIND_COUNT:
                break;
        }
        return err_set(err, BERTH_ERR_INTERNAL, "no such kind of object");
}

/* A removal of an earlier object of the same name came late: the present one stays. */
static bool is_pod_gone(const struct cluster *cluster, const struct object_meta *meta) {
        struct pod_id id = cluster_find_pod(cluster, meta->ns, meta->name);
        if (pod_id_is_none(id))
                return false;
        struct slice uid = slice_of(cluster_pod(cluster, id)->uid);
        return uid.len == 0 || meta->uid.len == 0 || slice_eq(uid, meta->uid);
}

static int apply_removal(struct cluster *cluster, enum object_kind kind, const struct json *object,
                         struct err *err) {
        struct object_meta meta;
        int r = object_meta_decode(object, &cluster->decoded, &meta, err);
        if (r < 0)
                return r;
        switch (kind) {
        case OBJECT_NODE:
                cluster_remove_node(cluster, meta.name);
                return 0;
        case OBJECT_POD:
                if (is_pod_gone(cluster, &meta))
                        cluster_remove_pod(cluster, meta.ns, meta.name);
                return 0;
        case OBJECT_NAMESPACE:
                cluster_remove_namespace(cluster, meta.name);
                return 0;
        case OBJECT_BUDGET:
                cluster_remove_budget(cluster, meta.ns, meta.name);
                return 0;
        case OBJECT_PRIORITY_CLASS:
                cluster_remove_priority_class(cluster, meta.name);
                return 0;
        case OBJECT_CLAIM:
                cluster_remove_claim(cluster, meta.ns, meta.name);
                return 0;
        case OBJECT_KIND_COUNT:
                break;
        }
        return err_set(err, BERTH_ERR_INTERNAL, "no such kind of object");
}

void cluster_apply_pod(struct cluster *cluster, enum change_kind change, const struct pod *pod) {
        if (change != CHANGE_REMOVED)
                cluster_put_pod(cluster, pod);
        else if (is_pod_gone(cluster, &pod->meta))
                cluster_remove_pod(cluster, pod->meta.ns, pod->meta.name);
}

int cluster_apply(struct cluster *cluster, enum object_kind kind, enum change_kind change,
                  const struct json *object, struct err *err) {
        arena_clear(&cluster->decoded);
        return change == CHANGE_REMOVED ? apply_removal(cluster, kind, object, err)
                                        : apply_put(cluster, kind, object, err);
}
