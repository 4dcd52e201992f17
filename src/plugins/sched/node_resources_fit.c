/* NodeResourcesFit: requests must fit what is left of the node; scores by one of three strategies
 * (reference scheduler.md 4.3, where the arithmetic is integer throughout). */
#include "base/saturate.h"
#include "base/util.h"
#include "config/scheduler_configuration.h"
#include "plugin/cache_hints.h"
#include "plugin/sched_points.h"
#include "plugins/sched/extended_claim.h"
#include "plugins/sched/extended_score.h"
#include "plugins/sched/placement_fit.h"
#include "plugins/sched/resource_args.h"
#include "rules/fit.h"
#include <math.h>
#include <stdlib.h>

enum fit_strategy { STRATEGY_LEAST, STRATEGY_MOST, STRATEGY_RATIO };
static const char *const strategy_names[] = { "LeastAllocated", "MostAllocated",
                                              "RequestedToCapacityRatio" };
#define RATIO_SCORE_SCALE 10 /* shape scores run to 10, node scores to 100 */

struct node_resources_fit_shape_point {
        int32_t utilization, score;
};
struct ratio_args {
        struct item_list shape; /* struct node_resources_fit_shape_point */
};
struct strategy_args {
        struct slice type;
        struct item_list resources; /* struct resource_weight */
        struct ratio_args *ratio;
};
struct fit_args {
        struct args_head head;
        struct text_list ignored, ignored_groups;
        struct strategy_args *strategy; /* NULL = LeastAllocated over cpu and memory */
};

struct fit_plugin {
        const struct fit_args *args;
        enum fit_strategy strategy;
        struct resource_weights resources;
        size_t shape_count;
        const struct node_resources_fit_shape_point *shape;
        bool is_parity;
        bool has_extended;                     /* DRAExtendedResource */
        struct extended_score *extended_score; /* NULL: none of the resources is extended */
        size_t managed_count; /* resources that extenders see to, in place of args->ignored */
        char **managed;       /* owned */
};

/* ---- arguments ---- */

static int node_resources_fit_refuse(struct err *err, const char *path, const char *text) {
        return err_set(err, BERTH_ERR_INVALID, "%s: %s", path, text);
}

static int check_shape(const struct ratio_args *ratio, struct err *err) {
        const struct node_resources_fit_shape_point *points = ratio->shape.items;
        if (ratio->shape.count == 0)
                return node_resources_fit_refuse(err,
                                                 "scoringStrategy.requestedToCapacityRatio.shape",
                                                 "at least one point must be specified");
        for (size_t i = 0; i < ratio->shape.count; i++) {
                if (points[i].utilization < 0 || points[i].utilization > 100)
                        return node_resources_fit_refuse(
                                err, "scoringStrategy.requestedToCapacityRatio.shape",
                                "utilization not in valid range [0, 100]");
                if (i > 0 && points[i].utilization <= points[i - 1].utilization)
                        return node_resources_fit_refuse(
                                err, "scoringStrategy.requestedToCapacityRatio.shape",
                                "utilization values must be sorted in increasing order");
                if (points[i].score < 0 || points[i].score > 10)
                        return node_resources_fit_refuse(
                                err, "scoringStrategy.requestedToCapacityRatio.shape",
                                "score not in valid range [0, 10]");
        }
        return 0;
}

static int check_weights(const struct item_list *resources, struct err *err) {
        const struct resource_weight *items = resources->items;
        for (size_t i = 0; i < resources->count; i++)
                if (items[i].weight < 0 || items[i].weight > 100)
                        return node_resources_fit_refuse(
                                err, "scoringStrategy.resources",
                                "resource weight not in valid range (0, 100]");
        return 0;
}

static int check_names(const struct fit_args *args, struct err *err) {
        for (size_t i = 0; i < args->ignored.count; i++)
                if (label_key_problem(args->ignored.items[i]))
                        return node_resources_fit_refuse(err, "ignoredResources",
                                                         label_key_problem(args->ignored.items[i]));
        for (size_t i = 0; i < args->ignored_groups.count; i++) {
                struct slice group = args->ignored_groups.items[i];
                if (memchr(group.ptr, '/', group.len))
                        return node_resources_fit_refuse(err, "ignoredResourceGroups",
                                                         "resource group name can't contain '/'");
                if (label_key_problem(group))
                        return node_resources_fit_refuse(err, "ignoredResourceGroups",
                                                         label_key_problem(group));
        }
        return 0;
}

