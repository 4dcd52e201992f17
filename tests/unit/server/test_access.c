/* Who may do what: RBAC as SubjectAccessReviews see it and as requests meet it, and the reviews of
 * oneself. */
#include "fake_access.h"

#define RULE_PLACE RBAC "/clusterroles/r"

/* ---- one rule against one question ---- */

static const struct {
        const char *rule, *question;
        bool is_allowed;
} rule_cases[] = {
        /* verbs */
        { "'verbs':['get'],'apiGroups':[''],'resources':['pods']", "'verb':'get','resource':'pods'",
          true },
        { "'verbs':['get'],'apiGroups':[''],'resources':['pods']",
          "'verb':'list','resource':'pods'", false },
        { "'verbs':['list'],'apiGroups':[''],'resources':['pods']",
          "'verb':'watch','resource':'pods'", false },
        { "'verbs':['delete'],'apiGroups':[''],'resources':['pods']",
          "'verb':'deletecollection','resource':'pods'", false },
        { "'verbs':['*'],'apiGroups':[''],'resources':['pods']",
          "'verb':'deletecollection','resource':'pods'", true },
        { "'verbs':['*'],'apiGroups':[''],'resources':['users']",
          "'verb':'impersonate','resource':'users'", true },
        { "'verbs':['g*'],'apiGroups':[''],'resources':['pods']", "'verb':'get','resource':'pods'",
          false },
        { "'verbs':['get'],'apiGroups':[''],'resources':['pods']", "'verb':'*','resource':'pods'",
          false },
        { "'verbs':['*'],'apiGroups':[''],'resources':['pods']", "'verb':'*','resource':'pods'",
          true },
        { "'verbs':['GET'],'apiGroups':[''],'resources':['pods']", "'verb':'get','resource':'pods'",
          false },
        /* groups */
        { "'verbs':['get'],'apiGroups':['apps'],'resources':['deployments']",
          "'verb':'get','group':'apps','resource':'deployments'", true },
        { "'verbs':['get'],'apiGroups':[''],'resources':['deployments']",
          "'verb':'get','group':'apps','resource':'deployments'", false },
        { "'verbs':['get'],'apiGroups':['apps'],'resources':['deployments']",
          "'verb':'get','resource':'deployments'", false },
        { "'verbs':['get'],'apiGroups':['*'],'resources':['deployments']",
          "'verb':'get','group':'apps','resource':'deployments'", true },
        { "'verbs':['get'],'apiGroups':['*.io'],'resources':['x']",
          "'verb':'get','group':'a.io','resource':'x'", false },
        { "'verbs':['get'],'apiGroups':['apps'],'resources':['deployments']",
          "'verb':'get','group':'*','resource':'deployments'", false },
        /* resources and subresources */
        { "'verbs':['get'],'apiGroups':[''],'resources':['*']", "'verb':'get','resource':'pods'",
          true },
        { "'verbs':['get'],'apiGroups':[''],'resources':['*']",
          "'verb':'get','resource':'pods','subresource':'log'", true },
        { "'verbs':['get'],'apiGroups':[''],'resources':['pods']",
          "'verb':'get','resource':'pods','subresource':'log'", false },
        { "'verbs':['get'],'apiGroups':[''],'resources':['pods/log']",
          "'verb':'get','resource':'pods','subresource':'log'", true },
        { "'verbs':['get'],'apiGroups':[''],'resources':['pods/log']",
          "'verb':'get','resource':'pods'", false },
        { "'verbs':['get'],'apiGroups':[''],'resources':['pods/*']",
          "'verb':'get','resource':'pods','subresource':'log'", false },
        { "'verbs':['update'],'apiGroups':['*'],'resources':['*/scale']",
          "'verb':'update','group':'apps','resource':'deployments','subresource':'scale'", true },
        { "'verbs':['update'],'apiGroups':['*'],'resources':['*/scale']",
          "'verb':'update','group':'apps','resource':'deployments','subresource':'status'", false },
        { "'verbs':['update'],'apiGroups':['*'],'resources':['*/scale']",
          "'verb':'update','group':'apps','resource':'deployments'", false },
        { "'verbs':['create'],'apiGroups':[''],'resources':['pods/exec']",
          "'verb':'create','resource':'pods','subresource':'exec','name':'p','namespace':'n'",
          true },
        { "'verbs':['create'],'apiGroups':[''],'resources':['pods/exec']",
          "'verb':'get','resource':'pods','subresource':'exec','name':'p','namespace':'n'", false },
        { "'verbs':['get'],'apiGroups':[''],'resources':['nodes/proxy']",
          "'verb':'get','resource':'nodes','subresource':'proxy','name':'a'", true },
        { "'verbs':['get'],'apiGroups':[''],'resources':['services/proxy']",
          "'verb':'create','resource':'services','subresource':'proxy','name':'a'", false },
        /* names */
        { "'verbs':['get'],'apiGroups':[''],'resources':['pods'],'resourceNames':['a','b']",
          "'verb':'get','resource':'pods','name':'b'", true },
        { "'verbs':['get'],'apiGroups':[''],'resources':['pods'],'resourceNames':['a']",
          "'verb':'get','resource':'pods','name':'c'", false },
        { "'verbs':['list'],'apiGroups':[''],'resources':['pods'],'resourceNames':['a']",
          "'verb':'list','resource':'pods'", false },
        { "'verbs':['create'],'apiGroups':[''],'resources':['pods'],'resourceNames':['a']",
          "'verb':'create','resource':'pods'", false },
        { "'verbs':['get'],'apiGroups':[''],'resources':['pods'],'resourceNames':['*']",
          "'verb':'get','resource':'pods','name':'a'", false },
        { "'verbs':['get'],'apiGroups':[''],'resources':['pods'],'resourceNames':['*']",
          "'verb':'get','resource':'pods','name':'*'", true },
        { "'verbs':['get'],'apiGroups':[''],'resources':['pods'],'resourceNames':['']",
          "'verb':'get','resource':'pods','name':'a'", false },
        { "'verbs':['patch'],'apiGroups':[''],'resources':['pods/status'],'resourceNames':['a']",
          "'verb':'patch','resource':'pods','subresource':'status','name':'a'", true },
        /* paths */
        { "'verbs':['get'],'nonResourceURLs':['/metrics']", "'verb':'get','path':'/metrics'",
          true },
        { "'verbs':['get'],'nonResourceURLs':['/metrics']", "'verb':'get','path':'/metrics/x'",
          false },
        { "'verbs':['get'],'nonResourceURLs':['/metrics']", "'verb':'post','path':'/metrics'",
          false },
        { "'verbs':['get'],'nonResourceURLs':['/logs/*']", "'verb':'get','path':'/logs/a/b'",
          true },
        { "'verbs':['get'],'nonResourceURLs':['/logs/*']", "'verb':'get','path':'/logs'", false },
        { "'verbs':['get'],'nonResourceURLs':['/logs*']", "'verb':'get','path':'/logsmore'", true },
        { "'verbs':['get'],'nonResourceURLs':['/l*s']", "'verb':'get','path':'/logs'", false },
        { "'verbs':['get'],'nonResourceURLs':['*']", "'verb':'get','path':'/anything'", true },
        { "'verbs':['get'],'nonResourceURLs':['*']", "'verb':'get','resource':'pods'", false },
        { "'verbs':['get'],'apiGroups':['*'],'resources':['*']", "'verb':'get','path':'/metrics'",
          false },
};

