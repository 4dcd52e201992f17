/* Feeding pods: seen, changed, gone.  A change is worked out by comparing the row before and after;
 * what did not change leaves no trace. */
#include "model/cluster_priv.h"

#include <assert.h>

/* ---- reading an object ---- */

#define DESCHEDULER_PREFIX "descheduler.alpha.kubernetes.io/"

static uint16_t annotation_flags(struct slice key, struct slice value) {
        static const struct {
                const char *key;
                uint16_t flag;
        } marks[] = {
                { "kubernetes.io/config.mirror", POD_MIRROR },
                { DESCHEDULER_PREFIX "evict", POD_EVICT_MARK },
                { DESCHEDULER_PREFIX "prefer-no-eviction", POD_PREFERS_STAY },
                { DESCHEDULER_PREFIX "request-evict-only", POD_REQUEST_EVICT },
                { DESCHEDULER_PREFIX "eviction-in-progress", POD_EVICTION_RUNS },
        };
        uint16_t flags = 0;
        for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
                if (slice_is(key, marks[i].key))
                        flags |= marks[i].flag;
        }
        if ((flags & POD_EVICT_MARK) && slice_is(value, "false"))
                flags |= POD_EVICT_MARK_FALSE;
        if (slice_is(key, "kubernetes.io/config.source") && !slice_is(value, "api"))
                flags |= POD_STATIC;
        return flags;
}

static uint16_t flags_of(const struct pod *pod) {
        uint16_t flags = 0;
        for (size_t i = 0; i < pod->meta.annotations.count; i++)
                flags |= annotation_flags(pod->meta.annotations.items[i].key,
                                          pod->meta.annotations.items[i].value);
        if (wall_time_is_set(pod->meta.deleted))
                flags |= POD_TERMINATING;
        if (pod->status.has_qos)
                flags |= POD_HAS_QOS;
        if (pod->meta.finalizer_count > 0)
                flags |= POD_HAS_FINALIZERS;
        return flags;
}

static void read_failure(const struct pod *pod, struct pod_row *row) {
        const struct condition *scheduled =
                condition_find(pod->status.conditions, pod->status.condition_count, "PodScheduled");
        row->failure_hash = 0;
        row->failure_changed = WALL_TIME_UNSET;
        if (!scheduled || scheduled->status != CONDITION_FALSE)
                return;
        row->flags |= POD_CONDITION_FALSE;
        row->failure_hash = cluster_failure_hash(scheduled->reason, scheduled->message);
        row->failure_changed = scheduled->changed;
}

/* Reason and message apart, so that text cannot wander between them; never 0. */
uint64_t cluster_failure_hash(struct slice reason, struct slice message) {
        return hash_bytes(message.ptr, message.len, slice_hash(reason)) | 1;
}

/* The plain fields; counted ones are exchanged by the caller. */
static void read_plain(struct cluster *cluster, const struct pod *pod, struct pod_row *row) {
        unsigned qos = pod->status.has_qos ? (unsigned)pod->status.qos
                                           : (unsigned)cluster_class(cluster, row->class)->qos;
        row->flags = (uint16_t)((row->flags & (POD_ASSUMED | POD_NOMINATED_HERE)) | flags_of(pod) |
                                pod_eviction_flags(cluster, pod));
        read_failure(pod, row);
        row->phase = (uint8_t)pod->status.phase;
        row->qos = qos & 15u;
        row->priority = pod->spec.priority;
        row->has_priority = pod->spec.has_priority;
        row->created = pod->meta.created;
        row->deleted = pod->meta.deleted;
        row->started = pod->status.started;
        row->observed_generation =
                pod->meta.generation < UINT32_MAX ? (uint32_t)pod->meta.generation : UINT32_MAX;
}

static bool times_eq(struct wall_time a, struct wall_time b) {
        return a.ns == b.ns;
}

static bool status_eq(const struct pod_row *a, const struct pod_row *b) {
        return a->phase == b->phase && a->flags == b->flags && a->qos == b->qos &&
               a->priority == b->priority && a->has_priority == b->has_priority &&
               a->owners == b->owners && a->failure_hash == b->failure_hash &&
               times_eq(a->failure_changed, b->failure_changed) &&
               times_eq(a->created, b->created) && times_eq(a->started, b->started) &&
               times_eq(a->deleted, b->deleted) && a->detail == b->detail;
}

