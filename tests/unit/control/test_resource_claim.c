/* Resource claims: made from templates, reserved, and given back when nobody uses them. */
#include "cluster.h"

#include <inttypes.h>

#define CONTROLLERS "kubelet,resourceclaim-controller,garbage-collector-controller"
#define GROUP "/apis/resource.k8s.io/v1/namespaces/default"
#define CLAIMS GROUP "/resourceclaims"
#define TEMPLATES GROUP "/resourceclaimtemplates"
#define REQUESTS                                                                                   \
        "'devices':{'requests':[{'name':'gpu','exactly':{'deviceClassName':'gpu.example.com'}}]}"
#define TEMPLATE(name)                                                                             \
        "{'metadata':{'name':'" name "'},'spec':{'metadata':{'labels':{'team':'a'},"               \
        "'annotations':{'why':'test'}},'spec':{" REQUESTS "}}}"
#define POD(name, claims)                                                                          \
        "{'metadata':{'name':'" name                                                               \
        "'},'spec':{'restartPolicy':'Never','resourceClaims':[" claims                             \
        "],'containers':[{'name':'c','image':'i','resources':{'claims':[{'name':'g'}]}}]}}"
#define FROM_TEMPLATE "{'name':'g','resourceClaimTemplateName':'t'}"
#define BY_NAME "{'name':'g','resourceClaimName':'shared'}"
#define PROTECTION "resource.kubernetes.io/delete-protection"

/* As a scheduler writes it: the finalizer, then allocation and consumers. */
static void allocate(struct cluster *c, const char *claim, const char *consumers) {
        char path[256], status[1024];

        snprintf(path, sizeof(path), CLAIMS "/%s", claim);
        assert_int_equal(cluster_merge(c, path, "{'metadata':{'finalizers':['" PROTECTION "']}}"),
                         200);
        snprintf(path, sizeof(path), CLAIMS "/%s/status", claim);
        snprintf(status, sizeof(status),
                 "{'status':{'allocation':{'devices':{'results':[{'request':'gpu','driver':"
                 "'d.example.com','pool':'n0','device':'gpu-0'}]}},'reservedFor':[%s]}}",
                 consumers);
        assert_int_equal(cluster_merge(c, path, status), 200);
}

static const char *consumer_of(struct cluster *c, const char *pod, char *text, size_t size) {
        char path[256];

        snprintf(path, sizeof(path), PODS "/%s", pod);
        snprintf(text, size, "{'resource':'pods','name':'%s','uid':'%s'}", pod,
                 cluster_field(c, path, "/metadata/uid"));
        return text;
}

/* Of the claim that was made for the pod p. */
static const char *made_name(struct cluster *c) {
        return cluster_field(c, PODS "/p", "/status/resourceClaimStatuses/0/resourceClaimName");
}

/* One pod p with a claim from the template t; its name goes to claim. */
static struct cluster cluster_with_pod(char *claim, size_t size) {
        struct cluster c = cluster_new(CONTROLLERS);

        assert_int_equal(cluster_post(&c, TEMPLATES, TEMPLATE("t")), 201);
        assert_int_equal(cluster_post(&c, PODS, POD("p", FROM_TEMPLATE)), 201);
        snprintf(claim, size, "%s", made_name(&c));
        return c;
}

static void post_shared(struct cluster *c) {
        cluster_post(c, CLAIMS, "{'metadata':{'name':'shared'},'spec':{" REQUESTS "}}");
}

/* The claim `shared`, used by the pod a. */
static void share_with_a(struct cluster *c) {
        char consumer[256];

        post_shared(c);
        cluster_post(c, PODS, POD("a", BY_NAME));
        allocate(c, "shared", consumer_of(c, "a", consumer, sizeof(consumer)));
}

