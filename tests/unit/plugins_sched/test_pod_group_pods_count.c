/* PodGroupPodsCount. */
#include "base/util.h"
#include "plugin/plugin.h"
#include "plugin_scene.h"

#define BY_ZONE                                                                                    \
        .gates = FEATURE_GROUPS | FEATURE_GANGS | FEATURE_PLACEMENTS,                              \
        .beside = "TopologyPlacementGenerator",                                                    \
        .objects = { "{'kind':'PodGroup','metadata':{'namespace':'default','name':'g'},'spec':{"   \
                     "'schedulingConstraints':{'topology':[{'key':'zone'}]}}}" }
#define A "'zone':'a'"
#define B "'zone':'b'"

/* A placement takes a member for each of its nodes. */
static const struct plugin_case cases[] = {
        { "where it takes part", BY_ZONE, .points = "placementScore" },
        { "more members are better", BY_ZONE,
          .nodes = { { "n1", A }, { "n2", A }, { "n3", A }, { "n4", B } },
          .placements = "a: n1 n2 n3, b: n4", .placement_raw = "a=3 b=1",
          .placement_scores = "a=100 b=33" },
        { "as many", BY_ZONE, .nodes = { { "n1", A }, { "n2", B } }, .placements = "a: n1, b: n2",
          .placement_raw = "a=1 b=1", .placement_scores = "a=100 b=100" },
        { "those that run count", BY_ZONE, .nodes = { { "n1", A }, { "n2", A }, { "n3", B } },
          .pods = { { "r0" }, { "r1" } }, .members = "r0 r1", .placements = "a: n1 n2",
          .placement_raw = "a=4", .placement_scores = "a=100" },
        { "nothing to score", BY_ZONE, .placements = "", .placement_raw = "",
          .placement_scores = "" },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){ "PodGroupPodsCount", cases,
                                                               ARRAY_LEN(cases), NULL, 0 });
}