/* ---- comparing classes ---- */

static int64_t request_of(const struct pod_class *class, struct resource_id resource) {
        for (size_t i = 0; i < class->request_count; i++) {
                if (class->requests[i].resource.index == resource.index)
                        return class->requests[i].amount;
        }
        return 0;
}

static bool is_scaled_down(const struct pod_class *from, const struct pod_class *to) {
        for (size_t i = 0; i < from->request_count; i++) {
                if (request_of(to, from->requests[i].resource) < from->requests[i].amount)
                        return true;
        }
        return false;
}

static uint32_t class_changes(const struct pod_class *from, const struct pod_class *to) {
        uint32_t mask = 0;
        if (from == to)
                return 0;
        if (is_scaled_down(from, to))
                mask |= CLUSTER_POD_SCALED_DOWN;
        if (from->spec.gate_count > 0 && to->spec.gate_count == 0)
                mask |= CLUSTER_POD_GATES;
        if (from->spec.toleration_count != to->spec.toleration_count)
                mask |= CLUSTER_POD_TOLERATIONS;
        return mask ? mask : CLUSTER_POD_SPEC;
}

/* ---- one update ---- */

struct pod_update {
        struct pod_id pod;
        struct node_id node; /* where it goes */
        uint32_t details;    /* CLUSTER_POD_* about the pod itself */
        struct node_id node_before;
        bool was_occupying, was_pending, is_nomination_changed;
        struct old_pod old;
};

static bool is_pending(const struct pod_row *row) {
        return node_id_is_none(row->node) && !pod_row_is_finished(row);
}

/* An assumed pod not yet seen with a node stays where it was assumed. */
static struct node_id target_of(struct cluster *cluster, const struct pod_row *row,
                                const struct pod *pod, bool is_finished) {
        if (pod->spec.node_name.len > 0)
                return node_row_take(cluster, pod->spec.node_name);
        return (row->flags & POD_ASSUMED) && !is_finished ? row->node : NODE_NONE;
}

static struct pod_detail *exchange_detail(struct cluster *cluster, struct pod_detail *before,
                                          const struct pod *pod) {
        struct pod_detail *now = pod_detail_new(cluster, pod);
        if (pod_detail_eq(now, before)) {
                pod_detail_free(cluster, now);
                return before;
        }
        return now;
}

/* Puts the object's content into the row and says what changed.  Counts of what the row had before
 * are given back last, so that what stays the same is never freed in between. */
static uint32_t exchange_content(struct cluster *cluster, struct pod_row *row,
                                 const struct pod *pod, struct class_id class) {
        struct pod_row before = *row;
        uint32_t mask =
                class_changes(cluster_class(cluster, before.class), cluster_class(cluster, class));
        row->class = class;
        row->labels = label_set_take(cluster, pod->meta.labels);
        row->owners = owner_list_take(cluster, pod->meta.owners, pod->meta.owner_count);
        row->owner_count = (uint16_t)owner_list_count(row->owners);
        row->detail = exchange_detail(cluster, before.detail, pod);
        read_plain(cluster, pod, row);
        if (pod->spec.node_name.len > 0)
                row->flags &= (uint16_t)~POD_ASSUMED;
        if (row->labels.index != before.labels.index)
                mask |= CLUSTER_POD_LABELS;
        if (!status_eq(&before, row))
                mask |= CLUSTER_POD_STATUS;
        if (before.detail != row->detail && !pod_claims_eq(before.detail, row->detail))
                mask |= CLUSTER_POD_CLAIMS;
        label_set_drop(cluster, before.labels);
        owner_list_drop(cluster, before.owners);
        class_drop(cluster, before.class);
        if (before.detail != row->detail)
                pod_detail_free(cluster, before.detail);
        return mask;
}

/* Our own nomination outlasts objects that do not carry one yet. */
static bool exchange_nomination(struct cluster *cluster, struct pod_id pod,
                                struct slice nominated) {
        struct pod_row *row = pod_row_at(&cluster->pods, pod);
        bool is_placed = pod_row_is_finished(row) ||
                         (!node_id_is_none(row->node) && !(row->flags & POD_ASSUMED));
        if (is_placed)
                nominated = SLICE_EMPTY;
        else if (nominated.len == 0 && (row->flags & POD_NOMINATED_HERE))
                return false;
        row->flags &= (uint16_t)~POD_NOMINATED_HERE;
        return pod_set_nomination(cluster, pod, nominated);
}

