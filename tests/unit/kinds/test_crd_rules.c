/* Validation of CustomResourceDefinitions: one change to a valid definition for each rule. Single
 * quotes stand for double ones. */
#include "kind_test.h"

/* A definition whose parts can be replaced. */
static const struct {
        const char *name, *usual;
} parts[] = {
        { "GROUP", "x.example" },
        { "SCOPE", "Namespaced" },
        { "NAMES",
          "'plural':'widgets','singular':'widget','kind':'Widget','listKind':'WidgetList'" },
        { "ROOT", "" },
        { "PROPERTIES", "'size':{'type':'integer'}" },
        { "VERSION", "" },
        { "SPEC", "" },
};
static const char frame[] =
        "{'metadata':{'name':'widgets.x.example'},'spec':{'group':'GROUP','scope':'SCOPE','names':{"
        "NAMES},'versions':[{'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':{"
        "'type':'object'ROOT,'properties':{'spec':{'type':'object','properties':{PROPERTIES}}}}}"
        "VERSION}]SPEC}}";

static char *definition(const char *part, const char *instead) {
        struct buf text = { 0 };
        const char *at = frame;

        while (*at) {
                const char *value = NULL;

                for (size_t i = 0; !value && i < ARRAY_LEN(parts); i++) {
                        size_t length = strlen(parts[i].name);

                        if (strncmp(at, parts[i].name, length) != 0)
                                continue;
                        value = strcmp(part, parts[i].name) == 0 ? instead : parts[i].usual;
                        at += length;
                }
                if (value)
                        buf_text(&text, value);
                else
                        buf_char(&text, *at++);
        }
        for (size_t i = 0; i < text.len; i++)
                if (text.data[i] == '\'')
                        text.data[i] = '"';
        return buf_take(&text, NULL);
}

#define SIZE "spec.validation.openAPIV3Schema.properties[spec].properties[size]"
#define ROOT_TEXT                                                                                  \
        "spec.validation.openAPIV3Schema: Invalid value: {}: only [Description Type Format Title " \
        "Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems "  \
        "MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example "          \
        "XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if "    \
        "the "                                                                                     \
        "status subresource is enabled"
#define EMBEDDED_OBJECT                                                                            \
        "'type':'object','x-kubernetes-embedded-resource':true,"                                   \
        "'x-kubernetes-preserve-unknown-fields':true"
#define LABEL_1123                                                                                 \
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "   \
        "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "   \
        "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
#define LABEL_1035                                                                                 \
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "  \
        "an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "    \
        "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"

