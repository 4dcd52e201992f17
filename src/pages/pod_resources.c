/* Lines of kube_pod_resource_request and kube_pod_resource_limit (reference scheduler.md 8.1). */
#include "pages/pod_resources.h"

#include "api/object.h"
#include "base/arena.h"
#include "base/metric_text.h"
#include "base/util.h"
#include "model/cluster.h"

struct pod_resources_family {
        const char *name, *help;
        struct resource_list (*amounts)(const struct pod_spec *spec, struct arena *arena);
};

/* ---- amounts ---- */

static struct resource_list pod_resources_requests(const struct pod_spec *spec,
                                                   struct arena *arena) {
        return pod_spec_requests(spec, false, arena);
}

static struct container *pod_resources_limited(const struct container *containers, size_t count,
                                               struct arena *arena) {
        struct container *copy = arena_copy(arena, containers, count * sizeof(*containers));

        for (size_t i = 0; i < count; i++) {
                copy[i].requests = containers[i].limits;
                copy[i].has_actual = false;
        }
        return copy;
}

static void add_overhead(struct resource_list *limits, const struct resource_list *overhead) {
        for (size_t i = 0; i < limits->count; i++)
                for (size_t j = 0; j < overhead->count; j++)
                        if (limits->items[i].amount > 0 &&
                            slice_eq(limits->items[i].name, overhead->items[j].name))
                                limits->items[i].amount += overhead->items[j].amount;
}

/* Limits add up as requests do; overhead counts only where there is a limit. */
static struct resource_list pod_resources_limits(const struct pod_spec *spec, struct arena *arena) {
        struct pod_spec copy = *spec;

        copy.containers = pod_resources_limited(spec->containers, spec->container_count, arena);
        copy.init = pod_resources_limited(spec->init, spec->init_count, arena);
        copy.pod_requests = spec->pod_limits;
        copy.has_pod_actual = false;
        copy.overhead = (struct resource_list){ 0 };
        struct resource_list list = pod_spec_requests(&copy, false, arena);
        add_overhead(&list, &spec->overhead);
        return list;
}

/* ---- lines ---- */

static bool is_cpu(struct slice resource) {
        return slice_is(resource, "cpu");
}

static const char *unit_of(struct slice resource) {
        if (is_cpu(resource))
                return "cores";
        return slice_is(resource, "memory") || slice_is(resource, "storage") ||
                               slice_is(resource, "ephemeral-storage") ||
                               slice_has_prefix(resource, SLICE_LITERAL("hugepages-"))
                       ? "bytes"
                       : "integer";
}

enum { LABEL_RESOURCE = 5, LABEL_UNIT, LABELS };

static void write_pod(const struct cluster *cluster, const struct pod_row *row,
                      const struct pod_resources_family *family, struct arena *arena,
                      struct buf *out) {
        const struct pod_spec *spec = &cluster_class(cluster, row->class)->spec;
        struct slice node =
                node_id_is_none(row->node) ? SLICE_EMPTY : cluster_node_name(cluster, row->node);
        const char *priority =
                row->has_priority ? arena_printf(arena, "%d", (int)row->priority) : "";
        struct metric_label labels[LABELS] = { { "namespace", cluster_text(cluster, row->ns) },
                                               { "pod", slice_of(row->name) },
                                               { "node", node },
                                               { "scheduler", spec->scheduler_name },
                                               { "priority", slice_of(priority) },
                                               [LABEL_RESOURCE] = { .name = "resource" },
                                               [LABEL_UNIT] = { .name = "unit" } };
        struct resource_list list = family->amounts(spec, arena);

        for (size_t i = 0; i < list.count; i++) {
                struct slice resource = list.items[i].name;
                double amount = (double)list.items[i].amount;

                if (list.items[i].amount == 0)
                        continue;
                labels[LABEL_RESOURCE].value = resource;
                labels[LABEL_UNIT].value = slice_of(unit_of(resource));
                metric_text_sample(out, family->name, (struct metric_labels){ labels, LABELS },
                                   is_cpu(resource) ? amount / 1000 : amount);
        }
}

static void write_family(const struct cluster *cluster, const struct pod_resources_family *family,
                         struct buf *out) {
        struct arena arena;
        size_t cap = cluster_pod_cap(cluster);

        arena_init(&arena, 0);
        metric_text_family(out, family->name, METRIC_GAUGE, family->help);
        for (size_t i = 0; i < cap; i++) {
                const struct pod_row *row = cluster_pod(cluster, (struct pod_id){ (uint32_t)i });

                if (!row->is_live || pod_row_is_finished(row))
                        continue;
                arena_clear(&arena);
                write_pod(cluster, row, family, &arena, out);
        }
        arena_release(&arena);
}

void pod_resources_write(const struct cluster *cluster, struct buf *out) {
        static const struct pod_resources_family families[] = {
                { "kube_pod_resource_limit", "What a pod may use at most, where that is said.",
                  pod_resources_limits },
                { "kube_pod_resource_request", "What a pod takes of a node, overhead included.",
                  pod_resources_requests },
        };

        for (size_t i = 0; i < ARRAY_LEN(families); i++)
                write_family(cluster, &families[i], out);
}
