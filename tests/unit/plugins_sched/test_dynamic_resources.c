/* DynamicResources. */
#include "base/util.h"
#include "plugin/plugin.h"
#include "plugin_scene.h"

#define CLAIM(status)                                                                              \
        "{'kind':'ResourceClaim','metadata':{'namespace':'default','name':'r'},'status':{" status  \
        "}}"
#define MADE(owner, of)                                                                            \
        "{'kind':'ResourceClaim','metadata':{'namespace':'default','name':'m','annotations':{"     \
        "'resource.kubernetes.io/pod-claim-name':'" of "'},'ownerReferences':[{'kind':'Pod',"      \
        "'name':'p','uid':'" owner "','controller':true}]},'status':{'allocation':{}}}"
#define TEMPLATE .spec = "'resourceClaims':[{'name':'x','resourceClaimTemplateName':'t'}]"
#define TEMPLATED                                                                                  \
        TEMPLATE, .status = "'resourceClaimStatuses':[{'name':'x','resourceClaimName':'m'}]"
#define CLASS                                                                                      \
        "{'kind':'DeviceClass','metadata':{'name':'gpu'},'spec':{'selectors':[{'cel':{"            \
        "'expression':'device.driver == \\'d\\''}}]}}"
#define SLICE(node, devices)                                                                       \
        "{'kind':'ResourceSlice','metadata':{'name':'" node "-d'},'spec':{'driver':'d','nodeName'" \
        ":'" node "','pool':{'name':'" node "','generation':1,'resourceSliceCount':1},"            \
        "'devices':[" devices "]}}"
#define EXTENDED_CLASS                                                                             \
        "{'kind':'DeviceClass','metadata':{'name':'gpu'},'spec':{'extendedResourceName':"          \
        "'example.com/gpu'}}"
#define RULE                                                                                       \
        "{'kind':'DeviceTaintRule','metadata':{'name':'t'},'spec':{'deviceSelector':{'pool':'n1'"  \
        "},'taint':{'key':'k','effect':'NoSchedule'}}}"
#define CPUS(cpus)                                                                                 \
        "{'name':'a','nodeAllocatableResourceMappings':{'cpu':{'allocationMultiplier':'" cpus "'}" \
        "}}"
#define READY(good, bad)                                                                           \
        "'allocation':{'devices':{'results':[{'request':'q','driver':'d','pool':'n1','device':'a'" \
        ",'bindingConditions':['Good'],'bindingFailureConditions':['Bad']}]}},'devices':[{"        \
        "'driver':'d','pool':'n1','device':'a','conditions':[{'type':'Good','status':'" good       \
        "'},{'type':'Bad','status':'" bad "'}]}]"
#define WANTS_GPU(name, status)                                                                    \
        "{'kind':'ResourceClaim','metadata':{'namespace':'default','name':'" name                  \
        "'},'spec':{'devices':{'requests':[{'name':'q','exactly':{'deviceClassName':'gpu',"        \
        "'allocationMode':'ExactCount','count':1}}]}},'status':{" status "}}"
#define TAKES(node, device)                                                                        \
        "'allocation':{'devices':{'results':[{'request':'q','driver':'d','pool':'" node            \
        "','device':'" device "'}]}}"
#define IN_ZONE(zone)                                                                              \
        "'allocation':{'nodeSelector':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'zone',"   \
        "'operator':'In','values':['" zone "']}]}]}}"
#define OTHER(status)                                                                              \
        "{'kind':'ResourceClaim','metadata':{'namespace':'default','name':'q'},'status':{" status  \
        "}}"
#define USES_BOTH                                                                                  \
        .spec = "'resourceClaims':[{'name':'x','resourceClaimName':'r'},{'name':'y',"              \
                "'resourceClaimName':'q'}]"
#define USES .spec = "'resourceClaims':[{'name':'x','resourceClaimName':'r'}]"
#define ZONES .nodes = { { "n1", .labels = "'zone':'a'" }, { "n2", .labels = "'zone':'b'" } }