static const struct {
        const char *part, *instead, *complaints;
} cases[] = {
        { "", "", "" },
        /* rules that are too dear */
        { "PROPERTIES",
          "'size':{'type':'array','maxItems':9,'items':{'type':'integer'},"
          "'x-kubernetes-validations':[{'rule':'self.all(x, self.all(y, x >= y))'}]}",
          "" },
        { "PROPERTIES",
          "'size':{'type':'array','maxItems':1500,'items':{'type':'integer'},"
          "'x-kubernetes-validations':[{'rule':'self.all(x, self.all(y, x >= y))'}]}",
          SIZE ".x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget "
               "by factor of 1.350750x (try simplifying the rule, or adding maxItems, "
               "maxProperties, and maxLength where arrays, maps, and strings are declared)" },
        { "PROPERTIES",
          "'size':{'type':'array','items':{'type':'integer'},"
          "'x-kubernetes-validations':[{'rule':'self.all(x, self.all(y, x >= y))'}]}",
          SIZE ".x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget "
               "by factor of more than 100x (try simplifying the rule, or adding maxItems, "
               "maxProperties, and maxLength where arrays, maps, and strings are declared)\n" SIZE
               ".x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost "
               "total exceeding cost limit for entire OpenAPIv3 schema\n"
               "spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated "
               "rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than "
               "100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength "
               "where arrays, maps, and strings are declared)" },
        /* the definition */
        { "GROUP", "example",
          "spec.group: Invalid value: \"example\": should be a domain with at least one dot" },
        { "SCOPE", "Here",
          "spec.scope: Unsupported value: \"Here\": supported values: \"Cluster\", "
          "\"Namespaced\"" },
        { "GROUP", "x.k8s.io",
          "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must "
          "have approval annotation \"api-approved.kubernetes.io\", see "
          "https://github.com/kubernetes/enhancements/pull/1111" },
        { "NAMES", "'plural':'widgets','singular':'widget','kind':'Widget','listKind':'Widget'",
          "spec.names.listKind: Invalid value: \"Widget\": kind and listKind may not be the same" },
        { "NAMES",
          "'plural':'widgets','singular':'widget','kind':'Widget','listKind':'WidgetList',"
          "'shortNames':['W']",
          "spec.names.shortNames[0]: Invalid value: \"W\": " LABEL_1035 },
        { "SPEC", ",'preserveUnknownFields':true",
          "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set "
          "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead" },
        { "SPEC", ",'conversion':{'strategy':'Webhook'}",
          "spec.conversion.webhookClientConfig: Required value: required when strategy is set to "
          "Webhook\nspec.conversion.conversionReviewVersions: Required value" },
        { "SPEC", ",'conversion':{'strategy':'None','webhook':{'conversionReviewVersions':['v1']}}",
          "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is "
          "not set to Webhook" },
        { "SPEC",
          ",'conversion':{'strategy':'Webhook','webhook':{'clientConfig':{'url':'https://a'},"
          "'conversionReviewVersions':['v9','v9']}}",
          "spec.conversion.conversionReviewVersions[1]: Invalid value: \"v9\": duplicate version\n"
          "spec.conversion.conversionReviewVersions: Invalid value: [\"v9\",\"v9\"]: must include "
          "at least one of v1, v1beta1" },
        /* versions */
        { "VERSION", ",'deprecationWarning':'old'",
          "spec.versions[0].deprecationWarning: Invalid value: \"old\": can only be set for "
          "deprecated versions" },
        { "VERSION", ",'deprecated':true,'deprecationWarning':'old'", "" },
        { "VERSION", ",'deprecated':true,'deprecationWarning':''",
          "spec.versions[0].deprecationWarning: Invalid value: \"\": must not be an empty string" },
        { "VERSION", ",'deprecated':true,'deprecationWarning':'a\\u2028'",
          "spec.versions[0].deprecationWarning: Invalid value: \"a\\u2028\": must only contain "
          "printable UTF-8 characters; non-printable character found at index 1" },
        { "VERSION", ",'subresources':{'scale':{'specReplicasPath':'.status.n'}}",
          "spec.subresources.scale.specReplicasPath: Invalid value: \".status.n\": should be a "
          "json "
          "path under .spec\nspec.subresources.scale.statusReplicasPath: Required value" },
        { "VERSION", ",'additionalPrinterColumns':[{'name':'a','type':'text','jsonPath':'.spec'}]",
          "spec.additionalPrinterColumns[0].type: Invalid value: \"text\": must be one of "
          "boolean,date,integer,number,string" },
        { "VERSION", ",'additionalPrinterColumns':[{'name':'a','type':'string','jsonPath':'spec'}]",
          "spec.additionalPrinterColumns[0].JSONPath: Invalid value: \"spec\": must be a simple "
          "json path starting with ." },
        { "VERSION", ",'selectableFields':[{'jsonPath':'.spec.size'},{'jsonPath':'.spec.size'}]",
          "spec.selectableFields[1].jsonPath: Duplicate value: \".spec.size\"" },
        { "VERSION", ",'selectableFields':[{'jsonPath':'.spec'}]",
          "spec.selectableFields[0].jsonPath: Invalid value: \".spec\": must point to a field of "
          "type string, boolean or integer. Enum string fields and strings with formats are "
          "allowed." },
        { "VERSION", ",'selectableFields':[{'jsonPath':'.spec.none'}]",
          "spec.selectableFields[0].jsonPath: Invalid value: \".spec.none\": is an invalid path: "
          "does not refer to a valid field" },
        { "VERSION", ",'selectableFields':[{'jsonPath':'.spec[size]'}]",
          "spec.selectableFields[0].jsonPath: Invalid value: \".spec[size]\": is an invalid path: "
          "array notation is not allowed" },
        { "VERSION", ",'selectableFields':[{'jsonPath':'spec'},{'jsonPath':'.'}]",
          "spec.selectableFields[0].jsonPath: Invalid value: \"spec\": is an invalid path: "
          "expected "
          "[ or . but got: spec\nspec.selectableFields[1].jsonPath: Invalid value: \".\": is an "
          "invalid path: unexpected end of JSON path" },
        /* the root of a schema beside a status of its own */
        { "ROOT", ",'maxProperties':2", "" },
        { "VERSION", ",'subresources':{'status':{}}", "" },
        /* schemas */
        { "ROOT", ",'nullable':true",
          "spec.validation.openAPIV3Schema.nullable: Forbidden: nullable cannot be true at the "
          "root" },
        { "PROPERTIES", "'size':{'type':'whole'}",
          SIZE ".type: Unsupported value: \"whole\": supported values: \"array\", \"boolean\", "
               "\"integer\", \"number\", \"object\", \"string\"" },
        { "PROPERTIES", "'size':{}",
          SIZE ".type: Required value: must not be empty for specified object fields" },
        { "PROPERTIES",
          "'size':{'type':'array','x-kubernetes-list-type':'bag','items':{'type':"
          "'string'}}",
          SIZE ".x-kubernetes-list-type: Unsupported value: \"bag\": supported values: \"atomic\", "
               "\"set\", \"map\"" },
        { "PROPERTIES", "'size':{'type':'integer','default':'a'}",
          SIZE
          ".default: Invalid value: \"string\":  in body must be of type integer: \"string\"" },
        /* defaults: an object inside has a type and metadata, rules hold, map values have no
           default */
        { "PROPERTIES", "'size':{" EMBEDDED_OBJECT ",'default':{}}",
          SIZE ".default.apiVersion: Required value\n" SIZE ".default.kind: Required value" },
        { "PROPERTIES",
          "'size':{" EMBEDDED_OBJECT ",'default':{'apiVersion':'a/b/c','kind':'K','metadata':{"
          "'namespace':'A'}}}",
          SIZE ".default.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: "
               "a/b/c\n" SIZE ".default.metadata.namespace: Invalid value: \"A\": " LABEL_1123 },
        { "PROPERTIES",
          "'size':{'type':'array','items':{" EMBEDDED_OBJECT "},'default':[{'apiVersion':'v1',"
          "'kind':'K','metadata':{'labels':{'a':1}}}]}",
          SIZE ".default[0].metadata: Invalid value: {\"labels\":{\"a\":1}}: json: cannot "
               "unmarshal number into Go struct field ObjectMeta.labels of type string" },
        { "PROPERTIES",
          "'size':{'type':'object','x-kubernetes-embedded-resource':true,'properties':{'metadata':{"
          "'type':'object','properties':{'name':{'type':'string','default':'a/b'}}}}}",
          SIZE
          ".properties[metadata].properties[name].default: Invalid value: \"a/b\": must result "
          "in valid metadata: metadata.name: Invalid value: \"a/b\": may not contain '/'" },
        { "PROPERTIES",
          "'size':{'type':'integer','default':0,'x-kubernetes-validations':[{'rule':'self > 0'}]}",
          SIZE ".default: Invalid value: 0: failed rule: self > 0" },
        { "PROPERTIES",
          "'size':{'type':'integer','default':0,'x-kubernetes-validations':[{'rule':"
          "'oldSelf.hasValue()','optionalOldSelf':true}]}",
          SIZE ".default: Invalid value: 0: failed rule: oldSelf.hasValue()" },
        { "PROPERTIES",
          "'size':{'type':'integer','default':0,'x-kubernetes-validations':[{'rule':'x'}]}",
          SIZE ".default: Invalid value: \"integer\": rule compile error: compilation failed: "
               "ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^" },
        { "PROPERTIES", "'size':{'type':'array','items':{'type':'integer'},'default':['a']}",
          SIZE ".default.[0]: Invalid value: \"string\": [0] in body must be of type integer: "
               "\"string\"" },
        { "PROPERTIES",
          "'size':{'type':'object','additionalProperties':{'type':'integer','default':'x'},"
          "'default':{'a':'b'}}",
          SIZE ".default.a: Invalid value: \"string\": .a in body must be of type integer: "
               "\"string\"" },
        { "PROPERTIES",
          "'size':{'type':'integer','default':0,'x-kubernetes-validations':[{'rule':'x'},{'rule':"
          "'self > 0'}]}",
          SIZE
          ".default: Invalid value: \"integer\": rule compile error: compilation failed: "
          "ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^\n" SIZE
          ".default: Invalid value: 0: failed rule: self > 0" },
        { "PROPERTIES", "'size':{'type':'number','multipleOf':2,'default':1e30}",
          SIZE ".default: Invalid value: 1e+30:  in body should be a multiple of 2" },
        { "PROPERTIES", "'size':{'type':'number','multipleOf':0.1,'default':0.3}", "" },
        { "PROPERTIES",
          "'size':{'type':'object','default':{'b':null},'properties':{'b':{'type':'string',"
          "'nullable':true,'enum':['a']}}}",
          SIZE ".default.b: Unsupported value: null: supported values: \"a\"" },
        { "PROPERTIES",
          "'size':{'type':'object','default':{},'allOf':[{'required':['a']},{'required':['a']}]}",
          SIZE ".default.a: Required value\n" SIZE
               ".default: Invalid value: \"\": \"\" must validate all the schemas (allOf). None "
               "validated" },
        { "PROPERTIES", "'size':{'type':'object','patternProperties':{},'definitions':{}}", "" },
        { "PROPERTIES", "'size':{'type':'integer','default':null}", "" },
        { "PROPERTIES", "'size':{'x-kubernetes-int-or-string':true,'default':1.5}", "" },
        { "PROPERTIES", "'size':{'type':'string','format':'uuid','default':'x'}",
          SIZE ".default: Invalid value: \"x\":  in body must be of type uuid: \"x\"" },
        { "PROPERTIES", "'size':{'type':'string','maxLength':1,'default':'ab'}",
          SIZE ".default: Too long: may not be more than 1 byte" },
        { "PROPERTIES",
          "'size':{'type':'array','items':{'type':'object','additionalProperties':{"
          "'x-kubernetes-preserve-unknown-fields':true},'x-kubernetes-validations':[{'rule':"
          "'true'}]},'default':[{}]}",
          SIZE ".default[0]: Invalid value: \"object\": rule compiler initialization error: failed "
               "to convert to declType for CEL validation rules" },
        { "PROPERTIES",
          "'size':{'type':'array','items':{'type':'string'},'anyOf':[{'type':'integer'},{"
          "'type':'string'}]}",
          "" },
        { "PROPERTIES",
          "'size':{'type':'string','oneOf':[{'anyOf':[{'type':'integer'},{'type':"
          "'string'}]}]}",
          SIZE ".oneOf[0].anyOf[0].type: Forbidden: must be empty to be structural\n" SIZE
               ".oneOf[0].anyOf[1].type: Forbidden: must be empty to be structural" },
        { "PROPERTIES", "'é':{'type':'string','x-kubernetes-validations':[{'rule':'self == 1'}]}",
          "spec.validation.openAPIV3Schema.properties[spec].properties[é].x-kubernetes-validations["
          "0]"
          ".rule: Invalid value: {\"Rule\":\"self == 1\",\"Message\":\"\","
          "\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\","
          "\"OptionalOldSelf\":null}: compilation failed: ERROR: <input>:1:6: found no matching "
          "overload for '_==_' applied to '(string, int)'\n | self == 1\n | .....^" },
        /* rules: what is wrong with schemas comes first, then the rules below, then the schema's */
        { "PROPERTIES",
          "'size':{'type':'object','x-kubernetes-map-type':'x','properties':{'a':{'type':'string',"
          "'x-kubernetes-validations':[{'rule':'x','optionalOldSelf':true}]}}},'b':{'type':'object'"
          ","
          "'x-kubernetes-validations':[{'rule':'y','messageExpression':'1'}],'properties':{'c':{"
          "'type':'string','x-kubernetes-validations':[{'rule':'true','reason':''}]},'d':{'type':"
          "'string','x-kubernetes-validations':[{'rule':'true','optionalOldSelf':true}]}}}",
          SIZE
          ".x-kubernetes-map-type: Unsupported value: \"x\": supported values: \"atomic\", "
          "\"granular\"\nspec.validation.openAPIV3Schema.properties[spec].properties[b]."
          "properties[c].x-kubernetes-validations[0].reason: Unsupported value: \"\": "
          "supported values: \"FieldValueDuplicate\", \"FieldValueForbidden\", "
          "\"FieldValueInvalid\", \"FieldValueRequired\"\n" SIZE
          ".properties[a].x-kubernetes-validations[0].rule: Invalid value: {\"Rule\":\"x\","
          "\"Message\":\"\",\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\","
          "\"OptionalOldSelf\":true}: compilation failed: ERROR: <input>:1:1: undeclared "
          "reference to 'x' (in container '')\n | x\n | ^\n" SIZE
          ".properties[a].x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may "
          "not be set if oldSelf is not used in rule\n"
          "spec.validation.openAPIV3Schema.properties[spec].properties[b].properties[d]."
          "x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if "
          "oldSelf is not used in rule" },
        { "PROPERTIES",
          "'size':{'x-kubernetes-preserve-unknown-fields':true,'x-kubernetes-validations':[{"
          "'rule':'true'}]}",
          SIZE
          ".x-kubernetes-validations: Internal error: internal error: failed to construct type "
          "information for x-kubernetes-validations rules: unable to convert structural schema "
          "to CEL declarations" },
        { "PROPERTIES", "'size':{'type':'integer','uniqueItems':true}",
          SIZE ".uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime "
               "complexity becomes quadratic" },
};