static void test_made_from_template(void **state) {
        char claim[128], path[256];
        struct cluster c = cluster_with_pod(claim, sizeof(claim));

        (void)state;
        assert_true(strncmp(claim, "p-g-", 4) == 0 && strlen(claim) == 9);
        snprintf(path, sizeof(path), CLAIMS "/%s", claim);
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/resourceClaimStatuses/0/name"),
                            "g");
        assert_string_equal(
                cluster_field(&c, path,
                              "/metadata/annotations/resource.kubernetes.io~pod-claim-name"),
                "g");
        assert_string_equal(cluster_field(&c, path, "/metadata/annotations/why"), "test");
        assert_string_equal(cluster_field(&c, path, "/metadata/labels/team"), "a");
        assert_string_equal(cluster_field(&c, path, "/metadata/generateName"), "p-g-");
        assert_string_equal(cluster_field(&c, path, "/metadata/ownerReferences/0/kind"), "Pod");
        assert_string_equal(cluster_field(&c, path, "/metadata/ownerReferences/0/controller"),
                            "true");
        assert_string_equal(
                cluster_field(&c, path, "/metadata/ownerReferences/0/blockOwnerDeletion"), "");
        assert_string_equal(cluster_field(&c, path, "/spec/devices/requests/0/exactly/count"), "1");
        assert_int_equal(cluster_count(&c, CLAIMS), 1);
        cluster_free(&c);
}

static void test_made_again(void **state) {
        char claim[128], path[256];
        struct cluster c = cluster_with_pod(claim, sizeof(claim));

        (void)state;
        snprintf(path, sizeof(path), CLAIMS "/%s", claim);
        cluster_ask(&c, "DELETE", path, NULL);
        assert_int_equal(cluster_count(&c, CLAIMS), 1);
        assert_string_not_equal(cluster_item(&c, CLAIMS, 0, "/metadata/name"), claim);
        snprintf(claim, sizeof(claim), "%s", made_name(&c));
        assert_string_equal(cluster_item(&c, CLAIMS, 0, "/metadata/name"), claim);
        /* The status is lost, the claim is found again. */
        cluster_merge(&c, PODS "/p/status", "{'status':{'resourceClaimStatuses':null}}");
        assert_int_equal(cluster_count(&c, CLAIMS), 1);
        assert_string_equal(made_name(&c), claim);
        cluster_free(&c);
}

static void test_waits_for_template(void **state) {
        struct cluster c = cluster_new(CONTROLLERS);

        (void)state;
        cluster_post(&c, PODS, POD("p", FROM_TEMPLATE));
        assert_int_equal(cluster_count(&c, CLAIMS), 0);
        assert_string_equal(cluster_event(&c, "p", "FailedResourceClaimCreation"),
                            "PodResourceClaim g: resource claim template \"t\": "
                            "resourceclaimtemplate.resource.k8s.io \"t\" not found");
        cluster_post(&c, TEMPLATES, TEMPLATE("other"));
        assert_int_equal(cluster_count(&c, CLAIMS), 0);
        cluster_post(&c, TEMPLATES, TEMPLATE("t"));
        assert_int_equal(cluster_count(&c, CLAIMS), 1);
        cluster_free(&c);
}

static void test_long_names(void **state) {
        struct cluster c = cluster_new(CONTROLLERS);
        char body[1024], name[64], pod[101];

        (void)state;
        memset(pod, 'p', 100);
        pod[100] = '\0';
        cluster_post(&c, TEMPLATES, TEMPLATE("t"));
        snprintf(body, sizeof(body),
                 "{'metadata':{'name':'%s'},'spec':{'resourceClaims':[{'name':"
                 "'0123456789','resourceClaimTemplateName':'t'}],'containers':[{'name':'c',"
                 "'image':'i'}]}}",
                 pod);
        assert_int_equal(cluster_post(&c, PODS, body), 201);
        snprintf(name, sizeof(name), "%s", cluster_item(&c, CLAIMS, 0, "/metadata/generateName"));
        assert_int_equal(strlen(name), 50 + 1 + 5); /* 57/112 of both */
        assert_string_equal(name + 50, "-01234");
        cluster_free(&c);
}