static int take_strategy(struct fit_plugin *own, const struct strategy_args *args,
                         struct err *err) {
        size_t type = 0;
        while (type < ARRAY_LEN(strategy_names) && !slice_is(args->type, strategy_names[type]))
                type++;
        if (type == ARRAY_LEN(strategy_names))
                return node_resources_fit_refuse(err, "scoringStrategy.type",
                                                 "supported values: LeastAllocated, MostAllocated, "
                                                 "RequestedToCapacityRatio");
        own->strategy = (enum fit_strategy)type;
        own->resources = resource_weights_of(&args->resources);
        int r = check_weights(&args->resources, err);
        if (r < 0)
                return r;
        if (own->strategy != STRATEGY_RATIO)
                return !args->ratio
                               ? 0
                               : node_resources_fit_refuse(
                                         err, "scoringStrategy.requestedToCapacityRatio",
                                         "must be nil when type is not RequestedToCapacityRatio");
        if (!args->ratio)
                return node_resources_fit_refuse(
                        err, "scoringStrategy.requestedToCapacityRatio",
                        "must be specified when type is RequestedToCapacityRatio");
        own->shape_count = args->ratio->shape.count;
        own->shape = args->ratio->shape.items;
        return check_shape(args->ratio, err);
}

static void take_managed(struct fit_plugin *own, const struct item_list *extenders) {
        for (size_t e = 0; extenders && e < extenders->count; e++) {
                const struct item_list *list =
                        &((const struct scheduler_extender *)extenders->items)[e].managed_resources;
                const struct extender_resource *managed = list->items;
                for (size_t i = 0; i < list->count; i++) {
                        if (!managed[i].is_ignored_by_scheduler)
                                continue;
                        own->managed = xreallocarray(own->managed, own->managed_count + 1,
                                                     sizeof(*own->managed));
                        own->managed[own->managed_count++] = slice_dup(managed[i].name);
                }
        }
}

static void fit_fini(void *state) {
        struct fit_plugin *own = state;
        for (size_t i = 0; own && i < own->managed_count; i++)
                free(own->managed[i]);
        if (own) {
                free(own->managed);
                extended_score_free(own->extended_score);
        }
        free(own);
}

/* Upstream checks these arguments when the plugin is built, not with the file. */
static int fit_init(const struct plugin_env *env, const void *given, void **ret_state,
                    struct err *err) {
        const struct fit_args *args = given;
        struct item_list none = { 0 };
        struct fit_plugin own = { .args = args,
                                  .is_parity = env->is_parity,
                                  .resources = resource_weights_of(&none) };
        int r = args->strategy ? take_strategy(&own, args->strategy, err) : 0;
        if (r == 0)
                r = check_names(args, err);
        if (r < 0)
                return r;
        struct fit_plugin *copy = xmalloc(sizeof(*copy));
        own.has_extended = !(env->gates & FEATURE_NO_EXTENDED_DEVICES);
        own.extended_score = extended_score_new(env, &own.resources);
        take_managed(&own, env->extenders);
        *copy = own;
        *ret_state = copy;
        return 0;
}

/* ---- filter ---- */

static bool node_resources_fit_lists(const struct text_list *list, struct slice text) {
        for (size_t i = 0; i < list->count; i++)
                if (slice_eq(list->items[i], text))
                        return true;
        return false;
}

static bool is_ignored(const struct fit_plugin *own, struct slice name) {
        if (!is_extended_resource(name))
                return false;
        const char *slash = memchr(name.ptr, '/', name.len);
        for (size_t i = 0; i < own->managed_count; i++)
                if (slice_is(name, own->managed[i]))
                        return true;
        return (own->managed_count == 0 && node_resources_fit_lists(&own->args->ignored, name)) ||
               node_resources_fit_lists(&own->args->ignored_groups,
                                        slice_make(name.ptr, (size_t)(slash - name.ptr)));
}

/* Which of the requests devices may stand for. */
static uint64_t by_devices(const struct sched_cycle *cycle, const struct fit_requests *requests) {
        uint64_t bits = 0;
        if (object_cache_count(cycle->object_cache, CACHED_DEVICE_CLASS) == 0)
                return 0;
        for (size_t i = 0; i < requests->count && i < 64; i++) {
                struct slice name =
                        cluster_resource_name(cycle->cluster, requests->items[i].resource);
                if (may_be_devices(name) &&
                    device_class_of_resource(cycle->object_cache, name).len > 0)
                        bits |= (uint64_t)1 << i;
        }
        return bits;
}

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *state,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {
        (void)ret_only;
        (void)verdict;
        const struct fit_plugin *own = state;
        const struct pod_class *class = cycle->class;
        struct fit_requests *requests = ARENA_NEW(cycle->scratch, struct fit_requests);
        *requests = fit_requests_of(class);
        *ret_pod_state = requests;
        if (own->args->ignored.count + own->args->ignored_groups.count + own->managed_count > 0) {
                struct resource_request *counted =
                        ARENA_ARRAY(cycle->scratch, struct resource_request, class->request_count);
                requests->count = 0;
                requests->items = counted;
                for (size_t i = 0; i < class->request_count; i++)
                        if (!is_ignored(own, cluster_resource_name(cycle->cluster,
                                                                   class->requests[i].resource)))
                                counted[requests->count++] = class->requests[i];
        }
        if (own->has_extended)
                requests->devices = by_devices(cycle, requests);
        return VERDICT_OK;
}

