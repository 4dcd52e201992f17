/* Custom resources: from the definition to objects that are pruned, defaulted and validated. */
#include "fake_server.h"

#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define LONG                                                                                       \
        "a234567890b234567890c234567890d234567890e234567890f234567890g234567890h234567890i2345678" \
        "90"
#define WIDGETS "/apis/x.example/v1/namespaces/default/widgets"

static const char definition[] =
        "{\"metadata\":{\"name\":\"widgets.x.example\"},\"spec\":{\"group\":\"x.example\","
        "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"singular\":\"widget\","
        "\"kind\":\"Widget\",\"shortNames\":[\"wd\"]},\"versions\":[{\"name\":\"v1\",\"served\":"
        "true,\"storage\":true,\"subresources\":{\"status\":{},\"scale\":{\"specReplicasPath\":"
        "\".spec.count\",\"statusReplicasPath\":\".status.count\"}},\"additionalPrinterColumns\":[{"
        "\"name\":\"Size\",\"type\":\"integer\",\"jsonPath\":\".spec.size\"}],\"schema\":{"
        "\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\","
        "\"required\":[\"size\"],\"properties\":{\"size\":{\"type\":\"integer\",\"minimum\":1,"
        "\"default\":2},\"count\":{\"type\":\"integer\"},\"color\":{\"type\":\"string\",\"enum\":["
        "\"red\",\"blue\"]},\"code\":{\"type\":\"string\",\"pattern\":\"^[a-z]+$\",\"maxLength\":"
        "5},\"tags\":{\"type\":\"array\",\"maxItems\":2,\"items\":{\"type\":\"string\"}},\"any\":{"
        "\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true},\"map\":{\"type\":"
        "\"object\",\"additionalProperties\":{\"type\":\"integer\"}},\"port\":{"
        "\"x-kubernetes-int-or-string\":true}}},\"status\":{\"type\":\"object\","
        "\"x-kubernetes-preserve-unknown-fields\":true}}}}}]}}";

static struct fixture widgets_new(void) {
        struct fixture f = fixture_new();

        assert_int_equal(ask(&f, "POST", DEFINITIONS, definition), 201);
        virtual_loop_run(f.fake);
        return f;
}

static void test_definition(void **state) {
        struct fixture f = widgets_new();

        (void)state;
        ask(&f, "GET", DEFINITIONS "/widgets.x.example", NULL);
        assert_string_equal(answer(&f, "/status/conditions/1/type"), "Established");
        assert_string_equal(answer(&f, "/status/storedVersions"), "[\"v1\"]");
        assert_int_equal(ask(&f, "GET", "/apis/x.example/v1", NULL), 200);
        assert_string_equal(answer(&f, "/resources/0/kind"), "Widget");
        assert_int_equal(ask(&f, "GET", WIDGETS, NULL), 200);
        assert_string_equal(answer(&f, "/kind"), "WidgetList");
        assert_int_equal(ask(&f, "POST", WIDGETS, "{\"metadata\":{\"name\":\"w\"},\"spec\":{}}"),
                         201);
        assert_int_equal(ask(&f, "DELETE", DEFINITIONS "/widgets.x.example", NULL), 200);
        assert_int_equal(ask(&f, "GET", WIDGETS, NULL), 404);
        virtual_loop_run(f.fake);
        assert_int_equal(ask(&f, "POST", DEFINITIONS, definition), 201);
        assert_int_equal(ask(&f, "GET", WIDGETS "/w", NULL), 404); /* went with its definition */
        fixture_free(&f); /* with a deferred call under way */
}

/* More definitions than any cluster has kinds of its own. */
static void test_many_definitions(void **state) {
        struct fixture f = fixture_new();
        char body[1024], path[128];
        int i;

        (void)state;
        for (i = 0; i < 600; i++) {
                snprintf(body, sizeof(body),
                         "{\"metadata\":{\"name\":\"w%d.x.example\"},\"spec\":{\"group\":"
                         "\"x.example\",\"scope\":\"Cluster\",\"names\":{\"plural\":\"w%d\","
                         "\"kind\":\"W%d\"},\"versions\":[{\"name\":\"v1\",\"served\":true,"
                         "\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"
                         "\"object\"}}}]}}",
                         i, i, i);
                assert_int_equal(ask(&f, "POST", DEFINITIONS, body), 201);
        }
        virtual_loop_run(f.fake);
        snprintf(path, sizeof(path), "/apis/x.example/v1/w%d", i - 1);
        assert_int_equal(ask(&f, "POST", path, "{\"metadata\":{\"name\":\"a\"}}"), 201);
        assert_int_equal(ask(&f, "GET", "/apis/x.example/v1", NULL), 200);
        snprintf(path, sizeof(path), "/resources/%d/kind", i - 1);
        assert_string_equal(answer(&f, path), "W0");
        fixture_free(&f);
}

/* A write that changes no version leaves them as they are; conditions that a client removed come
 * back. */
static void test_definition_again(void **state) {
        struct fixture f = widgets_new();

        (void)state;
        assert_int_equal(ask_patch(&f, MERGE_PATCH, DEFINITIONS "/widgets.x.example/status",
                                   "{\"status\":{\"conditions\":null}}"),
                         200);
        virtual_loop_run(f.fake);
        ask(&f, "GET", DEFINITIONS "/widgets.x.example", NULL);
        assert_string_equal(answer(&f, "/status/conditions/1/type"), "Established");
        assert_int_equal(ask_patch(&f, MERGE_PATCH, DEFINITIONS "/widgets.x.example",
                                   "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"),
                         200);
        assert_int_equal(ask(&f, "GET", WIDGETS, NULL), 200);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, DEFINITIONS "/widgets.x.example",
                                   "{\"spec\":{\"names\":{\"kind\":\"Gadget\"}}}"),
                         422); /* established */
        assert_int_equal(ask(&f, "GET", WIDGETS, NULL), 200);
        fixture_free(&f);
}

