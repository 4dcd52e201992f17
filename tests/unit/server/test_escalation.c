/* Nobody hands out rights that he does not have, and what creates takes the right to create. */
#include "fake_access.h"

#define ROLES RBAC "/clusterroles"
#define BINDINGS RBAC "/clusterrolebindings"
#define N "/api/v1/namespaces/n"
#define HERE RBAC "/namespaces/n"
#define WRITERS                                                                                    \
        "{'verbs':['create','update','patch','get'],'apiGroups':['rbac.authorization.k8s.io'],"    \
        "'resources':['roles','rolebindings','clusterroles','clusterrolebindings']}"
#define PODS(verbs) "{'verbs':[" verbs "],'apiGroups':[''],'resources':['pods']}"
#define ROLE(name, rules) "{'metadata':{'name':'" name "'},'rules':[" rules "]}"
#define HAS_NOT                                                                                    \
        "user \"u\" (groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions "  \
        "not currently held:\n"

/* Besides WRITERS. */
static const struct {
        const char *rules, *path, *body;
        int status;
        const char *message;
} cases[] = {
        { PODS("'get','list'"), ROLES, ROLE("x", PODS("'get'")), 201, NULL },
        { PODS("'get','list'"), ROLES, ROLE("x", PODS("'get','watch','delete','list'")), 403,
          "clusterroles.rbac.authorization.k8s.io \"x\" is forbidden: " HAS_NOT
          "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"watch\" \"delete\"]}" },
        { PODS("'get'"), ROLES, ROLE("x", PODS("'*'")), 403, NULL },
        { PODS("'*'"), ROLES, ROLE("x", PODS("'*'")), 201, NULL },
        { PODS("'get'"), ROLES,
          ROLE("x", "{'verbs':['get'],'apiGroups':[''],'resources':['pods/log']}"), 403, NULL },
        { "{'verbs':['get'],'apiGroups':[''],'resources':['*/log']}", ROLES,
          ROLE("x", "{'verbs':['get'],'apiGroups':[''],'resources':['pods/log']}"), 201, NULL },
        { "{'verbs':['get'],'apiGroups':[''],'resources':['pods/*']}", ROLES,
          ROLE("x", "{'verbs':['get'],'apiGroups':[''],'resources':['pods/log']}"), 403, NULL },
        { "{'verbs':['get'],'apiGroups':[''],'resources':['*']}", ROLES,
          ROLE("x", "{'verbs':['get'],'apiGroups':[''],'resources':['pods/log','nodes']}"), 201,
          NULL },
        { "{'verbs':['get'],'apiGroups':[''],'resources':['*']}", ROLES,
          ROLE("x", "{'verbs':['get'],'apiGroups':['*'],'resources':['pods']}"), 403, NULL },
        { PODS("'get'"), ROLES,
          ROLE("x", "{'verbs':['get'],'apiGroups':[''],'resources':['pods'],'resourceNames':['a']"
                    "}"),
          201, NULL },
        { "{'verbs':['get'],'apiGroups':[''],'resources':['pods'],'resourceNames':['a']}", ROLES,
          ROLE("x", PODS("'get'")), 403, NULL },
        { "{'verbs':['get'],'apiGroups':[''],'resources':['pods'],'resourceNames':['a']}", ROLES,
          ROLE("x", "{'verbs':['get'],'apiGroups':[''],'resources':['pods'],'resourceNames':['a',"
                    "'b']}"),
          403,
          "clusterroles.rbac.authorization.k8s.io \"x\" is forbidden: " HAS_NOT
          "{APIGroups:[\"\"], Resources:[\"pods\"], ResourceNames:[\"b\"], Verbs:[\"get\"]}" },
        { "{'verbs':['get'],'nonResourceURLs':['/a/*']}", ROLES,
          ROLE("x", "{'verbs':['get'],'nonResourceURLs':['/a/b','/a/c/*']}"), 201, NULL },
        { "{'verbs':['get'],'nonResourceURLs':['/a/*']}", ROLES,
          ROLE("x", "{'verbs':['get'],'nonResourceURLs':['/b','/a*']}"), 403,
          "clusterroles.rbac.authorization.k8s.io \"x\" is forbidden: " HAS_NOT
          "{NonResourceURLs:[\"/a*\"], Verbs:[\"get\"]}\n{NonResourceURLs:[\"/b\"], "
          "Verbs:[\"get\"]}" },
        /* escalate */
        { "{'verbs':['escalate'],'apiGroups':['rbac.authorization.k8s.io'],'resources':["
          "'clusterroles']}",
          ROLES, ROLE("x", PODS("'*'")), 201, NULL },
        { "{'verbs':['escalate'],'apiGroups':['rbac.authorization.k8s.io'],'resources':["
          "'clusterroles']}",
          HERE "/roles", ROLE("x", PODS("'*'")), 403, NULL },
        { "{'verbs':['escalate'],'apiGroups':['rbac.authorization.k8s.io'],'resources':["
          "'clusterroles'],'resourceNames':['x']}",
          ROLES, ROLE("x", PODS("'*'")), 403, NULL },
        /* roles of a namespace */
        { PODS("'get'"), HERE "/roles", ROLE("x", PODS("'get'")), 201, NULL },
        { "", HERE "/roles", ROLE("x", PODS("'get'")), 403,
          "roles.rbac.authorization.k8s.io \"x\" is forbidden: " HAS_NOT
          "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\"]}" },
        /* aggregated roles gather anything */
        { PODS("'get'"), ROLES,
          "{'metadata':{'name':'x'},'aggregationRule':{'clusterRoleSelectors':[{'matchLabels':{'a':"
          "'b'}}]}}",
          403,
          "clusterroles.rbac.authorization.k8s.io \"x\" is forbidden: must have cluster-admin "
          "privileges to use the aggregationRule" },
        { "{'verbs':['*'],'apiGroups':['*'],'resources':['*']}", ROLES,
          "{'metadata':{'name':'x'},'aggregationRule':{'clusterRoleSelectors':[{'matchLabels':{'a':"
          "'b'}}]}}",
          201, NULL },
        { "{'verbs':['get'],'apiGroups':['*'],'resources':['*']},{'verbs':['get'],"
          "'nonResourceURLs':['*']}",
          ROLES,
          "{'metadata':{'name':'x'},'aggregationRule':{'clusterRoleSelectors':[{'matchLabels':{'a':"
          "'b'}}]}}",
          403, NULL },
        /* bindings */
        { "", BINDINGS, "{'metadata':{'name':'x'}," REF("ClusterRole", "cluster-admin") "}", 403,
          "clusterrolebindings.rbac.authorization.k8s.io \"x\" is forbidden: " HAS_NOT
          "{APIGroups:[\"*\"], Resources:[\"*\"], Verbs:[\"*\"]}\n{NonResourceURLs:[\"*\"], "
          "Verbs:[\"*\"]}" },
        { PODS("'get'"), BINDINGS, "{'metadata':{'name':'x'}," REF("ClusterRole", "getter") "}",
          201, NULL },
        { "", BINDINGS, "{'metadata':{'name':'x'}," REF("ClusterRole", "getter") "}", 403, NULL },
        { "", HERE "/rolebindings", "{'metadata':{'name':'x'}," REF("ClusterRole", "getter") "}",
          403, NULL },
        { PODS("'get'"), HERE "/rolebindings",
          "{'metadata':{'name':'x'}," REF("ClusterRole", "getter") "}", 201, NULL },
        { "", BINDINGS, "{'metadata':{'name':'x'}," REF("ClusterRole", "none") "}", 404,
          "clusterroles.rbac.authorization.k8s.io \"none\" not found" },
        { "", HERE "/rolebindings", "{'metadata':{'name':'x'}," REF("Role", "none") "}", 404,
          "roles.rbac.authorization.k8s.io \"none\" not found" },
        { "{'verbs':['bind'],'apiGroups':['rbac.authorization.k8s.io'],'resources':["
          "'clusterroles'],'resourceNames':['getter']}",
          BINDINGS, "{'metadata':{'name':'x'}," REF("ClusterRole", "getter") "}", 201, NULL },
        { "{'verbs':['bind'],'apiGroups':['rbac.authorization.k8s.io'],'resources':["
          "'clusterroles'],'resourceNames':['getter']}",
          BINDINGS, "{'metadata':{'name':'x'}," REF("ClusterRole", "cluster-admin") "}", 403,
          NULL },
        { "{'verbs':['bind'],'apiGroups':['rbac.authorization.k8s.io'],'resources':['roles']}",
          BINDINGS, "{'metadata':{'name':'x'}," REF("ClusterRole", "getter") "}", 403, NULL },
};

