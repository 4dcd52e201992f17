/* The search for devices: its order, what it takes back, and where parity differs. */
#include "device_scene.h"

#include "base/buf.h"
#include "base/util.h"
#include "devices/device_count.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* JSON with ' for ". Claims are in the namespace d, in the order of the list. */
struct search_case {
        const char *what;
        const char *slices, *requests, *more; /* more: members beside the requests of the claim */
        const char *expected, *in_parity;     /* in_parity NULL: the same */
        const char *taken;                    /* results of another claim; NULL: none */
};

#define SLICE(name, members) "{'metadata':{'name':'" name "'},'spec':{'driver':'g'," members "}}"
#define POOL(name, generation, count)                                                              \
        "'pool':{'name':'" name "','generation':" #generation ",'resourceSliceCount':" #count "}"
#define ON_NODE "'nodeName':'n',"
#define DEVICE(name, members) "{'name':'" name "'" members "}"
#define MODEL(model) ",'attributes':{'model':{'string':'" model "'}}"
#define ONE(name) "{'name':'" name "','exactly':" EXACT("1", "") "}"
#define EXACT(count, members)                                                                      \
        "{'deviceClassName':'any','allocationMode':'ExactCount','count':" count members "}"
#define WITH(expression) ",'selectors':[{'cel':{'expression':'" expression "'}}]"
#define TWO_DEVICES                                                                                \
        SLICE("s", ON_NODE POOL("p", 1, 1) ",'devices':[" DEVICE("a", MODEL("x")) "," DEVICE(      \
                           "b", MODEL("y")) "]")
#define NUMBERED(model, id) ",'attributes':{'model':{'string':'" model "'},'id':{'int':" id "}}"
#define HALF(truth) ",'attributes':{'half':{'bool':" truth "}}"
#define SAME_MODELS                                                                                \
        SLICE("s", ON_NODE POOL("p", 1, 1) ",'devices':[" DEVICE(                                  \
                           "a", NUMBERED("x", "1")) "," DEVICE("b", NUMBERED("x", "2")) "]")
#define IS_ONE(name)                                                                               \
        "{'name':'" name "','exactly':" EXACT("1", WITH("device.attributes[\\'g\\'].id == 1")) "}"
#define DISTINCT "'distinctAttribute':'g/model'"
#define COUNTERS(name)                                                                             \
        ",'consumesCounters':[{'counterSet':'c','counters':{'m':{'value':'" name "'}}}]"
#define TAINT ",'taints':[{'key':'k','effect':'NoSchedule'}]"
#define PARTITIONS(first, second)                                                                  \
        SLICE("c", ON_NODE POOL("p", 1, 2) ",'sharedCounters':[{'name':'c','counters':{'m':"       \
                                           "{'value':'4'}}}]")                                     \
        "," SLICE("s", ON_NODE POOL("p", 1, 2) ",'devices':[" first "," second "]")

#define MULTIPLE ",'allowMultipleAllocations':true"
#define CAPACITY                                                                                   \
        ",'capacity':{'m':{'value':'4','requestPolicy':{'default':'1','validRange':{'min':'1'}}}}"
#define TAKEN(members)                                                                             \
        "{'request':'q','driver':'g','pool':'p','device':'a',"                                     \
        "'shareID':'00000000-0000-4000-8000-000000000000'" members "}"

