/* GangScheduling: the scheduler itself holds the members of a gang back and decides them together
 * (test_scheduler_gang); here is where it takes part, and that it keeps nobody from a node. */
#include "base/util.h"
#include "plugin/plugin.h"
#include "plugin_scene.h"

#define MEMBER .spec = "'schedulingGroup':{'podGroupName':'g'}"
#define GANG                                                                                       \
        "{'kind':'PodGroup','metadata':{'namespace':'default','name':'g'},'spec':{"                \
        "'schedulingPolicy':{'gang':{'minCount':3}}}}"

static const struct plugin_case cases[] = {
        { "where it takes part", .gates = FEATURE_GROUPS | FEATURE_GANGS,
          .points = "preEnqueue permit" },
        { "of no group", .fits = "n1 n2", .scores = "skip" },
        { "a member of a gang", .gates = FEATURE_GROUPS | FEATURE_GANGS, .objects = { GANG },
          .pod = { MEMBER }, .refused = "", .fits = "n1 n2" },
};

int main(void) {
        return plugin_suite_main(
                &(const struct plugin_suite){ "GangScheduling", cases, ARRAY_LEN(cases), NULL, 0 });
}
