/* The pods and budgets a drain is about: from lists of the API, or from the model of the process.
 */
#include "reboot/drain.h"

#include "api/object.h"
#include "model/cluster.h"

/* ---- lists ---- */

/* Of the annotations by which evictions are carried on in the background. */
#define DESCHEDULER_PREFIX "descheduler.alpha.kubernetes.io/"

static bool pod_is_ready(const struct pod *pod) {
        const struct condition *ready =
                condition_find(pod->status.conditions, pod->status.condition_count, "Ready");

        return ready && ready->status == CONDITION_TRUE;
}

static struct slice daemon_set_of(const struct pod *pod, struct arena *arena) {
        for (size_t i = 0; i < pod->meta.owner_count; i++) {
                const struct owner_ref *owner = &pod->meta.owners[i];

                if (owner->is_controller && slice_is(owner->kind, "DaemonSet") &&
                    slice_is(owner->api_version, "apps/v1"))
                        return arena_slice(arena, owner->name);
        }
        return SLICE_EMPTY;
}

static struct label_list copy_labels(struct label_list labels, struct arena *arena) {
        struct label_list copy = { labels.count, ARENA_ARRAY(arena, struct label, labels.count) };

        for (size_t i = 0; i < labels.count; i++)
                copy.items[i] = (struct label){ arena_slice(arena, labels.items[i].key),
                                                arena_slice(arena, labels.items[i].value) };
        return copy;
}

int drain_pod_decode(const struct json *object, struct arena *arena, struct drain_pod *ret_pod,
                     struct err *err) {
        struct pod pod;
        bool is_mirror, is_asked, is_running;

        if (pod_decode(object, arena, &pod, err) < 0)
                return BERTH_ERR_INVALID;
        label_list_get(pod.meta.annotations, "kubernetes.io/config.mirror", &is_mirror);
        label_list_get(pod.meta.annotations, DESCHEDULER_PREFIX "request-evict-only", &is_asked);
        label_list_get(pod.meta.annotations, DESCHEDULER_PREFIX "eviction-in-progress",
                       &is_running);
        *ret_pod = (struct drain_pod){
                .ns = arena_slice(arena, pod.meta.ns),
                .name = arena_slice(arena, pod.meta.name),
                .uid = arena_slice(arena, pod.meta.uid),
                .daemon_set = daemon_set_of(&pod, arena),
                .is_finished = pod.status.phase == POD_SUCCEEDED || pod.status.phase == POD_FAILED,
                .is_running = pod.status.phase <= POD_RUNNING,
                .is_mirror = is_mirror,
                .is_ready = pod_is_ready(&pod),
                .is_moving = is_asked && is_running,
                .deleted = pod.meta.deleted,
                .labels = copy_labels(pod.meta.labels, arena),
        };
        return 0;
}

int drain_pods_decode(const struct json *list, struct arena *arena, struct drain_pods *ret_pods,
                      struct err *err) {
        const struct json *items = json_get(list, "items"), *item;
        struct json_iter iter = json_iter(items);
        struct drain_pods pods = { 0, ARENA_ARRAY(arena, struct drain_pod, json_count(items)) };

        while (json_next(&iter, NULL, &item))
                if (drain_pod_decode(item, arena, &pods.items[pods.count++], err) < 0)
                        return BERTH_ERR_INVALID;
        *ret_pods = pods;
        return 0;
}

void drain_budgets_decode(const struct json *list, struct arena *arena,
                          struct drain_budgets *ret_budgets) {
        const struct json *items = json_get(list, "items"), *item;
        struct json_iter iter = json_iter(items);

        *ret_budgets = (struct drain_budgets){ 0, ARENA_ARRAY(arena, struct disruption_budget,
                                                              json_count(items)) };
        while (json_next(&iter, NULL, &item))
                if (disruption_budget_decode(item, arena, &ret_budgets->items[ret_budgets->count],
                                             NULL) == 0)
                        ret_budgets->count++;
}

/* ---- the model ---- */

