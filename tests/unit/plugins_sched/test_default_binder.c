/* DefaultBinder: the scheduler itself emits the binding (test_scheduler); here is where it takes
 * part, and that it has no say in anything else. */
#include "base/util.h"
#include "plugin_scene.h"

static const struct plugin_case cases[] = {
        { "where it takes part", .points = "bind" },
        { "no word on nodes", .nodes = { { "n1", .spec = "'unschedulable':true" }, { "n2" } },
          .pod = { .spec = "'nodeSelector':{'a':'b'}" }, .fits = "n1 n2", .scores = "skip" },
        { "nor on pods", .pod = { .spec = "'schedulingGates':[{'name':'a'}]" }, .refused = "",
          .fits = "n1 n2" },
};
int main(void) {
        return plugin_suite_main(
                &(const struct plugin_suite){ "DefaultBinder", cases, ARRAY_LEN(cases), NULL, 0 });
}