static void test_rules(void **state) {
        struct fixture f = access_new();

        (void)state;
        make(&f, RBAC "/clusterrolebindings",
             "{'metadata':{'name':'b'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':"
             "'ClusterRole','name':'r'},'subjects':[{'kind':'User','name':'u','apiGroup':"
             "'rbac.authorization.k8s.io'}]}");
        for (size_t i = 0; i < ARRAY_LEN(rule_cases); i++) {
                bool is_path = strstr(rule_cases[i].question, "'path'");
                char body[1000];

                snprintf(body, sizeof(body), "{'metadata':{'name':'r'},'rules':[{%s}]}",
                         rule_cases[i].rule);
                if (ask(&f, "PUT", RULE_PLACE, quoted_json(body)) >= 300)
                        fail_msg("%s: %s", rule_cases[i].rule, f.text);
                snprintf(body, sizeof(body), "{'spec':{'user':'u','%s':{%s}}}",
                         is_path ? "nonResourceAttributes" : "resourceAttributes",
                         rule_cases[i].question);
                make(&f, REVIEWS "/subjectaccessreviews", body);
                if (strcmp(answer(&f, "/status/allowed"),
                           rule_cases[i].is_allowed ? "true" : "false") != 0)
                        fail_msg("{%s} on {%s}: allowed %s", rule_cases[i].rule,
                                 rule_cases[i].question, answer(&f, "/status/allowed"));
        }
        fixture_free(&f);
}

