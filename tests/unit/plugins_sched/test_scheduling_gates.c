/* SchedulingGates. */
#include "base/util.h"
#include "plugin_scene.h"

static const struct plugin_case cases[] = {
        { "no gate", .fits = "n1 n2" },
        { "gates", .pod = { .spec = "'schedulingGates':[{'name':'a'},{'name':'b'}]" },
          .refused = "waiting for scheduling gates: [a b]" },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){ "SchedulingGates", cases,
                                                               ARRAY_LEN(cases), NULL, 0 });
}
