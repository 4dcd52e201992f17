/* Requests on behalf of others: which right each header takes, and who the others are then. */
#include "fake_access.h"

#define WHO "/apis/authentication.k8s.io/v1/selfsubjectreviews"
#define ALL "'verbs':['impersonate'],'apiGroups':['*'],'resources':"
#define PLAIN(resources) "{'verbs':['impersonate'],'apiGroups':['']," resources "}"
#define CONSTRAINED(mode, resources)                                                               \
        "{'verbs':['impersonate:" mode "'],'apiGroups':['authentication.k8s.io']," resources "}"
#define ON(mode)                                                                                   \
        "{'verbs':['impersonate-on:" mode ":create'],'apiGroups':['authentication.k8s.io'],"       \
        "'resources':['selfsubjectreviews']}"
#define NOT_USERS                                                                                  \
        "selfsubjectreviews.authentication.k8s.io is forbidden: User \"u\" cannot "                \
        "impersonate-on:user-info:create resource \"selfsubjectreviews\" in API group "            \
        "\"authentication.k8s.io\" at the cluster scope"

static const struct {
        const char *rules, *headers;
        int status;
        const char *answer; /* of WHO, or the message; NULL = any */
} cases[] = {
        /* the user */
        { "", "Impersonate-User: bob", 403, NOT_USERS },
        { PLAIN("'resources':['users'],'resourceNames':['bob']"), "Impersonate-User: bob", 201,
          "{\"username\":\"bob\",\"groups\":[\"system:authenticated\"]}" },
        { PLAIN("'resources':['users'],'resourceNames':['bob']"), "impersonate-user: bob", 201,
          NULL },
        { PLAIN("'resources':['users'],'resourceNames':['bob']"), "Impersonate-User: eve", 403,
          NULL },
        { PLAIN("'resources':['users']"), "Impersonate-User: eve", 201, NULL },
        { "{'verbs':['get'],'apiGroups':[''],'resources':['users']}", "Impersonate-User: bob", 403,
          NULL },
        { PLAIN("'resources':['users']"), "Impersonate-User: system:anonymous", 403,
          "selfsubjectreviews.authentication.k8s.io is forbidden: User \"system:anonymous\" cannot "
          "create resource \"selfsubjectreviews\" in API group \"authentication.k8s.io\" at the "
          "cluster scope" },
        /* groups: each a right of its own, and one header one group */
        { PLAIN("'resources':['users']"), "Impersonate-User: bob\nImpersonate-Group: dev", 403,
          NOT_USERS },
        { PLAIN("'resources':['users']"),
          "Impersonate-User: bob\nImpersonate-Group: system:masters", 403, NOT_USERS },
        { PLAIN("'resources':['users','groups'],'resourceNames':['bob','dev']"),
          "Impersonate-User: bob\nImpersonate-Group: dev", 201,
          "{\"username\":\"bob\",\"groups\":[\"dev\",\"system:authenticated\"]}" },
        { PLAIN("'resources':['users','groups'],'resourceNames':['bob','dev']"),
          "Impersonate-User: bob\nImpersonate-Group: dev\nImpersonate-Group: ops", 403, NULL },
        { PLAIN("'resources':['users','groups'],'resourceNames':['bob','dev']"),
          "Impersonate-User: bob\nImpersonate-Group: dev,system:masters", 403, NULL },
        { PLAIN("'resources':['users','groups']"),
          "Impersonate-User: bob\nImpersonate-Group: dev,ops\nImpersonate-Group: x", 201,
          "{\"username\":\"bob\",\"groups\":[\"dev,ops\",\"x\",\"system:authenticated\"]}" },
        { PLAIN("'resources':['users','groups']"),
          "Impersonate-User: bob\nImpersonate-Group: system:authenticated", 201,
          "{\"username\":\"bob\",\"groups\":[\"system:authenticated\"]}" },
        { PLAIN("'resources':['users','groups']"),
          "Impersonate-User: bob\nImpersonate-Group: system:masters", 201,
          "{\"username\":\"bob\",\"groups\":[\"system:masters\",\"system:authenticated\"]}" },
        { PLAIN("'resources':['users','groups']"),
          "Impersonate-User: bob\nImpersonate-Group: system:unauthenticated", 403, NULL },
        /* without a user */
        { PLAIN("'resources':['users','groups']"), "Impersonate-Group: dev", 400, NULL },
        { PLAIN("'resources':['users','groups']"), "Impersonate-User:\nImpersonate-Group: dev", 400,
          NULL },
        { "{'verbs':['*'],'apiGroups':['*'],'resources':['*']}", "Impersonate-Uid: 1", 400, NULL },
        { "{'verbs':['*'],'apiGroups':['*'],'resources':['*']}", "Impersonate-Extra-a: 1", 400,
          NULL },
        /* uid and extra values */
        { PLAIN("'resources':['users']"), "Impersonate-User: bob\nImpersonate-Uid: 1", 403,
          NOT_USERS },
        { PLAIN("'resources':['users','uids']"), "Impersonate-User: bob\nImpersonate-Uid: 1", 403,
          NULL },
        { PLAIN("'resources':['users']") ",{" ALL "['uids'],'resourceNames':['1']}",
          "Impersonate-User: bob\nImpersonate-Uid: 1", 201,
          "{\"username\":\"bob\",\"uid\":\"1\",\"groups\":[\"system:authenticated\"]}" },
        { PLAIN("'resources':['users']") ",{" ALL "['uids'],'resourceNames':['1']}",
          "Impersonate-User: bob\nImpersonate-Uid: 2", 403, NULL },
        { PLAIN("'resources':['users']") ",{" ALL "['userextras/scopes']}",
          "Impersonate-User: bob\nImpersonate-Extra-Scopes: a\nImpersonate-Extra-Scopes: b", 201,
          "{\"username\":\"bob\",\"groups\":[\"system:authenticated\"],\"extra\":{\"scopes\":["
          "\"a\",\"b\"]}}" },
        { PLAIN("'resources':['users']") ",{" ALL "['userextras/scopes']}",
          "Impersonate-User: bob\nImpersonate-Extra-other: a", 403, NULL },
        { PLAIN("'resources':['users']") ",{" ALL "['userextras']}",
          "Impersonate-User: bob\nImpersonate-Extra-scopes: a", 403, NULL },
        { PLAIN("'resources':['users']") ",{" ALL "['userextras/scopes'],'resourceNames':['a']}",
          "Impersonate-User: bob\nImpersonate-Extra-scopes: b", 403, NULL },
        { PLAIN("'resources':['users']") ",{" ALL "['userextras/a.b/c d']}",
          "Impersonate-User: bob\nImpersonate-Extra-A.B%2fC%20D: x", 201,
          "{\"username\":\"bob\",\"groups\":[\"system:authenticated\"],\"extra\":{\"a.b/c d\":["
          "\"x\"]}}" },
        /* accounts are no users, and have groups of their own */
        { PLAIN("'resources':['users']"), "Impersonate-User: system:serviceaccount:n:sa", 403,
          "selfsubjectreviews.authentication.k8s.io is forbidden: User \"u\" cannot "
          "impersonate-on:serviceaccount:create resource \"selfsubjectreviews\" in API group "
          "\"authentication.k8s.io\" at the cluster scope" },
        { PLAIN("'resources':['serviceaccounts'],'resourceNames':['sa']"),
          "Impersonate-User: system:serviceaccount:n:sa", 201,
          "{\"username\":\"system:serviceaccount:n:sa\",\"groups\":[\"system:serviceaccounts\","
          "\"system:serviceaccounts:n\",\"system:authenticated\"]}" },
        { PLAIN("'resources':['serviceaccounts','groups']"),
          "Impersonate-User: system:serviceaccount:n:sa\nImpersonate-Group: x", 201,
          "{\"username\":\"system:serviceaccount:n:sa\",\"groups\":[\"x\","
          "\"system:authenticated\"]}" },
        { PLAIN("'resources':['serviceaccounts']"), "Impersonate-User: system:serviceaccount:n:S_A",
          403, NULL },
        /* the constrained modes */
        { CONSTRAINED("user-info", "'resources':['users']"), "Impersonate-User: bob", 403,
          NOT_USERS },
        { CONSTRAINED("user-info", "'resources':['users']") "," ON("user-info"),
          "Impersonate-User: bob", 201, NULL },
        { ON("user-info"), "Impersonate-User: bob", 403,
          "users.authentication.k8s.io \"bob\" is forbidden: User \"u\" cannot "
          "impersonate:user-info "
          "resource \"users\" in API group \"authentication.k8s.io\" at the cluster scope" },
        { CONSTRAINED("user-info", "'resources':['users','groups']") "," ON("user-info"),
          "Impersonate-User: bob\nImpersonate-Group: dev", 201, NULL },
        { CONSTRAINED("user-info", "'resources':['users','groups']") "," ON("user-info"),
          "Impersonate-User: bob\nImpersonate-Group: system:masters", 403,
          "groups.authentication.k8s.io \"system:masters\" is forbidden: User \"u\" cannot "
          "impersonate:user-info resource \"groups\" in API group \"authentication.k8s.io\" at the "
          "cluster scope: impersonating the system:masters group is not allowed" },
        { CONSTRAINED("user-info", "'resources':['users','userextras/scopes']") "," ON("user-info"),
          "Impersonate-User: bob\nImpersonate-Extra-scopes: a", 403, NULL },
        { CONSTRAINED("user-info", "'resources':['users','userextras/a.b/c']") "," ON("user-info"),
          "Impersonate-User: bob\nImpersonate-Extra-a.b%2Fc: a", 201, NULL },
        { CONSTRAINED("user-info", "'resources':['users']") "," ON("user-info"),
          "Impersonate-User: system:node:a", 403, NULL },
        { CONSTRAINED("arbitrary-node",
                      "'resources':['nodes'],'resourceNames':['a']") "," ON("arbitrary-node"),
          "Impersonate-User: system:node:a", 201,
          "{\"username\":\"system:node:a\",\"groups\":[\"system:nodes\","
          "\"system:authenticated\"]}" },
        { CONSTRAINED("arbitrary-node",
                      "'resources':['nodes'],'resourceNames':['a']") "," ON("arbitrary-node"),
          "Impersonate-User: system:node:b", 403, NULL },
        { CONSTRAINED("serviceaccount", "'resources':['serviceaccounts']") "," ON("serviceaccount"),
          "Impersonate-User: system:serviceaccount:n:sa", 201, NULL },
        { CONSTRAINED("serviceaccount", "'resources':['serviceaccounts']") "," ON("serviceaccount"),
          "Impersonate-User: system:serviceaccount:n:sa\nImpersonate-Group: dev", 403, NULL },
};

