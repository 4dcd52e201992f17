/* RemovePodsViolatingTopologySpreadConstraint. */
#include "base/util.h"
#include "desched_scene.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define RULE "RemovePodsViolatingTopologySpreadConstraint"
#define ZONE(name_, zone_)                                                                         \
        { .name = name_, .labels = "'zone':'" zone_ "'" }
#define TWO .nodes = { ZONE("n1", "a"), ZONE("n2", "b") }
#define THREE .nodes = { ZONE("n1", "a"), ZONE("n2", "b"), ZONE("n3", "c") }
#define SPREADS(more)                                                                              \
        "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'zone','labelSelector':{"         \
        "'matchLabels':{'app':'a'}}," more "}]"
#define HARD .spec = SPREADS("'whenUnsatisfiable':'DoNotSchedule'")
#define SOFT .spec = SPREADS("'whenUnsatisfiable':'ScheduleAnyway'")
#define KEYS .spec = SPREADS("'whenUnsatisfiable':'DoNotSchedule','matchLabelKeys':['hash']")
#define A .meta = "'labels':{'app':'a'}"
#define HASH(value) .meta = "'labels':{'app':'a','hash':'" value "'}"
#define ON2 .node = "n2"
#define ON3 .node = "n3"

#define POOL(name_, zone_, pool)                                                                   \
        { .name = name_, .labels = "'zone':'" zone_ "','pool':'" pool "'" }
#define OF_POOL(policy)                                                                            \
        .spec = "'nodeSelector':{'pool':'x'}," SPREADS(                                            \
                "'whenUnsatisfiable':'DoNotSchedule','nodeAffinityPolicy':'" policy "'")
#define POOLS .nodes = { POOL("n1", "a", "x"), POOL("n2", "b", "x"), POOL("n3", "c", "y") }

static const struct scene_case cases[] = {
        { "zones without a node the pods want do not count",
          .args = "{'topologyBalanceNodeFit':false}", POOLS,
          .pods = { { "a", A, OF_POOL("Honor") },
                    { "b", A, OF_POOL("Honor") },
                    { "c", A, OF_POOL("Honor"), ON2 },
                    { "d", A, OF_POOL("Honor"), ON2 } },
          .expect = "" },
        { "3, 1", TWO,
          .pods = { { "a", A, HARD }, { "b", A, HARD }, { "c", A, HARD }, { "d", A, HARD, ON2 } },
          .expect = "a" },
        { "quick ones first", TWO,
          .pods = { { "slow-a", A, HARD, .age_s = 9000 },
                    { "b", A, HARD },
                    { "slow-c", A, HARD },
                    { "d", A, HARD, ON2 } },
          .expect = "b", .parity = "slow-a" },
        { "quick ones first, of low priority", TWO,
          .pods = { { "slow-a", A, HARD },
                    { "b", A,
                      .spec = "'priority':5," SPREADS("'whenUnsatisfiable':'DoNotSchedule'") },
                    { "slow-c", A, HARD },
                    { "d", A, HARD, ON2 } },
          .expect = "slow-a", .parity = "b" },
        { "2, 1", TWO, .pods = { { "a", A, HARD }, { "b", A, HARD }, { "d", A, HARD, ON2 } },
          .expect = "" },
        { "4, 0", TWO,
          .pods = { { "a", A, HARD }, { "b", A, HARD }, { "c", A, HARD }, { "d", A, HARD } },
          .expect = "a b" },
        { "5, 3, 1", THREE,
          .pods = { { "a", A, HARD },
                    { "b", A, HARD },
                    { "c", A, HARD },
                    { "d", A, HARD },
                    { "e", A, HARD },
                    { "f", A, HARD, ON2 },
                    { "g", A, HARD, ON2 },
                    { "h", A, HARD, ON2 },
                    { "i", A, HARD, ON3 } },
          .expect = "a b" },
        { "soft, not asked", TWO,
          .pods = { { "a", A, SOFT }, { "b", A, SOFT }, { "c", A, SOFT }, { "d", A, SOFT } },
          .expect = "" },
        { "soft", .args = "{'constraints':['ScheduleAnyway']}", TWO,
          .pods = { { "a", A, SOFT }, { "b", A, SOFT }, { "c", A, SOFT }, { "d", A, SOFT } },
          .expect = "a b" },
        { "no room below",
          .nodes = { ZONE("n1", "a"),
                     { .name = "n2", .labels = "'zone':'b'", .spec = "'unschedulable':true" } },
          .pods = { { "a", A, HARD }, { "b", A, HARD }, { "c", A, HARD }, { "d", A, HARD } },
          .expect = "" },
        { "no room below, not asked", .args = "{'topologyBalanceNodeFit':false}",
          .nodes = { ZONE("n1", "a"),
                     { .name = "n2", .labels = "'zone':'b'", .spec = "'unschedulable':true" } },
          .pods = { { "a", A, HARD }, { "b", A, HARD }, { "c", A, HARD }, { "d", A, HARD } },
          .expect = "a b" },
        { "two hashes", TWO, .pods = { { "a", HASH("1"), KEYS }, { "b", HASH("2"), KEYS } },
          .expect = "" },
        { "one hash", TWO, .pods = { { "a", HASH("1"), KEYS }, { "b", HASH("1"), KEYS } },
          .expect = "a" },
        { "terminating pods do not count", TWO,
          .pods = { { "a", A, HARD },
                    { "b", A, HARD },
                    { "c", HARD,
                      .meta = "'labels':{'app':'a'},'deletionTimestamp':'2026-01-10T00:00:00Z'" },
                    { "d", A, HARD, ON2 } },
          .expect = "" },
        { "D10 bare pods count", TWO,
          .pods = { { "a", A, HARD },
                    { "b", A, HARD },
                    { "c", A, HARD },
                    { "d", A, HARD, ON2, .owner = "" },
                    { "e", A, HARD, ON2, .owner = "" },
                    { "f", A, HARD, ON2, .owner = "" } },
          .expect = "", .parity = "a" },
        { "D10 lowest priority goes", TWO,
          .pods = { { "a", A,
                      .spec = SPREADS("'whenUnsatisfiable':'DoNotSchedule'") ",'priority':50" },
                    { "b", A,
                      .spec = SPREADS("'whenUnsatisfiable':'DoNotSchedule'") ",'priority':1" },
                    { "c", A,
                      .spec = SPREADS("'whenUnsatisfiable':'DoNotSchedule'") ",'priority':100" } },
          .expect = "b", .parity = "c" },
        { "D10 labels out of scope count", .args = "{'labelSelector':{'matchLabels':{'x':'y'}}}",
          TWO,
          .pods = { { "a", A, HARD },
                    { "b", A, HARD },
                    { "c", A, HARD },
                    { "d", HARD, .meta = "'labels':{'app':'a','x':'y'}" } },
          .expect = "d", .parity = "" },
};

static const struct scene_refusal refusals[] = {
        { "nothing", "{}", NULL, NULL },
        { "constraint", "{'constraints':['Never']}", "found \"Never\"", NULL },
        { "empty", "{'constraints':[]}", NULL, NULL },
};

int main(void) {
        return scene_main(&(struct scene_suite){ RULE, cases, ARRAY_LEN(cases), refusals,
                                                 ARRAY_LEN(refusals) });
}