static char *complaints_of(const char *object, enum kind_operation operation, const char *old) {
        struct kind_test test;

        kind_test_begin(&test, "apiextensions.k8s.io/v1", "CustomResourceDefinition", object, old);
        assert_int_equal(kind_test_write(&test, operation), 0);
        char *complaints = kind_test_complaints(&test);
        kind_test_end(&test);
        return complaints;
}

static void each_rule_complains(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                char *object = definition(cases[i].part, cases[i].instead);
                char *complaints = complaints_of(object, KIND_CREATE, NULL);

                if (strcmp(complaints, cases[i].complaints) != 0 &&
                    !strstr(complaints, cases[i].complaints))
                        print_error("case %zu, %s\n", i, object);
                /* A group that changes takes the name along; that complaint is not looked at. */
                if (strcmp(cases[i].part, "GROUP") == 0)
                        assert_non_null(strstr(complaints, cases[i].complaints));
                else
                        assert_string_equal(complaints, cases[i].complaints);
                free(complaints);
                free(object);
        }
}

static void a_status_leaves_little_to_the_root(void **state) {
        static const char *const forbidden[] = { "'maxProperties':2", "'nullable':true",
                                                 "'additionalProperties':true", "'enum':[{}]" };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(forbidden); i++) {
                struct buf root = { 0 };

                buf_printf(&root, ",%s", forbidden[i]);
                char *object = definition("ROOT", root.data);
                char *end = strstr(object, "}]}}"); /* of the version */
                struct buf text = { 0 };

                assert_non_null(end);
                buf_append(&text, object, (size_t)(end - object));
                buf_text(&text, ",\"subresources\":{\"status\":{}}");
                buf_text(&text, end);
                char *complaints = complaints_of(text.data, KIND_CREATE, NULL);
                if (!strstr(complaints, ROOT_TEXT))
                        fail_msg("%s: %s", forbidden[i], complaints);
                free(complaints);
                free(object);
                buf_release(&text);
                buf_release(&root);
        }
}

static void what_is_established_stays(void **state) {
        char *old = definition("SPEC", "},'status':{'conditions':[{'type':'Established','status':"
                                       "'True'}]");
        char *scope = definition("SCOPE", "Cluster");
        char *complaints = complaints_of(scope, KIND_UPDATE, old);

        (void)state;
        assert_string_equal(complaints,
                            "spec.scope: Invalid value: \"Cluster\": field is immutable");
        free(complaints);
        complaints = complaints_of(scope, KIND_UPDATE_STATUS, old);
        assert_string_equal(complaints, "");
        free(complaints);
        free(scope);
        free(old);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(each_rule_complains),
                cmocka_unit_test(a_status_leaves_little_to_the_root),
                cmocka_unit_test(what_is_established_stays),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