static void give(struct fixture *f, const char *rules) {
        char body[1000];

        snprintf(body, sizeof(body), "{'metadata':{'name':'r'},'rules':[%s]}", rules);
        if (ask(f, "PUT", RBAC "/clusterroles/r", quoted_json(body)) >= 300)
                fail_msg("%s: %s", rules, f->text);
}

static struct fixture impersonation_new(const char *rules) {
        struct fixture f = access_new();

        make(&f, RBAC "/clusterrolebindings",
             "{'metadata':{'name':'b'}," REF("ClusterRole", "r") ",'subjects':[" USER("u") "]}");
        give(&f, rules);
        return f;
}

static void test_rights(void **state) {
        struct fixture f = impersonation_new("");

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                give(&f, cases[i].rules);
                int status = ask_token(&f, "u", cases[i].headers, "POST", WHO, NULL, "{}");
                const char *said = answer(&f, status == 201 ? "/status/userInfo" : "/message");

                if (status != cases[i].status ||
                    (cases[i].answer && strcmp(said, cases[i].answer) != 0))
                        fail_msg("%s | %s: %d %s", cases[i].rules, cases[i].headers, status,
                                 f.text);
        }
        fixture_free(&f);
}

/* The request itself is judged by the rights of the one that is stood in for. */
static void test_rights_change(void **state) {
        struct fixture f = impersonation_new(
                PLAIN("'resources':['users']") ",{'verbs':['list'],'apiGroups':[''],'resources':["
                                               "'secrets']}");

        (void)state;
        assert_int_equal(ask_token(&f, "u", NULL, "GET", "/api/v1/secrets", NULL, NULL), 200);
        assert_int_equal(
                ask_token(&f, "u", "Impersonate-User: bob", "GET", "/api/v1/secrets", NULL, NULL),
                403);
        assert_string_equal(
                answer(&f, "/message"),
                "secrets is forbidden: User \"bob\" cannot list resource \"secrets\" in "
                "API group \"\" at the cluster scope");
        /* who is not known may not either */
        assert_int_equal(ask_token(&f, NULL, "Impersonate-User: u", "GET", "/healthz", NULL, NULL),
                         403);
        assert_int_equal(ask_token(&f, "root", "Impersonate-User: bob\nImpersonate-Group: a", "GET",
                                   "/api/v1/secrets", NULL, NULL),
                         403);
        fixture_free(&f);
}