static const struct search_case cases[] = {
        { "the first device", TWO_DEVICES, ONE("r"), "", "r:g/p/a ", NULL },
        { "slices go by name, pools too",
          SLICE("2", ON_NODE POOL("p", 1, 2) ",'devices':[" DEVICE("a", "") "]") "," SLICE(
                  "1",
                  ON_NODE POOL("p", 1, 2) ",'devices':[" DEVICE(
                          "z", "") "]") "," SLICE("0",
                                                  ON_NODE POOL("q", 1, 1) ",'devices':[" DEVICE(
                                                          "x", "") "]"),
          "{'name':'r','exactly':" EXACT("3", "") "}", "", "r:g/p/z r:g/p/a r:g/q/x ", NULL },
        { "pools that wait for conditions come last",
          SLICE("1",
                ON_NODE POOL("p", 1, 1) ",'devices':[" DEVICE(
                        "a",
                        ",'bindingConditions':['"
                        "ready']") "]") "," SLICE("2",
                                                  ON_NODE POOL("q", 1, 1) ",'devices':[" DEVICE(
                                                          "b", "") "]"),
          ONE("r"), "", "r:g/q/b ", NULL },
        { "a selector", TWO_DEVICES,
          "{'name':'r','exactly':" EXACT("1",
                                         WITH("device.attributes[\\'g\\'].model == \\'y\\'")) "}",
          "", "r:g/p/b ", NULL },
        { "an error of a selector", TWO_DEVICES,
          "{'name':'r','exactly':" EXACT("1", WITH("device.attributes[\\'g\\'].no == 1")) "}", "",
          "!claim d/c: selector #0: CEL runtime error: no such key: no", NULL },
        { "an expression that does not compile", TWO_DEVICES,
          "{'name':'r','exactly':" EXACT("1", WITH("device.nope")) "}", "",
          "!claim d/c: selector #0: CEL compile error: ", NULL },
        { "more than there are", TWO_DEVICES, "{'name':'r','exactly':" EXACT("3", "") "}", "", "?",
          NULL },
        { "taken back for a later request", TWO_DEVICES,
          ONE("r") ",{'name':'s','exactly':" EXACT(
                  "1", WITH("device.attributes[\\'g\\'].model == \\'x\\'")) "}",
          "", "r:g/p/b s:g/p/a ", NULL },
        { "the first choice that fits", TWO_DEVICES,
          "{'name':'r','firstAvailable':[{'name':'many','deviceClassName':'any','allocationMode':"
          "'ExactCount','count':3},{'name':'all','deviceClassName':'any','allocationMode':'All'}]}",
          "", "r/all:g/p/a r/all:g/p/b ", NULL },
        { "attributes that match",
          SLICE("s", ON_NODE POOL("p", 1, 1) ",'devices':[" DEVICE("a", MODEL("x")) "," DEVICE(
                             "b", MODEL("y")) "," DEVICE("c", MODEL("y")) "]"),
          ONE("r") "," ONE("s"), ",'constraints':[{'matchAttribute':'g/model'}]",
          "r:g/p/b s:g/p/c ", NULL },
        { "truths that match",
          SLICE("s",
                ON_NODE POOL("p", 1, 1) ",'devices':[" DEVICE("a", HALF("true")) "," DEVICE(
                        "b", HALF("false")) "," DEVICE("c", HALF("true")) "," DEVICE("d", "") "]"),
          "{'name':'r','exactly':" EXACT("2", "") "}",
          ",'constraints':[{'matchAttribute':'g/half'}]", "r:g/p/a r:g/p/c ", NULL },
        { "truths that differ",
          SLICE("s",
                ON_NODE POOL("p", 1, 1) ",'devices':[" DEVICE("a", HALF("true")) "," DEVICE(
                        "c", HALF("true")) "," DEVICE("d", "") "," DEVICE("b", HALF("false")) "]"),
          "{'name':'r','exactly':" EXACT("2", "") "}",
          ",'constraints':[{'distinctAttribute':'g/half'}]", "r:g/p/a r:g/p/b ", NULL },
        { "attributes that differ; upstream compares with the last device of the request",
          SLICE("s",
                ON_NODE POOL("p", 1, 1) ",'devices':[" DEVICE("a", MODEL("x")) "," DEVICE(
                        "b", MODEL("y")) "," DEVICE("c", MODEL("x")) "," DEVICE("d",
                                                                                MODEL("z")) "]"),
          "{'name':'r','exactly':" EXACT("3", "") "}",
          ",'constraints':[{'distinctAttribute':'g/model'}]", "r:g/p/a r:g/p/b r:g/p/d ",
          "r:g/p/a r:g/p/b r:g/p/c " },
        { "attributes that differ, of a device that is taken back", SAME_MODELS,
          ONE("r") "," IS_ONE("s"), ",'constraints':[{'requests':['r']," DISTINCT "}]",
          "r:g/p/b s:g/p/a ", NULL },
        { "the same for a choice", SAME_MODELS,
          "{'name':'r','firstAvailable':[{'name':'q','deviceClassName':'any','allocationMode':"
          "'ExactCount','count':1}]}," IS_ONE("s"),
          ",'constraints':[{'requests':['r']," DISTINCT "}]", "r/q:g/p/b s:g/p/a ", NULL },
        { "upstream forgets what differs when a later constraint refuses",
          SLICE("s",
                ON_NODE POOL("p", 1, 1) ",'devices':[" DEVICE("a", NUMBERED("x", "1")) "," DEVICE(
                        "b", NUMBERED("y", "2")) "," DEVICE("c", NUMBERED("x", "1")) "]"),
          "{'name':'r','exactly':" EXACT("2", "") "}",
          ",'constraints':[{" DISTINCT "},{'matchAttribute':'g/id'}]", "?", "r:g/p/a r:g/p/c " },
        { "all of a pool that is in part for all nodes",
          SLICE("1", ON_NODE POOL("p", 1, 2) ",'devices':[" DEVICE("a", "") "]") "," SLICE(
                  "2", "'allNodes':true," POOL("p", 1, 2) ",'devices':[" DEVICE("b", "") "]"),
          "{'name':'r','exactly':{'deviceClassName':'any','allocationMode':'All'}}", "",
          "r:g/p/a r:g/p/b ", NULL },
        { "a taint, and counters that parity does not give back",
          PARTITIONS(DEVICE("a", TAINT COUNTERS("3")), DEVICE("b", COUNTERS("3"))), ONE("r"), "",
          "r:g/p/b ", "?" },
        { "counters for one of two",
          PARTITIONS(DEVICE("a", COUNTERS("3")), DEVICE("b", COUNTERS("3"))),
          "{'name':'r','exactly':" EXACT("2", "") "}", "", "?", NULL },
        { "counters for both", PARTITIONS(DEVICE("a", COUNTERS("1")), DEVICE("b", COUNTERS("3"))),
          "{'name':'r','exactly':" EXACT("2", "") "}", "", "r:g/p/a r:g/p/b ", NULL },
        { "a counter that does not exist",
          SLICE("s", ON_NODE POOL("p", 1, 1) ",'devices':[" DEVICE("a", COUNTERS("1")) "]"),
          ONE("r"), "", "?invalid", NULL },
        { "a device twice",
          SLICE("s",
                ON_NODE POOL("p", 1, 1) ",'devices':[" DEVICE("a", "") "," DEVICE("a", "") "]"),
          ONE("r"), "", "?invalid", NULL },
        { "a pool that is not complete",
          SLICE("s", ON_NODE POOL("p", 1, 2) ",'devices':[" DEVICE("a", "") "]"), ONE("r"), "", "?",
          NULL },
        { "all of a pool that is not complete",
          SLICE("s", ON_NODE POOL("p", 1, 2) ",'devices':[" DEVICE("a", "") "]"),
          "{'name':'r','exactly':{'deviceClassName':'any','allocationMode':'All'}}", "",
          "!claim d/c, request r: asks for all devices, but resource pool g/p is currently being "
          "updated",
          NULL },
        { "the newest generation",
          SLICE("1", ON_NODE POOL("p", 1, 1) ",'devices':[" DEVICE("a", "") "]") "," SLICE(
                  "2", ON_NODE POOL("p", 2, 1) ",'devices':[" DEVICE("b", "") "]"),
          ONE("r"), "", "r:g/p/b ", NULL },
        { "devices of another node",
          SLICE("1", "'nodeName':'m'," POOL("p", 1, 1) ",'devices':[" DEVICE("a", "") "]"),
          ONE("r"), "", "?", NULL },
        { "shares until the capacity is used up",
          SLICE("s", ON_NODE POOL("p", 1, 1) ",'devices':[" DEVICE(
                             "a", ",'allowMultipleAllocations':true,'capacity':{'m':{'value':'5Gi'}"
                                  "}") "," DEVICE("b", "") "]"),
          "{'name':'r','exactly':" EXACT(
                  "1", ",'capacity':{'requests':{'m':'3Gi'}}") "},"
                                                               "{'name':'s','exactly':" EXACT(
                                                                       "1",
                                                                       ",'capacity':{'requests':{'"
                                                                       "m':'2Gi'}}") "}," ONE("t"),
          "", "r:g/p/a s:g/p/a t:g/p/b ", NULL },
        { "one more share of a device whose counters are taken",
          PARTITIONS(DEVICE("a", MULTIPLE CAPACITY COUNTERS("3")), DEVICE("b", COUNTERS("1"))),
          ONE("r"), "", "r:g/p/a ", NULL, TAKEN(",'consumedCapacity':{'m':'1'}") },
        { "one more share, but the first has no capacity",
          PARTITIONS(DEVICE("a", MULTIPLE COUNTERS("3")), DEVICE("b", COUNTERS("1"))), ONE("r"), "",
          "r:g/p/a ", "r:g/p/b ", TAKEN("") },
        { "a class that does not exist", TWO_DEVICES,
          "{'name':'r','exactly':{'deviceClassName':'none','allocationMode':'All'}}", "",
          "!claim d/c, request r: could not retrieve device class none", NULL },
        { "too many devices", TWO_DEVICES, "{'name':'r','exactly':" EXACT("33", "") "}", "",
          "!claim d/c: number of requested devices 33 exceeds the claim limit of 32", NULL },
};