#define GROUP(claims)                                                                              \
        "{'kind':'PodGroup','metadata':{'namespace':'default','name':'g','uid':'u'},'spec':{"      \
        "'resourceClaims':[" claims "]}}"
#define MADE_FOR(group, version)                                                                   \
        "{'kind':'ResourceClaim','metadata':{'namespace':'default','name':'m','ownerReferences':[" \
        "{'apiVersion':'" version "','kind':'PodGroup','name':'" group                             \
        "','uid':'u','controller':true}]},'status':{'allocation':{}}}"
#define GROUPED                                                                                    \
        .spec = "'schedulingGroup':{'podGroupName':'g'},'resourceClaims':[{'name':'x',"            \
                "'resourceClaimTemplateName':'t'}]",                                               \
        .status = "'resourceClaimStatuses':[{'name':'x','resourceClaimName':'m'}]"

static const struct plugin_case cases[] = {
        { "no claims", ZONES, .fits = "n1 n2" },
        { "allocated anywhere", ZONES, .objects = { CLAIM("'allocation':{}") }, .pod = { USES },
          .fits = "n1 n2" },
        { "allocated in a zone", ZONES,
          .objects = { CLAIM(
                  "'allocation':{'nodeSelector':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'"
                  "zone','operator':'In','values':['b']}]}]}}") },
          .pod = { USES }, .fits = "n2", .why = "resourceclaim not available on the node" },
        { "no class", ZONES, .objects = { WANTS_GPU("r", "") }, .pod = { USES },
          .refused = "request q: device class gpu does not exist" },
        { "allocated where devices are", ZONES,
          .objects = { CLASS, SLICE("n2", "{'name':'a'}"), WANTS_GPU("r", "") }, .pod = { USES },
          .fits = "n2", .why = "cannot allocate all claims" },
        { "devices that others have", ZONES,
          .objects = { CLASS, SLICE("n1", "{'name':'a'}"), SLICE("n2", "{'name':'a'},{'name':'b'}"),
                       WANTS_GPU("r", ""), WANTS_GPU("o", TAKES("n1", "a")),
                       WANTS_GPU("p", TAKES("n2", "a")) },
          .pod = { USES }, .fits = "n2", .why = "cannot allocate all claims" },
        { "of two claims both count", ZONES,
          .objects = { CLAIM(IN_ZONE("b")), OTHER("'allocation':{}") }, .pod = { USES_BOTH },
          .fits = "n2" },
        { "claims that are apart", ZONES, .objects = { CLAIM(IN_ZONE("b")), OTHER(IN_ZONE("a")) },
          .pod = { USES_BOTH }, .fits = "", .why = "resourceclaim not available on the node" },
        { "two want the only device", ZONES,
          .objects = { CLASS, SLICE("n1", "{'name':'a'}"), WANTS_GPU("r", ""), WANTS_GPU("q", "") },
          .pod = { USES_BOTH }, .fits = "", .why = "cannot allocate all claims" },
        { "no score", ZONES, .objects = { CLAIM("'allocation':{}") }, .pod = { USES },
          .raw = "n1=0 n2=0" },
        { "being deleted", ZONES,
          .objects = { "{'kind':'ResourceClaim','metadata':{'namespace':'default','name':'r',"
                       "'deletionTimestamp':'2026-01-01T00:00:00Z'},'status':{'allocation':{}}}" },
          .pod = { USES }, .refused = "resourceclaim \"r\" is being deleted" },
        { "of another namespace", ZONES,
          .objects = { "{'kind':'ResourceClaim','metadata':{'namespace':'other','name':'r'},"
                       "'status':{'allocation':{}}}" },
          .pod = { USES }, .refused = "could not find ResourceClaim \"default/r\"" },
        { "made for the pod", ZONES, .objects = { MADE("p", "x") }, .pod = { TEMPLATED },
          .fits = "n1 n2" },
        { "made for another pod", ZONES, .objects = { MADE("q", "x") }, .pod = { TEMPLATED },
          .refused = "ResourceClaim default/m was not created for Pod default/p (Pod is not "
                     "owner)" },
        { "made for the pod's group", ZONES, .gates = FEATURE_GROUP_DEVICES,
          .objects = { MADE_FOR("g", "scheduling.k8s.io/v1alpha2"), GROUP("") }, .pod = { GROUPED },
          .fits = "n1 n2" },
        { "made for another group", ZONES, .gates = FEATURE_GROUP_DEVICES,
          .objects = { MADE_FOR("h", "scheduling.k8s.io/v1alpha2"), GROUP("") }, .pod = { GROUPED },
          .refused = "ResourceClaim default/m was not created for Pod default/p (neither Pod nor "
                     "PodGroup g is the owner)" },
        { "made for a group of another kind", ZONES, .gates = FEATURE_GROUP_DEVICES,
          .objects = { MADE_FOR("g", "example.com/v1"), GROUP("") }, .pod = { GROUPED },
          .refused = "ResourceClaim default/m was not created for Pod default/p (neither Pod nor "
                     "PodGroup g is the owner)" },
        { "made for a group, which means nothing", ZONES,
          .objects = { MADE_FOR("g", "scheduling.k8s.io/v1alpha2"), GROUP("") }, .pod = { GROUPED },
          .refused = "ResourceClaim default/m was not created for Pod default/p (Pod is not "
                     "owner)" },
        { "a group that is not there", ZONES, .gates = FEATURE_GROUP_DEVICES,
          .objects = { MADE_FOR("g", "scheduling.k8s.io/v1alpha2") }, .pod = { GROUPED },
          .refused = "podgroup.scheduling.k8s.io \"g\" not found" },
        { "a group with half an entry", ZONES, .gates = FEATURE_GROUP_DEVICES,
          .objects = { MADE_FOR("g", "scheduling.k8s.io/v1alpha2"), GROUP("{'name':'x'}") },
          .pod = { GROUPED },
          .refused = "PodGroup default/g claim x: none of the supported fields are set" },
        { "looks at no more devices than its time allows", ZONES, .args = "'filterTimeout':'2us'",
          .objects = { CLASS, SLICE("n1", "{'name':'a'},{'name':'b'},{'name':'c'}"),
                       SLICE("n2", "{'name':'a'}"), WANTS_GPU("r", ""),
                       WANTS_GPU("o", TAKES("n1", "a")), WANTS_GPU("p", TAKES("n1", "b")) },
          .pod = { USES }, .fits = "n2", .why = "node n1: timed out trying to allocate devices" },
        { "in time", ZONES, .args = "'filterTimeout':'3us'",
          .objects = { CLASS, SLICE("n1", "{'name':'a'},{'name':'b'},{'name':'c'}"),
                       WANTS_GPU("r", ""), WANTS_GPU("o", TAKES("n1", "a")),
                       WANTS_GPU("p", TAKES("n1", "b")) },
          .pod = { USES }, .fits = "n1" },
        { "not made yet", ZONES, .objects = { MADE("p", "x") }, .pod = { TEMPLATE },
          .refused = "pod \"default/p\": ResourceClaim not created yet" },
        { "none is needed", ZONES,
          .pod = { TEMPLATE, .status = "'resourceClaimStatuses':[{'name':'x'}]" },
          .fits = "n1 n2" },
        { "neither name nor template", ZONES, .pod = { .spec = "'resourceClaims':[{'name':'x'}]" },
          .refused = "pod \"default/p\", spec.resourceClaim \"x\": none of the supported fields "
                     "are set" },
        { "extended resource that a class stands for", ZONES,
          .objects = { EXTENDED_CLASS, SLICE("n2", "{'name':'a'},{'name':'b'}") },
          .pod = { .container = "'resources':{'requests':{'example.com/gpu':'2'}}" }, .fits = "n2",
          .why = "cannot allocate all claims" },
        { "extended resource by the class's name", ZONES,
          .objects = { CLASS, SLICE("n1", "{'name':'a'}") },
          .pod = { .container = "'resources':{'requests':{"
                                "'deviceclass.resource.kubernetes.io/gpu':'1'}}" },
          .fits = "n1" },
        { "extended resources are off", ZONES, .gates = FEATURE_NO_EXTENDED_DEVICES,
          .objects = { EXTENDED_CLASS, SLICE("n2", "{'name':'a'}") },
          .pod = { .container = "'resources':{'requests':{'example.com/gpu':'2'}}" },
          .fits = "n1 n2" },
        { "special claim of an earlier attempt", ZONES,
          .objects = { EXTENDED_CLASS, SLICE("n2", "{'name':'a'}"),
                       "{'kind':'ResourceClaim','metadata':{'namespace':'default','name':'p-x',"
                       "'annotations':{'resource.kubernetes.io/extended-resource-claim':'true'},"
                       "'ownerReferences':[{'kind':'Pod','name':'p','uid':'p','controller':true}]},"
                       "'spec':{'devices':{'requests':[{'name':'q','exactly':{'deviceClassName':"
                       "'gpu','allocationMode':'ExactCount','count':1}}]}}}" },
          .pod = { .container = "'resources':{'requests':{'example.com/gpu':'1'}}" }, .fits = "",
          .why = "cannot schedule extended resource claim" },
        { "tainted by a rule", ZONES, .gates = FEATURE_DEVICE_TAINT_RULES,
          .objects = { CLASS, SLICE("n1", "{'name':'a'}"), SLICE("n2", "{'name':'a'}"),
                       WANTS_GPU("r", ""), RULE },
          .pod = { USES }, .fits = "n2", .why = "cannot allocate all claims" },
        { "rules are off", ZONES,
          .objects = { CLASS, SLICE("n1", "{'name':'a'}"), WANTS_GPU("r", ""), RULE },
          .pod = { USES }, .fits = "n1" },
        { "devices that are cpus", ZONES, .gates = FEATURE_NODE_DEVICES,
          .objects = { CLASS, SLICE("n1", CPUS("3")), SLICE("n2", CPUS("9")), WANTS_GPU("r", "") },
          .pod = { USES, .container = "'resources':{'claims':[{'name':'x'}],'requests':{"
                                      "'cpu':'1'}}" },
          .fits = "n1", .why = "Insufficient cpu" },
        { "devices that are cpus, of no container", ZONES, .gates = FEATURE_NODE_DEVICES,
          .objects = { CLASS, SLICE("n1", CPUS("3")), SLICE("n2", CPUS("3")), WANTS_GPU("r", "") },
          .pod = { USES }, .fits = "",
          .why = "claim r: node-allocatable resource claim not referenced by any container within "
                 "the pod" },
        { "binding that failed", ZONES,
          .objects = { CLASS, SLICE("n1", "{'name':'a'}"), WANTS_GPU("r", READY("False", "True")) },
          .pod = { USES }, .fits = "", .why = "resourceclaim not available on the node" },
        { "binding that goes on", ZONES,
          .objects = { CLASS, SLICE("n1", "{'name':'a'}"),
                       WANTS_GPU("r", READY("False", "False")) },
          .pod = { USES }, .fits = "n1 n2" },
        { "no such claim", ZONES, .pod = { USES },
          .refused = "could not find ResourceClaim \"default/r\"" },
};
static const struct plugin_refusal refusals[] = {
        { "below a second", "'bindingTimeout':'500ms'", "bindingTimeout" },
        { "timeouts", "'filterTimeout':'0s','bindingTimeout':'1m'", NULL },
        { "just a second", "'bindingTimeout':'1s'", NULL },
        { "below zero", "'filterTimeout':'-1s'", "filterTimeout" },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){
                "DynamicResources", cases, ARRAY_LEN(cases), refusals, ARRAY_LEN(refusals) });
}
