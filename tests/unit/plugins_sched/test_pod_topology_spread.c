/* PodTopologySpread. */
#include "base/util.h"
#include "plugin_scene.h"

#define ZONES                                                                                      \
        .nodes = { { "n1", .labels = "'zone':'a'" }, { "n2", .labels = "'zone':'b'" }, { "n3" } }
#define SPREAD(skew, when)                                                                         \
        .labels = "'app':'x'", .spec = "'topologySpreadConstraints':[{'maxSkew':" skew             \
                                       ",'topologyKey':'zone','whenUnsatisfiable':'" when          \
                                       "','labelSelector':{'matchLabels':{'app':'x'}}}]"
#define X(name, node)                                                                              \
        { name, node, .labels = "'app':'x'" }

static const struct plugin_case cases[] = {
        { "nothing asked", ZONES, .fits = "n1 n2 n3" },
        { "balanced", ZONES, .pods = { X("a", "n1"), X("b", "n2") },
          .pod = { SPREAD("1", "DoNotSchedule") }, .fits = "n1 n2",
          .why = "node(s) didn't match pod topology spread constraints (missing required label)" },
        { "skewed", ZONES, .pods = { X("a", "n1") }, .pod = { SPREAD("1", "DoNotSchedule") },
          .fits = "n2", .why = "node(s) didn't match pod topology spread constraints" },
        { "within the skew", ZONES, .pods = { X("a", "n1") },
          .pod = { SPREAD("2", "DoNotSchedule") }, .fits = "n1 n2" },
        { "pods of another label", ZONES, .pods = { { "a", "n1", .labels = "'app':'y'" } },
          .pod = { SPREAD("1", "DoNotSchedule") }, .fits = "n1 n2" },
        { "pods of another namespace", ZONES,
          .pods = { { "a", "n1", .labels = "'app':'x'", .ns = "other" } },
          .pod = { SPREAD("1", "DoNotSchedule") }, .fits = "n1 n2" },
        { "a wish", ZONES, .pods = { X("a", "n1"), X("b", "n1") },
          .pod = { SPREAD("1", "ScheduleAnyway") }, .fits = "n1 n2 n3",
          .scores = "n1=0 n2=100 n3=0" },
};
static const struct plugin_refusal refusals[] = {
        { "a default without a key",
          "'defaultingType':'List','defaultConstraints':[{'maxSkew':1,'whenUnsatisfiable':'"
          "ScheduleAnyway'}]",
          "topologyKey" },
        { "system defaults with a list",
          "'defaultingType':'System','defaultConstraints':[{'maxSkew':1,'topologyKey':'zone','"
          "whenUnsatisfiable':'ScheduleAnyway'}]",
          "defaultConstraints" },
        { "a default",
          "'defaultingType':'List','defaultConstraints':[{'maxSkew':1,'topologyKey':'zone','"
          "whenUnsatisfiable':'ScheduleAnyway'}]",
          NULL },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){
                "PodTopologySpread", cases, ARRAY_LEN(cases), refusals, ARRAY_LEN(refusals) });
}