static void node_resources_fit_filter(const struct sched_cycle *cycle, const void *state,
                                      const void *pod_state, struct bitset *nodes) {
        (void)state;
        fit_narrow(cycle->cluster, *(const struct fit_requests *)pod_state, nodes);
}

static struct slice shortage_reason(const struct sched_cycle *cycle,
                                    const struct fit_shortage *shortage) {
        switch (shortage->resource.index) {
        case RESOURCE_PODS:
                return SLICE_LITERAL("Too many pods");
        case RESOURCE_CPU:
                return SLICE_LITERAL("Insufficient cpu");
        case RESOURCE_MEMORY:
                return SLICE_LITERAL("Insufficient memory");
        case RESOURCE_EPHEMERAL_STORAGE:
                return SLICE_LITERAL("Insufficient ephemeral-storage");
        default: {
                struct slice name = cluster_resource_name(cycle->cluster, shortage->resource);
                return slice_of(
                        arena_printf(cycle->scratch, "Insufficient " SLICE_FMT, SLICE_ARG(name)));
        }
        }
}

static void node_resources_fit_explain(const struct sched_cycle *cycle, const void *state,
                                       const void *pod_state, struct node_id node,
                                       struct verdict *verdict) {
        (void)state;
        struct fit_shortage shortages[FIT_SHORTAGES_MAX];
        if (fit_node(cycle->cluster, *(const struct fit_requests *)pod_state, node))
                return;
        size_t count = fit_shortages(cycle->cluster, *(const struct fit_requests *)pod_state, node,
                                     shortages);
        for (size_t i = 0; i < count; i++)
                verdict_no(verdict,
                           shortages[i].exceeds_allocatable ? VERDICT_UNRESOLVABLE
                                                            : VERDICT_UNSCHEDULABLE,
                           shortage_reason(cycle, &shortages[i]));
}

/* Whether preemption could help there. */
static bool has_lower_pods(const struct sched_cycle *cycle, struct node_id node) {
        if (cycle->class->spec.never_preempts)
                return false;
        for (struct pod_id at = cluster_nodes(cycle->cluster)->first_pod[node.index];
             !pod_id_is_none(at); at = cluster_pod(cycle->cluster, at)->next_on_node)
                if (cluster_pod(cycle->cluster, at)->priority < cycle->priority)
                        return true;
        return false;
}

/* Only the changed node can have gained capacity; upstream asks less precisely. */
static bool node_resources_fit_wakes(const struct sched_cycle *cycle, const void *state,
                                     const struct cluster_change *change) {
        (void)state;
        struct fit_requests requests = fit_requests_of(cycle->class);
        if (change->pod.index == cycle->pod.index || node_id_is_none(change->node))
                return true;
        requests.devices = by_devices(cycle, &requests);
        return fit_node(cycle->cluster, requests, change->node) ||
               has_lower_pods(cycle, change->node);
}

/* ---- score ---- */

struct fit_scoring {
        size_t count;
        bool has_devices;
        struct scored_resource *resources;
};

/* cpu and memory count as 100m and 200 MiB per container without a request.  Upstream leaves
 * pod-level requests out of account here. */
static int64_t default_amount(const struct sched_cycle *cycle, const struct fit_plugin *own,
                              uint32_t resource) {
        const struct pod_class *class = cycle->class;
        if (!own->is_parity || !class->spec.has_pod_resources)
                return resource == RESOURCE_CPU ? class->nonzero_cpu_milli
                                                : class->nonzero_memory_bytes;
        struct pod_spec spec = class->spec;
        spec.has_pod_resources = false;
        spec.pod_requests.count = 0;
        spec.pod_limits.count = 0;
        struct resource_list list = pod_spec_requests(&spec, true, cycle->scratch);
        return resource_list_get(&list, resource == RESOURCE_CPU ? "cpu" : "memory", NULL);
}

