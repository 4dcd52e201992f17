/* DynamicResources. */
#include "base/util.h"
#include "plugin_scene.h"

#define CLAIM(status)                                                                              \
        "{'kind':'ResourceClaim','metadata':{'namespace':'default','name':'r'},'status':{" status  \
        "}}"
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
        { "no such claim", ZONES, .pod = { USES }, .refused = "resourceclaim \"r\" not found" },
};
static const struct plugin_refusal refusals[] = {
        { "below a second", "'bindingTimeout':'500ms'", "bindingTimeout" },
        { "timeouts", "'filterTimeout':'0s','bindingTimeout':'1m'", NULL },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){
                "DynamicResources", cases, ARRAY_LEN(cases), refusals, ARRAY_LEN(refusals) });
}