static void test_objects(void **state) {
        struct fixture f = widgets_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", WIDGETS,
                             "{\"metadata\":{\"name\":\"w\"},\"spec\":{\"junk\":1,\"any\":{\"x\":"
                             "1},\"map\":{\"y\":2},\"port\":\"http\"},\"status\":{\"z\":1}}"),
                         201);
        assert_string_equal(answer(&f, "/spec/size"), "2");
        assert_string_equal(answer(&f, "/spec/junk"), "");
        assert_string_equal(answer(&f, "/spec/any/x"), "1");
        assert_string_equal(answer(&f, "/spec/map/y"), "2");
        assert_string_equal(answer(&f, "/status"), "");
        assert_string_equal(answer(&f, "/metadata/generation"), "1");
        assert_int_equal(ask(&f, "POST", WIDGETS "?fieldValidation=Strict",
                             "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"junk\":1}}"),
                         400);
        assert_int_equal(ask(&f, "POST", WIDGETS,
                             "{\"apiVersion\":\"x.example/v1\",\"kind\":\"Gadget\","
                             "\"metadata\":{\"name\":\"g\"}}"),
                         422);
        assert_string_equal(
                answer(&f, "/message"),
                "Gadget.x.example \"g\" is invalid: kind: Invalid value: \"Gadget\": must "
                "be Widget");
        assert_int_equal(ask_patch(&f, MERGE_PATCH, WIDGETS "/w", "{\"spec\":{\"size\":7}}"), 200);
        assert_string_equal(answer(&f, "/metadata/generation"), "2");
        assert_int_equal(ask_patch(&f, MERGE_PATCH, WIDGETS "/w/status",
                                   "{\"spec\":{\"size\":9},\"status\":{\"count\":3}}"),
                         200);
        assert_string_equal(answer(&f, "/spec/size"), "7");
        assert_int_equal(ask_patch(&f, STRATEGIC_PATCH, WIDGETS "/w", "{}"), 415);
        assert_int_equal(
                ask_patch(&f, MERGE_PATCH, WIDGETS "/w/scale", "{\"spec\":{\"replicas\":4}}"), 200);
        assert_string_equal(answer(&f, "/status/replicas"), "3");
        ask(&f, "GET", WIDGETS "/w", NULL);
        assert_string_equal(answer(&f, "/spec/count"), "4");
        assert_int_equal(ask(&f, "GET", WIDGETS, NULL), 200);
        assert_non_null(strstr(f.text, ",\"continue\":\"\"},"));
        assert_int_equal(ask_as(&f, "GET", WIDGETS, NULL,
                                "application/json;as=Table;v=v1;g=meta.k8s.io", NULL),
                         200);
        assert_null(strstr(f.text, "\"continue\""));
        assert_string_equal(answer(&f, "/rows/0/cells"), "[\"w\",7]");
        fixture_free(&f);
}

static void test_validation(void **state) {
        static const struct {
                const char *spec, *message; /* part of it; NULL = accepted */
        } cases[] = {
                { "{\"size\":1}", NULL },
                { "{\"size\":0}", "spec.size in body should be greater than or equal to 1" },
                { "{\"size\":\"x\"}", "must be of type integer: \"string\"" },
                { "{\"color\":\"green\"}", "supported values: \"red\", \"blue\"" },
                { "{\"code\":\"A\"}", "should match '^[a-z]+$'" },
                { "{\"code\":\"abcdef\"}", "may not be more than 5 bytes" },
                { "{\"tags\":[\"a\",\"b\",\"c\"]}", "must have at most 2 items" },
                { "{\"tags\":[1]}", "spec.tags[0]" },
                { "{\"map\":{\"a\":\"b\"}}", "spec.map.a" },
                { "{\"port\":80}", NULL },
                { "{\"port\":true}", "spec.port" },
        };
        struct fixture f = widgets_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                char body[256];
                int status;

                snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"w%zu\"},\"spec\":%s}", i,
                         cases[i].spec);
                status = ask(&f, "POST", WIDGETS, body);
                if (status != (cases[i].message ? 422 : 201) ||
                    (cases[i].message && !strstr(answer(&f, "/message"), cases[i].message)))
                        fail_msg("%s: %d %s", cases[i].spec, status, f.text);
        }
        fixture_free(&f);
}

/* A definition that is replaced at one place is refused, and what it says is in the message. */
static void test_bad_definitions(void **state) {
        static const struct {
                const char *from, *to, *message;
        } cases[] = {
                { "widgets.x.example", "gadgets.x.example",
                  "metadata.name: Invalid value: \"gadgets.x.example\"" },
                { "\"group\":\"x.example\"", "\"group\":\"example\"",
                  "should be a domain with at least one dot" },
                { "\"scope\":\"Namespaced\"", "\"scope\":\"Here\"", "spec.scope: Unsupported" },
                { "\"plural\":\"widgets\"", "\"plural\":\"Widgets\"",
                  "spec.names.plural: Invalid" },
                { "\"kind\":\"Widget\"", "\"kind\":\"\"", "spec.names.kind: Required value" },
                { "\"kind\":\"Widget\"", "\"kind\":\"A" LONG LONG LONG LONG "\"",
                  "spec.names.listKind: Invalid value: \"Aa23456" },
                { "\"shortNames\":[\"wd\"]", "\"shortNames\":[\"W\"]",
                  "spec.names.shortNames[0]: Invalid value" },
                { "\"name\":\"v1\"", "\"name\":\"v1." LONG "\"", "spec.versions[0].name: Invalid" },
                { "\"storage\":true", "\"storage\":false", "exactly one version" },
                { "\"openAPIV3Schema\":{\"type\":\"object\",", "\"openAPIV3Schema\":{",
                  "openAPIV3Schema.type: Required value" },
                { "\"schema\":", "\"nothing\":", "openAPIV3Schema: Required value" },
        };
        struct fixture f = fixture_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const char *at = strstr(definition, cases[i].from);
                struct buf body = { 0 };

                assert_non_null(at);
                buf_append(&body, definition, (size_t)(at - definition));
                buf_text(&body, cases[i].to);
                buf_text(&body, at + strlen(cases[i].from));
                if (ask(&f, "POST", DEFINITIONS, body.data) != 422 ||
                    !strstr(answer(&f, "/message"), cases[i].message))
                        fail_msg("%s: %s", cases[i].to, f.text);
                buf_release(&body);
        }
        assert_int_equal(ask(&f, "POST", DEFINITIONS, definition), 201);
        assert_string_equal(answer(&f, "/spec/names/listKind"), "WidgetList");
        assert_string_equal(answer(&f, "/spec/conversion/strategy"), "None");
        fixture_free(&f);
}