static char *json_of(const struct search_case *one) {
        struct buf text = { 0 };

        buf_printf(&text,
                   "{'node':{'metadata':{'name':'n','labels':{}}},'objects':{'deviceClasses':["
                   "{'metadata':{'name':'any'}}],'resourceSlices':[%s],'resourceClaims':[{"
                   "'metadata':{'name':'c','namespace':'d'},'spec':{'devices':{'requests':[%s]%s}}"
                   "}",
                   one->slices, one->requests, one->more);
        if (one->taken)
                buf_printf(&text,
                           ",{'metadata':{'name':'o','namespace':'d'},'spec':{},'status':{"
                           "'allocation':{'devices':{'results':[%s]}}}}",
                           one->taken);
        buf_text(&text, "]}}");
        for (size_t i = 0; i < text.len; i++) {
                /* \' stays a quote inside a string */
                if (text.data[i] == '\'')
                        text.data[i] = '"';
        }
        return text.data;
}

static void check(const struct search_case *one, bool is_parity) {
        const char *want = is_parity && one->in_parity ? one->in_parity : one->expected;
        struct device_gates gates = device_gates_standard();
        char *text = json_of(one);
        struct device_scene scene;
        struct json_doc *doc;
        struct err err = { 0 };

        gates.is_parity = is_parity;
        if (json_parse(slice_of(text), &doc, &err) < 0)
                fail_msg("%s: %s", one->what, err.text);
        device_scene_init(&scene, json_get(json_doc_root(doc), "objects"), &gates);
        const struct resource_claim *claims[] = { &scene.claims[0] };
        const char *got =
                device_scene_search(&scene, json_get(json_doc_root(doc), "node"), claims, 1);
        /* Errors may go on behind what is expected. */
        if (*want == '!' ? strncmp(got, want, strlen(want)) != 0 : strcmp(got, want) != 0)
                fail_msg("%s%s: %s, not %s", one->what, is_parity ? " (parity)" : "", got, want);
        device_scene_release(&scene);
        cleanup_json_doc(&doc);
        free(text);
}

