/* Container states, conditions and claims of a pod. */
#include "model/cluster_priv.h"

#include <stdlib.h>

#define CONTAINERS_MAX 4096u /* statuses per pod; more are cut off */
#define CONDITIONS_MAX 1024u
#define CLAIMS_MAX 1024u

static enum container_role role_of_init(const struct pod *pod, struct slice name) {
        for (size_t i = 0; i < pod->spec.init_count; i++) {
                if (slice_eq(pod->spec.init[i].name, name))
                        return pod->spec.init[i].is_sidecar ? CONTAINER_SIDECAR : CONTAINER_INIT;
        }
        return CONTAINER_INIT;
}

static void fill_container(struct cluster *cluster, struct container_row *row,
                           const struct container_status *from, enum container_role role) {
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
}

static void drop_containers(struct cluster *cluster, const struct container_row *rows,
                            size_t count) {
        for (size_t i = 0; i < count; i++) {
                str_drop(cluster, rows[i].name);
                str_drop(cluster, rows[i].waiting_reason);
                str_drop(cluster, rows[i].terminated_reason);
                str_drop(cluster, rows[i].last_reason);
        }
}

/* Main containers, init containers, ephemeral ones; at most `limit`. */
static void fill_containers(struct cluster *cluster, const struct pod *pod,
                            struct container_row *rows, size_t limit) {
        const struct pod_status *status = &pod->status;
        size_t filled = 0;
        for (size_t i = 0; i < status->container_count && filled < limit; i++)
                fill_container(cluster, &rows[filled++], &status->containers[i], CONTAINER_MAIN);
        for (size_t i = 0; i < status->init_count && filled < limit; i++)
                fill_container(cluster, &rows[filled++], &status->init[i],
                               role_of_init(pod, status->init[i].name));
        for (size_t i = 0; i < status->ephemeral_count && filled < limit; i++)
                fill_container(cluster, &rows[filled++], &status->ephemeral[i],
                               CONTAINER_EPHEMERAL);
}

/* Most pods of a template are in one state: their rows are one list. */
static const struct container_row *take_containers(struct cluster *cluster, const struct pod *pod,
                                                   size_t count) {
        struct container_row *rows = ARENA_ARRAY(&cluster->scratch, struct container_row, count);
        bool is_new;
        if (count == 0)
                return NULL;
        fill_containers(cluster, pod, rows, count);
        const struct container_row *shared =
                shared_rows_take(&cluster->container_lists, rows, count * sizeof(*rows), &is_new);
        if (!is_new)
                drop_containers(cluster, rows, count);
        return shared;
}

static void add_condition(struct cluster *cluster, struct pod_detail *detail,
                          const struct condition *from) {
        struct condition_row *row = &detail->conditions[detail->condition_count++];
        row->type = str_take(cluster, from->type);
        row->reason = str_take(cluster, from->reason);
        row->status = (uint8_t)from->status;
        row->changed = from->changed;
}

static size_t pod_detail_capped(size_t count, size_t limit) {
        return count < limit ? count : limit;
}

static uint32_t count_ready(const struct container_row *rows, size_t count) {
        uint32_t ready = 0;
        for (size_t i = 0; i < count; i++)
                ready += rows[i].is_ready;
        return ready;
}

static void add_claims(struct cluster *cluster, struct pod_detail *detail,
                       const struct pod_status *status, size_t count) {
        for (size_t i = 0; i < count; i++)
                detail->claims[i] =
                        (struct pod_claim_row){ str_take(cluster, status->claims[i].name),
                                                str_take(cluster, status->claims[i].claim_name) };
        for (size_t i = 0; i < status->node_claim_count && cluster->config.counts_devices; i++)
                detail->claims[count++] = (struct pod_claim_row){
                        { 0 }, str_take(cluster, status->node_claims[i].claim_name)
                };
        detail->claim_count = (uint32_t)count;
}

struct pod_detail *pod_detail_new(struct cluster *cluster, const struct pod *pod) {
        const struct pod_status *status = &pod->status;
        bool has_rest = cluster->config.keeps_detail;
        size_t containers = pod_detail_capped(status->container_count + status->init_count +
                                                      status->ephemeral_count,
                                              has_rest ? CONTAINERS_MAX : 0);
        size_t conditions =
                pod_detail_capped(status->condition_count, has_rest ? CONDITIONS_MAX : 0);
        size_t claims = pod_detail_capped(status->claim_count, CLAIMS_MAX);
        size_t node_claims = cluster->config.counts_devices ? status->node_claim_count : 0;
        if (containers == 0 && conditions == 0 && claims + node_claims == 0 &&
            (!has_rest || status->reason.len == 0))
                return NULL;
        struct pod_detail *detail =
                xcalloc(1, sizeof(*detail) + conditions * sizeof(*detail->conditions) +
                                   (claims + node_claims) * sizeof(*detail->claims));
        detail->conditions = (struct condition_row *)(detail + 1);
        detail->claims = (struct pod_claim_row *)(detail->conditions + conditions);
        if (has_rest)
                detail->reason = str_take(cluster, status->reason);
        detail->containers = take_containers(cluster, pod, containers);
        detail->container_count = (uint32_t)containers;
        detail->ready_count = count_ready(detail->containers, containers);
        for (size_t i = 0; i < conditions; i++)
                add_condition(cluster, detail, &status->conditions[i]);
        add_claims(cluster, detail, status, claims);
        cluster->pods.detail_bytes += pod_detail_bytes(detail);
        return detail;
}

void pod_detail_free(struct cluster *cluster, struct pod_detail *detail) {
        if (!detail)
                return;
        cluster->pods.detail_bytes -= pod_detail_bytes(detail);
        str_drop(cluster, detail->reason);
        if (detail->containers && shared_rows_drop(detail->containers)) {
                drop_containers(cluster, detail->containers, detail->container_count);
                shared_rows_free(&cluster->container_lists, detail->containers);
        }
        for (uint32_t i = 0; i < detail->condition_count; i++) {
                str_drop(cluster, detail->conditions[i].type);
                str_drop(cluster, detail->conditions[i].reason);
        }
        for (uint32_t i = 0; i < detail->claim_count; i++) {
                str_drop(cluster, detail->claims[i].name);
                str_drop(cluster, detail->claims[i].claim);
        }
        free(detail);
}

bool pod_claims_eq(const struct pod_detail *a, const struct pod_detail *b) {
        uint32_t count = !a ? 0 : a->claim_count;
        return count == (!b ? 0 : b->claim_count) &&
               (count == 0 || memcmp(a->claims, b->claims, count * sizeof(*a->claims)) == 0);
}

/* Rows are zeroed before they are filled, so their padding is equal too. */
bool pod_detail_eq(const struct pod_detail *a, const struct pod_detail *b) {
        if (!a || !b)
                return a == b;
        return str_id_eq(a->reason, b->reason) && a->containers == b->containers &&
               a->condition_count == b->condition_count &&
               memcmp(a->conditions, b->conditions, a->condition_count * sizeof(*a->conditions)) ==
                       0 &&
               pod_claims_eq(a, b);
}

size_t pod_detail_bytes(const struct pod_detail *detail) {
        return sizeof(*detail) + detail->condition_count * sizeof(*detail->conditions) +
               detail->claim_count * sizeof(*detail->claims);
}