static void give(struct fixture *f, const char *rules) {
        char body[2000];

        snprintf(body, sizeof(body), "{'metadata':{'name':'r'},'rules':[%s%s%s]}", WRITERS,
                 *rules ? "," : "", rules);
        if (ask(f, "PUT", ROLES "/r", quoted_json(body)) >= 300)
                fail_msg("%s: %s", rules, f->text);
}

static struct fixture escalation_new(const char *rules) {
        struct fixture f = access_new();

        make(&f, "/api/v1/namespaces", "{'metadata':{'name':'n'}}");
        make(&f, ROLES, ROLE("getter", PODS("'get'")));
        make(&f, BINDINGS,
             "{'metadata':{'name':'b'}," REF("ClusterRole", "r") ",'subjects':[" USER("u") "]}");
        give(&f, rules);
        return f;
}

static void test_create(void **state) {
        struct fixture f = escalation_new("");

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                char path[200];

                give(&f, cases[i].rules);
                int status = ask_token(&f, "u", NULL, "POST", cases[i].path, NULL, cases[i].body);
                if (status != cases[i].status ||
                    (cases[i].message && strcmp(answer(&f, "/message"), cases[i].message) != 0))
                        fail_msg("%s | %s %s: %d %s", cases[i].rules, cases[i].path, cases[i].body,
                                 status, f.text);
                snprintf(path, sizeof(path), "%s/x", cases[i].path);
                ask(&f, "DELETE", path, NULL);
        }
        fixture_free(&f);
}