static int64_t class_amount(const struct pod_class *class, struct resource_id resource) {
        for (size_t i = 0; i < class->request_count; i++)
                if (class->requests[i].resource.index == resource.index)
                        return class->requests[i].amount;
        return 0;
}

static bool node_resources_fit_resolve(const struct sched_cycle *cycle,
                                       const struct fit_plugin *own,
                                       const struct resource_weight *wanted,
                                       struct scored_resource *ret_resource, bool *has_devices) {
        const struct node_table *table = cluster_nodes(cycle->cluster);
        struct resource_id id;
        if (!cluster_resource(cycle->cluster, wanted->name, &id) || id.index == RESOURCE_PODS)
                return false; /* no pod asks for it either */
        int64_t weight = wanted->weight == 0 ? 1 : wanted->weight;
        const struct resource_column *column = &table->resources[id.index];
        *ret_resource = (struct scored_resource){ .allocatable = column->allocatable,
                                                  .requested = column->requested,
                                                  .weight = weight };
        if (id.index == RESOURCE_CPU || id.index == RESOURCE_MEMORY) {
                ret_resource->requested = id.index == RESOURCE_CPU ? table->nonzero_cpu_milli
                                                                   : table->nonzero_memory_bytes;
                ret_resource->amount = default_amount(cycle, own, id.index);
                return true;
        }
        ret_resource->amount = class_amount(cycle->class, id);
        *has_devices |=
                extended_score_apply(own->extended_score, cycle, wanted->name, ret_resource);
        return ret_resource->amount > 0 || !is_scalar_resource(wanted->name);
}

static enum verdict_code pre_score(const struct sched_cycle *cycle, const void *state,
                                   struct node_batch feasible, void **ret_pod_state,
                                   struct verdict *verdict) {
        (void)feasible;
        (void)verdict;
        const struct fit_plugin *own = state;
        struct fit_scoring *scoring = ARENA_NEW(cycle->scratch, struct fit_scoring);
        *scoring = (struct fit_scoring){ 0 };
        scoring->resources =
                ARENA_ARRAY(cycle->scratch, struct scored_resource, own->resources.count);
        for (size_t i = 0; i < own->resources.count; i++)
                if (node_resources_fit_resolve(cycle, own, &own->resources.items[i],
                                               &scoring->resources[scoring->count],
                                               &scoring->has_devices))
                        scoring->count++;
        *ret_pod_state = scoring;
        return VERDICT_OK;
}

/* The line through the shape's points at a utilization, level outside. */
static int64_t on_shape(const struct fit_plugin *own, int64_t utilization) {
        const struct node_resources_fit_shape_point *points = own->shape;
        for (size_t i = 0; i < own->shape_count; i++) {
                if (utilization > points[i].utilization)
                        continue;
                int64_t score = (int64_t)points[i].score * RATIO_SCORE_SCALE;
                if (i == 0)
                        return score;
                int64_t before = (int64_t)points[i - 1].score * RATIO_SCORE_SCALE;
                return before + (score - before) * (utilization - points[i - 1].utilization) /
                                        (points[i].utilization - points[i - 1].utilization);
        }
        return (int64_t)points[own->shape_count - 1].score * RATIO_SCORE_SCALE;
}

static int64_t node_resources_fit_rate(const struct fit_plugin *own, int64_t requested,
                                       int64_t capacity) {
        switch (own->strategy) {
        case STRATEGY_LEAST:
                return requested > capacity
                               ? 0
                               : share_of(capacity - requested, NODE_SCORE_MAX, capacity);
        case STRATEGY_MOST:
                return share_of(requested > capacity ? capacity : requested, NODE_SCORE_MAX,
                                capacity);
        case STRATEGY_RATIO:
                return on_shape(own,
                                requested > capacity ? 100 : share_of(requested, 100, capacity));
        }
        return 0;
}

static int64_t score_node(const struct fit_plugin *own, const struct fit_scoring *scoring,
                          size_t node) {
        int64_t sum = 0, weights = 0;
        for (size_t i = 0; i < scoring->count; i++) {
                const struct scored_resource *resource = &scoring->resources[i];
                int64_t capacity = resource->allocatable[node];
                if (capacity == 0)
                        continue;
                int64_t score = node_resources_fit_rate(
                        own, sum_saturated(resource->requested[node], resource->amount), capacity);
                if (own->strategy == STRATEGY_RATIO && score <= 0)
                        continue;
                sum += score * resource->weight;
                weights += resource->weight;
        }
        if (weights == 0)
                return 0;
        if (own->strategy == STRATEGY_RATIO)
                return (int64_t)round((double)sum / (double)weights);
        return sum / weights;
}