/* ---- whose rules, and where they hold ---- */

static const char *const binding_objects[][2] = {
        { "/api/v1/namespaces", "{'metadata':{'name':'n'}}" },
        { "/api/v1/namespaces", "{'metadata':{'name':'m'}}" },
        { RBAC "/clusterroles", "{'metadata':{'name':'reader'},'rules':[{'verbs':['get'],"
                                "'apiGroups':[''],'resources':['pods','nodes','namespaces']},{"
                                "'verbs':['get'],'nonResourceURLs':['/metrics']}]}" },
        { RBAC "/namespaces/n/roles", "{'metadata':{'name':'writer'},'rules':[{'verbs':['create'],"
                                      "'apiGroups':[''],'resources':['pods']}]}" },
        { RBAC "/namespaces/m/roles", "{'metadata':{'name':'writer'},'rules':[{'verbs':['delete'],"
                                      "'apiGroups':[''],'resources':['pods']}]}" },
        { RBAC "/clusterrolebindings",
          "{'metadata':{'name':'everywhere'}," REF(
                  "ClusterRole",
                  "reader") ",'subjects':["
                            "{'kind':'Group','name':'readers','apiGroup':'rbac.authorization.k8s."
                            "io'},"
                            "{'kind':'ServiceAccount','name':'sa','namespace':'n'}]}" },
        { RBAC "/namespaces/n/rolebindings",
          "{'metadata':{'name':'here'}," REF(
                  "ClusterRole", "reader") ",'subjects':[{'kind':'User',"
                                           "'name':'u','apiGroup':'rbac.authorization.k8s.io'}]}" },
        { RBAC "/namespaces/n/rolebindings",
          "{'metadata':{'name':'own'}," REF(
                  "Role", "writer") ",'subjects':[{'kind':'User',"
                                    "'name':'u','apiGroup':'rbac.authorization.k8s.io'}]}" },
        { RBAC "/namespaces/n/rolebindings",
          "{'metadata':{'name':'lost'}," REF(
                  "Role", "none") ",'subjects':[{'kind':'User',"
                                  "'name':'v','apiGroup':'rbac.authorization.k8s.io'}]}" },
        { RBAC "/clusterrolebindings",
          "{'metadata':{'name':'lost'}," REF(
                  "ClusterRole",
                  "nothing") ",'subjects':[{'kind':'User'"
                             ",'name':'v','apiGroup':'rbac.authorization.k8s.io'}]}" },
};