static void test_search(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                check(&cases[i], false);
                check(&cases[i], true);
        }
}

/* Those that the selectors of the class pick, and how many of these are taken. */
static void test_counted(void **state) {
        static const char text[] =
                "{\"deviceClasses\":[{\"metadata\":{\"name\":\"x\"},\"spec\":{\"selectors\":[{"
                "\"cel\":{"
                "\"expression\":\"device.attributes['g'].id > 1\"}}]}}],\"resourceSlices\":[{"
                "\"metadata\":{\"name\":\"s\"},\"spec\":{\"driver\":\"g\",\"nodeName\":\"n\","
                "\"pool\":{"
                "\"name\":\"p\",\"generation\":1,\"resourceSliceCount\":1},\"devices\":[{\"name\":"
                "\"a\","
                "\"attributes\":{\"id\":{\"int\":1}}},{\"name\":\"b\",\"attributes\":{\"id\":{"
                "\"int\":2}}"
                "},{\"name\":\"c\",\"attributes\":{\"id\":{\"int\":3}}}]}}],\"resourceClaims\":[{"
                "\"metadata\":{\"name\":\"t\",\"namespace\":\"d\"},\"spec\":{\"devices\":{}},"
                "\"status\":{"
                "\"allocation\":{\"devices\":{\"results\":[{\"request\":\"r\",\"driver\":\"g\","
                "\"pool\":"
                "\"p\",\"device\":\"c\"}]}}}}]}";
        const struct device_gates gates = device_gates_standard();
        const struct device_node node = { SLICE_LITERAL("n"), device_scene_matches, NULL };
        size_t count = 0, allocated = 0;
        struct device_scene scene;
        struct json_doc *doc;
        struct err err = { 0 };

        (void)state;
        assert_int_equal(json_parse(slice_of(text), &doc, &err), 0);
        device_scene_init(&scene, json_doc_root(doc), &gates);
        assert_int_equal(device_count_class(scene.inventory, &node, SLICE_LITERAL("x"),
                                            &scene.arena, &count, &allocated),
                         0);
        assert_int_equal(count, 2);
        assert_int_equal(allocated, 1);
        device_scene_release(&scene);
        cleanup_json_doc(&doc);
}

/* Each request could be had, not all of them: trying takes more steps than there may be. */
static void test_too_few_for_all(void **state) {
        struct buf slice = { 0 }, claim = { 0 };
        (void)state;
        buf_printf(&slice, "{'metadata':{'name':'s'},'spec':{'driver':'g'," ON_NODE POOL(
                                   "p", 1, 1) ",'devices':[");
        for (int i = 0; i < 31; i++)
                buf_printf(&slice, "%s{'name':'d%d'}", i ? "," : "", i);
        buf_printf(&slice, "]}}");
        for (int i = 0; i < 8; i++)
                buf_printf(&claim, "%s{'name':'r%d','exactly':" EXACT("4", "") "}", i ? "," : "",
                           i);
        check(&(struct search_case){ "31 for 32", slice.data, claim.data, "", "?", NULL }, false);
        buf_release(&slice);
        buf_release(&claim);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_search),
                cmocka_unit_test(test_counted),
                cmocka_unit_test(test_too_few_for_all),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