/* The same checks on every other way of writing. */
static void test_change(void **state) {
        static const struct {
                const char *method, *type, *path, *body;
        } writes[] = {
                { "PUT", NULL, ROLES "/getter", ROLE("getter", PODS("'get','delete'")) },
                { "PUT", NULL, ROLES "/x", ROLE("x", PODS("'get','delete'")) },
                { "PATCH", MERGE_PATCH, ROLES "/getter", "{'rules':[" PODS("'delete'") "]}" },
                { "PATCH", STRATEGIC_PATCH, ROLES "/getter", "{'rules':[" PODS("'delete'") "]}" },
                { "PATCH", JSON_PATCH, ROLES "/getter",
                  "[{'op':'add','path':'/rules/0/verbs/-','value':'delete'}]" },
                { "PATCH", APPLY_PATCH, ROLES "/x?fieldManager=m",
                  "{'apiVersion':'rbac.authorization.k8s.io/v1','kind':'ClusterRole','metadata':{"
                  "'name':'x'},'rules':[" PODS("'delete'") "]}" },
                { "PATCH", APPLY_PATCH, ROLES "/getter?fieldManager=m&force=true",
                  "{'apiVersion':'rbac.authorization.k8s.io/v1','kind':'ClusterRole','metadata':{"
                  "'name':'getter'},'rules':[" PODS("'delete'") "]}" },
                { "PATCH", MERGE_PATCH, BINDINGS "/cluster-admin", "{'subjects':[" USER("u") "]}" },
                { "PUT", NULL, BINDINGS "/cluster-admin",
                  "{'metadata':{'name':'cluster-admin'}," REF(
                          "ClusterRole", "cluster-admin") ","
                                                          "'subjects':[" USER("u") "]}" },
                { "PATCH", APPLY_PATCH, HERE "/rolebindings/x?fieldManager=m",
                  "{'apiVersion':'rbac.authorization.k8s.io/v1','kind':'RoleBinding','metadata':{"
                  "'name':'x','namespace':'n'}," REF("ClusterRole", "admin") "}" },
        };
        struct fixture f = escalation_new(PODS("'get'"));

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(writes); i++) {
                int status = ask_token(&f, "u", NULL, writes[i].method, writes[i].path,
                                       writes[i].type, writes[i].body);

                if (status != 403 || !strstr(answer(&f, "/message"), "not currently held"))
                        fail_msg("%s %s %s: %d %s", writes[i].method, writes[i].path,
                                 writes[i].body, status, f.text);
        }
        fixture_free(&f);
}

