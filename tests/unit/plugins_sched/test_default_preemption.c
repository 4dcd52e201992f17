/* DefaultPreemption: who would have to go, on nodes of four CPUs. */
#include "base/util.h"
#include "plugin_scene.h"

#define FIT .beside = "NodeResourcesFit"
#define CPU(n) .container = "'resources':{'requests':{'cpu':'" #n "'}}"
#define PRIORITY(n) .spec = "'priority':" #n
#define STARTED(day) .status = "'startTime':'2025-12-" day "T00:00:00Z'"
#define HIGH(n) .pod = { PRIORITY(100), CPU(n) }
#define APP .labels = "'app':'a'"
#define BUDGET(selector, allowed)                                                                  \
        "{'kind':'PodDisruptionBudget','metadata':{'namespace':'default','name':'b'},'spec':{"     \
        "'selector':{" selector "}},'status':{'disruptionsAllowed':" #allowed "}}"
#define OF_A "'matchLabels':{'app':'a'}"
#define NOBODY(reason) "preemption: 0/2 nodes are available: 2 " reason "."
#define NO_VICTIMS NOBODY("No preemption victims found for incoming pod")

#define FIT_AND_DEVICES .beside = "NodeResourcesFit DynamicResources"
#define DEVICE(node, more)                                                                         \
        "{'kind':'ResourceSlice','metadata':{'name':'" node "-d'},'spec':{'driver':'d','nodeName'" \
        ":'" node "','pool':{'name':'" node "','generation':1,'resourceSliceCount':1},"            \
        "'devices':[{" more "'name':'a'}]}}"
#define BROKEN_CLAIM                                                                               \
        "{'kind':'ResourceClaim','metadata':{'namespace':'default','name':'r'},'spec':{'devices':" \
        "{'requests':[{'name':'q','exactly':{'deviceClassName':'gpu','allocationMode':"            \
        "'ExactCount','count':1}}]}}}"
#define BROKEN_CLASS                                                                               \
        "{'kind':'DeviceClass','metadata':{'name':'gpu'},'spec':{'selectors':[{'cel':{"            \
        "'expression':'device.attributes[\\'d\\'].size == 1'}}]}}"
#define BROKEN_BUT(node, more)                                                                     \
        .pod = { .spec = "'priority':100,'resourceClaims':[{'name':'x','resourceClaimName':'r'}]", \
                 CPU(2) },                                                                         \
        .objects = { BROKEN_CLASS, BROKEN_CLAIM, DEVICE("n1", ""), DEVICE(node, more) },           \
        .pods = { { "a", PRIORITY(1), CPU(3) }, { "b", "n2", PRIORITY(1), CPU(3) } }
#define BROKEN BROKEN_BUT("n2", "")
#define DEVICE_ERROR "class gpu: selector #0: CEL runtime error: no such key: size"

