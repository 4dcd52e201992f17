/* What an allocation looks like in the status of a claim: devices with what goes with them, the
 * configuration of classes and claims for the requests that were met, and where it can be used. */
#include "device_scene.h"

#include "base/buf.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* JSON with ' for ". The classes are x, with two configurations, and y; expected: members of the
 * result. */
struct result_case {
        const char *what, *requests, *configs, *expected;
};

#define OPAQUE(name) "'opaque':{'driver':'g','parameters':{'is':'" name "'}}"
#define OF_CLASS(requests, name) "{'source':'FromClass','requests':[" requests "]," OPAQUE(name) "}"
#define OF_CLAIM(requests, name) "{'source':'FromClaim'" requests "," OPAQUE(name) "}"
#define WANTS(name, class, members)                                                                \
        "{'name':'" name "','exactly':{'deviceClassName':'" class "','allocationMode':'"           \
                                                                  "ExactCount','count':1" members  \
                                                                  "}}"
#define CHOICE(name, class, count)                                                                 \
        "{'name':'" name                                                                           \
        "','deviceClassName':'" class "','allocationMode':'ExactCount','count':" count "}"
#define GOT(request, device, members)                                                              \
        "{'request':'" request "','driver':'g','pool':'p','device':'" device "'" members "}"
#define RESULT(results, config) "{'devices':{'results':[" results "]" config "}" ON_N "}"
#define ON_N                                                                                       \
        ",'nodeSelector':{'nodeSelectorTerms':[{'matchFields':[{'key':'metadata.name','operator':" \
        "'In','values':['n']}]}]}"
#define CONDITIONS ",'bindingConditions':['ok'],'bindingFailureConditions':['bad']"
#define TOLERATES_ALL                                                                              \
        "{'key':'k','operator':'Equal','value':'v','effect':'NoExecute','tolerationSeconds':7}"
#define TOLERATES_ANY "{'operator':'Exists'}"
#define MEMORY(amount) ",'capacity':{'requests':{'memory':'" amount "'}}"
#define IS(name) ",'selectors':[{'cel':{'expression':'device.attributes[`g`].id == `" name "`'}}]"

static const struct result_case cases[] = {
        { "a device", WANTS("r", "y", ""), "", RESULT(GOT("r", "a", ""), "") },
        { "devices of two requests, in their order",
          WANTS("r", "y", IS("b")) "," WANTS("s", "y", ""), "",
          RESULT(GOT("r", "b", "") "," GOT("s", "a", ""), "") },
        { "administrative access", WANTS("r", "y", ",'adminAccess':true"), "",
          RESULT(GOT("r", "a", ",'adminAccess':true"), "") },
        { "tolerations, with all members and with one",
          WANTS("r", "y", ",'tolerations':[" TOLERATES_ALL "," TOLERATES_ANY "]"), "",
          RESULT(GOT("r", "a", ",'tolerations':[" TOLERATES_ALL "," TOLERATES_ANY "]"), "") },
        { "conditions of the device", WANTS("r", "y", IS("c")), "",
          RESULT(GOT("r", "c", CONDITIONS), "") },
        { "a share", WANTS("r", "y", IS("d") MEMORY("1Gi")), "",
          RESULT(GOT("r", "d", ",'shareID':'*','consumedCapacity':{'memory':'1Gi'}"), "") },
        { "a share of a device without capacity", WANTS("r", "y", IS("e")), "",
          RESULT(GOT("r", "e", ",'shareID':'*'"), "") },
        { "a class's configuration for the requests of it, once",
          WANTS("r", "x", "") "," WANTS("s", "y", "") "," WANTS("t", "x", ""), "",
          RESULT(GOT("r", "a", "") "," GOT("s", "b", "") "," GOT("t", "c", CONDITIONS),
                 ",'config':[" OF_CLASS("'r','t'", "x1") "," OF_CLASS("'r','t'", "x2") "]") },
        { "the claim's, for all and for the first, once for each that it names",
          WANTS("r", "y", "") "," WANTS("s", "y", ""),
          "{" OPAQUE("1") "},{'requests':['r']," OPAQUE("2") "},{'requests':['r','s']," OPAQUE(
                  "3") "}",
          RESULT(GOT("r", "a", "") "," GOT("s", "b", ""),
                 ",'config':[" OF_CLAIM("", "1") "," OF_CLAIM(
                         ",'requests':['r']",
                         "2") "," OF_CLAIM(",'requests':['r','s']",
                                           "3") "," OF_CLAIM(",'requests':['r','s']", "3") "]") },
        { "of choices only for the one that was made",
          "{'name':'r','firstAvailable':[" CHOICE("q", "x", "9") "," CHOICE("qq", "y", "1") "]}",
          "{'requests':['r/q']," OPAQUE("1") "},{'requests':['r/qq']," OPAQUE(
                  "2") "},{'requests':['r']," OPAQUE("3") "},{'requests':['r/q','r/"
                                                          "qq']," OPAQUE("4") "}",
          RESULT(GOT("r/qq", "a", ""),
                 ",'config':[" OF_CLAIM(",'requests':['r/qq']", "2") "," OF_CLAIM(
                         ",'requests':['r']", "3") "," OF_CLAIM(",'requests':['r/q','r/qq']",
                                                                "4") "]") },
        { "a class's for a choice",
          "{'name':'r','firstAvailable':[" CHOICE("q", "x", "1") "," CHOICE("qq", "y", "1") "]}",
          "",
          RESULT(GOT("r/q", "a", ""),
                 ",'config':[" OF_CLASS("'r/q'", "x1") "," OF_CLASS("'r/q'", "x2") "]") },
        { "no device",
          "{'name':'r','exactly':{'deviceClassName':'y','allocationMode':'All'" IS("none") "}}", "",
          "?" },
};

