/* NodeDeclaredFeatures. */
#include "base/util.h"
#include "plugin_scene.h"

#define DECLARES(name, feature)                                                                    \
        { name, .status = "'allocatable':{'pods':'10'},'declaredFeatures':[" feature "]" }

static const struct plugin_case cases[] = {
        { "nothing needed", .fits = "n1 n2" },
        { "declared",
          .nodes = { DECLARES("n1", "'UserNamespacesHostNetwork'"),
                     DECLARES("n2", "'Other'"),
                     { "n3" } },
          .pod = { .spec = "'hostNetwork':true,'hostUsers':false" }, .fits = "n1",
          .why = "node(s) didn't match Pod's required features" },
        { "host network alone needs none", .pod = { .spec = "'hostNetwork':true" },
          .fits = "n1 n2" },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){ "NodeDeclaredFeatures", cases,
                                                               ARRAY_LEN(cases), NULL, 0 });
}