/* ---- values by their schema ---- */

#define JUDGED                                                                                     \
        "{\"metadata\":{\"name\":\"judged.x.example\"},\"spec\":{\"group\":\"x.example\","         \
        "\"scope\":"                                                                               \
        "\"Namespaced\",\"names\":{\"plural\":\"judged\",\"kind\":\"Judged\"},\"versions\":[{"     \
        "\"name\":"                                                                                \
        "\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"       \
        "\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{\"mode\":{"      \
        "\"type\":"                                                                                \
        "\"string\",\"enum\":[\"a\",\"b\"],\"maxLength\":3,\"pattern\":\"^a\"},\"n\":{\"type\":"   \
        "\"integer\",\"minimum\":3,\"multipleOf\":2,\"maximum\":4,\"enum\":[5]},\"l\":{\"type\":"  \
        "\"array\",\"minItems\":1,\"maxItems\":1,\"items\":{\"type\":\"string\",\"enum\":[\"x\"]}" \
        "},"                                                                                       \
        "\"o\":{\"type\":\"object\",\"minProperties\":1,\"maxProperties\":1,\"required\":[\"q\"]," \
        "\"additionalProperties\":{\"type\":\"integer\"}},\"d\":{\"type\":\"string\",\"format\":"  \
        "\"date-time\"}}}}}}}]}}"

/* All that upstream's validators say, in their order: each looks at what the value is. */
static void test_judgements(void **state) {
        static const struct {
                const char *spec, *complaints;
        } cases[] = {
                { "{\"mode\":1}",
                  "[spec.mode: Invalid value: \"integer\": spec.mode in body must be of type "
                  "string: "
                  "\"integer\", spec.mode: Unsupported value: 1: supported values: \"a\", \"b\"]" },
                { "{\"mode\":\"long\"}",
                  "[spec.mode: Too long: may not be more than 3 bytes, spec.mode: Unsupported "
                  "value: \"long\": supported values: \"a\", \"b\"]" },
                { "{\"n\":1.5}",
                  "[spec.n: Invalid value: \"number\": spec.n in body must be of type integer: "
                  "\"number\", <nil>: Invalid value: \"\": Checked value must be of type integer "
                  "(default format) in spec.n, spec.n: Invalid value: 1.5: spec.n in body should "
                  "be "
                  "a multiple of 2, spec.n: Invalid value: 1.5: spec.n in body should be greater "
                  "than or equal to 3, spec.n: Unsupported value: 1.5: supported values: \"5\"]" },
                { "{\"l\":[1,\"y\"]}", "[spec.l[0]: Invalid value: \"integer\": spec.l[0] in body "
                                       "must be of type string: "
                                       "\"integer\", spec.l[0]: Unsupported value: 1: supported "
                                       "values: \"x\", spec.l[1]: "
                                       "Unsupported value: \"y\": supported values: \"x\", spec.l: "
                                       "Too many: 2: must have "
                                       "at most 1 item]" },
                { "{\"l\":[]}",
                  "spec.l: Invalid value: 0: spec.l in body should have at least 1 items" },
                { "{\"o\":{}}",
                  "[spec.o: Invalid value: 0: spec.o in body should have at least 1 properties, "
                  "spec.o.q: Required value]" },
                { "{\"o\":{\"a\":1,\"b\":\"y\"}}",
                  "[spec.o: Too many: 2: must have at most 1 item, spec.o.b: Invalid value: "
                  "\"string\": spec.o.b in body must be of type integer: \"string\", spec.o.q: "
                  "Required value]" },
                { "{\"d\":3}",
                  "spec.d: Invalid value: \"int64\": spec.d in body must be of type date-time: "
                  "\"int64\"" },
        };
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", DEFINITIONS, JUDGED), 201);
        virtual_loop_run(f.fake);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct buf body = { 0 }, message = { 0 };

                buf_printf(&body, "{\"metadata\":{\"name\":\"j\"},\"spec\":%s}", cases[i].spec);
                buf_printf(&message, "Judged.x.example \"j\" is invalid: %s", cases[i].complaints);
                assert_int_equal(
                        ask(&f, "POST", "/apis/x.example/v1/namespaces/default/judged", body.data),
                        422);
                assert_string_equal(answer(&f, "/message"), message.data);
                buf_release(&body);
                buf_release(&message);
        }
        fixture_free(&f);
}

/* ---- rules ---- */

#define GADGETS "/apis/x.example/v1/namespaces/default/gadgets"

/* A definition whose rules are put in for the marks S (of spec), N (of spec.name), L (of
 * spec.list's elements) and A (of an atomic list's elements); single quotes stand for double ones.
 */