static void test_too_many(void **state) {
        struct fixture f = impersonation_new("");
        struct buf headers = { 0 };

        (void)state;
        buf_text(&headers, "Impersonate-User: bob");
        for (int i = 0; i < API_GROUPS_MAX - 1; i++)
                buf_printf(&headers, "\nImpersonate-Group: g%d", i);
        assert_int_equal(ask_token(&f, "root", headers.data, "POST", WHO, NULL, "{}"), 201);
        assert_int_equal(json_count(answer_at(&f, "/status/userInfo/groups")), API_GROUPS_MAX);
        buf_text(&headers, "\nImpersonate-Group: last");
        assert_int_equal(ask_token(&f, "root", headers.data, "POST", WHO, NULL, "{}"), 400);
        buf_release(&headers);
        fixture_free(&f);
}

/* A pod's token stands in for the node of the pod, and for no other. */
static void test_own_node(void **state) {
        struct fixture f = access_new();
        char authorization[2000];

        (void)state;
        make(&f, "/api/v1/nodes", "{'metadata':{'name':'a'}}");
        make(&f, "/api/v1/namespaces/default/serviceaccounts", "{'metadata':{'name':'sa'}}");
        make(&f, "/api/v1/namespaces/default/pods",
             "{'metadata':{'name':'p'},'spec':{'nodeName':'a','serviceAccountName':'sa',"
             "'containers':[{'name':'c','image':'i'}]}}");
        make(&f, RBAC "/clusterroles",
             "{'metadata':{'name':'r'},'rules':[" CONSTRAINED(
                     "associated-node", "'resources':['nodes']") "," ON("associated-node") "]}");
        make(&f, RBAC "/clusterrolebindings",
             "{'metadata':{'name':'b'}," REF(
                     "ClusterRole", "r") ",'subjects':[{'kind':"
                                         "'ServiceAccount','name':'sa','namespace':'default'}]}");
        make(&f, "/api/v1/namespaces/default/serviceaccounts/sa/token",
             "{'spec':{'boundObjectRef':{'kind':'Pod','name':'p'}}}");
        snprintf(authorization, sizeof(authorization), "Bearer %s", answer(&f, "/status/token"));
        assert_int_equal(ask_header(&f, authorization, SLICE_EMPTY, "POST", WHO, NULL, "{}"), 201);
        assert_non_null(strstr(f.text, "\"authentication.kubernetes.io/node-name\":[\"a\"]"));
        assert_non_null(strstr(f.text, "\"authentication.kubernetes.io/pod-name\":[\"p\"]"));
        assert_int_equal(ask_header(&f, authorization,
                                    SLICE_LITERAL("Impersonate-User\0system:node:a\0"), "POST", WHO,
                                    NULL, "{}"),
                         201);
        assert_string_equal(answer(&f, "/status/userInfo"),
                            "{\"username\":\"system:node:a\",\"groups\":[\"system:nodes\","
                            "\"system:authenticated\"]}");
        assert_int_equal(ask_header(&f, authorization,
                                    SLICE_LITERAL("Impersonate-User\0system:node:b\0"), "POST", WHO,
                                    NULL, "{}"),
                         403);
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_rights),
                cmocka_unit_test(test_rights_change),
                cmocka_unit_test(test_too_many),
                cmocka_unit_test(test_own_node),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