static void test_finished_pod(void **state) {
        char claim[128], consumer[256];
        struct cluster c = cluster_with_pod(claim, sizeof(claim));

        (void)state;
        allocate(&c, claim, consumer_of(&c, "p", consumer, sizeof(consumer)));
        cluster_schedule(&c);
        cluster_wait(&c, 1000);
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/phase"), "Running");
        assert_int_equal(cluster_count(&c, CLAIMS), 1);
        cluster_merge(&c, PODS "/p/status", "{'status':{'phase':'Succeeded'}}");
        assert_int_equal(cluster_count(&c, CLAIMS), 0);
        cluster_free(&c);
}

static void test_deleted_pod(void **state) {
        char claim[128], consumer[256];
        struct cluster c = cluster_with_pod(claim, sizeof(claim));

        (void)state;
        allocate(&c, claim, consumer_of(&c, "p", consumer, sizeof(consumer)));
        cluster_schedule(&c);
        cluster_wait(&c, 1000);
        cluster_ask(&c, "DELETE", PODS "/p", NULL);
        assert_int_equal(cluster_count(&c, CLAIMS), 1); /* it still runs */
        cluster_wait(&c, 60000);
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/phase"), "gone");
        assert_int_equal(cluster_count(&c, CLAIMS), 0);
        cluster_free(&c);
}

/* Of two users one goes, then the other. */
static void test_shared_claim(void **state) {
        struct cluster c = cluster_new(CONTROLLERS);
        char first[256], second[256], both[600];

        (void)state;
        post_shared(&c);
        cluster_post(&c, PODS, POD("a", BY_NAME));
        cluster_post(&c, PODS, POD("b", BY_NAME));
        snprintf(both, sizeof(both),
                 "%s,%s,{'apiGroup':'x.io','resource':'xs','name':'x',"
                 "'uid':'u'}",
                 consumer_of(&c, "a", first, sizeof(first)),
                 consumer_of(&c, "b", second, sizeof(second)));
        allocate(&c, "shared", both);
        cluster_ask(&c, "DELETE", PODS "/a", NULL);
        assert_string_equal(cluster_field(&c, CLAIMS "/shared", "/status/reservedFor/0/name"), "b");
        assert_string_equal(cluster_field(&c, CLAIMS "/shared", "/status/reservedFor/1/name"), "x");
        cluster_ask(&c, "DELETE", PODS "/b", NULL);
        assert_string_equal(cluster_field(&c, CLAIMS "/shared", "/status/reservedFor/0/name"), "x");
        assert_string_not_equal(cluster_field(&c, CLAIMS "/shared", "/status/allocation"), "");
        cluster_free(&c);
}

static void test_given_back(void **state) {
        struct cluster c = cluster_new(CONTROLLERS);

        (void)state;
        share_with_a(&c);
        cluster_ask(&c, "DELETE", CLAIMS "/shared", NULL);
        assert_string_not_equal(cluster_field(&c, CLAIMS "/shared", "/metadata/deletionTimestamp"),
                                "gone");
        cluster_ask(&c, "DELETE", PODS "/a", NULL);
        assert_string_equal(cluster_field(&c, CLAIMS "/shared", "/metadata/name"), "gone");
        /* Without deletion it stays, free for others. */
        share_with_a(&c);
        cluster_ask(&c, "DELETE", PODS "/a", NULL);
        assert_string_equal(cluster_field(&c, CLAIMS "/shared", "/status/allocation"), "");
        assert_string_equal(cluster_field(&c, CLAIMS "/shared", "/status/reservedFor"), "");
        assert_string_equal(cluster_field(&c, CLAIMS "/shared", "/metadata/finalizers"), "");
        cluster_free(&c);
}

/* The reservation of a pod that was replaced by one of the same name does not count. */
static void test_replaced_pod(void **state) {
        struct cluster c = cluster_new(CONTROLLERS);

        (void)state;
        post_shared(&c);
        cluster_post(&c, PODS, POD("a", BY_NAME));
        allocate(&c, "shared", "{'resource':'pods','name':'a','uid':'old'}");
        assert_string_equal(cluster_field(&c, CLAIMS "/shared", "/status/allocation"), "");
        cluster_free(&c);
}

