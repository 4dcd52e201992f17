/* NodePorts. */
#include "base/util.h"
#include "plugin_scene.h"

#define PORT(members) .container = "'ports':[{'containerPort':80,'hostPort':8080" members "}]"

static const struct plugin_case cases[] = {
        { "no port", .pods = { { "a", PORT("") } }, .fits = "n1 n2" },
        { "taken", .pods = { { "a", PORT("") } }, .pod = { PORT("") }, .fits = "n2",
          .why = "node(s) didn't have free ports for the requested pod ports" },
        { "another protocol", .pods = { { "a", PORT("") } }, .pod = { PORT(",'protocol':'UDP'") },
          .fits = "n1 n2" },
        { "two addresses", .pods = { { "a", PORT(",'hostIP':'10.0.0.1'") } },
          .pod = { PORT(",'hostIP':'10.0.0.2'") }, .fits = "n1 n2" },
        { "all addresses and one", .pods = { { "a", PORT("") } },
          .pod = { PORT(",'hostIP':'10.0.0.2'") }, .fits = "n2" },
        { "one and all addresses", .pods = { { "a", PORT(",'hostIP':'10.0.0.1'") } },
          .pod = { PORT("") }, .fits = "n2" },
        { "another port",
          .pods = { { "a", .container = "'ports':[{'containerPort':80,'hostPort':8081}]" } },
          .pod = { PORT("") }, .fits = "n1 n2" },
        { "a port of the container alone", .pods = { { "a", PORT("") } },
          .pod = { .container = "'ports':[{'containerPort':8080}]" }, .fits = "n1 n2" },
};

int main(void) {
        return plugin_suite_main(
                &(const struct plugin_suite){ "NodePorts", cases, ARRAY_LEN(cases), NULL, 0 });
}
