/* TaintToleration. */
#include "base/util.h"
#include "plugin_scene.h"

#define TAINTED(effect)                                                                            \
        .nodes = { { "n1", .spec = "'taints':[{'key':'k','value':'v','effect':'" effect "'}]" },   \
                   { "n2" } }
#define TOLERATES(members) .pod = { .spec = "'tolerations':[{" members "}]" }

static const struct plugin_case cases[] = {
        { "NoSchedule", TAINTED("NoSchedule"), .fits = "n2",
          .why = "node(s) had untolerated taint(s)" },
        { "NoExecute", TAINTED("NoExecute"), .fits = "n2" },
        { "PreferNoSchedule only costs", TAINTED("PreferNoSchedule"), .fits = "n1 n2",
          .raw = "n1=1 n2=0", .scores = "n1=0 n2=100" },
        { "equal", TAINTED("NoSchedule"), TOLERATES("'key':'k','value':'v'"), .fits = "n1 n2" },
        { "another value", TAINTED("NoSchedule"), TOLERATES("'key':'k','value':'w'"),
          .fits = "n2" },
        { "exists", TAINTED("NoSchedule"), TOLERATES("'key':'k','operator':'Exists'"),
          .fits = "n1 n2" },
        { "another effect", TAINTED("NoSchedule"),
          TOLERATES("'key':'k','operator':'Exists','effect':'NoExecute'"), .fits = "n2" },
        { "a preference tolerated", TAINTED("PreferNoSchedule"), TOLERATES("'operator':'Exists'"),
          .scores = "n1=100 n2=100" },
        { "two cost more than one",
          .nodes = { { "n1", .spec = "'taints':[{'key':'a','effect':'PreferNoSchedule'},{'key':'b',"
                                     "'effect':'PreferNoSchedule'}]" },
                     { "n2", .spec = "'taints':[{'key':'a','effect':'PreferNoSchedule'}]" },
                     { "n3" } },
          .raw = "n1=2 n2=1 n3=0", .scores = "n1=0 n2=50 n3=100" },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){ "TaintToleration", cases,
                                                               ARRAY_LEN(cases), NULL, 0 });
}
