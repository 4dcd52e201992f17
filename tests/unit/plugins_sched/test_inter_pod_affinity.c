/* InterPodAffinity. */
#include "base/util.h"
#include "plugin_scene.h"

#define ZONES                                                                                      \
        .nodes = { { "n1", .labels = "'zone':'a'" },                                               \
                   { "n2", .labels = "'zone':'a'" },                                               \
                   { "n3", .labels = "'zone':'b'" },                                               \
                   { "n4" } }
#define TERM(key, app) "{'topologyKey':'" key "','labelSelector':{'matchLabels':{'app':'" app "'}}}"
#define REQUIRES(kind, terms)                                                                      \
        .spec = "'affinity':{'" kind "':{'requiredDuringSchedulingIgnoredDuringExecution':[" terms \
                "]}}"
#define PREFERS(kind, weight, term)                                                                \
        .spec = "'affinity':{'" kind                                                               \
                "':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':" weight          \
                ",'podAffinityTerm':" term "}]}}"
#define X(name, node)                                                                              \
        { name, node, .labels = "'app':'x'" }

static const struct plugin_case cases[] = {
        { "nothing asked", ZONES, .pods = { X("a", "n1") }, .fits = "n1 n2 n3 n4",
          .scores = "skip" },
        { "near", ZONES, .pods = { X("a", "n1") },
          .pod = { REQUIRES("podAffinity", TERM("zone", "x")) }, .fits = "n1 n2",
          .why = "node(s) didn't match pod affinity rules" },
        { "near nobody", ZONES, .pod = { REQUIRES("podAffinity", TERM("zone", "x")) }, .fits = "" },
        { "the first of its kind", ZONES,
          .pod = { .labels = "'app':'x'", REQUIRES("podAffinity", TERM("zone", "x")) },
          .fits = "n1 n2 n3" },
        { "away", ZONES, .pods = { X("a", "n1") },
          .pod = { REQUIRES("podAntiAffinity", TERM("zone", "x")) }, .fits = "n3 n4",
          .why = "node(s) didn't match pod anti-affinity rules" },
        { "others keep away", ZONES,
          .pods = { { "a", "n1", REQUIRES("podAntiAffinity", TERM("zone", "x")) } },
          .pod = { .labels = "'app':'x'" }, .fits = "n3 n4",
          .why = "node(s) didn't satisfy existing pods anti-affinity rules" },
        { "of another namespace", ZONES,
          .pods = { { "a", "n1", .labels = "'app':'x'", .ns = "other" } },
          .pod = { REQUIRES("podAntiAffinity", TERM("zone", "x")) }, .fits = "n1 n2 n3 n4" },
        { "rather near", ZONES, .pods = { X("a", "n1") },
          .pod = { PREFERS("podAffinity", "7", TERM("zone", "x")) }, .raw = "n1=7 n2=7 n3=0 n4=0",
          .scores = "n1=100 n2=100 n3=0 n4=0" },
        { "rather away", ZONES, .pods = { X("a", "n1") },
          .pod = { PREFERS("podAntiAffinity", "7", TERM("zone", "x")) },
          .raw = "n1=-7 n2=-7 n3=0 n4=0", .scores = "n1=0 n2=0 n3=100 n4=100" },
        { "others would rather", ZONES,
          .pods = { { "a", "n3", PREFERS("podAffinity", "3", TERM("zone", "x")) } },
          .pod = { .labels = "'app':'x'" }, .raw = "n1=0 n2=0 n3=3 n4=0" },
        { "their wishes ignored", .args = "'ignorePreferredTermsOfExistingPods':true", ZONES,
          .pods = { { "a", "n3", PREFERS("podAffinity", "3", TERM("zone", "x")) } },
          .pod = { .labels = "'app':'x'" }, .scores = "skip" },
};
static const struct plugin_refusal refusals[] = {
        { "weight beyond 100", "'hardPodAffinityWeight':101", "hardPodAffinityWeight" },
        { "weight below 0", "'hardPodAffinityWeight':-1", "hardPodAffinityWeight" },
        { "no weight", "'hardPodAffinityWeight':0", NULL },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){
                "InterPodAffinity", cases, ARRAY_LEN(cases), refusals, ARRAY_LEN(refusals) });
}