static void node_resources_fit_score(const struct sched_cycle *cycle, const void *state,
                                     const void *pod_state, struct node_batch batch,
                                     int64_t *ret_scores) {
        (void)cycle;
        for (size_t i = 0; i < batch.count; i++)
                ret_scores[i] = score_node(state, pod_state, batch.nodes[i].index);
}

/* Devices that others take change what nodes are worth. */
static bool scores_devices(const void *pod_state) {
        const struct fit_scoring *scoring = pod_state;
        return scoring->has_devices;
}

static uint64_t requested_devices(const void *pod_state) {
        const struct fit_requests *requests = pod_state;
        return requests ? requests->devices : 0;
}

static int64_t score_placement(const struct group_view *group, const void *state,
                               const struct group_domain_use *use) {
        const struct fit_plugin *own = state;
        return placement_fit_score(group, use, &own->resources);
}

/* ---- table ---- */

static const struct field shape_fields[] = {
        { .name = "utilization",
          .type = FIELD_I32,
          .offset = offsetof(struct node_resources_fit_shape_point, utilization),
          .presence = FIELD_NO_PRESENCE,
          .help = "Utilization in percent, rising from point to point." },
        { .name = "score",
          .type = FIELD_I32,
          .offset = offsetof(struct node_resources_fit_shape_point, score),
          .presence = FIELD_NO_PRESENCE,
          .help = "Score at that utilization, 0 to 10." },
        FIELD_END,
};
static const struct field ratio_fields[] = {
        { .name = "shape",
          .type = FIELD_LIST,
          .offset = offsetof(struct ratio_args, shape),
          .presence = FIELD_NO_PRESENCE,
          .fields = shape_fields,
          .item_size = sizeof(struct node_resources_fit_shape_point),
          .help = "Points of the scoring function." },
        FIELD_END,
};
static const struct field strategy_fields[] = {
        { .name = "type",
          .type = FIELD_TEXT,
          .offset = offsetof(struct strategy_args, type),
          .presence = FIELD_NO_PRESENCE,
          .help = "LeastAllocated, MostAllocated or RequestedToCapacityRatio." },
        { .name = "resources",
          .type = FIELD_LIST,
          .offset = offsetof(struct strategy_args, resources),
          .presence = FIELD_NO_PRESENCE,
          .fields = resource_weight_fields,
          .item_size = sizeof(struct resource_weight),
          .help = "Resources that count; cpu and memory when empty." },
        { .name = "requestedToCapacityRatio",
          .type = FIELD_POINTER,
          .offset = offsetof(struct strategy_args, ratio),
          .presence = FIELD_NO_PRESENCE,
          .fields = ratio_fields,
          .item_size = sizeof(struct ratio_args),
          .help = "Needed by RequestedToCapacityRatio, refused otherwise." },
        FIELD_END,
};
static const struct field fields[] = {
        ARGS_HEAD_FIELDS,
        { .name = "ignoredResources",
          .type = FIELD_TEXTS,
          .offset = offsetof(struct fit_args, ignored),
          .presence = FIELD_NO_PRESENCE,
          .help = "Extended resources that need not fit." },
        { .name = "ignoredResourceGroups",
          .type = FIELD_TEXTS,
          .offset = offsetof(struct fit_args, ignored_groups),
          .presence = FIELD_NO_PRESENCE,
          .help = "Domains of extended resources that need not fit." },
        { .name = "scoringStrategy",
          .type = FIELD_POINTER,
          .offset = offsetof(struct fit_args, strategy),
          .presence = FIELD_NO_PRESENCE,
          .fields = strategy_fields,
          .item_size = sizeof(struct strategy_args),
          .help = "How nodes are rated; LeastAllocated when absent." },
        FIELD_END,
};

const struct plugin plugin_node_resources_fit = {
        .name = "NodeResourcesFit",
        .args = fields,
        .args_size = sizeof(struct fit_args),
        .init = fit_init,
        .fini = fit_fini,
        .sched =
                &(const struct sched_points){
                        .pre_filter = pre_filter,
                        .filter = node_resources_fit_filter,
                        .explain = node_resources_fit_explain,
                        .pre_score = pre_score,
                        .score = node_resources_fit_score,
                        .wakes = node_resources_fit_wakes,
                        .groups =
                                &(const struct group_points){ .score_placement = score_placement },
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_NODE_PODS,
                                                              .score = CACHE_SCOPE_NODE_PODS,
                                                              .scores_alone = scores_devices,
                                                              .variant = requested_devices } },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_ALLOCATABLE | CLUSTER_POD_REMOVED |
                    CLUSTER_POD_SCALED_DOWN | CLUSTER_DEVICES,
};
