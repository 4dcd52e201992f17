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
#define TEMPLATED .spec = "'resourceClaims':[{'name':'x','resourceClaimTemplateName':'t'}]"
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
        { "not allocated", ZONES, .objects = { CLAIM("") }, .pod = { USES },
          .refused = "resource claims cannot be allocated by this scheduler" },
        { "of two claims both count", ZONES,
          .objects = { CLAIM(IN_ZONE("b")), OTHER("'allocation':{}") }, .pod = { USES_BOTH },
          .fits = "n2" },
        { "claims that are apart", ZONES, .objects = { CLAIM(IN_ZONE("b")), OTHER(IN_ZONE("a")) },
          .pod = { USES_BOTH }, .fits = "", .why = "resourceclaim not available on the node" },
        { "the second is not allocated", ZONES, .objects = { CLAIM("'allocation':{}"), OTHER("") },
          .pod = { USES_BOTH },
          .refused = "resource claims cannot be allocated by this scheduler" },
        { "no score", ZONES, .objects = { CLAIM("'allocation':{}") }, .pod = { USES },
          .raw = "n1=0 n2=0" },
        { "being deleted", ZONES,
          .objects = { "{'kind':'ResourceClaim','metadata':{'namespace':'default','name':'r',"
                       "'deletionTimestamp':'2026-01-01T00:00:00Z'},'status':{'allocation':{}}}" },
          .pod = { USES }, .refused = "resourceclaim \"r\" is being deleted" },
        { "of another namespace", ZONES,
          .objects = { "{'kind':'ResourceClaim','metadata':{'namespace':'other','name':'r'},"
                       "'status':{'allocation':{}}}" },
          .pod = { USES }, .refused = "resourceclaim \"r\" not found" },
        { "made for the pod", ZONES, .objects = { MADE("p", "x") }, .pod = { TEMPLATED },
          .fits = "n1 n2" },
        { "made for another pod", ZONES, .objects = { MADE("q", "x") }, .pod = { TEMPLATED },
          .refused = "waiting for the resource claim \"x\" to be made" },
        { "made for another of its claims", ZONES, .objects = { MADE("p", "y") },
          .pod = { TEMPLATED }, .refused = "waiting for the resource claim \"x\" to be made" },
        { "no such claim", ZONES, .pod = { USES }, .refused = "resourceclaim \"r\" not found" },
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