#define GET_POD "'resourceAttributes':{'verb':'get','resource':'pods'"
static const struct {
        const char *spec, *status;
} binding_cases[] = {
        { "'user':'x','groups':['readers']," GET_POD "}",
          "{\"allowed\":true,\"reason\":\"RBAC: allowed by ClusterRoleBinding \\\"everywhere\\\" "
          "of "
          "ClusterRole \\\"reader\\\" to Group \\\"readers\\\"\"}" },
        { "'user':'x','groups':['readers'],'nonResourceAttributes':{'verb':'get','path':"
          "'/metrics'}",
          "{\"allowed\":true,\"reason\":\"RBAC: allowed by ClusterRoleBinding \\\"everywhere\\\" "
          "of "
          "ClusterRole \\\"reader\\\" to Group \\\"readers\\\"\"}" },
        { "'user':'readers'," GET_POD "}", "{\"allowed\":false}" },
        { "'user':'x','groups':['u']," GET_POD ",'namespace':'n'}", "{\"allowed\":false}" },
        { "'user':'system:serviceaccount:n:sa'," GET_POD "}",
          "{\"allowed\":true,\"reason\":\"RBAC: allowed by ClusterRoleBinding \\\"everywhere\\\" "
          "of "
          "ClusterRole \\\"reader\\\" to ServiceAccount \\\"sa/n\\\"\"}" },
        { "'user':'system:serviceaccount:m:sa'," GET_POD "}", "{\"allowed\":false}" },
        { "'user':'u'," GET_POD ",'namespace':'n'}",
          "{\"allowed\":true,\"reason\":\"RBAC: allowed by RoleBinding \\\"here/n\\\" of "
          "ClusterRole \\\"reader\\\" to User \\\"u\\\"\"}" },
        { "'user':'u'," GET_POD ",'namespace':'m'}", "{\"allowed\":false}" },
        { "'user':'u'," GET_POD "}", "{\"allowed\":false}" },
        /* of a ClusterRole in a RoleBinding, paths and what has no namespace do not count */
        { "'user':'u','nonResourceAttributes':{'verb':'get','path':'/metrics'}",
          "{\"allowed\":false}" },
        { "'user':'u','resourceAttributes':{'verb':'get','resource':'nodes'}",
          "{\"allowed\":false}" },
        /* a Role of the same name elsewhere is another one */
        { "'user':'u','resourceAttributes':{'verb':'create','resource':'pods','namespace':'n'}",
          "{\"allowed\":true,\"reason\":\"RBAC: allowed by RoleBinding \\\"own/n\\\" of Role "
          "\\\"writer\\\" to User \\\"u\\\"\"}" },
        { "'user':'u','resourceAttributes':{'verb':'delete','resource':'pods','namespace':'n'}",
          "{\"allowed\":false}" },
        { "'user':'v'," GET_POD ",'namespace':'n'}",
          "{\"allowed\":false,\"reason\":\"RBAC: [clusterrole.rbac.authorization.k8s.io "
          "\\\"nothing\\\" not found, role.rbac.authorization.k8s.io \\\"none\\\" not found]\"}" },
        { "'user':'v'," GET_POD "}",
          "{\"allowed\":false,\"reason\":\"RBAC: clusterrole.rbac.authorization.k8s.io "
          "\\\"nothing\\\" not found\"}" },
        { "'user':'x','groups':['system:masters']," GET_POD "}", "{\"allowed\":true}" },
        { "'user':'system:masters'," GET_POD "}", "{\"allowed\":false}" },
};

static void make_all(struct fixture *f) {
        for (size_t i = 0; i < ARRAY_LEN(binding_objects); i++)
                make(f, binding_objects[i][0], binding_objects[i][1]);
}

static void test_bindings(void **state) {
        struct fixture f = access_new();

        (void)state;
        make_all(&f);
        for (size_t i = 0; i < ARRAY_LEN(binding_cases); i++) {
                char body[1000];

                snprintf(body, sizeof(body), "{'spec':{%s}}", binding_cases[i].spec);
                make(&f, REVIEWS "/subjectaccessreviews", body);
                if (strcmp(answer(&f, "/status"), binding_cases[i].status) != 0)
                        fail_msg("%s: %s", binding_cases[i].spec, answer(&f, "/status"));
        }
        fixture_free(&f);
}

/* ---- requests ---- */

