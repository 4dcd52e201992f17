/* NodeResourcesBalancedAllocation: how the pod changes the evenness of a node's use of resources.
 * Doubles in upstream's order of operations (reference scheduler.md 4.3). */
#include "base/saturate.h"
#include "base/util.h"
#include "plugin/cache_hints.h"
#include "plugin/sched_points.h"
#include "plugins/sched/extended_score.h"
#include "plugins/sched/resource_args.h"
#include <math.h>
#include <stdlib.h>

#define BALANCED_RESOURCES_MAX 32

struct balance_args {
        struct args_head head;
        struct item_list resources; /* struct resource_weight */
};

struct balance_plugin {
        const struct balance_args *args;
        struct extended_score *extended_score; /* NULL: none of the resources is extended */
};

static int balance_init(const struct plugin_env *env, const void *given, void **ret_state,
                        struct err *err) {
        struct balance_plugin *own = xcalloc(1, sizeof(*own));
        (void)err;
        own->args = given;
        struct resource_weights resources = resource_weights_of(&own->args->resources);
        own->extended_score = extended_score_new(env, &resources);
        *ret_state = own;
        return 0;
}

static void balance_fini(void *state) {
        struct balance_plugin *own = state;
        if (own)
                extended_score_free(own->extended_score);
        free(own);
}

struct balance_state {
        size_t count;
        bool has_devices;
        struct scored_resource resources[BALANCED_RESOURCES_MAX];
};

static void node_balance_check(struct field_reader *reader, const struct json *value,
                               const void *args) {
        const struct balance_args *given = args;
        const struct resource_weight *items = given->resources.items;
        if (given->resources.count > BALANCED_RESOURCES_MAX)
                field_problem(reader, value, "resources", "more than %d resources",
                              BALANCED_RESOURCES_MAX);
        for (size_t i = 0; i < given->resources.count; i++) {
                if (items[i].weight != 0 && items[i].weight != 1)
                        field_problem(reader, value, "resources", "resource weight must be 1");
                for (size_t j = 0; j < i; j++)
                        if (slice_eq(items[i].name, items[j].name))
                                field_problem(reader, value, "resources",
                                              "Duplicate value: \"" SLICE_FMT "\"",
                                              SLICE_ARG(items[i].name));
        }
}

static int64_t class_amount(const struct pod_class *class, struct resource_id resource) {
        for (size_t i = 0; i < class->request_count; i++)
                if (class->requests[i].resource.index == resource.index)
                        return class->requests[i].amount;
        return 0;
}

static enum verdict_code pre_score(const struct sched_cycle *cycle, const void *state,
                                   struct node_batch feasible, void **ret_pod_state,
                                   struct verdict *verdict) {
        (void)feasible;
        (void)verdict;
        const struct balance_plugin *plugin = state;
        struct resource_weights wanted = resource_weights_of(&plugin->args->resources);
        struct balance_state *own = ARENA_NEW(cycle->scratch, struct balance_state);
        const struct node_table *table = cluster_nodes(cycle->cluster);
        bool asks_any = false;
        for (size_t i = 0; i < wanted.count; i++) {
                struct resource_id id;
                if (!cluster_resource(cycle->cluster, wanted.items[i].name, &id) ||
                    id.index == RESOURCE_PODS)
                        continue;
                int64_t amount = class_amount(cycle->class, id);
                asks_any = asks_any || amount > 0;
                if (amount == 0 && is_scalar_resource(wanted.items[i].name))
                        continue;
                struct scored_resource *resource = &own->resources[own->count++];
                *resource = (struct scored_resource){
                        .allocatable = table->resources[id.index].allocatable,
                        .requested = table->resources[id.index].requested,
                        .amount = amount,
                };
                own->has_devices |= extended_score_apply(plugin->extended_score, cycle,
                                                         wanted.items[i].name, resource);
        }
        *ret_pod_state = own;
        return asks_any ? VERDICT_OK : VERDICT_SKIP;
}

/* 100 minus the deviation of the fractions in use, in percent. */
static int64_t node_balance_evenness(const double *fractions, size_t count) {
        double deviation = 0;
        if (count == 2) {
                deviation = fabs((fractions[0] - fractions[1]) / 2);
        } else if (count > 2) {
                double total = 0, sum = 0;
                for (size_t i = 0; i < count; i++)
                        total += fractions[i];
                double mean = total / (double)count;
                for (size_t i = 0; i < count; i++)
                        sum = sum + (fractions[i] - mean) * (fractions[i] - mean);
                deviation = sqrt(sum / (double)count);
        }
        return (int64_t)((1 - deviation) * (double)NODE_SCORE_MAX);
}

static double node_balance_fraction(int64_t requested, int64_t allocatable) {
        double value = (double)requested / (double)allocatable;
        return value > 1 ? 1 : value;
}

/* Devices that others take change what nodes are worth. */
static bool scores_devices(const void *pod_state) {
        const struct balance_state *own = pod_state;
        return own->has_devices;
}

static int64_t score_node(const struct balance_state *own, size_t node) {
        double with[BALANCED_RESOURCES_MAX], without[BALANCED_RESOURCES_MAX];
        size_t count = 0;
        for (size_t i = 0; i < own->count; i++) {
                const struct scored_resource *resource = &own->resources[i];
                int64_t allocatable = resource->allocatable[node];
                int64_t requested = resource->requested[node];
                if (allocatable == 0)
                        continue;
                with[count] = node_balance_fraction(sum_saturated(requested, resource->amount),
                                                    allocatable);
                without[count++] = node_balance_fraction(requested, allocatable);
        }
        return 50 +
               (50 + node_balance_evenness(with, count) - node_balance_evenness(without, count)) /
                       2;
}

static void node_balance_score(const struct sched_cycle *cycle, const void *state,
                               const void *pod_state, struct node_batch batch,
                               int64_t *ret_scores) {
        (void)cycle;
        (void)state;
        for (size_t i = 0; i < batch.count; i++)
                ret_scores[i] = score_node(pod_state, batch.nodes[i].index);
}

static const struct field fields[] = {
        ARGS_HEAD_FIELDS,
        { .name = "resources",
          .type = FIELD_LIST,
          .offset = offsetof(struct balance_args, resources),
          .presence = FIELD_NO_PRESENCE,
          .fields = resource_weight_fields,
          .item_size = sizeof(struct resource_weight),
          .help = "Resources whose use should be even; cpu and memory when empty." },
        FIELD_END,
};

const struct plugin plugin_node_balance = {
        .name = "NodeResourcesBalancedAllocation",
        .args = fields,
        .args_size = sizeof(struct balance_args),
        .check = node_balance_check,
        .init = balance_init,
        .fini = balance_fini,
        .sched =
                &(const struct sched_points){
                        .pre_score = pre_score,
                        .score = node_balance_score,
                        .hints = &(const struct cache_hints){ .score = CACHE_SCOPE_NODE_PODS,
                                                              .scores_alone = scores_devices } },
};