static const char gadget_definition[] =
        "{'metadata':{'name':'gadgets.x.example'},'spec':{'group':'x.example','scope':'Namespaced',"
        "'names':{'plural':'gadgets','kind':'Gadget'},'versions':[{'name':'v1','served':true,"
        "'storage':true,'subresources':{'status':{}},'schema':{'openAPIV3Schema':{'type':'object',"
        "'properties':{'spec':{'type':'object'S,'properties':{'name':{'type':'string'N},"
        "'min':{'type':'integer'},'max':{'type':'integer'},'list':{'type':'array',"
        "'x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['id'],'items':{'type':"
        "'object'L,'required':['id'],'properties':{'id':{'type':'string'},'size':{'type':"
        "'integer'}}}},'atomic':{'type':'array','items':{'type':'object'A,'properties':{'id':"
        "{'type':'string'}}}}}}}}}}]}}";

/* The definition with `rules` (the inside of the array) at a mark; "" for a mark leaves it out. */
static void define(struct buf *out, char mark, const char *rules) {
        for (const char *at = gadget_definition; *at; at++) {
                if (strchr("SNLA", *at) && at[-1] == '\'' && strchr(",}", at[1])) {
                        if (*at == mark)
                                buf_printf(out, ",\"x-kubernetes-validations\":[%s]", rules);
                        continue;
                }
                buf_char(out, *at == '\'' ? '"' : *at);
        }
}

static struct fixture gadgets_new(char mark, const char *rules, int status) {
        struct fixture f = fixture_new();
        struct buf text = { 0 };

        define(&text, mark, rules);
        if (ask(&f, "POST", DEFINITIONS, text.data) != status)
                fail_msg("%s: %s", rules, f.text);
        buf_release(&text);
        virtual_loop_run(f.fake);
        return f;
}

/* What is created, then what it is changed to; the message of the refusal, NULL = all is taken. */
static const struct {
        char mark;
        const char *rules, *first, *second, *message;
} rule_cases[] = {
        { 'S', "{\"rule\":\"self.min <= self.max\",\"message\":\"min above max\"}",
          "{\"min\":1,\"max\":2}", NULL, NULL },
        { 'S', "{\"rule\":\"self.min <= self.max\",\"message\":\"min above max\"}",
          "{\"min\":3,\"max\":2}", NULL, " spec: Invalid value: min above max" },
        { 'S', "{\"rule\":\"self.min <= self.max\"}", "{\"min\":3,\"max\":2}", NULL,
          " spec: Invalid value: failed rule: self.min <= self.max" },
        { 'S', "{\"rule\":\"self.min <= self.max\"}", "{\"min\":3}", NULL,
          " spec: Invalid value: \"object\": no such key: max evaluating rule: self.min <= "
          "self.max" },
        { 'S',
          "{\"rule\":\"self.min <= self.max\",\"messageExpression\":\"'min is %d'.format(["
          "self.min])\",\"message\":\"unused\"}",
          "{\"min\":3,\"max\":2}", NULL, " spec: Invalid value: min is 3" },
        { 'S',
          "{\"rule\":\"self.min <= self.max\",\"messageExpression\":\"self.name\","
          "\"message\":\"fallback\"}",
          "{\"min\":3,\"max\":2}", NULL, " spec: Invalid value: fallback" },
        { 'S',
          "{\"rule\":\"has(self.max)\",\"reason\":\"FieldValueRequired\",\"fieldPath\":"
          "\".max\",\"message\":\"say how many\"}",
          "{}", NULL, " spec.max: Required value: say how many" },
        { 'S',
          "{\"rule\":\"!has(self.max)\",\"reason\":\"FieldValueForbidden\",\"message\":"
          "\"no\"}",
          "{\"max\":1}", NULL, " spec: Forbidden: no" },
        { 'N', "{\"rule\":\"self.startsWith('a')\",\"message\":\"begin with a\"}",
          "{\"name\":\"b\"}", NULL, " spec.name: Invalid value: \"b\": begin with a" },
        { 'N', "{\"rule\":\"self.startsWith('a')\"}", "{}", NULL, NULL },
        /* Rules that compare with what was: on update, and only where there was something.
         */
        { 'N', "{\"rule\":\"self == oldSelf\",\"message\":\"is fixed\"}", "{\"name\":\"b\"}",
          "{\"name\":\"c\"}", " spec.name: Invalid value: \"c\": is fixed" },
        { 'N', "{\"rule\":\"self == oldSelf\",\"message\":\"is fixed\"}", "{}", "{\"name\":\"c\"}",
          NULL },
        { 'N', "{\"rule\":\"oldSelf.hasValue() || self == 'first'\",\"optionalOldSelf\":true}",
          "{\"name\":\"second\"}", NULL, " spec.name: Invalid value: \"second\": failed rule" },
        { 'L', "{\"rule\":\"self.size >= oldSelf.size\",\"message\":\"only grows\"}",
          "{\"list\":[{\"id\":\"a\",\"size\":2},{\"id\":\"b\",\"size\":5}]}",
          "{\"list\":[{\"id\":\"b\",\"size\":5},{\"id\":\"a\",\"size\":1}]}",
          " spec.list[1]: Invalid value: only grows" },
        { 'L', "{\"rule\":\"self.size >= oldSelf.size\",\"message\":\"only grows\"}",
          "{\"list\":[{\"id\":\"a\",\"size\":2}]}",
          "{\"list\":[{\"id\":\"c\",\"size\":0},{\"id\":\"a\",\"size\":2}]}", NULL },
        { 'L', "{\"rule\":\"true\"}",
          "{\"list\":[{\"id\":\"a\",\"size\":2},{\"id\":\"b\"},{\"id\":\"a\"}]}", NULL,
          " spec.list[2]: Duplicate value: {\"id\":\"a\"}" },
        { 'A', "{\"rule\":\"self.id != ''\",\"message\":\"name it\"}",
          "{\"atomic\":[{\"id\":\"a\"},{\"id\":\"\"}]}", NULL,
          " spec.atomic[1]: Invalid value: name it" },
        /* What the schema refuses is not shown to rules. */
        { 'S', "{\"rule\":\"self.min <= self.max\"}", "{\"min\":\"x\",\"max\":2}", NULL,
          "some validation rules were not checked because the object was invalid" },
        { 'S', "{\"rule\":\"self.name.all(c, true)\",\"message\":\"x\"},{\"rule\":\"true\"}", NULL,
          NULL, NULL },
        { 'S',
          "{\"rule\":\"[0,1,2,3,4,5,6,7,8,9].all(a,[0,1,2,3,4,5,6,7,8,9].all(b,[0,1,2,3,4,"
          "5,6,7,8,9].all(c,[0,1,2,3,4,5,6,7,8,9].all(d,[0,1,2,3,4,5,6,7,8,9].all(e,"
          "a+b+c+d+e>=0)))))\",\"message\":\"long\"}",
          "{\"min\":1}", NULL,
          "no further validation rules will be run due to call cost exceeds limit for "
          "rule: "
          "long" },
};