#define AT_CLUSTER " at the cluster scope"
static const struct {
        const char *token, *method, *path;
        int status;
        const char *message; /* NULL = any */
} request_cases[] = {
        { "u", "GET", "/api/v1/namespaces/n/pods/p", 404, NULL },
        { "u", "GET", "/api/v1/namespaces/m/pods/p", 403,
          "pods \"p\" is forbidden: User \"u\" cannot get resource \"pods\" in API group \"\" in "
          "the "
          "namespace \"m\"" },
        { "u", "GET", "/api/v1/namespaces/n/pods", 403,
          "pods is forbidden: User \"u\" cannot list resource \"pods\" in API group \"\" in the "
          "namespace \"n\"" },
        { "u", "GET", "/api/v1/pods", 403,
          "pods is forbidden: User \"u\" cannot list resource \"pods\" in API group "
          "\"\"" AT_CLUSTER },
        { "u", "GET", "/api/v1/pods?watch=true", 403,
          "pods is forbidden: User \"u\" cannot watch resource \"pods\" in API group "
          "\"\"" AT_CLUSTER },
        { "u", "GET", "/api/v1/watch/pods", 403,
          "pods is forbidden: User \"u\" cannot watch resource \"pods\" in API group "
          "\"\"" AT_CLUSTER },
        { "u", "DELETE", "/api/v1/namespaces/n/pods", 403,
          "pods is forbidden: User \"u\" cannot deletecollection resource \"pods\" in API group "
          "\"\" in the namespace \"n\"" },
        { "u", "POST", "/api/v1/namespaces/n/pods/p/exec", 403,
          "pods \"p\" is forbidden: User \"u\" cannot create resource \"pods/exec\" in API group "
          "\"\" in the namespace \"n\"" },
        { "u", "GET", "/api/v1/namespaces/n/pods/p/proxy/a/b", 403,
          "pods \"p\" is forbidden: User \"u\" cannot get resource \"pods/proxy\" in API group "
          "\"\" "
          "in the namespace \"n\"" },
        { "u", "PATCH", "/apis/apps/v1/namespaces/n/deployments/d/scale", 403,
          "deployments.apps \"d\" is forbidden: User \"u\" cannot patch resource "
          "\"deployments/scale\" in API group \"apps\" in the namespace \"n\"" },
        { "u", "GET", "/apis/none.io/v1/things", 403,
          "things.none.io is forbidden: User \"u\" cannot list resource \"things\" in API group "
          "\"none.io\"" AT_CLUSTER },
        /* a namespace is in itself */
        { "u", "GET", "/api/v1/namespaces/n", 200, NULL },
        { "u", "GET", "/api/v1/namespaces/m", 403,
          "namespaces \"m\" is forbidden: User \"u\" cannot get resource \"namespaces\" in API "
          "group "
          "\"\" in the namespace \"m\"" },
        { "v", "GET", "/api/v1/namespaces/n/pods/p", 403,
          "pods \"p\" is forbidden: User \"v\" cannot get resource \"pods\" in API group \"\" in "
          "the "
          "namespace \"n\": RBAC: [clusterrole.rbac.authorization.k8s.io \"nothing\" not found, "
          "role.rbac.authorization.k8s.io \"none\" not found]" },
        /* a list of one name */
        { "one", "GET", "/api/v1/configmaps", 403, NULL },
        { "one", "GET", "/api/v1/configmaps?fieldSelector=metadata.name%3Dcm", 200, NULL },
        { "one", "GET", "/api/v1/configmaps?fieldSelector=metadata.name%3D%3Dcm", 200, NULL },
        { "one", "GET", "/api/v1/configmaps?fieldSelector=metadata.name%21%3Dcm", 403, NULL },
        { "one", "GET", "/api/v1/configmaps?fieldSelector=metadata.name%3Dother", 403,
          "configmaps \"other\" is forbidden: User \"one\" cannot list resource \"configmaps\" in "
          "API group \"\"" AT_CLUSTER },
        { "one", "DELETE", "/api/v1/namespaces/n/configmaps?fieldSelector=metadata.name%3Dcm", 403,
          "configmaps is forbidden: User \"one\" cannot deletecollection resource \"configmaps\" "
          "in "
          "API group \"\" in the namespace \"n\"" },
        /* paths */
        { "u", "GET", "/healthz", 200, NULL },
        { "u", "GET", "/apis", 200, NULL },
        { "u", "GET", "/openapi/v3", 200, NULL },
        { "u", "GET", "/metrics", 403, "forbidden: User \"u\" cannot get path \"/metrics\"" },
        { "u", "HEAD", "/healthz", 403, "forbidden: User \"u\" cannot head path \"/healthz\"" },
        { "u", "POST", "/healthz", 403, "forbidden: User \"u\" cannot post path \"/healthz\"" },
        { "u", "GET", "/a<b>&c", 403,
          "forbidden: User \"u\" cannot get path \"/a&lt;b&gt;&amp;c\"" },
        { NULL, "GET", "/healthz", 200, NULL },
        { NULL, "GET", "/version", 200, NULL },
        { NULL, "GET", "/api", 403,
          "forbidden: User \"system:anonymous\" cannot get path \"/api\"" },
        { NULL, "GET", "/openid/v1/jwks", 403, NULL },
        { NULL, "POST", REVIEWS "/selfsubjectaccessreviews", 403, NULL },
        { "root", "GET", "/metrics", 200, NULL },
        { "nobody", "GET", "/healthz", 401, "Unauthorized" },
};

