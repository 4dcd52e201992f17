/* RemoveFailedPods. */
#include "base/util.h"
#include "desched_scene.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define RULE "RemoveFailedPods"
#define FAILED .phase = "Failed"
#define ENDED(code)                                                                                \
        "'containerStatuses':[{'name':'c','state':{'terminated':{'exitCode':" code "}}}]"
#define INIT_ENDED(code)                                                                           \
        "'initContainerStatuses':[{'name':'i','state':{'terminated':{'exitCode':" code "}}}]"

#define TWO(reason, code, other_reason, other_code)                                                \
        "'containerStatuses':[{'name':'c','state':{'terminated':{'reason':'" reason                \
        "','exitCode':" code "}}},{'name':'d','state':{'terminated':{'reason':'" other_reason      \
        "','exitCode':" other_code "}}}]"
#define OWN SCENE_NO_PARITY

static const struct scene_case cases[] = {
        { "an hour by default",
          .pods = { { "half", FAILED, .age_s = 1800 }, { "hour", FAILED, .age_s = 3600 } },
          .expect = "hour" },
        { "running and succeeded stay",
          .pods = { { "p" }, { "q", .phase = "Succeeded" }, { "r", .phase = "Pending" } },
          .expect = "" },
        { "age 0", .args = "{'minPodLifetimeSeconds':0}", .pods = { { "p", FAILED, .age_s = 1 } },
          .expect = "p" },
        { "created later", .args = "{'minPodLifetimeSeconds':0}",
          .pods = { { "p", FAILED, .age_s = -60 } }, .expect = "" },
        { "excluded owner", .args = "{'excludeOwnerKinds':['Job']}",
          .pods = { { "p", FAILED, .owner = "Job/j" }, { "q", FAILED } }, .expect = "q" },
        { "namespaces", .args = "{'namespaces':{'exclude':['x']}}",
          .pods = { { "p", FAILED, .ns = "x" }, { "q", FAILED, .ns = "y" } }, .expect = "q" },
        { "labels", .args = "{'labelSelector':{'matchLabels':{'a':'b'}}}",
          .pods = { { "p", FAILED, .meta = "'labels':{'a':'b'}" }, { "q", FAILED } },
          .expect = "p" },
        { "reason of the pod", .args = "{'reasons':['NodeAffinity']}",
          .pods = { { "p", FAILED, .status = "'reason':'NodeAffinity'" },
                    { "q", FAILED, .status = "'reason':'Evicted'" } },
          .expect = "p" },
        { "reason of a container", .args = "{'reasons':['OOMKilled','CreateContainerConfigError']}",
          .pods = { { "p", FAILED,
                      .status = "'containerStatuses':[{'name':'c','state':{'terminated':{"
                                "'reason':'OOMKilled','exitCode':137}}}]" },
                    { "q", FAILED,
                      .status = "'containerStatuses':[{'name':'c','state':{'waiting':{"
                                "'reason':'CreateContainerConfigError'}}}]" },
                    { "r", FAILED, .status = ENDED("1") } },
          .expect = "p q" },
        { "exit code", .args = "{'exitCodes':[2,42]}",
          .pods = { { "p", FAILED, .status = ENDED("42") }, { "q", FAILED, .status = ENDED("1") } },
          .expect = "p" },
        { "earlier exit code", .args = "{'exitCodes':[42]}",
          .pods = { { "p", FAILED,
                      .status = "'containerStatuses':[{'name':'c','state':{'running':{}},"
                                "'lastState':{'terminated':{'exitCode':42}}}]" } },
          .expect = "" },
        { "init container, not asked", .args = "{'exitCodes':[42]}",
          .pods = { { "p", FAILED, .status = INIT_ENDED("42") } }, .expect = "" },
        { "init container", .args = "{'exitCodes':[42],'includingInitContainers':true}",
          .pods = { { "p", FAILED, .status = INIT_ENDED("42") } }, .expect = "p" },
        { "reason and code of one container", .args = "{'exitCodes':[42],'reasons':['Error']}",
          .pods = { { "p", FAILED,
                      .status = "'containerStatuses':[{'name':'c','state':{'terminated':{"
                                "'reason':'Error','exitCode':42}}}]" } },
          .expect = "p" },
        { "reason and code of two containers", .args = "{'exitCodes':[42],'reasons':['Error']}",
          .pods = { { "p", FAILED,
                      .status = "'containerStatuses':[{'name':'c','state':{'terminated':{"
                                "'reason':'Error','exitCode':1}}},{'name':'d','state':{"
                                "'terminated':{'reason':'Completed','exitCode':42}}}]" } },
          .expect = "", .parity = "p" },
        { "reason of the pod, code of a container",
          .args = "{'exitCodes':[42],'reasons':['Evicted']}",
          .pods = { { "p", FAILED, .status = "'reason':'Evicted'," ENDED("42") } }, .expect = "p" },
        { "reason and code of two containers, asked for",
          .args = "{'exitCodes':[42],'reasons':['Error'],'reasonAndCodeAcrossContainers':true}",
          .pods = { { "p", FAILED, .status = TWO("Error", "1", "Completed", "42") } },
          .expect = "p", .parity = OWN },
        { "codes of init containers alone", .args = "{'initExitCodes':[42]}",
          .pods = { { "p", FAILED, .status = INIT_ENDED("42") },
                    { "q", FAILED, .status = ENDED("42") },
                    { "r", FAILED, .status = INIT_ENDED("1") } },
          .expect = "p", .parity = OWN },
        { "codes by role", .args = "{'exitCodes':['>=128'],'initExitCodes':['40-49']}",
          .pods = { { "p", FAILED, .status = INIT_ENDED("42") },
                    { "q", FAILED, .status = ENDED("137") },
                    { "r", FAILED, .status = INIT_ENDED("137") },
                    { "s", FAILED, .status = ENDED("42") } },
          .expect = "p q", .parity = OWN },
        { "codes of sidecars", .args = "{'sidecarExitCodes':['SIGKILL']}",
          .pods = { { "p", FAILED,
                      .spec = "'initContainers':[{'name':'i','restartPolicy':'Always'}]",
                      .status = INIT_ENDED("137") },
                    { "q", FAILED, .spec = "'initContainers':[{'name':'i'}]",
                      .status = INIT_ENDED("137") } },
          .expect = "p", .parity = OWN },
        { "one of two", .args = "{'exitCodes':['!0']}",
          .pods = { { "p", FAILED, .status = TWO("Error", "1", "Completed", "0") } }, .expect = "p",
          .parity = OWN },
        { "both of two", .args = "{'exitCodes':['!0'],'exitCodeMatch':'All'}",
          .pods = { { "p", FAILED, .status = TWO("Error", "1", "Completed", "0") },
                    { "q", FAILED, .status = TWO("Error", "1", "Error", "2") } },
          .expect = "q", .parity = OWN },
        { "container by name", .args = "{'exitCodes':[1],'containerNames':['d']}",
          .pods = { { "p", FAILED, .status = TWO("Error", "1", "Error", "2") },
                    { "q", FAILED, .status = TWO("Error", "2", "Error", "1") } },
          .expect = "q", .parity = OWN },
        { "last termination", .args = "{'exitCodes':[42],'includingLastTermination':true}",
          .pods = { { "p", FAILED,
                      .status = "'containerStatuses':[{'name':'c','state':{'running':{}},"
                                "'lastState':{'terminated':{'exitCode':42}}}]" } },
          .expect = "p", .parity = OWN },
        { "reason and code of one termination",
          .args = "{'exitCodes':[42],'reasons':['OOMKilled'],'includingLastTermination':true}",
          .pods = { { "p", FAILED,
                      .status = "'containerStatuses':[{'name':'c','state':{'terminated':{"
                                "'exitCode':42,'reason':'Error'}},'lastState':{'terminated':{"
                                "'exitCode':137,'reason':'OOMKilled'}}}]" } },
          .expect = "", .parity = OWN },
        { "node limit goes on with the next node", .policy = "'maxNoOfPodsToEvictPerNode':1",
          .pods = { { "a", FAILED }, { "b", FAILED }, { "c", FAILED, .node = "n2" } },
          .expect = "a c" },
        { "total limit", .policy = "'maxNoOfPodsToEvictTotal':1",
          .pods = { { "a", FAILED }, { "b", FAILED }, { "c", FAILED, .node = "n2" } },
          .expect = "a" },
        { "namespace limit", .policy = "'maxNoOfPodsToEvictPerNamespace':1",
          .pods = { { "a", FAILED }, { "b", FAILED }, { "c", FAILED, .ns = "x" } },
          .expect = "a c" },
        { "oldest first", .policy = "'maxNoOfPodsToEvictTotal':1",
          .pods = { { "a", FAILED, .age_s = 4000 }, { "b", FAILED, .age_s = 5000 } },
          .expect = "b" },
        { "node that is not ready",
          .nodes = { { .name = "n1",
                       .status = "'conditions':[{'type':'Ready','status':'Unknown'}]" },
                     { .name = "n2" },
                     { .name = "n3" } },
          .pods = { { "a", FAILED }, { "b", FAILED, .node = "n2" } }, .expect = "b a",
          .parity = "b" },
        { "one usable node", .nodes = { { .name = "n1" } }, .pods = { { "a", FAILED } },
          .expect = "a", .parity = "" },
        { "selected node", .policy = "'nodeSelector':'pool=a'",
          .nodes = { { .name = "n1", .labels = "'pool':'a'" },
                     { .name = "n2" },
                     { .name = "n3", .labels = "'pool':'a'" } },
          .pods = { { "a", FAILED }, { "b", FAILED, .node = "n2" } }, .expect = "a" },
};

