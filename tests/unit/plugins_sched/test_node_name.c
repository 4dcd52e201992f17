/* NodeName. */
#include "base/util.h"
#include "plugin_scene.h"

static const struct plugin_case cases[] = {
        { "any node will do", .fits = "n1 n2" },
        { "the one named", .pod = { .node = "n2" }, .fits = "n2",
          .why = "node(s) didn't match the requested node name" },
        { "one that does not exist", .pod = { .node = "n9" }, .fits = "" },
};

int main(void) {
        return plugin_suite_main(
                &(const struct plugin_suite){ "NodeName", cases, ARRAY_LEN(cases), NULL, 0 });
}
