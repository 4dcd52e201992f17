/* NodeAffinity. */
#include "base/util.h"
#include "plugin_scene.h"

#define ZONES                                                                                      \
        .nodes = { { "n1", .labels = "'zone':'a','rank':'1'" },                                    \
                   { "n2", .labels = "'zone':'b','rank':'5'" },                                    \
                   { "n3" } }
#define TERM(key, operator, values)                                                                \
        "{'matchExpressions':[{'key':'" key "','operator':'" operator"','values':[" values "]}]}"
#define REQUIRES(terms)                                                                            \
        .pod = { .spec = "'affinity':{'nodeAffinity':{'"                                           \
                         "requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':"   \
                         "[" terms "]}}}" }
#define PREFERS(terms)                                                                             \
        .pod = { .spec = "'affinity':{'nodeAffinity':{'"                                           \
                         "preferredDuringSchedulingIgnoredDuringExecution':[" terms "]}}" }

static const struct plugin_case cases[] = {
        { "nothing asked", ZONES, .fits = "n1 n2 n3", .scores = "skip" },
        { "selector", ZONES, .pod = { .spec = "'nodeSelector':{'zone':'a'}" }, .fits = "n1",
          .why = "node(s) didn't match Pod's node affinity/selector" },
        { "selector of a label nobody has", ZONES,
          .pod = { .spec = "'nodeSelector':{'disk':'ssd'}" }, .fits = "" },
        { "In", ZONES, REQUIRES(TERM("zone", "In", "'b','c'")), .fits = "n2" },
        { "NotIn holds without the label", ZONES, REQUIRES(TERM("zone", "NotIn", "'b'")),
          .fits = "n1 n3" },
        { "Exists", ZONES, REQUIRES(TERM("zone", "Exists", "")), .fits = "n1 n2" },
        { "DoesNotExist", ZONES, REQUIRES(TERM("zone", "DoesNotExist", "")), .fits = "n3" },
        { "Gt", ZONES, REQUIRES(TERM("rank", "Gt", "'1'")), .fits = "n2" },
        { "Lt", ZONES, REQUIRES(TERM("rank", "Lt", "'5'")), .fits = "n1" },
        { "one of two terms", ZONES,
          REQUIRES(TERM("zone", "In", "'a'") "," TERM("rank", "In", "'5'")), .fits = "n1 n2" },
        { "no expression matches nothing", ZONES, REQUIRES("{}"), .fits = "" },
        { "preference", ZONES,
          PREFERS("{'weight':10,'preference':" TERM(
                  "zone", "In", "'a'") "},{'weight':40,'preference':" TERM("rank", "Gt",
                                                                           "'2'") "}"),
          .fits = "n1 n2 n3", .raw = "n1=10 n2=40 n3=0", .scores = "n1=25 n2=100 n3=0" },
        { "added by the profile", ZONES,
          .args = "'addedAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'"
                  "nodeSelectorTerms':[" TERM("zone", "In", "'b'") "]}}",
          .fits = "n2", .why = "node(s) didn't match scheduler-enforced node affinity" },
};
static const struct plugin_refusal refusals[] = {
        { "no affinity", "", NULL },
        { "unknown operator",
          "'addedAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':["
          "{'matchExpressions':[{'key':'a','operator':'Near'}]}]}}",
          "cannot be parsed" },
        { "unknown field", "'affinity':{}", "affinity" },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){
                "NodeAffinity", cases, ARRAY_LEN(cases), refusals, ARRAY_LEN(refusals) });
}