static void test_rules(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(rule_cases); i++) {
                struct fixture f = gadgets_new(rule_cases[i].mark, rule_cases[i].rules,
                                               rule_cases[i].first ? 201 : 422);
                char body[512];
                int status = 201;

                for (int round = 0; rule_cases[i].first && round < 1 + !!rule_cases[i].second;
                     round++) {
                        snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"g\"},\"spec\":%s}",
                                 round ? rule_cases[i].second : rule_cases[i].first);
                        status = round ? ask_patch(&f, MERGE_PATCH, GADGETS "/g", body)
                                       : ask(&f, "POST", GADGETS, body);
                }
                if (rule_cases[i].first &&
                    ((status == 422) != !!rule_cases[i].message ||
                     (rule_cases[i].message &&
                      !strstr(answer(&f, "/message"), rule_cases[i].message))))
                        fail_msg("%zu %s: %d %s", i, rule_cases[i].rules, status, f.text);
                fixture_free(&f);
        }
}

/* What was wrong before its rule came may stay, as long as it is not touched. */
static void test_ratcheting(void **state) {
        struct fixture f = gadgets_new('S', "{\"rule\":\"true\"}", 201);
        struct buf text = { 0 };

        (void)state;
        assert_int_equal(ask(&f, "POST", GADGETS,
                             "{\"metadata\":{\"name\":\"g\"},\"spec\":{\"name\":\"b\"}}"),
                         201);
        buf_text(&text, "{\"spec\":");
        define(&text, 'N', "{\"rule\":\"self == 'a'\"}");
        assert_int_equal(ask_patch(&f, MERGE_PATCH, DEFINITIONS "/gadgets.x.example",
                                   text.data + strlen("{\"spec\":")),
                         200);
        virtual_loop_run(f.fake);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, GADGETS "/g", "{\"spec\":{\"min\":1}}"), 200);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, GADGETS "/g", "{\"spec\":{\"name\":\"c\"}}"),
                         422);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, GADGETS "/g", "{\"spec\":{\"name\":\"a\"}}"),
                         200);
        buf_release(&text);
        fixture_free(&f);
}

#define SPROCKETS "/apis/y.example/v1/namespaces/default/sprockets"
#define SPROCKET_VERSIONS(number, list)                                                            \
        "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"             \
        "\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\","  \
        "\"properties\":{\"count\":{\"type\":\"integer\"" number "},\"other\":{\"type\":"          \
        "\"integer\"" number "},\"list\":{\"type\":\"array\"" list                                 \
        ",\"items\":{\"type\":\"object\",\"required\":[\"id\"],\"properties\":{\"id\":{\"type\":"  \
        "\"string\"},\"size\":{\"type\":\"integer\"" number "}}}}}}}}}}]"
#define BY_ID ",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"id\"]"

/* What the schema refuses by now may stay where nothing changes; elements are found by their keys.
 */
static void test_schema_ratcheting(void **state) {
        static const struct {
                const char *spec;
                int status;
        } updates[] = {
                { "{\"other\":1}", 200 },
                { "{\"count\":8}", 422 },
                { "{\"other\":9}", 422 },
                { "{\"list\":[{\"id\":\"b\"},{\"id\":\"a\",\"size\":9}]}", 200 },
                { "{\"list\":[{\"id\":\"c\",\"size\":9}]}", 422 },
                { "{\"list\":[{\"id\":\"c\"},{\"id\":\"c\"}]}", 422 },
                { "{\"count\":2}", 200 },
                { "{\"count\":9}", 422 },
        };
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(
                ask(&f, "POST", DEFINITIONS,
                    "{\"metadata\":{\"name\":\"sprockets.y.example\"},\"spec\":{\"group\":"
                    "\"y.example\",\"scope\":\"Namespaced\",\"names\":{\"plural\":\"sprockets\","
                    "\"singular\":\"sprocket\",\"kind\":\"Sprocket\"}," SPROCKET_VERSIONS(
                            "", BY_ID) "}}"),
                201);
        virtual_loop_run(f.fake);
        assert_int_equal(ask(&f, "POST", SPROCKETS,
                             "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"count\":9,\"list\":[{"
                             "\"id\":\"a\",\"size\":9}]}}"),
                         201);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, DEFINITIONS "/sprockets.y.example",
                                   "{\"spec\":{" SPROCKET_VERSIONS(",\"maximum\":5", BY_ID) "}}"),
                         200);
        virtual_loop_run(f.fake);
        for (size_t i = 0; i < ARRAY_LEN(updates); i++) {
                char body[256];

                snprintf(body, sizeof(body), "{\"spec\":%s}", updates[i].spec);
                int status = ask_patch(&f, MERGE_PATCH, SPROCKETS "/s", body);
                if (status != updates[i].status)
                        fail_msg("update %zu: %d %s", i, status, f.text);
        }
        fixture_free(&f);
}

