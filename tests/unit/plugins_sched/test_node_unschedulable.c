/* NodeUnschedulable. */
#include "base/util.h"
#include "plugin_scene.h"

#define CORDONED .nodes = { { "n1", .spec = "'unschedulable':true" }, { "n2" } }
#define TOLERATES(members) .pod = { .spec = "'tolerations':[{" members "}]" }

static const struct plugin_case cases[] = {
        { "cordoned", CORDONED, .fits = "n2", .why = "node(s) were unschedulable" },
        { "tolerated by key", CORDONED,
          TOLERATES("'key':'node.kubernetes.io/unschedulable','operator':'Exists'"),
          .fits = "n1 n2" },
        { "every taint tolerated", CORDONED, TOLERATES("'operator':'Exists'"), .fits = "n1 n2" },
        { "another effect", CORDONED, TOLERATES("'operator':'Exists','effect':'NoExecute'"),
          .fits = "n2" },
        { "another key", CORDONED, TOLERATES("'key':'k','operator':'Exists'"), .fits = "n2" },
        { "none is", .fits = "n1 n2" },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){ "NodeUnschedulable", cases,
                                                               ARRAY_LEN(cases), NULL, 0 });
}
