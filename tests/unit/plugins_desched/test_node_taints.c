/* RemovePodsViolatingNodeTaints. */
#include "base/util.h"
#include "desched_scene.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define RULE "RemovePodsViolatingNodeTaints"
#define TAINT(key, value, effect)                                                                  \
        .nodes = { { .name = "n1",                                                                 \
                     .spec = "'taints':[{'key':'" key "','value':'" value "','effect':'" effect    \
                             "'}]" },                                                              \
                   { .name = "n2" } }
#define TOLERATES(members) .spec = "'tolerations':[{" members "}]"

static const struct scene_case cases[] = {
        { "untolerated", TAINT("k", "v", "NoSchedule"), .pods = { { "p" } }, .expect = "p" },
        { "elsewhere", TAINT("k", "v", "NoSchedule"), .pods = { { "p", .node = "n2" } },
          .expect = "" },
        { "finished", TAINT("k", "v", "NoSchedule"), .pods = { { "p", .phase = "Failed" } },
          .expect = "" },
        { "tolerations", TAINT("k", "v", "NoSchedule"),
          .pods = { { "equal", TOLERATES("'key':'k','value':'v'") },
                    { "other value", TOLERATES("'key':'k','value':'w'") },
                    { "exists", TOLERATES("'key':'k','operator':'Exists'") },
                    { "other key", TOLERATES("'key':'l','operator':'Exists'") },
                    { "every", TOLERATES("'operator':'Exists'") },
                    { "other effect", TOLERATES("'operator':'Exists','effect':'NoExecute'") } },
          .expect = "other effect other key other value" },
        { "numbers", TAINT("load", "7", "NoSchedule"),
          .pods = { { "above", TOLERATES("'key':'load','operator':'Gt','value':'5'") },
                    { "below", TOLERATES("'key':'load','operator':'Lt','value':'5'") } },
          .expect = "below" },
        { "NoExecute is not ours", TAINT("k", "v", "NoExecute"), .pods = { { "p" } },
          .expect = "" },
        { "PreferNoSchedule, not asked", TAINT("k", "v", "PreferNoSchedule"), .pods = { { "p" } },
          .expect = "" },
        { "PreferNoSchedule", .args = "{'includePreferNoSchedule':true}",
          TAINT("k", "v", "PreferNoSchedule"), .pods = { { "p" } }, .expect = "p" },
        { "excluded by key", .args = "{'excludedTaints':['k']}", TAINT("k", "v", "NoSchedule"),
          .pods = { { "p" } }, .expect = "" },
        { "excluded by key and value", .args = "{'excludedTaints':['k=v']}",
          TAINT("k", "v", "NoSchedule"), .pods = { { "p" } }, .expect = "" },
        { "excluded by another value", .args = "{'excludedTaints':['k=w']}",
          TAINT("k", "v", "NoSchedule"), .pods = { { "p" } }, .expect = "p" },
        { "key= means no value", .args = "{'excludedTaints':['k=']}", TAINT("k", "", "NoSchedule"),
          .pods = { { "p" } }, .expect = "p" },
        { "included", .args = "{'includedTaints':['k']}", TAINT("k", "v", "NoSchedule"),
          .pods = { { "p" } }, .expect = "p" },
        { "others included", .args = "{'includedTaints':['l']}", TAINT("k", "v", "NoSchedule"),
          .pods = { { "p" } }, .expect = "" },
        { "D14 none included", .args = "{'includedTaints':[]}", TAINT("k", "v", "NoSchedule"),
          .pods = { { "p" } }, .expect = "p", .parity = "" },
        { "limit 0", .policy = "'maxNoOfPodsToEvictTotal':0", TAINT("k", "v", "NoSchedule"),
          .pods = { { "p" } }, .expect = "" },
};

static const struct scene_refusal refusals[] = {
        { "nothing", "{}", NULL, NULL },
        { "both", "{'includedTaints':['a'],'excludedTaints':['b']}", "only one of", NULL },
        { "one empty", "{'includedTaints':[],'excludedTaints':['b']}", NULL, NULL },
        { "type", "{'excludedTaints':[1]}", "excludedTaints[0]", NULL },
};

int main(void) {
        return scene_main(&(struct scene_suite){ RULE, cases, ARRAY_LEN(cases), refusals,
                                                 ARRAY_LEN(refusals) });
}