/* Definitions whose rules are refused, with a part of the message; NULL = taken. */
static void test_bad_rules(void **state) {
        static const struct {
                char mark;
                const char *rules, *message;
        } cases[] = {
                { 'S', "{\"rule\":\"self.nope == 1\"}",
                  "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0]."
                  "rule: Invalid value: {\"Rule\":\"self.nope == 1\",\"Message\":\"\","
                  "\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\","
                  "\"OptionalOldSelf\":null}: compilation failed: "
                  "ERROR: <input>:1:5: undefined field 'nope'\n | self.nope == 1\n | ....^" },
                { 'S', "{\"rule\":\"true\"},{\"rule\":\"1 +\"}",
                  "x-kubernetes-validations[1].rule: Invalid value: " },
                { 'S', "{\"rule\":\"self.min\"}", "cel expression must evaluate to a bool" },
                { 'S', "{\"rule\":\" \"}", "rule: Required value: rule is not specified" },
                { 'S', "{\"rule\":\"true\",\"message\":\" \"}", "must be non-empty if specified" },
                { 'S', "{\"rule\":\"true\",\"message\":\"a\\nb\"}",
                  "must not contain line breaks" },
                { 'S', "{\"rule\":\"true &&\\n true\"}",
                  "message must be specified if rule contains line breaks" },
                { 'S', "{\"rule\":\"true\",\"reason\":\"Other\"}", "reason: Unsupported value" },
                { 'S', "{\"rule\":\"true\",\"fieldPath\":\".nope\"}", "must be a valid path" },
                { 'S', "{\"rule\":\"true\",\"fieldPath\":\".name\"}", NULL },
                { 'S', "{\"rule\":\"true\",\"fieldPath\":\"['name']\"}", NULL },
                { 'S', "{\"rule\":\"true\",\"messageExpression\":\"1\"}",
                  "messageExpression: Invalid value: " },
                { 'S', "{\"rule\":\"true\",\"messageExpression\":\"self.nope\"}",
                  "undefined field 'nope'" },
                { 'S', "{\"rule\":\"true\",\"optionalOldSelf\":true}",
                  "may not be set if oldSelf is not used in rule" },
                { 'L', "{\"rule\":\"self.size > oldSelf.size\"}", NULL },
                { 'A', "{\"rule\":\"self.id == oldSelf.id\"}",
                  "oldSelf cannot be used on the uncorrelatable portion of the schema within" },
                { 'A', "{\"rule\":\"self.id != ''\"}", NULL },
                { 'N', "{\"rule\":\"self.matches('(')\"}", "1:14: invalid matches argument" },
                { 'N', "{\"rule\":\"isIP(self)\"}", NULL }, /* taken, and not applied */
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct fixture f =
                        gadgets_new(cases[i].mark, cases[i].rules, cases[i].message ? 422 : 201);

                if (cases[i].message && !strstr(answer(&f, "/message"), cases[i].message))
                        fail_msg("%s: %s", cases[i].rules, answer(&f, "/message"));
                fixture_free(&f);
        }
}

#define HOLDERS "/apis/x.example/v1/namespaces/default/holders"
#define EMBEDDED                                                                                   \
        "\"type\":\"object\",\"x-kubernetes-embedded-resource\":true,"                             \
        "\"x-kubernetes-preserve-unknown-fields\":true"

static const char holders[] =
        "{\"metadata\":{\"name\":\"holders.x.example\"},\"spec\":{\"group\":\"x.example\","
        "\"scope\":"
        "\"Namespaced\",\"names\":{\"plural\":\"holders\",\"kind\":\"Holder\"},\"versions\":[{"
        "\"name\":"
        "\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"
        "\"object\","
        "\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{\"one\":{" EMBEDDED
        "},\"map\":{\"type\":\"object\",\"additionalProperties\":{" EMBEDDED
        "}},\"list\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
        "\"x-kubernetes-embedded-resource\":true,\"properties\":{\"a\":{\"type\":\"string\"}}}},"
        "\"limits\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"},"
        "\"x-kubernetes-validations\":[{\"rule\":\"self.all(k, self[k] < 5)\",\"fieldPath\":"
        "\".cpu\"}]}}}}}}}]}}";

/* Objects inside of objects say what they are, and have metadata like all others. */
static void test_embedded(void **state) {
        static const struct {
                const char *query, *spec;
                int status;
                const char *message; /* a part of it */
        } cases[] = {
                { "", "{\"one\":{}}", 422,
                  "[spec.one.apiVersion: Required value, spec.one.kind: Required value, " },
                { "", "{\"one\":{\"apiVersion\":\"a/b/c\",\"kind\":\"x y\"}}", 422,
                  "spec.one.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string" },
                { "", "{\"one\":{\"apiVersion\":1,\"kind\":\"K\"}}", 400,
                  "cannot be handled as a Holder: spec.one.apiVersion: Invalid value: 1: must be a "
                  "string" },
                { "", "{\"map\":{\"k\":{\"kind\":\"K\",\"metadata\":1}}}", 400,
                  "spec.map[k].metadata: Invalid value: 1: json: cannot unmarshal number into Go "
                  "value of type v1.ObjectMeta" },
                { "",
                  "{\"list\":[{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"a/b\","
                  "\"namespace\":\"n\",\"labels\":{\"-\":\"x\"}}}]}",
                  422,
                  "[spec.list[0].metadata.name: Invalid value: \"a/b\": may not contain '/', " },
                { "?fieldValidation=Strict",
                  "{\"one\":{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"junk\":1}}}", 400,
                  "strict decoding error: unknown field \"spec.one.metadata.junk\"" },
                { "", "{\"limits\":{\"cpu\":7}}", 422, "spec.limits.[cpu]: Invalid value: " },
                { "",
                  "{\"one\":{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"n\","
                  "\"junk\":1,\"creationTimestamp\":null}}}",
                  201, "" },
        };
        struct fixture f = fixture_new();
        char path[128], body[512];

        (void)state;
        assert_int_equal(ask(&f, "POST", DEFINITIONS, holders), 201);
        virtual_loop_run(f.fake);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                snprintf(path, sizeof(path), HOLDERS "%s", cases[i].query);
                snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"h\"},\"spec\":%s}",
                         cases[i].spec);
                int status = ask(&f, "POST", path, body);
                if (status != cases[i].status || !strstr(answer(&f, "/message"), cases[i].message))
                        fail_msg("case %zu: %d %s", i, status, f.text);
        }
        assert_string_equal(answer(&f, "/spec/one/metadata"), "{\"name\":\"n\"}");
        assert_int_equal(ask_patch(&f, MERGE_PATCH, HOLDERS "/h",
                                   "{\"spec\":{\"one\":{\"metadata\":{\"labels\":{\"a\":1}}}}}"),
                         422);
        assert_non_null(strstr(f.text, "spec.one.metadata: Invalid value: "));
        fixture_free(&f);
}