static const struct plugin_case cases[] = {
        { "where it takes part", FIT, .points = "preEnqueue postFilter" },

        /* who may go */
        { "a lower pod", FIT, HIGH(2),
          .pods = { { "a", PRIORITY(1), CPU(3) }, { "b", "n2", PRIORITY(100), CPU(3) } },
          .preempts = "n1: a" },
        { "nobody is lower", FIT, HIGH(2),
          .pods = { { "a", PRIORITY(100), CPU(3) }, { "b", "n2", PRIORITY(101), CPU(3) } },
          .preempts = NO_VICTIMS },
        { "all that are lower would not do", FIT, HIGH(3),
          .pods = { { "a", PRIORITY(1), CPU(2) },
                    { "b", PRIORITY(100), CPU(2) },
                    { "c", "n2", PRIORITY(1), CPU(1) },
                    { "d", "n2", PRIORITY(100), CPU(3) } },
          .preempts = NOBODY("Insufficient cpu") },
        { "larger than any node", FIT, HIGH(5),
          .pods = { { "a", PRIORITY(1), CPU(3) }, { "b", "n2", PRIORITY(1), CPU(3) } },
          .preempts = NOBODY("Preemption is not helpful for scheduling") },
        { "it never preempts", FIT,
          .pod = { .spec = "'priority':100,'preemptionPolicy':'Never'", CPU(2) },
          .pods = { { "a", PRIORITY(1), CPU(3) }, { "b", "n2", PRIORITY(1), CPU(3) } },
          .preempts = "preemption: not eligible due to preemptionPolicy=Never." },
        { "finished pods take no room", FIT, HIGH(2),
          .pods = { { "a", PRIORITY(1), CPU(3) },
                    { "done", PRIORITY(0), CPU(3), .status = "'phase':'Succeeded'" },
                    { "b", "n2", PRIORITY(2), CPU(3) } },
          .preempts = "n1: a" },

        /* who is put back: the most important first */
        { "no more than needed", FIT, HIGH(2),
          .pods = { { "a", PRIORITY(3), CPU(2) },
                    { "b", PRIORITY(1), CPU(2) },
                    { "c", "n2", PRIORITY(100), CPU(3) } },
          .preempts = "n1: b" },
        { "of equals the younger goes", FIT, HIGH(2),
          .pods = { { "a", CPU(2), STARTED("02") },
                    { "b", CPU(2), STARTED("03") },
                    { "c", "n2", PRIORITY(100), CPU(3) } },
          .preempts = "n1: b" },
        { "one that has not started is the youngest", FIT, HIGH(2),
          .pods = { { "a", CPU(2) },
                    { "b", CPU(2), STARTED("31") },
                    { "c", "n2", PRIORITY(100), CPU(3) } },
          .preempts = "n1: a" },
        { "a small one stays beside", FIT, HIGH(2),
          .pods = { { "a", PRIORITY(2), CPU(3) },
                    { "b", PRIORITY(1), CPU(1) },
                    { "c", "n2", PRIORITY(100), CPU(3) } },
          .preempts = "n1: a" },

        /* a selector that fails where they are sought */
        { "an error of a device", FIT_AND_DEVICES, BROKEN,
          .preempts = "still not schedulable, " NOBODY(DEVICE_ERROR) },
        { "as upstream, it ends the search", FIT_AND_DEVICES, BROKEN, .is_parity = true,
          .preempts = "preemption: running \"DynamicResources\" filter plugin: " DEVICE_ERROR },
        { "unless there is a candidate", FIT_AND_DEVICES,
          BROKEN_BUT("n2", "'attributes':{'size':{'int':1}},"), .is_parity = true,
          .preempts = "n2: b" },

        /* which node: one criterion after the other */
        { "fewest broken budgets", FIT, HIGH(2), .objects = { BUDGET(OF_A, 0) },
          .pods = { { "a", PRIORITY(1), CPU(3), APP }, { "b", "n2", PRIORITY(50), CPU(3) } },
          .preempts = "n2: b" },
        { "a budget that allows it", FIT, HIGH(2), .objects = { BUDGET(OF_A, 1) },
          .pods = { { "a", PRIORITY(1), CPU(3), APP }, { "b", "n2", PRIORITY(50), CPU(3) } },
          .preempts = "n1: a" },
        { "a budget for two of them", FIT, HIGH(4), .objects = { BUDGET(OF_A, 1) },
          .pods = { { "a", PRIORITY(1), CPU(2), APP },
                    { "b", PRIORITY(1), CPU(2), APP },
                    { "c", "n2", PRIORITY(50), CPU(3) } },
          .preempts = "n2: c" },
        { "an empty selector is no budget", FIT, HIGH(2), .objects = { BUDGET("", 0) },
          .pods = { { "a", PRIORITY(1), CPU(3), APP }, { "b", "n2", PRIORITY(50), CPU(3) } },
          .preempts = "n1: a" },
        { "of its own namespace alone", FIT, HIGH(2), .objects = { BUDGET(OF_A, 0) },
          .pods = { { "a", PRIORITY(1), CPU(3), APP, .ns = "other" },
                    { "b", "n2", PRIORITY(50), CPU(3) } },
          .preempts = "n1: a" },
        { "a budget keeps its pod beside another", FIT, HIGH(2), .objects = { BUDGET(OF_A, 0) },
          .pods = { { "a", PRIORITY(1), CPU(2), APP },
                    { "b", PRIORITY(9), CPU(2) },
                    { "c", "n2", PRIORITY(100), CPU(3) } },
          .preempts = "n1: b" },
        { "the lowest of the highest", FIT, HIGH(2),
          .pods = { { "a", PRIORITY(9), CPU(3) },
                    { "b", "n2", PRIORITY(8), CPU(2) },
                    { "c", "n2", PRIORITY(8), CPU(2) } },
          .preempts = "n2: b" },
        { "the smaller sum", FIT, HIGH(4),
          .pods = { { "a", PRIORITY(9), CPU(2) },
                    { "b", PRIORITY(8), CPU(2) },
                    { "c", "n2", PRIORITY(9), CPU(2) },
                    { "d", "n2", PRIORITY(7), CPU(2) } },
          .preempts = "n2: c d" },
        { "the latest start", FIT, HIGH(2),
          .pods = { { "a", CPU(3), STARTED("05") }, { "b", "n2", CPU(3), STARTED("06") } },
          .preempts = "n2: b" },
        { "the first of equals", FIT, HIGH(2),
          .pods = { { "a", CPU(3), STARTED("05") }, { "b", "n2", CPU(3), STARTED("05") } },
          .preempts = "n1: a" },
        { "one candidate is enough, from the first node on", FIT, HIGH(2), .is_parity = true,
          .args = "'minCandidateNodesPercentage':0,'minCandidateNodesAbsolute':1",
          .pods = { { "a", PRIORITY(9), CPU(3) }, { "b", "n2", PRIORITY(1), CPU(3) } },
          .preempts = "n1: a" },
        { "or from that which follows from the pod's name on", FIT, HIGH(2),
          .args = "'minCandidateNodesPercentage':0,'minCandidateNodesAbsolute':1",
          .pods = { { "a", PRIORITY(1), CPU(3) }, { "b", "n2", PRIORITY(9), CPU(3) } },
          .preempts = "n2: b" },
        { "but not one that breaks a budget", FIT, HIGH(2), .objects = { BUDGET(OF_A, 0) },
          .args = "'minCandidateNodesPercentage':0,'minCandidateNodesAbsolute':1",
          .pods = { { "a", PRIORITY(1), CPU(3), APP }, { "b", "n2", PRIORITY(9), CPU(3) } },
          .preempts = "n2: b" },

        /* while somebody leaves */
        { "one ends where it is nominated", FIT,
          .pod = { PRIORITY(100), CPU(2), .status = "'nominatedNodeName':'n1'" },
          .pods = { { "a", PRIORITY(1), CPU(3),
                      .meta = "'deletionTimestamp':'2026-01-01T00:00:00Z'" },
                    { "b", "n2", PRIORITY(1), CPU(3) } },
          .preempts = "preemption: not eligible due to a terminating pod on the nominated node." },
        { "one ends elsewhere", FIT,
          .pod = { PRIORITY(100), CPU(2), .status = "'nominatedNodeName':'n2'" },
          .pods = { { "a", PRIORITY(1), CPU(3),
                      .meta = "'deletionTimestamp':'2026-01-01T00:00:00Z'" },
                    { "b", "n2", PRIORITY(2), CPU(3) } },
          .preempts = "n1: a" },
        { "a higher one ends where it is nominated", FIT,
          .pod = { PRIORITY(100), CPU(2), .status = "'nominatedNodeName':'n1'" },
          .pods = { { "a", PRIORITY(200), CPU(3),
                      .meta = "'deletionTimestamp':'2026-01-01T00:00:00Z'" },
                    { "b", "n2", PRIORITY(1), CPU(3) } },
          .preempts = "n2: b" },
};

static const struct plugin_refusal refusals[] = {
        { "defaults", "", NULL },
        { "one of both", "'minCandidateNodesPercentage':0", NULL },
        { "neither", "'minCandidateNodesPercentage':0,'minCandidateNodesAbsolute':0",
          "cannot be zero at the same time" },
        { "all", "'minCandidateNodesPercentage':100", NULL },
        { "more than all", "'minCandidateNodesPercentage':101", "minCandidateNodesPercentage" },
        { "below none", "'minCandidateNodesAbsolute':-1", "minCandidateNodesAbsolute" },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){
                "DefaultPreemption", cases, ARRAY_LEN(cases), refusals, ARRAY_LEN(refusals) });
}
