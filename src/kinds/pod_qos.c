/* The quality of service class of a pod, from what its containers request and may use. */
#include "kinds/prepare.h"

#include "api/quantity.h"
#include "base/util.h"
#include "kinds/defaults.h"

enum { QOS_CPU, QOS_MEMORY, QOS_RESOURCES };
static const char *const qos_names[QOS_RESOURCES] = { "cpu", "memory" };

struct pod_qos_sums {
        int64_t requests[QOS_RESOURCES], limits[QOS_RESOURCES];
        bool has_gap; /* some container lacks one of the limits */
};

static int64_t amount_of(const struct json_node *list, const char *name) {
        int64_t milli = 0;

        if (node_get(list, name))
                quantity_milli(node_get_text(list, name), &milli, NULL);
        return milli;
}

static void qos_add(struct pod_qos_sums *sums, const struct json_node *resources) {
        for (int i = 0; i < QOS_RESOURCES; i++) {
                int64_t limit = amount_of(node_get(resources, "limits"), qos_names[i]);

                sums->requests[i] += amount_of(node_get(resources, "requests"), qos_names[i]);
                sums->limits[i] += limit;
                if (limit == 0)
                        sums->has_gap = true;
        }
}

const char *pod_qos_class(const struct json_node *spec) {
        static const char *const lists[] = { "containers", "initContainers" };
        struct json_node *own = object_at(spec, "resources"), *container;
        struct pod_qos_sums sums = { 0 };
        bool has_any = false, is_guaranteed;

        if (own) { /* even an empty one */
                qos_add(&sums, own);
        } else {
                for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                        struct node_iter iter = node_iter(node_get(spec, lists[i]));

                        while (node_next(&iter, NULL, &container))
                                qos_add(&sums, object_at(container, "resources"));
                }
        }
        is_guaranteed = !sums.has_gap;
        for (int i = 0; i < QOS_RESOURCES; i++) {
                has_any |= sums.requests[i] != 0 || sums.limits[i] != 0;
                is_guaranteed &= sums.requests[i] == sums.limits[i];
        }
        if (!has_any)
                return "BestEffort";
        return is_guaranteed ? "Guaranteed" : "Burstable";
}