/* What the update means for the pending pods. */
static uint32_t pending_changes(const struct pod_update *update, bool is_now_pending) {
        if (!update->was_pending)
                return is_now_pending ? CLUSTER_PENDING_ADDED : 0;
        if (!is_now_pending)
                return CLUSTER_PENDING_REMOVED;
        return update->details ? CLUSTER_PENDING_UPDATED : 0;
}

static void log_update(struct cluster *cluster, const struct pod_update *update) {
        const struct pod_row *row = pod_row_at(&cluster->pods, update->pod);
        bool is_occupying = pod_row_occupies(row);
        bool moves = update->node_before.index != row->node.index;
        bool leaves = update->was_occupying && (!is_occupying || moves);
        bool comes = is_occupying && (!update->was_occupying || moves);
        bool is_gone = leaves && !is_occupying; /* what else changed is noted with it */
        uint32_t mask = pending_changes(update, is_pending(row));
        if (leaves)
                cluster_log_pod(cluster, CLUSTER_POD_REMOVED | (is_gone ? update->details : 0),
                                update->node_before, update->pod, &update->old);
        if (update->is_nomination_changed)
                mask |= CLUSTER_NOMINATION;
        if (comes)
                mask |= CLUSTER_POD_ADDED;
        if (!is_gone)
                mask |= update->details;
        if (mask)
                cluster_log_pod(cluster, mask, row->node, update->pod, &update->old);
}

/* Whether the pod adds something else to its node than before. */
static bool counts_differ(const struct pod_row *row, const struct pod *pod, struct class_id class,
                          bool is_finished) {
        return class.index != row->class.index || is_finished != pod_row_is_finished(row) ||
               pod->spec.priority != row->priority;
}

/* What an assumed pod takes by devices counts before its status says so. */
static struct class_id class_of_update(struct cluster *cluster, const struct pod_row *row,
                                       const struct pod *pod) {
        struct pod_spec spec = pod->spec;
        if ((row->flags & POD_ASSUMED) && pod->spec.node_name.len == 0 &&
            spec.device_requests.count == 0)
                spec.device_requests = cluster_class(cluster, row->class)->spec.device_requests;
        return class_take(cluster, &spec);
}

static void update_pod(struct cluster *cluster, struct pod_id id, const struct pod *pod) {
        struct pod_row *row = pod_row_at(&cluster->pods, id);
        bool is_finished = pod->status.phase == POD_SUCCEEDED || pod->status.phase == POD_FAILED;
        struct pod_update update = { .pod = id,
                                     .node_before = row->node,
                                     .was_occupying = pod_row_occupies(row),
                                     .was_pending = is_pending(row),
                                     .old = old_pod_of(row) };
        struct class_id class = class_of_update(cluster, row, pod);
        old_pod_ref(cluster, &update.old);
        update.node = target_of(cluster, row, pod, is_finished);
        bool moves = update.node.index != row->node.index;
        bool recounts = moves || counts_differ(row, pod, class, is_finished);
        if (recounts && !node_id_is_none(row->node))
                pod_unaccount(cluster, id);
        pod_equivalents_leave(cluster, id);
        if (moves && !node_id_is_none(row->node))
                pod_unlink(cluster, id);
        update.details = exchange_content(cluster, row, pod, class);
        if (pod_responders_set(cluster, id, pod))
                update.details |= CLUSTER_POD_STATUS;
        if (!node_id_is_none(update.node)) {
                if (moves)
                        pod_link(cluster, id, update.node);
                else
                        pod_equivalents_join(cluster, id);
        }
        if (recounts && !node_id_is_none(row->node))
                pod_account(cluster, id);
        if (node_id_is_none(row->node))
                row->flags &= (uint16_t)~POD_ASSUMED;
        update.is_nomination_changed = exchange_nomination(cluster, id, pod->status.nominated_node);
        log_update(cluster, &update);
        old_pod_drop(cluster, &update.old);
        if (moves && !node_id_is_none(update.node_before))
                node_row_release_unused(cluster, update.node_before);
}