/* What the garbage collector does takes no rights of the role; labels do. */
static void test_housekeeping(void **state) {
        struct fixture f = escalation_new("");

        (void)state;
        assert_int_equal(ask_token(&f, "u", NULL, "PATCH", ROLES "/cluster-admin", MERGE_PATCH,
                                   "{'metadata':{'finalizers':['a.b/c']}}"),
                         200);
        assert_int_equal(ask_token(&f, "u", NULL, "PATCH", ROLES "/cluster-admin", MERGE_PATCH,
                                   "{'metadata':{'labels':{'a':'b'}}}"),
                         403);
        /* the aggregation of a role stays with whoever may do everything */
        make(&f, ROLES,
             "{'metadata':{'name':'sum'},'aggregationRule':{'clusterRoleSelectors':[{'matchLabels':"
             "{'a':'b'}}]}}");
        assert_int_equal(ask_token(&f, "u", NULL, "PATCH", ROLES "/sum", MERGE_PATCH,
                                   "{'aggregationRule':null,'rules':[]}"),
                         403);
        fixture_free(&f);
}

/* A role of very many combinations is refused, not compared for minutes. */
static void test_too_many(void **state) {
        struct fixture f = escalation_new("");
        struct buf body = { 0 };

        (void)state;
        buf_text(&body, "{'metadata':{'name':'x'},'rules':[{'apiGroups':[''],'verbs':[''");
        for (int i = 0; i < 200; i++)
                buf_printf(&body, ",'%d'", i);
        buf_text(&body, "],'resources':[''");
        for (int i = 0; i < 200; i++)
                buf_printf(&body, ",'%d'", i);
        buf_text(&body, "]}]}");
        assert_int_equal(ask_token(&f, "u", NULL, "POST", ROLES, NULL, body.data), 403);
        assert_non_null(strstr(answer(&f, "/message"), "too many combinations"));
        buf_release(&body);
        fixture_free(&f);
}

/* ---- the right to create ---- */

#define LEASES "/apis/coordination.k8s.io/v1/namespaces/n/leases"
#define LEASE "{'apiVersion':'coordination.k8s.io/v1','kind':'Lease','metadata':{'name':'l'}}"
#define MAY(verbs)                                                                                 \
        "{'verbs':[" verbs "],'apiGroups':['coordination.k8s.io'],'resources':['leases']}"

static void test_create_by_update(void **state) {
        static const struct {
                const char *rules, *method, *type, *path;
                int status;
        } writes[] = {
                { MAY("'update'"), "PUT", NULL, LEASES "/l", 403 },
                { MAY("'update','create'"), "PUT", NULL, LEASES "/l", 201 },
                { MAY("'update'"), "PUT", NULL, LEASES "/l", 422 }, /* no resourceVersion */
                { MAY("'create'"), "PUT", NULL, LEASES "/l", 403 },
                { MAY("'patch'"), "PATCH", APPLY_PATCH, LEASES "/l?fieldManager=m", 200 },
                { MAY("'delete'"), "DELETE", NULL, LEASES "/l", 200 },
                { MAY("'patch'"), "PATCH", APPLY_PATCH, LEASES "/l?fieldManager=m", 403 },
                { MAY("'patch','create'"), "PATCH", APPLY_PATCH, LEASES "/l?fieldManager=m", 201 },
        };
        struct fixture f = escalation_new("");

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(writes); i++) {
                give(&f, writes[i].rules);
                int status =
                        ask_token(&f, "u", NULL, writes[i].method, writes[i].path, writes[i].type,
                                  strcmp(writes[i].method, "DELETE") == 0 ? "{}" : LEASE);

                if (status != writes[i].status)
                        fail_msg("%s %s: %d %s", writes[i].rules, writes[i].path, status, f.text);
                if (i == 0)
                        assert_string_equal(
                                answer(&f, "/message"),
                                "leases.coordination.k8s.io \"l\" is forbidden: User \"u\" cannot "
                                "create resource \"leases\" in API group \"coordination.k8s.io\" "
                                "in "
                                "the namespace \"n\"");
        }
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_create),           cmocka_unit_test(test_change),
                cmocka_unit_test(test_housekeeping),     cmocka_unit_test(test_too_many),
                cmocka_unit_test(test_create_by_update),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