/* A claim that was allocated without a consumer stays so until it is deleted. */
static void test_allocated_unused(void **state) {
        struct cluster c = cluster_new(CONTROLLERS);

        (void)state;
        post_shared(&c);
        allocate(&c, "shared", "");
        assert_string_not_equal(cluster_field(&c, CLAIMS "/shared", "/status/allocation"), "");
        cluster_ask(&c, "DELETE", CLAIMS "/shared", NULL);
        assert_string_equal(cluster_field(&c, CLAIMS "/shared", "/metadata/name"), "gone");
        cluster_free(&c);
}

static void test_bound_without_scheduler(void **state) {
        struct cluster c = cluster_new(CONTROLLERS);

        (void)state;
        post_shared(&c);
        cluster_post(&c, PODS, POD("a", BY_NAME));
        cluster_schedule(&c);
        assert_string_equal(cluster_field(&c, CLAIMS "/shared", "/status/reservedFor"), "");
        allocate(&c, "shared", "");
        assert_string_equal(cluster_field(&c, CLAIMS "/shared", "/status/reservedFor/0/name"), "a");
        assert_string_equal(cluster_field(&c, CLAIMS "/shared", "/status/reservedFor/0/resource"),
                            "pods");
        cluster_free(&c);
}

/* The claim that a scheduler made for extended resources. */
static void test_special_claim(void **state) {
        struct cluster c = cluster_new(CONTROLLERS);
        char body[1024], consumer[256], uid[64];

        (void)state;
        cluster_post(&c, PODS,
                     "{'metadata':{'name':'a'},'spec':{'restartPolicy':'Never','containers':[{"
                     "'name':'c','image':'i','resources':{'limits':{'example.com/gpu':'1'}}}]}}");
        snprintf(uid, sizeof(uid), "%s", cluster_field(&c, PODS "/a", "/metadata/uid"));
        snprintf(body, sizeof(body),
                 "{'metadata':{'name':'special','annotations':{"
                 "'resource.kubernetes.io/extended-resource-claim':'true'},'ownerReferences':[{"
                 "'apiVersion':'v1','kind':'Pod','name':'a','uid':'%s','controller':true}]},"
                 "'spec':{" REQUESTS "}}",
                 uid);
        assert_int_equal(cluster_post(&c, CLAIMS, body), 201);
        allocate(&c, "special", consumer_of(&c, "a", consumer, sizeof(consumer)));
        cluster_merge(&c, PODS "/a/status",
                      "{'status':{'extendedResourceClaimStatus':{'resourceClaimName':'special',"
                      "'requestMappings':[{'containerName':'c','resourceName':'example.com/gpu',"
                      "'requestName':'r'}]}}}");
        cluster_schedule(&c);
        cluster_wait(&c, 1000);
        assert_int_equal(cluster_count(&c, CLAIMS), 1);
        cluster_merge(&c, PODS "/a/status", "{'status':{'phase':'Failed'}}");
        assert_int_equal(cluster_count(&c, CLAIMS), 0);
        cluster_free(&c);
}