/* What definitions do not serve is refused in words of their own. */
static void test_paths(void **state) {
        static const struct {
                const char *method, *path, *body;
                int status;
                const char *message; /* a part of the answer */
        } cases[] = {
                { "GET", WIDGETS "/w/other", NULL, 404, "widgets.x.example \\\"w\\\" not found" },
                { "POST", WIDGETS "/w/status", "{}", 405,
                  "create is not supported on resources of kind \\\"widgets.x.example\\\"" },
                { "DELETE", WIDGETS "/w/scale", NULL, 405, "\"details\":{\"group\":\"x.example\"" },
                { "PUT", WIDGETS, "{}", 400, "name must be provided" },
                { "POST", WIDGETS "/any", "{\"metadata\":{\"name\":\"v\"},\"spec\":{}}", 201,
                  "\"name\":\"v\"" },
                { "DELETE", "/apis/x.example/v1/widgets", NULL, 404, "404 page not found" },
                { "GET", "/apis/x.example/v1/none", NULL, 404, "404 page not found" },
                { "GET", WIDGETS "/v/scale", NULL, 500,
                  "Internal error occurred: the spec replicas field \\\".spec.count\\\" does not "
                  "exist" },
                { "POST", WIDGETS "?dryRun=All&dryRun=", "{\"metadata\":{\"name\":\"x\"}}", 422,
                  "dryRun: Unsupported value: [\\\"All\\\",\\\"\\\"]: supported values: "
                  "\\\"All\\\"" },
        };
        struct fixture f = widgets_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                int status = ask(&f, cases[i].method, cases[i].path, cases[i].body);

                if (status != cases[i].status || !strstr(f.text, cases[i].message))
                        fail_msg("%s %s: %d %s", cases[i].method, cases[i].path, status, f.text);
        }
        assert_int_equal(ask_patch(&f, STRATEGIC_PATCH, WIDGETS "/none?dryRun=x", "{}"), 415);
        assert_int_equal(ask_as(&f, "GET", WIDGETS "/v", NULL,
                                "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
                                NULL),
                         500);
        fixture_free(&f);
}

/* The numbers of scales are looked at where they stand; a status is judged by its own schema. */
static void test_scale_numbers(void **state) {
        static const struct {
                const char *path, *patch, *message;
        } cases[] = {
                { "/w", "{\"spec\":{\"count\":-1}}",
                  ".spec.count: Invalid value: -1: should be a non-" },
                { "/w/status", "{\"status\":{\"count\":\"x\"}}",
                  ".status.count: Invalid value: 0: .status.count accessor error: x is of the type "
                  "string, expected int64" },
                { "/w/status", "{\"status\":[1,{\"b\":2}]}",
                  ".status.count accessor error: [1 map[]] is of the type []interface {}, "
                  "expected "
                  "map[string]interface{}" },
                { "/w/status", "{\"status\":1}",
                  "status: Invalid value: \\\"integer\\\":  in body must be of type object: " },
        };
        struct fixture f = widgets_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", WIDGETS, "{\"metadata\":{\"name\":\"w\"},\"spec\":{}}"),
                         201);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                char path[128];

                snprintf(path, sizeof(path), WIDGETS "%s", cases[i].path);
                int status = ask_patch(&f, MERGE_PATCH, path, cases[i].patch);
                if (status != 422 || !strstr(f.text, cases[i].message))
                        fail_msg("%s: %d %s", cases[i].patch, status, f.text);
        }
        fixture_free(&f);
}

/* Metadata has the types and members of all objects; elements of lists say what they are; cells
 * show what is of their column's type. */
static void test_own_metadata(void **state) {
        struct fixture f = widgets_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", WIDGETS,
                             "{\"metadata\":{\"name\":\"w\",\"labels\":{\"a\":1}},\"spec\":{}}"),
                         400);
        assert_non_null(strstr(f.text,
                               "Widget in version \\\"v1\\\" cannot be handled as a Widget: json: "
                               "cannot unmarshal number into Go struct field "
                               "ObjectMeta.labels of type string"));
        assert_int_equal(ask(&f, "POST", WIDGETS "?fieldValidation=Strict",
                             "{\"metadata\":{\"name\":\"w\",\"junk\":1},\"spec\":{\"junk\":1}}"),
                         400);
        assert_non_null(strstr(f.text, "unknown field \\\"metadata.junk\\\", unknown field "
                                       "\\\"spec.junk\\\""));
        assert_int_equal(ask(&f, "POST", WIDGETS, "{\"metadata\":{\"name\":\"w\"},\"spec\":{}}"),
                         201);
        assert_int_equal(
                ask_patch(&f, MERGE_PATCH, WIDGETS "/w", "{\"metadata\":{\"finalizers\":\"x\"}}"),
                422);
        assert_non_null(strstr(f.text, "cannot unmarshal string into Go struct field "
                                       "ObjectMeta.finalizers of type []string"));
        assert_int_equal(ask_patch(&f, MERGE_PATCH, WIDGETS "/w", "{\"apiVersion\":null}"), 500);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, WIDGETS "/w", "{\"kind\":null}"), 422);
        assert_non_null(strstr(f.text, "Object 'Kind' is missing in '{"));
        assert_int_equal(ask(&f, "GET", WIDGETS, NULL), 200);
        assert_string_equal(answer(&f, "/items/0/kind"), "Widget");
        assert_string_equal(answer(&f, "/items/0/apiVersion"), "x.example/v1");
        fixture_free(&f);
}

