/* RemovePodsHavingTooManyRestarts. */
#include "base/util.h"
#include "desched_scene.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define RULE "RemovePodsHavingTooManyRestarts"
#define RESTARTS(count) "'containerStatuses':[{'name':'c','restartCount':" count "}]"
#define BOTH(count, init)                                                                          \
        RESTARTS(count) ",'initContainerStatuses':[{'name':'i','restartCount':" init "}]"

static const struct scene_case cases[] = {
        { "at the threshold", .args = "{'podRestartThreshold':100}",
          .pods = { { "below", .status = RESTARTS("99") }, { "at", .status = RESTARTS("100") } },
          .expect = "at" },
        { "init not asked", .args = "{'podRestartThreshold':100}",
          .pods = { { "p", .status = BOTH("60", "40") } }, .expect = "" },
        { "init", .args = "{'podRestartThreshold':100,'includingInitContainers':true}",
          .pods = { { "p", .status = BOTH("60", "40") } }, .expect = "p" },
        { "state", .args = "{'podRestartThreshold':1,'states':['CrashLoopBackOff']}",
          .pods = { { "p", .status = RESTARTS("5") },
                    { "q", .status = "'containerStatuses':[{'name':'c','restartCount':5,'state':{"
                                     "'waiting':{'reason':'CrashLoopBackOff'}}}]" } },
          .expect = "q" },
        { "phase", .args = "{'podRestartThreshold':1,'states':['Running']}",
          .pods = { { "p", .status = RESTARTS("5") },
                    { "q", .phase = "Pending", .status = RESTARTS("5") } },
          .expect = "p" },
        { "worst first", .args = "{'podRestartThreshold':100}",
          .policy = "'maxNoOfPodsToEvictPerNode':1",
          .pods = { { "a", .status = RESTARTS("150") },
                    { "b", .status = RESTARTS("200") },
                    { "c", .status = RESTARTS("120"), .node = "n2" } },
          .expect = "b c" },
};

static const struct scene_refusal refusals[] = {
        { "no threshold", "{}", "podRestartThreshold", NULL },
        { "zero", "{'podRestartThreshold':0}", "at least 1", NULL },
        { "one", "{'podRestartThreshold':1}", NULL, NULL },
        { "state", "{'podRestartThreshold':1,'states':['Failed']}", "states", NULL },
};

int main(void) {
        return scene_main(&(struct scene_suite){ RULE, cases, ARRAY_LEN(cases), refusals,
                                                 ARRAY_LEN(refusals) });
}