static struct slice daemon_set_of_row(const struct cluster *cluster, const struct pod_row *row) {
        for (size_t i = 0; i < row->owner_count; i++)
                if (row->owners[i].is_controller &&
                    slice_is(cluster_text(cluster, row->owners[i].kind), "DaemonSet"))
                        return cluster_text(cluster, row->owners[i].name);
        return SLICE_EMPTY;
}

static struct drain_pod drain_pod_of(const struct cluster *cluster, const struct pod_row *row,
                                     struct arena *arena) {
        const uint16_t moving = POD_REQUEST_EVICT | POD_EVICTION_RUNS;

        return (struct drain_pod){
                .ns = arena_slice(arena, cluster_text(cluster, row->ns)),
                .name = arena_slice(arena, slice_of(row->name)),
                .uid = arena_slice(arena, slice_of(row->uid)),
                .daemon_set = arena_slice(arena, daemon_set_of_row(cluster, row)),
                .is_finished = pod_row_is_finished(row),
                .is_running = row->phase <= POD_RUNNING,
                .is_mirror = row->flags & POD_MIRROR,
                .is_ready = row->flags & POD_READY,
                .is_moving = (row->flags & moving) == moving,
                .deleted = row->deleted,
                .labels = copy_labels(cluster_labels(cluster, row->labels, arena), arena),
        };
}

void drain_pods_take(const struct cluster *cluster, struct slice node, struct arena *arena,
                     struct drain_pods *ret_pods) {
        const struct pod_id first = cluster_first_pod(cluster, node);
        const struct pod_row *row;
        size_t count = 0;

        for (struct pod_id at = first; !pod_id_is_none(at); at = row->next_on_node, count++)
                row = cluster_pod(cluster, at);
        *ret_pods = (struct drain_pods){ 0, ARENA_ARRAY(arena, struct drain_pod, count) };
        for (struct pod_id at = first; !pod_id_is_none(at); at = row->next_on_node) {
                row = cluster_pod(cluster, at);
                if (!(row->flags & POD_ASSUMED)) /* the API server does not have it yet */
                        ret_pods->items[ret_pods->count++] = drain_pod_of(cluster, row, arena);
        }
}

static size_t count_budgets(const struct cluster *cluster, struct str_id ns) {
        size_t at = 0, count = 0;

        while (cluster_budget_next(cluster, ns, &at))
                count++;
        return count;
}

static bool is_first_of_namespace(const struct drain_pods *pods, size_t index) {
        for (size_t i = 0; i < index; i++)
                if (slice_eq(pods->items[i].ns, pods->items[index].ns))
                        return false;
        return true;
}

static void take_budgets_of(const struct cluster *cluster, struct slice ns, struct arena *arena,
                            struct drain_budgets *budgets) {
        bool is_known;
        struct str_id id = cluster_str(cluster, ns, &is_known);
        const struct budget_row *row;
        size_t at = 0, count = is_known ? count_budgets(cluster, id) : 0;
        struct disruption_budget *items =
                ARENA_ARRAY(arena, struct disruption_budget, budgets->count + count);

        for (size_t i = 0; i < budgets->count; i++)
                items[i] = budgets->items[i];
        budgets->items = items;
        while (is_known && (row = cluster_budget_next(cluster, id, &at)))
                items[budgets->count++] = (struct disruption_budget){
                        .meta = { .ns = ns,
                                  .name = cluster_text(cluster, row->name),
                                  .generation = row->generation },
                        .has_selector = row->has_selector,
                        .selector_is_invalid = row->selector_is_invalid,
                        .selector = row->selector,
                        .always_allow_unhealthy = row->always_allow_unhealthy,
                        .observed_generation = row->observed_generation,
                        .disruptions_allowed = row->disruptions_allowed,
                        .current_healthy = row->current_healthy,
                        .desired_healthy = row->desired_healthy,
                        .expected_pods = row->expected_pods,
                };
}

void drain_budgets_take(const struct cluster *cluster, const struct drain_pods *pods,
                        struct arena *arena, struct drain_budgets *ret_budgets) {
        *ret_budgets = (struct drain_budgets){ 0 };
        for (size_t i = 0; i < pods->count; i++)
                if (is_first_of_namespace(pods, i))
                        take_budgets_of(cluster, pods->items[i].ns, arena, ret_budgets);
}