/* Finalizers without a domain are only warned of, those of an update when they are new. */
static void test_finalizers(void **state) {
        struct fixture f = widgets_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", WIDGETS,
                             "{\"metadata\":{\"name\":\"w\",\"finalizers\":[\"b.c\",\"a\",\"x/y\","
                             "\"orphan\",\"a\"]},\"spec\":{}}"),
                         201);
        assert_string_equal(f.warnings,
                            "299 - \"metadata.finalizers: \\\"a\\\": prefer a domain-qualified "
                            "finalizer name to avoid accidental conflicts with other finalizer "
                            "writers\", 299 - \"metadata.finalizers: \\\"b.c\\\": prefer a "
                            "domain-qualified finalizer name including a path (/) to avoid "
                            "accidental conflicts with other finalizer writers\"");
        assert_int_equal(ask_patch(&f, MERGE_PATCH, WIDGETS "/w",
                                   "{\"metadata\":{\"finalizers\":[\"a\",\"x/y\"]}}"),
                         200);
        assert_false(f.has_warning);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, WIDGETS "/w/status",
                                   "{\"metadata\":{\"uid\":\"x\"},\"status\":{\"a\":1}}"),
                         200);
        assert_string_not_equal(answer(&f, "/metadata/uid"), "x");
        assert_int_equal(
                ask_patch(&f, MERGE_PATCH, WIDGETS "/w", "{\"metadata\":{\"managedFields\":[]}}"),
                200);
        assert_string_not_equal(answer(&f, "/metadata/managedFields/0/manager"), "");
        fixture_free(&f);
}

/* Where anything may stand, maps are owned by their members; without a status apart, what is
 * written there is news. */
static void test_open_owners(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(
                ask(&f, "POST", DEFINITIONS,
                    "{\"metadata\":{\"name\":\"opens.x.example\"},\"spec\":{\"group\":\"x."
                    "example\","
                    "\"scope\":\"Cluster\",\"names\":{\"plural\":\"opens\",\"kind\":\"Open\"},"
                    "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
                    "\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"spec\":{"
                    "\"x-kubernetes-preserve-unknown-fields\":true},\"status\":{\"type\":"
                    "\"object\","
                    "\"x-kubernetes-preserve-unknown-fields\":true}}}}}]}}"),
                201);
        virtual_loop_run(f.fake);
        assert_int_equal(
                ask(&f, "POST", "/apis/x.example/v1/opens",
                    "{\"metadata\":{\"name\":\"o\"},\"spec\":{\"a\":{\"b\":1},\"l\":[{}]}}"),
                201);
        assert_string_equal(answer(&f, "/metadata/managedFields/0/fieldsV1/f:spec"),
                            "{\".\":{},\"f:a\":{\".\":{},\"f:b\":{}},\"f:l\":{}}");
        assert_int_equal(
                ask_patch(&f, MERGE_PATCH, "/apis/x.example/v1/opens/o", "{\"status\":{\"x\":1}}"),
                200);
        assert_string_equal(answer(&f, "/metadata/generation"), "2");
        fixture_free(&f);
}

/* Schemas that stand where there may be something else are read like others; an update warns of
 * formats that are new. */
static void test_written_schemas(void **state) {
        static const char written[] =
                "{\"metadata\":{\"name\":\"w.x.example\"},\"spec\":{\"group\":\"x.example\","
                "\"scope\":"
                "\"Cluster\",\"names\":{\"plural\":\"w\",\"kind\":\"W\"},\"versions\":[{\"name\":"
                "\"v1\","
                "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"
                "\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":"
                "\"string\","
                "\"format\":\"%s\",\"minLength\":null,\"title\":\"\",\"default\":null}}}}}}]}}";
        struct fixture f = fixture_new();
        char body[1024];

        (void)state;
        snprintf(body, sizeof(body), written, "x");
        assert_int_equal(ask(&f, "POST", DEFINITIONS, body), 201);
        assert_true(f.has_warning);
        assert_string_equal(
                answer(&f, "/spec/versions/0/schema/openAPIV3Schema/properties/a/items"),
                "{\"type\":\"string\",\"format\":\"x\"}");
        assert_int_equal(ask_as(&f, "PATCH", DEFINITIONS "/w.x.example", MERGE_PATCH, NULL,
                                "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"),
                         200);
        assert_false(f.has_warning);
        snprintf(body, sizeof(body), written, "y");
        assert_int_equal(ask_as(&f, "PATCH", DEFINITIONS "/w.x.example", MERGE_PATCH, NULL, body),
                         200);
        assert_true(f.has_warning);
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_definition),
                cmocka_unit_test(test_many_definitions),
                cmocka_unit_test(test_definition_again),
                cmocka_unit_test(test_objects),
                cmocka_unit_test(test_validation),
                cmocka_unit_test(test_bad_definitions),
                cmocka_unit_test(test_judgements),
                cmocka_unit_test(test_rules),
                cmocka_unit_test(test_ratcheting),
                cmocka_unit_test(test_schema_ratcheting),
                cmocka_unit_test(test_bad_rules),
                cmocka_unit_test(test_embedded),
                cmocka_unit_test(test_paths),
                cmocka_unit_test(test_scale_numbers),
                cmocka_unit_test(test_finalizers),
                cmocka_unit_test(test_open_owners),
                cmocka_unit_test(test_own_metadata),
                cmocka_unit_test(test_written_schemas),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
