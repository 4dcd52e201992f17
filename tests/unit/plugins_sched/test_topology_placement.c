/* TopologyPlacementGenerator. */
#include "base/util.h"
#include "plugin/plugin.h"
#include "plugin_scene.h"

#define GROUP(spec)                                                                                \
        "{'kind':'PodGroup','metadata':{'namespace':'default','name':'g'},'spec':{" spec "}}"
#define BY(key) GROUP("'schedulingConstraints':{'topology':[{'key':'" key "'}]}")
#define GATES .gates = FEATURE_GROUPS | FEATURE_GANGS | FEATURE_PLACEMENTS
#define FAILS "cannot determine domain for already scheduled pods: "
#define ZONES                                                                                      \
        .nodes = { { "n1", .labels = "'zone':'a'" },                                               \
                   { "n2", .labels = "'zone':'b','rack':'r'" },                                    \
                   { "n3", .labels = "'zone':'a'" },                                               \
                   { "n4" } }

static const struct plugin_case cases[] = {
        { "where it takes part", GATES, .points = "placementGenerate", .objects = { BY("zone") } },
        { "a set for each value", GATES, ZONES, .objects = { BY("zone") },
          .placements = "a: n1 n3, b: n2" },
        { "a key that one node has", GATES, ZONES, .objects = { BY("rack") },
          .placements = "r: n2" },
        { "a key that nobody has", GATES, ZONES, .objects = { BY("row") }, .placements = "" },
        { "every node by itself", GATES, ZONES, .objects = { BY("kubernetes.io/hostname") },
          .placements = "n1: n1, n2: n2, n3: n3, n4: n4" },
        { "no constraint", GATES, ZONES, .objects = { GROUP("") }, .placements = ": n1 n2 n3 n4" },
        { "a group that nobody knows", GATES, ZONES, .placements = ": n1 n2 n3 n4" },
        { "members run already", GATES, ZONES, .objects = { BY("zone") },
          .pods = { { "r0", "n1" }, { "r1", "n3" } }, .members = "r0 r1",
          .placements = "a: n1 n3" },
        { "another one there is no member", GATES, ZONES, .objects = { BY("zone") },
          .pods = { { "r0", "n1" }, { "other", "n2" } }, .members = "r0",
          .placements = "a: n1 n3" },
        { "they run in two", GATES, ZONES, .objects = { BY("zone") },
          .pods = { { "r0", "n1" }, { "r1", "n2" } }, .members = "r0 r1",
          .placements = FAILS "more than 1 domain found for pod group: a, b" },
        { "one runs in none", GATES, ZONES, .objects = { BY("zone") }, .pods = { { "r0", "n4" } },
          .members = "r0", .placements = FAILS "no topology domain found for pod default/r0" },
        { "its node is gone", GATES, ZONES, .objects = { BY("zone") }, .pods = { { "r0", "n9" } },
          .members = "r0",
          .placements = FAILS "getting node for pod default/r0: nodeinfo not found for node name "
                              "\"n9\"" },
        { "without a constraint they may be anywhere", GATES, ZONES, .objects = { GROUP("") },
          .pods = { { "r0", "n1" }, { "r1", "n4" } }, .members = "r0 r1",
          .placements = ": n1 n2 n3 n4" },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){ "TopologyPlacementGenerator", cases,
                                                               ARRAY_LEN(cases), NULL, 0 });
}