/* What only berth reads. */
static const struct scene_refusal refusals[] = {
        { "nothing", "{}", NULL, NULL },
        { "codes", "{'exitCodes':[1,-1,2147483647]}", NULL, NULL },
        { "code too large", "{'exitCodes':[2147483648]}", "exitCodes[0]", NULL },
        { "range", "{'exitCodes':['2-5']}", NULL, "exitCodes[0]" },
        { "comparison", "{'exitCodes':[1,'>=128']}", NULL, "exitCodes[1]" },
        { "signal", "{'exitCodes':['SIGKILL']}", NULL, "exitCodes[0]" },
        { "not", "{'exitCodes':['!0']}", NULL, "exitCodes[0]" },
        { "empty range", "{'exitCodes':['5-2']}", "exitCodes[0]", NULL },
        { "unknown signal", "{'exitCodes':['SIGWHAT']}", "exitCodes[0]", NULL },
        { "nonsense", "{'exitCodes':['x']}", "exitCodes[0]", NULL },
        { "float", "{'exitCodes':[1.5]}", "exitCodes[0]", NULL },
        { "no list", "{'exitCodes':1}", "exitCodes", NULL },
        { "codes of init containers", "{'initExitCodes':[1]}", NULL, "initExitCodes" },
        { "quantifier", "{'exitCodeMatch':'All'}", NULL, "exitCodeMatch" },
        { "no quantifier", "{'exitCodeMatch':'Some'}", "exitCodeMatch", NULL },
        { "negative age", "{'minPodLifetimeSeconds':-1}", "minPodLifetimeSeconds", NULL },
        { "both namespaces", "{'namespaces':{'include':['a'],'exclude':['b']}}", "only one of",
          NULL },
        { "case", "{'ExitCodes':[1]}", "ExitCodes", NULL },
};

int main(void) {
        return scene_main(&(struct scene_suite){ RULE, cases, ARRAY_LEN(cases), refusals,
                                                 ARRAY_LEN(refusals) });
}