/* Pods of a data folder that a later version left: claims are nothing to this one. */
static void test_version_without_claims(void **state) {
        static const char *const claims[] = { BY_NAME, FROM_TEMPLATE };
        struct cluster c = cluster_of_version("*", 33);
        struct store *store = api_server_store(c.server);
        int pods = api_server_resource(c.server, "", "pods");
        char body[1024];

        (void)state;
        assert_int_equal(api_server_resource(c.server, "resource.k8s.io", "resourceclaims"), -1);
        for (size_t i = 0; i < ARRAY_LEN(claims); i++) {
                int size = snprintf(body, sizeof(body),
                                    "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p%zu',"
                                    "'namespace':'default','uid':'u%zu','resourceVersion':'%" PRIu64
                                    "'},'spec':{'nodeName':'n0','resourceClaims':[%s],"
                                    "'containers':[{'name':'c','image':'i'}]},"
                                    "'status':{'phase':'Pending'}}",
                                    i, i, store_next_revision(store), claims[i]);
                char name[] = { 'p', (char)('0' + i), '\0' };

                for (int at = 0; at < size; at++)
                        body[at] = body[at] == '\'' ? '"' : body[at];
                assert_int_equal(store_put(store, pods, SLICE_LITERAL("default"), slice_of(name),
                                           slice_of(body), NULL),
                                 0);
        }
        cluster_wait(&c, 1000);
        assert_string_equal(cluster_field(&c, PODS "/p0", "/status/phase"), "Running");
        assert_string_equal(cluster_field(&c, PODS "/p1", "/status/phase"), "Running");
        assert_string_equal(cluster_event(&c, "p1", "FailedResourceClaimCreation"), "gone");
        cluster_ask(&c, "DELETE", PODS "/p0?gracePeriodSeconds=0", NULL);
        assert_string_equal(cluster_field(&c, PODS "/p0", "/status/phase"), "gone");
        cluster_free(&c);
}

/* ---- claims of groups of pods ---- */

#define GROUPS "/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups"
#define GROUP_DEFINITION                                                                           \
        "{'metadata':{'name':'podgroups.scheduling.k8s.io','annotations':{"                        \
        "'api-approved.kubernetes.io':'https://example.com'}},'spec':{'group':"                    \
        "'scheduling.k8s.io','scope':'Namespaced','names':{'plural':'podgroups','singular':"       \
        "'podgroup','kind':'PodGroup','listKind':'PodGroupList'},'versions':[{'name':'v1alpha2',"  \
        "'served':true,'storage':true,'subresources':{'status':{}},'schema':{'openAPIV3Schema':{"  \
        "'type':'object','x-kubernetes-preserve-unknown-fields':true}}}]}}"
#define MEMBER(name)                                                                               \
        "{'metadata':{'name':'" name "'},'spec':{'restartPolicy':'Never','schedulingGroup':{"      \
        "'podGroupName':'team'},'resourceClaims':[" FROM_TEMPLATE                                  \
        ",{'name':'own','resourceClaimTemplateName':'t'}],'containers':[{'name':'c','image':"      \
        "'i'}]}}"
#define TEAM_GROUP                                                                                 \
        "{'apiVersion':'scheduling.k8s.io/v1alpha2','kind':'PodGroup','metadata':{'name':'team'}," \
        "'spec':{'schedulingPolicy':{'basic':{}},'resourceClaims':[" FROM_TEMPLATE "]}}"
#define STATUS_NAME(entry) "/status/resourceClaimStatuses/" entry "/resourceClaimName"

static struct cluster cluster_of_groups(const char *controllers) {
        struct cluster c = cluster_new(controllers);

        assert_int_equal(cluster_post(&c, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                                      GROUP_DEFINITION),
                         201);
        return c;
}

static struct cluster cluster_with_groups(void) {
        return cluster_of_groups(CONTROLLERS);
}

/* Members that come before their group and its template wait; all share the group's claim, and have
 * others of their own. */
static void test_claims_of_a_group(void **state) {
        struct cluster c = cluster_with_groups();
        char shared[128], path[256];

        (void)state;
        assert_int_equal(cluster_post(&c, PODS, MEMBER("a")), 201);
        assert_int_equal(cluster_post(&c, GROUPS, TEAM_GROUP), 201);
        assert_int_equal(cluster_count(&c, CLAIMS), 0);
        assert_int_equal(cluster_post(&c, TEMPLATES, TEMPLATE("t")), 201);
        cluster_wait(&c, 20000);
        assert_int_equal(cluster_post(&c, PODS, MEMBER("b")), 201);
        assert_int_equal(cluster_count(&c, CLAIMS), 3);
        snprintf(shared, sizeof(shared), "%s", cluster_field(&c, GROUPS "/team", STATUS_NAME("0")));
        assert_true(strncmp(shared, "team-g-", 7) == 0);
        assert_string_equal(cluster_field(&c, PODS "/a", "/status/resourceClaimStatuses/1/name"),
                            "g");
        assert_string_equal(cluster_field(&c, PODS "/a", STATUS_NAME("1")), shared);
        assert_string_equal(cluster_field(&c, PODS "/b", STATUS_NAME("0")), shared);
        assert_true(strncmp(cluster_field(&c, PODS "/b", STATUS_NAME("1")), "b-own-", 6) == 0);
        snprintf(path, sizeof(path), CLAIMS "/%s", shared);
        assert_string_equal(cluster_field(&c, path, "/metadata/ownerReferences/0/kind"),
                            "PodGroup");
        assert_string_equal(cluster_field(&c, path, "/metadata/ownerReferences/0/apiVersion"),
                            "scheduling.k8s.io/v1alpha2");
        cluster_free(&c);
}

