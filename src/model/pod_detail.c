/* Container states and conditions of a pod, in one allocation. */
#include "model/cluster_priv.h"

#include <stdlib.h>

#define CONTAINERS_MAX 4096u /* statuses per pod; more are cut off */
#define CONDITIONS_MAX 1024u

static enum container_role role_of_init(const struct pod *pod, struct slice name) {
        for (size_t i = 0; i < pod->spec.init_count; i++) {
                if (slice_eq(pod->spec.init[i].name, name))
                        return pod->spec.init[i].is_sidecar ? CONTAINER_SIDECAR : CONTAINER_INIT;
        }
        return CONTAINER_INIT;
}

static void add_container(struct cluster *cluster, struct pod_detail *detail,
                          const struct container_status *from, enum container_role role) {
        if (detail->container_count == CONTAINERS_MAX)
                return;
        struct container_row *row = &detail->containers[detail->container_count++];
        row->name = str_take(cluster, from->name);
        row->waiting_reason = str_take(cluster, from->waiting_reason);
        row->terminated_reason = str_take(cluster, from->terminated_reason);
        row->last_reason = str_take(cluster, from->last_terminated_reason);
        row->role = (uint8_t)role;
        row->is_waiting = from->is_waiting;
        row->is_terminated = from->is_terminated;
        row->has_last = from->has_last;
        row->is_ready = from->is_ready;
        row->exit_code = from->exit_code;
        row->last_exit_code = from->last_exit_code;
        row->restarts = from->restarts;
        row->signal = from->signal;
        row->finished = from->finished;
        detail->ready_count += from->is_ready;
}

static void add_condition(struct cluster *cluster, struct pod_detail *detail,
                          const struct condition *from) {
        if (detail->condition_count == CONDITIONS_MAX)
                return;
        struct condition_row *row = &detail->conditions[detail->condition_count++];
        row->type = str_take(cluster, from->type);
        row->reason = str_take(cluster, from->reason);
        row->status = (uint8_t)from->status;
        row->changed = from->changed;
}

static size_t capped(size_t count, size_t limit) {
        return count < limit ? count : limit;
}

static struct pod_detail *detail_alloc(size_t containers, size_t conditions) {
        struct pod_detail *detail =
                xcalloc(1, sizeof(*detail) + containers * sizeof(*detail->containers) +
                                   conditions * sizeof(*detail->conditions));
        detail->containers = (struct container_row *)(detail + 1);
        detail->conditions = (struct condition_row *)(detail->containers + containers);
        return detail;
}

struct pod_detail *pod_detail_new(struct cluster *cluster, const struct pod *pod) {
        const struct pod_status *status = &pod->status;
        size_t containers =
                capped(status->container_count + status->init_count + status->ephemeral_count,
                       CONTAINERS_MAX);
        size_t conditions = capped(status->condition_count, CONDITIONS_MAX);
        if (!cluster->config.keeps_detail ||
            (containers == 0 && conditions == 0 && status->reason.len == 0))
                return NULL;
        struct pod_detail *detail = detail_alloc(containers, conditions);
        detail->reason = str_take(cluster, status->reason);
        for (size_t i = 0; i < status->container_count; i++)
                add_container(cluster, detail, &status->containers[i], CONTAINER_MAIN);
        for (size_t i = 0; i < status->init_count; i++)
                add_container(cluster, detail, &status->init[i],
                              role_of_init(pod, status->init[i].name));
        for (size_t i = 0; i < status->ephemeral_count; i++)
                add_container(cluster, detail, &status->ephemeral[i], CONTAINER_EPHEMERAL);
        for (size_t i = 0; i < status->condition_count; i++)
                add_condition(cluster, detail, &status->conditions[i]);
        cluster->pods.detail_bytes += pod_detail_bytes(detail);
        return detail;
}

void pod_detail_free(struct cluster *cluster, struct pod_detail *detail) {
        if (!detail)
                return;
        cluster->pods.detail_bytes -= pod_detail_bytes(detail);
        str_drop(cluster, detail->reason);
        for (uint32_t i = 0; i < detail->container_count; i++) {
                str_drop(cluster, detail->containers[i].name);
                str_drop(cluster, detail->containers[i].waiting_reason);
                str_drop(cluster, detail->containers[i].terminated_reason);
                str_drop(cluster, detail->containers[i].last_reason);
        }
        for (uint32_t i = 0; i < detail->condition_count; i++) {
                str_drop(cluster, detail->conditions[i].type);
                str_drop(cluster, detail->conditions[i].reason);
        }
        free(detail);
}

/* Rows are zeroed before they are filled, so their padding is equal too. */
bool pod_detail_eq(const struct pod_detail *a, const struct pod_detail *b) {
        if (!a || !b)
                return a == b;
        return str_id_eq(a->reason, b->reason) && a->container_count == b->container_count &&
               a->condition_count == b->condition_count &&
               memcmp(a->containers, b->containers, a->container_count * sizeof(*a->containers)) ==
                       0 &&
               memcmp(a->conditions, b->conditions, a->condition_count * sizeof(*a->conditions)) ==
                       0;
}

size_t pod_detail_bytes(const struct pod_detail *detail) {
        return detail ? sizeof(*detail) + detail->container_count * sizeof(*detail->containers) +
                                detail->condition_count * sizeof(*detail->conditions)
                      : 0;
}
