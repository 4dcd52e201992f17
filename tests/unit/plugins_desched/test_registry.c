/* What the descheduler is told about its strategies: which of them move pods (and are then asked
 * whether a move is worth it), and which changes let a pass between the regular ones ask them. */
#include "base/util.h"
#include "plugin/desched_points.h"
#include "plugins/desched/registry.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Pods could go elsewhere since a node came, became ready, or says other things of itself. */
#define NODES                                                                                      \
        (CLUSTER_NODE_ADDED | CLUSTER_NODE_CONDITION | CLUSTER_NODE_LABELS | CLUSTER_NODE_TAINTS)
/* A pod became what the strategy looks for. */
#define PODS                                                                                       \
        (CLUSTER_POD_STATUS | CLUSTER_POD_ADDED | CLUSTER_POD_REMOVED | CLUSTER_POD_LABELS |       \
         CLUSTER_PENDING_UPDATED)

static const struct promise {
        const char *name;
        bool deschedules, balances, moves;
        uint32_t wakes_on;
} promises[] = {
        { "DefaultEvictor", false, false, false, 0 },
        { "HighNodeUtilization", false, true, true, NODES | CLUSTER_NODE_ALLOCATABLE },
        { "LowNodeUtilization", false, true, true, NODES | CLUSTER_NODE_ALLOCATABLE },
        { "RemovePodsViolatingInterPodAntiAffinity", true, false, true,
          NODES | CLUSTER_POD_ADDED | CLUSTER_POD_LABELS },
        { "RemovePodsViolatingNodeAffinity", true, false, true, NODES | CLUSTER_POD_ADDED },
        { "RemovePodsViolatingNodeTaints", true, false, true,
          NODES | CLUSTER_POD_ADDED | CLUSTER_POD_TOLERATIONS },
        { "PodLifeTime", true, false, false, PODS },
        { "PodLifecycle", true, false, false, PODS },
        { "RemoveDuplicates", false, true, true, NODES },
        { "RemoveFailedPods", true, false, false, PODS },
        { "RemovePodsHavingTooManyRestarts", true, false, false, PODS },
        { "RemovePodsViolatingTopologySpreadConstraint", false, true, true, NODES },
};

static void test_promises(void **state) {
        size_t count = 0;
        (void)state;
        while (desched_registry[count])
                count++;
        assert_int_equal(count, ARRAY_LEN(promises)); /* a new one needs its row here */
        for (size_t i = 0; i < count; i++) {
                const struct promise *promise = &promises[i];
                const struct plugin *plugin =
                        plugin_find(desched_registry, slice_of(promise->name));
                assert_non_null(plugin);
                if (!!plugin->desched->deschedule != promise->deschedules ||
                    !!plugin->desched->balance != promise->balances ||
                    plugin->desched->is_mover != promise->moves ||
                    plugin->wakes_on != promise->wakes_on)
                        fail_msg("%s", promise->name);
        }
        assert_null(plugin_find(desched_registry, SLICE_LITERAL("Nobody")));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_promises),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