static char *json_of(const struct result_case *one) {
        struct buf text = { 0 };

        buf_printf(
                &text,
                "{'node':{'metadata':{'name':'n'}},'expected':%s%s%s,'objects':{"
                "'deviceClasses':[{'metadata':{'name':'x'},'spec':{'config':[{" OPAQUE(
                        "x1") "},{" OPAQUE("x2") "}]}},{'metadata':{'name':'y'}}],"
                                                 "'resourceSlices':[{'metadata':{'name':'s'},'spec'"
                                                 ":{'driver':'g','nodeName':'n',"
                                                 "'pool':{'name':'p','generation':1,'"
                                                 "resourceSliceCount':1},'devices':["
                                                 "{'name':'a','attributes':{'id':{'string':'a'}}},"
                                                 "{'name':'b','attributes':{'id':{'string':'b'}}},"
                                                 "{'name':'c','attributes':{'id':{'string':'c'}},'"
                                                 "bindingConditions':['ok'],"
                                                 "'bindingFailureConditions':['bad']},"
                                                 "{'name':'d','attributes':{'id':{'string':'d'}},'"
                                                 "allowMultipleAllocations':true,"
                                                 "'capacity':{'memory':{'value':'4Gi'}}},"
                                                 "{'name':'e','attributes':{'id':{'string':'e'}},'"
                                                 "allowMultipleAllocations':true}"
                                                 "]}}],'resourceClaims':[{'metadata':{'name':'c','"
                                                 "namespace':'d','uid':'u'},"
                                                 "'spec':{'devices':{'requests':[%s],'config':[%s]}"
                                                 "}}]}}",
                *one->expected == '?' ? "'" : "", one->expected, *one->expected == '?' ? "'" : "",
                one->requests, one->configs);
        for (size_t i = 0; i < text.len; i++) {
                if (text.data[i] == '\'')
                        text.data[i] = '"';
                if (text.data[i] == '`')
                        text.data[i] = '\'';
        }
        return text.data;
}

static void test_results(void **state) {
        const struct device_gates gates = device_gates_standard();
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                char *text = json_of(&cases[i]);
                struct device_scene scene;
                struct json_doc *doc = NULL;
                struct err err = { 0 };
                if (json_parse(slice_of(text), &doc, &err) < 0)
                        fail_msg("%s: %s", cases[i].what, err.text);
                const struct json *root = json_doc_root(doc), *want = json_get(root, "expected");
                struct buf expected = { 0 };
                device_scene_init(&scene, json_get(root, "objects"), &gates);
                const struct resource_claim *claims[] = { &scene.claims[0] };
                const char *got = device_scene_result(&scene, json_get(root, "node"), claims, 1, 0);
                if (*cases[i].expected == '?')
                        buf_printf(&expected, "?");
                else
                        json_write(want, &expected);
                if (strcmp(got, expected.data) != 0)
                        fail_msg("%s: %s, not %s", cases[i].what, got, expected.data);
                device_scene_release(&scene);
                buf_release(&expected);
                json_doc_free(doc);
                free(text);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_results) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