void cluster_set_device_requests(struct cluster *cluster, struct pod_id pod,
                                 const struct resource_list *requests) {
        struct pod_row *row = pod_row_at(&cluster->pods, pod);
        struct pod_spec spec = cluster_class(cluster, row->class)->spec;
        struct class_id before = row->class;
        assert(row->is_live && node_id_is_none(row->node));
        if (!cluster->config.counts_devices || spec.device_requests.count + requests->count == 0)
                return;
        spec.device_requests = *requests;
        row->class = class_take(cluster, &spec);
        class_drop(cluster, before);
}

static struct pod_id add_pod(struct cluster *cluster, const struct pod *pod) {
        struct pod_id id = pod_row_new(cluster, &pod->meta);
        struct pod_row *row = pod_row_at(&cluster->pods, id);
        row->class = class_take(cluster, &pod->spec);
        row->labels = label_set_take(cluster, pod->meta.labels);
        row->owners = owner_list_take(cluster, pod->meta.owners, pod->meta.owner_count);
        row->owner_count = (uint16_t)owner_list_count(row->owners);
        row->detail = pod_detail_new(cluster, pod);
        read_plain(cluster, pod, row);
        pod_responders_set(cluster, id, pod);
        if (pod->spec.node_name.len > 0) {
                pod_link(cluster, id, node_row_take(cluster, pod->spec.node_name));
                pod_account(cluster, id);
        }
        bool is_nominated = exchange_nomination(cluster, id, pod->status.nominated_node);
        uint32_t mask = pod_row_occupies(row) ? CLUSTER_POD_ADDED
                        : is_pending(row)     ? CLUSTER_PENDING_ADDED
                                              : CLUSTER_POD_STATUS;
        cluster_log_change(cluster, mask | (is_nominated ? CLUSTER_NOMINATION : 0), row->node, id);
        return id;
}

static void remove_pod(struct cluster *cluster, struct pod_id id) {
        struct pod_row *row = pod_row_at(&cluster->pods, id);
        struct node_id node = row->node;
        uint32_t mask = pod_row_occupies(row) ? CLUSTER_POD_REMOVED
                        : is_pending(row)     ? CLUSTER_PENDING_REMOVED
                                              : CLUSTER_POD_STATUS;
        if (pod_set_nomination(cluster, id, SLICE_EMPTY))
                mask |= CLUSTER_NOMINATION;
        if (!node_id_is_none(node)) {
                pod_unaccount(cluster, id);
                pod_equivalents_leave(cluster, id);
                pod_unlink(cluster, id);
        }
        struct old_pod old = old_pod_of(row);
        cluster_log_pod(cluster, mask, node, id, &old);
        pod_row_free(cluster, id);
        if (!node_id_is_none(node))
                node_row_release_unused(cluster, node);
}

/* ---- feeding ---- */

static bool is_other_pod(const struct pod_row *row, const struct pod *pod) {
        struct slice uid = slice_of(row->uid);
        return uid.len > 0 && pod->meta.uid.len > 0 && !slice_eq(uid, pod->meta.uid);
}

struct pod_id cluster_put_pod(struct cluster *cluster, const struct pod *pod) {
        assert(!cluster_is_what_if(cluster));
        arena_clear(&cluster->scratch);
        bool is_unwanted = !cluster->config.keeps_finished &&
                           (pod->status.phase == POD_SUCCEEDED || pod->status.phase == POD_FAILED);
        struct pod_id id = cluster_find_pod(cluster, pod->meta.ns, pod->meta.name);
        if (!pod_id_is_none(id) &&
            (is_unwanted || is_other_pod(pod_row_at(&cluster->pods, id), pod))) {
                remove_pod(cluster, id);
                id = POD_NONE;
        }
        if (is_unwanted)
                return POD_NONE;
        if (pod_id_is_none(id))
                return add_pod(cluster, pod);
        update_pod(cluster, id, pod);
        return id;
}

void cluster_remove_pod(struct cluster *cluster, struct slice ns, struct slice name) {
        assert(!cluster_is_what_if(cluster));
        struct pod_id id = cluster_find_pod(cluster, ns, name);
        if (!pod_id_is_none(id))
                remove_pod(cluster, id);
}