/* A group keeps what is reserved for it after its members; it goes with the group. */
static void test_group_ends(void **state) {
        struct cluster c = cluster_with_groups();
        char shared[128], path[256], consumer[256];

        (void)state;
        cluster_post(&c, TEMPLATES, TEMPLATE("t"));
        cluster_post(&c, GROUPS, TEAM_GROUP);
        cluster_post(&c, PODS, MEMBER("a"));
        snprintf(shared, sizeof(shared), "%s", cluster_field(&c, GROUPS "/team", STATUS_NAME("0")));
        snprintf(consumer, sizeof(consumer),
                 "{'apiGroup':'scheduling.k8s.io','resource':'podgroups','name':'team','uid':'%s'}",
                 cluster_field(&c, GROUPS "/team", "/metadata/uid"));
        allocate(&c, shared, consumer);
        snprintf(path, sizeof(path), CLAIMS "/%s", shared);
        assert_int_equal(cluster_ask(&c, "DELETE", PODS "/a?gracePeriodSeconds=0", NULL), 200);
        assert_string_equal(cluster_field(&c, path, "/status/reservedFor/0/name"), "team");
        assert_int_equal(cluster_ask(&c, "DELETE", GROUPS "/team", NULL), 200);
        cluster_wait(&c, 20000);
        assert_int_equal(cluster_count(&c, CLAIMS), 0);
        cluster_free(&c);
}

/* A group that is deleted stays until its members are over. */
static void test_protected_group(void **state) {
        struct cluster c = cluster_of_groups(CONTROLLERS ",podgroup-protection-controller");

        (void)state;
        cluster_post(&c, TEMPLATES, TEMPLATE("t"));
        assert_int_equal(
                cluster_post(&c, GROUPS,
                             "{'apiVersion':'scheduling.k8s.io/v1alpha2','kind':'PodGroup',"
                             "'metadata':{'name':'team','finalizers':["
                             "'scheduling.k8s.io/podgroup-protection']},'spec':{}}"),
                201);
        cluster_post(&c, PODS, MEMBER("a"));
        cluster_ask(&c, "DELETE", GROUPS "/team", NULL);
        cluster_wait(&c, 1000);
        assert_int_equal(cluster_count(&c, GROUPS), 1);
        cluster_ask(&c, "DELETE", PODS "/a?gracePeriodSeconds=0", NULL);
        cluster_wait(&c, 1000);
        assert_int_equal(cluster_count(&c, GROUPS), 0);
        cluster_free(&c);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_made_from_template),
                cmocka_unit_test(test_made_again),
                cmocka_unit_test(test_waits_for_template),
                cmocka_unit_test(test_long_names),
                cmocka_unit_test(test_finished_pod),
                cmocka_unit_test(test_deleted_pod),
                cmocka_unit_test(test_shared_claim),
                cmocka_unit_test(test_given_back),
                cmocka_unit_test(test_replaced_pod),
                cmocka_unit_test(test_allocated_unused),
                cmocka_unit_test(test_bound_without_scheduler),
                cmocka_unit_test(test_special_claim),
                cmocka_unit_test(test_version_without_claims),
                cmocka_unit_test(test_claims_of_a_group),
                cmocka_unit_test(test_group_ends),
                cmocka_unit_test(test_protected_group),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
