/* DynamicResources. */
#include "base/util.h"
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
        { "not made yet", ZONES, .objects = { MADE("p", "x") }, .pod = { TEMPLATE },
          .refused = "pod \"default/p\": ResourceClaim not created yet" },
        { "none is needed", ZONES,
          .pod = { TEMPLATE, .status = "'resourceClaimStatuses':[{'name':'x'}]" },
          .fits = "n1 n2" },
        { "neither name nor template", ZONES, .pod = { .spec = "'resourceClaims':[{'name':'x'}]" },
          .refused = "pod \"default/p\", spec.resourceClaim \"x\": none of the supported fields "
                     "are set" },
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