static void test_requests(void **state) {
        struct fixture f = access_new();

        (void)state;
        make_all(&f);
        make(&f, RBAC "/clusterroles",
             "{'metadata':{'name':'one'},'rules':[{'verbs':['get','list','deletecollection'],"
             "'apiGroups':[''],'resources':['configmaps'],'resourceNames':['cm']}]}");
        make(&f, RBAC "/clusterrolebindings",
             "{'metadata':{'name':'one'}," REF(
                     "ClusterRole",
                     "one") ",'subjects':[{'kind':'User',"
                            "'name':'one','apiGroup':'rbac.authorization.k8s.io'}]}");
        for (size_t i = 0; i < ARRAY_LEN(request_cases); i++) {
                int status = ask_token(&f, request_cases[i].token, NULL, request_cases[i].method,
                                       request_cases[i].path, NULL, "{}");
                const char *message = request_cases[i].message;

                if (status != request_cases[i].status ||
                    (message && strcmp(answer(&f, "/message"), message) != 0))
                        fail_msg("%s %s %s: %d %s", request_cases[i].token, request_cases[i].method,
                                 request_cases[i].path, status, f.text);
        }
        fixture_free(&f);
}

/* ---- the scheme of the header ---- */

static const struct {
        const char *authorization;
        int status;
        const char *user;
} header_cases[] = {
        { "Bearer u", 403, "\"u\"" },
        { "bearer u", 403, "\"u\"" },
        { "BEARER u", 403, "\"u\"" },
        { " Bearer u ", 403, "\"u\"" },
        { "Bearer u more", 403, "\"u\"" },
        { "Bearer wrong", 401, NULL },
        { "bearer wrong", 401, NULL },
        { "Bearer", 403, "\"system:anonymous\"" },
        { "Bearer  u", 403, "\"system:anonymous\"" },
        { "Bearerx u", 403, "\"system:anonymous\"" },
        { "Basic dTp1", 403, "\"system:anonymous\"" },
        { "", 403, "\"system:anonymous\"" },
};

static void test_headers(void **state) {
        struct fixture f = access_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(header_cases); i++) {
                int status = ask_header(&f, header_cases[i].authorization, SLICE_EMPTY, "GET",
                                        "/metrics", NULL, NULL);

                if (status != header_cases[i].status ||
                    (header_cases[i].user && !strstr(answer(&f, "/message"), header_cases[i].user)))
                        fail_msg("'%s': %d %s", header_cases[i].authorization, status, f.text);
        }
        fixture_free(&f);
}

/* ---- reviews of oneself ---- */

static void test_self(void **state) {
        struct fixture f = access_new();

        (void)state;
        make_all(&f);
        assert_int_equal(
                ask_token(&f, "u", NULL, "POST", REVIEWS "/selfsubjectaccessreviews", NULL,
                          "{'spec':{'resourceAttributes':{'verb':'create','resource':'pods',"
                          "'namespace':'n'}}}"),
                201);
        assert_string_equal(answer(&f, "/status/allowed"), "true");
        assert_int_equal(ask_token(&f, "u", NULL, "POST", REVIEWS "/selfsubjectrulesreviews", NULL,
                                   "{'spec':{'namespace':'n'}}"),
                         201);
        assert_non_null(strstr(answer(&f, "/status/resourceRules"),
                               "{\"verbs\":[\"create\"],\"apiGroups\":[\"\"],\"resources\":["
                               "\"pods\"]}"));
        assert_non_null(
                strstr(answer(&f, "/status/resourceRules"), "\"selfsubjectaccessreviews\""));
        assert_non_null(strstr(answer(&f, "/status/nonResourceRules"), "\"/apis/*\""));
        assert_string_equal(answer(&f, "/status/incomplete"), "false");
        assert_string_equal(answer(&f, "/status/evaluationError"), "");
        assert_int_equal(ask_token(&f, "v", NULL, "POST", REVIEWS "/selfsubjectrulesreviews", NULL,
                                   "{'spec':{'namespace':'m'}}"),
                         201);
        assert_string_equal(answer(&f, "/status/evaluationError"),
                            "RBAC: clusterrole.rbac.authorization.k8s.io \"nothing\" not found");
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_rules),    cmocka_unit_test(test_bindings),
                cmocka_unit_test(test_requests), cmocka_unit_test(test_headers),
                cmocka_unit_test(test_self),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
