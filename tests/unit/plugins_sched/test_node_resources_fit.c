/* NodeResourcesFit. */
#include "base/util.h"
#include "plugin/plugin.h"
#include "plugin_scene.h"

#define GPU_CLASS                                                                                  \
        "{'kind':'DeviceClass','metadata':{'name':'gpu'},'spec':{'extendedResourceName':"          \
        "'example.com/gpu'}}"
#define ASKS(list) .container = "'resources':{'requests':{" list "}}"

static const struct plugin_case cases[] = {
        { "devices stand for a resource that the node has not",
          .nodes = { { "n1" },
                     { "n2", .status = "'allocatable':{'pods':'9','example.com/gpu':'1'}" } },
          .objects = { GPU_CLASS },
          .pod = { .container = "'resources':{'requests':{'example.com/gpu':'2'}}" }, .fits = "n1",
          .why = "Insufficient example.com/gpu" },
        { "extended resources of devices are off", .gates = FEATURE_NO_EXTENDED_DEVICES,
          .objects = { GPU_CLASS },
          .pod = { .container = "'resources':{'requests':{'example.com/gpu':'2'}}" }, .fits = "",
          .why = "Insufficient example.com/gpu" },
        /* Which requests devices stand for is not in the pod's spec, but in the classes. */
        { "variant: the second request of two, by its class", .objects = { GPU_CLASS },
          .pod = { ASKS("'cpu':'1','example.com/gpu':'2'") }, .variant = "2" },
        { "variant: by the name of the class", .objects = { GPU_CLASS },
          .pod = { ASKS("'deviceclass.resource.kubernetes.io/gpu':'1'") }, .variant = "1" },
        { "variant: no class has that resource", .objects = { GPU_CLASS },
          .pod = { ASKS("'cpu':'1','example.com/other':'2'") }, .variant = "0" },
        { "variant: no class at all", .pod = { ASKS("'cpu':'1','example.com/gpu':'2'") },
          .variant = "0" },
        { "variant: one that is ignored does not count", .args = "'ignoredResources':['a.b/c']",
          .objects = { GPU_CLASS }, .pod = { ASKS("'a.b/c':'1','example.com/gpu':'2'") },
          .variant = "1" },
        { "variant: extended resources of devices are off", .gates = FEATURE_NO_EXTENDED_DEVICES,
          .objects = { GPU_CLASS }, .pod = { ASKS("'example.com/gpu':'2'") }, .variant = "0" },
        { "fits", .pod = { ASKS("'cpu':'4','memory':'8Gi'") }, .fits = "n1 n2" },
        { "a millicore too much", .pod = { ASKS("'cpu':'4001m'") }, .fits = "",
          .why = "Insufficient cpu" },
        { "a byte too much", .pod = { ASKS("'memory':'8589934593'") }, .fits = "",
          .why = "Insufficient memory" },
        { "what others hold counts", .pods = { { "a", ASKS("'cpu':'3'") } },
          .pod = { ASKS("'cpu':'1001m'") }, .fits = "n2" },
        { "to the last millicore", .pods = { { "a", ASKS("'cpu':'3'") } },
          .pod = { ASKS("'cpu':'1'") }, .fits = "n1 n2" },
        { "too many pods",
          .nodes = { { "n1", .status = "'allocatable':{'cpu':'4','memory':'8Gi','pods':'1'}" },
                     { "n2" } },
          .pods = { { "a" } }, .fits = "n2", .why = "Too many pods" },
        { "a resource nobody has", .pod = { ASKS("'a.b/c':'1'") }, .fits = "",
          .why = "Insufficient a.b/c" },
        { "one that is ignored", .args = "'ignoredResources':['a.b/c']",
          .pod = { ASKS("'a.b/c':'1'") }, .fits = "n1 n2" },
        { "a group that is ignored", .args = "'ignoredResourceGroups':['a.b']",
          .pod = { ASKS("'a.b/c':'1'") }, .fits = "n1 n2" },
        /* cpu half, memory all of it free: (50 + 100) / 2 */
        { "least allocated", .pod = { ASKS("'cpu':'2','memory':'0'") }, .scores = "n1=75 n2=75" },
        { "emptier is better", .pods = { { "a", ASKS("'cpu':'2','memory':'4Gi'") } },
          .pod = { ASKS("'cpu':'1','memory':'2Gi'") }, .scores = "n1=25 n2=75" },
        { "most allocated",
          .args = "'scoringStrategy':{'type':'MostAllocated','resources':[{'name':'cpu','weight':1}"
                  "]}",
          .pods = { { "a", ASKS("'cpu':'2'") } }, .pod = { ASKS("'cpu':'1'") },
          .scores = "n1=75 n2=25" },
};
static const struct plugin_refusal refusals[] = {
        { "unknown strategy", "'scoringStrategy':{'type':'Some'}", "supported values" },
        { "weight beyond 100",
          "'scoringStrategy':{'type':'LeastAllocated','resources':[{'name':'cpu','weight':101}]}",
          "weight" },
        { "a strategy",
          "'scoringStrategy':{'type':'MostAllocated','resources':[{'name':'cpu','weight':2}]}",
          NULL },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){
                "NodeResourcesFit", cases, ARRAY_LEN(cases), refusals, ARRAY_LEN(refusals) });
}
